"""Affinities: neighbor probabilities of points, made from data, dissimilarities or a graph.

Row form, the neighbors of each point as a distribution: ``p_{j|i} ∝ exp(−β_i d_ij²)``, with β_i
such that the entropy of the row is ``log(perplexity)`` ("Stochastic Neighbor Embedding"; NeRV's
effective number of neighbors is this perplexity), or one width for all points, ``β = 1/(2σ²)`` with
σ the 1/K quantile of all pairwise distances (Mbed, "Large Margin Non-Linear Embedding", section 7).
The paper leaves open whether it divides by σ² or 2σ²; 2σ² gives the better figures.

Joint form, one distribution over pairs: ``P = (p_{j|i} + p_{i|j}) / 2n``, which sums to one (SSNE,
t-SNE, HSSNE).

Rows over k nearest neighbors alone (``n_neighbors``) are sparse: O(n k) memory where all pairs take
O(n²). k = 3 · perplexity is usual in t-SNE's implementations for many points.
"""

from __future__ import annotations

import dataclasses
import math
from collections.abc import Callable
from dataclasses import dataclass, field, replace
from functools import cached_property
from typing import Any, Literal

import numpy as np
from numpy.typing import ArrayLike, DTypeLike, NDArray
from scipy import sparse

from nbembed.data.distances import Distances, Metric, check_complete, fewest_stored, name_of
from nbembed.data.matrix_input import check_data, matrix_of
from nbembed.data.probabilities import (
    FORMS,
    Form,
    as_stored,
    canonical,
    check_matrix,
    csr_of_rows,
    frozen,
    frozen_matrix,
    row_sums,
)
from nbembed.kernels.calibration import calibrate, normalize
from nbembed.kernels.terms import Calibration
from nbembed.kernels.threads import resolve_threads
from nbembed.neighbors import check_k, find_neighbors
from nbembed.system.memory import check_memory
from nbembed.system.work import stage, warn
from nbembed.validation import (
    auto_perplexity,
    check_choice,
    check_count,
    check_float_type,
    check_perplexity,
    check_perplexity_of_neighbors,
    check_real,
)

__all__ = [
    "Affinities",
    "as_affinities",
    "auto_perplexity",
    "global_affinities",
    "perplexity_affinities",
]

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


