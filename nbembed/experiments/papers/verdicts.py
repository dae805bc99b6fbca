"""Verdicts on claims of the papers, computed from kept figures.

A *number* agrees if it is within the margin that its figure has on one side of the published value,
taken on both sides; it is better beyond that on the good side, and differs on the other. It cannot
be tested where a random map is within the margin too, where other data stand in for the paper's, or
where the list of unjudged figures says why.

A *difference* is tested at .05, one-tailed and paired over the folds as the framework's paper does:
it holds, it is undecided, or the contrary holds (reversed). Mean and standard deviation are tested
if a run keeps no more; a figure without a spread is no evidence, whatever its sign, and neither are
fewer than five folds. Several comparisons agree if all hold; the claim fails if no fewer are
reversed than hold, and at least one. Where other data stand in for the paper's, a note says so; if
what is compared is another method than the paper's, the claim cannot be tested. Ratios of times and
of iterations, which have no folds, hold from a factor of two on.
"""

from __future__ import annotations

import math
from collections import Counter
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from itertools import count, takewhile
from typing import Literal, Protocol

import numpy as np
from scipy import stats

from nbembed.experiments.papers.base import Figure
from nbembed.experiments.papers.published import ROWS
from nbembed.experiments.papers.ranges import margin_of_spread

Verdict = Literal["agrees", "better", "differs", "claim fails", "cannot be tested"]
Outcome = Literal["holds", "undecided", "reversed"]
#: Kept figures by the name of the experiment and that of the figure.
Kept = Mapping[tuple[str, str], Figure]

OUTCOMES: tuple[Outcome, ...] = ("holds", "undecided", "reversed")
VERDICTS: tuple[Verdict, ...] = ("agrees", "better", "differs", "claim fails", "cannot be tested")
LEVEL = 0.05
FACTOR = 2.0
#: Fewer leave a paired test too few degrees of freedom to find the differences of the papers.
FEWEST_FOLDS = 5
#: Experiments on other data than the paper's alone.
STAND_INS = frozenset(name for row in ROWS if row.stand_in for name in row.experiments) - frozenset(
    name for row in ROWS if not row.stand_in for name in row.experiments
)


@dataclass(frozen=True)
class Reading:
    """The verdict by one form of a method, and its figures.

    * published: the paper's figures, if they are numbers beside which ours are kept.
    * note: why the claim cannot be tested, or that its data were not the paper's.
    """

    ours: str
    verdict: Verdict
    published: str = ""
    note: str = ""


class Evidence(Protocol):
    """The place of the figures on a claim, and the way they are judged."""

    def read(self, kept: Kept) -> Reading | None:
        """Return the reading; None if the figures are not among the kept ones."""


@dataclass(frozen=True)
class Numbers:
    """Published numbers beside ours; of several, one that differs is enough to differ.

    * better: on which side a figure is better than the published one.
    * runs: where figures have no range, how many runs on the paper's splits their spread is of.
    * other_data: whether data stand in for the paper's though the experiment has some of them.
    * beside: the rows whose published numbers these are of, where they have none of their own.
    """

    experiment: str
    rows: tuple[str, ...]
    better: Literal["lower", "higher", "neither"] = "lower"
    runs: int = 0
    other_data: bool = False
    beside: tuple[str, ...] = ()

    def read(self, kept: Kept) -> Reading | None:
        """Return the reading; see :class:`Evidence`."""
        names = [(self.experiment, row) for row in self.rows]
        if any(name not in kept for name in names):
            return None
        found = [kept[name] for name in names]
        for k, row in enumerate(self.beside):
            found[k] = replace(found[k], published=kept[self.experiment, row].published)
        figures = [_with_range(figure, self.runs) for figure in found]
        ours = " / ".join(f"{figure.measured:.{figure.digits}f}" for figure in figures)
        published = " / ".join(figure.published for figure in figures)
        note = "other data" if self.other_data else _why_no_number(self.experiment, figures)
        if note:
            return Reading(ours, "cannot be tested", published, note)
        verdicts = {_of_number(figure, self.better) for figure in figures}
        worst: tuple[Verdict, ...] = ("differs", "better", "agrees")
        return Reading(ours, next(verdict for verdict in worst if verdict in verdicts), published)


