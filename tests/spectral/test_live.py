"""Live: the recipe that sessions run, one step after whatever changed."""

from __future__ import annotations

import numpy as np
import pytest

from nbembed import spectral
from nbembed.methods.base import Geometry
from nbembed.run import Run
from nbembed.spectral import FDA, LFDA, LPP, PCA, SELF, KPCATrick
from nbembed.spectral.solved import Solved, turned
from nbembed.supervision import Supervision, as_supervision

KINDS = [getattr(spectral, name) for name in spectral.__all__]
every = pytest.mark.parametrize("kind", KINDS, ids=lambda kind: kind.__name__)


def started(method, X, known):
    points = method.make_affinities(X, known)
    start = method.make_start(X, points, known, np.random.default_rng(0))
    run = Run(
        method.objective(points, known, start.geometry),
        method.make_optimizer(),
        start.Y,
        method.make_schedule(points, start.geometry),
    )
    return points, start, run


def test_the_objective_is_what_it_says(rng):
    Z, Y = rng.standard_normal((6, 2)), rng.standard_normal((6, 2))
    objective = Solved(Z, 3.0, {"gamma": 1.0}, lambda **p: Solved(Z + 1, 4.0, p, None))
    cost, gradient = objective.cost_and_gradient(Y)
    target = objective.target.astype(np.float64)
    assert cost == pytest.approx(3 + 0.5 * ((Y - target) ** 2).sum())
    for i, k in ((0, 0), (3, 1)):
        step = np.zeros_like(Y)
        step[i, k] = 1e-5
        slope = (objective.cost(Y + step) - objective.cost(Y - step)) / 2e-5
        assert slope == pytest.approx(gradient[i, k], abs=1e-6)
    assert objective.with_parameters(gamma=2.0).parameters == {"gamma": 2.0}
    with pytest.raises(TypeError, match="no parameter 'alpha'"):
        objective.with_parameters(alpha=1.0)


@every
def test_a_script_and_a_run_show_the_same_map(blobs, kind):
    X, _, y = blobs
    _, _, run = started(kind(), X, as_supervision(y, 60))
    assert np.allclose(run.step().embedding, kind().fit(X, y).embedding_, atol=1e-4)
    assert run.cost == pytest.approx(kind().fit(X, y).cost_, rel=1e-4, abs=1e-6)


@every
def test_one_step_after_any_change(blobs, kind):
    X, _, y = blobs
    method, known = kind(), as_supervision(y, 60)
    points, start, run = started(method, X, known)
    for live in kind.live_parameters:
        method.set_params(**{live.name: live.high})
        points = method.make_affinities(X, known)
        run.change(method.objective(points, known, start.geometry)).step()
        assert run.trace[-1].movement > 0
        assert np.allclose(run.embedding, run.objective.target, atol=1e-6)
        shown = method.live_values(run.objective, start.geometry)
        assert shown[live.name] == live.high
        if live.invalidates == "affinities":
            continue
        again = run.objective.with_parameters(**{live.name: live.low})
        assert again.parameters[live.name] == live.low
        assert not np.allclose(again.target, run.objective.target)


@every
def test_without_labels_there_are_principal_components(blobs, kind):
    X = blobs[0]
    none = Supervision(60)
    points, _, run = started(kind(), X, none)
    if kind not in (LPP, KPCATrick):
        Y = run.step().embedding
        assert np.allclose(Y, PCA().fit(X).embedding_, atol=1e-3)
    method = kind()
    start = method.make_start(X, points, none, np.random.default_rng(0))
    one = none.label([0, 1, 2], "only")
    still = method.objective(points, one, start.geometry)
    assert np.allclose(still.target, start.Y, atol=1e-4), "one class has nothing to part from"
    two = one.label([3], "other").label([0, 1], "third")
    assert np.isfinite(method.objective(points, two, start.geometry).target).all()


