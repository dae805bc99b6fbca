"""Parts of a :class:`~nbembed.supervision.Supervision`: link groups, names, read-only arrays."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

import numpy as np

from nbembed.validation import check_text

if TYPE_CHECKING:
    from numpy.typing import NDArray


@dataclass(frozen=True)
class LinkGroups:
    """Groups of linked points: group g is ``members[indptr[g]:indptr[g + 1]]``.

    Attributes
    ----------
    indptr : ndarray of int64, shape (n_groups + 1,)
    members : ndarray of int64
    weights : ndarray of float64
        One a member; a pair's link counts the product of its members' weights.
    """

    indptr: NDArray[np.int64]
    members: NDArray[np.int64]
    weights: NDArray[np.float64]

    def __len__(self) -> int:
        return self.indptr.size - 1


def class_name(name: Any, argument: str) -> str:
    """Return a class's name as text; whole numbers stand for their digits."""
    if isinstance(name, int | np.integer) and not isinstance(name, bool):
        name = str(int(name))
    if not isinstance(name, str):
        raise TypeError(f"{argument} must be a class's name, got {name!r}")
    if not name.strip():
        raise ValueError(f"{argument} must be a name that is not blank, got {name!r}")
    return check_text(argument, name)


def new_class_name(name: Any, argument: str) -> str:
    """Return the name of a class that may be new: −1 stands for no class wherever labels are read.

    Files of earlier versions may hold a class of that name, so only what makes one refuses it.
    """
    text = class_name(name, argument)
    if text == "-1":
        raise ValueError(
            f"{argument} must be a class's name, got {name!r}, which stands for unlabeled points; "
            "forget() takes labels back"
        )
    return text


def frozen(array: NDArray[Any]) -> NDArray[Any]:
    """Return the array itself, made read only."""
    array.flags.writeable = False
    return array


def without(rows: Mapping[int, Any], points: NDArray[np.intp]) -> Mapping[int, Any]:
    """Return the rows that belong to none of the points."""
    if not rows:
        return rows
    gone = set(points.tolist())
    return {i: row for i, row in rows.items() if i not in gone}
