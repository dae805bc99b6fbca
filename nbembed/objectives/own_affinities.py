"""The own affinities of groups of linked points, and the sparse matrix that they make together.

A group's own affinities are G_ij ∝ p_ij^κ among i's nearest members, with κ_i such that their
perplexity is that of P, :data:`OWN_PERPLEXITY` or a third of the group's size, whichever is least.
They depend on P and the members alone: a group keeps them while others are labeled, in the order in
which they enter sparse matrices, so that no label has to sort the entries of all groups again.
"""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import dataclass
from functools import cached_property
from typing import TYPE_CHECKING, Any

import numpy as np
from scipy import sparse

from nbembed.kernels.own_affinities import (
    mirrored_sum,
    own_rows,
    pattern_both_ways,
    place_rows,
)
from nbembed.probabilities import canonical

if TYPE_CHECKING:
    from numpy.typing import NDArray

    from nbembed.affinities import Affinities

#: The largest perplexity of own affinities, and how many members they reach for each unit of it.
OWN_PERPLEXITY = 30.0
REACH = 3
#: Members, bounds of their rows, columns as places among the members, and values.
Block = tuple["NDArray[Any]", "NDArray[Any]", "NDArray[Any]", "NDArray[Any]"]


@dataclass(frozen=True, eq=False)
class OwnAffinities:
    """Own affinities of one group, by places among its sorted members.

    Attributes
    ----------
    size : int
        Number of members.
    bounds, columns, values : ndarray
        CSR parts, canonical.
    """

    size: int
    bounds: NDArray[np.int64]
    columns: NDArray[np.int32]
    values: NDArray[np.float64]

    @classmethod
    def of(
        cls, P: Affinities, perplexity: float, members: NDArray[np.int64], n_threads: int = 1
    ) -> OwnAffinities:
        """Return those of a group, given by its sorted members."""
        m = members.size
        perplexity = max(1.0, min(perplexity, m / 3, OWN_PERPLEXITY))
        count = min(m - 1, math.ceil(REACH * perplexity))
        return cls(m, *own_rows(P.P, members, count, perplexity, n_threads))

    @cached_property
    def rows(self) -> NDArray[np.int64]:
        """The row of each entry."""
        return np.repeat(np.arange(self.size), np.diff(self.bounds))

    @cached_property
    def both_ways(self) -> tuple[NDArray[Any], NDArray[Any], NDArray[Any], NDArray[Any]]:
        """The pattern of G + Gᵀ: bounds and columns, and where each entry and its mirror lie."""
        return pattern_both_ways(self.bounds, self.columns)


@dataclass(frozen=True, eq=False)
class OwnPart:
    """What a group adds to a matrix of all points.

    Attributes
    ----------
    members : ndarray of int
        Sorted.
    affinities : OwnAffinities
    values : ndarray of float
        Of the entries.
    """

    members: NDArray[np.int64]
    affinities: OwnAffinities
    values: NDArray[np.float64]

    def one_way(self) -> Block:
        """Return the entries."""
        own = self.affinities
        return self.members, own.bounds, own.columns, self.values

    def both_ways(self, scale: NDArray[np.float64] | None) -> Block:
        """Return s_i o_ij + s_j o_ji, with s = 1 by default."""
        own = self.affinities
        bounds, columns, forward, backward = own.both_ways
        s = np.ones(own.size) if scale is None else scale[self.members]
        both = mirrored_sum(own.bounds, self.values, s, forward, backward, columns.size)
        return self.members, bounds, columns, both


def assembled(parts: Sequence[OwnPart], n: int) -> Any:
    """Return the sum of the parts, a canonical CSR array of shape (n, n)."""
    return _sum([part.one_way() for part in parts], n, np.int64)


def assembled_both_ways(
    parts: Sequence[OwnPart], n: int, scale: NDArray[np.float64] | None = None
) -> Any:
    """Return diag(s) O + Oᵀ diag(s) of that sum O, with s = 1 by default."""
    blocks = [part.both_ways(scale) for part in parts]
    # Read in every iteration: small numbers where they will do.
    small = max(n, sum(block[2].size for block in blocks)) < 2**31
    return _sum(blocks, n, np.int32 if small else np.int64)


def _sum(blocks: Sequence[Block], n: int, number: type[np.signedinteger[Any]]) -> Any:
    """Return the sum of blocks with indices of a type of whole numbers."""
    counts = np.zeros(n, np.int64)
    groups = np.zeros(n, np.int64)
    for members, bounds, _, _ in blocks:
        counts[members] += np.diff(bounds)
        groups[members] += 1
    total = int(counts.sum())
    indptr = np.zeros(n + 1, number)
    np.cumsum(counts, out=indptr[1:])
    indices, data = np.empty(total, number), np.empty(total)
    free = indptr[:-1].astype(np.int64)
    for block in blocks:
        place_rows(*block, free, indices, data)
    found = sparse.csr_array((data, indices, indptr), shape=(n, n))
    if groups.max(initial=0) <= 1:
        found.has_canonical_format = True  # each row is one block's, whose columns are sorted
    return canonical(found)
