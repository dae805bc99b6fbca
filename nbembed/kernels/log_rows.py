"""Logarithms of neighbor probabilities: widened, mixed with links, and packed for the tiles.

    log p_ij ← κ log p_ij − log Σ_k p_ik^κ               a width √(1/κ) times as large
    log p̃_ij = log(keep_i p_ij + v_ij)          links mixed in (nbembed.kernels.linked_entropy)

What is packed is log p̃_ij − log keep_i. Where i and j are not linked that is log p_ij, whatever the
share of the links; another share rewrites the linked pairs alone (:func:`rewrite_links`), and the
kernel adds log keep_i.

All arithmetic is on logarithms, in float64, so that pairs whose p underflows keep a finite log p. A
pair without affinity (p̃ = 0: across a cannot-link, or where a given P is zero) is marked by
:data:`~.terms.NO_AFFINITY`, which is above every logarithm.
"""

from __future__ import annotations

from typing import Any

import numpy as np

from nbembed.kernels.codegen.compiling import compiled, read_only
from nbembed.kernels.codegen.tiles import n_chunks
from nbembed.kernels.codegen.vector_math import exp, log
from nbembed.kernels.linked_entropy import add_shares, mark, occurrences, shares
from nbembed.kernels.terms import NO_AFFINITY, LogRowsTerms
from nbembed.kernels.threads import run_chunks


def packed_log_rows(
    logs: Any, kappa: float, links: tuple[Any, ...], widths: Any, strengths: Any, n_threads: int
) -> LogRowsTerms:
    """Return log p packed for the tiles, and sums over p.

    * logs (n, n): log p_ij; −∞ where p is zero, at least one other entry finite in each row. The
      diagonal is not read.
    * kappa: κ > 0.
    * links (indptr, members, weights): groups, as in
      :func:`nbembed.kernels.links.group_attraction`.
    * widths, strengths (n,): w_i and t_i, for ``inward``.

    O(n² + Σ m²) time.
    """
    n = logs.shape[0]
    parts = tuple(
        read_only(np.asarray(part)) for part in (logs, *occurrences(links, n), widths, strengths)
    )
    packed = np.zeros((n, n), logs.dtype)
    chunks = n_chunks(n)
    shifts, masses, entropies = np.zeros(n), np.zeros(n), np.zeros(n)
    inward = np.zeros((chunks, 2, n))
    bounds = np.linspace(0, n, chunks + 1).astype(int)

    def run(chunk: int) -> None:
        here = bounds[chunk], bounds[chunk + 1]
        pack(*parts, kappa, *here, packed, shifts, masses, entropies, inward[chunk])

    run_chunks(run, chunks, n_threads)
    return LogRowsTerms(packed, shifts, masses, entropies, inward.sum(axis=0))


def rewrite_links(
    packed: Any,
    logs: Any,
    kappa: float,
    shifts: Any,
    links: tuple[Any, ...],
    rates: Any,
    keep: Any,
    n_threads: int,
    *,
    own: Any = None,
) -> float:
    """Write log p̃ − log keep of the linked pairs to ``packed``; return their Σ p̃ log p̃ in nats.

    * packed (n, n): as :func:`packed_log_rows` returns it; changed in place.
    * logs, kappa, links: as they were given to :func:`packed_log_rows`.
    * shifts (n,): as :func:`packed_log_rows` returns them.
    * rates, own: as in :func:`nbembed.kernels.linked_entropy.linked_entropy`.
    * keep (n,): share of p in row i, greater than 0.

    O(n + Σ m²) time.
    """
    n = logs.shape[0]
    parts = tuple(
        read_only(np.asarray(part))
        for part in (
            logs, *occurrences(links, n), *shares(rates, own, n), np.log(keep), shifts
        )
    )  # fmt: skip
    chunks = n_chunks(n)
    entropies = np.zeros(chunks)
    bounds = np.linspace(0, n, chunks + 1).astype(int)

    def run(chunk: int) -> None:
        here = bounds[chunk], bounds[chunk + 1]
        entropies[chunk] = rewrite(*parts, kappa, *here, packed)

    run_chunks(run, chunks, n_threads)
    return float(entropies.sum())


@compiled
def pack(
    logs, indptr, members, weights, starts, places, group_of, widths, strengths, kappa,
    first, last, packed, shifts, masses, entropies, inward,
):  # fmt: skip
    """Fill ``packed`` and the sums with the rows from ``first`` to ``last``."""
    n = logs.shape[0]
    row = np.empty(n)
    share = np.empty(n)
    u = np.zeros(n)
    touched = np.zeros(n, np.int64)
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
        shifts[i] = kappa * top + log_sum
        n_touched = mark(i, indptr, members, weights, starts, places, group_of, u, touched)
        for j in range(n):
            # Rounding may leave p slightly above 1.
            log_p = min(row[j] - log_sum, 0.0)
            p = exp(max(log_p, -700.0)) if log_p > -np.inf else 0.0
            inward[0, j] += widths[i] * (1.0 - strengths[i]) * p
            inward[1, j] += widths[i] * strengths[i] * p
            if u[j] == 0.0:
                masses[i] += p
                entropies[i] += p * max(log_p, -700.0)
            share[j] = log_p if log_p > -np.inf else NO_AFFINITY
        u[touched[:n_touched]] = 0.0
        for j in range(i):
            packed[n - 1 - j, i - j - 1] = share[j]
        for j in range(i + 1, n):
            packed[i, j] = share[j]


@compiled
def rewrite(
    logs, indptr, members, weights, starts, places, group_of, rates, own_indptr, own_indices, own,
    log_keep, shifts, kappa, first, last, packed,
):  # fmt: skip
    """Rewrite the linked pairs of the rows from ``first`` to ``last``; return their entropy."""
    n = logs.shape[0]
    u = np.zeros(n)
    v = np.zeros(n)
    touched = np.zeros(n, np.int64)
    entropy = 0.0
    for i in range(first, last):
        n_touched = mark(i, indptr, members, weights, starts, places, group_of, u, touched)
        add_shares(
            i, indptr, members, weights, starts, places, group_of, rates, own_indptr, own_indices,
            own, v,
        )  # fmt: skip
        for e in range(n_touched):
            j = touched[e]
            log_p = -np.inf
            if logs[i, j] > -np.inf:
                log_p = min(kappa * logs[i, j] - shifts[i], 0.0) + log_keep[i]
            if v[j] > 0:
                link = log(v[j])
                larger = max(log_p, link)
                smaller = exp(max(min(log_p, link) - larger, -700.0))
                log_p = min(larger + log(1.0 + smaller), 0.0)
            u[j] = 0.0
            v[j] = 0.0
            value = NO_AFFINITY
            if log_p > -np.inf:
                entropy += exp(max(log_p, -700.0)) * max(log_p, -700.0)
                value = log_p - log_keep[i]
            if i < j:
                packed[i, j] = value
            else:
                packed[n - 1 - j, i - j - 1] = value
    return entropy
