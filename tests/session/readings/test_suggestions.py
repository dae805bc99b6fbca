"""Suggested labels: made in the background, accepted as plain labels, checked at random."""

from __future__ import annotations

import gc
import threading
import weakref
from typing import Any

import numpy as np
import pytest

import nbembed as nb
from nbembed.propagation import accuracy_interval
from nbembed.propagation.stacking import Stacking
from nbembed.session import Session, load_session
from nbembed.session.live import suggester
from tests.session.fake import Fake, rest
from tests.waiting import GUARD, eventually, worker_begun_by

#: Three clusters that share no neighbors, forty points each.
TRUTH = np.repeat([0, 1, 2], 40)
X = np.random.default_rng(1).normal(size=(120, 3)) + 40.0 * TRUTH[:, None]
NAMES = ("a", "b", "c")


@pytest.fixture
def held(monkeypatch: pytest.MonkeyPatch) -> Any:
    """An event without which no graph is finished."""
    gate, made = threading.Event(), suggester.neighbor_affinities

    def slow(*arguments: Any, **keywords: Any) -> Any:
        assert gate.wait(GUARD)
        return made(*arguments, **keywords)

    monkeypatch.setattr(suggester, "neighbor_affinities", slow)
    yield gate
    gate.set()


@pytest.fixture
def graphs(monkeypatch: pytest.MonkeyPatch) -> list[weakref.ref[Any]]:
    """The graphs that are made."""
    made: list[weakref.ref[Any]] = []
    make = suggester.neighbor_affinities

    def noted(*arguments: Any, **keywords: Any) -> Any:
        graph = make(*arguments, **keywords)
        made.append(weakref.ref(graph))
        return graph

    monkeypatch.setattr(suggester, "neighbor_affinities", noted)
    return made


@pytest.fixture
def session() -> Any:
    with Session(X, Fake(random_state=3)) as session:
        session.pace = None
        yield session


def label_one_each(session: Session) -> None:
    for k, name in enumerate(NAMES):
        session.label([40 * k], name)


def test_a_label_is_answered_before_the_linear_classifier_is_fitted_anew(session, monkeypatch):
    fitting, gate = threading.Event(), threading.Event()

    def slow(*_: Any) -> None:
        fitting.set()
        assert gate.wait(GUARD)

    monkeypatch.setattr(Stacking, "_fit", slow)
    label_one_each(session)
    eventually(lambda: session.suggestions is not None)
    assert fitting.wait(GUARD)
    found = session.suggestions
    assert (found.top_class == TRUTH).all()
    assert session.suggesting
    with pytest.raises(TimeoutError):
        session.suggest(timeout=0)
    gate.set()
    assert session.suggest() is not None


def test_there_are_none_without_labels(session):
    assert session.suggestions is None
    assert session.suggest() is None
    assert not session.suggesting
    with pytest.raises(ValueError, match="accept\\(\\) needs suggestions"):
        session.accept()
    with pytest.raises(ValueError, match="there are no suggestions yet; label some points first"):
        session.check_suggestions()
    assert session.suggestion_check is None
    assert session.log[1:] == []


def test_they_follow_the_labels(session):
    session.label([0], "a")
    found = session.suggest()
    assert found.classes == ("a",)
    assert np.array_equal(np.flatnonzero(found.reached), np.arange(40))
    label_one_each(session)
    found = session.suggest()
    assert np.array_equal(found.top_class, TRUTH)
    assert session.suggestions is found
    session.undo()
    assert session.suggest().classes == ("a", "b")
    session.rename_class("a", "A")
    assert session.suggest().classes == ("A", "b")
    session.must_link([1, 81])
    assert session.suggest().reached.all()


def test_nothing_is_made_before_somebody_asks(session, monkeypatch):
    made: list[Any] = []
    monkeypatch.setattr(suggester, "neighbor_affinities", lambda *a, **k: made.append(a))
    label_one_each(session)
    session.step(2)
    rest(session)
    assert made == []
    assert not session.suggesting


