"""Local: the local affinities of a large class, computed a block at a time and never stored.

    c_ij = (w_i w_j a_ij)ᵖ,   a_ij = exp(−‖x_i − x_j‖² / (s_i s_j))   for i ≠ j of one class

LFDA's and SELF's graphs have an entry for every pair of a class. For m points these are m² numbers
(3.2 GB for 20 000 points), of which ``XᵀL(C)X`` needs only a sum:

    XᵀL(C)X = Xᵀ diag(C1) X − (S + Sᵀ),   S = Σ_{i<j} c_ij x_i x_jᵀ

So each pair is computed once, in blocks of rows, added to the degrees C1 and to S, and forgotten.
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass, replace
from typing import Any

import numpy as np
from numpy.typing import NDArray
from scipy import sparse

from nbembed.kernels.distances import squared_distances
from nbembed.spectral.graphs import Graph, check_power, symmetric

#: Pairs in a block: 16 MiB, of which a few are in memory at a time.
PAIRS = 2**21


@dataclass(frozen=True, eq=False)
class Local(Graph):
    """All pairs of a class, weighted by how near they are.

    * members (m,) int: the class.
    * points (m, r) float64: its points, by which pairs are near.
    * scale (m,): s_i > 0.
    * weights (m,): w_i ≥ 0.
    * power: p > 0.

    O(m² r) time; O(m r) memory besides one block.
    """

    n_samples: int
    members: NDArray[np.intp]
    points: NDArray[np.float64]
    scale: NDArray[np.float64]
    weights: NDArray[np.float64]
    power: float = 1.0

    def scatter(self, X: NDArray[Any]) -> NDArray[np.float64]:
        """Return ``XᵀL(C)X``."""
        mine = np.asarray(X[self.members], dtype=np.float64)
        mine = mine - mine.mean(axis=0)  # changes nothing but the rounding
        degree = np.zeros(self.members.size)
        S = np.zeros((mine.shape[1], mine.shape[1]))
        for first, C in self._blocks():
            own = slice(first, first + len(C))
            S += mine[own].T @ (C @ mine[first:])
            _add_degrees(degree, first, C)
        return symmetric(mine.T @ (degree[:, None] * mine) - (S + S.T))

    def degree(self) -> NDArray[np.float64]:
        """Return the row sums."""
        mine = np.zeros(self.members.size)
        for first, C in self._blocks():
            _add_degrees(mine, first, C)
        degree = np.zeros(self.n_samples)
        degree[self.members] = mine
        return degree

    def matrix(self) -> sparse.csr_array:
        """Return C."""
        n, total = self.n_samples, sparse.csr_array((self.n_samples, self.n_samples))
        for first, C in self._blocks():
            rows, columns = np.nonzero(C)
            at = self.members[first + rows], self.members[first + columns]
            total = total + sparse.csr_array((C[rows, columns], at), shape=(n, n))
        return sparse.csr_array(total + total.T)

    def __pow__(self, power: float) -> Local:
        return replace(self, power=self.power * check_power(power))

    def _blocks(self) -> Iterator[tuple[int, NDArray[np.float64]]]:
        """Yield the first row of each block, and c_ij of its rows i against all j from there on.

        Only entries with i < j are not zero, so that each pair is met once.
        """
        m = self.members.size
        first = 0
        while first < m:
            last = min(m, first + max(1, PAIRS // (m - first)))
            C = squared_distances(self.points[first:last], self.points[first:])
            C /= -self.scale[first:last, None]
            C /= self.scale[first:]
            C *= self.power
            np.exp(C, out=C)
            C *= self.weights[first:last, None] ** self.power
            C *= self.weights[first:] ** self.power
            rows = np.arange(last - first)
            C[:, : last - first][rows[:, None] >= rows] = 0.0
            yield first, C
            first = last


def _add_degrees(degree: NDArray[np.float64], first: int, C: NDArray[np.float64]) -> None:
    """Add a block's entries to the row sums of both points of each pair."""
    degree[first : first + len(C)] += C.sum(axis=1)
    degree[first:] += C.sum(axis=0)
