"""Parametric Embedding in a session: posteriors learned from the labels said while it runs."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest
from sklearn.datasets import load_iris
from sklearn.linear_model import LogisticRegression
from sklearn.naive_bayes import GaussianNB

import nbembed as nb
from nbembed.session import Session, load_session
from tests.session.fake import rest
from tests.session.live.test_learning import learned
from tests.session.parts import cost_anew
from tests.session.redone import redone
from tests.waiting import GUARD

IRIS = load_iris()
X, TRUTH = IRIS.data[::3], IRIS.target[::3]


def new(**keywords: Any) -> Session:
    keywords.setdefault("classifier", "soft-nearest-neighbor")
    session = Session(X, nb.ParametricEmbedding(random_state=0, **keywords))
    session.pace = None
    return session


def label(session: Session, *classes: int) -> None:
    for k in classes:
        session.label(np.flatnonzero(k == TRUTH)[:5], str(IRIS.target_names[k]))


def test_labels_said_while_it_runs_bring_centers_and_a_map():
    with new() as session:
        session.play()
        rest(session)
        start = session.embedding
        assert np.ptp(start, axis=0).min() > 1, "something to lasso"
        label(session, 0)
        assert session.wait("converged", GUARD)
        assert np.array_equal(session.embedding, start), "one class is nothing to learn from"
        label(session, 1)
        assert session.wait("converged", GUARD)
        assert session.center_names == ("setosa", "versicolor")
        assert learned(session)
        before = session.centers
        label(session, 2)
        assert session.wait("converged", GUARD)
        assert session.center_names == tuple(IRIS.target_names)
        assert np.sum(session.centers[:2] * before) > 0, "these stay on their sides"
        Y, centers = session.embedding, session.centers
        nearest = np.linalg.norm(Y[:, None] - centers, axis=2).argmin(axis=1)
        assert (nearest == TRUTH).mean() > 0.85
        assert session.membership.shape == (50, 3)
        session.undo()
        assert session.wait("converged", GUARD)
        assert session.center_names == ("setosa", "versicolor")
        redone(session)


def test_a_class_prior_counts_once_its_classes_are_there_and_refuses_one_more():
    with new(class_prior=[0.2, 0.8]) as session:
        session.play()
        label(session, 0)
        assert session.wait("converged", GUARD)
        label(session, 1)
        assert session.wait("converged", GUARD)
        assert session.cost == pytest.approx(cost_anew(session), rel=1e-6)
        with pytest.raises(ValueError, match=r"class_prior must have shape \(3,\)"):
            label(session, 2)
        assert session.supervision.classes == tuple(IRIS.target_names[:2])
        assert session.wait("converged", GUARD)
        redone(session)


def test_a_cold_start_is_what_fit_computes():
    with new() as session:
        label(session, 0, 1, 2)
        fitted = session.method.fit(X, supervision=session.supervision)
        session.step(fitted.n_iter_)
        rest(session)
        assert np.array_equal(session.frame().embedding, fitted.embedding_)
        np.testing.assert_allclose(session.centers, fitted.class_embedding_, rtol=1e-6)


def test_posteriors_themselves_are_embedded():
    proba = GaussianNB().fit(X, TRUTH).predict_proba(X)
    with Session(proba, nb.HSSNE(random_state=0)) as session:
        session.pace = None
        session.step(20)
        session.switch("ParametricEmbedding")
        assert session.method.classifier is None
        session.play()
        assert session.wait("converged", GUARD)
        assert session.center_names == ("1", "2", "3")
        session.label([0, 1], "a")
        session.step(3)
        rest(session)
        assert not learned(session)
        redone(session)


def test_switching_to_it_and_away(tmp_path):
    with Session(X, nb.HSSNE(random_state=0)) as session:
        session.pace = None
        session.step(60)
        label(session, 0, 1, 2)
        session.switch("ParametricEmbedding")
        assert session.method.classifier == "soft-nearest-neighbor"
        session.step(5)
        rest(session)
        assert session.center_names == tuple(IRIS.target_names)
        assert learned(session)[-1].iteration == 60, "it learned before it moved"
        session.save(tmp_path / "x")
        session.switch("HSSNE")
        session.step(5)
        rest(session)
        assert session.centers.shape == (0, 2)
        redone(session)
    loaded = load_session(tmp_path / "x")
    assert loaded.centers.shape == (3, 2)
    loaded.set(eta_objects=0.5, n_components=3)
    loaded.step(5)
    rest(loaded)
    assert loaded.centers.shape == (3, 3)
    redone(loaded)
    loaded.close()


@pytest.mark.parametrize("classifier", [LogisticRegression(C=0.1 + 0.2), "naive-bayes"])
def test_any_classifier_is_stored_and_printed(classifier, tmp_path):
    with new(classifier=classifier) as session:
        label(session, 0, 1)
        session.step(4)
        label(session, 2)
        rest(session)
        session.step(4)
        rest(session)
        session.save(tmp_path / "x")
        redone(session)
        assert "nbembed.session.core.serialization" not in session.to_script()
    loaded = load_session(tmp_path / "x")
    assert type(loaded.method.classifier) is type(classifier)
    loaded.set(classifier=GaussianNB())
    loaded.step(4)
    rest(loaded)
    redone(loaded)
    loaded.close()


def test_pinned_points_stay_among_moving_centers():
    with new() as session:
        label(session, 0, 1, 2)
        session.step(3)
        rest(session)
        session.pin([0, 20, 40])
        rest(session)
        before, centers = session.embedding, session.centers
        session.set(eta_objects=1.0)
        session.step(10)
        rest(session)
        after = session.embedding
        assert np.array_equal(before[[0, 20, 40]], after[[0, 20, 40]])
        assert np.abs(session.centers - centers).max() > 1e-3
        redone(session)


def test_steering_the_pull(tmp_path):
    with new() as session:
        label(session, 0, 1, 2)
        session.play()
        assert session.wait("converged", GUARD)
        wide = np.ptp(session.embedding)
        assert session.parameters["eta_classes"] == pytest.approx(0.5)
        session.set(eta_classes=20.0)
        assert session.wait("converged", GUARD)
        assert np.ptp(session.embedding) < wide
        redone(session)
