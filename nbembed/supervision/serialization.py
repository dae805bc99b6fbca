"""A :class:`~nbembed.supervision.Supervision` as plain lists, strings and numbers, and back."""

from __future__ import annotations

from collections.abc import Mapping
from typing import TYPE_CHECKING, Any, TypeVar

from nbembed.supervision.parts import frozen
from nbembed.validation import check_count, check_points, check_probabilities, check_real

if TYPE_CHECKING:
    from nbembed.supervision.value import Supervision

#: What a plain supervision consists of; and what came later, which older files do not have.
ENTRIES = ("n_samples", "classes", "labels", "rows", "links", "cannot_links")
LATER = ("pinned",)

S = TypeVar("S", bound="Supervision")


def plain_of(value: Supervision) -> dict[str, Any]:
    """Return everything that a supervision says, fit for JSON."""
    where = value.labeled
    return {
        "n_samples": value.n_samples,
        "classes": list(value.classes),
        "labels": [[int(i), int(value._class[i]), float(value._confidence[i])] for i in where],
        "rows": [[i, list(row)] for i, row in sorted(value._rows.items())],
        "links": [group.tolist() for group in value.links],
        "cannot_links": [[a.tolist(), b.tolist()] for a, b in value.cannot_links],
        "pinned": value.pinned.tolist(),
    }


def read_plain(cls: type[S], plain: Mapping[str, Any]) -> S:
    """Return the supervision that :func:`plain_of` wrote.

    Raises
    ------
    ValueError, TypeError
        If it is not such a dictionary.
    """
    if not isinstance(plain, Mapping):
        raise TypeError(f"plain must be a dictionary that to_dict made, got {plain!r}")
    lacks = [name for name in ENTRIES if name not in plain]
    if lacks:
        raise ValueError(f"plain lacks the entry {lacks[0]!r}")
    strange = [name for name in plain if name not in (*ENTRIES, *LATER)]
    if strange:
        raise ValueError(f"plain has an entry {strange[0]!r}, which nothing is known of")
    made = cls(plain["n_samples"], plain["classes"])
    K, n = len(made.classes), made.n_samples
    codes, sure = made._class.copy(), made._confidence.copy()
    for i, k, c in _entries(plain, "labels", 3):
        point = _one_point(i, n, "labels")
        if check_count("labels", k, low=0) >= K:
            raise ValueError(f"labels must name one of {K} classes by number, got {k}")
        codes[point] = k
        sure[point] = check_real("labels", c, low=0, high=1, open_low=True)
    rows = {}
    for i, row in _entries(plain, "rows", 2):
        point = _one_point(i, n, "rows")
        (values,) = check_probabilities([row], "rows")
        if not (values.size <= K and codes[point] == values.argmax()):
            raise ValueError(
                f"rows must have at most {K} entries and agree with labels, got {row} for "
                f"point {point}"
            )
        rows[point] = tuple(values.tolist())
    made = made._with(_class=frozen(codes), _confidence=frozen(sure), _rows=rows)
    for group in _entries(plain, "links"):
        points = check_points(group, n, "links")
        if points.size < 2:
            raise ValueError(f"links must be groups of at least two distinct points, got {group!r}")
        made = made.must_link(points)
    for a, b in _entries(plain, "cannot_links", 2):
        made = made.cannot_link(
            check_points(a, n, "cannot_links"), check_points(b, n, "cannot_links")
        )
    held = _entries(plain, "pinned")
    return made.pin(check_points(held, n, "pinned")) if held else made


def _entries(plain: Mapping[str, Any], name: str, length: int | None = None) -> list[Any]:
    """Return an entry that is a list, of lists of ``length`` if that is given."""
    found = plain.get(name, [])
    if not isinstance(found, list | tuple):
        raise TypeError(f"{name} must be a list, got {found!r}")
    for part in found:
        if length is not None and not (isinstance(part, list | tuple) and len(part) == length):
            raise ValueError(f"{name} must be a list of lists of {length}, got {part!r} in it")
    return list(found)


def _one_point(index: Any, n_samples: int, name: str) -> int:
    (point,) = check_points(check_count(name, index, low=0), n_samples, name)
    return int(point)
