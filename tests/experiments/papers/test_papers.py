"""The catalog of the papers, the known failures, and the page that is made of them."""

from __future__ import annotations

from dataclasses import replace

import pytest

from nbembed import cli
from nbembed.experiments import NAMES, Figure
from nbembed.experiments.papers import page, paper_rows
from nbembed.experiments.papers.base import report
from nbembed.experiments.papers.known_failures import KNOWN_FAILURES
from nbembed.experiments.papers.published import BEYOND, PAPERS, ROWS
from nbembed.experiments.papers.results import KEPT, read_results
from nbembed.experiments.papers.unjudged import UNJUDGED


def test_the_catalog_is_consistent():
    assert paper_rows.problems() == []


@pytest.mark.parametrize(
    ("change", "problem"),
    [
        ({"experiments": ("no-such",)}, "no experiment no-such"),
        ({"experiments": ()}, "reproduced, but there is no experiment"),
        ({"state": "not yet"}, "not yet, but there are experiments"),
        ({"state": "short form only", "experiments": ("snerv-letter",)}, "a long experiment"),
        ({"experiments": ("snerv-letter-short",)}, "only a short form is named"),
        ({"state": "in part", "note": ""}, "does not say what is missing"),
        ({"state": "data not to be had", "stand_in": ""}, "experiments need a stand-in"),
        ({"experiments": ("few-labels",)}, "few-labels is beyond the papers, but a row names it"),
    ],
)
def test_inconsistent_rows_are_found(monkeypatch, change, problem):
    row = next(row for row in ROWS if row.experiments == ("hssne-vehicle",))
    others = tuple(other for other in ROWS if other is not row)
    monkeypatch.setattr(paper_rows, "ROWS", (*others, replace(row, **change)))
    assert any(problem in found for found in paper_rows.problems())


def test_an_experiment_that_no_row_names_is_found(monkeypatch):
    monkeypatch.setattr(paper_rows, "BEYOND", {})
    found = paper_rows.problems()
    assert found == [f"{name} is named by no row and not beyond the papers" for name in BEYOND]


def test_every_paper_and_every_row_is_listed(capsys):
    assert cli.main(["reproduce", "--list"]) == 0
    shown = capsys.readouterr().out.splitlines()
    for paper in PAPERS:
        assert any(paper.title in line for line in shown)
    for row in ROWS:
        (line,) = [
            line
            for line in shown
            if line.startswith(f"  {row.number} ") and f"  {row.data} " in line
            and line.endswith(row.shows)
        ]  # fmt: skip
        assert row.state in line
        assert all(name in line for name in row.experiments)


def test_every_experiment_says_how_long_it_takes():
    assert all(found.takes[0].isdigit() for found in NAMES.values())


def test_known_failures_are_of_experiments():
    assert {name for name, _ in KNOWN_FAILURES} <= NAMES.keys()


def test_the_stored_figures_are_of_experiments_and_fail_as_listed():
    entries = read_results(KEPT)
    assert entries
    assert entries.keys() <= NAMES.keys()
    unexpected = [
        (name, figure.name, figure.verdict)
        for name, entry in entries.items()
        for figure in entry.figures
        if not figure.as_expected
    ]
    assert unexpected == []
    for name, figure in KNOWN_FAILURES:
        stored = {found.name for found in entries[name].figures} if name in entries else {figure}
        assert figure in stored, f"{name} has no figure {figure}"


def test_figures_beside_published_ones_are_judged_or_say_why_not():
    entries = read_results(KEPT)
    silent = [
        (name, figure.name)
        for name, entry in entries.items()
        for figure in entry.figures
        if figure.published and not figure.judged and not figure.unjudged
    ]
    assert silent == []
    found = {(name, f.name): f for name, entry in entries.items() for f in entry.figures}
    for key in UNJUDGED:
        assert found[key].published, f"{key} has no published value"
        assert not found[key].judged, f"{key} is judged"


def test_the_page_and_the_command_say_why_a_figure_is_not_judged(capsys):
    figure = Figure("seconds of a map", "60", 0.4, digits=1)
    report(replace(NAMES["pe-words"], files=(), figures=lambda data: [figure]), None)
    reason = UNJUDGED["pe-words", figure.name]
    assert f"not judged: {figure.name}: {reason}" in capsys.readouterr().out
    assert f"* {figure.name}: Not judged. {reason}" in page.pages()[page.TABLES]


def test_the_page_has_means_but_no_single_folds():
    text = page.pages()[page.TABLES]
    assert "| S-Isomap: mean error, % |" in text
    assert "fold 1:" not in text
    assert "split 1:" not in text


def test_times_are_those_that_were_measured(capsys):
    entries = read_results(KEPT)
    assert paper_rows.takes(["mbed-usps", "snerv-phoneme"], entries) == "76 s + 38 min"
    assert paper_rows.takes(["mbed-usps"], {}) == NAMES["mbed-usps"].takes
    assert "(about " not in "".join(page.pages().values())


def test_what_is_beyond_the_papers_has_a_page_of_its_own():
    found = page.pages()
    for name in NAMES:
        where = page.BEYOND_PAGE if name in BEYOND else page.TABLES
        assert [file for file, text in found.items() if f"# `{name}`" in text] == [where]


def test_the_pages_are_up_to_date():
    """After a change of catalog or figures: python -m nbembed.experiments.papers.page."""
    for file, text in page.pages().items():
        assert file.read_text(encoding="utf-8") == text
