"""What distinguishes a group of points from the rest, or from another group."""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Any

import numpy as np

from nbembed.points.groups.categories import ColumnDifference, compare_categories
from nbembed.points.groups.mean_image import MeanImages, mean_images
from nbembed.points.groups.numbers import (
    FeatureDifference,
    Moments,
    compare_numbers,
    effect_sizes,
)
from nbembed.points.groups.words import WordDifference, compare_words
from nbembed.points.text import in_sentence, text_of

if TYPE_CHECKING:
    from collections.abc import Sequence

    from numpy.typing import NDArray

    from nbembed.points.groups.variables import Categories, Numbers, Variables
    from nbembed.points.images import Images

#: Features, columns of categories and words that a description has by default.
MOST = 12
#: Of these, what its text has.
MOST_LINES = 6
#: Significant digits of a mean.
DIGITS = 4
#: Ranges in seconds from which times are told by the day, and by the minute.
DAYS, HOURS = 10 * 86_400.0, 3 * 3600.0
#: Numbers from here on are in powers of ten.
LARGEST_WHOLE = 1e7


@dataclass(frozen=True, repr=False)
class Description:
    """What distinguishes a group of points; its ``repr`` says the most important in words.

    Attributes
    ----------
    points : ndarray of int
    others : ndarray of int
        What the group is compared with.
    against_rest : bool
        Whether these are all other points.
    features : tuple of FeatureDifference
        Numbers, those with the largest absolute effect size first.
    categories : tuple of ColumnDifference
        Columns of categories, those that go with the group most first.
    words : tuple of WordDifference
        What the group has more of, where features are counts, such as of words.
    n_features : int
        Numbers that were compared.
    images : MeanImages or None
    """

    points: NDArray[np.intp]
    others: NDArray[np.intp]
    against_rest: bool
    features: tuple[FeatureDifference, ...] = ()
    categories: tuple[ColumnDifference, ...] = ()
    words: tuple[WordDifference, ...] = ()
    n_features: int = 0
    images: MeanImages | None = field(default=None)

    def __repr__(self) -> str:
        n = self.points.size
        compared = "the other" if self.against_rest else "another group of"
        lines = [f"{n} point{'' if n == 1 else 's'}, compared with {compared} {self.others.size}"]
        if self.features:
            lines += ["", "Means, and the difference in standard deviations (Cohen's d):"]
            rows = [
                (in_sentence(f.name), mean_text(f), mean_text(f, other=True), effect_text(f.effect))
                for f in self.features[:MOST_LINES]
            ]
            lines += _aligned([("", "group", "others", "d"), *rows])
        for column in self.categories[:MOST_LINES]:
            lines += ["", f"{in_sentence(column.name)} (Cramér's V {column.association:.2f}):"]
            shares = [
                (in_sentence(v.name), f"{v.share:.0%}", f"{v.other_share:.0%}", f"{v.lift:.2g}×")
                for v in column.values[:MOST_LINES]
            ]
            lines += _aligned([("", "group", "others", "lift"), *shares])
        if self.words:
            lines += [
                "",
                f"Counted more often: {', '.join(in_sentence(w.name) for w in self.words)}",
            ]
        return "\n".join(lines)

    def to_frame(self) -> Any:
        """Return the features as a pandas frame with their effect sizes and means.

        Raises
        ------
        ImportError
            If pandas, which nbembed does not require, is not installed.
        """
        try:
            import pandas as pd
        except ImportError:
            raise ImportError(
                "to_frame() needs pandas, which nbembed does not install: pip install pandas"
            ) from None
        rows = [(f.effect, f.mean, f.other_mean, f.share_above) for f in self.features]
        return pd.DataFrame(
            rows,
            index=pd.Index([f.name for f in self.features], name="feature"),
            columns=["effect", "mean", "other_mean", "share_above"],
            dtype=float,
        )


