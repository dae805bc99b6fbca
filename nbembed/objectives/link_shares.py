"""Shares of neighbor probabilities for groups of linked points, and their distribution in a group.

A point i in groups g (classes and must-links) gives the share ρ t_i of its neighborhood to them,
and spreads it by u_i:

    t_i = min(1, Σ_g a_ig),   u_i = Σ_g a_ig u_ig / Σ_g a_ig

*Uniform*: a_ig is the sum of i's links in g, t_i = 1, and u_ig is spread evenly over the other
members. HSSNE has the form of its paper instead, U = u/Σu with the same mass for each link; a large
group then becomes a dot.

*Structured* (ours, ``docs/decisions/0014``) keeps the inner structure of a group:

    u_ij = ½ · w_j / Σ_{k ≠ i} w_k + ½ · G_ij

within a group of three points or more. G are the group's *own affinities*: G_ij ∝ w_j p_ij^κ among
i's nearest members, κ_i such that their perplexity is that of P or a third of the group's size,
whichever is less. The even half gathers pieces that lie apart, the other half keeps neighbors
neighbors. A point without affinity to any member, as in a sparse P, has the even half alone.

The strength of a must-link is a_ig = 1: it says that the points belong together. A label says less,
because a class may lie in several pieces: a_ig = w_ig Σ_{k ≠ i} w_kg / (½ perplexity), so that few
labels draw their points together a little, and a class has its full strength from as many labels on
as half a neighborhood has points. w is the weight of a label (:mod:`nbembed.supervision.weights`).
"""

from __future__ import annotations

import itertools
import math
from dataclasses import dataclass
from functools import cached_property
from typing import Any, Literal

import numpy as np
from numpy.typing import NDArray
from scipy.special import xlogy

from nbembed.affinities import Affinities
from nbembed.data.probabilities import row_sums
from nbembed.objectives.own_affinities import (
    OwnAffinities,
    OwnPart,
    assembled,
    assembled_both_ways,
)
from nbembed.supervision import Supervision

#: How groups enter neighbor probabilities.
LinkForm = Literal["structured", "uniform"]
LINK_FORMS: tuple[LinkForm, ...] = ("structured", "uniform")
#: The share of the own affinities in u.
OWN = 0.5
#: How many neighborhoods of other labels a class needs for its full strength.
FULL = 0.5
#: Entries of P that are copied at a time.
BLOCK = 1 << 22


@dataclass(frozen=True, eq=False)
class LinkShares:
    """Groups of linked points, and what each point gives to them at ρ = 1.

    * groups (indptr, members, weights): as :func:`nbembed.kernels.links.group_attraction` takes
      them.
    * strengths (n_samples,): t_i in [0, 1].
    * rates shaped like ``members``: r with t_i u_ij = Σ_g r_ig w_ig w_jg + own_ij.
    * parts: of :attr:`own`.
    * pairs shaped like ``members``: 1 in groups that enter the joint form as in the paper, by U =
      u/Σu; else 0.
    * n_far: number of groups, the first, whose pull reaches far
      (:mod:`nbembed.objectives.supervised_affinities`): must-links, unless they are uniform.
    """

    groups: tuple[NDArray[np.int64], NDArray[np.int64], NDArray[np.float64]]
    strengths: NDArray[np.float64]
    rates: NDArray[np.float64]
    parts: tuple[OwnPart, ...]
    pairs: NDArray[np.float64]
    n_far: int = 0

    @classmethod
    def make(
        cls,
        base: Affinities,
        allowed: Affinities,
        supervision: Supervision | None,
        link_form: LinkForm,
        *,
        labels: bool,
        n_threads: int = 1,
    ) -> LinkShares:
        """Return the shares that a supervision claims of ``base``.

        * base: P, whose perplexity counts.
        * allowed: P without what cannot-links forbid, of which own affinities are made. Groups
          that were among the last that were asked for keep theirs.
        * labels: whether each class is a group.
        """
        groups, n_links = _groups(supervision, labels)
        if link_form == "uniform" or not groups[1].size:
            return _uniform(base, groups)
        return _structured(allowed, effective_neighbors(base), groups, n_links, n_threads)

    @cached_property
    def own(self) -> Any:
        """The part of t_i u_ij that is no sum over groups, a CSR array, or None."""
        return assembled(self.parts, self.strengths.size) if self.parts else None

    def own_both_ways(self, scale: NDArray[np.float64] | None = None) -> Any:
        """Return s_i o_ij + s_j o_ji of :attr:`own`, with s = 1 by default, or None."""
        n = self.strengths.size
        return assembled_both_ways(self.parts, n, scale) if self.parts else None

    def total(self, values: NDArray[np.float64]) -> NDArray[np.float64]:
        """Return Σ_g Σ_{j ≠ i} r_ig w_ig w_jg for rates r, shape (n_samples,)."""
        _, members, weights = self.groups
        others = _sums(self.groups) - weights
        return _per_point(members, values * weights * others, self.strengths.size)

    def inward(self, rates: NDArray[np.float64]) -> NDArray[np.float64]:
        """Return Σ_g Σ_{i ≠ j} r_ig w_ig w_jg for rates r, shape (n_samples,)."""
        indptr, members, weights = self.groups
        given = rates * weights
        others = _sums((indptr, members, given)) - given
        return _per_point(members, weights * others, self.strengths.size)


