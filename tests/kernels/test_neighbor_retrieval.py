"""The sums of NeRV: against the reference, at the corners. Gradients: tests/objectives."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from scipy import sparse

from nbembed.kernels.log_rows import packed_log_rows, rewrite_links
from nbembed.kernels.neighbor_retrieval import neighbor_retrieval
from nbembed.kernels.packing import packed_row
from nbembed.kernels.terms import NO_AFFINITY
from tests.kernels import helpers
from tests.kernels.reference.links import link_shares, link_weights
from tests.kernels.reference.pairs import retrieval_sums

FLOOR = -15.0
NO_LINKS = np.zeros(1, np.int64), np.zeros(0, np.int64), np.zeros(0)


def rows(rng: np.random.Generator, n: int, density: float = 1.0) -> Any:
    """Return row affinities p, over many orders of magnitude, with holes."""
    p = rng.random((n, n)) ** 9 * (rng.random((n, n)) < density)
    p[np.arange(n), (np.arange(n) + 1) % n] += 1e-3
    np.fill_diagonal(p, 0)
    return p / p.sum(axis=1, keepdims=True)


def logarithms(p: Any) -> Any:
    with np.errstate(divide="ignore"):
        return np.log(p)


def with_floor(p: Any) -> tuple[Any, Any]:
    return p, np.maximum(logarithms(p), np.where(p > 0, -np.inf, FLOOR))


def as_form(p: Any, form: str, dtype: Any) -> Any:
    """Return log p as the kernel takes it."""
    n = len(p)
    if form == "dense":
        logs = logarithms(p).astype(dtype)
        return packed_log_rows(logs, 1.0, NO_LINKS, np.zeros(n), np.zeros(n), 1).packed
    either = sparse.csr_array((p > 0) | (p.T > 0))
    i, j = np.repeat(np.arange(n), np.diff(either.indptr)), either.indices
    marked = np.where(p > 0, logarithms(p), NO_AFFINITY).astype(dtype)
    return either.indptr, j, marked[i, j], marked[j, i]


def error(value: Any, expected: Any) -> float:
    """Return the largest difference, relative to the largest entry, or to 1 where all cancels."""
    difference = np.abs(np.asarray(value, np.float64) - expected).max()
    return float(difference / max(1.0, np.abs(expected).max()))


def spread_widths(rng: np.random.Generator, n: int) -> Any:
    return np.exp(rng.normal(size=n))


@pytest.mark.parametrize("form", ["dense", "sparse"])
@pytest.mark.parametrize("dtype", [np.float32, np.float64])
@pytest.mark.parametrize("t", [0.0, 0.3, 1.0])
def test_values(rng: np.random.Generator, dtype: Any, form: str, t: float) -> None:
    tolerance = 1e-5 if dtype == np.float32 else 1e-12
    # Of two points each is all of the other's neighborhood: test_two_points.
    for (n, d, outliers), density in zip(helpers.SIZES[1:], (1, 0.5, 1, 0.2, 0.5, 1, 0.6, 0.6)):
        Yt = helpers.layout(rng, n, d, outliers=outliers).astype(dtype)
        p, w = rows(rng, n, density), spread_widths(rng, n)
        terms = neighbor_retrieval(Yt, as_form(p, form, dtype), w, t, FLOOR, 1)
        for value, expected in zip(terms, retrieval_sums(Yt, *with_floor(p), w, t)):
            assert error(value, expected) < tolerance
        assert terms.force.dtype == dtype
        assert terms.log_normalizers.dtype == terms.divergences.dtype == np.float64


@pytest.mark.parametrize("form", ["dense", "sparse"])
@pytest.mark.parametrize("dtype", [np.float32, np.float64])
def test_factors_of_rows(rng: np.random.Generator, dtype: Any, form: str) -> None:
    tolerance = 1e-5 if dtype == np.float32 else 1e-12
    for n, outliers in ((3, 1), (97, 3), (515, 0)):
        Yt = helpers.layout(rng, n, 2, outliers=outliers).astype(dtype)
        p, w = rows(rng, n, 0.5), spread_widths(rng, n)
        keep = np.where(rng.random(n) < 0.5, 1.0, rng.random(n) ** 4 + 1e-16)
        logs = as_form(p, form, dtype)
        terms = neighbor_retrieval(Yt, logs, w, 0.3, FLOOR, 1, keep=keep)
        expected = retrieval_sums(Yt, *with_floor(keep[:, None] * p), w, 0.3)
        for value, correct in zip(terms, expected):
            assert error(value, correct) < tolerance


@pytest.mark.parametrize("form", ["dense", "sparse"])
def test_two_points(rng: np.random.Generator, form: str) -> None:
    # Each is all of the other's neighborhood, wherever it is.
    p = rows(rng, 2)
    terms = neighbor_retrieval(
        np.array([[0.0, 3.0]]), as_form(p, form, float), np.ones(2), 0.5, -9.0, 1
    )
    np.testing.assert_allclose(terms.force, 0, atol=1e-14)
    np.testing.assert_allclose(terms.divergences, 0, atol=1e-14)
    np.testing.assert_allclose(terms.log_normalizers, -9.0)
    assert terms.cross == pytest.approx(18.0)


@given(
    n=st.integers(3, 130),
    spread=st.sampled_from([1e-4, 1.0, 30.0, 1e4]),
    outliers=st.integers(0, 3),
    t=st.sampled_from([0.0, 0.1, 1.0]),
    seed=st.integers(0, 2**32 - 1),
)
def test_float32_agrees(n: int, spread: float, outliers: int, t: float, seed: int) -> None:
    rng = np.random.default_rng(seed)
    Yt = helpers.layout(rng, n, 2, spread, min(outliers, n - 1)).astype(np.float32)
    p, w = rows(rng, n), np.exp(0.3 * rng.normal(size=n)).astype(np.float32)
    terms = neighbor_retrieval(Yt, as_form(p, "dense", np.float32), w, t, FLOOR, 1)
    expected = retrieval_sums(Yt, *with_floor(p), w, t)
    # A squared distance x is rounded to x·6e-8, and so is the logarithm of q: what is asked for
    # in float64 of the same float32 points is no better defined than that.
    rounding = 1e-4 * max(1.0, float(np.abs(expected[1]).max()) * 6e-4)
    for k in (0, 3):
        assert error(terms[k], expected[k]) < rounding
    for k in (1, 2):
        difference = np.abs(terms[k] - expected[k])
        assert (difference < 1e-4 * (1 + np.abs(expected[k]) + np.abs(expected[1]))).all()


@pytest.mark.parametrize("form", ["dense", "sparse"])
def test_rows_that_underflow(rng: np.random.Generator, form: str) -> None:
    # Every distance is beyond what exp(−τ) can hold, even in float64.
    Yt = np.arange(40, dtype=float)[None] * 30 + rng.random((1, 40))
    p, w = rows(rng, 40, 0.5), 1 + rng.random(40)
    for dtype, tolerance in ((np.float64, 1e-12), (np.float32, 1e-4)):
        terms = neighbor_retrieval(Yt.astype(dtype), as_form(p, form, dtype), w, 0.3, FLOOR, 1)
        expected = retrieval_sums(Yt.astype(dtype), *with_floor(p), w, 0.3)
        for value, correct in zip(terms, expected):
            assert error(value, correct) < tolerance


@pytest.mark.parametrize("form", ["dense", "sparse"])
def test_very_far_points_stay_finite(rng: np.random.Generator, form: str) -> None:
    Yt = helpers.layout(rng, 40, 2).astype(np.float32)
    Yt[:, 0] = 1e15
    Yt[:, 1] = -1e17
    logs = as_form(rows(rng, 40), form, np.float32)
    terms = neighbor_retrieval(Yt, logs, np.full(40, 2.0), 0.3, FLOOR, 1)
    assert all(np.isfinite(part).all() for part in terms)


@pytest.mark.parametrize("form", ["dense", "sparse"])
def test_same_bits_for_any_threads(rng: np.random.Generator, form: str) -> None:
    for n in (129, 1537):
        Yt = helpers.layout(rng, n, 2, outliers=2).astype(np.float32)
        p, w = rows(rng, n, 0.2), spread_widths(rng, n)
        logs = as_form(p, form, np.float32)
        first = neighbor_retrieval(Yt, logs, w, 0.3, FLOOR, 1)
        for n_threads in (2, 3):
            again = neighbor_retrieval(Yt, logs, w, 0.3, FLOOR, n_threads)
            for value, expected in zip(again, first):
                np.testing.assert_array_equal(value, expected)


# ---- logarithms -------------------------------------------------------------------------------


def mixed(p: Any, kappa: float, links: Any, rates: Any, keep: Any, own: Any = None) -> Any:
    """Return p̃ as it is defined."""
    powers = np.where(p > 0, p, 0) ** kappa
    np.fill_diagonal(powers, 0)
    powers /= powers.sum(axis=1, keepdims=True)
    return keep[:, None] * powers + link_shares(len(p), links, rates, own)


@pytest.mark.parametrize("kappa", [1.0, 0.02, 4.0])
def test_logarithms_are_of_the_mixture(rng: np.random.Generator, kappa: float) -> None:
    n = 23
    p = rows(rng, n, 0.5)
    links = np.array([0, 3, 5]), np.array([0, 5, 9, 9, 20]), np.array([1, 0.5, 1, 1, 1])
    u = link_weights(n, *links)
    mass = u.sum(axis=1)
    keep, rates = np.where(mass > 0, 0.4, 1.0), 0.6 / np.maximum(mass[links[1]], 1e-9)
    own = helpers.csr_parts(np.where(u > 0, rng.random((n, n)) * 1e-3, 0))
    widths, strengths = spread_widths(rng, n), np.where(mass > 0, rng.random(n), 0)
    logs = logarithms(p)
    terms = packed_log_rows(logs, kappa, links, widths, strengths, 1)

    def check(rates: Any, keep: Any, own: Any = None) -> None:
        expected = mixed(p, kappa, links, rates, keep, own)
        entropy = rewrite_links(
            terms.packed, logs, kappa, terms.shifts, links, rates, keep, 1, own=own
        )
        stored = np.array([packed_row(terms.packed, i) for i in range(n)])
        np.testing.assert_array_equal(stored == NO_AFFINITY, expected == 0)
        share = keep[:, None] * np.exp(np.where(expected > 0, stored, -np.inf))
        np.testing.assert_allclose(share, expected, rtol=1e-12)
        entropy += keep @ terms.entropies + (keep * np.log(keep)) @ terms.masses
        positive = expected[expected > 0]
        assert entropy == pytest.approx(float(positive @ np.log(positive)), rel=1e-12)

    check(np.zeros(5), np.ones(n))
    check(rates, keep)
    check(rates, keep, own)
    check(rates / 0.6 * (1 - 1e-16), np.where(mass > 0, 1e-16, 1.0))
    check(rates, keep)  # nothing is left of other shares
    p = mixed(p, kappa, links, np.zeros(5), np.ones(n))
    np.testing.assert_allclose(terms.inward[1], (strengths * widths) @ p, rtol=1e-12)
    np.testing.assert_allclose(terms.inward[0], ((1 - strengths) * widths) @ p, rtol=1e-12)


def test_what_underflows_keeps_its_logarithm() -> None:
    logs = np.array([[0, -1e4, -1.0], [-2e5, 0, -3e5], [-1.0, -1.0, 0]])
    packed = packed_log_rows(logs, 1.0, NO_LINKS, np.zeros(3), np.zeros(3), 1).packed
    np.testing.assert_allclose(packed_row(packed, 0)[1:], [1 - 1e4, 0])
    np.testing.assert_allclose(packed_row(packed, 1)[[0, 2]], [0, -1e5])
    np.testing.assert_allclose(packed_row(packed, 2)[:2], -np.log(2))


def test_logarithms_have_the_same_bits_for_any_threads(rng: np.random.Generator) -> None:
    n = 1600
    logs = logarithms(rows(rng, n, 0.5)).astype(np.float32)
    links = np.array([0, 40]), np.arange(40), np.ones(40)
    rates, keep = np.full(40, 0.5 / 39), np.ones(n)
    keep[:40] = 0.5
    first, again = (packed_log_rows(logs, 0.3, links, keep, 1 - keep, k) for k in (1, 3))
    for value, expected in zip(again, first):
        np.testing.assert_array_equal(value, expected)
    entropies = [
        rewrite_links(terms.packed, logs, 0.3, terms.shifts, links, rates, keep, k)
        for terms, k in ((first, 1), (again, 3))
    ]
    assert entropies[0] == entropies[1]
    np.testing.assert_array_equal(again.packed, first.packed)
