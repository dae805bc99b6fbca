"""Values as text: short, whole, and never more than text."""

from __future__ import annotations

import datetime
from typing import Any

import numpy as np
import pandas as pd
import pytest

from nbembed.points.text import LONGEST_NAME, in_sentence, is_missing, name_of, text_of


@pytest.mark.parametrize(
    "value", [None, float("nan"), np.float32("nan"), pd.NA, pd.NaT, np.datetime64("NaT")]
)
def test_missing_values_are_empty(value: Any) -> None:
    assert is_missing(value)
    assert text_of(value) == ""


@pytest.mark.parametrize(
    ("value", "text"),
    [
        (1 / 3, "0.333333"),
        (np.float32(0.1), "0.1"),
        (12, "12"),
        (np.int64(7), "7"),
        (True, "True"),
        ("a\nb", "a\nb"),
        (("north", 3), "north · 3"),
        (pd.Timestamp("2021-05-01"), "2021-05-01"),
        (pd.Timestamp("2021-05-01 13:00"), "2021-05-01 13:00:00"),
        (datetime.date(2021, 5, 1), "2021-05-01"),
        (np.datetime64("2021-05-01T00:00:00.000000000"), "2021-05-01"),
        (np.datetime64("2021-05-01T00:00:00.000000"), "2021-05-01"),
        (np.datetime64("2021-05-01T00:00:00"), "2021-05-01"),
        (np.datetime64("2021-05-01T10:20:00.250000"), "2021-05-01T10:20:00.25"),
        (b"abc", "3 bytes"),
        ([1, 2], "[1, 2]"),
    ],
)
def test_values_are_shown_as_people_write_them(value: Any, text: str) -> None:
    assert text_of(value) == text


def test_hostile_text_stays_text() -> None:
    assert text_of("<img src=x onerror=alert(1)>") == "<img src=x onerror=alert(1)>"
    assert text_of("a\0b\x1b[31m\x7f") == "a␀b␛[31m␡"
    assert text_of("half \ud800 of a pair").encode("utf-8") == b"half ? of a pair"
    long = text_of("x" * 10_000)
    assert long.endswith("…")
    assert len(long) < 1000
    assert len(name_of("y " * 10_000)) <= LONGEST_NAME + 1
    assert "\n" not in name_of("two\nlines")


def test_marks_of_direction_stay_in_a_value_and_leave_a_sentence() -> None:
    name = name_of("\u202eevil")
    assert name == "\u202eevil"
    assert in_sentence(name) == "evil"


def test_what_cannot_be_shown_is_named_by_its_type() -> None:
    class Broken:
        def __str__(self) -> str:
            raise RuntimeError

    assert text_of(Broken()) == "a Broken"
    assert text_of(10**10_000) == "a int"