def effective_neighbors(affinities: Affinities) -> float:
    """Return the perplexity of P: as it was asked for, or the mean of its rows."""

    def measured() -> float:
        P = affinities.P
        n = affinities.n_samples
        entries = P.nnz / n if affinities.is_sparse else n
        step = max(1, int(BLOCK / max(entries, 1)))
        entropy = 0.0
        for first in range(0, affinities.n_samples, step):
            rows = P[first : first + step].astype(np.float64)
            if affinities.is_sparse:
                mass = row_sums(rows)
                log_mass = xlogy(mass, mass)
                rows.data = xlogy(rows.data, rows.data)
                inner = row_sums(rows)
            else:
                mass = rows.sum(axis=1)
                log_mass = xlogy(mass, mass)
                inner = xlogy(rows, rows).sum(axis=1)
            there = mass > 0
            entropy += float(((log_mass - inner)[there] / mass[there]).sum())
        return math.exp(entropy / affinities.n_samples)

    if affinities.perplexity is not None:
        return float(affinities.perplexity)
    return float(affinities.cached("effective neighbors", measured))


def _groups(
    supervision: Supervision | None, labels: bool
) -> tuple[tuple[NDArray[np.int64], NDArray[np.int64], NDArray[np.float64]], int]:
    """Return groups, must-links first, and the number of must-links."""
    if supervision is None:
        return (np.zeros(1, np.int64), np.zeros(0, np.int64), np.zeros(0)), 0
    groups = supervision.groups(labels=labels)
    parts = (
        np.ascontiguousarray(groups.indptr, dtype=np.int64),
        np.ascontiguousarray(groups.members, dtype=np.int64),
        np.ascontiguousarray(groups.weights, dtype=np.float64),
    )
    return parts, len(supervision.links)


def _sums(groups: tuple[Any, Any, Any]) -> NDArray[np.float64]:
    """Return the sum of the values of a group at each of its members."""
    indptr, _, values = groups
    sizes = np.diff(indptr)
    return np.repeat(np.add.reduceat(values, indptr[:-1]) if sizes.size else values, sizes)


def _per_point(at: NDArray[np.int64], values: NDArray[np.float64], n: int) -> NDArray[np.float64]:
    """Return the sums of the values at each of n points; NumPy's are whole numbers if empty."""
    return np.bincount(at, values, n).astype(np.float64)


def _uniform(base: Affinities, groups: tuple[Any, Any, Any]) -> LinkShares:
    _, members, weights = groups
    mass = _per_point(members, weights * (_sums(groups) - weights), base.n_samples)
    strengths = (mass > 0).astype(np.float64)
    if base.form == "joint":
        nothing = np.zeros(members.size)
        return LinkShares(groups, 0 * strengths, nothing, (), nothing + 1)
    rates = np.divide(1.0, mass, out=np.zeros_like(mass), where=mass > 0)
    return LinkShares(groups, strengths, rates[members], (), np.zeros(members.size))


def _structured(
    P: Affinities,
    perplexity: float,
    groups: tuple[Any, Any, Any],
    n_links: int,
    n_threads: int,
) -> LinkShares:
    indptr, members, weights = groups
    n, sizes = P.n_samples, np.diff(indptr)
    of_link = np.repeat(np.arange(sizes.size) < n_links, sizes)
    size = np.repeat(sizes, sizes)
    pairs = of_link & (size == 2) if P.form == "joint" else np.zeros(members.size, bool)
    others = _sums(groups) - weights
    a = np.where(of_link, 1.0, weights * others / (FULL * perplexity))
    a[pairs] = 0
    total = _per_point(members, a, n)
    strengths = np.minimum(total, 1.0)
    # t_i a_ig / Σ a: what i gives to g.
    given = np.divide(a * strengths[members], total[members], out=np.zeros(a.size), where=a > 0)
    spread = given.copy()
    # Of the last groups that were asked for: most are the same after another label.
    kept = P.cached("own affinities of groups", lambda: [{}])
    known, made, parts = kept[0], {}, []
    for first, last in itertools.pairwise(indptr):
        if last - first < 3:
            continue
        order = np.argsort(members[first:last])
        here = members[first:last][order]
        key = perplexity, here.tobytes()
        found = known.get(key) or OwnAffinities.of(P, perplexity, here, n_threads, known.values())
        made[key] = found
        share = OWN * given[first:last][order]
        values, there = found.spread(weights[first:last][order], share)
        spread[first:last][order] -= np.where(there, share, 0)
        parts.append(OwnPart(found, values))
    kept[0] = made
    mass = weights * others
    rates = np.divide(spread, mass, out=np.zeros_like(mass), where=mass > 0)
    return LinkShares(groups, strengths, rates, tuple(parts), pairs.astype(np.float64), n_links)
