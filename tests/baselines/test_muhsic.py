from __future__ import annotations

import sys
import time

import numpy as np
import pytest
from scipy.spatial.distance import pdist, squareform
from sklearn.datasets import make_swiss_roll
from sklearn.exceptions import ConvergenceWarning
from sklearn.neighbors import KNeighborsClassifier

from nbembed.baselines import MUHSIC
from nbembed.baselines.graph import neighbor_graph
from nbembed.baselines.semidefinite import smat, solve_semidefinite, svec
from nbembed.baselines.unfolding import (
    Unfolding,
    interpolation_weights,
    label_factor,
    smooth_functions,
)
from nbembed.supervision import as_supervision


def unfolding(X, y, n_neighbors=8, m=6, penalty=1.0):
    """Return the problem of some data, and the graph and the squared distances it is made of."""
    D2 = squareform(pdist(X, "sqeuclidean"))
    graph, _ = neighbor_graph(np.sqrt(D2), n_neighbors)
    F = smooth_functions(graph, m)
    factor = label_factor(as_supervision(y, len(X)))
    return Unfolding.make(F, factor, graph, D2, penalty), graph.toarray(), D2


def kernel_on_labels(y):
    return (y[:, None] == y) & (y >= 0)[:, None] | np.eye(len(y), dtype=bool)


def criterion(K, y, graph, D2, penalty):
    """The criterion at the top of the module, on n × n matrices throughout."""
    n = len(K)
    H = np.eye(n) - 1 / n
    L = kernel_on_labels(y).astype(float)
    i, j = np.nonzero(np.triu(graph, 1))
    gaps = K[i, i] + K[j, j] - 2 * K[i, j] - D2[i, j]
    largest = np.linalg.eigvalsh(L)[-1]
    total = np.trace(-H @ D2 @ H / 2)
    return np.trace(K @ H @ L @ H) / (largest * total) - penalty * np.mean(
        (gaps / D2[i, j].mean()) ** 2
    )


def test_svec_keeps_inner_products():
    rng = np.random.default_rng(0)
    A, B = (M + M.T for M in rng.standard_normal((2, 4, 4)))
    assert svec(A) @ svec(B) == pytest.approx(np.trace(A @ B))
    assert np.allclose(smat(svec(A), 4), A)


def test_the_solver_projects_onto_the_cone():
    """½‖A − S‖² over A ⪰ 0 is least where S has lost its negative eigenvalues."""
    rng = np.random.default_rng(1)
    S = rng.standard_normal((5, 5))
    S = S + S.T
    values, vectors = np.linalg.eigh(S)
    found = solve_semidefinite(np.eye(15), -svec(S), 5, tol=1e-10, max_iter=100)
    assert found.status == "Solved"
    assert np.allclose(found.A, vectors * np.maximum(values, 0) @ vectors.T, atol=1e-6)


def test_an_unbounded_problem_is_an_error():
    with pytest.raises(RuntimeError, match="no solution"):
        solve_semidefinite(np.zeros((3, 3)), -svec(np.eye(2)), 2, tol=1e-8, max_iter=50)


def test_the_functions_are_the_laplacians_smoothest(blobs):
    X, _ = blobs
    graph, _ = neighbor_graph(squareform(pdist(X)), 6)
    F = smooth_functions(graph, 5)
    W = graph.toarray().astype(float)
    laplacian = np.diag(W.sum(axis=1)) - W
    assert np.allclose(F.T @ F / 60, np.eye(5), atol=1e-9)
    assert np.allclose(F.mean(axis=0), 0, atol=1e-12)
    assert np.allclose(np.diag(F.T @ laplacian @ F) / 60, np.linalg.eigvalsh(laplacian)[1:6])


def test_the_sparse_way_to_them_is_the_same(monkeypatch):
    X = np.random.default_rng(2).random((200, 2)) * [3, 1]
    graph, _ = neighbor_graph(squareform(pdist(X)), 8)
    dense = smooth_functions(graph, 6)
    monkeypatch.setattr("nbembed.baselines.unfolding.DENSE", 50)
    loose = smooth_functions(graph, 6)
    assert np.allclose(np.abs(dense.T @ loose) / 200, np.eye(6), atol=1e-6)


