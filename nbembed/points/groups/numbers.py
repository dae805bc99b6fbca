"""How numbers differ between two groups: effect sizes, and histograms of the largest.

The effect size is Cohen's d, the difference of the means in units of the standard deviation s
within the groups,

    d = (x̄_a − x̄_b) / s,    s² = (SS_a + SS_b) / (n_a + n_b − 2),

with SS the sum of squares around the group's own mean. Where s is 0 and the means differ, it is
infinite.

The p-values are those of Welch's t-test, which needs the same sums, so that all of many features
have one; they are adjusted for their number by Benjamini and Hochberg.
"""

from __future__ import annotations

import math
from collections.abc import Hashable
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray
from scipy.stats import false_discovery_control, ttest_ind_from_stats

from nbembed.points.whole_numbers import are_whole

#: Bars of a histogram.
BARS = 24
#: Share of the values at either end that the outermost bars take in.
TAIL = 0.005
#: Variances below this share of the variance of all points are rounding.
ROUNDING = 1e-12


@dataclass(frozen=True)
class Moments:
    """Sums over a group of points, one item for each variable.

    * count: values that are not missing.
    * total: their sum, after the variable's center is subtracted.
    * squares: the sum of their squares, after the same.
    """

    count: NDArray[np.float64]
    total: NDArray[np.float64]
    squares: NDArray[np.float64]

    def __sub__(self, other: Moments) -> Moments:
        return Moments(
            self.count - other.count, self.total - other.total, self.squares - other.squares
        )

    @property
    def mean(self) -> NDArray[np.float64]:
        """The mean, less the variable's center; NaN where all values are missing."""
        with np.errstate(invalid="ignore", divide="ignore"):
            return np.where(self.count > 0, self.total / self.count, np.nan)

    @property
    def within(self) -> NDArray[np.float64]:
        """The sum of squares around the group's own mean."""
        with np.errstate(invalid="ignore", divide="ignore"):
            own = self.squares - np.where(self.count > 0, self.total**2 / self.count, 0.0)
        return np.maximum(own, 0.0)


def moments(values: NDArray[np.float64], center: NDArray[np.float64]) -> Moments:
    """Return the sums over rows of values; missing values, as NaN, do not count."""
    there = np.isfinite(values)
    shifted = np.where(there, values - center, 0.0)
    return Moments(
        there.sum(axis=0).astype(np.float64),
        shifted.sum(axis=0),
        np.einsum("ij,ij->j", shifted, shifted),
    )


def effect_sizes(a: Moments, b: Moments) -> NDArray[np.float64]:
    """Return Cohen's d of each variable: positive where the first group has larger values.

    NaN where a group has no value, or where there are not three of them; ±inf where neither group
    varies and the means differ.
    """
    difference = a.mean - b.mean
    freedom = a.count + b.count - 2
    within, scale = a.within + b.within, a.squares + b.squares
    constant = within <= ROUNDING * scale
    with np.errstate(invalid="ignore", divide="ignore"):
        d = difference / np.sqrt(within / freedom)
        same = difference**2 <= ROUNDING * scale / (a.count + b.count)
    d = np.where(constant, np.where(same, 0.0, np.copysign(np.inf, difference)), d)
    return np.where((freedom > 0) & (a.count > 0) & (b.count > 0), d, np.nan)


def p_values(a: Moments, b: Moments) -> NDArray[np.float64]:
    """Return the p-value of each variable by Welch's t-test of the means, not adjusted.

    NaN where neither group varies, and where a group has fewer than two values.
    """
    with np.errstate(invalid="ignore", divide="ignore"):
        spreads = [np.sqrt(m.within / np.where(m.count > 1, m.count - 1, np.nan)) for m in (a, b)]
        p = ttest_ind_from_stats(
            a.mean, spreads[0], a.count, b.mean, spreads[1], b.count, equal_var=False
        ).pvalue
    return np.where(a.within + b.within > ROUNDING * (a.squares + b.squares), p, np.nan)


