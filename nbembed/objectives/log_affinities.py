"""log p̃, the logarithms of neighbor probabilities that NeRV's precision term needs.

A pair so far from each other that p underflows still has a logarithm, −β d² − log z, and a map that
shows the pair as neighbors must pay for it. Logarithms are therefore computed from the distances
where P was (:attr:`nbembed.affinities.Affinities.log_P`), and widening, links and normalization act
on them. A pair without affinity, off the graph of a sparse P or across a cannot-link, has none; the
objective puts log ε in its place.

Another widening or supervision costs one fused pass over all pairs. Another ρ changes linked pairs
alone: what is stored is log p̃_ij − log keep_i, and without links between i and j that is log p_ij.
"""

from __future__ import annotations

import threading
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from dataclasses import dataclass, field
from typing import Any, NamedTuple

import numpy as np
from numpy.typing import NDArray
from scipy import sparse
from scipy.special import xlogy

from nbembed.affinities import Affinities
from nbembed.data.probabilities import canonical
from nbembed.kernels.inner_product import dot
from nbembed.kernels.log_rows import packed_log_rows, rewrite_links
from nbembed.kernels.terms import NO_AFFINITY
from nbembed.objectives.cannot_links import allowed_points
from nbembed.objectives.link_shares import LinkShares
from nbembed.objectives.supervised_affinities import SupervisedAffinities, pattern_of, values_at
from nbembed.system.memory import check_memory

#: Share of the data in a linked row below which p̃/keep could overflow in float32.
LEAST = 1e-16
#: What a linked pair takes at most while it is stored: measured with 12 million of them.
PAIR_BYTES = 180


class MixedLogs(NamedTuple):
    """log p̃ at one ρ, and sums over p̃.

    * kernel: log p̃ − log keep as :func:`nbembed.kernels.neighbor_retrieval.neighbor_retrieval`
      takes it.
    * keep (n_samples,): share of the data in each row.
    * entropy: Σ p̃ log p̃, in nats.
    * inward (n_samples,): Σ_i w_i p̃_ij.
    """

    kernel: Any
    keep: NDArray[np.float64]
    entropy: float
    inward: NDArray[np.float64]


class _Stored(NamedTuple):
    """Packed log p̃ and sums, stored for one widening and one set of links.

    ``rewrite(scale, keep)`` writes the linked pairs, with ``scale`` times what links ask for at
    ρ = 1, and returns their Σ p̃ log p̃; the other attributes are those of
    :class:`nbembed.kernels.terms.LogRowsTerms`.
    """

    kernel: Any
    rewrite: Callable[[float, Any], float]
    masses: NDArray[np.float64]
    entropies: NDArray[np.float64]
    inward: NDArray[np.float64]


class SupervisedLogs:
    """log p̃ of one widening and one set of links, at one ρ after the other.

    The matrix is as large as P, so objectives at different ρ share one, in turns.

    * supervised: links; their ρ is not used.
    * widths (n_samples,): w_i.
    """

    def __init__(
        self, supervised: SupervisedAffinities, widths: NDArray[np.float64], stored: _Stored
    ) -> None:
        self._shares = supervised.shares
        self._widths, self._stored = widths, stored
        self._mixed: MixedLogs | None = None
        self._share = -1.0  # of the data in linked rows, as the linked pairs are written now
        self._turn = threading.Lock()

    @contextmanager
    def mixed(self, rho: float, least: float) -> Iterator[MixedLogs]:
        """Hold log p̃ at ρ; what it returns is valid inside the context alone.

        * rho: ρ in [0, 1].
        * least: share of the data at ρ = 1, where its logarithms would be −inf without it; at
          least :data:`LEAST`.
        """
        share = max(1 - rho, least, LEAST)
        with self._turn:
            if self._mixed is None or (share != self._share and self._shares.strengths.any()):
                self._mixed = None  # an interrupt leaves the matrix written in part
                self._mixed = self._mix(share)
                self._share = share
            yield self._mixed

    def _mix(self, share: float) -> MixedLogs:
        shares, stored, scale = self._shares, self._stored, 1 - share
        keep = (1 - shares.strengths) + share * shares.strengths
        entropy = stored.rewrite(scale, keep)
        entropy += dot(keep, stored.entropies) + dot(xlogy(keep, keep), stored.masses)
        inward = stored.inward[0] + share * stored.inward[1]
        inward += scale * shares.inward(self._widths[shares.groups[1]] * shares.rates)
        if shares.own is not None:
            inward += scale * (self._widths @ shares.own)
        return MixedLogs(stored.kernel, keep, entropy, inward)


