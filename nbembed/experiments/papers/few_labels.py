"""Few labels on the sets of the semi-supervised benchmarks: classifiers side by side.

Error on the unlabeled points, mean of the official splits: 10 and 100 labels of the book
"Semi-Supervised Learning" (12 splits), 50 labels of the low density separation benchmark (10
splits). digits has no official splits; its 12 draws have as many labels of each class, drawn with
the seeds 0 to 11. Nothing is chosen by set: all parameters are the same throughout, except that
LabelSpreading's row is the better of 5 and 10 neighbors, chosen by its own test errors.

Propagation is judged against the better of 1-NN and LabelSpreading. The known failures list where
it is not at or below that. On ssl_bci, where points of a class are no neighbors, all are near
chance with 10 labels. Behind ± stands the standard error.
"""

from __future__ import annotations

import math
import warnings
from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from functools import partial
from pathlib import Path
from typing import Any

import numpy as np
from numpy.typing import NDArray
from scipy.special import expit
from sklearn.datasets import load_digits
from sklearn.semi_supervised import LabelSpreading, SelfTrainingClassifier
from sklearn.svm import LinearSVC

from nbembed.datasets import read
from nbembed.experiments.papers.base import Experiment, Figure
from nbembed.experiments.papers.nearest_labeled import nearest_labels
from nbembed.experiments.sweeps.jobs import in_order
from nbembed.methods import Mbed
from nbembed.propagation import PropagationClassifier

#: Returns the classes of all points from data, known labels and the number of the split.
Classifier = Callable[[Any, "NDArray[np.int64]", int], "NDArray[Any]"]

NEIGHBORS = (5, 10)
#: Neighbors of label spreading where it stands beside other methods.
GRAPH = 10
DIGITS_SPLITS = 12
#: Sets, and the numbers of labels of their splits.
BOOK = dict.fromkeys(("digits", "ssl_digit1", "ssl_usps", "ssl_bci"), (10, 100))
LDS = dict.fromkeys(("g50c", "g10n", "text_mac_win", "uspst"), (50,))


@dataclass(frozen=True, eq=False)
class Task:
    """Data, classes, and the points that each split labels."""

    name: str
    X: Any
    y: NDArray[np.int64]
    splits: NDArray[np.int64]

    def error(self, classify: Classifier, split: int) -> float:
        """Return the error on the unlabeled points of a split, in percent."""
        known = np.full(self.y.size, -1)
        known[self.splits[split]] = self.y[self.splits[split]]
        hidden = known == -1
        with warnings.catch_warnings():
            warnings.simplefilter("ignore")
            found = classify(self.X, known, split)
        return 100 * float(np.mean(found[hidden] != self.y[hidden]))


def task(data: Path | None, name: str, n_labels: int) -> Task:
    """Return the task of a data set with a number of labels."""
    if name == "digits":
        X, y = load_digits(return_X_y=True)
        return Task(name, X, y, stratified(y, n_labels, DIGITS_SPLITS))
    found = read(data, name)
    return Task(name, found.X, found.y, found.labeled[n_labels])


def stratified(y: NDArray[Any], n_labels: int, n_splits: int) -> NDArray[np.int64]:
    """Return splits (n_splits, n_labels) with as many labels of each class."""
    classes = np.unique(y)
    splits = []
    for seed in range(n_splits):
        rng = np.random.default_rng(seed)
        size = n_labels // classes.size
        drawn = [rng.choice(np.flatnonzero(y == c), size, replace=False) for c in classes]
        splits.append(np.concatenate(drawn))
    return np.array(splits)


class _LinearSVM(LinearSVC):  # type: ignore[misc]
    """A linear support vector machine whose margins count as probabilities in self-training."""

    def predict_proba(self, X: Any) -> NDArray[np.float64]:
        margins = np.asarray(self.decision_function(X))
        if margins.ndim == 1:
            margins = np.column_stack([-margins, margins])
        proba = expit(2 * margins)
        return np.asarray(proba / proba.sum(axis=1, keepdims=True))


def nearest(X: Any, known: NDArray[np.int64], split: int) -> NDArray[Any]:
    """Return the class of each point's nearest labeled one."""
    return nearest_labels(X, known)


def spreading(X: Any, known: NDArray[np.int64], split: int, n_neighbors: int) -> NDArray[Any]:
    """Return scikit-learn's label spreading on its graph of nearest neighbors."""
    X = X.toarray() if hasattr(X, "toarray") else X
    model = LabelSpreading(kernel="knn", n_neighbors=n_neighbors).fit(X, known)
    return np.asarray(model.transduction_)


