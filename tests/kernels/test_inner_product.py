"""Inner products without BLAS."""

from __future__ import annotations

import numpy as np
import pytest
from threadpoolctl import threadpool_limits

from nbembed.kernels.inner_product import dot


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
