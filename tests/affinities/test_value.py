"""The value: forms, logarithms, and what it remembers of how it was made."""

from __future__ import annotations

import pickle

import numpy as np
import pytest
from scipy import sparse
from scipy.spatial.distance import cdist, squareform
from scipy.special import logsumexp
from sklearn.datasets import load_wine

from nbembed.affinities import (
    Affinities,
    global_affinities,
    perplexity_affinities,
)


@pytest.fixture
def X(rng):
    return rng.normal(size=(83, 5))


def sparse_form(made):
    return Affinities.from_probabilities(sparse.csr_array(made.P), made.form)


def test_the_joint_form_agrees_with_scikit_learn():
    from sklearn.manifold._t_sne import _joint_probabilities

    X = load_wine().data
    D2 = cdist(X, X, "sqeuclidean").astype(np.float32)
    theirs = squareform(_joint_probabilities(D2, 30.0, 0))
    ours = perplexity_affinities(X, 30, dtype=np.float64).joint()
    assert ours.P.sum() == pytest.approx(1)
    np.testing.assert_array_equal(ours.P, ours.P.T)
    # They stop the bisection at 1e-5 of the entropy, as we do: that far the two may differ.
    np.testing.assert_allclose(ours.P, theirs, atol=2e-5 * theirs.max())


def test_logs(X):
    made = perplexity_affinities(X, 12, dtype=np.float64)
    for form in (made, made.joint()):
        np.testing.assert_allclose(np.exp(form.log_P), form.P)
        assert (np.diagonal(form.log_P) == -np.inf).all()
        stored = sparse_form(form)
        np.testing.assert_array_equal(
            stored.log_P.toarray()[form.P > 0], np.log(form.P[form.P > 0])
        )


def test_truncated_probabilities_are_zero_in_logs_too(X):
    made = perplexity_affinities(X, 5, dtype=np.float64)
    floor = float(np.median(made.P))
    for form in (made, made.joint(), sparse_form(made), sparse_form(made.joint())):
        cut = form.truncated(floor)
        P, before, logs = (
            m.toarray() if sparse.issparse(m) else m for m in (cut.P, form.P, cut.log_P)
        )
        np.testing.assert_array_equal(P, np.where(before >= floor, before, 0))
        np.testing.assert_array_equal(logs[P > 0], np.log(P[P > 0]))
        if not cut.is_sparse:
            assert (logs[P == 0] == -np.inf).all()
        assert cut.floor == floor
        assert cut.beta is form.beta
    for wrong in (0.0, -1.0, 1.5):
        with pytest.raises(ValueError, match="floor must be"):
            made.truncated(wrong)


def test_only_a_metric_object_is_a_learned_metric(X):
    assert perplexity_affinities(X, 5).learned_metric is None

    class Halved:
        def squared_rows(self, X, others=None):
            return lambda here: cdist(X[here], X if others is None else others) ** 2 / 4

    metric = Halved()
    made = perplexity_affinities(X, 5, metric)
    assert made.learned_metric is metric
    assert made.joint().truncated(1e-5).learned_metric is metric


def test_what_is_cached_is_made_once_and_not_pickled(X):
    made = perplexity_affinities(X, 5)
    assert made.cached("key", lambda: 1) == made.cached("key", lambda: 2) == 1
    assert pickle.loads(pickle.dumps(made)).cached("key", lambda: 2) == 2
    assert made.joint().cached("key", lambda: 3) == 3


@pytest.mark.parametrize("dtype", [np.float32, np.float64])
def test_logs_are_known_where_probabilities_underflow(rng, dtype):
    X = np.r_[rng.normal(size=(30, 3)), 1e3 + rng.normal(size=(30, 3))]
    for made in (perplexity_affinities(X, 5, dtype=dtype), global_affinities(X, 5, dtype=dtype)):
        assert made.P[0, 40] == 0
        D2 = cdist(X, X, "sqeuclidean")
        np.fill_diagonal(D2, np.inf)
        expected = -made.beta[:, None] * D2
        expected -= logsumexp(expected, axis=1, keepdims=True)
        np.testing.assert_allclose(made.log_P, expected, rtol=1e-5)
        joint = np.logaddexp(expected, expected.T) - np.log(120)
        np.testing.assert_allclose(made.joint().log_P, joint, rtol=1e-5)


def test_logs_do_not_follow_later_changes_of_the_data(X):
    for metric, data in [("euclidean", X), ("precomputed", cdist(X, X))]:
        made = perplexity_affinities(data, 12, metric)
        data *= 3
        data[0] = 0
        np.testing.assert_allclose(np.exp(made.log_P), made.P, atol=1e-6)


def test_a_joint_form_remembers_its_rows(X):
    made = perplexity_affinities(X, 12, dtype=np.float64)
    np.testing.assert_allclose(made.joint().rows().P, made.P, atol=1e-12)
    assert made.rows() is made
    assert made.joint() is made.joint()
    # Ready-made joint probabilities have no rows to remember: theirs are conditional ones.
    given = Affinities.from_probabilities(made.joint().P, "joint").rows()
    P = made.joint().P
    np.testing.assert_allclose(given.P, P / P.sum(axis=1, keepdims=True))


def test_affinities_can_be_pickled(X):
    made = perplexity_affinities(X, 12)
    again = pickle.loads(pickle.dumps(made))
    np.testing.assert_array_equal(again.P, made.P)
    np.testing.assert_array_equal(again.log_P, made.log_P)


def test_sparse_joint_probabilities_agree_with_scikit_learn():
    from sklearn.manifold._t_sne import _joint_probabilities_nn
    from sklearn.neighbors import kneighbors_graph

    X = load_wine().data
    graph = kneighbors_graph(X, 60, mode="distance")
    graph.data **= 2
    theirs = _joint_probabilities_nn(graph, 20.0, 0).toarray()
    ours = perplexity_affinities(X, 20, n_neighbors=60, dtype=np.float64).joint()
    assert ours.P.sum() == pytest.approx(1)
    assert abs(ours.P - ours.P.T).max() == 0
    # They stop the bisection at 1e-5 of the entropy: that far the two may differ.
    np.testing.assert_allclose(ours.P.toarray(), theirs, atol=2e-5 * theirs.max())


def test_a_sparse_joint_form_remembers_its_rows(X):
    made = perplexity_affinities(X, 5, n_neighbors=15)
    for joint in (made.joint(), pickle.loads(pickle.dumps(made.joint()))):
        rows = joint.rows()
        assert rows.form == "row"
        assert (rows.P != made.P).nnz == 0
    floor = float(np.median(made.P.data))
    cut = made.joint().truncated(floor).rows()
    assert (cut.P != made.truncated(floor).P).nnz == 0
    np.testing.assert_array_equal(made.log_P.data, np.log(made.P.data))
