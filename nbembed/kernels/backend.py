"""Which implementation of the kernels runs: compiled code, or plain NumPy formulas.

The environment variable ``NBEMBED_BACKEND`` selects it when nbembed is imported:

* ``numba`` (default): compiled, vectorized, multithreaded;
* ``numpy``: the formulas of :mod:`nbembed.kernels.reference`, in float64. Nothing is compiled and
  numba need not be installed. Use it to debug a kernel, or on a host without a compiler. It takes
  O(n²) memory and ten to a hundred times the time.

Both return the same types and agree to rounding; tests compare them kernel by kernel.
"""

from __future__ import annotations

import os
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
    """
    name = os.environ.get(VARIABLE) or BACKENDS[0]
    if name not in BACKENDS:
        allowed = " or ".join(map(repr, BACKENDS))
        raise ValueError(f"the environment variable {VARIABLE} must be {allowed}, got {name!r}")
    return name


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
