"""The comparison of "A Unified Semi-Supervised Dimensionality Reduction Framework", section 5.

Ten random splits with few labeled points. Learners use all points (transductive) and the labels.
The figure is the 1-NN accuracy in the learner's map: unlabeled points are classified by their
nearest labeled point. The weight γ of SS-LFDA, the Hadamard power of SS-LFDA and LPP*, and SELF's
ω are chosen by cross-validation on the labeled points alone: leave-one-out with ten labels, tenfold
with a hundred. Ties go to the power nearest to one and then to the largest weight. LFDA's
constraint is singular where there are fewer labels than dimensions. The paper adds εI to it, and as
ε regularizes it takes the regularization parameter for it: SS-LFDA has ``epsilon="gamma"``. The
numbers in the paper's tables are not available, so its claim is checked:
in the mean over the splits, SS-LFDA is better than LFDA and than LPP*, and so SS-DNE than DNE and
LPP*. What is printed as 0.0 is not better.

Table 2 has linear maps, Table 3 those of the KPCA trick with the quadratic kernel (1 + xᵀx'/D)² of
D features: the same learners on kernel principal components. All of these are used, but for USPS
the :data:`LEADING` first of 1499. M-Eyale, the paper's draw from Extended Yale B, is not
available; :func:`faces` draws one of the same kind. Maps have two axes, that of balance has one,
and those of USPS and faces as many as there are digits and persons.

With a hundred labels SS-LFDA is clearly ahead of LFDA on ionosphere and ssl_bci and of LPP* on
balance and ssl_bci; elsewhere on these three sets the difference is less than one percentage point,
no more than the effect of another number of folds. With ten labels it does
not hold everywhere: the exceptions are listed as known failures. Behind ± stands the standard
deviation over the splits. Beside the accuracies stand the nearest labeled point in the data
themselves and on random axes, scikit-learn's linear discriminant analysis with a shrunk covariance
and its label spreading; beside each difference what these would have in place of the
semi-supervised learner.
"""

from __future__ import annotations

import warnings
from collections.abc import Callable, Iterable, Iterator, Mapping
from dataclasses import dataclass
from functools import partial
from pathlib import Path
from typing import Any

import numpy as np
from numpy.typing import NDArray
from sklearn.discriminant_analysis import LinearDiscriminantAnalysis

from nbembed.datasets import load
from nbembed.experiments.papers.base import Experiment, Figure
from nbembed.experiments.papers.few_labels import GRAPH, spreading
from nbembed.experiments.papers.nearest_labeled import nearest_labeled_error
from nbembed.experiments.papers.ranges import least_above
from nbembed.experiments.sweeps.jobs import in_order
from nbembed.methods.recipe import Geometry
from nbembed.spectral import DNERecipe, LFDARecipe, LPPRecipe, SELFRecipe
from nbembed.spectral.kernel_pca import KPCATrickRecipe
from nbembed.spectral.recipe import SpectralRecipe
from nbembed.spectral.subspace import Subspace
from nbembed.supervision import as_supervision

SPLITS = range(10)
FOLDS = 10
GAMMAS = (100.0, 10.0, 1.0, 0.1, 0.01, 0.001)
POWERS = (1.0, 2.0, 4.0, 8.0)
PCA_WEIGHTS = (0.9, 0.7, 0.5, 0.3, 0.1, 0.0)

WEIGHTED = tuple({"power": p, "gamma": g} for p in POWERS for g in GAMMAS)

#: The choices of each learner, in order of preference.
CHOICES: Mapping[str, tuple[SpectralRecipe, tuple[dict[str, float], ...]]] = {
    "LPP*": (LPPRecipe(), tuple({"power": p} for p in POWERS)),
    "LFDA": (LFDARecipe(), ({},)),
    "SELF": (SELFRecipe(), tuple({"pca_weight": w} for w in PCA_WEIGHTS)),
    # With a tiny ε, along most axes of a map with nearly as many of them as labels, the labeled
    # points lie far outside all others, and the nearest one is whichever is least far out.
    "SS-LFDA": (LFDARecipe(epsilon="gamma"), WEIGHTED),
    "DNE": (DNERecipe(), ({},)),
    "SS-DNE": (DNERecipe(), WEIGHTED),
}
#: What is compared: the last of each against the two that are named before it.
AROUND_LFDA = ("LPP*", "LFDA", "SELF", "SS-LFDA")
AROUND_DNE = ("LPP*", "DNE", "SS-DNE")
#: Kernel principal components to use at most.
LEADING = 200
#: Of the draw of faces: persons, images of each, and persons in a class.
PERSONS, IMAGES, TOGETHER = 10, 32, 2


