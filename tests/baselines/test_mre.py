from __future__ import annotations

import numpy as np
import pytest
from scipy.spatial.distance import cdist
from sklearn.exceptions import ConvergenceWarning
from sklearn.neighbors import KNeighborsClassifier

from nbembed.affinities import perplexity_affinities
from nbembed.baselines import MRE
from nbembed.baselines.mre import label_relation
from nbembed.baselines.relations import Relation, Relations
from nbembed.objectives import SNE
from nbembed.supervision import as_supervision


def random_rows(n, rng):
    P = rng.random((n, n))
    np.fill_diagonal(P, 0)
    return P / P.sum(axis=1, keepdims=True)


@pytest.fixture
def problem():
    rng = np.random.default_rng(0)
    some = np.array([0, 2, 3, 5, 6, 8])
    tables = random_rows(9, rng), random_rows(6, rng)
    relations = (
        Relation.make("data", np.arange(9), tables[0]),
        Relation.make("labels", some, tables[1]),
    )
    Y, r = rng.standard_normal((9, 3)), rng.standard_normal((2, 3))
    return Relations(relations, 9), tables, Y, r


def test_the_cost_is_the_papers_formula(problem):
    costs, tables, Y, r = problem
    for k, (relation, P) in enumerate(zip(costs.relations, tables, strict=True)):
        R, total = np.diag(r[k] ** 2), 0.0
        points = Y[relation.points]
        for i in range(len(points)):
            q = np.array([np.exp(-(points[i] - y) @ R @ (points[i] - y)) for y in points])
            q[i] = 0
            q /= q.sum()
            others = np.arange(len(points)) != i
            total += np.sum(P[i, others] * np.log(P[i, others] / q[others]))
        assert costs.terms(Y, r)[k] == pytest.approx(total, rel=1e-12)
    assert costs.cost_and_gradient(Y, r)[0] == pytest.approx(sum(costs.terms(Y, r)), rel=1e-14)


def test_the_gradient_is_that_of_central_differences(problem):
    costs, _, Y, r = problem
    _, by_place, by_weight = costs.cost_and_gradient(Y, r)
    for array, gradient in ((Y, by_place), (r, by_weight)):
        differences = np.empty_like(array)
        for at in np.ndindex(array.shape):
            old, values = array[at], []
            for step in (1e-6, -1e-6):
                array[at] = old + step
                values.append(costs.cost_and_gradient(Y, r)[0])
            array[at] = old
            differences[at] = (values[0] - values[1]) / 2e-6
        assert np.abs(gradient - differences).max() < 1e-6 * np.abs(gradient).max() + 1e-8


def test_labels_relate_points_of_one_class():
    relation = label_relation(as_supervision([0, 0, 1, -1, 1, 2, 0, 1], 8))
    assert relation.points.tolist() == [0, 1, 2, 4, 6, 7], "neither unlabeled nor alone"
    half = np.full((3, 3), 0.5)
    np.fill_diagonal(half, 0)
    first = np.array([0, 0, 1, 1, 0, 1])
    expected = np.where(first[:, None] == first, 0.5, 0.0)
    np.fill_diagonal(expected, 0)
    assert np.allclose(relation.W, 2 * expected)
    assert relation.entropy == pytest.approx(6 * np.log(0.5))


def test_soft_labels_relate_by_their_overlap():
    T = np.array([[1.0, 0.0], [0.6, 0.4], [0.1, 0.9], [np.nan, np.nan]])
    relation = label_relation(as_supervision(T, 4))
    overlap = T[:3] @ T[:3].T
    np.fill_diagonal(overlap, 0)
    P = overlap / overlap.sum(axis=1, keepdims=True)
    assert np.allclose(relation.W, P + P.T)


def test_without_labels_it_is_sne(iris):
    X, _ = iris
    method = MRE(perplexity=30, random_state=0, n_jobs=1).fit(X)
    assert method.relations_ == ("data",)
    assert np.allclose(method.weights_, 1)
    P = perplexity_affinities(X, 30, dtype=np.float64)
    cost = SNE(P).evaluate(method.embedding_).cost
    assert method.cost_ == pytest.approx(cost, rel=1e-9)


def test_fitted_weights_and_layout_have_the_cost_that_is_given(blobs):
    X, y = blobs
    method = MRE(random_state=0, n_jobs=1).fit(X, y)
    P = perplexity_affinities(X, method.perplexity_, dtype=np.float64).P
    data, labels = (
        np.sum(P * np.log(np.where(P > 0, P, 1) / Q))
        for P, Q in (
            (P, _rows(method.embedding_, method.weights_[0])),
            (_same(y), _rows(method.embedding_, method.weights_[1])),
        )
    )
    assert method.costs_ == pytest.approx([data, labels], rel=1e-8)
    assert method.cost_ == pytest.approx(data + labels, rel=1e-8)
    assert np.allclose(method.weights_.mean(axis=0), 1)
    assert (method.weights_ >= 0).all()


def _rows(Y, weights):
    Z = Y * np.sqrt(weights)
    q = np.exp(-cdist(Z, Z, "sqeuclidean"))
    np.fill_diagonal(q, 0)
    q /= q.sum(axis=1, keepdims=True)
    np.fill_diagonal(q, 1)  # where p is zero and the logarithm must be finite
    return q


def _same(y):
    P = (y[:, None] == y).astype(float)
    np.fill_diagonal(P, 0)
    return P / P.sum(axis=1, keepdims=True)


