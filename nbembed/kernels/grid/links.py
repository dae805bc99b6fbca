"""Large groups and cannot-links by the grid, in nearly linear time.

Within a group, with the weights g_ij = w_i u_j + u_i w_j, u = w r, of :mod:`nbembed.kernels.links`:

    force_i     = Σ_j g_ij S_ij (y_i − y_j) = −½ (w_i ∇φ_i[u] + u_i ∇φ_i[w])
    cross       = −Σ_{i≠j} g_ij log q_ij    = −2 Σ_i u_i φ_i[w]
    curvature_i = Σ_j g_ij S_ij             = w_i ψ_i[u] + u_i ψ_i[w]

φ[c] is the potential of charges c under K = log H, whose slope is the score S (∇_i log H(τ_ij) =
−2 S_ij (y_i − y_j)), and ψ[c] that under K = S (:mod:`.sums`, :class:`.radial.Radial`). log H grows
with the distance, and the force is a small difference of large potentials: the grid is in float64.
Must-links, which pull with √S, have the K of that slope in place of log H, and K = √S.

Where S is 1, for α = 0 and in maps that are narrow against 1/√α, no grid is needed. With
W = Σw, U = Σu, m = Σ w y, v = Σ u y:

    force_i     = w_i (U y_i − v) + u_i (W y_i − m)
    cross       = 2 (U Σ w ‖y‖² + W Σ u ‖y‖² − 2 m·v)
    curvature_i = w_i (U − u_i) + u_i (W − w_i)

A cannot-link between a and b takes two sums with the Gaussian, of charges on b felt in a and the
reverse.

In wide maps both kernels are smoothed, and near pairs are added one by one
(:class:`.radial.Smoothed`). Groups of fewer than :data:`LARGE` points are summed pair by pair, and
so are those for which all pairs cost less, as in wide maps in space, and all in more than three
dimensions or on a line.
"""

from __future__ import annotations

import itertools
from typing import Any

import numpy as np

from nbembed.kernels.custom_similarity import TINY, custom_groups
from nbembed.kernels.grid.near_pairs import add_near_pairs
from nbembed.kernels.grid.plan import spacing
from nbembed.kernels.grid.radial import Radial, Smoothed
from nbembed.kernels.grid.size import AXES, LEAST, Grid, grid_for, little_memory
from nbembed.kernels.grid.sums import radial_sums
from nbembed.kernels.inner_product import dot
from nbembed.kernels.links import cannot_link, group_attraction
from nbembed.kernels.terms import GAUSSIAN_BELOW, GroupTerms

#: Groups of fewer points are summed pair by pair.
LARGE = 1000

#: ns for a pair of a group, of the family and of a user's own similarity, and of a cannot-link.
GROUP_PAIR, OWN_GROUP_PAIR, CANNOT_PAIR = 0.4, 10.0, 10.0

GAUSSIAN = Radial(0.0)


def pair_by_pair(
    Yt: Any,
    groups: tuple[Any, Any, Any],
    rates: Any,
    kernel: Radial,
    n_threads: int,
    want_cost: bool = True,
    *,
    far: bool = False,
) -> GroupTerms:
    """Return the pull within groups, summed over all pairs; see :func:`groups_by_grid`."""
    if kernel.H is not None:
        return custom_groups(kernel.H, kernel.S, Yt, *groups, rates)
    return group_attraction(Yt, *groups, rates, kernel.alpha, n_threads, want_cost, far=far)


def groups_by_grid(
    Yt: Any,
    groups: tuple[Any, Any, Any],
    rates: Any,
    kernel: Radial,
    n_threads: int,
    want_cost: bool = True,
    *,
    far: bool = False,
) -> GroupTerms:
    """Compute :func:`~nbembed.kernels.links.group_attraction` by the grid.

    * rates shaped like ``members``: r of each point in each group.
    * kernel: the family at some α, or a similarity.
    * want_cost: whether ``cross`` is wanted; it is not valid otherwise.
    * far: the family's pull is that of must-links; a similarity of one's own has one pull.

    O(m + N log N) time and O(m + N) memory for a group of m points on a grid of N nodes.
    """
    indptr, members, weights = groups
    sizes = np.diff(indptr)
    terms = {}
    for g in np.flatnonzero(sizes >= LARGE):
        here = slice(indptr[g], indptr[g + 1])
        y = Yt[:, members[here]].astype(np.float64)
        found = _within(y, weights[here], rates[here], kernel, far, n_threads)
        if found is not None:
            terms[g] = found
    if not terms:
        return pair_by_pair(Yt, groups, rates, kernel, n_threads, want_cost, far=far)
    others = np.ones(sizes.size, bool)
    others[list(terms)] = False
    kept = np.repeat(others, sizes)
    rest = _offsets(sizes[others]), members[kept], weights[kept]
    sums = pair_by_pair(Yt, rest, rates[kept], kernel, n_threads, want_cost, far=far)
    force, curvature = sums.force.astype(np.float64), sums.curvature.astype(np.float64)
    cross = float(sums.cross)
    for g, found in terms.items():
        here = members[indptr[g] : indptr[g + 1]]
        force[:, here] += found.force
        curvature[here] += found.curvature
        cross += found.cross
    dtype = sums.force.dtype
    return GroupTerms(force.astype(dtype), curvature.astype(dtype), cross)


