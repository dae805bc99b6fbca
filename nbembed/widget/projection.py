r"""A steady plane to draw a map of more than two dimensions on.

With class directions the plane is taken from the space that they span, the *class plane*: within it
lie the two directions along which the map spreads most. Without directions they are the map's first
two principal directions. Such a plane is free to turn and flip from one layout to the next,
and to jump when two spreads change places, so each new plane :math:`B` is turned onto
the last one :math:`B'` by Procrustes,

.. math:: B \leftarrow B\,R,\quad R = \arg\min_{R^\top R = 1} \|B R - B'\|_F = U V^\top,
          \quad B^\top B' = U S V^\top,

and followed only part of the way: the drawn plane turns smoothly.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import numpy as np

if TYPE_CHECKING:
    from numpy.typing import NDArray

#: How far the drawn plane follows the wanted one in one frame.
FOLLOW = 0.15


class Projection:
    """Projects successive layouts of one map onto a plane that turns slowly.

    Maps of two dimensions pass unchanged; a single dimension becomes the horizontal one.

    Parameters
    ----------
    follow : float, optional
        Share of the way to the wanted plane that one frame goes, in (0, 1].
    """

    def __init__(self, follow: float = FOLLOW) -> None:
        self.follow = follow
        self._basis: NDArray[np.float64] | None = None

    @property
    def basis(self) -> NDArray[np.float64] | None:
        """Orthonormal columns of the plane, shape (d, 2); ``None`` before the first layout."""
        return self._basis

    def __call__(self, Y: NDArray[Any], directions: NDArray[Any] | None = None) -> NDArray[Any]:
        """Return the layout on the plane.

        Parameters
        ----------
        Y : ndarray of shape (n, d)
        directions : ndarray of shape (K, d) or None
            Class directions.

        Returns
        -------
        plane : ndarray of shape (n, 2), float32
        """
        d = Y.shape[1]
        if d == 2:
            self._basis = np.eye(2)
            return np.ascontiguousarray(Y, dtype=np.float32)
        if d == 1:
            self._basis = np.array([[1.0, 0.0]])
        else:
            self._turn(wanted_plane(Y, directions))
        assert self._basis is not None
        return np.ascontiguousarray(Y @ self._basis, dtype=np.float32)

    def directions(self, directions: NDArray[Any] | None) -> list[list[float]]:
        """Return class directions on the plane of the last layout, [] if there are none."""
        if directions is None or self._basis is None:
            return []
        if directions.shape[1] != self._basis.shape[0]:
            return []
        flat: list[list[float]] = np.round(directions @ self._basis, 5).tolist()
        return flat

    def points(self, Y: NDArray[Any]) -> list[list[float]]:
        """Return a few more points on the plane of the last layout, as plain numbers."""
        if self._basis is None or Y.shape[1] != self._basis.shape[0]:
            return []
        flat: list[list[float]] = (np.asarray(Y, dtype=np.float64) @ self._basis).tolist()
        return flat

    def _turn(self, wanted: NDArray[np.float64]) -> None:
        last = self._basis
        if last is None or last.shape != wanted.shape:
            self._basis = wanted
            return
        u, _, vt = np.linalg.svd(wanted.T @ last)
        aligned = wanted @ (u @ vt)
        between = last + self.follow * (aligned - last)
        # The nearest orthonormal pair (polar factor) keeps the turn without favoring a column.
        u, _, vt = np.linalg.svd(between, full_matrices=False)
        self._basis = u @ vt


def wanted_plane(Y: NDArray[Any], directions: NDArray[Any] | None) -> NDArray[np.float64]:
    """Return the plane that shows most of a layout, the class plane first.

    Parameters
    ----------
    Y : ndarray of shape (n, d), d >= 2
    directions : ndarray of shape (K, d) or None

    Returns
    -------
    basis : ndarray of shape (d, 2)
        Orthonormal columns: first those in the span of the directions, by the spread of Y along
        them, then, if the span is but a line, the map's own widest direction beside it.
    """
    Y = np.asarray(Y, dtype=np.float64)
    centered = Y - Y.mean(axis=0)
    spread = centered.T @ centered / max(len(Y), 1)
    if directions is None:
        return _principal(spread, np.eye(Y.shape[1]), 2)
    u, s, _ = np.linalg.svd(np.asarray(directions, dtype=np.float64).T)
    rank = int(np.sum(s > 1e-9 * max(float(s[0]), 1e-300))) if s.size else 0
    inside = _principal(spread, u[:, :rank], min(2, rank))
    outside = _principal(spread, u[:, rank:], 2 - inside.shape[1])
    return np.hstack([inside, outside])


def _principal(
    spread: NDArray[np.float64], within: NDArray[np.float64], count: int
) -> NDArray[np.float64]:
    """Return the ``count`` widest orthonormal directions inside the span of ``within``."""
    if count == 0:
        return within[:, :0]
    values, vectors = np.linalg.eigh(within.T @ spread @ within)
    widest = np.argsort(-values, kind="stable")[:count]
    chosen: NDArray[np.float64] = within @ vectors[:, widest]
    return chosen
