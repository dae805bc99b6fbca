"""Large groups and cannot-links by the grid against the sums over all pairs."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest

from nbembed.kernels.grid import links as module
from nbembed.kernels.grid.links import cannot_links_by_grid, groups_by_grid, pair_by_pair
from nbembed.kernels.grid.plan import PULL, spacing, spline_error
from nbembed.kernels.grid.radial import Radial, Smoothed
from nbembed.kernels.grid.size import LEAST, LOG_CORE, grid_for
from nbembed.kernels.links import cannot_link
from tests.kernels import reference

SPANS = [0.01, 0.3, 3.0, 30.0, 200.0]
ALPHAS = [0.0, 1e-3, 0.5, 1.0, 3.0]


@pytest.fixture
def always_the_grid(monkeypatch: pytest.MonkeyPatch) -> None:
    """Let the grid be used where all pairs cost less, too, but not for small groups."""
    for name in ("GROUP_PAIR", "OWN_GROUP_PAIR", "CANNOT_PAIR"):
        monkeypatch.setattr(module, name, 1e9)


def clumps(n: int, d: int, span: float) -> Any:
    """Return points (d, n) in two clumps at opposite corners and between them, and duplicates."""
    rng = np.random.default_rng(3)
    Y = rng.random((d, n))
    Y[:, : n // 3] = 0.02 * Y[:, : n // 3]
    Y[:, n // 3 : n // 2] = 1 - 0.02 * Y[:, n // 3 : n // 2]
    Y[:, 20:40] = Y[:, :20]
    Y[:, [50, 51]] = np.array([0.0, 1.0])
    return (span * Y).astype(np.float32)


def groups_of(n: int, sizes: list[int]) -> tuple[tuple[Any, Any, Any], Any]:
    """Return groups with weights that overlap, and rates."""
    rng = np.random.default_rng(4)
    members = np.concatenate([rng.permutation(n)[:size] for size in sizes])
    indptr = np.concatenate([[0], np.cumsum(sizes)])
    weights = rng.uniform(0.2, 1, members.size)
    weights[::50] = 0
    rates = rng.random(members.size) * (rng.random(members.size) < 0.9)
    return (indptr, members, weights), rates


def error(found: Any, right: Any) -> float:
    """Return the relative error in the Euclidean norm."""
    return float(np.linalg.norm(found - right) / np.linalg.norm(right))


def assert_close(found: Any, right: Any, span: float) -> None:
    assert error(found.force, right.force) < 1e-3, span
    assert error(found.curvature, right.curvature) < 1e-3, span
    assert found.cross == pytest.approx(right.cross, rel=1e-5), span
    assert found.force.dtype == right.force.dtype


@pytest.mark.parametrize("alpha", ALPHAS)
@pytest.mark.parametrize("d", [2, 3])
def test_groups_at_all_widths(always_the_grid: None, alpha: float, d: int) -> None:
    groups, rates = groups_of(2400, [1500, 2, 1100, 30])
    for span in SPANS:
        if d == 3 and span * alpha**0.5 > 30:  # in space so wide, there is no memory for nodes
            continue
        Yt = clumps(2400, d, span)
        found = groups_by_grid(Yt, groups, rates, Radial(alpha), 1)
        exact = Yt.astype(np.float64)
        right = pair_by_pair(exact, groups, rates, Radial(alpha), 1)
        assert_close(found, right._replace(force=right.force.astype(np.float32)), span)
        assert (found.force != pair_by_pair(Yt, groups, rates, Radial(alpha), 1).force).any()
        found = groups_by_grid(Yt, groups, rates, Radial(alpha), 1, far=True)
        right = pair_by_pair(exact, groups, rates, Radial(alpha), 1, far=True)
        assert_close(found, right._replace(force=right.force.astype(np.float32)), span)


@pytest.mark.parametrize("alpha", [1e-3, 0.5, 1.0, 3.0])
@pytest.mark.parametrize("span", [1000.0, 5000.0])
def test_groups_of_wide_maps_have_smooth_kernels(
    always_the_grid: None, alpha: float, span: float
) -> None:
    n = 4000
    groups, rates = groups_of(n, [3500, 2])
    Yt = clumps(n, 2, span / alpha**0.5)
    y = Yt[:, groups[1][:3500]].astype(np.float64)
    assert isinstance(grid_for(y, Radial(alpha, of="logarithm")).kernel, Smoothed)
    found = groups_by_grid(Yt, groups, rates, Radial(alpha), 2)
    right = pair_by_pair(Yt.astype(np.float64), groups, rates, Radial(alpha), 2)
    assert_close(found, right._replace(force=right.force.astype(np.float32)), span)
    one_thread = groups_by_grid(Yt, groups, rates, Radial(alpha), 1)
    np.testing.assert_array_equal(one_thread.force, found.force)


@pytest.mark.parametrize("alpha", [0.3, 1.0, 3.0])
def test_a_smooth_logarithm_is_as_right_as_a_fine_grid(alpha: float) -> None:
    kernel = Radial(alpha, of="logarithm")
    for h in (0.5, 2.0, 50.0):
        assert spline_error(Smoothed(kernel, LOG_CORE * h), h) < PULL


@pytest.mark.parametrize("of", ["similarity", "logarithm", "score"])
def test_a_smooth_core_has_the_kernels_derivatives_at_its_edge(of: str) -> None:
    kernel = Radial(0.7, of=of)
    smoothed = Smoothed(kernel, 3.0)
    step = 1e-2
    for k in range(1, 4):  # central differences of the k-th order, both sides of the edge
        places = 9.0 + step * (np.arange(k + 1) - k / 2)
        differences = [np.diff(f.values(places), k)[0] / step**k for f in (smoothed, kernel)]
        assert differences[0] == pytest.approx(differences[1], rel=1e-4)


def test_the_spacing_of_a_kernel_is_found_once(always_the_grid: None) -> None:
    groups, rates = groups_of(1500, [1200])
    spacing.cache_clear()
    groups_by_grid(clumps(1500, 2, 3.0), groups, rates, Radial(0.9), 1)
    assert spacing.cache_info().misses == 1


def test_one_group_of_a_lasso_has_the_same_weight_everywhere(always_the_grid: None) -> None:
    members = np.arange(1200)
    groups = np.array([0, 1200]), members, np.ones(1200)
    for span in SPANS:
        Yt = clumps(1200, 2, span)
        right = pair_by_pair(Yt.astype(float), groups, np.full(1200, 1e-3), Radial(1.0), 1)
        found = groups_by_grid(Yt.astype(float), groups, np.full(1200, 1e-3), Radial(1.0), 1)
        assert_close(found, right, span)


def H(tau: float) -> float:
    """Return a similarity of one's own."""
    return 1.0 / (1.0 + tau) ** 2


