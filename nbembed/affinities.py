"""Affinities: from data, dissimilarities or a graph to neighbor probabilities.

Row form, each point's own view of its neighbors: ``p_{j|i} ∝ exp(−β_i d_ij²)``, β_i such that the
row's entropy is ``log(perplexity)`` ("Stochastic Neighbor Embedding"; NeRV's effective number of
neighbors is this perplexity), or one width for all, ``β = 1/(2σ²)`` with σ the 1/K quantile of all
pairwise distances (Mbed, "Large Margin Non-Linear Embedding", section 7). The paper leaves open
whether it divides by σ² or 2σ²; 2σ² gives the better figures.

Joint form, one distribution over pairs: ``P = (p_{j|i} + p_{i|j}) / 2n``, which sums to one (SSNE,
t-SNE, HSSNE).
"""

from __future__ import annotations

import warnings
from dataclasses import dataclass, field, replace
from functools import cached_property
from typing import TYPE_CHECKING, Any, Literal

import numpy as np
from scipy import sparse

from nbembed.distances import Distances, Metric, name_of
from nbembed.kernels.calibration import calibrate, normalize
from nbembed.kernels.threads import resolve_threads
from nbembed.validation import (
    auto_perplexity,
    check_choice,
    check_count,
    check_data,
    check_float_type,
    check_perplexity,
    matrix_of,
)

if TYPE_CHECKING:
    from numpy.typing import ArrayLike, DTypeLike, NDArray

Kind = Literal["row", "joint"]

__all__ = [
    "Affinities",
    "auto_perplexity",
    "global_affinities",
    "perplexity_affinities",
]

#: How far the sums of ready-made probabilities may be from one.
TOLERANCE = 1e-4
#: Below so many points threads cost more than they bring.
FEW = 500


