r"""How two maps of the same points differ, once one is turned, mirrored and scaled to match.

A map that is moved, turned, mirrored or scaled is the same map. Two layouts are therefore compared
after the orthogonal Procrustes problem has been solved: with centered layouts :math:`Y` and
:math:`Z`,

.. math:: R = \arg\min_{R^\top R = 1} \|Y R - Z\|_F = U V^\top, \quad Y^\top Z = U S V^\top.

What remains is the disparity :math:`1 - (\sum_i S_i)^2 / (\|Y R\|^2 \|Z\|^2)`: 0 for the same map,
near 1 for maps that have nothing in common. It weighs long distances. What a reader of a map looks
at are neighborhoods: the *change* of a point is the share of its k nearest neighbors on one map
that are not among its k nearest on the other.
"""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import Any

import numpy as np
from numpy.typing import ArrayLike, NDArray
from scipy.spatial import cKDTree

from nbembed.measures.checks import check_map
from nbembed.neighbors import other_points
from nbembed.system.blas import one_blas_thread
from nbembed.validation import check_count

#: Neighbors by which the change of a neighborhood is measured by default.
K = 10


@dataclass(frozen=True, eq=False)
class Alignment:
    """The rotation or reflection, scaling and shift that bring one map onto another.

    * rotation (n_components, n_components of the other map): orthonormal columns, or rows where
      the other map has more dimensions.
    * scale: brings the map to the size of the other, by root mean square. (The factor of least
      squares would shrink maps that have little in common.)
    * center, target: the means of the map and of the other.
    * disparity: in [0, 1]; 1 if all points of one of the maps coincide.
    """

    rotation: NDArray[np.float64]
    scale: float
    center: NDArray[np.float64]
    target: NDArray[np.float64]
    disparity: float

    def __call__(self, Y: NDArray[Any]) -> NDArray[np.float64]:
        """Return places on the first map, shape (n, n_components), as places on the other."""
        moved: NDArray[np.float64] = (Y - self.center) @ (self.scale * self.rotation) + self.target
        return moved

    @property
    def mirrored(self) -> bool:
        """True if the map is mirrored; ``False`` between maps of different dimensions."""
        square = self.rotation.shape[0] == self.rotation.shape[1]
        return bool(square and np.linalg.det(self.rotation) < 0)

    @property
    def turn(self) -> float:
        """The angle by which a map of the plane is turned, in degrees; ``nan`` in other dimensions.

        Of a mirrored map, the turn after its second axis was reversed.
        """
        if self.rotation.shape != (2, 2):
            return float("nan")
        return float(np.degrees(np.arctan2(self.rotation[0, 1], self.rotation[0, 0])))


@dataclass(frozen=True, eq=False)
class MapComparison:
    """Differences of a map from another of the same points.

    Attributes
    ----------
    aligned : ndarray of shape (n_samples, n_components of the other map)
        The map, brought onto the other.
    alignment : Alignment
    change : ndarray of shape (n_samples,)
        The share of each point's ``k`` nearest neighbors that are others on the other map, in
        [0, 1].
    k : int
    """

    aligned: NDArray[np.float64] = field(repr=False)
    alignment: Alignment = field(repr=False)
    change: NDArray[np.float64] = field(repr=False)
    k: int

    @property
    def disparity(self) -> float:
        """The Procrustes disparity, in [0, 1]."""
        return self.alignment.disparity

    @property
    def mean_change(self) -> float:
        """The mean of ``change``."""
        return float(self.change.mean())


def compare_maps(Y: ArrayLike, other: ArrayLike, k: int = K) -> MapComparison:
    """Compare the map ``Y`` with another map of the same points.

    Parameters
    ----------
    Y, other : array-like of shape (n_samples, n_components)
        The numbers of components may differ.
    k : int, default=10
        Size of the neighborhoods that are compared; below n_samples.

    Returns
    -------
    comparison : MapComparison

    Raises
    ------
    ValueError
        If a map is not finite, they are of different points, or k is out of range.

    Notes
    -----
    O(n log n) time. Symmetric in the two maps, but for ``aligned`` and ``alignment``.

    Examples
    --------
    >>> import numpy as np
    >>> Y = np.random.default_rng(0).normal(size=(50, 2))
    >>> turned = 3 * Y @ [[0, 1], [-1, 0]] + 1
    >>> comparison = compare_maps(turned, Y)
    >>> np.allclose(comparison.aligned, Y), comparison.mean_change, round(comparison.disparity, 6)
    (True, 0.0, 0.0)
    """
    points, others = check_map(Y), check_map(other, "other")
    if len(points) != len(others):
        raise ValueError(
            f"other must have a row for each of the {len(points)} points of Y, got {len(others)}"
        )
    n = len(points)
    if not 1 <= check_count("k", k) < n:
        raise ValueError(f"k must be in [1, {n - 1}] for {n} points, got {k}")
    alignment = align_map(points, others)
    change = change_of_neighbors(map_neighbors(points, k), map_neighbors(others, k))
    return MapComparison(alignment(points), alignment, change, int(k))


def change_of_neighbors(
    neighbors: NDArray[np.int32], others: NDArray[np.int32]
) -> NDArray[np.float64]:
    """Return the share of each point's neighbors that are not among its neighbors elsewhere."""
    k = neighbors.shape[1]
    both = np.hstack([neighbors, others])
    both.sort(axis=1)  # a neighbor on both maps stands beside itself
    kept = np.count_nonzero(both[:, 1:] == both[:, :-1], axis=1)
    return np.asarray((k - kept) / k)


def map_neighbors(Y: NDArray[Any], k: int) -> NDArray[np.int32]:
    """Return the k nearest neighbors of each point on a map, in any order.

    For live maps it must be quick and leave other threads the interpreter: SciPy's tree is and
    does. Which of equally far points it takes does not matter here.
    """
    tree = cKDTree(Y)
    # In the order of the tree, neighbors in space are neighbors in memory.
    order = np.asarray(tree.indices)
    found = tree.query(tree.data[order], k + 1)[1]
    neighbors = np.empty((len(order), k), dtype=np.int32)
    neighbors[order] = found[other_points(found, order)].reshape(-1, k)
    return neighbors


def align_map(Y: NDArray[Any], other: NDArray[Any]) -> Alignment:
    """Return the alignment of the layout ``Y`` to another one of the same points (both checked)."""
    Y, other = np.asarray(Y, dtype=np.float64), np.asarray(other, dtype=np.float64)
    center, target = Y.mean(axis=0), other.mean(axis=0)
    A, B = Y - center, other - target
    with one_blas_thread():  # products of so few columns wait longer for threads than they take
        u, s, vt = np.linalg.svd(A.T @ B, full_matrices=False)
        rotation = u @ vt
        own, theirs = np.linalg.norm(A @ rotation), np.linalg.norm(B)
    if not (own > 0 and theirs > 0):
        return Alignment(rotation, 1.0, center, target, 1.0)
    disparity = 1 - (s.sum() / (own * theirs)) ** 2
    scale = float(theirs / own)
    return Alignment(rotation, scale, center, target, float(np.clip(disparity, 0, 1)))
