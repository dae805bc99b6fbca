"""Links: groups of points that belong together, and pairs of groups that must stay apart.

    force_i = Σ_j g_ij S_ij (y_i − y_j),   S = 1/(1 + ατ)
    g_ij = Σ_{groups that hold i and j} w_i w_j (r_i + r_j)

is the pull of labels in the heavy-tailed family (α = 0: in SNE and Mbed). w is the weight of a
point in a group, r its rate there: its share of the mixed affinities. Must-links have √S in place
of S, whose force is the same from near and far (:mod:`nbembed.objectives.supervised_affinities`). A
group is stored as its m points; its m² pairs are visited but never stored. The points of a group
are copied into adjacent memory and summed over like any other set of points
(:mod:`nbembed.kernels.codegen.tiles`), with g_ij = w_i·(w r)_j + (w r)_i·w_j.
"""

from __future__ import annotations

import math
from typing import Any

import numpy as np

from nbembed.kernels.codegen.compiling import compiled, read_only
from nbembed.kernels.codegen.simd import Lanes
from nbembed.kernels.codegen.tile_codegen import PairSum, Terms
from nbembed.kernels.codegen.tiles import (
    MANY,
    distances_stay_finite,
    half_square,
    n_chunks,
    padded_length,
)
from nbembed.kernels.codegen.vector_math import exp, lanes_log2_1p
from nbembed.kernels.terms import GAUSSIAN_BELOW, GroupTerms
from nbembed.kernels.threads import run_chunks

_LOG_2 = math.log(2)


def group_attraction(
    Yt: Any,
    indptr: Any,
    members: Any,
    weights: Any,
    rates: Any,
    alpha: float,
    n_threads: int,
    want_cost: bool = True,
    *,
    far: bool = False,
) -> GroupTerms:
    """Return the pull within groups.

    * Yt (d, n): coordinates, one row an axis.
    * indptr (n_groups + 1,) int64: group g is ``members[indptr[g]:indptr[g + 1]]``.
    * members int64: points, none twice in a group; groups may overlap.
    * weights shaped like ``members``: w of each point in each group.
    * rates shaped like ``members``: r of each point in each group.
    * alpha: α ≥ 0; below 1e-16 the Gaussian.
    * want_cost: whether to spend a logarithm a pair on ``cross``, which is nan otherwise.
    * far: the pull is √S, and ``cross`` the sum of 2(√(1 + ατ) − 1)/α in place of −log q.

    O(d Σ m²) time, O(d n) memory.
    """
    if alpha and not distances_stay_finite(Yt, alpha):
        terms = group_attraction(
            Yt.astype(np.float64), indptr, members, weights, rates, alpha, n_threads, want_cost,
            far=far,
        )  # fmt: skip
        force, curvature = (part.astype(np.float32) for part in terms[:2])
        return GroupTerms(force, curvature, terms.cross)
    d, n = Yt.shape
    dtype = Yt.dtype
    indptr, members = read_only(indptr), read_only(members)
    moments = read_only((weights * np.asarray(rates)).astype(dtype))
    weights = read_only(np.asarray(weights, dtype))
    parameters = np.array([alpha], dtype)
    sizes = np.diff(indptr)
    chunks = n_chunks(math.isqrt(int((sizes.astype(np.int64) ** 2).sum())))
    longest = padded_length(int(sizes.max(initial=0)), dtype)
    sums = np.zeros((chunks, d + 1, n), dtype)
    totals = np.zeros((chunks, 2))
    points = read_only(Yt)
    # Each is compiled by itself: None says no.
    cost, reach = (True if wanted else None for wanted in (want_cost, far))

    def run(chunk: int) -> None:
        groups(
            points, indptr, members, weights, moments, parameters, longest,
            chunk, chunks, sums[chunk], totals[chunk], cost, reach,
        )  # fmt: skip

    run_chunks(run, chunks, n_threads)
    total = np.add.reduce(sums, axis=0)
    cross = math.nan
    if want_cost:
        straight, logarithmic = 2 * totals.sum(axis=0)
        straight_alone = far or alpha < GAUSSIAN_BELOW
        cross = straight if straight_alone else logarithmic * _LOG_2 / alpha
    return GroupTerms(total[:d], total[d], float(cross))


def cannot_link(
    Yt: Any, indptr_a: Any, members_a: Any, indptr_b: Any, members_b: Any, n_threads: int
) -> tuple[float, Any]:
    """Return energy Σ_c mean_{a×b} exp(−τ_ab) of points that must stay apart, and its gradient.

    * Yt (d, n): coordinates, one row an axis.
    * indptr_a, members_a, indptr_b, members_b int64: the two sides of cannot-link c are
      ``members_a[indptr_a[c]:indptr_a[c + 1]]`` and likewise b.
    * n_threads: accepted for uniformity and ignored: there is too little work to share.
    * returns gradient (d, n): in the type of the points.
    """
    gradient = np.zeros(Yt.shape, Yt.dtype)
    sides = (read_only(part) for part in (indptr_a, members_a, indptr_b, members_b))
    energy = cannot_link_energy(read_only(Yt), *sides, gradient)
    return float(energy), gradient


