"""Compiled code: kept for the next process, and renewed when a source changes."""

from __future__ import annotations

import ast
import os
import subprocess
import sys
from pathlib import Path
from typing import Any

import numpy as np
import pytest

from nbembed.kernels.codegen import compiling, numba_adapter
from nbembed.kernels.heavy_tailed import student

ROOT = Path(__file__).parents[3]

USE = """
import numpy as np
from nbembed.kernels import heavy_tailed as h, sparse as s
from tests.kernels import reference
from tests.kernels import helpers
rng = np.random.default_rng(0)
n = 85
Yt, P = helpers.layout(rng, n, 2).astype(np.float32), helpers.affinities(rng, n).astype(np.float32)
for alpha in ALPHAS:
    for form in (P, helpers.csr_parts(P)):
        for value, expected in zip(
            h.heavy_tailed(Yt, form, alpha, True, 1), reference.heavy_tailed(Yt, P, alpha, True, 1)
        ):
            assert helpers.error(value, expected) < 1e-5
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


def test_a_changed_source_is_compiled_anew(monkeypatch: pytest.MonkeyPatch) -> None:
    codegen = student.targetctx.codegen()
    key = student._cache._index_key((), codegen)
    assert student._cache._index_key((), codegen) == key
    monkeypatch.setattr(compiling, "source_digest", lambda: "of other sources")
    assert student._cache._index_key((), codegen) != key


def test_without_a_folder_to_write_to(monkeypatch: pytest.MonkeyPatch) -> None:
    class Nowhere:
        def __init__(self, function: Any) -> None:
            raise RuntimeError("cannot cache function")

    monkeypatch.setattr(numba_adapter, "FunctionCache", Nowhere)

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


def test_no_compiled_function_calls_another() -> None:
    """Its machine code would be there twice, and results would depend on which is loaded first."""
    functions = {}
    for file in sorted((ROOT / "nbembed").rglob("*.py")):
        for node in ast.parse(file.read_text(encoding="utf-8")).body:
            if isinstance(node, ast.FunctionDef):
                named = {d.id for d in node.decorator_list if isinstance(d, ast.Name)}
                if "compiled" in named:
                    functions[node.name] = node
    assert len(functions) > 50
    for name, node in functions.items():
        called = [c.func for c in ast.walk(node) if isinstance(c, ast.Call)]
        names = {f.id for f in called if isinstance(f, ast.Name)}
        assert not names & functions.keys(), name
