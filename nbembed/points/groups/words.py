r"""Counts that are higher in a group, such as those of words in texts: log odds with a prior.

Ratios of rare counts are noise. So the log odds ratio of each word gets a Dirichlet prior in
proportion to the counts of both groups together, of :math:`\alpha_0` words in all, and is divided
by its standard error (Monroe, Colaresi and Quinn, 2008, eqs. 16, 20 and 22):

.. math::

    z_w = \frac{\log o_w^a - \log o_w^b}{\sqrt{1 / (y_w^a + \alpha_w) + 1 / (y_w^b + \alpha_w)}},
    \qquad o_w = \frac{y_w + \alpha_w}{n + \alpha_0 - y_w - \alpha_w}.

The p-values are those of z under the normal distribution, adjusted for the number of words by
Benjamini and Hochberg.
"""

from __future__ import annotations

import math
from collections.abc import Callable, Hashable, Sequence
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray
from scipy.stats import norm

from nbembed.points.groups.numbers import adjusted

#: The prior weighs as much as so many words.
PRIOR = 100.0
#: Words whose log odds ratio is within so many standard errors of 0 are not told from chance.
LEAST = 2.0


@dataclass(frozen=True)
class WordDifference:
    """How often something is counted in two groups.

    Attributes
    ----------
    name : str
    share, other_share : float
        Of all that is counted in the group.
    lift : float
        ``share`` over the share in both groups together.
    z : float
        The log odds ratio in standard errors.
    p : float
        Of ``z``, adjusted for the number of words.
    key : hashable
        Stands for the column, as in :class:`~nbembed.points.point_columns.PointColumns`.
    """

    name: str
    share: float
    other_share: float
    lift: float
    z: float
    p: float = math.nan
    key: Hashable = None


def log_odds(a: NDArray[np.float64], b: NDArray[np.float64]) -> NDArray[np.float64]:
    """Return the log odds ratio of each word in standard errors, from its counts in two groups."""
    together = a + b
    size = float(together.sum())
    if not (a.sum() > 0 and b.sum() > 0):
        return np.zeros(a.size)
    prior = PRIOR * together / size
    used = together > 0

    def odds(counts: NDArray[np.float64]) -> NDArray[np.float64]:
        mine = counts + prior
        found: NDArray[np.float64] = np.log(mine[used]) - np.log(counts.sum() + PRIOR - mine[used])
        return found

    z = np.zeros(a.size)
    with np.errstate(divide="ignore", invalid="ignore"):
        ratio = odds(a) - odds(b)
    error = np.sqrt(1 / (a + prior)[used] + 1 / (b + prior)[used])
    z[used] = np.nan_to_num(ratio / error, nan=0.0, posinf=0.0, neginf=0.0)
    return z


def compare_words(
    names: Sequence[str],
    a: NDArray[np.float64],
    b: NDArray[np.float64],
    key: Callable[[int], Hashable] = int,
) -> tuple[WordDifference, ...]:
    """Return the words that the first group has more of, the surest first."""
    z = log_odds(a, b)
    p = adjusted(np.where(a + b > 0, 2 * norm.sf(np.abs(z)), np.nan))
    order = np.argsort(-z, kind="stable")
    size_a, size_b = float(a.sum()), float(b.sum())
    return tuple(
        WordDifference(
            names[k],
            float(a[k]) / size_a,
            float(b[k]) / size_b,
            float(a[k]) / size_a * (size_a + size_b) / float(a[k] + b[k]),
            float(z[k]),
            float(p[k]),
            key(int(k)),
        )
        for k in order[z[order] > LEAST].tolist()
    )
