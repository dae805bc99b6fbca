"""Sums over pairs of asymmetric SNE, which Mbed contains: rows normalized one by one.

    C = Σ_i KL(p_i‖q_i),  q_{j|i} = exp(−τ_ij)/Z_i,  Z_i = Σ_{j≠i} exp(−τ_ij)
    ∂C/∂y_i = 2 Σ_j (p_ij + p_ji − q_ij − q_ji)(y_i − y_j)

equation (4) of "Large Margin Non-Linear Embedding" (Zien and Quiñonero-Candela) with the factor 2
missing there. Two passes over the half square: the first computes Z, which the second needs,
since q_ij + q_ji = exp(−τ_ij)(1/Z_i + 1/Z_j).

For a point far from all others, Z_i underflows in float32 (or even in float64). Such isolated rows
are left out of the second pass and summed one by one, shifted by their smallest τ:
log Z_i = −m + log Σ_j exp(m − τ_ij), m = min_j τ_ij.
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
from nbembed.kernels.sparse import sparse_attraction
from nbembed.kernels.terms import GaussianRowsTerms
from nbembed.kernels.threads import run_chunks


def gaussian_rows(
    Yt: Any, W: Any, want_cost: bool, n_threads: int, *, keep: Any = None
) -> GaussianRowsTerms:
    """Return the sums over pairs that cost and gradient of SNE are made of.

    * Yt (d, n): coordinates, one row an axis; n ≥ 2. Squared distances must stay finite in this
      type.
    * W (n, n), or (indptr, indices, data) of its CSR parts: P + Pᵀ, symmetric, diagonal zero or
      not stored. Read only; of a dense W only the upper half is. With ``keep`` P itself, packed
      (:mod:`nbembed.kernels.packing`) or the CSR parts (indptr, indices, own, other) with p_ij and
      p_ji at each entry.
    * want_cost: whether ``cross`` is needed.
    * keep (n,): k, factors of the rows of P: W_ij = k_i p_ij + k_j p_ji, which is never stored.
    * returns: the gradient is 2 (attraction − repulsion), the cost Σ p log p + cross + Σ_i
      log_normalizers_i.

    O(d n²) time, O(d n) memory; a row whose Z_i underflows costs O(d n) more.
    """
    d, n = Yt.shape
    chunks = n_chunks(n)
    points = padded(Yt)
    width = points.shape[1]
    nothing = np.zeros(1, points.dtype)

    rows = aligned_zeros((chunks, 1, width), points.dtype)
    no_totals = np.zeros(1)

    def sum_rows(chunk: int) -> None:
        row_sums(points, nothing, n, chunk, chunks, rows[chunk], no_totals)

    run_chunks(sum_rows, chunks, n_threads)
    Z = rows[:, 0, :n].sum(axis=0, dtype=np.float64)
    # exp returns the smallest normal number for an underflow, so a small sum may consist of these.
    isolated = np.flatnonzero(n * _SMALL[points.dtype.char] > Z)
    log_Z = np.log(Z)
    inverse = 1 / Z
    inverse[isolated] = 0

    sparse = isinstance(W, tuple)
    dense = None if sparse else read_only(W)
    sums = aligned_zeros((chunks, (1 if sparse else 2) * d, width), points.dtype)
    totals = np.zeros((chunks, 1))
    columns = inverse[None] if sparse or keep is None else np.stack([inverse, keep])
    extras = padded(columns.astype(points.dtype))
    add = repulsion_only if sparse else forces if keep is None else kept_forces

    def add_forces(chunk: int) -> None:
        add(points, extras, dense, nothing, n, chunk, chunks, sums[chunk], totals[chunk])

    run_chunks(add_forces, chunks, n_threads)
    total = np.add.reduce(sums[:, :, :n], axis=0)
    repulsion = total[-d:]
    if isolated.size:
        alone = np.zeros((d, n))
        isolated_rows(Yt.astype(np.float64), isolated, log_Z, alone)
        repulsion += alone.astype(points.dtype)
    if sparse:
        attraction, _, cross = sparse_attraction(Yt, W, 0.0, want_cost, n_threads, keep=keep)
        return GaussianRowsTerms(attraction, repulsion, log_Z, cross / 2)
    cross = float(totals.sum()) if want_cost else math.nan
    return GaussianRowsTerms(total[:d], repulsion, log_Z, cross)


#: A row is isolated if its mean exp(−τ) is below this: underflows may then make up 2e-8 of the sum.
_SMALL = {"f": 2.0**-100, "d": 2.0**-970}


def _row_sums(tau: Lanes, p: None, a: Any, b: Any, parameters: Any) -> Terms:
    return Terms(scalars=[lanes_exp(-tau)])


def _forces(tau: Lanes, w: Lanes, a: Any, b: Any, parameters: Any) -> Terms:
    q = lanes_exp(-tau) * (a[0] + b[0])
    return Terms(forces=[w, q], totals=[w * tau])


def _kept_forces(tau: Lanes, p: Any, a: Any, b: Any, parameters: Any) -> Terms:
    q = lanes_exp(-tau) * (a[0] + b[0])
    w = a[1] * p[0] + b[1] * p[1]
    return Terms(forces=[w, q], totals=[w * tau])


def _repulsion(tau: Lanes, p: None, a: Any, b: Any, parameters: Any) -> Terms:
    return Terms(forces=[lanes_exp(-tau) * (a[0] + b[0])])


_add_row_sums = half_square(PairSum(_row_sums, scalars=1, registers=2))
_add_forces = half_square(PairSum(_forces, forces=2, totals=1, extras=1, registers=2))
_add_kept_forces = half_square(
    PairSum(_kept_forces, forces=2, totals=1, extras=2, registers=2, both=True)
)
_add_repulsion = half_square(PairSum(_repulsion, forces=1, extras=1, registers=2))


@compiled
def row_sums(points, nothing, n, chunk, chunks, sums, totals):
    """Add Z_i to ``sums``."""
    _add_row_sums(points, None, None, nothing, n, (), chunk, chunks, sums, totals)


@compiled
def forces(points, inverses, W, nothing, n, chunk, chunks, sums, totals):
    """Add attraction, then repulsion, to ``sums``, and Σ_{i<j} W_ij τ_ij to ``totals``."""
    _add_forces(points, inverses, W, nothing, n, (), chunk, chunks, sums, totals)


@compiled
def kept_forces(points, extras, P, nothing, n, chunk, chunks, sums, totals):
    """Do as :func:`forces` with W_ij = k_i p_ij + k_j p_ji; P is packed, extras 1/Z and k."""
    _add_kept_forces(points, extras, P, nothing, n, (), chunk, chunks, sums, totals)


@compiled
def repulsion_only(points, inverses, W, nothing, n, chunk, chunks, sums, totals):
    """Add repulsion to ``sums``; W is None."""
    _add_repulsion(points, inverses, W, nothing, n, (), chunk, chunks, sums, totals)


@compiled
def isolated_rows(Yt, isolated, log_Z, repulsion):
    """Set log Z_i for the ``isolated`` i and add q_ij (y_i − y_j) to i and its opposite to j."""
    d, n = Yt.shape
    tau = np.empty(n)
    for i in isolated:
        for j in range(n):
            tau[j] = 0.0
            for k in range(d):
                tau[j] += (Yt[k, i] - Yt[k, j]) ** 2
        tau[i] = np.inf
        least = tau.min()
        total = 0.0
        for j in range(n):
            tau[j] = exp(least - tau[j])
        tau[i] = 0.0
        for j in range(n):
            total += tau[j]
        log_Z[i] = np.log(total) - least
        for j in range(n):
            q = tau[j] / total
            for k in range(d):
                force = q * (Yt[k, i] - Yt[k, j])
                repulsion[k, i] += force
                repulsion[k, j] -= force
