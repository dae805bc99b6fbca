"""What an experiment is: a protocol that yields figures, each with a published value and range."""

from __future__ import annotations

import itertools
import math
import sys
import time
from collections.abc import Callable, Iterable, Iterator
from dataclasses import dataclass
from pathlib import Path

from nbembed.datasets import MissingDataError, read


@dataclass(frozen=True)
class Figure:
    """One number of a table.

    Attributes
    ----------
    name : str
    published : str
        The paper's value as it prints it; "" where it has none.
    measured : float
    low, high : float
        The range that counts as reproduced; infinite on a side that does not matter. With both
        infinite the figure is shown for information.
    digits : int
        Decimals to print.
    """

    name: str
    published: str
    measured: float
    low: float = -math.inf
    high: float = math.inf
    digits: int = 3

    @property
    def judged(self) -> bool:
        """Whether there is a range."""
        return math.isfinite(self.low) or math.isfinite(self.high)

    @property
    def ok(self) -> bool:
        """Whether the measured number lies in the range; NaN never does."""
        return self.low <= self.measured <= self.high

    @property
    def row(self) -> tuple[str, str, str, str, str]:
        """The line of the table: name, published, range, measured, verdict."""
        low, high = (f"{bound:.{self.digits}f}" for bound in (self.low, self.high))
        if not self.judged:
            allowed = "–"
        elif not math.isfinite(self.low):
            allowed = f"≤ {high}"
        elif not math.isfinite(self.high):
            allowed = f"≥ {low}"
        else:
            allowed = f"{low} to {high}"
        verdict = ("yes" if self.ok else "NO") if self.judged else "–"
        measured = f"{self.measured:.{self.digits}f}"
        return self.name, self.published or "–", allowed, measured, verdict


@dataclass(frozen=True)
class Experiment:
    """A protocol with a name.

    Attributes
    ----------
    name : str
    summary : str
        One line: what is embedded, how, and the expected result.
    files : tuple of str
        Data files needed, without ".npz".
    short : bool
        Whether it takes less than a minute on two cores.
    figures : callable
        Takes the directory of the data files and yields figures as they are found.
    """

    name: str
    summary: str
    files: tuple[str, ...]
    short: bool
    figures: Callable[[Path | None], Iterable[Figure]]

    def run(self, data: Path | None = None) -> Iterator[Figure]:
        """Yield the figures.

        Raises
        ------
        MissingDataError
            Before any work, if a file is not there.
        """
        for name in self.files:
            read(data, name)
        yield from self.figures(data)


HEADINGS = ("figure", "paper", "range", "measured", "ok")
WIDTHS = (58, 5, 14, 8, 3)


def report(experiment: Experiment, data: Path | None) -> int:
    """Print an experiment's table while it runs; return its exit status.

    Returns
    -------
    int
        0 if all figures lie in their ranges, 1 if one does not, 2 if data are missing.
    """
    print(f"{experiment.name}: {experiment.summary}")
    began = time.perf_counter()
    status = 0
    try:
        figures = experiment.run(data)
        first = next(figures)
    except MissingDataError as error:
        print(f"{experiment.name}: {error} Name its directory with --data.", file=sys.stderr)
        return 2
    print(_line(HEADINGS))
    print(_line(tuple("-" * width for width in WIDTHS)))
    for figure in itertools.chain([first], figures):
        print(_line(figure.row), flush=True)
        if not figure.ok:
            status = 1
    print(f"{time.perf_counter() - began:.0f} s\n")
    return status


def _line(cells: tuple[str, ...]) -> str:
    return " | ".join(f"{cell:{width}}" for cell, width in zip(cells, WIDTHS)).rstrip()
