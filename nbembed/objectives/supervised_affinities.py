"""How labels and links enter neighbor probabilities: P̃ = (1 − ρ)P + ρU, with U never stored.

``u_ij`` counts the must-link groups that contain both points, each pair weighted by the product of
its members' weights (a class is such a group, weighted by confidence). A group is stored as its
members; ``U`` exists only as sums that the group kernels compute. Two forms:

* joint (HSSNE; "Heavy-Tailed Symmetric Stochastic Neighbor Embedding", section 6.2):
  ``U = u / Σu`` and the share of U is ``ρ_e = ρ · min(1, pairs / n)`` with pairs = Σu/2. With the
  paper's amount of links that is ρ; with few links the fixed mass of U would distort the map.
* rows (SNE, NeRV, Mbed): ``p̃_i = (1 − ρ) p_i + ρ u_i / s_i``, s_i = Σ_j u_ij, for linked points.

A cannot-link (a, b) removes all affinity between its sides from P
(:mod:`nbembed.objectives.cannot_links`) and adds the repulsion ``ρ · mean_{a×b} exp(−τ)``.

P̃ is not stored either. Kernels read P and scale its rows by (1 − ρ) where points are linked, so
that another ρ costs O(n) before the next evaluation. The exception is NeRV, whose kernels read
log P̃ (:mod:`nbembed.objectives.log_affinities`).
"""

from __future__ import annotations

import functools
import itertools
import operator
from collections.abc import Mapping
from dataclasses import dataclass
from functools import cached_property
from typing import TYPE_CHECKING, Any

import numpy as np
from scipy import sparse
from scipy.special import xlogy

from nbembed.affinities import Affinities, canonical, row_sums
from nbembed.kernels.custom_similarity import custom_groups
from nbembed.kernels.gaussian_rows import gaussian_rows
from nbembed.kernels.linked_entropy import linked_entropy, unlinked_sums
from nbembed.kernels.links import cannot_link, group_attraction
from nbembed.kernels.packing import packed
from nbembed.kernels.terms import GaussianRowsTerms
from nbembed.objectives.cannot_links import without_cannot_links
from nbembed.objectives.checks import check_supervision
from nbembed.objectives.similarity import Similarity
from nbembed.validation import check_real

if TYPE_CHECKING:
    from numpy.typing import NDArray

    from nbembed.supervision import Supervision

#: Rows of P whose sums are taken at a time.
ROWS = 256


