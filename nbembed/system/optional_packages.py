"""Packages that nbembed uses where they are installed, but does not require."""

from __future__ import annotations

import importlib
from typing import Any


def load_optional(module: str, needed_by: str, install: str = "") -> Any:
    """Return a module; raise ImportError with the ``pip install`` command if it is missing.

    ``install`` is the requirement to install, by default the module's name.
    """
    try:
        return importlib.import_module(module)
    except ImportError as error:
        raise ImportError(
            f'{needed_by} needs {module}, which is not installed: pip install "{install or module}"'
        ) from error
