"""None of these: points that the labels do not reach as they reach what they are the labels of.

r_i is the probability that a walk from point i meets a label before it ends. A group that nobody
has named is left on few edges, so r is small there. How small is too small, labels tell: in
:data:`FOLDS` parts each is left out, and has an r from the others. A point may be of no class that
has a label if

    r_i / (1 − r_i) < min(c q, o/3)

q is the quantile :data:`LOST` of the odds r/(1 − r) of left out labels, so that about so many
points of the classes are lost. Each label counts for as many points as its class has for each of
its labels. And of few labels a quantile is a guess: odds of a third of o are enough in any case.
o is the upper quartile of the odds of unlabeled points that belong with the labels.

Which points belong with the labels, a sweep says [1]_. In the order of falling r, labeled points
first, the points enter a set A. Where A has gathered what belongs together, few of the steps of a
walk lead out of it: its conductance

    φ(A) = cut(A, B) / min(vol A, vol B),    B: all other points,

falls into a valley, the first of at most :data:`LIMIT`; without one all points belong with the
labels. Where a lasso has labeled nearly the whole of two groups, most unlabeled points are of
others, and their quartile would be that of groups without names.

Labels often lie closer together than the points that they speak for, and a lasso gives them in one
heap: then a left out label is met far too often. So odds are scaled to make upper quartiles agree,
c = max(o_U/o_L, min(1, o/o_L)), o_L of the labels that were left out, o_U of all unlabeled points.

Points so far away are of none of the classes where they are a group: connected in the graph, and at
least :data:`GROUP` times as many as there are unlabeled points to a label. By chance so large a
part of the named classes has no label with a probability of e⁻² = .14; stray points stay what they
are.

References
----------
.. [1] R. Andersen, F. Chung, K. Lang (2006), "Local graph partitioning using PageRank vectors",
   47th Annual IEEE Symposium on Foundations of Computer Science.
"""

from __future__ import annotations

import copy

import numpy as np
from numpy.typing import NDArray
from scipy.sparse.csgraph import connected_components

from nbembed.propagation.folds import folds
from nbembed.propagation.incremental import Propagation
from nbembed.propagation.system import Graph, Solution, scores
from nbembed.supervision import Supervision

#: Parts of the labels, each left out once.
FOLDS = 3
#: The share of the points of named classes that may be said to be of none.
LOST = 0.05
#: The odds that are enough, as a share of those of the upper quartile.
ENOUGH = 1 / 3
#: The largest conductance of what belongs with the labels: one step in twenty leads out of it.
LIMIT = 0.05
#: A valley ends where the conductance is so many times that of its bottom.
RISE = 1.5
#: The least size of a group, in points for each label.
GROUP = 2.0
#: As :data:`~nbembed.propagation.system.TOLERANCE`: quantiles of r are compared.
TOLERANCE = 1e-3
#: Odds are finite between these probabilities.
LEAST, MOST = 1e-9, 1 - 1e-9


def least_reach(
    propagation: Propagation,
    supervision: Supervision,
    top_class: NDArray[np.intp],
    reach: NDArray[np.float64],
) -> float:
    """Return the r below which a point may be of no class that has a label.

    It is 0 where no class has two labels, or every point is labeled. ``top_class`` holds the
    likeliest class and ``reach`` r of each point, (n_samples,).
    """
    points = supervision.labeled
    classes = supervision.top_class[points]
    counts = np.bincount(classes, minlength=len(supervision.classes))
    rest = np.setdiff1d(np.arange(supervision.n_samples), points)
    left_out = counts[classes] >= 2
    if not left_out.any() or rest.size == 0:
        return 0.0
    points, classes = points[left_out], classes[left_out]
    of_labels = np.empty(points.size)
    fold = folds(classes, FOLDS)
    for part in range(FOLDS):
        out = fold == part
        if out.any():
            kept = np.setdiff1d(supervision.labeled, points[out])
            of_labels[out] = _reach(propagation, supervision, kept)[points[out]]
    mass = np.bincount(top_class[rest], reach[rest], minlength=counts.size)
    weights = mass[classes] / counts[classes]
    if not weights.any():
        return 0.0
    near = belonging(propagation, supervision, reach)
    upper = _odds(np.quantile(reach[near if near.size else rest], 0.75))
    of_left_out = _odds(_quantile(of_labels, weights, 0.75))
    of_all = _odds(np.quantile(reach[rest], 0.75))
    closer = max(of_all / of_left_out, min(1.0, upper / of_left_out))
    least = min(_odds(_quantile(of_labels, weights, LOST)) * closer, upper * ENOUGH)
    return float(least / (1 + least))


