"""The parts of labels and links that do not depend on their strength ρ."""

from __future__ import annotations

from dataclasses import dataclass
from functools import cached_property
from typing import Any

import numpy as np
from numpy.typing import NDArray

from nbembed.affinities import Affinities
from nbembed.data.probabilities import row_sums
from nbembed.kernels.linked_entropy import unlinked_sums
from nbembed.kernels.terms import UnlinkedTerms
from nbembed.objectives.link_shares import LinkForm, LinkShares
from nbembed.supervision import Supervision

#: Rows of P whose sums are taken at a time.
ROWS = 256


@dataclass(frozen=True, eq=False)
class Linked:
    """The parts of labels and links that do not depend on ρ, each computed when it is needed.

    * base: P as given, shared.
    * allowed: P without what cannot-links forbid; ``base`` itself without cannot-links.
    * supervision: labels and links.
    * labels_as_links: whether each class counts as a group of linked points.
    * link_form {"structured", "uniform"}: how groups enter; see
      :mod:`nbembed.objectives.link_shares`.
    * n_threads: threads that make the own affinities of groups.
    """

    base: Affinities
    allowed: Affinities
    supervision: Supervision | None
    labels_as_links: bool
    link_form: LinkForm
    n_threads: int

    @cached_property
    def shares(self) -> LinkShares:
        """Groups, and what their members give to them at ρ = 1."""
        return LinkShares.make(
            self.base,
            self.allowed,
            self.supervision,
            self.link_form,
            labels=self.labels_as_links,
            n_threads=self.n_threads,
        )

    @cached_property
    def pair_mass(self) -> float:
        """Σu over the groups that enter by U = u/Σu."""
        return float(self.shares.total(self.shares.pairs).sum())

    @cached_property
    def by_points(self) -> bool:
        """True where points give a share of their neighborhoods, each its own: t is not zero."""
        return bool(self.shares.strengths.any())

    @cached_property
    def key(self) -> tuple[Any, ...]:
        """Links and cannot-links as a value that can be compared and hashed."""
        cannot = () if self.supervision is None else self.supervision.cannot_links
        n_links = 0 if self.supervision is None else len(self.supervision.links)
        return (
            self.link_form,
            n_links,
            *(part.tobytes() for part in self.shares.groups),
            *((a.tobytes(), b.tobytes()) for a, b in cannot),
        )

    @property
    def masses(self) -> NDArray[np.float64]:
        """s_i, the row sums of P, shape (n_samples,)."""
        masses: NDArray[np.float64]
        masses = self.allowed.cached("row sums", lambda: row_sums(self.allowed.P))
        return masses

    @cached_property
    def attracted(self) -> tuple[NDArray[Any], NDArray[Any], NDArray[Any]] | None:
        """CSR parts of the own affinities' coefficients at ρ = 1, as the kernels take them.

        They are symmetric: o_ij + o_ji in rows, (s_i o_ij + s_j o_ji)/2 in the joint form.
        """
        joint = self.base.form == "joint"
        both = self.shares.own_both_ways(self.masses / 2 if joint else None)
        return None if both is None else (both.indptr, both.indices, both.data)

    @cached_property
    def inward(self) -> NDArray[np.float64]:
        """Σ_i t_i p_ij, shape (n_samples,)."""
        linked = np.flatnonzero(self.shares.strengths)
        t = self.shares.strengths[linked]
        if self.base.is_sparse:
            return np.asarray(t @ self.allowed.P[linked]).ravel()
        inward = np.zeros(self.base.n_samples)
        for at in range(0, linked.size, ROWS):
            here = slice(at, at + ROWS)
            inward += t[here] @ self.allowed.P[linked[here]]
        return inward

    @cached_property
    def members(self) -> NDArray[np.int64]:
        """The points that are in a group, sorted."""
        members: NDArray[np.int64] = np.unique(self.shares.groups[1])
        return members

    @cached_property
    def unlinked(self) -> UnlinkedTerms:
        """Entropies and masses of the pairs that links do not touch, of each row.

        Where pairs have the mean of two factors, all members count as one group.
        """
        groups = self.shares.groups
        if self.base.form == "joint" and self.by_points:
            points = self.members
            groups = np.array([0, points.size]), points, np.ones(points.size)
        return unlinked_sums(self.allowed.kernel_argument, groups, self.n_threads)
