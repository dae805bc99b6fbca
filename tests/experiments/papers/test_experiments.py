"""Experiments by name: tables, verdicts, exit status; and the one whose data are bundled."""

from __future__ import annotations

import math

import numpy as np
import pytest

from nbembed import experiments
from nbembed.datasets import load_vehicle, toy_few_labels
from nbembed.experiments import NAMES, Experiment, Figure
from nbembed.experiments.papers import base, framework
from nbembed.experiments.papers.base import missing_data, report
from nbembed.experiments.papers.framework import (
    CHOICES,
    Task,
    faces,
    hits,
    labeled_points,
    linear,
    quadratic,
)
from nbembed.experiments.papers.hssne import known_pairs, standardized, to_unit_range
from nbembed.spectral import LFDARecipe, LPPRecipe


def experiment(*figures, files=()):
    return Experiment("fake", "a fake", files, True, lambda data: iter(figures))


def test_names():
    names = list(experiments.NAMES)
    assert names[:2] == ["hssne-unsupervised", "hssne-vehicle"]
    assert names[-1] == "snerv-phoneme"
    assert len(set(names)) == len(names)
    for name, found in experiments.NAMES.items():
        assert found.name == name
        assert found.summary.endswith(")"), "say how long it takes"
    with pytest.raises(ValueError, match="name must be one of hssne-unsupervised"):
        experiments.run("tsne")


@pytest.mark.parametrize(
    ("low", "high", "measured", "ok", "shown"),
    [
        (0.1, 0.2, 0.15, True, "0.100 to 0.200"),
        (0.1, 0.2, 0.2001, False, "0.100 to 0.200"),
        (0.1, 0.2, math.nan, False, "0.100 to 0.200"),
        (-math.inf, 0.2, -5.0, True, "≤ 0.200"),
        (0.1, math.inf, 0.05, False, "≥ 0.100"),
        (-math.inf, math.inf, 7.0, True, "–"),
    ],
)
def test_a_figure_and_its_range(low, high, measured, ok, shown):
    figure = Figure("f", "0.15", measured, low, high)
    assert figure.ok is ok
    assert figure.row[2] == shown
    assert figure.row[4] == ("–" if shown == "–" else "yes" if ok else "NO")


def test_a_table_and_its_status(capsys):
    good, bad = Figure("good", "1", 1.0, 0, 2), Figure("bad", "", 3.0, 0, 2)
    assert report(experiment(good), None).status == 0
    out = capsys.readouterr().out
    assert "figure" in out
    assert "measured" in out
    assert "yes" in out
    found = report(experiment(bad, good), None)
    assert found.status == 1
    assert found.figures == (bad, good)
    assert "NO" in capsys.readouterr().out


@pytest.mark.parametrize(
    ("measured", "spread", "listed", "verdict", "status"),
    [
        (1.0, None, False, "yes", 0),
        (3.0, None, False, "NO", 1),
        (2.1, 0.5, False, "NO", 1),
        (3.0, None, True, "known", 0),
        (1.0, None, True, "PASSES", 1),
        (1.0, 0.5, True, "PASSES", 1),
        (1.8, 0.5, True, "PASSES", 0),  # another rounding might put it outside
        (math.nan, 0.5, True, "NO", 1),
    ],
)
def test_exactly_the_known_failures_fail(
    monkeypatch, capsys, measured, spread, listed, verdict, status
):
    known = {("fake", "figure"): "because of a cause"} if listed else {}
    monkeypatch.setattr(base, "KNOWN_FAILURES", known)
    figure = Figure("figure", "", measured, 0, 2, spread=spread)
    outcome = report(experiment(figure), None)
    assert outcome.status == status
    assert outcome.figures[0].verdict == verdict
    out = capsys.readouterr().out
    assert f" {verdict}" in out
    assert ("because of a cause" in out) is (verdict in ("known", "PASSES"))


def test_simple_methods_stand_beside():
    figure = Figure("f", "", 1.0, 0, 2, 1, {"random": 5.0, "k-means": 1.5}, 0.25)
    assert figure.row[3] == "1.0 ± 0.2"
    assert figure.row[5] == "random 5.0 out, k-means 1.5 in"
    assert Figure("f", "", 1.0, digits=1, others={"random": 5.0}).row[5] == "random 5.0"


def test_missing_data_is_status_two_and_says_what_is_missing(capsys, tmp_path):
    for directory in (None, tmp_path):
        assert experiments.run("mbed-g50c", directory) == 2
        error = capsys.readouterr().err
        assert "needs the data set g50c, the benchmark of" in error
        assert "as g50c.npz in the directory given with --data; the data are at http" in error
        assert error.count("\n") == 1


