"""SNeRV, and other methods on learned metrics: with all labels, few, and none."""

from __future__ import annotations

import inspect

import numpy as np
import pytest
from scipy import sparse
from scipy.special import logsumexp
from sklearn.base import clone
from sklearn.datasets import load_iris
from sklearn.metrics import pairwise_distances

import nbembed as nb
from nbembed.measures import homogeneity
from nbembed.methods.learned_affinities import FLOOR, SHARPEST, fitted_metric
from nbembed.methods.nerv import typical_precision
from nbembed.methods.recipe import Geometry
from nbembed.methods.snerv import SNeRVRecipe
from nbembed.supervision import Supervision, as_supervision

X, Y = load_iris(return_X_y=True)
SOME = np.where(np.arange(150) % 3 == 0, Y, -1)


def learner(**keywords):
    usual = {"n_centroids": 6, "width": 0.8, "cv": None, "max_iter": 15, "random_state": 0}
    return nb.LearningMetric(**{**usual, **keywords})


def quick(metric=None, **keywords):
    chosen = nb.LearningMetric(**{"n_centroids": 6, "width": 0.8, "cv": 3, **(metric or {})})
    return nb.SNeRV(**{"metric": chosen, "max_iter": 120, "random_state": 0, **keywords})


@pytest.fixture(scope="module")
def fitted():
    return quick().fit(X, SOME)


def nearest_class(places, known):
    """Return the class of the nearest labeled point of each point."""
    D = pairwise_distances(places, places[known])
    return Y[known][D.argmin(axis=1)]


def test_points_without_a_label_find_their_class(fitted):
    assert fitted.embedding_.shape == (150, 2)
    assert np.isfinite(fitted.embedding_).all()
    hidden = SOME == -1
    # Of the nearest labeled points in the data 94 % are of the same class.
    assert (nearest_class(fitted.embedding_, ~hidden)[hidden] == Y[hidden]).mean() > 0.9
    assert homogeneity(fitted.embedding_, Y) > 0.9


def test_what_fit_sets(fitted):
    metric = fitted.learning_metric_
    assert isinstance(metric, nb.LearningMetric)
    assert metric.centroids_.shape == (6, 4)
    assert metric.classes_.tolist() == [0, 1, 2]
    assert fitted.perplexity_ == 0.5 * 150 / 6
    assert quick(perplexity=9, max_iter=1).fit(X, SOME).perplexity_ == 9


@pytest.mark.parametrize(
    ("values", "unlabeled"),
    [
        (np.array([3, 7, 30]), -1),
        (np.array([0.0, 1.0, 2.0]), np.nan),
        (np.array(["setosa", "versicolor", "virginica"]), "-1"),
        (np.array(["b", 2, "a"], dtype=object), None),
    ],
    ids=["integers", "floats", "names", "mixed"],
)
def test_the_metric_predicts_labels_as_they_are_in_y(values, unlabeled):
    y = values[Y].astype(object) if unlabeled is None else values[Y]
    y[SOME == -1] = unlabeled
    found = quick({"cv": None}, max_iter=1).fit(X, y).learning_metric_
    alone = learner(n_centroids=6).fit(X, y)
    assert found.classes_.dtype.kind == alone.classes_.dtype.kind
    assert found.classes_.tolist() == alone.classes_.tolist()
    assert (found.predict(X) == values[Y].astype(found.classes_.dtype)).mean() > 0.9
    # A metric that was fitted before keeps its own names, and a supervision has names only.
    assert quick(max_iter=1).set_params(metric=alone).fit(X, Y).learning_metric_ is alone
    named = quick({"cv": None}, max_iter=1).fit(X, supervision=as_supervision(SOME, 150))
    assert named.learning_metric_.classes_.tolist() == ["0", "1", "2"]


