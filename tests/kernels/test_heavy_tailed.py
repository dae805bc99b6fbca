"""The sums of HSSNE: against the reference, at the corners. Gradients: tests/objectives."""

from __future__ import annotations

import math
from typing import Any

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from nbembed.kernels.heavy_tailed import heavy_tailed
from tests.kernels import helpers, reference

ALPHAS = (0.0, 1e-4, 0.5, 1.0, 1.5, 3.0)


def as_form(P: Any, form: str) -> Any:
    return helpers.csr_parts(P) if form == "sparse" else P


@pytest.mark.parametrize("form", ["dense", "sparse"])
@pytest.mark.parametrize("alpha", ALPHAS)
@pytest.mark.parametrize("dtype", [np.float32, np.float64])
def test_values(rng: np.random.Generator, dtype: Any, alpha: float, form: str) -> None:
    tolerance = 1e-5 if dtype == np.float32 else 1e-13
    for n, d, outliers in helpers.SIZES:
        Yt = helpers.layout(rng, n, d, outliers=outliers).astype(dtype)
        P = helpers.affinities(rng, n).astype(dtype)
        terms = heavy_tailed(Yt, as_form(P, form), alpha, True, 1)
        for value, expected in zip(terms, reference.heavy_tailed(Yt, P, alpha, True, 1)):
            assert helpers.error(value, expected) < tolerance
        assert all(terms[k].dtype == dtype for k in range(3))
        assert terms.attraction.shape == terms.repulsion.shape == (d, n)
        assert terms.curvature.shape == (n,)


@given(
    n=st.integers(2, 130),
    alpha=st.sampled_from([0.0, 0.3, 1.0, 2.0]),
    spread=st.sampled_from([1e-4, 1.0, 30.0]),
    outliers=st.integers(0, 3),
    seed=st.integers(0, 2**32 - 1),
)
def test_float32_agrees(n: int, alpha: float, spread: float, outliers: int, seed: int) -> None:
    rng = np.random.default_rng(seed)
    Yt = helpers.layout(rng, n, 2, spread, min(outliers, n - 1)).astype(np.float32)
    P = helpers.affinities(rng, n).astype(np.float32)
    terms = heavy_tailed(Yt, P, alpha, True, 1)
    for value, expected in zip(terms, reference.heavy_tailed(Yt, P, alpha, True, 1)):
        assert helpers.error(value, expected) < 1e-4


@pytest.mark.parametrize("dtype", [np.float32, np.float64])
def test_small_alpha_is_continuous(rng: np.random.Generator, dtype: Any) -> None:
    Yt, P = helpers.layout(rng, 60, 2).astype(dtype), helpers.affinities(rng, 60).astype(dtype)
    rounding = 1e-5 if dtype == np.float32 else 1e-13
    for alpha in (1e-2, 1e-3, 1e-4, 1e-6, 1e-9, 1e-12, 1e-15, 1e-17):
        terms = heavy_tailed(Yt, P, alpha, True, 1)
        for value, expected in zip(terms, reference.heavy_tailed(Yt, P, alpha, True, 1)):
            assert helpers.error(value, expected) < rounding
    gaussian = heavy_tailed(Yt, P, 0.0, True, 1)
    for value, expected in zip(terms, gaussian):
        np.testing.assert_array_equal(value, expected)


@pytest.mark.parametrize("alpha", ALPHAS)
@pytest.mark.parametrize("form", ["dense", "sparse"])
def test_far_points_stay_finite(rng: np.random.Generator, alpha: float, form: str) -> None:
    Yt = helpers.layout(rng, 40, 2).astype(np.float32)
    Yt[:, 0] = 1e15
    Yt[:, 1] = -1e17
    P = helpers.affinities(rng, 40).astype(np.float32)
    terms = heavy_tailed(Yt, as_form(P, form), alpha, True, 1)
    assert all(np.isfinite(part).all() for part in terms)


@pytest.mark.parametrize("form", ["dense", "sparse"])
def test_a_normalizer_too_small_for_float32(rng: np.random.Generator, form: str) -> None:
    # Three points 15 apart: exp(−225) is 1e-98. Shares of it are still shares.
    Yt = np.array([[0, 15, 0], [0, 0, 15]], np.float32)
    P = helpers.affinities(rng, 3, density=1.0).astype(np.float32)
    terms = heavy_tailed(Yt, as_form(P, form), 0.0, True, 1)
    expected = reference.heavy_tailed(Yt, P, 0.0, True, 1)
    assert terms.normalizer == pytest.approx(expected[3], rel=1e-6)
    assert terms.cross == pytest.approx(expected[4], rel=1e-6)
    assert terms.attraction.dtype == np.float32
    assert helpers.error(terms.attraction, expected[0]) < 1e-6


