"""The session file: all of it comes back, and what is no session file is refused."""

from __future__ import annotations

import json
import os
import threading
import zipfile

import numpy as np
import pytest
from scipy import sparse

from nbembed.session import Session, load_session
from tests.session import fake
from tests.session.fake import Fake, Other, rest
from tests.waiting import GUARD

KINDS = (Fake, Other)


@pytest.fixture
def steered(start):
    session = start()
    session.label([1, 2], "seven ≥ <b>&</b> \"'\\ 七", confidence=0.1 + 0.2)
    session.step(7)
    session.must_link([5, 6, 7])
    session.cannot_link([1], [5, 9])
    session.snapshot("früh")
    session.set(weight=0.1 + 0.2)
    session.step(12)
    session.label([9], "b")
    session.undo()
    session.play()
    assert session.wait("converged", GUARD)
    return session


def test_everything_comes_back(steered, tmp_path):
    path = tmp_path / "a session.nbembed"
    steered.save(path)
    loaded = load_session(path, methods=KINDS)
    assert np.array_equal(loaded.X, steered.X)
    assert loaded.embedding.tobytes() == steered.embedding.tobytes()
    assert loaded.embedding.dtype == steered.embedding.dtype
    for name in (
        "state", "iteration", "cost", "quality", "supervision", "parameters", "method_name",
        "undo_text", "redo_text", "snapshots", "scale",
    ):  # fmt: skip
        assert getattr(loaded, name) == getattr(steered, name), name
    assert repr(loaded.trace) == repr(steered.trace)  # nan is not equal to itself
    assert [p.criterion for p in loaded.path] == pytest.approx(
        [p.criterion for p in steered.path], nan_ok=True
    )
    assert all(np.array_equal(a.embedding, b.embedding) for a, b in zip(loaded.path, steered.path))
    dicts = [[e.to_dict() for e in s.log] for s in (loaded, steered)]
    assert dicts[0][:-1] == dicts[1]
    assert dicts[0][-1]["command"] == "reset_optimizer"
    loaded.redo()
    assert loaded.supervision.labeled.tolist() == [1, 2, 9]
    loaded.restore("früh")
    rest(loaded)
    assert loaded.supervision.links
    loaded.close()


def test_a_loaded_session_plays_on_and_replays_to_the_same_bits(steered, tmp_path):
    steered.reset()
    steered.step(8)  # in the middle of the schedule, the optimizer in full swing
    rest(steered)
    steered.save(tmp_path / "x")
    loaded = load_session(tmp_path / "x", methods=KINDS)
    loaded.pace = None
    loaded.set(width=2.0)
    loaded.step(30)
    rest(loaded)
    assert loaded.parameters["heat"] == 0.5  # the stages that were left were gone through
    again = loaded.replayed()
    assert again.embedding.tobytes() == loaded.embedding.tobytes()
    loaded.save(tmp_path / "y")
    twice = load_session(tmp_path / "y", methods=KINDS)
    twice.step(5)
    rest(twice)
    assert twice.replayed().embedding.tobytes() == twice.embedding.tobytes()
    loaded.close()
    twice.close()


@pytest.mark.parametrize(
    "given",
    [
        lambda s: (s.play(), s.pause()),
        lambda s: s.reset(),
        lambda s: (s.reset(), s.play(), s.pause()),
        lambda s: (s.switch("Other"), s.reset()),
        lambda s: (s.reset(), s.switch("Other")),
        lambda s: (s.label([1], "a"), s.reset(), s.undo()),
    ],
    ids=["play", "reset", "reset play", "switch reset", "reset switch", "undo"],
)
@pytest.mark.parametrize("steps", [0, 3])
def test_a_map_saved_at_its_start_is_there_again(start, register, tmp_path, given, steps):
    register(Other)
    session = start()
    if steps:
        session.step(steps, wait=True)
    given(session)
    assert session.wait(timeout=GUARD)
    session.save(tmp_path / "x")
    with load_session(tmp_path / "x", methods=KINDS) as loaded, session.replayed() as replayed:
        assert loaded.wait(timeout=GUARD)
        assert loaded.state == session.state
        assert bool(loaded.frame().version) is bool(session.frame().version)
        np.testing.assert_array_equal(loaded.embedding, session.embedding)
        np.testing.assert_array_equal(loaded.embedding, replayed.embedding)
        assert loaded.cost == session.cost or np.isnan(session.cost)


