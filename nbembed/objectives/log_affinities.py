"""log p̃: what NeRV's precision term needs of the neighbor probabilities, and p does not keep.

A pair so far apart that p underflows still has a logarithm, −β d² − log z, and a map that makes
neighbors of it must pay for that. So logarithms come from the distances where P did
(:attr:`nbembed.affinities.Affinities.log_P`), and widening, mixing with links and normalizing are
done on them. A pair without any affinity, off a sparse P's graph or across a cannot-link, has none;
there the objective puts a number of its own, log ε.

Making them takes a pass over all pairs. They are remembered with the affinities, because a live
session makes a new objective at every move of a slider.
"""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Any, NamedTuple
from weakref import WeakKeyDictionary

import numpy as np
from scipy import sparse

from nbembed.kernels.log_rows import packed_log_rows
from nbembed.kernels.terms import NO_AFFINITY
from nbembed.objectives.pairs import allowed_points

if TYPE_CHECKING:
    from numpy.typing import NDArray

    from nbembed.objectives.supervised_affinities import SupervisedAffinities

#: Logarithms that were made of affinities, as long as those live.
_MADE: WeakKeyDictionary[Any, LogAffinities] = WeakKeyDictionary()


class SupervisedLogs(NamedTuple):
    """log p̃ and what is summed along with it.

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
    """Logarithms of row-stochastic P, and the last mixture that was made of them.

    Attributes
    ----------
    logs : ndarray of shape (n_samples, n_samples) or None
        log p, −inf where p is zero; None for a sparse P, whose entries suffice.
    """

    logs: NDArray[Any] | None
    _last: dict[Any, SupervisedLogs] = field(default_factory=dict, repr=False)

    @classmethod
    def of(cls, P: Any, values: Any) -> LogAffinities:
        """Return the logarithms of ``P``; ``values`` are its rows, checked, dense or CSR."""
        if sparse.issparse(values):
            return cls._remembered(P, lambda: None)
        if hasattr(P, "rows") and hasattr(P, "log_P"):
            return cls._remembered(P, lambda: P.rows().log_P)
        with np.errstate(divide="ignore"):
            return cls(np.log(values))

    @classmethod
    def _remembered(cls, P: Any, make: Any) -> LogAffinities:
        if not hasattr(P, "log_P"):
            return cls(make())
        if P not in _MADE:
            _MADE[P] = cls(make())
        return _MADE[P]

    def mixed(
        self,
        mixture: SupervisedAffinities,
        widths: NDArray[np.float64],
        widening: float,
        least: float,
        n_threads: int,
    ) -> SupervisedLogs:
        """Return log p̃ and sums over p̃.

        Parameters
        ----------
        mixture : SupervisedAffinities
            Links, their share and what they forbid.
        widths : ndarray of shape (n_samples,)
            w_i.
        widening : float
            s > 0: p̃ is of the widths s σ_i, p ∝ p^(1/s²).
        least : float
            Share of the data that is left at ρ = 1, where its logarithms would be −inf.
        n_threads : int
        """
        links = mixture.supervision, mixture.rho, mixture.labels_as_links
        key = *links, widening, least, widths.tobytes()
        made = self._last.get(key)
        if made is None:
            rho = min(mixture.rho, 1 - least)
            keep = np.where(mixture.keep < 1, 1 - rho, 1.0)
            rates = mixture.rates * (rho / mixture.rho if mixture.rho > 0 else 1.0)
            kappa = widening**-2
            if self.logs is None:
                made = _sparse(mixture, kappa, rates, keep, widths)
            else:
                logs, groups = _without(self.logs, mixture), mixture.groups
                terms = packed_log_rows(logs, kappa, groups, rates, keep, widths, n_threads)
                terms.packed.flags.writeable = False
                made = SupervisedLogs(*terms)
            self._last.clear()  # one at a time: each is as large as P, and objectives keep theirs
            self._last[key] = made
        return made


def _without(logs: NDArray[Any], mixture: SupervisedAffinities) -> NDArray[Any]:
    """Return ``logs`` with −inf across cannot-links; a row that loses all becomes uniform."""
    if mixture.supervision is None or not mixture.supervision.cannot_links:
        return logs
    cannot_links = mixture.supervision.cannot_links
    logs = logs.copy()
    for a, b in cannot_links:
        logs[np.ix_(a, b)] = -np.inf
        logs[np.ix_(b, a)] = -np.inf
    np.fill_diagonal(logs, -np.inf)
    for i in np.flatnonzero(np.isneginf(logs).all(axis=1)):
        logs[i, allowed_points(int(i), logs.shape[0], cannot_links)] = 0.0
    return logs


def _sparse(
    mixture: SupervisedAffinities,
    kappa: float,
    rates: NDArray[np.float64],
    keep: NDArray[np.float64],
    widths: NDArray[np.float64],
) -> SupervisedLogs:
    """Return (indptr, indices, log p̃_ij, log p̃_ji) over all entries of p̃ and p̃ᵀ, and sums."""
    P = sparse.csr_array(mixture.allowed.values, dtype=np.float64, copy=True)
    P.eliminate_zeros()
    P.data **= kappa
    P = sparse.csr_array(sparse.diags_array(keep / P.sum(axis=1)) @ P)
    if mixture.linked:
        indptr, members, weights = mixture.groups
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
    dtype = mixture.base.dtype

    def logs_at(rows: NDArray[Any], columns: NDArray[Any]) -> NDArray[Any]:
        p = np.asarray(P[rows, columns]).ravel()
        logs = np.full(p.size, NO_AFFINITY, dtype)
        logs[p > 0] = np.minimum(np.log(p[p > 0]), 0.0)
        return logs

    ahead, back = logs_at(rows, either.indices), logs_at(either.indices, rows)
    kernel = either.indptr, either.indices, ahead, back
    return SupervisedLogs(kernel, float(P.data @ np.log(P.data)), P.T @ widths)
