"""What groups of linked points ask of neighbor probabilities: how much, and of which neighbors.

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
from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Any, Literal

import numpy as np
from scipy import sparse
from scipy.special import xlogy

from nbembed.affinities import Affinities
from nbembed.kernels.largest import largest_entries
from nbembed.probabilities import canonical, row_sums

if TYPE_CHECKING:
    from numpy.typing import NDArray

    from nbembed.supervision import Supervision

#: How groups enter neighbor probabilities.
LinkForm = Literal["structured", "uniform"]
LINK_FORMS: tuple[LinkForm, ...] = ("structured", "uniform")
#: The share of the own affinities in u.
OWN = 0.5
#: How many neighborhoods of other labels a class needs for its full strength.
FULL = 0.5
#: The largest perplexity of own affinities, and how many members they reach for each unit of it.
OWN_PERPLEXITY = 30.0
REACH = 3
#: The largest |log κ|, the most Newton steps, and the error of log perplexity at which they end.
EXPONENTS = 7.0
STEPS = 60
TOLERANCE = 1e-12
TINY = 1e-300
#: Entries of P that are copied at a time.
BLOCK = 1 << 22


@dataclass(frozen=True, eq=False)
class LinkShares:
    """Groups of linked points, and what each point gives to them at ρ = 1.

    Attributes
    ----------
    groups : tuple (indptr, members, weights)
        As :func:`nbembed.kernels.links.group_attraction` takes them.
    strengths : ndarray of shape (n_samples,)
        t_i in [0, 1].
    rates : ndarray of the shape of ``members``
        r with t_i u_ij = Σ_g r_ig w_ig w_jg + own_ij.
    own : csr_array of shape (n_samples, n_samples), or None
        The part of t_i u_ij that is no sum over groups.
    pairs : ndarray of the shape of ``members``
        1 in groups that enter the joint form as in the paper, by U = u/Σu; else 0.
    """

    groups: tuple[NDArray[np.int64], NDArray[np.int64], NDArray[np.float64]]
    strengths: NDArray[np.float64]
    rates: NDArray[np.float64]
    own: Any
    pairs: NDArray[np.float64]
    _affinities: Mapping[bytes, Any] = field(default_factory=dict, repr=False)

    @classmethod
    def make(
        cls,
        base: Affinities,
        allowed: Affinities,
        supervision: Supervision | None,
        link_form: LinkForm,
        *,
        labels: bool,
        previous: LinkShares | None = None,
    ) -> LinkShares:
        """Return what a supervision asks of ``base``.

        Parameters
        ----------
        base : Affinities
            P, whose perplexity counts.
        allowed : Affinities
            P without what cannot-links forbid, of which own affinities are made.
        supervision : Supervision or None
        link_form : {"structured", "uniform"}
        labels : bool
            Whether each class is a group.
        previous : LinkShares, optional
            Made of the same ``allowed``: groups that have not changed keep their own affinities.
        """
        groups, n_links = _groups(supervision, labels)
        if link_form == "uniform" or not groups[1].size:
            return _uniform(base, groups)
        known = {} if previous is None else previous._affinities
        return _structured(allowed, effective_neighbors(base), groups, n_links, known)

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
        step = max(1, BLOCK // affinities.n_samples)
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
        return LinkShares(groups, 0 * strengths, nothing, None, nothing + 1)
    rates = np.divide(1.0, mass, out=np.zeros_like(mass), where=mass > 0)
    return LinkShares(groups, strengths, rates[members], None, np.zeros(members.size))


def _structured(
    P: Affinities,
    perplexity: float,
    groups: tuple[Any, Any, Any],
    n_links: int,
    known: Mapping[bytes, Any],
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
    made, parts = {}, []
    for first, last in itertools.pairwise(indptr):
        if last - first < 3:
            continue
        here = members[first:last]
        order = np.argsort(here)
        key = here[order].tobytes()
        found = known.get(key)
        if found is None:
            found = _own_affinities(P, perplexity, here[order])
        made[key] = found
        i, j, g = found
        at = np.empty(here.size, np.int64)
        at[order] = np.arange(first, last)
        i, j = at[i], at[j]  # places in members
        g = g * weights[j]
        mass = _per_point(i - first, g, last - first)
        share = OWN * given[first:last]
        there = mass > 0
        spread[first:last] -= np.where(there, share, 0)
        g *= np.divide(share, mass, out=np.zeros_like(mass), where=there)[i - first]
        parts.append((g, members[i], members[j]))
    own = None
    if parts:
        data, rows, columns = (np.concatenate(part) for part in zip(*parts))
        own = canonical(sparse.csr_array((data, (rows, columns)), shape=(n, n)))
    mass = weights * others
    rates = np.divide(spread, mass, out=np.zeros_like(mass), where=mass > 0)
    return LinkShares(groups, strengths, rates, own, pairs.astype(np.float64), made)


def _own_affinities(P: Affinities, perplexity: float, members: NDArray[np.int64]) -> Any:
    """Return a group's own affinities as (rows, columns, values), by places in ``members``."""
    m = members.size
    perplexity = max(1.0, min(perplexity, m / 3, OWN_PERPLEXITY))
    count = min(m - 1, math.ceil(REACH * perplexity))
    largest = _largest_of_sparse if P.is_sparse else _largest_of_dense
    columns, values = largest(P.P, members, count)
    values = _tempered(values, perplexity)
    rows, at = np.nonzero(values)
    return rows, columns[rows, at], values[rows, at]


