"""Which estimators a session file may hold, and with which parameters."""

from __future__ import annotations

import inspect
import json
import zipfile

import numpy as np
import pytest
from sklearn.calibration import CalibratedClassifierCV
from sklearn.ensemble import VotingClassifier
from sklearn.feature_selection import SelectFromModel
from sklearn.linear_model import LogisticRegression
from sklearn.model_selection import GridSearchCV
from sklearn.naive_bayes import GaussianNB
from sklearn.neighbors import KNeighborsClassifier
from sklearn.pipeline import Pipeline, make_pipeline
from sklearn.preprocessing import FunctionTransformer, StandardScaler

import nbembed as nb
from nbembed.session import load_session
from nbembed.session.core.estimators import CACHES, SCIKIT_LEARN, make_estimator, path_of
from nbembed.session.core.serialization import decode, encode, same
from tests.session.file.test_storage import edited, tampered


def listed():
    return [f"sklearn.{module}.{name}" for module in SCIKIT_LEARN for name in SCIKIT_LEARN[module]]


@pytest.mark.parametrize("path", listed())
def test_no_class_of_the_list_reads_files_or_calls_what_a_parameter_names(path):
    module, _, name = path.rpartition(".")
    cls = getattr(__import__(module, fromlist=[name]), name)
    assert path_of(cls) == path
    for parameter in inspect.signature(cls).parameters:
        words = {"path", "file", "folder", "dir", "memory", "func", "dispatch", "getter"}
        assert parameter in CACHES or not words & set(parameter.split("_")), parameter
        assert parameter != "input"
    required = {"estimator": GaussianNB(), "estimators": [("a", GaussianNB())], "steps": []}
    required |= {"transformers": [], "transformer_list": []}
    signature = inspect.signature(cls).parameters
    made = make_estimator(path, {k: v for k, v in required.items() if k in signature}, {})
    assert type(made) is cls


@pytest.mark.parametrize(
    "estimator",
    [
        CalibratedClassifierCV(make_pipeline(StandardScaler(), GaussianNB()), cv=3),
        VotingClassifier([("a", GaussianNB()), ("b", KNeighborsClassifier(3))], weights=[1, 2]),
        nb.LearningMetric(n_centroids=2, width=1.0),
        nb.spectral.LFDA(gamma=0.5),
    ],
    ids=lambda e: type(e).__name__,
)
def test_those_of_the_list_come_back(estimator):
    assert same(decode(json.loads(json.dumps(encode(estimator)))), estimator)


@pytest.mark.parametrize(
    "estimator",
    [
        FunctionTransformer(),
        SelectFromModel(LogisticRegression()),
        GridSearchCV(GaussianNB(), {}),
        make_pipeline(FunctionTransformer(), GaussianNB()),
        KNeighborsClassifier(weights=np.sqrt),
    ],
    ids=lambda e: type(e).__name__,
)
def test_others_are_not_stored(estimator):
    with pytest.raises(TypeError, match=r"classifier.* has no JSON form"):
        encode(estimator, "classifier")


@pytest.mark.parametrize(
    "path",
    [
        "sklearn.preprocessing.FunctionTransformer",
        "sklearn.model_selection.GridSearchCV",
        "sklearn.feature_extraction.text.CountVectorizer",
        "sklearn.utils.Bunch",
        "nbembed.baselines.SIsomap",
        "nbembed.experiments.run.LFDA.x",
        "tests.session.fake.Fake",
        "sklearn..svm.SVC",
        ".svm.SVC",
        "SVC",
        "",
        None,
    ],
)
def test_others_are_not_restored(path):
    with pytest.raises(ValueError, match="is not one of the estimators that can be loaded"):
        decode({"__estimator__": path, "parameters": {}, "learned": {}})


def test_no_object_is_restored_in_the_place_of_a_cache():
    stored = {"__estimator__": "sklearn.pipeline.Pipeline", "learned": {}}
    memory = {"__estimator__": "joblib.Memory", "parameters": {}, "learned": {}}
    with pytest.raises(ValueError, match="is not one of the estimators that can be loaded"):
        decode({**stored, "parameters": {"steps": [], "memory": memory}})
    with pytest.warns(UserWarning, match="must not set a cache"):
        made = decode({**stored, "parameters": {"steps": [], "memory": {"__opaque__": "Memory"}}})
    assert made.memory is None


def test_a_cache_is_not_stored():
    classifier = Pipeline([("a", StandardScaler()), ("b", GaussianNB())], memory="cache")
    stored = encode(classifier)
    assert stored["parameters"]["memory"] is None
    assert classifier.memory == "cache"


def test_a_cache_that_a_file_names_is_not_used(tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    X = np.random.default_rng(0).normal(size=(24, 3))
    classifier = Pipeline([("a", StandardScaler()), ("b", GaussianNB())])
    y = np.r_[np.zeros(6), np.ones(6), np.full(12, -1)]
    method = nb.ParametricEmbedding(classifier=classifier, random_state=0)
    with nb.Session(X, method, supervision=y) as session:
        session.step(2, wait=True)
        session.save(tmp_path / "x")
    with zipfile.ZipFile(tmp_path / "x") as file:
        content = json.loads(file.read("session.json"))
    start = content["log"][0]["arguments"]["parameters"]
    start["classifier"]["parameters"]["memory"] = "cache"
    tampered(tmp_path / "x", edited(log=content["log"]))
    with pytest.warns(UserWarning, match="memory='cache' of Pipeline was not restored"):
        loaded = load_session(tmp_path / "x")
    loaded.step(2, wait=True)
    assert loaded.method.classifier.memory is None
    assert "cache" not in loaded.to_script()
    assert not (tmp_path / "cache").exists()
    loaded.close()


@pytest.mark.parametrize(
    "broken",
    [
        {"centroids_": np.zeros((2, 9))},
        {"centroids_": np.zeros((9, 3))},
        {"centroids_": np.full((2, 3), np.nan)},
        {"centroids_": np.zeros((2, 3), dtype=np.float32)},
        {"centroids_": 1.0},
        {"class_given_centroid_": np.zeros((2, 9))},
        {"class_given_centroid_": -np.ones((2, 2))},
        {"width_": 0.0},
        {"width_": "wide"},
        {"n_features_in_": 9},
        {"classes_": np.zeros(7)},
    ],
    ids=lambda broken: next(iter(broken)),
)
def test_fitted_attributes_of_a_metric_fit_together(broken):
    X = np.random.default_rng(0).normal(size=(20, 3))
    metric = nb.LearningMetric(n_centroids=2, width=1.0, cv=None, max_iter=3, random_state=0)
    stored = encode(metric.fit(X + np.arange(20)[:, None] // 10, np.arange(20) // 10))
    assert same(decode(stored), metric)
    stored["learned"] |= encode(broken)
    with pytest.raises(ValueError, match="are inconsistent"):
        decode(stored)
