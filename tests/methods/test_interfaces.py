"""Tables of other packages, pipelines and searches: whatever takes X takes them."""

from __future__ import annotations

import pickle

import anndata
import numpy as np
import pandas as pd
import polars as pl
import pytest
from scipy import sparse
from sklearn.base import clone
from sklearn.metrics import pairwise_distances
from sklearn.model_selection import GridSearchCV, cross_val_score
from sklearn.pipeline import make_pipeline
from sklearn.preprocessing import StandardScaler

import nbembed as nb
from nbembed import measures
from nbembed.affinities import perplexity_affinities
from nbembed.data.matrix_input import check_data, matrix_of
from nbembed.methods import HSSNE, Mbed
from tests.methods.helpers import partly, quick

NAMES = [f"gene {k}" for k in range(10)]


def annotated(X):
    return anndata.AnnData(X, var=pd.DataFrame(index=NAMES))


@pytest.mark.parametrize(
    "make",
    [
        lambda X: pd.DataFrame(X, columns=NAMES),
        lambda X: pl.DataFrame(X, schema=NAMES),
        annotated,
        lambda X: annotated(X)[np.arange(80)],
        lambda X: X.tolist(),
    ],
    ids=["pandas", "polars", "anndata", "a view of an anndata", "list"],
)
def test_tables_are_matrices(kind, pair, make):
    X, y = pair
    labels = partly(y)
    expected = quick(kind).fit(X, labels)
    given = quick(kind).fit(make(X), labels)
    assert np.array_equal(given.embedding_, expected.embedding_)
    new = X[:9] + 0.01
    rows = make(np.vstack([new, X[9:]]))  # a view needs its eighty
    assert np.array_equal(given.transform(rows)[:9], expected.transform(new))


def test_sparse_annotated_data(kind, pair):
    X, _ = pair
    for wrap in (sparse.csr_matrix, sparse.csr_array):
        given = quick(kind).fit(annotated(wrap(X)))
        expected = quick(kind).fit(wrap(X))
        assert np.array_equal(given.embedding_, expected.embedding_)


def test_another_matrix_of_annotated_data_is_given_itself(pair):
    X, _ = pair
    adata = anndata.AnnData(None, obs=pd.DataFrame(index=[str(i) for i in range(80)]))
    adata.obsm["X_pca"] = X
    Y = quick(HSSNE).fit_transform(adata.obsm["X_pca"])
    assert np.array_equal(Y, quick(HSSNE).fit_transform(X))
    with pytest.raises(ValueError, match=r"X must hold data.*obsm"):
        quick(HSSNE).fit(adata)


def test_parts_for_work_of_one_s_own_take_tables_too(pair):
    X, _ = pair
    frame, adata = pl.DataFrame(X), annotated(X)
    P = perplexity_affinities(X, 10).P
    for table in (frame, adata):
        assert np.array_equal(perplexity_affinities(table, 10).P, P)
        assert np.array_equal(check_data(table), X)
        assert measures.trustworthiness(table, X) == 1
    held = perplexity_affinities(adata, 10)
    logs = perplexity_affinities(X, 10).log_P
    adata.X *= 2
    assert np.array_equal(held.log_P, logs), "the caller's matrix may change"
    assert matrix_of(X) is X


def test_column_names_of_polars(kind, pair):
    X, _ = pair
    frame = pl.DataFrame(X, schema=NAMES)
    method = quick(kind).fit(frame)
    assert list(method.feature_names_in_) == NAMES
    with pytest.raises(ValueError, match=r"X .*feature names"):
        method.transform(frame.select(NAMES[::-1]))
    Y = quick(kind).set_output(transform="polars").fit_transform(frame)
    assert isinstance(Y, pl.DataFrame)
    assert Y.columns == list(method.get_feature_names_out())
    assert np.array_equal(Y.to_numpy(), method.embedding_)


@pytest.mark.parametrize("table", [pd, pl], ids=["pandas", "polars"])
def test_labels_in_columns(kind, pair, table):
    X, y = pair
    labels = partly(y)
    words = [None if c < 0 else "ab"[c] for c in labels]
    expected = quick(kind).fit(X, words).embedding_
    assert np.array_equal(quick(kind).fit(X, table.Series(words)).embedding_, expected)
    T = np.full((80, 2), np.nan)
    T[:20] = np.where(y[:20, None] == [0, 1], 0.9, 0.1)
    told = quick(kind).fit(X, table.DataFrame(T, **{_columns(table): ["a", "b"]}))
    assert told.supervision_.classes == ("a", "b")
    assert np.array_equal(told.embedding_, quick(kind).fit(X, T).embedding_)


