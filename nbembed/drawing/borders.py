"""Borders between the regions of classes that have centers: lines where the nearest class changes.

A point belongs to the class of its nearest center, so that borders are those edges of the centers'
Voronoi diagram that separate centers of different classes.
"""

from __future__ import annotations

from typing import Any

import numpy as np
from numpy.typing import NDArray
from scipy.spatial import Voronoi

#: Borders that end nowhere are drawn this many times as far as the centers spread.
REACH = 20.0


def region_borders(centers: NDArray[Any], classes: NDArray[Any]) -> list[list[float]]:
    """Return lines [x, y, x', y'] on the plane that separate the regions of classes.

    * classes (n_centers,) int: the class of each center.
    """
    places, first = np.unique(np.asarray(centers, dtype=np.float64), axis=0, return_index=True)
    owners = np.asarray(classes)[first]
    if np.unique(owners).size < 2 or not np.isfinite(places).all():
        return []
    middle = (places.min(axis=0) + places.max(axis=0)) / 2
    size = float(np.ptp(places, axis=0).max())
    # Four places far away close all regions; their own borders are none of the classes'.
    corners = middle + 2 * REACH * size * np.array([[1, 1], [1, -1], [-1, 1], [-1, -1]])
    diagram = Voronoi(np.vstack([places, corners]))
    lines = []
    for (a, b), ends in zip(diagram.ridge_points, diagram.ridge_vertices):
        if max(a, b) < len(places) and owners[a] != owners[b] and min(ends) >= 0:
            lines.append(diagram.vertices[ends].ravel().tolist())
    return lines
