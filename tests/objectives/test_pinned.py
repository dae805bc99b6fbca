"""Points held in place."""

from __future__ import annotations

import pickle

import numpy as np
import pytest

from nbembed.objectives import (
    SNE,
    HeavyTailed,
    LargeMargin,
    NeighborRetrieval,
    Objective,
    Pinned,
    simplex,
)
from nbembed.optimizers import (
    LBFGS,
    ConjugateGradient,
    FixedPoint,
    MomentumGradient,
    MomentumLBFGS,
)
from nbembed.run import Run
from nbembed.schedule import Schedule, Stage
from nbembed.supervision import Supervision

N = 40


@pytest.fixture
def rows():
    P = np.random.default_rng(0).random((N, N))
    np.fill_diagonal(P, 0)
    return P / P.sum(axis=1, keepdims=True)


def objectives(rows):
    joint = (rows + rows.T) / (2 * N)
    return [HeavyTailed(joint, 1.0), SNE(rows), LargeMargin(rows, 1.0, simplex(2))]


def test_the_cost_stays_and_its_gradient_over_the_free_points_too(rows):
    Y = np.random.default_rng(1).standard_normal((N, 2))
    held = [0, 5, 39]
    free = np.setdiff1d(np.arange(N), held)
    for plain in objectives(rows):
        there, here = plain.evaluate(Y), Pinned(plain, held).evaluate(Y)
        assert here.cost == there.cost
        assert np.array_equal(here.gradient[free], there.gradient[free])
        assert not here.gradient[held].any()
        assert there.gradient[held].all()  # the shared objective is as it was
        assert np.array_equal(here.curvature, there.curvature)


def test_optimizers_may_take_the_threads_of_the_objective(rows):
    for n_jobs in (1, 2):
        plain = SNE(rows, n_jobs=n_jobs)
        assert (plain.n_threads, Pinned(plain, [0]).n_threads) == (n_jobs, n_jobs)


@pytest.mark.parametrize(
    "optimizer",
    [
        FixedPoint(),
        MomentumGradient(),
        MomentumGradient(0.05, 0.8),
        ConjugateGradient(),
        LBFGS(),
        MomentumLBFGS(),
    ],
    ids=str,
)
@pytest.mark.parametrize("size", [1e-4, 1.0, 300.0])
@pytest.mark.parametrize("which", range(3))
def test_no_optimizer_moves_a_pinned_point_by_a_bit(rows, optimizer, size, which):
    plain = objectives(rows.astype(np.float32))[which]
    Y = (size * np.random.default_rng(1).standard_normal((N, 2))).astype(np.float32) + 0.3
    held = np.array([3, 7, 20])
    objective = Pinned(plain, held)
    stages = ()
    if which == 0:
        stages = (
            Stage(5, MomentumGradient(), {"exaggeration": 4.0, "compactness": 6.0}),
            Stage(5, ConjugateGradient(), {"exaggeration": 1.0, "compactness": 0.0}),
        )
    run = Run(objective, optimizer, Y, Schedule(stages)).step(130)
    assert run.embedding[held].tobytes() == Y[held].tobytes()
    assert (run.embedding != Y).any()
    assert run.cost < plain.cost(Y)


def test_nothing_moves_where_all_are_pinned(rows):
    Y = np.random.default_rng(1).standard_normal((N, 2))
    for optimizer in (
        FixedPoint(),
        MomentumGradient(),
        ConjugateGradient(),
        LBFGS(),
        MomentumLBFGS(),
    ):
        run = Run(Pinned(SNE(rows), np.arange(N)), optimizer, Y).until(100)
        assert np.array_equal(run.embedding, Y)
        assert run.converged


def test_changes_keep_the_pins_and_what_the_objective_can_do(rows):
    held = Pinned(LargeMargin(rows, 1.0, simplex(2)), [1, 2])
    changed = held.with_parameters(lam=3.0)
    assert changed.parameters["lam"] == 3.0
    assert held.parameters["lam"] == 1.0
    assert changed.pinned.tolist() == [1, 2]
    assert changed.membership(np.zeros((N, 2))).shape == (N, 2)
    other = held.with_parameters(supervision=Supervision(N).pin([4]))
    assert other.pinned.tolist() == [4]
    assert held.with_parameters(supervision=Supervision(N)).pinned.size == 0
    copy = pickle.loads(pickle.dumps(held))
    Y = np.random.default_rng(1).standard_normal((N, 2))
    assert np.array_equal(copy.gradient(Y), held.gradient(Y))
    with pytest.raises(AttributeError, match="velocity"):
        held.velocity  # noqa: B018
    with pytest.raises(ValueError, match="points must be indices"):
        Pinned(SNE(rows), [N])


def test_each_property_is_that_of_the_inner_objective():
    """A property of the base class is found there, and not asked of the inner objective."""
    public = {
        name
        for name, value in vars(Objective).items()
        if isinstance(value, property) and not name.startswith("_")
    }
    assert {"hazard", "equation"} < public <= vars(Pinned).keys()


def test_the_hazard_of_near_duplicates_is_told_of_pinned_maps_too(rows):
    retrieval = NeighborRetrieval(rows, width=np.r_[np.ones(N - 1), 1e12])
    assert "1 points, such as point 39" in retrieval.hazard
    assert Pinned(retrieval, [0]).hazard == retrieval.hazard
