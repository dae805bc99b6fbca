"""A damaged or hostile session file raises one ValueError with a sentence, and costs no memory."""

from __future__ import annotations

import contextlib
import io
import json
import os
import random
import re
import threading
import tracemalloc
import warnings
import zipfile
import zlib

import numpy as np
import pytest
from scipy import sparse

import nbembed as nb
from nbembed.session import Session, load_session
from nbembed.session.core import serialization
from nbembed.session.file import archive
from tests.session.fake import Fake, Other, rest
from tests.session.file.test_script import changed, places
from tests.session.file.test_storage import edited, npy, tampered
from tests.waiting import GUARD

KINDS = (Fake, Other)


@pytest.fixture
def path(start, register, tmp_path):
    """Return the path of a file with every part that there is."""
    register(Other)
    session = start()
    session.step(20)
    session.label([1, 2], "a", 0.7)
    session.label([9], "b")
    session.pin([3, 4])
    session.snapshot("kept")
    session.snapshot("gone")
    session.rename_snapshot("gone", "lost")
    session.delete_snapshot("lost")
    session.save_selection("odd", [3, 5])
    rest(session)
    session.reset()
    session.cannot_link([1], [5, 9])
    session.switch("Other")
    session.set(weight=2.0)
    session.undo()
    session.step(7)
    rest(session)
    session.save(tmp_path / "x")
    return tmp_path / "x"


def document(path):
    with zipfile.ZipFile(path) as file:
        return json.loads(file.read("session.json"))


def use(path):
    """Load a file and go through what it holds; return whether it could be loaded."""
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        try:
            loaded = load_session(path, methods=KINDS)
        except ValueError as error:
            sentence = str(error)
        else:
            sentence = ""
    if sentence:
        assert re.search(r"cannot be loaded: .|is not a session file, or is damaged: .", sentence)
        return False
    while loaded.can_undo:
        loaded.undo()
    while loaded.can_redo:
        loaded.redo()
    for name in loaded.snapshots:
        with contextlib.suppress(ValueError, TypeError):  # settings that the method refuses
            loaded.restore(name)
    assert loaded.supervision.n_samples == len(loaded.X)
    assert len(loaded.trace) >= 0
    assert np.isfinite(loaded.embedding).all()
    with contextlib.suppress(ValueError):  # a function that the log only describes
        loaded.to_script()
    loaded.close()
    return True


def test_bytes_flipped_anywhere(path, tmp_path):
    data, rng = path.read_bytes(), random.Random(0)
    copy = tmp_path / "copy"
    assert use(path)
    for _ in range(300):
        damaged = bytearray(data)
        for _ in range(rng.choice([1, 1, 4])):
            damaged[rng.randrange(len(data))] ^= 1 << rng.randrange(8)
        copy.write_bytes(damaged)
        use(copy)
    # The directory at the end, where sizes and places are.
    tail = data.rindex(b"PK\x01\x02") - 600
    for i in range(tail, len(data)):
        copy.write_bytes(data[:i] + bytes([data[i] ^ 0xFF]) + data[i + 1 :])
        use(copy)


def test_files_cut_short(path, tmp_path):
    data = path.read_bytes()
    for length in range(0, len(data), 211):
        (tmp_path / "cut").write_bytes(data[:length])
        assert not use(tmp_path / "cut")


@pytest.mark.skipif(not hasattr(os, "mkfifo"), reason="no pipes with names")
@pytest.mark.parametrize("name", ["pipe", "/dev/zero"])
def test_what_is_no_regular_file_is_not_read(tmp_path, name):
    os.mkfifo(tmp_path / "pipe")
    raised = []

    def load():
        try:
            load_session(tmp_path / name)
        except OSError as error:
            raised.append(str(error))

    # On a fault it would wait, and everything with it.
    thread = threading.Thread(target=load, daemon=True)
    thread.start()
    thread.join(GUARD)
    assert len(raised) == 1
    assert "it is not a regular file" in raised[0]
    with pytest.raises(IsADirectoryError):
        load_session(tmp_path)


HOSTILE = [
    None, True, -1, 10**9, 2**70, 1e308, float("nan"), float("inf"), "", "x", "../X", [], [[]],
    {}, {"": 1}, {"__array__": [], "dtype": "O", "shape": [0]}, {"__tuple__": 1},
    {"__supervision__": {"n_samples": 10**9}}, {"__opaque__": "x"}, {"__estimator__": "os.system"},
]  # fmt: skip