@dataclass(frozen=True, eq=False)
class Affinities:
    """Neighbor probabilities and what they were made from: a value, its arrays read only.

    Made by the functions of this module; :func:`as_affinities` and :meth:`from_probabilities` check
    probabilities that are given.

    Attributes
    ----------
    P : ndarray or csr_array of shape (n_samples, n_samples), float32 or float64
        Zero diagonal. Each row sums to one (``form="row"``), or P is symmetric and all of it sums
        to one (``form="joint"``). C-contiguous, or CSR with sorted indices and no duplicates.
    form : {"row", "joint"}
    beta : ndarray of shape (n_samples,) or None
        Precisions β_i in inverse squared units of the metric; None for given probabilities.
    perplexity : float or None
        The perplexity that the rows were calibrated to, if any.
    sigma : float or None
        The width shared by all points, in units of the metric, if there is one.
    metric : str
        Name of the metric; "given" for given probabilities.
    source : tuple of data and metric, or None
        What P was computed from; logarithms of probabilities that underflow are computed from it.
    floor : float
        ε: probabilities below it are zero, in P and in :attr:`log_P`. 0.0 keeps all of them.
    n_neighbors : int or None
        How many nearest neighbors each row is over; None for all pairs, or given probabilities.
    recall : float or None
        Share of the true neighbors among those, estimated on a sample; 1.0 if the search was exact.
    nearest : ndarray of shape (n_samples, k), int32, or None
        The first k ≤ :data:`NEAREST` of those neighbors, nearest first, for who asks for neighbors
        again: P has all of them, in no order.
    """

    P: Any
    form: Form
    beta: NDArray[np.float64] | None = None
    perplexity: float | None = None
    sigma: float | None = None
    metric: str = "given"
    source: tuple[Any, Metric] | None = field(default=None, repr=False)
    floor: float = 0.0
    n_neighbors: int | None = None
    recall: float | None = None
    nearest: NDArray[np.int32] | None = field(default=None, repr=False)
    _cache: dict[str, Any] = field(default_factory=dict, init=False, repr=False)

    def __post_init__(self) -> None:
        check_choice("form", self.form, FORMS)
        object.__setattr__(self, "P", frozen_matrix(self.P))
        for name in ("beta", "nearest"):
            if isinstance(getattr(self, name), np.ndarray):
                object.__setattr__(self, name, frozen(getattr(self, name)))

    def __getstate__(self) -> dict[str, Any]:
        """Return the fields without what was computed from them."""
        state = {f.name: getattr(self, f.name) for f in dataclasses.fields(self)}
        return {**state, "_cache": {}}

    @classmethod
    def from_probabilities(cls, P: Any, form: Form = "row") -> Affinities:
        """Return a copy of given probabilities as affinities.

        Parameters
        ----------
        P : array-like or sparse matrix of shape (n_samples, n_samples)
            Non-negative with an empty diagonal.
        form : {"row", "joint"}

        Raises
        ------
        TypeError, ValueError
            As :func:`as_affinities`.
        """
        check_choice("form", form, FORMS)
        stored = check_matrix(as_stored(P).copy(), form)
        if sparse.issparse(stored):
            stored.eliminate_zeros()
        return cls(stored, form)

    # -- what it is --------------------------------------------------------------------------

    @property
    def n_samples(self) -> int:
        """Number of points."""
        return int(self.P.shape[0])

    @property
    def dtype(self) -> np.dtype[Any]:
        """Either float32 or float64."""
        dtype: np.dtype[Any] = self.P.dtype
        return dtype

    @property
    def is_sparse(self) -> bool:
        """True if P is CSR rather than dense."""
        return bool(sparse.issparse(self.P))

    @property
    def kernel_argument(self) -> Any:
        """P as the kernels take it: the dense array, or the parts (indptr, indices, data)."""
        return (self.P.indptr, self.P.indices, self.P.data) if self.is_sparse else self.P

    @property
    def learned_metric(self) -> Any:
        """The fitted metric object that P was computed with; None for metrics that have a name."""
        metric = None if self.source is None else self.source[1]
        return metric if hasattr(metric, "squared_rows") else None

    def cached(self, name: str, make: Callable[[], Any]) -> Any:
        """Return the result of ``make`` at the first call with this name.

        For arrays as large as P that objectives of the same affinities share; they are kept for as
        long as the affinities.
        """
        if name not in self._cache:
            self._cache[name] = make()
        return self._cache[name]

    # -- forms -------------------------------------------------------------------------------

    def rows(self) -> Affinities:
        """Return the row form: itself, or the rows that a joint form was made from.

        Given joint probabilities become rows by ``p_{j|i} = P_ij / Σ_j P_ij``. Rows over nearest
        neighbors are searched anew at the first call, on all cores.

        Raises
        ------
        ValueError
            If a point of a given joint form has no neighbor.
        """
        return self if self.form == "row" else self._rows

    def joint(self) -> Affinities:
        """Return the joint form ``(p_{j|i} + p_{i|j}) / 2n``, or itself."""
        return self if self.form == "joint" else self._joint

    def truncated(self, floor: float) -> Affinities:
        """Return the same affinities with all probabilities below ``floor`` set to zero.

        Rows are not normalized anew.

        Raises
        ------
        ValueError
            If ``floor`` is not in (0, 1).
        """
        check_real("floor", floor, low=0, high=1, open_low=True)
        if self.is_sparse:
            P = self.P.copy()
            P.data = np.where(P.data >= floor, P.data, P.dtype.type(0))
            P.eliminate_zeros()
        else:
            P = np.where(floor <= self.P, self.P, self.dtype.type(0))
        return replace(self, P=P, floor=floor)

    @cached_property
    def _rows(self) -> Affinities:
        if self.n_neighbors is not None:
            # The joint form does not hold its rows: they take as much memory, and few ask for them.
            # They are searched anew, once.
            assert self.source is not None
            assert self.perplexity is not None
            data, metric = self.source
            made = perplexity_affinities(
                data, self.perplexity, metric, n_neighbors=self.n_neighbors, dtype=self.dtype
            )
            return made.truncated(self.floor) if self.floor > 0 else made
        if self.source is not None:
            P = np.exp(self._log_rows())
            P[max(np.finfo(self.dtype).tiny, self.floor) > P] = 0
            return replace(self, P=P, form="row")
        sums = row_sums(self.P)
        if (sums <= 0).any():
            i = int(np.flatnonzero(sums <= 0)[0])
            raise ValueError(f"P has no neighbor for point {i}, so its row cannot be normalized")
        share = (1 / sums).astype(self.dtype)
        if self.is_sparse:
            P = canonical(sparse.csr_array(sparse.diags_array(share) @ self.P))
            return replace(self, P=P, form="row")
        return replace(self, P=self.P * share[:, None], form="row")

    @cached_property
    def _joint(self) -> Affinities:
        if not self.is_sparse:
            n = self.n_samples
            what = f"affinities of all {n} × {n} pairs, beside the rows that they are made from,"
            check_memory(2 * self.dtype.itemsize * n**2, what, FEWER_PAIRS)
        half = self.dtype.type(0.5 / self.n_samples)
        stage("making probabilities symmetric", 0)
        if self.is_sparse:
            P = canonical(sparse.csr_array(self.P + self.P.T))
            P.data *= half
        else:
            P = self.P + self.P.T
            P *= half
        return replace(self, P=P, form="joint")

    # -- logarithms --------------------------------------------------------------------------

    @cached_property
    def log_P(self) -> Any:
        """Log P; −inf on the diagonal. Dense, or CSR on P's own pattern.

        Computed from the distances where a dense P was, and then exact also where p underflows to
        zero.
        """
        if self.is_sparse:
            logs = self.P.copy()
            with np.errstate(divide="ignore"):
                logs.data = np.log(self.P.data)
            logs.data.flags.writeable = False
            return logs
        if self.source is None or self.floor > 0:
            with np.errstate(divide="ignore"):
                logs = np.log(self.P)
        else:
            logs = self._log_rows()
            if self.form == "joint":
                logs = np.logaddexp(logs, logs.T)
                logs -= np.log(2 * self.n_samples)
        logs.flags.writeable = False
        return logs

    def _log_rows(self) -> NDArray[Any]:
        """Return log p_{j|i}, computed from the distances."""
        assert self.source is not None
        assert self.beta is not None
        logs = np.empty((self.n_samples, self.n_samples), self.dtype)
        for here, D2 in Distances(*self.source).blocks():
            own = np.arange(here.start, here.stop)
            D2[own - here.start, own] = np.inf
            D2 -= D2.min(axis=1, keepdims=True)
            D2 *= -self.beta[here, None]
            D2 -= np.log(np.exp(D2).sum(axis=1, keepdims=True))
            logs[here] = D2
        return logs