def _why_no_number(experiment: str, figures: Sequence[Figure]) -> str:
    """Return why figures are not compared with the published ones; "" if they are."""
    if experiment in STAND_INS:
        return "other data"
    if any(figure.unjudged or math.isinf(_margin(figure)) for figure in figures):
        return "no margin"
    by_chance = (
        abs(value - _published(figure)) <= _margin(figure)
        for figure in figures
        for name, value in figure.others.items()
        if _random(name)
    )
    return "so is chance" if any(by_chance) else ""


def _of_number(figure: Figure, better: str) -> Verdict:
    off = figure.measured - _published(figure)
    if abs(off) <= _margin(figure):
        return "agrees"
    return "better" if better == ("lower" if off < 0 else "higher") else "differs"


def _with_range(figure: Figure, runs: int) -> Figure:
    """Return a figure without a range with that of its spread, if it has one."""
    if not runs or not figure.spread or math.isfinite(figure.low) or math.isfinite(figure.high):
        return figure
    decimals = len(figure.published.partition(".")[2])
    margin = margin_of_spread(figure.spread, runs, decimals)
    center = _published(figure)
    return replace(figure, low=center - margin, high=center + margin)


def _published(figure: Figure) -> float:
    return float(figure.published)


def _margin(figure: Figure) -> float:
    """Return the half-width of the range around the published value; infinite without a range."""
    if not (math.isfinite(figure.low) or math.isfinite(figure.high)):
        return math.inf
    sides = (_published(figure) - figure.low, figure.high - _published(figure))
    return max(side for side in sides if math.isfinite(side))


def _random(name: str) -> bool:
    return name.startswith("random") or name == "chance"


@dataclass(frozen=True)
class Gap:
    """By how much the first of two numbers is below the second, in the paper and here."""

    experiment: str
    first: str
    second: str

    def read(self, kept: Kept) -> Reading | None:
        """Return the reading; see :class:`Evidence`."""
        first, second = (kept.get((self.experiment, row)) for row in (self.first, self.second))
        if first is None or second is None:
            return None
        published = _published(second) - _published(first)
        ours = second.measured - first.measured
        texts = f"{ours:.{first.digits}f}", f"{published:.{first.digits}f}"
        note = _why_no_number(self.experiment, (first, second))
        if note:
            return Reading(texts[0], "cannot be tested", texts[1], note)
        margin = math.hypot(_margin(first), _margin(second))
        if abs(ours - published) <= margin:
            return Reading(texts[0], "agrees", texts[1])
        return Reading(texts[0], "better" if ours > published else "differs", texts[1])


@dataclass(frozen=True)
class Compared:
    """The figures of a comparison, what holds, and the p if any.

    * outcome: None if nothing is tested; ``note`` says why.
    """

    text: str
    outcome: Outcome | None = None
    p: float = math.nan
    note: str = "no spread"

    @staticmethod
    def by(p: float, text: str) -> Compared:
        """Return what holds by a p."""
        outcome: Outcome = "reversed" if p > 1 - LEVEL else "undecided"
        return Compared(text, "holds" if p < LEVEL else outcome, p)


class Comparison(Protocol):
    """A comparison that a claim makes, of figures of an experiment."""

    @property
    def experiment(self) -> str:
        """Its name."""

    def test(self, kept: Kept) -> Compared | None:
        """Return what holds; None if a figure is not among the kept ones."""


@dataclass(frozen=True)
class ByFold:
    """The first method's error is below the second's: fold by fold, the same folds for both.

    * of_second: the experiment of the second method, if it is another one.
    """

    experiment: str
    first: str
    second: str
    of_second: str = ""

    def errors(self, kept: Kept) -> tuple[list[float], list[float]]:
        """Return the errors of both by fold; empty where one is missing."""
        first = _folds(kept, self.experiment, self.first)
        second = _folds(kept, self.of_second or self.experiment, self.second)
        return (first, second) if len(first) == len(second) > 1 else ([], [])

    def test(self, kept: Kept) -> Compared | None:
        """Return what holds; see :class:`Comparison`."""
        first, second = self.errors(kept)
        if not first:
            return None
        if len(first) < FEWEST_FOLDS:
            return Compared(_means(first, second), note=_few(first))
        p = _p_paired(first, second, "less", equal=0.5)
        return Compared.by(p, _means(first, second))


