"""SNeRV and learned metrics in a session: labels said while the map runs make its distances."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest
from sklearn.datasets import load_iris

import nbembed as nb
from nbembed.session import Session, load_session
from tests.session.fake import rest
from tests.session.live.test_learning import learned
from tests.session.redone import redone
from tests.waiting import eventually

IRIS = load_iris()
X, TRUTH = IRIS.data[::2], IRIS.target[::2]


def new(method: Any) -> Session:
    session = Session(X, method)
    session.pace = None
    return session


def label(session: Session, *classes: int) -> None:
    for k in classes:
        session.label(np.flatnonzero(k == TRUTH)[:8], str(IRIS.target_names[k]))


@pytest.mark.parametrize(
    "method",
    [
        nb.SNeRV(metric=nb.LearningMetric(n_centroids=3, width=1.0, cv=3), random_state=0),
        nb.HSSNE(metric=nb.LearningMetric(3, width=1.0, cv=3), random_state=0),
    ],
    ids=["SNeRV", "HSSNE"],
)
def test_labels_said_while_it_runs_make_the_metric(method):
    with new(method) as session:
        session.step(30)
        label(session, 0)
        session.step(10)
        rest(session)
        before = len(learned(session))
        label(session, 1, 2)
        eventually(lambda: len(learned(session)) > before)
        session.step(40)
        rest(session)
        assert np.isfinite(session.embedding).all()
        redone(session)


def test_a_fitted_metric_is_saved_with_the_session(tmp_path):
    metric = nb.LearningMetric(n_centroids=4, width=1.0, max_iter=20, random_state=0).fit(X, TRUTH)
    with new(nb.HSSNE(metric=metric, random_state=0)) as session:
        session.step(20)
        rest(session)
        session.save(tmp_path / "map.nbembed")
        with load_session(tmp_path / "map.nbembed") as back:
            assert np.array_equal(back.method.metric.centroids_, metric.centroids_)
            assert np.array_equal(back.embedding, session.embedding)
            back.step(20)
            rest(back)
            redone(back)
