"""Centers of class regions: which points of a map belong to which class, and in how many pieces.

A function of a map, of the data's neighbors and of the labels alone, so that the same labels give
the same regions whatever was undone in between. All of it is ours; nothing is in the paper.

1. Labels are propagated along the neighbor graph of the map (:func:`nbembed.propagation.propagate`)
   to probabilities F of all points. Classes without a label begin at the clusters of the map that
   hold none (k-means).
2. Each class has a center at the mean of its points. While a further center of a class would put
   at least :data:`WORTH` of all points into the region of their own class, the best one is added
   and the class is divided among its centers anew: a class in several pieces gets several centers.
3. Targets are the labels, and with the weight :data:`REINFORCED` the propagated probabilities of
   all other points.

Points that the labels do not reach in the data (:func:`none_of`) count nowhere in this: a group
that nobody has named gets no center and is not drawn to one.
"""

from __future__ import annotations

import functools
from typing import Any

import numpy as np
from numpy.typing import NDArray
from scipy.spatial.distance import cdist

from nbembed.affinities import Affinities
from nbembed.objectives.regions import Centers
from nbembed.propagation import Propagation, neighbor_affinities, propagate
from nbembed.propagation.incremental import from_zero
from nbembed.propagation.reach import TOLERANCE, least_reach, none_of_these
from nbembed.supervision import Supervision

#: Share of the points that one center more must put into the right region.
WORTH = 0.005
#: How much a propagated label counts beside a given one.
REINFORCED = 0.1
#: At most so many places are tried for a new center, evenly spaced among those in question.
PLACES = 200
#: Rounds of k-means, and its starts where classes have no labels.
ROUNDS, STARTS = 20, 4


def make_centers(
    Y: NDArray[Any],
    supervision: Supervision,
    n_classes: int,
    none_of_these: NDArray[np.bool_] | None = None,
) -> Centers:
    """Return the centers of ``n_classes`` classes on the map ``Y``.

    Classes that neither a label nor a cluster is left for have no center, nor have points that are
    of no class: ``none_of_these``, as :func:`none_of` returns them.
    """
    layout = np.ascontiguousarray(Y, dtype=np.float64)
    F = class_probabilities(layout, supervision, n_classes)
    counted = np.ones(len(layout), bool) if none_of_these is None else ~none_of_these
    member_of = np.zeros(len(layout), np.intp)
    member_of[counted], owners = pieces(layout[counted], F[counted])
    # A class that is nowhere the likeliest has no center, and its share goes to the others.
    present = np.isin(np.arange(n_classes), owners)
    targets = np.where(present, F, 0.0)
    targets /= targets.sum(axis=1, keepdims=True)
    weights = np.where(counted, REINFORCED, 0.0)
    weights[supervision.labeled] = 1.0
    return Centers(member_of, counted * F.max(axis=1), owners, targets, weights)


def none_of(
    affinities: Affinities, supervision: Supervision, n_classes: int, n_jobs: int | None = None
) -> NDArray[np.bool_]:
    """Return a mask of the points of none of the classes, judged by neighbors in the data.

    See :mod:`nbembed.propagation.reach`. None is where a class without a label may be anywhere.
    The graph that is made of the affinities is kept with them.
    """
    labeled, n = supervision.labeled, supervision.n_samples
    if np.unique(supervision.top_class[labeled]).size < n_classes or n == 1:
        return np.zeros(n, bool)
    graph: Propagation
    graph = affinities.cached("propagation", lambda: Propagation(affinities, n_jobs=n_jobs))
    p, reach = from_zero(graph, supervision, TOLERANCE)
    least = least_reach(graph, supervision, p.argmax(axis=1), reach)
    return none_of_these(graph, supervision, reach, least)


def class_probabilities(
    Y: NDArray[np.float64], supervision: Supervision, n_classes: int
) -> NDArray[np.float64]:
    """Return F, shape (n_samples, n_classes): labels propagated along the map's neighbor graph."""
    labeled, n = supervision.labeled, len(Y)
    known = np.unique(supervision.top_class[labeled])
    free = np.setdiff1d(np.arange(n_classes), known)
    prior = None
    if free.size:
        supervision, prior = _with_clusters(Y, supervision, n_classes, known, free)
    F = np.zeros((n, n_classes))
    if n == 1:
        F[:] = 1 / n_classes
        return F
    found = propagate(_graph(Y.tobytes(), Y.shape), supervision, class_prior=prior)
    F[:, : found.shape[1]] = found
    return F


