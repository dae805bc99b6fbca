"""Large-margin terms of Mbed: how clearly, how evenly, and how rightly the points fall into classes.

    m_ik = softmax_k(⟨w_k, y_i⟩/λ),   m̄_k = mean_i m_ik
    A = −(1/n) Σ_i H(M_i),   B = H(m̄) or −KL(m̄‖π),   D = Σ_{i labelled} KL(T_i‖M_i)

equations (5)–(8) of "Large Margin Non-Linear Embedding" (Zien and Quiñonero-Candela), for K ≥ 2 directions w_k in
place of the simplex alone. The gradients of their equations (9)–(11) share the factor m_ik (w_k − w̄_i)/λ,
w̄_i = Σ_l m_il w_l, and add up to

    ∂(−u(A + B) + D)/∂y_i = −(u/λn) Σ_k m_ik (log m_ik − log m̄_k [+ log π_k]) (w_k − w̄_i)
                            + (1/λ) Σ_k (m_ik − t_ik) w_k   if i is labelled

(their equation (9) has a stray Σ_i). Everything is float64: there are n·K numbers against n² pairs.
"""

from __future__ import annotations

from typing import Any, NamedTuple

import numpy as np

from nbembed.kernels.compiling import compiled, read_only
from nbembed.kernels.threads import run_chunks
from nbembed.kernels.tiles import n_chunks
from nbembed.kernels.vector_math import exp, log


class MarginTerms(NamedTuple):
    """Large-margin terms of Mbed.

    Attributes
    ----------
    cost : float
        −u(A + B) + D with u the margin weight, in nats.
    gradient : ndarray of shape (d, n)
        Of the cost, in the type of the points.
    membership : ndarray of shape (n, K), float64
        m_ik; rows sum to one.
    margin, balance, labels : float
        A, B and D.
    """

    cost: float
    gradient: Any
    membership: Any
    margin: float
    balance: float
    labels: float


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

    Parameters
    ----------
    Yt : ndarray of shape (d, n), float32 or float64
        Coordinates, one row an axis.
    directions : ndarray of shape (K, d)
        w_k, one row a class.
    lam : float
        λ > 0, the softness of the borders in units of Y.
    targets : ndarray of shape (n, K)
        T_i, rows of probabilities; rows of NaN for points without a label.
    prior : ndarray of shape (K,)
        π, positive, sums to one. Not read if ``balance`` is 0.
    balance : {0, 1}
        0: B = H(m̄); 1: B = −KL(m̄‖π).
    margin_weight : float
        u, the weight of A + B; 1 is the paper's.
    n_threads : int
        Threads; the result does not depend on it.

    Returns
    -------
    MarginTerms

    Notes
    -----
    Safe for any λ: logarithms of memberships are taken before the exponential, shifted by the largest.
    """
    n_classes, n = len(directions), Yt.shape[1]
    Yt = read_only(Yt)
    directions = read_only(np.asarray(directions, float))
    targets = read_only(np.asarray(targets, float))
    chunks = n_chunks(n)
    bounds = np.linspace(0, n, chunks + 1).astype(int)
    m, log_m = np.empty((n_classes, n)), np.empty((n_classes, n))
    occupation = np.zeros((chunks, n_classes))
    sums = np.zeros((chunks, 2))
    gradient = np.empty(Yt.shape, Yt.dtype)

    def classify(chunk: int) -> None:
        first, last = bounds[chunk], bounds[chunk + 1]
        sums[chunk, 0] = memberships(
            Yt, directions, 1 / lam, first, last, m, log_m, occupation[chunk]
        )

    run_chunks(classify, chunks, n_threads)
    mean = occupation.sum(axis=0) / n
    # A class without members adds nothing: every factor m_ik of its logarithm is 0.
    log_ratio = np.log(np.maximum(mean, 1e-300))
    if balance:
        log_ratio -= np.log(prior)

    def pull(chunk: int) -> None:
        first, last = bounds[chunk], bounds[chunk + 1]
        sums[chunk, 1] = pulls(
            directions, 1 / lam, margin_weight / n, targets, log_ratio, m, log_m,
            first, last, gradient,
        )  # fmt: skip

    run_chunks(pull, chunks, n_threads)
    A, D = float(sums[:, 0].sum() / n), float(sums[:, 1].sum())
    B = float(-(mean * log_ratio).sum())
    membership = np.ascontiguousarray(m.T)
    return MarginTerms(-margin_weight * (A + B) + D, gradient, membership, A, B, D)


@compiled
def memberships(points, directions, inverse_lam, first, last, m, log_m, occupation):
    """Fill ``m`` and ``log_m`` (K, n) and ``occupation`` (K,), Σ_i m_ik; return Σ_ik m_ik log m_ik."""
    n_classes, d = directions.shape
    largest = np.full(last - first, -np.inf)
    total = np.zeros(last - first)
    for k in range(n_classes):
        row = log_m[k, first:last]
        row[:] = 0.0
        for axis in range(d):
            w = directions[k, axis] * inverse_lam
            y = points[axis, first:last]
            for i in range(row.size):
                row[i] += w * y[i]
        for i in range(row.size):
            largest[i] = max(largest[i], row[i])
    for k in range(n_classes):
        row = log_m[k, first:last]
        for i in range(row.size):
            row[i] -= largest[i]
            total[i] += exp(row[i])
    for i in range(total.size):
        total[i] = log(total[i])
    margin = 0.0
    for k in range(n_classes):
        row, members = log_m[k, first:last], m[k, first:last]
        occupied = 0.0
        for i in range(row.size):
            row[i] -= total[i]
            members[i] = exp(row[i])
            occupied += members[i]
            margin += members[i] * row[i]
        occupation[k] = occupied
    return margin


@compiled
def pulls(
    directions, inverse_lam, weight, targets, log_ratio, m, log_m, first, last, gradient
):  # fmt: skip
    """Fill columns ``first`` to ``last`` of ``gradient``; return their part of D."""
    n_classes, d = directions.shape
    size = last - first
    share = -weight * inverse_lam
    along = np.empty((n_classes, size))  # the gradient is Σ_k along_k w_k
    total = np.zeros(size)
    for k in range(n_classes):
        members, logs = m[k, first:last], log_m[k, first:last]
        for i in range(size):
            along[k, i] = share * members[i] * (logs[i] - log_ratio[k])
            total[i] += along[k, i]
    for k in range(n_classes):
        members = m[k, first:last]
        for i in range(size):
            along[k, i] -= members[i] * total[i]
    labels = 0.0
    for i in range(size):
        if np.isnan(targets[first + i, 0]):
            continue
        for k in range(n_classes):
            t = targets[first + i, k]
            along[k, i] += inverse_lam * (m[k, first + i] - t)
            labels += t * (log(max(t, 1e-300)) - log_m[k, first + i])
    for axis in range(d):
        part = total  # its values are no longer needed
        part[:] = 0.0
        for k in range(n_classes):
            w = directions[k, axis]
            for i in range(size):
                part[i] += w * along[k, i]
        gradient[axis, first:last] = part
    return labels