def test_neither_the_map_nor_the_caller_waits_for_the_graph(session, held):
    label_one_each(session)
    assert session.suggestions is None
    assert session.suggesting
    with pytest.raises(TimeoutError):
        session.suggest(timeout=0.01)
    heard: list[str] = []
    session.subscribe(heard.append)
    session.step(5)
    session.label([1], "a")
    session.label([2], "b")
    rest(session)
    assert session.iteration == 5
    assert session.suggestions is None
    held.set()
    assert session.suggest().labeled.sum() == 5
    eventually(lambda: "suggestions" in heard)


def test_of_labels_given_meanwhile_only_the_last_count(session, held, monkeypatch):
    updates: list[int] = []
    update = suggester.Propagation.update

    def counted(self: Any, supervision: Any) -> Any:
        updates.append(supervision.labeled.size)
        return update(self, supervision)

    monkeypatch.setattr(suggester.Propagation, "update", counted)
    session.label([0], "a")
    assert session.suggestions is None
    for i in range(1, 9):
        session.label([i], "a")
    held.set()
    session.suggest()
    assert updates == [1, 9]


def test_a_graph_is_made_once(session, monkeypatch):
    made: list[Any] = []
    original = suggester.neighbor_affinities

    def counted(*arguments: Any, **keywords: Any) -> Any:
        made.append(keywords["metric"])
        return original(*arguments, **keywords)

    monkeypatch.setattr(suggester, "neighbor_affinities", counted)
    label_one_each(session)
    session.suggest()
    session.set(weight=2.0)
    session.label([3], "a")
    session.suggest()
    assert made == ["euclidean"]
    session.set(metric="cosine")
    session.suggest()
    assert made == ["euclidean", "cosine"]


def test_accepted_are_unlabeled_points_alone_in_one_step(session):
    label_one_each(session)
    session.label([41, 42], "a", confidence=0.7)  # not what is suggested
    session.label([100], "c", confidence=0.6)
    before = session.supervision
    expected = session.suggest()
    session.accept(0.2)
    after = session.supervision
    labeled = before.labeled
    assert np.array_equal(after.top_class[labeled], before.top_class[labeled])
    assert np.array_equal(after.confidence[labeled], before.confidence[labeled])
    chosen = expected.above(0.2)
    assert chosen.size > 50
    assert np.array_equal(np.setdiff1d(after.labeled, labeled), chosen)
    assert np.array_equal(after.top_class[chosen], expected.top_class[chosen])
    np.testing.assert_allclose(
        after.confidence[chosen], np.minimum(expected.confidence[chosen], 0.9999), atol=1e-6
    )
    assert session.undo_text == f"accept {chosen.size} suggestions"
    session.undo()
    assert session.supervision == before
    session.redo()
    assert session.supervision == after


def test_suggestions_follow_from_what_a_person_said_alone(session):
    label_one_each(session)
    before = session.suggest()
    session.accept(0.2)
    assert session.suggest() is before
    session.must_link([50, 51, 52])
    assert session.suggest().labeled.sum() == 3
    session.rename_class("a", "A")
    assert session.suggest().classes == ("A", "b", "c")
    assert session.suggest().labeled.sum() == 3
    session.undo()
    session.undo()
    session.forget([0, 40, 80])  # what is accepted stays
    assert session.supervision.labeled.size > 100
    assert session.suggest() is None
    with pytest.raises(ValueError, match="accept\\(\\) needs suggestions"):
        session.accept()


def test_what_is_accepted_is_accepted_once(session):
    label_one_each(session)
    session.accept(0.2)
    with pytest.raises(ValueError, match=r"confidence must be at most|no unlabeled point"):
        session.accept(0.2)


def test_by_default_those_are_accepted_of_which_95_percent_are_expected_to_be_right():
    # Classes that overlap: of the points between them fewer are right.
    overlapping = X - 38.2 * TRUTH[:, None]
    with Session(overlapping, Fake(random_state=3)) as session:
        for i in range(12):
            session.label([i, 40 + i, 80 + i][i % 3], "abc"[i % 3])
        found = session.suggest()
        least = found.least_confidence()
        assert found.expected_right(least) >= 0.95
        session.accept()
        labeled = session.supervision.top_class >= 0
        assert set(np.flatnonzero(labeled)) == {
            *found.above(least),
            *np.flatnonzero(found.labeled),
        }
        assert 12 < labeled.sum() < len(X), "some are sure enough, others are not"
        with pytest.raises(ValueError, match=r"accept\(\) found no suggestions"):
            session.accept()


