"""Sums over pairs of heavy-tailed symmetric SNE: everything its cost and gradient are made of.

    J = Σ_ij P_ij log(P_ij/Q_ij),   Q_ij = q_ij/Z,   Z = Σ_{i≠j} q_ij
    q = H(τ) = (ατ + 1)^(−1/α),     S = −d log H/dτ = 1/(ατ + 1)
    ∂J/∂y_i = 4 Σ_j (P_ij − q_ij/Z) S_ij (y_i − y_j)

and q = exp(−τ), S = 1 for α = 0: equations (1), (11) and (13) of "Heavy-Tailed Symmetric Stochastic
Neighbor Embedding" (Yang, King, Xu and Oja). Z is known only at the end; attraction and repulsion
are therefore summed separately, and one pass over the pairs suffices.

Three members of the family have specialized loops, because H dominates the time. For a dense P
(repulsion alone), n = 2000, d = 2, float32, one thread, in ns per ordered pair:

    α = 1      one division                     0.09 (0.05)
    α = 0      an exponential                   0.13 (0.09)
    other α    a logarithm and an exponential   0.23 (0.17)

A dense P is read once, its upper half only. With a sparse P, repulsion still sums over all pairs,
attraction only over the entries (:mod:`nbembed.kernels.sparse`).

With factors k of the points, P_ij (k_i + k_j)/2 takes the place of P_ij. It is put together in the
loop, so that other factors cost nothing beforehand.
"""

from __future__ import annotations

import math
from typing import Any

import numpy as np

from nbembed.kernels.codegen.compiling import compiled, read_only
from nbembed.kernels.codegen.simd import Lanes
from nbembed.kernels.codegen.tile_codegen import PairSum, Terms
from nbembed.kernels.codegen.tiles import (
    aligned_zeros,
    distances_stay_finite,
    half_square,
    n_chunks,
    padded,
)
from nbembed.kernels.codegen.vector_math import lanes_exp, lanes_exp2, lanes_log2_1p
from nbembed.kernels.sparse import joint_attraction
from nbembed.kernels.terms import GAUSSIAN_BELOW, HeavyTailedTerms
from nbembed.kernels.threads import run_chunks

_LOG_2 = math.log(2)


def heavy_tailed(
    Yt: Any, P: Any, alpha: float, want_cost: bool, n_threads: int, *, keep: Any = None
) -> HeavyTailedTerms:
    """Return the sums over pairs that cost, gradient and fixed point of HSSNE are made of.

    * Yt (d, n): coordinates, one row an axis.
    * P (n, n), or (indptr, indices, data) of its CSR parts: symmetric, diagonal zero or not
      stored. Read only; of a dense P only the upper half is.
    * alpha: heaviness α ≥ 0 of the tails.
    * want_cost: whether ``cross`` is needed. Otherwise it is skipped where it costs a logarithm a
      pair (α = 1).
    * keep (n,): k, factors of the points.
    * returns: the gradient is 4 (attraction − repulsion / normalizer) when P sums to one.

    O(d n²) time, O(d n) memory. Sums over single pairs are taken in the type of the points, those
    over tiles of the normalizer and of the cost in float64. If squared distances overflow or all q
    underflow in float32, the work is done in float64; q below 2.2e-308 count as that number.
    """
    d, n = Yt.shape
    if alpha < GAUSSIAN_BELOW:
        alpha = 0.0
    chunks = n_chunks(n)
    sparse = isinstance(P, tuple)
    points = padded(Yt)
    if alpha and not distances_stay_finite(points, alpha):
        return _in_double(Yt, P, alpha, want_cost, n_threads, keep)
    dense = None if sparse else read_only(P)
    parameters = np.array([alpha, 1 / alpha if alpha else 0.0], points.dtype)
    n_forces = 1 if sparse else 2
    sums = aligned_zeros((chunks, n_forces * d + (not sparse), points.shape[1]), points.dtype)
    totals = np.zeros((chunks, 2))
    halves = None if keep is None or sparse else padded(np.asarray(keep, points.dtype)[None] / 2)
    add = _loop(alpha, sparse, want_cost, halves is not None)
    # t-SNE in the plane is worth specialized code; the rest serves any d (see half_square).
    axes = (0,) * d if alpha == 1 and d <= 2 else ()

    def run(chunk: int) -> None:
        add(points, halves, dense, parameters, n, axes, chunk, chunks, sums[chunk], totals[chunk])

    run_chunks(run, chunks, n_threads)
    normalizer, cross = 2 * totals.sum(axis=0)
    if points.dtype == np.float32 and normalizer < n * n * 1e-30:
        return _in_double(Yt, P, alpha, want_cost, n_threads, keep)
    total = np.add.reduce(sums[:, :, :n], axis=0)
    if sparse:
        attraction, curvature, cross = joint_attraction(Yt, P, alpha, want_cost, n_threads, keep)
        return HeavyTailedTerms(attraction, total, curvature, float(normalizer), cross)
    if not want_cost:
        cross = math.nan
    elif alpha:
        cross *= _LOG_2 / alpha
    return HeavyTailedTerms(
        total[:d], total[d : 2 * d], total[2 * d], float(normalizer), float(cross)
    )


