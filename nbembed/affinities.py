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
from collections.abc import Callable
from dataclasses import dataclass, replace
from functools import cached_property
from typing import TYPE_CHECKING, Any, Literal

import numpy as np
from scipy import sparse

from nbembed.kernels.calibration import calibrate
from nbembed.kernels.threads import resolve_threads
from nbembed.validation import (
    auto_perplexity,
    check_choice,
    check_count,
    check_data,
    check_perplexity,
)

if TYPE_CHECKING:
    from numpy.typing import ArrayLike, DTypeLike, NDArray

Kind = Literal["row", "joint"]
Metric = str | Callable[..., float]

__all__ = ["Affinities", "auto_perplexity", "global_affinities", "perplexity_affinities"]


@dataclass(frozen=True, eq=False)
class Affinities:
    """Neighbor probabilities and what they were made from; a value, its arrays read only.

    Attributes
    ----------
    P : ndarray or csr_array of shape (n_samples, n_samples), float32 or float64
        Zero diagonal. Each row sums to one (``kind="row"``), or symmetric and all of it sums to one
        (``kind="joint"``).
    kind : {"row", "joint"}
    beta : ndarray of shape (n_samples,) or None
        Precisions β_i, one over squared units of the metric.
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

    def __post_init__(self) -> None:
        for array in (self.P.data if sparse.issparse(self.P) else self.P, self.beta):
            if isinstance(array, np.ndarray):
                array.flags.writeable = False

    @classmethod
    def from_probabilities(cls, P: Any, kind: Kind = "row") -> Affinities:
        """Return ready-made probabilities as affinities.

        Parameters
        ----------
        P : array-like or sparse matrix of shape (n_samples, n_samples)
            Non-negative with zero diagonal. Copied; normalised to what ``kind`` asks for only where
            rounding left it off.
        kind : {"row", "joint"}

        Raises
        ------
        ValueError
            If it is not square, finite, non-negative, or its sums are not one (within 1e-3), or it
            is not symmetric with ``kind="joint"``.
        """
        check_choice("kind", kind, ("row", "joint"))
        data = check_data(P)
        n = data.shape[0]
        if data.shape != (n, n):
            raise ValueError(f"P must be square, got shape {data.shape}")
        data = sparse.csr_array(data, copy=True) if sparse.issparse(data) else np.array(data)
        values: Any = data.data if sparse.issparse(data) else data
        if values.size and values.min() < 0:
            raise ValueError(f"P must be non-negative, got {values.min()}")
        if np.any(data.diagonal() != 0):
            raise ValueError("P must have a zero diagonal: no point is its own neighbor")
        sums = np.asarray(data.sum(axis=1), dtype=np.float64).ravel()
        if kind == "row" and np.abs(sums - 1).max() > 1e-3:
            i = int(np.abs(sums - 1).argmax())
            raise ValueError(f"each row of P must sum to one, got {sums[i]:.6g} in row {i}")
        if kind == "joint":
            if abs(sums.sum() - 1) > 1e-3:
                raise ValueError(f"P must sum to one, got {sums.sum():.6g}")
            gap = abs(data - data.T).max()
            if gap > 1e-5 * values.max():
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

    def rows(self) -> Affinities:
        """Return the row form: itself, or of a joint form the rows renormalised."""
        if self.kind == "row":
            return self
        sums = np.asarray(self.P.sum(axis=1), dtype=np.float64).ravel()
        if (sums <= 0).any():
            i = int(np.flatnonzero(sums <= 0)[0])
            raise ValueError(f"P has no neighbor for point {i}, so its row cannot be normalised")
        scale = (1 / sums).astype(self.dtype)
        P = (
            sparse.csr_array(sparse.diags_array(scale) @ self.P)
            if sparse.issparse(self.P)
            else None
        )
        return replace(self, P=self.P * scale[:, None] if P is None else P, kind="row")

    def joint(self) -> Affinities:
        """Return the joint form ``(p_{j|i} + p_{i|j}) / 2n``, or itself."""
        return self if self.kind == "joint" else self._joint

    @cached_property
    def _joint(self) -> Affinities:
        half = self.dtype.type(0.5 / self.n_samples)
        P = (self.P + self.P.T) * half
        return replace(self, P=sparse.csr_array(P) if sparse.issparse(P) else P, kind="joint")

    @cached_property
    def entropy(self) -> float:
        """Σ p log p over all entries, in nats (minus the entropy, if one is strict)."""
        values = self.P.data if sparse.issparse(self.P) else self.P.ravel()
        total = 0.0
        for part in np.array_split(values, max(1, values.size // 1_000_000)):
            p = part[part > 0].astype(np.float64)
            total += float(p @ np.log(p))
        return total

    @cached_property
    def log_P(self) -> Any:
        """Log P, −inf off the graph and on the diagonal; dense, or CSR on P's own pattern."""
        with np.errstate(divide="ignore"):
            if sparse.issparse(self.P):
                logs = self.P.copy()
                logs.data = np.log(self.P.data)
                return logs
            return np.log(self.P)


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
        In [1, n_samples − 1]; "auto" is min(30, (n_samples − 1)/3).
    metric : str or callable, default="euclidean"
        Whatever ``sklearn.metrics.pairwise_distances`` takes.
    dtype : float32 or float64
        Of P.
    n_jobs : int, optional
        Threads of the calibration.

    Warns
    -----
    UserWarning
        Once, if more than ``perplexity`` points lie at distance zero of some point: its row is then
        uniform over them, for no width gives a smaller perplexity.

    Raises
    ------
    ValueError
        Naming the argument that is wrong and what is allowed.
    """
    data = check_data(X, metric)
    n = data.shape[0]
    perplexity = check_perplexity(perplexity, n)
    n_threads = resolve_threads(n_jobs) if n > 500 else 1
    D2 = squared_dissimilarities(data, metric, dtype)
    zeros = (D2 == 0).sum(axis=1) - 1  # the diagonal is zero itself
    crowded = np.flatnonzero(zeros > perplexity)
    skip = np.arange(n, dtype=np.int64)
    P, beta = calibrate(D2, skip, perplexity, n_threads)
    if crowded.size:
        warnings.warn(
            f"{crowded.size} points have more than perplexity = {perplexity:g} others at distance "
            "zero; their neighborhoods are uniform over those",
            stacklevel=2,
        )
        for i in crowded:
            same = D2[i] == 0
            same[i] = False
            P[i] = same / same.sum()
            others = D2[i][D2[i] > 0]
            # A width that is finite and keeps everything else out: e⁻⁴⁰ at the nearest.
            beta[i] = 40 / float(others.min()) if others.size else 1.0
    return Affinities(P, "row", beta, perplexity, None, _name(metric))


def global_affinities(
    X: ArrayLike,
    n_classes: int,
    metric: Metric = "euclidean",
    *,
    dtype: DTypeLike = np.float32,
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

    Warns
    -----
    UserWarning
        If so many points coincide that the quantile is zero: the smallest distance above zero is
        used in its place.
    """
    n_classes = check_count("n_classes", n_classes, low=2)
    data = check_data(X, metric)
    n = data.shape[0]
    D2 = squared_dissimilarities(data, metric, dtype)
    pairs = D2[~np.eye(n, dtype=bool)]
    sigma = float(np.sqrt(np.float64(np.quantile(pairs, 1 / n_classes))))
    if sigma == 0:
        apart = pairs[pairs > 0]
        sigma = float(np.sqrt(np.float64(apart.min()))) if apart.size else 1.0
        if apart.size:
            warnings.warn(
                f"more than one in {n_classes} pairs of points coincide; the width is the smallest "
                f"distance above zero, {sigma:.4g}, not the 1/{n_classes} quantile",
                stacklevel=2,
            )
    beta = 0.5 / sigma**2
    np.fill_diagonal(D2, np.inf)
    D2 -= D2.min(axis=1, keepdims=True)  # a far outlier's row must not underflow to nothing
    D2 *= -beta
    P = np.exp(D2, out=D2)
    P /= P.sum(axis=1, dtype=np.float64, keepdims=True).astype(P.dtype)
    return Affinities(P, "row", np.full(n, beta), None, sigma, _name(metric))