@dataclass(frozen=True)
class Task:
    """A data set, the number of axes of its map, and what is taken of the data; None: all."""

    name: str
    n_components: int
    take: Callable[[Any, NDArray[np.int64]], tuple[Any, NDArray[np.int64]]] | None = None


def faces(X: Any, person: NDArray[np.int64]) -> tuple[Any, NDArray[np.int64]]:
    """Return images of ten random persons, two persons in a class, in random order.

    The paper's set has classes of several clusters in this way.
    """
    rng = np.random.default_rng(0)
    persons = rng.permutation(np.unique(person))[:PERSONS]
    chosen = [rng.permutation(np.flatnonzero(person == p))[:IMAGES] for p in persons]
    order = rng.permutation(PERSONS * IMAGES)
    y = np.arange(PERSONS * IMAGES) // (IMAGES * TOGETHER)
    return X[np.concatenate(chosen)[order]], y[order]


TASKS = (Task("ionosphere", 2), Task("balance", 1), Task("ssl_bci", 2))
MORE = (Task("ssl_usps", 10), Task("yaleb_32x32", PERSONS, faces))


def linear(X: Any) -> Subspace:
    """Return the data in coordinates of their span."""
    return LFDARecipe().make_affinities(X)


def quadratic(X: Any) -> Subspace:
    """Return the leading principal coordinates of the data in the space of a quadratic kernel."""
    kernel = KPCATrickRecipe(
        kernel="polynomial",
        degree=2,
        coef0=1,
        kernel_coefficient=1 / X.shape[1],
        n_landmarks=None,
    )
    Z = kernel.make_affinities(X).Z
    return Subspace.of(Z, LEADING if len(Z) > 1000 else None)


def _figures(
    n_labels: int,
    comparisons: tuple[tuple[str, ...], ...],
    tasks: tuple[Task, ...],
    space: Callable[[Any], Subspace],
    data: Path | None,
) -> Iterator[Figure]:
    for task in tasks:
        found = load(task.name, data)
        X, y = (found.X, found.y) if task.take is None else task.take(found.X, found.y)
        subspace = space(X)
        title = f"{task.name}, {n_labels} labels:"
        simple = {
            "1-NN": float(np.mean([_plain(X, y, n_labels, s) for s in SPLITS])),
            "LDA": float(np.mean([_discriminant(subspace, y, n_labels, s) for s in SPLITS])),
            "LabelSpreading": float(np.mean([_spreading(X, y, n_labels, s) for s in SPLITS])),
            "random axes": float(
                np.mean([_random(subspace, y, n_labels, task, s) for s in SPLITS])
            ),
        }
        scores = {}
        for name in dict.fromkeys(name for names in comparisons for name in names):
            shared = subspace, y, n_labels, task, name
            scores[name] = np.array(list(in_order(_score, shared, SPLITS)))
            yield Figure(
                f"{title} {name}, %",
                "",
                100 * float(scores[name].mean()),
                digits=1,
                spread=100 * float(scores[name].std(ddof=1)),
                others=simple,
            )
        for names in comparisons:
            last = names[-1]
            for other in (names[1], names[0]):
                gain = 100 * (scores[last] - scores[other])
                beaten = 100 * float(scores[other].mean())
                yield Figure(
                    f"{title} {last} − {other}",
                    "> 0",
                    float(gain.mean()),
                    low=least_above(0.0, 1),
                    digits=1,
                    spread=float(gain.std(ddof=1)),
                    others={simpler: value - beaten for simpler, value in simple.items()},
                )


def _plain(X: Any, y: NDArray[np.int64], n_labels: int, split: int) -> float:
    """Return the accuracy of the nearest labeled point in the data, in percent."""
    labeled = labeled_points(y, n_labels, np.random.default_rng(split))
    known = np.full(y.size, -1)
    known[labeled] = y[labeled]
    return 100 - nearest_labeled_error(X, y, known)


def _random(
    subspace: Subspace, y: NDArray[np.int64], n_labels: int, task: Task, split: int
) -> float:
    """Return that accuracy on random axes of the space, in percent.

    They are combinations of the points: those of coordinates would depend on their signs.
    """
    axes = subspace.Z.T @ np.random.default_rng(split).standard_normal((y.size, task.n_components))
    return _plain(subspace.Z @ axes, y, n_labels, split)


def _discriminant(subspace: Subspace, y: NDArray[np.int64], n_labels: int, split: int) -> float:
    """Return the accuracy of linear discriminant analysis with a shrunk covariance, in percent."""
    labeled = labeled_points(y, n_labels, np.random.default_rng(split))
    hidden = np.setdiff1d(np.arange(y.size), labeled)
    model = LinearDiscriminantAnalysis(solver="lsqr", shrinkage="auto")
    model.fit(subspace.Z[labeled], y[labeled])
    return 100 * float(model.score(subspace.Z[hidden], y[hidden]))


