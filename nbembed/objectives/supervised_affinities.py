"""How labels and links enter neighbor probabilities: P̃ = (1 − ρ)P + ρU, and U is never stored.

``u_ij`` counts the must-link groups that hold both points, each pair weighted by the product of its
members' weights (a class is such a group, weighted by confidence). A group is kept as its members;
``U`` exists only as sums that the group kernels take. Two forms:

* joint (HSSNE; "Heavy-Tailed Symmetric Stochastic Neighbor Embedding", section 6.2):
  ``U = u / Σu`` and the share of U is ``ρ_e = ρ · min(1, pairs / n)`` with pairs = Σu/2. With the
  paper's amount of links that is ρ; with few links U's fixed mass would tear the map apart.
* rows (SNE, Mbed): ``p̃_i = (1 − ρ) p_i + ρ u_i / s_i``, s_i = Σ_j u_ij, for linked points.

A cannot-link (a, b) takes all affinity between its sides out of P (:meth:`PairMatrix.without`) and
adds the repulsion ``ρ · mean_{a×b} exp(−τ)``.
"""

from __future__ import annotations

import itertools
from collections.abc import Mapping
from dataclasses import dataclass
from functools import cached_property
from typing import TYPE_CHECKING, Any

import numpy as np

from nbembed.kernels.custom_similarity import custom_groups
from nbembed.kernels.links import cannot_link, group_attraction, mixed_entropy
from nbembed.objectives.checks import check_supervision
from nbembed.objectives.pairs import PairMatrix, as_kernel_argument, row_sums
from nbembed.objectives.similarity import Similarity
from nbembed.validation import check_real

if TYPE_CHECKING:
    from numpy.typing import NDArray

    from nbembed.supervision import Supervision


@dataclass(frozen=True, eq=False)
class SupervisedAffinities:
    """Neighbor probabilities with supervision mixed in.

    Attributes
    ----------
    base : PairMatrix
        P as given: shared, never changed.
    allowed : PairMatrix
        P without what cannot-links forbid; the same object as ``base`` without cannot-links.
    supervision : Supervision or None
        Where links come from.
    rho : float
        ρ in [0, 1].
    labels_as_links : bool
        Whether each class counts as a must-link group.
    """

    base: PairMatrix
    allowed: PairMatrix
    supervision: Supervision | None
    rho: float
    labels_as_links: bool

    @classmethod
    def make(
        cls,
        base: PairMatrix,
        supervision: Supervision | None,
        rho: float,
        *,
        labels_as_links: bool = True,
        previous: SupervisedAffinities | None = None,
    ) -> SupervisedAffinities:
        """Return the mixture, taking from ``previous`` what has not changed.

        Raises
        ------
        ValueError
            If ``rho`` is outside [0, 1] or ``supervision`` speaks of another number of points.
        """
        rho = check_real("rho", rho, low=0, high=1)
        check_supervision(supervision, base.n_samples)
        same_links = previous is not None and (
            previous.supervision is supervision or previous.supervision == supervision
        )
        if previous is not None and same_links:
            mixture = cls(base, previous.allowed, supervision, rho, labels_as_links)
            for name in ("groups", "pair_mass"):
                if name in previous.__dict__:
                    mixture.__dict__[name] = previous.__dict__[name]
            return mixture
        forbidden = () if supervision is None else supervision.cannot_links
        return cls(base, base.without(forbidden), supervision, rho, labels_as_links)

    def changed(self, parameters: Mapping[str, Any]) -> SupervisedAffinities:
        """Return the mixture with ``rho`` or ``supervision`` taken from ``parameters``."""
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

    @property
    def linked(self) -> bool:
        """Whether groups pull at all: there are linked pairs and ρ > 0."""
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
        """Return Σ p̃ log p̃ in nats; computed once."""
        if "_entropy" not in self.__dict__:
            self.__dict__["_entropy"] = float(
                mixed_entropy(self.allowed.kernel, *self.groups, self.rates, self.keep, n_threads)
            )
        return float(self.__dict__["_entropy"])

    @cached_property
    def weights(self) -> Any:
        """Rows only: diag(keep)·P + its transpose, the symmetric weights of SNE's attraction."""
        return self.allowed.row_plus_column(self.keep if (self.keep != 1).any() else None)

    @cached_property
    def weights_kernel(self) -> Any:
        """:attr:`weights` as the kernels take it."""
        return as_kernel_argument(self.weights)

    @cached_property
    def weights_mass(self) -> NDArray[np.float64]:
        """Row sums of :attr:`weights`, shape (n_samples,)."""
        return row_sums(self.weights)

    def pull(
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

    def push(self, Yt: NDArray[Any], n_threads: int) -> tuple[float, NDArray[Any]] | None:
        """Return cost and gradient (d, n) of the cannot-links, or None without any."""
        if self.supervision is None or self.rho == 0 or not self.supervision.cannot_links:
            return None
        sides_a, sides_b = zip(*self.supervision.cannot_links)
        energy, gradient = cannot_link(Yt, *_flat(sides_a), *_flat(sides_b), n_threads)
        return self.rho * float(energy), self.rho * gradient


def _flat(sides: tuple[NDArray[np.intp], ...]) -> tuple[NDArray[np.int64], NDArray[np.int64]]:
    indptr = np.concatenate([[0], np.cumsum([side.size for side in sides])]).astype(np.int64)
    return indptr, np.concatenate(sides).astype(np.int64)
