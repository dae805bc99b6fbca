"""Files written as a whole or not at all: private ones, after kills, and by two writers."""

from __future__ import annotations

import os
import stat
import subprocess
import sys

import pytest

from nbembed.system.atomic import write_atomically

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
