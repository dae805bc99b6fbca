"""Graphs: the weights of pairs of points in a cost, as values.

A linear map ``z = Aᵀx`` is judged by costs of the form

    f(A) = ½ Σ_ij c_ij ‖z_i − z_j‖² = tr Aᵀ Xᵀ L(C) X A,    L(C) = diag(C1) − C,

("A Unified Semi-Supervised Dimensionality Reduction Framework for Manifold Learning", section 2;
rows of X are points). A :class:`Graph` is the matrix C. Graphs are added, subtracted and multiplied
by numbers, and ``graph ** p`` raises every entry to a power (the paper's Hadamard power operator);
:meth:`Graph.scatter` gives ``XᵀL(C)X``, the only thing that a solver needs. A whole class of points
is one :class:`Clique`, which is stored as its points and never as their pairs.
"""

from __future__ import annotations

from abc import ABC, abstractmethod
from dataclasses import dataclass, field
from typing import Any

import numpy as np
from numpy.typing import NDArray
from scipy import sparse

from nbembed.data.sparse_format import check_csr
from nbembed.validation import check_real

__all__ = ["Clique", "Edges", "Graph", "Patch", "Sum"]


class Graph(ABC):
    """A symmetric matrix C of pair costs, represented by its operations."""

    n_samples: int

    @abstractmethod
    def scatter(self, X: NDArray[Any]) -> NDArray[np.float64]:
        """Return ``XᵀL(C)X`` for ``X`` of shape (n_samples, n_features)."""

    @abstractmethod
    def degree(self) -> NDArray[np.float64]:
        """Return the row sums ``C1``, the diagonal of C left out."""

    @abstractmethod
    def matrix(self) -> sparse.csr_array:
        """Return C itself with a zero diagonal; as many entries as there are pairs."""

    @abstractmethod
    def __pow__(self, power: float) -> Graph:
        """Return the graph whose entries are raised to ``power`` > 0, one by one.

        Raises ValueError if an entry is negative, or the power is not positive; TypeError from a
        sum of graphs: raise its terms and then add them.
        """

    def cost(self, Z: NDArray[Any]) -> float:
        """Return ``½ Σ_ij c_ij ‖z_i − z_j‖²`` of a layout of shape (n_samples, n_components)."""
        return float(np.trace(self.scatter(np.asarray(Z, dtype=np.float64))))

    def __add__(self, other: Graph) -> Graph:
        if not isinstance(other, Graph):
            return NotImplemented
        return Sum(self.n_samples, (*_terms(self), *_terms(other)))

    def __sub__(self, other: Graph) -> Graph:
        if not isinstance(other, Graph):
            return NotImplemented
        return self + (-1.0) * other

    def __mul__(self, factor: float) -> Graph:
        factor = check_real("factor", factor)
        return Sum(self.n_samples, tuple((factor * c, g) for c, g in _terms(self)))

    __rmul__ = __mul__

    def __neg__(self) -> Graph:
        return self * -1.0


@dataclass(frozen=True, eq=False)
class Edges(Graph):
    """Single pairs with weights, a symmetric sparse C: a neighborhood graph."""

    C: sparse.csr_array
    n_samples: int = field(init=False)

    def __post_init__(self) -> None:
        check_csr(self.C, "C")
        object.__setattr__(self, "n_samples", int(self.C.shape[0]))

    def scatter(self, X: NDArray[Any]) -> NDArray[np.float64]:
        """Return ``XᵀL(C)X``."""
        return symmetric(X.T @ (self.degree()[:, None] * X - self._hollow() @ X))

    def degree(self) -> NDArray[np.float64]:
        """Return the row sums."""
        return np.asarray(self._hollow().sum(axis=1), dtype=np.float64).ravel()

    def matrix(self) -> sparse.csr_array:
        """Return C."""
        return self._hollow()

    def __pow__(self, power: float) -> Edges:
        C = self.C.copy()
        C.data = _raised(C.data, power)
        return Edges(C)

    def _hollow(self) -> sparse.csr_array:
        # The diagonal costs nothing: a point's distance to itself is zero.
        if not self.C.diagonal().any():
            return self.C
        return sparse.csr_array(self.C - sparse.diags_array(self.C.diagonal()))


