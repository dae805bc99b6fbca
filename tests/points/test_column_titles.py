"""Columns found by their titles."""

from __future__ import annotations

import numpy as np
import pytest

from nbembed.points.column_titles import MOST_MATCHES, ColumnTitles


@pytest.mark.parametrize(
    ("text", "places"),
    [
        ("", [0, 1, 2, 3, 4]),
        ("cd3", [1, 2, 0]),  # the title itself, one that begins with it, one that has it
        ("CD3e", [2]),
        ("  count of ", [3]),
        ("of total", [3]),  # all words, in any order
        ("straße", [4]),
        ("none of these", []),
    ],
)
def test_titles_that_are_the_text_come_first(text: str, places: list[int]) -> None:
    titles = ColumnTitles(["anti-CD3", "CD3", "CD3E", "total count of mt", "STRASSE"])
    found = titles.find(text)
    assert found.places == places
    assert (found.matching, found.count) == (len(places), 5)


def test_whole_words_come_before_parts_of_words() -> None:
    titles = ColumnTitles(["by selection", "the election", "elections"])
    assert titles.find("election").places == [2, 1, 0]


def test_only_the_best_are_returned_and_all_are_counted() -> None:
    titles = ColumnTitles([f"gene {k}" for k in range(30_000)])
    found = titles.find("gene 29")
    assert len(found.places) == MOST_MATCHES
    assert found.matching == sum("29" in str(k) for k in range(30_000)), "each word counts"
    assert found.titles[1:11] == [f"gene {k}" for k in range(290, 300)]
    assert found.titles[0] == "gene 29"
    titles.append("late")
    assert titles.find("late").places == [30_000]


def test_names_may_be_anything() -> None:
    titles = ColumnTitles([("a", 1), 7, None, "x" * 500 + "needle", "\u202e<b>\x00", np.str_("y")])
    assert titles.find("a · 1").places == [0]
    assert titles.find("7").places == [1]
    assert titles.find("needle").places == [3]
    assert len(titles.find("needle").titles[0]) < 100
    assert "\x00" not in titles.title(4)
    assert titles.find("").count == 6
