"""The sums of NeRV with one width for all points and a sparse P, by four convolutions.

With the map in units of the width, w = 1, the cost of :mod:`nbembed.kernels.neighbor_retrieval`
(equation (1) of the paper that is named there) has q_ij = e_ij/Z_i, e_ij = exp(−τ_ij). P is sparse,
and log p_ij = log ε for pairs that are not stored. With Δ_ij = log p_ij − log ε at stored entries
and Δ_ij = 0 elsewhere,

    m_i = Σ_j q_ij (τ_ij + Δ_ij),   KL(q_i‖p_i) = F_i = −m_i − log ε − log Z_i
    g_ij = t p_ij + e_ij (b_i (τ_ij + Δ_ij) − c_i),   ∂E/∂y_i = 2 Σ_j (g_ij + g_ji)(y_i − y_j)
    b_i = (1 − t)/Z_i,   c_i = (t + (1 − t) m_i)/Z_i

ε itself drops out of the force: what all pairs have in common does not change with q. The terms
with p and Δ are summed along the entries. The rest are sums of e and τe over all pairs, and two
kernels have these as their slopes,

    G = exp(−τ), −dG/dτ = e,        U = (1 + τ) exp(−τ), −dU/dτ = τe

With φ_K[c]_i = Σ_{j≠i} c_j K(τ_ij), the potential of charges c (:mod:`.sums`):

    Z = φ_G[1],   Σ_j τ_ij e_ij = φ_U[1]_i − φ_G[1]_i
    Σ_j (b_i τ_ij − c_i + b_j τ_ij − c_j) e_ij (y_i − y_j)
        = −½ (b_i ∇φ_U[1]_i − c_i ∇φ_G[1]_i + ∇φ_U[b]_i − ∇φ_G[c]_i)

This form is ours. As for SNE (:mod:`.gaussian_rows`), the grid is fine and in float64, rows with a
Z_i below :data:`~.gaussian_rows.ISOLATED` are summed exactly, one by one, and all pairs are summed
where that costs less, or where many rows are isolated.
"""

from __future__ import annotations

import math
from typing import Any

import numpy as np

from nbembed.kernels.codegen.compiling import compiled, inlined, read_only
from nbembed.kernels.codegen.tiles import n_chunks
from nbembed.kernels.codegen.vector_math import exp
from nbembed.kernels.grid.gaussian_rows import GAUSSIAN, ISOLATED, MANY_ISOLATED
from nbembed.kernels.grid.radial import GaussianMoment
from nbembed.kernels.grid.size import AXES, grid_that_pays
from nbembed.kernels.grid.sums import PARTS, radial_sums
from nbembed.kernels.neighbor_retrieval import isolated_row, neighbor_retrieval, sparse_row
from nbembed.kernels.terms import NO_AFFINITY, RetrievalTerms
from nbembed.kernels.threads import run_chunks

#: U.
MOMENT = GaussianMoment()

#: e is that of this τ at least, and p that of this logarithm: below, they are next to nothing, and
#: numbers in float32 would be subnormal.
FAR, LEAST = 80.0, -80.0


