"""The methods that a session can switch to by name, and their estimators."""

from __future__ import annotations

from typing import Any

from nbembed.methods.estimator import Estimator
from nbembed.methods.recipe import Recipe
from nbembed.validation import shown

_recipes: dict[str, type[Recipe[Any]]] = {}
_estimators: dict[type[Recipe[Any]], type[Estimator]] = {}


def register(method: type[Recipe[Any]] | type[Estimator]) -> None:
    """Let sessions switch to a method by its name.

    Parameters
    ----------
    method : type
        A :class:`~nbembed.Recipe`, or an estimator with its ``recipe_type``. A class of the same
        name that was registered before is replaced, as when a notebook's cell is run again.

    Raises
    ------
    TypeError
        If it is neither.
    """
    kind = recipe_type_of(method)
    _recipes[kind.name] = kind
    if kind is not method:
        _estimators[kind] = method  # type: ignore[assignment]  # an estimator, by recipe_type_of


def recipe_type_of(method: object) -> type[Recipe[Any]]:
    """Return the recipe class of a recipe class or an estimator class."""
    kind = getattr(method, "recipe_type", method)
    if not (isinstance(method, type) and isinstance(kind, type) and issubclass(kind, Recipe)):
        raise TypeError(f"method must be a recipe class or an estimator class, got {shown(method)}")
    return kind


def registered() -> dict[str, type[Recipe[Any]]]:
    """Return the recipe classes by name, in the order in which they were registered."""
    return dict(_recipes)


def estimator_of(kind: type[Recipe[Any]]) -> type[Estimator] | None:
    """Return the estimator around a recipe class, if there is one."""
    return _estimators.get(kind)
