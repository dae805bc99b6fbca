"""Points in float32 for the search of candidates, and the proof that nothing nearer was missed.

With rows b̂_j = [b_j, ‖b_j‖²] for the points and â_i = [−2 a_i, 1] for the queries, one matrix
product gives

    s_ij = ⟨â_i, b̂_j⟩ = ‖b_j‖² − 2 ⟨a_i, b_j⟩ = d_ij² − ‖a_i‖²,

which orders the points of a row as d_ij does. The k smallest s_ij of a row, and some more, are the
candidates; their distances are then computed from the given coordinates in float64.

A point j that was dropped has a computed s_ij of at least the row's bound s. Rounding: the computed
s_ij differs from the true one by at most γ (2 ‖a‖ ‖b‖ + ‖b‖²), γ = (d + 8) 2⁻²⁴: d + 2 sums and
products, and the coordinates themselves, are rounded.
If ‖b‖ ≤ 4 ‖a‖, this is at most 24 γ ‖a‖². Otherwise d_ij ≥ ¾ ‖b‖, and it is at most
1.5 γ ‖b‖² < 4 γ d_ij². In both cases

    d_ij² ≥ (s + ‖a‖²) (1 − 4 γ) − 24 γ ‖a‖²,

so if the k-th candidate is nearer than this, the row is proven. Rows that are not, because many
points are about as far as the k-th, are searched again in float64.

Rounding thus grows with the distance from the origin, which is laid among the points: at the median
of each coordinate, which a few values far away (sentinels, outliers) do not move as they move the
mean.
"""

from __future__ import annotations

from typing import Any

import numpy as np
from numpy.typing import NDArray

#: Rows that are converted at a time.
ROWS = 8192
#: Points that the center is the median of.
SAMPLE = 4096
#: Products of coordinates, scaled to at most one, below which float32 has no normal numbers.
UNDERFLOW = 1e-36


class SinglePrecision:
    """Points as the matrix product takes them, centered and scaled to coordinates of at most one.

    * rows (n, d + 1) float32: b̂_j. :meth:`reorder` changes their order.
    """

    def __init__(self, points: NDArray[Any]) -> None:
        n, d = points.shape
        self.center = center_of(points)
        low, high = points.min(axis=0) - self.center, points.max(axis=0) - self.center
        self.scale = float(max(np.abs(low).max(), np.abs(high).max())) or 1.0
        self.gamma = (d + 8) * 2.0**-24
        self.rows = np.empty((n, d + 1), np.float32)
        for here in _slices(n):
            self.rows[here, :-1] = (points[here] - self.center) / self.scale
            self.rows[here, -1] = _squares(self.rows[here, :-1])

    def queries(self, points: NDArray[Any]) -> tuple[NDArray[np.float32], NDArray[np.float64]]:
        """Return rows â_i, and ‖a_i‖² in units of the scale."""
        a = ((points - self.center) / self.scale).astype(np.float32)
        out = np.empty((len(a), a.shape[1] + 1), np.float32)
        np.multiply(a, np.float32(-2), out=out[:, :-1])
        out[:, -1] = 1
        return out, _squares(a)

    def reorder(self, order: NDArray[np.intp]) -> None:
        """Put row ``order[i]`` at place i."""
        self.rows = self.rows[order]

    def proven(
        self, kth: NDArray[np.float64], bounds: NDArray[np.float32], squares: NDArray[np.float64]
    ) -> NDArray[np.bool_]:
        """Return the rows in which no point outside the candidates is as near as ``kth``.

        * kth (m,): the k-th smallest d² of the candidates, in squared units of the data.
        * bounds (m,): least s_ij that may have been dropped.
        * squares (m,): ‖a_i‖².
        """
        d = self.rows.shape[1] - 1
        least = (bounds + squares) * (1 - 4 * self.gamma) - 24 * self.gamma * squares
        # The last digits of the distances in float64 count as well.
        return np.asarray(kth / self.scale**2 < (least - d * UNDERFLOW) * (1 - 1e-12))


def center_of(points: NDArray[Any]) -> NDArray[np.float64]:
    """Return the median of each coordinate, of a sample of many points."""
    n = len(points)
    if n > SAMPLE:
        points = points[np.random.default_rng(0).choice(n, SAMPLE, replace=False)]
    return np.asarray(np.median(np.asarray(points, dtype=np.float64), axis=0))


def _squares(rows: NDArray[np.float32]) -> NDArray[np.float64]:
    return np.asarray(np.einsum("ij,ij->i", rows, rows, dtype=np.float64))


def _slices(n: int) -> list[slice]:
    return [slice(first, min(first + ROWS, n)) for first in range(0, n, ROWS)]
