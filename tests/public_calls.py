"""One call of every public callable that takes data, made with whatever arrays a test gives.

:data:`CALLS` has an entry for each public name (``HSSNE``, ``measures.knn_error``); a test compares
the names with those of :mod:`nbembed`. The tests that use them ask what holds for every callable:
inputs are not changed, and malformed sparse matrices are refused.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from typing import Any

import numpy as np
from scipy import sparse
from sklearn.decomposition import LatentDirichletAllocation

import nbembed as nb
from nbembed.supervision import as_supervision

N = 24


@dataclass
class Given:
    """Arguments of the calls.

    Attributes
    ----------
    X, new : data of shape (N, 5) and (5, 5), non-negative, in any container
    P, J : probabilities in row and in joint form, of shape (N, N)
    Y : layout of shape (N, 2)
    y : labels of shape (N,), two classes
    proba : class probabilities of shape (N, 2)
    weights : positive numbers of shape (N,)
    """

    X: Any
    new: Any
    P: Any
    J: Any
    Y: Any
    y: Any
    proba: Any
    weights: Any


def given() -> Given:
    """Return fresh arguments, dense and in float64."""
    rng = np.random.default_rng(5)
    X = rng.integers(0, 4, (N, 5)) + 0.5 * rng.integers(0, 2, (N, 5))
    X[: N // 2, 0] += 3.0
    P = rng.random((N, N)) + 0.1
    np.fill_diagonal(P, 0)
    P /= P.sum(axis=1, keepdims=True)
    proba = rng.random((N, 2)) + 0.1
    return Given(
        X=X,
        new=X[:5] + 0.25,
        P=P,
        J=(P + P.T) / (2 * N),
        Y=rng.normal(size=(N, 2)),
        y=np.repeat([0, 1], N // 2),
        proba=proba / proba.sum(axis=1, keepdims=True),
        weights=rng.random(N) + 0.5,
    )


Call = Callable[[Given], Any]


def estimator(kind: Callable[[Given], Any], *, data: str = "X", new: str = "new") -> Call:
    """Return a call of everything that an estimator does with data."""

    def call(g: Given) -> None:
        X, others = getattr(g, data), getattr(g, new)
        fitted = kind(g).fit(X, g.y)
        if hasattr(fitted, "fit_transform"):
            kind(g).fit_transform(X, g.y)
        for name in ("transform", "predict", "predict_proba", "predict_log_proba"):
            if hasattr(fitted, name):
                getattr(fitted, name)(others)
        if hasattr(fitted, "score"):
            fitted.score(X, g.y)

    return call


def recipe(kind: Callable[..., Any], *, data: str = "X", **parameters: Any) -> Call:
    """Return a call of the parts that a recipe makes of data."""

    def call(g: Given) -> None:
        made = kind(**parameters)
        X, supervision = getattr(g, data), as_supervision(g.y, N)
        X = X if sparse.issparse(X) else np.asarray(X)  # recipes take checked data
        made.check(N, supervision)
        made.make_affinities(X, supervision)

    return call


def live(kind: Any) -> Call:
    """Return a call of a session's commands that take arrays."""

    def call(g: Given) -> None:
        with nb.Session(g.X, kind(g), supervision=g.y) as session:
            session.pace = None
            session.step(2, wait=True)
            session.label(np.flatnonzero(g.weights > 1)[:3], "c")
            session.step(2, wait=True)
            session.check()

    return call


def objective(make: Callable[[Given], Any]) -> Call:
    """Return a call of an objective's evaluation; a class's layout has rows for centers."""

    def call(g: Given) -> None:
        made = make(g)
        Y = np.vstack([g.Y, g.Y[:2]]) if made.n_samples > N else g.Y
        made.evaluate(Y)
        made.cost(g.Y if made.n_samples == N else Y)

    return call


def optimizer(kind: Any, make: Callable[[Given], Any]) -> Call:
    """Return a call of two steps of an optimizer."""

    def call(g: Given) -> None:
        made = make(g)
        Y = np.asarray(g.Y)
        Y = Y if made.n_samples == N else np.vstack([Y, Y[:2]])
        state = kind().start(Y)
        for _ in range(2):
            state = kind().step(made, state, cost=True)

    return call


def _heavy(g: Given) -> Any:
    return nb.objectives.HeavyTailed(g.J, n_jobs=1)