def self_training(X: Any, known: NDArray[np.int64], split: int) -> NDArray[Any]:
    """Return self-training with a linear support vector machine."""
    model = SelfTrainingClassifier(_LinearSVM(random_state=0)).fit(X, known)
    return np.asarray(model.predict(X))


def mbed(X: Any, known: NDArray[np.int64], split: int) -> NDArray[Any]:
    """Return Mbed's classes, in the form of the paper."""
    return np.asarray(Mbed(random_state=split).fit(X, known).labels_)


def centers(X: Any, known: NDArray[np.int64], split: int) -> NDArray[Any]:
    """Return Mbed's classes, by regions around centers in the plane."""
    return np.asarray(Mbed(directions="centers", random_state=split).fit(X, known).labels_)


def propagation(X: Any, known: NDArray[np.int64], split: int) -> NDArray[Any]:
    """Return the suggestions of propagation, with a plane beside the graph."""
    return np.asarray(PropagationClassifier().fit(X, known).transduction_)


#: The rows of the table, besides LabelSpreading's. Another method is another entry.
CLASSIFIERS: Mapping[str, Classifier] = {
    "1-NN": nearest,
    "self-training SVM": self_training,
    "Mbed, paper": mbed,
    "Mbed, centers": centers,
    "propagation": propagation,
}


def _figures(
    data: Path | None,
    sets: Mapping[str, tuple[int, ...]],
    n_splits: int | None = None,
    names: tuple[str, ...] = tuple(CLASSIFIERS),
) -> Iterator[Figure]:
    for name, numbers in sets.items():
        for n_labels in numbers:
            yield from _rows(task(data, name, n_labels), n_labels, n_splits, names)


def _rows(
    problem: Task, n_labels: int, n_splits: int | None, names: tuple[str, ...]
) -> Iterator[Figure]:
    splits = range(len(problem.splits))[:n_splits]
    title = f"{problem.name}, {n_labels} labels:"
    spread = [_errors(problem, partial(spreading, n_neighbors=k), splits) for k in NEIGHBORS]
    errors = {"LabelSpreading": min(spread, key=np.mean)}
    for name in names:
        errors[name] = _errors(problem, CLASSIFIERS[name], splits)
    for name, error in errors.items():
        mean = float(error.mean())
        yield Figure(f"{title} {name}, %", "", mean, digits=1, spread=_se(error))
    best = min(errors["LabelSpreading"], errors["1-NN"], key=np.mean)
    gain = errors["propagation"] - best
    yield Figure(
        f"{title} propagation − better of both",
        "≤ 0",
        float(gain.mean()),
        high=0.0,
        digits=1,
        spread=_se(gain),
        others={"one class for all": _one_class(problem) - float(best.mean())},
    )


def _one_class(problem: Task) -> float:
    """Return the error of the largest class for all points, in percent."""
    return 100 * float(1 - np.bincount(problem.y).max() / problem.y.size)


def _errors(problem: Task, classify: Classifier, splits: Sequence[int]) -> NDArray[np.float64]:
    return np.array(list(in_order(_error, (problem, classify), splits)))


def _error(shared: tuple[Task, Classifier], split: int) -> float:
    problem, classify = shared
    return problem.error(classify, split)


def _se(values: NDArray[np.float64]) -> float:
    return float(values.std(ddof=1) / math.sqrt(values.size))


def _short(data: Path | None) -> Iterator[Figure]:
    book = {name: BOOK[name] for name in ("ssl_digit1", "ssl_usps", "ssl_bci")}
    names = ("1-NN", "self-training SVM", "propagation")
    return _figures(data, book, 3, names)


def _book(data: Path | None) -> Iterator[Figure]:
    return _figures(data, BOOK)


def _lds(data: Path | None) -> Iterator[Figure]:
    return _figures(data, LDS)


EXPERIMENTS = (
    Experiment(
        "few-labels-short",
        "three splits of 10 and 100 labels, without Mbed (about 20 s)",
        ("ssl_digit1", "ssl_usps", "ssl_bci"),
        True,
        _short,
    ),
    Experiment(
        "few-labels",
        "10 and 100 labels, 12 splits, all methods (about 7 min)",
        ("ssl_digit1", "ssl_usps", "ssl_bci"),
        False,
        _book,
    ),
    Experiment(
        "few-labels-50",
        "50 labels, ten splits, all methods (about 4 min)",
        tuple(LDS),
        False,
        _lds,
    ),
)
