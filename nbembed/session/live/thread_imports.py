"""Imports of a session's threads, made before there is any thread.

Whoever forks the process while a thread imports a module has a copy in which that module's lock is
held for ever, by a thread that is not there: an import of it never returns.
"""

from __future__ import annotations

import importlib
from functools import cache

from nbembed.kernels.codegen.numba_adapter import import_compiler

#: What parts of this package import where they need it, since many who import them never do.
MODULES = (
    "scipy.linalg",
    "scipy.spatial.distance",
    "sklearn.metrics.pairwise",
    "sklearn.neighbors",
    "threadpoolctl",
)


@cache
def import_for_threads() -> None:
    """Import all of it, in the caller's thread."""
    import_compiler()
    for name in MODULES:
        importlib.import_module(name)
