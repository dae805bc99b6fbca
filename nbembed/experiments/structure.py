"""What labels do to a map: the form of supervision that keeps the structure of a group (ours).

``docs/decisions/0014``. Every figure is of HSSNE at the default ρ. *Structure*: one, two and all
classes of digits and of satellite images are labeled, fully. A group should part from the others
(purity: the share of its ten nearest neighbors on the map that are its own), keep its size (radius:
the median distance from its center, in radii of the map, against the unlabeled map's) and its inner
neighborhoods, and leave those of the others as they were (trustworthiness lost against the
unlabeled map). *Benchmark*: the error of the nearest labeled point on the map, with labels less
without, over official splits. Labels should never make a map worse.
"""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path
from typing import TYPE_CHECKING, Any, NamedTuple

import numpy as np
from sklearn.datasets import load_digits

from nbembed.datasets import load_satellite, read
from nbembed.experiments.base import Experiment, Figure
from nbembed.experiments.jobs import in_order
from nbembed.measures import trustworthiness
from nbembed.methods import HSSNE
from nbembed.neighbors import nearest_neighbors

if TYPE_CHECKING:
    from numpy.typing import NDArray

N_SAMPLES = 800
NEIGHBORS = 10
ALPHAS = (0.0, 1.0, 2.0)
#: Sets of the benchmark, and their numbers of labels.
BENCHMARK = (
    ("ssl_digit1", (10, 100)),
    ("ssl_usps", (10, 100)),
    ("ssl_bci", (10, 100)),
    ("g50c", (50,)),
    ("g10n", (50,)),
    ("text_mac_win", (50,)),
    ("uspst", (50,)),
)


class Quality(NamedTuple):
    """What a map shows of a group, and of the other points."""

    purity: float
    radius: float
    inside: float
    outside: float


def quality(X: NDArray[Any], Y: NDArray[Any], group: NDArray[np.intp]) -> Quality:
    """Return the quality of a map ``Y`` of ``X`` with regard to a group of points."""
    inside = np.zeros(len(Y), bool)
    inside[group] = True
    neighbors = nearest_neighbors(Y, NEIGHBORS)
    rest = np.flatnonzero(~inside)
    return Quality(
        float(inside[neighbors[group]].mean()),
        _radius(Y[group]) / _radius(Y),
        trustworthiness(X[group], Y[group], NEIGHBORS),
        trustworthiness(X[rest], Y[rest], NEIGHBORS),
    )


def _radius(Y: NDArray[Any]) -> float:
    return float(np.median(np.linalg.norm(Y - np.median(Y, axis=0), axis=1)))


def _structure(data: Path | None) -> Iterator[Figure]:
    digits, satellite = load_digits(), load_satellite()
    for title, X, y, clusters in (
        ("digits", digits.data, digits.target, True),
        ("satellite", satellite.X, satellite.y, False),
    ):
        chosen = np.random.default_rng(0).permutation(len(y))[:N_SAMPLES]
        for alpha in ALPHAS:
            yield from _of_set(title, X[chosen], y[chosen], alpha, clusters)


def _of_set(
    title: str, X: NDArray[Any], y: NDArray[Any], alpha: float, clusters: bool
) -> Iterator[Figure]:
    """Yield the worst of all named classes; that of the other points where one class is named.

    Figures are judged at α = 1, and purity where classes are ``clusters`` of the data.
    """
    classes = [int(k) for k in np.unique(y)]
    plain = _map(alpha, X)
    for count in (1, 2, len(classes)):
        named = classes[-count:]
        Y = _map(alpha, X, np.where(np.isin(y, named), y, -1))
        groups = [np.flatnonzero(y == k) for k in named]
        before = [quality(X, plain, group) for group in groups]
        after = [quality(X, Y, group) for group in groups]
        name = f"{title}, {count} of {len(classes)} classes, α = {alpha:g}"
        without = f"{min(b.purity for b in before):.3f} without"
        random = np.random.default_rng(0).standard_normal(plain.shape)
        chance = [quality(X, random, group) for group in groups]
        lost = [b.inside - a.inside for a, b in zip(after, before)]
        radii = [a.radius / b.radius for a, b in zip(after, before)]
        judged = alpha == 1
        low = 0.95 if judged and clusters else -np.inf
        yield Figure(
            f"{name}: purity ({without})",
            "",
            min(a.purity for a in after),
            low=low,
            others={
                "no labels": min(b.purity for b in before),
                "random map": min(c.purity for c in chance),
            },
        )
        yield Figure(
            f"{name}: radius",
            "",
            min(radii),
            low=1 / 3 if judged else -np.inf,
            others={"random map": min(c.radius / b.radius for c, b in zip(chance, before))},
        )
        yield Figure(
            f"{name}: lost inside",
            "",
            max(lost),
            high=0.05 if judged else np.inf,
            others={"random map": max(b.inside - c.inside for c, b in zip(chance, before))},
        )
        if count == 1:
            yield Figure(
                f"{name}: lost outside",
                "",
                before[0].outside - after[0].outside,
                high=0.01 if judged else np.inf,
                others={"random map": before[0].outside - chance[0].outside},
            )


def _map(alpha: float, X: Any, labels: Any = None) -> NDArray[np.float64]:
    """Return the map with points labeled by ``labels``, −1 for none."""
    return HSSNE(alpha=alpha, random_state=0).fit_transform(X, labels).astype(np.float64)


def _benchmark(data: Path | None) -> Iterator[Figure]:
    for name, counts in BENCHMARK:
        found = read(data, name)
        plain = _map(1.0, found.X)
        for count in counts:
            splits = list(found.labeled[count])
            before = [nearest_label_error(plain, found.y, labeled) for labeled in splits]
            after = list(in_order(_error_with_labels, (found.X, found.y), splits))
            title = f"{name}, {count} labels: error of the nearest label"
            yield Figure(f"{title}, %, without", "", float(np.mean(before)), digits=1)
            change = float(np.mean(after) - np.mean(before))
            random = np.random.default_rng(0).standard_normal(plain.shape)
            by_chance = [nearest_label_error(random, found.y, labeled) for labeled in splits]
            simple = {"random map": float(np.mean(by_chance) - np.mean(before))}
            yield Figure(f"{title}, change", "", change, high=1.0, digits=1, others=simple)


def _error_with_labels(shared: tuple[Any, NDArray[Any]], labeled: NDArray[np.intp]) -> float:
    X, y = shared
    labels = np.full(len(y), -1)
    labels[labeled] = y[labeled]
    return nearest_label_error(_map(1.0, X, labels), y, labeled)


def nearest_label_error(Y: NDArray[Any], y: NDArray[Any], labeled: NDArray[np.intp]) -> float:
    """Return in % how many of the other points are nearest to a labeled point of another class."""
    others = np.setdiff1d(np.arange(len(y)), labeled)
    D2 = np.square(Y[others][:, None] - Y[labeled]).sum(axis=2)
    return float(100 * np.mean(y[labeled][D2.argmin(axis=1)] != y[others]))


EXPERIMENTS = (
    Experiment(
        "labels-structure",
        "one, two and all classes of digits and of satellite images labeled (about 50 s)",
        (),
        True,
        _structure,
    ),
    Experiment(
        "labels-benchmark",
        "HSSNE with the labels of official splits against HSSNE without (about 6 min)",
        tuple(name for name, _ in BENCHMARK),
        False,
        _benchmark,
    ),
)
