"""Sums over pairs of NeRV: both divergences between neighborhoods, each with its own width.

    E = t Σ_i KL(p_i‖q_i) + (1 − t) Σ_i KL(q_i‖p_i),   q_ij = e_ij/Z_i,   e_ij = exp(−w_i τ_ij)

Equation (1) of "Supervised nonlinear dimensionality reduction by neighbor retrieval" (Peltonen,
Aidos and Kaski) with t its λ. With x_ij = w_i τ_ij and ℓ = log p, everything a row needs beyond its
pairs are two sums,

    Z_i = Σ_j e_ij,   M_i = Σ_j e_ij (x_ij + ℓ_ij),   KL(q_i‖p_i) = F_i = −M_i/Z_i − log Z_i

and with b_i = (1 − t) w_i/Z_i, k_i = (w_i/Z_i)(t + (1 − t) M_i/Z_i) the gradient is

    ∂E/∂y_i = 2 Σ_j (g_ij + g_ji)(y_i − y_j),   g_ij = t w_i p_ij + e_ij (b_i (x_ij + ℓ_ij) − k_i)

Two passes over the half square: the first for Z and M, the second for the force. Neither e nor p is
symmetric, but each pair is visited once, with its two logarithms side by side
(:attr:`.PairSum.both`). p is computed as exp ℓ, which is cheaper than reading a second matrix from
memory. n = 2000, d = 2, float32, one thread: 0.17 and 0.29 ns per ordered pair.

Where p is zero, the number ``floor`` replaces its logarithm. With a sparse P, the passes treat all
pairs as zeros of P, and the stored entries add the difference.

With a factor per row, p_ij = keep_i p'_ij, the pairs of a dense P see p' alone: log keep_i is taken
from the row's floor and added to its sums, M_i = M'_i + Z_i log keep_i, and keep_i multiplies w_i
in the first term of the force.

A row whose Z_i underflows (an isolated row) is left out of the passes and summed separately,
shifted by its smallest x.
"""

from __future__ import annotations

import math
from typing import Any

import numpy as np

from nbembed.kernels.codegen.compiling import compiled, read_only
from nbembed.kernels.codegen.simd import Lanes
from nbembed.kernels.codegen.tile_codegen import PairSum, Terms
from nbembed.kernels.codegen.tiles import aligned_zeros, half_square, n_chunks, padded
from nbembed.kernels.codegen.vector_math import exp, lanes_exp
from nbembed.kernels.packing import packed_row
from nbembed.kernels.terms import NO_AFFINITY, RetrievalTerms
from nbembed.kernels.threads import run_chunks


def neighbor_retrieval(
    Yt: Any,
    logs: Any,
    widths: Any,
    tradeoff: float,
    floor: float,
    n_threads: int,
    *,
    keep: Any = None,
) -> RetrievalTerms:
    """Return the sums over pairs that cost and gradient of NeRV are made of.

    * Yt (d, n): coordinates, one row an axis; n ≥ 2. Squared distances must stay finite in this
      type.
    * logs (n, n), or tuple (indptr, indices, own, other): log p_ij, packed
      (:func:`nbembed.kernels.log_rows.packed_log_rows`); or CSR parts of a symmetric pattern with
      log p_ij and log p_ji at each entry. NO_AFFINITY where p is zero. With ``keep``, log p_ij −
      log keep_i everywhere.
    * widths (n,) float64: w_i > 0.
    * tradeoff: t in [0, 1].
    * floor: log p where p is zero.
    * keep (n,): factors of the rows of p, in [1e-16, 1]; 1 by default.
    * returns: the cost is t (Σ p log p + cross + Σ log Z_i) + (1 − t) Σ F_i, if each p_i sums to
      one.

    O(d n²) time, O(d n) memory; a row whose Z_i underflows costs O(d n) more.
    """
    d, n = Yt.shape
    chunks = n_chunks(n)
    points = padded(Yt)
    dtype, width = points.dtype, points.shape[1]
    sparse = isinstance(logs, tuple)
    dense = None if sparse else read_only(logs)
    parts = tuple(read_only(part) for part in logs) if sparse else ()
    parameters = np.array([tradeoff, floor], dtype)
    keep = np.ones(n) if keep is None else np.asarray(keep, np.float64)
    log_keep = np.log(keep)
    row_columns = [widths] if sparse else [widths, floor - log_keep]
    row_extras = padded(np.stack(row_columns).astype(dtype))
    bounds = np.zeros(chunks + 1, int)
    if sparse:
        bounds[1:-1] = np.searchsorted(parts[0], np.linspace(0, parts[0][-1], chunks + 1)[1:-1])
        bounds[-1] = n
        parts = (*parts, read_only(log_keep))

    rows = aligned_zeros((chunks, 2, width), dtype)
    along = np.zeros(n)
    no_totals = np.zeros(1)
    sum_rows, add = (floor_sums, floor_forces) if sparse else (row_sums, forces)

    def first_pass(chunk: int) -> None:
        sum_rows(points, row_extras, dense, parameters, n, chunk, chunks, rows[chunk], no_totals)
        if sparse:
            here = bounds[chunk], bounds[chunk + 1]
            entry_sums(points, row_extras[0], *parts, parameters, *here, along)

    run_chunks(first_pass, chunks, n_threads)
    Z, M = rows[:, :, :n].sum(axis=0, dtype=np.float64)
    M += along if sparse else Z * log_keep
    isolated = np.flatnonzero(n * _SMALL[dtype.char] > Z)
    Z[isolated], M[isolated] = 1, 0
    log_Z, F = np.log(Z), -M / Z - np.log(Z)

    rate = widths / Z
    rate[isolated] = 0
    slope = (1 - tradeoff) * rate
    level = rate * (tradeoff + (1 - tradeoff) * M / Z)
    columns = [widths, level, slope]
    if not sparse:
        columns = [widths, level - slope * log_keep, slope, floor - log_keep, widths * keep]
    extras = padded(np.stack(columns).astype(dtype))
    sums = aligned_zeros((chunks, d, width), dtype)
    pulls = np.zeros((d, n))
    totals = np.zeros((chunks, 1))

    def second_pass(chunk: int) -> None:
        add(points, extras, dense, parameters, n, chunk, chunks, sums[chunk], totals[chunk])
        if sparse:
            here = bounds[chunk], bounds[chunk + 1]
            entry_forces(points, extras, *parts, parameters, *here, pulls, totals[chunk])

    run_chunks(second_pass, chunks, n_threads)
    force = np.add.reduce(sums[:, :, :n], axis=0)
    if sparse or isolated.size:
        for i in map(int, isolated):
            row = sparse_row(parts, i, n) if sparse else packed_row(logs, i).astype(np.float64)
            log_p = np.where(row < NO_AFFINITY, row + log_keep[i], floor)
            log_Z[i], F[i] = isolated_row(Yt, i, log_p, widths[i], tradeoff, pulls)
        force += pulls.astype(dtype)
    return RetrievalTerms(force, log_Z, F, float(totals.sum()))


