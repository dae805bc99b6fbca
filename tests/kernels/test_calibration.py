"""Calibration: entropies by a second formula, ties, masks, threads."""

from __future__ import annotations

import numpy as np
import pytest

from nbembed.kernels.calibration import calibrate


def entropy(P):
    P = P.astype(np.float64)
    return -np.sum(P * np.log(np.where(P > 0, P, 1)), axis=1)


@pytest.mark.parametrize("dtype", [np.float32, np.float64])
@pytest.mark.parametrize("scale", [1e-8, 1.0, 1e8])
def test_entropies_are_met_whatever_the_unit(rng, dtype, scale):
    D2 = (scale * rng.chisquare(4, size=(70, 40))).astype(dtype)
    P, beta = calibrate(D2, np.full(70, -1), 9.0, 1)
    np.testing.assert_allclose(entropy(P), np.log(9), atol=5e-5)
    np.testing.assert_allclose(P.sum(axis=1), 1, rtol=1e-5)
    assert (beta > 0).all()


def test_the_own_column_counts_for_nothing(rng):
    D2 = rng.chisquare(4, size=(30, 30))
    inside, _ = calibrate(D2, np.arange(30), 6.0, 1)
    assert (np.diagonal(inside) == 0).all()
    without = D2[~np.eye(30, dtype=bool)].reshape(30, 29)
    alone, _ = calibrate(without, np.full(30, -1), 6.0, 1)
    np.testing.assert_allclose(inside[~np.eye(30, dtype=bool)].reshape(30, 29), alone, atol=1e-12)


def test_ties_for_nearest_bound_the_perplexity_from_below():
    D2 = np.array([[1.0, 1, 1, 1, 9, 16]])
    P, beta = calibrate(D2, np.array([-1]), 2.0, 1)
    np.testing.assert_allclose(P[0], [0.25] * 4 + [0, 0], atol=1e-4)
    assert np.isfinite(beta).all()


def test_a_far_row_does_not_underflow(rng):
    D2 = rng.chisquare(4, size=(1, 50)) + 1e7
    P, _ = calibrate(D2, np.array([-1]), 10.0, 1)
    np.testing.assert_allclose(entropy(P), np.log(10), atol=5e-5)


def test_bits_do_not_depend_on_the_number_of_threads(rng):
    D2 = rng.chisquare(4, size=(101, 101)).astype(np.float32)
    one, two = (calibrate(D2, np.arange(101), 20.0, n) for n in (1, 2))
    np.testing.assert_array_equal(one[0], two[0])
    np.testing.assert_array_equal(one[1], two[1])