# ---- pairs within a group -----------------------------------------------------------------------


def _pull(tau: Lanes, p: None, a: Any, b: Any, parameters: Any) -> Terms:
    g = a[0].times_plus(b[1], a[1] * b[0])
    pull = g / (parameters[0] * tau + 1.0)
    return Terms(forces=[pull], scalars=[pull])


def _pull_cost(tau: Lanes, p: None, a: Any, b: Any, parameters: Any) -> Terms:
    x = parameters[0] * tau
    g = a[0].times_plus(b[1], a[1] * b[0])
    pull = g / (x + 1.0)
    return Terms(forces=[pull], scalars=[pull], totals=[g * tau, g * lanes_log2_1p(x)])


def _far_pull(tau: Lanes, p: None, a: Any, b: Any, parameters: Any) -> Terms:
    g = a[0].times_plus(b[1], a[1] * b[0])
    pull = g / (parameters[0] * tau + 1.0).square_root()
    return Terms(forces=[pull], scalars=[pull])


def _far_pull_cost(tau: Lanes, p: None, a: Any, b: Any, parameters: Any) -> Terms:
    root = (parameters[0] * tau + 1.0).square_root()
    g = a[0].times_plus(b[1], a[1] * b[0])
    pull = g / root
    # 2(√(1 + ατ) − 1)/α without its difference, which would cancel at a small α.
    return Terms(forces=[pull], scalars=[pull], totals=[(2.0 * g) * tau / (root + 1.0)])


_SUMS: Any = {"forces": 1, "scalars": 1, "extras": 2, "parameters": 1}
_add_pull = half_square(PairSum(_pull, **_SUMS))
_add_pull_cost = half_square(PairSum(_pull_cost, **_SUMS, totals=2))
_add_far_pull = half_square(PairSum(_far_pull, **_SUMS))
_add_far_pull_cost = half_square(PairSum(_far_pull_cost, **_SUMS, totals=1))


@compiled
def groups(
    points,
    indptr,
    members,
    weights,
    moments,
    parameters,
    longest,
    chunk,
    chunks,
    sums,
    totals,
    cost,
    far,
):
    """Add one chunk of the pull: all chunks share a large group, each small one has one chunk.

    ``cost`` is None where ``totals`` are not wanted, ``far`` where the pull is S: what is None is
    decided when it is compiled.
    """
    d = points.shape[0]
    y = np.zeros((d, longest), points.dtype)
    extras = np.zeros((2, longest), points.dtype)
    pull = np.zeros((d + 1, longest), points.dtype)
    for g in range(indptr.size - 1):
        start = indptr[g]
        m = indptr[g + 1] - start
        shared = m >= MANY
        if not shared and g % chunks != chunk:
            continue
        for e in range(m):
            i = members[start + e]
            for k in range(d):
                y[k, e] = points[k, i]
            extras[0, e] = weights[start + e]
            extras[1, e] = moments[start + e]
        pull[:] = 0
        part, parts = (chunk, chunks) if shared else (0, 1)
        if far is None:
            if cost is None:
                _add_pull(y, extras, None, parameters, m, (), part, parts, pull, totals)
            else:
                _add_pull_cost(y, extras, None, parameters, m, (), part, parts, pull, totals)
        elif cost is None:
            _add_far_pull(y, extras, None, parameters, m, (), part, parts, pull, totals)
        else:
            _add_far_pull_cost(y, extras, None, parameters, m, (), part, parts, pull, totals)
        for e in range(m):
            i = members[start + e]
            for k in range(d + 1):
                sums[k, i] += pull[k, e]


@compiled
def cannot_link_energy(points, indptr_a, members_a, indptr_b, members_b, gradient):
    """Add the gradient of the cannot-links' energy to ``gradient``; return the energy."""
    d = points.shape[0]
    difference = np.zeros(d)
    energy = 0.0
    for c in range(indptr_a.size - 1):
        side_a = members_a[indptr_a[c] : indptr_a[c + 1]]
        side_b = members_b[indptr_b[c] : indptr_b[c + 1]]
        share = 1.0 / (side_a.size * side_b.size)
        for i in side_a:
            for j in side_b:
                tau = 0.0
                for k in range(d):
                    difference[k] = points[k, i] - points[k, j]
                    tau += difference[k] * difference[k]
                q = share * exp(-tau)
                energy += q
                for k in range(d):
                    force = 2.0 * q * difference[k]
                    gradient[k, i] -= force
                    gradient[k, j] += force
    return energy
