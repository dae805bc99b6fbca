"""Figure 4 and Table 2 of "Parametric Embedding": the time of eight methods by the objects.

The seconds are those of another machine and of other programs, so what is judged is what the text
reads off: that PE takes less time than five of the others at the largest number of objects, and
that their time grows faster. As in the paper, what comes before a method is not counted: naive
Bayes posteriors, word counts of length one, and the principal components for FLDA. MDS of Euclidean
distances is principal components by Lanczos iteration, linear in the objects.
"""

from __future__ import annotations

import time
from collections.abc import Callable, Iterator
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import numpy as np
from numpy.typing import NDArray
from sklearn.decomposition import PCA, TruncatedSVD
from sklearn.discriminant_analysis import LinearDiscriminantAnalysis
from sklearn.metrics.pairwise import euclidean_distances
from sklearn.preprocessing import normalize

from nbembed.datasets import read
from nbembed.experiments.papers.base import Experiment, Figure
from nbembed.experiments.papers.parametric import divergences
from nbembed.experiments.papers.parametric_figures import isomap, kda, sne
from nbembed.experiments.papers.ranges import least_above
from nbembed.methods import ParametricEmbedding
from nbembed.posteriors import NaiveBayes

SIZES = (500, 1000, 2000, 4000)
#: Slopes of Table 2.
SLOPES = {
    "PE": 0.749,
    "MDS1": 0.770,
    "MDS2": 0.834,
    "Isomap1": 2.722,
    "Isomap2": 2.824,
    "SNE": 2.232,
    "FLDA": 2.898,
    "KDA": 2.998,
}
#: The text names their seconds as more than those of PE.
SLOWER = ("Isomap1", "Isomap2", "SNE", "FLDA", "KDA")


@dataclass(frozen=True)
class Documents:
    """The methods' inputs for some documents."""

    words: Any
    axes: NDArray[Any]
    proba: NDArray[Any]
    y: NDArray[Any]

    def first(self, n: int) -> Documents:
        """Return the first ``n``, with as many principal components as the paper takes."""
        return Documents(self.words[:n], self.axes[:n, : n * 2 // 5], self.proba[:n], self.y[:n])


MAKERS: dict[str, Callable[[Documents], Any]] = {
    "PE": lambda d: ParametricEmbedding(random_state=0).fit(d.proba),
    "MDS1": lambda d: PCA(2, svd_solver="arpack", random_state=0).fit_transform(d.words),
    "MDS2": lambda d: PCA(2, svd_solver="arpack", random_state=0).fit_transform(d.proba),
    "Isomap1": lambda d: isomap(euclidean_distances(d.words)),
    "Isomap2": lambda d: isomap(np.square(divergences(d.proba))),
    "SNE": lambda d: sne(d.proba, 100),
    "FLDA": lambda d: LinearDiscriminantAnalysis(n_components=2).fit_transform(d.axes, d.y),
    "KDA": lambda d: kda(d.words, d.y),
}


def documents(data: Path | None) -> Documents:
    """Return documents of all newsgroups in random order."""
    found = read(data, "newsgroups20_bow")
    order = np.random.default_rng(0).permutation(found.y.size)
    proba = NaiveBayes().fit(found.X, found.y).predict_proba(found.X[order])
    chosen = order[: SIZES[-1]]
    words = normalize(found.X[chosen])
    axes = TruncatedSVD(SIZES[-1] * 2 // 5, random_state=0).fit_transform(words)
    return Documents(words, axes, proba[: SIZES[-1]], found.y[chosen])


def seconds(given: Documents, make: Callable[[Documents], Any]) -> list[float]:
    """Return the time that a method takes, for each number of objects."""
    make(given.first(200))  # compiles
    found = []
    for n in SIZES:
        part = given.first(n)
        began = time.perf_counter()
        make(part)
        found.append(time.perf_counter() - began)
    return found


def slope(times: list[float]) -> float:
    """Return the slope of the regression line of log time on log objects."""
    return float(np.polyfit(np.log(SIZES), np.log(times), 1)[0])


def _times(data: Path | None) -> Iterator[Figure]:
    given = documents(data)
    times = {}
    for name, make in MAKERS.items():
        times[name] = seconds(given, make)
        yield Figure(f"{name}: seconds at {SIZES[-1]} objects", "", times[name][-1], digits=2)
        yield Figure(
            f"{name}: slope of log time", f"{SLOPES[name]:.2f}", slope(times[name]), digits=2
        )
    linear = slope(times["PE"])
    for name in SLOWER:
        yield Figure(
            f"{name}'s slope above that of PE by",
            f"{SLOPES[name] - SLOPES['PE']:.2f}",
            slope(times[name]) - linear,
            low=least_above(0.0, 2),
            digits=2,
            others={"MDS2": slope(times["MDS2"]) - linear, "PE": 0.0},
        )
    for name in SLOWER:
        yield Figure(
            f"{name}: times the seconds of PE at {SIZES[-1]} objects",
            "> 1",
            times[name][-1] / times["PE"][-1],
            low=least_above(1.0, 2),
            digits=2,
            others={"MDS2": times["MDS2"][-1] / times["PE"][-1], "PE": 1.0},
        )


EXPERIMENTS = (
    Experiment(
        "pe-times",
        "500 to 4000 newsgroup documents: the time of eight methods (about 2 min)",
        ("newsgroups20_bow",),
        False,
        _times,
    ),
)