def _folds(kept: Kept, experiment: str, name: str) -> list[float]:
    names = ((experiment, f"fold {fold}: {name}: error, %") for fold in count(1))
    return [kept[one].measured for one in takewhile(kept.__contains__, names)]


def _few(folds: list[float]) -> str:
    return f"only {len(folds)} folds"


def _means(first: list[float], second: list[float]) -> str:
    return f"{np.mean(first):.1f} against {np.mean(second):.1f} %"


@dataclass(frozen=True)
class Above:
    """A method's figure is above another's, by means and spreads of so many runs.

    * difference: the figure of the differences run by run. Without it the two spreads are tested as
      if the runs were not of the same splits; the second method may be one run.
    """

    experiment: str
    first: str
    second: str
    runs: int
    difference: str = ""

    def test(self, kept: Kept) -> Compared | None:
        """Return what holds; see :class:`Comparison`."""
        paired = kept.get((self.experiment, self.difference))
        if paired is not None:
            return _tested(paired, paired.measured, self.runs)
        first, second = (kept.get((self.experiment, row)) for row in (self.first, self.second))
        if first is None or second is None:
            return None
        text = " against ".join(f"{one.measured:.{one.digits}f}" for one in (first, second))
        if not first.spread:
            return Compared(text)
        if second.spread:
            p = float(
                stats.ttest_ind_from_stats(
                    first.measured, first.spread, self.runs,
                    second.measured, second.spread, self.runs,
                    equal_var=False, alternative="greater",
                ).pvalue
            )  # fmt: skip
        else:
            p = _p_above(first.measured - second.measured, first.spread, self.runs)
        return Compared.by(p, text)


@dataclass(frozen=True)
class Beyond:
    """A figure is beyond the one bound of its range, by its mean and spread of so many runs."""

    experiment: str
    row: str
    runs: int

    def test(self, kept: Kept) -> Compared | None:
        """Return what holds; see :class:`Comparison`."""
        figure = kept.get((self.experiment, self.row))
        if figure is None:
            return None
        below = math.isfinite(figure.high)
        off = figure.high - figure.measured if below else figure.measured - figure.low
        return _tested(figure, off, self.runs)


@dataclass(frozen=True)
class InRange:
    """A figure is in its range, and what is drawn at random is not."""

    experiment: str
    row: str

    def test(self, kept: Kept) -> Compared | None:
        """Return what holds; see :class:`Comparison`."""
        figure = kept.get((self.experiment, self.row))
        if figure is None:
            return None
        text = f"{figure.measured:.{figure.digits}f} ({figure.allowed})".replace("-", "−")
        if not figure.judged:
            return Compared(text)
        random = (value for name, value in figure.others.items() if _random(name))
        if any(figure.low <= value <= figure.high for value in random):
            return Compared(text)
        return Compared(text, "holds" if figure.ok else "undecided")


@dataclass(frozen=True)
class Side:
    """A figure is at ``high`` or above; reversed is one at ``low`` or below."""

    experiment: str
    row: str
    low: float
    high: float

    def test(self, kept: Kept) -> Compared | None:
        """Return what holds; see :class:`Comparison`."""
        figure = kept.get((self.experiment, self.row))
        if figure is None:
            return None
        text = f"{figure.measured:.{figure.digits}f}"
        if figure.measured >= self.high:
            return Compared(text, "holds")
        return Compared(text, "reversed" if figure.measured <= self.low else "undecided")


