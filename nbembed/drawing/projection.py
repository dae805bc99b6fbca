r"""Projection of maps of more than two dimensions onto a plane that stays steady between frames.

With class directions, the plane lies in their span, the *class plane*, along the two directions of
largest variance of the map. Without directions, it is spanned by the map's first two principal
components. Such a plane may rotate and flip from one layout to the next, and jump when two
variances change their order. Each new plane :math:`B` is therefore aligned with the last one
:math:`B'` by orthogonal Procrustes,

.. math:: B \leftarrow B\,R,\quad R = \arg\min_{R^\top R = 1} \|B R - B'\|_F = U V^\top,
          \quad B^\top B' = U S V^\top,

and the drawn plane moves only part of the way to it, so that it turns smoothly.
"""

from __future__ import annotations

from typing import Any

import numpy as np
from numpy.typing import NDArray
from scipy.linalg import orthogonal_procrustes, polar

#: Share of the way to the aligned plane that the drawn plane moves in one frame.
FOLLOW = 0.15


class Projection:
    """Projects successive layouts of one map onto a plane that turns slowly.

    Two-dimensional maps are unchanged; a one-dimensional map becomes the horizontal axis.

    * follow: share of the way to the aligned plane that the drawn plane moves in one frame, in (0,
      1].
    * basis: of the plane, orthonormal, of shape (d, 2); ``None`` before the first layout.
    """

    def __init__(self, follow: float = FOLLOW) -> None:
        self.follow = follow
        self.basis: NDArray[np.float64] | None = None

    def __call__(self, Y: NDArray[Any], directions: NDArray[Any] | None = None) -> NDArray[Any]:
        """Return the layout projected onto the plane.

        * Shapes: Y (n, d); returns plane (n, 2) float32.
        * directions (K, d) or None: class directions.
        """
        d = Y.shape[1]
        if d == 2:
            self.basis = np.eye(2)
            return np.ascontiguousarray(Y, dtype=np.float32)
        if d == 1:
            self.basis = np.array([[1.0, 0.0]])
        else:
            self._follow(best_plane(Y, directions))
        assert self.basis is not None
        return np.ascontiguousarray(Y @ self.basis, dtype=np.float32)

    def unmoved(self, Y: NDArray[Any]) -> NDArray[Any]:
        """Return a layout on the present plane, or its own if it has other dimensions.

        The plane does not move by it.
        """
        d = Y.shape[1]
        basis = self.basis
        if basis is None or basis.shape[0] != d:
            basis = np.eye(d, 2) if d <= 2 else best_plane(Y, None)
        return np.ascontiguousarray(Y @ basis, dtype=np.float32)

    def directions(self, directions: NDArray[Any] | None) -> list[list[float]]:
        """Return class directions projected onto the last layout's plane, [] if there are none."""
        if directions is None or self.basis is None:
            return []
        if directions.shape[1] != self.basis.shape[0]:
            return []
        flat: list[list[float]] = np.round(directions @ self.basis, 5).tolist()
        return flat

    def points(self, Y: NDArray[Any]) -> list[list[float]]:
        """Return further points projected onto the last layout's plane, as lists of numbers."""
        if self.basis is None or Y.shape[1] != self.basis.shape[0]:
            return []
        flat: list[list[float]] = (np.asarray(Y, dtype=np.float64) @ self.basis).tolist()
        return flat

    def _follow(self, target: NDArray[np.float64]) -> None:
        last = self.basis
        if last is None or last.shape != target.shape:
            self.basis = target
            return
        aligned = target @ orthogonal_procrustes(target, last)[0]
        between = last + self.follow * (aligned - last)
        # The polar factor is the nearest orthonormal basis; it treats both columns alike.
        self.basis = polar(between)[0]


def best_plane(Y: NDArray[Any], directions: NDArray[Any] | None) -> NDArray[np.float64]:
    """Return the plane of largest variance of a layout, within the class plane if there is one.

    * Shapes: Y (n, d), d >= 2; directions (K, d) or None.
    * returns basis (d, 2): orthonormal columns in the span of the directions, by decreasing
      variance of Y. If the span is a line, the second column is the direction of largest variance
      orthogonal to it.
    """
    Y = np.asarray(Y, dtype=np.float64)
    centered = Y - Y.mean(axis=0)
    covariance = centered.T @ centered / max(len(Y), 1)
    if directions is None:
        return _principal(covariance, np.eye(Y.shape[1]), 2)
    u, s, _ = np.linalg.svd(np.asarray(directions, dtype=np.float64).T)
    rank = int(np.sum(s > 1e-9 * max(float(s[0]), 1e-300))) if s.size else 0
    inside = _principal(covariance, u[:, :rank], min(2, rank))
    outside = _principal(covariance, u[:, rank:], 2 - inside.shape[1])
    return np.hstack([inside, outside])


def _principal(
    covariance: NDArray[np.float64], within: NDArray[np.float64], count: int
) -> NDArray[np.float64]:
    """Return the ``count`` leading principal directions inside the span of ``within``."""
    if count == 0:
        return within[:, :0]
    values, vectors = np.linalg.eigh(within.T @ covariance @ within)
    leading = np.argsort(-values, kind="stable")[:count]
    chosen: NDArray[np.float64] = within @ vectors[:, leading]
    return chosen
