"""LearningMetric: the estimator, the metric that other methods measure with, and bad input."""

from __future__ import annotations

import pickle

import numpy as np
import pytest
from scipy import sparse
from scipy.sparse.csgraph import floyd_warshall
from sklearn.base import clone
from sklearn.datasets import load_iris
from sklearn.exceptions import NotFittedError
from sklearn.model_selection import GridSearchCV, StratifiedKFold

import nbembed as nb
from nbembed.affinities import global_affinities, perplexity_affinities
from nbembed.data.distances import Distances
from nbembed.supervision import Supervision

IRIS = load_iris()
X, Y = IRIS.data, IRIS.target


def quick(**keywords):
    usual = {"n_centroids": 6, "width": 0.8, "cv": None, "max_iter": 15, "random_state": 0}
    keywords = {**usual, **keywords}
    return nb.LearningMetric(**keywords)


@pytest.fixture(scope="module")
def metric():
    return quick().fit(X, Y)


def test_what_fit_sets(metric):
    assert metric.centroids_.shape == (6, 4)
    assert metric.class_given_centroid_.shape == (3, 6)
    np.testing.assert_allclose(metric.class_given_centroid_.sum(axis=0), 1)
    assert metric.width_ == 0.8
    assert metric.classes_.tolist() == [0, 1, 2]
    assert metric.n_features_in_ == 4
    assert metric.cv_results_ == {}
    proba = metric.predict_proba(X)
    np.testing.assert_allclose(proba.sum(axis=1), 1)
    assert (metric.predict(X) == Y).mean() > 0.95
    assert metric.log_likelihood_ == pytest.approx(np.log(proba[np.arange(150), Y]).mean())
    assert metric.score(X, Y) == pytest.approx(metric.log_likelihood_)
    some = np.where(np.arange(150) % 2, Y, -1)
    assert metric.score(X, some) == pytest.approx(metric.score(X[1::2], Y[1::2]))


def test_distances_are_lengths_of_straight_paths(metric):
    D = metric.pairwise(X)
    assert np.array_equal(D, D.T)
    assert (np.diagonal(D) == 0).all()
    pairs = np.random.default_rng(0).integers(150, size=(20, 2))
    for i, j in pairs:
        x = X[i] + np.linspace(0.05, 0.95, 10)[:, None] * (X[j] - X[i])
        step = (X[j] - X[i]) / 10
        length = np.sqrt(np.einsum("d,tde,e->t", step, metric.tensor(x), step)).sum()
        assert metric.path_length(X[i], X[j]) == pytest.approx(length, rel=1e-9, abs=1e-12)
        assert D[i, j] == pytest.approx(length, rel=2e-5, abs=1e-7)
    i, j = pairs.T
    assert metric.path_length(X[i], X[j]).shape == (20,)
    np.testing.assert_allclose(metric.pairwise(X[:7], X[5:30]), D[:7, 5:30], rtol=1e-4, atol=1e-6)


def test_more_pieces_come_nearer_to_the_integral(metric):
    fine = clone(metric).set_params(n_pieces=2000).fit(X, Y)
    errors = []
    for pieces in (2, 10, 50):
        coarse = clone(metric).set_params(n_pieces=pieces).fit(X, Y)
        errors.append(abs(coarse.path_length(X[0], X[149]) - fine.path_length(X[0], X[149])))
    assert errors[0] > errors[1] > errors[2]


def test_classes_part_and_what_tells_nothing_of_them_vanishes(rng):
    """A direction in which no class changes has no length."""
    y = np.repeat([0, 1], 60)
    data = np.column_stack([3 * y + rng.normal(size=120), 5 * rng.normal(size=120)])
    metric = quick(n_centroids=2, width=3.0, max_iter=50).fit(data, y)
    across = metric.path_length([0, 0], [3, 0])
    along = metric.path_length([0, 0], [0, 3])
    assert across > 5 * along


