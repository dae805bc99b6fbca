"""Effects of labels on a map: the form of supervision that keeps the structure of a group (ours).

``docs/decisions/0014``. Every figure is of HSSNE at the default ρ. *Structure*: one, two and all
classes of five data sets are labeled, fully, and all classes in part. A group should part from the
others (purity: the share of its ten nearest neighbors on the map that are of its class), keep its
core (the median distance to the tenth nearest of the group, in radii of the map, against the
unlabeled map's) and its inner neighborhoods, and leave those of the others as they were
(trustworthiness lost against the unlabeled map). Its radius, the median distance from its center,
stands beside: it also shrinks where a class that lies in pieces is brought together. *Benchmark*:
the error of the nearest labeled point on the map, with labels less without, over official splits.
Labels should never make a map worse. *Accepted suggestions*: the same where clusters mislead, once
suggestions (``docs/decisions/0043``) that are sure enough have become soft labels.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from pathlib import Path
from typing import Any, NamedTuple

import numpy as np
from numpy.typing import NDArray
from sklearn.datasets import load_digits, load_wine
from sklearn.neighbors import NearestNeighbors
from sklearn.preprocessing import StandardScaler

from nbembed.datasets import load_satellite, load_vehicle, read
from nbembed.experiments.papers.base import Experiment, Figure
from nbembed.experiments.sweeps.jobs import in_order
from nbembed.measures import trustworthiness
from nbembed.methods import HSSNE
from nbembed.neighbors import nearest_neighbors
from nbembed.propagation import PropagationClassifier

N_SAMPLES = 800
NEIGHBORS = 10
#: α, the number of labeled classes (None: all), and the share of their points that are labeled.
SHORT = tuple((1.0, count, 1.0) for count in (1, 2, None))
WHOLE = (
    *((alpha, count, 1.0) for alpha in (0.0, 1.0, 2.0) for count in (1, 2, None)),
    *((1.0, None, share) for share in (0.05, 0.3)),
)
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
#: Sets of which suggestions are accepted, with their numbers of labels.
SUGGESTED = (("g10n", 50), ("g50c", 50), ("ssl_bci", 100), ("uspst", 50))
#: The least confidence that is accepted; :meth:`nbembed.Session.accept` takes the first by default.
CONFIDENCES = (0.9, 0.8, 0.7)


class Quality(NamedTuple):
    """Measurements of a group on a map, and of the other points."""

    purity: float
    core: float
    radius: float
    inside: float
    outside: float


def quality(
    X: NDArray[Any], Y: NDArray[Any], group: NDArray[np.intp], of_class: NDArray[np.bool_]
) -> Quality:
    """Return the quality of a map ``Y`` of ``X`` with regard to a group of points of a class.

    A group of twenty points or fewer has no inner structure to speak of: nan.
    """
    rest = np.flatnonzero(~of_class)
    purity = float(of_class[nearest_neighbors(Y, NEIGHBORS)[group]].mean())
    outside = trustworthiness(X[rest], Y[rest], NEIGHBORS)
    radius = _radius(Y[group]) / _radius(Y)
    if group.size <= 2 * NEIGHBORS:
        return Quality(purity, np.nan, radius, np.nan, outside)
    nearest = NearestNeighbors(n_neighbors=NEIGHBORS).fit(Y[group]).kneighbors()[0][:, -1]
    core = float(np.median(nearest)) / _radius(Y)
    inside = trustworthiness(X[group], Y[group], NEIGHBORS)
    return Quality(purity, core, radius, inside, outside)


def _radius(Y: NDArray[Any]) -> float:
    return float(np.median(np.linalg.norm(Y - np.median(Y, axis=0), axis=1)))


def sets(data: Path | None) -> Iterator[tuple[str, Any, NDArray[Any]]]:
    """Yield titles, at most so many points, and their classes."""
    satellite, vehicle, segments = load_satellite(), load_vehicle(), read(data, "segment")
    for title, (X, y), scaled in (
        ("digits", load_digits(return_X_y=True), False),
        ("satellite", (satellite.X, satellite.y), False),
        ("vehicle", (vehicle.X, vehicle.y), True),
        ("segmentation", (segments.X, segments.y), True),
        ("wine", load_wine(return_X_y=True), True),
    ):
        chosen = np.random.default_rng(0).permutation(len(y))[:N_SAMPLES]
        yield title, StandardScaler().fit_transform(X[chosen]) if scaled else X[chosen], y[chosen]


def _structure(data: Path | None) -> Iterator[Figure]:
    for title, X, y in sets(data):
        yield from _of_set(title, X, y, WHOLE)


def _structure_short(data: Path | None) -> Iterator[Figure]:
    digits = load_digits()
    chosen = np.random.default_rng(0).permutation(len(digits.target))[:N_SAMPLES]
    yield from _of_set("digits", digits.data[chosen], digits.target[chosen], SHORT)


def _of_set(
    title: str, X: NDArray[Any], y: NDArray[Any], cases: Sequence[tuple[float, int | None, float]]
) -> Iterator[Figure]:
    """Yield the worst of all named classes; that of the other points where one class is named."""
    classes = [int(k) for k in np.unique(y)]
    alphas = list(dict.fromkeys(alpha for alpha, _, _ in cases))
    plain = dict(zip(alphas, in_order(_unlabeled, X, alphas)))
    for (alpha, count, share), Y in zip(cases, in_order(_labeled, (X, y), cases)):
        named = classes[-(count or len(classes)) :]
        labels = some_labels(y, count, share)
        groups = [np.flatnonzero(labels == k) for k in named]
        before = [quality(X, plain[alpha], g, y == k) for g, k in zip(groups, named)]
        after = [quality(X, Y, g, y == k) for g, k in zip(groups, named)]
        random = np.random.default_rng(0).standard_normal(Y.shape)
        chance = [quality(X, random, g, y == k) for g, k in zip(groups, named)]
        name = case_title(title, y, alpha, count, share)
        yield Figure(
            f"{name}: purity",
            "",
            min(a.purity for a in after),
            low=0.95,
            others={
                "no labels": min(b.purity for b in before),
                "random map": min(c.purity for c in chance),
            },
        )
        if count == 1:
            yield Figure(
                f"{name}: lost outside",
                "",
                before[0].outside - after[0].outside,
                high=0.01,
                others={"random map": before[0].outside - chance[0].outside},
            )
        if min(group.size for group in groups) <= 2 * NEIGHBORS:
            continue
        for what in ("core", "radius"):
            ratios, by_chance = (
                [getattr(a, what) / getattr(b, what) for a, b in zip(some, before)]
                for some in (after, chance)
            )
            low = 1 / 3 if what == "core" else -np.inf
            others = {"random map": min(by_chance)}
            yield Figure(f"{name}: {what}", "", min(ratios), low=low, others=others)
        yield Figure(
            f"{name}: lost inside",
            "",
            max(b.inside - a.inside for a, b in zip(after, before)),
            high=0.05,
            others={"random map": max(b.inside - c.inside for c, b in zip(chance, before))},
        )


def case_title(title: str, y: NDArray[Any], alpha: float, count: int | None, share: float) -> str:
    """Return the title of a case of a set with classes ``y``."""
    total = np.unique(y).size
    part = "" if share == 1 else f", {100 * share:g} % labeled"
    return f"{title}, {count or total} of {total} classes, α = {alpha:g}{part}"


def some_labels(y: NDArray[Any], count: int | None, share: float) -> NDArray[Any]:
    """Return the classes of a share of each of the last ``count`` classes' points, else −1."""
    labels = np.full(y.size, -1)
    rng = np.random.default_rng(0)
    for k in np.unique(y)[-(count or y.size) :]:
        points = rng.permutation(np.flatnonzero(y == k))
        labels[points[: round(share * points.size)]] = k
    return labels