def _spreading(X: Any, y: NDArray[np.int64], n_labels: int, split: int) -> float:
    """Return the accuracy of scikit-learn's label spreading over nearest neighbors, in percent."""
    labeled = labeled_points(y, n_labels, np.random.default_rng(split))
    known = np.full(y.size, -1)
    known[labeled] = y[labeled]
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")  # points that no label reaches
        found = spreading(X, known, split, GRAPH)
    return 100 * float(np.mean((found == y)[known == -1]))


def _score(shared: tuple[Subspace, NDArray[np.int64], int, Task, str], split: int) -> float:
    """Return the accuracy on the unlabeled points, with parameters chosen on the labeled ones."""
    subspace, y, n_labels, task, name = shared
    labeled = labeled_points(y, n_labels, np.random.default_rng(split))
    recipe, choices = CHOICES[name]
    best = choices[0]
    if len(choices) > 1:
        folds = np.array_split(labeled, FOLDS)
        scores = [
            hits(subspace, y, np.setdiff1d(labeled, fold), fold, recipe, choices, task)
            for fold in folds
        ]
        best = choices[int(np.argmax(np.round(np.mean(scores, axis=0), 9)))]
    hidden = np.setdiff1d(np.arange(y.size), labeled)
    return hits(subspace, y, labeled, hidden, recipe, [best], task)[0]


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
    choices: Iterable[Mapping[str, float]],
    task: Task,
) -> list[float]:
    """Return the share of ``queries`` whose nearest labeled point has their class, by choice.

    Choices that share their labels share the graphs of these labels.
    """
    labels = np.full(y.size, -1)
    labels[labeled] = y[labeled]
    supervision = as_supervision(labels, y.size)
    shares = []
    for choice in choices:
        chosen = recipe.replace(n_components=task.n_components, **choice)
        objective = chosen.make_objective(subspace, supervision, Geometry())
        Y: Any = objective.target.astype(np.float64)
        gaps = ((Y[queries][:, None] - Y[labeled]) ** 2).sum(axis=2)
        shares.append(float(np.mean(y[labeled][gaps.argmin(axis=1)] == y[queries])))
    return shares


def _experiment(
    name: str,
    summary: str,
    n_labels: int,
    comparisons: tuple[tuple[str, ...], ...],
    *,
    tasks: tuple[Task, ...] = TASKS,
    space: Callable[[Any], Subspace] = linear,
    short: bool = False,
) -> Experiment:
    files = tuple(task.name for task in tasks)
    run = partial(_figures, n_labels, comparisons, tasks, space)
    return Experiment(name, summary, files, short, run)


_BOTH = (AROUND_LFDA, AROUND_DNE)
EXPERIMENTS = (
    _experiment(
        "framework-10",
        "SS-LFDA against LFDA, LPP* and SELF with ten labels (about 15 s)",
        10,
        (AROUND_LFDA,),
        short=True,
    ),
    _experiment(
        "framework-100",
        "SS-LFDA against LFDA, LPP* and SELF with a hundred labels (about 35 s)",
        100,
        (AROUND_LFDA,),
        short=True,
    ),
    _experiment(
        "framework-dne-10",
        "SS-DNE against DNE and LPP* with ten labels (about 20 s)",
        10,
        (AROUND_DNE,),
    ),
    _experiment(
        "framework-dne-100",
        "SS-DNE against DNE and LPP* with a hundred labels (about 40 s)",
        100,
        (AROUND_DNE,),
    ),
    _experiment(
        "framework-usps-faces-10",
        "USPS and faces with ten labels: SS-LFDA, SS-DNE and what they are made of (about 4 min)",
        10,
        _BOTH,
        tasks=MORE,
    ),
    _experiment(
        "framework-usps-faces-100",
        "USPS and faces with a hundred labels, the same learners (about 4 min)",
        100,
        _BOTH,
        tasks=MORE,
    ),
    _experiment(
        "framework-kernel-10",
        "SS-LFDA, SS-DNE and what they are made of by a quadratic kernel, ten labels (about 7 min)",
        10,
        _BOTH,
        space=quadratic,
    ),
    _experiment(
        "framework-kernel-100",
        "the same learners with a quadratic kernel, a hundred labels (about 7 min)",
        100,
        _BOTH,
        space=quadratic,
    ),
    _experiment(
        "framework-kernel-usps-faces-10",
        "USPS and faces with a quadratic kernel, ten labels (about 6 min)",
        10,
        _BOTH,
        tasks=MORE,
        space=quadratic,
    ),
    _experiment(
        "framework-kernel-usps-faces-100",
        "USPS and faces with a quadratic kernel, a hundred labels (about 6 min)",
        100,
        _BOTH,
        tasks=MORE,
        space=quadratic,
    ),
)
