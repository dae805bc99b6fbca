"""Naive Bayes: against appendix C by hand, refits without a document, and scikit-learn."""

from __future__ import annotations

import numpy as np
import pytest
from scipy import sparse
from sklearn.naive_bayes import MultinomialNB
from sklearn.utils.estimator_checks import check_estimator

from nbembed.posteriors import NaiveBayes
from nbembed.posteriors.naive_bayes import best_smoothing


def test_scikit_learn():
    check_estimator(NaiveBayes(), on_skip=None)


@pytest.fixture
def documents(rng):
    """Return counts of 40 documents over 15 words, and their three classes."""
    y = np.arange(40) % 3
    topics = rng.dirichlet(np.full(15, 0.4), 3)
    return np.array([rng.multinomial(rng.integers(5, 40), topics[c]) for c in y]), y


def test_with_one_smoothing_it_is_scikit_learn_s(documents):
    X, y = documents
    ours, theirs = NaiveBayes(smoothing=0.7).fit(X, y), MultinomialNB(alpha=0.7).fit(X, y)
    np.testing.assert_allclose(ours.log_theta_, theirs.feature_log_prob_)
    np.testing.assert_allclose(ours.predict_log_proba(X), theirs.predict_log_proba(X), atol=1e-9)
    np.testing.assert_array_equal(ours.predict(X), theirs.predict(X))


def likelihood(X, smoothing):
    """Return the leave-one-out likelihood of one class's documents, document by document."""
    total = 0.0
    for n in range(len(X)):
        rest = np.delete(X, n, axis=0).sum(axis=0) + smoothing
        total += float(X[n] @ np.log(rest / rest.sum()))
    return total


def test_smoothing_makes_left_out_documents_most_probable(documents):
    X, y = documents
    fitted = NaiveBayes().fit(X, y)
    for k in range(3):
        own = X[y == k]
        best = likelihood(own, fitted.smoothing_[k])
        for smoothing in np.geomspace(1e-6, 1e4, 60):
            assert likelihood(own, smoothing) <= best + 1e-6
    assert (fitted.smoothing_ > 1e-5).any(), "else every class wants the least there is"


def test_a_class_of_one_document_has_nothing_to_be_judged_by():
    counts = sparse.csr_array(np.array([[1.0, 2.0]]))
    assert best_smoothing(counts, np.ones(1), np.array([1.0, 2.0])) == 1.0


def test_left_out_posteriors_are_those_of_refits(documents):
    X, y = documents
    fitted = NaiveBayes().fit(X, y)
    found = fitted.leave_one_out_proba(X, y)
    for n in range(0, 40, 3):
        rest = np.arange(40) != n
        smoothed = np.array([X[rest & (y == k)].sum(axis=0) for k in range(3)], float)
        smoothed += fitted.smoothing_[:, None]
        prior = np.bincount(y[rest]) / 39
        joint = np.log(prior) + X[n] @ np.log(smoothed / smoothed.sum(axis=1, keepdims=True)).T
        expected = np.exp(joint - joint.max())
        np.testing.assert_allclose(found[n], expected / expected.sum(), atol=1e-10)


def test_the_only_document_of_a_class_left_out(documents):
    X, y = documents
    y = y.copy()
    y[0] = 7
    found = NaiveBayes().fit(X, y).leave_one_out_proba(X, y)
    assert found[0, 3] == 0
    np.testing.assert_allclose(found.sum(axis=1), 1)


def test_sparse_and_weights(documents):
    X, y = documents
    dense = NaiveBayes().fit(X, y)
    loose = NaiveBayes().fit(sparse.csr_matrix(X), y)
    np.testing.assert_allclose(loose.log_theta_, dense.log_theta_)
    np.testing.assert_allclose(
        loose.leave_one_out_proba(sparse.csr_array(X), y), dense.leave_one_out_proba(X, y)
    )
    some = np.arange(40) < 30
    weighted = NaiveBayes().fit(X, y, sample_weight=some.astype(float))
    np.testing.assert_allclose(weighted.log_theta_, NaiveBayes().fit(X[some], y[some]).log_theta_)


def test_long_documents_underflow_nowhere(documents):
    X, y = documents
    fitted = NaiveBayes().fit(X, y)
    logs = fitted.predict_log_proba(X * 1000)
    assert np.isfinite(logs).all()
    assert logs.min() < -1000


@pytest.mark.parametrize(
    ("keywords", "says"),
    [
        ({"smoothing": 0.0}, "smoothing"),
        ({"smoothing": "laplace"}, "smoothing"),
        ({"class_prior": [0.5, 0.5]}, "class_prior"),
        ({"class_prior": [0.5, 0.6, -0.1]}, "class_prior"),
    ],
)
def test_bad_arguments(documents, keywords, says):
    with pytest.raises(ValueError, match=says):
        NaiveBayes(**keywords).fit(*documents)


def test_bad_data(documents):
    X, y = documents
    with pytest.raises(ValueError, match="Negative values"):
        NaiveBayes().fit(-X, y)
    with pytest.raises(ValueError, match="y must have a label among classes_"):
        NaiveBayes().fit(X, y).leave_one_out_proba(X, y + 1)
    with pytest.raises(ValueError, match="sample_weight must not be zero for all"):
        NaiveBayes().fit(X, y, sample_weight=(y > 0).astype(float))
