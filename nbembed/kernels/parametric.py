"""Parametric Embedding: each object is placed among the class centers, independently of others.

    q_nk = π_k exp(−½‖r_n − φ_k‖²) / Σ_l π_l exp(−½‖r_n − φ_l‖²)                          (eq. 1)
    f_n(r_n) = −Σ_k p_nk log q_nk + η ‖r_n‖²                                         (eq. 2 and 6)
    ∂f_n/∂r_n = Σ_k (p_nk − q_nk)(r_n − φ_k) + 2η r_n                                      (eq. 3)
    ∂f_n/∂φ_k = (p_nk − q_nk)(φ_k − r_n)                                                   (eq. 4)
    ∂²f_n/∂r_n² = Cov_{q_n}(φ) + 2η I                                                      (eq. 5)

of "Parametric Embedding for Class Visualization" (Iwata and others). ½‖r_n‖² is in every exponent
and cancels, so with a_k = log π_k − ½‖φ_k‖²

    f_n(r) = log Σ_k exp(a_k + ⟨r, φ_k⟩) − Σ_k p_nk (a_k + ⟨r, φ_k⟩) + η ‖r‖²

which is strictly convex: damped Newton's method converges to its unique minimum from anywhere. The
paper's full steps (eq. 7) overshoot where q has a single class, because the Hessian is hardly more
than 2η I there. As ‖∇f‖ ≥ 2η ‖r − r*‖, the gradient bounds the distance from the minimum.

An object depends only on p_n and the centers. Coordinates come as rows here, objects are solved one
after the other, and no memory is needed besides inputs and outputs. All arithmetic is in float64,
whatever the type of the arrays.
"""

from __future__ import annotations

import math
from typing import Any

import numpy as np

from nbembed.kernels.codegen.compiling import compiled, inlined, read_only
from nbembed.kernels.codegen.vector_math import exp
from nbembed.kernels.terms import NEVER, ParametricTerms
from nbembed.kernels.threads import run_chunks

#: Probabilities a chunk: a few milliseconds of Newton steps.
CELLS = 2**15
#: Bounds of Newton steps an object (a handful is usual) and of halvings a step.
MAX_STEPS, MAX_HALVINGS = 200, 50


