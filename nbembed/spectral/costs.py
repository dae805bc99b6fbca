"""Costs: the label graphs and the unlabeled graph of the framework's table of learners.

| builder | entries c_ij |
|---|---|
| :func:`within` | 1/n_c for two points of class c (FDA) |
| :func:`between` | 1/n − 1/n_c within class c, 1/n between classes (FDA) |
| :func:`local_within` | a_ij/n_c for two points of class c (LFDA) |
| :func:`local_between` | a_ij (1/n − 1/n_c) within class c, 1/n between classes (LFDA) |
| :func:`nearest_within` | 1 for each point's k nearest of its own class (MFA's and DNE's C_I) |
| :func:`nearest_between` | 1 for each point's k nearest of other classes (their C_E) |
| :func:`heat_kernel` | a_ij for each point's k nearest, labeled or not; entries may be raised |

``a_ij = exp(−‖x_i − x_j‖²/(s_i s_j))`` with the local scale ``s_i``, the distance from x_i to its
7th neighbor (for LFDA its 7th within the class), or with one scale for all, the root mean square
distance of the pairs. A pair counts as nearest if one is among the other's. In a class with fewer
points, all of them are neighbors. Where LFDA is given a number of neighbors, its a_ij are C_I's
entries, 0 and 1.

An uncertain label counts in part: c_ij is multiplied by ``c_i c_j``, the weights of both labels
(:mod:`nbembed.supervision.weights`), and ``n_c`` is the sum of the class's ``c_i``. A must-linked
group is a small class of its own in the costs within and in no class between; the two sides of a
cannot-link are two classes of their own between and add nothing within.
"""

from __future__ import annotations

from dataclasses import dataclass
from functools import cached_property
from typing import Any

import numpy as np
from numpy.typing import NDArray
from scipy import sparse

from nbembed.kernels.distances import squared_distances
from nbembed.neighbors import find_neighbors, nearest_neighbors
from nbembed.spectral.graphs import Clique, Edges, Graph, Patch, Sum
from nbembed.spectral.local_graph import Local
from nbembed.supervision import Supervision
from nbembed.validation import check_count

#: The pairs of a class of more points are computed anew wherever they are needed.
STORED = 2000

__all__ = [
    "LabelGroups",
    "between",
    "check_scale_neighbor",
    "heat_kernel",
    "local_between",
    "local_within",
    "nearest_between",
    "nearest_within",
    "within",
]


@dataclass(frozen=True, eq=False)
class LabelGroups:
    """Supervision as groups of points, the input of label costs.

    * classes (members, weights): one for each class with a point that counts; weights are ``c_i``
      in (0, 1].
    """

    supervision: Supervision
    classes: tuple[tuple[NDArray[np.intp], NDArray[np.float64]], ...]
    links: tuple[NDArray[np.intp], ...] = ()
    cannot_links: tuple[tuple[NDArray[np.intp], NDArray[np.intp]], ...] = ()

    @classmethod
    def of(cls, supervision: Supervision) -> LabelGroups:
        """Return the groups of a supervision."""
        top, weight = supervision.top_class, supervision.label_weights
        classes = range(len(supervision.classes))
        members = [np.flatnonzero((top == k) & (weight > 0)) for k in classes]
        return cls(
            supervision,
            tuple((points, weight[points]) for points in members if points.size),
            supervision.links,
            supervision.cannot_links,
        )

    @property
    def n_samples(self) -> int:
        """Number of points, labeled or not."""
        return self.supervision.n_samples

    @property
    def sufficient(self) -> bool:
        """True if some points are given as different; label costs have no aim otherwise."""
        return len(self.classes) > 1 or bool(self.cannot_links)

    @cached_property
    def n_labeled(self) -> float:
        """Sum of the weights of all labeled points."""
        return float(sum(weights.sum() for _, weights in self.classes))

    @cached_property
    def labeled(self) -> tuple[NDArray[np.intp], NDArray[np.float64]]:
        """All labeled points and their weights."""
        if not self.classes:
            return np.empty(0, dtype=np.intp), np.empty(0)
        members, weights = zip(*self.classes)
        return np.concatenate(members), np.concatenate(weights)

    @cached_property
    def together(self) -> tuple[tuple[NDArray[np.intp], NDArray[np.float64]], ...]:
        """Groups that belong together: classes, then must-linked groups with weights of one."""
        return (*self.classes, *((group, np.ones(group.size)) for group in self.links))


