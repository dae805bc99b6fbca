"""Parametric Embedding: the estimator and its recipe. Live maps: tests/session/test_parametric."""

from __future__ import annotations

import numpy as np
import pandas as pd
import pytest
from scipy import sparse
from scipy.special import softmax
from sklearn.base import clone
from sklearn.datasets import load_iris
from sklearn.exceptions import NotFittedError
from sklearn.linear_model import LogisticRegression
from sklearn.model_selection import GridSearchCV, StratifiedKFold
from sklearn.naive_bayes import GaussianNB
from sklearn.pipeline import make_pipeline
from sklearn.preprocessing import StandardScaler
from sklearn.utils.estimator_checks import check_estimator

from nbembed.methods import ParametricEmbedding
from nbembed.objectives import Parametric
from nbembed.posteriors import Posteriors, SoftNearestNeighbor
from nbembed.supervision import Supervision


@pytest.fixture(scope="module")
def iris():
    return load_iris(return_X_y=True)


@pytest.fixture(scope="module")
def proba(iris):
    X, y = iris
    return np.asarray(LogisticRegression(C=0.3, max_iter=1000).fit(X, y).predict_proba(X))


@pytest.fixture
def partly(iris):
    y = np.full(150, -1)
    y[::5] = iris[1][::5]
    return y


# -- scikit-learn ----------------------------------------------------------------------------------


class OfAnything(ParametricEmbedding):
    """Takes the softmax of any data as posteriors, so that all checks reach the estimator."""

    def _validated(self, X, **options):
        data = super()._validated(X, **options)
        if sparse.issparse(data) or data.shape[1] < 2:
            return data
        return softmax(np.asarray(data, float) / 10, axis=1)


ROWS = "X must be rows of probabilities, which the check's data are not"


@pytest.mark.parametrize(
    ("method", "expected"),
    [
        (
            OfAnything(random_state=0),
            {
                "check_estimator_sparse_tag": ROWS,
                "check_estimator_sparse_array": ROWS,
                "check_estimator_sparse_matrix": ROWS,
                "check_fit2d_1feature": "a single class is refused, in words of its own",
            },
        ),
        (ParametricEmbedding(classifier=LogisticRegression(), random_state=0), {}),
    ],
    ids=["posteriors", "logistic"],
)
def test_check_estimator(method, expected):
    check_estimator(method, expected_failed_checks=expected, on_skip=None)


def test_the_same_bits(proba):
    method = ParametricEmbedding(random_state=3, init="mds")
    fitted = method.fit(proba)
    again = clone(method).fit(proba)
    np.testing.assert_array_equal(again.embedding_, fitted.embedding_)
    one, two = (clone(method).set_params(n_jobs=k).fit(proba) for k in (1, 2))
    np.testing.assert_array_equal(one.embedding_, two.embedding_)


def test_what_fit_sets(proba):
    method = ParametricEmbedding(random_state=0)
    assert method.fit(proba) is method
    assert method.embedding_.shape == (150, 2)
    assert method.embedding_.dtype == np.float32
    assert method.class_embedding_.shape == (3, 2)
    assert method.classes_.tolist() == [0, 1, 2]
    assert method.n_iter_ == len(method.trace_) < 40
    assert method.eta_classes_ == 1.5
    assert method.classifier_ is None
    assert method.n_features_in_ == 3
    np.testing.assert_allclose(method.proba_, proba)
    layout = np.vstack([method.embedding_, method.class_embedding_])
    assert Parametric(proba).cost(layout) == pytest.approx(method.cost_, rel=1e-6)
    gradient = Parametric(proba).gradient(layout)
    assert np.abs(gradient).max() < 1e-2
    assert list(method.get_feature_names_out()) == [
        "parametricembedding0",
        "parametricembedding1",
    ]


@pytest.mark.parametrize("d", [1, 2, 3, 5])
def test_any_number_of_dimensions(proba, d):
    method = ParametricEmbedding(d, random_state=0).fit(proba)
    assert method.embedding_.shape == (150, d)
    assert method.transform(proba[:4]).shape == (4, d)


def test_float32_and_sparse_and_frames(proba):
    exact = ParametricEmbedding(random_state=0).fit(proba)
    single = ParametricEmbedding(random_state=0).fit(proba.astype(np.float32))
    assert single.cost_ == pytest.approx(exact.cost_, rel=1e-5)
    loose = ParametricEmbedding(random_state=0).fit(sparse.csr_matrix(proba))
    np.testing.assert_array_equal(loose.embedding_, exact.embedding_)
    value = ParametricEmbedding(random_state=0).fit(Posteriors(proba))
    np.testing.assert_array_equal(value.embedding_, exact.embedding_)
    frame = pd.DataFrame(proba, columns=["setosa", "versicolor", "virginica"])
    named = ParametricEmbedding(random_state=0).set_output(transform="pandas").fit(frame)
    assert named.classes_.tolist() == ["setosa", "versicolor", "virginica"]
    assert list(named.transform(frame).columns) == list(named.get_feature_names_out())


