"""What sources of posteriors are given, refused by name; odd but legal data give probabilities."""

from __future__ import annotations

import numpy as np
import pytest
from sklearn.decomposition import LatentDirichletAllocation
from sklearn.linear_model import LogisticRegression

from nbembed.posteriors import (
    NaiveBayes,
    SoftNearestNeighbor,
    class_posteriors,
    learn,
    topic_posteriors,
)
from nbembed.supervision import as_supervision

RNG = np.random.default_rng(2)
X = RNG.integers(0, 5, (20, 4)).astype(float)
LABELS = np.repeat([0, 1], 10)
SOURCES = [NaiveBayes, SoftNearestNeighbor]

BAD = {
    "masked": (np.ma.masked_equal(X, 1.0), "X must have no masked values"),
    "dates": (X.astype("datetime64[D]"), "X must be a matrix of real numbers"),
    "huge": (X * 1e200, "X must be at most 1e.140 in magnitude"),
}


@pytest.mark.parametrize("bad", BAD)
@pytest.mark.parametrize("kind", SOURCES)
def test_data(kind, bad):
    value, message = BAD[bad]
    with pytest.raises(ValueError, match=message):
        kind().fit(value, LABELS)


@pytest.mark.parametrize("kind", SOURCES)
@pytest.mark.parametrize(
    ("arguments", "message"),
    [
        ((None, LABELS), "X must"),
        (("abc", LABELS), "X must"),
        ((X[:, 0], LABELS), "X must"),
        (([[1], [2, 3]], LABELS), "X must"),
        ((X * np.nan, LABELS), "X must"),
        ((X, LABELS[:3]), "y must"),
        ((X, [[0], [1, 2]]), "y must"),
        ((X, np.eye(20)), "y must"),
        ((X, LABELS + 0.5), "y must"),
        ((X, LABELS * np.nan), "y must"),
        ((X, LABELS, np.ones(3)), "sample_weight must"),
        ((X, LABELS, -np.ones(20)), "sample_weight must"),
        ((X, LABELS, "heavy"), "sample_weight must"),
        ((X, LABELS, np.nan), "sample_weight must"),
        ((X, LABELS, np.inf), "sample_weight must"),
        ((X, LABELS, 10**400), "sample_weight must"),
        ((X, LABELS, [[1], [2, 3]]), "sample_weight must"),
    ],
)
def test_the_argument_is_named(kind, arguments, message):
    with pytest.raises((TypeError, ValueError), match=f"^{message}"):
        kind().fit(*arguments)
    with pytest.raises(ValueError, match="requires y to be passed"):
        kind().fit(X, None)


@pytest.mark.parametrize("kind", SOURCES)
def test_new_data_are_named(kind):
    model = kind().fit(X, LABELS)
    for wrong in (None, "abc", X[:, :2], [[1], [2, 3]], X * np.nan):
        with pytest.raises((TypeError, ValueError), match=r"^X must"):
            model.predict_proba(wrong)


@pytest.mark.parametrize("bad", ["masked", "huge"])
def test_new_data_of_the_neighbors(bad):
    value, message = BAD[bad]
    with pytest.raises(ValueError, match=message):
        SoftNearestNeighbor().fit(X, LABELS).predict_proba(value)


@pytest.mark.parametrize("prior", ["a", [1j, 0], [None, 1.0], [[0.5, 0.5], [1.0]]])
@pytest.mark.parametrize("kind", SOURCES)
def test_priors_are_numbers(kind, prior):
    with pytest.raises((TypeError, ValueError), match="class_prior must be"):
        kind(class_prior=prior).fit(X, LABELS)


@pytest.mark.parametrize("scale", [1e-100, 1e100])
def test_very_large_and_small_numbers_give_probabilities(scale):
    proba = class_posteriors("soft-nearest-neighbor", scale * X, LABELS).proba
    np.testing.assert_allclose(
        proba, class_posteriors("soft-nearest-neighbor", X, LABELS).proba, rtol=1e-6, atol=1e-9
    )


@pytest.mark.parametrize("cv", [0, 1, -1, 2.5, 100, "loo", object()])
def test_folds(cv):
    with pytest.raises(ValueError, match="cv must be"):
        class_posteriors(LogisticRegression(), X, LABELS, cv=cv)


def test_folds_that_lack_a_class():
    few = np.full(20, -1)
    few[[0, 1, 2, 10]] = [0, 0, 0, 1]
    with (
        pytest.warns(UserWarning, match="least populated class"),
        pytest.raises(ValueError, match="cv must be folds that suit these labels, got 2"),
    ):
        class_posteriors(LogisticRegression(), X, few, cv=2)


def test_documents_of_a_topic_model():
    model = LatentDirichletAllocation(3, max_iter=2, random_state=0).fit(X)
    for wrong in ("abc", -X, X[:, :2], X[:, 0]):
        with pytest.raises(
            ValueError, match="X must be word counts of documents that model accepts"
        ):
            topic_posteriors(model, wrong)
    for wrong in (3, "a", [0.5, 1.5], [0, 9], [0]):
        with pytest.raises((TypeError, ValueError), match="topics must"):
            topic_posteriors(model, topics=wrong)


def test_what_is_learned_from():
    known = as_supervision(LABELS, 20)
    for wrong in (None, "abc", X[:, 0]):
        with pytest.raises(ValueError, match="X must"):
            learn("naive-bayes", wrong, known)
    for wrong in (None, LABELS):
        with pytest.raises(TypeError, match="supervision must be of type Supervision"):
            learn("naive-bayes", X, wrong)
    with pytest.raises(ValueError, match="supervision must cover 20 points, got one of 19"):
        learn("naive-bayes", X, as_supervision(LABELS[:-1], 19))
    assert learn("naive-bayes", X.tolist(), known).predict_proba(X).shape == (20, 2)
