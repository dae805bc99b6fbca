"""Differences of a group of points from the rest, or from another group."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass, field
from typing import Any, NamedTuple

import numpy as np
from numpy.typing import NDArray

from nbembed.points.groups.categories import (
    MOST_VALUES,
    ColumnDifference,
    adjusted_columns,
    compare_categories,
)
from nbembed.points.groups.mean_image import MeanImages, mean_images
from nbembed.points.groups.numbers import (
    FeatureDifference,
    Moments,
    adjusted,
    compare_numbers,
    effect_sizes,
    p_values,
    share_above,
)
from nbembed.points.groups.variables import Categories, Numbers, Variables
from nbembed.points.groups.words import WordDifference, compare_words
from nbembed.points.images import Images
from nbembed.points.text import in_sentence, text_of
from nbembed.system.optional_packages import load_optional

#: Features, columns of categories and words that a description has by default.
MOST = 12
#: What features and words are sorted by: the size of the effect; the share, the highest first; the
#: p-value.
SORTS = ("effect", "share", "p")
#: Values that are read to sort features by their share: of many points only that of the features
#: with the largest effects is known.
MOST_READ = 2**25
#: Features whose values are in memory at a time.
READ_TOGETHER = 64
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
    """Differences of a group of points; its ``repr`` says the most important in words.

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
    n_differing : int
        Of these, those whose means differ.
    n_words : int
        Words that the group has more of.
    images : MeanImages or None
    """

    points: NDArray[np.intp]
    others: NDArray[np.intp]
    against_rest: bool
    features: tuple[FeatureDifference, ...] = ()
    categories: tuple[ColumnDifference, ...] = ()
    words: tuple[WordDifference, ...] = ()
    n_features: int = 0
    n_differing: int = 0
    n_words: int = 0
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
                f"Over-represented: {', '.join(in_sentence(w.name) for w in self.words)}",
            ]
        return "\n".join(lines)

    def to_frame(self) -> Any:
        """Return features and words as a pandas frame: effect sizes, means, shares, p-values.

        Raises
        ------
        ImportError
            If pandas, which nbembed does not require, is not installed.
        """
        pd = load_optional("pandas", "to_frame()")
        return pd.DataFrame(self.columns()).set_index("feature")

    def columns(self) -> dict[str, Any]:
        """Return what :meth:`to_frame` does as arrays, the names as "feature"."""
        of_features = ("effect", "mean", "other_mean", "share_above")
        of_words = ("share", "other_share", "lift", "z")
        rows: list[FeatureDifference | WordDifference] = [*self.features, *self.words]
        kept = [*(of_features if self.features or not rows else ()), *(of_words * bool(self.words))]
        return {
            "feature": [row.name for row in rows],
            **{name: np.array([getattr(row, name, np.nan) for row in rows]) for name in kept},
            "p": np.array([row.p for row in rows]),
        }


def describe(
    variables: Variables,
    points: NDArray[np.intp],
    others: NDArray[np.intp] | None,
    n_samples: int,
    *,
    labels: Categories | None = None,
    images: Images | None = None,
    most: int = MOST,
    most_words: int | None = None,
    most_values: int = MOST_VALUES,
    sort: str = "effect",
) -> Description:
    """Return what distinguishes points.

    * points: sorted and distinct.
    * others: what they are compared with; ``None`` for all other points.
    * labels: classes of the points, a column more.
    * most: features and columns at most, and words.
    * most_values: categories of a column at most.
    * sort: order of features and words, of which the first ones are taken.

    Raises ValueError if there is no other point.
    """
    rest = others is None
    if others is None:
        others = np.setdiff1d(np.arange(n_samples), points, assume_unique=True)
        if not others.size:
            raise ValueError("points must not be all points: the others are compared with them")
    compared: list[tuple[Numbers, int]] = []
    effects, p = [np.zeros(0)], [np.zeros(0)]
    words: list[WordDifference] = []
    for numbers in variables.numbers:
        a, b = _sums(numbers, points, others, rest)
        if numbers.are_counts:
            totals = _totals(a, numbers), _totals(b, numbers)
            words += compare_words(numbers.names, *totals, numbers.key)
            continue
        compared += [(numbers, k) for k in range(len(numbers.names))]
        effects.append(effect_sizes(a, b))
        p.append(p_values(a, b))
    features = [
        _Feature(*pair, *values)
        for pair, *values in zip(
            compared, np.concatenate(effects).tolist(), adjusted(np.concatenate(p)).tolist()
        )
    ]
    differing = [f for f in features if abs(f.effect) > 0]  # NaN does not
    differing.sort(key=lambda f: -abs(f.effect))
    if sort == "p":  # first where no point of either group is like one of the other
        differing.sort(key=lambda f: np.nan_to_num(f.p, nan=0.0))
        words.sort(key=lambda word: word.p)
    elif sort == "share":
        chosen = differing[: max(most, MOST_READ // max(n_samples, 1))]
        shares = _shares(chosen, points, others)
        differing = [chosen[k] for k in np.argsort(-shares, kind="stable")]
        words.sort(key=lambda word: -word.share)
    columns = [*([] if labels is None else [labels]), *variables.categories]
    found = [
        compare_categories(c.name, c.names, c.codes[points], c.codes[others], most_values, c.key)
        for c in columns
    ]
    known = adjusted_columns([c for c in found if c is not None])
    associated = [c for c in known if c.association > 0]
    return Description(
        points,
        others,
        rest,
        _compared(differing[:most], points, others),
        tuple(sorted(associated, key=lambda column: -column.association)[:most]),
        tuple(words[: most if most_words is None else most_words]),
        len(features),
        len(differing),
        len(words),
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


class _Feature(NamedTuple):
    """A variable, its effect size, and its adjusted p-value."""

    numbers: Numbers
    place: int
    effect: float
    p: float


def _read(features: Sequence[_Feature]) -> Iterator[tuple[int, NDArray[np.float64]]]:
    """Yield places in a list of features, and their values, some of each block read together."""
    for numbers in dict.fromkeys(f.numbers for f in features):
        own = [at for at, f in enumerate(features) if f.numbers is numbers]
        for first in range(0, len(own), READ_TOGETHER):
            some = own[first : first + READ_TOGETHER]
            yield from zip(some, numbers.values([features[at].place for at in some]))


def _shares(
    features: Sequence[_Feature], a: NDArray[np.intp], b: NDArray[np.intp]
) -> NDArray[np.float64]:
    """Return the share of pairs in which the value of the first group is the larger."""
    shares = np.zeros(len(features))
    for at, values in _read(features):
        mine, theirs = values[a], values[b]
        shares[at] = share_above(mine[np.isfinite(mine)], theirs[np.isfinite(theirs)])
    return shares


def _compared(
    features: Sequence[_Feature], a: NDArray[np.intp], b: NDArray[np.intp]
) -> tuple[FeatureDifference, ...]:
    """Return the differences of the chosen features."""
    found: dict[int, FeatureDifference] = {}
    for at, values in _read(features):
        numbers, k, effect, p = features[at]
        found[at] = compare_numbers(
            numbers.names[k],
            effect,
            values[a],
            values[b],
            is_time=numbers.is_time(k),
            p=p,
            key=numbers.key(k),
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