def parametric(
    objects: Any,
    centers: Any,
    proba: Any,
    log_prior: Any,
    eta: float,
    solve: bool,
    held: Any,
    tolerance: float,
    n_threads: int,
) -> ParametricTerms:
    """Return cost and gradients of Parametric Embedding; with ``solve``, at the best objects.

    * objects (n, d): r_n; with ``solve`` where Newton's method begins. Left as they are.
    * centers (K, d): φ_k.
    * proba (n, K): p_nk; rows sum to one.
    * log_prior (K,): log π_k; :data:`NEVER` for a class that takes no part.
    * eta: η ≥ 0; above 0 with ``solve``.
    * solve: whether to move each object to its minimum first.
    * held int: objects that are not moved.
    * tolerance: how far from its minimum an object may end, in coordinates. An object that is as
      near already stays where it is, to the bit.

    O(n K d) time and O(n d³) for the steps; O(n d) memory.
    """
    n, K = proba.shape
    d = centers.shape[1]
    centers = np.asarray(centers, np.float64)
    squares = np.sum(centers * centers, axis=1)
    offsets = np.maximum(np.asarray(log_prior, np.float64), NEVER) - 0.5 * squares
    # Rounding of the gradient is a share of the centers' distances: no smaller one can be asked.
    reach = 1.0 + math.sqrt(float(squares.max()))
    small = max(2 * eta * tolerance, 1e-14 * reach)
    points = read_only(objects)
    placed = np.empty((n, d), points.dtype)
    gradient = np.empty((n, d), points.dtype)
    curvature = np.empty(n)
    size = max(16, CELLS // K)
    chunks = -(-n // size)
    sums = np.zeros((chunks, K, d + 2))
    totals = np.zeros((chunks, 2))
    across = np.ascontiguousarray(centers.T)
    columns = read_only(proba)
    steps = np.full(n, MAX_STEPS if solve else 0, np.int64)
    steps[held] = 0

    def place(chunk: int) -> None:
        here = slice(chunk * size, min((chunk + 1) * size, n))
        place_objects(
            points[here],
            across,
            columns[here],
            offsets,
            eta,
            steps[here],
            small,
            reach,
            placed[here],
            gradient[here],
            curvature[here],
            sums[chunk],
            totals[chunk],
        )

    run_chunks(place, chunks, n_threads)
    total = np.add.reduce(sums, axis=0)
    excess = total[:, d]
    return ParametricTerms(
        placed,
        float(totals[:, 0].sum()),
        gradient,
        curvature,
        centers * excess[:, None] - total[:, :d],
        total[:, d + 1] + np.abs(excess),
        int(totals[:, 1].sum()),
    )


@inlined
def _memberships(r, across, offsets, q):
    """Write q(r) and return log Σ_k exp(a_k + ⟨r, φ_k⟩)."""
    d, K = across.shape
    for k in range(K):
        q[k] = offsets[k]
    for j in range(d):
        for k in range(K):
            q[k] += r[j] * across[j, k]
    top = q[0]
    for k in range(1, K):
        top = max(top, q[k])
    total = 0.0
    for k in range(K):
        q[k] = exp(q[k] - top)
        total += q[k]
    for k in range(K):
        q[k] /= total
    return top + math.log(total)


@inlined
def _newton_step(across, q, mean, gradient, eta, hessian, step):
    """Write −(Cov_q(φ) + 2ηI)⁻¹ gradient, by Cholesky's method."""
    d, K = across.shape
    for a in range(d):
        for b in range(a + 1):
            entry = 2 * eta if a == b else 0.0
            for k in range(K):
                entry += q[k] * (across[a, k] - mean[a]) * (across[b, k] - mean[b])
            for c in range(b):
                entry -= hessian[a, c] * hessian[b, c]
            hessian[a, b] = math.sqrt(entry) if a == b else entry / hessian[b, b]
    for a in range(d):
        step[a] = -gradient[a]
        for c in range(a):
            step[a] -= hessian[a, c] * step[c]
        step[a] /= hessian[a, a]
    for a in range(d - 1, -1, -1):
        for c in range(a + 1, d):
            step[a] -= hessian[c, a] * step[c]
        step[a] /= hessian[a, a]


@compiled
def place_objects(
    objects,
    across,
    proba,
    offsets,
    eta,
    max_steps,
    small,
    reach,
    placed,
    gradient,
    curvature,
    sums,
    totals,
):
    """Place objects one by one; add to ``sums`` (K, d + 2) and ``totals`` (cost, unsolved)."""
    d, K = across.shape
    q, trial_q = np.empty(K), np.empty(K)
    r, trial, goal, mean, g, step = (
        np.empty(d),
        np.empty(d),
        np.empty(d),
        np.empty(d),
        np.empty(d),
        np.empty(d),
    )
    hessian = np.empty((d, d))
    for n in range(objects.shape[0]):
        for j in range(d):
            r[j] = objects[n, j]
            goal[j] = 0.0
            for k in range(K):
                goal[j] += proba[n, k] * across[j, k]
        expected = 0.0
        for k in range(K):
            expected += proba[n, k] * offsets[k]
        log_total = _memberships(r, across, offsets, q)
        steps = 0
        before, resting = math.inf, False
        while True:
            square, along, norm = 0.0, 0.0, 0.0
            for j in range(d):
                mean[j] = 0.0
                for k in range(K):
                    mean[j] += q[k] * across[j, k]
                g[j] = mean[j] - goal[j] + 2 * eta * r[j]
                norm += g[j] * g[j]
                square += r[j] * r[j]
                along += r[j] * goal[j]
            value = log_total - along + eta * square
            # At the limit of rounding neither cost nor gradient decreases any more.
            if norm <= small * small or (resting and norm > 0.25 * before):
                break
            if steps == max_steps[n]:
                totals[1] += steps > 0
                break
            steps += 1
            before = norm
            _newton_step(across, q, mean, g, eta, hessian, step)
            slope, length = 0.0, 0.0
            for j in range(d):
                slope += g[j] * step[j]
                length += step[j] * step[j]
            # Where q has a single class a full step goes 1/2η too far.
            share = min(1.0, (reach + math.sqrt(square)) / math.sqrt(length))
            rounding = 2e-15 * (abs(log_total) + abs(along) + eta * square + 1.0)
            moved = False
            rise, trial_total = 0.0, log_total
            for _ in range(MAX_HALVINGS):
                square, along = 0.0, 0.0
                for j in range(d):
                    trial[j] = r[j] + share * step[j]
                    square += trial[j] * trial[j]
                    along += trial[j] * goal[j]
                trial_total = _memberships(trial, across, offsets, trial_q)
                rise = trial_total - along + eta * square - value
                if rise <= 1e-4 * share * slope + rounding:
                    moved = True
                    break
                # The minimum of the parabola through both ends and the slope at the first.
                bend = rise - share * slope
                share *= min(0.5, max(0.1, -0.5 * share * slope / bend))
            if not moved:  # within rounding of the minimum, or the cost is NaN
                totals[1] += 1
                break
            resting = rise > -rounding
            log_total = trial_total
            for j in range(d):
                r[j] = trial[j]
            for k in range(K):
                q[k] = trial_q[k]
        totals[0] += value - expected
        bend = 2 * eta
        for k in range(K):
            away, apart = 0.0, 0.0
            for j in range(d):
                away += (across[j, k] - r[j]) ** 2
                apart += (across[j, k] - mean[j]) ** 2
            bend += q[k] * apart
            rest = proba[n, k] - q[k]
            for j in range(d):
                sums[k, j] += rest * r[j]
            sums[k, d] += rest
            sums[k, d + 1] += q[k] * (1 - q[k]) * away
        curvature[n] = bend
        for j in range(d):
            placed[n, j] = r[j] if steps > 0 else objects[n, j]
            gradient[n, j] = g[j]