def test_places_with_the_same_settings_are_one_place_again(start, tmp_path):
    """A snapshot's deletion changes no settings: where the map was then is where it was before."""
    session = start()
    session.label([0], "a")
    session.snapshot("one")
    session.delete_snapshot("one")
    session.step(3)
    session.wait()
    before = session.embedding
    session.save(tmp_path / "file")
    with load_session(tmp_path / "file", methods=KINDS) as again:
        again.label([1], "b")
        again.step(3)
        again.go_to(1)
        again.wait()
        np.testing.assert_array_equal(again.embedding, before)
        with again.replayed() as replayed:
            np.testing.assert_array_equal(replayed.embedding, before)


def test_saving_while_running_and_with_commands_waiting(start, tmp_path):
    session = start()
    session.step(3)
    rest(session)
    fake.gate.clear()
    session.step(2)
    session.label([4], "later")
    session.set(weight=2.0)
    saver = threading.Thread(target=session.save, args=(tmp_path / "x",))
    saver.start()
    fake.gate.set()
    saver.join(GUARD)
    assert not saver.is_alive()
    rest(session)
    loaded = load_session(tmp_path / "x", methods=KINDS)
    assert loaded.supervision == session.supervision
    assert loaded.parameters == session.parameters
    assert loaded.undo_text == session.undo_text
    rest(loaded)
    assert loaded.iteration in (3, 4, 5)
    loaded.step(5 - loaded.iteration + 3)
    rest(loaded)
    assert loaded.replayed().embedding.tobytes() == loaded.embedding.tobytes()
    loaded.close()


def test_saving_from_a_subscriber_and_after_close(start, tmp_path):
    session = start()
    saved = threading.Event()

    def save(event: str) -> None:
        if event == "frame" and not saved.is_set():
            session.save(tmp_path / "x")
            saved.set()

    session.subscribe(save)
    session.step(3)
    assert saved.wait(GUARD)
    rest(session)
    session.close()
    session.save(tmp_path / "y")
    assert load_session(tmp_path / "x", methods=KINDS).iteration == 1
    assert load_session(tmp_path / "y", methods=KINDS).iteration == 3


def test_an_idle_session_and_a_failed_one(start, tmp_path):
    session = start()
    session.label([1], "a")
    session.save(tmp_path / "x")
    loaded = load_session(tmp_path / "x", methods=KINDS)
    assert loaded.state == "idle"
    assert loaded.supervision.labeled.tolist() == [1]
    assert loaded.frame().version == 0
    session.step(3)
    rest(session)
    fake.trouble.append(OverflowError("too far"))
    session.play()
    rest(session)
    session.save(tmp_path / "y")
    fake.trouble.clear()
    loaded = load_session(tmp_path / "y", methods=KINDS)
    assert loaded.state == "paused"
    loaded.step(3)
    rest(loaded)
    loaded.check()
    loaded.close()


def test_the_file_holds_plain_arrays_and_json(steered, tmp_path):
    steered.save(tmp_path / "x")
    with zipfile.ZipFile(tmp_path / "x") as file:
        assert file.testzip() is None
        names = set(file.namelist())
        content = json.loads(file.read("session.json"))
    assert {"session.json", "X.npy", "layout.npy", "trace.npy", "path/0.npy"} <= names
    assert all(n == "session.json" or n.endswith(".npy") for n in names)
    assert content["format"] == "nbembed session"
    assert content["version"] == 1
    assert not content.keys() & {"settings", "history"}, "the log says it"


def test_writing_is_atomic(steered, tmp_path, monkeypatch):
    path = tmp_path / "x"
    steered.save(path)
    before = path.read_bytes()

    def broken(fd: int) -> None:
        raise OSError("disk full")

    with monkeypatch.context() as patch:
        patch.setattr(os, "fsync", broken)
        with pytest.raises(OSError, match="disk full"):
            steered.save(path)
    assert path.read_bytes() == before
    assert os.listdir(tmp_path) == ["x"]
    with pytest.raises(OSError):
        steered.save(tmp_path / "nowhere" / "x")


def test_a_function_cannot_be_saved(start, tmp_path):
    session = start(Fake(metric=np.subtract))
    with pytest.raises(ValueError, match=r"cannot be saved: Fake\['metric'\] is a ufunc"):
        session.save(tmp_path / "x")
    assert not os.listdir(tmp_path)


def tampered(path, change):
    """Rewrite a file with members changed: a map of name to bytes, or None to drop one."""
    with zipfile.ZipFile(path) as file:
        members = {n: file.read(n) for n in file.namelist()}
    members = {k: v for k, v in {**members, **change(members)}.items() if v is not None}
    with zipfile.ZipFile(path, "w") as file:
        for name, data in members.items():
            file.writestr(name, data)


