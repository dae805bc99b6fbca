"""Accepted ranges: how far a figure may be from the published one, from the spread of our own.

None of the papers states a spread for these figures. The published value is rounded, and it is one
run, or a mean of runs that are not ours; so it may differ from the mean of our runs by chance. The
margin is that of a prediction at 95 % (Student's t; the normal quantile for the best of several
runs), and half of the last printed digit. A range
is as wide as the spread of the method itself, and no wider.

Where a paper claims that something is more and gives no figure, the range begins at what is printed
as more (:func:`least_above`). Where it claims that something is found, and chance finds it at
times, the range is what chance would hardly reach (:func:`margin_by_chance`).
"""

from __future__ import annotations

import math

import numpy as np
from numpy.typing import ArrayLike
from scipy.stats import norm, t

#: Of predictions, on both sides.
CONFIDENCE = 0.95


def margin_of_one(values: ArrayLike, decimals: int) -> float:
    """Return the margin around a published figure of one run, printed with so many decimals.

    Its difference to the mean of our n runs has the variance s²(1 + 1/n).
    """
    found = np.asarray(values, dtype=np.float64)
    sd = float(found.std(ddof=1)) * math.sqrt(1 + 1 / found.size)
    return _quantile(found.size) * sd + _half(decimals)


def margin_of_mean(values: ArrayLike, decimals: int) -> float:
    """Return the margin around a published mean over the same splits that ``values`` are of.

    The splits are shared, so the standard error of one of the means stands for their difference.
    """
    found = np.asarray(values, dtype=np.float64)
    return margin_of_spread(float(found.std(ddof=1)), found.size, decimals)


def margin_of_spread(sd: float, n: int, decimals: int) -> float:
    """Return that margin from the standard deviation of ``n`` values."""
    return _quantile(n) * sd / math.sqrt(n) + _half(decimals)


def margin_of_means(values: ArrayLike, n: int, decimals: int) -> float:
    """Return the margin around the mean of published ``values``, for a mean of n other ones."""
    found = np.asarray(values, dtype=np.float64)
    sd = float(found.std(ddof=1)) * math.sqrt(1 / found.size + 1 / n)
    return _quantile(found.size) * sd + _half(decimals)


def margin_of_best(values: ArrayLike, criteria: ArrayLike, decimals: int) -> float:
    """Return the margin around a published figure of the best of n runs by a criterion.

    ``values`` and ``criteria`` are of our n runs. Had they been drawn again, with replacement, the
    run of rank r = 0, 1, … by the criterion would be the best of n with the probability

        p_r = ((n − r)/n)ⁿ − ((n − r − 1)/n)ⁿ

    so s², the variance of ``values`` with these weights, is that of the best of n, and the
    difference between two such figures has the variance 2s².
    """
    found = np.asarray(values, dtype=np.float64)[np.argsort(-np.asarray(criteria), kind="stable")]
    left = np.arange(found.size, -1, -1) / found.size
    chance = -np.diff(left**found.size)
    sd = math.sqrt(float(chance @ np.square(found - chance @ found)))
    return margin_by_chance(math.sqrt(2) * sd, 1) + _half(decimals)


def margin_by_chance(sd: float, n: int) -> float:
    """Return the margin around the mean of a chance of known spread, for the mean of n draws."""
    return float(norm.ppf((1 + CONFIDENCE) / 2)) * sd / math.sqrt(n)


def least_above(value: float, decimals: int) -> float:
    """Return the least figure that is printed as more than ``value``, with so many decimals.

    By the claim that one thing is more than another: what a table shows as equal does not meet it.
    """
    return value + _half(decimals)


def _quantile(n: int) -> float:
    return float(t.ppf((1 + CONFIDENCE) / 2, n - 1))


def _half(decimals: int) -> float:
    return float(0.5 * 10.0**-decimals)
