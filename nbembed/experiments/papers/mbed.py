"""The experiments of "Large Margin Non-Linear Embedding" (ICML 2005), section 7.

Semi-supervised: the ten official splits with 50 labels, error on the unlabeled points (Table 2).
COIL's splits are not available; ten drawn with two labels of each class stand in for them.
Unsupervised: percentage of pairs on which classes and clusters disagree, for the best of ten
restarts by the criterion J (Table 1), and for k-means, which the paper compares with. Digits 2, 4
and 8 of the test part of USPS: without labels and with 50 (Figures 2 and 3).

The paper states no spread. A figure is accepted if it is not above the published one by more than
chance (:mod:`nbembed.experiments.papers.ranges`); a smaller error is not held against a map, but
k-means, which Table 1 has too, is to be the paper's. Simple methods stand beside it: k-means, the
class of the nearest labeled point, scikit-learn's label spreading.

Our start differs from that of Algorithm 1 where there are labels: ``mbed-printed`` has both. The
published errors of Table 2 are those of the algorithm as printed. Its text lets a certain label be
as certain as a point at 2r is, its equation (21) as one at r: the same experiment has both.

Not in the paper: regions around centers in the plane, on the official splits of the benchmark of
"Semi-Supervised Learning" (Chapelle, Schölkopf and Zien, 2006) and on seeded draws of digits.
"""

from __future__ import annotations

import math
from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from functools import partial
from pathlib import Path
from typing import Any

import numpy as np
from numpy.typing import NDArray
from scipy.optimize import linear_sum_assignment
from sklearn.cluster import KMeans
from sklearn.datasets import load_digits
from sklearn.metrics.cluster import contingency_matrix

from nbembed.datasets import Dataset, read
from nbembed.experiments.papers.base import Experiment, Figure
from nbembed.experiments.papers.few_labels import GRAPH, spreading
from nbembed.experiments.papers.nearest_labeled import nearest_labeled_error
from nbembed.experiments.papers.ranges import least_above, margin_of_best, margin_of_mean
from nbembed.experiments.sweeps.jobs import in_order
from nbembed.measures import homogeneity, inconsistent_pairs
from nbembed.methods import SNE, Mbed

LABELS = 50
#: Of the benchmark, and of digits: splits, and labels a class.
SPLITS = 12
PER_CLASS = 8
#: Of Table 1.
RESTARTS = 10
#: Of Figures 2 and 3.
DIGITS = (2, 4, 8)
SEEDS = range(3)


@dataclass(frozen=True)
class Published:
    """The paper's results on a data set, in percent: Table 2, k-means and Mbed of Table 1."""

    title: str
    error: float | None = None
    k_means: float | None = None
    pairs: float | None = None


PUBLISHED = {
    "g50c": Published("g50c", 5.32, 9.02, 9.68),
    "g10n": Published("g10n", 38.30, 50.09, 50.09),
    "text_mac_win": Published("TEXT", 5.90, 18.78, 10.03),
    "uspst": Published("USPS", 30.57),
    "coil20": Published("COIL", 40.44, 4.62, 5.90),
}


def _labels(found: Dataset) -> int:
    """Return the number of labels in the splits of a data set: 50, or COIL's 40."""
    return LABELS if LABELS in found.labeled else max(found.labeled)


def _semi_supervised(name: str, data: Path | None) -> Iterator[Figure]:
    found, paper = read(data, name), PUBLISHED[name]
    errors = []
    splits = range(len(found.labeled[_labels(found)]))
    for error in in_order(_paper_error, found, splits):
        errors.append(error)
        yield Figure(f"split {len(errors)}: test error, %", "", error, digits=2)
    known = [found.masked(split, _labels(found)) for split in splits]
    nearest = [nearest_labeled_error(found.X, found.y, labels) for labels in known]
    spread = [
        100 * float(np.mean((spreading(found.X, labels, 0, GRAPH) != found.y)[labels == -1]))
        for labels in known
    ]
    assert paper.error is not None
    yield Figure(
        f"mean of the {len(errors)} splits: test error, %",
        f"{paper.error:.2f}",
        float(np.mean(errors)),
        high=paper.error + margin_of_mean(errors, 2),
        digits=2,
        others={
            "1-NN": float(np.mean(nearest)),
            "LabelSpreading": float(np.mean(spread)),
            "chance": _chance(found.y),
        },
    )