def as_affinities(P: Any, form: Form) -> Affinities:
    """Return an objective's input as :class:`Affinities` of the form that it needs.

    Parameters
    ----------
    P : ndarray, sparse matrix or array, or Affinities
        Square, finite, non-negative, with an empty diagonal. Affinities are brought to ``form``; an
        array must have it already, and a well-formed one is not copied: it must not be changed
        afterwards.
    form : {"row", "joint"}

    Raises
    ------
    TypeError
        If ``P`` is neither a matrix nor Affinities.
    ValueError
        If ``P`` breaks a condition; the message says which.
    """
    check_choice("form", form, FORMS)
    if isinstance(P, Affinities):
        return P.joint() if form == "joint" else P.rows()
    return Affinities(check_matrix(as_stored(P), form), form)


def perplexity_affinities(
    X: ArrayLike,
    perplexity: float | Literal["auto"] = "auto",
    metric: Metric = "euclidean",
    *,
    n_neighbors: int | None = None,
    dtype: DTypeLike = np.float32,
    n_jobs: int | None = None,
) -> Affinities:
    """Return row-stochastic affinities, each row of the same perplexity.

    Parameters
    ----------
    X : array-like or sparse matrix of shape (n_samples, n_features)
        With ``metric="precomputed"`` dissimilarities (n_samples, n_samples), which need be neither
        metric nor symmetric; row i has the dissimilarities of the others to point i. Of a sparse
        matrix, what is not stored is far: rows are then over the nearest neighbors that every row
        stores, or ``n_neighbors`` of them.
    perplexity : float or "auto", default="auto"
        In [1, k], k being ``n_neighbors`` or else n_samples − 1; "auto" is min(30, k/3), at least
        1.
    metric : str or callable, default="euclidean"
        A name that scikit-learn or SciPy knows, or a function of two points.
    n_neighbors : int, optional
        Each row is over so many nearest neighbors of the point alone, and P is sparse; in
        [1, n_samples − 1]. None: over all other points, and P is dense. Of 20 000 dense points or
        more, neighbors are searched approximately: :attr:`Affinities.recall`.
    dtype : float32 or float64
        Of P.
    n_jobs : int, optional
        Threads; None is all cores. The result does not depend on it.

    Returns
    -------
    Affinities
        In the row form; ``joint()`` returns the other.

    Warns
    -----
    UserWarning
        Once, if more than ``perplexity`` points tie for the nearest of some point, as duplicates at
        distance zero do: no width gives so small a perplexity, and its row is uniform over them.

    Raises
    ------
    ValueError
        Naming the invalid argument and the allowed values; or if P would not fit into memory.

    Notes
    -----
    O(n² n_features) time; P and a block of distances (tens of megabytes) in memory. With
    ``n_neighbors`` the time of :func:`nbembed.measures.nearest_neighbors` and O(n n_neighbors)
    memory.
    """
    data = check_data(X, metric)
    n = data.shape[0]
    stored = fewest_stored(data, metric)
    if n_neighbors is not None:
        n_neighbors = check_k(n_neighbors, n, "n_neighbors")
    if stored is not None:
        check_perplexity_of_stored(perplexity, stored)
        n_neighbors = stored if n_neighbors is None else min(n_neighbors, stored)
    if n_neighbors is None:
        k = n - 1
        perplexity = check_perplexity(perplexity, n)
    else:
        k = n_neighbors
        perplexity = check_perplexity_of_neighbors(perplexity, k)
    dtype = check_float_type(dtype)
    if n_neighbors is None:
        check_memory_of_pairs(n, dtype)
    else:
        check_neighbor_memory(n, k, dtype)
    n_threads, recall, nearest = _threads(n, n_jobs), None, None
    beta, tied = np.empty(n), np.empty(n, np.int64)
    if n_neighbors is None:
        P = np.empty((n, n), dtype)
        calibrating = stage("finding neighborhoods", n)
        for here, D2 in Distances(data, metric).blocks():
            skip = np.arange(here.start, here.stop)
            _, beta[here], tied[here] = calibrate(D2, skip, perplexity, n_threads, P[here])
            calibrating.advance(len(D2))
    else:
        # Each array goes once it has been used: of many points, they are the peak of the memory.
        index, distances, recall = find_neighbors(data, k, metric, search="auto", n_jobs=n_jobs)
        rows, beta, tied = calibrated_rows(distances, perplexity, dtype, n_threads)
        del distances
        nearest = index[:, :NEAREST].astype(np.int32)
        P = csr_of_rows(rows, index, n)
        del rows, index
    crowded = np.count_nonzero(tied > perplexity)
    if crowded:
        warn(
            f"{crowded} of {n} points have more than perplexity = {perplexity:g} equally near "
            "neighbors, such as duplicates; their probabilities are uniform over these "
            "neighbors. A larger perplexity, or X without duplicates, avoids it",
            stacklevel=2,
        )
    source = _kept(X, data), metric
    kept = None if n_neighbors is None else k
    return Affinities(
        P,
        "row",
        beta,
        perplexity,
        None,
        name_of(metric),
        source,
        n_neighbors=kept,
        recall=recall,
        nearest=nearest,
    )


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


