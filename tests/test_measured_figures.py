"""Figures that were measured are written by runs, not by hand, on the pages of methods and papers.

A measurement has no form of its own: an error of 5 % and an interval of 95 % look alike. So the
rule is on forms. In the prose of these pages a number with a unit (per cent, points, seconds,
bytes, times) and a decimal fraction that is not the value of a named symbol stand only where
:data:`SET` says that a choice sets them. Whole numbers without a unit, numbers in words, in code
and in formulas, and what a page says in words of figures elsewhere are not found.
"""

from __future__ import annotations

import re
from pathlib import Path

import pytest

from nbembed.experiments import NAMES
from nbembed.experiments.papers.claims import NOT_THE_PAPERS
from nbembed.experiments.papers.page import BEYOND_HEAD, HEAD, TABLES_HEAD
from nbembed.experiments.papers.published import BEYOND, ROWS

DOCS = Path(__file__).parents[1] / "docs"
METHODS = DOCS / "methods"

#: Numbers of such a form that a choice sets: defaults, bounds that tests hold, protocols, what a
#: paper prints; by page, in the words around them.
SET: dict[str, tuple[str, ...]] = {
    "baselines.md": ("metric-learn 0.7",),
    "hssne.md": (
        "error of the repulsion is below 0.1 per cent",  # tests/kernels/grid/test_grid_sums.py
        "less than 3 % of the map's radius",
        "10 % of the intra-class pairs",
        "about **1 %** of them",
        "We infer that 1 % was meant",
    ),
    "learning-metric.md": ("exceeds the k-th path by 5 %",),
    "mbed.md": ("λ goes from 0.5 to 0.1 radii", "λ below 0.25"),
    "nerv.md": ("error of the gradient is below 0.1 per cent",),  # tests/objectives/test_grid.py
    "parametric-embedding.md": ("is 0.01 per point", "at the default 0.1"),
    "propagation.md": (
        "its 95 % interval",
        "from which on 95 % are",
        "about 5 % of the points",
        "at most .05",
    ),
}

#: What is written by hand of the pages that experiments write.
BY_HAND = {
    **{f"what is not {paper.name}'s": text for paper, text in NOT_THE_PAPERS.items()},
    **{
        f"{row.paper.name}, {row.number}, {row.data}": f"{row.shows} {row.stand_in} {row.note}"
        for row in ROWS
    },
    **BEYOND,
    **{name: experiment.summary.partition(" (about ")[0] for name, experiment in NAMES.items()},
    "the head of the claims": HEAD,
    "the head of the tables": TABLES_HEAD,
    "the head of what is beyond": BEYOND_HEAD,
}
#: The same of these.
SET_BY_HAND = (
    "1 % of the pairs",  # the protocol of vehicle, and the paper's
    "not 10 %",
    "not with the 10 %",
    "over the folds at .05",
    "for chance: 95 %",
)

NUMBER = r"(?<![\w.])(?:\d[\d ]*)?\.?\d+"
UNIT = r"%|per cent|percent|percentage points?|times|ms|s|seconds?|minutes?|hours?|[kMG]?B"
#: A fraction counts unless a symbol is said to have this value; versions are none.
MEASURED = re.compile(rf"{NUMBER} ?(?:{UNIT})(?!\w)|(?<![=≤≥<>] )(?<![\w.])\d*\.\d+(?![\w.]*\.?\d)")


def prose(text: str) -> str:
    """Return a page without code, formulas, link targets, references and tables of sliders."""
    text = text.partition("## References")[0]
    for hidden in (
        r"^\| Slider .*\n(\|.*\n)*",
        r"(?s)```.*?```",
        r"(?s)\$\$.*?\$\$",
        r"`[^`]*`",
        r"\$[^$]*\$",
        r"\]\([^)]*\)",
    ):
        text = re.sub(hidden, " ", text, flags=re.MULTILINE)
    return " ".join(text.split())


def measured(text: str) -> list[str]:
    """Return the numbers in a text that have the form of a measurement, with what stands before."""
    return [text[max(0, found.start() - 30) : found.end()] for found in MEASURED.finditer(text)]


def without(text: str, phrases: tuple[str, ...]) -> str:
    for phrase in phrases:
        text = text.replace(phrase, "")
    return text


@pytest.mark.parametrize("page", sorted(METHODS.glob("*.md")), ids=lambda page: page.name)
def test_pages_of_methods_have_no_measured_figures(page):
    text = prose(page.read_text(encoding="utf-8"))
    phrases = SET.get(page.name, ())
    assert [phrase for phrase in phrases if phrase not in text] == [], "no longer on the page"
    assert measured(without(text, phrases)) == []


def test_where_labels_fall_short_is_told_without_figures():
    """The other sections of that page have no experiments."""
    page = (DOCS / "reliability.md").read_text(encoding="utf-8")
    section = prose(page.partition("## Where few labels fall short")[2].partition("\n## ")[0])
    bounds = (".95 of ten neighbors", "at most .05 of its")
    assert all(bound in section for bound in bounds)
    assert measured(without(section, bounds)) == []


def test_what_is_written_by_hand_of_the_papers_pages_has_none():
    texts = {name: prose(text) for name, text in BY_HAND.items()}
    assert [one for one in SET_BY_HAND if not any(one in text for text in texts.values())] == []
    found = {name: measured(without(text, SET_BY_HAND)) for name, text in texts.items()}
    assert {name: numbers for name, numbers in found.items() if numbers} == {}


@pytest.mark.parametrize(
    ("text", "number"),
    [
        ("the error is 5 % there", "5 %"),
        ("it keeps .44 of the neighbors", ".44"),
        ("it has 41.7 with r", "41.7"),
        ("takes 20 000 points 2.5 s on", "2.5 s"),
        ("gains 3 percentage points", "3 percentage points"),
        ("at 15 times the speed", "15 times"),
        ("is 40 ms in the median", "40 ms"),
    ],
)
def test_forms_of_measurements_are_found(text, number):
    (found,) = measured(prose(text))
    assert found.endswith(number)


@pytest.mark.parametrize(
    "text",
    [
        "at γ = 0.01 the slider begins",
        "with `epsilon=0.5` and $\\rho \\ge 0.2$",
        "openTSNE 1.0.4 from 5000 points on",
        "three times as many, in 10 axes",
        "[as the table says](page.md#x1.5)",
        "| Slider | Range |\n| λ | 0.05 to 20 |\n",
        "text\n\n## References\n\n* pages 3.5 %",
    ],
)
def test_what_a_choice_sets_is_not(text):
    assert measured(prose(text)) == []
