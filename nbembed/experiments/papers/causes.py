"""Evidence for the causes of known failures, where other experiments do not have it.

:mod:`nbembed.experiments.papers.known_failures` says in words what follows from these figures; a
test holds the words against them. None is judged: no paper prints them.
"""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path
from typing import Any

import numpy as np
from numpy.typing import NDArray
from scipy.linalg import eigh
from scipy.special import logsumexp
from sklearn.cluster import KMeans
from sklearn.datasets import load_iris, load_wine
from sklearn.metrics import pairwise_distances

from nbembed.datasets import read
from nbembed.experiments.papers.base import Experiment, Figure
from nbembed.experiments.papers.hssne import (
    COLUMNS,
    PAPER,
    PERPLEXITY,
    SEEDS,
    common_start,
    fixed_point,
    gradient_descent,
    sets,
    standardized,
    to_unit_range,
)
from nbembed.experiments.papers.mbed import RESTARTS
from nbembed.experiments.papers.parametric import distances
from nbembed.experiments.papers.parametric_figures import (
    DOCUMENTS,
    ETA_PER_OBJECT,
    LABELS,
    STARTS,
    eccentricity,
    five_digits,
    news,
    sne,
    some_labels,
)
from nbembed.measures import class_precision, homogeneity, inconsistent_pairs
from nbembed.methods import HSSNE, Geometry, ParametricEmbedding
from nbembed.methods.initialization import scaling_axes
from nbembed.posteriors import NaiveBayes, SoftNearestNeighbor, class_posteriors
from nbembed.supervision import Supervision

#: Of the graphs of Laplacian eigenmaps.
NEIGHBORS = (5, 7, 10, 12, 15, 20)
#: Step sizes of gradient descent without gains; t-SNE's, and that without the gradient's factor 4.
RATES = (100.0, 25.0)
#: Divisors of the log odds of documents.
SOFTER = (1, 5, 15)
#: h as a share of a class of documents.
SHARES = (0.02, 0.1, 0.2, 0.5, 1.0)


def _hssne(data: Path | None) -> Iterator[Figure]:
    yield from _eigenmaps(data)
    recipe = HSSNE(perplexity=PERPLEXITY, **PAPER).recipe
    for column, X, _ in sets(data):
        affinities = recipe.make_affinities(X)
        objective = recipe.make_objective(affinities, Supervision(len(X)), Geometry())
        starts = [common_start(objective, seed) for seed in SEEDS]
        _, cost = column.fixed_point
        ways = {"fixed point": [fixed_point(objective, Y) for Y in starts]}
        ways["gradient with gains"] = [gradient_descent(objective, Y) for Y in starts]
        for rate in RATES:
            ways[f"gradient, no gains, η = {rate:g}"] = [
                gradient_descent(objective, Y, rate=rate, gains=False) for Y in starts
            ]
        reached = {
            name: np.array([descent.passes(cost)[0] for descent in descents])
            for name, descents in ways.items()
        }
        for name, iterations in reached.items():
            title = f"{column.title}, {name}: iterations to a cost of {cost}"
            yield Figure(title, "", float(np.median(iterations)), digits=0)
        points = reached.pop("fixed point")
        for name, iterations in reached.items():
            ratio = float(np.median(points / iterations))
            yield Figure(to_the_papers_cost(column.title, name), "", ratio, digits=2)


def to_the_papers_cost(title: str, gradient: str) -> str:
    """Return the name of the figure that compares the fixed point with a gradient descent."""
    return f"{title}: iterations to the paper's cost, fixed point / {gradient}"


def _eigenmaps(data: Path | None) -> Iterator[Figure]:
    segments = read(data, "segment")
    points = (
        load_iris(return_X_y=True),
        load_wine(return_X_y=True),
        (segments.X[:210], segments.y[:210]),
    )
    for column, (X, y) in zip(COLUMNS, points):
        found = [
            homogeneity(eigenmap(graph), y)
            for features in (X, standardized(X))
            for graph in _graphs(features)
        ]
        title = f"{column.title.partition(',')[0]}, Laplacian eigenmaps of {len(found)} graphs"
        yield Figure(f"{title}, lowest homogeneity", "", min(found))
        yield Figure(f"{title}, highest homogeneity", "", max(found))
    X, _ = points[2]
    for form, features in (("as it is", X), ("in [−1, 1]", to_unit_range(X))):
        recipe = HSSNE(perplexity=PERPLEXITY, **PAPER).recipe
        affinities = recipe.make_affinities(features)
        objective = recipe.make_objective(affinities, Supervision(len(X)), Geometry())
        Y = 1e-4 * eigenmap(np.asarray(affinities.P, np.float64))
        yield Figure(f"segmentation {form}, Laplacian eigenmap: cost", "", float(objective.cost(Y)))


def _graphs(X: NDArray[Any]) -> Iterator[NDArray[np.float64]]:
    """Yield the heat kernel of all pairs, and graphs of nearest neighbors, weighted and not."""
    D = pairwise_distances(X)
    heat = np.exp(-np.square(D / np.median(D)))
    np.fill_diagonal(heat, 0)
    yield heat
    nearest = np.argsort(D + np.diag(np.full(len(D), np.inf)), axis=1)
    for k in NEIGHBORS:
        linked = np.zeros_like(D)
        np.put_along_axis(linked, nearest[:, :k], 1.0, axis=1)
        linked = np.maximum(linked, linked.T)
        yield linked
        yield linked * heat


