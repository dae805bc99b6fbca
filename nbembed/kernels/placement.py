"""Positions of new points on a fitted map: each minimizes its own row of a method's cost.

With p_j the neighbor probabilities of one new point over the fitted points y_j, and

    e_j = log(1 + α w τ_j)/α   (w τ_j at α = 0),   τ_j = ‖y − y_j‖²
    q_j = exp(−e_j) / Σ_k exp(−e_k)

the row is

    f(y) = t KL(p‖q) + (1 − t) KL(q‖p) + μ Σ_j p_j e_j
    ∇f   = 2 Σ_j [(t + μ) p_j − t q_j − (1 − t) q_j (L_j − F)] S_j (y − y_j)

with S_j = de_j/dτ_j = w/(1 + α w τ_j), L_j = log(q_j/p_j) and F = Σ_j q_j L_j. t = 1 is the row of
HSSNE (α ≥ 0), of SNE and of Mbed's floor (α = 0); t < 1 is NeRV's. Sums run over all fitted points,
without a cutoff. Exponents are shifted by the smallest, so that the row of a point far from the
whole map does not underflow.

With α > 0 or t < 1 a row may have several minima. The descent begins at the given start of least
cost and takes quasi-Newton steps (BFGS; the first is the fixed-point step of HSSNE,
y − ∇f / 2Σ(t + μ)pS), each accepted only if it lowers the cost. Rows are independent of each other.
"""

from __future__ import annotations

from functools import lru_cache
from types import FunctionType
from typing import Any

import numpy as np

from nbembed.kernels.codegen.compiling import compiled, inlined, read_only, source_digest
from nbembed.kernels.codegen.numba_adapter import keep_on_disk, njit
from nbembed.kernels.codegen.vector_math import exp, log1p
from nbembed.kernels.terms import GAUSSIAN_BELOW
from nbembed.kernels.threads import run_chunks

#: Rows a chunk of work.
CHUNK = 16
#: Steps at most; a dozen is usual.
MAX_STEPS = 200
#: Halvings of a step before it is given up.
MAX_HALVINGS = 40


@inlined
def exponent_terms(e, s, w, alpha):
    """Turn τ in ``e`` into the exponents, and write their derivatives S to ``s``."""
    if alpha == 0.0:
        for j in range(e.size):
            e[j] *= w
            s[j] = w
    else:
        a = alpha * w
        b = 1.0 / alpha
        for j in range(e.size):
            x = a * e[j]
            s[j] = w / (1.0 + x)
            e[j] = b * log1p(x)


@inlined
def _row_cost(Yt, p, log_p, w, alpha, tradeoff, tether, y, e, s, q, gradient):
    """Write ∇f to ``gradient``; return f without t Σ p log p, and 2 Σ (t + μ) p S."""
    d, n = Yt.shape
    for j in range(n):
        e[j] = 0.0
    for k in range(d):
        own = y[k]
        axis = Yt[k]
        for j in range(n):
            gap = own - axis[j]
            e[j] += gap * gap
    exponent_terms(e, s, w, alpha)
    low = e[0]
    for j in range(n):
        low = min(low, e[j])
    total = 0.0
    cross = 0.0
    for j in range(n):
        h = exp(low - e[j])
        q[j] = h
        total += h
        cross += p[j] * e[j]
    log_normalizer = np.log(total) - low
    share = 1.0 / total
    pull = tradeoff + tether
    cost = pull * cross + tradeoff * log_normalizer
    if tradeoff < 1.0:
        F = 0.0
        for j in range(n):
            F += share * q[j] * (-e[j] - log_normalizer - log_p[j])
        back = 1.0 - tradeoff
        cost += back * F
        for j in range(n):
            L = -e[j] - log_normalizer - log_p[j]
            e[j] = (pull * p[j] - share * q[j] * (tradeoff + back * (L - F))) * s[j]
    else:
        for j in range(n):
            e[j] = (pull * p[j] - share * q[j]) * s[j]
    curvature = 0.0
    for j in range(n):
        curvature += p[j] * s[j]
    for k in range(d):
        own = y[k]
        axis = Yt[k]
        force = 0.0
        for j in range(n):
            force += e[j] * (own - axis[j])
        gradient[k] = 2.0 * force
    return cost, 2.0 * pull * curvature