def test_shortest_paths(metric):
    short = clone(metric).set_params(shortest_paths=True).fit(X, Y)
    straight = metric.pairwise(X)
    paths = short.pairwise(X)
    # SciPy takes a zero for no edge at all; duplicates are joined by next to nothing.
    graph = floyd_warshall(np.maximum(straight, 1e-7))
    np.testing.assert_allclose(paths, graph, rtol=1e-5, atol=1e-6)
    assert (paths <= straight + 1e-6).all()
    assert (paths < 0.99 * straight).any()
    assert short.path_length(X[0], X[99]) == metric.path_length(X[0], X[99])
    new = X[:5] + 0.05
    legs = metric.pairwise(new, X)
    wanted = (legs[:, :, None] + graph[None]).min(axis=1)
    np.testing.assert_allclose(short.pairwise(new, X), wanted, rtol=1e-4, atol=1e-6)


def test_unlabeled_points_teach_nothing_and_are_measured_all_the_same():
    known = np.arange(150) % 3 != 0
    masked = quick().fit(X, np.where(known, Y, -1))
    alone = quick().fit(X[known], Y[known])
    assert np.array_equal(masked.centroids_, alone.centroids_)
    assert np.array_equal(masked.pairwise(X), alone.pairwise(X))
    missing = [float(c) if k else np.nan for c, k in zip(Y, known)]
    assert np.array_equal(quick().fit(X, missing).centroids_, alone.centroids_)
    names = [IRIS.target_names[c] if k else None for c, k in zip(Y, known)]
    named = quick().fit(X, names)
    assert named.predict(X[:1]).tolist() == ["setosa"]
    np.testing.assert_allclose(named.centroids_, alone.centroids_)


def test_soft_rows_count_by_their_shares():
    hard = np.eye(3)[Y]
    rows = np.where(np.arange(150)[:, None] % 5 == 0, np.nan, hard)
    masked = np.where(np.arange(150) % 5 == 0, -1, Y)
    assert np.array_equal(quick().fit(X, rows).centroids_, quick().fit(X, masked).centroids_)
    soft = quick(max_iter=60).fit(X, 0.7 * hard + 0.1)
    assert 0.5 < soft.predict_proba(X).max(axis=1).mean() < 0.85
    with_nobody = np.column_stack([hard, np.zeros(150)])
    assert quick().fit(X, with_nobody).classes_.tolist() == [0, 1, 2]


def test_cross_validation_fills_in_what_is_not_given():
    chosen = nb.LearningMetric(random_state=0, cv=3, n_jobs=1).fit(X, Y)
    table = chosen.cv_results_
    is_chosen = (table["n_centroids"] == len(chosen.centroids_)) & (table["width"] == chosen.width_)
    assert table["mean_test_score"][is_chosen] > table["mean_test_score"].max() - 0.01
    assert set(table["n_centroids"]) <= {3, 6, 12}
    assert chosen.score(X, Y) > -0.15
    again = nb.LearningMetric(random_state=0, cv=3, n_jobs=2).fit(X, Y)
    assert np.array_equal(chosen.centroids_, again.centroids_)
    half = nb.LearningMetric(n_centroids=4, random_state=0, cv=3).fit(X, Y)
    assert set(half.cv_results_["n_centroids"]) == {4}
    steps = nb.LearningMetric(6, width=0.8, random_state=0, cv=3).fit(X, Y)
    assert len(steps.cv_results_["n_iter"]) == 1
    assert 0 < steps.n_iter_ <= steps.cv_results_["n_iter"][0] < 100


