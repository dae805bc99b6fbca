"""Exponential, logarithm and power: their errors, and the ends of their domains."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest
from numba import njit

from nbembed.kernels.codegen import vector_math

LOG_2 = np.log(np.longdouble(2))
DTYPES = (np.float32, np.float64)


def compiled(function: Any) -> Any:
    """Return a loop over ``function``, as a kernel would call it."""

    @njit(error_model="numpy", fastmath={"reassoc", "nsz"})
    def loop(x: Any, result: Any) -> None:
        for i in range(x.size):
            result[i] = function(x[i])

    def over(x: Any) -> Any:
        result = np.full_like(x, np.nan)
        loop(x, result)
        return result

    return over


FUNCTIONS = {
    name: compiled(getattr(vector_math, name))
    for name in ("exp2", "exp", "log2", "log", "log2_1p", "log1p")
}
#: name: arguments, and the same in extended precision
CASES = {
    "exp2": (np.linspace(-120, 120, 20001), np.exp2),
    "exp": (np.linspace(-85, 85, 20001), np.exp),
    "log2": (np.geomspace(1e-37, 1e37, 20001), np.log2),
    "log": (np.geomspace(1e-37, 1e37, 20001), np.log),
    "log2_1p": (np.geomspace(1e-37, 1e37, 20001), lambda x: np.log1p(x) / LOG_2),
    "log1p": (np.geomspace(1e-37, 1e37, 20001), np.log1p),
}


@pytest.mark.parametrize("dtype", DTYPES)
@pytest.mark.parametrize("name", CASES)
def test_relative_error(name: str, dtype: Any) -> None:
    arguments, exact = CASES[name]
    x = arguments.astype(dtype)
    expected = exact(x.astype(np.longdouble))
    nonzero = expected != 0
    error = np.abs(FUNCTIONS[name](x)[nonzero] / expected[nonzero] - 1).max()
    assert error < (3e-7 if dtype == np.float32 else 1e-15)


@pytest.mark.parametrize("dtype", DTYPES)
def test_logarithm_close_to_one(dtype: Any) -> None:
    x = (1 + np.linspace(-0.3, 0.45, 20001)).astype(dtype)
    x = x[x != 1]
    expected = np.log2(x.astype(np.longdouble))
    error = np.abs(FUNCTIONS["log2"](x) / expected - 1).max()
    assert error < (3e-7 if dtype == np.float32 else 1e-15)


@pytest.mark.parametrize("dtype", DTYPES)
def test_fixed_points_are_exact(dtype: Any) -> None:
    zero, one = np.zeros(1, dtype), np.ones(1, dtype)
    assert FUNCTIONS["exp"](zero)[0] == 1
    assert FUNCTIONS["exp2"](zero)[0] == 1
    assert FUNCTIONS["log"](one)[0] == 0
    assert FUNCTIONS["log1p"](zero)[0] == 0
    whole = np.arange(-100, 101).astype(dtype)
    np.testing.assert_array_equal(FUNCTIONS["exp2"](whole), np.exp2(whole))


@pytest.mark.parametrize("dtype", DTYPES)
def test_underflow_stops_at_the_smallest_normal_number(dtype: Any) -> None:
    x = np.array([-1e3, -1e10, -1e30, -np.inf], dtype)
    smallest = np.finfo(dtype).tiny
    np.testing.assert_array_equal(FUNCTIONS["exp2"](x * 2), smallest)
    np.testing.assert_allclose(FUNCTIONS["exp"](x), smallest, rtol=1e-4)


@pytest.mark.parametrize("dtype", DTYPES)
def test_power(dtype: Any) -> None:
    power = vector_math.pow

    @njit
    def loop(x: Any, y: Any, result: Any) -> None:
        for i in range(x.size):
            result[i] = power(x[i], y)

    x = np.geomspace(1e-6, 1e6, 2001).astype(dtype)
    for y in (dtype(-1.4), dtype(0.5), dtype(2)):
        result = np.empty_like(x)
        loop(x, y, result)
        expected = x.astype(np.longdouble) ** np.longdouble(y)
        # The error of y·log2 x grows with its size.
        assert np.abs(result / expected - 1).max() < (5e-6 if dtype == np.float32 else 1e-14)