def global_affinities(
    X: ArrayLike,
    n_classes: int,
    metric: Metric = "euclidean",
    *,
    dtype: DTypeLike = np.float32,
    n_jobs: int | None = None,
) -> Affinities:
    """Return Mbed's row-stochastic affinities, with one width for all points.

    Parameters
    ----------
    X : array-like or sparse matrix of shape (n_samples, n_features)
        Or dissimilarities with ``metric="precomputed"``.
    n_classes : int
        K ≥ 2: the width σ is the 1/K quantile of all pairwise distances.
    metric : str or callable, default="euclidean"
    dtype : float32 or float64
    n_jobs : int, optional
        As for :func:`perplexity_affinities`.

    Warns
    -----
    UserWarning
        If so many points coincide that the quantile is zero: the smallest distance above zero is
        used in its place. Where all points coincide, rows are uniform at any width.

    Raises
    ------
    ValueError
        If the pairs would not fit into memory.
    """
    n_classes = check_count("n_classes", n_classes, low=2)
    data = check_data(X, metric)
    n = data.shape[0]
    check_all_pairs(data, metric)
    check_global_memory(n, dtype)
    P = np.empty((n, n), check_float_type(dtype))
    distances = Distances(data, metric)
    pairs = distances.of_pairs()
    sigma = float(np.quantile(pairs, 1 / n_classes, overwrite_input=True))
    if sigma == 0:
        positive = pairs[pairs > 0]
        sigma = float(positive.min()) if positive.size else 1.0
        if positive.size:
            warn(
                f"more than 1/{n_classes} of all pairs of points in X coincide; the Gaussian "
                f"width is the smallest positive distance, {sigma:.4g}, instead of the "
                f"1/{n_classes} quantile",
                stacklevel=2,
            )
    del pairs
    beta = 0.5 / sigma**2
    normalizing = stage("finding neighborhoods", n)
    for here, D2 in distances.blocks():
        skip = np.arange(here.start, here.stop)
        normalize(D2, skip, beta, _threads(n, n_jobs), P[here])
        normalizing.advance(len(D2))
    source = _kept(X, data), metric
    return Affinities(P, "row", np.full(n, beta), None, sigma, name_of(metric), source)