def edited(**changes):
    def change(members):
        content = {**json.loads(members["session.json"]), **changes}
        return {"session.json": json.dumps(content)}

    return change


@pytest.mark.parametrize(
    ("change", "match"),
    [
        (lambda m: {"session.json": None}, "no session.json"),
        (lambda m: {"session.json": b"{"}, "cannot be loaded"),
        (lambda m: {"session.json": b"[1]"}, "not a session file"),
        (edited(format="other"), "not a session file"),
        (edited(version=99), "version 99"),
        (edited(version="x"), "version 'x'"),
        (edited(log=[]), "does not begin with the start"),
        (edited(state="asleep"), "unknown state"),
        (lambda m: {"layout.npy": None}, "damaged"),
        (lambda m: {"layout.npy": b"junk"}, "cannot be loaded"),
        (lambda m: {"X.npy": None}, "damaged"),
        (lambda m: {"layout.npy": npy(np.zeros((7, 2)))}, "layout is not a finite layout"),
        (lambda m: {"layout.npy": npy(np.zeros((31, 2)))}, "finite layout of 30 points"),
        (lambda m: {"layout.npy": npy(np.full((30, 2), np.nan))}, "layout is not a finite"),
        (lambda m: {"layout.npy": npy(np.full((30, 2), 1e300))}, "layout is not a finite"),
        (lambda m: {"X.npy": npy(np.zeros((30, 4)))}, "its data are not those of its log"),
        (lambda m: {"X.npy": npy(np.zeros((29, 4)))}, "29 points but labels for 30"),
    ],
)
def test_what_is_no_session_file_is_refused(steered, tmp_path, change, match):
    path = tmp_path / "x"
    steered.save(path)
    tampered(path, change)
    with pytest.raises(ValueError, match=match):
        load_session(path, methods=KINDS)


def test_pickles_are_never_read(steered, tmp_path):
    path = tmp_path / "x"
    steered.save(path)
    evil = np.array([{"a": 1}], dtype=object)
    tampered(path, lambda m: {"X.npy": npy(evil, allow_pickle=True)})
    with pytest.raises(ValueError, match="Python objects, which are never loaded"):
        load_session(path, methods=KINDS)


@pytest.mark.parametrize("part", ["indices", "indptr", "data", "shape"])
def test_a_malformed_sparse_matrix_is_refused(tmp_path, part):
    session = Session(sparse.csr_array(np.eye(30, 4)), Fake())
    path = tmp_path / "x"
    session.save(path)
    session.close()
    wrong = {
        "indices": np.array([0, 1, 2, 2**30], np.int32),
        "indptr": np.array([0, 1, 2, 3, *[4] * 26, 2**30], np.int32),
        "data": np.ones(2),
        "shape": np.array([30, 2]),
    }[part]
    tampered(path, lambda m: {f"X.{part}.npy": npy(wrong)})
    with pytest.raises(ValueError, match="X must be a well-formed sparse matrix"):
        load_session(path, methods=KINDS)


def test_other_files_and_unknown_methods(steered, tmp_path):
    path = tmp_path / "x"
    path.write_bytes(b"PK\x03\x04 not really")
    with pytest.raises(ValueError, match="not a session file"):
        load_session(path)
    with pytest.raises(OSError):
        load_session(tmp_path / "absent")
    steered.save(path)
    with pytest.raises(ValueError, match="unknown method 'Fake'; known:"):
        load_session(path)
    data = path.read_bytes()
    path.write_bytes(data[: len(data) // 2])
    with pytest.raises(ValueError, match="not a session file"):
        load_session(path, methods=KINDS)


def npy(array, **keywords):
    import io

    file = io.BytesIO()
    np.save(file, array, **keywords)
    return file.getvalue()


def test_an_error_whose_text_utf8_cannot_hold_is_saved_readable(start, tmp_path):
    session = start()
    fake.trouble.append(OverflowError("half \ud83d of a pair, 七"))
    session.step(1)
    session.wait()
    fake.trouble.clear()
    assert session.log[-1].arguments["error"] == "OverflowError: half ? of a pair, 七"
    session.save(tmp_path / "x")
    loaded = load_session(tmp_path / "x", methods=KINDS)
    assert loaded.log[-1].arguments == session.log[-1].arguments
    loaded.to_script().encode("utf-8")


def test_float32_data_stay_float32(tmp_path):
    X = np.random.default_rng(0).normal(size=(12, 3)).astype(np.float32)
    session = Session(X, Fake())
    session.save(tmp_path / "x")
    loaded = load_session(tmp_path / "x", methods=KINDS)
    assert loaded.X.dtype == np.float32
    assert np.array_equal(loaded.X, X)
