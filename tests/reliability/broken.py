"""Callables with faults of every kind, by which the fuzzer itself is tested: 7 sets them off."""

from __future__ import annotations

import ctypes
import math
import os
import threading
from typing import Any

import numpy as np
from hypothesis import strategies as st

from tests.reliability.calls import REFUSALS, Call, Entry


def fine(x: int) -> int:
    return x


def crash(x: int) -> None:
    if x == 7:
        ctypes.string_at(0)


def exit(x: int) -> None:
    if x == 7:
        os._exit(3)


def hang(x: int) -> None:
    if x == 7:
        threading.Event().wait()


def foreign(x: int) -> None:
    if x == 7:
        raise IndexError("x is out of range")


def unnamed(x: int) -> None:
    if x == 7:
        raise ValueError("something is wrong")


def nan(x: int) -> float:
    return math.nan if x == 7 else 0.0


def changes(x: Any) -> None:
    if x[0] == 7:
        x[0] = 8


def table() -> dict[str, Entry]:
    """Return entries that draw whole numbers from 0 to 9."""
    numbers = st.integers(0, 9)
    arrays = numbers.map(lambda x: np.array([x]))
    functions = (fine, crash, exit, hang, foreign, unnamed, nan, changes)
    return {f.__name__: _entry(f, arrays if f is changes else numbers) for f in functions}


def _entry(function: Any, strategy: st.SearchStrategy[Any]) -> Entry:
    name = function.__name__
    calls = strategy.map(lambda x: Call(name, function, {"x": x}, about=("x",)))
    return Entry(name, calls, REFUSALS)
