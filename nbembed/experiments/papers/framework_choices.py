"""Attainable accuracy of the framework's learners: the accuracy at every choice of parameters.

``python -m nbembed.experiments.papers.framework_choices NAME --data DIR`` prints, for an experiment
of :mod:`nbembed.experiments.papers.framework`, the mean accuracy on the unlabeled points over the
splits with the best of the choices among which cross-validation chooses, and with each of them
(``--all``).
The best is found by the test points, so it is no result of a method: it says whether a learner
falls short by its choices or by what it is. ``--axes 1 2 5`` does the same for maps of so many
axes.
"""

from __future__ import annotations

import argparse
from collections.abc import Sequence
from dataclasses import replace
from functools import partial
from pathlib import Path
from typing import TYPE_CHECKING

import numpy as np

from nbembed.datasets import load
from nbembed.experiments.papers.framework import (
    CHOICES,
    EXPERIMENTS,
    SPLITS,
    Task,
    hits,
    labeled_points,
)
from nbembed.experiments.sweeps.jobs import in_order, processes

if TYPE_CHECKING:
    from numpy.typing import NDArray

    from nbembed.spectral.subspace import Subspace

RUNS = {e.name: e.figures for e in EXPERIMENTS if isinstance(e.figures, partial)}


def accuracies(
    shared: tuple[Subspace, NDArray[np.int64], int, Task, str], split: int
) -> list[float]:
    """Return the accuracy on the unlabeled points of a split in percent, for each choice."""
    subspace, y, n_labels, task, name = shared
    labeled = labeled_points(y, n_labels, np.random.default_rng(split))
    hidden = np.setdiff1d(np.arange(y.size), labeled)
    recipe, choices = CHOICES[name]
    return [100 * hits(subspace, y, labeled, hidden, recipe, choice, task) for choice in choices]


def tell(name: str, data: Path | None, axes: Sequence[int], everything: bool) -> None:
    """Print the accuracies of an experiment's learners."""
    n_labels, comparisons, tasks, space, *_ = RUNS[name].args
    for task in tasks:
        found = load(task.name, data)
        X, y = (found.X, found.y) if task.take is None else task.take(found.X, found.y)
        subspace = space(X)
        for count in axes or [task.n_components]:
            at = replace(task, n_components=count)
            for learner in dict.fromkeys(learner for names in comparisons for learner in names):
                shared = subspace, y, n_labels, at, learner
                rows = np.array(list(in_order(accuracies, shared, SPLITS)))
                means, spreads = rows.mean(axis=0), rows.std(axis=0, ddof=1)
                choices = CHOICES[learner][1]
                order = np.argsort(-means, kind="stable")
                for k in order if everything else order[:1]:
                    chosen = ", ".join(f"{key} {value:g}" for key, value in choices[k].items())
                    print(
                        f"{task.name}, {n_labels} labels, {count} axes: {learner:8}"
                        f"{means[k]:6.1f} ± {spreads[k]:4.1f}  {chosen}",
                        flush=True,
                    )


def main() -> None:
    """Read the command line and print."""
    parser = argparse.ArgumentParser(description="Print the accuracy at the best choices.")
    parser.add_argument("name", choices=sorted(RUNS))
    parser.add_argument("--data", type=Path, help="the directory with the data files")
    parser.add_argument("--axes", type=int, nargs="+", default=(), help="numbers of axes")
    parser.add_argument("--all", action="store_true", help="every choice, the best first")
    parser.add_argument("--jobs", type=int, help="processes")
    options = parser.parse_args()
    with processes(options.jobs):
        tell(options.name, options.data, options.axes, options.all)


if __name__ == "__main__":
    main()
