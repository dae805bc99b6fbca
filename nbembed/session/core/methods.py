"""The methods that a session can switch to by name, and a method for some of its points."""

from __future__ import annotations

from dataclasses import fields
from typing import Any

# What these packages export is registered by importing them.
import nbembed.methods
import nbembed.spectral  # noqa: F401
from nbembed.methods.recipe import Recipe
from nbembed.methods.registry import recipe_type_of, registered

#: Of a parameter that is chosen by the data and their number.
AUTO = "auto"


def known_methods(*more: type[Any]) -> dict[str, type[Recipe[Any]]]:
    """Return the registered recipe classes by name, and ``more``, which take precedence."""
    found = {kind.name: kind for kind in map(recipe_type_of, more)}
    return {**registered(), **found}


def recipe_of_part(recipe: Recipe[Any]) -> Recipe[Any]:
    """Return a method for some of the points: what can follow their number does so."""
    by_number = [f.name for f in fields(recipe) if isinstance(f.default, str) and f.default == AUTO]
    return recipe.without_layout().replace(**dict.fromkeys(by_number, AUTO))