def within(groups: LabelGroups) -> Graph:
    """Return 1/n_c within each class and linked group (FDA)."""
    terms = [(1 / w.sum(), Clique(groups.n_samples, m, w)) for m, w in groups.together]
    return Sum(groups.n_samples, tuple(terms))


def between(groups: LabelGroups) -> Graph:
    """Return 1/n between classes and 1/n − 1/n_c within (FDA)."""
    n = groups.n_samples
    terms: list[tuple[float, Graph]] = []
    if groups.classes:
        terms += [(1 / groups.n_labeled, Clique(n, *groups.labeled))]
        terms += [(-1 / w.sum(), Clique(n, m, w)) for m, w in groups.classes]
    return Sum(n, tuple(terms)) + _across(groups)


def local_within(
    X: NDArray[Any],
    groups: LabelGroups,
    scale_neighbor: int | None = 7,
    n_neighbors: int | None = None,
) -> Graph:
    """Return a_ij/n_c within each class and linked group (LFDA).

    Classes of at most :data:`STORED` points are stored as n_c² entries. With ``n_neighbors`` a_ij
    is 1 for pairs of which one is among the other's nearest in the class, else 0.
    """
    terms = [
        (1 / w.sum(), _local(X, groups.n_samples, m, w, scale_neighbor, n_neighbors))
        for m, w in groups.together
    ]
    return Sum(groups.n_samples, tuple(terms))


def local_between(
    X: NDArray[Any],
    groups: LabelGroups,
    scale_neighbor: int | None = 7,
    n_neighbors: int | None = None,
) -> Graph:
    """Return 1/n between classes and a_ij (1/n − 1/n_c) within (LFDA), stored likewise."""
    n = groups.n_samples
    terms: list[tuple[float, Graph]] = []
    if groups.classes:
        terms += [(1 / groups.n_labeled, Clique(n, *groups.labeled))]
    for m, w in groups.classes:
        terms += [(-1 / groups.n_labeled, Clique(n, m, w))]
        near = _local(X, n, m, w, scale_neighbor, n_neighbors)
        terms += [(1 / groups.n_labeled - 1 / w.sum(), near)]
    return Sum(n, tuple(terms)) + _across(groups)


def nearest_within(X: NDArray[Any], groups: LabelGroups, n_neighbors: int = 3) -> Graph:
    """Return 1 for pairs of one class of which one is among the other's nearest there."""
    k = check_count("within_neighbors", n_neighbors)
    graph: Graph = Sum(groups.n_samples)
    for m, w in groups.together:
        graph += _joined(X, groups.n_samples, m, m, k, w, w)
    return graph


def nearest_between(X: NDArray[Any], groups: LabelGroups, n_neighbors: int = 3) -> Graph:
    """Return 1 for pairs of different classes of which one is among the other's nearest there."""
    k = check_count("between_neighbors", n_neighbors)
    n = groups.n_samples
    graph: Graph = Sum(n)
    if len(groups.classes) > 1:
        pairs = sparse.csr_array((n, n))
        everyone, all_weights = groups.labeled
        start = 0
        for m, w in groups.classes:
            others = np.ones(everyone.size, dtype=bool)
            others[start : start + m.size] = False
            start += m.size
            pairs = pairs + _nearest(X, n, m, everyone[others], k, w, all_weights[others])
        graph += Edges(sparse.csr_array(pairs.maximum(pairs.T)))
    for a, b in groups.cannot_links:
        graph += _joined(X, n, a, b, k, np.ones(a.size), np.ones(b.size))
    return graph


def check_scale_neighbor(scale_neighbor: Any) -> None:
    """Raise unless ``scale_neighbor`` is the rank of a neighbor or None."""
    if scale_neighbor is not None:
        check_count("scale_neighbor", scale_neighbor)


def heat_kernel(X: NDArray[Any], n_neighbors: int = 7, scale_neighbor: int | None = 7) -> Edges:
    """Return a_ij for pairs of which one is among the other's nearest of all points.

    Parameters
    ----------
    X : ndarray of shape (n_samples, n_features)
    n_neighbors : int, default=7
        Of the graph; all others, if there are fewer.
    scale_neighbor : int or None, default=7
        The neighbor whose distance is a point's scale s_i; None: the root mean square distance of a
        point to its neighbors in the graph is the scale of all.

    Notes
    -----
    From 20 000 points on, about 99 % of the neighbors are found
    (:func:`nbembed.measures.nearest_neighbors` with ``search="auto"``).
    """
    n = X.shape[0]
    k = min(check_count("n_neighbors", n_neighbors), n - 1)
    check_scale_neighbor(scale_neighbor)
    s = k if scale_neighbor is None else min(scale_neighbor, n - 1)
    neighbors, distances, _ = find_neighbors(X, max(k, s), search="auto")
    if scale_neighbor is None:
        scale = _positive(np.full(n, np.sqrt(np.mean(distances[:, :k] ** 2))))
    else:
        scale = _positive(distances[:, s - 1])
    rows, columns = np.repeat(np.arange(n), k), neighbors[:, :k].ravel()
    values = np.exp(-(distances[:, :k].ravel() ** 2) / (scale[rows] * scale[columns]))
    C = sparse.csr_array((values, (rows, columns)), shape=(n, n))
    return Edges(sparse.csr_array(C.maximum(C.T)))


