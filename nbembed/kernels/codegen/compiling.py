"""How this package compiles: one decorator, and a cache that notices every change of source.

numba's cache looks at the file of the compiled function alone; the code here is spread over several
files, and after a change of one of them stale machine code would be loaded from the others' caches.
The key of a cached function therefore contains a digest of the package's sources.
"""

from __future__ import annotations

import hashlib
from collections.abc import Callable
from functools import cache
from pathlib import Path
from typing import Any

import numpy as np
from numba import njit
from numba.core.caching import FunctionCache

#: No check for division by zero, which would keep loops from being vectorized; sums over a loop may
#: be taken lane by lane (always in the same order: the order is part of the compiled code).
_OPTIONS: Any = {"nogil": True, "error_model": "numpy", "fastmath": {"reassoc", "nsz"}}


def compiled(function: Callable[..., Any]) -> Any:
    """Compile ``function`` on its first call with each set of types, and keep the code on disk.

    Compiled code releases the GIL. It runs without a cache where no folder can be written.
    """
    dispatcher = njit(**_OPTIONS)(function)
    try:
        dispatcher._cache = _SourceAwareCache(function)
    except RuntimeError:  # numba found no folder that it may write to
        return dispatcher
    return dispatcher


#: For functions that only compiled functions call. They become part of their callers before
#: anything is compiled, which halves the time that takes, and are not cached on their own.
inlined = njit(inline="always", **_OPTIONS)


class _SourceAwareCache(FunctionCache):
    def _index_key(self, sig: Any, codegen: Any) -> Any:
        return (*super()._index_key(sig, codegen), _digest())


@cache
def _digest() -> str:
    """Return a digest of this package's sources."""
    total = hashlib.sha256()
    for file in sorted(Path(__file__).parents[1].rglob("*.py")):
        total.update(file.read_bytes())
    return total.hexdigest()


def read_only(values: Any) -> Any:
    """Return a C-contiguous view that cannot be written, without a copy where there can be none.

    Compiled code is made for types, and whether an array may be written is part of its type: this
    way there is one version for a caller's read-only array and for an ordinary one.
    """
    view = np.ascontiguousarray(values).view()
    view.flags.writeable = False
    return view
