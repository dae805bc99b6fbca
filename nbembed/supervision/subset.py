"""Labels and links of some of the points, and what is said about these written back to all.

Pins are left out of both: they hold points at places of one map.
"""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

from nbembed.supervision.parts import frozen
from nbembed.supervision.value import Supervision


def subset(whole: Supervision, points: NDArray[np.intp]) -> Supervision:
    """Return the labels of distinct ``points`` and the links among them, in their order."""
    places = np.full(whole.n_samples, -1)
    places[points] = np.arange(points.size)
    made = Supervision(points.size, whole.classes)._with(
        _class=frozen(whole._class[points]),
        _confidence=frozen(whole._confidence[points]),
        _rows={int(places[p]): row for p, row in whole._rows.items() if places[p] >= 0},
    )
    for group in whole.links:
        inside = _there(places, group)
        if inside.size > 1:
            made = made.must_link(inside)
    for a, b in whole.cannot_links:
        left, right = _there(places, a), _there(places, b)
        if left.size and right.size:
            made = made.cannot_link(left, right)
    return made


def written_back(
    whole: Supervision, points: NDArray[np.intp], before: Supervision, after: Supervision
) -> Supervision:
    """Return ``whole`` with what changed among its ``points`` from ``before`` to ``after``.

    A class that was renamed is renamed for all points. A class that is gone stays, without these
    points. Links that reach beyond them stay.
    """
    if len(before.classes) == len(after.classes):
        for old, new in zip(before.classes, after.classes, strict=True):
            if old in whole.classes and old not in after.classes and new not in whole.classes:
                whole, before = whole.rename_class(old, new), before.rename_class(old, new)
    names = tuple(dict.fromkeys((*whole.classes, *after.classes)))
    code = np.array([*(names.index(name) for name in after.classes), -1])
    codes, confidences, rows = whole._class.copy(), whole._confidence.copy(), dict(whole._rows)
    for k in np.flatnonzero(_changed(before, after)).tolist():
        point = int(points[k])
        codes[point], confidences[point] = code[after._class[k]], after._confidence[k]
        rows.pop(point, None)
        if k in after._rows:
            row = np.zeros(len(names))
            row[code[: len(after._rows[k])]] = after._rows[k]
            rows[point] = tuple(row.tolist())
    made = whole._with(
        classes=names,
        _class=frozen(codes),
        _confidence=frozen(confidences),
        _rows=rows,
        links=_without(whole.links, points, before.links, after.links),
        cannot_links=tuple(
            (a, b)
            for a, b in whole.cannot_links
            if not any(
                _same_pair((points[c], points[d]), (a, b))
                for c, d in before.cannot_links
                if not any(_same_pair((c, d), kept) for kept in after.cannot_links)
            )
        ),
    )
    for group in after.links:
        if not any(np.array_equal(group, other) for other in before.links):
            made = made.must_link(points[group])
    for pair in after.cannot_links:
        if not any(_same_pair(pair, other) for other in before.cannot_links):
            made = made.cannot_link(points[pair[0]], points[pair[1]])
    return made


def _changed(before: Supervision, after: Supervision) -> NDArray[np.bool_]:
    """Return a mask of the points whose labels differ."""
    labels = [
        np.array([*s.classes, None], dtype=object)[s._class]  # −1 is the last
        for s in (before, after)
    ]
    changed = np.asarray(labels[0] != labels[1], dtype=bool)
    changed |= ~np.isclose(before._confidence, after._confidence, rtol=0, atol=0, equal_nan=True)
    for point in {*before._rows, *after._rows}:
        changed[point] |= before._rows.get(point) != after._rows.get(point)
    return changed


def _there(places: NDArray[np.intp], group: NDArray[np.intp]) -> NDArray[np.intp]:
    inside = places[group]
    return inside[inside >= 0]


Groups = tuple["NDArray[np.intp]", ...]


def _without(links: Groups, points: NDArray[np.intp], before: Groups, after: Groups) -> Groups:
    gone = [
        np.sort(points[group])
        for group in before
        if not any(np.array_equal(group, other) for other in after)
    ]
    return tuple(g for g in links if not any(np.array_equal(g, other) for other in gone))


def _same_pair(one: tuple[NDArray[np.intp], ...], other: tuple[NDArray[np.intp], ...]) -> bool:
    sides = [frozenset(np.asarray(side).tolist()) for side in (*one, *other)]
    return {sides[0], sides[1]} == {sides[2], sides[3]}