@pytest.mark.parametrize("form", ["dense", "sparse"])
@pytest.mark.parametrize("alpha", [0.0, 0.5, 1.0])
def test_same_bits_for_any_threads_and_with_or_without_cost(
    rng: np.random.Generator, alpha: float, form: str
) -> None:
    for n in (129, 1537):
        Yt = helpers.layout(rng, n, 2).astype(np.float32)
        P = as_form(helpers.affinities(rng, n, 0.1).astype(np.float32), form)
        first = heavy_tailed(Yt, P, alpha, True, 1)
        for n_threads in (2, 3):
            for value, expected in zip(heavy_tailed(Yt, P, alpha, True, n_threads), first):
                np.testing.assert_array_equal(value, expected)
        without = heavy_tailed(Yt, P, alpha, False, 2)
        for value, expected in zip(without[:4], first[:4]):
            np.testing.assert_array_equal(value, expected)
        assert math.isnan(without.cross)


def test_forces_balance(rng: np.random.Generator) -> None:
    Yt, P = helpers.layout(rng, 900, 2), helpers.affinities(rng, 900)
    for alpha in (0.0, 0.5, 1.0):
        terms = heavy_tailed(Yt, P, alpha, False, 1)
        for force in (terms.attraction, terms.repulsion):
            assert np.abs(force.sum(axis=1)).max() < 1e-13 * np.abs(force).sum()


def test_points_at_one_place(rng: np.random.Generator) -> None:
    P = helpers.affinities(rng, 20)
    for alpha in (0.0, 0.5, 1.0):
        terms = heavy_tailed(np.ones((2, 20)), P, alpha, True, 1)
        assert terms.normalizer == 20 * 19
        assert terms.cross == 0
        assert not terms.attraction.any()
        assert not terms.repulsion.any()


def test_input_is_read_only_and_may_lie_anyhow(rng: np.random.Generator) -> None:
    Yt, P = helpers.layout(rng, 50, 2), helpers.affinities(rng, 50)
    expected = heavy_tailed(Yt, P, 1.0, True, 1)
    frozen_Y, frozen_P = Yt.copy(), P.copy()
    frozen_Y.flags.writeable = frozen_P.flags.writeable = False
    strided = np.zeros((50, 100))[:, ::2]
    strided[:] = P
    for given_Y, given_P in ((frozen_Y, frozen_P), (Yt.T.copy().T, P.T), (Yt, strided)):
        for value, other in zip(heavy_tailed(given_Y, given_P, 1.0, True, 1), expected):
            np.testing.assert_array_equal(value, other)


def test_only_the_upper_half_of_a_dense_P_counts(rng: np.random.Generator) -> None:
    Yt, P = helpers.layout(rng, 50, 2), helpers.affinities(rng, 50)
    expected = heavy_tailed(Yt, P, 1.0, True, 1)
    P[np.tril_indices(50)] = np.nan
    for value, other in zip(heavy_tailed(Yt, P, 1.0, True, 1), expected):
        np.testing.assert_array_equal(value, other)


def test_P_may_have_another_type_than_the_points(rng: np.random.Generator) -> None:
    Yt, P = helpers.layout(rng, 50, 2), helpers.affinities(rng, 50).astype(np.float32)
    for form in ("dense", "sparse"):
        terms = heavy_tailed(Yt, as_form(P, form), 1.0, True, 1)
        for value, expected in zip(terms, reference.heavy_tailed(Yt, P, 1.0, True, 1)):
            assert helpers.error(value, expected) < 1e-13


def test_empty_rows_of_a_sparse_P(rng: np.random.Generator) -> None:
    P = np.zeros((30, 30))
    P[4, 20] = P[20, 4] = 0.5
    Yt = helpers.layout(rng, 30, 2)
    terms = heavy_tailed(Yt, helpers.csr_parts(P), 1.0, True, 1)
    for value, expected in zip(terms, reference.heavy_tailed(Yt, P, 1.0, True, 1)):
        assert helpers.error(value, expected) < 1e-13
    wide = tuple(part.astype(np.int64) for part in helpers.csr_parts(P)[:2])
    again = heavy_tailed(Yt, (*wide, helpers.csr_parts(P)[2]), 1.0, True, 1)
    np.testing.assert_array_equal(again.attraction, terms.attraction)
