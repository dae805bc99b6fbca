"""New points on a fitted map: each by its own neighbors, the map held fixed.

A new point with neighbor probabilities p over the fitted points goes to where its own row of the
method's cost is least (:class:`RowCost`; the formulas are in :mod:`nbembed.kernels.placement`). It
does not matter what other points come along. q is normalized over the row: for SNE, Mbed's floor
and NeRV that is the method's own cost; HSSNE's Q is normalized over all pairs, but of the points of
a map with so many others each has about the same share of that sum, and so its row stands for it
(openTSNE's ``transform`` does so too). Attraction is exaggerated by μ = 0.001, which keeps a point
whose neighbors all lie on the rim from leaving the map.

SNE's row is convex: there is one place, and the mean of the neighbors leads to it. Others may have
several minima. There the mean and the median of the neighbors, weighted by p, and the three nearest
themselves are tried, and the best leads down.

Mbed's margin and balance are means over points, in which one more point has a share of 1/n; they
are left out. So are labels and links: nothing is known of a new point but where its neighbors are.
"""

from __future__ import annotations

import hashlib
from collections.abc import Iterator
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

import numpy as np
from scipy import sparse

from nbembed.distances import Distances
from nbembed.kernels.calibration import calibrate, normalize
from nbembed.kernels.custom_similarity import loops
from nbembed.kernels.placement import descend
from nbembed.kernels.threads import resolve_threads
from nbembed.objectives.similarity import Similarity

if TYPE_CHECKING:
    from numpy.typing import NDArray

#: Share μ by which attraction is exaggerated.
TETHER = 1e-3
#: The most probable neighbors whose own places are tried as starts.
NEAREST = 3


@dataclass(frozen=True)
class RowCost:
    """What a new point minimises: t KL(p‖q) + (1 − t) KL(q‖p), q ∝ (1 + αwτ)^(−1/α).

    Attributes
    ----------
    alpha : float or Similarity
        Heaviness of the tails of q; 0 is exp(−wτ). Or another q ∝ H(wτ).
    tradeoff : float
        t in [0, 1]; 1 is the divergence of SNE and HSSNE.
    precision : float or None
        w, the same for all points; None takes each point's own, the β of its row p (NeRV with a
        width for each point).
    unit : float
        Each point's own w is β / unit: the map's unit of length is not that of the data.
    """

    alpha: float | Similarity = 0.0
    tradeoff: float = 1.0
    precision: float | None = 1.0
    unit: float = 1.0

    @property
    def convex(self) -> bool:
        """Whether a row has one minimum only."""
        return self.alpha == 0 and self.tradeoff == 1


@dataclass(frozen=True)
class Rows:
    """Neighbor probabilities of some new points over the fitted ones, shape (n_new, n_samples)."""

    P: NDArray[np.float64]
    log_P: NDArray[np.float64] | None
    beta: NDArray[np.float64]


class FittedData:
    """The data of a fit, which new points are compared with; dissimilarities are not kept.

    Parameters
    ----------
    X : ndarray or csr_array
        Checked data that nobody else writes to.
    metric : str or callable or LearningMetric
        What distances to them are measured with.
    """

    def __init__(self, X: Any, metric: Any) -> None:
        self.metric = metric
        self.X = None if self._given else X
        self._digests = _digests(X, square=True) if self._given else None

    @property
    def _given(self) -> bool:
        return isinstance(self.metric, str) and self.metric == "precomputed"

    def find(self, X: Any) -> NDArray[np.intp]:
        """Return which fitted point each row of ``X`` is, value for value; −1 for new points.

        Among fitted points that are alike it is the one in the same row, or else the first.
        """
        if self._digests is None:
            self._digests = _digests(self.X)
        known: dict[bytes, int] = {}
        for i, digest in enumerate(self._digests):
            known.setdefault(digest, i)
        n = len(self._digests)
        asked = _digests(X, square=self._given and X.shape == (n, n))
        return np.array(
            [
                i if i < n and digest == self._digests[i] else known.get(digest, -1)
                for i, digest in enumerate(asked)
            ],
            dtype=np.intp,
        )

    def rows(
        self,
        X: Any,
        *,
        sigma: float | None = None,
        perplexity: float | None = None,
        logs: bool = False,
        n_jobs: int | None = None,
    ) -> Iterator[tuple[slice, Rows]]:
        """Yield the neighbor probabilities of new points, a block at a time.

        Parameters
        ----------
        X : ndarray or csr_array of shape (n_new, n_features)
            Or the dissimilarities to the fitted points, (n_new, n_samples), where those were given.
        sigma : float or None
            The one width of global affinities, if that is what the map was made from.
        perplexity : float or None
            Else what each row is calibrated to.
        logs : bool, default=False
            Whether ``log_P`` is wanted: exact also where p underflows.
        n_jobs : int, optional

        Raises
        ------
        ValueError
            If a given dissimilarity is negative.
        """
        if self._given:
            _refuse_negative(X)
        distances = Distances(X, self.metric, X if self._given else self.X)
        n_threads = resolve_threads(n_jobs)
        for here, D2 in distances.blocks():
            nobody = np.full(D2.shape[0], -1)
            P = np.empty(D2.shape)
            if sigma is not None:
                beta = np.full(D2.shape[0], 0.5 / sigma**2)
                normalize(D2, nobody, 0.5 / sigma**2, n_threads, P)
            else:
                beta = calibrate(D2, nobody, float(perplexity or 1), n_threads, P).beta
            log_P = None
            if logs:
                D2 -= D2.min(axis=1, keepdims=True)
                D2 *= -beta[:, None]
                D2 -= np.log(np.exp(D2).sum(axis=1, keepdims=True))
                log_P = D2
            yield here, Rows(P, log_P, beta)