def adjusted(p: NDArray[np.float64]) -> NDArray[np.float64]:
    """Return p-values adjusted for how many there are (Benjamini and Hochberg); NaN stays NaN."""
    found = np.array(p, dtype=np.float64)
    known = np.isfinite(found)
    found[known] = false_discovery_control(found[known])
    return found


@dataclass(frozen=True)
class FeatureDifference:
    """How a feature differs between two groups.

    Attributes
    ----------
    name : str
    effect : float
        Cohen's d, positive where the group has larger values; ±inf where neither group varies.
    mean, other_mean : float
        Times are in seconds since 1970.
    share_above : float
        The share of pairs, one point of either group, in which that of this group has the larger
        value; equal values count half.
    edges : ndarray of shape (n_bars + 1,)
        Ends of the histogram's bars. The outermost bars take in what lies beyond them, at most
        0.5 % of the values at either end.
    counts, other_counts : ndarray of shape (n_bars,), int
    is_time : bool
    p : float
        Of Welch's t-test, adjusted for the number of features; NaN where there is none.
    key : hashable
        Stands for the column, as in :class:`~nbembed.points.point_columns.PointColumns`.
    """

    name: str
    effect: float
    mean: float
    other_mean: float
    share_above: float
    edges: NDArray[np.float64]
    counts: NDArray[np.intp]
    other_counts: NDArray[np.intp]
    is_time: bool = False
    p: float = math.nan
    key: Hashable = None


def compare_numbers(
    name: str,
    effect: float,
    a: NDArray[np.float64],
    b: NDArray[np.float64],
    *,
    is_time: bool = False,
    p: float = math.nan,
    key: Hashable = None,
) -> FeatureDifference:
    """Return how the values of two groups differ; missing values are left out."""
    a, b = a[np.isfinite(a)], b[np.isfinite(b)]
    edges = bar_edges(np.concatenate([a, b]))
    return FeatureDifference(
        name,
        effect,
        float(a.mean()),
        float(b.mean()),
        share_above(a, b),
        edges,
        bar_counts(a, edges),
        bar_counts(b, edges),
        is_time,
        p,
        key,
    )


def bar_edges(values: NDArray[np.float64]) -> NDArray[np.float64]:
    """Return the ends of a histogram's bars, equally wide; of whole numbers each holds as many."""
    low, high = float(values.min()), float(values.max())
    with np.errstate(over="ignore", invalid="ignore"):
        whole = are_whole(values)
        if whole and high - low < BARS:
            return np.arange(low - 0.5, high + 1.0)
        ends = np.quantile(values, [TAIL, 1 - TAIL])
        if ends[1] > ends[0]:
            low, high = float(ends[0]), float(ends[1])
        if whole and high - low >= 1:
            step = math.ceil((high - low) / BARS)
            return np.arange(math.floor(low) - 0.5, math.ceil(high) + step, step)
        if not high > low:
            margin = max(0.5, 1e-9 * abs(low))
            low, high = low - margin, high + margin
        edges = np.linspace(low, high, BARS + 1)
        return edges if bool((edges[1:] > edges[:-1]).all()) else np.array([low, high])


def bar_counts(values: NDArray[np.float64], edges: NDArray[np.float64]) -> NDArray[np.intp]:
    """Return how many values each bar holds, the outermost bars with all beyond them."""
    n = edges.size - 1
    with np.errstate(over="ignore", invalid="ignore"):
        place = (values - edges[0]) / (edges[-1] - edges[0]) * n
    at = np.clip(np.nan_to_num(place, nan=0.0), 0, n - 1).astype(np.intp)
    return np.bincount(at, minlength=n)


def share_above(a: NDArray[np.float64], b: NDArray[np.float64]) -> float:
    """Return the share of pairs in which the value of ``a`` is the larger; equal ones count half.

    This is the area under the ROC curve, and U / (n_a n_b) of Mann and Whitney. O(n log n).
    """
    ordered = np.sort(b)
    below = np.searchsorted(ordered, a, "left")
    up_to = np.searchsorted(ordered, a, "right")
    return float((below.mean() + up_to.mean()) / (2 * b.size))