def _in_double(
    Yt: Any, P: Any, alpha: float, want_cost: bool, n_threads: int, keep: Any
) -> HeavyTailedTerms:
    """Return the sums computed in float64, in float32."""
    terms = heavy_tailed(Yt.astype(np.float64), P, alpha, want_cost, n_threads, keep=keep)
    attraction, repulsion, curvature = (part.astype(np.float32) for part in terms[:3])
    return HeavyTailedTerms(attraction, repulsion, curvature, terms.normalizer, terms.cross)


# ---- the terms of a pair -------------------------------------------------------------------------


def _student(tau: Lanes, p: Lanes, a: Any, b: Any, parameters: Any) -> Terms:
    s = 1.0 / (tau + 1.0)
    pull = p * s
    return Terms(forces=[pull, s * s], scalars=[pull], totals=[s])


def _student_cost(tau: Lanes, p: Lanes, a: Any, b: Any, parameters: Any) -> Terms:
    terms = _student(tau, p, a, b, parameters)
    return terms._replace(totals=[*terms.totals, p * lanes_log2_1p(tau)])


def _student_repulsion(tau: Lanes, p: None, a: Any, b: Any, parameters: Any) -> Terms:
    s = 1.0 / (tau + 1.0)
    return Terms(forces=[s * s], totals=[s])


def _kept(formula: Any) -> Any:
    """Return the formula for P_ij (k_i + k_j)/2; the extra of a point is k/2."""

    def terms(tau: Lanes, p: Lanes, a: Any, b: Any, parameters: Any) -> Terms:
        kept: Terms = formula(tau, p * (a[0] + b[0]), a, b, parameters)
        return kept

    return terms


def _gaussian(tau: Lanes, p: Lanes, a: Any, b: Any, parameters: Any) -> Terms:
    q = lanes_exp(-tau)
    return Terms(forces=[p, q], scalars=[p], totals=[q, p * tau])


def _gaussian_repulsion(tau: Lanes, p: None, a: Any, b: Any, parameters: Any) -> Terms:
    q = lanes_exp(-tau)
    return Terms(forces=[q], totals=[q])


def _general(tau: Lanes, p: Lanes, a: Any, b: Any, parameters: Any) -> Terms:
    s, q, exponent = _tail(tau, parameters)
    pull = p * s
    # The cost's logarithm is computed anyway: a loop without it would save one multiplication.
    return Terms(forces=[pull, q * s], scalars=[pull], totals=[q, p * exponent])


def _general_repulsion(tau: Lanes, p: None, a: Any, b: Any, parameters: Any) -> Terms:
    s, q, _ = _tail(tau, parameters)
    return Terms(forces=[q * s], totals=[q])


def _tail(tau: Lanes, parameters: Any) -> tuple[Lanes, Lanes, Lanes]:
    """Return S, q and log2(1 + ατ)."""
    alpha, inverse = parameters
    x = alpha * tau
    exponent = lanes_log2_1p(x)  # keeps its digits for small α, where 1 + ατ rounds to 1
    return 1.0 / (x + 1.0), lanes_exp2(-inverse * exponent), exponent