@pytest.mark.parametrize("labels", ["all", "some", "none"])
def test_the_criterion_is_the_formula_on_whole_matrices(blobs, labels):
    X, y = blobs
    y = {"all": y, "some": np.where(np.arange(60) % 3, -1, y), "none": np.full(60, -1)}[labels]
    problem, graph, D2 = unfolding(X, y, penalty=0.7)
    G = np.random.default_rng(4).standard_normal((6, 6))
    A = G @ G.T
    K = problem.functions @ A @ problem.functions.T
    assert problem.value(A) == pytest.approx(criterion(K, y, graph, D2, 0.7), rel=1e-9)


@pytest.mark.parametrize("penalty", [0.1, 1.0, 20.0])
def test_the_solution_is_a_maximum(blobs, penalty):
    """The gradient there is ⪯ 0 and orthogonal to A: no other matrix of the cone can be better."""
    X, y = blobs
    problem, _, _ = unfolding(X, y, penalty=penalty)
    A, status, _ = problem.solve(1e-10, 200)
    assert status == "Solved"
    gaps = np.einsum("ei,ij,ej->e", problem.steps, A, problem.steps) - problem.lengths
    rise = problem.reward * problem.dependence - 2 * penalty * np.einsum(
        "e,ei,ej->ij", gaps, problem.steps, problem.steps
    ) / (gaps.size * problem.unit**2)
    size = np.abs(problem.reward * problem.dependence).max()
    assert np.linalg.eigvalsh(A)[0] > -1e-6 * np.trace(A)
    assert np.linalg.eigvalsh(rise)[-1] < 1e-5 * size
    assert abs(np.sum(rise * A)) < 1e-5 * size * np.trace(A)


def test_it_depends_on_the_labels_more_than_maximum_variance_unfolding():
    """Classes lie side by side across a long band, whose variance is along it."""
    rng = np.random.default_rng(6)
    n = 120
    X, y = rng.random((n, 2)) * [4, 1], np.arange(n) % 2
    X[:, 1] += 0.8 * y
    H = np.eye(n) - 1 / n
    L = kernel_on_labels(y)
    known, plain = (MUHSIC(n_neighbors=8).fit(X, labels) for labels in (y, None))

    def share(Y):
        K = Y @ Y.T
        return np.trace(K @ H @ L @ H) / np.trace(K)

    assert share(known.embedding_) > 2 * share(plain.embedding_)
    # Of the whole K, not of the two axes shown, and so a little more.
    shown = known.embedding_ @ known.embedding_.T
    assert known.hsic_ >= np.trace(shown @ H @ L @ H) / (n - 1) ** 2
    assert plain.hsic_ == pytest.approx(plain.eigenvalues_.sum() * n / (n - 1) ** 2)


def test_more_penalty_keeps_distances_better(blobs):
    X, y = blobs
    distortion = [MUHSIC(n_neighbors=8, penalty=p).fit(X, y).distortion_ for p in (0.1, 1, 10)]
    assert distortion[0] > distortion[1] > distortion[2]


def test_the_layout_shows_the_leading_variances(blobs):
    X, y = blobs
    method = MUHSIC(3, n_neighbors=8).fit(X, y)
    assert np.allclose(method.embedding_.var(axis=0), method.eigenvalues_[:3], rtol=1e-6)
    assert (np.diff(method.eigenvalues_) <= 0).all()


def test_interpolation_solves_the_least_squares_problem():
    rng = np.random.default_rng(5)
    neighbors, x = rng.standard_normal((4, 6)), rng.standard_normal(6)
    to = np.sum((neighbors - x) ** 2, axis=1)
    among = squareform(pdist(neighbors, "sqeuclidean"))
    (w,) = interpolation_weights(to[None], among[None])
    G = (neighbors - x) @ (neighbors - x).T
    expected = np.linalg.solve(G + 1e-3 * np.trace(G) / 4 * np.eye(4), np.ones(4))
    assert np.allclose(w, expected / expected.sum())


