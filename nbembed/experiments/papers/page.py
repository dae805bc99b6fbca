"""The pages on the papers: claims with their verdicts, the tables, and what is beyond the papers.

    python -m nbembed.experiments.papers.page

writes them from :mod:`nbembed.experiments.papers.claims`,
:mod:`nbembed.experiments.papers.published`, the known failures and ``docs/reproduction.json``. A
full run (``nbembed reproduce --full``) writes the figures and then the pages.
"""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Iterable, Iterator, Mapping, Sequence
from pathlib import Path

from nbembed.experiments.papers.base import Figure
from nbembed.experiments.papers.catalog import NAMES
from nbembed.experiments.papers.claims import CLAIMS, NOT_THE_PAPERS, Claim
from nbembed.experiments.papers.drawings import DRAWINGS
from nbembed.experiments.papers.paper_rows import state, takes
from nbembed.experiments.papers.published import BEYOND, PAPERS, ROWS, Paper
from nbembed.experiments.papers.results import KEPT, Entry, read_results
from nbembed.experiments.papers.verdicts import VERDICTS, Kept, Reading

PAGE = KEPT.with_name("reproduction.md")
TABLES = KEPT.with_name("reproduction-tables.md")
BEYOND_PAGE = KEPT.with_name("reproduction-beyond.md")

HEAD = """# The papers' claims

The claims of the five papers, and what our experiments find. *As printed* is the paper's
algorithm, *default* is ours, and – a form that no experiment has. Verdicts are computed from the
kept figures, by the printed form where there is one; {doc}`reproduction-tables` says which of these
were made with other settings than today's, or with unknown ones.

* A number **agrees** within its margin for chance on both sides; beyond, it is **better** or
  **differs**. The margin is that of the form's own spread over splits or runs: of two forms the
  one further off may agree.
* A difference **agrees** if it holds by a paired one-tailed t-test over the folds at .05,
  **differs** if that is undecided, and the **claim fails** if the contrary holds. Of several
  comparisons all are to hold; the claim fails if as many are reversed as hold. Ratios count from
  a factor of two on.
* It **cannot be tested** if the paper's numbers are missing or are of other data than ours, if what
  we compare is another method, if our figures have no spread or fewer than five folds, or if a
  random map is as good. A claim without numbers is tested on other data, too, and says so.
"""

CONTENTS = """```{toctree}
:hidden:
:glob:

reproduction-*
```
"""

TABLES_HEAD = """# Tables and pictures of the papers

Every table and every figure with data of the five papers, with the figures of the last run beside
the published ones; {doc}`reproduction` says what they amount to. Written by
`python -m nbembed.experiments.papers.page` from the catalog
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

BEYOND_HEAD = """# Beyond the papers

Experiments that no paper has, with targets of our own: a figure outside its range is a design
target that is not met, not a failure of a paper. {doc}`reproduction-tables` says how tables are
read.
"""

MARKS = ("yes", "known", "NO", "PASSES")


def pages() -> dict[Path, str]:
    """Return the text of each page by its file."""
    entries = read_results(KEPT)
    found = {PAGE: _first(entries), TABLES: _tables(entries), BEYOND_PAGE: _beyond(entries)}
    return {file: "\n".join(lines).rstrip() + "\n" for file, lines in found.items()}


def write() -> None:
    """Write the pages."""
    for file, text in pages().items():
        file.write_text(text, encoding="utf-8")


def _first(entries: Mapping[str, Entry]) -> Iterator[str]:
    kept = {(name, f.name): f for name, entry in entries.items() for f in entry.figures}
    counts = Counter(_readings(claim, kept)[0].verdict for claim in CLAIMS)
    yield HEAD
    found = ", ".join(f"{verdict} {counts[verdict]}" for verdict in VERDICTS)
    yield f"Of {len(CLAIMS)} claims: {found}."
    yield ""
    for paper in PAPERS:
        yield f"## {paper.name}"
        yield ""
        rows = [_claim(claim, kept) for claim in CLAIMS if claim.paper is paper]
        yield from _table(["claim", "paper", "as printed", "default", "verdict"], rows)
        tables = f"[Tables and pictures](reproduction-tables.md#{paper.name.lower()})"
        yield f"> *Not the paper's:* {NOT_THE_PAPERS[paper]} {tables}. {paper.reference}."
        yield ""
    yield CONTENTS


def _claim(claim: Claim, kept: Kept) -> list[str]:
    found = [one.read(kept) if one else None for one in (claim.printed, claim.default)]
    ours = [reading.ours if reading else "–" for reading in found]
    readings = _readings(claim, kept)
    numbers = (reading.published for reading in readings if reading.published)
    verdicts = {reading.verdict for reading in readings}
    shown = f"**{readings[0].verdict}**"
    if readings[0].note:
        shown += f": {readings[0].note}"
    if len(verdicts) > 1:
        shown += f"; default: {readings[-1].verdict}"
    return [*map(_escaped, (claim.says, claim.published or next(numbers, "–"), *ours)), shown]


def _readings(claim: Claim, kept: Kept) -> list[Reading]:
    """Return the readings of the printed form and of ours, as far as there are any."""
    found = [one.read(kept) for one in (claim.printed, claim.default) if one]
    missing = "not run" if claim.printed or claim.default else "no data"
    nothing = Reading("–", "cannot be tested", note=missing)
    return [reading for reading in found if reading] or [nothing]


def _tables(entries: Mapping[str, Entry]) -> Iterator[str]:
    yield TABLES_HEAD
    yield from _summary(entries)
    yield from _origin(entries)
    for paper in PAPERS:
        yield f"## {paper.name}"
        yield ""
        yield f"{paper.title}. {paper.reference}."
        yield ""
        yield from _rows(paper, entries)
        yield from _pictures(paper)
        for name in _of_paper(paper):
            yield from _experiment(name, entries.get(name))


def _beyond(entries: Mapping[str, Entry]) -> Iterator[str]:
    yield BEYOND_HEAD
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
        cells = [str(counts[verdict]) for verdict in MARKS]
        rows.append([title, *cells, _code(missing) or "–"])
    yield from _table(["figures of", *MARKS, "not run yet"], rows)


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


def _rows(paper: Paper, entries: Mapping[str, Entry]) -> Iterator[str]:
    rows = [
        [
            row.number,
            row.shows,
            row.data,
            state(row) + (f". {row.note}" if row.note else ""),
            _code(row.experiments) or "–",
            takes(row.experiments, entries) or "–",
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
    yield f"{'##' if about else '###'} `{name}`"
    yield ""
    summary = NAMES[name].summary.partition(" (about ")[0]  # the time that was measured is below
    yield f"{about[:1].upper()}{about[1:]}: {summary}." if about else f"{summary}."
    yield ""
    if entry is None:
        yield "Not run yet."
        yield ""
        return
    shown = [f for f in entry.figures if f.judged or f.published or not _of_one_part(f)]
    rows = [[_escaped(cell) for cell in (f.name, *f.row[1:5], f.compared or "–")] for f in shown]
    yield from _table(["figure", "paper", "range", "measured", "ok", "simple methods"], rows)
    settings = "" if entry.settings else " Its settings were others than today's, or are not known."
    yield f"The run took {entry.seconds:.0f} s.{settings}"
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
