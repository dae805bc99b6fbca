"""Experiments: protocols that yield figures, each with a published value and an accepted range.

A figure outside its range is a failure, unless :mod:`nbembed.experiments.papers.known_failures`
lists it. The exit status is 0 only if exactly the listed figures fail: one that is listed and lies
in its range is reported too, because what the list says is then no longer true.
"""

from __future__ import annotations

import math
import sys
import time
from collections.abc import Callable, Iterable, Iterator, Mapping
from dataclasses import dataclass, field, replace
from pathlib import Path

from nbembed.datasets import CATALOG, MissingDataError, read
from nbembed.experiments.papers.known_failures import KNOWN_FAILURES
from nbembed.experiments.papers.unjudged import UNJUDGED


@dataclass(frozen=True)
class Figure:
    """One number of a table.

    Attributes
    ----------
    name : str
    published : str
        The value as printed in the paper; "" if the paper has none.
    measured : float
    low, high : float
        The accepted range; infinite on a side without a bound. If both are infinite, the figure is
        shown but not judged.
    digits : int
        Decimals to print.
    others : mapping of str to float
        The same figure of simple methods, by name, to see whether they too lie in the range.
    spread : float or None
        Standard deviation of the runs that ``measured`` is the mean of, if it is one.
    fails : str
        What is known of the cause, if the figure is known to lie outside its range; else "". It is
        taken from the list of known failures when an experiment is run.
    unjudged : str
        Why the figure is not judged although there is a published value; else "". It is taken
        from :mod:`nbembed.experiments.papers.unjudged`.
    """

    name: str
    published: str
    measured: float
    low: float = -math.inf
    high: float = math.inf
    digits: int = 3
    others: Mapping[str, float] = field(default_factory=dict)
    spread: float | None = None
    fails: str = ""
    unjudged: str = ""

    @property
    def judged(self) -> bool:
        """True if the figure has an accepted range, and no reason not to be held to it."""
        return not self.unjudged and (math.isfinite(self.low) or math.isfinite(self.high))

    @property
    def ok(self) -> bool:
        """True if the measured value lies in the range; NaN never does."""
        return self.low <= self.measured <= self.high

    @property
    def as_expected(self) -> bool:
        """True if the figure is in its range, or outside it and known to be; NaN never is.

        A known failure may also be in its range by less than its spread: such figures fall on
        either side of the bound by another rounding.
        """
        if not self.judged:
            return True
        if not self.fails:
            return self.ok
        by = min(self.measured - self.low, self.high - self.measured)
        return by < 0 or by < (self.spread or 0.0)

    @property
    def allowed(self) -> str:
        """The accepted range as text; "–" if the figure is not judged."""
        low, high = (f"{bound:.{self.digits}f}" for bound in (self.low, self.high))
        if not self.judged:
            return "–"
        if not math.isfinite(self.low):
            return f"≤ {high}"
        if not math.isfinite(self.high):
            return f"≥ {low}"
        return f"{low} to {high}"

    @property
    def verdict(self) -> str:
        """One of "yes", "NO", "known" (fails as listed), "PASSES" (is listed, but does not fail).

        "–" if the figure is not judged.
        """
        if not self.judged:
            return "–"
        if not self.fails:
            return "yes" if self.ok else "NO"
        if math.isnan(self.measured):
            return "NO"
        return "PASSES" if self.ok else "known"

    @property
    def compared(self) -> str:
        """Figures of simple methods, and whether these lie in the range."""
        inside = {True: " in", False: " out"} if self.judged else {True: "", False: ""}
        return ", ".join(
            f"{name} {value:.{self.digits}f}{inside[self.low <= value <= self.high]}"
            for name, value in self.others.items()
        )

    @property
    def row(self) -> tuple[str, str, str, str, str, str]:
        """The row of the table: name, published, range, measured, verdict, simple methods."""
        spread = "" if self.spread is None else f" ± {self.spread:.{self.digits}f}"
        measured = f"{self.measured:.{self.digits}f}{spread}"
        published = self.published or "–"
        return self.name, published, self.allowed, measured, self.verdict, self.compared