def _parametric(g: Given) -> Any:
    return nb.objectives.Parametric(g.proba, n_jobs=1)


def _naive_bayes(g: Given) -> None:
    model = nb.posteriors.NaiveBayes().fit(g.X, g.y, g.weights)
    model.leave_one_out_proba(g.X, g.y, g.weights)
    estimator(lambda g: nb.posteriors.NaiveBayes(class_prior=np.asarray(g.proba)[0]))(g)


def _soft_nearest(g: Given) -> None:
    model = nb.posteriors.SoftNearestNeighbor(class_prior=np.asarray(g.proba)[0])
    model.fit(g.X, g.y, g.weights).predict_proba(g.new)


def _learning_metric(g: Given) -> None:
    metric = nb.LearningMetric(n_centroids=2, width=1.0, random_state=0).fit(g.X, g.y)
    metric.predict(g.new)
    metric.pairwise(g.X, g.new)
    metric.score(g.X, g.y)
    metric.tensor(g.new)


def _topics(g: Given) -> None:
    counts = np.random.default_rng(0).integers(0, 4, (N, 5))
    model = LatentDirichletAllocation(3, max_iter=2, random_state=0).fit(counts)
    nb.posteriors.topic_posteriors(model, g.X)


def _run(g: Given) -> None:
    nb.Run(_heavy(g), nb.optimizers.MomentumGradient(), g.Y).step(2).move(g.Y)


def _affinities(g: Given) -> None:
    copied = nb.affinities.Affinities.from_probabilities(g.P)
    contiguous = isinstance(g.P, np.ndarray) and g.P.flags.c_contiguous
    made = nb.affinities.Affinities(g.P if contiguous else copied.P, "row", g.weights)
    made.joint().rows()
    made.truncated(1e-3).log_P  # noqa: B018  (computed on access)


def _measure(name: str, *arguments: str, **keywords: Any) -> Call:
    def call(g: Given) -> None:
        function = getattr(nb.measures, name)
        function(*(getattr(g, a) for a in arguments), **keywords)

    return call


def _plot(name: str, make: Callable[[Given], tuple[tuple[Any, ...], dict[str, Any]]]) -> Call:
    def call(g: Given) -> None:
        arguments, keywords = make(g)
        getattr(nb.plots, name)(*arguments, **keywords)

    return call


def _explorer(g: Given) -> None:
    explorer = nb.Explorer(
        g.X, quick(nb.HSSNE)(g), supervision=g.y, color=g.weights, autoplay=False
    )
    explorer.session.close()
    explorer.close()


def quick(kind: Any, **parameters: Any) -> Callable[[Given], Any]:
    """Return a function that makes an estimator which is done at once."""
    chosen = {"max_iter": 3, "random_state": 0, **parameters}
    if kind is nb.Mbed:
        chosen = {**chosen, "max_iter": 35, "n_classes": 2, "lam": 1.0}

    return lambda g: kind(**chosen)


def with_layout(kind: Any) -> Call:
    """Return a call of an estimator that starts from principal components, then from a layout."""

    def call(g: Given) -> None:
        estimator(quick(kind))(g)
        quick(kind, init=g.Y)(g).fit(g.X, g.y)

    return call


_LEARNED = nb.LearningMetric(n_centroids=2, width=1.0, random_state=0)
_SPECTRAL = ("DNE", "FDA", "LFDA", "LPP", "MFA", "PCA", "SELF", "SSFDA", "SSMMC")


