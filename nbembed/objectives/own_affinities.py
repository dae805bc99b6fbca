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

from nbembed.kernels.largest import largest_entries
from nbembed.probabilities import canonical

if TYPE_CHECKING:
    from numpy.typing import NDArray

    from nbembed.affinities import Affinities

#: The largest perplexity of own affinities, and how many members they reach for each unit of it.
OWN_PERPLEXITY = 30.0
REACH = 3
#: The largest |log κ|, the most Newton steps, and the error of log perplexity at which they end.
EXPONENTS = 7.0
STEPS = 60
TOLERANCE = 1e-12
TINY = 1e-300
#: Numbers that NumPy adds side by side in the sum of a row.
REGISTER = 8
#: Entries of P that are copied at a time.
BLOCK = 1 << 22

#: Rows, their bounds in the columns and values, columns, and values of a sparse block.
Block = tuple["NDArray[Any]", "NDArray[Any]", "NDArray[Any]", "NDArray[Any]"]


@dataclass(frozen=True, eq=False)
class OwnAffinities:
    """Own affinities of one group, by places among its sorted members.

    Attributes
    ----------
    size : int
        Number of members.
    rows, columns : ndarray of int
        Of the entries, row by row, the largest first.
    values : ndarray of float
    """

    size: int
    rows: NDArray[np.int64]
    columns: NDArray[np.int64]
    values: NDArray[np.float64]

    @classmethod
    def of(cls, P: Affinities, perplexity: float, members: NDArray[np.int64]) -> OwnAffinities:
        """Return those of a group, given by its sorted members."""
        m = members.size
        perplexity = max(1.0, min(perplexity, m / 3, OWN_PERPLEXITY))
        count = min(m - 1, math.ceil(REACH * perplexity))
        inner = P.P[members][:, members] if P.is_sparse else None
        step = max(1, BLOCK // (count if P.is_sparse else m))
        found = []
        for first in range(0, m, step):
            here = slice(first, min(first + step, m))
            if inner is None:
                columns, values = _largest_of_dense(P.P, members, here, count)
            else:
                columns, values = _largest_of_sparse(inner[here], count)
            values = _tempered(values, perplexity)
            rows, at = np.nonzero(values)
            found.append((first + rows, columns[rows, at], values[rows, at]))
        return cls(m, *(np.concatenate(part) for part in zip(*found)))

    @cached_property
    def by_column(self) -> NDArray[np.intp]:
        """The order of the entries in a canonical matrix: by row, then by column."""
        return np.argsort(self.rows * self.size + self.columns)

    @cached_property
    def bounds(self) -> NDArray[np.int64]:
        """Where each row begins among the entries, and the last ends."""
        return np.searchsorted(self.rows, np.arange(self.size + 1))

    @cached_property
    def ordered_columns(self) -> NDArray[np.int64]:
        """The columns in that order."""
        return self.columns[self.by_column]

    @cached_property
    def both_ways(self) -> tuple[NDArray[Any], NDArray[Any], NDArray[Any], NDArray[Any]]:
        """The pattern of G + Gᵀ: bounds and columns, and where each entry and its mirror lie."""
        # SciPy adds row by row without sorting: in the sum, the real part is one more than the
        # number of an entry, and the imaginary part than that of its mirror image.
        numbers = np.arange(1.0, self.rows.size + 1)
        m = self.size
        entries = sparse.csr_array((numbers, self.ordered_columns, self.bounds), shape=(m, m))
        both = entries + 1j * entries.T.tocsr()
        forward, backward = np.empty((2, numbers.size), np.int64)
        for part, found in ((both.data.real, forward), (both.data.imag, backward)):
            at = np.flatnonzero(part)
            found[part[at].astype(np.int64) - 1] = at
        return both.indptr, both.indices, forward, backward


@dataclass(frozen=True, eq=False)
class OwnPart:
    """What a group adds to a matrix of all points.

    Attributes
    ----------
    members : ndarray of int
        Sorted.
    affinities : OwnAffinities
    values : ndarray of float
        Of the entries in canonical order.
    """

    members: NDArray[np.int64]
    affinities: OwnAffinities
    values: NDArray[np.float64]

    def one_way(self) -> Block:
        """Return the entries."""
        own = self.affinities
        return self.members, own.bounds, self.members[own.ordered_columns], self.values

    def both_ways(self, scale: NDArray[np.float64] | None) -> Block:
        """Return s_i o_ij + s_j o_ji, with s = 1 by default."""
        bounds, columns, forward, backward = self.affinities.both_ways
        values = self.values
        if scale is not None:
            values = np.repeat(scale[self.members], np.diff(self.affinities.bounds)) * values
        both = np.zeros(columns.size)
        both[forward] = values
        both[backward] += values
        return self.members, bounds, self.members[columns], both


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
    for rows, bounds, _, _ in blocks:
        counts[rows] += np.diff(bounds)
        groups[rows] += 1
    total = int(counts.sum())
    indptr = np.zeros(n + 1, number)
    np.cumsum(counts, out=indptr[1:])
    indices, data = np.empty(total, number), np.empty(total)
    free = indptr[:-1].astype(np.int64)
    for rows, bounds, columns, values in blocks:
        lengths = np.diff(bounds)
        at = np.repeat(free[rows] - bounds[:-1], lengths) + np.arange(columns.size)
        indices[at], data[at] = columns, values
        free[rows] += lengths
    found = sparse.csr_array((data, indices, indptr), shape=(n, n))
    if groups.max(initial=0) <= 1:
        found.has_canonical_format = True  # each row is one block's, whose columns are sorted
    return canonical(found)


def _largest_of_dense(
    P: Any, members: NDArray[np.int64], here: slice, count: int
) -> tuple[Any, Any]:
    """Return the largest entries of some members' rows among all members: columns and values."""
    block = P[np.ix_(members[here], members)]
    rows = np.arange(len(block))
    block[rows, here.start + rows] = 0
    columns = np.argpartition(-block, count - 1, axis=1)[:, :count]
    return columns, np.take_along_axis(block, columns, axis=1).astype(np.float64)


def _largest_of_sparse(rows: Any, count: int) -> tuple[Any, Any]:
    """Return what :func:`_largest_of_dense` does, from stored entries alone; zeros fill it up."""
    m = rows.shape[0]
    places = largest_entries(rows.indptr, rows.data, count)
    stored = np.minimum(np.diff(rows.indptr), count)
    # In whole registers, in which sums of a row have the same bits with more zeros, too.
    count = min(count, -(-int(stored.max()) // REGISTER) * REGISTER) or 1
    columns, values = np.zeros((m, count), np.int64), np.zeros((m, count))
    row = np.repeat(np.arange(m), stored)
    at = np.arange(places.size) - np.repeat(np.cumsum(stored) - stored, stored)
    columns[row, at], values[row, at] = rows.indices[places], rows.data[places]
    return columns, values


def _tempered(p: NDArray[np.float64], perplexity: float) -> NDArray[np.float64]:
    """Return rows ∝ p^κ of a given perplexity, or the nearest to it that there is.

    Zeros stay zero; a row of zeros stays one. Newton steps in log κ, within a bracket:
    dH/d log κ = −κ² Var[log p].
    """
    there = p > 0
    top = p.max(axis=1, keepdims=True)
    logs = np.log(np.where(there, p, 1)) - np.log(np.where(top > 0, top, 1))
    logs[~there] = 0
    target = math.log(perplexity)

    def powers(at: Any, log_kappa: NDArray[np.float64]) -> tuple[NDArray[np.float64], ...]:
        """Return rows, their entropies, and the derivatives of those by log κ."""
        x = np.exp(log_kappa)[:, None] * logs[at]
        w = np.where(there[at], np.exp(x), 0)
        Z = np.maximum(w.sum(axis=1), TINY)
        w /= Z[:, None]
        mean = (w * x).sum(axis=1)
        variance = (w * (x - mean[:, None]) ** 2).sum(axis=1)
        return w, np.log(Z) - mean, -variance

    low, high = np.full(len(p), -EXPONENTS), np.full(len(p), EXPONENTS)
    widest, narrowest = powers(slice(None), low)[1], powers(slice(None), high)[1]
    log_kappa = np.where(widest <= target, low, high)
    rows = np.flatnonzero((widest > target) & (narrowest < target))
    log_kappa[rows] = 0
    for _ in range(STEPS):
        _, entropy, slope = powers(rows, log_kappa[rows])
        left = np.abs(entropy - target) > TOLERANCE
        rows, entropy, slope = rows[left], entropy[left], slope[left]
        if not rows.size:
            break
        at, wide = log_kappa[rows], entropy > target
        low[rows], high[rows] = np.where(wide, at, low[rows]), np.where(wide, high[rows], at)
        following = at + np.divide(
            target - entropy, slope, out=np.full(rows.size, np.inf), where=slope < -TINY
        )
        outside = (following <= low[rows]) | (following >= high[rows])
        log_kappa[rows] = np.where(outside, (low[rows] + high[rows]) / 2, following)
    return powers(slice(None), log_kappa)[0]