def _largest_of_dense(P: Any, members: NDArray[np.int64], count: int) -> tuple[Any, Any]:
    """Return the largest entries of each row among the members: columns and values, (m, count)."""
    m = members.size
    columns, values = np.empty((m, count), np.int64), np.empty((m, count))
    step = max(1, BLOCK // m)
    for first in range(0, m, step):
        here = slice(first, first + step)
        block = P[np.ix_(members[here], members)]
        block[np.arange(len(block)), np.arange(first, first + len(block))] = 0
        nearest = np.argpartition(-block, count - 1, axis=1)[:, :count]
        columns[here], values[here] = nearest, np.take_along_axis(block, nearest, axis=1)
    return columns, values


def _largest_of_sparse(P: Any, members: NDArray[np.int64], count: int) -> tuple[Any, Any]:
    """Return what :func:`_largest_of_dense` does, from stored entries alone; zeros fill it up."""
    m = members.size
    columns, values = np.zeros((m, count), np.int64), np.zeros((m, count))
    inner = P[members][:, members]
    places = largest_entries(inner.indptr, inner.data, count)
    stored = np.minimum(np.diff(inner.indptr), count)
    rows = np.repeat(np.arange(m), stored)
    at = np.arange(places.size) - np.repeat(np.cumsum(stored) - stored, stored)
    columns[rows, at], values[rows, at] = inner.indices[places], inner.data[places]
    return columns, values


def _tempered(p: NDArray[np.float64], perplexity: float) -> NDArray[np.float64]:
    """Return rows ∝ p^κ of a given perplexity, or the nearest to it that there is.

    Zeros stay zero; a row of zeros stays one. Newton steps in log κ, within a bracket:
    dH/d log κ = −κ² Var[log p].
    """
    there = p > 0
    top = p.max(axis=1, keepdims=True)
    logs = np.log(np.where(there, p, 1)) - np.log(np.where(top > 0, top, 1))
    logs[~there] = 0
    target = math.log(perplexity)

    def powers(at: Any, log_kappa: NDArray[np.float64]) -> tuple[NDArray[np.float64], ...]:
        """Return rows, their entropies, and the derivatives of those by log κ."""
        x = np.exp(log_kappa)[:, None] * logs[at]
        w = np.where(there[at], np.exp(x), 0)
        Z = np.maximum(w.sum(axis=1), TINY)
        w /= Z[:, None]
        mean = (w * x).sum(axis=1)
        variance = (w * (x - mean[:, None]) ** 2).sum(axis=1)
        return w, np.log(Z) - mean, -variance

    low, high = np.full(len(p), -EXPONENTS), np.full(len(p), EXPONENTS)
    widest, narrowest = powers(slice(None), low)[1], powers(slice(None), high)[1]
    log_kappa = np.where(widest <= target, low, high)
    rows = np.flatnonzero((widest > target) & (narrowest < target))
    log_kappa[rows] = 0
    for _ in range(STEPS):
        _, entropy, slope = powers(rows, log_kappa[rows])
        left = np.abs(entropy - target) > TOLERANCE
        rows, entropy, slope = rows[left], entropy[left], slope[left]
        if not rows.size:
            break
        at, wide = log_kappa[rows], entropy > target
        low[rows], high[rows] = np.where(wide, at, low[rows]), np.where(wide, high[rows], at)
        following = at + np.divide(
            target - entropy, slope, out=np.full(rows.size, np.inf), where=slope < -TINY
        )
        outside = (following <= low[rows]) | (following >= high[rows])
        log_kappa[rows] = np.where(outside, (low[rows] + high[rows]) / 2, following)
    return powers(slice(None), log_kappa)[0]
