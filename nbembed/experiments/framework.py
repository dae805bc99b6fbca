"""The comparison of "A Unified Semi-Supervised Dimensionality Reduction Framework", section 5.

Ten random splits of a few labeled points; learners see all points (transductive) and the labels;
what counts is the accuracy of one nearest neighbor among the labeled points on the others, in the
learner's map. The weight γ of SS-LFDA, the Hadamard power of SS-LFDA and LPP*, and SELF's β are
chosen by cross-validation on the labels alone, leaving out one point of ten labels and tenths of a
hundred; where several are as good, the power nearest to one and then the largest weight wins. The
figures of the paper's tables are not at hand, so what is checked is its claim: SS-LFDA is no worse
than LFDA, and no worse than LPP*, in the mean over the splits.

With a hundred labels that holds on all three sets, clearly so against LFDA on ionosphere and
ssl_bci and against LPP* on balance and ssl_bci; elsewhere the two are equal but for a per cent or
so, by which another number of folds moves either way. With ten labels it does not hold everywhere,
and :data:`DOES_NOT_HOLD` says where: these rows are shown and not judged. Choosing two parameters
by ten labels is a matter of luck, and on ssl_bci, where all learners are within a few per cent of
guessing, no γ of the grid does as well as none.
"""

from __future__ import annotations

import math
from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING, Any

import numpy as np
from sklearn.base import clone

from nbembed.datasets import read
from nbembed.experiments.base import Experiment, Figure
from nbembed.methods import Geometry
from nbembed.spectral import LFDA, LPP, SELF
from nbembed.supervision import as_supervision

if TYPE_CHECKING:
    from numpy.typing import NDArray

    from nbembed.spectral.base import SpectralMethod
    from nbembed.spectral.points import Points

SPLITS = range(10)
FOLDS = 10
GAMMAS = (100.0, 10.0, 1.0, 0.1, 0.01, 0.001)
POWERS = (1.0, 2.0, 4.0, 8.0)
BETAS = (0.9, 0.7, 0.5, 0.3, 0.1, 0.0)

#: What each learner chooses from, best liked first.
CHOICES: Mapping[str, tuple[SpectralMethod, tuple[dict[str, float], ...]]] = {
    "LPP*": (LPP(), tuple({"power": p} for p in POWERS)),
    "LFDA": (LFDA(), ({},)),
    "SELF": (SELF(), tuple({"beta": b} for b in BETAS)),
    "SS-LFDA": (LFDA(), tuple({"power": p, "gamma": g} for p in POWERS for g in GAMMAS)),
}


@dataclass(frozen=True)
class Problem:
    """A data set with the number of axes that its map gets."""

    name: str
    n_components: int


#: Where, with how many labels and against which learner the paper's claim does not hold here.
DOES_NOT_HOLD = frozenset({
    ("ionosphere", 10, "LPP*"),
    ("balance", 10, "LFDA"),
    ("ssl_bci", 10, "LFDA"),
})  # fmt: skip

PROBLEMS = (Problem("ionosphere", 2), Problem("balance", 1), Problem("ssl_bci", 2))


def _figures(data: Path | None, n_labels: int) -> Iterator[Figure]:
    for problem in PROBLEMS:
        found = read(data, problem.name)
        points = LFDA().make_affinities(found.X)
        scores = {
            name: np.array([
                _score(points, found.y, split, n_labels, problem, name) for split in SPLITS
            ])
            for name in CHOICES
        }  # fmt: skip
        title = f"{problem.name}, {n_labels} labels:"
        for name, accuracies in scores.items():
            mean, sd = 100 * accuracies.mean(), 100 * accuracies.std(ddof=1)
            yield Figure(f"{title} {name}, % (sd {sd:.1f})", "", float(mean), digits=1)
        for other in ("LFDA", "LPP*"):
            gain = 100 * (scores["SS-LFDA"] - scores[other])
            sd = float(gain.std(ddof=1))
            fails = (problem.name, n_labels, other) in DOES_NOT_HOLD
            yield Figure(
                f"{title} SS-LFDA − {other} (sd {sd:.1f})" + (", fails" if fails else ""),
                "> 0",
                float(gain.mean()),
                low=-math.inf if fails else 0.0,
                digits=1,
            )


def _score(
    points: Points,
    y: NDArray[np.int64],
    split: int,
    n_labels: int,
    problem: Problem,
    name: str,
) -> float:
    """Return the accuracy on what is not labeled, with parameters chosen on what is."""
    told = labeled_points(y, n_labels, np.random.default_rng(split))
    method, choices = CHOICES[name]
    best = choices[0]
    if len(choices) > 1:
        folds = np.array_split(told, FOLDS)
        scores = [
            np.mean([
                hits(points, y, np.setdiff1d(told, fold), fold, method, choice, problem)
                for fold in folds
            ])
            for choice in choices
        ]  # fmt: skip
        best = choices[int(np.argmax(np.round(scores, 9)))]
    hidden = np.setdiff1d(np.arange(y.size), told)
    return hits(points, y, told, hidden, method, best, problem)


def labeled_points(
    y: NDArray[np.int64], n_labels: int, rng: np.random.Generator
) -> NDArray[np.intp]:
    """Return points to be labeled, in random order: two of each class and then any."""
    order = rng.permutation(y.size)
    first = np.concatenate([order[y[order] == c][:2] for c in np.unique(y)])
    rest = order[~np.isin(order, first)][: n_labels - first.size]
    return rng.permutation(np.concatenate([first, rest]))


def hits(
    points: Points,
    y: NDArray[np.int64],
    told: NDArray[np.intp],
    asked: NDArray[np.intp],
    method: SpectralMethod,
    choice: Mapping[str, float],
    problem: Problem,
) -> float:
    """Return the share of ``asked`` whose nearest labeled point on the map is of their class."""
    labels = np.full(y.size, -1)
    labels[told] = y[told]
    method = clone(method).set_params(n_components=problem.n_components, **choice)
    objective = method.make_objective(points, as_supervision(labels, y.size), Geometry())
    Y: Any = objective.target.astype(np.float64)
    gaps = ((Y[asked][:, None] - Y[told]) ** 2).sum(axis=2)
    return float(np.mean(y[told][gaps.argmin(axis=1)] == y[asked]))


def _ten(data: Path | None) -> Iterator[Figure]:
    return _figures(data, 10)


def _hundred(data: Path | None) -> Iterator[Figure]:
    return _figures(data, 100)


FILES = tuple(problem.name for problem in PROBLEMS)
EXPERIMENTS = (
    Experiment(
        "framework-10",
        "SS-LFDA against LFDA, LPP* and SELF with ten labels (about 15 s)",
        FILES,
        True,
        _ten,
    ),
    Experiment(
        "framework-100",
        "SS-LFDA against LFDA, LPP* and SELF with a hundred labels (about 35 s)",
        FILES,
        True,
        _hundred,
    ),
)