def neighbor_retrieval_by_grid(
    Yt: Any,
    logs: tuple[Any, ...],
    widths: Any,
    tradeoff: float,
    floor: float,
    n_threads: int,
    *,
    keep: Any = None,
) -> RetrievalTerms:
    """Compute :func:`~nbembed.kernels.neighbor_retrieval.neighbor_retrieval` in nearly linear time.

    The arguments are the same; P must be sparse, and ``widths`` the same for all points.
    """
    d, n = Yt.shape
    unit = math.sqrt(widths[0])
    points = Yt.astype(np.float64) * unit
    grid = grid_that_pays(points, MOMENT, precise=True) if d in AXES else None
    if not grid:
        return neighbor_retrieval(Yt, logs, widths, tradeoff, floor, n_threads, keep=keep)

    def sums(kernel: Any, charges: Any = None) -> Any:
        on = grid._replace(kernel=kernel)
        return radial_sums(points, kernel, charges, n_threads, precise=True, grid=on)

    near = sums(GAUSSIAN)
    Z = near.potential
    isolated = np.flatnonzero(~(Z > ISOLATED))
    if isolated.size > MANY_ISOLATED * n:
        return neighbor_retrieval(Yt, logs, widths, tradeoff, floor, n_threads, keep=keep)
    moment = sums(MOMENT)
    first = moment.potential - Z  # Σ_j τ_ij e_ij
    log_keep = np.zeros(n) if keep is None else np.log(keep)
    entries = _Entries(points, logs, log_keep, tradeoff, floor, n_threads)

    Z[isolated] = 1.0
    m, log_Z, inverse = (first + entries.excess) / Z, np.log(Z), 1 / Z
    inverse[isolated] = 0.0
    F = -m - floor - log_Z
    b, c = (1 - tradeoff) * inverse, (tradeoff + (1 - tradeoff) * m) * inverse
    from_others = sums(MOMENT, b).gradient - sums(GAUSSIAN, c).gradient
    force = -0.5 * (b * moment.gradient - c * near.gradient + from_others)
    force += entries.force(b)
    if isolated.size:
        parts, alone = np.array_split(isolated, PARTS), np.zeros((PARTS, d, n))

        def sum_rows(part: int) -> None:
            for i in map(int, parts[part]):
                row = sparse_row(logs, i, n)
                log_p = np.where(row < NO_AFFINITY, row + log_keep[i], floor)
                log_Z[i], F[i] = isolated_row(points, i, log_p, 1.0, tradeoff, alone[part])

        run_chunks(sum_rows, PARTS, n_threads)
        force += alone.sum(axis=0)
    return RetrievalTerms((unit * force).astype(Yt.dtype), log_Z, F, entries.cross)


class _Entries:
    """The sums along the stored entries; points are in units of the width.

    * excess (n,): Σ_j e_ij Δ_ij.
    * cross: Σ_ij p_ij τ_ij.
    """

    def __init__(
        self,
        points: Any,
        logs: tuple[Any, ...],
        log_keep: Any,
        tradeoff: float,
        floor: float,
        n_threads: int,
    ) -> None:
        n = points.shape[1]
        dtype = logs[2].dtype
        entries = (read_only(part) for part in logs)
        self._parts = read_only(points.astype(dtype)), *entries, read_only(log_keep), floor
        self._n_threads, self._chunks = n_threads, n_chunks(n)
        indptr = logs[0]
        ends = np.linspace(0, indptr[-1], self._chunks + 1)
        self._bounds = np.searchsorted(indptr, ends)
        self._bounds[0], self._bounds[-1] = 0, n
        self._similarities = np.empty(logs[2].size, dtype)
        self._pulls = np.zeros_like(points)
        self.excess = np.zeros(n)
        crosses = np.zeros(self._chunks)

        def run(chunk: int) -> None:
            crosses[chunk] = pull(
                *self._parts, tradeoff, self._bounds[chunk], self._bounds[chunk + 1],
                self._similarities, self.excess, self._pulls,
            )  # fmt: skip

        run_chunks(run, self._chunks, n_threads)
        self.cross = float(crosses.sum())

    def force(self, b: Any) -> Any:
        """Return Σ_j (t (p_ij + p_ji) + e_ij (b_i Δ_ij + b_j Δ_ji))(y_i − y_j), shape (d, n)."""

        def run(chunk: int) -> None:
            add_corrections(
                *self._parts, b, self._bounds[chunk], self._bounds[chunk + 1],
                self._similarities, self._pulls,
            )  # fmt: skip

        run_chunks(run, self._chunks, self._n_threads)
        return self._pulls


