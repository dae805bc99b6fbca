"""Code for other processors than this one: kernels against the reference, each in a process."""

from __future__ import annotations

import os
import subprocess
import sys
from pathlib import Path

import pytest

ROOT = Path(__file__).parents[3]
#: Name and features, as NUMBA_CPU_NAME and NUMBA_CPU_FEATURES take them; lanes of float32 and
#: vector registers that kernels should find there.
PROCESSORS = {
    "haswell": ("+sse3,+ssse3,+sse4.1,+sse4.2,+popcnt,+avx,+avx2,+fma,+bmi,+bmi2,+lzcnt", 8, 16),
    "generic": ("", 4, 16),
}

USE = """
import numpy as np
from nbembed.kernels import calibration, fisher_paths, gaussian_rows, heavy_tailed, links
from nbembed.kernels import neighbor_retrieval
from tests.kernels import reference
from nbembed.kernels.codegen.numba_adapter import target
from nbembed.kernels.codegen.simd import lanes_per_register, vector_registers
from nbembed.kernels.packing import packed
from tests.kernels import helpers

rng = np.random.default_rng(0)
n = 85
Yt, P = helpers.layout(rng, n, 2).astype(np.float32), helpers.affinities(rng, n).astype(np.float32)
groups, rates = (np.array([0, 9, 40]), np.arange(40) * 2, np.ones(40)), rng.random(n)
logs = packed(np.log(P + 1e-6).astype(np.float32))
beta, exponents = rng.dirichlet(np.ones(3), 6).T, rng.chisquare(5, size=(20, 6))
D2 = rng.chisquare(4, size=(n, n)).astype(np.float32)
cases = [("heavy_tailed", heavy_tailed, (Yt, form, alpha, True, 1))
         for alpha in (0.0, 0.5, 1.0) for form in (P, helpers.csr_parts(P))]
cases += [
    ("heavy_tailed", heavy_tailed, (Yt.astype(float), P, 1.0, True, 1)),
    ("gaussian_rows", gaussian_rows, (Yt, P, True, 1)),
    ("neighbor_retrieval", neighbor_retrieval, (Yt, logs, rates + 0.1, 0.3, -15.0, 1)),
    ("group_attraction", links, (Yt, *groups, rates[:40], 0.5, 1)),
    ("path_lengths", fisher_paths, (exponents, None, beta, 3, np.float32, 1)),
    ("calibrate", calibration, (D2, np.arange(n), 12.0, 1)),
]
for name, module, arguments in cases:
    values, expected = getattr(module, name)(*arguments), getattr(reference, name)(*arguments)
    for value, correct in zip(*(x if isinstance(x, tuple) else (x,) for x in (values, expected))):
        assert helpers.error(value, correct) < 2e-5, (name, helpers.error(value, correct))
processor = target(heavy_tailed.student.targetctx)
print(processor.cpu, lanes_per_register(processor.features, 32), vector_registers(processor))
"""


@pytest.mark.slow
@pytest.mark.parametrize("name", PROCESSORS)
def test_results_on_another_processor(name: str, tmp_path: Path) -> None:
    features, lanes, registers = PROCESSORS[name]
    environment = {
        "NUMBA_CACHE_DIR": str(tmp_path),
        "NUMBA_CPU_NAME": name,
        "NUMBA_CPU_FEATURES": features,
    }
    result = subprocess.run(
        [sys.executable, "-c", USE],
        cwd=ROOT,
        env=os.environ | environment,
        capture_output=True,
        text=True,
        check=False,
    )
    assert result.returncode == 0, result.stderr
    assert result.stdout.split() == [name, str(lanes), str(registers)]
