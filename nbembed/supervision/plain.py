"""A :class:`~nbembed.supervision.Supervision` as plain lists, strings and numbers, and back."""

from __future__ import annotations

from collections.abc import Mapping
from typing import TYPE_CHECKING, Any, TypeVar

from nbembed.supervision.parts import frozen
from nbembed.validation import check_count, check_points, check_probabilities, check_real

if TYPE_CHECKING:
    from nbembed.supervision.value import Supervision

S = TypeVar("S", bound="Supervision")


def plain_of(value: Supervision) -> dict[str, Any]:
    """Return everything that a supervision says, fit for JSON."""
    where = value.labelled
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
        raise TypeError(f"supervision must be a dictionary, got {plain!r}")
    try:
        made = cls(plain["n_samples"], plain["classes"])
        K, n = len(made.classes), made.n_samples
        codes, sure = made._class.copy(), made._confidence.copy()
        for i, k, c in plain["labels"]:
            point = _one_point(i, n, "labels")
            if check_count("labels", k, low=0) >= K:
                raise ValueError(f"labels must name one of {K} classes by number, got {k}")
            codes[point] = k
            sure[point] = check_real("labels", c, low=0, high=1, open_low=True)
        rows = {}
        for i, row in plain["rows"]:
            point = _one_point(i, n, "rows")
            (values,) = check_probabilities([row], "rows")
            if not (values.size <= K and codes[point] == values.argmax()):
                raise ValueError(
                    f"rows must have at most {K} entries and agree with labels, got {row} for "
                    f"point {point}"
                )
            rows[point] = tuple(values.tolist())
        made = made._with(_class=frozen(codes), _confidence=frozen(sure), _rows=rows)
        for group in plain["links"]:
            made = made.must_link(group)
        for a, b in plain["cannot_links"]:
            made = made.cannot_link(a, b)
        # Sessions that were saved before there were pins have no such entry.
        held = plain.get("pinned", [])
        made = made.pin(held) if len(held) else made
    except KeyError as error:
        raise ValueError(f"supervision lacks the entry {error}") from None
    return made


def _one_point(index: Any, n_samples: int, name: str) -> int:
    (point,) = check_points(check_count(name, index, low=0), n_samples, name)
    return int(point)
