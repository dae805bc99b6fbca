"""A fork beside a thread that has factored a matrix by SuperLU.

SciPy notes in the state of each thread what memory SuperLU holds. A forked child deletes the states
of the threads that it does not have, and with them these notes. While factors are alive, SciPy's
destructor of the notes sets an error (it takes a value for an address, SciPy 1.18 and before), at
which the next function fails: the hook by which ``threading`` learns that it is in a child. The
destructor frees nothing in this case, so that it is not missed.
"""

from __future__ import annotations

import ctypes
import threading
from typing import Any

_NOTES = "scipy.sparse.linalg._dsolve._superlu.__global_object"
#: Never emptied: a small object for each thread that has ever factored anything.
_kept: list[Any] = []
_mine = threading.local()


def keep_notes_of_memory() -> None:
    """Keep this thread's notes from being destroyed with its state; to call after a factoring."""
    if getattr(_mine, "kept", False):
        return
    address = ctypes.pythonapi.PyThreadState_GetDict
    address.restype = ctypes.c_void_p  # a borrowed reference
    state = ctypes.cast(address(), ctypes.py_object).value
    if _NOTES in state:
        _kept.append(state[_NOTES])
        _mine.kept = True
