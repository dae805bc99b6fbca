"""Legal values of every argument of the public callables, by the argument's name.

One name means one thing in this package, with a few exceptions (:data:`ELSEWHERE`). A new argument
needs an entry here; the test of the table says so.
"""

from __future__ import annotations

import fnmatch
import functools
from collections.abc import Callable
from dataclasses import replace
from typing import Any

import numpy as np
import pandas as pd
from hypothesis import strategies as st
from PIL import Image
from sklearn.decomposition import LatentDirichletAllocation
from sklearn.linear_model import LogisticRegression

import nbembed as nb
from nbembed.affinities import perplexity_affinities
from nbembed.data import matrix_input
from tests.reliability import strategies as values
from tests.reliability.strategies import Strategy, World

Good = Callable[[World], Strategy]


def one_of(*choices: Any) -> Good:
    return lambda w: st.sampled_from(choices)


def same(make: Callable[[World], Any]) -> Good:
    """One value for each world, made when it is drawn."""
    return lambda w: st.builds(make, st.just(w))


FLAG = one_of(False, True)
NOTHING = one_of(None)
TEXT: Good = lambda w: values.names()  # noqa: E731


# -- objects of the package -------------------------------------------------------------------


def some_data(w: World) -> np.ndarray:
    """Data of as many points as the world has, at least four."""
    return np.random.default_rng(w.seed).standard_normal((max(w.n, 4), w.d))


def affinities(w: World) -> Any:
    return perplexity_affinities(some_data(w), 2, dtype=np.float64, n_jobs=1)


def objective(w: World) -> Any:
    return nb.objectives.SNE(affinities(w), n_jobs=1)


def parametric(w: World) -> Any:
    rows = np.random.default_rng(w.seed).dirichlet(np.ones(w.k), max(w.n, 4))
    return nb.objectives.Parametric(rows, n_jobs=1)


def supervision(w: World) -> Any:
    said = nb.Supervision(max(w.n, 1))
    if w.n >= 6:
        said = said.label([0, 1], "a").label([2, 3], "b", 0.7).must_link([0, 4])
        said = said.cannot_link([0], [2]).pin([5])
    return said


def small_metric(w: World) -> Any:
    return nb.LearningMetric(2, width=1.0, cv=None, max_iter=5, n_jobs=1, random_state=0)


@functools.cache
def topic_model() -> Any:
    counts = np.random.default_rng(0).integers(0, 4, (12, 6))
    return LatentDirichletAllocation(3, max_iter=2, random_state=0).fit(counts)


def run(w: World) -> Any:
    Y = np.random.default_rng(w.seed).standard_normal((max(w.n, 4), 2))
    return nb.Run(objective(w), nb.optimizers.MomentumGradient(), Y)


def schedule(w: World) -> Any:
    return nb.Schedule((nb.Stage(2, nb.optimizers.MomentumGradient()),))


def trace(w: World) -> Any:
    made = run(w)
    made.step(3)
    return made.trace


def path(w: World) -> Any:
    return [
        nb.methods.PathStep(value, np.random.default_rng(i).standard_normal((max(w.n, 4), 2)), 1.0)
        for i, value in enumerate([2.0, 1.0, 0.5])
    ]


def dissimilarities(w: World) -> np.ndarray:
    X = np.random.default_rng(w.seed).standard_normal((w.n, w.d))
    return np.abs(X[:, None] - X[None]).sum(axis=2)


METRICS: Good = lambda w: st.sampled_from(  # noqa: E731
    ["euclidean"] * len(matrix_input.METRICS) + ["precomputed"] * 8 + list(matrix_input.METRICS)
)
OPTIMIZERS = one_of(
    "auto", nb.optimizers.MomentumGradient(), nb.optimizers.LBFGS(), nb.optimizers.FixedPoint(),
    nb.optimizers.ConjugateGradient(), nb.optimizers.Alternating(),
    nb.optimizers.MomentumLBFGS(),
)  # fmt: skip
LAYOUTS: Good = lambda w: st.dictionaries(  # noqa: E731
    values.names(), values.layout(w), min_size=1, max_size=3
)