@dataclass(frozen=True, eq=False)
class LogAffinities:
    """Logarithms of row-stochastic P, and the last ones with supervision that were made of them.

    * logs (n_samples, n_samples) or None: log p, −inf where p is zero; None for a sparse P, whose
      entries suffice.
    """

    logs: NDArray[Any] | None
    _last: dict[Any, SupervisedLogs] = field(default_factory=dict, init=False, repr=False)

    @classmethod
    def of(cls, affinities: Affinities) -> LogAffinities:
        """Return the logarithms of affinities in the row form, the same object each time."""
        made: LogAffinities = affinities.cached(
            "logarithms", lambda: cls(None if affinities.is_sparse else affinities.log_P)
        )
        return made

    def supervised(
        self,
        supervised: SupervisedAffinities,
        widths: NDArray[np.float64],
        widening: float,
        n_threads: int,
    ) -> SupervisedLogs:
        """Return log p̃.

        * supervised: links and cannot-links.
        * widths (n_samples,): w_i.
        * widening: s > 0: p̃ is of the widths s σ_i, p ∝ p^(1/s²).
        """
        key = supervised.links.key, widening, widths.tobytes()
        made = self._last.get(key)
        if made is None:
            kappa = widening**-2
            if self.logs is None:
                stored = _sparse(supervised, kappa, widths)
            else:
                stored = _dense(self.logs, supervised, kappa, widths, n_threads)
            made = SupervisedLogs(supervised, widths, stored)
            self._last.clear()  # each is as large as P, and objectives keep theirs
            self._last[key] = made
        return made


def check_linked_pairs(sizes: NDArray[np.int64]) -> None:
    """Raise ValueError if the pairs of groups of these sizes would not fit into memory.

    With a sparse P each of them is stored, at any ρ: objectives that differ in ρ share them.
    """
    pairs = int(np.square(sizes.astype(np.float64)).sum())
    check_memory(
        PAIR_BYTES * pairs,
        f"{pairs} pairs of labeled or linked points",
        "fewer labels or links, or HSSNE, which visits no pair of a large group",
    )


def _dense(
    logs: NDArray[Any],
    supervised: SupervisedAffinities,
    kappa: float,
    widths: NDArray[np.float64],
    n_threads: int,
) -> _Stored:
    logs, shares = _without(logs, supervised), supervised.shares
    terms = packed_log_rows(logs, kappa, shares.groups, widths, shares.strengths, n_threads)
    o = shares.own

    def rewrite(scale: float, keep: Any) -> float:
        own = None if o is None else (o.indptr, o.indices, scale * o.data)
        return rewrite_links(
            terms.packed, logs, kappa, terms.shifts, shares.groups, scale * shares.rates, keep,
            n_threads, own=own,
        )  # fmt: skip

    return _Stored(terms.packed, rewrite, terms.masses, terms.entropies, terms.inward)


def _without(logs: NDArray[Any], supervised: SupervisedAffinities) -> NDArray[Any]:
    """Return ``logs`` with −inf across cannot-links; a row that loses all becomes uniform."""
    if supervised.supervision is None or not supervised.supervision.cannot_links:
        return logs
    cannot_links = supervised.supervision.cannot_links
    logs = logs.copy()
    for a, b in cannot_links:
        logs[np.ix_(a, b)] = -np.inf
        logs[np.ix_(b, a)] = -np.inf
    np.fill_diagonal(logs, -np.inf)
    for i in np.flatnonzero(np.isneginf(logs).all(axis=1)):
        logs[i, allowed_points(int(i), logs.shape[0], cannot_links)] = 0.0
    return logs


