"""Bound methods that do not keep their object alive."""

from __future__ import annotations

import weakref
from collections.abc import Callable
from types import MethodType
from typing import Any


class WeakMethod:
    """A reference that returns a bound method, or ``None`` once the method's object is gone.

    :class:`weakref.WeakMethod` also refers to the function weakly. As the interpreter ends and
    takes classes apart, it then calls back what is already gone, and reports an error.

    * gone: called with a reference when the object is gone.
    """

    def __init__(self, method: Callable[..., Any], gone: Callable[[Any], object] | None = None):
        assert isinstance(method, MethodType)
        self._owner = weakref.ref(method.__self__, gone)
        self._function = method.__func__

    def __call__(self) -> Any:
        """Return the method, if its object is still there."""
        owner = self._owner()
        return None if owner is None else MethodType(self._function, owner)