#: Calls by public name.
CALLS: dict[str, Call] = {
    "SNE": with_layout(nb.SNE),
    "HSSNE": with_layout(nb.HSSNE),
    "Mbed": estimator(quick(nb.Mbed)),
    "NeRV": with_layout(nb.NeRV),
    "SNeRV": estimator(quick(nb.SNeRV, metric=_LEARNED)),
    "ParametricEmbedding": estimator(
        lambda g: nb.ParametricEmbedding(
            classifier="naive-bayes", max_iter=3, random_state=0, class_prior=np.asarray(g.proba)[0]
        )
    ),
    "LearningMetric": _learning_metric,
    "Supervision": lambda g: (
        nb.Supervision(N).label(np.flatnonzero(g.y), "a").must_link(np.flatnonzero(g.y == 0))
    ),
    "Preparation": estimator(lambda g: nb.Preparation(n_components=3)),
    "Propagation": lambda g: nb.Propagation(
        nb.affinities.as_affinities(g.P, "row"), class_prior=np.asarray(g.proba)[0]
    ).update(as_supervision(g.y, N)),
    "PropagationClassifier": estimator(
        lambda g: nb.PropagationClassifier(class_prior=np.asarray(g.proba)[0])
    ),
    "propagate": lambda g: nb.propagate(
        nb.affinities.as_affinities(g.J, "joint"),
        as_supervision(g.y, N),
        class_prior=np.asarray(g.proba)[0],
    ),
    "propagation.neighbor_affinities": lambda g: nb.propagation.neighbor_affinities(g.X, 5),
    "Run": _run,
    "Session": live(quick(nb.HSSNE)),
    "Explorer": _explorer,
    "affinities.Affinities": _affinities,
    "affinities.as_affinities": lambda g: (
        nb.affinities.as_affinities(g.P, "row"),
        nb.affinities.as_affinities(g.J, "joint"),
    ),
    "affinities.perplexity_affinities": lambda g: (
        nb.affinities.perplexity_affinities(g.X, 5).joint().log_P
    ),
    "affinities.global_affinities": lambda g: nb.affinities.global_affinities(g.X, 2).log_P,
    "objectives.HeavyTailed": objective(_heavy),
    "objectives.SNE": objective(lambda g: nb.objectives.SNE(g.P, n_jobs=1)),
    "objectives.LargeMargin": objective(
        lambda g: nb.objectives.LargeMargin(
            g.P,
            lam=1.0,
            directions=np.array([[1.0, 0], [-1, 0]]),
            class_prior=np.asarray(g.proba)[0],
        )
    ),
    "objectives.NeighborRetrieval": objective(
        lambda g: nb.objectives.NeighborRetrieval(g.P, width=g.weights, n_jobs=1)
    ),
    "objectives.Parametric": objective(_parametric),
    "objectives.Pinned": objective(lambda g: nb.objectives.Pinned(_heavy(g), g.y.astype(bool))),
    "optimizers.FixedPoint": optimizer(nb.optimizers.FixedPoint, _heavy),
    "optimizers.MomentumGradient": optimizer(nb.optimizers.MomentumGradient, _heavy),
    "optimizers.ConjugateGradient": optimizer(nb.optimizers.ConjugateGradient, _heavy),
    "optimizers.LBFGS": optimizer(nb.optimizers.LBFGS, _heavy),
    "optimizers.MomentumLBFGS": optimizer(nb.optimizers.MomentumLBFGS, _heavy),
    "optimizers.Alternating": optimizer(nb.optimizers.Alternating, _parametric),
    "measures.class_f_measure": _measure("class_f_measure", "y", "proba"),
    "measures.class_precision": _measure("class_precision", "proba", "Y", h=3),
    "measures.continuity": _measure("continuity", "X", "Y"),
    "measures.good_neighbors": _measure("good_neighbors", "X", "y"),
    "measures.homogeneity": _measure("homogeneity", "Y", "y"),
    "measures.hotelling_lawley": _measure("hotelling_lawley", "Y", "y"),
    "measures.inconsistent_pairs": _measure("inconsistent_pairs", "y", "y"),
    "measures.knn_error": _measure("knn_error", "Y", "y", k=3),
    "measures.nearest_neighbors": _measure("nearest_neighbors", "X", k=3),
    "measures.compare_maps": _measure("compare_maps", "Y", "Y", k=3),
    "measures.neighbor_preservation": _measure("neighbor_preservation", "X", "Y"),
    "measures.paired_t_test": _measure("paired_t_test", "weights", "y"),
    "measures.precision_recall": _measure("precision_recall", "X", "Y", k=3),
    "measures.r_nx": _measure("r_nx", "X", "Y"),
    "measures.r_nx_auc": _measure("r_nx_auc", "X", "Y"),
    "measures.smoothed_errors": _measure("smoothed_errors", "X", "Y", perplexity=5),
    "measures.stability": lambda g: nb.measures.stability(g.Y, [g.Y], k=3),
    "measures.cohesion": lambda g: nb.measures.cohesion(g.Y, range(4), k=3),
    "measures.recurrence": lambda g: nb.measures.recurrence(g.Y, [g.Y], range(4), k=3),
    "measures.trustworthiness": _measure("trustworthiness", "X", "Y"),
    "methods.HSSNERecipe": recipe(nb.methods.HSSNERecipe),
    "methods.MbedRecipe": recipe(nb.methods.MbedRecipe, n_classes=2),
    "methods.NeRVRecipe": recipe(nb.methods.NeRVRecipe),
    "methods.SNERecipe": recipe(nb.methods.SNERecipe),
    "methods.SNeRVRecipe": recipe(nb.methods.SNeRVRecipe, metric=_LEARNED),
    "methods.ParametricEmbeddingRecipe": recipe(nb.methods.ParametricEmbeddingRecipe, data="proba"),
    "experiments.sweep": lambda g: nb.experiments.sweep(
        quick(nb.HSSNE)(g), {}, g.X, g.y, scoring=lambda m, X, y: m.cost_, error_score="raise"
    ),
    "plots.scatter": _plot(
        "scatter", lambda g: ((g.Y, g.weights), {"marked": g.y.astype(bool), "hover": {"w": g.y}})
    ),
    "plots.comparison_grid": _plot("comparison_grid", lambda g: (({"a": g.Y, "b": g.Y}, g.y), {})),
    "plots.images": _plot("images", lambda g: (([g.Y, g.Y.T],), {"signed": True})),
    "plots.lines": _plot("lines", lambda g: (({"a": (g.weights, g.weights)},), {})),
    "plots.retrieval_curve": _plot("retrieval_curve", lambda g: ((g.X, {"a": g.Y}), {"k": 3})),
    "plots.rnx_curve": _plot("rnx_curve", lambda g: ((g.X, {"a": g.Y}), {})),
    "posteriors.NaiveBayes": _naive_bayes,
    "posteriors.SoftNearestNeighbor": _soft_nearest,
    "posteriors.class_posteriors": lambda g: nb.posteriors.class_posteriors(
        "naive-bayes", g.X, g.y, cv="leave-one-out"
    ),
    "posteriors.learn": lambda g: nb.posteriors.learn(
        "naive-bayes", g.X, as_supervision(g.y, N)
    ).predict_proba(g.new),
    "posteriors.topic_posteriors": _topics,
    "baselines.MRE": estimator(lambda g: nb.baselines.MRE(max_iter=3, random_state=0)),
    "baselines.MUHSIC": estimator(lambda g: nb.baselines.MUHSIC(n_neighbors=4)),
    "baselines.SIsomap": estimator(lambda g: nb.baselines.SIsomap(n_neighbors=6)),
    "spectral.KPCATrick": estimator(lambda g: nb.spectral.KPCATrick(learner=nb.spectral.FDA())),
    "spectral.KPCATrickRecipe": recipe(nb.spectral.KPCATrickRecipe),
    **{f"spectral.{k}": estimator(lambda g, k=k: getattr(nb.spectral, k)()) for k in _SPECTRAL},
    "spectral.SELFDA": estimator(lambda g: nb.spectral.SELFDA()),
    **{f"spectral.{k}Recipe": recipe(getattr(nb.spectral, f"{k}Recipe")) for k in _SPECTRAL},
}

#: Calls that take no sparse data, by design.
DENSE_ONLY = {"SNeRV", "LearningMetric", "methods.SNeRVRecipe", "posteriors.SoftNearestNeighbor"}

#: Public names without arrays among their arguments, and those that hold what others computed.
WITHOUT_DATA = {
    "Recipe", "Schedule", "Stage", "load_session", "affinities.auto_perplexity",
    "objectives.Evaluation", "objectives.Objective", "objectives.Similarity", "objectives.circle",
    "objectives.simplex", "optimizers.Optimizer", "optimizers.State", "measures.MapComparison",
    "measures.PairedTest",
    "measures.PrecisionRecall", "measures.SmoothedErrors", "methods.Estimator", "methods.Geometry",
    "methods.LiveParameter", "methods.PathStep", "methods.Recipe", "methods.Start",
    "methods.register", "plots.annealing_path", "plots.cost_curve", "posteriors.Learned",
    "posteriors.Posteriors", "Suggestions", "propagation.accuracy_interval",
    "propagation.SuggestedGroups", "propagation.points_to_check",
}  # fmt: skip
