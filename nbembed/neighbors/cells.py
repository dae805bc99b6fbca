"""Approximate search: a query is compared with the points of the cells nearest to it.

k-means divides the points into some 2√n cells, and each query is compared with the points of those
m cells alone whose centers are nearest to it, which is a small share of all (an inverted file;
Jégou, Douze and Schmid 2011, "Product quantization for nearest neighbor search", there without
compression). Many queries have the same cells, so that nearly all work is matrix products, as in
:mod:`.exact`.

m is chosen by the data: for a sample of the points all distances are computed, and the m is taken
at which the cells contain :data:`RECALL` of their true neighbors. The recall that is reported is
measured on a sample of the queries; where it is below :data:`ENOUGH`, as among clusters so far
apart that float32 does not tell the points of one from each other, all distances are computed. All
samples are drawn with a fixed seed, and the result depends neither on the number of threads nor on
the run.
"""

from __future__ import annotations

from typing import Any

import numpy as np
from numpy.typing import NDArray

from nbembed.kernels.nearest import cut_lists, empty_shortlist, keep_smallest, pair_distances
from nbembed.kernels.threads import run_chunks
from nbembed.neighbors.exact import (
    FINDING,
    MORE,
    POINTS,
    all_distances,
    in_double,
    products,
)
from nbembed.neighbors.found import Found
from nbembed.neighbors.single_precision import SinglePrecision
from nbembed.neighbors.smallest import other_points
from nbembed.system.blas import one_blas_thread
from nbembed.system.work import Stage, stage

#: Share of the true neighbors that the search is set up to find.
RECALL = 0.99
#: Measured recall below which all distances are computed.
ENOUGH = 0.95
#: Queries in the sample that m is chosen on, and in the one that the recall is measured on.
SAMPLE = 256
#: What the search of a sample is called while it is done.
SAMPLING = "finding neighbors of a sample"
#: Points for each cell that k-means sees, and its iterations.
PER_CELL, STEPS = 64, 8
#: Queries that are searched together, and rows that are assigned to cells together.
QUERIES, ASSIGNED = 256, 4096
#: Of distances that are equal up to rounding each is a right neighbor.
ROUNDING = 1e-9


