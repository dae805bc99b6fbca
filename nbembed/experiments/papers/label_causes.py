"""Evidence for the causes of failures with labels: of ``labels-structure`` and of ``few-labels``.

As in :mod:`nbembed.experiments.papers.causes`, none of these figures is judged.
"""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path
from typing import Any

import numpy as np
from numpy.typing import NDArray

from nbembed.experiments.papers.base import Experiment, Figure
from nbembed.experiments.papers.few_labels import BOOK, task
from nbembed.experiments.papers.structure import (
    NEIGHBORS,
    WHOLE,
    case_title,
    hssne_map,
    sets,
    some_labels,
)
from nbembed.experiments.sweeps.jobs import in_order
from nbembed.neighbors import nearest_neighbors
from nbembed.propagation import PropagationClassifier

#: The set of ``few-labels`` of which the cause is asked.
OVERLAPPING = "ssl_bci"


def _structure(data: Path | None) -> Iterator[Figure]:
    for title, X, y in sets(data):
        own = y[nearest_neighbors(X, NEIGHBORS)] == y[:, None]
        worst = min(float(own[y == k].mean()) for k in np.unique(y))
        yield Figure(f"{title}: neighbors in the data of their class, worst class", "", worst)
        for case, (at_one, unlabeled) in zip(WHOLE, in_order(_of_case, (X, y), WHOLE)):
            name = case_title(title, y, *case)
            if case[2] == 1:
                yield Figure(f"{name}, ρ = 1: purity", "", at_one)
            else:
                what = "neighbors of another class without a label"
                yield Figure(f"{name}: {what}, %", "", unlabeled, digits=0)


def _of_case(
    shared: tuple[Any, NDArray[Any]], case: tuple[float, int | None, float]
) -> tuple[float, float]:
    """Return the purity at ρ = 1 of the worst class where all are labeled, else nan.

    Where a part is: of the neighbors on the map by which labeled points are mixed with another
    class, the share in percent that has no label.
    """
    X, y = shared
    alpha, count, share = case
    labels = some_labels(y, count, share)
    Y = hssne_map(alpha, X, labels, 1.0 if share == 1 else None)
    near = nearest_neighbors(Y, NEIGHBORS)
    other = y[near] != y[:, None]
    if share == 1:
        named = np.unique(labels[labels >= 0])
        return min(1 - float(other[labels == k].mean()) for k in named), np.nan
    of_labeled = other & (labels >= 0)[:, None]
    return np.nan, 100 * float((labels[near] < 0)[of_labeled].mean())


def _few(data: Path | None) -> Iterator[Figure]:
    for n_labels in BOOK[OVERLAPPING]:
        problem = task(data, OVERLAPPING, n_labels)
        if n_labels == min(BOOK[OVERLAPPING]):
            near = nearest_neighbors(problem.X, NEIGHBORS)
            own = 100 * float((problem.y[near] == problem.y[:, None]).mean())
            title = f"{OVERLAPPING}: neighbors in the data of their class, %"
            yield Figure(title, "", own, digits=0)
        shares = list(in_order(_graph_share, (problem.X, problem.y), list(problem.splits)))
        yield Figure(
            f"{OVERLAPPING}, {n_labels} labels: share of the graph in the weights of suggestions",
            "",
            float(np.mean(shares)),
            digits=2,
            spread=float(np.std(shares, ddof=1)),
        )


def _graph_share(shared: tuple[Any, NDArray[Any]], labeled: NDArray[np.int64]) -> float:
    """Return the weight of propagation among those of all members."""
    X, y = shared
    known = np.full(y.size, -1)
    known[labeled] = y[labeled]
    weights = PropagationClassifier(n_jobs=1).fit(X, known).suggestions_.weights
    return weights["graph"] / sum(weights.values())


EXPERIMENTS = (
    Experiment(
        "labels-causes",
        "classes that overlap in the data, labels with all of the rows, neighbors without a label "
        "(about 1 min)",
        ("segment",),
        False,
        _structure,
    ),
    Experiment(
        "few-labels-causes",
        "neighbors of BCI, and how far suggestions follow the graph there (about 10 s)",
        (OVERLAPPING,),
        False,
        _few,
    ),
)
