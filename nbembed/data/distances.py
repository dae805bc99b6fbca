"""Squared dissimilarities between points, by blocks of rows, in float64, for any metric.

Only one block is held in memory at a time: what is computed from distances (probabilities, ranks,
a quantile) takes them block by block, and computes them again if it needs them again.

Euclidean distances are computed from centered data, which avoids cancellation of the squares far
from the origin, and are exactly zero between equal rows. Other metrics are scikit-learn's. A
callable is called for both (a, b) and (b, a): it need not be symmetric, nor a metric. An object
with a method ``squared_rows`` (:class:`nbembed.LearningMetric`) computes its own distances.

A sparse matrix of given dissimilarities may store those of near points alone, as scikit-learn's
``kneighbors_graph`` does: what is not stored is far, and a stored zero is a dissimilarity of zero.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping
from typing import Any, Protocol

import numpy as np
from numpy.typing import NDArray
from scipy import sparse

from nbembed.data.sparse_format import check_sparse
from nbembed.kernels.calibration import CHUNK
from nbembed.kernels.distances import squared_distances
from nbembed.system.blas import one_blas_thread
from nbembed.system.work import stage
from nbembed.validation import shown


class PointMetric(Protocol):
    """A metric object, which is given all points at once (LearningMetric)."""

    def squared_rows(self, X: Any, others: Any = None) -> Callable[[slice], NDArray[np.float64]]:
        """Return a function from a slice of ``X`` to fresh rows of d² to ``others``, or to ``X``.

        d² is symmetric, finite and ≥ 0, in float64.
        """
        ...


Metric = str | Callable[..., float] | PointMetric


def same_metric(a: Any, b: Any) -> bool:
    """Return whether two metrics are the same; two learned ones are where they are equal."""
    return a is b or bool(a == b)


#: Upper bound of the pairs in a block: 32 MiB.
PAIRS = 2**22
#: Numbers of the data that are read at a time for one row of distances.
ROW_BLOCK = 2**20
#: Names of the Euclidean metric.
EUCLIDEAN = ("euclidean", "l2", "minkowski")
#: For data that are not centered: a squared distance below this share of the norms is rounding.
ROUNDING = 1e-13


class Distances:
    """Squared dissimilarities of each row of ``X`` to each of ``others``.

    * X (n_samples, n_features): checked data (:func:`nbembed.data.matrix_input.check_data`); with
      ``metric="precomputed"`` the dissimilarities themselves, (n_samples, n_others).
    * others (n_others, n_features): ``X`` itself if None; not read with ``metric="precomputed"``.
    * scales: what :func:`scales_of` returned, where ``others`` are a part of the points that the
      metric has its scales from; by default the scales are those of ``others``.
    * partial: whether given dissimilarities that are sparse may lack pairs, which are then at
      infinity.
    * shape: (n_samples, n_others).
    * symmetric: whether d(a, b) = d(b, a) is certain.

    Raises ValueError if squares of the data under- or overflow, or sparse dissimilarities lack
    pairs.
    """

    def __init__(
        self,
        X: Any,
        metric: Metric,
        others: Any = None,
        *,
        name: str = "X",
        scales: Mapping[str, Any] | None = None,
        partial: bool = False,
    ) -> None:
        self.metric = metric
        self._name = name
        given = isinstance(metric, str) and metric == "precomputed"
        self._partial = partial and given and sparse.issparse(X)
        self._itself = others is None
        others = X if self._itself else others
        check_sparse(X, name)
        check_sparse(others, "others")
        if metric == "precomputed":
            if not partial:
                check_complete(X, name, itself=self._itself)
            _check_span(largest_magnitude(X), name, "dissimilarities")
            self.shape = X.shape
            self.symmetric = self._itself and _is_symmetric(X)
            self._rows: Callable[[slice], Any] = lambda here: np.square(
                dense_dissimilarities(X[here]), dtype=np.float64
            )
            return
        self.shape = X.shape[0], others.shape[0]
        self.symmetric = self._itself and not callable(metric)
        if not isinstance(metric, str) and hasattr(metric, "squared_rows"):
            self._rows = metric.squared_rows(X, None if self._itself else others)
        elif metric not in EUCLIDEAN:
            self._rows = _other_metric(X, others, metric, scales)
        elif sparse.issparse(X) or sparse.issparse(others):
            self._rows = _sparse_euclidean(X, others, name)
        else:
            self._rows = _euclidean(X, others, self._itself, name)

    def blocks(self) -> Iterator[tuple[slice, NDArray[np.float64]]]:
        """Yield rows of d² with their slice; the caller may change each block.

        The diagonal of a set with itself is zero, whatever the metric says.

        Raises ValueError if the metric gives a value that is not a number, infinite or negative.
        """
        for here in self.slices():
            yield here, self.block(here)

    def slices(self) -> list[slice]:
        """Return the slices of the rows of :meth:`blocks`."""
        n, m = self.shape
        rows = max(CHUNK, PAIRS // max(m, 1) // CHUNK * CHUNK)
        return [slice(first, min(first + rows, n)) for first in range(0, n, rows)]

    def block(self, here: slice) -> NDArray[np.float64]:
        """Return one block of :meth:`blocks`; those of a metric by name, in any thread."""
        with one_blas_thread():
            D2: NDArray[np.float64] = self._rows(here)
        if self._itself:
            own = np.arange(here.start, here.stop)
            D2[own - here.start, own] = 0
        if not (self._partial or np.isfinite(D2).all()):
            i, j = np.argwhere(~np.isfinite(D2))[0]
            raise ValueError(
                f"metric must give finite distances, but {shown(name_of(self.metric))} gives "
                f"{np.sqrt(D2[i, j])} between points {here.start + i} and {j} of {self._name}"
            )
        return D2

    def of_pairs(self) -> NDArray[np.float64]:
        """Return the distances (no squares) of all pairs i < j, or i ≠ j if the two may differ."""
        n = self.shape[0]
        pairs = np.empty(n * (n - 1) // (2 if self.symmetric else 1))
        at = 0
        measuring = stage("measuring distances", n)
        for here, D2 in self.blocks():
            measuring.advance(len(D2))
            for row, i in zip(D2, range(here.start, here.stop), strict=True):
                for part in (row[i + 1 :],) if self.symmetric else (row[:i], row[i + 1 :]):
                    np.sqrt(part, out=pairs[at : at + part.size])
                    at += part.size
        return pairs


def name_of(metric: Metric) -> str:
    if isinstance(metric, str):
        return metric
    return str(getattr(metric, "__name__", type(metric).__name__))


def check_span(X: Any, name: str = "X", others: Any = None) -> None:
    """Raise if squares of distances would over- or underflow.

    The distances are those between rows of ``X``, or from them to rows of ``others``, both dense.
    """
    if others is not None:
        _about_one_center(X, others, name)
    elif sparse.issparse(X):
        _check_span(largest_magnitude(X), name)
    else:
        _centered(np.asarray(X, dtype=np.float64), name)


def _centered(data: NDArray[np.float64], name: str) -> tuple[NDArray[Any], NDArray[Any]]:
    with np.errstate(over="ignore", invalid="ignore"):
        center = data.mean(axis=0)
        moved = data - center
    _check_span(largest_magnitude(moved), name)
    return moved, center


def _about_one_center(X: Any, others: Any, name: str) -> tuple[NDArray[Any], NDArray[Any]]:
    """Return the rows of X and of others about the mean of others."""
    b, center = _centered(np.asarray(others, dtype=np.float64), name)
    with np.errstate(over="ignore"):
        a = np.asarray(X, dtype=np.float64) - center
    _check_span(max(largest_magnitude(a), largest_magnitude(b)), name)
    return a, b


def _euclidean(
    X: Any, others: Any, itself: bool, name: str
) -> Callable[[slice], NDArray[np.float64]]:
    if itself:
        a = b = _centered(np.asarray(X, dtype=np.float64), name)[0]
    else:
        a, b = _about_one_center(X, others, name)
    return lambda here: squared_distances(a[here], b)


def largest_magnitude(values: Any) -> float:
    """Return the largest absolute value, without a copy."""
    stored = values.data if sparse.issparse(values) else values
    # As floats before the sign changes: bool has none, and −128 no opposite in int8.
    return max(float(stored.max(initial=0)), -float(stored.min(initial=0)))


def _check_span(span: float, name: str, what: str = "distances") -> None:
    if not (1e-140 < span < 1e140 or span == 0):
        raise ValueError(
            f"{name} must span between 1e-140 and 1e140, got {span:.3g}: squares of {what} would "
            f"overflow or underflow; rescale {name}"
        )


def _sparse_euclidean(X: Any, others: Any, name: str) -> Callable[[slice], NDArray[np.float64]]:
    # Centering would make sparse data dense; texts and counts start at zero anyway.
    a = sparse.csr_array(X, dtype=np.float64)
    b = sparse.csr_array(others, dtype=np.float64)
    _check_span(max(largest_magnitude(a), largest_magnitude(b)), name)
    norms_a, norms_b = (np.asarray(z.multiply(z).sum(axis=1)).ravel() for z in (a, b))
    bT = sparse.csr_array(b.T)

    def rows(here: slice) -> NDArray[np.float64]:
        both = norms_a[here, None] + norms_b
        D2 = both - 2 * (a[here] @ bT).toarray()
        D2[ROUNDING * both > D2] = 0
        return np.asarray(D2)

    return rows


def squared_row(
    X: Any, point: int, metric: Metric, scales: Mapping[str, Any]
) -> NDArray[np.float64]:
    """Return d² from one point to all points, in O(n) memory; infinite to itself.

    It is infinite, too, to points that sparse dissimilarities store none to.

    * X (n_samples, n_features): checked data; dissimilarities if ``metric`` is "precomputed".
    * scales: what :func:`scales_of` returns for the data: a block of them would have others.
    """
    n = X.shape[0]
    given = isinstance(metric, str) and metric == "precomputed"
    own = slice(point, point + 1)
    count = max(256, ROW_BLOCK // X.shape[1])
    squares = np.empty(n)
    for first in range(0, n, count):
        here = slice(first, min(first + count, n))
        part = (X[own, here], metric, X) if given else (X[own], metric, X[here])
        for _, D2 in Distances(*part, scales=scales, partial=True).blocks():
            squares[here] = D2[0]
    squares[point] = np.inf
    return squares


def scales_of(X: Any, metric: Metric) -> dict[str, Any]:
    """Return the scales that a metric takes from the data, as scikit-learn's options.

    "seuclidean" divides by the variance of each feature, "mahalanobis" by their covariance; other
    metrics have none. Raises ValueError if the data are sparse and the metric is one of these.
    """
    if metric not in ("seuclidean", "mahalanobis"):
        return {}
    if sparse.issparse(X):
        raise ValueError(f"metric must be one that applies to sparse data, got {shown(metric)}")
    if metric == "mahalanobis":
        return {"VI": np.linalg.pinv(np.atleast_2d(np.cov(X, rowvar=False)), hermitian=True)}
    variance = np.var(X, axis=0, ddof=1)
    # A constant feature adds nothing at any scale.
    return {"V": np.where(variance > 0, variance, 1.0).astype(np.float64)}


def _other_metric(
    X: Any, others: Any, metric: Metric, scales: Mapping[str, Any] | None
) -> Callable[[slice], NDArray[np.float64]]:
    from sklearn.metrics import pairwise_distances
    from sklearn.metrics.pairwise import PAIRWISE_BOOLEAN_FUNCTIONS

    options = scales_of(others, metric) if scales is None else scales
    if metric in PAIRWISE_BOOLEAN_FUNCTIONS and not sparse.issparse(X):
        X, others = X.astype(bool), others.astype(bool)
    if metric == "cosine":
        itself = X is others
        X = _of_moderate_length(X)
        others = X if itself else _of_moderate_length(others)

    def rows(here: slice) -> NDArray[np.float64]:
        try:
            d = pairwise_distances(X[here], others, metric=metric, **options)
        except (TypeError, ValueError) as error:
            raise ValueError(
                f"metric must be one that applies to this X, got {shown(name_of(metric))}: {error}"
            ) from error
        if (d < 0).any():
            raise ValueError(
                f"metric must give distances ≥ 0, but {shown(name_of(metric))} gives {d.min()}"
            )
        with np.errstate(over="ignore"):
            return np.asarray(np.square(d, dtype=np.float64))

    return rows


def _of_moderate_length(X: Any) -> Any:
    """Return rows divided by powers of two, so that their squares neither over- nor underflow.

    Directions stay as they are, to the bit.
    """
    if sparse.issparse(X):
        largest = np.maximum(X.max(axis=1).toarray(), -X.min(axis=1).toarray()).ravel()
        exponents = np.repeat(np.frexp(largest)[1], np.diff(X.indptr))
        return sparse.csr_array((np.ldexp(X.data, -exponents), X.indices, X.indptr), shape=X.shape)
    largest = np.maximum(X.max(axis=1), -X.min(axis=1))
    return np.ldexp(X, -np.frexp(largest)[1][:, None])


def fewest_stored(X: Any, metric: Metric) -> int | None:
    """Return the least number of other points that a point has a stored dissimilarity to.

    None where the dissimilarity of every pair is known: of data, dense matrices, and sparse ones
    that store all pairs. Raises ValueError if a point has none.
    """
    if not (isinstance(metric, str) and metric == "precomputed" and sparse.issparse(X)):
        return None
    counts = _stored(X, itself=True)
    fewest = int(counts.min())
    if fewest == 0:
        raise ValueError(
            'X must store at least one neighbor of each point with metric="precomputed", got '
            f"none for point {int(counts.argmin())}; pairs that are not stored are taken as far "
            "apart"
        )
    return fewest if fewest < X.shape[0] - 1 else None


def check_complete(
    X: Any,
    name: str = "X",
    *,
    itself: bool = True,
    instead: str = "a dense matrix holds all pairs",
) -> None:
    """Raise ValueError if sparse dissimilarities lack pairs; ``instead`` is what would do.

    With ``itself`` those of points to themselves may be missing.
    """
    if not sparse.issparse(X):
        return
    rows, columns = X.shape
    stored, pairs = int(_stored(X, itself).sum()), rows * (columns - itself)
    if stored < pairs:
        raise ValueError(
            f"{name} must hold the dissimilarities of all pairs here, got a sparse matrix that "
            f"stores {stored} of {pairs}: only methods that use nearest neighbors alone can take "
            f"pairs that are not stored as far apart; {instead}"
        )


def _stored(X: Any, itself: bool) -> NDArray[np.intp]:
    """Return the number of stored entries of each row, without the diagonal if ``itself``."""
    counts: NDArray[np.intp] = np.diff(X.indptr).astype(np.intp)
    if itself:
        rows = np.repeat(np.arange(X.shape[0]), counts)
        counts -= np.bincount(rows[X.indices == rows], minlength=X.shape[0])
    return counts


def dense_dissimilarities(block: Any) -> Any:
    """Return rows of given dissimilarities as an array; what is not stored is at infinity."""
    if not sparse.issparse(block):
        return block
    block = sparse.csr_array(block)
    full = np.full(block.shape, np.inf, block.dtype)
    full[np.repeat(np.arange(block.shape[0]), np.diff(block.indptr)), block.indices] = block.data
    return full


def _is_symmetric(d: Any) -> bool:
    if sparse.issparse(d):
        return bool((d != d.T).nnz == 0)
    return bool(np.array_equal(d, d.T))