class Cells:
    """Points in cells.

    * points (n, d): not written to.
    * k: number of neighbors that are searched.
    * centers (n_cells, d + 1) float32: as :class:`.SinglePrecision` has its rows.
    * order (n,): points, cell by cell.
    * starts (n_cells + 1,): where each cell starts in ``order``.
    * probes: m, the cells that each query is compared with.
    """

    def __init__(self, points: NDArray[Any], k: int, n_threads: int) -> None:
        n = len(points)
        self.points, self.k, self.n_threads = points, k, n_threads
        self._single = SinglePrecision(points)
        rows = self._single.rows
        self.centers = _k_means(rows, number_of_cells(n), n_threads)
        cell = assigned(rows, self.centers, n_threads, stage("building search index", n))
        self.order = np.argsort(cell, kind="stable")
        self.starts = np.r_[0, np.cumsum(np.bincount(cell, minlength=len(self.centers)))]
        self._single.reorder(self.order)
        self.probes = self._probes(cell)

    def search(self, queries: NDArray[Any] | None = None) -> tuple[Found, float]:
        """Return the k nearest points of each query, and the share of true neighbors found.

        * queries (m, d): the points themselves if None; they are no neighbors of themselves. Up to
          rounding in float32, what is found for a query does not depend on the others, unless the
          recall is below :data:`ENOUGH`: then all are searched exactly.
        """
        found = self.nearest(
            queries, stage(FINDING, len(self.points if queries is None else queries))
        )
        asked = self.points if queries is None else queries
        sample = np.random.default_rng(1).choice(len(asked), min(SAMPLE, len(asked)), replace=False)
        true = self._true(asked[sample], sample if queries is None else None)
        right = found.squared[sample] <= true.squared[:, -1:] * (1 + ROUNDING)
        recall = float(right.mean())
        if recall >= ENOUGH:
            return found, recall
        own = np.arange(len(asked)) if queries is None else None
        return self._true(asked, own, FINDING), 1.0

    def _true(
        self, queries: NDArray[Any], own: NDArray[np.intp] | None, called: str = SAMPLING
    ) -> Found:
        return all_distances(
            self.points, self.k, queries, own, self.n_threads, self._single, self.order, called
        )

    def _probes(self, cell: NDArray[np.intp]) -> int:
        """Return the number of cells that have RECALL of the neighbors of a sample of points."""
        n = len(self.points)
        sample = np.random.default_rng(0).choice(n, min(SAMPLE, n), replace=False)
        a, _ = self._single.queries(self.points[sample])
        with one_blas_thread():
            scores = a @ self.centers.T
        rank = np.argsort(np.argsort(scores, axis=1, kind="stable"), axis=1)
        true = cell[self._true(self.points[sample], sample).indices]
        ranks = np.sort(np.take_along_axis(rank, true, axis=1), axis=None)
        return int(ranks[min(int(np.ceil(RECALL * ranks.size)), ranks.size) - 1]) + 1

    def nearest(self, queries: NDArray[Any] | None = None, counted: Stage | None = None) -> Found:
        """Return the neighbors that :meth:`search` finds in the cells, whatever the recall."""
        k, itself = self.k, queries is None
        asked = self.points if queries is None else queries
        m, needed = len(asked), k + itself
        wanted = min(needed + MORE, len(self.points))
        if itself:
            order = self.order
        else:
            # Queries of the same cell are searched together.
            cell = np.empty(m, np.intp)
            for first in range(0, m, ASSIGNED):
                here = slice(first, first + ASSIGNED)
                a, _ = self._single.queries(asked[here])
                with one_blas_thread():
                    cell[here] = (a @ self.centers.T).argmin(axis=1)
            order = np.argsort(cell, kind="stable")
        index, squared = np.empty((m, k), np.intp), np.empty((m, k))
        short: list[NDArray[np.intp]] = []

        @one_blas_thread()  # in helper threads, too, which may have a number of their own
        def search(chunk: int) -> None:
            here = order[chunk * QUERIES : (chunk + 1) * QUERIES]
            batch = asked[here]
            a, _ = self._single.queries(batch)
            lists = empty_shortlist(len(a), wanted)
            room = np.empty(len(a) * POINTS, np.float32)
            for t, rows in self._probed(a):
                asking = a[rows]
                for first in range(self.starts[t], self.starts[t + 1], POINTS):
                    last = min(first + POINTS, self.starts[t + 1])
                    block = self._single.rows[first:last]
                    keep_smallest(products(asking, block, room), first, rows, lists)
            cut_lists(lists)
            for count in np.unique(lists.counts):  # wanted, but for queries of small cells
                rows = np.flatnonzero(lists.counts == count)
                if count < needed:
                    short.append(here[rows])
                    continue
                found = self.order[lists.columns[rows, :count]]
                d2 = pair_distances(batch[rows], self.points, found)
                if itself:
                    others = other_points(found, here[rows])
                    shape = len(rows), int(count) - 1
                    found, d2 = found[others].reshape(shape), d2[others].reshape(shape)
                index[here[rows]], squared[here[rows]] = found[:, :k], d2[:, :k]
            if counted is not None:
                counted.advance(len(here))

        with one_blas_thread(), np.errstate(over="ignore", invalid="ignore"):
            run_chunks(search, -(-m // QUERIES), self.n_threads)
        if short:  # their cells have fewer than k points
            again = np.sort(np.concatenate(short))
            own = again if itself else None
            index[again], squared[again] = in_double(self.points, k, asked[again], own)
        return Found(index, squared)

    def _probed(self, a: NDArray[np.float32]) -> list[tuple[int, NDArray[np.int64]]]:
        """Return the cells that queries are compared with, and which queries; frequent ones first.

        The nearest cells come first, so that the bounds of the lists become tight soon.
        """
        n_cells, probes = len(self.centers), self.probes
        if probes >= n_cells:
            everyone = np.arange(len(a))
            return [(t, everyone) for t in range(n_cells)]
        lists = empty_shortlist(len(a), probes)
        keep_smallest(a @ self.centers.T, 0, np.arange(len(a)), lists)
        cut_lists(lists)
        cell = np.where(lists.counts[:, None] >= probes, lists.columns[:, :probes], 0).ravel()
        row = np.repeat(np.arange(len(a)), probes)[np.argsort(cell, kind="stable")]
        counts = np.bincount(cell, minlength=n_cells)
        ends = np.cumsum(counts)
        frequent = np.argsort(-counts, kind="stable")[: np.count_nonzero(counts)]
        return [(int(t), row[ends[t] - counts[t] : ends[t]]) for t in frequent]


def number_of_cells(n: int) -> int:
    """Return 2√n: then finding the nearest cells costs less than searching them."""
    return max(1, int(2 * np.sqrt(n)))


def assigned(
    rows: NDArray[np.float32],
    centers: NDArray[np.float32],
    n_threads: int,
    counted: Stage | None = None,
) -> NDArray[np.intp]:
    """Return the cell of each point: the center b̂ with the least ‖c‖² − 2 ⟨c, x⟩."""
    cell = np.empty(len(rows), np.intp)
    squares, minus = centers[:, -1], np.ascontiguousarray(-2 * centers[:, :-1].T)

    @one_blas_thread()
    def assign(chunk: int) -> None:
        here = slice(chunk * ASSIGNED, (chunk + 1) * ASSIGNED)
        scores = rows[here, :-1] @ minus
        scores += squares
        cell[here] = scores.argmin(axis=1)
        if counted is not None:
            counted.advance(len(scores))

    with one_blas_thread():
        run_chunks(assign, -(-len(rows) // ASSIGNED), n_threads)
    return cell


def _k_means(rows: NDArray[np.float32], n_cells: int, n_threads: int) -> NDArray[np.float32]:
    """Return centers after a few of Lloyd's iterations on a sample; an empty cell stays put."""
    rng = np.random.default_rng(0)
    sample = rows[np.sort(rng.choice(len(rows), min(len(rows), PER_CELL * n_cells), replace=False))]
    centers = sample[np.sort(rng.choice(len(sample), n_cells, replace=False))]
    centering = stage("building search index", STEPS * len(sample))
    for _ in range(STEPS):
        cell = assigned(sample, centers, n_threads, centering)
        order = np.argsort(cell, kind="stable")
        counts = np.bincount(cell, minlength=n_cells)
        filled = np.flatnonzero(counts)
        starts = (np.cumsum(counts) - counts)[filled]
        sums = np.add.reduceat(sample[order, :-1], starts, axis=0)
        centers[filled, :-1] = sums / counts[filled, None].astype(np.float32)
        centers[:, -1] = np.einsum("ij,ij->i", centers[:, :-1], centers[:, :-1])
    return centers
