"""Objects kept by the numbers of classes, after classes got other numbers.

The engine keeps directions and centers in the order of the classes. When one is merged or removed,
or comes back, those behind it get other numbers, and each must keep its own region or center.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace
from typing import Any

import numpy as np
from numpy.typing import NDArray

from nbembed.methods.recipe import Geometry
from nbembed.supervision import Supervision
from nbembed.supervision.class_changes import new_numbers


def renumbered_geometry(geometry: Geometry, old: Sequence[str], new: Sequence[str]) -> Geometry:
    """Return the geometry with each class's own direction, itself if no number has changed.

    ``old`` and ``new`` are the names of the classes before and after.
    """
    directions = geometry.directions
    if directions is None or max(len(old), len(new)) > len(directions):
        return geometry  # there are none, or as many as there are classes will be made
    numbers = new_numbers(old, new, len(directions))
    if numbers == sorted(numbers):
        return geometry
    bound = tuple(sorted(numbers[c] for c in geometry.bound))
    return replace(geometry, directions=directions[np.argsort(numbers)], bound=bound)


def renumbered_centers(
    layout: NDArray[Any], old: Sequence[str], new: Sequence[str], supervision: Supervision
) -> NDArray[Any]:
    """Return the layout with each class's own center, itself if no center moves.

    In ``layout`` the centers, named ``old`` before and ``new`` after, follow the points;
    ``supervision`` is that after the change. Centers that are added at the end are the recipe's to
    place. One that is needed before them takes the place of a center that is gone, or begins among
    the points of its class.
    """
    n = supervision.n_samples
    numbers = new_numbers(old, new)[: len(old)]
    if len(layout) != n + len(old) or numbers == list(range(len(old))):
        return layout
    rows: dict[int, NDArray[Any]] = dict(zip(numbers, layout[n:], strict=True))
    for k in range(max(numbers)):
        if k not in rows:
            members = np.flatnonzero(supervision.top_class == k)
            rows[k] = layout[members if members.size else slice(n)].mean(axis=0)
    return np.vstack([layout[:n], *(rows[k] for k in sorted(rows))])