def test_each_entry_replaced_by_values_of_each_type(path, tmp_path):
    content, rng, opened = document(path), random.Random(1), 0
    copy, original = tmp_path / "copy", path.read_bytes()
    found = [p for p in places(content) if p[0] not in ("log", "supervisions")]
    found += rng.sample([p for p in places(content) if p not in found], 60)
    for place in found:
        for hostile in rng.sample(HOSTILE, 3):
            copy.write_bytes(original)
            broken = json.dumps(changed(content, place, hostile))
            tampered(copy, lambda m, broken=broken: {"session.json": broken})
            opened += use(copy)
    assert opened  # a text or a number of another value is none of anybody's business


def test_entries_left_out(path, tmp_path):
    content, copy = document(path), tmp_path / "copy"
    for name in content:
        copy.write_bytes(path.read_bytes())
        less = json.dumps({k: v for k, v in content.items() if k != name})
        tampered(copy, lambda m, less=less: {"session.json": less})
        assert use(copy) is (name == "nbembed")


@pytest.mark.parametrize(
    ("name", "broken"),
    [
        ("X.npy", np.zeros((30, 4), dtype="U4")),
        ("X.npy", np.zeros((30, 4), dtype=np.complex128)),
        ("X.npy", np.zeros(30)),
        ("X.npy", np.zeros((0, 4))),
        ("X.npy", np.full((30, 4), np.nan)),
        ("layout.npy", np.zeros((30, 0), dtype=np.float32)),
        ("layout.npy", np.zeros((30, 2), dtype=np.float16)),
        ("layout.npy", np.zeros((30, 2), dtype=np.int32)),
        ("layout.npy", np.zeros((30, 2), dtype=[("a", "f4")])),
        ("trace.npy", np.zeros((3, 4))),
        ("trace.npy", np.full((3, 5), 7.5)),
        ("trace.npy", np.full((3, 5), np.inf)),
        ("pinned.npy", np.zeros((1, 2), dtype=np.float32)),
        ("snapshots/0.npy", np.zeros((29, 2), dtype=np.float32)),
    ],
    ids=lambda value: value if isinstance(value, str) else f"{value.dtype}-{value.shape}",
)
def test_arrays_of_another_kind(path, name, broken):
    tampered(path, lambda m: {name: npy(broken)})
    assert not use(path)


@pytest.mark.parametrize("d", [1, 3])
@pytest.mark.parametrize(
    ("name", "called"),
    [
        ("layout.npy", "layout has {} dimensions, not the 2 of method Other"),
        ("snapshots/0.npy", "snapshot 'kept' has {} dimensions, not the 2 of method Fake"),
        ("path/0.npy", "a layout of its path does not have the shape of its layout"),
    ],
)
def test_a_layout_of_other_dimensions_than_the_map(path, name, called, d):
    with zipfile.ZipFile(path) as file:
        assert name in file.namelist()
    tampered(path, lambda m: {name: npy(np.zeros((30, d), dtype=np.float32))})
    with pytest.raises(ValueError, match=f"it is damaged: {called.format(d)}"):
        load_session(path, methods=KINDS)


def test_a_layout_of_other_dimensions_than_its_class_directions(tmp_path):
    X = np.random.default_rng(0).normal(size=(12, 3))
    with Session(X, nb.Mbed(n_classes=3, random_state=0)) as session:
        session.step(1, wait=True)
        session.save(tmp_path / "x")
    tampered(tmp_path / "x", lambda m: {"layout.npy": npy(np.zeros((12, 4), dtype=np.float32))})
    with pytest.raises(ValueError, match="layout has 4 dimensions, not the 3 of its directions"):
        load_session(tmp_path / "x")


def test_a_map_that_a_switch_could_not_take_over_is_no_damage(start, tmp_path, monkeypatch):
    """Its layout has the dimensions of the method before; the switch is tried again."""
    session = start()
    session.step(3, wait=True)
    before = session.embedding

    def adopt(*_):
        raise MemoryError("for now")

    with monkeypatch.context() as patched:
        patched.setattr(Other, "adopt", adopt)
        session.switch(Other(n_components=3))
        assert session.wait("failed", GUARD)
        session.snapshot("between")
        session.wait(timeout=GUARD)
        session.save(tmp_path / "x")
    with load_session(tmp_path / "x", methods=KINDS) as loaded:
        np.testing.assert_array_equal(loaded.embedding, before)
        loaded.step(1, wait=True)
        assert (loaded.method_name, loaded.embedding.shape) == ("Other", (30, 3))
        with loaded.replayed() as replayed:
            np.testing.assert_array_equal(replayed.embedding, loaded.embedding)
        loaded.restore("between")
        loaded.step(1, wait=True)
        assert loaded.embedding.shape == (30, 3)


