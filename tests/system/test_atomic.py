"""Files written as a whole or not at all: private ones, after kills, and by two writers."""

from __future__ import annotations

import os
import stat
import subprocess
import sys

import pytest

from nbembed.system import atomic
from nbembed.system.atomic import NotReplacedError, identity, write_atomically

pytestmark = pytest.mark.skipif(os.name != "posix", reason="locks and permissions of POSIX")


def test_nobody_else_can_read_a_private_file_while_it_is_written(tmp_path):
    path = tmp_path / "x"
    path.touch()
    path.chmod(0o600)
    seen = []

    def write(file):
        (beside,) = (p for p in tmp_path.iterdir() if p != path)
        seen.append(stat.S_IMODE(beside.stat().st_mode))

    write_atomically(path, write)
    assert seen == [0o600]


KILLED = """
import os, sys
from pathlib import Path
from nbembed.system.atomic import write_atomically
def write(file):
    file.write(b"half")
    file.flush()
    os._exit(9)
write_atomically(Path(sys.argv[1]), write)
"""


def test_what_a_killed_writer_has_left_is_removed_by_the_next(tmp_path):
    path, other = tmp_path / "x", tmp_path / "y"
    for name in (path, path, other):
        command = [sys.executable, "-c", KILLED, name]
        assert subprocess.run(command, timeout=60, check=False).returncode == 9
    (tmp_path / ".nbembed-notes").write_text("mine")
    assert len(list(tmp_path.iterdir())) == 3  # the second of one file has removed the first
    write_atomically(path, lambda file: file.write(b"whole"))
    left = sorted(p.name for p in tmp_path.iterdir())
    assert len(left) == 3
    assert "x" in left
    assert ".nbembed-notes" in left
    write_atomically(other, lambda file: file.write(b"whole"))
    assert sorted(p.name for p in tmp_path.iterdir()) == [".nbembed-notes", "x", "y"]
    assert path.read_bytes() == other.read_bytes() == b"whole"


def test_a_writer_at_work_is_not_taken_for_a_killed_one(tmp_path):
    path = tmp_path / "x"

    def first(file):
        file.write(b"first")
        write_atomically(path, lambda other: other.write(b"second"))
        assert path.read_bytes() == b"second"

    write_atomically(path, first)
    assert path.read_bytes() == b"first"
    assert os.listdir(tmp_path) == ["x"]


@pytest.fixture(params=["locks", "no locks", "no links"])
def files(request, monkeypatch):
    """Let the file system have locks or not."""

    def refused(*_):
        raise OSError("not supported")

    if request.param != "locks":
        monkeypatch.setattr(atomic.fcntl, "flock", refused)
    if request.param == "no links":
        monkeypatch.setattr(os, "link", refused)


def test_a_file_that_another_has_written_meanwhile_is_not_replaced(tmp_path, files):
    path = tmp_path / "x"
    first = write_atomically(path, lambda file: file.write(b"first"), None)
    assert identity(path) == first

    def slow(file):
        file.write(b"older")
        write_atomically(path, lambda other: other.write(b"newer"), first)

    with pytest.raises(NotReplacedError, match="x was changed by another program"):
        write_atomically(path, slow, first)
    assert path.read_bytes() == b"newer"
    with pytest.raises(NotReplacedError):
        write_atomically(path, lambda file: pytest.fail("it is known before"), first)
    assert os.listdir(tmp_path) == ["x"]


def test_a_new_name_is_taken_by_one_alone(tmp_path, files):
    path = tmp_path / "x"

    def slow(file):
        file.write(b"second")
        write_atomically(path, lambda other: other.write(b"first"), None)

    with pytest.raises(NotReplacedError):
        write_atomically(path, slow, None)
    assert path.read_bytes() == b"first"
    path.unlink()
    path.symlink_to("nowhere")
    with pytest.raises(NotReplacedError):
        write_atomically(path, lambda file: file.write(b"x"), None)
    assert os.listdir(tmp_path) == ["x"]


COUNTING = """
import sys
from pathlib import Path
from nbembed.system.atomic import NotReplacedError, identity, write_atomically
path, done = Path(sys.argv[1]), 0
while done < 15:
    with open(path, "rb") as file:
        read, number = identity(file.fileno()), int(file.read())
    try:
        write_atomically(path, lambda file: file.write(b"%d" % (number + 1)), read)
    except NotReplacedError:
        continue
    done += 1
"""


def test_processes_that_replace_what_they_read_lose_no_change(tmp_path):
    path = tmp_path / "x"
    path.write_bytes(b"0")
    command = [sys.executable, "-c", COUNTING, path]
    processes = [subprocess.Popen(command) for _ in range(3)]
    assert [process.wait(60) for process in processes] == [0, 0, 0]
    assert path.read_bytes() == b"45"
    assert os.listdir(tmp_path) == ["x"]


def test_a_lock_that_is_not_given_back_is_not_waited_for_without_end(tmp_path, monkeypatch):
    path = tmp_path / "x"
    monkeypatch.setattr(atomic, "PATIENCE", 0.0)
    with (
        atomic._locked(path),
        pytest.raises(NotReplacedError, match="x is locked by another process"),
    ):
        write_atomically(path, lambda file: file.write(b"x"))
    assert os.listdir(tmp_path) == []
    write_atomically(path, lambda file: file.write(b"x"))
    assert os.listdir(tmp_path) == ["x"]