def test_it_is_nerv_on_the_learned_metric(fitted):
    metric = learner(max_iter=100, cv=3).fit(X, SOME)
    same = nb.NeRV(
        metric=metric, perplexity=12.5, map_width="uniform", max_iter=120, random_state=0
    )
    assert np.array_equal(same.fit(X).embedding_, fitted.embedding_)
    assert same.cost_ == fitted.cost_


def test_labels_are_no_links():
    objective = quick()
    known = Supervision(150).label(range(0, 50, 3), "a").label(range(50, 100, 3), "b")
    affinities = objective.recipe.make_affinities(X, known)
    values = []
    for rho in (0.0, 1.0):
        made = objective.set_params(rho=rho).recipe.make_objective(affinities, known, None)
        values.append(made.cost_and_gradient(X[:, :2].astype(np.float32))[0])
    assert values[0] == values[1]
    linked = known.must_link([0, 60, 120])
    made = objective.recipe.make_objective(affinities, linked, None)
    assert made.cost_and_gradient(X[:, :2].astype(np.float32))[0] != values[0]


def test_before_there_are_two_classes_the_euclidean_metric_stands_in():
    """A live session begins so; ``fit`` refuses it."""
    one = Supervision(150).label([0, 1, 2], "a")
    for known in (None, Supervision(150), one):
        affinities = quick().recipe.make_affinities(X, known)
        assert affinities.learned_metric is None
        assert affinities.perplexity == 30
        plain = nb.NeRV().recipe.make_affinities(X)
        kept = affinities.P > 0
        assert np.array_equal(affinities.P[kept], plain.P[kept])
    for y, got in ((np.full(150, -1), "none"), (np.where(Y == 1, 1, -1), "only '1'")):
        with pytest.raises(ValueError, match=f"y .*at least two classes.*got {got}"):
            quick().fit(X, y)
    with pytest.raises(ValueError, match="SNeRV requires y"):
        quick().fit(X)


@pytest.mark.filterwarnings("ignore:.*equally near neighbors")  # these two lie far apart
def test_affinities_are_the_same_each_time_and_know_their_metric():
    known = Supervision(150).label(range(0, 50, 3), "a").label(range(50, 100, 3), "b")
    one, two = (
        nb.SNeRV(
            metric=nb.LearningMetric(cv=3), random_state=seed, n_jobs=n
        ).recipe.make_affinities(X, known)
        for seed, n in ((None, 1), (np.random.default_rng(3), 2))
    )
    assert np.array_equal(one.P, two.P)
    assert one.learned_metric.classes_.tolist() == ["a", "b"]
    np.testing.assert_allclose(one.P.sum(axis=1), 1, atol=1e-5)


def test_tiny_probabilities_are_none_and_no_width_is_too_small(rng):
    """Certain classes leave distances next to nothing beside others that are not."""
    y = np.repeat([0, 1, 2], 60)
    data = np.array([[0.0, 0], [3, 0], [0, 3]])[y] + rng.normal(size=(180, 2))
    method = nb.NeRV(metric=learner(n_centroids=9, width=0.4, max_iter=200), perplexity=8)
    method.set_params(map_width="point", max_iter=200, random_state=0)
    affinities = method.recipe.make_affinities(data, as_supervision(y, 180))
    assert affinities.floor == FLOOR
    assert affinities.P[affinities.P > 0].min() >= FLOOR
    assert affinities.beta.max() > 10 * SHARPEST * typical_precision(affinities)
    method.fit(data, y)
    assert np.isfinite(method.embedding_).all()
    places = method.transform(data[:5] + 0.01)
    assert np.isfinite(places).all()


