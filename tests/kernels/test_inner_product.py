"""Inner products without BLAS."""

from __future__ import annotations

import math

import numpy as np
import pytest
from threadpoolctl import threadpool_limits

from nbembed.kernels.inner_product import dot, rms_radius, squared_lengths


def test_single_precision_is_summed_in_double(rng):
    a, b = rng.standard_normal((2, 1000, 2)).astype(np.float32)
    assert dot(a, b) == pytest.approx(float(np.sum(a.astype(float) * b.astype(float))), rel=1e-14)


def test_the_bits_do_not_depend_on_the_threads_of_blas(rng):
    a, b = rng.standard_normal((2, 200_000))
    found = []
    for threads in (1, 2):
        with threadpool_limits(threads, user_api="blas"):
            found.append(dot(a, b))
    assert found[0] == found[1]


@pytest.mark.parametrize("dtype", [np.float32, np.float64])
def test_squared_lengths_and_radius_are_those_of_numpy(dtype: type) -> None:
    Y = (np.random.default_rng(0).normal(size=(500, 3)) + 7).astype(dtype)
    wide = Y.astype(np.float64)
    np.testing.assert_allclose(squared_lengths(Y), (wide**2).sum(axis=1), rtol=1e-14)
    assert rms_radius(Y) == pytest.approx(math.sqrt(wide.var(axis=0).mean()), rel=1e-12)
