"""Mbed by default, with labels as certain as a point at the radius is, and at twice the radius.

The paper's equation (21) has the one, the text of its section 6 the other. ``mbed-printed`` has
both in the paper's algorithm and on its sets. Here the start is ours, and the sets are others: 500
random points, with 10 and 100 labels, one of each class and the rest of any; Letter with as many as
there are classes, where these are more. g50c and g10n are there for the paired test, with their
official splits. Errors are those on the unlabeled points, the splits the same for both; p is of the
two-sided paired t-test. None is judged. Behind ± stands the standard deviation over the splits.
"""

from __future__ import annotations

from collections.abc import Iterator
from functools import partial
from pathlib import Path
from typing import Any

import numpy as np
from numpy.typing import NDArray
from sklearn.datasets import load_digits

from nbembed.datasets import load
from nbembed.experiments.papers.base import Experiment, Figure
from nbembed.experiments.papers.few_labels import Task, task
from nbembed.experiments.sweeps.jobs import in_order
from nbembed.measures import paired_t_test
from nbembed.methods import Mbed

POINTS = 500
SPLITS = 10
LABELS = (10, 100)
#: The paper's sets that stand beside, and the number of labels in their splits.
OFFICIAL = ("g50c", "g10n")
OFFICIAL_LABELS = 50
DISTANCES = {"labels at r": 1.0, "labels at 2r": 2.0}


def drawn(name: str, data: Path | None, n_labels: int) -> Task:
    """Return random points of a set, and splits of so many labels, one of each class at least."""
    found = None if name == "digits" else load(name, data)
    X, y = load_digits(return_X_y=True) if found is None else (found.X, found.y)
    chosen = np.random.default_rng(0).choice(len(y), POINTS, replace=False)
    y = np.unique(y[chosen], return_inverse=True)[1]
    splits = [labeled(y, n_labels, np.random.default_rng(split)) for split in range(SPLITS)]
    return Task(name, X[chosen], y, np.array(splits))


def labeled(y: NDArray[Any], n_labels: int, rng: np.random.Generator) -> NDArray[np.int64]:
    """Return the points to label: one of each class, and random ones up to ``n_labels``."""
    order = rng.permutation(y.size)
    first = order[np.unique(y[order], return_index=True)[1]]
    rest = order[~np.isin(order, first)][: max(0, n_labels - first.size)]
    return np.concatenate([first, rest])


def _error(shared: tuple[Task, float], split: int) -> float:
    problem, distance = shared
    model = Mbed(label_distance=distance, random_state=split)
    return problem.error(lambda X, known, _: model.fit(X, known).labels_, split)


def _compared(problem: Task) -> Iterator[Figure]:
    n_splits, n_labels = problem.splits.shape
    title = f"{problem.name}, {n_labels} labels"
    errors = {}
    for name, distance in DISTANCES.items():
        errors[name] = np.array(list(in_order(_error, (problem, distance), range(n_splits))))
        yield _mean(f"{title}, {name}: test error, %", errors[name])
    near, far = errors.values()
    yield _mean(f"{title}, labels at 2r − at r: percentage points", far - near)
    p = 1.0 if np.array_equal(near, far) else paired_t_test(far, near).p_value
    yield Figure(f"{title}, labels at 2r and at r: p of the paired t-test", "", p)


def _mean(name: str, values: NDArray[np.float64]) -> Figure:
    spread = float(values.std(ddof=1))
    return Figure(name, "", float(values.mean()), digits=2, spread=spread)


def _drawn(name: str, data: Path | None) -> Iterator[Figure]:
    for n_labels in LABELS:
        yield from _compared(drawn(name, data, n_labels))


def _official(data: Path | None) -> Iterator[Figure]:
    for name in OFFICIAL:
        yield from _compared(task(data, name, OFFICIAL_LABELS))


def _experiment(name: str, title: str, file: str = "") -> Experiment:
    return Experiment(
        f"mbed-label-distance-{name}",
        f"500 points of {title}, 10 and 100 labels at r and at 2r, ten draws (about 1 min)",
        (file,) if file else (),
        False,
        partial(_drawn, file or name),
    )


EXPERIMENTS = (
    _experiment("digits", "digits"),
    _experiment("satellite", "Landsat satellite"),
    _experiment("cells", "PBMC 3k", "pbmc3k"),
    _experiment("letter", "Letter"),
    Experiment(
        "mbed-label-distance-official",
        "g50c and g10n, ten official splits of 50 labels at r and at 2r (about 40 s)",
        OFFICIAL,
        False,
        _official,
    ),
)