@dataclass(frozen=True, eq=False)
class Patch(Graph):
    """All pairs among a few points, each with a weight of its own: a dense block of C.

    ``block`` (m, m) is symmetric; its diagonal does not matter.
    """

    n_samples: int
    members: NDArray[np.intp]
    block: NDArray[np.float64]

    def scatter(self, X: NDArray[Any]) -> NDArray[np.float64]:
        """Return ``XᵀL(C)X``."""
        mine, C = X[self.members], self._hollow()
        return symmetric(mine.T @ (C.sum(axis=1)[:, None] * mine - C @ mine))

    def degree(self) -> NDArray[np.float64]:
        """Return the row sums."""
        degree = np.zeros(self.n_samples)
        degree[self.members] = self._hollow().sum(axis=1)
        return degree

    def matrix(self) -> sparse.csr_array:
        """Return C."""
        return _pairs(self.n_samples, self.members, self._hollow())

    def __pow__(self, power: float) -> Patch:
        return Patch(self.n_samples, self.members, _raised(self.block, power))

    def _hollow(self) -> NDArray[np.float64]:
        C = np.array(self.block, dtype=np.float64)
        np.fill_diagonal(C, 0.0)
        return C


@dataclass(frozen=True, eq=False)
class Clique(Graph):
    """All pairs among some points with ``c_ij = w_i w_j``: a class, or a group of linked points.

    Weights (m,) are non-negative. Costs O(m) memory and O(m n_features²) time:
    ``XᵀLX = s Σ w x xᵀ − (Σ w x)(Σ w x)ᵀ`` with ``s = Σ w``.
    """

    n_samples: int
    members: NDArray[np.intp]
    weights: NDArray[np.float64]

    def scatter(self, X: NDArray[Any]) -> NDArray[np.float64]:
        """Return ``XᵀL(C)X``."""
        total = float(self.weights.sum())
        if not total > 0:
            return np.zeros((X.shape[1], X.shape[1]))
        mine = np.asarray(X[self.members], dtype=np.float64)
        # About their own mean, the difference above does not cancel.
        mine = mine - self.weights @ mine / total
        return total * symmetric(mine.T @ (self.weights[:, None] * mine))

    def degree(self) -> NDArray[np.float64]:
        """Return the row sums."""
        degree = np.zeros(self.n_samples)
        degree[self.members] = self.weights * (self.weights.sum() - self.weights)
        return degree

    def matrix(self) -> sparse.csr_array:
        """Return C."""
        C = np.outer(self.weights, self.weights)
        np.fill_diagonal(C, 0.0)
        return _pairs(self.n_samples, self.members, C)

    def __pow__(self, power: float) -> Clique:
        return Clique(self.n_samples, self.members, _raised(self.weights, power))


@dataclass(frozen=True, eq=False)
class Sum(Graph):
    """A weighted sum of graphs of equally many points; the empty sum has no pairs."""

    n_samples: int
    terms: tuple[tuple[float, Graph], ...] = ()

    def __post_init__(self) -> None:
        for _, graph in self.terms:
            if graph.n_samples != self.n_samples:
                raise ValueError(
                    f"graphs must be of the same points, got {self.n_samples} and "
                    f"{graph.n_samples} of them"
                )

    def scatter(self, X: NDArray[Any]) -> NDArray[np.float64]:
        """Return ``XᵀL(C)X``."""
        total = np.zeros((X.shape[1], X.shape[1]))
        for factor, graph in self.terms:
            total += factor * graph.scatter(X)
        return total

    def degree(self) -> NDArray[np.float64]:
        """Return the row sums."""
        total = np.zeros(self.n_samples)
        for factor, graph in self.terms:
            total += factor * graph.degree()
        return total

    def matrix(self) -> sparse.csr_array:
        """Return C."""
        total = sparse.csr_array((self.n_samples, self.n_samples))
        for factor, graph in self.terms:
            total = sparse.csr_array(total + factor * graph.matrix())
        return total

    def __pow__(self, power: float) -> Graph:
        if len(self.terms) == 1 and self.terms[0][0] >= 0:
            factor, graph = self.terms[0]
            raised: Graph = factor ** check_power(power) * graph**power
            return raised
        raise TypeError(
            "graph must be a single graph for an entrywise power, got a sum; take "
            "the power of each term and add them"
        )


def check_power(power: Any) -> float:
    """Return a Hadamard power, which must be positive."""
    return check_real("power", power, low=0, open_low=True)


def symmetric(M: NDArray[Any]) -> NDArray[np.float64]:
    """Return the symmetric part of a matrix that is symmetric up to rounding."""
    return np.asarray((M + M.T) / 2, dtype=np.float64)


def _terms(graph: Graph) -> tuple[tuple[float, Graph], ...]:
    return graph.terms if isinstance(graph, Sum) else ((1.0, graph),)


def _raised(values: NDArray[Any], power: float) -> NDArray[np.float64]:
    power = check_power(power)
    if values.size and values.min() < 0:
        raise ValueError(f"a power needs entries ≥ 0, got {values.min()}")
    return np.asarray(values, dtype=np.float64) ** power


def _pairs(n: int, members: NDArray[np.intp], block: NDArray[np.float64]) -> sparse.csr_array:
    rows, columns = np.repeat(members, members.size), np.tile(members, members.size)
    return sparse.csr_array((block.ravel(), (rows, columns)), shape=(n, n))
