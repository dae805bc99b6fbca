"""The experiments of "Large Margin Non-Linear Embedding" (ICML 2005), section 7.

Semi-supervised: the ten official splits with 50 labels, error on the unlabeled points (Table 2).
Unsupervised: percentage of pairs on which classes and clusters disagree, for the best of ten
restarts by the criterion J (Table 1).

Not in the paper: regions around centers in the plane, on the official splits of the benchmark of
"Semi-Supervised Learning" (Chapelle, Schölkopf and Zien, 2006) and on seeded draws of digits.
"""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path
from typing import TYPE_CHECKING, Any

import numpy as np
from sklearn.datasets import load_digits

from nbembed.datasets import Dataset, read
from nbembed.experiments.base import Experiment, Figure
from nbembed.experiments.jobs import in_order
from nbembed.measures import inconsistent_pairs
from nbembed.methods import Mbed

if TYPE_CHECKING:
    from numpy.typing import NDArray

LABELS = 50
#: Of the benchmark, and of digits: splits, and labels a class.
SPLITS = 12
PER_CLASS = 8


def _semi_supervised(
    data: Path | None, name: str, published: float, limit: float
) -> Iterator[Figure]:
    found = read(data, name)
    errors = []
    for error in in_order(_paper_error, found, range(len(found.labeled[LABELS]))):
        errors.append(error)
        yield Figure(f"split {len(errors)}: test error, %", "", error, digits=2)
    yield Figure(
        "mean of the ten splits: test error, %",
        f"{published:.2f}",
        float(np.mean(errors)),
        high=limit,
        digits=2,
    )


def _paper_error(found: Dataset, split: int) -> float:
    """Return the error of the paper's form on the unlabeled points of a split, in percent."""
    known = found.masked(split, LABELS)
    hidden = known == -1
    model = Mbed(random_state=split).fit(found.X, known)
    return 100 * float(np.mean(model.labels_[hidden] != found.y[hidden]))


def _g50c(data: Path | None) -> Iterator[Figure]:
    return _semi_supervised(data, "g50c", 5.32, 5.6)


def _text(data: Path | None) -> Iterator[Figure]:
    return _semi_supervised(data, "text_mac_win", 5.90, 6.6)


def _centers(data: Path | None) -> Iterator[Figure]:
    X, y = load_digits(return_X_y=True)
    errors = list(in_order(_digits_error, (X, y), range(SPLITS)))
    title = f"digits, {PER_CLASS} labels a class, mean of twelve draws: test error, %"
    yield Figure(title, "", float(np.mean(errors)), high=5.0, digits=2)
    for name, title, limit in (("ssl_digit1", "Digit1", 4.0), ("ssl_usps", "USPS", 7.0)):
        found = read(data, name)
        errors = list(in_order(_benchmark_error, found, range(SPLITS)))
        title = f"{title}, 100 labels, mean of the twelve splits: test error, %"
        yield Figure(title, "", float(np.mean(errors)), high=limit, digits=2)


def _digits_error(shared: tuple[Any, NDArray[Any]], split: int) -> float:
    X, y = shared
    rng = np.random.default_rng(split)
    known = np.full(len(y), -1)
    for k in range(10):
        known[rng.choice(np.flatnonzero(y == k), PER_CLASS, replace=False)] = k
    return _error(X, y, known)


def _benchmark_error(found: Dataset, split: int) -> float:
    return _error(found.X, found.y, found.masked(split, 100))


def _error(X: Any, y: NDArray[Any], known: NDArray[Any]) -> float:
    """Return the error of Mbed with centers on the unlabeled points, in percent."""
    hidden = known == -1
    model = Mbed(directions="centers", random_state=0).fit(X, known)
    return 100 * float(np.mean(model.labels_[hidden] != y[hidden]))


def _g50c_unsupervised(data: Path | None) -> Iterator[Figure]:
    found = read(data, "g50c")
    model = Mbed(n_classes=2, n_init=10, random_state=0).fit(found.X)
    yield Figure(
        "inconsistent pairs, %",
        "9.68",
        100 * inconsistent_pairs(model.labels_, found.y),
        high=12.0,
        digits=2,
    )


EXPERIMENTS = (
    Experiment(
        "mbed-g50c",
        "g50c, ten official splits of 50 labels (about 15 s)",
        ("g50c",),
        True,
        _g50c,
    ),
    Experiment(
        "mbed-g50c-unsupervised",
        "g50c without labels, best of ten restarts (about 15 s)",
        ("g50c",),
        True,
        _g50c_unsupervised,
    ),
    Experiment(
        "mbed-text",
        "TEXT (1946 × 7511), ten official splits of 50 labels (about 40 s)",
        ("text_mac_win",),
        True,
        _text,
    ),
    Experiment(
        "mbed-centers",
        "regions around centers in the plane: digits, Digit1 and USPS (about 3 min)",
        ("ssl_digit1", "ssl_usps"),
        False,
        _centers,
    ),
)
