"""How categories differ between two groups: shares, lift, and the association of a column.

The lift of a category is its share in the group over its share in both groups together,
P(c | group) / P(c). It is finite also where a category occurs in one group only.
"""

from __future__ import annotations

import math
from collections.abc import Hashable, Sequence
from dataclasses import dataclass, replace

import numpy as np
from numpy.typing import NDArray
from scipy.stats import chi2

from nbembed.points.groups.numbers import adjusted

#: Categories of a column that are told apart by name.
MOST_VALUES = 6


@dataclass(frozen=True)
class CategoryShare:
    """How often a category occurs in two groups.

    Attributes
    ----------
    name : str
    count, other_count : int
    share, other_share : float
        Of the points of the group whose value is known.
    lift : float
        ``share`` over the share in both groups together.
    """

    name: str
    count: int
    other_count: int
    share: float
    other_share: float
    lift: float


@dataclass(frozen=True)
class ColumnDifference:
    """How a column of categories differs between two groups.

    Attributes
    ----------
    name : str
    association : float
        Cramér's V of column and group, corrected for chance: 0 where the shares are alike, 1 where
        no category occurs in both groups.
    values : tuple of CategoryShare
        First what the group has more of, by share · log(lift), then what it lacks.
    n_values : int
        Categories that occur in either group.
    p : float
        Of Pearson's χ² test of independence, adjusted for the number of columns.
    key : hashable
        Stands for the column, as in :class:`~nbembed.points.point_columns.PointColumns`.
    """

    name: str
    association: float
    values: tuple[CategoryShare, ...]
    n_values: int
    p: float = math.nan
    key: Hashable = None


def compare_categories(
    name: str,
    names: Sequence[str],
    a: NDArray[np.intp],
    b: NDArray[np.intp],
    most: int = MOST_VALUES,
    key: Hashable = None,
) -> ColumnDifference | None:
    """Return how two groups differ in a column; its p-value is not adjusted yet.

    * name: of the column.
    * names: of the categories.
    * a, b: the category of each point of the groups, −1 where it is missing.
    * most: categories that are listed.
    * returns difference: ``None`` where all values of a group are missing.
    """
    counts = np.stack([np.bincount(codes[codes >= 0], minlength=len(names)) for codes in (a, b)])
    sizes = counts.sum(axis=1)
    if not sizes.all():
        return None
    there = np.flatnonzero(counts.any(axis=0))
    shares = counts[:, there] / sizes[:, None]
    everywhere = counts[:, there].sum(axis=0) / sizes.sum()
    lift = shares[0] / everywhere
    gain = np.where(lift > 1, shares[0] * np.log(np.maximum(lift, 1)), shares[0] - shares[1])
    order = np.argsort(-gain, kind="stable")
    # What the group has more of, and then what it lacks, the most frequent elsewhere first.
    more, less = order[lift[order] > 1], order[lift[order] <= 1][::-1]
    chosen = np.concatenate([more, less])[:most]
    values = tuple(
        CategoryShare(
            names[there[k]],
            int(counts[0, there[k]]),
            int(counts[1, there[k]]),
            float(shares[0, k]),
            float(shares[1, k]),
            float(lift[k]),
        )
        for k in chosen
    )
    seen = counts[:, there]
    p = float(chi2.sf(_square(seen), there.size - 1)) if there.size > 1 else math.nan
    return ColumnDifference(name, association(seen), values, int(there.size), p, key)


def adjusted_columns(columns: Sequence[ColumnDifference]) -> list[ColumnDifference]:
    """Return columns with p-values that are adjusted for how many columns there are."""
    p = adjusted(np.array([column.p for column in columns]))
    return [replace(column, p=value) for column, value in zip(columns, p.tolist())]


def _square(counts: NDArray[np.intp]) -> float:
    """Return Pearson's χ² of a table of two rows."""
    expected = counts.sum(axis=1, keepdims=True) * (counts.sum(axis=0) / counts.sum())
    return float(((counts - expected) ** 2 / expected).sum())


def association(counts: NDArray[np.intp]) -> float:
    """Return Cramér's V of a table of two rows, corrected for chance.

    Without the correction a column with as many categories as points would go with any group.

    References
    ----------
    .. [1] Bergsma (2013), A bias-correction for Cramér's V and Tschuprow's T.
    """
    n, columns = float(counts.sum()), counts.shape[1]
    if columns < 2 or n < 3:
        return 0.0
    square = _square(counts) / n
    square = max(0.0, square - (columns - 1) / (n - 1))
    most = min(1 - 1 / (n - 1), columns - 1 - (columns - 1) ** 2 / (n - 1))
    return min(1.0, float(np.sqrt(square / most))) if most > 0 else 0.0
