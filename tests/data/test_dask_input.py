"""Dask arrays and dataframes, chunk by chunk, for everything that takes rows of a fitted model."""

from __future__ import annotations

import subprocess
import sys
from pathlib import Path

import dask
import dask.array as da
import dask.dataframe as dd
import numpy as np
import pandas as pd
import pytest
import sklearn
from scipy import sparse
from sklearn.datasets import load_iris
from sklearn.exceptions import NotFittedError

import nbembed as nb

pytestmark = [
    pytest.mark.filterwarnings("ignore:X has feature names"),
    pytest.mark.filterwarnings("ignore:the graph of n_neighbors"),
]

X, Y = load_iris(return_X_y=True)
NEW = X[::2] + 0.125
CHUNKS = (20, 1, 30, 24)
NAMES = load_iris().feature_names
QUICK = {"max_iter": 10, "random_state": 0, "n_jobs": 1}
SPECIES = load_iris().target_names[Y]


def models():
    """Return fitted models by name, with classes that are words where there are classes."""
    partly = np.where(np.arange(150) % 3 == 0, SPECIES.astype(object), None)
    return {
        "HSSNE": nb.HSSNE(**QUICK).fit(X),
        "NeRV": nb.NeRV(**QUICK).fit(X),
        "Mbed": nb.Mbed(**{**QUICK, "max_iter": 35}, n_classes=3, lam=1.0).fit(X, partly),
        "ParametricEmbedding": nb.ParametricEmbedding(classifier="naive-bayes", **QUICK).fit(
            X, SPECIES
        ),
        "PropagationClassifier": nb.PropagationClassifier(n_jobs=1).fit(X, partly),
        "LFDA": nb.spectral.LFDA().fit(X, Y),
        "KPCATrick": nb.spectral.KPCATrick(learner=nb.spectral.FDA()).fit(X, Y),
        "SIsomap": nb.baselines.SIsomap(n_neighbors=10).fit(X, Y),
        "NaiveBayes": nb.posteriors.NaiveBayes().fit(X, SPECIES),
        "SoftNearestNeighbor": nb.posteriors.SoftNearestNeighbor().fit(X, Y),
        "LearningMetric": nb.LearningMetric(n_centroids=3, width=1.0, random_state=0).fit(X, Y),
    }


@pytest.fixture(scope="module")
def fitted():
    return models()


@pytest.fixture(autouse=True)
def one_thread():
    with dask.config.set(scheduler="synchronous"):
        yield


METHODS = {
    "HSSNE": ("transform",),
    "NeRV": ("transform",),
    "Mbed": ("transform", "predict_proba", "predict"),
    "ParametricEmbedding": ("transform", "predict_proba", "predict"),
    "PropagationClassifier": ("predict_proba", "predict"),
    "LFDA": ("transform",),
    "KPCATrick": ("transform",),
    "SIsomap": ("transform",),
    "NaiveBayes": ("predict_log_proba", "predict_proba", "predict"),
    "SoftNearestNeighbor": ("predict_log_proba", "predict_proba", "predict"),
    "LearningMetric": ("predict_log_proba", "predict_proba", "predict"),
}
CASES = [(name, method) for name, methods in METHODS.items() for method in methods]


def by_hand(call, rows):
    """Return what the calls of all chunks return, one after the other."""
    stops = np.cumsum(CHUNKS)
    return np.concatenate([call(rows[b - n : b]) for n, b in zip(CHUNKS, stops)])


@pytest.mark.parametrize(("name", "method"), CASES)
def test_a_dask_array_gives_one_lazily(fitted, name, method):
    call = getattr(fitted[name], method)
    given = da.from_array(NEW, chunks=(CHUNKS, (3, 1)))
    found = call(given)
    assert isinstance(found, da.Array)
    assert found.chunks[0] == CHUNKS
    expected = by_hand(call, NEW)
    assert (found.shape, found.dtype) == (expected.shape, expected.dtype)
    computed = found.compute()
    assert (computed.shape, computed.dtype) == (expected.shape, expected.dtype)
    np.testing.assert_array_equal(computed, expected)
    whole = call(NEW)
    if whole.dtype.kind == "f":
        np.testing.assert_allclose(computed, whole, rtol=1e-4, atol=1e-4 * np.abs(whole).max())
    else:
        np.testing.assert_array_equal(computed, whole)
    np.testing.assert_array_equal(found[:5].compute(), expected[:5])


@pytest.mark.parametrize(("name", "method"), CASES)
def test_a_dask_dataframe_gives_an_array_of_unknown_chunks(fitted, name, method):
    call = getattr(fitted[name], method)
    frame = dd.from_pandas(pd.DataFrame(NEW, columns=list("abcd")), npartitions=3)
    found = call(frame)
    assert isinstance(found, da.Array)
    assert np.isnan(found.shape[0])
    parts = [call(part.compute()) for part in frame.partitions]
    np.testing.assert_array_equal(found.compute(), np.concatenate(parts))


def test_unknown_and_empty_chunks_are_fine(fitted):
    model = fitted["HSSNE"]
    frame = dd.from_pandas(pd.DataFrame(NEW, columns=list("abcd")), npartitions=3)
    kept = frame[frame["a"] > 6.0]  # none of the first partition
    assert len(kept.partitions[0]) == 0
    rows = NEW[NEW[:, 0] > 6.0]
    for given in (kept, kept.to_dask_array(), kept.values):
        found = model.transform(given)
        assert found.compute().shape == (len(rows), 2)
        np.testing.assert_allclose(found.compute(), model.transform(rows), atol=1e-4)
        assert fitted["NaiveBayes"].predict(given).compute().shape == (len(rows),)
    blocks = da.from_array(NEW).map_blocks(sparse.csr_matrix, dtype=float)
    np.testing.assert_allclose(model.transform(blocks).compute(), model.transform(NEW), atol=1e-4)


