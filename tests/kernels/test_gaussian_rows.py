"""The sums of SNE: against the reference, at the corners. Gradients: tests/objectives."""

from __future__ import annotations

import math
from typing import Any

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from nbembed.kernels.gaussian_rows import gaussian_rows
from nbembed.kernels.packing import packed
from tests.kernels import helpers, reference


def weights(rng: np.random.Generator, n: int) -> tuple[Any, Any]:
    """Return row affinities p and W = p + pᵀ."""
    p = rng.random((n, n)) * (rng.random((n, n)) < 0.6) + 1e-9
    np.fill_diagonal(p, 0)
    p /= p.sum(axis=1, keepdims=True)
    return p, p + p.T


def as_form(W: Any, form: str) -> Any:
    return helpers.csr_parts(W) if form == "sparse" else W


@pytest.mark.parametrize("form", ["dense", "sparse"])
@pytest.mark.parametrize("dtype", [np.float32, np.float64])
def test_values(rng: np.random.Generator, dtype: Any, form: str) -> None:
    tolerance = 1e-5 if dtype == np.float32 else 1e-13
    for n, d, outliers in helpers.SIZES:
        Yt = helpers.layout(rng, n, d, outliers=outliers).astype(dtype)
        W = weights(rng, n)[1].astype(dtype)
        terms = gaussian_rows(Yt, as_form(W, form), True, 1)
        for value, expected in zip(terms, reference.gaussian_rows(Yt, W, True, 1)):
            assert helpers.error(value, expected) < tolerance
        assert terms.attraction.dtype == terms.repulsion.dtype == dtype
        assert terms.log_normalizers.dtype == np.float64


@given(
    n=st.integers(2, 130),
    spread=st.sampled_from([1e-4, 1.0, 30.0, 1e4]),
    outliers=st.integers(0, 3),
    seed=st.integers(0, 2**32 - 1),
)
def test_float32_agrees(n: int, spread: float, outliers: int, seed: int) -> None:
    rng = np.random.default_rng(seed)
    Yt = helpers.layout(rng, n, 2, spread, min(outliers, n - 1)).astype(np.float32)
    W = weights(rng, n)[1].astype(np.float32)
    terms, expected = gaussian_rows(Yt, W, True, 1), reference.gaussian_rows(Yt, W, True, 1)
    for k in (0, 1, 3):
        assert helpers.error(terms[k], expected[k]) < 1e-4
    # Logarithms may cancel to zero (n = 2): they are as exact as Z is.
    difference = np.abs(terms.log_normalizers - expected[2])
    assert (difference < 1e-5 * (1 + np.abs(expected[2]))).all()


@pytest.mark.parametrize("form", ["dense", "sparse"])
def test_rows_that_underflow(rng: np.random.Generator, form: str) -> None:
    # Every distance is beyond what exp(−τ) can hold, even in float64.
    Yt = np.arange(40, dtype=float)[None] * 30 + rng.random((1, 40))
    W = weights(rng, 40)[1]
    for dtype, tolerance in ((np.float64, 1e-13), (np.float32, 1e-5)):
        terms = gaussian_rows(Yt.astype(dtype), as_form(W.astype(dtype), form), True, 1)
        for value, expected in zip(
            terms, reference.gaussian_rows(Yt.astype(dtype), W.astype(dtype), True, 1)
        ):
            assert helpers.error(value, expected) < tolerance


def test_very_far_points_stay_finite(rng: np.random.Generator) -> None:
    Yt = helpers.layout(rng, 40, 2).astype(np.float32)
    Yt[:, 0] = 1e15
    Yt[:, 1] = -1e17
    W = weights(rng, 40)[1].astype(np.float32)
    terms = gaussian_rows(Yt, W, True, 1)
    assert all(np.isfinite(part).all() for part in terms)


@pytest.mark.parametrize("form", ["dense", "sparse"])
def test_same_bits_for_any_threads_and_with_or_without_cost(
    rng: np.random.Generator, form: str
) -> None:
    for n in (129, 1537):
        Yt = helpers.layout(rng, n, 2, outliers=2).astype(np.float32)
        W = as_form(weights(rng, n)[1].astype(np.float32), form)
        first = gaussian_rows(Yt, W, True, 1)
        for n_threads in (2, 3):
            for value, expected in zip(gaussian_rows(Yt, W, True, n_threads), first):
                np.testing.assert_array_equal(value, expected)
        without = gaussian_rows(Yt, W, False, 2)
        for value, expected in zip(without[:3], first[:3]):
            np.testing.assert_array_equal(value, expected)
        assert math.isnan(without.cross)


@pytest.mark.parametrize("n", [2, 7, 150, 1600])
@pytest.mark.parametrize("dtype", [np.float32, np.float64])
def test_factors_of_rows_are_applied_to_packed_probabilities(
    rng: np.random.Generator, n: int, dtype: Any
) -> None:
    P = rng.random((n, n)).astype(dtype)
    np.fill_diagonal(P, 0)
    Yt = rng.normal(size=(2, n)).astype(dtype)
    for keep in (np.ones(n), rng.choice([0.3, 1.0], n)):
        weighted = P * keep.astype(dtype)[:, None]
        expected = gaussian_rows(Yt, weighted + weighted.T, True, 1)
        found = gaussian_rows(Yt, packed(P), True, 2, keep=keep)
        for mine, theirs in zip(found, expected):
            if (keep == 1).all():
                np.testing.assert_array_equal(mine, theirs)
            tolerance = 2e-5 if dtype == np.float32 else 1e-12
            np.testing.assert_allclose(mine, theirs, rtol=tolerance, atol=tolerance * n)