def test_the_paper_s_cost_has_the_width_of_each_point_in_the_data_and_on_the_map(rng):
    """Equation (1), computed here from the distances, without a bound on p or on the widths."""
    metric = learner(n_centroids=9, width=0.4, max_iter=200).fit(X, Y)
    method = nb.SNeRV(metric=metric, tradeoff=0.3, map_width="point", floor=0, perplexity=8)
    affinities = method.recipe.make_affinities(X, Supervision(150))
    objective = method.recipe.make_objective(affinities, Supervision(150), Geometry())
    assert affinities.P.min() == 0, "p underflows, and its logarithm does not"
    layout = rng.normal(size=(150, 2)).astype(np.float32)
    beta = affinities.beta[:, None]
    with np.errstate(divide="ignore"):
        log_p, log_q = (
            -width * (D**2) + np.log(1 - np.eye(150))
            for width, D in (
                (beta, metric.pairwise(X)),
                (beta / typical_precision(affinities), pairwise_distances(layout)),
            )
        )
    log_p, log_q = (L - logsumexp(L, axis=1, keepdims=True) for L in (log_p, log_q))
    off = ~np.eye(150, dtype=bool)
    log_p, log_q = log_p[off], log_q[off]
    recall = np.sum(np.exp(log_p) * (log_p - log_q))
    precision = np.sum(np.exp(log_q) * (log_q - log_p))
    cost = objective.evaluate(layout).cost
    assert cost == pytest.approx(0.3 * recall + 0.7 * precision, rel=1e-4)


def test_a_floor_that_no_probability_has():
    with pytest.raises(ValueError, match="floor must be a finite number at least 0"):
        quick(floor=-1e-9).fit(X, Y)


@pytest.mark.parametrize("map_width", ["uniform", "point"])
def test_new_points_come_to_their_neighbors(map_width):
    method = quick(map_width=map_width).fit(X[::2], Y[::2])
    assert np.array_equal(method.transform(X[::2]), method.embedding_)
    places = method.transform(X[1::2])
    D = pairwise_distances(places, method.embedding_)
    assert (Y[::2][D.argmin(axis=1)] == Y[1::2]).mean() > 0.9


@pytest.mark.parametrize("kind", [nb.HSSNE, nb.SNE, nb.NeRV, nb.Mbed])
def test_other_methods_measure_with_it(kind):
    fit_to_half = learner().fit(X[::2], Y[::2])
    method = kind(metric=fit_to_half, max_iter=60, random_state=0)
    if kind is nb.Mbed:
        method.set_params(n_classes=3)
    method.fit(X)
    assert homogeneity(method.embedding_, Y) > 0.9
    given = clone(method).set_params(metric="precomputed").fit(fit_to_half.pairwise(X))
    assert method.metric is fit_to_half
    if kind is not nb.NeRV and kind is not nb.Mbed:  # NeRV drops what is tiny; starts differ
        assert method.cost_ == pytest.approx(given.cost_, rel=0.1)
    assert method.transform(X[:3] + 0.01).shape == (3, method.embedding_.shape[1])


@pytest.mark.parametrize("kind", [nb.HSSNE, nb.SNE, nb.NeRV, nb.Mbed])
def test_an_unfitted_one_learns_from_the_labels_of_the_fit(kind):
    metric = learner()
    method = kind(metric=metric, max_iter=60, random_state=0)
    assert method.recipe.learns_from_labels
    assert not kind().recipe.learns_from_labels
    assert not kind(metric=learner().fit(X, Y)).recipe.learns_from_labels
    method.fit(X, SOME)
    assert not hasattr(metric, "centroids_"), "a clone is fitted"
    assert not hasattr(clone(method).metric, "centroids_")
    with pytest.raises(ValueError, match=r"y .*at least two classes"):
        method.fit(X, np.where(Y == 1, 1, -1))
    known = Supervision(150).label(range(0, 50, 3), "a").label(range(50, 100, 3), "b")
    learned = fitted_metric(metric, X, known)
    assert np.array_equal(learned.centroids_, fitted_metric(metric, X, known).centroids_)
    assert fitted_metric(metric, X, Supervision(150)) == "euclidean"


def test_mbed_on_a_learned_metric_predicts():
    """Ten labels a class, and distances in which classes lie apart."""
    labels = np.where(np.arange(150) % 5 == 0, Y, -1)
    model = nb.Mbed(metric=learner(), random_state=0, n_jobs=1).fit(X, labels)
    hidden = labels == -1
    assert (model.labels_[hidden] == Y[hidden]).mean() > 0.85


