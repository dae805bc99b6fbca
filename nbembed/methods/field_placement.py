"""Many new points on a large map: by their nearest neighbors, and a potential of the map.

A map of :data:`FIELD_FROM` points or more places new points in O(k) a step: a new point's
probabilities p are over its k = 3 · perplexity nearest fitted points alone, as in openTSNE's
``transform``, and what repels it from all fitted points is interpolated from a mesh
(:mod:`nbembed.kernels.placement_field`). At the nodes of the mesh that potential is summed by the
grid of :mod:`nbembed.kernels.grid.sums`, the nodes being points without a charge; where it is small
beside what the grid rounds off, all fitted points are summed. This form is ours; it takes maps of
two dimensions, rows of one width whose cost is KL(p‖q) (SNE, HSSNE, Mbed), and affinities of a
perplexity. All others sum over all fitted points (:mod:`.placement`). Which form is taken depends
on the fitted map alone, so that a point's place does not depend on the other new points.

A point that comes to rest at the rim of the mesh is placed again by all sums.
"""

from __future__ import annotations

import math
from collections.abc import Iterator
from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import NDArray
from scipy.ndimage import spline_filter

from nbembed.affinities.rows import calibrated_rows, neighbors_of_perplexity
from nbembed.kernels.grid.plan import spacing
from nbembed.kernels.grid.radial import Radial
from nbembed.kernels.grid.size import grid_for, little_memory
from nbembed.kernels.grid.sums import radial_sums
from nbembed.kernels.inner_product import rms_radius
from nbembed.kernels.placement_field import descend_on_field, potentials
from nbembed.kernels.terms import GAUSSIAN_BELOW
from nbembed.kernels.threads import resolve_threads
from nbembed.methods.placement import TETHER, FittedData, RowCost, Rows, first_places, place
from nbembed.neighbors import find_neighbors, nearest_given
from nbembed.objectives.similarity import Similarity

#: Maps of fewer points place new ones by sums over all fitted points.
FIELD_FROM = 10_000
#: Spacing of the mesh, in widths of the similarity, 1/√w, or of its peak where α > 1.
SPACING = 0.35
#: How far the mesh reaches beyond the map: a share of its extent, at least so many widths.
MARGIN, WIDTHS = 0.15, 5.0
#: Meshes of more nodes would take longer than they save.
NODES = 2**23
#: Where the fitted points are felt less than this, in units of one nearby, the grid errs by more
#: than a thousandth (α = 0; farther out for others).
FAINT = 1e-6
#: Pairs of such nodes and fitted points that may be summed: seconds.
WORK = 2**33
#: Neighbors of new points that are held at a time, and the least number of points.
BLOCK, LEAST = 2**22, 256
#: Points at the rim that are placed at a time.
AT_RIM = 256


@dataclass(frozen=True)
class MapField:
    """The potential of a map, for one similarity.

    * Shapes: center (2,).
    * field: as :func:`nbembed.kernels.placement_field.descend_on_field` takes it.
    * Y (n_samples, 2) float64: the map about its center.
    * size: root mean square of the axes' standard deviations.
    """

    field: NDArray[np.float64]
    Y: NDArray[np.float64]
    center: NDArray[np.float64]
    size: float

    @classmethod
    def of(cls, Y: NDArray[Any], cost: RowCost, n_jobs: int | None = None) -> MapField | None:
        """Return the potential of a map, or None where all sums are taken."""
        alpha, w = cost.alpha, cost.precision
        if cost.tradeoff < 1 or w is None or isinstance(alpha, Similarity):
            return None
        if len(Y) < FIELD_FROM or Y.shape[1] != 2:
            return None
        Y = np.asarray(Y, dtype=np.float64)
        center = Y.mean(axis=0)
        Y = Y - center
        low, high = Y.min(axis=0), Y.max(axis=0)
        margin = np.maximum(MARGIN * (high - low), WIDTHS / math.sqrt(w))
        h = SPACING / math.sqrt(w * max(1.0, alpha))
        counts = np.ceil((high - low + 2 * margin) / h) + 4
        if counts.prod() > NODES:
            return None
        first, shape = low - margin - h, counts.astype(int)
        nodes = first[:, None] + h * np.indices(shape).reshape(2, -1)
        V = _log_normalizers(Y.T, nodes, w, alpha, resolve_threads(n_jobs))
        if V is None:
            return None
        V = V.reshape(shape)
        coefficients = spline_filter(V, order=3, mode="mirror")
        field = np.r_[first, 1 / h, V.shape, coefficients.ravel()]
        return cls(field, Y, center, rms_radius(Y) or 1.0)

    def at_rim(self, places: NDArray[np.float64]) -> NDArray[np.bool_]:
        """Return the places within three nodes of the rim of the mesh."""
        at = (places - self.center - self.field[:2]) * self.field[2]
        return np.asarray(((at < 4) | (at > self.field[3:5] - 5)).any(axis=1))


