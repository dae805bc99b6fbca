"""The catalog of the papers' tables and figures as text: ``nbembed reproduce --list``."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence

from nbembed.experiments.papers.catalog import NAMES
from nbembed.experiments.papers.published import BEYOND, PAPERS, ROWS, Row
from nbembed.experiments.papers.results import KEPT, Entry, read_results


def state(row: Row) -> str:
    """Return the state of a row with the data that stand in for the paper's."""
    return f"{row.state}; stand-in: {row.stand_in}" if row.stand_in else row.state


def takes(names: Sequence[str], entries: Mapping[str, Entry]) -> str:
    """Return the durations of experiments, one after the other: measured, or as stated."""
    return " + ".join(
        _duration(entries[name].seconds) if name in entries else NAMES[name].takes for name in names
    )


def _duration(seconds: float) -> str:
    return f"{max(seconds, 1):.0f} s" if seconds < 100 else f"{seconds / 60:.0f} min"


def problems() -> list[str]:
    """Return the faults of the catalog: unknown names, states that contradict the rest, gaps."""
    found = []
    for row in ROWS:
        title = f"{row.paper.name}, {row.number}, {row.data}"
        known = [name for name in row.experiments if name in NAMES]
        found += [f"{title}: no experiment {name}" for name in row.experiments if name not in NAMES]
        if row.state == "not yet" and (row.experiments or row.stand_in):
            found.append(f"{title}: not yet, but there are experiments or a stand-in")
        if row.state in ("reproduced", "in part", "short form only") and not row.experiments:
            found.append(f"{title}: {row.state}, but there is no experiment")
        if row.state == "short form only" and not all(NAMES[name].short for name in known):
            found.append(f"{title}: short form only, but a long experiment is named")
        if row.state == "reproduced" and all(name.endswith("-short") for name in known):
            found.append(f"{title}: reproduced, but only a short form is named")
        if row.state == "in part" and not row.note:
            found.append(f"{title}: in part, but the note does not say what is missing")
        if row.state == "data not to be had" and bool(row.experiments) != bool(row.stand_in):
            found.append(f"{title}: experiments need a stand-in, and a stand-in experiments")
    named = {name for row in ROWS for name in row.experiments}
    found += [
        f"{name} is named by no row and not beyond the papers"
        for name in NAMES
        if name not in named and name not in BEYOND
    ]
    found += [
        f"{name} is beyond the papers, but a row names it" for name in BEYOND if name in named
    ]
    found += [f"{name} is beyond the papers, but no experiment" for name in BEYOND.keys() - NAMES]
    return found


def lines() -> Iterator[str]:
    """Yield the lines of the list: a row for each table and figure, then what is beyond them."""
    entries = read_results(KEPT)
    for paper in PAPERS:
        yield f"{paper.title} ({paper.reference})"
        rows = [
            (
                row.number,
                row.data,
                state(row),
                " ".join(row.experiments) or "–",
                _time(row, entries),
            )
            for row in ROWS
            if row.paper is paper
        ]
        shown = [row.shows for row in ROWS if row.paper is paper]
        widths = [max(map(len, column)) for column in zip(*rows)]
        for cells, shows in zip(rows, shown):
            padded = "  ".join(f"{cell:{width}}" for cell, width in zip(cells, widths))
            yield f"  {padded}  {shows}"
        yield ""
    yield "Beyond the papers"
    width = max(map(len, BEYOND))
    for name, about in BEYOND.items():
        yield f"  {name:{width}}  {takes([name], entries):6}  {about}"


def _time(row: Row, entries: Mapping[str, Entry]) -> str:
    return takes(row.experiments, entries) or "–"