@dataclass(frozen=True, eq=False)
class Affinities:
    """Neighbor probabilities and what they were made from; a value, its arrays read only.

    Made by the functions here, and by :meth:`from_probabilities`, which checks what it is given.

    Attributes
    ----------
    P : ndarray or csr_array of shape (n_samples, n_samples), float32 or float64
        Zero diagonal. Each row sums to one (``kind="row"``), or symmetric and all of it sums to one
        (``kind="joint"``).
    kind : {"row", "joint"}
    beta : ndarray of shape (n_samples,) or None
        Precisions β_i, one over squared units of the metric; None for probabilities given ready.
    perplexity : float or None
        What the rows were calibrated to, if they were.
    sigma : float or None
        The one width, in units of the metric, if there is one.
    metric : str
        The metric's name; "given" for probabilities that came ready made.
    """

    P: Any
    kind: Kind
    beta: NDArray[np.float64] | None = None
    perplexity: float | None = None
    sigma: float | None = None
    metric: str = "given"
    #: Data and metric, from which logarithms of what underflows are found when they are asked for.
    _source: tuple[Any, Metric] | None = field(default=None, repr=False)

    def __post_init__(self) -> None:
        check_choice("kind", self.kind, ("row", "joint"))
        P = self.P
        parts = (P.data, P.indices, P.indptr) if sparse.issparse(P) else (P,)
        for array in (*parts, self.beta):
            if isinstance(array, np.ndarray):
                array.flags.writeable = False

    @classmethod
    def from_probabilities(cls, P: Any, kind: Kind = "row") -> Affinities:
        """Return ready-made probabilities as affinities.

        Parameters
        ----------
        P : array-like or sparse matrix of shape (n_samples, n_samples)
            Non-negative with zero diagonal. Copied, and otherwise kept as it is.
        kind : {"row", "joint"}

        Raises
        ------
        ValueError
            If it is not square, finite, non-negative, or its sums are not one (within 1e-4), or it
            is not symmetric with ``kind="joint"``.
        """
        check_choice("kind", kind, ("row", "joint"))
        data = check_data(P, name="P")
        n = data.shape[0]
        if data.shape != (n, n):
            raise ValueError(f"P must be square, got shape {data.shape}")
        if sparse.issparse(data):
            data = sparse.csr_array(data, copy=True)
            data.sum_duplicates()
            data.eliminate_zeros()
        else:
            data = np.array(data)
        values: Any = data.data if sparse.issparse(data) else data
        if values.size and values.min() < 0:
            raise ValueError(f"P must be non-negative, got {values.min()}")
        if np.any(data.diagonal() != 0):
            raise ValueError("P must have a zero diagonal: no point is its own neighbor")
        sums = np.asarray(data.sum(axis=1, dtype=np.float64)).ravel()
        if kind == "row" and np.abs(sums - 1).max() > TOLERANCE:
            i = int(np.abs(sums - 1).argmax())
            raise ValueError(f"each row of P must sum to one, got {sums[i]:.6g} in row {i}")
        if kind == "joint":
            if abs(sums.sum() - 1) > TOLERANCE:
                raise ValueError(f"P must sum to one, got {sums.sum():.6g}")
            gap = abs(data - data.T).max()
            if gap > TOLERANCE * values.max():
                raise ValueError(f"P must be symmetric, got |P − Pᵀ| up to {gap:.3g}")
        return cls(data, kind)

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
    def scale(self) -> Literal["perplexity", "global", "given"]:
        """What decided the widths: a perplexity for each row, one width for all, or the user."""
        if self.perplexity is not None:
            return "perplexity"
        return "given" if self.sigma is None else "global"

    def rows(self) -> Affinities:
        """Return the row form: itself, or what a joint form was made from.

        Ready-made joint probabilities become rows by ``p_{j|i} = P_ij / Σ_j P_ij``.

        Raises
        ------
        ValueError
            If a point of a ready-made joint form has no neighbor.
        """
        if self.kind == "row":
            return self
        if self._source is not None:
            P = np.exp(self._log_rows())
            P[np.finfo(self.dtype).tiny > P] = 0
            return replace(self, P=P, kind="row")
        sums = np.asarray(self.P.sum(axis=1), dtype=np.float64).ravel()
        if (sums <= 0).any():
            i = int(np.flatnonzero(sums <= 0)[0])
            raise ValueError(f"P has no neighbor for point {i}, so its row cannot be normalized")
        share = (1 / sums).astype(self.dtype)
        if sparse.issparse(self.P):
            return replace(self, P=sparse.csr_array(sparse.diags_array(share) @ self.P), kind="row")
        return replace(self, P=self.P * share[:, None], kind="row")

    def joint(self) -> Affinities:
        """Return the joint form ``(p_{j|i} + p_{i|j}) / 2n``, or itself."""
        return self if self.kind == "joint" else self._joint

    @cached_property
    def _joint(self) -> Affinities:
        half = self.dtype.type(0.5 / self.n_samples)
        if sparse.issparse(self.P):
            P = sparse.csr_array((self.P + self.P.T) * half)
        else:
            P = self.P + self.P.T
            P *= half
        return replace(self, P=P, kind="joint")

    @cached_property
    def entropy(self) -> float:
        """Σ p log p over all entries, in nats: minus the entropy, if one is strict."""
        values = self.P.data if sparse.issparse(self.P) else self.P.ravel()
        total = 0.0
        for part in np.array_split(values, max(1, values.size // 1_000_000)):
            p = part[part > 0].astype(np.float64)
            total += float(p @ np.log(p))
        return total

    @cached_property
    def log_P(self) -> Any:
        """Log P; −inf on the diagonal. Dense, or CSR on P's own pattern.

        Made from the distances where P was, so that it is exact also where p underflows to zero.
        """
        if self._source is not None:
            logs = self._log_rows()
            if self.kind == "joint":
                logs = np.logaddexp(logs, logs.T)
                logs -= np.log(2 * self.n_samples)
        elif sparse.issparse(self.P):
            logs = self.P.copy()
            logs.data = np.log(self.P.data)
            logs.data.flags.writeable = False
            return logs
        else:
            with np.errstate(divide="ignore"):
                logs = np.log(self.P)
        logs.flags.writeable = False
        return logs

    def _log_rows(self) -> NDArray[Any]:
        """Return log p_{j|i} from the distances."""
        assert self._source is not None
        assert self.beta is not None
        logs = np.empty((self.n_samples, self.n_samples), self.dtype)
        for here, D2 in Distances(*self._source).blocks():
            own = np.arange(here.start, here.stop)
            D2[own - here.start, own] = np.inf
            D2 -= D2.min(axis=1, keepdims=True)
            D2 *= -self.beta[here, None]
            D2 -= np.log(np.exp(D2).sum(axis=1, keepdims=True))
            logs[here] = D2
        return logs


def perplexity_affinities(
    X: ArrayLike,
    perplexity: float | Literal["auto"] = "auto",
    metric: Metric = "euclidean",
    *,
    dtype: DTypeLike = np.float32,
    n_jobs: int | None = None,
) -> Affinities:
    """Return row-stochastic affinities, each row of the same perplexity.

    Parameters
    ----------
    X : array-like or sparse matrix of shape (n_samples, n_features)
        With ``metric="precomputed"`` dissimilarities (n_samples, n_samples), which need be neither
        metric nor symmetric; row i is what i sees.
    perplexity : float or "auto", default="auto"
        In [1, n_samples − 1]; "auto" is min(30, (n_samples − 1)/3), at least 1.
    metric : str or callable, default="euclidean"
        A name that scikit-learn or SciPy knows, or a function of two points.
    dtype : float32 or float64
        Of P.
    n_jobs : int, optional
        Threads; None is all cores. The result does not depend on it.

    Returns
    -------
    Affinities
        Of the row kind; ``joint()`` gives the other.

    Warns
    -----
    UserWarning
        Once, if more than ``perplexity`` points tie for the nearest of some point, as duplicates at
        distance zero do: its row is then uniform over them, for no width has so small a perplexity.

    Raises
    ------
    ValueError
        Naming the argument that is wrong and what is allowed.

    Notes
    -----
    O(n² n_features) time; besides P a block of distances (tens of megabytes) is held.
    """
    data = check_data(X, metric)
    n = data.shape[0]
    perplexity = check_perplexity(perplexity, n)
    P = np.empty((n, n), check_float_type(dtype))
    beta, tied = np.empty(n), np.empty(n, np.int64)
    n_threads = _threads(n, n_jobs)
    for here, D2 in Distances(data, metric).blocks():
        skip = np.arange(here.start, here.stop)
        _, beta[here], tied[here] = calibrate(D2, skip, perplexity, n_threads, P[here])
    crowded = np.count_nonzero(tied > perplexity)
    if crowded:
        warnings.warn(
            f"{crowded} of {n} points have more than perplexity = {perplexity:g} others tied for "
            "nearest, as duplicates at distance zero are; their rows are uniform over those",
            stacklevel=2,
        )
    source = _kept(X, data), metric
    return Affinities(P, "row", beta, perplexity, None, name_of(metric), source)


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
    """
    n_classes = check_count("n_classes", n_classes, low=2)
    data = check_data(X, metric)
    n = data.shape[0]
    P = np.empty((n, n), check_float_type(dtype))
    distances = Distances(data, metric)
    pairs = distances.of_pairs()
    sigma = float(np.quantile(pairs, 1 / n_classes, overwrite_input=True))
    if sigma == 0:
        apart = pairs[pairs > 0]
        sigma = float(apart.min()) if apart.size else 1.0
        if apart.size:
            warnings.warn(
                f"more than one in {n_classes} pairs of points coincide; the width is the smallest "
                f"distance above zero, {sigma:.4g}, not the 1/{n_classes} quantile",
                stacklevel=2,
            )
    del pairs
    beta = 0.5 / sigma**2
    for here, D2 in distances.blocks():
        skip = np.arange(here.start, here.stop)
        normalize(D2, skip, beta, _threads(n, n_jobs), P[here])
    source = _kept(X, data), metric
    return Affinities(P, "row", np.full(n, beta), None, sigma, name_of(metric), source)


def _threads(n: int, n_jobs: int | None) -> int:
    n_threads = resolve_threads(n_jobs)
    return n_threads if n > FEW else 1


def _kept(X: Any, data: Any) -> Any:
    """Return checked data as they are now, whatever becomes of the caller's array."""
    if sparse.issparse(data):
        return data.copy() if data is matrix_of(X) else data
    if not (data.flags.writeable and np.may_share_memory(data, np.asarray(matrix_of(X)))):
        return data
    return data.copy()