def _sparse(supervised: SupervisedAffinities, kappa: float, widths: NDArray[np.float64]) -> _Stored:
    """Return (indptr, indices, log p̃_ij, log p̃_ji) over all entries of p̃ and p̃ᵀ, and sums.

    Raises ValueError if the pairs of large groups would not fit into memory.
    """
    shares = supervised.shares
    check_linked_pairs(np.diff(shares.groups[0]))
    log_P = _widened(supervised.allowed.P, kappa)
    u = _sum_over_groups(shares, np.ones(shares.rates.size))
    v = _sum_over_groups(shares, shares.rates)
    if shares.own is not None:
        v = canonical(sparse.csr_array(v + shares.own))
    pattern = pattern_of(log_P, u)
    n, j = log_P.shape[0], pattern.indices
    i = np.repeat(np.arange(n), np.diff(pattern.indptr))
    own = values_at(pattern, log_P, -np.inf)
    other = values_at(pattern, sparse.csr_array(log_P.T), -np.inf)
    linked = np.flatnonzero(values_at(pattern, u))
    v_own = values_at(pattern, v)[linked]
    v_other = values_at(pattern, canonical(sparse.csr_array(v.T)))[linked]
    own_linked, other_linked = own[linked], other[linked]
    i_linked, j_linked = i[linked], j[linked]
    p = np.exp(own)
    of_linked = shares.strengths * widths
    inward = np.array(
        [np.bincount(j, w[i] * p, minlength=n) for w in (widths - of_linked, of_linked)]
    )
    unlinked = own.copy()
    unlinked[linked] = -np.inf

    logs_own, logs_other = (_marked(half).astype(supervised.base.dtype) for half in (own, other))

    def rewrite(scale: float, keep: Any) -> float:
        entropy = 0.0
        for logs, rows, half, links in (
            (logs_own, i_linked, own_linked, v_own),
            (logs_other, j_linked, other_linked, v_other),
        ):
            log_keep = np.log(keep[rows])
            with np.errstate(divide="ignore"):  # log 0 = −∞: no share of the links
                log_p = np.logaddexp(log_keep + half, np.log(scale * links))
            log_p = np.minimum(log_p, 0.0)
            logs[linked] = _marked(log_p - log_keep)
            if logs is logs_own:
                entropy = float(_x_exp_x(log_p).sum())
        return entropy

    return _Stored(
        (pattern.indptr, j, logs_own, logs_other),
        rewrite,
        np.bincount(i, np.exp(unlinked), minlength=n).astype(float),
        np.bincount(i, _x_exp_x(unlinked), minlength=n).astype(float),
        inward,
    )


def _widened(P: Any, kappa: float) -> Any:
    """Return κ log p_ij − log Σ_k p_ik^κ at the entries p > 0 of P, as CSR array.

    In logarithms, because p^κ underflows for narrow neighborhoods.
    """
    P = sparse.csr_array(P, dtype=np.float64, copy=True)
    P.eliminate_zeros()
    rows, starts = np.repeat(np.arange(P.shape[0]), np.diff(P.indptr)), P.indptr[:-1]
    logs = kappa * np.log(P.data)
    logs -= np.maximum.reduceat(logs, starts)[rows]  # each row has an entry: it sums to one
    logs -= np.log(np.add.reduceat(np.exp(logs), starts))[rows]
    P.data = np.minimum(logs, 0.0)
    return P


def _marked(logs: NDArray[np.float64]) -> NDArray[np.float64]:
    """Return logarithms with the kernels' mark where p is zero."""
    return np.where(logs > -np.inf, logs, NO_AFFINITY)


def _x_exp_x(x: NDArray[np.float64]) -> NDArray[np.float64]:
    """Return x eˣ, 0 at −∞."""
    return np.where(x > -np.inf, x, 0.0) * np.exp(x)


def _sum_over_groups(shares: LinkShares, rates: NDArray[np.float64]) -> Any:
    """Return Σ_g r_ig w_ig w_jg for rates r, as CSR array without a diagonal."""
    indptr, members, weights = shares.groups
    shape = indptr.size - 1, shares.strengths.size
    given = sparse.csr_array((rates * weights, members, indptr), shape=shape)
    taken = sparse.csr_array((weights, members, indptr), shape=shape)
    u = sparse.csr_array(given.T @ taken)
    u.setdiag(0)
    u.eliminate_zeros()
    return canonical(u)
