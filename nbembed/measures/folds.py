"""Comparison of two methods on the same folds by a paired test."""

from __future__ import annotations

from typing import NamedTuple

import numpy as np
from numpy.typing import ArrayLike

from nbembed.data.matrix_input import check_magnitude
from nbembed.validation import check_choice, check_numbers


class PairedTest(NamedTuple):
    """Outcome of a paired t-test.

    Attributes
    ----------
    difference : float
        Mean of a − b, in units of the scores.
    statistic : float
        t; infinite where all differences are the same and not zero.
    p_value : float
        Probability of a difference at least as large between equal methods; 1 if no fold differs.
    """

    difference: float
    statistic: float
    p_value: float


def paired_t_test(a: ArrayLike, b: ArrayLike, *, alternative: str = "two-sided") -> PairedTest:
    """Return Student's paired t-test of two methods' scores over the same folds.

    Parameters
    ----------
    a, b : array-like of shape (n_folds,)
        Scores or errors, fold by fold; at least two.
    alternative : {"two-sided", "less", "greater"}, default="two-sided"
        The alternative hypothesis: that the methods differ, that a is less than b, or that it is
        greater (one-tailed tests).

    Returns
    -------
    PairedTest

    Raises
    ------
    ValueError
        If the two are not equally many finite numbers, at least two.

    Notes
    -----
    t = mean(d) / (std(d)/√n) with d = a − b and n − 1 degrees of freedom. Training sets of
    cross-validation overlap, so that p is too small: it serves to compare, as in the papers, and is
    no calibrated probability.

    Examples
    --------
    >>> paired_t_test([0.10, 0.12, 0.11], [0.20, 0.19, 0.24]).p_value < 0.05
    True
    """
    from scipy.stats import ttest_rel

    check_choice("alternative", alternative, ("two-sided", "less", "greater"))
    first, second = check_numbers("a", a), check_numbers("b", b)
    for name, scores in (("a", first), ("b", second)):
        if scores.ndim != 1 or scores.size < 2:
            raise ValueError(
                f"{name} must be a score for each of at least two folds, got shape {scores.shape}"
            )
        if not np.isfinite(scores).all():
            raise ValueError(f"{name} must be finite, got NaN or infinity")
        check_magnitude(scores, name)
    if first.size != second.size:
        raise ValueError(
            f"b must have a score for each of the {first.size} folds of a, got {second.size}"
        )
    gap = first - second
    mean = float(gap.mean())
    # Rounding of equal differences must not pass for their spread.
    grain = 1e-12 * max(np.abs(first).max(), np.abs(second).max())
    if np.ptp(gap) <= grain:
        if abs(mean) <= grain:
            return PairedTest(mean, 0.0, 1.0)
        likely = {"two-sided": True, "less": mean < 0, "greater": mean > 0}[alternative]
        return PairedTest(mean, float(np.copysign(np.inf, mean)), 0.0 if likely else 1.0)
    found = ttest_rel(first, second, alternative=alternative)
    return PairedTest(mean, float(found.statistic), float(found.pvalue))
