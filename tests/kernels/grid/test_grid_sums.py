"""Sums by the grid against the sums over all pairs."""

from __future__ import annotations

import math
from typing import Any

import numpy as np
import pytest
from scipy.interpolate import BSpline

from nbembed.kernels.custom_similarity import custom_pairs
from nbembed.kernels.grid import size
from nbembed.kernels.grid.plan import TOLERANCE, spacing, spline_error
from nbembed.kernels.grid.radial import Radial, Smoothed
from nbembed.kernels.grid.size import LEAST, grid_for, grid_that_pays
from nbembed.kernels.grid.splines import polynomials, weights
from nbembed.kernels.grid.sums import radial_sums
from nbembed.kernels.heavy_tailed import heavy_tailed
from tests.kernels import reference

ALPHAS = [0.0, 0.3, 0.5, 1.0, 1.5, 2.0, 3.0]


def power_tail(tau: float) -> float:
    """Return a similarity that is no member of the family."""
    return float(np.exp(-(((1.0 + tau) ** 0.5) - 1.0)))


def power_score(tau: float) -> float:
    """Return its score."""
    return float(0.5 * (1.0 + tau) ** -0.5)


def clumped(n: int, d: int, span: float, seed: int = 0) -> Any:
    """Return a map (d, n) with a dense middle, duplicated points, and this extent."""
    rng = np.random.default_rng(seed)
    Y = rng.normal(size=(d, n)) * rng.choice([0.1, 1.0], size=n)
    Y[:, 100:200] = Y[:, :100]
    Y[:, 200:220] = Y[:, 200:201]
    return (Y * (span / np.ptp(Y, axis=1).max())).astype(np.float32)


def exact(Yt: Any, kernel: Radial) -> tuple[float, Any]:
    """Return Σ q and Σ_j q_ij S_ij (y_i − y_j) over all pairs, float64."""
    n = Yt.shape[1]
    nothing = np.zeros(n + 1, np.int32), np.zeros(0, np.int32), np.zeros(0)
    Yt = Yt.astype(np.float64)
    if kernel.H is not None:
        terms = custom_pairs(kernel.H, kernel.S, Yt, nothing, False, 1)
    else:
        terms = heavy_tailed(Yt, nothing, kernel.alpha, False, 1)
    return terms.normalizer, terms.repulsion


def error(found: Any, right: Any) -> float:
    """Return the relative error in the Euclidean norm."""
    return float(np.linalg.norm(found - right) / np.linalg.norm(right))


def test_weights_are_those_of_the_spline() -> None:
    spline = BSpline.basis_element(np.arange(7) - 3.0, extrapolate=False)
    for u in (0.0, 0.2, 0.5, 0.93):
        w, slopes = np.empty(6), np.empty(6)
        weights.py_func(u, w, slopes)
        x = u - np.arange(-2, 4)
        np.testing.assert_allclose(w, np.nan_to_num(spline(x)), atol=1e-15)
        np.testing.assert_allclose(slopes, np.nan_to_num(spline.derivative()(x)), atol=1e-15)


def test_polynomials_are_the_weights_and_their_overlaps() -> None:
    for u in (0.0, 0.2, 0.5, 0.93):
        w, slopes = np.empty(6), np.empty(6)
        weights.py_func(u, w, slopes)
        # Σ_k w_k w_{k+a} for a = −5 … 5
        shared, changes = np.correlate(w, w, "full"), np.correlate(slopes, w, "full")
        both = changes + changes[::-1]
        expected = w, slopes, *([each[5], *(2 * each[6:])] for each in (shared, both))
        for table, values in zip(polynomials(), expected, strict=True):
            powers = (u - 0.5) ** np.arange(len(table))
            np.testing.assert_allclose(powers @ table, values, atol=1e-15)


@pytest.mark.parametrize("alpha", ALPHAS)
@pytest.mark.parametrize("d", [2, 3])
def test_force_and_normalizer_over_all_spans(alpha: float, d: int) -> None:
    kernel = Radial(alpha)
    for span in (0.01, 0.3, 3.0, 10.0, 25.0 if d == 3 else 60.0, 200.0):
        Yt = clumped(2500, d, span)
        grid = grid_for(Yt, kernel)
        if np.prod(grid.shape) > 5e6:  # in space this wide, all pairs are the better choice
            assert d == 3
            assert not grid_that_pays(Yt, kernel)
            continue
        terms = radial_sums(Yt, kernel)
        normalizer, repulsion = exact(Yt, kernel)
        assert error(-0.5 * terms.gradient, repulsion) < 1e-3, span
        assert terms.potential.sum() == pytest.approx(normalizer, rel=3e-4), span