def _across(groups: LabelGroups) -> Graph:
    """Return 1/m for the pairs across each cannot-link of m points in all."""
    terms: list[tuple[float, Graph]] = []
    for a, b in groups.cannot_links:
        both, m = np.concatenate([a, b]), a.size + b.size
        # Pairs across are all pairs less those on either side.
        for sign, points in ((1, both), (-1, a), (-1, b)):
            terms.append((sign / m, Clique(groups.n_samples, points, np.ones(points.size))))
    return Sum(groups.n_samples, tuple(terms))


def _local(
    X: NDArray[Any],
    n: int,
    members: NDArray[np.intp],
    weights: NDArray[np.float64],
    scale_neighbor: int | None,
    n_neighbors: int | None = None,
) -> Edges | Patch | Local:
    """Return a_ij w_i w_j among ``members`` with scales or neighbors taken among them."""
    if n_neighbors is not None:
        k = check_count("within_neighbors", n_neighbors)
        return _joined(X, n, members, members, k, weights, weights)
    check_scale_neighbor(scale_neighbor)
    mine = np.ascontiguousarray(X[members], dtype=np.float64)
    k = 0 if scale_neighbor is None else min(scale_neighbor, members.size - 1)
    one: NDArray[np.float64] | None = None
    if scale_neighbor is None:
        # The mean square distance of all pairs is 2 m/(m − 1) times the mean square radius.
        spread = 2 * float(np.sum((mine - mine.mean(axis=0)) ** 2)) / max(members.size - 1, 1)
        one = _positive(np.full(members.size, np.sqrt(spread)))
    if members.size > STORED:
        scale = _positive(find_neighbors(mine, k).distances[:, -1]) if one is None else one
        return Local(n, members, mine, scale, weights)
    D2 = squared_distances(mine, mine)
    # The smallest entry of a row is the point itself.
    scale = _positive(np.sqrt(np.partition(D2, k, axis=1)[:, k])) if one is None else one
    block = np.exp(-D2 / np.outer(scale, scale))
    return Patch(n, members, block * np.outer(weights, weights))


def _positive(scale: NDArray[np.float64]) -> NDArray[np.float64]:
    """Return local scales; where equal points make one zero, the mean of the others instead."""
    zero = ~(scale > 0)
    if not zero.any():
        return scale
    return np.where(zero, scale[~zero].mean() if not zero.all() else 1.0, scale)


def _joined(
    X: NDArray[Any],
    n: int,
    a: NDArray[np.intp],
    b: NDArray[np.intp],
    k: int,
    weights_a: NDArray[np.float64],
    weights_b: NDArray[np.float64],
) -> Edges:
    """Return pairs of a and b of which one is among the other's k nearest."""
    pairs = _nearest(X, n, a, b, k, weights_a, weights_b)
    if a is not b:
        back = _nearest(X, n, b, a, k, weights_b, weights_a)
        pairs = sparse.csr_array(pairs.maximum(back.T))
    return Edges(sparse.csr_array(pairs.maximum(pairs.T)))


def _nearest(
    X: NDArray[Any],
    n: int,
    a: NDArray[np.intp],
    b: NDArray[np.intp],
    k: int,
    weights_a: NDArray[np.float64],
    weights_b: NDArray[np.float64],
) -> sparse.csr_array:
    """Return w_i w_j where j is among the k nearest points of b to the point i of a."""
    k = min(k, b.size - (a is b))
    if k < 1:
        return sparse.csr_array((n, n))
    found = nearest_neighbors(X[a], k, others=None if a is b else X[b])
    rows, columns = np.repeat(np.arange(a.size), k), found.ravel()
    values = weights_a[rows] * weights_b[columns]
    return sparse.csr_array((values, (a[rows], b[columns])), shape=(n, n))