def pieces(
    Y: NDArray[np.float64], F: NDArray[np.float64]
) -> tuple[NDArray[np.intp], NDArray[np.intp]]:
    """Return the center that each point belongs to and the class of each center.

    ``F`` holds class probabilities, (n_samples, n_classes); a point belongs to its likeliest
    class.
    """
    n, top, share = len(Y), F.argmax(axis=1), F.max(axis=1)
    places = {
        int(k): np.average(Y[top == k], axis=0, weights=share[top == k])[None]
        for k in np.unique(top)
    }
    enough = max(WORTH * n, 2)
    while True:
        owners = np.repeat(list(places), [len(each) for each in places.values()])
        D = cdist(Y, np.concatenate(list(places.values())))
        wrong = owners[D.argmin(axis=1)] != top
        tried = np.flatnonzero(wrong)
        tried = tried[:: max(1, tried.size // PLACES)]
        if wrong.sum() < enough:
            break
        nearest = D.min(axis=1)
        gain = np.array(
            [_gain(Y, int(place), nearest, top == top[place], wrong) for place in tried]
        )
        best = int(gain.argmax())
        if gain[best] < enough:
            break
        k = int(top[tried[best]])
        begun = np.vstack([places[k], Y[tried[best]]])
        places[k] = _divided(Y[top == k], begun, share[top == k])
    D[owners != top[:, None]] = np.inf
    member_of = D.argmin(axis=1)
    # A center whose points all lie nearer to another one of their class is dropped.
    used, member_of = np.unique(member_of, return_inverse=True)
    return member_of, owners[used].astype(np.intp)


def _gain(
    Y: NDArray[np.float64],
    place: int,
    nearest: NDArray[np.float64],
    own: NDArray[np.bool_],
    wrong: NDArray[np.bool_],
) -> int:
    """Return the gain of points in the right region by a center at the point ``place``.

    ``nearest`` holds the distance of each point to the nearest center so far; ``own`` marks points
    of the center's class, and ``wrong`` those that are in a wrong region so far.
    """
    nearer = cdist(Y[place][None], Y)[0] < nearest
    return int((nearer & own & wrong).sum()) - int((nearer & ~own & ~wrong).sum())


@functools.lru_cache(maxsize=2)
def _graph(layout: bytes, shape: tuple[int, int]) -> Affinities:
    """Return the map's neighbor graph; kept for the next labels on the same map."""
    return neighbor_affinities(np.frombuffer(layout).reshape(shape))


def _with_clusters(
    Y: NDArray[np.float64],
    supervision: Supervision,
    n_classes: int,
    known: NDArray[np.intp],
    free: NDArray[np.intp],
) -> tuple[Supervision, NDArray[np.float64]]:
    """Return labels for classes without any, at clusters that hold none, and class priors."""
    n, named = len(Y), len(supervision.classes)
    fresh = supervision
    names = [str(name) for name in supervision.classes]
    for k in range(named, n_classes):
        names.append(_unused(names, k))
        fresh = fresh.add_class(names[-1])
    clusters = _clusters(Y, n_classes)
    held = np.unique(clusters[supervision.labeled])
    left = np.setdiff1d(clusters, held)
    counts = np.zeros(n_classes)
    for k, cluster in zip(free, left):
        members = np.flatnonzero(clusters == cluster)
        away = np.linalg.norm(Y[members] - Y[members].mean(axis=0), axis=1)
        core = members[np.argsort(away, kind="stable")[: max(1, members.size // 2)]]
        fresh = fresh.label(core, names[k])
        counts[k] = members.size
    shares = np.bincount(supervision.top_class[supervision.labeled], minlength=n_classes)
    if known.size:
        counts += (n - counts.sum()) * shares / shares.sum()
    return fresh, counts / counts.sum()


def _unused(names: list[str], k: int) -> str:
    name = f"cluster {k + 1}"
    while name in names:
        name += "'"
    return name


def _clusters(Y: NDArray[np.float64], k: int) -> NDArray[np.intp]:
    """Return the best of some k-means partitions, whose starts are drawn the same every time."""
    rng = np.random.default_rng(0)
    share = np.ones(len(Y))
    best: tuple[float, NDArray[np.intp]] | None = None
    for _ in range(STARTS):
        begun = Y[[int(rng.integers(len(Y)))]]
        while len(begun) < k:
            away = cdist(Y, begun, "sqeuclidean").min(axis=1)
            total = away.sum()
            if not total > 0:
                break
            begun = np.vstack([begun, Y[int(rng.choice(len(Y), p=away / total))]])
        D = cdist(Y, _divided(Y, begun, share), "sqeuclidean")
        cost = float(D.min(axis=1).sum())
        if best is None or cost < best[0]:
            best = cost, D.argmin(axis=1)
    assert best is not None
    return best[1]


def _divided(
    Y: NDArray[np.float64], begun: NDArray[np.float64], share: NDArray[np.float64]
) -> NDArray[np.float64]:
    """Return centers of ``Y`` by k-means from those given; one that loses its points stays."""
    centers = begun.copy()
    for _ in range(ROUNDS):
        nearest = cdist(Y, centers).argmin(axis=1)
        mass = np.bincount(nearest, share, minlength=len(centers))
        kept = mass > 0
        moved = centers.copy()
        for axis in range(Y.shape[1]):
            sums = np.bincount(nearest, share * Y[:, axis], minlength=len(centers))
            moved[kept, axis] = sums[kept] / mass[kept]
        if np.array_equal(moved, centers):
            break
        centers = moved
    return centers