def test_columns_are_compared_with_those_of_the_fit_at_once():
    model = nb.HSSNE(**QUICK).fit(pd.DataFrame(X, columns=NAMES))
    frame = dd.from_pandas(pd.DataFrame(NEW, columns=NAMES), npartitions=2)
    expected = model.transform(pd.DataFrame(NEW, columns=NAMES))
    np.testing.assert_allclose(model.transform(frame).compute(), expected, atol=1e-4)
    with pytest.raises(ValueError, match=r"X must be .*feature names"):
        model.transform(frame[NAMES[::-1]])
    with pytest.raises(ValueError, match=r"X must be .*3 features"):
        nb.HSSNE(**QUICK).fit(X).transform(da.from_array(NEW[:, :3]))


def test_what_is_wrong_is_refused_before_anything_is_computed(fitted):
    def never(block):
        raise AssertionError

    model = fitted["HSSNE"]
    good = da.from_array(NEW).map_blocks(never, dtype=float, meta=np.empty((0, 0)))
    model.transform(good)  # lazily
    for wrong, error, match in (
        (good[0], ValueError, "X must have shape"),
        (good[:, None], ValueError, "X must have shape"),
        (good[:, :2], ValueError, "2 features"),
        (good.astype("U5"), ValueError, "X must be a matrix of real numbers"),
        (dask.delayed(never)(3), TypeError, "X must be a dask array or dataframe, got Delayed"),
    ):
        with pytest.raises(error, match=match):
            model.transform(wrong)
    with pytest.raises(NotFittedError):
        nb.HSSNE().transform(good)


def test_values_are_checked_with_their_chunk(fitted):
    spoiled = NEW.copy()
    spoiled[30, 2] = np.nan
    found = fitted["HSSNE"].transform(da.from_array(spoiled, chunks=(20, 4)))
    assert np.isfinite(found[:20].compute()).all()
    with pytest.raises(ValueError, match=r"X must be .*NaN"):
        found.compute()


def test_the_result_is_that_of_the_fit_at_the_time_of_the_call():
    model = nb.HSSNE(**QUICK).fit(X)
    expected = model.transform(NEW)
    found = model.transform(da.from_array(NEW))
    model.set_params(alpha=2.0).fit(X[::-1] * 3)
    np.testing.assert_array_equal(found.compute(), expected)


@pytest.mark.parametrize("method", ["transform", "predict_proba"])
def test_dataframes_are_not_made_of_a_dask_array(method):
    """scikit-learn would compute all of it at once."""

    def never(block):
        raise AssertionError

    y = np.where(np.arange(150) % 3 == 0, Y, -1)
    model = nb.Mbed(**{**QUICK, "max_iter": 35}, n_classes=3, lam=1.0).fit(X, y)
    good = da.from_array(NEW).map_blocks(never, dtype=float, meta=np.empty((0, 0)))
    call = getattr(model, method)
    if method == "predict_proba":  # whose output is no dataframe
        model.set_output(transform="pandas")
        assert isinstance(call(good), da.Array)
        return
    with sklearn.config_context(transform_output="pandas"):
        with pytest.raises(ValueError, match=r'X must be .*set_output\(transform="default"\)'):
            call(good)
        model.set_output(transform="default")
        found = call(da.from_array(NEW))
    model.set_output(transform="pandas")
    with pytest.raises(ValueError, match="X must be"):
        call(good)
    assert isinstance(found.compute(), np.ndarray)  # as it was when it was called


def test_posteriors_are_placed_among_the_centers():
    proba = np.random.default_rng(0).dirichlet(np.ones(4), 200)
    model = nb.ParametricEmbedding(**QUICK).fit(proba[:100])
    found = model.transform(da.from_array(proba, chunks=(64, 4)))
    np.testing.assert_allclose(found.compute()[:100], model.embedding_, atol=1e-4)
    np.testing.assert_allclose(found.compute(), model.transform(proba), atol=1e-6)


def test_what_needs_all_rows_refuses_with_the_bytes_and_a_way_out():
    for call in (
        nb.HSSNE().fit,
        nb.ParametricEmbedding().fit,
        nb.spectral.PCA().fit,
        nb.baselines.MRE().fit,
        lambda X: nb.posteriors.NaiveBayes().fit(X, Y),
        nb.Session,
        lambda X: nb.measures.trustworthiness(X, X[:, :2]),
        lambda X: nb.experiments.sweep(nb.HSSNE(), {}, X, scoring=max),
    ):
        with pytest.raises(TypeError, match=r"X must be in memory, got a dask Array.*1,220\.7 MiB"):
            call(da.zeros((40_000_000, 4)))
    frame = dd.from_pandas(pd.DataFrame(X, columns=list("abcd")), npartitions=2)
    with pytest.raises(TypeError, match="X must be in memory, got a dask DataFrame"):
        nb.HSSNE().fit(frame)


def test_dask_is_not_imported_unless_it_is_given():
    script = """
import sys, numpy as np, nbembed as nb
X = np.random.default_rng(0).random((20, 3))
model = nb.HSSNE(max_iter=2)
model.fit(X).transform(X + 1)
nb.experiments.sweep(model, {}, X, scoring=lambda model, X, y: 0)
print("dask" in sys.modules, "distributed" in sys.modules)
"""
    done = subprocess.run(
        [sys.executable, "-W", "ignore", "-c", script],
        cwd=Path(nb.__file__).parents[1],
        capture_output=True,
        text=True,
    )
    assert done.stdout.split() == ["False", "False"], done.stderr
