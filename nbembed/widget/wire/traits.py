"""Traits of one point and of a set of points, as of a selection."""

from __future__ import annotations

from typing import Any

import numpy as np
import traitlets
from numpy.typing import ArrayLike, NDArray

from nbembed.validation import check_points, shown


def as_points(value: ArrayLike | None, n_samples: int, name: str) -> NDArray[np.intp]:
    """Return points, given as indices, a mask or None, as sorted, read-only indices."""
    array = np.asarray([] if value is None else value)
    none = (
        array.shape == (n_samples,) and not array.any() if array.dtype == bool else not array.size
    )
    if none:
        points = np.empty(0, dtype=np.intp)  # a selection may be empty, unlike other sets of points
    else:
        try:
            points = check_points(array, n_samples, name)
        except TypeError as error:  # a trait raises one type of error
            raise ValueError(str(error)) from None
    points = points.view(PointArray)
    points.flags.writeable = False
    return points


class PointArray(np.ndarray[Any, np.dtype[np.intp]]):
    """Indices of points; ``a != b`` is an array whose truth value is whether they differ.

    traitlets' links ask for that truth value.
    """

    def __ne__(self, other: object) -> Any:
        """Compare element by element."""
        differs = np.not_equal(np.asarray(self), np.asarray(other))
        return differs.view(_Difference) if isinstance(differs, np.ndarray) else differs

    def __repr__(self) -> str:
        return repr(np.asarray(self))


class _Difference(np.ndarray[Any, np.dtype[np.bool_]]):
    """The comparison of two sets of points, which is true if they differ anywhere."""

    def __bool__(self) -> bool:
        return bool(np.asarray(self).any())


class Points(traitlets.TraitType):  # type: ignore[type-arg]
    """A set of points of a widget that has ``n_samples``: a sorted, read-only array."""

    info_text = "point indices or a mask"
    default_value: Any = np.empty(0, dtype=np.intp)

    def validate(self, obj: Any, value: Any) -> NDArray[np.intp]:
        """Return the points as an array."""
        return as_points(value, obj.n_samples, self.name or "points")

    def set(self, obj: Any, value: Any) -> None:
        """Set the points; an equal set in any form is no change."""
        points: Any = self._validate(obj, value)
        known: Any = self.get(obj)
        if np.array_equal(points, known):
            return
        super().set(obj, points)


class Point(traitlets.TraitType):  # type: ignore[type-arg]
    """A point of a widget that has ``n_samples``, or ``None``."""

    info_text = "the index of a point, or None"
    default_value: Any = None

    def validate(self, obj: Any, value: Any) -> int | None:
        """Return the index as an int."""
        if value is None:
            return None
        name = self.name or "point"
        if not isinstance(value, int | np.integer) or isinstance(value, bool):
            raise ValueError(f"{name} must be the index of a point or None, got {shown(value)}")
        if not 0 <= value < obj.n_samples:
            raise ValueError(f"{name} must be in [0, {obj.n_samples - 1}], got {value}")
        return int(value)


def points_to_wire(points: NDArray[np.intp], _: Any = None) -> bytes:
    """Return points as little-endian uint32."""
    return points.astype("<u4").tobytes()


def points_from_wire(value: Any, _: Any = None) -> Any:
    """Return bytes from the page as indices; return any other value unchanged."""
    if isinstance(value, bytes | bytearray | memoryview):
        return np.frombuffer(bytes(value), dtype="<u4").astype(np.intp)
    return value


def point_trait() -> Any:
    """Return a synced trait that is a point or ``None`` in Python; on the wire −1 is none."""
    return Point().tag(sync=True, to_json=lambda value, _: -1 if value is None else value)


def points_trait() -> Any:
    """Return a synced trait that is a set of points in Python and bytes on the wire."""
    return Points().tag(sync=True, to_json=points_to_wire, from_json=points_from_wire)