def _unlabeled(X: Any, alpha: float) -> NDArray[np.float64]:
    return hssne_map(alpha, X)


def _labeled(
    shared: tuple[Any, NDArray[Any]], case: tuple[float, int | None, float]
) -> NDArray[np.float64]:
    X, y = shared
    alpha, count, share = case
    return hssne_map(alpha, X, some_labels(y, count, share))


def hssne_map(
    alpha: float, X: Any, labels: Any = None, rho: float | None = None
) -> NDArray[np.float64]:
    """Return the map with points labeled by ``labels``, −1 for none; at the default ρ, or one."""
    model = HSSNE(alpha=alpha, random_state=0)
    if rho is not None:
        model.set_params(rho=rho)
    return model.fit_transform(X, labels).astype(np.float64)


def _benchmark(data: Path | None) -> Iterator[Figure]:
    for name, counts in BENCHMARK:
        found = read(data, name)
        plain = hssne_map(1.0, found.X)
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
    return nearest_label_error(hssne_map(1.0, X, labels), y, labeled)


def _accepted(data: Path | None) -> Iterator[Figure]:
    for name, count in SUGGESTED:
        found = read(data, name)
        plain = hssne_map(1.0, found.X)
        splits = list(found.labeled[count])
        before = np.mean([nearest_label_error(plain, found.y, labeled) for labeled in splits])
        after = np.array(list(in_order(_errors_with_suggestions, (found.X, found.y), splits)))
        random = np.random.default_rng(0).standard_normal(plain.shape)
        by_chance = np.mean([nearest_label_error(random, found.y, labeled) for labeled in splits])
        simple = {"random map": float(by_chance - before)}
        title = f"{name}, {count} labels: error of the nearest label"
        yield Figure(f"{title}, %, without", "", float(before), digits=1)
        for least, errors in zip(CONFIDENCES, after.T):
            change = float(errors.mean() - before)
            what = f"change with suggestions from {least:g} on"
            yield Figure(f"{title}, {what}", "", change, high=1.0, digits=1, others=simple)


