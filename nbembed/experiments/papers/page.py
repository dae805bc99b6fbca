"""The page ``docs/reproduction.md``: the catalog of the papers with the figures of the last run.

    python -m nbembed.experiments.papers.page

writes it from :mod:`nbembed.experiments.papers.published`, the known failures and
``docs/reproduction.json``. A full run (``nbembed reproduce --full``) writes the figures and then
the page.
"""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Iterable, Iterator, Mapping, Sequence

from nbembed.experiments.papers.base import Figure
from nbembed.experiments.papers.catalog import NAMES
from nbembed.experiments.papers.drawings import DRAWINGS
from nbembed.experiments.papers.paper_rows import state, takes
from nbembed.experiments.papers.published import BEYOND, PAPERS, ROWS, Paper
from nbembed.experiments.papers.results import KEPT, Entry, read_results

PAGE = KEPT.with_name("reproduction.md")

HEAD = """# Published figures

Every table and every figure with data of the five papers, with the figures of the last run beside
the published ones. Written by `python -m nbembed.experiments.papers.page` from the catalog
(`nbembed/experiments/papers/published.py`) and the stored figures (`docs/reproduction.json`), which
`nbembed reproduce --full --data DIR --jobs N` renews; interrupted, the same command goes on at the
experiment where it stopped. `nbembed reproduce NAME --data DIR` repeats one experiment.

A range is the published figure and a margin for chance: 95 % by the spread of our own runs, where
the paper states none, and half of the last printed digit. Where the paper says only that one thing
is more than another, the range begins at what is printed as more. A figure that is better than the
published one is not held against a method. *Simple methods* shows how a random map, k-means, the
nearest labeled point or the like fares: *in* means that the range alone does not tell the method
from it; counts of iterations and of words, which these do not have, stand alone. Behind ± stands
the standard deviation of the runs, unless the experiment says otherwise. Rows without a published
value are there to compare; single splits and folds are in the stored figures only. Pictures are one
run of each of the papers' maps, colored by class (`python -m nbembed.experiments.papers.drawings
--data DIR`).

*Reproduced* says that the experiments compute all that a table or figure shows; whether the figures
agree is in the verdicts. **yes**: in its range; **known**: outside, and listed with what is known
of the cause; **NO**: outside and not listed; **PASSES**: listed as a failure, but in its range. The
command's exit status is 0 if there is no NO, and nothing passes by more than its standard
deviation.
"""

VERDICTS = ("yes", "known", "NO", "PASSES")


def text() -> str:
    """Return the page."""
    return "\n".join(_lines(read_results(KEPT))).rstrip() + "\n"


def write() -> None:
    """Write the page."""
    PAGE.write_text(text(), encoding="utf-8")


def _lines(entries: Mapping[str, Entry]) -> Iterator[str]:
    yield HEAD
    yield from _summary(entries)
    yield from _origin(entries)
    for paper in PAPERS:
        yield f"## {paper.name}"
        yield ""
        yield f"{paper.title}. {paper.reference}."
        yield ""
        yield from _rows(paper)
        yield from _pictures(paper)
        for name in _of_paper(paper):
            yield from _experiment(name, entries.get(name))
    yield "## Beyond the papers"
    yield ""
    for name, about in BEYOND.items():
        yield from _experiment(name, entries.get(name), about)


def _of_paper(paper: Paper) -> list[str]:
    named = {name for row in ROWS if row.paper is paper for name in row.experiments}
    return [name for name in NAMES if name in named]


def _summary(entries: Mapping[str, Entry]) -> Iterator[str]:
    rows = []
    for title, names in [
        *((paper.name, _of_paper(paper)) for paper in PAPERS),
        ("beyond the papers", list(BEYOND)),
    ]:
        figures = [f for name in names if name in entries for f in entries[name].figures]
        counts = Counter(figure.verdict for figure in figures)
        missing = [name for name in names if name not in entries]
        cells = [str(counts[verdict]) for verdict in VERDICTS]
        rows.append([title, *cells, _code(missing) or "–"])
    yield from _table(["figures of", *VERDICTS, "not run yet"], rows)


def _origin(entries: Mapping[str, Entry]) -> Iterator[str]:
    if not entries:
        return
    dates = sorted({entry.date for entry in entries.values()})
    versions = {
        ", ".join(f"{name} {number}" for name, number in entry.versions.items())
        for entry in entries.values()
    }
    cores = sorted({entry.cores for entry in entries.values()})
    days = dates[0] if len(dates) == 1 else f"{dates[0]} to {dates[-1]}"
    yield f"Run on {days} with {'; '.join(sorted(versions))}; cores: {', '.join(map(str, cores))}."
    yield ""


def _rows(paper: Paper) -> Iterator[str]:
    rows = [
        [
            row.number,
            row.shows,
            row.data,
            state(row) + (f". {row.note}" if row.note else ""),
            _code(row.experiments) or "–",
            takes(row.experiments) or "–",
        ]
        for row in ROWS
        if row.paper is paper
    ]
    yield from _table(["", "shows", "data", "state", "experiments", "takes"], rows)


def _pictures(paper: Paper) -> Iterator[str]:
    for drawing in DRAWINGS:
        if drawing.paper is paper and drawing.file.is_file():
            title = f"{drawing.number}: {drawing.shows}"
            yield f"![{title}]({drawing.file.relative_to(PAGE.parent).as_posix()})"
            yield ""
            yield f"*{title}.*"
            yield ""


def _experiment(name: str, entry: Entry | None, about: str = "") -> Iterator[str]:
    yield f"### `{name}`"
    yield ""
    summary = NAMES[name].summary
    yield f"{about[:1].upper()}{about[1:]}: {summary}." if about else f"{summary}."
    yield ""
    if entry is None:
        yield "Not run yet."
        yield ""
        return
    shown = [f for f in entry.figures if f.judged or f.published or not _of_one_part(f)]
    rows = [[_escaped(cell) for cell in (f.name, *f.row[1:5], f.compared or "–")] for f in shown]
    yield from _table(["figure", "paper", "range", "measured", "ok", "simple methods"], rows)
    yield f"The run took {entry.seconds:.0f} s."
    yield ""
    left = len(entry.figures) - len(shown)
    if left:
        yield f"{left} figures of single splits or folds are not shown."
        yield ""
    yield from _causes(entry.figures)


def _of_one_part(figure: Figure) -> bool:
    """Return whether a figure belongs to one of the splits or folds that a mean is over."""
    return re.match(r"(fold|split) \d+:", figure.name) is not None


def _causes(figures: Iterable[Figure]) -> Iterator[str]:
    named: dict[str, list[str]] = {}
    for figure in figures:
        cause = figure.fails or (f"Not judged. {figure.unjudged}" if figure.unjudged else "")
        if cause:
            named.setdefault(cause, []).append(_escaped(figure.name))
    for cause, names in named.items():
        yield f"* {'; '.join(names)}: {cause}"
    if named:
        yield ""


def _code(names: Sequence[str]) -> str:
    return ", ".join(f"`{name}`" for name in names)


def _escaped(cell: str) -> str:
    return cell.replace("|", "\\|").replace("*", "\\*")


def _table(headings: Sequence[str], rows: Sequence[Sequence[str]]) -> Iterator[str]:
    yield f"| {' | '.join(headings)} |"
    yield "|" + "---|" * len(headings)
    for row in rows:
        yield f"| {' | '.join(row)} |"
    yield ""


if __name__ == "__main__":
    write()
