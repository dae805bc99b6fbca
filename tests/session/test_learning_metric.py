"""SNeRV and learning metrics in a session: learned in the background, redone to the same bits."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest
from sklearn.datasets import load_iris

import nbembed as nb
from nbembed.methods.snerv import SNeRVRecipe
from nbembed.session import Session, load_session
from tests.session.fake import rest
from tests.session.live.test_learning import learned
from tests.session.parts import cost_anew
from tests.session.redone import redone
from tests.waiting import eventually

# Few labels of classes that lie apart: where the metric sees one class, all distances are nothing.
pytestmark = pytest.mark.filterwarnings("ignore:.*equally near neighbors")

IRIS = load_iris()
X, TRUTH = IRIS.data[::3], IRIS.target[::3]
METRIC = {"n_centroids": 3, "width": 1.0}


def label(session: Session, *classes: int) -> None:
    for k in classes:
        session.label(np.flatnonzero(k == TRUTH)[:8], str(IRIS.target_names[k]))


def test_snerv_learns_what_is_labeled_while_it_runs(tmp_path: Any) -> None:
    with Session(X, nb.SNeRV(metric=nb.LearningMetric(**METRIC), random_state=0)) as session:
        session.pace = None
        session.step(150)
        rest(session)
        before = session.embedding
        session.play()
        label(session, 1, 2)
        # The labels of the first class may be learned from before those of the second arrive.
        now = session.supervision
        eventually(lambda: any(event.arguments["supervision"] == now for event in learned(session)))
        session.pause()
        session.step(100)
        rest(session)
        assert learned(session)[-1].arguments["supervision"] == session.supervision
        assert np.abs(session.embedding - before).max() > 0.05 * np.ptp(before)
        session.set(tradeoff=0.9)
        session.step(5)
        rest(session)
        assert session.cost == pytest.approx(cost_anew(session), rel=1e-5)
        redone(session)
        session.save(tmp_path / "x")
    loaded = load_session(tmp_path / "x")
    assert repr(loaded.method) == repr(session.method)
    loaded.step(3)
    rest(loaded)
    redone(loaded)
    loaded.close()


def test_a_cold_start_with_labels_is_what_fit_computes() -> None:
    y = np.where(np.arange(50) % 2, TRUTH, -1)
    method = nb.SNeRV(metric=nb.LearningMetric(**METRIC), random_state=0, max_iter=30)
    with Session(X, method, supervision=y) as session:
        session.step(30)
        rest(session)
        assert np.array_equal(session.embedding, method.fit_transform(X, y))


def test_only_the_tradeoff_leaves_the_metric_alone(monkeypatch: pytest.MonkeyPatch) -> None:
    with Session(X, nb.SNeRV(metric=nb.LearningMetric(**METRIC), random_state=0)) as session:
        label(session, 1, 2)
        session.step(3)
        rest(session)
        calls: list[int] = []
        make = SNeRVRecipe.make_affinities
        monkeypatch.setattr(
            SNeRVRecipe, "make_affinities", lambda *a, **k: calls.append(1) or make(*a, **k)
        )
        session.set(tradeoff=0.5)
        session.set(rho=0.2)
        session.step(3)
        rest(session)
        assert not calls
        session.set(metric=nb.LearningMetric(**{**METRIC, "width": 2.0}))
        session.step(3)
        rest(session)
        assert calls == [1]
        redone(session)


@pytest.mark.parametrize("fitted", [False, True])
def test_a_learning_metric_is_another_method_s_metric(fitted: bool, tmp_path: Any) -> None:
    metric = nb.LearningMetric(**METRIC, random_state=0)
    if fitted:
        metric.fit(X, TRUTH)
    with Session(X, nb.HSSNE(metric=metric, random_state=0)) as session:
        session.step(20)
        label(session, 1, 2)
        rest(session)
        session.step(20)
        rest(session)
        # One that is fitted is used as it is.
        assert bool(learned(session)) is not fitted
        assert 0 < session.quality <= 1
        redone(session)
        session.save(tmp_path / "x")
        loaded = load_session(tmp_path / "x")
        loaded.step(3)
        rest(loaded)
        redone(loaded)
        loaded.close()
        session.switch("SNeRV")
        session.step(3)
        session.switch("HSSNE")
        session.step(3)
        rest(session)
        redone(session)


def test_a_script_learns_no_more_than_the_session_did() -> None:
    with Session(X, nb.HSSNE(random_state=0)) as session:
        session.auto_learn = False
        label(session, 1, 2)
        session.step(3)
        session.set(metric=nb.LearningMetric(**METRIC, random_state=0))
        session.step(3)
        rest(session)
        assert not learned(session)
        assert "session.auto_learn = False" in session.to_script()
        session.undo()
        session.set(alpha=1.5)
        session.step(3)
        rest(session)
        redone(session)


def test_setting_a_learning_metric_learns_in_the_background() -> None:
    with Session(X, nb.HSSNE(random_state=0)) as session:
        session.step(20)
        label(session, 1, 2)
        rest(session)
        assert not learned(session)
        session.set(metric=nb.LearningMetric(**METRIC, random_state=0))
        session.step(5)
        rest(session)
        assert learned(session)
        session.set(metric="euclidean")
        session.step(5)
        rest(session)
        redone(session)