def score(tau: float) -> float:
    """Return its score."""
    return 2.0 / (1.0 + tau)


def narrow(tau: float) -> float:
    """Return a similarity that underflows."""
    return float(np.exp(-tau))


def constant(tau: float) -> float:
    """Return its score."""
    return 1.0 + 0.0 * tau


@pytest.mark.parametrize("span", [0.01, 3.0, 200.0])
def test_groups_of_a_users_own_similarity(always_the_grid: None, span: float) -> None:
    groups, rates = groups_of(1300, [1100, 20])
    Yt = clumps(1300, 2, span).astype(float)
    for kernel in (Radial(H=H, S=score), Radial(H=narrow, S=constant)):
        found = groups_by_grid(Yt, groups, rates, kernel, 1)
        assert_close(found, pair_by_pair(Yt, groups, rates, kernel, 1), span)


def test_the_gradient_of_the_cross_term_is_the_force(always_the_grid: None) -> None:
    """The grid's own sums agree, not only each with the exact one."""
    groups, rates = groups_of(1500, [1500])
    Yt = clumps(1500, 2, 8.0).astype(float)
    direction = np.random.default_rng(5).normal(size=Yt.shape)
    # The corners stay, and with them the nodes: the sums' error depends on where those are.
    direction[:, [*Yt.argmin(axis=1), *Yt.argmax(axis=1)]] = 0
    ahead, behind = (
        groups_by_grid(Yt + s * direction, groups, rates, Radial(0.7), 1).cross
        for s in (1e-4, -1e-4)
    )
    force = groups_by_grid(Yt, groups, rates, Radial(0.7), 1).force
    slope = 4 * float((force * direction).sum())
    assert (ahead - behind) / 2e-4 == pytest.approx(slope, rel=1e-3)


