"""More of "Parametric Embedding for Class Visualization": maps, curves over h, digits.

The paper's 5000 Japanese web pages are not public. Ten newsgroups of 250 documents, with naive
Bayes posteriors of the documents that it learned from, stand in for them: the paper's ten classes,
half as many objects, and h from 2 % to 100 % of a class like the paper's 10 to 500. The paper's own
η_φ, 50 for 5000 objects, is 0.01 N; it is shown beside the default, which is judged. Its methods:
MDS1 and Isomap1 of word counts of length one; MDS2, Isomap2 and SNE of the posteriors; FLDA of
principal components and KDA of a Gaussian kernel, of word counts and classes. UMAP of word counts
and classes, which is younger, stands beside if it is installed.

Figure 1 is a picture. The error of ten neighbors in the map stands for it: which maps show the
classes. Figure 5 is of MNIST digits, here averaged to 14 × 14 pixels (the paper's have 256); what
the text reads off the picture is judged.
"""

from __future__ import annotations

import warnings
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any

import numpy as np
from numpy.typing import NDArray
from scipy.linalg import eigh
from scipy.sparse import csr_array
from scipy.sparse.csgraph import shortest_path
from sklearn.decomposition import TruncatedSVD
from sklearn.discriminant_analysis import LinearDiscriminantAnalysis
from sklearn.metrics.pairwise import euclidean_distances, rbf_kernel
from sklearn.preprocessing import normalize

from nbembed.baselines.graph import neighbor_graph
from nbembed.datasets import read
from nbembed.experiments.papers.base import Experiment, Figure
from nbembed.experiments.papers.parametric import distances, divergences
from nbembed.experiments.papers.ranges import least_above, margin_of_one
from nbembed.experiments.papers.umap_maps import has_umap, umap_map
from nbembed.measures import class_precision, knn_error
from nbembed.methods import SNE, ParametricEmbedding
from nbembed.methods.initialization import scaling_axes
from nbembed.posteriors import NaiveBayes, SoftNearestNeighbor, class_posteriors

CLASSES, DOCUMENTS = 10, 250
H = (5, 25, 50, 125, 250)
STARTS = range(5)
NEIGHBORS = 10
#: The paper's η_φ, for each object.
ETA_PER_OBJECT = 0.01
#: Of Figure 5.
DIGITS, SIDE = 2558, 14
LABELS = (10, 100)


def news(data: Path | None, per_class: int = DOCUMENTS) -> tuple[Any, NDArray[np.int64]]:
    """Return counts and classes of as many random documents of each of every second newsgroup."""
    found = read(data, "newsgroups20_bow")
    rng = np.random.default_rng(0)
    chosen = [rng.permutation(np.flatnonzero(found.y == 2 * c))[:per_class] for c in range(CLASSES)]
    return found.X[np.concatenate(chosen)], np.repeat(np.arange(CLASSES), list(map(len, chosen)))


def isomap(D: NDArray[Any]) -> NDArray[np.float64]:
    """Return classical scaling of the shortest paths over the ten nearest neighbors by D."""
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")  # classes that posteriors part are joined
        graph, _ = neighbor_graph(D, NEIGHBORS)
    # A path of length zero would be no path to a sparse graph.
    lengths = np.maximum(D[graph.nonzero()], 1e-9)
    graph = csr_array((lengths, graph.indices, graph.indptr), graph.shape)
    return scaling_axes(shortest_path(graph, directed=False), 2)


def sne(proba: NDArray[Any], max_iter: int = 300) -> NDArray[Any]:
    """Return SNE's map of the divergences between posteriors."""
    model = SNE(metric="precomputed", max_iter=max_iter, random_state=0)
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")  # rows of certain documents are equal
        return np.asarray(model.fit_transform(divergences(proba)))


def kda(X: Any, y: NDArray[np.int64]) -> NDArray[np.float64]:
    """Return kernel discriminant analysis: Gaussian kernel of variance one, regularized."""
    K = rbf_kernel(X, gamma=0.5)
    classes = np.unique(y)
    means = np.array([K[y == c].mean(axis=0) for c in classes])
    sizes = np.bincount(y)
    gaps = means - K.mean(axis=0)
    between = (gaps * sizes[:, None]).T @ gaps
    within = K @ K - (means * sizes[:, None]).T @ means
    _, vectors = eigh(
        between, within + 1e-3 * np.eye(len(K)), subset_by_index=(len(K) - 2, len(K) - 1)
    )
    return np.asarray(K @ vectors)


