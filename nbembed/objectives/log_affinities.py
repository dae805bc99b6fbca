"""log p̃, the logarithms of neighbor probabilities that NeRV's precision term needs.

A pair so far from each other that p underflows still has a logarithm, −β d² − log z, and a map that
shows the pair as neighbors must pay for it. Logarithms are therefore computed from the distances
where P was (:attr:`nbembed.affinities.Affinities.log_P`), and widening, links and normalization act
on them. A pair without affinity, off the graph of a sparse P or across a cannot-link, has none; the
objective puts log ε in its place.

Another ρ, widening or supervision costs one fused pass over all pairs. Its last result is kept with
the affinities, so that a new objective of the same affinities and links repeats nothing.
"""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Any, NamedTuple

import numpy as np
from scipy import sparse

from nbembed.kernels.log_rows import packed_log_rows
from nbembed.kernels.terms import NO_AFFINITY
from nbembed.objectives.cannot_links import allowed_points

if TYPE_CHECKING:
    from numpy.typing import NDArray

    from nbembed.affinities import Affinities
    from nbembed.objectives.supervised_affinities import SupervisedAffinities


class SupervisedLogs(NamedTuple):
    """log p̃ and sums over p̃.

    Attributes
    ----------
    kernel : ndarray or tuple
        log p̃ as :func:`nbembed.kernels.neighbor_retrieval.neighbor_retrieval` takes it.
    entropy : float
        Σ p̃ log p̃, in nats.
    inward : ndarray of shape (n_samples,)
        Σ_i w_i p̃_ij.
    """

    kernel: Any
    entropy: float
    inward: NDArray[np.float64]


@dataclass(frozen=True, eq=False)
class LogAffinities:
    """Logarithms of row-stochastic P, and the last ones with supervision that were made of them.

    Attributes
    ----------
    logs : ndarray of shape (n_samples, n_samples) or None
        log p, −inf where p is zero; None for a sparse P, whose entries suffice.
    """

    logs: NDArray[Any] | None
    _last: dict[Any, SupervisedLogs] = field(default_factory=dict, repr=False)

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
        least: float,
        n_threads: int,
    ) -> SupervisedLogs:
        """Return log p̃ and sums over p̃.

        Parameters
        ----------
        supervised : SupervisedAffinities
            Links, their share, and cannot-links.
        widths : ndarray of shape (n_samples,)
            w_i.
        widening : float
            s > 0: p̃ is of the widths s σ_i, p ∝ p^(1/s²).
        least : float
            Share of the data at ρ = 1, where its logarithms would be −inf without it.
        n_threads : int
        """
        # Where nothing is linked ρ has no effect here.
        rho = min(supervised.rho, 1 - least) if supervised.linked else 0.0
        key = supervised.links_key, rho, widening, widths.tobytes()
        made = self._last.get(key)
        if made is None:
            keep = np.where(supervised.keep < 1, 1 - rho, 1.0)
            rates = supervised.rates * (rho / supervised.rho if rho > 0 else 1.0)
            kappa = widening**-2
            if self.logs is None:
                made = _sparse(supervised, kappa, rates, keep, widths)
            else:
                logs, groups = _without(self.logs, supervised), supervised.groups
                terms = packed_log_rows(logs, kappa, groups, rates, keep, widths, n_threads)
                terms.packed.flags.writeable = False
                made = SupervisedLogs(*terms)
            self._last.clear()  # each is as large as P, and objectives keep theirs
            self._last[key] = made
        return made


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


def _sparse(
    supervised: SupervisedAffinities,
    kappa: float,
    rates: NDArray[np.float64],
    keep: NDArray[np.float64],
    widths: NDArray[np.float64],
) -> SupervisedLogs:
    """Return (indptr, indices, log p̃_ij, log p̃_ji) over all entries of p̃ and p̃ᵀ, and sums."""
    P = sparse.csr_array(supervised.allowed.P, dtype=np.float64, copy=True)
    P.eliminate_zeros()
    P.data **= kappa
    P = sparse.csr_array(sparse.diags_array(keep / P.sum(axis=1)) @ P)
    if supervised.linked:
        indptr, members, weights = supervised.groups
        shape = indptr.size - 1, P.shape[0]
        incidence = sparse.csr_array((weights, members, indptr), shape=shape)
        u = sparse.csr_array(incidence.T @ incidence)
        u.setdiag(0)
        P = sparse.csr_array(P + sparse.diags_array(rates) @ u)
    P.eliminate_zeros()
    P.sum_duplicates()
    either = sparse.csr_array(P + P.T)
    either.sum_duplicates()
    rows = np.repeat(np.arange(P.shape[0]), np.diff(either.indptr))
    dtype = supervised.base.dtype

    def logs_at(rows: NDArray[Any], columns: NDArray[Any]) -> NDArray[Any]:
        p = np.asarray(P[rows, columns]).ravel()
        logs = np.full(p.size, NO_AFFINITY, dtype)
        logs[p > 0] = np.minimum(np.log(p[p > 0]), 0.0)
        return logs

    ahead, back = logs_at(rows, either.indices), logs_at(either.indices, rows)
    kernel = either.indptr, either.indices, ahead, back
    return SupervisedLogs(kernel, float(P.data @ np.log(P.data)), P.T @ widths)