def test_the_cost_falls(blobs):
    method = MRE(random_state=0, n_jobs=1).fit(*blobs)
    assert (np.diff(method.trace_) <= 1e-9 * method.trace_[0]).all()
    assert method.trace_[-1] == method.cost_ < 0.8 * method.trace_[0]
    assert len(method.trace_) == method.n_iter_ + 1


def test_two_relations_take_axes_of_their_own():
    """Neighborhoods of a line, classes that have nothing to do with it: an axis for each."""
    rng = np.random.default_rng(1)
    t = rng.permutation(np.linspace(0, 6, 90))
    y = rng.integers(0, 2, 90)
    method = MRE(perplexity=8, random_state=0, n_jobs=1).fit(t[:, None], y)
    data, labels = method.weights_
    mine, other = np.argmax(labels), np.argmin(labels)
    assert labels[mine] > 20 * labels[other]
    assert data[other] > 5 * data[mine]
    Y = method.embedding_
    assert abs(np.corrcoef(t, Y[:, other])[0, 1]) > 0.95
    by_class = [Y[y == c, mine] for c in (0, 1)]
    assert by_class[0].max() < by_class[1].min() or by_class[1].max() < by_class[0].min()


def test_unlabeled_points_are_placed_by_the_data(wine):
    X, y = wine
    hidden = np.arange(178) % 3 == 0
    Y = MRE(random_state=0, n_jobs=1).fit_transform(X, np.where(hidden, -1, y))
    near = KNeighborsClassifier(5).fit(Y[~hidden], y[~hidden])
    assert near.score(Y[hidden], y[hidden]) > 0.75


def test_held_out_points_fall_to_their_class(iris):
    X, y = iris
    train = np.arange(150) % 3 > 0
    method = MRE(random_state=0, n_jobs=1).fit(X[train], y[train])
    near = KNeighborsClassifier(5).fit(method.embedding_, y[train])
    assert near.score(method.transform(X[~train]), y[~train]) > 0.75


def test_new_points_go_to_the_mean_along_axes_the_data_do_not_see(blobs):
    X, y = blobs
    method = MRE(random_state=0, n_jobs=1).fit(X, y)
    method.weights_ = np.array([[2.0, 0.0], [0.0, 2.0]])
    places = method.transform(X[:3] + 0.1)
    P = next(method._fitted.rows(X[:3] + 0.1, perplexity=method.perplexity_))[1].P
    assert np.allclose(places[:, 1], P @ method.embedding_[:, 1])
    assert np.isfinite(places).all()


@pytest.mark.parametrize("y", [[3] * 60, list(range(60))], ids=["one class", "no pairs"])
def test_labels_that_say_nothing_are_left_out(blobs, y):
    X, _ = blobs
    with pytest.warns(UserWarning, match="embedding_ is computed from the data alone"):
        known = MRE(random_state=0, n_jobs=1).fit(X, y)
    plain = MRE(random_state=0, n_jobs=1).fit(X)
    assert np.array_equal(known.embedding_, plain.embedding_)


def test_stopping_early_says_so(blobs):
    with pytest.warns(ConvergenceWarning, match="max_iter = 3 was reached"):
        method = MRE(max_iter=3, random_state=0, n_jobs=1).fit(*blobs)
    assert method.n_iter_ == 3
    assert np.isfinite(method.embedding_).all()


def test_seeds_and_threads(blobs):
    X, y = blobs
    one, same, other = (
        MRE(init="random", random_state=seed, n_jobs=1).fit_transform(X, y) for seed in (1, 1, 2)
    )
    assert np.array_equal(one, same)
    assert not np.array_equal(one, other)
    X = np.random.default_rng(0).standard_normal((520, 3))
    y = np.arange(520) % 2
    few = {"max_iter": 5, "random_state": 0}
    with pytest.warns(ConvergenceWarning):
        one, two = (MRE(n_jobs=k, **few).fit_transform(X, y) for k in (1, 2))
    assert np.array_equal(one, two)


def test_callbacks_follow_the_iterations_and_can_stop_them(blobs):
    X, y = blobs
    seen = []

    def until_five(now):
        seen.append((now.iteration, now.cost, now.embedding, len(now.trace)))
        return now.iteration == 5

    heard = []
    method = MRE(random_state=0, n_jobs=1, callbacks=[until_five, heard.append]).fit(X, y)
    assert [(i, n) for i, _, _, n in seen] == [(k, k) for k in range(1, 6)]
    assert len(heard) == 5, "all callbacks hear of the last iteration too"
    assert [cost for _, cost, _, _ in seen] == method.trace_[1:].tolist()
    assert heard[-1].trace[-1].cost == method.cost_
    assert heard[-1].trace[-1].movement > 0
    assert np.array_equal(seen[-1][2], method.embedding_)
    assert method.n_iter_ == 5


def test_verbose_shows_a_bar(blobs, capsys):
    X, y = blobs
    quiet = MRE(random_state=0, n_jobs=1, max_iter=15)
    with pytest.warns(ConvergenceWarning):
        expected = quiet.fit(X, y).embedding_
    assert capsys.readouterr().err == ""
    with pytest.warns(ConvergenceWarning):
        loud = quiet.set_params(verbose=1).fit(X, y).embedding_
    assert "MRE" in capsys.readouterr().err
    assert np.array_equal(loud, expected)
