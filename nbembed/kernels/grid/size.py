"""The size of the grid, what it costs, and whether the sum over all pairs costs less.

The nodes cover the map at the spacing that the kernel needs (:func:`.plan.spacing`), or a finer one
in narrow maps. Wide maps would need many nodes for what concerns few pairs: there the kernel is
smoothed (:class:`.radial.Smoothed`), a coarser grid serves it, and near pairs are added one by one.
Where that, too, costs more than the exact sum, as in wide maps in space, all pairs are summed.
"""

from __future__ import annotations

import itertools
import math
from typing import Any, NamedTuple

import numpy as np

from nbembed.kernels.grid.near_pairs import count_pairs
from nbembed.kernels.grid.plan import grid_shape, spacing
from nbembed.kernels.grid.radial import GROWING, GaussianMoment, Radial, Smoothed
from nbembed.kernels.grid.splines import LEFT

#: Cells across the widest axis of a map, at least. The force is a small difference of large
#: potentials in a narrow map, and narrower cells make its error as small.
CELLS = 16

#: In maps narrower than this, in widths of the kernel, it is a parabola to ten digits.
LEAST = 1e-5

#: Dimensions of the maps that there are loops for.
AXES = (2, 3)

#: ns for a point in the plane and in space, and for a node and each doubling of their number. One
#: thread, float32; rows take two convolutions in float64.
POINT_COST = {2: 120.0, 3: 1500.0}
NODE_COST = 0.4

#: ns for a pair in the exact sum: the Gaussian and Student's t, others of the family, a user's own.
LIGHT_PAIR, PAIR, OWN_PAIR = 0.2, 0.35, 15.0
#: The same in a pass of NeRV, by half: its grid takes four convolutions, and what a grid costs is
#: counted for two.
RETRIEVAL_PAIR = 0.12

#: The fewest cells along the widest axis of grids with a smoothed kernel; its core in units of a
#: cell, which leaves an error of 1e-3 in the smooth force; ns for a point, and for a pair in
#: adjacent cells of the core's side, for α = 0 and 1 and for others, which need a power.
FEWEST_COARSE = 64
CORE = 5.0
NEAR_POINT, LIGHT_NEAR, NEAR = 150.0, 0.6, 1.25
#: The same for log H, whose force shall be right to 1e-4 (:data:`.plan.PULL`), in float64.
LOG_CORE = 7.0
LOG_NEAR = 1.8

#: How much longer a node takes in float64.
DOUBLE = 3.0

#: Bytes that the grid may take, and bytes for each node of it in float32; in float64, twice that.
MOST_BYTES = 2**30
NODE_BYTES = 24

#: Nodes beyond the map for a kernel that does not fall off. It is continued as an even function,
#: with a kink whose trace in the splines falls by half from node to node (:mod:`.plan`).
FOLD = 8


class Grid(NamedTuple):
    """Nodes of a grid, the kernel that is convolved on it, and the estimated time.

    * low (d,) float64: the first node.
    * h: spacing; 0.0 where all points coincide.
    * shape: number of nodes along each axis.
    * span: extent of the map along its widest axis.
    * kernel: what is convolved; where it is smoothed, near pairs are added.
    * cost: estimated time in ns, one thread.
    """

    low: Any
    h: float
    shape: tuple[int, ...]
    span: float
    kernel: Radial | GaussianMoment | Smoothed
    cost: float


def grid_for(Yt: Any, kernel: Radial | GaussianMoment, precise: bool = False) -> Grid:
    """Return the cheapest grid for points (d, n); see :func:`~.sums.radial_sums`.

    For a kernel that some spacing is fine enough for (:func:`.plan.spacing`).
    """
    d, n = Yt.shape
    low, high = np.asarray([Yt.min(axis=1), Yt.max(axis=1)], np.float64)
    span = float((high - low).max())
    h = min(spacing(kernel, precise), span / CELLS)
    if h == 0:
        return Grid(low, h, (1,) * d, span, kernel, 0.0)
    grows = kernel.of in GROWING
    points, nodes = (2, 4) if precise else (1, DOUBLE if grows else 1)
    margin = FOLD if grows else 0

    def grid(h: float, kernel: Radial | GaussianMoment | Smoothed) -> Grid:
        shape = grid_shape(high - low + margin * h, h)
        wide = math.prod(shape) * 2**d
        cost = points * n * POINT_COST[d] + nodes * NODE_COST * wide * math.log2(wide)
        return Grid(low - LEFT * h, h, shape, span, kernel, cost)

    best = grid(h, kernel)
    if d != 2 or precise or not isinstance(kernel, Radial):
        return best
    if kernel.H is not None or kernel.of not in ("similarity", "logarithm"):
        return best
    light = LIGHT_NEAR if kernel.alpha in (0, 1) else NEAR
    near, cells = (LOG_NEAR, LOG_CORE) if grows else (light, CORE)
    double = Yt.dtype != np.float32
    if not little_memory(best, double):
        best = best._replace(cost=math.inf)
    # Steps of two, so that a map that grows keeps its kernel, whose transform takes time.
    steps = itertools.takewhile(
        lambda h: h * FEWEST_COARSE < span, (h * 2.0**k for k in itertools.count(1))
    )
    for coarse_h in reversed(list(steps)):
        coarse = grid(coarse_h, Smoothed(kernel, cells * coarse_h))
        if coarse.cost >= best.cost or not little_memory(coarse, double):
            break  # finer ones have more nodes
        pairs = count_pairs(Yt, low, cells * coarse_h)
        coarse = coarse._replace(cost=coarse.cost + NEAR_POINT * n + near * pairs)
        best = coarse if coarse.cost < best.cost else best
    return best


def grid_that_pays(Yt: Any, kernel: Radial | GaussianMoment, precise: bool = False) -> Grid | None:
    """Return the grid if it is fine enough and takes less time than all pairs and little memory.

    It depends on the layout alone, not on the machine or on threads. With ``precise`` for rows,
    which take two convolutions in float64, or two passes over the pairs.
    """
    if spacing(kernel, precise) == 0:
        return None
    n = Yt.shape[1]
    grid = grid_for(Yt, kernel, precise)
    pairs = n * n * pair_cost(kernel) * (2 if precise else 1)
    double = sums_dtype(Yt, kernel, grid, precise) == np.float64
    return grid if little_memory(grid, double) and grid.cost < pairs else None


def sums_dtype(
    Yt: Any, kernel: Radial | GaussianMoment, grid: Grid, precise: bool
) -> np.dtype[Any]:
    """Return the dtype of sums: that of the layout, float64 if precise or in a map of one width."""
    single = Yt.dtype == np.float32 and not precise and grid.span >= kernel.width
    return np.dtype(np.float32 if single else np.float64)


def little_memory(grid: Grid, double: bool) -> bool:
    """Return whether a grid takes no more memory than it may, in float32 or float64."""
    return math.prod(grid.shape) * NODE_BYTES * (2 if double else 1) <= MOST_BYTES


def pair_cost(kernel: Radial | GaussianMoment) -> float:
    """Return the time of a pair in the exact sum, in ns."""
    if isinstance(kernel, GaussianMoment):
        return RETRIEVAL_PAIR
    if kernel.H is not None:
        return OWN_PAIR
    return LIGHT_PAIR if kernel.alpha in (0, 1) else PAIR
