"""Widths of neighborhoods: rows p_j ∝ exp(−β d_j²) with a given perplexity.

The entropy of a row, with u_j = d_j² − min d², w_j = exp(−β u_j) and Z = Σ w, is

    H(β) = log Z + β E[u],     dH/d log β = −β² Var[u]

(nats; E and Var under the row itself). H falls steadily from the log of the row's length to the log
of the number of nearest points at equal distance, so H(β) = log(perplexity) has one root between.
It is found by Newton steps in log β, each kept inside the bracket known so far: about five sweeps
of a row where bisection needs thirty. Shifting by the nearest distance changes no p and keeps
Z ≥ 1, so that even a far outlier's row cannot underflow.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import numpy as np

from nbembed.kernels.compiling import compiled, inlined
from nbembed.kernels.threads import run_chunks
from nbembed.kernels.vector_math import exp

if TYPE_CHECKING:
    from numpy.typing import NDArray

#: Rows a chunk: some milliseconds of work at n = 10⁴.
CHUNK = 32
#: Sweeps of a row at most; bisection alone would be at the limit of float64 by then.
SWEEPS = 100


@inlined
def _sums(u, beta):
    """Return Σw, Σwu and Σwu² of a row."""
    z = a = b = beta * 0
    for j in range(u.size):
        w = exp(-beta * u[j])
        wu = w * u[j]
        z += w
        a += wu
        b += wu * u[j]
    return z, a, b


@compiled
def _rows(D2, skip, target, tolerance, first, last, P, beta):
    """Calibrate rows first … last − 1; ``skip[i]`` is the column of i itself, −1 for none."""
    m = D2.shape[1]
    u = np.empty(m, D2.dtype)
    for i in range(first, last):
        own = skip[i]
        nearest = np.inf
        total = 0.0
        for j in range(m):
            if j != own:
                d = np.float64(D2[i, j])
                if d < nearest:
                    nearest = d
                total += d
        count = m - (1 if own >= 0 else 0)
        spread = total / count - nearest
        for j in range(m):
            u[j] = D2[i, j] - D2.dtype.type(nearest)
        if own >= 0:
            # A weight of exp(−β·u) with this u is zero at any β that matters, and 0·u² is no NaN.
            u[own] = D2.dtype.type(0)
        if spread <= 0:
            # All at one distance: uniform at any width; one that is finite.
            beta[i] = 1.0
            for j in range(m):
                P[i, j] = D2.dtype.type(1.0 / count)
            if own >= 0:
                P[i, own] = D2.dtype.type(0)
            continue
        low = 0.0
        high = np.inf
        b = 1.0 / spread
        for _ in range(SWEEPS):
            z32, a32, s32 = _sums(u, D2.dtype.type(b))
            z = np.float64(z32) - (1.0 if own >= 0 else 0.0)  # the own column added exp(0) = 1
            mean = np.float64(a32) / z
            variance = np.float64(s32) / z - mean * mean
            excess = np.log(z) + b * mean - target
            if abs(excess) < tolerance:
                break
            if excess > 0:
                low = b
            else:
                high = b
            slope = b * b * variance
            if slope > 0:
                # Newton in log β; at most e² at once, for far from the root H is nearly flat.
                step = b * np.exp(min(2.0, max(-2.0, excess / slope)))
            else:
                step = 0.0
            if not (low < step < high):
                step = 2 * b if high == np.inf else (np.sqrt(low * high) if low > 0 else 0.5 * high)
            if high < np.inf and high - low <= 1e-12 * high:
                break
            b = step
        beta[i] = b
        z = 0.0
        bt = D2.dtype.type(b)
        for j in range(m):
            P[i, j] = exp(-bt * u[j])
        if own >= 0:
            P[i, own] = D2.dtype.type(0)
        for j in range(m):
            z += np.float64(P[i, j])
        scale = D2.dtype.type(1.0 / z)
        for j in range(m):
            P[i, j] *= scale


def calibrate(
    D2: NDArray[Any],
    skip: NDArray[np.int64],
    perplexity: float,
    n_threads: int,
    tolerance: float = 1e-5,
) -> tuple[NDArray[Any], NDArray[np.float64]]:
    """Return rows of neighbor probabilities with a given perplexity, and their precisions.

    Parameters
    ----------
    D2 : ndarray of shape (n, m), float32 or float64
        Squared dissimilarities ≥ 0, C-contiguous.
    skip : ndarray of int64, shape (n,)
        Column of each row's own point, whose probability is zero; −1 for none.
    perplexity : float
        Where more than so many points tie for nearest, the row is (nearly) uniform over them: no
        width has a smaller perplexity.
    n_threads : int
    tolerance : float
        Of the entropy, in nats; hence also of the perplexity, relatively.

    Returns
    -------
    P : ndarray of shape (n, m)
        Each row sums to one.
    beta : ndarray of float64, shape (n,)
        p_j ∝ exp(−β d_j²).
    """
    n = D2.shape[0]
    P = np.empty_like(D2)
    beta = np.empty(n)
    target = float(np.log(perplexity))
    bounds = [(k, min(k + CHUNK, n)) for k in range(0, n, CHUNK)]
    run_chunks(
        lambda c: _rows(D2, skip, target, tolerance, bounds[c][0], bounds[c][1], P, beta),
        len(bounds),
        n_threads,
    )
    return P, beta