def test_small_groups_have_the_bits_of_all_pairs() -> None:
    groups, rates = groups_of(1500, [999, 400, 2])
    Yt = clumps(1500, 2, 5.0)
    for alpha in ALPHAS:
        found = groups_by_grid(Yt, groups, rates, Radial(alpha), 1)
        for value, right in zip(found, pair_by_pair(Yt, groups, rates, Radial(alpha), 1)):
            np.testing.assert_array_equal(value, right)


def test_where_there_is_no_grid_all_pairs_are_summed() -> None:
    groups, rates = groups_of(1200, [1100, 30])
    wide, line, place = clumps(1200, 2, 1e6), clumps(1200, 1, 5.0), np.zeros((2, 1200), np.float32)
    for Yt in (wide, line):
        found = groups_by_grid(Yt, groups, rates, Radial(1.0), 1)
        right = pair_by_pair(Yt, groups, rates, Radial(1.0), 1)
        np.testing.assert_array_equal(found.force, right.force)
    for Yt in (place, (0.1 * LEAST * clumps(1200, 2, 1.0)).astype(np.float32)):
        found = groups_by_grid(Yt, groups, rates, Radial(1.0), 1)
        right = pair_by_pair(Yt.astype(float), groups, rates, Radial(1.0), 1)
        np.testing.assert_allclose(found.force, right.force, rtol=1e-6, atol=1e-12)
        np.testing.assert_allclose(found.curvature, right.curvature, rtol=1e-6)
        assert found.cross == pytest.approx(right.cross, rel=1e-9, abs=1e-300)


@pytest.mark.parametrize("alpha", [0.0, 1.0])
def test_groups_have_the_same_bits_for_any_threads(always_the_grid: None, alpha: float) -> None:
    groups, rates = groups_of(3000, [2500, 1200, 40])
    Yt = clumps(3000, 2, 20.0)
    first = groups_by_grid(Yt, groups, rates, Radial(alpha), 1)
    for n_threads in (2, 3):
        again = groups_by_grid(Yt, groups, rates, Radial(alpha), n_threads)
        for value, expected in zip(again, first):
            np.testing.assert_array_equal(value, expected)


@pytest.mark.parametrize("d", [2, 3])
@pytest.mark.parametrize("span", [0.01, 3.0, 30.0])
def test_large_cannot_links(always_the_grid: None, d: int, span: float) -> None:
    order = np.random.default_rng(6).permutation(2600)
    a = np.array([0, 1000, 1002]), order[:1002]
    b = np.array([0, 1300, 1303]), order[1002:2305]
    Yt = clumps(2600, d, span).astype(float)
    energy, gradient = cannot_links_by_grid(Yt, *a, *b, 1)
    right, right_gradient = cannot_link(Yt, *a, *b, 1)
    assert energy == pytest.approx(right, rel=1e-4)
    assert 0 < error(gradient, right_gradient) < 1e-3
    again = cannot_links_by_grid(Yt, *a, *b, 3)
    assert again[0] == energy
    np.testing.assert_array_equal(again[1], gradient)


def test_small_cannot_links_have_the_bits_of_all_pairs() -> None:
    a, b = (np.array([0, 40, 43]), np.arange(43)), (np.array([0, 900, 902]), np.arange(50, 952))
    Yt = clumps(1000, 2, 3.0)
    energy, gradient = cannot_links_by_grid(Yt, *a, *b, 1)
    right, right_gradient = cannot_link(Yt, *a, *b, 1)
    assert energy == right
    np.testing.assert_array_equal(gradient, right_gradient)


def test_large_cannot_links_far_apart_do_nothing(always_the_grid: None) -> None:
    a, b = (np.array([0, 1000]), np.arange(1000)), (np.array([0, 1000]), np.arange(1000, 2000))
    Yt = clumps(2000, 2, 2.0).astype(float)
    Yt[:, 1000:] += 60.0
    energy, gradient = cannot_links_by_grid(Yt, *a, *b, 1)
    assert abs(energy) < 1e-9
    assert np.abs(gradient).max() < 1e-9
    assert reference.cannot_link(Yt, *a, *b, 1)[0] < 1e-300