@compiled
def evaluate(Yt, P, log_P, w, alpha, tradeoff, tether, places, costs, gradients):
    """Write f and ∇f of each row at its place."""
    n = Yt.shape[1]
    e, s, q = np.empty(n), np.empty(n), np.empty(n)
    for i in range(P.shape[0]):
        log_p = log_P[i] if tradeoff < 1.0 else log_P[0]
        costs[i], _ = _row_cost(
            Yt, P[i], log_p, w[i], alpha, tradeoff, tether, places[i], e, s, q, gradients[i]
        )


@compiled
def _descend(Yt, P, log_P, w, alpha, tradeoff, tether, starts, size, places, costs):
    d, n = Yt.shape
    e, s, q = np.empty(n), np.empty(n), np.empty(n)
    gradient, after = np.empty(d), np.empty(d)
    y, trial, step, change, turned = (
        np.empty(d), np.empty(d), np.empty(d), np.empty(d), np.empty(d)
    )  # fmt: skip
    H = np.empty((d, d))
    for i in range(P.shape[0]):
        p = P[i]
        log_p = log_P[i] if tradeoff < 1.0 else log_P[0]
        # The cost is evaluated at one place in the code, because it is long and inlined at each
        # call. ``stage`` counts the starts; after them, each evaluation is a trial along a step.
        n_starts = starts.shape[1]
        # As far as the map is wide, or as the point's own neighborhood, which may be wider.
        reach = max(size, 1.0 / np.sqrt(w[i]))
        stage = 0
        cost, curvature, share, slope = np.inf, 0.0, 1.0, 0.0
        steps, halvings, fresh = 0, 0, True
        trial[:] = starts[i, 0]
        y[:] = trial
        gradient[:] = 0.0
        while True:
            value, bend = _row_cost(
                Yt, p, log_p, w[i], alpha, tradeoff, tether, trial, e, s, q, after
            )  # fmt: skip
            if stage < n_starts:
                if value < cost:
                    cost, curvature = value, bend
                    y[:] = trial
                    gradient[:] = after
                stage += 1
                if stage < n_starts:
                    trial[:] = starts[i, stage]
                    continue
            elif not value <= cost + 1e-4 * share * slope:
                halvings += 1
                if halvings == MAX_HALVINGS:
                    if fresh:
                        break
                    # The estimated Hessian misleads: restart along the gradient.
                    fresh = True
                else:
                    # Where a parabola through both costs and the slope is least.
                    bow = value - cost - share * slope
                    factor = -0.5 * share * slope / bow if bow > 0 else 0.5
                    share *= min(0.5, max(0.1, factor))
                    for k in range(d):
                        trial[k] = y[k] + share * step[k]
                    continue
            else:
                length = 0.0
                moved = 0.0
                bent = 0.0
                for k in range(d):
                    step[k] = trial[k] - y[k]
                    change[k] = after[k] - gradient[k]
                    length += step[k] * step[k]
                    moved += step[k] * change[k]
                    bent += change[k] * change[k]
                y[:] = trial
                gradient[:] = after
                cost, curvature = value, bend
                steps += 1
                if steps == MAX_STEPS or length <= 1e-18 * size * size:
                    break
                if moved > 1e-10 * np.sqrt(length * bent):
                    if fresh:
                        H[:] = 0.0
                        for k in range(d):
                            H[k, k] = moved / bent
                    # H ← (I − s c'/m) H (I − c s'/m) + s s'/m, with c the change and m = s'c.
                    inner = 0.0
                    for k in range(d):
                        turned[k] = 0.0
                        for m in range(d):
                            turned[k] += H[k, m] * change[m]
                        inner += turned[k] * change[k]
                    for k in range(d):
                        for m in range(d):
                            H[k, m] += (
                                (1.0 + inner / moved) * step[k] * step[m]
                                - turned[k] * step[m]
                                - step[k] * turned[m]
                            ) / moved
                    fresh = False
            if fresh:
                H[:] = 0.0
                for k in range(d):
                    H[k, k] = 1.0 / curvature if curvature > 0.0 else size * size
            slope = 0.0
            length = 0.0
            for k in range(d):
                step[k] = 0.0
                for m in range(d):
                    step[k] -= H[k, m] * gradient[m]
                slope += step[k] * gradient[k]
                length += step[k] * step[k]
            # The predicted decrease is within rounding.
            if not slope < -1e-15 * (1.0 + abs(cost)):
                break
            share = min(1.0, reach / np.sqrt(length))
            halvings = 0
            for k in range(d):
                trial[k] = y[k] + share * step[k]
        places[i] = y
        costs[i] = cost