def column(w: World) -> Strategy:
    return st.one_of(values.labels(w), values.vector(w.n, w.seed))


def init(w: World) -> Strategy:
    words = st.sampled_from(["pca", "random", "noise"])
    return st.one_of(words, words, values.layout(w))


def square_functions(w: World) -> Strategy:
    return st.just(lambda tau: -tau)


# -- by name ----------------------------------------------------------------------------------


def cost_of(model: Any, X: Any, y: Any) -> float:
    """Return a score of any model."""
    return float(model.cost_)


GOOD: dict[str, Good] = {
    # data, layouts and labels
    "X": values.data,
    "Y": values.layout,
    "Z": values.layout,
    "P": values.row_stochastic,
    "x1": lambda w: values.vector(w.d, w.seed),
    "x2": lambda w: values.vector(w.d, w.seed + 1),
    "y": values.labels,
    "predicted": values.full_labels,
    "labels": values.labels,
    "supervision": lambda w: st.one_of(st.just(None), st.builds(supervision, st.just(w))),
    "proba": lambda w: values.probabilities(w.n, w.k, w.seed),
    "prior": lambda w: st.one_of(st.none(), st.just([1 / w.k] * w.k)),
    "class_prior": lambda w: st.one_of(st.none(), st.just([1 / w.k] * w.k)),
    "sample_weight": lambda w: st.one_of(st.none(), st.just(np.ones(w.n))),
    "points": values.points,
    "marked": lambda w: st.one_of(st.none(), values.points(w)),
    "held": lambda w: st.just(()),
    "neighbors": NOTHING,
    "others": lambda w: st.one_of(st.none(), values.plain_data(w)),
    "centers": values.centers,
    "objects": values.layout,
    "start": NOTHING,
    "directions": lambda w: st.just(nb.objectives.circle(w.k)),
    "a": values.points,
    "b": values.points,
    "what": lambda w: st.sampled_from([None, "making", "learning", "suggestions"]),
    "class_": TEXT,
    "classes": lambda w: st.lists(values.names(), max_size=3, unique=True),
    "class_names": lambda w: st.one_of(st.none(), st.just([str(i) for i in range(w.k)])),
    "name": TEXT,
    "old": TEXT,
    "new": TEXT,
    "into": TEXT,
    "color": column,
    "hover": lambda w: st.one_of(st.none(), st.dictionaries(values.names(), column(w), max_size=2)),
    "center_names": NOTHING,
    "center_classes": NOTHING,
    "direction_names": NOTHING,
    "title": TEXT,
    "x_label": TEXT,
    "y_label": TEXT,
    "layouts": LAYOUTS,
    "metrics": NOTHING,
    "curves": lambda w: st.dictionaries(
        values.names(),
        st.tuples(values.vector(w.n, w.seed), values.vector(w.n, w.seed + 1)),
        max_size=2,
    ),
    "source": same(trace),
    "path": same(path),
    # counts and numbers
    "n_samples": lambda w: st.just(w.n),
    "n_features": lambda w: st.integers(1, 5),
    "n_components": one_of(2, 1, 3, np.int64(2)),
    "n_classes": lambda w: st.just(w.k),
    "n_init": one_of(1, 2),
    "n_neighbors": one_of(2, 3, 7),
    "search": one_of("exact", "auto"),
    "n_pca": one_of("auto", None, 2),
    "n_landmarks": one_of("auto", None, 20),
    "n_pieces": one_of(2, 10),
    "n_centroids": one_of(2, 1, 3),
    "n_eigenvectors": one_of("auto", 3),
    "n_labels": one_of(4),
    "n_train": NOTHING,
    "n_jobs": one_of(None, 1, 2, -1),
    "max_iter": one_of(30, 40, 1),
    "maps": one_of(6, 1),
    "size": one_of(220, 100),
    "columns": one_of(3, 1, np.int8(2)),
    "height": one_of(280, 460),
    "width": one_of(560, 100),
    "most": one_of(None, 3),
    "k": one_of(1, 2, 5, np.int16(3)),
    "h": one_of(100, 2),
    "degree": one_of(3, 2),
    "memory": one_of(10, 2),
    "cv": one_of(None, 2),
    "cost_every": one_of(10, 1),
    "index": one_of(0, 1),
    "resolution": one_of(0.5, 2.0),
    "verbose": one_of(0, False),
    "scale_neighbor": one_of(7, 1, None),
    "within_neighbors": one_of(3, 1),
    "between_neighbors": one_of(3, 1),
    "alpha": one_of(1.0, 0.0, 0.5, 3.0, 1e-9, 50.0),
    "lam": one_of(1.0, "anneal", 0.1, 1e3, 1e-3),
    "rho": one_of(0.5, 0.0, 1.0),
    "link_form": one_of("structured", "uniform"),
    "propagate_labels": one_of("auto", True, False),
    "algorithm": one_of("auto", "exact", "grid"),
    "perplexity": one_of("auto", 1, 1.5, 2, 2.9),
    "tradeoff": one_of(0.1, 0.0, 1.0),
    "neighbor_share": one_of(0.99, 1.0, 0.0, 0.5),
    "mass_exponent": one_of(0.5, 0.0, 1.0),
    "stacking": one_of(True, False),
    "margin_weight": one_of(1.0, 0.0, 5.0),
    "eta_objects": one_of(0.1, 0.0, 1e-6, 10.0),
    "eta_classes": one_of("auto", 0.1, 10.0),
    "label_distance": one_of(1.0, 1e-3, 1e3),
    "near": one_of(1.0, 0.0, 1e3),
    "exaggeration": one_of(1.0, 4.0),
    "compactness": one_of(0.0, 0.1),
    "widening": one_of(1.0, 3.0),
    "floor": one_of(1e-8, 0.0),
    "tol": one_of(1e-4, 0.0, 1e-9),
    "gamma": one_of(1.0, 0.0, 10.0),
    "power": one_of(1.0, 0.5, 2.0),
    "epsilon": one_of(1e-12, 1e-3, 0.0),
    "pca_weight": one_of(0.5, 0.0, 1.0),
    "penalty": one_of(1.0, 0.0, 10.0),
    "offset": one_of(0.5, 0.25),
    "error": one_of(0.05, 0.3),
    "bandwidth": one_of("auto", 1.0),
    "shrinkage": one_of(0.0, 0.5, 1.0),
    "coef0": one_of(1, 0.0),
    "kernel_coefficient": one_of("scale", 0.1),
    "learning_rate": one_of("auto", 0.1),
    "momentum": one_of("auto", 0.5),
    "flatness": one_of(0.5, 0.1),
    "confidence": one_of(1.0, 0.5, 1e-9),
    "timeout": one_of(0.0, 0.1),
    "random_state": one_of(0, 1, None, np.random.RandomState(0)),
    "smoothing": one_of("leave-one-out", 0.1),
    # words
    "metric": METRICS,
    "init": init,
    "map_width": one_of("point", "uniform"),
    "affinity": one_of("global", "perplexity"),
    "optimizer": OPTIMIZERS,
    "form": one_of("row", "joint"),
    "alternative": one_of("two-sided", "less", "greater"),
    "constraint": one_of("tabled", "identity"),
    "kernel": one_of("rbf", "linear", "poly", "sigmoid", "cosine"),
    "scale": one_of("mean", "max"),
    "log": one_of("", "x", "y", "xy"),
    "dtype": one_of(np.float32, np.float64, "float32"),
    "invalidates": one_of("objective", "affinities"),
    # flags
    "per_point": FLAG,
    "clamp": FLAG,
    "laplacian": FLAG,
    "per_class": FLAG,
    "shortest_paths": FLAG,
    "labels_as_links": FLAG,
    "precondition": FLAG,
    "legend": FLAG,
    "cost": FLAG,
    "solve": FLAG,
    "wait": FLAG,
    "autoplay": one_of(False, None),
    "still": one_of(False, True, "page"),
    "dark": FLAG,
    "provenance": FLAG,
    "keep": FLAG,
    # objects
    "affinities": same(affinities),
    "objective": same(objective),
    "classifier": one_of(
        "soft-nearest-neighbor", "naive-bayes", LogisticRegression(max_iter=20), None
    ),
    "learner": lambda w: st.sampled_from([None, nb.spectral.FDA(1), nb.spectral.LPP(1)]),
    "model": lambda w: st.builds(topic_model),
    "topics": one_of(None, [0, 1], [0, 2]),
    "schedule": lambda w: st.one_of(st.none(), st.builds(schedule, st.just(w))),
    "stages": lambda w: st.builds(lambda: schedule(w).stages),
    "steps": one_of(1, 5),
    "done": one_of(0, 1),
    "parameters": lambda w: st.just({}),
    "callbacks": one_of(None, ()),
    "checkpoint": lambda w: st.builds(lambda: run(w).checkpoint()),
    "state": lambda w: st.builds(lambda: run(w).state),
    "data": lambda w: st.builds(lambda: supervision(w).to_dict()),
    "split": one_of(0),
    "direction": lambda w: values.vector(w.d, w.seed),
    "axis": NOTHING,
    "H": square_functions,
    "score": square_functions,
    "method": one_of(None, nb.SNE(max_iter=5), nb.spectral.PCA()),
    "folder": NOTHING,
    "data_home": NOTHING,
    "directory": one_of("/nonexistent"),
    "value": one_of(1.0, 0.5, 2),
}  # fmt: skip