def describe(
    variables: Variables,
    points: NDArray[np.intp],
    others: NDArray[np.intp] | None,
    n_samples: int,
    *,
    labels: Categories | None = None,
    images: Images | None = None,
    most: int = MOST,
) -> Description:
    """Return what distinguishes points.

    Parameters
    ----------
    variables : Variables
    points : ndarray of int
        Sorted and distinct.
    others : ndarray of int or None
        What they are compared with; ``None`` for all other points.
    n_samples : int
    labels : Categories, optional
        Classes of the points, a column more.
    images : Images, optional
    most : int
        Features, columns and words at most.

    Raises
    ------
    ValueError
        If there is no other point.
    """
    rest = others is None
    if others is None:
        others = np.setdiff1d(np.arange(n_samples), points, assume_unique=True)
        if not others.size:
            raise ValueError("points must leave others to compare with, got all of them")
    features: list[tuple[float, Numbers, int]] = []
    words: tuple[WordDifference, ...] = ()
    n_features = 0
    for numbers in variables.numbers:
        a, b = _sums(numbers, points, others, rest)
        if numbers.are_counts:
            words += compare_words(numbers.names, _totals(a, numbers), _totals(b, numbers), most)
            continue
        n_features += len(numbers.names)
        effects = effect_sizes(a, b)
        found = _largest(effects, most)
        features += [(float(effects[k]), numbers, int(k)) for k in found]
    features.sort(key=lambda feature: -abs(feature[0]))
    columns = [*([] if labels is None else [labels]), *variables.categories]
    compared = [
        compare_categories(c.name, c.names, c.codes[points], c.codes[others]) for c in columns
    ]
    associated = [c for c in compared if c is not None and c.association > 0]
    return Description(
        points,
        others,
        rest,
        _compared(features[:most], points, others),
        tuple(sorted(associated, key=lambda column: -column.association)[:most]),
        words[:most],
        n_features,
        None if images is None else mean_images(images, points, others),
    )


def _sums(
    numbers: Numbers, points: NDArray[np.intp], others: NDArray[np.intp], rest: bool
) -> tuple[Moments, Moments]:
    """Return the sums over two groups; where one is the rest of the other, the smaller is read."""
    if not rest:
        return numbers.sums(points), numbers.sums(others)
    if points.size > others.size:
        b = numbers.sums(others)
        return numbers.whole - b, b
    a = numbers.sums(points)
    return a, numbers.whole - a


def _totals(sums: Moments, numbers: Numbers) -> NDArray[np.float64]:
    """Return how often each thing is counted; rounding must not make it negative."""
    return np.maximum(np.rint(sums.total + sums.count * numbers.center), 0.0)


def _largest(effects: NDArray[np.float64], most: int) -> NDArray[np.intp]:
    """Return the variables with the largest absolute effects, those without one left out."""
    sizes = np.where(np.isnan(effects), 0.0, np.abs(effects))
    order = np.argsort(-sizes, kind="stable")[:most]
    return order[sizes[order] > 0]


def _compared(
    features: Sequence[tuple[float, Numbers, int]], a: NDArray[np.intp], b: NDArray[np.intp]
) -> tuple[FeatureDifference, ...]:
    """Return the differences of the chosen features, the values of each block read together."""
    found: dict[int, FeatureDifference] = {}
    for numbers in dict.fromkeys(block for _, block, _ in features):
        own = [(at, k, d) for at, (d, block, k) in enumerate(features) if block is numbers]
        for (at, k, d), values in zip(own, numbers.values([k for _, k, _ in own])):
            found[at] = compare_numbers(
                numbers.names[k], d, values[a], values[b], is_time=numbers.is_time(k)
            )
    return tuple(found[at] for at in range(len(features)))


def mean_text(feature: FeatureDifference, *, other: bool = False) -> str:
    """Return the mean of a feature as text."""
    return value_text(feature, feature.other_mean if other else feature.mean)


def value_text(feature: FeatureDifference, value: float) -> str:
    """Return a value of a feature as text: a number in four digits or whole, or a time.

    Times are as fine as their range calls for: days where it is of many days.
    """
    if not feature.is_time:
        whole = 10**DIGITS <= abs(value) < LARGEST_WHOLE
        return f"{value:.0f}" if whole else f"{value:.{DIGITS}g}"
    span = feature.edges[-1] - feature.edges[0]
    unit = "D" if span >= DAYS else "m" if span >= HOURS else "s"
    try:
        time = np.datetime64(round(value), "s").astype(f"datetime64[{unit}]")
        return text_of(time).replace("T", " ")
    except (ValueError, OverflowError):
        return ""


def effect_text(effect: float) -> str:
    """Return an effect size as text, with its sign."""
    return f"{'+' if effect > 0 else '−'}{'∞' if np.isinf(effect) else f'{abs(effect):.2f}'}"


def _aligned(rows: Sequence[Sequence[str]]) -> list[str]:
    """Return rows as lines of text: the first column to the left, numbers to the right."""
    widths = [max(len(row[k]) for row in rows) for k in range(len(rows[0]))]
    return [
        "  " + "  ".join(
            cell.ljust(width) if k == 0 else cell.rjust(width)
            for k, (cell, width) in enumerate(zip(row, widths))
        ).rstrip()
        for row in rows
    ]  # fmt: skip