def belonging(
    propagation: Propagation, supervision: Supervision, reach: NDArray[np.float64]
) -> NDArray[np.intp]:
    """Return the unlabeled points that belong with the labels, as the first valley of φ says."""
    graph, labeled = _linked(propagation, supervision)._graph, supervision.labeled
    rank = reach.copy()
    rank[labeled] = 2.0
    # Nodes that stand for groups of links are in no order: points alone are swept over.
    order = np.argsort(-rank, kind="stable")
    after = sweep(graph, order)[labeled.size - 1 :]
    return order[labeled.size :][: first_valley(after)]


def sweep(graph: Graph, order: NDArray[np.intp]) -> NDArray[np.float64]:
    """Return φ of the first point of an order, the first two, and so on, without all of them."""
    n = order.size
    rank = np.empty(n, np.intp)
    rank[order] = np.arange(n)
    S = graph.S[:n][:, :n].tocoo()
    weight = S.data * graph.root[S.row] * graph.root[S.col]
    first, last = rank[S.row], rank[S.col]
    inside = np.cumsum(np.bincount(first, weight, n))[:-1]
    # Each edge crosses from where its first end has entered until the other has.
    once = first < last
    first, last, crossing = first[once], last[once], weight[once]
    cut = np.cumsum(np.bincount(first, crossing, n) - np.bincount(last, crossing, n))[:-1]
    smaller = np.minimum(inside, weight.sum() - inside)
    conductance = np.ones(n - 1)
    np.divide(cut, smaller, out=conductance, where=smaller > 0)
    return conductance


def first_valley(conductance: NDArray[np.float64]) -> int:
    """Return where the first valley has its bottom, or the length where there is none."""
    lowest = np.minimum.accumulate(conductance)
    left = np.flatnonzero((lowest <= LIMIT) & (conductance > RISE * lowest))
    valley = conductance[: left[0]] if left.size else conductance
    if valley.size == 0 or valley.min() > LIMIT:
        return conductance.size
    return int(valley.argmin())


def none_of_these(
    propagation: Propagation, supervision: Supervision, reach: NDArray[np.float64], least: float
) -> NDArray[np.bool_]:
    """Return a mask of the points that belong to no class with a label.

    ``reach`` holds r of each point, (n_samples,), and ``least`` is that of :func:`least_reach`.
    """
    none = reach < least
    none[supervision.labeled] = False
    points = np.flatnonzero(none)
    if points.size:
        graph = _linked(propagation, supervision)._graph.S
        group = connected_components(graph[points][:, points], directed=False)[1]
        to_a_label = reach.size / supervision.labeled.size - 1
        none[points] = np.bincount(group)[group] >= GROUP * to_a_label
    return none


def _linked(propagation: Propagation, supervision: Supervision) -> Propagation:
    anew = copy.copy(propagation)
    anew._link(supervision)
    return anew


def _reach(
    propagation: Propagation, supervision: Supervision, labeled: NDArray[np.intp]
) -> NDArray[np.float64]:
    """Return r of all points if these alone were labeled, whatever class: one linear system."""
    anew = _linked(propagation, supervision)
    anew._last = Solution.empty(anew._graph.n, 1)
    T = np.zeros((anew._graph.n, 1))
    T[labeled] = 1.0
    solution = anew._solved(labeled, T, TOLERANCE)
    return np.minimum(scores(anew._graph, solution, anew._clamp)[: anew.n_samples, 0], 1.0)


def _odds(r: float) -> float:
    r = min(max(float(r), LEAST), MOST)
    return r / (1 - r)


def _quantile(values: NDArray[np.float64], weights: NDArray[np.float64], share: float) -> float:
    """Return the least value that so large a share of the weight is at or below."""
    order = np.argsort(values, kind="stable")
    sums = np.cumsum(weights[order])
    return float(values[order[np.searchsorted(sums, share * sums[-1])]])
