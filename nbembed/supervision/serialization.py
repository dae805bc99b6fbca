"""A supervision as JSON data, and the checks of such data.

Nothing here knows the class :class:`~nbembed.supervision.Supervision`, which is built from
:class:`Entries` and written as a dictionary of them.
"""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any, NamedTuple

import numpy as np
from numpy.typing import NDArray

from nbembed.data.class_probabilities import check_probabilities
from nbembed.supervision.parts import class_name
from nbembed.validation import check_count, check_points, check_real, shown

#: Entries of the dictionary, and those that files of earlier versions lack.
ENTRIES = ("n_samples", "classes", "labels", "rows", "links", "cannot_links")
LATER = ("pinned",)


class Entries(NamedTuple):
    """Everything that a supervision holds, checked.

    * Shapes: pinned int.
    * codes (n_samples,) int: class of each point, −1 without a label.
    * confidence (n_samples,): NaN without a label.
    * rows: rows of probabilities that were given whole.
    """

    n_samples: int
    classes: tuple[str, ...]
    codes: NDArray[np.intp]
    confidence: NDArray[np.float64]
    rows: Mapping[int, tuple[float, ...]]
    links: tuple[NDArray[np.intp], ...]
    cannot_links: tuple[tuple[NDArray[np.intp], NDArray[np.intp]], ...]
    pinned: NDArray[np.intp]


def encode(entries: Entries) -> dict[str, Any]:
    """Return entries as lists, strings and numbers, which JSON can hold."""
    codes, confidence = entries.codes, entries.confidence
    labeled = np.flatnonzero(codes >= 0)
    return {
        "n_samples": entries.n_samples,
        "classes": list(entries.classes),
        "labels": [[int(i), int(codes[i]), float(confidence[i])] for i in labeled],
        "rows": [[i, list(row)] for i, row in sorted(entries.rows.items())],
        "links": [group.tolist() for group in entries.links],
        "cannot_links": [[a.tolist(), b.tolist()] for a, b in entries.cannot_links],
        "pinned": entries.pinned.tolist(),
    }


def decode(data: Mapping[str, Any]) -> Entries:
    """Return the entries that :func:`encode` wrote; raise unless it is such a dictionary."""
    if not isinstance(data, Mapping):
        raise TypeError(f"data must be a dictionary from to_dict(), got {shown(data)}")
    lacks = [name for name in ENTRIES if name not in data]
    if lacks:
        raise ValueError(f"data must have the entry {shown(lacks[0])}")
    unknown = [name for name in data if name not in (*ENTRIES, *LATER)]
    if unknown:
        raise ValueError(f"data must not have the unknown entry {shown(unknown[0])}")
    n = check_count("n_samples", data["n_samples"])
    classes = check_classes(data["classes"])
    K = len(classes)
    codes, confidence = np.full(n, -1, dtype=np.intp), np.full(n, np.nan)
    for i, k, c in _entries(data, "labels", 3):
        point = _one_point(i, n, "labels")
        if check_count("labels", k, low=0) >= K:
            raise ValueError(f"labels must name one of {K} classes by number, got {k}")
        codes[point] = k
        confidence[point] = check_real("labels", c, low=0, high=1, open_low=True)
    rows = {}
    for i, row in _entries(data, "rows", 2):
        point = _one_point(i, n, "rows")
        (values,) = check_probabilities([row], "rows")
        if not (values.size <= K and codes[point] == values.argmax()):
            raise ValueError(
                f"rows must have at most {K} entries and agree with labels, got {row} for "
                f"point {point}"
            )
        rows[point] = tuple(values.tolist())
    links = [check_points(group, n, "links") for group in _entries(data, "links")]
    for group in links:
        if group.size < 2:
            raise ValueError(f"links must be groups of at least two distinct points, got {group}")
    cannot_links = [
        (check_points(a, n, "cannot_links"), check_points(b, n, "cannot_links"))
        for a, b in _entries(data, "cannot_links", 2)
    ]
    held = _entries(data, "pinned")
    pinned = np.unique(check_points(held, n, "pinned")) if held else np.empty(0, dtype=np.intp)
    return Entries(n, classes, codes, confidence, rows, tuple(links), tuple(cannot_links), pinned)


def check_classes(classes: Any) -> tuple[str, ...]:
    """Return the names of classes: a list of distinct, nonempty names."""
    if isinstance(classes, str) or not hasattr(classes, "__iter__"):
        raise TypeError(f"classes must be a list of names, got {shown(classes)}")
    names = tuple(class_name(c, "classes") for c in classes)
    if len(set(names)) < len(names):
        raise ValueError(f"classes must be distinct names, got {list(names)}")
    return names


def _entries(data: Mapping[str, Any], name: str, length: int | None = None) -> list[Any]:
    """Return an entry that is a list, of lists of ``length`` if that is given."""
    found = data.get(name, [])
    if not isinstance(found, list | tuple):
        raise TypeError(f"{name} must be a list, got {shown(found)}")
    for part in found:
        if length is not None and not (isinstance(part, list | tuple) and len(part) == length):
            raise ValueError(
                f"{name} must be a list of lists of {length}, but it contains {shown(part)}"
            )
    return list(found)


def _one_point(index: Any, n_samples: int, name: str) -> int:
    # Not by check_points: a file has as many of these as labels.
    point = check_count(name, index, low=0)
    if point >= n_samples:
        raise ValueError(f"{name} must be indices in [0, {n_samples}), got {point}")
    return point