# -- the method ------------------------------------------------------------------------------------


@pytest.mark.parametrize("optimizer", ["auto", "l-bfgs", "fixed-point", "momentum"])
def test_what_was_fitted_has_its_place_in_transform(proba, optimizer):
    method = ParametricEmbedding(random_state=1, optimizer=optimizer).fit(proba)
    np.testing.assert_allclose(method.transform(proba), method.embedding_, atol=1e-6)
    some = np.array([77, 3, 120])
    np.testing.assert_allclose(method.transform(proba[some]), method.embedding_[some], atol=1e-6)
    new = np.array([[1.0, 0, 0], [0, 0.5, 0.5]])
    places = method.transform(new)
    alone = np.vstack([method.transform(row[None]) for row in new])
    np.testing.assert_allclose(places, alone, atol=1e-6)


def test_nearness_tells_the_class(proba):
    method = ParametricEmbedding(random_state=0).fit(proba)
    found = method.predict_proba(proba)
    away = np.linalg.norm(method.transform(proba)[:, None] - method.class_embedding_, axis=2)
    np.testing.assert_allclose(found, softmax(-(away**2) / 2, axis=1), atol=1e-5)
    np.testing.assert_array_equal(method.predict(proba), away.argmin(axis=1))
    assert np.mean(method.predict(proba) == proba.argmax(axis=1)) > 0.97


@pytest.mark.parametrize("K", [4, 10, 16])
def test_centers_keep_certain_points_inside(K):
    rng = np.random.default_rng(0)
    rows = 0.05 / K + 0.95 * np.eye(K)[rng.integers(K, size=100 * K)]
    rows[::7] = rng.dirichlet(np.ones(K), len(rows[::7]))
    method = ParametricEmbedding(K, random_state=0).fit(rows)
    assert method.eta_classes_ == pytest.approx(100 * K * min(0.01, 0.1 / (2 * K)))
    for k in range(K):
        center = method.class_embedding_[k]
        sure = method.embedding_[rows[:, k] > 0.94].mean(axis=0)
        assert sure @ center < center @ center


def test_priors_move_the_borders(proba):
    even = ParametricEmbedding(random_state=0).fit(proba)
    prior = [0.8, 0.1, 0.1]
    uneven = ParametricEmbedding(random_state=0, class_prior=prior).fit(proba)
    away = np.linalg.norm(uneven.transform(proba)[:, None] - uneven.class_embedding_, axis=2)
    joint = np.log(prior) - away**2 / 2
    np.testing.assert_allclose(uneven.predict_proba(proba), softmax(joint, axis=1), atol=1e-5)
    assert abs(uneven.cost_ - even.cost_) > 0.1


@pytest.mark.parametrize("K", [3, 6, 10])
def test_starts_end_in_few_arrangements_and_all_at_rest(K):
    rng = np.random.default_rng(K)
    rows = rng.dirichlet(np.full(K, 0.15), 300)
    fits = [ParametricEmbedding(random_state=seed).fit(rows) for seed in range(8)]
    fits.append(ParametricEmbedding(init="mds", random_state=0).fit(rows))
    assert max(m.n_iter_ for m in fits) < 200
    best = min(m.cost_ for m in fits)
    assert max(m.cost_ for m in fits) < 1.05 * best
    for m in fits:
        assert np.isfinite(m.embedding_).all()
        centers = m.class_embedding_
        over = Parametric(rows).over_classes(m.embedding_).evaluate(centers)
        assert np.linalg.norm(over.gradient) < 1e-3 * m.eta_classes_ * np.linalg.norm(centers)


def test_iterations_do_not_grow_with_the_number_of_points():
    rng = np.random.default_rng(0)
    rows = rng.dirichlet(np.full(6, 0.3), 20_000)
    median = {
        n: np.median(
            [ParametricEmbedding(random_state=s, n_jobs=1).fit(rows[:n]).n_iter_ for s in range(5)]
        )
        for n in (500, 20_000)
    }
    assert median[20_000] <= 1.5 * median[500]


