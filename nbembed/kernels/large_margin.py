"""Large-margin terms of Mbed: how clear, balanced and correct the class memberships are.

    m_ik = softmax_k(⟨w_k, y_i⟩/λ),   m̄_k = mean_i m_ik
    A = −(1/n) Σ_i H(M_i),   B = H(m̄) or −KL(m̄‖π),   D = Σ_{i labeled} KL(T_i‖M_i)

equations (6)–(8) of "Large Margin Non-Linear Embedding" (Zien and Quiñonero-Candela) with the
multi-class memberships of equation (15), for any K ≥ 2 directions w_k. All gradients share the
factor m_ik (w_k − w̄_i)/λ, w̄_i = Σ_l m_il w_l, and add up to

    ∂(−u(A + B) + D)/∂y_i = −(u/λn) Σ_k m_ik (log m_ik − log m̄_k [+ log π_k]) (w_k − w̄_i)
                            + (1/λ) Σ_k (m_ik − t_ik) w_k   if i is labeled

(the paper's equation (9) has a stray Σ_i).

There are n·K numbers here against n² pairs elsewhere, so NumPy is enough: 0.1 ms at n = 2000, K =
10, as fast as loops that took 2.7 s to compile. Everything is float64.
"""

from __future__ import annotations

from typing import Any

import numpy as np

from nbembed.kernels.terms import MarginTerms
from nbembed.kernels.threads import run_chunks

#: Points a block, whatever the number of threads. So few that its arrays stay in the second-level
#: cache and its matrix products on one thread: BLAS's own threads stall for milliseconds on a busy
#: machine.
POINTS = 1024


def large_margin(
    Yt: Any,
    directions: Any,
    lam: float,
    targets: Any,
    prior: Any,
    balance: int,
    margin_weight: float,
    n_threads: int,
) -> MarginTerms:
    """Return the large-margin terms of Mbed's cost and their gradient.

    * Yt (d, n): coordinates, one row an axis.
    * directions (K, d): w_k, one row a class.
    * lam: λ > 0, the softness of the borders in units of Y.
    * targets (n, K): T_i, rows of probabilities; rows of NaN for points without a label.
    * prior (K,): π, positive, sums to one. Not read if ``balance`` is 0.
    * balance {0, 1}: 0: B = H(m̄); 1: B = −KL(m̄‖π).
    * margin_weight: u, the weight of A + B; 1 is the paper's.

    Safe for any λ: logarithms of memberships are taken before the exponential, shifted by the
    largest.
    """
    n = Yt.shape[1]
    directions = np.asarray(directions, float)
    bounds = range(0, n, POINTS)
    blocks: list[Any] = [None] * len(bounds)

    def classify(block: int) -> None:
        logits = directions / lam @ Yt[:, bounds[block] : bounds[block] + POINTS]
        logits -= logits.max(axis=0)
        m = np.exp(logits)
        total = m.sum(axis=0)
        m /= total
        logits -= np.log(total)
        blocks[block] = m, logits

    run_chunks(classify, len(blocks), n_threads)
    mean = sum(m.sum(axis=1) for m, _ in blocks) / n
    # A class without members adds nothing: every factor m_ik of its logarithm is 0.
    log_ratio = np.log(np.maximum(mean, 1e-300))
    if balance:
        log_ratio -= np.log(prior)
    gradient = np.empty(Yt.shape, Yt.dtype)
    membership = np.empty((n, len(directions)))
    sums = np.zeros((len(blocks), 2))

    def pull(block: int) -> None:
        m, log_m = blocks[block]
        here = slice(bounds[block], bounds[block] + POINTS)
        membership[here] = m.T
        sums[block, 0] = np.einsum("ki,ki->", m, log_m)
        along = log_m - log_ratio[:, None]  # becomes e of ∂/∂y_i = Σ_k e_ik w_k
        along *= m
        along *= -margin_weight / (lam * n)
        along -= m * along.sum(axis=0)
        t = targets[here]
        labeled = np.flatnonzero(~np.isnan(t[:, 0]))
        if labeled.size:
            t = np.asarray(t[labeled].T, float)
            along[:, labeled] += (m[:, labeled] - t) / lam
            sums[block, 1] = np.sum(t * (np.log(np.maximum(t, 1e-300)) - log_m[:, labeled]))
        gradient[:, here] = directions.T @ along

    run_chunks(pull, len(blocks), n_threads)
    A, D = float(sums[:, 0].sum() / n), float(sums[:, 1].sum())
    B = float(-(mean * log_ratio).sum())
    return MarginTerms(-margin_weight * (A + B) + D, gradient, membership, A, B, D)