def test_interpolation_survives_dissimilarities_of_no_space():
    to = np.array([[1.0, 1.0, 100.0]])
    among = np.array([[[0.0, 900.0, 0.0], [900.0, 0.0, 0.0], [0.0, 0.0, 0.0]]])
    weights = interpolation_weights(to, among)
    assert np.isfinite(weights).all()
    assert weights.sum() == pytest.approx(1)


def test_points_of_a_line_are_interpolated_on_it():
    X = np.linspace(0, 1, 40)[:, None]
    method = MUHSIC(1, n_neighbors=4, n_eigenvectors=5, penalty=10).fit(X)
    new = (X[1:] + X[:-1]) / 2
    places = method.transform(new)
    assert np.allclose(places, (method.embedding_[1:] + method.embedding_[:-1]) / 2, atol=0.02)


def test_held_out_points_fall_to_their_class(wine):
    X, y = wine
    train = np.arange(178) % 3 > 0
    method = MUHSIC().fit(X[train], y[train])
    near = KNeighborsClassifier(5).fit(method.embedding_, y[train])
    assert near.score(method.transform(X[~train]), y[~train]) > 0.85


def test_a_solver_that_stops_short_says_what_was_returned(blobs):
    X, y = blobs
    with pytest.warns(
        ConvergenceWarning, match="max_iter = 2 .*embedding_ is computed from the last"
    ):
        method = MUHSIC(n_neighbors=8, max_iter=2).fit(X, y)
    assert method.status_ == "MaxIterations"
    assert np.isfinite(method.embedding_).all()


def test_one_class_is_maximum_variance_unfolding(blobs):
    X, _ = blobs
    with pytest.warns(UserWarning, match="y has a single class"):
        known = MUHSIC(n_neighbors=8).fit(X, np.zeros(60, dtype=int))
    assert np.array_equal(known.embedding_, MUHSIC(n_neighbors=8).fit(X).embedding_)


def test_coinciding_points_stay_in_one_place():
    with pytest.warns(UserWarning, match="all points of X coincide"):
        Y = MUHSIC(n_eigenvectors=3).fit(np.ones((5, 2))).embedding_
    assert (Y == 0).all()


def test_without_the_solver_it_says_what_to_install(blobs, monkeypatch):
    monkeypatch.setitem(sys.modules, "clarabel", None)
    with pytest.raises(ImportError, match=r'pip install "nbembed\[sdp\]"'):
        MUHSIC(n_neighbors=8).fit(*blobs)


@pytest.mark.slow
def test_fifteen_hundred_points_are_no_matter(capsys):
    """What the published comparison ran it on; the time is printed, for the curious."""
    X, t = make_swiss_roll(1500, noise=0.05, random_state=0)
    y = np.digitize(t, np.quantile(t, [0.25, 0.5, 0.75]))
    began = time.perf_counter()
    method = MUHSIC().fit(X[::2], y[::2])
    places = method.transform(X[1::2])
    small = time.perf_counter() - began
    whole = MUHSIC().fit(X, y)
    with capsys.disabled():
        spent = time.perf_counter() - began - small
        print(f"\nMUHSIC: 750 points and 750 new ones {small:.2f} s, 1500 points {spent:.2f} s")
    assert whole.status_ == "Solved"
    # The roll is unrolled: along it, and not across, the layout tells where a point is.
    assert abs(np.corrcoef(t, whole.embedding_[:, 0])[0, 1]) > 0.9
    near = KNeighborsClassifier(5).fit(method.embedding_, y[::2])
    assert near.score(places, y[1::2]) > 0.9


def test_the_distortion_has_no_unit():
    X = np.random.default_rng(0).standard_normal((12, 3))
    found = [MUHSIC().fit(X * unit).distortion_ for unit in (1.0, 1e120, 1e-120)]
    np.testing.assert_allclose(found, found[0], rtol=1e-6)