#: A row is isolated if its mean e is below this; above it, terms that underflow are negligible.
_SMALL = {"f": 2.0**-80, "d": 2.0**-900}
#: e is 0 from this x on.
_FAR = {"f": 87.0, "d": 708.0}


# ---- the terms of a pair -------------------------------------------------------------------------


def _similarity(x: Lanes) -> tuple[Lanes, Lanes]:
    """Return exp(−x), exactly 0 where it would underflow, and an x that is finite there."""
    far = _FAR["f" if x.single else "d"]
    near = x.builder.fcmp_ordered("<", x.value, x.constant(far).value)
    x = x.at_most(far)
    return lanes_exp(-x).where(near, 0.0), x


def _row_sums(tau: Lanes, logs: Any, a: Any, b: Any, parameters: Any) -> Terms:
    to_row: list[Lanes] = []
    to_column: list[Lanes] = []
    for sums, entry, (w, floor) in zip((to_row, to_column), logs, (a, b)):
        e, x = _similarity(w * tau)
        sums += [e, e * (x + entry.where(_is_logarithm(entry), floor))]
    return Terms(scalars=list(zip(to_row, to_column)))


def _forces(tau: Lanes, logs: Any, a: Any, b: Any, parameters: Any) -> Terms:
    t, _ = parameters
    halves = []
    for entry, (w, level, slope, floor, share) in zip(logs, (a, b)):
        e, x = _similarity(w * tau)
        there = _is_logarithm(entry)
        log_p = entry.where(there, floor)
        push = e * slope.times_plus(x + log_p, -level)
        pull = share * lanes_exp(log_p).where(there, 0.0)
        halves.append((t.times_plus(pull, push), pull * tau))
    (ahead, cross_ahead), (back, cross_back) = halves
    return Terms(forces=[ahead + back], totals=[cross_ahead + cross_back])


def _is_logarithm(entry: Lanes) -> Any:
    return entry.builder.fcmp_ordered("<", entry.value, entry.constant(NO_AFFINITY).value)


def _floor_sums(tau: Lanes, logs: None, a: Any, b: Any, parameters: Any) -> Terms:
    _, floor = parameters
    (e_row, x_row), (e_column, x_column) = (_similarity(w * tau) for (w,) in (a, b))
    moments = e_row * (x_row + floor), e_column * (x_column + floor)
    return Terms(scalars=[(e_row, e_column), moments])


def _floor_forces(tau: Lanes, logs: None, a: Any, b: Any, parameters: Any) -> Terms:
    _, floor = parameters
    halves = []
    for w, level, slope in (a, b):
        e, x = _similarity(w * tau)
        halves.append(e * slope.times_plus(x + floor, -level))
    return Terms(forces=[halves[0] + halves[1]])