def place(
    rows: Rows, Y: NDArray[Any], cost: RowCost, n_jobs: int | None = None
) -> NDArray[np.float64]:
    """Return the places of new points.

    Parameters
    ----------
    rows : Rows
        Over the fitted points; ``log_P`` is read with ``cost.tradeoff`` < 1 only.
    Y : ndarray of shape (n_samples, n_components)
        The fitted map.
    cost : RowCost
    n_jobs : int, optional
        Threads; the result does not depend on it.

    Returns
    -------
    ndarray of shape (n_new, n_components)

    Notes
    -----
    O(n_new · n_samples · n_components) time a step, some fifteen steps.
    """
    Y = np.asarray(Y, dtype=np.float64)
    center = Y.mean(axis=0)
    Y = Y - center
    size = float(np.sqrt(np.mean(np.var(Y, axis=0)))) or 1.0
    w = rows.beta / cost.unit
    if cost.precision is not None:
        w = np.full(len(rows.P), float(cost.precision))
    own, alpha, terms = cost.alpha, 1.0, None
    if isinstance(own, Similarity):
        terms = loops(own.H, own.score).terms
    else:
        alpha = own
    places, _ = descend(
        Y.T, rows.P, rows.log_P, w, alpha, cost.tradeoff, TETHER,
        starts(rows.P, Y, cost), size, resolve_threads(n_jobs), terms,
    )  # fmt: skip
    return np.asarray(places + center)


def starts(P: NDArray[Any], Y: NDArray[Any], cost: RowCost) -> NDArray[np.float64]:
    """Return where to begin, shape (n_new, n_starts, n_components); see the module."""
    mean = P @ Y
    if cost.convex:
        return np.asarray(mean[:, None])
    median = np.empty_like(mean)
    for k in range(Y.shape[1]):
        order = np.argsort(Y[:, k], kind="stable")
        half = np.cumsum(P[:, order], axis=1) >= 0.5
        median[:, k] = Y[order[half.argmax(axis=1)], k]
    count = min(NEAREST, P.shape[1])
    nearest = np.argpartition(P, P.shape[1] - count, axis=1)[:, -count:]
    # Sorted, so that it does not hang on the order in which a partition leaves them.
    nearest.sort(axis=1)
    return np.concatenate([mean[:, None], median[:, None], Y[nearest]], axis=1)


def _refuse_negative(X: Any) -> None:
    values = X.data if sparse.issparse(X) else X
    if values.size and values.min() < 0:
        raise ValueError(
            'X must be non-negative with metric="precomputed", got a dissimilarity of '
            f"{values.min()}"
        )


def _digests(X: Any, *, square: bool = False) -> list[bytes]:
    """Return a digest of each row, whatever its type; ``square`` leaves the diagonal out."""
    if sparse.issparse(X):
        X = sparse.csr_array(X, dtype=np.float64, copy=True)
        X.sum_duplicates()
        X.eliminate_zeros()
    found = []
    for i in range(X.shape[0]):
        if sparse.issparse(X):
            own = slice(X.indptr[i], X.indptr[i + 1])
            where, row = X.indices[own].astype(np.int64), X.data[own]
            if square:
                where, row = where[where != i], row[where != i]
            content = where.tobytes() + row.tobytes()
        else:
            row = X[i].astype(np.float64) + 0.0  # one zero, without a sign
            if square:
                row[i] = 0.0
            content = row.tobytes()
        found.append(hashlib.blake2b(content, digest_size=16).digest())
    return found
