"""Promises of every objective: a value that can be changed, copied, rounded and turned."""

from __future__ import annotations

import copy
import pickle

import numpy as np
import pytest

from nbembed.objectives import SNE, HeavyTailed, LargeMargin, NeighborRetrieval, circle, simplex
from nbembed.supervision import Supervision
from tests.objectives.conftest import N

WIDTHS = np.exp(np.random.default_rng(1).normal(size=N))
#: Of each kind: how it is made of P, its parameters at first and others.
KINDS = {
    "HSSNE": (
        HeavyTailed,
        {"alpha": 1.0, "rho": 0.5, "exaggeration": 1.0, "compactness": 0.0},
        {"alpha": 0.5, "rho": 0.9, "exaggeration": 2.0, "compactness": 6.0},
    ),
    "SNE": (SNE, {"rho": 0.2}, {"rho": 0.8}),
    "NeRV": (
        lambda P, **k: NeighborRetrieval(P, width=WIDTHS, **k),
        {"tradeoff": 0.5, "rho": 0.2, "widening": 1.0},
        {"tradeoff": 0.2, "rho": 0.8, "widening": 2.0},
    ),
    "Mbed": (
        lambda P, **k: LargeMargin(P, **{"directions": simplex(2, 2), **k}),
        {"lam": 1.0, "rho": 0.5, "margin_weight": 1.0},
        {"lam": 0.4, "rho": 0.9, "margin_weight": 2.0, "label_distance": 1.3,
         "directions": circle(3), "class_prior": [0.2, 0.3, 0.5]},
    ),
}  # fmt: skip


@pytest.fixture(params=KINDS)
def kind(request):
    return KINDS[request.param]


@pytest.fixture
def P(request, kind):
    """Return affinities in the form of the kind."""
    return request.getfixturevalue("joint" if kind[0] is HeavyTailed else "rows")


def test_with_parameters_equals_a_fresh_objective(kind, P, rng, supervision):
    make, first, others = kind
    kept, Y = P.copy(), rng.normal(size=(N, 2))
    told = Supervision(N).label([0, 1], "x").cannot_link([3], [4])
    objective = make(P, supervision=told, **first)
    before = objective.cost(Y)
    changed = objective.with_parameters(supervision=supervision, **others)
    fresh = make(P, supervision=supervision, **others)
    assert changed.parameters == fresh.parameters
    assert changed.cost(Y) == fresh.cost(Y)
    np.testing.assert_array_equal(changed.gradient(Y), fresh.gradient(Y))
    back = changed.with_parameters(supervision=told)
    assert back.cost(Y) == pytest.approx(make(P, supervision=told, **others).cost(Y), rel=1e-12)
    assert objective.cost(Y) == before
    assert first.items() <= objective.parameters.items()
    np.testing.assert_array_equal(P, kept)


@pytest.mark.parametrize("copied", [copy.deepcopy, lambda o: pickle.loads(pickle.dumps(o))])
def test_an_evaluated_objective_can_be_copied_and_pickled(kind, P, rng, supervision, copied):
    make, first, _ = kind
    Y = rng.normal(size=(N, 2))
    objective = make(P, supervision=supervision, **first)
    cost = objective.cost(Y)
    again = copied(objective)
    assert again.cost(Y) == cost
    again.with_parameters(rho=0.9).cost(Y)
    assert objective.cost(Y) == cost


def test_float32_is_float64_rounded(kind, P, rng, supervision):
    make, first, _ = kind
    Y = rng.normal(size=(N, 2)).astype(np.float32)
    fine, coarse = (
        make(P.astype(dtype), supervision=supervision, **first).evaluate(Y)
        for dtype in (np.float64, np.float32)
    )
    assert coarse.gradient.dtype == coarse.curvature.dtype == np.float32
    assert coarse.cost == pytest.approx(fine.cost, rel=1e-5)
    assert np.abs(coarse.gradient - fine.gradient).max() < 1e-6 * np.abs(fine.gradient).max()
    assert (coarse.curvature > 0).all()


@pytest.mark.parametrize("name", ["HSSNE", "SNE", "NeRV"])
def test_the_map_may_be_turned_moved_and_reordered(name, joint, rows, rng, supervision):
    make, first, _ = KINDS[name]
    P = joint if name == "HSSNE" else rows
    Y = rng.normal(size=(N, 3))
    objective = make(P, supervision=supervision, **first)
    turn = np.linalg.qr(rng.normal(size=(3, 3)))[0]
    moved = Y @ turn + 5.0
    assert objective.cost(moved) == pytest.approx(objective.cost(Y), rel=1e-9)
    np.testing.assert_allclose(objective.gradient(moved), objective.gradient(Y) @ turn, atol=1e-9)
    if supervision is None and name != "NeRV":  # whose points have each their width
        order = rng.permutation(N)
        shuffled = make(P[np.ix_(order, order)], **first)
        np.testing.assert_allclose(
            shuffled.gradient(Y[order]), objective.gradient(Y)[order], atol=1e-12
        )
