"""The own affinities of groups of linked points, and the sparse matrix that they make together.

A group's own affinities are G_ij ∝ p_ij^κ among i's nearest members, with κ_i such that their
perplexity is that of P, :data:`OWN_PERPLEXITY` or a third of the group's size, whichever is least.
They depend on P and the members alone: a group keeps them while others are labeled, and one that
grows or shrinks keeps the rows whose nearest members are the same.
"""

from __future__ import annotations

import math
from collections.abc import Callable, Iterable, Sequence
from dataclasses import dataclass
from typing import Any, TypeVar

import numpy as np
from numpy.typing import NDArray
from scipy import sparse

from nbembed.affinities import Affinities
from nbembed.data.probabilities import canonical
from nbembed.kernels.own_affinities import own_rows, place_rows, sum_both_ways
from nbembed.kernels.terms import OwnRows

T = TypeVar("T")

#: The largest perplexity of own affinities, and how many members they reach for each unit of it.
OWN_PERPLEXITY = 30.0
REACH = 3
#: Members, bounds of their rows, columns as places among the members, and values.
Block = tuple["NDArray[Any]", "NDArray[Any]", "NDArray[Any]", "NDArray[Any]"]


@dataclass(frozen=True, eq=False)
class OwnAffinities:
    """Own affinities of one group.

    * members int: sorted.
    * perplexity: of the rows, where their entries allow it.
    * parts: CSR parts, canonical, by places among the members.
    """

    members: NDArray[np.int64]
    perplexity: float
    parts: OwnRows

    @classmethod
    def of(
        cls,
        P: Affinities,
        perplexity: float,
        members: NDArray[np.int64],
        n_threads: int = 1,
        others: Iterable[OwnAffinities] = (),
    ) -> OwnAffinities:
        """Return the own affinities of a group with sorted ``members`` from P.

        ``perplexity`` is that of P. ``others`` are those of other groups in the same P: rows of
        the one that shares most members are kept where they are the same.
        """
        m = members.size
        perplexity = max(1.0, min(perplexity, m / 3, OWN_PERPLEXITY))
        count = min(m - 1, math.ceil(REACH * perplexity))
        here = np.zeros(P.n_samples, bool)
        here[members] = True
        alike = (other for other in others if other.perplexity == perplexity)
        near = max(alike, key=lambda other: int(here[other.members].sum()), default=None)
        previous = None if near is None else (near.members, near.parts)
        parts = own_rows(P.P, members, count, perplexity, n_threads, previous)
        return cls(members, perplexity, parts)

    @property
    def rows(self) -> NDArray[np.int64]:
        """The row of each entry."""
        return np.repeat(np.arange(self.members.size), np.diff(self.parts.bounds))

    def spread(
        self, weights: NDArray[np.float64], share: NDArray[np.float64]
    ) -> tuple[NDArray[np.float64], NDArray[np.bool_]]:
        """Return entries whose rows sum to ``share`` (m,), and the rows that have any.

        The entries of a row are as o_ij w_j, with w the ``weights`` (m,) of the members. The last
        result is kept.
        """

        def make() -> tuple[NDArray[np.float64], NDArray[np.bool_]]:
            rows = self.rows
            values = self.parts.values * weights[self.parts.columns]
            mass = np.bincount(rows, values, self.members.size)
            there = mass > 0
            values *= np.divide(share, mass, out=np.zeros(mass.size), where=there)[rows]
            return values, there

        return self._last("spread", (weights, share), make)

    def both_ways(self, values: NDArray[np.float64], scale: NDArray[np.float64]) -> OwnRows:
        """Return s_i o_ij + s_j o_ji for ``values`` o of the entries; the last sums are kept."""
        bounds, columns = self.parts.bounds, self.parts.columns
        return self._last(
            "both ways", (values, scale), lambda: sum_both_ways(bounds, columns, values, scale)
        )

    def _last(self, what: str, given: tuple[NDArray[Any], ...], make: Callable[[], T]) -> T:
        """Return the last result if it was made of equal arrays; else make and keep one."""
        kept: dict[str, Any] = self.__dict__.setdefault("_made", {})
        if what not in kept or not all(map(np.array_equal, kept[what][0], given)):
            kept[what] = given, make()
        found: T = kept[what][1]
        return found


@dataclass(frozen=True, eq=False)
class OwnPart:
    """Entries of a group to be added to a matrix of all points."""

    affinities: OwnAffinities
    values: NDArray[np.float64]

    def one_way(self) -> Block:
        """Return the entries."""
        own = self.affinities
        return own.members, own.parts.bounds, own.parts.columns, self.values

    def both_ways(self, scale: NDArray[np.float64] | None) -> Block:
        """Return s_i o_ij + s_j o_ji, with s = 1 by default."""
        members = self.affinities.members
        s = np.ones(members.size) if scale is None else scale[members]
        return members, *self.affinities.both_ways(self.values, s)


def assembled(parts: Sequence[OwnPart], n: int) -> Any:
    """Return the sum of the parts, a canonical CSR array of shape (n, n)."""
    return _sum([part.one_way() for part in parts], n)


def assembled_both_ways(
    parts: Sequence[OwnPart], n: int, scale: NDArray[np.float64] | None = None
) -> Any:
    """Return diag(s) O + Oᵀ diag(s) of that sum O, with s = 1 by default."""
    return _sum([part.both_ways(scale) for part in parts], n)


def _sum(blocks: Sequence[Block], n: int) -> Any:
    # Read in every iteration: small numbers where they will do.
    small = max(n, sum(block[2].size for block in blocks)) < 2**31
    number = np.int32 if small else np.int64
    counts = np.zeros(n, np.int64)
    groups = np.zeros(n, np.int64)
    for members, bounds, _, _ in blocks:
        counts[members] += np.diff(bounds)
        groups[members] += 1
    total = int(counts.sum())
    indptr = np.zeros(n + 1, number)
    np.cumsum(counts, out=indptr[1:])
    if len(blocks) == 1:
        members, _, columns, data = blocks[0]
        indices = members.astype(number)[columns]
    else:
        indices, data = np.empty(total, number), np.empty(total)
        free = indptr[:-1].astype(np.int64)
        for block in blocks:
            place_rows(*block, free, indices, data)
    found = sparse.csr_array((data, indices, indptr), shape=(n, n))
    if groups.max(initial=0) <= 1:
        found.has_canonical_format = True  # each row is one block's, whose columns are sorted
    return canonical(found)