@pytest.mark.parametrize(
    "rows",
    [
        np.eye(3)[np.arange(30) % 3],
        np.full((30, 3), 1 / 3),
        np.tile([0.7, 0.2, 0.1], (30, 1)),
        np.tile([1.0, 0.0], (30, 1)),
        np.tile([1.0, 0.0, 0.0], (2, 1)),
        np.random.default_rng(0).dirichlet(np.full(40, 0.1), 12),
    ],
    ids=["certain", "know nothing", "all alike", "one class", "two points", "more classes"],
)
def test_degenerate_posteriors(rows):
    method = ParametricEmbedding(random_state=0).fit(rows)
    assert np.isfinite(method.embedding_).all()
    assert np.isfinite(method.class_embedding_).all()
    assert np.isfinite(method.cost_)
    np.testing.assert_allclose(method.transform(rows), method.embedding_, atol=1e-6)


def test_init(proba):
    centers = np.array([[0.0, 3.0], [3.0, 0.0], [-3.0, 0.0]])
    method = ParametricEmbedding(init=centers, max_iter=1).fit(proba)
    assert np.abs(method.class_embedding_ - centers).max() < 3
    whole = np.vstack([np.zeros((150, 2)), centers])
    same = ParametricEmbedding(init=whole, max_iter=1).fit(proba)
    np.testing.assert_allclose(same.embedding_, method.embedding_, atol=1e-5)
    # Centers near each other: classes that share their points.
    start = ParametricEmbedding(init="mds").recipe.make_start(
        proba, Posteriors(proba), Supervision(150), np.random.default_rng(0)
    )
    a, b, c = start.Y[150:]
    assert np.linalg.norm(b - c) < min(np.linalg.norm(a - b), np.linalg.norm(a - c))


def test_pinned_points_stay(proba):
    rng = np.random.default_rng(0)
    init = rng.standard_normal((153, 2))
    told = Supervision(150).pin([4, 100])
    method = ParametricEmbedding(init=init).fit(proba, supervision=told)
    np.testing.assert_array_equal(method.embedding_[[4, 100]], init[[4, 100]].astype(np.float32))
    with pytest.raises(ValueError, match="when points are pinned"):
        ParametricEmbedding(init=init[150:]).fit(proba, supervision=told)
    with pytest.raises(ValueError, match="init must be an array"):
        ParametricEmbedding().fit(proba, supervision=told)


def test_callbacks_and_a_bar(proba, capsys):
    heard = []
    method = ParametricEmbedding(
        random_state=0, verbose=1, callbacks=lambda run: heard.append(run.embedding.shape)
    ).fit(proba)
    assert heard == [(153, 2)] * method.n_iter_
    assert "ParametricEmbedding" in capsys.readouterr().err


# -- with a classifier -----------------------------------------------------------------------------


@pytest.mark.parametrize(
    "classifier",
    [GaussianNB(), "soft-nearest-neighbor", make_pipeline(StandardScaler(), LogisticRegression())],
    ids=["naive Bayes", "soft nearest neighbor", "pipeline"],
)
def test_a_classifier_learns_from_some_labels(iris, partly, classifier):
    X, y = iris
    method = ParametricEmbedding(classifier=classifier, random_state=0)
    parameters = method.get_params(deep=False)
    method.fit(X, partly)
    assert method.get_params(deep=False) == parameters
    assert np.mean(method.predict(X) == y) > 0.85
    assert method.classes_.tolist() == [0, 1, 2]
    np.testing.assert_allclose(method.proba_, method.classifier_.predict_proba(X), atol=1e-12)
    np.testing.assert_allclose(method.transform(X), method.embedding_, atol=1e-6)
    assert not hasattr(classifier, "classes_") or classifier != method.classifier_


def test_labels_keep_their_names(iris, partly):
    X, _ = iris
    names = np.array(["setosa", "versicolor", "virginica", "-1"], dtype=object)[partly]
    names[partly < 0] = None
    method = ParametricEmbedding(classifier=GaussianNB(), random_state=0).fit(X, names)
    assert method.classes_.tolist() == ["setosa", "versicolor", "virginica"]
    assert set(method.predict(X[:5])) == {"setosa"}


def test_in_a_grid_search(iris):
    X, y = iris
    search = GridSearchCV(
        ParametricEmbedding(classifier=SoftNearestNeighbor(), random_state=0),
        {"classifier__shrinkage": [0.0, 1.0], "n_components": [2]},
        scoring="accuracy",
        cv=StratifiedKFold(3),
    ).fit(X, y)
    assert search.best_score_ > 0.85


@pytest.mark.parametrize("y", [np.zeros(150), np.full(150, -1)])
def test_labels_of_one_class(iris, y):
    with pytest.raises(
        ValueError, match=r"y \(or supervision\) must label points of at least two classes"
    ):
        ParametricEmbedding(classifier=GaussianNB()).fit(iris[0], y)


