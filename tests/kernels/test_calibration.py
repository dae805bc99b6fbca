"""Calibration: perplexities by a second formula, ties, limits, units, types and threads."""

from __future__ import annotations

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from hypothesis.extra.numpy import arrays

from nbembed.kernels.calibration import CHUNK, COLUMNS, calibrate, normalize


def perplexity_of(P):
    P = P.astype(np.float64)
    return np.exp(-np.sum(P * np.log(np.where(P > 0, P, 1)), axis=1))


def rows_by_definition(D2, beta):
    """The definition, nothing else."""
    P = np.exp(-beta[:, None] * (D2 - D2.min(axis=1, keepdims=True)))
    return P / P.sum(axis=1, keepdims=True)


def nobody(n):
    return np.full(n, -1)


PRECISION = {np.float32: 2e-6, np.float64: 1e-10}


@pytest.mark.parametrize("dtype", [np.float32, np.float64])
@pytest.mark.parametrize("scale", [1e-100, 1e-8, 1.0, 1e8, 1e100])
@pytest.mark.parametrize("perplexity", [1.001, 2, 9, 30, 39.9])
def test_perplexities_are_met_whatever_the_unit(rng, dtype, scale, perplexity):
    D2 = scale * rng.chisquare(4, size=(70, 40))
    made = calibrate(D2, nobody(70), perplexity, 1, np.empty((70, 40), dtype))
    np.testing.assert_allclose(perplexity_of(made.P), perplexity, rtol=PRECISION[dtype])
    np.testing.assert_allclose(made.P.sum(axis=1, dtype=np.float64), 1, rtol=1e-6)
    np.testing.assert_allclose(made.P, rows_by_definition(D2, made.beta), atol=1e-6)
    assert made.P.dtype == dtype


def test_roots_are_squared_in_float64(rng):
    distances = rng.random((70, 40)).astype(np.float32)
    D2 = np.square(distances, dtype=np.float64)
    made = calibrate(distances, nobody(70), 9.0, 1, squared=False)
    again = calibrate(D2, nobody(70), 9.0, 1, np.empty((70, 40), np.float32))
    np.testing.assert_array_equal(made.P, again.P)
    np.testing.assert_array_equal(made.beta, again.beta)


@pytest.mark.parametrize("m", [COLUMNS - 1, COLUMNS, COLUMNS + 1, 3 * COLUMNS + 7])
def test_long_rows_are_summed_whole(rng, m):
    D2 = rng.chisquare(3, size=(3, m))
    made = calibrate(D2, nobody(3), 200.0, 1, np.empty((3, m), np.float32))
    np.testing.assert_allclose(perplexity_of(made.P), 200, rtol=1e-5)
    np.testing.assert_allclose(made.P, rows_by_definition(D2, made.beta), atol=1e-7)


@given(
    arrays(np.float64, (4, 9), elements=st.sampled_from([0.0, 1e-9, 1.0, 2.0, 1e6])),
    st.floats(1, 9),
    st.sampled_from([np.float32, np.float64]),
)
def test_any_row_is_a_distribution_as_narrow_as_its_ties_allow(D2, perplexity, dtype):
    made = calibrate(D2, nobody(4), perplexity, 1, np.empty((4, 9), dtype))
    assert np.isfinite(made.beta).all()
    assert (made.beta > 0).all()
    assert (made.P >= 0).all()
    np.testing.assert_allclose(made.P.sum(axis=1), 1, rtol=1e-6)
    ties = np.sum(D2.min(axis=1, keepdims=True) == D2, axis=1)
    np.testing.assert_array_equal(made.tied, ties)
    np.testing.assert_allclose(perplexity_of(made.P), np.maximum(perplexity, ties), rtol=1e-5)
    nearer_is_likelier = (D2[:, :, None] < D2[:, None, :]) & (made.P[:, :, None] < made.P[:, None])
    assert not nearer_is_likelier.any()


def test_the_own_column_counts_for_nothing(rng):
    D2 = rng.chisquare(4, size=(30, 30))
    inside = calibrate(D2, np.arange(30), 6.0, 1).P
    assert (np.diagonal(inside) == 0).all()
    off = ~np.eye(30, dtype=bool)
    alone = calibrate(D2[off].reshape(30, 29), nobody(30), 6.0, 1).P
    np.testing.assert_allclose(inside[off].reshape(30, 29), alone, atol=1e-12)


