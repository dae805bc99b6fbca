"""Rows of one perplexity over nearest neighbors, and the memory that affinities take."""

from __future__ import annotations

import math
from typing import Any, NamedTuple

import numpy as np
from numpy.typing import DTypeLike, NDArray

from nbembed.data.distances import Metric
from nbembed.data.probabilities import csr_of_rows
from nbembed.kernels.calibration import calibrate
from nbembed.kernels.terms import Calibration
from nbembed.kernels.threads import resolve_threads
from nbembed.neighbors import find_neighbors
from nbembed.system.memory import check_memory
from nbembed.system.work import stage
from nbembed.validation import check_float_type

#: What takes less memory than affinities of all pairs.
FEWER_PAIRS = 'n_neighbors=... of perplexity_affinities, which algorithm="grid" uses'
FEWER_NEIGHBORS = "a smaller n_neighbors, or a smaller perplexity where it follows from that"
#: Nearest neighbors of each point for each unit of perplexity.
NEIGHBORS_PER_PERPLEXITY = 3
#: Rows of nearest neighbors that are calibrated at a time, a multiple of calibration's chunks.
ROWS = 4096
#: Neighbors of each point that affinities over nearest neighbors keep in their order.
NEAREST = 16
#: With fewer points than this, starting threads takes longer than it saves.
FEW = 500


def check_perplexity_of_stored(perplexity: Any, stored: int | None) -> None:
    """Raise ValueError if sparse dissimilarities store too few neighbors for a perplexity.

    ``stored`` is what :func:`fewest_stored` returns.
    """
    if stored is not None and not isinstance(perplexity, str) and perplexity > stored:
        raise ValueError(
            f"perplexity must be at most {stored}, the smallest number of neighbors that X "
            f"stores for a point, got {perplexity!r}; pairs that are not stored are taken as far "
            "apart"
        )


def neighbors_of_perplexity(perplexity: float, most: int) -> int:
    """Return the usual number of nearest neighbors for a perplexity, of ``most`` that there are.

    What is farther has next to no weight in a neighborhood of that perplexity.
    """
    return min(most, math.ceil(NEIGHBORS_PER_PERPLEXITY * perplexity))


def check_neighbor_memory(n: int, k: int, dtype: np.dtype[Any]) -> None:
    """Raise ValueError if affinities of n points over k neighbors would not fit into memory."""
    # Neighbors and distances as they are found, then rows, columns and CSR; or, for the joint form,
    # P, its transpose and their sum of up to 2nk entries.
    entry = dtype.itemsize + (4 if 2 * n * k < 2**31 else 8)
    needed = max(24 + 2 * dtype.itemsize, 4 * entry) * n * k
    check_memory(needed, f"affinities of {n} × {k} neighbors", FEWER_NEIGHBORS)


def check_memory_of_pairs(
    n: int, dtype: DTypeLike = np.float32, forms: int = 1, instead: str = FEWER_PAIRS
) -> None:
    """Raise ValueError if affinities of all pairs of n points would not fit into memory.

    ``forms`` is the number of matrices of that size that are kept at once, ``instead`` what takes
    less.
    """
    needed = forms * check_float_type(dtype).itemsize * n**2
    kept = "" if forms == 1 else f", kept in {forms} forms,"
    check_memory(needed, f"affinities of all {n} × {n} pairs{kept}", instead)


class NearestRows(NamedTuple):
    """Rows over nearest neighbors; the fields are those of affinities.

    ``tied`` has, for each row, how many neighbors tie for the nearest.
    """

    P: Any
    beta: NDArray[np.float64]
    tied: NDArray[np.int64]
    recall: float | None
    nearest: NDArray[np.int32]


def nearest_rows(
    data: Any,
    perplexity: float,
    metric: Metric,
    k: int,
    dtype: DTypeLike,
    n_jobs: int | None = None,
) -> NearestRows:
    """Return rows of one perplexity over the k nearest neighbors, which are searched."""
    n = data.shape[0]
    # Each array goes once it has been used: of many points, they are the peak of the memory.
    index, distances, recall = find_neighbors(data, k, metric, search="auto", n_jobs=n_jobs)
    rows, beta, tied = calibrated_rows(distances, perplexity, dtype, threads_for(n, n_jobs))
    del distances
    nearest = index[:, :NEAREST].astype(np.int32)
    return NearestRows(csr_of_rows(rows, index, n), beta, tied, recall, nearest)


def calibrated_rows(
    distances: NDArray[Any], perplexity: float, dtype: DTypeLike, n_threads: int
) -> Calibration:
    """Return rows of one perplexity over the neighbors at these distances, (n_samples, k).

    Neighbors at infinity, the last of their row, are none: such a row is over the others, and
    uniform where they are fewer than the perplexity.
    """
    n = len(distances)
    found = np.isfinite(distances).sum(axis=1)
    if found.min(initial=distances.shape[1]) < distances.shape[1]:
        return _calibrated_by_number(distances, found, perplexity, dtype, n_threads)
    P, beta, tied = np.empty(distances.shape, dtype), np.empty(n), np.empty(n, np.int64)
    calibrating = stage("weighing neighbors", n)
    for first in range(0, n, ROWS):
        here = slice(first, min(first + ROWS, n))
        nobody = np.full(here.stop - first, -1)
        _, beta[here], tied[here] = calibrate(
            distances[here], nobody, perplexity, n_threads, P[here], squared=False
        )
        calibrating.advance(here.stop - first)
    return Calibration(P, beta, tied)


def _calibrated_by_number(
    distances: NDArray[Any],
    found: NDArray[np.intp],
    perplexity: float,
    dtype: DTypeLike,
    n_threads: int,
) -> Calibration:
    """Return rows calibrated over their ``found`` first neighbors, rows of one number together."""
    n = len(distances)
    made = Calibration(np.zeros(distances.shape, dtype), np.ones(n), np.zeros(n, np.int64))
    for count in np.unique(found[found > 0]):
        here = np.flatnonzero(found == count)
        near = np.ascontiguousarray(distances[here, :count])
        rows = calibrated_rows(near, min(perplexity, count), dtype, n_threads)
        made.P[here, :count] = rows.P
        made.beta[here], made.tied[here] = rows.beta, rows.tied
    return made


def threads_for(n: int, n_jobs: int | None) -> int:
    """Return the number of threads for so many points."""
    n_threads = resolve_threads(n_jobs)
    return n_threads if n > FEW else 1
