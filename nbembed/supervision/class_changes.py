"""Changes of whole classes: two made one, or one taken away with its labels.

Classes are numbered in the order of their names, so that those behind one that is gone get other
numbers; what is kept by number follows with :func:`new_numbers`.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import numpy as np
from numpy.typing import NDArray

from nbembed.supervision.parts import class_name, frozen
from nbembed.supervision.value import Supervision
from nbembed.validation import shown


def merged(supervision: Supervision, old: Any, into: Any) -> Supervision:
    """Return the same with the points of class ``old`` in class ``into``, and no class ``old``.

    Labels keep their confidence. In rows of probabilities that were given whole, those of the two
    classes are added.
    """
    gone = _index(supervision, old, "old")
    kept = _index(supervision, into, "into")
    if gone == kept:
        raise ValueError(f"into must differ from old, got {shown(into)} for both")
    codes = supervision.top_class.copy()
    codes[codes == gone] = kept
    rows = {}
    for point, row in _whole_rows(supervision).items():
        row[kept] = min(row[kept] + row[gone], 1.0)  # rounding: no probability is more
        rows[point] = np.delete(row, gone)
    return _without(supervision, gone, codes, rows)


def removed(supervision: Supervision, name: Any) -> Supervision:
    """Return the same without a class and without the labels of its points.

    Rows of probabilities that were given whole lose that class's and sum to one again. Links and
    pins stay.
    """
    gone = _index(supervision, name, "name")
    codes = supervision.top_class.copy()
    codes[codes == gone] = -1
    rows = {}
    for point, row in _whole_rows(supervision).items():
        rest = np.delete(row, gone)
        if codes[point] >= 0:
            rows[point] = rest / rest.sum()
    return _without(supervision, gone, codes, rows)


def new_numbers(old: Sequence[str], new: Sequence[str], count: int = 0) -> list[int]:
    """Return, for each number of a class before a change, the one after it.

    A class is known by its name. A number whose name is gone, or that had none, stays if it can,
    so that a class that was only renamed keeps it; the rest take those that are left, in their
    order. ``count`` is how many numbers there are, if more than names: free ones follow.

    >>> new_numbers(("a", "b", "c"), ("b", "c"))
    [2, 0, 1]
    >>> new_numbers(("b", "c"), ("a", "b", "c"))
    [1, 2, 0]
    >>> new_numbers(("a", "b"), ("A", "b"), 3)
    [0, 1, 2]
    """
    count = max(count, len(old), len(new))
    codes = {name: k for k, name in enumerate(new)}
    numbers = [codes.get(name, -1) for name in old] + [-1] * (count - len(old))
    taken = set(numbers)
    numbers = [c if k < 0 and c not in taken else k for c, k in enumerate(numbers)]
    left = iter(sorted(set(range(count)) - set(numbers)))
    return [k if k >= 0 else next(left) for k in numbers]


def _without(
    supervision: Supervision,
    gone: int,
    codes: NDArray[np.intp],
    rows: dict[int, NDArray[np.float64]],
) -> Supervision:
    """Return the supervision with these labels, in which no point is of class ``gone``."""
    codes[codes > gone] -= 1
    confidences = supervision.confidence.copy()
    confidences[codes < 0] = np.nan
    for point, row in rows.items():
        codes[point], confidences[point] = row.argmax(), row.max()
    names = supervision.classes
    return supervision._with(
        classes=names[:gone] + names[gone + 1 :],
        _class=frozen(codes),
        _confidence=frozen(confidences),
        _rows={point: tuple(row.tolist()) for point, row in rows.items()},
    )


def _whole_rows(supervision: Supervision) -> dict[int, NDArray[np.float64]]:
    """Return the rows that were given whole, with a probability for each class of today."""
    K = len(supervision.classes)
    return {
        point: np.pad(np.asarray(row, dtype=np.float64), (0, K - len(row)))
        for point, row in supervision._rows.items()
    }


def _index(supervision: Supervision, name: Any, argument: str) -> int:
    return supervision._index_of(class_name(name, argument), argument)
