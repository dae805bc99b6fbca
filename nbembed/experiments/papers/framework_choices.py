"""Accuracy of the framework's learners at their best values, which cross-validation may not find.

The mean accuracy on the unlabeled points over the splits of
:mod:`nbembed.experiments.papers.framework`, at that one of its choices which is best for all
splits together. It is found by the test points, so it is no result of a method: it says whether a
learner falls short by its choices or by what it is. Beside the paper's SS-LFDA, whose ε is γ, stand
the one with an ε of rounding, and the one whose unlabeled points decide only where the labels do
not. Maps of USPS have as many axes as there are digits, and two, as many as classes.

``framework-epsilon`` has the accuracies of SS-LFDA at fixed γ by the tiny default ε of its
constraint, and beside it by others.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from dataclasses import replace
from pathlib import Path
from typing import Literal

import numpy as np
from numpy.typing import NDArray

from nbembed.datasets import load
from nbembed.experiments.papers.base import Experiment, Figure
from nbembed.experiments.papers.framework import (
    CHOICES,
    MORE,
    SPLITS,
    TASKS,
    WEIGHTED,
    Task,
    hits,
    labeled_points,
    linear,
    quadratic,
)
from nbembed.experiments.sweeps.jobs import in_order
from nbembed.spectral import LFDARecipe
from nbembed.spectral.subspace import Subspace

Epsilon = float | Literal["gamma"]

#: The choices of each learner; SS-LFDA's also with an ε of rounding, and next to no γ.
LEARNERS = {
    **CHOICES,
    "SS-LFDA, ε of rounding": (LFDARecipe(), WEIGHTED),
    "SS-LFDA, γ of rounding": (LFDARecipe(), ({"gamma": 1e-8},)),
}

#: Data sets and numbers of axes, values of ε and of γ at which ε is compared.
EPSILON_TASKS = (("ssl_usps", (4, 10)), ("ionosphere", (2,)), ("balance", (1,)))
EPSILONS: Mapping[str, Epsilon] = {
    "default": LFDARecipe().epsilon,
    "ε = 0.1": 0.1,
    "ε = 1": 1.0,
    "ε = γ": "gamma",
}
EPSILON_GAMMAS = (1.0, 0.01)


def accuracies(
    shared: tuple[Subspace, NDArray[np.int64], int, Task, str], split: int
) -> list[float]:
    """Return the accuracy on the unlabeled points of a split in percent, for each choice."""
    subspace, y, n_labels, task, name = shared
    labeled = labeled_points(y, n_labels, np.random.default_rng(split))
    hidden = np.setdiff1d(np.arange(y.size), labeled)
    recipe, choices = LEARNERS[name]
    shares = hits(subspace, y, labeled, hidden, recipe, choices, task)
    return [100 * share for share in shares]


def at_best(task: str, n_labels: int, learner: str, *, kernel: bool = False, axes: str = "") -> str:
    """Return the name of the figure of a learner at its best values."""
    return f"{task}{', kernel' * kernel}{axes}, {n_labels} labels: {learner} at its best, %"


def _figures(data: Path | None) -> Iterator[Figure]:
    for task in (*TASKS, *MORE):
        found = load(task.name, data)
        X, y = (found.X, found.y) if task.take is None else task.take(found.X, found.y)
        forms = {"": task}
        if task.name == "ssl_usps":
            forms[", two axes"] = replace(task, n_components=2)
        for space in (linear, quadratic):
            subspace = space(X)
            for n_labels in (10, 100):
                for axes, form in forms.items():
                    for learner in LEARNERS:
                        shared = subspace, y, n_labels, form, learner
                        rows = np.array(list(in_order(accuracies, shared, SPLITS)))
                        best = rows[:, rows.mean(axis=0).argmax()]
                        yield Figure(
                            at_best(
                                task.name, n_labels, learner, kernel=space is quadratic, axes=axes
                            ),
                            "",
                            float(best.mean()),
                            digits=1,
                            spread=float(best.std(ddof=1)),
                        )


def _epsilons(data: Path | None) -> Iterator[Figure]:
    for name, axes in EPSILON_TASKS:
        found = load(name, data)
        subspace = linear(found.X)
        for n_labels in (10, 100):
            for n_components in axes:
                task = Task(name, n_components)
                for gamma in EPSILON_GAMMAS:
                    right = {}
                    for form, epsilon in EPSILONS.items():
                        shared = subspace, found.y, n_labels, task, epsilon, gamma
                        right[form] = np.array(list(in_order(_right, shared, SPLITS)))
                    default = right.pop("default")
                    yield Figure(
                        f"{name}, {n_labels} labels, {n_components} axes, γ = {gamma:g}: %",
                        "",
                        float(default.mean()),
                        digits=1,
                        others={form: float(of_form.mean()) for form, of_form in right.items()},
                        spread=float(default.std(ddof=1)),
                    )


def _right(
    shared: tuple[Subspace, NDArray[np.int64], int, Task, Epsilon, float], split: int
) -> float:
    subspace, y, n_labels, task, epsilon, gamma = shared
    labeled = labeled_points(y, n_labels, np.random.default_rng(split))
    hidden = np.setdiff1d(np.arange(y.size), labeled)
    recipe = LFDARecipe(epsilon=epsilon)
    return 100 * hits(subspace, y, labeled, hidden, recipe, [{"gamma": gamma}], task)[0]


EXPERIMENTS = (
    Experiment(
        "framework-best",
        "its learners at the values that are best by the test points (about 5 min)",
        tuple(task.name for task in (*TASKS, *MORE)),
        False,
        _figures,
    ),
    Experiment(
        "framework-epsilon",
        "SS-LFDA with the default ε and with others: few labels, many axes (about 1 min)",
        tuple(name for name, _ in EPSILON_TASKS),
        False,
        _epsilons,
    ),
)
