"""References to methods: they end with the object, and with the interpreter without an error."""

from __future__ import annotations

import gc
from pathlib import Path
from typing import Any

import nbembed
from nbembed.system.weak_method import WeakMethod


class Owner:
    def name(self) -> str:
        return "a name"


def test_a_method_is_there_as_long_as_its_object() -> None:
    owner, gone = Owner(), []
    method: Any = WeakMethod(owner.name, gone.append)
    assert method()() == "a name"
    del owner
    gc.collect()
    assert method() is None
    assert len(gone) == 1


def test_nothing_refers_weakly_to_functions() -> None:
    """The interpreter takes classes apart at its end, and weakref.WeakMethod then fails aloud."""
    files = Path(nbembed.__file__).parent.rglob("*.py")
    assert [path for path in files if "weakref.WeakMethod(" in path.read_text("utf-8")] == []
