"""The methods that a session can switch to by name."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

# What these packages export is registered by importing them.
import nbembed.methods
import nbembed.spectral  # noqa: F401
from nbembed.methods.registry import recipe_type_of, registered

if TYPE_CHECKING:
    from nbembed.methods.recipe import Recipe


def known_methods(*more: type[Any]) -> dict[str, type[Recipe[Any]]]:
    """Return the registered recipe classes by name, and ``more``, which take precedence."""
    found = {kind.name: kind for kind in map(recipe_type_of, more)}
    return {**registered(), **found}
