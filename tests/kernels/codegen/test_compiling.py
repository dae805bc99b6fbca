"""Compiled code: kept for the next process, renewed with its source, fit for older processors."""

from __future__ import annotations

import os
import subprocess
import sys
from pathlib import Path
from typing import Any

import numpy as np
import pytest

from nbembed.kernels.codegen import compiling
from nbembed.kernels.codegen.simd import lanes_per_register
from nbembed.kernels.codegen.tile_codegen import PairSum
from nbembed.kernels.codegen.tiles import PADDING, padded, shape_of_tile
from nbembed.kernels.heavy_tailed import student

ROOT = Path(__file__).parents[3]

USE = """
import numpy as np
from nbembed.kernels import heavy_tailed as h, sparse as s
from tests.kernels import plain
rng = np.random.default_rng(0)
n = 85
Yt, P = plain.layout(rng, n, 2).astype(np.float32), plain.affinities(rng, n).astype(np.float32)
for alpha in ALPHAS:
    for form in (P, plain.csr_parts(P)):
        for value, expected in zip(
            h.heavy_tailed(Yt, form, alpha, True, 1), plain.heavy_tailed(Yt, P, alpha)
        ):
            assert plain.error(value, expected) < 1e-5
used = (h.student_cost, h.student_repulsion, s.rows_and_cost)
print(sum(len(f.stats.cache_hits) for f in used), sum(len(f.stats.cache_misses) for f in used))
"""


def use(alphas: str, **environment: str) -> tuple[int, int]:
    """Run kernels in a process of their own; return how many were loaded and how many compiled."""
    result = subprocess.run(
        [sys.executable, "-c", USE.replace("ALPHAS", alphas)],
        cwd=ROOT,
        env=os.environ | environment,
        capture_output=True,
        text=True,
        check=False,
    )
    assert result.returncode == 0, result.stderr
    loaded, made = result.stdout.split()
    return int(loaded), int(made)


def test_the_second_process_compiles_nothing(tmp_path: Path) -> None:
    environment = {"NUMBA_CACHE_DIR": str(tmp_path)}
    assert use("(1.0,)", **environment) == (0, 3)
    assert use("(1.0,)", **environment) == (3, 0)


def test_a_processor_without_wide_registers_or_fused_products(tmp_path: Path) -> None:
    environment = {
        "NUMBA_CACHE_DIR": str(tmp_path),
        "NUMBA_CPU_NAME": "generic",
        "NUMBA_CPU_FEATURES": "",
    }
    use("(0.0, 0.5, 1.0)", **environment)


def test_a_changed_source_is_compiled_anew(monkeypatch: pytest.MonkeyPatch) -> None:
    codegen = student.targetctx.codegen()
    key = student._cache._index_key((), codegen)
    assert student._cache._index_key((), codegen) == key
    monkeypatch.setattr(compiling, "_digest", lambda: "of other sources")
    assert student._cache._index_key((), codegen) != key


def test_without_a_folder_to_write_to(monkeypatch: pytest.MonkeyPatch) -> None:
    def nowhere(function: Any) -> Any:
        raise RuntimeError("cannot cache function")

    monkeypatch.setattr(compiling, "_SourceAwareCache", nowhere)

    @compiling.compiled
    def twice(x):  # type: ignore[no-untyped-def]
        return 2 * x

    assert twice(21) == 42


def test_compiled_code_releases_the_interpreter() -> None:
    assert student.targetoptions["nogil"]


def test_read_only_views() -> None:
    values = np.arange(6.0).reshape(2, 3)
    view = compiling.read_only(values)
    assert np.shares_memory(view, values)
    assert not view.flags.writeable
    assert values.flags.writeable
    assert compiling.read_only(values.T).flags.c_contiguous


@pytest.mark.parametrize(
    ("features", "single", "double"),
    [("+sse2,+avx,+avx2,+fma,+avx512f", 16, 8), ("+avx,+avx2", 8, 4), ("+neon", 4, 2), ("", 4, 2)],
)
def test_lanes_follow_the_processor(features: str, single: int, double: int) -> None:
    assert lanes_per_register(features, 32) == single
    assert lanes_per_register(features, 64) == double


@pytest.mark.parametrize("itemsize", [4, 8])
@pytest.mark.parametrize("n_axes", [0, 1, 2, 3])
def test_tiles_of_any_dimension_fit(n_axes: int, itemsize: int) -> None:
    for pair in (PairSum(max, scalars=1, registers=2), PairSum(max, forces=2, scalars=1, totals=2)):
        shape = shape_of_tile(pair, n_axes, itemsize)
        assert shape.rows >= 2
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