def eigenmap(W: NDArray[np.float64]) -> NDArray[np.float64]:
    """Return the Laplacian eigenmap of a graph, largest coordinate one."""
    degrees = W.sum(axis=1)
    _, vectors = eigh(np.diag(degrees) - W, np.diag(degrees), subset_by_index=(1, 2))
    return np.asarray(vectors / abs(vectors).max())


def _k_means(data: Path | None) -> Iterator[Figure]:
    for name, title in (("text_mac_win", "TEXT"), ("coil20", "COIL")):
        found = read(data, name)
        for init in ("k-means++", "random"):
            random = np.random.RandomState(0)
            pairs = []
            for _ in range(RESTARTS):
                model = KMeans(np.unique(found.y).size, init=init, n_init=1, random_state=random)
                pairs.append(100 * inconsistent_pairs(model.fit_predict(found.X), found.y))
            yield Figure(
                f"{title}, k-means from {init.replace('random', 'random points')}, mean of single "
                "starts: inconsistent pairs, %",
                "",
                float(np.mean(pairs)),
                digits=2,
                spread=float(np.std(pairs, ddof=1)),
            )


def _log_odds(data: Path | None) -> Iterator[Figure]:
    X, y = news(data)
    model = NaiveBayes().fit(X, y)
    logs = model.predict_log_proba(X)
    certain = model.predict_proba(X).max(axis=1) == 1
    yield Figure("documents of probability one, %", "", 100 * float(certain.mean()), digits=0)
    for softer in SOFTER:
        proba = np.exp(logs / softer)
        proba /= proba.sum(axis=1, keepdims=True)
        fit = ParametricEmbedding(random_state=0).fit(proba)
        maps = {
            "PE": (fit.embedding_, fit.class_embedding_),
            "SNE": (sne(proba), None),
            "MDS2": (scaling_axes(distances(proba), 2), None),
        }
        for share in SHARES:
            h = round(share * DOCUMENTS)
            for name, (Y, centers) in maps.items():
                yield Figure(
                    f"log odds / {softer}: prec({h}) of {name}",
                    "",
                    _precision(logs, Y, centers, h),
                )
    proba = model.predict_proba(X)
    for form, eta in (("PE", "auto"), ("PE, η_φ = 0.01 N", ETA_PER_OBJECT * len(y))):
        fit = ParametricEmbedding(eta_classes=eta, random_state=0).fit(proba)
        own = fit.class_embedding_[proba.argmax(axis=1)]
        lengths = np.linalg.norm(fit.embedding_, axis=1) / np.linalg.norm(own, axis=1)
        title = f"{form}: distance of certain documents from the middle, in those of their center"
        yield Figure(title, "", float(np.median(lengths[certain])), digits=2)
    X, y = news(data, 2 * DOCUMENTS)
    proba = NaiveBayes().fit(X, y).predict_proba(X)
    fit = ParametricEmbedding(eta_classes=ETA_PER_OBJECT * len(y), random_state=0).fit(proba)
    Y = scaling_axes(distances(proba), 2)
    for share in SHARES:
        h = round(2 * share * DOCUMENTS)
        title = f"{len(y)} documents, η_φ = {ETA_PER_OBJECT * len(y):g}: prec({h}) of"
        yield Figure(
            f"{title} PE",
            "",
            float(class_precision(proba, fit.embedding_, fit.class_embedding_, h)),
        )
        yield Figure(f"{title} MDS2", "", float(class_precision(proba, Y, h=h)))


def _precision(logs: NDArray[Any], Y: NDArray[Any], centers: NDArray[Any] | None, h: int) -> float:
    """Return prec(h) by the log odds of the classes, which tell certain documents apart."""
    found = []
    for k, own in enumerate(logs.T):
        odds = own - logsumexp(np.delete(logs, k, axis=1), axis=1)
        middle = Y[odds.argmax()] if centers is None else centers[k]
        nearest = np.argsort(np.square(Y - middle).sum(axis=1), kind="stable")[:h]
        found.append(np.isin(nearest, np.argsort(-odds, kind="stable")[:h]).mean())
    return float(np.mean(found))


def _shrunk(data: Path | None) -> Iterator[Figure]:
    X, y = five_digits(data)
    errors, places = [], []
    for seed in STARTS:
        known = some_labels(y, LABELS[0], seed)
        proba = class_posteriors(SoftNearestNeighbor(shrinkage=0.1), X, known).proba
        errors.append(100 * float(np.mean(proba.argmax(axis=1) != y)))
        fit = ParametricEmbedding(random_state=seed).fit(proba)
        places.append(eccentricity(fit.class_embedding_))
    title = f"{LABELS[0]} labels per class, covariance shrunk by a tenth"
    for what, values, digits in (
        ("error of the classifier, %", errors, 1),
        ("distance of the 1's center from the middle, in medians", places, 2),
    ):
        mean, spread = float(np.mean(values)), float(np.std(values, ddof=1))
        yield Figure(f"{title}: {what}", "", mean, digits=digits, spread=spread)


EXPERIMENTS = (
    Experiment(
        "hssne-causes",
        "Laplacian eigenmaps of other graphs; gradient descent without gains (about 15 s)",
        ("segment",),
        False,
        _hssne,
    ),
    Experiment(
        "mbed-causes",
        "k-means from single starts, two ways to begin (about 20 s)",
        ("text_mac_win", "coil20"),
        False,
        _k_means,
    ),
    Experiment(
        "pe-causes",
        "prec(h) by log odds, and of softer posteriors; where certain documents lie (about 20 s)",
        ("newsgroups20_bow",),
        False,
        _log_odds,
    ),
    Experiment(
        "pe-mnist-causes",
        "the digits with ten labels per class and a shrunk covariance (about 2 s)",
        ("mnist",),
        False,
        _shrunk,
    ),
)
