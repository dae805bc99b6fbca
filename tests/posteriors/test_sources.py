"""Posteriors from any classifier and from topic models."""

from __future__ import annotations

import numpy as np
import pytest
from sklearn.datasets import load_iris
from sklearn.decomposition import LatentDirichletAllocation
from sklearn.linear_model import LogisticRegression
from sklearn.model_selection import LeaveOneOut, cross_val_predict
from sklearn.naive_bayes import GaussianNB, MultinomialNB
from sklearn.pipeline import make_pipeline
from sklearn.preprocessing import StandardScaler
from sklearn.semi_supervised import LabelSpreading
from sklearn.svm import SVC

from nbembed.posteriors import (
    NaiveBayes,
    Posteriors,
    SoftNearestNeighbor,
    class_posteriors,
    topic_posteriors,
)
from nbembed.posteriors.classify import learned_posteriors
from nbembed.supervision import Supervision


@pytest.fixture(scope="module")
def iris():
    return load_iris(return_X_y=True)


@pytest.fixture
def partly(iris):
    y = np.full(150, -1)
    y[::5] = iris[1][::5]
    return y


@pytest.mark.parametrize(
    "classifier",
    [
        LogisticRegression(max_iter=500),
        GaussianNB(),
        make_pipeline(StandardScaler(), GaussianNB()),
        LabelSpreading(),
        SoftNearestNeighbor(),
        "soft-nearest-neighbor",
        "naive-bayes",
    ],
    ids=str,
)
def test_any_classifier(iris, partly, classifier):
    X, y = iris
    found = class_posteriors(classifier, X, partly)
    assert isinstance(found, Posteriors)
    assert found.shape == (150, 3)
    assert found.classes == ("0", "1", "2")
    assert np.mean(found.proba.argmax(axis=1) == y) > 0.6
    np.testing.assert_allclose(np.asarray(found).sum(axis=1), 1)
    assert not found.proba.flags.writeable


def test_what_the_classifier_says_is_what_comes_back(iris, partly):
    X, _ = iris
    where = partly >= 0
    plain = GaussianNB().fit(X[where], partly[where])
    np.testing.assert_allclose(
        class_posteriors(GaussianNB(), X, partly).proba, plain.predict_proba(X), rtol=1e-12
    )


def test_it_is_cloned(iris, partly):
    mine = GaussianNB()
    class_posteriors(mine, iris[0], partly)
    assert not hasattr(mine, "theta_")


def test_labels_may_be_names_and_classes_keep_the_supervision_s_order(iris):
    X, y = iris
    told = Supervision(150).label(np.flatnonzero(y == 2)[:9], "virginica")
    told = told.label(np.flatnonzero(y == 0)[:9], "setosa").add_class("nobody")
    found = class_posteriors(GaussianNB(), X, told)
    assert found.classes == ("virginica", "setosa", "nobody")
    assert found.prior.tolist() == [0.5, 0.5, 0]
    assert (found.proba[:, 2] == 0).all()
    assert (found.proba[y == 0, 1] > 0.9).all()


def test_confidence_becomes_a_weight(iris):
    X, y = iris
    told = Supervision(150).label(np.flatnonzero(y == 0)[:9], "a")
    told = told.label(np.flatnonzero(y == 1)[:9], "b").label([60, 61], "a", confidence=0.6)
    rows = told.labeled
    weights = told.label_weights[rows]
    assert weights.min() == pytest.approx(2 * 0.6 - 1)
    plain = GaussianNB().fit(X[rows], told.top_class[rows], sample_weight=weights)
    np.testing.assert_allclose(
        class_posteriors(GaussianNB(), X, told).proba, plain.predict_proba(X), rtol=1e-9
    )
    # What takes no weights learns all the same.
    assert class_posteriors(make_pipeline(GaussianNB()), X, told).shape == (150, 2)


@pytest.mark.parametrize("classifier", [GaussianNB(), SoftNearestNeighbor(), LabelSpreading()])
def test_labels_that_say_nothing_are_ignored(iris, classifier):
    X, y = iris
    told = Supervision(150).label(np.flatnonzero(y == 0)[:9], "a")
    told = told.label(np.flatnonzero(y == 1)[:9], "b")
    vague = told.label([60, 61], "a", confidence=0.5)
    np.testing.assert_array_equal(
        class_posteriors(classifier, X, vague).proba, class_posteriors(classifier, X, told).proba
    )
    one = Supervision(150).label(range(9), "a").label([60], "b", confidence=0.5)
    with pytest.raises(ValueError, match="at least two classes"):
        class_posteriors(classifier, X, one)
    assert not learned_posteriors(classifier, X, one).informative