@dataclass(frozen=True, eq=False)
class SupervisedAffinities:
    """Neighbor probabilities mixed with those of labels and links.

    Attributes
    ----------
    base : Affinities
        P as given, shared.
    allowed : Affinities
        P without what cannot-links forbid; ``base`` itself without cannot-links.
    supervision : Supervision or None
        Labels and links.
    rho : float
        ρ in [0, 1].
    labels_as_links : bool
        Whether each class counts as a must-link group.
    """

    base: Affinities
    allowed: Affinities
    supervision: Supervision | None
    rho: float
    labels_as_links: bool

    @classmethod
    def make(
        cls,
        base: Affinities,
        supervision: Supervision | None,
        rho: float,
        *,
        labels_as_links: bool = True,
        previous: SupervisedAffinities | None = None,
    ) -> SupervisedAffinities:
        """Return supervised affinities, sharing with ``previous`` what has not changed.

        Raises
        ------
        ValueError
            If ``rho`` is outside [0, 1] or ``supervision`` has another number of points.
        """
        rho = check_real("rho", rho, low=0, high=1)
        check_supervision(supervision, base.n_samples)
        same_links = previous is not None and (
            previous.supervision is supervision or previous.supervision == supervision
        )
        if previous is not None and same_links:
            other = cls(base, previous.allowed, supervision, rho, labels_as_links)
            for name in ("groups", "pair_mass", "links_key", "_linked_inward", "_unlinked"):
                if name in previous.__dict__:
                    other.__dict__[name] = previous.__dict__[name]
            return other
        forbidden = () if supervision is None else supervision.cannot_links
        allowed = without_cannot_links(base, forbidden)
        return cls(base, allowed, supervision, rho, labels_as_links)

    def changed(self, parameters: Mapping[str, Any]) -> SupervisedAffinities:
        """Return the same with ``rho`` or ``supervision`` taken from ``parameters``."""
        rho = parameters.get("rho", self.rho)
        supervision = parameters.get("supervision", self.supervision)
        if rho == self.rho and supervision is self.supervision:
            return self
        return SupervisedAffinities.make(
            self.base, supervision, rho, labels_as_links=self.labels_as_links, previous=self
        )

    @cached_property
    def groups(self) -> tuple[NDArray[np.int64], NDArray[np.int64], NDArray[np.float64]]:
        """Groups as (indptr, members, weights); empty without links."""
        if self.supervision is None:
            return np.zeros(1, np.int64), np.zeros(0, np.int64), np.zeros(0)
        groups = self.supervision.groups(labels=self.labels_as_links)
        return (
            np.ascontiguousarray(groups.indptr, dtype=np.int64),
            np.ascontiguousarray(groups.members, dtype=np.int64),
            np.ascontiguousarray(groups.weights, dtype=np.float64),
        )

    @cached_property
    def pair_mass(self) -> NDArray[np.float64]:
        """s_i = Σ_j u_ij, shape (n_samples,)."""
        indptr, members, weights = self.groups
        mass = np.zeros(self.base.n_samples)
        for start, stop in itertools.pairwise(indptr):
            w = weights[start:stop]
            np.add.at(mass, members[start:stop], w * (w.sum() - w))
        return mass

    @cached_property
    def links_key(self) -> tuple[Any, ...]:
        """Links and cannot-links as a value that can be compared and hashed."""
        cannot = () if self.supervision is None else self.supervision.cannot_links
        return (
            *(part.tobytes() for part in self.groups),
            *((a.tobytes(), b.tobytes()) for a, b in cannot),
        )

    @property
    def linked(self) -> bool:
        """Whether links attract at all: there are linked pairs and ρ > 0."""
        return self.rho > 0 and bool(self.pair_mass.any())

    @cached_property
    def share(self) -> float:
        """ρ_e, the share of U in the joint form."""
        if not self.linked:
            return 0.0
        pairs = float(self.pair_mass.sum()) / 2
        return self.rho * min(1.0, pairs / self.base.n_samples)

    @cached_property
    def keep(self) -> NDArray[np.float64]:
        """Share of each point's own row (rows) or of P (joint), shape (n_samples,)."""
        if self.base.form == "joint":
            return np.full(self.base.n_samples, 1 - self.share)
        return np.where((self.pair_mass > 0) & self.linked, 1 - self.rho, 1.0)

    @cached_property
    def rates(self) -> NDArray[np.float64]:
        """r_i with (mixed-in part of p̃_ij) = r_i u_ij, shape (n_samples,)."""
        mass = self.pair_mass
        if self.base.form == "joint":
            return np.full(mass.size, self.share / mass.sum() if self.linked else 0.0)
        rates = np.zeros(mass.size)
        if self.linked:
            np.divide(self.rho, mass, out=rates, where=mass > 0)
        return rates

    def entropy(self, n_threads: int) -> float:
        """Return Σ p̃ log p̃ in nats; another ρ costs a visit to each linked pair."""
        P, own = self.allowed.kernel_argument, self.__dict__
        if "_unlinked" not in own:
            own["_unlinked"] = unlinked_sums(P, self.groups, n_threads)
        if "_entropy" not in own:
            keep, unlinked = self.keep, own["_unlinked"]
            own["_entropy"] = float(
                keep @ unlinked.entropies
                + xlogy(keep, keep) @ unlinked.masses
                + linked_entropy(P, self.groups, self.rates, keep, n_threads)
            )
        return float(own["_entropy"])

    def gaussian_rows(self, Yt: NDArray[Any], cost: bool, n_threads: int) -> GaussianRowsTerms:
        """Return SNE's sums over pairs, with the symmetric weights diag(keep)·P + Pᵀ·diag(keep)."""
        both_halves = _both_halves if self.base.is_sparse else packed
        pairs = self.allowed.cached("both halves", lambda: both_halves(self.allowed.P))
        return gaussian_rows(Yt, pairs, cost, n_threads, keep=self.keep)

    @cached_property
    def weights_mass(self) -> NDArray[np.float64]:
        """Row sums of those weights, shape (n_samples,)."""
        both: NDArray[np.float64]
        both, outward = self.allowed.cached("sums", lambda: _sums(self.allowed.P))
        if self.linked:
            linked = np.where(self.pair_mass > 0, outward, 0.0) + self._linked_inward
            both = both - self.rho * linked
        return both

    @cached_property
    def _linked_inward(self) -> NDArray[np.float64]:
        """Σ_i p_ij over the linked points i, shape (n_samples,)."""
        linked = np.flatnonzero(self.pair_mass > 0)
        return np.asarray(self.allowed.P[linked].sum(axis=0, dtype=np.float64)).ravel()

    def link_attraction(
        self, Yt: NDArray[Any], alpha: float | Similarity, n_threads: int
    ) -> tuple[NDArray[Any], NDArray[Any], float] | None:
        """Return force, curvature and cross term of the linked pairs, or None without links.

        Each is of the symmetric coefficients r_i u_ij + r_j u_ji, halved in the joint form, where
        r u is symmetric already and must count once.
        """
        if not self.linked:
            return None
        rates = self.rates / 2 if self.base.form == "joint" else self.rates
        if isinstance(alpha, Similarity):
            own = custom_groups(alpha.H, alpha.score, Yt, *self.groups, rates)
            return own.force, own.curvature, own.cross
        force, curvature, cross = group_attraction(Yt, *self.groups, rates, alpha, n_threads)
        return force, curvature, float(cross)

    def cannot_link_energy(
        self, Yt: NDArray[Any], n_threads: int
    ) -> tuple[float, NDArray[Any]] | None:
        """Return cost and gradient (d, n) of the cannot-links, or None without any."""
        if self.supervision is None or self.rho == 0 or not self.supervision.cannot_links:
            return None
        sides_a, sides_b = zip(*self.supervision.cannot_links)
        energy, gradient = cannot_link(Yt, *_flat(sides_a), *_flat(sides_b), n_threads)
        return self.rho * float(energy), self.rho * gradient


