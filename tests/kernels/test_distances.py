"""Squared distances: by definition, exact for duplicates, precise where products cancel."""

from __future__ import annotations

import numpy as np
import pytest

from nbembed.kernels.distances import FEW_DIMENSIONS, squared_distances


def by_definition(A, B):
    gaps = A[:, None, :].astype(np.longdouble) - B[None]
    return np.sum(gaps**2, axis=2)


@pytest.mark.parametrize("d", [1, 2, FEW_DIMENSIONS, FEW_DIMENSIONS + 1, 60])
def test_squares_by_definition(rng, d):
    A, B = rng.normal(size=(13, d)), rng.normal(size=(21, d))
    np.testing.assert_allclose(squared_distances(A, B), by_definition(A, B), rtol=1e-12)


@pytest.mark.parametrize("d", [3, 40])
@pytest.mark.parametrize("gap", [1e-1, 1e-5, 1e-9])
def test_near_pairs_far_from_the_center_keep_their_digits(rng, d, gap):
    A = 1e3 * rng.normal(size=(6, d))
    B = A + gap * rng.normal(size=(6, d))
    D2 = squared_distances(A, B)
    np.testing.assert_allclose(D2, by_definition(A, B), rtol=1e-10)


@pytest.mark.parametrize("d", [3, 40])
def test_equal_rows_are_at_distance_zero(rng, d):
    A = 1e5 * rng.normal(size=(5, d)) + 7
    D2 = squared_distances(np.r_[A, A], A)
    assert (D2[range(10), [0, 1, 2, 3, 4] * 2] == 0).all()
    assert (D2 >= 0).all()


def test_no_features_no_distance():
    assert (squared_distances(np.empty((3, 0)), np.empty((2, 0))) == 0).all()
