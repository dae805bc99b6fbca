"""A map that has converged is at rest, a walk of α leaves no trace, a fit cut short says so."""

from __future__ import annotations

import warnings

import numpy as np
import pytest
from sklearn.datasets import load_digits, load_iris, make_blobs
from sklearn.exceptions import ConvergenceWarning
from sklearn.neighbors import NearestNeighbors

from nbembed import HSSNE, SNE, NeRV
from nbembed.methods.hssne import HSSNERecipe
from nbembed.methods.mbed import MbedRecipe
from nbembed.methods.nerv import NeRVRecipe
from nbembed.methods.settings import as_generator
from nbembed.methods.sne import SNERecipe
from nbembed.optimizers import MomentumGradient
from nbembed.run import Run
from nbembed.supervision import Supervision, as_supervision

#: Iterations that a map at rest plays on for, and by what share its cost may fall.
ON, SHARE = 1000, 0.01


def cold(recipe, X, optimizer=None, told=None):
    told = Supervision(len(X)) if told is None else told
    affinities = recipe.make_affinities(X, told)
    start = recipe.make_start(X, affinities, told, as_generator(0))
    return Run(
        recipe.objective(affinities, told, start.geometry),
        optimizer or recipe.make_optimizer(),
        start.Y,
        recipe.make_schedule(affinities, start.geometry),
        tol=recipe.tol,
        cost_every=50,
    )


def check_rest(run, X, classes=None):
    """Check that playing on changes nothing that a person would see."""
    assert run.converged
    cost, Y = run.cost, run.embedding
    later = run.step(ON)
    assert abs(later.cost - cost) < SHARE * abs(cost)
    assert recall(X, Y) == pytest.approx(recall(X, later.embedding), abs=0.005)
    if classes is not None:
        assert knn_accuracy(Y, classes) == pytest.approx(
            knn_accuracy(later.embedding, classes), abs=0.005
        )


def recall(X, Y):
    """Return the share of the ten nearest neighbors in the data that are so on the map."""
    near = [
        NearestNeighbors(n_neighbors=10).fit(Z).kneighbors(return_distance=False) for Z in (X, Y)
    ]
    return np.mean([np.intersect1d(*pair).size for pair in zip(*near)]) / 10


def knn_accuracy(Y, classes):
    near = NearestNeighbors(n_neighbors=10).fit(Y).kneighbors(return_distance=False)
    votes = np.stack([(classes[near] == c).sum(axis=1) for c in np.unique(classes)], axis=1)
    return np.mean(np.unique(classes)[votes.argmax(axis=1)] == classes)


@pytest.mark.parametrize("alpha", [0.0, 0.5, 1.0, 1.5, 2.0, 3.0])
def test_rest_is_rest_on_iris(alpha):
    X, classes = load_iris(return_X_y=True)
    run = cold(HSSNERecipe(random_state=0, n_jobs=1, alpha=alpha), X).until(ON)
    # At the session's pace, 250 a second: less than two seconds.
    assert run.iteration <= 400
    check_rest(run, X, classes)


@pytest.mark.parametrize("kind", [SNERecipe, NeRVRecipe])
def test_rest_is_rest_for_the_methods_of_momentum(kind):
    X, classes = load_iris(return_X_y=True)
    run = cold(kind(random_state=0, n_jobs=1), X).until(3 * ON)
    check_rest(run, X, classes)


def test_regions_around_centers_rest_in_hundreds_of_iterations():
    """Momentum alone takes 3300: clusters of points that hold each other creep under it."""
    X, y = (part[:1000] for part in load_digits(return_X_y=True))
    told = as_supervision(np.where(np.arange(1000) < 60, y, -1), 1000)
    recipe = MbedRecipe(directions="centers", lam=0.2, random_state=0, n_jobs=1, max_iter=200)
    check_rest(cold(recipe, X, told=told).until(400), X, y)


@pytest.mark.slow
@pytest.mark.parametrize("alpha", [0.0, 0.5, 1.0, 2.0, 3.0])
@pytest.mark.parametrize("labels", [0, 50])
def test_rest_is_rest_on_digits(alpha, labels):
    X, classes = (part[:800] for part in load_digits(return_X_y=True))
    told = as_supervision(np.where(np.arange(800) < labels, classes, -1), 800)
    run = cold(HSSNERecipe(random_state=0, n_jobs=2, alpha=alpha), X, told=told).until(250)
    check_rest(run, X, classes)


@pytest.mark.slow
def test_rest_is_rest_on_5000_points():
    X, classes = make_blobs(5000, 20, centers=12, cluster_std=3.0, random_state=0)
    check_rest(cold(HSSNERecipe(random_state=0, n_jobs=2), X).until(300), X, classes)


def test_without_a_tolerance_a_run_goes_on():
    X = load_iris().data
    recipe = HSSNERecipe(random_state=0, n_jobs=1, tol=0.0)
    run = cold(recipe, X).until(600)
    assert run.iteration == 600
    assert not run.converged


@pytest.mark.slow
@pytest.mark.parametrize("optimizer", [None, MomentumGradient()], ids=["auto", "momentum"])
def test_alpha_raised_and_taken_back_does_not_boil(optimizer):
    """Without the check of promises: 1.6 times the cost after 500 iterations, no rest in 27 000."""
    run = cold(HSSNERecipe(random_state=0, n_jobs=1), load_digits().data, optimizer)
    first = run.step(500).cost
    run.change(run.objective.with_parameters(alpha=3.0)).step(1000)
    back = run.change(run.objective.with_parameters(alpha=1.0)).step(500).cost
    assert back < 1.02 * first
    if optimizer is None:
        assert run.until(run.iteration + 1000).converged


@pytest.mark.parametrize("walk", [(2.0, 1.0), (3.0, 1.0), (0.0, 1.0)])
def test_alpha_moved_and_taken_back_returns_to_the_cost(walk):
    recipe = HSSNERecipe(random_state=0, n_jobs=1)
    run = cold(recipe, load_digits().data[:800]).until(1000)
    first = run.cost
    for alpha in walk:
        run.change(run.objective.with_parameters(alpha=alpha))
        run.until(run.iteration + 1000)
        assert run.converged
    assert run.cost == pytest.approx(first, rel=0.02)


@pytest.mark.parametrize("method", [HSSNE, SNE, NeRV])
def test_a_fit_that_max_iter_stops_says_so(method):
    X = load_iris().data[::3]
    with pytest.warns(
        ConvergenceWarning,
        match=r"did not converge within 30 iterations; raise max_iter \(now 30\)",
    ):
        method(max_iter=30, random_state=0).fit(X)


def test_a_fit_that_comes_to_rest_or_is_stopped_by_a_callback_does_not():
    X = load_iris().data[::3]
    with warnings.catch_warnings():
        warnings.simplefilter("error", ConvergenceWarning)
        fitted = HSSNE(random_state=0).fit(X)
        HSSNE(random_state=0, callbacks=lambda run: run.iteration == 20).fit(X)
    assert fitted.n_iter_ < 1000
    assert np.isfinite(fitted.embedding_).all()
