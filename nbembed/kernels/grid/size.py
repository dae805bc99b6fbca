"""The size of the grid, what it costs, and whether the sum over all pairs costs less.

The nodes cover the map at the spacing that the kernel needs (:func:`.plan.spacing`), or a finer one
in narrow maps. The cost grows with the map's area, or volume, in units of the kernel's width: a map
that is much wider than its number of points warrants is summed exactly, pair by pair.
"""

from __future__ import annotations

import math
from typing import Any, NamedTuple

import numpy as np

from nbembed.kernels import reference
from nbembed.kernels.backend import with_reference
from nbembed.kernels.grid.plan import grid_shape, spacing
from nbembed.kernels.grid.radial import Radial
from nbembed.kernels.grid.splines import LEFT

#: Cells across the widest axis of a map, at least. The force is a small difference of large
#: potentials in a narrow map, and narrower cells make its error as small.
CELLS = 16

#: In maps narrower than this, in widths of the kernel, it is a parabola to ten digits.
LEAST = 1e-5

#: Dimensions of the maps that there are loops for.
AXES = (2, 3)

#: ns for a point in the plane and in space, and for a node and each doubling of their number; ns
#: for a pair in the exact sum, of the family and of a user's own similarity. One thread, float32.
POINT_COST = {2: 400.0, 3: 1500.0}
NODE_COST = 0.4
PAIR_COST, OWN_PAIR_COST = 0.15, 10.0

#: Bytes that the grid may take, and bytes for each node of it.
MOST_BYTES = 2**30
NODE_BYTES = 24


class Grid(NamedTuple):
    """Where the nodes are.

    Attributes
    ----------
    low : ndarray of shape (d,), float64
        The first node.
    h : float
        Spacing; 0.0 where all points coincide.
    shape : tuple of int
        Number of nodes along each axis.
    span : float
        Extent of the map along its widest axis.
    """

    low: Any
    h: float
    shape: tuple[int, ...]
    span: float


def grid_for(Yt: Any, kernel: Radial, precise: bool = False) -> Grid:
    """Return the grid for points (d, n)."""
    low, high = np.asarray([Yt.min(axis=1), Yt.max(axis=1)], np.float64)
    span = float((high - low).max())
    h = min(spacing(kernel, precise), span / CELLS)
    if h == 0:
        return Grid(low, h, (1,) * len(low), span)
    return Grid(low - LEFT * h, h, grid_shape(high - low, h), span)


@with_reference(reference.pays)
def pays(Yt: Any, kernel: Radial, precise: bool = False) -> bool:
    """Return whether the grid takes less time than all pairs, and no more than its memory.

    It depends on the layout alone, not on the machine or on threads. With ``precise`` for rows,
    which take two convolutions in float64, or two passes over the pairs.
    """
    d, n = Yt.shape
    shape = grid_for(Yt, kernel, precise).shape
    n_nodes = math.prod(shape)
    wide = n_nodes * 2**d
    cost = n * POINT_COST[d] + NODE_COST * wide * math.log2(wide) * (2 if precise else 1)
    pairs = n * n * (PAIR_COST if kernel.H is None else OWN_PAIR_COST)
    return cost < pairs and n_nodes * NODE_BYTES <= MOST_BYTES
