"""Sparse dissimilarities: those that are not stored are far, as in scikit-learn."""

import numpy as np
import pytest
from scipy import sparse
from sklearn.datasets import load_digits
from sklearn.manifold import trustworthiness
from sklearn.metrics import pairwise_distances
from sklearn.neighbors import KNeighborsTransformer, kneighbors_graph
from sklearn.pipeline import make_pipeline

import nbembed as nb
from nbembed.session.readings.why import Why

pytestmark = pytest.mark.filterwarnings("ignore::sklearn.exceptions.ConvergenceWarning")


@pytest.fixture(scope="module")
def digits():
    return load_digits().data[:150]


@pytest.fixture(scope="module")
def graph(digits):
    return kneighbors_graph(digits, 24, mode="distance")


@pytest.mark.parametrize(
    "method",
    [
        nb.HSSNE(),
        nb.HSSNE(algorithm="grid"),
        nb.SNE(),
        nb.NeRV(),
        nb.Mbed(n_classes=3, directions="plane", affinity="perplexity"),
        nb.baselines.MRE(),
    ],
    ids=lambda m: type(m).__name__,
)
def test_what_is_not_stored_is_far(digits, graph, method):
    method.set_params(metric="precomputed", max_iter=200, random_state=0)
    Y = method.fit_transform(graph)
    assert method.perplexity_ == 8
    assert trustworthiness(digits, Y) > 0.95
    np.testing.assert_array_equal(method.transform(graph), Y)


def test_a_graph_of_neighbors_in_a_pipeline(digits):
    for k in (5, 24):
        method = nb.HSSNE(metric="precomputed", max_iter=200, random_state=0)
        made = make_pipeline(KNeighborsTransformer(mode="distance", n_neighbors=k), method)
        Y = made.fit_transform(digits)
        assert trustworthiness(digits, Y) > 0.93
        np.testing.assert_array_equal(made.transform(digits), Y)
        placed = made.transform(digits[:9] + 1e-3)
        assert np.abs(placed - Y[:9]).max() < 0.1 * np.ptp(Y)
        np.testing.assert_allclose(made.transform(digits[:3] + 1e-3), placed[:3], atol=1e-3)


def test_all_stored_is_all_known(digits):
    D = pairwise_distances(digits)
    stored = sparse.csr_array(D)
    for method in (nb.HSSNE, nb.NeRV, nb.baselines.MRE):
        maps = [
            method(metric="precomputed", max_iter=20, random_state=0).fit(X).embedding_
            for X in (D, stored)
        ]
        np.testing.assert_array_equal(*maps)


def test_a_stored_zero_is_a_distance_of_zero():
    X = np.repeat(np.random.default_rng(0).normal(size=(8, 3)), 2, axis=0)
    graph = kneighbors_graph(X, 5, mode="distance")
    nearest = nb.measures.nearest_neighbors(graph, 1, "precomputed")[:, 0]
    np.testing.assert_array_equal(nearest, np.arange(16) ^ 1)


@pytest.mark.parametrize(
    ("method", "named"),
    [
        (nb.Mbed(n_classes=3), 'all pairs.*affinity="perplexity"'),
        (nb.HSSNE(perplexity=25), "perplexity must be at most 24"),
        (nb.baselines.MUHSIC(), "all pairs"),
    ],
    ids=lambda x: type(x).__name__,
)
def test_what_needs_more_pairs_says_so(graph, method, named):
    y = np.arange(150) % 3
    with pytest.raises(ValueError, match=named):
        method.set_params(metric="precomputed").fit(graph, y)
    if not isinstance(method, nb.baselines.MUHSIC):
        with pytest.raises(ValueError, match=named):
            nb.Session(graph, method)


def test_what_needs_all_neighbors_says_so(digits, graph):
    fitted = nb.NeRV(metric="precomputed", max_iter=20, random_state=0).fit(graph)
    with pytest.raises(ValueError, match="X must hold the dissimilarities of all pairs"):
        fitted.transform(kneighbors_graph(digits, 3, mode="distance", include_self=True)[:4])
    Y = digits[:, :2]
    with pytest.raises(ValueError, match="X must hold the dissimilarities of all pairs"):
        nb.measures.trustworthiness(graph, Y, metric="precomputed")
    with pytest.raises(ValueError, match=r"X must store at least 30 neighbors .* got 24"):
        nb.measures.nearest_neighbors(graph, 30, "precomputed")
    alone = graph.copy().tolil()
    alone[3] = 0
    with pytest.raises(ValueError, match=r"at least one neighbor of each point.* none for point 3"):
        nb.HSSNE(metric="precomputed").fit(alone.tocsr())


def test_in_a_session(digits, graph, tmp_path):
    with nb.Session(graph, nb.HSSNE(metric="precomputed", random_state=0)) as session:
        session.step(150, wait=True)
        session.check()
        assert trustworthiness(digits, session.embedding) > 0.93
        assert session.quality > 0.4
        near = Why(session).neighborhood(3, 10)
        assert set(near.kept) | set(near.missing) == set(
            nb.measures.nearest_neighbors(digits, 10)[3]
        )
        assert np.isnan(near.trustworthiness)
        with pytest.raises(ValueError, match="perplexity must be at most 24"):
            session.set(perplexity=25)
        session.save(tmp_path / "map")
    with nb.load_session(tmp_path / "map") as loaded:
        assert abs(loaded.X - graph).nnz == 0
