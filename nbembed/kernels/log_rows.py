"""Logarithms of neighbor probabilities: widened, mixed with links, and packed for the tiles.

    log p_ij ← κ log p_ij − log Σ_k p_ik^κ               a width √(1/κ) times as large
    log p̃_ij = log(keep_i p_ij + rate_i Σ w_i w_j)        links mixed in (nbembed.kernels.links)

All arithmetic is on logarithms, in float64, so that pairs whose p underflows keep a finite log p. A
pair without affinity (p̃ = 0: across a cannot-link, or where a given P is zero) is marked by
:data:`~.terms.NO_AFFINITY`, which cannot be the logarithm of a probability.
"""

from __future__ import annotations

from typing import Any

import numpy as np

from nbembed.kernels import reference
from nbembed.kernels.backend import with_reference
from nbembed.kernels.codegen.compiling import compiled, read_only
from nbembed.kernels.codegen.tiles import n_chunks
from nbembed.kernels.codegen.vector_math import exp, log
from nbembed.kernels.links import mark
from nbembed.kernels.terms import NO_AFFINITY, LogRowsTerms
from nbembed.kernels.threads import run_chunks


@with_reference(reference.packed_log_rows)
def packed_log_rows(
    logs: Any,
    kappa: float,
    links: tuple[Any, ...],
    rates: Any,
    keep: Any,
    widths: Any,
    n_threads: int,
) -> LogRowsTerms:
    """Return log p̃ packed for the tiles, and sums over p̃.

    Parameters
    ----------
    logs : ndarray of shape (n, n), float32 or float64
        log p_ij; −∞ where p is zero, at least one other entry finite in each row. The diagonal is
        not read.
    kappa : float
        κ > 0.
    links : tuple (indptr, members, weights)
        Groups, as in :func:`nbembed.kernels.links.group_attraction`.
    rates, keep : ndarray of shape (n,)
        Share of the links and of p in row i; ``keep`` > 0.
    widths : ndarray of shape (n,)
        w_i, for ``inward``.
    n_threads : int
        Threads; the result does not depend on it.

    Returns
    -------
    LogRowsTerms

    Notes
    -----
    O(n² + Σ m²) time.
    """
    n = logs.shape[0]
    indptr, members, weights = (np.asarray(part) for part in links)
    # For each point, the positions in ``members`` where it occurs.
    places = np.argsort(members, kind="stable")
    starts = np.searchsorted(members[places], np.arange(n + 1))
    group_of = np.repeat(np.arange(indptr.size - 1), np.diff(indptr))
    parts = tuple(
        read_only(part)
        for part in (logs, indptr, members, weights, starts, places, group_of, rates, keep, widths)
    )
    packed = np.zeros((n, n), logs.dtype)
    chunks = n_chunks(n)
    entropies = np.zeros(chunks)
    inward = np.zeros((chunks, n))
    bounds = np.linspace(0, n, chunks + 1).astype(int)

    def run(chunk: int) -> None:
        here = bounds[chunk], bounds[chunk + 1]
        entropies[chunk] = pack(*parts, kappa, *here, packed, inward[chunk])

    run_chunks(run, chunks, n_threads)
    return LogRowsTerms(packed, float(entropies.sum()), inward.sum(axis=0))


@compiled
def pack(
    logs, indptr, members, weights, starts, places, group_of, rates, keep, widths, kappa,
    first, last, packed, inward,
):  # fmt: skip
    """Fill ``packed`` with the rows from ``first`` to ``last``; return their entropy."""
    n = logs.shape[0]
    row = np.empty(n)
    share = np.empty(n)
    u = np.zeros(n)
    touched = np.zeros(n, np.int64)
    entropy = 0.0
    for i in range(first, last):
        top = -np.inf
        for j in range(n):
            if j != i and logs[i, j] > top:
                top = logs[i, j]
        for j in range(n):
            # Pairs without affinity weigh e⁻⁷⁰⁰, which vanishes in a sum of at least 1.
            there = j != i and logs[i, j] > -np.inf
            row[j] = kappa * (logs[i, j] - top) if there else -np.inf
            share[j] = exp(max(row[j], -700.0))
        log_sum = log(share.sum())
        kept = np.log(keep[i]) - log_sum
        n_touched = mark(i, indptr, members, weights, starts, places, group_of, u, touched)
        for j in range(n):
            row[j] += kept
        for e in range(n_touched):
            j = touched[e]
            if rates[i] * u[j] > 0:
                link = log(rates[i] * u[j])
                larger = max(row[j], link)
                smaller = exp(max(min(row[j], link) - larger, -700.0))
                row[j] = larger + log(1.0 + smaller)
            u[j] = 0.0
        for j in range(n):
            # Rounding may leave p slightly above 1.
            share[j] = min(row[j], 0.0)
            p = exp(max(share[j], -700.0)) if row[j] > -np.inf else 0.0
            entropy += p * max(share[j], -700.0)
            inward[j] += widths[i] * p
            if row[j] == -np.inf:
                share[j] = NO_AFFINITY
        for j in range(i):
            packed[n - 1 - j, i - j - 1] = share[j]
        for j in range(i + 1, n):
            packed[i, j] = share[j]
    return entropy
