"""Saving to links, over files with permissions, by several threads, while the worker is busy."""

from __future__ import annotations

import errno
import json
import os
import re
import stat
import threading

import numpy as np
import pytest

from nbembed.session import Session, load_session
from nbembed.session.file import archive
from nbembed.session.live import controller
from tests.session import fake
from tests.session.fake import Fake, Other, rest
from tests.session.parts import workers_held
from tests.session.redone import run_script
from tests.waiting import GUARD

KINDS = (Fake, Other)
posix = pytest.mark.skipif(os.name != "posix", reason="links and permissions of POSIX")


@pytest.fixture
def session(start):
    session = start()
    session.label([1], "a")
    session.step(3)
    rest(session)
    return session


@posix
def test_a_symbolic_link_stays_one(session, tmp_path):
    (tmp_path / "there").mkdir()
    target, link, chain = tmp_path / "there" / "x", tmp_path / "link", tmp_path / "chain"
    link.symlink_to("there/x")
    chain.symlink_to("link")
    session.save(link)  # its target is not there yet
    assert link.is_symlink()
    before = target.read_bytes()
    session.label([2], "b")
    rest(session)
    session.save(chain)
    assert chain.is_symlink()
    assert link.is_symlink()
    assert target.read_bytes() != before
    assert load_session(link, methods=KINDS).supervision == session.supervision
    assert sorted(os.listdir(tmp_path)) == ["chain", "link", "there"]
    assert os.listdir(tmp_path / "there") == ["x"]


@posix
@pytest.mark.parametrize("mode", [0o600, 0o640, 0o664])
def test_a_file_keeps_its_permissions(session, tmp_path, mode):
    path = tmp_path / "x"
    path.touch()
    path.chmod(mode)
    session.save(path)
    assert stat.S_IMODE(path.stat().st_mode) == mode


@posix
def test_a_new_file_has_those_that_the_process_gives(session, tmp_path):
    before = os.umask(0o027)
    try:
        session.save(tmp_path / "x")
    finally:
        os.umask(before)
    assert stat.S_IMODE((tmp_path / "x").stat().st_mode) == 0o640