_SUMS: Any = {"forces": 2, "scalars": 1, "totals": 2}
_REPULSION: Any = {"forces": 1, "totals": 1}
_add_student = half_square(PairSum(_student, forces=2, scalars=1, totals=1))
_add_student_cost = half_square(PairSum(_student_cost, **_SUMS))
_add_student_repulsion = half_square(PairSum(_student_repulsion, **_REPULSION))
_add_gaussian = half_square(PairSum(_gaussian, **_SUMS))
_add_gaussian_repulsion = half_square(PairSum(_gaussian_repulsion, **_REPULSION, registers=2))
_add_general = half_square(PairSum(_general, **_SUMS, parameters=2, registers=2))
_add_general_repulsion = half_square(
    PairSum(_general_repulsion, **_REPULSION, parameters=2, registers=2)
)
_add_kept_student = half_square(PairSum(_kept(_student), forces=2, scalars=1, totals=1, extras=1))
_add_kept_student_cost = half_square(PairSum(_kept(_student_cost), **_SUMS, extras=1))
_add_kept_gaussian = half_square(PairSum(_kept(_gaussian), **_SUMS, extras=1))
_add_kept_general = half_square(
    PairSum(_kept(_general), **_SUMS, parameters=2, registers=2, extras=1)
)


# ---- compiled loops: each is a function of its own, because numba caches functions ----


@compiled
def student(points, halves, P, parameters, n, axes, chunk, chunks, sums, totals):
    """α = 1 with a dense P: attraction, repulsion, curvature and Z."""
    _add_student(points, None, P, parameters, n, axes, chunk, chunks, sums, totals)


@compiled
def student_cost(points, halves, P, parameters, n, axes, chunk, chunks, sums, totals):
    """The same and the cost's Σ_{i<j} P_ij log2(1 + τ_ij)."""
    _add_student_cost(points, None, P, parameters, n, axes, chunk, chunks, sums, totals)


@compiled
def student_repulsion(points, halves, P, parameters, n, axes, chunk, chunks, sums, totals):
    """α = 1: repulsion and Z; P is None."""
    _add_student_repulsion(points, None, P, parameters, n, axes, chunk, chunks, sums, totals)


@compiled
def gaussian(points, halves, P, parameters, n, axes, chunk, chunks, sums, totals):
    """α = 0 with a dense P: all sums, the cost's being Σ_{i<j} P_ij τ_ij."""
    _add_gaussian(points, None, P, parameters, n, axes, chunk, chunks, sums, totals)


@compiled
def gaussian_repulsion(points, halves, P, parameters, n, axes, chunk, chunks, sums, totals):
    """α = 0: repulsion and Z; P is None."""
    _add_gaussian_repulsion(points, None, P, parameters, n, axes, chunk, chunks, sums, totals)


@compiled
def general(points, halves, P, parameters, n, axes, chunk, chunks, sums, totals):
    """Any α > 0 with a dense P: all sums, the cost's being Σ_{i<j} P_ij log2(1 + ατ_ij)."""
    _add_general(points, None, P, parameters, n, axes, chunk, chunks, sums, totals)


@compiled
def general_repulsion(points, halves, P, parameters, n, axes, chunk, chunks, sums, totals):
    """Any α > 0: repulsion and Z; P is None."""
    _add_general_repulsion(points, None, P, parameters, n, axes, chunk, chunks, sums, totals)


@compiled
def kept_student(points, halves, P, parameters, n, axes, chunk, chunks, sums, totals):
    """As :func:`student` for P_ij (k_i + k_j)/2; ``halves`` has k/2."""
    _add_kept_student(points, halves, P, parameters, n, axes, chunk, chunks, sums, totals)


@compiled
def kept_student_cost(points, halves, P, parameters, n, axes, chunk, chunks, sums, totals):
    """As :func:`student_cost` for P_ij (k_i + k_j)/2."""
    _add_kept_student_cost(points, halves, P, parameters, n, axes, chunk, chunks, sums, totals)


@compiled
def kept_gaussian(points, halves, P, parameters, n, axes, chunk, chunks, sums, totals):
    """As :func:`gaussian` for P_ij (k_i + k_j)/2."""
    _add_kept_gaussian(points, halves, P, parameters, n, axes, chunk, chunks, sums, totals)


@compiled
def kept_general(points, halves, P, parameters, n, axes, chunk, chunks, sums, totals):
    """As :func:`general` for P_ij (k_i + k_j)/2."""
    _add_kept_general(points, halves, P, parameters, n, axes, chunk, chunks, sums, totals)


def _loop(alpha: float, sparse: bool, want_cost: bool, kept: bool) -> Any:
    if alpha == 0:
        return gaussian_repulsion if sparse else kept_gaussian if kept else gaussian
    if alpha != 1:
        return general_repulsion if sparse else kept_general if kept else general
    if sparse:
        return student_repulsion
    if kept:
        return kept_student_cost if want_cost else kept_student
    return student_cost if want_cost else student