def test_the_distances_are_left_as_they_were(rng):
    D2 = rng.chisquare(4, size=(9, 9))
    before = D2.copy()
    calibrate(D2, np.arange(9), 3.0, 1)
    normalize(D2, np.arange(9), 0.5, 1)
    np.testing.assert_array_equal(D2, before)


def test_ties_for_nearest_bound_the_perplexity_from_below():
    made = calibrate(np.array([[1.0, 1, 1, 1, 9, 16]]), nobody(1), 2.0, 1)
    np.testing.assert_array_equal(made.P[0], [0.25] * 4 + [0, 0])
    assert made.tied[0] == 4
    # The width that stands for it says nearly the same.
    np.testing.assert_allclose(np.exp(-made.beta[0] * 8), np.exp(-40))


@pytest.mark.parametrize("m", [15, 16, 32])
def test_a_row_of_ties_alone_is_uniform_whatever_its_length(m):
    made = calibrate(np.ones((2, m)), nobody(2), 3.0, 1)
    np.testing.assert_array_equal(made.P, 1 / m)
    assert (made.beta == 1).all()


def test_distances_that_rounding_tells_apart_are_ties(rng):
    D2 = 2 + 1e-15 * rng.normal(size=(5, 12))
    np.testing.assert_allclose(calibrate(D2, nobody(5), 3.0, 1).P, 1 / 12)


def test_all_others_are_the_widest_neighborhood(rng):
    made = calibrate(rng.chisquare(4, size=(5, 7)), nobody(5), 7.0, 1)
    np.testing.assert_allclose(made.P, 1 / 7)
    assert (made.beta > 0).all()


@pytest.mark.parametrize("dtype", [np.float32, np.float64])
def test_a_far_row_keeps_what_it_knows_of_its_neighbors(rng, dtype):
    D2 = rng.chisquare(4, size=(1, 50))
    near, far = (
        calibrate(D2 + far, nobody(1), 10.0, 1, np.empty((1, 50), dtype)).P for far in (0, 1e7)
    )
    np.testing.assert_allclose(far, near, rtol=1e-4)


def test_rows_never_hold_numbers_below_the_normal_range(rng):
    D2 = np.geomspace(1e-3, 1e4, 300)[None]
    P = calibrate(D2, nobody(1), 5.0, 1, np.empty((1, 300), np.float32)).P
    assert (P == 0).any()
    assert P[P > 0].min() >= np.finfo(np.float32).tiny


def test_one_width_is_the_definition(rng):
    D2 = rng.chisquare(4, size=(40, 40))
    P = normalize(D2, np.arange(40), 0.7, 1)
    np.fill_diagonal(D2, np.inf)
    np.testing.assert_allclose(P, rows_by_definition(D2, np.full(40, 0.7)), rtol=1e-12)


@pytest.mark.parametrize("dtype", [np.float32, np.float64])
def test_bits_depend_neither_on_threads_nor_on_blocks(rng, dtype):
    n = 3 * CHUNK + 5
    D2 = rng.chisquare(4, size=(n, n))
    own = np.arange(n)
    one, two = (calibrate(D2, own, 20.0, k, np.empty((n, n), dtype)) for k in (1, 2))
    np.testing.assert_array_equal(one.P, two.P)
    np.testing.assert_array_equal(one.beta, two.beta)
    short, two = (
        calibrate(D2[:, :40], nobody(n), 9.0, k, np.empty((n, 40), dtype)) for k in (1, 2)
    )
    np.testing.assert_array_equal(short.P, two.P)
    rest = calibrate(D2[CHUNK:, :40], nobody(n - CHUNK), 9.0, 1, np.empty((n - CHUNK, 40), dtype))
    np.testing.assert_array_equal(rest.P, short.P[CHUNK:])
    rest = calibrate(D2[CHUNK:], own[CHUNK:], 20.0, 1, np.empty((n - CHUNK, n), dtype))
    np.testing.assert_array_equal(rest.P, one.P[CHUNK:])