@pytest.mark.parametrize("span", [0.01, 1.0, 20.0, 200.0])
def test_a_users_own_similarity(span: float) -> None:
    kernel = Radial(H=power_tail, S=power_score)
    Yt = clumped(1000, 2, span)
    terms = radial_sums(Yt, kernel)
    normalizer, repulsion = exact(Yt, kernel)
    assert error(-0.5 * terms.gradient, repulsion) < 1e-3
    assert terms.potential.sum() == pytest.approx(normalizer, rel=3e-4)


@pytest.mark.parametrize("d", [2, 3])
def test_spread_out_maps_are_as_good_as_promised(d: int) -> None:
    """Where no cell has most of the points, a map is no worse than a pair."""
    rng = np.random.default_rng(1)
    for alpha in ALPHAS:
        Yt = (rng.random((d, 3000)) * 30 / (d - 1)).astype(np.float32)
        terms = radial_sums(Yt, Radial(alpha))
        assert error(-0.5 * terms.gradient, exact(Yt, Radial(alpha))[1]) < TOLERANCE


@pytest.mark.parametrize("d", [2, 3])
@pytest.mark.parametrize("dtype", [np.float32, np.float64])
def test_charges(d: int, dtype: Any) -> None:
    Yt = clumped(400, d, 6.0).astype(dtype)
    charges = np.random.default_rng(2).normal(size=400)
    found = radial_sums(Yt, Radial(0.5), charges, precise=True)
    right = reference.radial_sums(Yt, Radial(0.5), charges)
    assert error(found.potential, right.potential) < 1e-3
    assert error(found.gradient, right.gradient) < 1e-3
    assert found.gradient.dtype == dtype


def test_points_do_not_act_on_themselves() -> None:
    """Alone, or too far from all others, a point feels nothing: not even a trace of itself."""
    Yt = np.array([[0.0, 31.7, 77.3], [0.1, 55.5, 3.9]])
    for alpha in (0.0, 1.0):
        found = radial_sums(Yt, Radial(alpha), precise=True)
        right = reference.radial_sums(Yt, Radial(alpha))
        np.testing.assert_allclose(found.potential, right.potential, rtol=1e-3, atol=1e-12)
        np.testing.assert_allclose(found.gradient, right.gradient, rtol=1e-3, atol=1e-12)


@pytest.mark.parametrize("alpha", ALPHAS)
@pytest.mark.parametrize("span", [200.0, 1000.0, 1e4])
def test_wide_maps_have_a_coarse_grid_and_near_pairs(alpha: float, span: float) -> None:
    Yt = clumped(2500, 2, span)
    grid = grid_for(Yt, Radial(alpha))
    assert np.prod(grid.shape) < 1.5e6
    assert isinstance(grid.kernel, Smoothed) or span == 200
    terms = radial_sums(Yt, Radial(alpha), n_threads=3)
    normalizer, repulsion = exact(Yt, Radial(alpha))
    assert error(-0.5 * terms.gradient, repulsion) < 1e-3
    assert terms.potential.sum() == pytest.approx(normalizer, rel=3e-4)
    one = radial_sums(Yt, Radial(alpha), n_threads=1)
    assert (one.gradient == terms.gradient).all()


@pytest.mark.parametrize("d", [2, 3])
def test_maps_on_a_line_and_in_one_place(d: int) -> None:
    line = np.zeros((d, 300), np.float32)
    line[0] = np.linspace(0, 20, 300)
    for Yt in (line, 0.3 * LEAST * line, np.zeros((d, 5), np.float32)):
        terms = radial_sums(Yt, Radial(1.0))
        right = reference.radial_sums(Yt, Radial(1.0))
        assert np.linalg.norm(terms.gradient - right.gradient) <= 1e-3 * np.linalg.norm(
            right.gradient
        )
        np.testing.assert_allclose(terms.potential, right.potential, rtol=1e-3)


