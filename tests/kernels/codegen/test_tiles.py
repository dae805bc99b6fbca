"""Shapes of tiles, lanes and registers of a processor, chunks of work, and padding."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest

from nbembed.kernels.codegen.numba_adapter import Target
from nbembed.kernels.codegen.simd import (
    estimates_reciprocals,
    lanes_per_register,
    vector_registers,
)
from nbembed.kernels.codegen.tile_codegen import PairSum
from nbembed.kernels.codegen.tiles import (
    MANY,
    PADDING,
    aligned_zeros,
    n_chunks,
    padded,
    shape_of_tile,
)


@pytest.mark.parametrize(
    ("features", "single", "double"),
    [("+sse2,+avx,+avx2,+fma,+avx512f", 16, 8), ("+avx,+avx2", 8, 4), ("+neon", 4, 2), ("", 4, 2)],
)
def test_lanes_follow_the_processor(features: str, single: int, double: int) -> None:
    assert lanes_per_register(features, 32) == single
    assert lanes_per_register(features, 64) == double


@pytest.mark.parametrize("itemsize", [4, 8])
@pytest.mark.parametrize("n_axes", [0, 1, 2, 3])
@pytest.mark.parametrize("n_registers", [16, 32])
def test_tiles_of_any_dimension_fit(n_axes: int, itemsize: int, n_registers: int) -> None:
    for pair in (PairSum(max, scalars=1, registers=2), PairSum(max, forces=2, scalars=1, totals=2)):
        shape = shape_of_tile(pair, n_axes, itemsize, n_registers)
        assert shape.rows >= 1
        assert shape.columns % PADDING == 0
        assert shape.columns >= PADDING >= 16 * shape.registers


@pytest.mark.parametrize("dtype", [np.float32, np.float64])
def test_padding_avoids_powers_of_two(dtype: Any) -> None:
    for n in (1, 31, 32, 33, 2047, 2048):
        values = np.ones((3, n), dtype)
        result = padded(values)
        assert result.shape[1] >= -(-n // PADDING) * PADDING
        assert result.shape[1] * result.itemsize // 64 % 2 == 1
        np.testing.assert_array_equal(result[:, :n], values)
        assert not result[:, n:].any()


@pytest.mark.parametrize(
    ("triple", "features", "expected"),
    [
        ("x86_64-unknown-linux-gnu", "+sse2,+avx,+avx2,+fma,+avx512f", 32),
        ("x86_64-unknown-linux-gnu", "+avx,+avx2,+fma", 16),
        ("x86_64-pc-windows-msvc", "", 16),
        ("aarch64-unknown-linux-gnu", "+neon", 32),
        ("arm64-apple-darwin24.0.0", "", 32),
    ],
)
def test_registers_follow_the_processor(triple: str, features: str, expected: int) -> None:
    assert vector_registers(Target(triple, "any", features)) == expected


@pytest.mark.parametrize(
    ("features", "expected"),
    [("+avx,+avx2,+fma,+avx512f", True), ("+avx,+avx2,+fma", False), ("+neon", False), ("", False)],
)
def test_only_long_registers_estimate_reciprocals(features: str, expected: bool) -> None:
    assert estimates_reciprocals(Target("any", "any", features)) == expected


def test_rows_of_a_tile_fit_the_registers() -> None:
    t_sne = PairSum(max, forces=2, scalars=1, totals=1)
    assert shape_of_tile(t_sne, 2, 4, 32).rows == 3
    assert shape_of_tile(t_sne, 2, 4, 16).rows == 1
    repulsion = PairSum(max, forces=1, totals=1)
    assert shape_of_tile(repulsion, 2, 4, 32).rows == 4
    assert shape_of_tile(repulsion, 2, 4, 16).rows == 2


def test_a_single_row_computes_ahead_with_few_registers() -> None:
    t_sne = PairSum(max, forces=2, scalars=1, totals=1)
    assert shape_of_tile(t_sne, 2, 4, 16).ahead
    assert not shape_of_tile(t_sne, 1, 4, 16).ahead
    assert shape_of_tile(t_sne._replace(totals=2), 2, 8, 16) == shape_of_tile(t_sne, 2, 8, 16)
    assert not any(shape_of_tile(t_sne, d, 4, 32).ahead for d in range(4))


@pytest.mark.parametrize("dtype", [np.float32, np.float64])
@pytest.mark.parametrize("shape", [(1, 16), (2, 48), (8, 5, 2032)])
def test_zeros_begin_at_a_cache_line(dtype: Any, shape: tuple[int, ...]) -> None:
    arrays = [aligned_zeros(shape, dtype) for _ in range(5)]
    for zeros in arrays:
        assert zeros.ctypes.data % 64 == 0
        assert zeros.shape == shape
        assert zeros.dtype == dtype
        assert zeros.flags.c_contiguous
        assert zeros.flags.writeable
        assert not zeros.any()
        zeros += 1  # the others stay zero


def test_more_points_are_cut_into_more_chunks() -> None:
    counts = [n_chunks(n) for n in range(2, 40_000, 7)]
    assert counts == sorted(counts)
    assert n_chunks(MANY - 1) == 1
    assert n_chunks(MANY) == n_chunks(3999) == 8
    assert n_chunks(4000) == 16
    assert n_chunks(8000) == 32
    assert n_chunks(10**6) == 64
