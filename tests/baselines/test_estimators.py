"""What scikit-learn expects of the baselines, and what they all promise."""

from __future__ import annotations

import warnings

import anndata
import numpy as np
import pandas as pd
import polars as pl
import pytest
from scipy import sparse
from scipy.spatial.distance import cdist, pdist
from sklearn.base import clone
from sklearn.exceptions import ConvergenceWarning

from nbembed.baselines import MRE, MUHSIC, SIsomap
from nbembed.supervision import Supervision

pytestmark = pytest.mark.filterwarnings("ignore:the graph of n_neighbors")


def test_fit_leaves_data_and_parameters_alone(baseline, blobs):
    X, y = blobs
    before, parameters = X.copy(), baseline.get_params()
    assert baseline.fit(X, y) is baseline
    assert np.array_equal(X, before)
    assert baseline.get_params() == parameters
    assert baseline.embedding_.shape == (60, 2)
    assert baseline.embedding_.dtype == np.float64
    assert np.isfinite(baseline.embedding_).all()
    assert np.array_equal(baseline.fit_transform(X, y), clone(baseline).fit(X, y).embedding_)


def test_transform_knows_the_data_it_was_fitted_to(baseline, blobs):
    X, y = blobs
    data = X.copy()
    baseline.fit(data, y)
    data += 1  # what became of the caller's array does not matter
    assert np.array_equal(baseline.transform(X), baseline.embedding_)
    assert not np.shares_memory(baseline.transform(X), baseline.embedding_)


def test_new_points_are_placed_one_by_one(baseline, blobs):
    X, y = blobs
    baseline.fit(X[:40], y[:40])
    places = baseline.transform(X[40:])
    assert np.isfinite(places).all()
    assert np.allclose(baseline.transform(X[45:47]), places[5:7], rtol=1e-9, atol=1e-9)


def test_links_are_ignored_with_a_warning(baseline, blobs):
    X, _ = blobs
    linked = Supervision(60).must_link([0, 1, 2])
    with pytest.warns(UserWarning, match="does not use the links in supervision"):
        baseline.fit(X, supervision=linked)
    assert np.array_equal(baseline.embedding_, clone(baseline).fit(X).embedding_)


@pytest.mark.parametrize(
    "table", [pd.DataFrame, pl.DataFrame, anndata.AnnData, list], ids=lambda t: t.__module__
)
@pytest.mark.filterwarnings("ignore::FutureWarning", "ignore::UserWarning")
def test_tables_are_matrices(baseline, blobs, table):
    X, y = blobs
    expected = clone(baseline).fit(X[:50], y[:50])
    given = baseline.fit(table(X[:50]), y[:50])
    assert np.array_equal(given.embedding_, expected.embedding_)
    assert np.array_equal(given.transform(table(X[50:])), expected.transform(X[50:]))


def test_dissimilarities_and_sparse_data_give_the_same_map(baseline, blobs):
    X, y = blobs
    if isinstance(baseline, MRE):
        baseline.set_params(max_iter=5)
    with warnings.catch_warnings():
        warnings.simplefilter("ignore", ConvergenceWarning)
        baseline.fit(X[:50], y[:50])
        given = clone(baseline).set_params(metric="precomputed").fit(cdist(X[:50], X[:50]), y[:50])
        loose = clone(baseline).fit(sparse.csr_matrix(X[:50]), y[:50])
    assert given.__sklearn_tags__().input_tags.pairwise
    if not isinstance(baseline, MRE):  # whose start hangs on the signs of other principal axes
        assert np.allclose(
            pdist(given.embedding_), pdist(baseline.embedding_), rtol=1e-4, atol=1e-5
        )
    assert np.allclose(pdist(loose.embedding_), pdist(baseline.embedding_), rtol=1e-4, atol=1e-5)
    places = given.transform(cdist(X[50:], X[:50]))
    assert np.isfinite(places).all()
    assert np.array_equal(given.transform(cdist(X[:50], X[:50])), given.embedding_)


def test_other_metrics(baseline, blobs):
    X, y = blobs
    by_name = clone(baseline).set_params(metric="cityblock").fit(X[:50], y[:50])
    by_hand = (
        clone(baseline).set_params(metric=lambda a, b: np.abs(a - b).sum()).fit(X[:50], y[:50])
    )
    assert np.isfinite(by_hand.transform(X[50:])).all()
    if not isinstance(baseline, MRE):
        assert np.allclose(pdist(by_name.embedding_), pdist(by_hand.embedding_), atol=1e-5)


class Stretched:
    """A metric that is an object, and must learn how long the first axis is."""

    def __init__(self, length=None):
        self.length = length

    def fitted_to(self, X, supervision):
        return Stretched(1.0 + len(supervision.classes))

    def squared_rows(self, X, others=None):
        scale = np.array([self.length, 1, 1, 1])
        others = X if others is None else others
        return lambda here: cdist(X[here] * scale, others * scale, "sqeuclidean")