def test_it_is_an_estimator():
    for name, parameter in inspect.signature(nb.SNeRV).parameters.items():
        strange = object()
        assert getattr(nb.SNeRV(**{name: strange}), name) is strange
        assert getattr(nb.SNeRV(), name) is parameter.default
    assert clone(quick(tradeoff=0.3)).tradeoff == 0.3
    assert [live.name for live in SNeRVRecipe.live_parameters] == ["tradeoff", "rho"]
    assert nb.SNeRV().recipe.learns_from_labels
    assert "metric" not in SNeRVRecipe.shared


@pytest.mark.parametrize(
    ("keywords", "kind", "message"),
    [
        ({"tradeoff": 1.5}, ValueError, "tradeoff must be"),
        ({"metric": {"n_centroids": 0}}, ValueError, "n_centroids must be at least 1"),
        ({"metric": {"n_centroids": 60}}, ValueError, "n_centroids must be at most the number of"),
        ({"metric": {"width": "point"}}, ValueError, "width must be one of 'cv'"),
        ({"map_width": "cv"}, ValueError, "map_width must be one of 'point', 'uniform'"),
        ({"metric": {"n_pieces": 0}}, ValueError, "n_pieces must be at least 1"),
        ({"metric": {"cv": 1}}, ValueError, "cv must be at least 2"),
        ({"perplexity": 150}, ValueError, "perplexity must be in"),
    ],
)
def test_bad_parameters(keywords, kind, message):
    with pytest.raises(kind, match=message):
        quick(**keywords).fit(X, SOME)


@pytest.mark.parametrize("metric", ["euclidean", "learned", 3, nb.LearningMetric])
def test_its_metric_is_a_learning_metric(metric):
    with pytest.raises(TypeError, match="metric must be None or a LearningMetric"):
        nb.SNeRV(metric=metric).fit(X, SOME)


@pytest.mark.parametrize("kind", [nb.HSSNE, nb.SNE, nb.NeRV, nb.SNeRV, nb.Mbed])
def test_the_seed_reaches_a_metric_that_has_none(kind, monkeypatch):
    seen = []
    learn = nb.LearningMetric._learn
    monkeypatch.setattr(
        nb.LearningMetric,
        "_learn",
        lambda self, *data: (seen.append((self.random_state, self.n_jobs)), learn(self, *data))[1],
    )
    known = Supervision(150).label(range(0, 50, 3), "a").label(range(50, 100, 3), "b")
    quickly = {"n_centroids": 3, "width": 1.0, "cv": None, "max_iter": 2}
    generator = np.random.default_rng(0)
    for own, given, expected in ((None, 7, 7), (3, 7, 3), (None, None, 0), (None, generator, 0)):
        metric = nb.LearningMetric(**quickly, random_state=own)
        method = kind(metric=metric, random_state=given, n_jobs=1)
        method.recipe.make_affinities(X, known)
        assert seen.pop() == (expected, 1)
        assert metric.random_state is own, "the user's own is left alone"
    assert generator.integers(1000) == np.random.default_rng(0).integers(1000), "nothing is drawn"


def test_a_fitted_metric_needs_no_labels():
    metric = learner().fit(X, SOME)
    method = nb.SNeRV(metric=metric, max_iter=60, random_state=0)
    assert not method.recipe.learns_from_labels
    assert not method.__sklearn_tags__().target_tags.required
    assert method.fit(X).learning_metric_ is metric
    assert method.perplexity_ == 0.5 * 150 / 6


def test_sparse_data_are_refused_with_a_reason():
    with pytest.raises(ValueError, match="X must be dense for a LearningMetric"):
        quick().fit(sparse.csr_array(X), Y)
    with pytest.raises(ValueError, match="X must be dense for a LearningMetric"):
        nb.HSSNE(metric=learner().fit(X, Y)).fit(sparse.csr_array(X))
