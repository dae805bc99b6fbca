"""None of these: one class has no label, and its points should be suggested none.

Each class of at least 100 points is left out in turn; of the others ten points each have labels,
drawn at random with the class's index as the seed. Of the unlabeled points two shares count: of
the class that was left out those that are said to be of none of the others, and of the others those
that are lost, because they are said so, too; at most 5 % are meant to be lost
(:mod:`nbembed.propagation.reach`). In flow_bal_19k only the cells are left out that its
experts did not name. Of more than 4000 points a random sample of so many is taken.

*By distance* says so of points that lie farther from the nearest label than 95 % of the labels from
the nearest other one. Behind ± stands the standard deviation over the classes.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping
from pathlib import Path
from typing import Any

import numpy as np
from numpy.typing import NDArray
from sklearn.datasets import load_digits
from sklearn.neighbors import NearestNeighbors
from sklearn.preprocessing import StandardScaler

from nbembed.datasets import read
from nbembed.experiments.papers.base import Experiment, Figure
from nbembed.experiments.sweeps.jobs import in_order
from nbembed.methods import Mbed
from nbembed.propagation import PropagationClassifier

#: Returns which points are of none of the classes that have labels.
Finder = Callable[["NDArray[Any]", "NDArray[np.int64]"], "NDArray[np.bool_]"]

LABELS, LEAST_POINTS, MOST_POINTS = 10, 100, 4000
SETS = ("digits", "uspst", "pbmc3k", "flow_bal_19k", "satellite", "segment", "letter")
#: Of each set the classes that are left out; else all that are large enough.
LEFT_OUT = {"flow_bal_19k": ("Unlabeled",)}
#: Sets whose columns have units of their own.
STANDARDIZED = ("flow_bal_19k", "satellite", "segment", "letter")
#: The largest share of points that suggestions may lose.
LOST = 0.05


def by_distance(X: NDArray[Any], known: NDArray[np.int64]) -> NDArray[np.bool_]:
    """Return the points farther from a label than 95 % of the labels are from the next."""
    labels = X[known >= 0]
    index = NearestNeighbors(n_neighbors=2).fit(labels)
    far = np.quantile(index.kneighbors(labels)[0][:, 1], 0.95)
    return np.asarray(index.kneighbors(X, 1)[0][:, 0] > far)


def by_suggestions(X: NDArray[Any], known: NDArray[np.int64]) -> NDArray[np.bool_]:
    """Return the points that are suggested no class."""
    return PropagationClassifier().fit(X, known).suggestions_.none_of_these


def by_mbed(X: NDArray[Any], known: NDArray[np.int64]) -> NDArray[np.bool_]:
    """Return the points that Mbed in the plane draws to no center."""
    return Mbed(directions="centers", random_state=0).fit(X, known).none_of_these_


FINDERS: Mapping[str, Finder] = {
    "suggestions": by_suggestions,
    "Mbed": by_mbed,
    "by distance": by_distance,
}


def task(data: Path | None, name: str) -> tuple[NDArray[Any], NDArray[np.int64], list[int]]:
    """Return points, classes, and the classes that are left out."""
    if name == "digits":
        X, y = load_digits(return_X_y=True)
        names = [str(k) for k in range(10)]
    else:
        found = read(data, name)
        X, y, names = np.asarray(found.X, float), found.y, list(found.target_names)
    if name in STANDARDIZED:
        X = StandardScaler().fit_transform(X)
    if len(X) > MOST_POINTS:
        drawn = np.random.default_rng(0).choice(len(X), MOST_POINTS, replace=False)
        X, y = X[drawn], y[drawn]
    sizes = np.bincount(y, minlength=len(names))
    chosen = LEFT_OUT.get(name, names)
    return X, y, [k for k, n in enumerate(sizes) if n >= LEAST_POINTS and names[k] in chosen]


def labels_without(y: NDArray[np.int64], left_out: int) -> NDArray[np.int64]:
    """Return the labels of some points of each class but one, −1 elsewhere."""
    rng = np.random.default_rng(left_out)
    known = np.full(y.size, -1)
    for k in np.setdiff1d(np.unique(y), [left_out]):
        known[rng.permutation(np.flatnonzero(y == k))[:LABELS]] = k
    return known


def shares(
    X: NDArray[Any], y: NDArray[np.int64], finder: Finder, left_out: int
) -> tuple[float, float]:
    """Return the share that is found of the class without labels, and lost of the others."""
    known = labels_without(y, left_out)
    none, hidden = finder(X, known), known < 0
    return float(none[y == left_out].mean()), float(none[hidden & (y != left_out)].mean())


def _shares(
    shared: tuple[NDArray[Any], NDArray[np.int64]], asked: tuple[str, int]
) -> tuple[float, float]:
    name, left_out = asked
    return shares(*shared, FINDERS[name], left_out)


def _figures(data: Path | None) -> Iterator[Figure]:
    for name in SETS:
        X, y, classes = task(data, name)
        asked = [(finder, k) for finder in FINDERS for k in classes]
        found = np.array(list(in_order(_shares, (X, y), asked)))
        found = 100 * found.reshape(len(FINDERS), len(classes), 2)
        means = dict(zip(FINDERS, found.mean(axis=1).tolist()))
        spreads = dict(zip(FINDERS, found.std(axis=1).tolist()))
        for column, word in enumerate(("found", "lost")):
            for finder in ("suggestions", "Mbed"):
                judged = word == "lost" and finder == "suggestions"
                yield Figure(
                    f"{name}: {word} by {finder}, %",
                    "",
                    means[finder][column],
                    high=100 * LOST if judged else np.inf,
                    digits=1,
                    others={"by distance": means["by distance"][column]},
                    spread=spreads[finder][column],
                )


EXPERIMENTS = (
    Experiment(
        "none-of-these",
        "a class without labels: found, and what it costs the others (about 4 min)",
        tuple(name for name in SETS if name != "digits"),
        False,
        _figures,
    ),
)