def test_it_is_an_estimator(metric):
    copy = clone(metric)
    assert not hasattr(copy, "centroids_")
    assert copy.get_params() == metric.get_params()
    back = pickle.loads(pickle.dumps(metric))
    assert np.array_equal(back.pairwise(X), metric.pairwise(X))
    nested = nb.HSSNE(metric=quick())
    assert nested.get_params()["metric__width"] == 0.8
    assert clone(nested).set_params(metric__width=2.0).metric.width == 2.0
    search = GridSearchCV(quick(), {"width": [0.01, 0.8]}, cv=StratifiedKFold(3)).fit(X, Y)
    assert search.best_params_ == {"width": 0.8}
    with pytest.raises(NotFittedError):
        copy.pairwise(X)


def test_what_is_made_from_distances_takes_it(metric):
    D = metric.pairwise(X)
    (_, squares), *rest = Distances(X, metric).blocks()
    assert not rest
    np.testing.assert_allclose(np.sqrt(squares), D, rtol=1e-12)
    others = Distances(X[:20] + 0.1, metric, X)
    assert others.shape == (20, 150)
    assert not others.symmetric
    ((_, squares),) = others.blocks()
    np.testing.assert_allclose(np.sqrt(squares), metric.pairwise(X[:20] + 0.1, X))
    rows = perplexity_affinities(X, 20, metric, dtype=np.float64)
    given = perplexity_affinities(D, 20, "precomputed", dtype=np.float64)
    np.testing.assert_allclose(rows.P, given.P, rtol=1e-9, atol=1e-12)
    assert rows.metric == "LearningMetric"
    np.testing.assert_allclose(
        rows.log_P[~np.eye(150, dtype=bool)], given.log_P[~np.eye(150, dtype=bool)], rtol=1e-9
    )
    wide = global_affinities(X, 3, metric)
    assert wide.sigma == pytest.approx(np.quantile(D[np.triu_indices(150, 1)], 1 / 3))


def test_a_metric_that_is_fitted_is_used_as_it_is(metric):
    assert metric.fitted_to(X, None) is metric
    known = Supervision(150).label(range(40), "a").label(range(60, 90), "b")
    clone_ = quick(random_state=None).fitted_to(X, known)
    assert clone_.classes_.tolist() == ["a", "b"]
    again = quick(random_state=None).fitted_to(X, known)
    assert np.array_equal(clone_.centroids_, again.centroids_), "the same labels teach the same"


@pytest.mark.parametrize(
    ("keywords", "kind", "message"),
    [
        ({"n_centroids": 0}, ValueError, "n_centroids must be at least 1"),
        ({"n_centroids": "many"}, ValueError, "n_centroids must be one of 'cv'"),
        ({"n_centroids": 151}, ValueError, "n_centroids must be at most the number of labeled"),
        ({"n_centroids": 2.5}, TypeError, "n_centroids must be an integer"),
        ({"width": 0}, ValueError, "width must be a finite number greater than 0"),
        ({"width": "wide"}, ValueError, "width must be one of 'cv'"),
        ({"width": 1e-200}, ValueError, "width must give the labels a finite likelihood"),
        ({"n_pieces": 0}, ValueError, "n_pieces must be at least 1"),
        ({"shortest_paths": "yes"}, TypeError, "shortest_paths must be True or False"),
        ({"cv": 1}, ValueError, "cv must be at least 2"),
        ({"width": "cv"}, ValueError, 'cv must be at least 2 when n_centroids or width is "cv"'),
        ({"max_iter": 0}, ValueError, "max_iter must be at least 1"),
        ({"n_jobs": 0}, ValueError, "n_jobs must be None or an integer"),
        ({"random_state": -1}, ValueError, "random_state must be None, a non-negative integer"),
    ],
)
def test_bad_parameters(keywords, kind, message):
    with pytest.raises(kind, match=message):
        quick(**keywords).fit(X, Y)


