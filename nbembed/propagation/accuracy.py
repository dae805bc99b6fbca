"""An honest estimate of how many suggestions are right: a random sample, and its interval.

The points that a person chooses to look at are not a random sample, and neither are the most
doubtful ones. Points drawn at random are, and the share p of them that is right estimates the share
among all unlabeled points, with the interval of Wilson (1927),

    (p + z²/2n ± z √(p (1 − p)/n + z²/4n²)) / (1 + z²/n)

A sample of n that is drawn from N points without replacement tells more than one of endlessly many:
n is then n (N − 1)/(N − n).
"""

from __future__ import annotations

import math
from typing import Any

import numpy as np
from numpy.typing import NDArray
from scipy.stats import norm

from nbembed.supervision import Supervision
from nbembed.validation import as_generator, check_count, check_instance, check_real


def accuracy_interval(
    correct: int, n: int, level: float = 0.95, population: int | None = None
) -> tuple[float, float]:
    """Return the interval of an accuracy of which a random sample is known, by Wilson's score.

    Parameters
    ----------
    correct : int
        Number of points of the sample that are right, in [0, n].
    n : int
        Size of the sample, at least 1.
    level : float, default=0.95
        Confidence level, in (0, 1).
    population : int, optional
        Number of points that the sample was drawn from without replacement, at least n; by default
        as good as endless.

    Returns
    -------
    low, high : float
        In [0, 1].

    Raises
    ------
    ValueError, TypeError
        If a number is out of range.

    References
    ----------
    .. [1] E. B. Wilson (1927), "Probable inference, the law of succession, and statistical
       inference", Journal of the American Statistical Association 22, 209-212.

    Examples
    --------
    >>> low, high = accuracy_interval(19, 20)
    >>> round(low, 3), round(high, 3)
    (0.764, 0.991)
    >>> low, high = accuracy_interval(19, 20, population=40)
    >>> round(low, 3), round(high, 3)
    (0.833, 0.975)
    """
    n = check_count("n", n)
    correct = check_count("correct", correct, low=0)
    if correct > n:
        raise ValueError(f"correct must be at most n = {n}, got {correct}")
    level = check_real("level", level, low=0, high=1, open_low=True)
    if level == 1:
        raise ValueError("level must be less than 1, got 1.0")
    p, size = correct / n, float(n)
    if population is not None:
        population = check_count("population", population)
        if population < n:
            raise ValueError(f"population must be at least n = {n}, got {population}")
        if population == n:
            return p, p
        size *= (population - 1) / (population - n)
    z2 = float(norm.ppf((1 + level) / 2)) ** 2
    middle, half = p + z2 / (2 * size), math.sqrt(z2 * (p * (1 - p) / size + z2 / (4 * size**2)))
    low, high = (middle - half) / (1 + z2 / size), (middle + half) / (1 + z2 / size)
    if population is not None:  # the sample is a part of what is estimated
        low, high = max(low, correct / population), min(high, 1 - (n - correct) / population)
    return (0.0 if correct == 0 else low), (1.0 if correct == n else high)


def points_to_check(
    supervision: Supervision, size: int = 20, random_state: Any = None
) -> NDArray[np.intp]:
    """Return unlabeled points drawn at random without replacement, in the order of the draw.

    Parameters
    ----------
    supervision : Supervision
    size : int, default=20
        Of the sample; all unlabeled points if there are fewer.
    random_state : int, Generator or None

    Returns
    -------
    ndarray of int
        Empty if every point is labeled.
    """
    check_instance("supervision", supervision, Supervision)
    size = check_count("size", size)
    unlabeled = np.flatnonzero(supervision.top_class < 0)
    rng = as_generator(random_state)
    drawn: NDArray[np.intp] = rng.permutation(unlabeled)[:size]
    return drawn