def map_makers(X: Any, y: NDArray[np.int64]) -> dict[str, Callable[[], Any]]:
    """Return functions that make the maps of Figure 1, by the paper's names of the methods."""
    proba = NaiveBayes().fit(X, y).predict_proba(X)
    words = normalize(X)
    apart = euclidean_distances(words)
    axes = TruncatedSVD(len(y) * 2 // 5, random_state=0).fit_transform(words)
    return {
        "PE": lambda: ParametricEmbedding(random_state=0).fit(proba).embedding_,
        "MDS1": lambda: scaling_axes(apart, 2),
        "MDS2": lambda: scaling_axes(distances(proba), 2),
        "Isomap1": lambda: isomap(apart),
        "Isomap2": lambda: isomap(np.square(divergences(proba))),
        "SNE": lambda: sne(proba),
        "FLDA": lambda: LinearDiscriminantAnalysis(n_components=2).fit_transform(axes, y),
        "KDA": lambda: kda(words, y),
    }


def _maps(data: Path | None) -> Iterator[Figure]:
    X, y = news(data)
    proba = NaiveBayes().fit(X, y).predict_proba(X)
    errors = {}
    for name, make in map_makers(X, y).items():
        errors[name] = 100 * float(knn_error(make(), y, NEIGHBORS))
        yield Figure(f"{name}: error of ten neighbors in the map, %", "", errors[name], digits=1)
    by_classes = {"FLDA": errors["FLDA"]}
    if has_umap():
        error = 100 * float(knn_error(umap_map(normalize(X), y), y, NEIGHBORS))
        by_classes["UMAP with classes"] = error
        title = "UMAP with classes: error of ten neighbors in the map, %"
        yield Figure(title, "", error, digits=1)
    map_by_chance = np.random.default_rng(0).standard_normal((len(y), 2))
    random = 100 * float(knn_error(map_by_chance, y, NEIGHBORS))
    for name in ("MDS1", "Isomap1", "MDS2", "FLDA"):
        yield Figure(
            f"PE shows classes that {name} mixes: error less, points",
            "> 0",
            errors[name] - errors["PE"],
            low=least_above(0.0, 1),
            digits=1,
            others={"random map": errors[name] - random, "SNE": errors[name] - errors["SNE"]},
        )
    # "As clearly as PE": its error is not above PE's by more than the starts of PE differ.
    fits = [ParametricEmbedding(random_state=seed).fit(proba).embedding_ for seed in STARTS]
    margin = margin_of_one([100 * float(knn_error(Y, y, NEIGHBORS)) for Y in fits], 1)
    for name in ("SNE", "Isomap2"):
        yield Figure(
            f"{name} shows them like PE: error more, points",
            "≈ 0",
            errors[name] - errors["PE"],
            high=margin,
            digits=1,
            others={
                "random map": random - errors["PE"],
                "MDS1": errors["MDS1"] - errors["PE"],
                "MDS2": errors["MDS2"] - errors["PE"],
            },
        )
    yield Figure(
        "KDA parts all classes: error, %",
        "≈ 0",
        errors["KDA"],
        high=least_above(0.0, 1),
        digits=1,
        others={"random map": random, **by_classes},
    )


def _curves(data: Path | None) -> Iterator[Figure]:
    X, y = news(data)
    proba = NaiveBayes().fit(X, y).predict_proba(X)
    fits = [ParametricEmbedding(random_state=seed).fit(proba) for seed in STARTS]
    runs = np.array([
        class_precision(proba, fit.embedding_, fit.class_embedding_, H) for fit in fits
    ])  # fmt: skip
    paper = ParametricEmbedding(eta_classes=ETA_PER_OBJECT * len(y), random_state=0).fit(proba)
    curves = {
        "PE": runs.mean(axis=0),
        "PE, η_φ = 0.01 N": np.asarray(
            class_precision(proba, paper.embedding_, paper.class_embedding_, H)
        ),
    }
    maps = {
        "SNE": sne(proba),
        "Isomap2": isomap(np.square(divergences(proba))),
        "MDS2": scaling_axes(distances(proba), 2),
        "random": np.random.default_rng(0).standard_normal((len(y), 2)),
    }
    curves |= {name: np.asarray(class_precision(proba, Y, h=H)) for name, Y in maps.items()}
    more = least_above(0.0, 3)
    for k, h in enumerate(H):
        for name, curve in curves.items():
            spread = float(runs[:, k].std(ddof=1)) if name == "PE" else None
            yield Figure(f"prec({h}) of {name}", "", float(curve[k]), spread=spread)
        for name in ("SNE", "Isomap2", "MDS2"):
            gain = float(curves["PE"][k] - curves[name][k])
            simple = {"random map": float(curves["random"][k] - curves[name][k])}
            yield Figure(f"h = {h}: PE above {name} by", "> 0", gain, low=more, others=simple)
    fall = {name: float(curves[name][0] - curves[name][-1]) for name in ("MDS2", "random")}
    simple = {"random map": fall["random"]}
    yield Figure("MDS2 falls with h by", "> 0", fall["MDS2"], low=more, others=simple)
    rise = {name: float(curve.max() - curve[0]) for name, curve in curves.items()}
    simple = {"random map": rise["random"]}
    for name in ("SNE", "Isomap2"):
        yield Figure(f"{name} is lower at small h by", "> 0", rise[name], low=more, others=simple)


def five_digits(data: Path | None) -> tuple[Any, NDArray[np.int64]]:
    """Return MNIST's test images of 0 to 4 as in section 6, 14 × 14 pixels, and their digits."""
    found = read(data, "mnist")
    start = found.n_train or 0
    rng = np.random.default_rng(0)
    rows = start + np.flatnonzero(found.y[start:] < 5)
    rows = rng.permutation(rows)[:DIGITS]
    images = found.X[rows].reshape(-1, SIDE, 2, SIDE, 2).mean(axis=(2, 4))
    return images.reshape(len(rows), -1), found.y[rows]


def some_labels(y: NDArray[np.int64], count: int, seed: int) -> NDArray[np.int64]:
    """Return ``y`` with −1 but for as many random points of each of five digits."""
    rng = np.random.default_rng(seed)
    known = np.full(y.size, -1)
    for c in range(5):
        known[rng.permutation(np.flatnonzero(y == c))[:count]] = c
    return known


def _mnist(data: Path | None) -> Iterator[Figure]:
    X, y = five_digits(data)
    apart, middle = {}, []
    random = [np.random.default_rng(seed).standard_normal((5, 2)) for seed in range(1000)]
    simple = {"random centers": float(np.mean([eccentricity(centers) for centers in random]))}
    for count in LABELS:
        clear, right, places = [], [], []
        for seed in STARTS:
            known = some_labels(y, count, seed)
            proba = class_posteriors(SoftNearestNeighbor(), X, known).proba
            fit = ParametricEmbedding(random_state=seed).fit(proba)
            clear.append(100 * float(knn_error(fit.embedding_, y, NEIGHBORS)))
            right.append(100 * float(np.mean(proba.argmax(axis=1) != y)))
            wrong = proba.argmax(axis=1)[proba.argmax(axis=1) != y]
            middle.append(100 * float(np.mean(wrong == 1)))
            places.append(eccentricity(fit.class_embedding_))
        title = f"{count} labels per class"
        apart[count] = clear
        error, spread = float(np.mean(right)), float(np.std(right, ddof=1))
        yield Figure(f"{title}: error of the classifier, %", "", error, digits=1, spread=spread)
        error, spread = float(np.mean(clear)), float(np.std(clear, ddof=1))
        title_of_error = f"{title}: error of ten neighbors in the map, %"
        yield Figure(title_of_error, "", error, digits=1, spread=spread)
        yield Figure(
            f"{title}: distance of the 1's center from the middle, in medians",
            "< 1",
            float(np.mean(places)),
            high=-least_above(-1.0, 2),
            digits=2,
            spread=float(np.std(places, ddof=1)),
            others=simple,
        )
    gain = np.subtract(apart[LABELS[0]], apart[LABELS[1]])
    yield Figure(
        "more labels part the classes: error less, points",
        "> 0",
        float(gain.mean()),
        low=least_above(0.0, 1),
        digits=1,
        spread=float(gain.std(ddof=1)),
        others={"random map": 0.0},
    )
    yield Figure(
        "mistaken digits that are taken for a 1, %",
        "most",
        float(np.mean(middle)),
        low=least_above(50.0, 1),
        digits=1,
        others={"chance": 20.0},
    )


def eccentricity(centers: NDArray[Any]) -> float:
    """Return the distance of the 1's center from the middle, in medians of all distances."""
    off = np.linalg.norm(centers - centers.mean(axis=0), axis=1)
    return float(off[1] / np.median(off))


FILES = ("newsgroups20_bow",)
EXPERIMENTS = (
    Experiment(
        "pe-maps",
        "ten newsgroups of 250 documents: the maps of eight methods (about 4 min)",
        FILES,
        False,
        _maps,
    ),
    Experiment(
        "pe-curves",
        "the same documents: prec(h) of four methods, five starts (about 5 s)",
        FILES,
        False,
        _curves,
    ),
    Experiment(
        "pe-mnist",
        "2558 MNIST digits, 10 and 100 labels per class, five draws (about 2 s)",
        ("mnist",),
        False,
        _mnist,
    ),
)
