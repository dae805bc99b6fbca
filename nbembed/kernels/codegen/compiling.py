"""Compilation of kernels: one decorator, and a cache that notices every change of source.

numba's cache compares the source file of the compiled function alone. Here, code that is compiled
together comes from several files, and a change of one of them would leave stale machine code in the
caches of the others. The key of a cached function therefore contains a digest of all sources of
:mod:`nbembed.kernels`.
"""

from __future__ import annotations

import hashlib
from collections.abc import Callable
from functools import cache
from pathlib import Path
from typing import Any

import numpy as np

from nbembed.kernels.codegen.numba_adapter import keep_on_disk, njit

#: ``error_model``: no check for division by zero, which would keep loops from being vectorized.
#: ``reassoc``: a sum over a loop may be taken lane by lane, in an order that is part of the
#: compiled code. ``nsz``: the sign of a zero does not matter. No flag lets the compiler assume that
#: infinities and NaNs do not occur: objectives detect divergence by them.
_OPTIONS: Any = {"nogil": True, "error_model": "numpy", "fastmath": {"reassoc", "nsz"}}


def compiled(function: Callable[..., Any]) -> Any:
    """Compile ``function`` on its first call with each set of types, and keep the code on disk.

    Compiled code releases the GIL. It runs without a cache where no folder can be written.
    """
    dispatcher = njit(**_OPTIONS)(function)
    keep_on_disk(dispatcher, function, lambda: source_digest())
    return dispatcher


#: For functions that only compiled functions call. They are inlined into their callers before
#: anything is compiled, which halves the time that takes, and are not cached on their own. A
#: :func:`compiled` one that another calls would be there twice, in its own code and in that of its
#: caller, and which of the two runs, a last bit apart, would depend on which was loaded first.
inlined = njit(inline="always", **_OPTIONS)


@cache
def source_digest() -> str:
    """Return a digest of the sources of the kernels."""
    total = hashlib.sha256()
    for file in sorted(Path(__file__).parents[1].rglob("*.py")):
        total.update(file.read_bytes())
    return total.hexdigest()


def read_only(values: Any) -> Any:
    """Return a C-contiguous, read-only view; copy only if ``values`` is not contiguous.

    Whether an array is writable is part of the type that code is compiled for. With this view, one
    version serves read-only and writable arrays.
    """
    view = np.ascontiguousarray(values).view()
    view.flags.writeable = False
    return view
