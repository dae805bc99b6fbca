"""Subnormal numbers count as zero within a loop over pairs, and nowhere else."""

from __future__ import annotations

import platform
import threading

import numpy as np
import pytest

from nbembed.kernels.codegen.compiling import compiled
from nbembed.kernels.codegen.subnormals import flush_subnormals, restore_mode
from nbembed.kernels.gaussian_rows import gaussian_rows

X86 = platform.machine().lower() in ("x86_64", "amd64")
TINY = np.float32(1e-38)


@compiled
def halves(values, result, flush):
    """Write half of each value, with or without subnormal numbers."""
    mode = np.uint32(0)
    if flush:
        mode = flush_subnormals()
    for k in range(values.size):
        result[k] = values[k] * np.float32(0.5)
    if flush:
        restore_mode(mode)


@pytest.mark.skipif(not X86, reason="only x86 has the register MXCSR")
def test_only_between_the_two_calls() -> None:
    values, result = np.full(64, 1.5 * TINY), np.empty(64, np.float32)
    halves(values, result, False)
    np.testing.assert_array_equal(result, values / 2)
    halves(values, result, True)
    np.testing.assert_array_equal(result, 0)
    halves(values, result, False)
    np.testing.assert_array_equal(result, values / 2)


def test_a_kernel_leaves_the_mode_of_every_thread_as_it_was() -> None:
    rng = np.random.default_rng(0)
    Yt = (rng.normal(size=(2, 1600)) * 4).astype(np.float32)
    P = np.full((1600, 1600), 1 / 1599, np.float32)
    found: list[np.floating] = []

    def work() -> None:
        gaussian_rows(Yt, P, False, 2)
        found.append(np.multiply(TINY, np.float32(0.5)))

    threads = [threading.Thread(target=work) for _ in range(3)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    assert len(found) == 3
    assert all(value > 0 for value in found)