@pytest.mark.parametrize("d", [2, 3])
def test_the_same_bits_for_any_number_of_threads(d: int) -> None:
    Yt = clumped(5000, d, 40.0 if d == 2 else 9.0)
    one = radial_sums(Yt, Radial(1.0), n_threads=1)
    for n_threads in (2, 3, 7):
        several = radial_sums(Yt, Radial(1.0), n_threads=n_threads)
        assert (several.potential == one.potential).all()
        assert (several.gradient == one.gradient).all()


def test_spacing_falls_with_the_tails() -> None:
    widths = [spacing(Radial(alpha)) for alpha in ALPHAS]
    assert widths == sorted(widths, reverse=True)
    for alpha, h in zip(ALPHAS, widths):
        assert spline_error(Radial(alpha), h) <= TOLERANCE < spline_error(Radial(alpha), 1.1 * h)


def test_what_costs_less_as_pairs_is_summed_pair_by_pair() -> None:
    rng = np.random.default_rng(0)
    many = rng.random((2, 20_000)).astype(np.float32)
    assert grid_that_pays(50 * many, Radial(1.0))
    assert not grid_that_pays(1e4 * np.vstack([many, many[:1]]), Radial(1.0))
    assert not grid_that_pays(50 * many[:, :500], Radial(1.0))


def test_no_grid_is_used_that_is_not_fine_enough() -> None:
    steep = Radial(1e4)
    assert spacing(steep) == 0.0
    many = np.random.default_rng(0).random((2, 20_000)).astype(np.float32)
    assert grid_that_pays(many, steep) is None


def separate_clusters(n: int, seed: int = 3) -> Any:
    """Return a map (2, n) as heavy tails make it: many compact clusters far from each other."""
    rng = np.random.default_rng(seed)
    centers = 2000 * rng.random((2, n // 100))
    Y = centers[:, rng.integers(n // 100, size=n)] + 8 * rng.normal(size=(2, n))
    return Y.astype(np.float32)


@pytest.mark.parametrize("alpha", [0.5, 1.0, 1.5, 2.0, 3.0])
def test_wide_maps_of_compact_clusters_pay_on_the_grid(alpha: float) -> None:
    Yt = separate_clusters(8000)
    grid = grid_that_pays(Yt, Radial(alpha))
    assert grid is not None
    assert isinstance(grid.kernel, Smoothed)
    terms = radial_sums(Yt, Radial(alpha), grid=grid)
    normalizer, repulsion = exact(Yt, Radial(alpha))
    assert error(-0.5 * terms.gradient, repulsion) < 1e-3
    assert terms.potential.sum() == pytest.approx(normalizer, rel=3e-4)


def test_the_grid_is_the_cheapest_of_those_that_memory_allows(monkeypatch: Any) -> None:
    rng = np.random.default_rng(0)
    centers = 6000 * rng.random((2, 10))
    Yt = centers[:, rng.integers(10, size=200_000)] + 60 * rng.normal(size=(2, 200_000))
    Yt, kernel = Yt.astype(np.float32), Radial(1.0)
    free = grid_for(Yt, kernel)
    assert max(free.shape) > 1200, "fewer near pairs of many points are worth more nodes"
    bytes_of = size.NODE_BYTES * math.prod(free.shape)
    monkeypatch.setattr(size, "MOST_BYTES", bytes_of - 1)
    bounded = grid_that_pays(Yt, kernel)
    assert bounded is not None
    assert max(bounded.shape) < max(free.shape)
    assert bounded.cost > free.cost


@pytest.mark.parametrize("alpha", [0.0, 1.0, 1.7])
@pytest.mark.parametrize("dtype", [np.float32, np.float64])
def test_near_pairs_have_charges(alpha: float, dtype: Any) -> None:
    Yt = separate_clusters(1500).astype(dtype)
    charges = np.random.default_rng(2).normal(size=1500)
    found = radial_sums(Yt, Radial(alpha), charges)
    assert isinstance(grid_for(Yt, Radial(alpha)).kernel, Smoothed)
    right = reference.radial_sums(Yt, Radial(alpha), charges)
    assert error(found.potential, right.potential) < 1e-3
    assert error(found.gradient, right.gradient) < 1e-3
