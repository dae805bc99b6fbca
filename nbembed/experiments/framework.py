"""The comparison of "A Unified Semi-Supervised Dimensionality Reduction Framework", section 5.

Ten random splits with few labeled points. Learners use all points (transductive) and the labels.
The figure is the 1-NN accuracy in the learner's map: unlabeled points are classified by their
nearest labeled point. The weight γ of SS-LFDA, the Hadamard power of SS-LFDA and LPP*, and SELF's
ω are chosen by cross-validation on the labeled points alone: leave-one-out with ten labels, tenfold
with a hundred. Ties go to the power nearest to one and then to the largest weight. The numbers in
the paper's tables are not available, so its claim is checked: in the mean over the splits, SS-LFDA
is no worse than LFDA and no worse than LPP*, and so SS-DNE than DNE and LPP*.

With a hundred labels the claim holds on all three data sets, clearly against LFDA on ionosphere and
ssl_bci and against LPP* on balance and ssl_bci; elsewhere the difference is about one percentage
point, no more than the effect of another number of folds. With ten labels it does not hold
everywhere: the exceptions are listed as known failures. Behind ± stands the standard deviation
over the splits. The nearest labeled point in the data themselves, without any learner, stands
beside.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from functools import partial
from pathlib import Path
from typing import TYPE_CHECKING, Any

import numpy as np

from nbembed.datasets import read
from nbembed.experiments.base import Experiment, Figure
from nbembed.experiments.jobs import in_order
from nbembed.experiments.nearest_labeled import nearest_labeled_error
from nbembed.methods.recipe import Geometry
from nbembed.spectral import DNERecipe, LFDARecipe, LPPRecipe, SELFRecipe
from nbembed.supervision import as_supervision

if TYPE_CHECKING:
    from numpy.typing import NDArray

    from nbembed.spectral.recipe import SpectralRecipe
    from nbembed.spectral.subspace import Subspace

SPLITS = range(10)
FOLDS = 10
GAMMAS = (100.0, 10.0, 1.0, 0.1, 0.01, 0.001)
POWERS = (1.0, 2.0, 4.0, 8.0)
PCA_WEIGHTS = (0.9, 0.7, 0.5, 0.3, 0.1, 0.0)

#: The choices of each learner, in order of preference.
CHOICES: Mapping[str, tuple[SpectralRecipe, tuple[dict[str, float], ...]]] = {
    "LPP*": (LPPRecipe(), tuple({"power": p} for p in POWERS)),
    "LFDA": (LFDARecipe(), ({},)),
    "SELF": (SELFRecipe(), tuple({"pca_weight": w} for w in PCA_WEIGHTS)),
    "SS-LFDA": (LFDARecipe(), tuple({"power": p, "gamma": g} for p in POWERS for g in GAMMAS)),
    "DNE": (DNERecipe(), ({},)),
    "SS-DNE": (DNERecipe(), tuple({"power": p, "gamma": g} for p in POWERS for g in GAMMAS)),
}
#: What is compared: the last of each against the two that are named before it.
AROUND_LFDA = ("LPP*", "LFDA", "SELF", "SS-LFDA")
AROUND_DNE = ("LPP*", "DNE", "SS-DNE")


@dataclass(frozen=True)
class Task:
    """A data set and the number of axes of its map."""

    name: str
    n_components: int


TASKS = (Task("ionosphere", 2), Task("balance", 1), Task("ssl_bci", 2))


def _figures(n_labels: int, names: tuple[str, ...], data: Path | None) -> Iterator[Figure]:
    for task in TASKS:
        found = read(data, task.name)
        subspace = LFDARecipe().make_affinities(found.X)
        scores = {}
        for name in names:
            shared = subspace, found.y, n_labels, task, name
            scores[name] = np.array(list(in_order(_score, shared, SPLITS)))
        title = f"{task.name}, {n_labels} labels:"
        plain = float(np.mean([_plain(found.X, found.y, n_labels, s) for s in SPLITS]))
        for name, accuracies in scores.items():
            yield Figure(
                f"{title} {name}, %",
                "",
                100 * float(accuracies.mean()),
                digits=1,
                spread=100 * float(accuracies.std(ddof=1)),
                others={"1-NN": plain},
            )
        last = names[-1]
        for other in (names[1], names[0]):
            gain = 100 * (scores[last] - scores[other])
            yield Figure(
                f"{title} {last} − {other}",
                "> 0",
                float(gain.mean()),
                low=0.0,
                digits=1,
                spread=float(gain.std(ddof=1)),
            )


def _plain(X: Any, y: NDArray[np.int64], n_labels: int, split: int) -> float:
    """Return the accuracy of the nearest labeled point in the data, in percent."""
    labeled = labeled_points(y, n_labels, np.random.default_rng(split))
    known = np.full(y.size, -1)
    known[labeled] = y[labeled]
    return 100 - nearest_labeled_error(X, y, known)


def _score(shared: tuple[Subspace, NDArray[np.int64], int, Task, str], split: int) -> float:
    """Return the accuracy on the unlabeled points, with parameters chosen on the labeled ones."""
    subspace, y, n_labels, task, name = shared
    labeled = labeled_points(y, n_labels, np.random.default_rng(split))
    recipe, choices = CHOICES[name]
    best = choices[0]
    if len(choices) > 1:
        folds = np.array_split(labeled, FOLDS)
        scores = [
            np.mean([
                hits(subspace, y, np.setdiff1d(labeled, fold), fold, recipe, choice, task)
                for fold in folds
            ])
            for choice in choices
        ]  # fmt: skip
        best = choices[int(np.argmax(np.round(scores, 9)))]
    hidden = np.setdiff1d(np.arange(y.size), labeled)
    return hits(subspace, y, labeled, hidden, recipe, best, task)


def labeled_points(
    y: NDArray[np.int64], n_labels: int, rng: np.random.Generator
) -> NDArray[np.intp]:
    """Return the points to label, in random order: two of each class, the rest of any class."""
    order = rng.permutation(y.size)
    first = np.concatenate([order[y[order] == c][:2] for c in np.unique(y)])
    rest = order[~np.isin(order, first)][: n_labels - first.size]
    return rng.permutation(np.concatenate([first, rest]))


def hits(
    subspace: Subspace,
    y: NDArray[np.int64],
    labeled: NDArray[np.intp],
    queries: NDArray[np.intp],
    recipe: SpectralRecipe,
    choice: Mapping[str, float],
    task: Task,
) -> float:
    """Return the share of ``queries`` whose nearest labeled point on the map has their class."""
    labels = np.full(y.size, -1)
    labels[labeled] = y[labeled]
    recipe = recipe.replace(n_components=task.n_components, **choice)
    objective = recipe.make_objective(subspace, as_supervision(labels, y.size), Geometry())
    Y: Any = objective.target.astype(np.float64)
    gaps = ((Y[queries][:, None] - Y[labeled]) ** 2).sum(axis=2)
    return float(np.mean(y[labeled][gaps.argmin(axis=1)] == y[queries]))


FILES = tuple(task.name for task in TASKS)
EXPERIMENTS = (
    Experiment(
        "framework-10",
        "SS-LFDA against LFDA, LPP* and SELF with ten labels (about 15 s)",
        FILES,
        True,
        partial(_figures, 10, AROUND_LFDA),
    ),
    Experiment(
        "framework-100",
        "SS-LFDA against LFDA, LPP* and SELF with a hundred labels (about 35 s)",
        FILES,
        True,
        partial(_figures, 100, AROUND_LFDA),
    ),
    Experiment(
        "framework-dne-10",
        "SS-DNE against DNE and LPP* with ten labels (about 20 s)",
        FILES,
        False,
        partial(_figures, 10, AROUND_DNE),
    ),
    Experiment(
        "framework-dne-100",
        "SS-DNE against DNE and LPP* with a hundred labels (about 40 s)",
        FILES,
        False,
        partial(_figures, 100, AROUND_DNE),
    ),
)