def test_points_that_no_label_reaches_are_never_accepted(session):
    session.label([0], "a")
    session.label([1], "b")
    session.accept(0.01)
    assert session.supervision.labeled.max() < 40


def test_replay_and_script_need_no_propagation(session, monkeypatch, tmp_path):
    session.step(3)
    label_one_each(session)
    session.accept(0.3)
    session.step(4)
    rest(session)
    session.save(tmp_path / "session")

    def none(*_: Any, **__: Any) -> Any:
        raise AssertionError("a replay makes no suggestions")

    monkeypatch.setattr(suggester, "neighbor_affinities", none)
    bits = session.embedding.tobytes()
    again = session.replayed()
    assert again.embedding.tobytes() == bits
    assert again.supervision == session.supervision
    assert again.undo_text == session.undo_text
    log = [event.to_dict() for event in session.log]
    assert Session.replay(X, log, methods=(Fake,)).supervision == session.supervision
    space: dict[str, Any] = {"X": session.X}
    source = session.to_script()
    assert "accept" not in source
    assert "session.label_each([[1, 'a', " in source
    exec(compile(source, "script", "exec"), space)
    assert space["embedding"].tobytes() == bits
    assert space["session"].supervision == session.supervision
    space["session"].close()
    with load_session(tmp_path / "session", methods=(Fake,)) as loaded:
        assert loaded.supervision == session.supervision


@pytest.mark.parametrize(
    ("confidence", "kind", "message"),
    [
        (0, ValueError, "confidence must be a finite number"),
        (1.5, ValueError, "confidence must be a finite number"),
        (np.nan, ValueError, "confidence must be"),
        ("0.9", TypeError, "confidence must be a number"),
        (True, TypeError, "confidence must be a number"),
        (1.0, ValueError, "confidence must be at most 0"),
    ],
)
def test_a_threshold_that_is_not_legal_changes_nothing(session, confidence, kind, message):
    label_one_each(session)
    session.label([50], "a")  # so that nothing is certain in that cluster
    session.forget([0, 80])
    before = session.supervision
    with pytest.raises(kind, match=message):
        session.accept(confidence)
    assert session.supervision is before


def test_there_is_nothing_to_accept_where_all_are_labeled(session):
    session.label(np.arange(120), "a")
    with pytest.raises(ValueError, match="labels reach no unlabeled point"):
        session.accept(0.5)


@pytest.mark.parametrize(
    ("labels", "kind", "message"),
    [
        ([], ValueError, "labels must have at least one label"),
        (None, TypeError, "labels must be \\(point, class, confidence\\)"),
        ({0: "a"}, TypeError, "labels must be \\(point, class, confidence\\)"),
        ([(0, "a")], TypeError, "labels must be \\(point, class, confidence\\)"),
        ([(0.5, "a", 1)], TypeError, "labels must give points by index"),
        ([(120, "a", 1)], ValueError, "labels must give points in \\[0, 120\\), got 120"),
        ([(0, "a", 0)], ValueError, "confidence in labels must be a finite number"),
        ([(0, None, 1)], TypeError, "class in labels must be the name of a class"),
        ([(0, -1, 1)], ValueError, "class in labels must be the name of a class"),
    ],
)
def test_labels_that_are_none(session, labels, kind, message):
    with pytest.raises(kind, match=message):
        session.label_each(labels)
    assert session.supervision == nb.Supervision(120)


def test_a_label_for_each_point(session):
    session.label_each([(3, "a", 1.0), (4, 7, 0.5), (3, "b", 0.9)])
    now = session.supervision
    assert now.classes == ("a", "7", "b")
    assert now.labeled.tolist() == [3, 4]
    assert now.confidence[[3, 4]].tolist() == [0.9, 0.5]
    assert session.undo_text == "label 3 points"