def _columns(table):
    return "columns" if table is pd else "schema"


def test_a_pipeline_fits_places_clones_and_pickles(kind, pair):
    X, y = pair
    model = make_pipeline(StandardScaler(), quick(kind))
    Y = model.fit_transform(X, partly(y))
    assert np.array_equal(model.transform(X), Y)
    again = clone(model).fit(X, partly(y))
    assert np.array_equal(again.transform(X[:5] + 0.1), model.transform(X[:5] + 0.1))
    loaded = pickle.loads(pickle.dumps(model))
    assert np.array_equal(loaded.transform(X[:5] + 0.1), model.transform(X[:5] + 0.1))


def test_a_search_over_what_predicts(pair):
    X, y = pair
    search = GridSearchCV(quick(Mbed), {"lam": [0.5, 2.0], "n_classes": [2]}, cv=3)
    search.fit(X, y)
    assert search.best_score_ > 0.9
    assert search.best_params_["lam"] in (0.5, 2.0)
    model = make_pipeline(StandardScaler(), quick(Mbed, lam=1.0))
    assert cross_val_score(model, X, y, cv=3).mean() > 0.9


def test_the_score_is_the_share_of_labeled_points_named_right(pair):
    X, y = pair
    words = np.array(["left", "right"], dtype=object)[y]
    for given in (y, y.astype(float), words):
        method = quick(Mbed, lam=1.0).fit(X, given)
        new, truth = X + 0.3, given.copy()
        assert method.score(new, truth) == np.mean(method.predict(new) == truth)
        truth[:70] = None if given is words else -1
        assert method.score(new, truth) == np.mean(method.predict(new)[70:] == truth[70:])
    with pytest.raises(ValueError, match="y must label at least one point"):
        method.score(X, np.full(80, -1))
    with pytest.raises(ValueError, match="y must have 80 labels"):
        method.score(X, y[:5])


def test_the_map_that_fit_transform_returns_is_a_copy():
    X = np.random.default_rng(0).normal(size=(60, 5))
    for method in (nb.HSSNE(max_iter=20, random_state=0), nb.baselines.SIsomap()):
        Y = method.fit_transform(X, np.arange(60) % 3)
        kept = method.embedding_.copy()
        Y *= 100
        np.testing.assert_array_equal(method.embedding_, kept)


@pytest.mark.filterwarnings("ignore::sklearn.exceptions.ConvergenceWarning")
@pytest.mark.parametrize("own", [np.nan, np.inf, -1.0, 7.0])
def test_the_diagonal_of_dissimilarities_is_not_read(own):
    X = np.random.default_rng(0).normal(size=(60, 5))
    D, y = pairwise_distances(X), np.arange(60) % 3
    odd = D.copy()
    np.fill_diagonal(odd, own)
    lacking = odd.copy()
    lacking[0, 1] = np.nan
    for method in (
        nb.HSSNE(max_iter=20, random_state=0),
        nb.Mbed(n_classes=3, max_iter=100, random_state=0),
        nb.baselines.SIsomap(),
    ):
        method.set_params(metric="precomputed")
        Y = method.fit(D, y).embedding_.copy()
        for given in (odd, sparse.csr_array(odd)):
            np.testing.assert_array_equal(method.fit(given, y).embedding_, Y)
            np.testing.assert_array_equal(method.transform(given), Y)
        with pytest.raises(ValueError, match="X must be finite"):
            method.transform(lacking)
    model = nb.PropagationClassifier(metric="precomputed").fit(odd, y)
    expected = nb.PropagationClassifier(metric="precomputed").fit(D, y)
    np.testing.assert_array_equal(model.label_distributions_, expected.label_distributions_)
    np.testing.assert_array_equal(model.predict_proba(odd), expected.predict_proba(D))
    with pytest.raises(ValueError, match="X must be finite"):
        model.predict(lacking)
    with pytest.raises(ValueError, match="X must be finite, but it contains NaN at row 0"):
        nb.HSSNE(metric="precomputed").fit(lacking)