def _paper_error(found: Dataset, split: int) -> float:
    """Return the error on the unlabeled points of a split, in percent."""
    return _variant_error((found, {}), split)


def _variant_error(shared: tuple[Dataset, Mapping[str, Any]], split: int) -> float:
    """Return that error with other parameters."""
    found, parameters = shared
    known = found.masked(split, _labels(found))
    hidden = known == -1
    model = Mbed(**parameters, random_state=split).fit(found.X, known)
    return 100 * float(np.mean(model.labels_[hidden] != found.y[hidden]))


#: The variants of Algorithm 1: as printed, our start, and the confidence of its text with both.
VARIANTS: Mapping[str, Mapping[str, Any]] = {
    "as printed": {"init": "noise", "label_distance": 1.0},
    "our start": {"label_distance": 1.0},
    "as printed, labels at 2r": {"init": "noise"},
    "our start, labels at 2r": {},
}


def _printed(names: tuple[str, ...], data: Path | None) -> Iterator[Figure]:
    """Yield the errors of Algorithm 1 by its variants, and their differences to the printed one."""
    for name in names:
        found, paper = read(data, name), PUBLISHED[name]
        splits = range(len(found.labeled[_labels(found)]))
        title = f"{paper.title}, mean of the {len(splits)} splits"
        errors = {}
        assert paper.error is not None
        for variant, parameters in VARIANTS.items():
            shared = found, parameters
            errors[variant] = np.array(list(in_order(_variant_error, shared, splits)))
            first = len(errors) == 1
            yield Figure(
                f"{title}, {variant}: test error, %",
                f"{paper.error:.2f}" if first else "",
                float(errors[variant].mean()),
                high=paper.error + margin_of_mean(errors[variant], 2) if first else math.inf,
                digits=2,
                spread=float(errors[variant].std(ddof=1)),
            )
        printed = errors.pop("as printed")
        for variant, found_errors in errors.items():
            gaps = found_errors - printed
            yield Figure(
                f"{title}, {variant} − as printed: percentage points",
                "",
                float(gaps.mean()),
                digits=2,
                spread=float(gaps.std(ddof=1)),
            )


def _chance(y: NDArray[Any]) -> float:
    """Return the error of the largest class for all, in percent."""
    return 100 * float(1 - np.bincount(y).max() / y.size)


def _unsupervised(name: str, data: Path | None) -> Iterator[Figure]:
    found, paper = read(data, name), PUBLISHED[name]
    n_classes = len(np.unique(found.y))
    assert paper.pairs is not None
    assert paper.k_means is not None
    by_chance = _random_pairs(found.y, n_classes)
    starts = _k_means_starts(found, n_classes)
    k_means, _ = max(starts, key=lambda start: start[1])
    margin = margin_of_best([pairs for pairs, _ in starts], [J for _, J in starts], 2)
    # Of a method that ours is compared with, a better figure differs from the paper's too.
    yield Figure(
        "k-means, best of ten: inconsistent pairs, %",
        f"{paper.k_means:.2f}",
        k_means,
        low=paper.k_means - margin,
        high=paper.k_means + margin,
        digits=2,
        others={"random classes": by_chance},
    )
    runs = list(in_order(_run, (found, n_classes), range(RESTARTS)))
    best = max(runs, key=lambda run: run[1])
    pairs = np.array([run[0] for run in runs])
    yield Figure("median of the ten: inconsistent pairs, %", "", float(np.median(pairs)), digits=2)
    yield Figure("smallest of the ten", "", float(pairs.min()), digits=2)
    yield Figure("largest of the ten", "", float(pairs.max()), digits=2)
    # The published figure is one run, the best of ten by J, and so is ours.
    margin = margin_of_best(pairs, [run[1] for run in runs], 2)
    yield Figure(
        "the best of ten by J: inconsistent pairs, %",
        f"{paper.pairs:.2f}",
        best[0],
        high=paper.pairs + margin,
        digits=2,
        others={"k-means": k_means, "random classes": by_chance},
    )
    if paper.pairs < paper.k_means:
        # The claim of the table where Mbed is ahead; our k-means may be better than the paper's.
        yield Figure(
            "Mbed below k-means by, points",
            f"{paper.k_means - paper.pairs:.2f}",
            k_means - best[0],
            low=least_above(0.0, 2),
            digits=2,
            others={"k-means": 0.0, "random classes": k_means - by_chance},
        )