def check_all_pairs(data: Any, metric: Metric) -> None:
    """Raise ValueError where one width for all points is asked of dissimilarities of some pairs."""
    if isinstance(metric, str) and metric == "precomputed":
        instead = 'a width for each point, affinity="perplexity" of Mbed, takes those'
        check_complete(data, instead=instead)


def check_global_memory(n: int, dtype: DTypeLike = np.float32, forms: int = 1) -> None:
    """Raise ValueError if affinities of one width for n points would not fit into memory.

    Neither a quantile of all distances nor a width that is the same in dense and in sparse regions
    can be had from a few neighbors of each point: every pair counts. ``forms`` is the number of
    forms in which probabilities of all pairs will be kept.
    """
    # The distances of all pairs, sorted for their quantile, go before P is filled.
    needed = max(4 * n * (n - 1), forms * check_float_type(dtype).itemsize * n**2)
    check_memory(
        needed,
        f"one width for all points, which needs all {n} × {n} pairs,",
        'a width for each point, affinity="perplexity" of Mbed or perplexity_affinities(X, '
        "n_neighbors=...)",
    )


def _threads(n: int, n_jobs: int | None) -> int:
    n_threads = resolve_threads(n_jobs)
    return n_threads if n > FEW else 1


def _kept(X: Any, data: Any) -> Any:
    """Return checked data that later changes of the caller's array do not reach."""
    if sparse.issparse(data):
        return data.copy()
    if not (data.flags.writeable and np.may_share_memory(data, np.asarray(matrix_of(X)))):
        return data
    return data.copy()
