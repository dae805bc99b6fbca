"""Links: pulls, pushes and the entropy of mixed affinities, against all pairs written out."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest

from nbembed.kernels.links import cannot_link, group_attraction
from tests.kernels import helpers
from tests.kernels.reference.links import link_shares
from tests.kernels.reference.pairs import force, squared_gaps, tail


def make_groups(rng: np.random.Generator, n: int, sizes: list[int]) -> tuple[Any, Any, Any]:
    """Return groups drawn from n points, overlapping where they must."""
    members = [rng.permutation(n)[:size] for size in sizes]
    indptr = np.concatenate([[0], np.cumsum(sizes)]).astype(np.int64)
    flat = np.concatenate([*members, np.empty(0)]).astype(np.int64)
    return indptr, flat, rng.uniform(0.2, 1, flat.size)


#: points, sizes of groups
CASES = {
    "a pair": (6, [2]),
    "overlapping": (30, [2, 2, 3, 30, 7, 20]),
    "one point alone": (9, [1, 4]),
    "large": (1700, [1600, 400, 2, 17]),
    "none": (5, []),
}


@pytest.mark.parametrize("dtype", [np.float32, np.float64])
@pytest.mark.parametrize("case", CASES)
def test_attraction(rng: np.random.Generator, case: str, dtype: Any) -> None:
    n, sizes = CASES[case]
    Yt = helpers.layout(rng, n, 2).astype(dtype)
    groups = make_groups(rng, n, sizes)
    rates = rng.random(groups[1].size)
    g = link_shares(n, groups, rates)
    g = g + g.T
    tau = squared_gaps(Yt)
    for alpha in (0.0, 1e-4, 0.7, 1.0, 3.0):
        terms = group_attraction(Yt, *groups, rates, alpha, 1)
        minus_log_q, S = tail(tau, alpha)
        tolerance = 1e-5 if dtype == np.float32 else 1e-13
        assert helpers.error(terms.force, force(g * S, Yt)) < tolerance
        assert helpers.error(terms.curvature, (g * S).sum(axis=1)) < tolerance
        assert helpers.error(terms.cross, (g * minus_log_q).sum()) < tolerance
        assert terms.force.dtype == terms.curvature.dtype == dtype
        terms = group_attraction(Yt, *groups, rates, alpha, 1, far=True)
        length = tau if alpha == 0 else 2 * (np.sqrt(1 + alpha * tau) - 1) / alpha
        root = np.sqrt(S)
        assert helpers.error(terms.force, force(g * root, Yt)) < tolerance
        assert helpers.error(terms.curvature, (g * root).sum(axis=1)) < tolerance
        assert helpers.error(terms.cross, (g * length).sum()) < max(tolerance, 1e-9)


def test_shares_of_groups_are_summed_pair_by_pair() -> None:
    groups = np.array([0, 3, 5]), np.array([4, 0, 1, 1, 4]), np.array([1.0, 0.5, 0.2, 1.0, 1.0])
    v = link_shares(5, groups, np.array([1.0, 2.0, 0.0, 3.0, 5.0]))
    expected = np.zeros((5, 5))
    expected[4, 0], expected[4, 1] = 0.5, 0.2 + 5
    expected[0, 4], expected[0, 1] = 2 * 0.5, 2 * 0.5 * 0.2
    expected[1, 4] = 3
    np.testing.assert_allclose(v, expected)


@pytest.mark.parametrize("far", [False, True])
@pytest.mark.parametrize("d", [1, 3])
@pytest.mark.parametrize("alpha", [0.0, 0.5, 1.0])
def test_attraction_by_central_differences(
    rng: np.random.Generator, alpha: float, d: int, far: bool
) -> None:
    Yt, groups, rates = helpers.layout(rng, 12, d), make_groups(rng, 12, [5, 2, 4]), rng.random(11)

    def energy(Yt: Any) -> float:
        return group_attraction(Yt, *groups, rates, alpha, 1, far=far).cross

    # Σ over both orders of g·(−log q) has the gradient 4 Σ_j g S (y_i − y_j).
    force = group_attraction(Yt, *groups, rates, alpha, 1, far=far).force
    numeric = helpers.central_differences(energy, Yt)
    assert helpers.error(4 * force, numeric) < 1e-8


def test_attraction_has_the_same_bits_for_any_threads(rng: np.random.Generator) -> None:
    Yt = helpers.layout(rng, 1700, 2).astype(np.float32)
    groups, rates = make_groups(rng, 1700, [1600, 30, 30, 2, 850]), rng.random(2512)
    first = group_attraction(Yt, *groups, rates, 0.5, 1)
    for n_threads in (2, 3):
        for value, expected in zip(group_attraction(Yt, *groups, rates, 0.5, n_threads), first):
            np.testing.assert_array_equal(value, expected)


SIDES_A = np.array([0, 2, 3]), np.array([0, 1, 5])
SIDES_B = np.array([0, 1, 4]), np.array([2, 3, 4, 6])


def test_cannot_links(rng: np.random.Generator) -> None:
    for d in (1, 2):
        Yt = helpers.layout(rng, 8, d, spread=0.5)
        tau = squared_gaps(Yt)
        energy, gradient = cannot_link(Yt, *SIDES_A, *SIDES_B, 1)
        expected = np.exp(-tau[np.ix_([0, 1], [2])]).mean() + np.exp(-tau[5, [3, 4, 6]]).mean()
        assert energy == pytest.approx(expected, rel=1e-13)
        numeric = helpers.central_differences(
            lambda Yt: cannot_link(Yt, *SIDES_A, *SIDES_B, 1)[0], Yt
        )
        assert helpers.error(gradient, numeric) < 1e-8
        single = cannot_link(Yt.astype(np.float32), *SIDES_A, *SIDES_B, 2)
        assert single[1].dtype == np.float32
        assert helpers.error(single[1], gradient) < 1e-5
        assert single[0] == pytest.approx(energy, rel=1e-5)


def test_cannot_links_far_apart_do_nothing() -> None:
    Yt = np.array([[0.0, 0.1, 1e8, -1e8, 1e9, 0.2, 3e8, 0.3]])
    energy, gradient = cannot_link(Yt, *SIDES_A, *SIDES_B, 1)
    assert energy < 1e-300
    assert np.abs(gradient).max() < 1e-290


@pytest.mark.parametrize("dtype", [np.float32, np.float64])
def test_without_a_cost_the_pull_has_the_same_bits(dtype: Any) -> None:
    rng = np.random.default_rng(0)
    Yt = rng.normal(size=(2, 400)).astype(dtype)
    groups = np.array([0, 3, 300]), rng.permutation(400)[:300], rng.random(300)
    for far in (False, True):
        with_cost, without = (
            group_attraction(Yt, *groups, np.full(300, 0.1), 0.7, 1, cost, far=far)
            for cost in (True, False)
        )
        assert np.array_equal(with_cost.force, without.force)
        assert np.array_equal(with_cost.curvature, without.curvature)
        assert np.isnan(without.cross)