def cannot_links_by_grid(
    Yt: Any, indptr_a: Any, members_a: Any, indptr_b: Any, members_b: Any, n_threads: int
) -> tuple[float, Any]:
    """Compute :func:`~nbembed.kernels.links.cannot_link`, of large sides by the grid."""
    pairs = list(zip(itertools.pairwise(indptr_a), itertools.pairwise(indptr_b)))
    grids: dict[int, Grid] = {}
    for c, ((a, end_a), (b, end_b)) in enumerate(pairs):
        if (end_a - a) * (end_b - b) >= LARGE**2 and Yt.shape[0] in AXES:
            sides = np.concatenate([members_a[a:end_a], members_b[b:end_b]])
            grid = grid_for(Yt[:, sides].astype(np.float64), GAUSSIAN, precise=True)
            pairs_cost = CANNOT_PAIR * float(end_a - a) * float(end_b - b)
            if little_memory(grid, double=True) and 2 * grid.cost < pairs_cost:
                grids[c] = grid
    others = [c for c in range(len(pairs)) if c not in grids]
    energy, gradient = cannot_link(
        Yt, *_some(indptr_a, members_a, others), *_some(indptr_b, members_b, others), n_threads
    )
    for c, grid in grids.items():
        (a, end_a), (b, end_b) = pairs[c]
        n_a, n_b = int(end_a - a), int(end_b - b)
        sides = np.concatenate([members_a[a:end_a], members_b[b:end_b]])
        y = Yt[:, sides].astype(np.float64)
        first = np.arange(n_a + n_b) < n_a
        charges = (~first).astype(np.float64), first.astype(np.float64)
        of_b, of_a = (
            radial_sums(y, GAUSSIAN, c, n_threads, precise=True, grid=grid) for c in charges
        )
        share = 1 / (n_a * n_b)
        energy += share * float(of_b.potential[:n_a].sum())
        steps = np.where(first, of_b.gradient, of_a.gradient)
        gradient[:, sides] += (share * steps).astype(gradient.dtype)
    return energy, gradient


def compile_for_wide_maps() -> None:
    """Compile what only groups of thousands of points in wide maps need: sums over near pairs."""
    logarithm, score = Radial(1.0, of="logarithm"), Radial(1.0, of="score")
    for kernel, dtype in ((logarithm, np.float64), (score, np.float32)):
        y = np.zeros((2, 2), dtype)
        smooth = Smoothed(kernel, 1.0)
        add_near_pairs(y, y[:, 0], smooth, np.ones(2, dtype), np.zeros(2), np.zeros_like(y), 1)


def _within(y: Any, w: Any, r: Any, kernel: Radial, far: bool, n_threads: int) -> GroupTerms | None:
    """Return the sums of one group of points (d, m), or None where all pairs cost less."""
    d, m = y.shape
    u = w * r
    span = float(np.ptp(y, axis=1).max())
    y = y - y.mean(axis=1, keepdims=True)  # so that float32 below keeps its digits
    if kernel.H is None and (kernel.alpha < GAUSSIAN_BELOW or kernel.alpha * span**2 < LEAST**2):
        return _by_moments(y, w, u)
    if d not in AXES or span <= LEAST * kernel.width:
        return None
    if kernel.H is not None and kernel.values_and_slopes(d * span**2)[0] <= TINY:
        return None  # log H has a kink where H underflows
    if far and kernel.H is None:
        cost, slope = kernel._replace(of="length"), kernel._replace(of="root")
    else:
        cost, slope = kernel._replace(of="logarithm"), kernel._replace(of="score")
    if spacing(cost, False) == 0:
        return None
    grid = grid_for(y, cost)
    pairs = m * m * (GROUP_PAIR if kernel.H is None else OWN_GROUP_PAIR)
    # Two sums, and two that take half as long.
    if 3 * grid.cost > pairs or not little_memory(grid, double=True):
        return None
    of_w, of_u = (radial_sums(y, cost, c, n_threads, grid=grid) for c in (w, u))
    # Sums of S, all of one sign, need no finer grid, and no float64.
    found = grid.kernel
    alike = Smoothed(slope, found.core) if isinstance(found, Smoothed) else slope
    grid, y = grid._replace(kernel=alike), y.astype(np.float32)
    psi_w, psi_u = (radial_sums(y, slope, c, n_threads, grid=grid).potential for c in (w, u))
    force = -0.5 * (w * of_u.gradient + u * of_w.gradient)
    return GroupTerms(force, w * psi_u + u * psi_w, -2 * dot(u, of_w.potential))


def _by_moments(y: Any, w: Any, u: Any) -> GroupTerms:
    W, U = float(w.sum()), float(u.sum())
    y = y - ((y * w).sum(axis=1) / W)[:, None]  # so that large sums do not cancel
    m, v = (y * w).sum(axis=1), (y * u).sum(axis=1)
    force = w * (U * y - v[:, None]) + u * (W * y - m[:, None])
    lengths = np.square(y).sum(axis=0)
    cross = 2 * (U * dot(w, lengths) + W * dot(u, lengths) - 2 * dot(m, v))
    return GroupTerms(force, w * (U - u) + u * (W - w), cross)


def _offsets(sizes: Any) -> Any:
    return np.concatenate([[0], np.cumsum(sizes)]).astype(np.int64)


def _some(indptr: Any, members: Any, which: list[int]) -> tuple[Any, Any]:
    """Return the parts of a list of lists that have these numbers."""
    parts = [members[indptr[c] : indptr[c + 1]] for c in which]
    return _offsets([part.size for part in parts]), np.concatenate(
        [*parts, np.empty(0, np.int64)]
    ).astype(np.int64)