def _errors_with_suggestions(
    shared: tuple[Any, NDArray[Any]], labeled: NDArray[np.intp]
) -> list[float]:
    """Return the error with labels and suggestions of each confidence of :data:`CONFIDENCES`."""
    X, y = shared
    labels = np.full(len(y), -1)
    labels[labeled] = y[labeled]
    rows = PropagationClassifier(n_jobs=1).fit(X, labels).label_distributions_
    sure = rows.max(axis=1)
    told = (np.where((sure >= least)[:, None], rows, np.nan) for least in CONFIDENCES)
    return [nearest_label_error(hssne_map(1.0, X, known), y, labeled) for known in told]


def nearest_label_error(Y: NDArray[Any], y: NDArray[Any], labeled: NDArray[np.intp]) -> float:
    """Return in % how many of the other points are nearest to a labeled point of another class."""
    others = np.setdiff1d(np.arange(len(y)), labeled)
    D2 = np.square(Y[others][:, None] - Y[labeled]).sum(axis=2)
    return float(100 * np.mean(y[labeled][D2.argmin(axis=1)] != y[others]))


EXPERIMENTS = (
    Experiment(
        "labels-structure-short",
        "one, two and all classes of digits labeled, α = 1 (about 45 s)",
        (),
        True,
        _structure_short,
    ),
    Experiment(
        "labels-structure",
        "classes of five data sets labeled, fully and in part, α from 0 to 2 (about 1 min)",
        ("segment",),
        False,
        _structure,
    ),
    Experiment(
        "labels-benchmark",
        "HSSNE with the labels of official splits against HSSNE without (about 4 min)",
        tuple(name for name, _ in BENCHMARK),
        False,
        _benchmark,
    ),
    Experiment(
        "labels-accepted",
        "the same with suggestions accepted, where clusters mislead and where not (about 1 min)",
        tuple(name for name, _ in SUGGESTED),
        False,
        _accepted,
    ),
)