def test_new_labels_turn_to_the_map_that_there_is(blobs):
    X, truth, _ = blobs
    method, known = LFDA(), Supervision(60)
    points, start, run = started(method, X, known)
    said = as_supervision(truth, 60)
    run.step()
    geometry = method.realign(start.geometry, run.embedding, said)
    assert np.array_equal(geometry.reference, run.embedding)
    turned_one = method.objective(points, said, geometry).target
    bare = method.objective(points, said, Geometry()).target
    assert np.linalg.norm(turned_one - run.embedding) <= np.linalg.norm(bare - run.embedding)
    assert np.allclose(turned_one @ turned_one.T, bare @ bare.T, atol=1e-4)


def test_a_slider_does_not_flip_the_map(blobs):
    X, _, y = blobs
    method, known = SELF(beta=0.0), as_supervision(y, 60)
    points, start, run = started(method, X, known)
    run.step()
    last = run.embedding
    for beta in np.linspace(0.05, 0.5, 10):
        method.set_params(beta=float(beta))
        run.change(method.objective(points, known, start.geometry)).step()
        correlation = np.sum(last * run.embedding) / np.linalg.norm(last)
        assert correlation > 0.9 * np.linalg.norm(run.embedding)
        last = run.embedding


def test_another_map_is_adopted(blobs, rng):
    X, _, y = blobs
    method, known = FDA(), as_supervision(y, 60)
    points = method.make_affinities(X, known)
    solved = method.fit(X, y).embedding_
    angle = 2.0
    R = np.array([[np.cos(angle), -np.sin(angle)], [np.sin(angle), np.cos(angle)]])
    start = method.adopt(50 * solved @ R, points, known, rng)
    assert np.allclose(start.Y, solved @ R, atol=1e-3), "its size is the solution's"
    made = method.objective(points, known, start.geometry).target
    assert np.allclose(made, solved @ R, atol=1e-3)
    for Y in (np.zeros((60, 2)), rng.standard_normal((60, 1)), rng.standard_normal((60, 4))):
        start = method.adopt(Y, points, known, rng)
        assert start.Y.shape == (60, 2)
        assert np.isfinite(start.Y).all()


def test_turning():
    Z = np.array([[1.0, 0], [0, 2], [-1, -2]])
    swapped = Z[:, ::-1]
    assert np.allclose(turned(Z, swapped + 5), swapped)
    assert turned(Z, None) is Z
    assert turned(Z, Z[:, :1]) is Z


def test_a_slider_makes_only_its_own_term_anew(blobs, monkeypatch):
    X, _, y = blobs
    method, known = LFDA(gamma=0.1), as_supervision(y, 60)
    points, start, _ = started(method, X, known)
    calls = []
    monkeypatch.setattr("nbembed.spectral.fisher.local_within", lambda *a: calls.append("labels"))
    monkeypatch.setattr(
        "nbembed.spectral.graph_method.heat_kernel", lambda *a: calls.append("graph")
    )
    for gamma in (0.2, 5.0):
        method.set_params(gamma=gamma)
        method.objective(points, known, start.geometry)
    assert calls == []
    method.set_params(power=3.0)
    method.objective(points, known, start.geometry)
    assert calls == [], "the graph is kept, its power is new"


@every
def test_live_parameters_are_declared_well(kind):
    keywords = kind().get_params(deep=False)
    for live in kind.live_parameters:
        assert live.name in keywords
        assert live.minimum <= live.low <= live.default <= live.high <= live.maximum
        assert live.description.endswith(".")
        if live.scale == "log":
            assert live.low > 0
        assert kind.learns_from_labels is False


def test_pins_hold_in_a_live_map_and_are_refused_by_a_fit(blobs):
    X, _, y = blobs
    known = as_supervision(y, 60).pin([0, 1])
    method = LFDA()
    points, start, run = started(method, X, known)
    method.set_params(gamma=10.0)
    run.change(method.objective(points, known, start.geometry)).step()
    assert np.array_equal(run.embedding[:2], start.Y[:2].astype(np.float32))
    with pytest.raises(ValueError, match="supervision pins 2 points"):
        method.fit(X, supervision=known)