@compiled
def pull(
    points, indptr, indices, own, other, log_keep, floor, tradeoff, first, last,
    similarities, excess, pulls,
):  # fmt: skip
    """Fill e of each entry, Σ_j e_ij Δ_ij and Σ_j t (p_ij + p_ji)(y_i − y_j) of these rows.

    Returns their Σ p τ. What a row's entries need is gathered first, into arrays: the loop that
    computes runs in vector registers then. Loops that sum store nothing: whether a loop that stores
    runs in registers may depend on where the arrays lie in memory, and so would the sum's rounding.
    """
    d, real = points.shape[0], points.dtype.type
    longest = _longest(indptr, first, last)
    difference, tau = np.empty((d, longest), points.dtype), np.empty(longest, points.dtype)
    back, weight = np.empty(longest, points.dtype), np.empty(longest, points.dtype)
    crosses, excesses = np.empty(longest, points.dtype), np.empty(longest)
    far, least = real(FAR), real(LEAST)
    cross = 0.0
    for i in range(first, last):
        start, count = indptr[i], indptr[i + 1] - indptr[i]
        _gather(points, indices, i, start, count, difference, tau)
        for m in range(count):
            back[m] = log_keep[indices[start + m]]
        ahead = real(log_keep[i])
        for m in range(count):
            e = exp(-min(tau[m], far))
            similarities[start + m] = e
            log_p = own[start + m] + ahead
            stored = own[start + m] < NO_AFFINITY
            p = exp(min(max(log_p, least), real(0))) if stored else real(0)
            crosses[m] = p * tau[m]
            excesses[m] = e * (log_p - floor) if stored else 0.0
            returned = exp(min(max(other[start + m] + back[m], least), real(0)))
            weight[m] = p + (returned if other[start + m] < NO_AFFINITY else real(0))
        total = 0.0
        for m in range(count):
            total += excesses[m]
        excess[i] = total
        for m in range(count):
            cross += crosses[m]
        for k in range(d):
            total = 0.0
            for m in range(count):
                total += weight[m] * difference[k, m]
            pulls[k, i] = tradeoff * total
    return cross


@compiled
def add_corrections(
    points, indptr, indices, own, other, log_keep, floor, b, first, last, similarities, pulls
):
    """Add Σ_j e_ij (b_i Δ_ij + b_j Δ_ji)(y_i − y_j) to these rows' ``pulls``."""
    d = points.shape[0]
    longest = _longest(indptr, first, last)
    difference, tau = np.empty((d, longest), points.dtype), np.empty(longest, points.dtype)
    shift, rate, weight = np.empty(longest), np.empty(longest), np.empty(longest)
    for i in range(first, last):
        start, count = indptr[i], indptr[i + 1] - indptr[i]
        _gather(points, indices, i, start, count, difference, tau)
        for m in range(count):
            j = indices[start + m]
            shift[m], rate[m] = log_keep[j] - floor, b[j]
        for m in range(count):
            ahead, back = own[start + m], other[start + m]
            force = b[i] * (ahead + log_keep[i] - floor) if ahead < NO_AFFINITY else 0.0
            force += rate[m] * (back + shift[m]) if back < NO_AFFINITY else 0.0
            weight[m] = force * similarities[start + m]
        for k in range(d):
            total = 0.0
            for m in range(count):
                total += weight[m] * difference[k, m]
            pulls[k, i] += total


@inlined
def _longest(indptr, first, last):
    """Return the largest number of entries in one of these rows."""
    longest = 0
    for i in range(first, last):
        longest = max(longest, indptr[i + 1] - indptr[i])
    return longest


@inlined
def _gather(points, indices, i, start, count, difference, tau):
    """Fill y_i − y_j, an axis after the other, and τ_ij for the entries of row i."""
    for m in range(count):
        tau[m] = 0
    for k in range(points.shape[0]):
        for m in range(count):
            difference[k, m] = points[k, i] - points[k, indices[start + m]]
        for m in range(count):
            tau[m] += difference[k, m] ** 2