def test_labels_that_teach_nothing():
    with pytest.raises(ValueError, match=r"at least two classes.*got only '1'"):
        quick().fit(X, np.ones(150, int))
    with pytest.raises(ValueError, match=r"at least two classes.*got none"):
        quick().fit(X, np.full(150, -1))
    with pytest.raises(ValueError, match="requires y"):
        quick().fit(X)
    with pytest.raises(ValueError, match="y and supervision must not both"):
        quick().fit(X, Y, supervision=Supervision(150))
    with pytest.raises(ValueError, match="all of them coincide"):
        quick(n_centroids=2).fit(np.ones((10, 2)), [0, 1] * 5)
    with pytest.raises(ValueError, match=r"X must be at most .* in magnitude"):
        quick(n_centroids=2).fit(1e200 * np.arange(10.0)[:, None], [0, 1] * 5)


def test_a_mixture_that_learned_nothing_says_so(rng):
    with pytest.warns(UserWarning, match="no better than their frequencies.*close to zero"):
        metric = quick(n_centroids=2, width=1e4).fit(rng.normal(size=(60, 2)), [0, 1] * 30)
    assert np.isfinite(metric.pairwise(X[:, :2])).all()


def test_bad_data(metric):
    with pytest.raises(ValueError, match=r"X must be .* finite"):
        quick().fit(np.where(X > 7, np.nan, X), Y)
    with pytest.raises(ValueError, match="features"):
        metric.pairwise(X[:, :3])
    with pytest.raises(ValueError, match="others must have 4 features, like the data"):
        metric.squared_rows(X, X[:, :2])
    with pytest.raises(ValueError, match="X must be at most"):
        metric.squared_rows(X * 1e300)
    with pytest.raises(ValueError, match="X must be dense for a LearningMetric"):
        Distances(sparse.csr_array(X), metric)
    with pytest.raises(
        ValueError, match="x1 and x2 must be single points or have the same number of rows"
    ):
        metric.path_length(X[0], X[:2])
    with pytest.raises(ValueError, match="y must name classes seen during fit, got 7"):
        metric.score(X[:2], [0, 7])
    with pytest.raises(ValueError, match="y must label at least one point"):
        metric.score(X[:2], [-1, -1])


def test_far_away_it_stays_finite(metric):
    far = X[:3] * [[1e3], [1e6], [1e9]]
    assert np.isfinite(metric.predict_log_proba(far)).all()
    assert np.isfinite(metric.tensor(far)).all()
    assert np.isfinite(metric.pairwise(far, X)).all()
    assert np.isfinite(metric.pairwise(np.vstack([far, X]))).all()


BAD = {
    "dates": (X.astype("datetime64[s]"), ValueError, "must be a matrix of real numbers"),
    "masked": (np.ma.masked_greater(X, 7), ValueError, "must have no masked values"),
    "huge": (X * 1e200, ValueError, "must be at most .* in magnitude"),
    "dictionary": ({"a": 1}, TypeError, "must be a dense, finite matrix"),
    "text": ("abc", ValueError, "must be a dense, finite matrix"),
}


@pytest.mark.parametrize("bad", BAD)
def test_points_are_named(metric, bad):
    value, kind, message = BAD[bad]
    with pytest.raises(kind, match=f"X {message}"):
        quick().fit(value, Y)
    for verb in (metric.predict, metric.predict_proba, metric.pairwise, metric.tensor):
        with pytest.raises(kind, match=f"X {message}"):
            verb(value)
    with pytest.raises(kind, match=f"Y {message}"):
        metric.pairwise(X[:2], value)


@pytest.mark.parametrize("value", ["abc", [[1, 2], [3]], X[0] * 1j, None, {"a": 1}])
def test_ends_of_paths_are_named(metric, value):
    with pytest.raises(TypeError, match="x1 must be real numbers"):
        metric.path_length(value, X[0])
    with pytest.raises(TypeError, match="x2 must be real numbers"):
        metric.path_length(X[0], value)


def test_a_supervision_is_one():
    for wrong in (3, "a", Y):
        with pytest.raises(TypeError, match="supervision must be a Supervision or None, got"):
            quick().fit(X, supervision=wrong)