def test_a_metric_may_be_learned_from_the_labels(baseline, blobs):
    X, y = blobs
    learned = clone(baseline).set_params(metric=Stretched()).fit(X[:50], y[:50])
    stretched = X * [3.0, 1, 1, 1]
    expected = baseline.fit(stretched[:50], y[:50])
    assert learned.metric.length is None, "what the user gave stays as it was"
    assert np.isfinite(learned.transform(X[50:])).all()
    if not isinstance(baseline, MRE):  # whose start is of the data's own principal axes
        assert np.allclose(learned.embedding_, expected.embedding_, atol=1e-6)
        assert np.allclose(learned.transform(X[50:]), expected.transform(stretched[50:]), atol=1e-6)


BAD = [
    ({"n_components": 0}, ValueError, "n_components"),
    ({"n_components": 2.0}, TypeError, "n_components"),
    ({"metric": "no such"}, ValueError, "metric"),
    ({"verbose": -1}, ValueError, "verbose"),
    ({"callbacks": 3}, TypeError, "callbacks"),
    ({"random_state": -1}, ValueError, "random_state"),
]
OWN = {
    SIsomap: [
        ({"n_components": 60}, ValueError, "n_components must be less than n_samples = 60"),
        ({"n_neighbors": 60}, ValueError, "n_neighbors must be at most 59"),
        ({"n_neighbors": 0}, ValueError, "n_neighbors"),
        ({"n_neighbors": "many"}, ValueError, 'n_neighbors must be "auto"'),
        ({"offset": 1.1}, ValueError, "offset"),
        ({"offset": "half"}, TypeError, "offset"),
        ({"scale": 0}, ValueError, "scale"),
        ({"scale": "median"}, ValueError, "scale"),
        ({"bandwidth": -1.0}, ValueError, "bandwidth"),
        ({"bandwidth": "best"}, ValueError, "bandwidth"),
    ],
    MUHSIC: [
        ({"n_components": 11}, ValueError, "n_components must be at most n_eigenvectors = 10"),
        ({"n_neighbors": 60}, ValueError, "n_neighbors must be at most 59"),
        ({"n_neighbors": 2.5}, TypeError, "n_neighbors"),
        ({"n_eigenvectors": 60}, ValueError, "n_eigenvectors must be at most 59"),
        ({"penalty": 0}, ValueError, "penalty"),
        ({"penalty": np.nan}, ValueError, "penalty"),
        ({"tol": 0.0}, ValueError, "tol"),
        ({"max_iter": 0}, ValueError, "max_iter"),
    ],
    MRE: [
        ({"perplexity": 60}, ValueError, "perplexity"),
        ({"init": "spectral"}, ValueError, "init"),
        ({"max_iter": 0}, ValueError, "max_iter"),
        ({"tol": -1e-3}, ValueError, "tol"),
        ({"n_jobs": 0}, ValueError, "n_jobs"),
    ],
}


@pytest.mark.parametrize(
    ("kind", "parameters", "error", "message"),
    [(kind, *case) for kind in OWN for case in (*BAD, *OWN[kind])],
    ids=lambda part: part.__name__ if isinstance(part, type) else None,
)
def test_bad_parameters_are_named(kind, parameters, error, message, blobs):
    with pytest.raises(error, match=message):
        kind(**parameters).fit(*blobs)


@pytest.mark.parametrize(
    ("X", "y", "message"),
    [
        (np.ones(5), None, "X"),
        (np.full((5, 2), np.nan), None, "X"),
        (np.ones((1, 2)), None, "X"),
        ([["a", "b"], ["c", "d"]], None, "X"),
        (np.eye(5), [0, 1], "y must have 5 labels"),
        (np.eye(5), [0, 1, 1, 0, -2], "y must be non-negative labels"),
        (np.eye(5), np.ones((5, 2)), "y"),
    ],
)
def test_bad_data_are_named(kind, X, y, message):
    with pytest.raises(ValueError, match=message):
        kind().fit(X, y)


def test_y_and_supervision_exclude_each_other(kind, blobs):
    X, y = blobs
    with pytest.raises(ValueError, match="y and supervision"):
        kind().fit(X, y, supervision=Supervision(60))
    with pytest.raises(TypeError, match="supervision must be a Supervision"):
        kind().fit(X, supervision=y)


def test_bad_new_points_are_named(baseline, blobs):
    X, y = blobs
    given = clone(baseline).set_params(metric="precomputed").fit(cdist(X, X), y)
    with pytest.raises(ValueError, match="X must be non-negative"):
        given.transform(-cdist(X[:2], X))