@dataclass(frozen=True)
class Experiment:
    """A protocol and its name.

    Attributes
    ----------
    name : str
    summary : str
        One line: what is embedded, how, and the expected result.
    files : tuple of str
        The required data files, without ".npz".
    short : bool
        Whether it takes less than a minute on two cores.
    figures : callable
        Takes the directory of the data files and yields figures as they are computed.
    """

    name: str
    summary: str
    files: tuple[str, ...]
    short: bool
    figures: Callable[[Path | None], Iterable[Figure]]

    @property
    def takes(self) -> str:
        """How long it takes on two cores, as the summary says: "15 s"."""
        return self.summary.rpartition("(about ")[2].rstrip(")")

    def run(self, data: Path | None = None) -> Iterator[Figure]:
        """Yield the figures.

        Raises
        ------
        MissingDataError
            If a file is missing; raised before any computation.
        """
        for name in self.files:
            read(data, name)
        for figure in self.figures(data):
            yield self.judged(figure)

    def judged(self, figure: Figure) -> Figure:
        """Return one of its figures with what the lists say: why it fails, or has no range."""
        key = self.name, figure.name
        return replace(figure, fails=KNOWN_FAILURES.get(key, ""), unjudged=UNJUDGED.get(key, ""))


HEADINGS = ("figure", "paper", "range", "measured", "ok", "simple methods")
WIDTHS = (58, 5, 14, 13, 6, 0)


@dataclass(frozen=True)
class Outcome:
    """The result of running an experiment.

    * status: 0 if all figures are as expected, 1 if one is not, 2 if data are missing.
    """

    status: int
    figures: tuple[Figure, ...] = ()
    seconds: float = 0.0


def report(experiment: Experiment, data: Path | None) -> Outcome:
    """Print an experiment's table while it runs."""
    print(f"{experiment.name}: {experiment.summary}")
    began = time.perf_counter()
    figures: list[Figure] = []
    try:
        for figure in experiment.run(data):
            if not figures:
                print(_line(HEADINGS))
                print(_line(tuple("-" * (width or 14) for width in WIDTHS)))
            print(_line(figure.row), flush=True)
            figures.append(figure)
    except MissingDataError:
        print(missing_data(experiment, data), file=sys.stderr)
        return Outcome(2)
    seconds = time.perf_counter() - began
    for figure in figures:
        if figure.verdict == "known":
            print(f"known failure: {figure.name}: {figure.fails}")
        elif figure.verdict == "PASSES":
            print(f"listed as a failure, but in its range: {figure.name}: {figure.fails}")
        elif figure.unjudged and not figure.judged:
            print(f"not judged: {figure.name}: {figure.unjudged}")
    print(f"{seconds:.0f} s\n", flush=True)
    return Outcome(int(not all(f.as_expected for f in figures)), tuple(figures), seconds)


def missing_data(experiment: Experiment, data: Path | None) -> str:
    """Return a sentence for each missing file: its data set, where that is, and the flag.

    "" if none is missing. What the package ships is never missing.
    """
    lines = []
    for name in experiment.files:
        entry = CATALOG.get(name)
        if (entry and entry.bundled) or (data is not None and (data / f"{name}.npz").is_file()):
            continue
        about = f", {entry.source}," if entry else ""
        home = ""
        if entry and entry.openml is not None:
            home = f'; nbembed.datasets.fetch("{name}") downloads the data'
        elif entry and entry.home:
            home = f"; the data are at {entry.home}"
        lines.append(
            f"{experiment.name} needs the data set {name}{about} as {name}.npz in the directory "
            f"given with --data{home}."
        )
    return "\n".join(lines)


def _line(cells: tuple[str, ...]) -> str:
    return " | ".join(f"{cell:{width}}" for cell, width in zip(cells, WIDTHS)).rstrip(" |")