_add_row_sums = half_square(PairSum(_row_sums, scalars=2, extras=2, parameters=2, both=True))
_add_forces = half_square(PairSum(_forces, forces=1, totals=1, extras=5, parameters=2, both=True))
_add_floor_sums = half_square(PairSum(_floor_sums, scalars=2, extras=1, parameters=2))
_add_floor_forces = half_square(PairSum(_floor_forces, forces=1, extras=3, parameters=2))


@compiled
def row_sums(points, extras, logs, parameters, n, chunk, chunks, sums, totals):
    """Add Z_i and M'_i to ``sums``; extras w and the row's floor."""
    _add_row_sums(points, extras, logs, parameters, n, (), chunk, chunks, sums, totals)


@compiled
def forces(points, extras, logs, parameters, n, chunk, chunks, sums, totals):
    """Add the force to ``sums`` and Σ p w τ to ``totals``; extras w, k', b, floor and keep·w."""
    _add_forces(points, extras, logs, parameters, n, (), chunk, chunks, sums, totals)


@compiled
def floor_sums(points, widths, logs, parameters, n, chunk, chunks, sums, totals):
    """Add Z_i and M_i to ``sums`` where all p are zero; logs is None."""
    _add_floor_sums(points, widths, logs, parameters, n, (), chunk, chunks, sums, totals)


@compiled
def floor_forces(points, extras, logs, parameters, n, chunk, chunks, sums, totals):
    """Add the force to ``sums`` where all p are zero; logs is None, extras w, k and b."""
    _add_floor_forces(points, extras, logs, parameters, n, (), chunk, chunks, sums, totals)


# ---- entries of a sparse P ----------------------------------------------------------------------


@compiled
def entry_sums(
    points, widths, indptr, indices, own, other, log_keep, parameters, first, last, along
):
    """Set what the entries of the rows from ``first`` to ``last`` add to M_i."""
    d = points.shape[0]
    floor = parameters[1]
    for i in range(first, last):
        total = 0.0
        for entry in range(indptr[i], indptr[i + 1]):
            if own[entry] < NO_AFFINITY:
                tau = np.float64(0.0)
                for k in range(d):
                    tau += np.float64(points[k, i] - points[k, indices[entry]]) ** 2
                log_p = own[entry] + log_keep[i]
                total += exp(-min(widths[i] * tau, 700.0)) * (log_p - floor)
        along[i] = total


@compiled
def entry_forces(
    points, extras, indptr, indices, own, other, log_keep, parameters, first, last, pulls, total
):
    """Set what the entries of these rows add to the force, and add Σ p w τ."""
    d = points.shape[0]
    t, floor = np.float64(parameters[0]), np.float64(parameters[1])
    difference = np.empty(d)
    for i in range(first, last):
        for entry in range(indptr[i], indptr[i + 1]):
            j = indices[entry]
            tau = 0.0
            for k in range(d):
                difference[k] = points[k, i] - points[k, j]
                tau += difference[k] ** 2
            force = 0.0
            if own[entry] < NO_AFFINITY:
                log_p, w = np.float64(own[entry]) + log_keep[i], np.float64(extras[0, i])
                p = exp(max(log_p, -700.0))
                force += t * w * p
                force += extras[2, i] * exp(-min(w * tau, 700.0)) * (log_p - floor)
                total[0] += p * w * tau
            if other[entry] < NO_AFFINITY:
                log_p, w = np.float64(other[entry]) + log_keep[j], np.float64(extras[0, j])
                force += t * w * exp(max(log_p, -700.0))
                force += extras[2, j] * exp(-min(w * tau, 700.0)) * (log_p - floor)
            for k in range(d):
                pulls[k, i] += force * difference[k]


# ---- isolated rows -------------------------------------------------------------------------------


def sparse_row(parts: tuple[Any, ...], i: int, n: int) -> Any:
    """Return the logarithms of row i, (n,), of CSR parts."""
    indptr, indices, own, *_ = parts
    row = np.full(n, NO_AFFINITY)
    entries = slice(indptr[i], indptr[i + 1])
    row[indices[entries]] = own[entries]
    return row


def isolated_row(
    Yt: Any, i: int, log_p: Any, width: float, tradeoff: float, pulls: Any
) -> tuple[float, float]:
    """Return log Z_i and F_i without underflow; add what q_i does to ``pulls``."""
    difference = (Yt[:, i, None] - Yt).astype(np.float64)
    x = width * np.square(difference).sum(axis=0)
    x[i] = math.inf
    least = float(x.min())
    log_Z = math.log(np.exp(least - x).sum()) - least
    x[i] = least
    log_q = -x - log_Z
    q = np.exp(log_q)
    q[i] = 0.0
    L = log_q - log_p
    F = float(q @ L)
    force = -width * q * (tradeoff + (1 - tradeoff) * (L - F)) * difference
    pulls -= force
    pulls[:, i] += force.sum(axis=1)
    return log_Z, F
