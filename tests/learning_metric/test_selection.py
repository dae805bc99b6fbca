"""The choice of a mixture by held-out likelihood."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest

from nbembed.learning_metric.mixture import fit, start
from nbembed.learning_metric.selection import (
    BLIND_ITERATIONS,
    PATIENCE,
    TIED,
    _Trial,
    choose,
    folds_of,
    numbers_to_try,
    spread_of,
)


def classes(rng: Any, n: int = 90) -> tuple[Any, Any, Any]:
    y = rng.integers(3, size=n)
    X = np.array([[0.0, 0], [3, 0], [0, 3]])[y] + rng.normal(size=(n, 2))
    return X - X.mean(axis=0), np.eye(3)[y], y


def test_each_class_is_dealt_out_evenly_and_a_lone_point_never(rng):
    top = rng.permutation(np.repeat([0, 1, 2, 3], [40, 11, 3, 1]))
    fold = folds_of(top, 5, rng)
    for c, size in ((0, 40), (1, 11), (2, 3)):
        counts = np.bincount(fold[top == c], minlength=5)
        assert counts.sum() == size
        assert np.ptp(counts) <= 1
    assert np.ptp(np.bincount(fold[fold >= 0])) <= 1
    assert (fold[top == 3] == -1).all()


def test_more_gaussians_than_classes_need_points_for_them():
    assert numbers_to_try(26, 1500) == [26, 52, 104]
    assert numbers_to_try(6, 1500) == [6, 12, 24, 48]
    assert numbers_to_try(5, 8) == [5]


def test_the_spread_of_classes(rng):
    X, T, y = classes(rng)
    within = np.concatenate([X[y == c] - X[y == c].mean(axis=0) for c in range(3)])
    assert spread_of(X, T) == pytest.approx(np.sqrt((within**2).sum(axis=1).mean()))
    points = np.array([[0.0, 0], [3, 4]])
    assert spread_of(points, np.eye(2)) == pytest.approx(2.5), "of all points where classes are one"
    with pytest.raises(ValueError, match="X must have distinct labeled points"):
        spread_of(np.full((6, 2), 0.1), np.eye(2)[[0, 1] * 3])


def test_the_score_is_the_likelihood_of_what_was_left_out(rng):
    X, T, _ = classes(rng)
    trial = _Trial(X[:60], T[:60], X[60:], T[60:], 3, np.random.default_rng(1))
    scores = trial.scores(1.2, 12)
    begin = start(X[:60], T[:60], 3, np.random.default_rng(1))
    for steps in (0, 1, 4):
        mixture, _ = fit(X[:60], T[:60], begin, 1.2, steps)
        held_out = np.sum(T[60:] * mixture.log_proba(X[60:])) / 30
        assert scores[steps] == pytest.approx(held_out, rel=1e-9)


def test_a_fit_whose_held_out_likelihood_falls_is_given_up(rng):
    X, _, _ = classes(rng, 60)
    noise = np.eye(2)[rng.integers(2, size=60)]
    scores = _Trial(X[:30], noise[:30], X[30:], noise[30:], 8, rng).scores(0.3, 200)
    assert scores.shape == (201,)
    best = int(scores.argmax())
    assert best < 100
    assert (scores[best + PATIENCE :] == scores[-1]).all()
    assert scores[-1] < scores[best]


def test_the_best_candidate_is_chosen_and_no_thread_changes_it(rng):
    X, T, _ = classes(rng, 150)
    one, two = (
        choose(X, T, [3, 6], [0.05, 1.0, 1.5], 4, 40, np.random.default_rng(0), threads)
        for threads in (1, 3)
    )
    assert one.n_centroids == two.n_centroids
    assert (one.width, one.n_iter) == (two.width, two.n_iter)
    for name, values in one.results.items():
        assert np.array_equal(values, two.results[name])
    table = one.results
    good = table["mean_test_score"] >= table["mean_test_score"].max() - TIED
    fewest = table["n_centroids"][good].min()
    assert one.n_centroids == fewest
    assert one.width == table["width"][good & (table["n_centroids"] == fewest)].max()
    (row,) = np.flatnonzero((table["n_centroids"] == fewest) & (table["width"] == one.width))
    assert 0 < one.n_iter <= table["n_iter"][row]
    assert one.width > 0.05, "spikes at the points foretell nothing"
    assert table["mean_test_score"][row] > np.log(1 / 3)


def test_among_certainties_the_plainest_is_chosen(rng):
    X = np.vstack([rng.normal(size=(10, 2)), rng.normal(size=(10, 2)) + 40])
    T = np.repeat(np.eye(2), 10, axis=0)
    chosen = choose(X, T, [2, 4], [0.5, 1.0, 2.0, 4.0], 5, 100, rng, 1)
    assert chosen.results["mean_test_score"].min() > -TIED, "all are as good as certain"
    assert (chosen.n_centroids, chosen.width) == (2, 4.0)
    assert chosen.n_iter < chosen.results["n_iter"].max()


def test_nothing_to_hold_out_is_said(rng):
    with pytest.warns(UserWarning, match="width cannot be cross-validated; 3 Gaussians of width 2"):
        chosen = choose(rng.normal(size=(3, 2)), np.eye(3), [3], [1.0, 2.0, 4.0], 5, 100, rng, 1)
    assert (chosen.n_centroids, chosen.width, chosen.n_iter) == (3, 2.0, BLIND_ITERATIONS)
    assert chosen.results == {}


def test_no_finite_likelihood_is_an_error(rng):
    X, T, _ = classes(rng)
    with pytest.raises(ValueError, match="n_centroids and width cannot be cross-validated"):
        choose(X, T, [3], [1e-200], 3, 5, rng, 1)


def test_progress_is_shown_when_asked_for(rng, capsys):
    X, T, _ = classes(rng, 30)
    for verbose in (False, True):
        choose(X, T, [3], [1.0, 2.0], 3, 3, rng, 2, verbose)
        shown = capsys.readouterr().err
        assert ("LearningMetric: 100%" in shown) == verbose
        assert ("6/6" in shown) == verbose