def _log_normalizers(
    Yt: NDArray[np.float64], nodes: NDArray[np.float64], w: float, alpha: float, n_threads: int
) -> NDArray[np.float64] | None:
    """Return V at the nodes (2, n_nodes), or None where it would take long."""
    n = Yt.shape[1]
    kernel = Radial(0.0 if alpha < GAUSSIAN_BELOW else float(alpha))
    together = np.concatenate([Yt, nodes], axis=1) * math.sqrt(w)
    sums = np.zeros(nodes.shape[1])
    if spacing(kernel, precise=True) > 0:
        grid = grid_for(together, kernel, precise=True)
        if not little_memory(grid, double=True):
            return None
        charges = np.repeat([1.0, 0.0], [n, nodes.shape[1]])
        terms = radial_sums(together, kernel, charges, n_threads, precise=True, grid=grid)
        sums = terms.potential[n:]
    faint = np.flatnonzero(sums < FAINT)
    if faint.size * n > WORK:
        return None
    V = np.log(np.maximum(sums, FAINT))
    V[faint] = potentials(Yt, nodes[:, faint], w, alpha, n_threads)
    return V


def place_on_field(
    fitted: FittedData,
    X: Any,
    field: MapField,
    cost: RowCost,
    perplexity: float,
    n_jobs: int | None = None,
) -> Iterator[tuple[slice, NDArray[np.float64]]]:
    """Yield the places of new points, a block at a time; ``field`` was made for the same ``cost``.

    Raises ValueError if a given dissimilarity is negative, or its square is lost.
    """
    fitted.check_given(X)
    assert cost.precision is not None
    assert not isinstance(cost.alpha, Similarity)
    n_threads = resolve_threads(n_jobs)
    k = neighbors_of_perplexity(perplexity, len(field.Y))
    block = max(LEAST, BLOCK // k)
    for first in range(0, X.shape[0], block):
        here = slice(first, min(first + block, X.shape[0]))
        index, distances = _nearest(fitted, X[here], k, n_jobs)
        rows = calibrated_rows(distances, min(perplexity, k), np.float64, n_threads)
        starts = first_places(rows.P, field.Y[index], cost)
        found = descend_on_field(
            rows.P, field.Y[index], field.field, cost.precision, cost.alpha, TETHER, starts,
            field.size, n_threads,
        )  # fmt: skip
        places = np.asarray(found + field.center)
        at_rim = np.flatnonzero(field.at_rim(places))
        for part in range(0, at_rim.size, AT_RIM):
            again = at_rim[part : part + AT_RIM]
            P = np.zeros((again.size, len(field.Y)))
            np.put_along_axis(P, index[again], rows.P[again], axis=1)
            whole = Rows(P, None, rows.beta[again])
            places[again] = place(whole, field.Y + field.center, cost, n_jobs)
        yield here, places


def _nearest(fitted: FittedData, X: Any, k: int, n_jobs: int | None) -> tuple[Any, Any]:
    """Return the nearest fitted points of new points and how far they are."""
    if fitted.X is None:  # X holds the dissimilarities
        return nearest_given(X, k)
    found = find_neighbors(X, k, fitted.metric, others=fitted.X, n_jobs=n_jobs)
    return found.indices, found.distances