@dataclass(frozen=True)
class Times:
    """A ratio is at least two; or at most one half, if it is to be ``less`` than one."""

    experiment: str
    row: str
    less: bool = False

    def test(self, kept: Kept) -> Compared | None:
        """Return what holds; see :class:`Comparison`."""
        figure = kept.get((self.experiment, self.row))
        if figure is None:
            return None
        ratio = 1 / figure.measured if self.less else figure.measured
        outcome: Outcome = "undecided"
        if ratio >= FACTOR or ratio <= 1 / FACTOR:
            outcome = "holds" if ratio >= FACTOR else "reversed"
        return Compared(f"{figure.measured:.1f}", outcome)


@dataclass(frozen=True)
class Comparisons:
    """Comparisons that all are to hold; those without kept figures are left out.

    Up to three are shown each by its p, or its figure if it has none; of more, how many hold.

    * other: which method is not the paper's.
    """

    comparisons: Sequence[Comparison]
    shown: int = 3
    other: str = ""

    def read(self, kept: Kept) -> Reading | None:
        """Return the reading; see :class:`Evidence`."""
        found = [test for one in self.comparisons if (test := one.test(kept)) is not None]
        counts = Counter(test.outcome for test in found if test.outcome is not None)
        if not found:
            return None
        if not counts:
            return Reading(found[0].text, "cannot be tested", note=found[0].note)
        text = self._text(found, counts)
        if self.other:
            return Reading(text, "cannot be tested", note=self.other)
        stand_in = all(one.experiment in STAND_INS for one in self.comparisons)
        return Reading(text, _of_tests(counts), note="on other data" if stand_in else "")

    def _text(self, found: Sequence[Compared], counts: Counter[Outcome]) -> str:
        if len(found) <= self.shown:
            with_p = [test for test in found if not math.isnan(test.p)]
            if len(with_p) == len(found) > 1:
                return f"p {' / '.join(_p(test.p) for test in found)}"
            first = "".join(f", p {_p(test.p)}" for test in with_p)
            return " / ".join(test.text for test in found) + first
        text = ", ".join(f"{one} {counts[one]}" for one in OUTCOMES if counts[one])
        return text if len(counts) > 1 else text.replace(" ", " in all ")


def _of_tests(counts: Counter[Outcome]) -> Verdict:
    if counts["holds"] == counts.total():
        return "agrees"
    fails = counts["reversed"] and counts["reversed"] >= counts["holds"]
    return "claim fails" if fails else "differs"


@dataclass(frozen=True)
class Level:
    """Errors do not differ by the paired t-test, two-tailed as in SNeRV's paper, in any pair."""

    pairs: Sequence[ByFold]

    def read(self, kept: Kept) -> Reading | None:
        """Return the reading; see :class:`Evidence`."""
        errors = [pair.errors(kept) for pair in self.pairs]
        if not all(first for first, _ in errors):
            return None
        if min(len(first) for first, _ in errors) < FEWEST_FOLDS:
            texts = " / ".join(_means(*pair) for pair in errors)
            return Reading(texts, "cannot be tested", note=_few(errors[0][0]))
        found = [_p_paired(*pair, "two-sided", equal=1.0) for pair in errors]
        level = all(p >= LEVEL for p in found)
        return Reading(f"p {' / '.join(map(_p, found))}", "agrees" if level else "claim fails")


def _tested(figure: Figure, off: float, runs: int) -> Compared:
    """Return what holds by a mean that lies so far beyond what it is compared with."""
    text = f"{figure.measured:.{figure.digits}f}"
    return (
        Compared.by(_p_above(off, figure.spread, runs), text) if figure.spread else Compared(text)
    )


def _p_paired(first: list[float], second: list[float], alternative: str, equal: float) -> float:
    """Return the p of the paired t-test; ``equal`` where all pairs are equal."""
    if first == second:
        return equal
    return float(stats.ttest_rel(first, second, alternative=alternative).pvalue)


def _p_above(mean: float, spread: float, runs: int) -> float:
    """Return the one-tailed p of a mean of so many runs against zero."""
    return float(stats.t.sf(mean / (spread / math.sqrt(runs)), runs - 1))


def _p(p: float) -> str:
    if p < 0.001:
        return "< .001"
    return "> .999" if p > 0.999 else f"= {p:.3f}".replace("0.", ".")