def parts(X):
    return {f"X.{p}.npy": npy(getattr(X, p)) for p in ("data", "indices", "indptr")} | {
        "X.shape.npy": npy(np.array(X.shape)), "X.npy": None,
    }  # fmt: skip


@pytest.mark.parametrize(
    "change",
    [
        {"indptr": lambda a: a * 1000},
        {"indptr": lambda a: a[::-1].copy()},
        {"indptr": lambda a: np.r_[0, np.full(a.size - 1, 2**31 - 1)].astype(a.dtype)},
        {"indptr": lambda a: a[:-2]},
        {"indptr": lambda a: a.astype(float)},
        {"indices": lambda a: a + 1000},
        {"indices": lambda a: -1 - a},
        {"indices": lambda a: a[:-3]},
        {"indices": lambda a: a.reshape(1, -1)},
        {"data": lambda a: a.astype(int)},
        {"shape": lambda a: np.array([10**9, 4])},
        {"shape": lambda a: np.array([-30, 4])},
        {"shape": lambda a: np.array([30, 2])},
        {"shape": lambda a: np.array([30])},
    ],
    ids=lambda change: next(iter(change)),
)
def test_a_sparse_array_whose_parts_do_not_fit(change, tmp_path):
    X = sparse.random_array((30, 8), density=0.4, rng=np.random.default_rng(0), format="csr")
    with Session(X, nb.HSSNE(random_state=0)) as session:
        session.save(tmp_path / "x")
    assert load_session(tmp_path / "x").n_samples == 30
    with zipfile.ZipFile(tmp_path / "x") as file:
        arrays = {n: np.load(io.BytesIO(file.read(f"X.{n}.npy"))) for n in (
            "data", "indices", "indptr", "shape",
        )}  # fmt: skip
    ((name, change_it),) = change.items()
    tampered(tmp_path / "x", lambda m: {f"X.{name}.npy": npy(change_it(arrays[name]))})
    with pytest.raises(ValueError, match="cannot be loaded"):
        load_session(tmp_path / "x")


def peak_of_loading(path) -> int:
    """Return the most bytes that a refused load had allocated at a time."""
    tracemalloc.start()
    try:
        with pytest.raises(ValueError, match=r"cannot be loaded|not a session file"):
            load_session(path, methods=KINDS)
        return tracemalloc.get_traced_memory()[1]
    finally:
        tracemalloc.stop()


def rewritten(path, members, compression=zipfile.ZIP_DEFLATED):
    """Rewrite a file with members replaced, those compressed."""
    with zipfile.ZipFile(path) as file:
        kept = {n: file.read(n) for n in file.namelist() if n not in members}
    with zipfile.ZipFile(path, "w") as file:
        for name, data in kept.items():
            file.writestr(name, data)
        for name, data in members.items():
            file.writestr(name, data, compression)


MIB = 2**20


