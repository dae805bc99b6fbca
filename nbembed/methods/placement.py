"""New points on a fitted map: each by its own neighbors, the map held fixed.

A new point with neighbor probabilities p over the fitted points is placed where its own row of the
method's cost is least (:class:`RowCost`; the formulas are in :mod:`nbembed.kernels.placement`),
independently of other new points. q is normalized over the row: for SNE, Mbed's SNE term and NeRV
that is the method's own cost; HSSNE's Q is normalized over all pairs, but each of the many points
of a map contributes about the same share of that sum, so the row is a good approximation
(openTSNE's ``transform`` uses it too). Attraction is exaggerated by μ = 0.001, which keeps a point
whose neighbors all lie on the rim from leaving the map.

SNE's row is convex: its one minimum is found from the mean of the neighbors. Others may have
several minima. There the mean and the median of the neighbors, weighted by p, and the three nearest
neighbors are tried, and the descent begins at the best of them.

Mbed's margin and balance are means over points, to which one more point contributes a share of 1/n;
they are left out. So are labels and links: of a new point only the neighbors are known.

The descent is no :class:`~nbembed.run.Run`: the points are independent, each stops by itself, and
all of them descend in one compiled loop (:func:`nbembed.kernels.placement.descend`).
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import NDArray
from scipy import sparse

from nbembed.affinities.rows import calibrated_rows
from nbembed.data.distances import PAIRS, Distances
from nbembed.data.fitted_rows import FittedRows
from nbembed.data.matrix_input import check_non_negative
from nbembed.kernels.calibration import calibrate, normalize
from nbembed.kernels.custom_similarity import loops
from nbembed.kernels.inner_product import rms_radius
from nbembed.kernels.placement import descend
from nbembed.kernels.threads import resolve_threads
from nbembed.neighbors import nearest_given
from nbembed.objectives.similarity import Similarity

#: Share μ by which attraction is exaggerated.
TETHER = 1e-3
#: Number of the most probable neighbors whose places are tried as first positions.
NEAREST = 3


@dataclass(frozen=True)
class RowCost:
    """The cost of a new point: t KL(p‖q) + (1 − t) KL(q‖p), q ∝ (1 + αwτ)^(−1/α).

    * alpha: heaviness of the tails of q; 0 is exp(−wτ). Or another q ∝ H(wτ).
    * tradeoff: t in [0, 1]; 1 is the divergence of SNE and HSSNE.
    * precision: w, the same for all points; None takes each point's own, the β of its row p (NeRV
      with a width for each point).
    * unit: each point's own w is β / unit: the map's unit of length is not that of the data.
    """

    alpha: float | Similarity = 0.0
    tradeoff: float = 1.0
    precision: float | None = 1.0
    unit: float = 1.0

    @property
    def convex(self) -> bool:
        """True if a row has one minimum only."""
        return self.alpha == 0 and self.tradeoff == 1


@dataclass(frozen=True)
class Rows:
    """Neighbor probabilities of some new points over the fitted ones, shape (n_new, n_samples)."""

    P: NDArray[np.float64]
    log_P: NDArray[np.float64] | None
    beta: NDArray[np.float64]


class FittedData:
    """The data of a fit, with which new points are compared; dissimilarities are not kept.

    ``X`` are checked data that nothing else writes to.
    """

    def __init__(self, X: Any, metric: Any) -> None:
        self.metric = metric
        self.X = None if self._given else X
        self._rows = FittedRows(X, distances=True) if self._given else None
        #: A map, its cost and its potential (:mod:`nbembed.methods.field_placement`), once needed.
        self.field: Any = None

    @property
    def _given(self) -> bool:
        return isinstance(self.metric, str) and self.metric == "precomputed"

    def find(self, X: Any) -> NDArray[np.intp]:
        """Return the fitted point equal to each row of ``X``; see :meth:`FittedRows.find`."""
        if self._rows is None:
            self._rows = FittedRows(self.X)
        return self._rows.find(X)

    def check_given(self, X: Any) -> None:
        """Raise ValueError if given dissimilarities are negative, or their squares are lost."""
        if self._given:
            check_non_negative(X)
            Distances(X, self.metric, X, partial=True)

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

        ``X`` are new points (n_new, n_features), or their dissimilarities (n_new, n_samples) to
        the fitted points where those were given. ``sigma`` is the one width of global affinities,
        if the map was made from those; else each row is calibrated to ``perplexity``. With
        ``logs``, ``log_P`` is exact also where p underflows.

        Raises ValueError if a given dissimilarity is negative, or sparse ones lack pairs that the
        cost needs.
        """
        if self._given:
            check_non_negative(X)
        if self._given and sparse.issparse(X) and not logs and sigma is None:
            yield from self._rows_of_stored(X, float(perplexity or 1), n_jobs)
            return
        distances = Distances(X, self.metric, X if self._given else self.X)
        n_threads = resolve_threads(n_jobs)
        for here, D2 in distances.blocks():
            no_self = np.full(D2.shape[0], -1)  # no column is the new point itself
            P = np.empty(D2.shape)
            if sigma is not None:
                beta = np.full(D2.shape[0], 0.5 / sigma**2)
                normalize(D2, no_self, 0.5 / sigma**2, n_threads, P)
            else:
                beta = calibrate(D2, no_self, float(perplexity or 1), n_threads, P).beta
            log_P = None
            if logs:
                D2 -= D2.min(axis=1, keepdims=True)
                D2 *= -beta[:, None]
                D2 -= np.log(np.exp(D2).sum(axis=1, keepdims=True))
                log_P = D2
            yield here, Rows(P, log_P, beta)

    def _rows_of_stored(
        self, X: Any, perplexity: float, n_jobs: int | None
    ) -> Iterator[tuple[slice, Rows]]:
        """Yield rows over the neighbors that sparse dissimilarities store, a block at a time."""
        self.check_given(X)
        m, n = X.shape
        k = int(np.diff(X.indptr).max())
        step = max(1, PAIRS // n)
        for first in range(0, m, step):
            here = slice(first, min(first + step, m))
            index, distances = nearest_given(X[here], k)
            rows = calibrated_rows(
                distances, min(perplexity, k), np.float64, resolve_threads(n_jobs)
            )
            P = np.zeros((len(index), n))
            np.put_along_axis(P, index, rows.P, axis=1)
            yield here, Rows(P, None, rows.beta)


def place(
    rows: Rows, Y: NDArray[Any], cost: RowCost, n_jobs: int | None = None
) -> NDArray[np.float64]:
    """Return the places of new points, (n_new, n_components).

    ``rows`` are over the fitted points; their ``log_P`` is read with ``cost.tradeoff`` < 1 only.
    O(n_new · n_samples · n_components) time a step, some fifteen steps.
    """
    Y = np.asarray(Y, dtype=np.float64)
    center = Y.mean(axis=0)
    Y = Y - center
    size = rms_radius(Y) or 1.0
    w = rows.beta / cost.unit
    if cost.precision is not None:
        w = np.full(len(rows.P), float(cost.precision))
    alpha, terms = 1.0, None
    if isinstance(cost.alpha, Similarity):
        terms = loops(cost.alpha.H, cost.alpha.score).terms
    else:
        alpha = cost.alpha
    places, _ = descend(
        Y.T, rows.P, rows.log_P, w, alpha, cost.tradeoff, TETHER,
        first_places(rows.P, Y, cost), size, resolve_threads(n_jobs), terms,
    )  # fmt: skip
    return np.asarray(places + center)


def first_places(P: NDArray[Any], Y: NDArray[Any], cost: RowCost) -> NDArray[np.float64]:
    """Return first positions to try, (n_new, n_positions, n_components); see the module.

    ``Y`` is the map, or the coordinates of each new point's own neighbors, of shape
    (n_new, n_neighbors, n_components).
    """
    own = Y.ndim == 3
    mean = np.einsum("ij,ijk->ik", P, Y) if own else P @ Y
    if cost.convex:
        return np.asarray(mean[:, None])
    median = np.empty_like(mean)
    for k in range(Y.shape[-1]):
        if own:
            order = np.argsort(Y[:, :, k], axis=1, kind="stable")
            half = np.cumsum(np.take_along_axis(P, order, axis=1), axis=1) >= 0.5
            middle = np.take_along_axis(order, half.argmax(axis=1)[:, None], axis=1)
            median[:, k] = np.take_along_axis(Y[:, :, k], middle, axis=1)[:, 0]
        else:
            order = np.argsort(Y[:, k], kind="stable")
            half = np.cumsum(P[:, order], axis=1) >= 0.5
            median[:, k] = Y[order[half.argmax(axis=1)], k]
    count = min(NEAREST, P.shape[1])
    nearest = np.argpartition(P, P.shape[1] - count, axis=1)[:, -count:]
    # Sorted, because the order that a partition leaves is not specified.
    nearest.sort(axis=1)
    near = np.take_along_axis(Y, nearest[:, :, None], axis=1) if own else Y[nearest]
    return np.concatenate([mean[:, None], median[:, None], near], axis=1)
