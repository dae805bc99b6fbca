"""The graph that labels spread along: sparse, symmetric, made from affinities or from data.

Whatever method the affinities belong to, the graph is of the same kind: each row p_{j|i} is cut to
its 3 · perplexity largest entries and calibrated to the perplexity anew (with
``d² = −log p``, up to a factor and a constant of the row, which the calibration finds), and

    W_ij = √(p_{j|i} p_{i|j}) + ½ ε (q_ij + q_ji),   q_ij = p_{j|i} if j is the nearest of i, else 0

The geometric mean joins points that are neighbors of each other; a hub, which is near to many that
are not near to it, gets no more weight than others (compare the local scaling of Zelnik-Manor and
Perona 2004). The second term, ε = 0.01, leaves no point without an edge.

Links change W. A must-link group is a point of its own that each member gives as much weight as
all its neighbors together: half of a member's steps lead to the group, and from there to any
member. It takes m edges for m members, and groups meet only in points that they share. A
cannot-link removes the edges between its two sides.
"""

from __future__ import annotations

from typing import Any, Literal

import numpy as np
from numpy.typing import ArrayLike, NDArray
from scipy import sparse

from nbembed.affinities import Affinities
from nbembed.affinities.rows import (
    calibrated_rows,
    check_neighbor_memory,
    check_perplexity_of_stored,
    neighbors_of_perplexity,
)
from nbembed.data.distances import Metric, fewest_stored, name_of
from nbembed.data.matrix_input import check_data
from nbembed.data.probabilities import csr_of_rows, cut_pairs
from nbembed.kernels.calibration import calibrate
from nbembed.kernels.threads import resolve_threads
from nbembed.neighbors import find_neighbors, k_smallest, nearest_given
from nbembed.supervision import Supervision
from nbembed.validation import auto_perplexity, check_perplexity

#: Perplexity of the graph, fixed for all data; of few points (n − 1)/3.
PERPLEXITY = 10.0
#: ε, the weight of an edge to the nearest neighbor that is not returned.
WEAK = 0.01
#: Rows that are cut at a time.
ROWS = 1024


def neighbor_affinities(
    X: ArrayLike,
    perplexity: float | Literal["auto"] = "auto",
    metric: Metric = "euclidean",
    *,
    n_jobs: int | None = None,
) -> Affinities:
    """Return sparse affinities: rows of the same perplexity over the nearest neighbors alone.

    Parameters
    ----------
    X : array-like or sparse matrix of shape (n_samples, n_features)
        Or dissimilarities with ``metric="precomputed"``.
    perplexity : float or "auto", default="auto"
        In [1, n_samples − 1]; "auto" is 10, or (n_samples − 1)/3 if that is less. Each point keeps
        three times as many neighbors.
    metric : str, callable or LearningMetric, default="euclidean"
    n_jobs : int, optional
        Threads; None is all cores. The result does not depend on it.

    Returns
    -------
    Affinities
        In the row form, CSR in float64.

    Raises
    ------
    ValueError
        Naming the invalid argument and the allowed values.

    Notes
    -----
    Memory O(n) besides a block of distances; time as
    :func:`nbembed.measures.nearest_neighbors` with ``search="auto"``: approximate for many points,
    as ``recall`` says.
    """
    data = check_data(X, metric)
    n = data.shape[0]
    stored = fewest_stored(data, metric)
    check_perplexity_of_stored(perplexity, stored)
    perplexity = graph_perplexity(perplexity, n)
    k = neighbors_of_perplexity(perplexity, n - 1 if stored is None else stored)
    check_neighbor_memory(n, k, np.dtype(np.float64))
    index, rows, recall = nearest_rows(data, perplexity, metric, n_jobs=n_jobs)
    P = csr_of_rows(rows, index, n)
    return Affinities(P, "row", perplexity=perplexity, metric=name_of(metric), recall=recall)


def nearest_rows(
    data: Any,
    perplexity: float,
    metric: Metric = "euclidean",
    *,
    others: Any = None,
    n_jobs: int | None = None,
) -> tuple[NDArray[np.intp], NDArray[np.float64], float]:
    """Return the nearest neighbors of points and their affinities, both (n, width), and the recall.

    Both data sets are checked; neighbors are searched among ``others``, by default among the other
    points.
    """
    if others is not None and isinstance(metric, str) and metric == "precomputed":
        index, distances = nearest_given(data, neighbors_of_perplexity(perplexity, data.shape[1]))
        recall = 1.0
    else:
        stored = fewest_stored(data, metric) if others is None else None
        most = data.shape[0] - 1 if others is None else others.shape[0]
        most = most if stored is None else stored
        k = neighbors_of_perplexity(perplexity, most)
        index, distances, recall = find_neighbors(
            data, k, metric, others=others, search="auto", n_jobs=n_jobs
        )
    perplexity = min(perplexity, distances.shape[1])
    rows = calibrated_rows(distances, perplexity, np.float64, resolve_threads(n_jobs))
    return index, rows.P, recall