def _run(shared: tuple[Dataset, int], seed: int) -> tuple[float, float]:
    """Return the inconsistent pairs in percent, and J, of one start."""
    found, n_classes = shared
    model = Mbed(n_classes=n_classes, random_state=seed).fit(found.X)
    return 100 * inconsistent_pairs(model.labels_, found.y), _criterion(model)


def _criterion(model: Mbed) -> float:
    """Return J of the map that Mbed chose on its path."""
    competing = [float(step.criterion) for step in model.path_ if np.isfinite(step.criterion)]
    return max(competing, default=-np.inf)


def _k_means_starts(found: Dataset, n_classes: int) -> list[tuple[float, float]]:
    """Return the inconsistent pairs in percent, and minus the sum of squares, of ten starts."""
    starts = []
    random = np.random.RandomState(0)
    for _ in range(RESTARTS):
        model = KMeans(n_classes, n_init=1, random_state=random).fit(found.X)
        starts.append((100 * inconsistent_pairs(model.labels_, found.y), -float(model.inertia_)))
    return starts


def _random_pairs(y: NDArray[Any], n_classes: int) -> float:
    labels = np.random.default_rng(0).integers(n_classes, size=y.size)
    return 100 * inconsistent_pairs(labels, y)


def _centers(data: Path | None) -> Iterator[Figure]:
    X, y = load_digits(return_X_y=True)
    errors = list(in_order(_digits_error, (X, y), range(SPLITS)))
    title = f"digits, {PER_CLASS} labels a class, mean of twelve draws: test error, %"
    draws = [_draw(y, split) for split in range(SPLITS)]
    simple = {"1-NN": float(np.mean([nearest_labeled_error(X, y, known) for known in draws]))}
    yield Figure(title, "", float(np.mean(errors)), high=5.0, digits=2, others=simple)
    for name, title, limit in (("ssl_digit1", "Digit1", 4.0), ("ssl_usps", "USPS", 7.0)):
        found = read(data, name)
        errors = list(in_order(_benchmark_error, found, range(SPLITS)))
        title = f"{title}, 100 labels, mean of the twelve splits: test error, %"
        draws = [found.masked(split, 100) for split in range(SPLITS)]
        nearest = [nearest_labeled_error(found.X, found.y, known) for known in draws]
        simple = {"1-NN": float(np.mean(nearest))}
        yield Figure(title, "", float(np.mean(errors)), high=limit, digits=2, others=simple)


def _digits_error(shared: tuple[Any, NDArray[Any]], split: int) -> float:
    X, y = shared
    return _error(X, y, _draw(y, split))


def _draw(y: NDArray[Any], split: int) -> NDArray[np.int64]:
    """Return ``y`` with −1 but for as many random points of each digit."""
    rng = np.random.default_rng(split)
    known = np.full(len(y), -1)
    for k in range(10):
        known[rng.choice(np.flatnonzero(y == k), PER_CLASS, replace=False)] = k
    return known


def _benchmark_error(found: Dataset, split: int) -> float:
    return _error(found.X, found.y, found.masked(split, 100))


def _error(X: Any, y: NDArray[Any], known: NDArray[Any]) -> float:
    """Return the error of Mbed with centers on the unlabeled points, in percent."""
    hidden = known == -1
    model = Mbed(directions="centers", random_state=0).fit(X, known)
    return 100 * float(np.mean(model.labels_[hidden] != y[hidden]))


def _digits_2_4_8(data: Path | None) -> Iterator[Figure]:
    """Yield the results of Figures 2 and 3: classes part in the map, and labels mend the rest."""
    X, y = three_digits(data)
    mixed, without, wrong, nearest = [], [], [], []
    for seed in SEEDS:
        mixed.append(100 * (1 - homogeneity(SNE(random_state=seed).fit_transform(X), y)))
        free = Mbed(n_classes=len(DIGITS), random_state=seed).fit(X)
        without.append(_best_match_error(free.labels_, y))
        known = fifty_labels(y, seed)
        model = Mbed(random_state=seed).fit(X, known)
        hidden = known == -1
        wrong.append(100 * float(np.mean(model.labels_[hidden] != y[hidden])))
        nearest.append(nearest_labeled_error(X, y, known))
    k_means = KMeans(len(DIGITS), n_init=10, random_state=0).fit_predict(X)
    simple = {"k-means": _best_match_error(k_means, y), "chance": _chance(y)}
    yield Figure("SNE in the plane: points whose neighbor differs, %", "", float(np.mean(mixed)))
    yield Figure(
        "without labels: misclassified, %", "", float(np.mean(without)), digits=2, others=simple
    )
    yield Figure(f"{LABELS} labels: misclassified, %", "", float(np.mean(wrong)), digits=2)
    gain = np.subtract(without, wrong)
    yield Figure(
        "fewer with labels, percentage points",
        "> 0",
        float(gain.mean()),
        low=least_above(0.0, 2),
        digits=2,
        others={"1-NN after k-means": simple["k-means"] - float(np.mean(nearest))},
    )


