"""Parts of a :class:`~nbembed.supervision.Supervision`: link groups, names, read-only arrays."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import NDArray

from nbembed.validation import check_name, check_real, check_text, shown


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
        raise TypeError(f"{argument} must be the name of a class, got {shown(name)}")
    if not name.strip():
        raise ValueError(f"{argument} must not be blank, got {shown(name)}")
    return check_text(argument, name)


def new_class_name(name: Any, argument: str) -> str:
    """Return the name of a class that may be new: −1 stands for no class wherever labels are read.

    Files of earlier versions may hold a class of that name, so only what makes one refuses it.
    """
    text = check_name(argument, class_name(name, argument))
    if text == "-1":
        raise ValueError(
            f"{argument} must be the name of a class, got {shown(name)}, which stands for "
            "unlabeled points; forget() removes labels"
        )
    return text


def check_labels(
    labels: Any, n_samples: int, argument: str = "labels"
) -> list[tuple[int, str, float]]:
    """Return labels as (point, class's name, confidence); errors name ``argument``."""
    if not isinstance(labels, Iterable) or isinstance(labels, str | bytes | Mapping):
        raise TypeError(
            f"{argument} must be (point, class, confidence) triples, got {shown(labels)}"
        )
    checked = []
    for label in labels:
        if not isinstance(label, list | tuple) or len(label) != 3:
            raise TypeError(
                f"{argument} must be (point, class, confidence) triples, but it contains "
                f"{shown(label)}"
            )
        point, name, confidence = label
        if isinstance(point, bool | np.bool_) or not isinstance(point, int | np.integer):
            raise TypeError(f"{argument} must give points by index, got {shown(point)}")
        if not 0 <= point < n_samples:
            raise ValueError(f"{argument} must give points in [0, {n_samples}), got {point}")
        sure = check_real(f"confidence in {argument}", confidence, low=0, high=1, open_low=True)
        checked.append((int(point), new_class_name(name, f"class in {argument}"), sure))
    if not checked:
        raise ValueError(f"{argument} must have at least one label, got none")
    return checked


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