def graph_perplexity(perplexity: float | Literal["auto"], n_samples: int) -> float:
    """Return the perplexity of the graph of ``n_samples`` points."""
    if isinstance(perplexity, str) and perplexity == "auto":
        return min(PERPLEXITY, auto_perplexity(n_samples))
    return check_perplexity(perplexity, n_samples)


def symmetric_weights(
    affinities: Affinities, perplexity: float | None, n_threads: int = 1
) -> sparse.csr_array:
    """Return W of the given affinities, CSR in float64 with an empty diagonal.

    Without a perplexity P is taken as it is, ``W = (P + Pᵀ)/2``.
    """
    P = affinities.P
    if perplexity is None:
        P = sparse.csr_array(P, dtype=np.float64)
        W = sparse.csr_array((P + P.T) * 0.5)
    else:
        # A joint form has rows that differ by a factor, which the calibration does not see.
        P = _cut(P, perplexity, n_threads)
        Q = P.copy()
        Q.data[Q.data < np.repeat(P.max(axis=1).toarray().ravel(), np.diff(P.indptr))] = 0
        mutual = sparse.csr_array(P.multiply(P.T))
        mutual.data = np.sqrt(mutual.data)
        W = sparse.csr_array(mutual + (Q + Q.T) * (0.5 * WEAK))
    W.sum_duplicates()
    W.eliminate_zeros()
    return W


def with_links(W: sparse.csr_array, supervision: Supervision) -> sparse.csr_array:
    """Return W as the links of ``supervision`` change it; a row is added for each group."""
    n = W.shape[0]
    if supervision.cannot_links:
        W = W.copy()
        cut_pairs(W, supervision.cannot_links)
        W.eliminate_zeros()
    if supervision.links:
        degree = np.asarray(W.sum(axis=1)).ravel()
        degree[degree == 0] = degree.mean() or 1.0
        members = np.concatenate(supervision.links)
        group = np.repeat(np.arange(len(supervision.links)), [g.size for g in supervision.links])
        shape = (n, len(supervision.links))
        H = sparse.csr_array((degree[members], (members, group)), shape=shape)
        W = sparse.csr_array(sparse.block_array([[W, H], [H.T, None]], format="csr"))
        W.sort_indices()
    return W


def _calibrated(D2: NDArray[Any], perplexity: float, n_threads: int = 1) -> NDArray[np.float64]:
    """Return rows over the nearest neighbors alone; uniform where they are too few."""
    none = np.full(D2.shape[0], -1)
    rows: NDArray[np.float64] = calibrate(
        np.ascontiguousarray(D2, dtype=np.float64),
        none,
        min(perplexity, D2.shape[1]),
        n_threads,
    ).P
    return rows


def _cut(P: Any, perplexity: float, n_threads: int) -> sparse.csr_array:
    """Return P's rows cut to their largest entries and calibrated to the perplexity."""
    n = P.shape[0]
    k = neighbors_of_perplexity(perplexity, n - 1)
    parts = []
    for start in range(0, n, ROWS):
        block, columns = _entries(P[start : start + ROWS])
        index = k_smallest(-block, min(k, block.shape[1]))
        p = np.take_along_axis(block, index, axis=1).astype(np.float64)
        if columns is not None:
            index = np.take_along_axis(columns, index, axis=1)
        out = np.zeros_like(p)
        counts = np.count_nonzero(p, axis=1)
        for count in np.unique(counts[counts > 0]):
            here = np.flatnonzero(counts == count)
            kept = p[here, :count]
            out[here, :count] = _calibrated(np.log(kept[:, :1] / kept), perplexity, n_threads)
        parts.append(csr_of_rows(out, index, n))
    return sparse.csr_array(sparse.vstack(parts, format="csr"))


def _entries(rows: Any) -> tuple[NDArray[Any], NDArray[np.intp] | None]:
    """Return the entries of some rows and their columns, in ascending order; None if dense.

    Sparse rows are as long as the longest of them: zeros, in column 0, follow a shorter one.
    """
    if not sparse.issparse(rows):
        return np.asarray(rows), None
    rows = sparse.csr_array(rows)
    rows.sort_indices()
    counts = np.diff(rows.indptr)
    taken = np.arange(max(1, int(counts.max(initial=0)))) < counts[:, None]
    block = np.zeros(taken.shape, dtype=rows.dtype)
    columns = np.zeros(taken.shape, dtype=np.intp)
    block[taken] = rows.data
    columns[taken] = rows.indices
    return block, columns