def three_digits(data: Path | None) -> tuple[Any, NDArray[np.int64]]:
    """Return the points of Figures 2 and 3, and their classes."""
    found = read(data, "uspst")
    chosen = np.flatnonzero(np.isin(found.y, DIGITS))
    return found.X[chosen], np.searchsorted(DIGITS, found.y[chosen])


def fifty_labels(y: NDArray[np.int64], seed: int) -> NDArray[np.int64]:
    """Return ``y`` with −1 but for :data:`LABELS` random points."""
    known = np.full(y.size, -1)
    labeled = np.random.default_rng(seed).choice(y.size, LABELS, replace=False)
    known[labeled] = y[labeled]
    return known


def _best_match_error(labels: NDArray[Any], y: NDArray[Any]) -> float:
    """Return the share of points outside the best assignment of clusters to classes, in %."""
    table = contingency_matrix(y, labels)
    rows, columns = linear_sum_assignment(-table)
    return 100 * float(1 - table[rows, columns].sum() / y.size)


#: (name, summary, short) of the data sets of Table 2 and Table 1.
_TABLE_2 = {
    "g50c": ("mbed-g50c", "g50c, ten official splits of 50 labels (about 15 s)", True),
    "g10n": ("mbed-g10n", "g10n, ten official splits of 50 labels (about 20 s)", False),
    "text_mac_win": (
        "mbed-text",
        "TEXT (1946 × 7511), ten official splits of 50 labels (about 40 s)",
        True,
    ),
    "uspst": ("mbed-usps", "USPS, ten official splits of 50 labels (about 2 min)", False),
    "coil20": ("mbed-coil", "COIL, ten drawn splits of 40 labels (about 2 min)", False),
}
_TABLE_1 = {
    "g50c": (
        "mbed-g50c-unsupervised",
        "g50c without labels, best of ten restarts, and k-means (about 15 s)",
        True,
    ),
    "g10n": (
        "mbed-g10n-unsupervised",
        "g10n without labels, best of ten restarts, and k-means (about 15 s)",
        True,
    ),
    "text_mac_win": (
        "mbed-text-unsupervised",
        "TEXT without labels, best of ten restarts, and k-means (about 3 min)",
        False,
    ),
    "coil20": (
        "mbed-coil-unsupervised",
        "COIL without labels, best of ten restarts, and k-means (about 4 min)",
        False,
    ),
}


EXPERIMENTS = (
    *(
        Experiment(name, summary, (file,), short, partial(_semi_supervised, file))
        for file, (name, summary, short) in _TABLE_2.items()
    ),
    *(
        Experiment(name, summary, (file,), short, partial(_unsupervised, file))
        for file, (name, summary, short) in _TABLE_1.items()
    ),
    Experiment(
        "mbed-printed",
        "g50c and g10n by Algorithm 1 as printed, from noise, beside our start, with labels at r "
        "and at 2r (about 3 min)",
        ("g50c", "g10n"),
        False,
        partial(_printed, ("g50c", "g10n")),
    ),
    Experiment(
        "mbed-printed-text-usps-coil",
        "TEXT, USPS and COIL by the same variants (about 9 min)",
        ("text_mac_win", "uspst", "coil20"),
        False,
        partial(_printed, ("text_mac_win", "uspst", "coil20")),
    ),
    Experiment(
        "mbed-digits-2-4-8",
        "USPS digits 2, 4 and 8 without labels and with 50, three starts (about 15 s)",
        ("uspst",),
        True,
        _digits_2_4_8,
    ),
    Experiment(
        "mbed-centers",
        "regions around centers in the plane: digits, Digit1 and USPS (about 3 min)",
        ("ssl_digit1", "ssl_usps"),
        False,
        _centers,
    ),
)