def test_held_out(iris, partly):
    X, _ = iris
    where = np.flatnonzero(partly >= 0)
    seen = class_posteriors(GaussianNB(), X, partly)
    held = class_posteriors(GaussianNB(), X, partly, cv=5)
    expected = cross_val_predict(
        GaussianNB(), X[where], partly[where], cv=5, method="predict_proba"
    )
    np.testing.assert_allclose(held.proba[where], expected)
    np.testing.assert_array_equal(held.proba[partly < 0], seen.proba[partly < 0])
    each = class_posteriors(NaiveBayes(smoothing=1.0), X, partly, cv="leave-one-out")
    slowly = class_posteriors(NaiveBayes(smoothing=1.0), X, partly, cv=LeaveOneOut())
    np.testing.assert_allclose(each.proba, slowly.proba, atol=1e-9)


@pytest.mark.parametrize(
    ("classifier", "error", "says"),
    [
        ("magic", ValueError, "classifier must be one of"),
        (3, TypeError, "classifier must be a scikit-learn classifier"),
        (GaussianNB, TypeError, "classifier must be a scikit-learn classifier"),
        (SVC(), ValueError, "classifier must have predict_proba"),
    ],
)
def test_bad_classifiers(iris, partly, classifier, error, says):
    with pytest.raises(error, match=says):
        class_posteriors(classifier, iris[0], partly)


def test_bad_labels(iris, partly):
    X, _ = iris
    with pytest.raises(ValueError, match="must label points of at least two classes"):
        class_posteriors(GaussianNB(), X, np.zeros(150))
    with pytest.raises(ValueError, match="cv must be"):
        class_posteriors(GaussianNB(), X, partly, cv="ten")
    with pytest.raises(ValueError, match="leave-one-out"):
        class_posteriors(GaussianNB(), X, partly, cv="leave-one-out")


@pytest.mark.parametrize("classes", [0, 1, 3])
def test_too_few_labels_say_nothing(iris, classes):
    told = Supervision(150, list("abc")[:classes])
    if classes:
        told = told.label([1, 2], "a")
    found = learned_posteriors(GaussianNB(), iris[0], told)
    assert not found.informative
    assert found.shape == (150, classes)
    assert classes == 0 or np.allclose(found.proba, 1 / classes)


# -- topics ----------------------------------------------------------------------------------------


@pytest.fixture(scope="module")
def topics():
    rng = np.random.default_rng(0)
    words = rng.dirichlet(np.full(20, 0.2), 4)
    counts = np.array([rng.multinomial(50, words[n % 4]) for n in range(60)])
    return LatentDirichletAllocation(4, random_state=0).fit(counts), counts


@pytest.mark.parametrize("prior", ["tokens", "uniform"])
def test_words_by_bayes(topics, prior):
    model, _ = topics
    found = topic_posteriors(model, prior=prior)
    p_word = model.components_ / model.components_.sum(axis=1, keepdims=True)
    p_topic = model.components_.sum(axis=1) / model.components_.sum()
    joint = p_word.T * (p_topic if prior == "tokens" else 0.25)
    np.testing.assert_allclose(found.proba, joint / joint.sum(axis=1, keepdims=True))
    np.testing.assert_allclose(found.prior, p_topic if prior == "tokens" else 0.25)
    assert found.classes == ("0", "1", "2", "3")


def test_documents_and_some_topics(topics):
    model, counts = topics
    found = topic_posteriors(model, counts, topics=[3, 1])
    expected = model.transform(counts)[:, [1, 3]]
    np.testing.assert_allclose(found.proba, expected / expected.sum(axis=1, keepdims=True))
    assert found.classes == ("1", "3")
    assert topic_posteriors(model, topics=[0, 2]).shape == (20, 2)


def test_bad_topics(topics):
    model, _ = topics
    with pytest.raises(ValueError, match="topics must name at least two"):
        topic_posteriors(model, topics=[1])
    with pytest.raises(ValueError, match="topics must be indices"):
        topic_posteriors(model, topics=[1, 9])
    with pytest.raises(ValueError, match="model must be a fitted topic model"):
        topic_posteriors(LatentDirichletAllocation())
    with pytest.raises(ValueError, match="prior must be one of"):
        topic_posteriors(model, prior="flat")


def test_the_prior_is_that_of_a_classifier_that_has_one():
    """Classes of 10, 5 and 5 documents; a class without a document has the prior zero."""
    rng = np.random.default_rng(0)
    counts = rng.poisson(3, (20, 8))
    told = Supervision(20).add_class("none").label(range(10), "a")
    told = told.label(range(10, 15), "b").label(range(15, 20), "c")
    for naive in ("naive-bayes", MultinomialNB()):
        found = class_posteriors(naive, counts, told)
        prior = dict(zip(found.classes, found.prior, strict=True))
        assert prior == pytest.approx({"none": 0, "a": 0.5, "b": 0.25, "c": 0.25})
    other = class_posteriors(SoftNearestNeighbor(), counts, told)
    assert other.prior[other.prior > 0] == pytest.approx(1 / 3)
    uneven = class_posteriors(SoftNearestNeighbor(class_prior="empirical"), counts, told)
    assert max(uneven.prior) == pytest.approx(0.5)
