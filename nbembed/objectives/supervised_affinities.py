"""Neighbor probabilities mixed with labels and links, whose part is never stored.

Each point i gives a share of its neighborhood to the groups (classes, must-links) that it is in;
:mod:`nbembed.objectives.link_shares` says how much, t_i, and to which points, u_i. Two forms:

* rows (SNE, NeRV, Mbed): ``p̃_i = (1 − ρ t_i) p_i + ρ t_i u_i``;
* joint (HSSNE): the same for the rows of P with their masses s_i = Σ_j P_ij, made symmetric,
  ``P̃_ij = P_ij (k_i + k_j)/2 + ρ (s_i t_i u_ij + s_j t_j u_ji)/2`` with k_i = 1 − ρ t_i.

Links between two points, and with ``link_form="uniform"`` all groups, enter the joint form as in
"Heavy-Tailed Symmetric Stochastic Neighbor Embedding", section 6.2: ``(1 − ρ_e)P̃ + ρ_e U`` with
``U = u/Σu``, where u_ij counts the groups that contain both points, each pair weighted by the
product of its members' weights, and ``ρ_e = ρ · min(1, pairs / n)`` with pairs = Σu/2. With the
paper's amount of links that is ρ; with few links the fixed mass of U would distort the map.

A must-link is felt from afar (``docs/decisions/0048``). The pull of −log q, S = 1/(1 + ατ), is
next to nothing between points that lie far apart in a map with heavy tails, whatever the weight,
and a link of them would leave the map as it is. Between linked points, in place of −log q, stands

    h(τ) = 2 (√(1 + ατ) − 1)/α,   dh/dτ = √S

whose force is constant in the distance, and which for α → 0 is τ = −log q, as in SNE. Labels, whose
classes may lie in several pieces, keep −log q, and so do own affinities, a similarity of one's own
and ``link_form="uniform"``.

A cannot-link (a, b) removes all affinity between its sides from P
(:mod:`nbembed.objectives.cannot_links`) and adds the repulsion ``ρ · mean_{a×b} exp(−τ)``.

P̃ is not stored. A group is stored as its members, and its own affinities as a sparse matrix.
Kernels read P and scale its rows where points are linked, so that another ρ costs O(n + links)
before the next evaluation. The exception is NeRV, whose kernels read log P̃
(:mod:`nbembed.objectives.log_affinities`).
"""

from __future__ import annotations

import functools
import operator
from collections.abc import Mapping
from dataclasses import dataclass, field
from functools import cached_property
from typing import Any

import numpy as np
from numpy.typing import NDArray
from scipy import sparse
from scipy.special import xlogy

from nbembed.affinities import Affinities
from nbembed.data.probabilities import canonical, row_sums
from nbembed.kernels.custom_similarity import custom_entries
from nbembed.kernels.gaussian_rows import gaussian_rows
from nbembed.kernels.grid.gaussian_rows import gaussian_rows_by_grid
from nbembed.kernels.grid.links import cannot_links_by_grid, groups_by_grid, pair_by_pair
from nbembed.kernels.grid.radial import Radial
from nbembed.kernels.inner_product import dot
from nbembed.kernels.linked_entropy import joint_entropy, linked_entropy
from nbembed.kernels.links import cannot_link
from nbembed.kernels.packing import packed
from nbembed.kernels.sparse import sparse_attraction
from nbembed.kernels.terms import GAUSSIAN_BELOW, GaussianRowsTerms
from nbembed.objectives.cannot_links import without_cannot_links
from nbembed.objectives.checks import Algorithm, as_sparse, check_supervision
from nbembed.objectives.link_shares import LINK_FORMS, LinkForm, LinkShares
from nbembed.objectives.linked import ROWS, Linked
from nbembed.objectives.similarity import Similarity
from nbembed.supervision import Supervision
from nbembed.validation import check_choice, check_real