# -- bad input -------------------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("rows", "says"),
    [
        (
            [[0.5, 0.6], [0.5, 0.5]],
            r"each row of X must be non-negative and sum to one; row 0.*sum 1.1",
        ),
        ([[0.5, 0.5], [1.5, -0.5]], r"each row of X must be non-negative and sum to one; row 1"),
        ([[1.0], [1.0]], "X must have at least 2 columns, one for each class"),
        ([[np.nan, 1.0], [0.5, 0.5]], "X must be a finite matrix"),
        ([0.5, 0.5], "X must be a finite matrix"),
        ([[0.5, 0.5]], "X must be a finite matrix"),
    ],
)
def test_bad_posteriors(rows, says):
    with pytest.raises(ValueError, match=says):
        ParametricEmbedding().fit(rows)


@pytest.mark.parametrize(
    ("name", "value", "error"),
    [
        ("n_components", 0, ValueError),
        ("n_components", 2.0, TypeError),
        ("eta_objects", 0.0, ValueError),
        ("eta_objects", "auto", TypeError),
        ("eta_classes", -1.0, ValueError),
        ("eta_classes", "much", ValueError),
        ("class_prior", [0.5, 0.5], ValueError),
        ("class_prior", [0.5, 0.6, -0.1], ValueError),
        ("class_names", ["a", "b"], ValueError),
        ("class_names", ["a", "b", "a"], ValueError),
        ("class_names", "abc", TypeError),
        ("init", "pca", ValueError),
        ("init", np.zeros((2, 2)), ValueError),
        ("init", np.full((3, 2), np.nan), ValueError),
        ("classifier", "magic", ValueError),
        ("classifier", 3, TypeError),
        ("optimizer", "newton", ValueError),
        ("max_iter", 0, ValueError),
        ("tol", -1.0, ValueError),
        ("random_state", "seed", ValueError),
        ("callbacks", 3, TypeError),
        ("verbose", "yes", TypeError),
    ],
)
def test_bad_keywords(proba, name, value, error):
    with pytest.raises(error, match=name):
        ParametricEmbedding(**{name: value}).fit(proba, np.arange(150) % 3)


def test_bad_calls(proba, iris):
    with pytest.raises(NotFittedError):
        ParametricEmbedding().transform(proba)
    fitted = ParametricEmbedding(random_state=0).fit(proba)
    with pytest.raises(ValueError, match="features"):
        fitted.transform(proba[:, :2])
    with pytest.raises(ValueError, match="each row of X"):
        fitted.transform(2 * proba)
    with pytest.raises(ValueError, match="requires y to be passed"):
        ParametricEmbedding(classifier=GaussianNB()).fit(iris[0])
    with pytest.raises(ValueError, match="class_names must be None"):
        ParametricEmbedding(classifier=GaussianNB(), class_names=["a", "b"]).fit(*iris)
    with pytest.raises(ValueError, match="supervision must cover 150"):
        ParametricEmbedding().fit(proba, supervision=Supervision(10))


def test_adopting_keeps_the_shape_and_centers_that_are_there(proba):
    method = ParametricEmbedding()
    posteriors = method.recipe.make_affinities(proba)
    fitted = ParametricEmbedding(random_state=0).fit(proba)
    rng = np.random.default_rng(0)
    told = Supervision(150)
    own = np.vstack([fitted.embedding_, fitted.class_embedding_])
    kept = method.recipe.adopt(own, posteriors, told, rng).Y
    np.testing.assert_allclose(kept[:150], fitted.embedding_, atol=1e-6)
    np.testing.assert_allclose(kept[150:], fitted.class_embedding_, atol=0.01)
    anew = method.recipe.adopt(fitted.embedding_, posteriors, told, rng).Y
    np.testing.assert_allclose(anew[150:], fitted.class_embedding_, atol=0.05)
    foreign = method.recipe.adopt(1000 * fitted.embedding_, posteriors, told, rng).Y
    assert np.abs(foreign).max() < 50
    shape = foreign[:150] - foreign[:150].mean(axis=0)
    same = fitted.embedding_ - fitted.embedding_.mean(axis=0)
    cosine = np.sum(shape * same) / np.linalg.norm(shape) / np.linalg.norm(same)
    assert cosine > 0.999
    wide = method.set_params(n_components=3).recipe.adopt(own, posteriors, told, rng).Y
    assert wide.shape == (153, 3)
    heap = method.recipe.adopt(np.zeros((150, 3)), posteriors, told, rng).Y
    assert np.isfinite(heap).all()
    assert heap.std() > 0.1