#: Where a name means something else: (pattern of callables, name).
ELSEWHERE: dict[tuple[str, str], Good] = {
    ("nb.Explorer", "features"): NOTHING,  # data are arrays, or frames whose columns vary
    ("nb.Explorer", "columns"): lambda w: st.one_of(
        st.none(), st.dictionaries(values.names(), column(w), max_size=2)
    ),
    ("nb.Explorer", "images"): lambda w: st.sampled_from(
        [None, np.ones((w.n, 2, 3)), [None] * w.n]
    ),
    ("nb.Explorer", "names"): column,
    ("nb.Explorer", "feature_names"): NOTHING,
    ("nb.Explorer*", "most"): one_of(3, 12),
    ("nb.Explorer.dock", "figure"): one_of(None, Image.new("L", (3, 2)), "figure"),
    ("nb.Explorer*", "against"): lambda w: st.one_of(st.none(), values.points(w)),
    ("nb.Explorer", "standardize"): one_of(None, False),
    ("nb.Explorer", "autosave"): NOTHING,  # an Explorer that goes on from the file takes no method
    ("nb.Explorer.*", "path"): one_of(None, "map.out"),
    ("nb.Explorer.to_anndata", "key"): one_of("nbembed", "map"),
    ("nb.Explorer.to_anndata", "into"): NOTHING,
    ("nb.Explorer.write_labels", "frame"): lambda w: st.builds(
        lambda: pd.DataFrame(index=range(w.n))
    ),
    ("nb.Explorer.write_labels", "column"): one_of("label", "class"),
    ("nb.Explorer.to_??g", "width"): one_of(100, 640),
    ("nb.Explorer.to_??g", "height"): one_of(100, 640),
    ("nb.Explorer.to_html", "title"): one_of("Map", "<b>"),
    ("nb.Preparation", "n_components"): one_of("auto", None, 1, 3),
    ("nb.Preparation", "kind"): one_of("auto", "numbers", "wide"),
    ("nb.Preparation", "missing"): one_of("median", "mean", "neighbors", "error"),
    ("nb.Preparation", "features"): NOTHING,  # as of an Explorer
    ("nb.Preparation", "standardize"): one_of(None, False, True),
    ("nb.Preparation", "weights"): NOTHING,  # of a table
    ("nb.Preparation", "log"): NOTHING,
    ("nb.Preparation.get_feature_names_out", "input_features"): NOTHING,
    ("nb.Explorer", "prepare"): one_of("auto", None),
    ("nb.Explorer", "missing"): one_of(None, "error"),
    ("nb.LearningMetric.fitted_to", "X"): same(some_data),
    ("nb.LearningMetric.fitted_to", "supervision"): lambda w: st.builds(
        supervision, st.just(replace(w, n=max(w.n, 4)))
    ),
    ("nb.LearningMetric.squared_rows", "X"): same(some_data),
    ("nb.LearningMetric.squared_rows", "others"): same(some_data),
    ("nb.LearningMetric*", "Y"): lambda w: st.one_of(st.none(), values.data(w)),
    ("nb.LearningMetric*", "width"): one_of(1.0, 0.5, "cv"),
    ("nb.LearningMetric", "cv"): one_of(None, 2),
    ("nb.LearningMetric.score", "y"): values.full_labels,
    ("nb.Mbed.score", "y"): values.full_labels,
    ("nb.Mbed", "init"): lambda w: st.one_of(st.sampled_from(["noise", "pca"]), values.layout(w)),
    ("nb.Mbed", "directions"): one_of(None, "circle", "centers", "plane", "simplex"),
    ("nb.methods.MbedRecipe", "directions"): one_of(None, "circle", "centers", "plane", "simplex"),
    ("nb.Mbed", "alpha"): one_of("auto", 0.0, 0.5, 2.0),
    ("nb.methods.MbedRecipe", "alpha"): one_of("auto", 0.0, 0.5, 2.0),
    ("nb.*SNeRV*", "metric"): lambda w: st.one_of(st.none(), st.builds(small_metric, st.just(w))),
    ("nb.*Parametric*", "Y"): lambda w: values.layout(replace(w, n=w.n + w.k)),
    ("nb.*Parametric*", "held"): one_of((), (0,)),
    ("nb.measures.smoothed_errors", "width"): one_of("point", "uniform"),
    ("nb.objectives.NeighborRetrieval", "width"): one_of("point", "uniform"),
    ("nb.measures.paired_t_test", "[ab]"): lambda w: values.vector(w.n, w.seed),
    ("nb.measures.inconsistent_pairs", "[ab]"): lambda w: values.vector(w.n, w.seed),
    ("nb.measures.*", "y"): values.full_labels,
    ("nb.measures.hotelling_lawley", "labels"): values.full_labels,
    ("nb.measures.class_precision", "centers"): lambda w: st.one_of(st.none(), values.centers(w)),
    ("nb.measures.class_precision", "h"): one_of(2, 1, 100),
    ("nb.measures.nearest_neighbors", "name"): one_of("X"),
    ("nb.measures.compare_maps", "other"): values.layout,
    ("nb.Explorer.compare", "other"): one_of(None, "SNE", "lost", nb.SNE(random_state=0)),
    ("nb.Explorer.compare", "onto"): one_of(None, "lost"),
    ("nb.Explorer.compare", "view"): one_of("side", "blend"),
    ("nb.Explorer.compare", "by_change"): FLAG,
    ("nb.plots.*", "centers"): lambda w: st.one_of(st.none(), values.centers(w)),
    ("nb.plots.images", "pictures"): lambda w: st.sampled_from(
        [np.ones((w.n, 2, 3)), np.arange(float(4 * w.n)).reshape(w.n, 2, 2) - w.n]
    ),
    ("nb.plots.images", "titles"): lambda w: st.sampled_from([None, ["<b>"] * w.n]),
    ("nb.plots.images", "signed"): FLAG,
    ("nb.plots.lines", "legend"): one_of("top_right", "bottom_left"),
    ("nb.posteriors.*", "X"): lambda w: values.matrices(
        w.n, w.d, w.seed, forms=["uint8"] * 4 + values.LEGAL_FORMS
    ),
    ("nb.posteriors.*.*", "y"): values.full_labels,
    ("nb.posteriors.topic_posteriors", "X"): lambda w: st.one_of(
        st.none(), values.matrices(w.n, 6, w.seed, forms=["uint8", "int64", "csr_array"])
    ),
    ("nb.posteriors.topic_posteriors", "prior"): one_of("tokens", "uniform"),
    ("nb.posteriors.Learned*", "classifier"): lambda w: st.builds(LogisticRegression),
    ("nb.Schedule.without", "name"): one_of("alpha", "lam"),
    ("nb.Run.release", "name"): one_of("alpha", "lam"),
    ("nb.Stage", "optimizer"): one_of(nb.optimizers.MomentumGradient()),
    ("nb.Run*", "optimizer"): one_of(
        nb.optimizers.MomentumGradient(), nb.optimizers.LBFGS(), nb.optimizers.ConjugateGradient()
    ),
    ("nb.datasets.*", "n_samples"): one_of(40, 41, 10),
    ("nb.datasets.load", "name"): one_of("vehicle", "ionosphere"),
    ("nb.datasets.fetch", "name"): one_of("no such data"),
    ("nb.experiments.run", "name"): one_of("no such experiment"),
    ("nb.experiments.run", "data"): NOTHING,
    ("nb.experiments.*", "n_jobs"): one_of(None, 1),
    ("nb.experiments.sweep", "estimator"): one_of(nb.HSSNE(max_iter=2, n_jobs=1)),
    ("nb.experiments.sweep", "param_grid"): one_of({}, {"n_components": [1, 2]}, [{}, {}]),
    ("nb.experiments.sweep", "scoring"): one_of(cost_of, {"cost of": cost_of}),
    ("nb.experiments.sweep", "held_out"): one_of("points"),
    ("nb.experiments.sweep", "seeds"): one_of(None, (0,), [1, 2]),
    ("nb.experiments.sweep", "error_score"): one_of(0.0, "raise"),
    ("nb.experiments.SweepTable.best", "score"): one_of(None, "score"),
    ("nb.experiments.SweepTable.best", "largest"): FLAG,
    ("nb.methods.register", "method"): one_of(nb.SNE, nb.methods.SNERecipe),
    ("nb.affinities.auto_perplexity", "n_samples"): one_of(1, 2, 100),
    ("nb.affinities.Affinities.truncated", "floor"): one_of(0.0, 1e-3, 0.5),
    ("nb.optimizers.Alternating*", "objective"): same(parametric),
    ("nb.optimizers.Alternating*", "state"): lambda w: st.builds(
        lambda: nb.optimizers.Alternating().start(w.rng.standard_normal((max(w.n, 4) + w.k, 2)))
    ),
    ("nb.spectral.PCA*", "n_components"): one_of(2, 1),
    ("nb.optimizers.MomentumLBFGS", "lbfgs"): one_of(nb.optimizers.LBFGS()),
    ("nb.optimizers.MomentumLBFGS", "momentum"): one_of(nb.optimizers.MomentumGradient()),
    ("nb.propagation.accuracy_interval", "correct"): one_of(0, 1, 5),
    ("nb.propagation.accuracy_interval", "n"): one_of(5, 1, 10**6),
    ("nb.propagation.accuracy_interval", "level"): one_of(0.95, 0.5, 1e-9),
    ("nb.propagation.accuracy_interval", "population"): one_of(None, 10**6, 10**9),
}


def good(callable_: str, name: str) -> Good:
    """Return the strategy for an argument of a callable.

    Raises
    ------
    KeyError
        If there is none.
    """
    for (pattern, each), strategy in ELSEWHERE.items():
        if fnmatch.fnmatch(name, each) and fnmatch.fnmatch(callable_, pattern):
            return strategy
    return GOOD[name]