# -- checks ------------------------------------------------------------------------------------


def test_a_check_remembers_what_was_suggested(session):
    label_one_each(session)
    check = session.check_suggestions(20, random_state=0)
    assert check.points.size == np.unique(check.points).size == 20
    assert not np.isin(check.points, [0, 40, 80]).any()
    assert check.suggested == [NAMES[k] for k in TRUTH[check.points]]
    assert check.answers == [None] * 20
    assert np.isnan(check.accuracy)
    assert check.interval == (0.0, 1.0)
    wrong, *right = check.points.tolist()
    session.label([wrong], NAMES[(TRUTH[wrong] + 1) % 3])
    for point in right[:9]:
        session.label([point], NAMES[TRUTH[point]])
    now = session.suggestion_check
    assert (now.n_answered, now.n_right, now.accuracy) == (10, 9, 0.9)
    assert now.interval == accuracy_interval(9, 10, population=117)
    session.rename_class("a", "A")
    assert session.suggestion_check.accuracy == 0.9
    session.undo()
    session.undo()
    assert session.suggestion_check.n_answered == 9
    assert np.isnan(check.accuracy), "a check is a value"
    session.end_check()
    assert session.suggestion_check is None


def test_a_check_is_of_the_suggestions_that_would_be_accepted(session):
    label_one_each(session)
    found = session.suggest()
    least = float(np.median(found.confidence))
    taken = found.above(least)
    check = session.check_suggestions(200, random_state=0, confidence=least)
    assert sorted(check.points) == taken.tolist()
    assert (check.population, check.confidence) == (taken.size, least)
    session.accept(least)
    again = session.check_suggestions(200, random_state=0, confidence=least)
    assert sorted(again.points) == taken.tolist(), "also after they were accepted"
    with pytest.raises(ValueError, match="confidence must be"):
        session.check_suggestions(confidence=2)


def test_a_check_of_what_nothing_is_so_sure_of_is_refused():
    cloud = np.random.default_rng(3).normal(size=(120, 3))
    with Session(cloud, Fake()) as session:
        label_one_each(session)
        assert session.suggest().above(1.0).size == 0
        with pytest.raises(ValueError, match="no suggestion has a confidence of at least 1"):
            session.check_suggestions(confidence=1.0)


def test_a_check_knows_its_classes_when_others_go(session):
    label_one_each(session)
    points = session.check_suggestions(20, random_state=0).points.tolist()
    for point in points:
        session.label([point], NAMES[TRUTH[point]])
    of_a = int((TRUTH[points] == 0).sum())
    assert 0 < of_a < 20
    session.remove_class("a")
    now = session.suggestion_check
    assert (now.n_answered, now.n_right) == (20 - of_a, 20 - of_a)
    assert {now.suggested[i] for i, p in enumerate(points) if TRUTH[p] == 0} == {None}
    session.label([points[0]], "new")
    right = (20 if TRUTH[points[0]] == 0 else 19) - of_a
    assert session.suggestion_check.n_right == right, "another class in the place of the old"
    session.undo()
    session.undo()
    assert session.suggestion_check.n_right == 20
    session.rename_class("a", "A")
    session.merge_classes("A", "b")
    now = session.suggestion_check
    assert (now.n_answered, now.n_right, now.classes) == (20, 20, ("b", "c"))
    assert set(now.suggested) == {"b", "c"}
    session.undo()
    session.undo()
    assert session.suggestion_check.suggested == [NAMES[k] for k in TRUTH[points]]


def test_what_is_accepted_answers_no_question(session):
    label_one_each(session)
    check = session.check_suggestions(30)
    session.accept(0.2)
    assert np.isin(check.points, session.supervision.labeled).sum() > 20
    assert session.suggestion_check.n_answered == 0
    point = int(check.points[0])
    session.label([point], NAMES[(TRUTH[point] + 1) % 3])
    now = session.suggestion_check
    assert (now.n_answered, now.n_right) == (1, 0)