def descend_with(row_cost: Any, name: str, *, on_disk: bool = False) -> Any:
    """Return :func:`_descend` compiled with another row cost: the same code with one name replaced.

    * row_cost: with the arguments and results of :func:`_row_cost`.
    * name: of the function, under which its machine code is kept; another one for each row cost.
    * on_disk: whether to keep the machine code, for a row cost whose source is among the kernels.
    """
    code = _descend.py_func.__code__.replace(co_name=name, co_qualname=name)
    function = FunctionType(code, {**globals(), "_row_cost": row_cost}, name)
    dispatcher = njit(nogil=True, error_model="numpy")(function)
    if on_disk:
        keep_on_disk(dispatcher, function, source_digest)
    return dispatcher


@lru_cache(maxsize=32)
def _descend_with_terms(terms: Any) -> Any:
    """Return :func:`_descend` with other terms than :func:`exponent_terms`."""
    cost = FunctionType(_row_cost.py_func.__code__, {**globals(), "exponent_terms": terms})
    return descend_with(njit(nogil=True, error_model="numpy")(cost), "_descend_with_terms")


def descend(
    Yt: Any,
    P: Any,
    log_P: Any,
    w: Any,
    alpha: float,
    tradeoff: float,
    tether: float,
    starts: Any,
    size: float,
    n_threads: int,
    terms: Any = None,
) -> tuple[Any, Any]:
    """Descend from the best of each row's starts; return the place of least cost and the cost.

    * Shapes: starts (m, n_starts, d); returns places (m, d).
    * Yt (d, n) float64: coordinates of the fitted points, one row an axis, about their center.
    * P (m, n) float64: neighbor probabilities of the new points.
    * log_P (m, n), float64, or None: their logarithms, finite also where p underflows; read only
      with t < 1.
    * w (m,) float64: precision of each row's q.
    * alpha: α ≥ 0.
    * tradeoff: t in [0, 1].
    * tether: μ ≥ 0; above zero no row drives its point to infinity.
    * size: the map's radius: no step is longer than that or 1/√w.
    * terms: of another similarity (:mod:`nbembed.kernels.custom_similarity`), which ignores
      ``alpha``.
    * returns costs (m,): without t Σ p log p.
    """
    m = P.shape[0]
    places, costs = np.empty((m, Yt.shape[0])), np.empty(m)
    alpha = 0.0 if alpha < GAUSSIAN_BELOW else float(alpha)
    Yt, P, starts = read_only(Yt), read_only(P), read_only(starts)
    w = read_only(np.asarray(w, dtype=np.float64))
    log_P = read_only(np.empty((1, 0)) if log_P is None else log_P)

    down = _descend if terms is None else _descend_with_terms(terms)

    def run(chunk: int) -> None:
        here = slice(chunk * CHUNK, (chunk + 1) * CHUNK)
        logs = log_P[here] if tradeoff < 1 else log_P
        down(
            Yt, P[here], logs, w[here], alpha, float(tradeoff), float(tether), starts[here],
            float(size), places[here], costs[here],
        )  # fmt: skip

    run_chunks(run, -(-m // CHUNK), n_threads)
    return places, costs
