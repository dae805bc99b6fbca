"""The layouts that a schedule keeps on its way, and which of them a map goes on from."""

from __future__ import annotations

import math
from collections.abc import Sequence
from numbers import Real
from typing import TYPE_CHECKING, Any

from nbembed.methods.recipe import PathStep

if TYPE_CHECKING:
    from numpy.typing import NDArray

    from nbembed.methods.recipe import Geometry, Recipe
    from nbembed.objectives.base import Objective


def path_step(
    recipe: Recipe[Any], Y: NDArray[Any], objective: Objective, geometry: Geometry
) -> PathStep:
    """Return a kept layout with the value it was reached at and the criterion it competes by."""
    value = recipe.live_values(objective, geometry).get(recipe.path_parameter, math.nan)
    return PathStep(value, Y, recipe.path_criterion(Y, objective))


def best_step(recipe: Recipe[Any], path: Sequence[PathStep]) -> PathStep | None:
    """Return the layout of a finished path that ``fit`` would choose, of the largest criterion.

    ``None`` if none competes, or if a person has set the path's parameter and so chosen by hand.
    """
    if isinstance(recipe.parameters.get(recipe.path_parameter), Real):
        return None
    competing = [step for step in path if math.isfinite(step.criterion)]
    return max(competing, key=lambda step: step.criterion, default=None)
