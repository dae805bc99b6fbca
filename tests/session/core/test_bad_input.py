"""What a session is told wrongly is refused by name, in the caller's thread; nothing changes."""

from __future__ import annotations

import numpy as np
import pytest

import nbembed as nb

X = np.random.default_rng(4).normal(size=(12, 3))


@pytest.fixture
def session():
    with nb.Session(X, nb.SNE(random_state=0, n_jobs=1)) as session:
        yield session


@pytest.mark.parametrize(
    ("name", "value", "kind"),
    [
        ("metric", "eucledian", ValueError),
        ("metric", 3, TypeError),
        ("n_jobs", 0, ValueError),
        ("n_jobs", 1.5, ValueError),
        ("perplexity", 12, ValueError),
        ("init", "random walk", ValueError),
        ("optimizer", "newton", ValueError),
        ("max_iter", 0, ValueError),
        ("tol", np.nan, ValueError),
        ("rho", 2, ValueError),
        ("random_state", -1, ValueError),
    ],
)
def test_a_parameter_that_is_not_legal_leaves_the_session_at_work(session, name, value, kind):
    session.step(2)
    with pytest.raises(kind, match=name):
        session.set(**{name: value})
    session.step(2)
    assert session.wait(timeout=60)
    session.check()
    assert session.iteration == 4


@pytest.mark.parametrize("name", [None, 1.5, True, ["a"]])
def test_names_of_classes(session, name):
    session.add_class("one")
    with pytest.raises(TypeError, match="name must be the name of a class"):
        session.add_class(name)
    with pytest.raises(TypeError, match="old must be the name of a class"):
        session.rename_class(name, "two")
    with pytest.raises(TypeError, match="new must be the name of a class"):
        session.rename_class("one", name)
    with pytest.raises(TypeError, match="class_ must be the name of a class"):
        session.label([0], name)
    assert session.supervision.classes == ("one",)


def test_callbacks_and_timeouts(session):
    for wrong in (None, 3, "frame"):
        with pytest.raises(TypeError, match="callback must be a function"):
            session.subscribe(wrong)
    for wrong in ("a", np.nan, -1, True, [1]):
        with pytest.raises((TypeError, ValueError), match="timeout must be"):
            session.wait(timeout=wrong)


@pytest.mark.parametrize("path", [None, 3, b"x", object()])
def test_paths(session, path):
    with pytest.raises(TypeError, match="path must be a path"):
        session.save(path)
    with pytest.raises(TypeError, match="path must be a path"):
        nb.load_session(path)


def test_places_that_no_file_can_be_in(session, tmp_path):
    with pytest.raises(ValueError, match="path must be a path, got empty text"):
        session.save("")
    with pytest.raises(OSError, match=r"path must be where a file can be written.* is a directory"):
        session.save(tmp_path)
    with pytest.raises(OSError, match="there is no directory"):
        session.save(tmp_path / "none" / "a.nbe")
    assert list(tmp_path.iterdir()) == []


@pytest.mark.parametrize("methods", [3, [1], ("SNE",), (nb.SNE(),)])
def test_methods_are_not_taken_for_a_damaged_file(session, tmp_path, methods):
    session.save(tmp_path / "a.nbe")
    with pytest.raises(TypeError, match="methods must be a tuple of recipe or estimator classes"):
        nb.load_session(tmp_path / "a.nbe", methods=methods)


@pytest.mark.parametrize("log", [None, 3, "abc", {}])
def test_logs(log):
    with pytest.raises(TypeError, match="log must be a list of events"):
        nb.Session.replay(X, log)
    with pytest.raises(ValueError, match="log must be a list of events"):
        nb.Session.replay(X, [log])


def test_a_command_by_name_needs_a_name_and_arguments(start):
    session = start()
    with pytest.raises(TypeError, match="command must be text"):
        session.give(3, {})
    with pytest.raises(TypeError, match="arguments must be of type Mapping"):
        session.give("step", 1e300)


def test_a_state_to_wait_for_is_one_of_the_words(start):
    for wrong in (np.ones(3), [], 3, "asleep"):
        with pytest.raises(ValueError, match="state must be one of"):
            start().wait(wrong, timeout=0)


@pytest.mark.parametrize("name", ["a\0b", "\ud800"])
def test_a_path_that_no_file_can_have_is_refused(start, name):
    with pytest.raises(ValueError, match="path must be a path"):
        start().save(name)
    with pytest.raises(ValueError, match="path must be a path"):
        nb.load_session(name)


@pytest.mark.parametrize("metric", ["euclidean", "cosine"])
@pytest.mark.parametrize("scale", [1e300, 1e-300])
def test_data_that_no_method_can_square_are_refused_at_once(X, scale, metric):
    with pytest.raises(ValueError, match="X must span between"):
        nb.Session(X * scale, nb.SNE(metric=metric))


def test_names_that_no_file_or_page_can_hold_change_nothing(session, tmp_path):
    session.label([0, 1], "one")
    refused = [("\ud800", "text that UTF-8 can encode")]
    refused += [(f"a{c}b", "without control characters") for c in "\0\x1b\x9b\r\x7f"]
    makers = (
        lambda name: session.label([2], name),
        session.add_class,
        lambda name: session.rename_class("one", name),
        lambda name: session.supervise([name] * 12),
        session.snapshot,
        lambda name: session.save_selection(name, [1]),
        lambda name: nb.Supervision(12, [name]),
    )
    for wrong, what in refused:
        for make in makers:
            with pytest.raises(ValueError, match=what):
                make(wrong)
    for give in (lambda: session.label([2], -1), lambda: session.add_class("-1")):
        with pytest.raises(ValueError, match="stands for unlabeled points"):
            give()
    assert session.undo_text == "label 2 points as one"
    session.save(tmp_path / "kept")
    loaded = nb.load_session(tmp_path / "kept")
    assert loaded.supervision == session.supervision