def test_saves_of_several_threads_leave_one_whole_file(session, tmp_path):
    path = tmp_path / "x"
    errors = []

    def save():
        try:
            for _ in range(5):
                session.save(path)
        except Exception as error:
            errors.append(error)

    threads = [threading.Thread(target=save) for _ in range(4)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join(GUARD)
    assert not errors
    assert os.listdir(tmp_path) == ["x"]
    assert load_session(path, methods=KINDS).supervision == session.supervision


@posix
def test_names_as_long_as_the_file_system_takes(session, tmp_path):
    longest = os.pathconf(tmp_path, "PC_NAME_MAX")
    session.save(tmp_path / ("x" * longest))
    session.save(tmp_path / ("é" * (longest // 2)))
    with pytest.raises(OSError, match=rf"its name has {longest + 1} bytes, of at most {longest}"):
        session.save(tmp_path / ("x" * (longest + 1)))
    with pytest.raises(OSError, match=r"has .* bytes, of at most") as caught:
        session.save(tmp_path / ("é" * longest))
    assert caught.value.errno == errno.ENAMETOOLONG


@posix
def test_where_no_file_can_be_written(session, tmp_path):
    (tmp_path / "loop").symlink_to("loop")
    (tmp_path / "lost").symlink_to("no such folder/x")
    os.mkfifo(tmp_path / "pipe")
    for name, why in (
        ("loop", "form a loop"),
        ("lost", "there is no directory"),
        ("pipe", "not a regular file"),
        (".", "it is a directory"),
    ):
        with pytest.raises(OSError, match=f"path must be where a file can be written.*{why}"):
            session.save(tmp_path / name)
    assert (tmp_path / "lost").is_symlink()


@pytest.fixture
def busy(start):
    """Return a session whose worker is in the midst of an iteration, and stays there."""
    session = start()
    session.step(3)
    session.label([1], "early")
    rest(session)
    entered = threading.Event()
    fake.gate.clear()
    evaluate = fake.Quadratic.evaluate

    def noted(self, Y, *, cost=True):
        entered.set()
        return evaluate(self, Y, cost=cost)

    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(fake.Quadratic, "evaluate", noted)
        yield session, entered
        fake.gate.set()


def test_saving_does_not_wait_for_an_iteration(busy, tmp_path):
    session, entered = busy
    embedding = session.embedding
    session.play()
    assert entered.wait(GUARD)
    session.label([2], "late")
    session.set(weight=2.0)
    session.save(tmp_path / "x")  # the gate is closed: nothing but the save goes on
    assert session.iteration == 3
    loaded = load_session(tmp_path / "x", methods=KINDS)
    assert loaded.supervision == session.supervision
    assert loaded.parameters == session.parameters
    assert loaded.undo_text == session.undo_text
    assert loaded.state == "paused"
    assert loaded.iteration == 3
    assert loaded.embedding.tobytes() == embedding.tobytes()
    fake.gate.set()
    loaded.step(4)
    rest(loaded)
    assert loaded.replayed().embedding.tobytes() == loaded.embedding.tobytes()
    loaded.close()


def test_a_command_under_way_is_saved_as_waiting(busy, tmp_path, monkeypatch):
    session, entered = busy
    align, held = Fake.align, threading.Event()

    def slow(self, *parts):
        entered.set()
        assert held.wait(GUARD)
        return align(self, *parts)

    monkeypatch.setattr(Fake, "align", slow)
    session.label([2], "late")
    assert entered.wait(GUARD)
    session.label([3], "later")
    session.save(tmp_path / "x")
    script, again = session.to_script(), session.log
    held.set()
    fake.gate.set()
    loaded = load_session(tmp_path / "x", methods=KINDS)
    assert [e.command for e in loaded.log][:4] == ["start", "step", "label", "reset_optimizer"]
    rest(loaded)
    assert loaded.supervision == session.supervision
    assert again[-1].arguments["class_"] == "late"
    assert script.index("'early'") < script.index("'late'") < script.index("'later'")
    rest(session)
    assert run_script(script, session.X).tobytes() == session.embedding.tobytes()
    loaded.close()


def test_a_script_does_not_wait_for_steps(busy):
    session, entered = busy
    session.step(2)
    assert entered.wait(GUARD)
    session.label([2], "late")  # waits for the steps
    script = session.to_script()
    assert "'early'" in script
    assert "'late'" not in script
    assert sum(map(int, re.findall(r"session\.step\((\d+)\)", script))) == 3
    fake.gate.set()
    rest(session)
    assert "'late'" in session.to_script()


def test_a_reset_under_way_is_printed(busy):
    session, entered = busy
    session.play()
    assert entered.wait(GUARD)
    session.reset()
    session.label([2], "late")
    script = session.to_script()
    assert script.index("session.reset()") < script.index("'late'")
    after = script[script.index("session.reset()") :]
    assert after.splitlines()[1].startswith("session.label([2], 'late'")
    assert "session.step(3)" not in after
    fake.gate.set()
    session.pause()


def test_a_worker_that_is_not_busy_is_waited_for(start, tmp_path, monkeypatch):
    monkeypatch.setattr(controller, "FRAME", GUARD)
    session = start()
    session.step(3)
    rest(session)
    session.set(weight=2.0)
    assert "session.set(weight=2.0)" in session.to_script()
    session.save(tmp_path / "x")
    assert load_session(tmp_path / "x", methods=KINDS).log[-2].command == "set"


def test_a_function_that_waits_in_the_queue_cannot_be_saved(busy, tmp_path):
    session, entered = busy
    session.play()
    assert entered.wait(GUARD)
    session.set(metric=np.subtract)
    with pytest.raises(ValueError, match=r"cannot be saved: set\['metric'\] is a ufunc"):
        session.save(tmp_path / "x")
    assert not os.listdir(tmp_path)


def test_a_session_saved_before_its_first_turn(X, tmp_path):
    session = Session(X, Fake(random_state=0))
    session.save(tmp_path / "x")
    assert load_session(tmp_path / "x", methods=KINDS).state == "idle"


def test_a_session_saved_before_its_first_step_replays_once_opened(start, tmp_path):
    session = start()
    with workers_held():
        session.step(5)
        session.save(tmp_path / "x")
    with load_session(tmp_path / "x", methods=KINDS) as loaded:
        assert loaded.state == "paused"
        loaded.label([1], "a")
        rest(loaded)
        assert loaded.embedding.any()
        with loaded.replayed() as again:
            assert again.embedding.tobytes() == loaded.embedding.tobytes()
        assert run_script(loaded.to_script(), loaded.X).tobytes() == loaded.embedding.tobytes()


def test_a_long_log_is_encoded_in_parts(session, tmp_path, monkeypatch):
    """The encoder holds the GIL: what it is given at once must not grow with the log."""
    for point in range(20):
        session.label([point % 5], f"class {point}")
    rest(session)
    given, encode = [], json.JSONEncoder.encode

    def recorded(self, value):
        given.append(value)
        return encode(self, value)

    monkeypatch.setattr(archive, "TOGETHER", 4)
    monkeypatch.setattr(json.JSONEncoder, "encode", recorded)
    session.save(tmp_path / "x")
    assert "log" not in [name for value in given if isinstance(value, dict) for name in value]
    assert max(len(value) for value in given if isinstance(value, list)) == 4
    monkeypatch.undo()
    with load_session(tmp_path / "x", methods=KINDS) as opened:
        assert opened.supervision == session.supervision
        assert opened.log[: len(session.log)] == session.log
