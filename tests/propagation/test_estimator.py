"""PropagationClassifier: fitted points, new points, labels in all their forms."""

from __future__ import annotations

import numpy as np
import pytest
from scipy import sparse
from scipy.spatial.distance import cdist
from sklearn.datasets import make_blobs
from sklearn.neighbors import NearestNeighbors, kneighbors_graph

import nbembed as nb

X, Y = make_blobs(150, 4, centers=3, cluster_std=1.0, random_state=2)
KNOWN = np.where(np.arange(150) % 10 == 0, Y, -1)


def test_fitted_points_have_what_propagate_returns():
    model = nb.PropagationClassifier(stacking=False).fit(X, KNOWN)
    proba = nb.propagate(nb.propagation.neighbor_affinities(X), model.supervision_)
    np.testing.assert_array_equal(model.label_distributions_, proba)
    np.testing.assert_array_equal(model.transduction_, proba.argmax(axis=1))
    np.testing.assert_array_equal(model.classes_, [0, 1, 2])
    assert (model.transduction_ == Y).mean() > 0.95


def test_new_points_have_their_neighbors_rows():
    model = nb.PropagationClassifier().fit(X, KNOWN)
    new, truth = make_blobs(150, 4, centers=3, cluster_std=1.0, random_state=2)
    new = new + 0.05
    proba = model.predict_proba(new)
    np.testing.assert_allclose(proba.sum(axis=1), 1)
    assert model.score(new, truth) > 0.95
    # By hand, one point: affinities of perplexity 10 over its 30 nearest.
    D2 = cdist(new[:1], X, "sqeuclidean")[0]
    near = D2.argsort()[:30]

    def row(beta):
        p = np.exp(-beta * (D2[near] - D2[near].min()))
        return p / p.sum()

    low, high = 1e-6, 1e6
    for _ in range(200):
        beta = np.sqrt(low * high)
        p = row(beta)
        low, high = (beta, high) if np.exp(-(p * np.log(p)).sum()) > 10 else (low, beta)
    np.testing.assert_allclose(proba[0], p @ model.label_distributions_[near], atol=1e-6)


def test_each_new_point_is_on_its_own():
    model = nb.PropagationClassifier().fit(X, KNOWN)
    all_of_them = model.predict_proba(X[:20] + 0.1)
    np.testing.assert_allclose(all_of_them[3], model.predict_proba(X[3:4] + 0.1)[0], atol=1e-12)


def test_names_sparse_data_rows_and_supervision_say_the_same():
    model = nb.PropagationClassifier().fit(X, KNOWN)
    names = np.array(["a", "b", "c"])
    named = nb.PropagationClassifier().fit(X, [names[k] if k >= 0 else None for k in KNOWN])
    np.testing.assert_array_equal(named.transduction_, names[model.transduction_])
    T = np.where(KNOWN[:, None] >= 0, np.eye(3)[KNOWN], np.nan)
    others = [
        nb.PropagationClassifier().fit(sparse.csr_array(X), KNOWN),
        nb.PropagationClassifier().fit(X, T),
        nb.PropagationClassifier().fit(X, supervision=model.supervision_),
    ]
    for other in others:
        np.testing.assert_allclose(
            other.label_distributions_, model.label_distributions_, atol=1e-6
        )


def test_precomputed_dissimilarities():
    D = cdist(X, X)
    model = nb.PropagationClassifier().fit(X, KNOWN)
    given = nb.PropagationClassifier(metric="precomputed").fit(D, KNOWN)
    np.testing.assert_allclose(given.label_distributions_, model.label_distributions_, atol=1e-6)
    np.testing.assert_allclose(
        given.predict_proba(cdist(X[:9] + 1, X)), model.predict_proba(X[:9] + 1), atol=1e-6
    )
    thin = sparse.csr_array(cdist(X[:9] + 1, X))
    np.testing.assert_array_equal(
        given.predict_proba(thin), given.predict_proba(cdist(X[:9] + 1, X))
    )
    with pytest.raises(ValueError, match="X must be non-negative"):
        given.predict_proba(cdist(X[:9], X) - 1)


def test_dissimilarities_that_are_not_stored_are_far():
    model = nb.PropagationClassifier(stacking=False).fit(X, KNOWN)
    given = nb.PropagationClassifier(stacking=False, metric="precomputed")
    given.fit(kneighbors_graph(X, 40, mode="distance"), KNOWN)
    np.testing.assert_allclose(given.label_distributions_, model.label_distributions_, atol=1e-6)
    new = NearestNeighbors().fit(X).kneighbors_graph(X[:9] + 1, 40, mode="distance")
    np.testing.assert_allclose(given.predict_proba(new), model.predict_proba(X[:9] + 1), atol=1e-6)
    few = kneighbors_graph(X, 5, mode="distance")
    rows = given.fit(few, KNOWN).predict_proba(few)
    np.testing.assert_allclose(rows.sum(axis=1), 1)
    assert np.mean(rows.argmax(axis=1) == model.suggestions_.top_class) > 0.9
    with pytest.raises(ValueError, match="perplexity must be at most 5"):
        given.set_params(perplexity=6).fit(few, KNOWN)


def test_labels_are_needed():
    with pytest.raises(ValueError, match="requires y to be passed"):
        nb.PropagationClassifier().fit(X)
    with pytest.raises(ValueError, match="must not both be given"):
        nb.PropagationClassifier().fit(X, KNOWN, nb.Supervision(150))
    with pytest.raises(ValueError, match="at least one label"):
        nb.PropagationClassifier().fit(X, np.full(150, -1))