@dataclass(frozen=True, eq=False)
class SupervisedAffinities:
    """Neighbor probabilities mixed with those of labels and links.

    * links: shared with the same at another ρ.
    * rho: ρ in [0, 1].
    """

    links: Linked
    rho: float
    _pulls: dict[Any, NDArray[Any]] = field(default_factory=dict, init=False, repr=False)

    @classmethod
    def make(
        cls,
        base: Affinities,
        supervision: Supervision | None,
        rho: float,
        *,
        labels_as_links: bool = True,
        link_form: LinkForm = "structured",
        n_threads: int = 1,
        previous: SupervisedAffinities | None = None,
    ) -> SupervisedAffinities:
        """Return supervised affinities, sharing with ``previous`` what has not changed.

        Raises ValueError if ``rho`` is outside [0, 1], ``link_form`` is unknown or ``supervision``
        has another number of points.
        """
        check_choice("link_form", link_form, LINK_FORMS)
        rho = check_real("rho", rho, low=0, high=1)
        check_supervision(supervision, base.n_samples)
        if previous is not None and link_form == previous.links.link_form:
            before = previous.supervision
            if before is supervision or before == supervision:
                return cls(previous.links, rho)
        forbidden = () if supervision is None else supervision.cannot_links
        allowed = without_cannot_links(base, forbidden)
        return cls(Linked(base, allowed, supervision, labels_as_links, link_form, n_threads), rho)

    @property
    def base(self) -> Affinities:
        """P as given, shared."""
        return self.links.base

    @property
    def allowed(self) -> Affinities:
        """P without what cannot-links forbid."""
        return self.links.allowed

    @property
    def supervision(self) -> Supervision | None:
        """Labels and links."""
        return self.links.supervision

    @property
    def shares(self) -> LinkShares:
        """Groups, and what their members give to them at ρ = 1."""
        return self.links.shares

    def changed(self, parameters: Mapping[str, Any]) -> SupervisedAffinities:
        """Return the same with ``rho`` or ``supervision`` taken from ``parameters``."""
        rho = parameters.get("rho", self.rho)
        supervision = parameters.get("supervision", self.supervision)
        if rho == self.rho and supervision is self.supervision:
            return self
        return SupervisedAffinities.make(
            self.base,
            supervision,
            rho,
            labels_as_links=self.links.labels_as_links,
            link_form=self.links.link_form,
            n_threads=self.links.n_threads,
            previous=self,
        )

    @property
    def groups(self) -> tuple[NDArray[np.int64], NDArray[np.int64], NDArray[np.float64]]:
        """Groups as (indptr, members, weights); empty without links."""
        return self.shares.groups

    @property
    def linked(self) -> bool:
        """True if links attract: there are linked pairs and ρ > 0."""
        return self.rho > 0 and (self.links.pair_mass > 0 or self.by_points)

    @property
    def by_points(self) -> bool:
        """True where points give a share of their neighborhoods, each its own: t is not zero."""
        return self.links.by_points

    @cached_property
    def share(self) -> float:
        """ρ_e, the share of U in the joint form."""
        pairs = self.links.pair_mass / 2
        return self.rho * min(1.0, pairs / self.base.n_samples)

    @cached_property
    def keep(self) -> NDArray[np.float64]:
        """k_i, the factor of row i of P; a pair in the joint form has (k_i + k_j)/2."""
        return (1 - self.share) * (1 - self.rho * self.shares.strengths)

    @cached_property
    def rates(self) -> NDArray[np.float64]:
        """Rates r of members in groups: the mixed-in part of p̃_ij is Σ_g r_ig w_ig w_jg + own."""
        shares = self.shares
        if self.base.form == "row":
            return self.rho * shares.rates
        rates = (1 - self.share) * self.rho * self.links.masses[shares.groups[1]] * shares.rates
        if self.share > 0:
            rates += self.share / self.links.pair_mass * shares.pairs
        return np.asarray(rates)

    def _own_pull(self, dtype: Any) -> tuple[NDArray[Any], ...] | None:
        """Return :attr:`Linked.attracted` at the present ρ, made once for each type."""
        if self.links.attracted is None:
            return None
        indptr, indices, data = self.links.attracted
        dtype = np.dtype(dtype)
        if dtype not in self._pulls:
            made = np.empty(data.size, dtype)
            np.multiply(data, self.rho * (1 - self.share), out=made, casting="same_kind")
            self._pulls[dtype] = made
        return indptr, indices, self._pulls[dtype]

    @cached_property
    def entropy(self) -> float:
        """Σ p̃ log p̃ in nats; another ρ costs a visit to each linked pair."""
        joint = self.base.form == "joint" and self.by_points
        return self._joint_entropy() if joint else self._row_entropy()

    def _row_entropy(self) -> float:
        """Return Σ p̃ log p̃ where each row has one factor."""
        P, n_threads = self.allowed.kernel_argument, self.links.n_threads
        keep, rest, o = self.keep, self.links.unlinked, self.shares.own
        parts = None if o is None else (o.indptr, o.indices, self.rho * o.data)
        return float(
            dot(keep, rest.entropies)
            + dot(xlogy(keep, keep), rest.masses)
            + linked_entropy(P, self.groups, self.rates, keep, n_threads, own=parts)
        )

    def _joint_entropy(self) -> float:
        """Return Σ P̃ log P̃ where pairs have the mean of two factors.

        Pairs of linked points are visited; those of a linked and another point have a factor that
        depends on the first alone, and the others have one in common.
        """
        P, points, rest = self.allowed.kernel_argument, self.links.members, self.links.unlinked
        half, n = self.rates / 2, self.base.n_samples
        linked = np.zeros(n, bool)
        linked[points] = True
        k = 1 - self.share
        # Rows of points without links have pairs with linked ones too: counted from the other side.
        masses = float(rest.masses[~linked].sum() - rest.masses[linked].sum())
        entropies = float(rest.entropies[~linked].sum() - rest.entropies[linked].sum())
        mean = (self.keep[points] + k) / 2
        across = dot(mean, rest.entropies[points]) + dot(xlogy(mean, mean), rest.masses[points])
        pull = self._own_pull(np.float64)
        if pull is None:
            pull = np.zeros(n + 1, np.int64), np.zeros(0, np.int64), np.zeros(0)
        inside = joint_entropy(P, points, self.groups, half, pull, self.keep, self.links.n_threads)
        return float(k * entropies + xlogy(k, k) * masses + 2 * across + inside)

    def gaussian_rows(
        self, Yt: NDArray[Any], cost: bool, n_threads: int, algorithm: Algorithm = "exact"
    ) -> GaussianRowsTerms:
        """Return SNE's sums over pairs, with the symmetric weights diag(keep)·P + Pᵀ·diag(keep)."""
        if algorithm == "grid":
            allowed = self.allowed
            halves = allowed.cached("sparse halves", lambda: _both_halves(as_sparse(allowed.P)))
            return gaussian_rows_by_grid(Yt, halves, cost, n_threads, keep=self.keep)
        both_halves = _both_halves if self.base.is_sparse else packed
        pairs = self.allowed.cached("both halves", lambda: both_halves(self.allowed.P))
        return gaussian_rows(Yt, pairs, cost, n_threads, keep=self.keep)

    @cached_property
    def weights_mass(self) -> NDArray[np.float64]:
        """Row sums of those weights, shape (n_samples,)."""
        both: NDArray[np.float64]
        both, outward = self.allowed.cached("sums", lambda: _sums(self.allowed.P))
        if self.linked:
            both = both - self.rho * (self.shares.strengths * outward + self.links.inward)
        return both

    def link_attraction(
        self,
        Yt: NDArray[Any],
        alpha: float | Similarity,
        cost: bool,
        n_threads: int,
        algorithm: Algorithm = "exact",
    ) -> tuple[NDArray[Any], NDArray[Any], float] | None:
        """Return force, curvature and cross term of the linked pairs, or None without links.

        Each is of the symmetric coefficients v_ij + v_ji with v the mixed-in part of p̃, halved in
        the joint form, where a pair must count once. The cross term has h for must-links. Without
        ``cost`` it is not valid.
        """
        if not self.linked:
            return None
        rates = self.rates / 2 if self.base.form == "joint" else self.rates
        pull = self._own_pull(Yt.dtype)
        kernel = alpha.radial if isinstance(alpha, Similarity) else Radial(alpha)
        sums = groups_by_grid if algorithm == "grid" else pair_by_pair
        force: Any = 0.0
        curvature: Any = 0.0
        cross = 0.0
        for groups, of_groups, far in self._by_reach(rates, kernel):
            terms = sums(Yt, groups, of_groups, kernel, n_threads, cost, far=far)
            force, curvature = force + terms.force, curvature + terms.curvature
            cross += float(terms.cross)
        if pull is None:
            return force, curvature, cross
        if isinstance(alpha, Similarity):
            own = custom_entries(alpha.H, alpha.score, Yt, pull, cost)
        else:
            own = sparse_attraction(Yt, pull, alpha, cost, n_threads)
        return force + own.force, curvature + own.curvature, cross + float(own.cross)

    def _by_reach(self, rates: NDArray[np.float64], kernel: Radial) -> list[tuple[Any, Any, bool]]:
        """Return groups and their rates, must-links apart from labels where they pull otherwise."""
        groups, n_far = self.groups, self.shares.n_far
        alike = kernel.H is not None or kernel.alpha < GAUSSIAN_BELOW
        if alike or n_far == 0:
            return [(groups, rates, False)]
        indptr, members, weights = groups
        end = indptr[n_far]
        links = (indptr[: n_far + 1], members[:end], weights[:end]), rates[:end], True
        if n_far == indptr.size - 1:
            return [links]
        classes = indptr[n_far:] - end, members[end:], weights[end:]
        return [links, (classes, rates[end:], False)]

    def cannot_link_energy(
        self, Yt: NDArray[Any], n_threads: int, algorithm: Algorithm = "exact"
    ) -> tuple[float, NDArray[Any]] | None:
        """Return cost and gradient (d, n) of the cannot-links, or None without any."""
        if self.supervision is None or self.rho == 0 or not self.supervision.cannot_links:
            return None
        sides_a, sides_b = zip(*self.supervision.cannot_links)
        push = cannot_links_by_grid if algorithm == "grid" else cannot_link
        energy, gradient = push(Yt, *_flat(sides_a), *_flat(sides_b), n_threads)
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