def squared_dissimilarities(data: Any, metric: Metric, dtype: DTypeLike) -> NDArray[Any]:
    """Return d² of all pairs, a fresh (n, n) array of ``dtype`` with a zero diagonal.

    Euclidean distances are computed in float64 from centered data: far from the origin the squares
    would cancel away everything that matters. Rows that are equal are at distance zero exactly.
    """
    from sklearn.metrics import pairwise_distances
    from sklearn.metrics.pairwise import euclidean_distances

    if np.dtype(dtype) not in (np.dtype(np.float32), np.dtype(np.float64)):
        raise ValueError(f"dtype must be float32 or float64, got {dtype!r}")
    if isinstance(metric, str) and metric == "precomputed":
        d = data.toarray() if sparse.issparse(data) else data
        D2 = np.square(d, dtype=np.float64)
    elif isinstance(metric, str) and metric == "euclidean":
        x = data.astype(np.float64)
        if not sparse.issparse(x):
            x = x - x.mean(axis=0)
        D2 = euclidean_distances(x, squared=True)
        _mend_near_zero(D2, x)
    else:
        try:
            D2 = np.square(pairwise_distances(data, metric=metric), dtype=np.float64)
        except ValueError as error:
            raise ValueError(
                f"metric must be one that scikit-learn knows or a callable, got {metric!r}: {error}"
            ) from error
        if not np.isfinite(D2).all():
            raise ValueError(
                f"metric {_name(metric)!r} gives distances that are not finite for this X "
                "(a row of zeros has no direction, for one)"
            )
    scale = float(D2.max())
    if scale > 1e30:
        # Affinities do not change when all distances are scaled; float32 ends at 3e38.
        raise ValueError(f"X must have distances below 1e15, got {np.sqrt(scale):.3g}; rescale it")
    D2 = np.ascontiguousarray(D2, dtype=dtype)
    np.fill_diagonal(D2, 0)
    return D2


def _mend_near_zero(D2: NDArray[np.float64], x: Any) -> None:
    """Recompute by differences the few squares that the expanded formula got by cancellation."""
    norms = (
        np.asarray(x.multiply(x).sum(axis=1)).ravel()
        if sparse.issparse(x)
        else np.einsum("ij,ij->i", x, x)
    )
    if D2.shape[0] == 0:
        return
    near = np.argwhere(1e-9 * np.maximum(norms[:, None], norms[None, :]) >= D2)
    near = near[near[:, 0] < near[:, 1]]
    for part in np.array_split(near, max(1, near.shape[0] // 4096)):
        difference = x[part[:, 0]] - x[part[:, 1]]
        if sparse.issparse(difference):
            exact = np.asarray(difference.multiply(difference).sum(axis=1)).ravel()
        else:
            exact = np.einsum("ij,ij->i", difference, difference)
        D2[part[:, 0], part[:, 1]] = exact
        D2[part[:, 1], part[:, 0]] = exact


def _name(metric: Metric) -> str:
    return metric if isinstance(metric, str) else getattr(metric, "__name__", "callable")