def test_every_missing_data_set_is_said_to_be_somewhere():
    for experiment in NAMES.values():
        for line in missing_data(experiment, None).splitlines():
            # Their providers have no lasting address for them; the line says who they are.
            if not any(f" {name}.npz" in line for name in ("pbmc3k", "flow_bal_19k")):
                assert "; the data are at http" in line or " downloads the data" in line, line


def test_what_the_package_ships_is_not_asked_for(capsys):
    assert experiments.run("framework-10") == 2
    error = capsys.readouterr().err
    assert "needs the data set balance" in error
    assert "ionosphere" not in error
    # Nor does a protocol need its file: no comparison of learners is left, so no figure either.
    tasks = (Task("ionosphere", 2),)
    assert list(framework._figures(10, (), tasks, linear, None)) == []


def test_scaling():
    X = np.array([[1.0, 5.0], [3.0, 5.0]])
    assert standardized(X).tolist() == [[-1, 0], [1, 0]]
    assert to_unit_range(np.array([[0.0, 2.0], [4.0, 3.0], [1.0, 2.5]])).tolist() == [
        [-1, -1],
        [1, 1],
        [-0.5, 0],
    ]


def test_known_pairs_are_of_one_class():
    y = load_vehicle().y
    told = known_pairs(y, 50, np.random.default_rng(0))
    assert len(told.links) == 50
    assert all(y[i] == y[j] for i, j in told.links)


def test_labeled_points_are_two_of_each_class_and_then_any():
    y = np.repeat([0, 1, 2], [40, 50, 3])
    for seed in range(5):
        told = labeled_points(y, 10, np.random.default_rng(seed))
        assert np.unique(told).size == 10
        assert np.bincount(y[told], minlength=3).min() >= 2


def test_hits_are_counted_on_the_map():
    toy = toy_few_labels(random_state=0)
    told, asked = np.flatnonzero(toy.labels >= 0), np.flatnonzero(toy.labels < 0)
    subspace = LPPRecipe(1).make_affinities(toy.X)
    task = Task("toy", 1)
    assert hits(subspace, toy.y, told, asked, LPPRecipe(), [{"power": 1.0}], task) == [1.0]
    assert hits(subspace, toy.y, told, asked, LFDARecipe(), [{}], task)[0] < 0.95


def test_axes_that_no_label_informs_are_regularized(rng):
    """Ten axes of which ten labels inform nine, and most only by chance."""
    y = np.arange(300) % 2
    X = rng.standard_normal((300, 40))
    X[:, 0] += 6 * y
    subspace, task = linear(X), Task("noise", 10)
    told = labeled_points(y, 10, rng)
    asked = np.setdiff1d(np.arange(300), told)
    printed, _ = CHOICES["SS-LFDA"]
    # γ = 0 is LFDA, which has no parameter that could regularize it.
    choices = [{"gamma": 100.0}, {"gamma": 0.0}]
    regularized, plain = hits(subspace, y, told, asked, printed, choices, task)
    assert regularized > 0.9
    assert plain < 0.8


def test_faces_are_of_five_classes_of_two_persons():
    person = np.repeat(np.arange(12), 40)
    X, y = faces(np.column_stack([person, np.arange(480)]), person)
    assert X.shape == (320, 2)
    assert np.unique(X[:, 1]).size == 320
    for c in range(5):
        _, counts = np.unique(X[y == c, 0], return_counts=True)
        assert counts.tolist() == [32, 32]


def test_the_quadratic_space_has_the_inner_products_of_the_kernel(rng):
    X = rng.standard_normal((30, 3))
    Z = quadratic(X).Z
    K = (1 + X @ X.T / 3) ** 2
    K = K - K.mean(axis=0) - K.mean(axis=1)[:, None] + K.mean()
    # All monomials of three variables up to the second degree, but for the constant one.
    assert Z.shape == (30, 9)
    np.testing.assert_allclose(Z @ Z.T, K, atol=1e-10)


def test_random_axes_know_no_classes(rng):
    y = np.repeat([0, 1], 300)
    X = np.column_stack([40 * y - 20 + 0.1 * rng.standard_normal(600), rng.standard_normal(600)])
    assert framework._plain(X, y, 10, 0) > 95
    found, by_chance = (
        np.mean([framework._random(linear(Z), y, 10, Task("toy", 1), s) for s in range(10)])
        for Z in (X, rng.standard_normal((600, 3)))
    )
    assert found > 90  # nearly all of the variance is between the classes
    assert 40 < by_chance < 60


@pytest.mark.parametrize("name", [None, 3, "nope", ["hssne-unsupervised"]])
def test_what_is_no_experiment_is_named(name):
    with pytest.raises(ValueError, match="name must be one of hssne-"):
        experiments.run(name)


def test_where_data_are_is_a_path():
    with pytest.raises(TypeError, match="data must be a path, got 3"):
        experiments.run("hssne-unsupervised", 3)
