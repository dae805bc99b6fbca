"""Which implementation of the kernels runs: compiled code, or plain NumPy formulas.

The environment variable ``NBEMBED_BACKEND`` selects it when nbembed is imported:

* ``numba`` (default): compiled, vectorized, multithreaded;
* ``numpy``: the formulas of :mod:`nbembed.kernels.reference`, in float64. Nothing is compiled and
  numba need not be installed. Use it to debug a kernel, or on a host without a compiler. It takes
  O(n²) memory and ten to a hundred times the time.

Where ``NUMBA_DISABLE_JIT`` is set, numba compiles nothing and the kernels, which are partly written
as machine code, cannot run. The formulas are then taken with a warning, unless ``NBEMBED_BACKEND``
asks for numba by name.

Both return the same types and agree to rounding; tests compare them kernel by kernel.
"""

from __future__ import annotations

import os
import warnings
from collections.abc import Callable
from typing import Any, TypeVar

VARIABLE = "NBEMBED_BACKEND"
BACKENDS = ("numba", "numpy")

Function = TypeVar("Function", bound=Callable[..., Any])


def selected_backend() -> str:
    """Return the backend that the environment asks for.

    Raises
    ------
    ValueError
        If ``NBEMBED_BACKEND`` is set to anything but a backend's name.
    ImportError
        If it asks for numba while ``NUMBA_DISABLE_JIT`` forbids to compile.
    """
    asked = os.environ.get(VARIABLE, "")
    if asked and asked not in BACKENDS:
        allowed = " or ".join(map(repr, BACKENDS))
        raise ValueError(f"the environment variable {VARIABLE} must be {allowed}, got {asked!r}")
    if asked != "numpy" and _compiling_disabled():
        if asked:
            raise ImportError(
                f"NUMBA_DISABLE_JIT is set, and nbembed's kernels cannot run uncompiled; unset it, "
                f"or set {VARIABLE}=numpy to use plain NumPy formulas, which are much slower"
            )
        warnings.warn(
            f"NUMBA_DISABLE_JIT is set: nbembed uses plain NumPy formulas, which are much slower, "
            f"as with {VARIABLE}=numpy",
            RuntimeWarning,
            stacklevel=2,
        )
        return "numpy"
    return asked or BACKENDS[0]


def _compiling_disabled() -> bool:
    """Return whether numba will read from the environment that it is not to compile."""
    try:
        return int(os.environ.get("NUMBA_DISABLE_JIT") or 0) != 0
    except ValueError:  # numba ignores it too
        return False


#: The backend of this process.
BACKEND = selected_backend()


def with_reference(reference: Callable[..., Any]) -> Callable[[Function], Function]:
    """Return a decorator that replaces a kernel by ``reference`` under the NumPy backend.

    Parameters
    ----------
    reference : callable
        Takes the arguments of the kernel and returns the same type.
    """

    def decorate(kernel: Function) -> Function:
        if BACKEND == "numba":
            return kernel
        reference.__doc__ = kernel.__doc__
        return reference  # type: ignore[return-value]  # same signature: the tests call both alike

    return decorate