def _sums(P: Any) -> tuple[NDArray[np.float64], NDArray[np.float64]]:
    """Return the row sums of P + Pᵀ and of P."""
    if sparse.issparse(P):
        return row_sums(P + P.T), row_sums(P)
    both = [row_sums(P[i : i + ROWS] + P[:, i : i + ROWS].T) for i in range(0, len(P), ROWS)]
    return np.concatenate(both), row_sums(P)


def _both_halves(P: Any) -> tuple[NDArray[Any], ...]:
    """Return indptr and indices of the entries of P + Pᵀ, and p_ij and p_ji at each."""
    either = pattern_of(P)
    halves = values_at(either, P), values_at(either, canonical(sparse.csr_array(P.T)))
    return either.indptr, either.indices, *halves


def pattern_of(*matrices: Any) -> Any:
    """Return a canonical CSR array with an entry where a CSR matrix or its transpose has one."""
    ones = (
        sparse.csr_array((np.ones(M.nnz), M.indices, M.indptr), shape=M.shape) for M in matrices
    )
    both = (one + one.T for one in ones)
    return canonical(sparse.csr_array(functools.reduce(operator.add, both)))


def values_at(pattern: Any, M: Any, missing: float = 0.0) -> NDArray[Any]:
    """Return M's values at the entries of ``pattern``, which has all of M's; else ``missing``.

    M is CSR, and its indices are sorted in place.
    """
    M = canonical(M)
    values = np.full(pattern.nnz, missing, M.dtype)
    values[np.searchsorted(_keys(pattern), _keys(M))] = M.data
    return values


def _keys(M: Any) -> NDArray[np.int64]:
    """Return the entries of a canonical CSR array as increasing numbers."""
    rows = np.repeat(np.arange(M.shape[0], dtype=np.int64), np.diff(M.indptr))
    keys: NDArray[np.int64] = rows * M.shape[1] + M.indices
    return keys


def _flat(sides: tuple[NDArray[np.intp], ...]) -> tuple[NDArray[np.int64], NDArray[np.int64]]:
    indptr = np.concatenate([[0], np.cumsum([side.size for side in sides])]).astype(np.int64)
    return indptr, np.concatenate(sides).astype(np.int64)