def test_accepted_points_are_checked_too(session, tmp_path):
    label_one_each(session)
    session.accept(0.2)
    accepted = session.supervision.labeled.size
    assert accepted > 100
    check = session.check_suggestions(200)
    assert check.points.size == 117, "all that nobody has labeled by hand"
    session.save(tmp_path / "session")
    with load_session(tmp_path / "session", methods=(Fake,)) as loaded:
        assert loaded.check_suggestions(200).points.size == 117


def test_samples_differ_but_can_be_repeated(session):
    label_one_each(session)
    first, second = session.check_suggestions(10), session.check_suggestions(10)
    assert not np.array_equal(first.points, second.points)
    again = session.check_suggestions(10, random_state=4)
    assert np.array_equal(again.points, session.check_suggestions(10, random_state=4).points)
    with Session(X, Fake(random_state=3)) as other:
        label_one_each(other)
        assert np.array_equal(other.check_suggestions(10).points, first.points)


def test_checks_that_are_none(session):
    label_one_each(session)
    for wrong in (0, -1, 1.5, "20", None, True):
        with pytest.raises((ValueError, TypeError), match="size must be"):
            session.check_suggestions(wrong)
    with pytest.raises(ValueError, match="random_state must be"):
        session.check_suggestions(random_state=-1)
    session.label(np.arange(120), "a")
    with pytest.raises(ValueError, match="every point was labeled by hand"):
        session.check_suggestions()
    assert session.suggestion_check is None


# -- trouble -----------------------------------------------------------------------------------


def test_a_graph_that_cannot_be_made_is_told_and_costs_nothing(session, monkeypatch):
    def failing(*_: Any, **__: Any) -> Any:
        raise ArithmeticError("no such graph")

    monkeypatch.setattr(suggester, "neighbor_affinities", failing)
    label_one_each(session)
    with pytest.raises(RuntimeError, match="suggestions cannot be computed: no such graph"):
        session.suggest()
    with pytest.raises(RuntimeError, match="no such graph"):
        session.accept()
    assert session.suggestions is None
    assert isinstance(session.suggestions_error, ArithmeticError)
    session.step(2)
    rest(session)
    session.check()


def test_a_metric_that_ends_the_thread_ends_nothing_else(session, monkeypatch):
    def leaving(*_: Any, **__: Any) -> Any:
        raise SystemExit(3)

    monkeypatch.setattr(suggester, "neighbor_affinities", leaving)
    label_one_each(session)
    with pytest.raises(RuntimeError, match="SystemExit"):
        session.suggest()


def test_a_graph_that_is_given_up_is_made_when_somebody_asks_again(session, held):
    label_one_each(session)
    assert not session.cancel("suggestions"), "nothing is being made"
    assert session.suggestions is None
    assert session.suggesting
    assert session.cancel("suggestions")
    held.set()
    eventually(lambda: not session.suggesting)
    session.label([1], "a")
    assert not session.suggesting, "nobody has asked since"
    assert np.array_equal(session.suggest().top_class, TRUTH)


def test_closing_does_not_wait_for_the_graph(session, held):
    label_one_each(session)
    assert session.suggestions is None
    session.close()
    with pytest.raises(RuntimeError, match="the session is closed"):
        session.accept()
    assert not held.is_set()
    held.set()
    eventually(lambda: not session.suggesting)


def test_a_closed_session_still_says_what_it_suggested(session, graphs):
    label_one_each(session)
    found = session.suggest()
    session.close()
    assert session.suggestions is found
    assert session.suggest() is found
    assert graphs
    eventually(lambda: gc.collect() is not None and all(graph() is None for graph in graphs))


def test_a_session_that_nobody_uses_ends_though_its_graph_is_being_made(held):
    session = Session(X, Fake(random_state=3))
    worker = worker_begun_by(session.label, [0], "a")
    rest(session)
    assert session.suggestions is None
    del session
    eventually(lambda: gc.collect() is not None and not worker.is_alive())


def test_every_method_can_be_suggested_for():
    data = X[::2]
    with nb.Session(data, nb.spectral.PCA()) as session:
        session.label([0], "a")
        session.label([20], "b")
        for name in session.methods:
            try:
                session.switch(name)
            except ValueError:
                continue  # not every method takes these data
            assert session.suggest() is not None