def test_compressed_arrays_and_documents_do_not_fill_the_memory(path):
    size = 64 * MIB
    original = path.read_bytes()
    rewritten(path, {"layout.npy": npy(np.zeros((30, size // 240)))})
    assert peak_of_loading(path) < 8 * MIB
    path.write_bytes(original)
    rewritten(path, {"session.json": b"[" + b"[]," * (size // 3) + b"[]]"})
    assert peak_of_loading(path) < 8 * MIB
    for kind in (zipfile.ZIP_BZIP2, zipfile.ZIP_LZMA):
        path.write_bytes(original)
        rewritten(path, {"session.json": b" " * MIB}, kind)
        assert peak_of_loading(path) < 8 * MIB


def test_a_document_that_unpacks_to_more_than_it_claims(path):
    text = b" " * (64 * MIB)
    rewritten(path, {"session.json": text})
    data = path.read_bytes()
    true, false = len(text).to_bytes(4, "little"), (1000).to_bytes(4, "little")
    path.write_bytes(data.replace(true, false))
    assert peak_of_loading(path) < 8 * MIB


def test_members_that_overlap_are_refused(path):
    data = path.read_bytes()
    with zipfile.ZipFile(path) as file:
        info = file.getinfo("X.npy")
    place = data.index(b"PK\x01\x02")
    # Every entry of the directory says that its bytes begin where those of X begin.
    while place >= 0:
        data = data[: place + 42] + info.header_offset.to_bytes(4, "little") + data[place + 46 :]
        place = data.find(b"PK\x01\x02", place + 46)
    path.write_bytes(data)
    assert not use(path)


@pytest.mark.parametrize("count", [10**9, 10**18, 10**30, -1, 29, 30.0, True])
def test_a_number_of_points_is_checked_before_anything_is_allocated(path, count):
    original, content = path.read_bytes(), document(path)
    supervision = dict(content["log"][0]["arguments"]["supervision"]["__supervision__"])
    tampered(path, edited(supervisions=[{**supervision, "n_samples": count}]))
    assert peak_of_loading(path) < 8 * MIB
    path.write_bytes(original)
    log = content["log"]
    log[0]["arguments"]["supervision"]["__supervision__"]["n_samples"] = count
    tampered(path, edited(log=log))
    assert peak_of_loading(path) < 8 * MIB


@pytest.mark.parametrize(
    "header",
    [
        "{'descr': '<f8', 'fortran_order': False, 'shape': (1000000000, 1000), }",
        "{'descr': '<f8', 'fortran_order': False, 'shape': (-1, 2), }",
        "{'descr': '<f8', 'fortran_order': False, 'shape': (10**9,), }",
        "{'descr': '|O', 'fortran_order': False, 'shape': (30, 2), }",
        "{'descr': '<U1000000000', 'fortran_order': False, 'shape': (0,), }",
        "{'descr': '<f8', 'fortran_order': 7, 'shape': (30, 2), }",
        "{'descr': " + "[" * 500 + "]" * 500 + ", 'fortran_order': False, 'shape': (30, 2), }",
        "__import__('os')",
        "{'descr'",
        "\x00" * 40,
    ],
)
def test_a_header_that_lies(path, header):
    text = header.encode("latin1")
    body = b"\x93NUMPY\x01\x00" + len(text).to_bytes(2, "little") + text + bytes(480)
    tampered(path, lambda m: {"layout.npy": body})
    assert peak_of_loading(path) < 8 * MIB


@pytest.mark.parametrize(
    "text",
    ["[" * 100_000, '{"a":' * 50_000, "9" * 10_000, '{"version": 1e999}', "\ud800", "nul", ""],
    ids=lambda text: text[:12],
)
def test_documents_that_json_refuses(path, text):
    tampered(path, lambda m: {"session.json": text.encode("utf-8", "surrogatepass")})
    assert not use(path)


def test_nested_values_within_a_document(path):
    content = document(path)
    content["log"][0]["arguments"]["parameters"]["tol"] = "deep"
    deep = '{"__tuple__": [' * 450 + "1.0" + "]}" * 450
    text = json.dumps(content).replace('"deep"', deep)
    tampered(path, lambda m: {"session.json": text})
    assert not use(path)


def test_arrays_in_the_document_are_as_large_as_their_lists(path):
    wide = serialization.decode({"__array__": ["ab"], "dtype": "<U500000000", "shape": [1]})
    assert wide.tolist() == ["ab"]
    assert wide.nbytes == 8
    content = document(path)
    for array in (
        {"__array__": [], "dtype": "<f8", "shape": [10**9, 10**9]},
        {"__array__": [1.0], "dtype": "<f8", "shape": [10**9]},
        {"__array__": [10**400], "dtype": "<f8", "shape": [1]},
        {"__array__": [2**70], "dtype": "<i4", "shape": [1]},
        {"__array__": [[1.0]], "dtype": "<f8", "shape": [1]},
        {"__array__": 10**9, "dtype": "<f8", "shape": []},
    ):
        content["log"][0]["arguments"]["parameters"]["n_components"] = array
        tampered(path, edited(log=content["log"]))
        assert peak_of_loading(path) < 8 * MIB


def test_the_log_decides_settings_history_and_names(path):
    content = document(path)
    assert not content.keys() & {"settings", "now", "history", "selections"}
    content["log"] = [event for event in content["log"] if event["command"] != "pin"]
    tampered(path, edited(log=content["log"]))
    loaded = load_session(path, methods=KINDS)
    assert not loaded.supervision.pinned.size
    assert list(loaded.selections) == ["odd"]


def test_snapshots_that_the_log_does_not_know_are_refused(path):
    content = document(path)
    content["snapshots"].clear()
    tampered(path, edited(**content))
    with pytest.raises(ValueError, match=r"damaged: it has the snapshots \[\], its log \[1, 2\]"):
        load_session(path, methods=KINDS)


def without_a_checkpoint(log):
    log.pop()


def without_its_labels(log):
    del log[-1]["arguments"]["supervision"]


def of_another_size(log):
    log[-1]["arguments"]["supervision"]["__supervision__"]["n_samples"] = 29


def of_a_function(log):
    log[-1]["arguments"]["parameters"]["metric"] = {"__opaque__": "subtract"}


def unsorted_points(log):
    log[-1]["arguments"]["selections"][0]["points"] = [9, 0]


def twice_a_number(log):
    log[-1]["arguments"]["snapshots"] = 2 * log[-1]["arguments"]["snapshots"]


@pytest.mark.parametrize(
    ("change", "match"),
    [
        (without_a_checkpoint, "only describes, and no checkpoint"),
        (without_its_labels, "a checkpoint must have the entries method, others"),
        (of_another_size, "30 points|29"),
        (of_a_function, "only describes, and no checkpoint"),
        (unsorted_points, "must be sorted and unique"),
        (twice_a_number, "a checkpoint must have distinct, valid snapshots"),
    ],
)
def test_a_damaged_checkpoint_is_refused(start, tmp_path, change, match):
    path = after_a_function(start, tmp_path)
    log = document(path)["log"]
    assert [event["command"] for event in log].count("checkpoint") == 1
    change(log)
    tampered(path, edited(log=log))
    with pytest.raises(ValueError, match=match):
        load_session(path, methods=KINDS)


def after_a_function(start, tmp_path):
    """Return the path of a session that began with a function and has none any more."""
    session = start(Fake(metric=np.subtract, random_state=0))
    session.label([1], "a")
    session.set(metric="euclidean")
    session.snapshot("plain")
    session.save_selection("odd", [3, 5])
    session.label([2], "b")
    session.step(3)
    rest(session)
    session.save(tmp_path / "x")
    return tmp_path / "x"


def test_a_function_that_is_gone_costs_the_history_and_nothing_else(start, tmp_path):
    path = after_a_function(start, tmp_path)
    loaded = load_session(path, methods=KINDS)
    assert loaded.supervision.labeled.tolist() == [1, 2]
    assert loaded.snapshots == ("plain",)
    assert loaded.selections["odd"].tolist() == [3, 5]
    assert not loaded.can_undo
    loaded.label([4], "a")
    loaded.step(2)
    rest(loaded)
    loaded.save(path)
    again = load_session(path, methods=KINDS)
    assert again.supervision == loaded.supervision
    assert again.undo_text == loaded.undo_text
    again.restore("plain")
    rest(again)
    assert again.supervision.labeled.tolist() == [1]


def test_a_label_survives_an_undo_of_what_is_not_understood(path):
    content = document(path)
    at = content["log"][-1]["iteration"]
    content["log"] += [
        {"iteration": at, "command": "label", "arguments": {"points": [7], "class_": "kept"}},
        {"iteration": at, "command": "set", "arguments": {"flavor": 3}},
        {"iteration": at, "command": "undo", "arguments": {}},
    ]
    tampered(path, edited(**content))
    with pytest.raises(ValueError, match="cannot have happened"):
        load_session(path, methods=KINDS)
    tampered(path, edited(**{**content, "nbembed": "0.0.1"}))
    with pytest.warns(UserWarning, match="cannot be read completely.*: event .* 'set', cannot"):
        loaded = load_session(path, methods=KINDS)
    assert "kept" in loaded.supervision.classes
    assert not loaded.can_undo, "the history starts anew"
    loaded.label([8], "kept")
    rest(loaded)
    loaded.save(path)
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        again = load_session(path, methods=KINDS)
        assert again.supervision == loaded.supervision
        assert again.undo_text == loaded.undo_text
        with again.replayed() as replayed:
            assert replayed.supervision == loaded.supervision


def test_a_document_that_packs_well_is_written_so_that_it_opens(start, tmp_path, monkeypatch):
    monkeypatch.setattr(archive, "JSON_ALWAYS", 2000)
    monkeypatch.setattr(archive, "JSON_RATIO", 4)
    session = start()
    for i in range(200):
        session.label([1], "ab"[i % 2] * 50)
    rest(session)
    session.save(tmp_path / "x")
    with zipfile.ZipFile(tmp_path / "x") as file:
        member = file.getinfo("session.json")
    assert member.compress_type == zipfile.ZIP_STORED
    assert load_session(tmp_path / "x", methods=KINDS).supervision == session.supervision


#: Parts of a document that are large in memory for their length.
SMALL_PARTS = [
    "{}", "[]", "[[]]", '{"":0}', '{"":{}}', '{"a":{},"b":[],"c":[0]}', "[[[[[[[[]]]]]]]]", "257",
    "0.5", '"ab"', '"\U0001f600"', '{"iteration":0,"command":"label","arguments":{}}',
]  # fmt: skip


def memory_for(path):
    """Return the bytes of memory that opening a file takes at most, and the error's sentence."""
    tracemalloc.start()
    try:
        load_session(path, methods=KINDS).close()
        sentence = ""
    except ValueError as error:
        sentence = str(error)
    finally:
        peak = tracemalloc.get_traced_memory()[1]
        tracemalloc.stop()
    return peak, sentence


@pytest.mark.parametrize("unit", SMALL_PARTS)
@pytest.mark.parametrize("place", ["unknown", "view", "log", "pending", "supervisions"])
def test_small_parts_take_no_more_memory_than_the_file_explains(
    start, tmp_path, monkeypatch, unit, place
):
    """As many of them as may be, beside spaces."""
    monkeypatch.setattr(archive, "MEMORY_ALWAYS", 0)
    session = start()
    session.save(tmp_path / "x")
    session.close()
    own, _ = memory_for(tmp_path / "x")
    content = document(tmp_path / "x")
    many = [unit] * 5000
    listed = ",".join([*map(json.dumps, content.get(place, [])), *many])
    content[place] = "here"
    whole = f'{{"a":[{listed}]}}' if place == "view" else f"[{listed}]"
    text = json.dumps(content).replace('"here"', whole).encode()
    memory = archive.memory_of(text)
    lacking = memory - archive.MEMORY_RATIO * len(text)
    for room in (max(0, lacking) // (archive.MEMORY_RATIO - archive._copies(text)) + 1, 0):
        with zipfile.ZipFile(tmp_path / "x") as file:
            members = {name: file.read(name) for name in file.namelist()}
        members["session.json"] = text + b" " * room
        with zipfile.ZipFile(tmp_path / "y", "w") as file:
            for name, data in members.items():
                file.writestr(name, data)
        size = (tmp_path / "y").stat().st_size
        peak, sentence = memory_for(tmp_path / "y")
        assert peak <= own + archive.MEMORY_RATIO * size
        if not room:
            assert ("bytes of memory" in sentence) is (memory > archive.MEMORY_RATIO * size)


@pytest.mark.parametrize(
    "way", [(), ("run_state",), ("run_state", "schedule"), ("trace",), ("log", 0), ("snapshots", 0)]
)
def test_entries_that_nobody_reads_are_refused(path, way):
    content = document(path)
    place = content
    for key in way:
        place = place[key]
    place["more"] = [{}, {}]
    tampered(path, edited(**content))
    with pytest.raises(ValueError, match=r"has unknown entries: \['more'\]"):
        load_session(path, methods=KINDS)


def test_whatever_a_session_holds_is_written_so_that_it_opens(start, tmp_path, monkeypatch):
    monkeypatch.setattr(archive, "MEMORY_ALWAYS", 2000)
    monkeypatch.setattr(archive, "MEMORY_RATIO", 10)
    session = start()
    for i in range(50):
        session.label([1], "七[[{{"[: 1 + i % 5])
    rest(session)
    session.save(tmp_path / "x")
    assert load_session(tmp_path / "x", methods=KINDS).supervision == session.supervision


def test_errors_of_reading_are_not_taken_for_damage(path, monkeypatch):
    def broken(*_: object) -> None:
        raise OSError(5, "Input/output error")

    monkeypatch.setattr(archive.zipfile, "ZipFile", broken)
    with pytest.raises(OSError, match="Input/output"):
        load_session(path, methods=KINDS)

    def corrupt(*_: object) -> None:
        raise zlib.error("invalid block")

    monkeypatch.setattr(archive.zipfile, "ZipFile", corrupt)
    with pytest.raises(ValueError, match="damaged: invalid block"):
        load_session(path, methods=KINDS)
