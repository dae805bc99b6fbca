"""Supervision: labels, links and pins of points, as an immutable value.

A label is a class and a confidence; a later label of a point replaces an earlier one. A must-link
is a group of points that belong together, a cannot-link two groups that do not, a pin holds a point
in its place. Each verb returns a new value and changes nothing about other points, so that undo is
the list of past values.

All methods read labels in the same two ways:

* the row of probabilities of a point labeled k with confidence c is c at k and (1 − c)/(K − 1) at
  the other classes (:meth:`Supervision.targets`);
* where labeled points are counted, averaged or linked, each has a weight, 1 when certain and 0 when
  its row is uniform (:attr:`Supervision.label_weights`). Two points of a class are linked with the
  product of their weights.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from functools import cached_property
from typing import Any, Self

import numpy as np
from numpy.typing import ArrayLike, NDArray

from nbembed.supervision.parts import (
    LinkGroups,
    check_labels,
    class_name,
    frozen,
    new_class_name,
    without,
)
from nbembed.supervision.serialization import Entries, check_classes, decode, encode
from nbembed.supervision.weights import label_weights
from nbembed.validation import (
    MAX_CLASSES,
    check_count,
    check_flag,
    check_name,
    check_points,
    check_real,
    shown,
    shown_names,
)


class Supervision:
    """Labels, links and pins of ``n_samples`` points; frozen, compared and hashed by content.

    Parameters
    ----------
    n_samples : int
        Number of points.
    classes : sequence of str, optional
        Names of the classes, in order.

    Attributes
    ----------
    n_samples : int
    classes : tuple of str
        In the order in which they were first named.
    links : tuple of ndarray of int
        Must-link groups, each sorted, of two points at least.
    cannot_links : tuple of pairs of ndarray of int
    pinned : ndarray of int
        Points that stay in place, sorted. Their coordinates are those of the layout.

    Examples
    --------
    >>> supervision = Supervision(5).label([0, 1], "seven").label([1], "one", confidence=0.8)
    >>> supervision.classes, supervision.top_class
    (('seven', 'one'), array([ 0,  1, -1, -1, -1]))
    >>> supervision.targets()[1]
    array([0.2, 0.8])
    """

    n_samples: int
    classes: tuple[str, ...]
    links: tuple[NDArray[np.intp], ...]
    cannot_links: tuple[tuple[NDArray[np.intp], NDArray[np.intp]], ...]
    pinned: NDArray[np.intp]
    # Per point: its class (−1 none) and confidence (NaN none). A point whose row of probabilities
    # was given whole has it in ``_rows``; class and confidence then name its top.
    _class: NDArray[np.intp]
    _confidence: NDArray[np.float64]
    _rows: Mapping[int, tuple[float, ...]]

    def __init__(self, n_samples: int, classes: Sequence[str] = ()) -> None:
        n = check_count("n_samples", n_samples)
        names = tuple(check_name("classes", name) for name in check_classes(classes))
        self._set(
            n_samples=n,
            classes=names,
            links=(),
            cannot_links=(),
            pinned=frozen(np.empty(0, dtype=np.intp)),
            _class=frozen(np.full(n, -1, dtype=np.intp)),
            _confidence=frozen(np.full(n, np.nan)),
            _rows={},
        )

    # -- verbs: each returns a new value --------------------------------------------------------

    def add_class(self, name: str) -> Self:
        """Return the same with one more class, of no points yet.

        Raises
        ------
        ValueError
            If there is a class of that name, or the name is −1.
        """
        name = new_class_name(name, "name")
        if name in self.classes:
            raise ValueError(f"name must be new, got the existing class {shown(name)}")
        return self._with(classes=(*self.classes, name))

    def rename_class(self, old: str, new: str) -> Self:
        """Return the same with a class renamed; its points and its place among the classes stay.

        Raises
        ------
        ValueError
            If there is no class ``old``, another one is called ``new``, or ``new`` is −1.
        """
        old, new = class_name(old, "old"), new_class_name(new, "new")
        self._index_of(old, "old")
        if new == old:
            return self
        if new in self.classes:
            raise ValueError(f"new must be a new name, got the existing class {shown(new)}")
        return self._with(classes=tuple(new if c == old else c for c in self.classes))

    def label(self, points: ArrayLike, class_: Any, confidence: float = 1.0) -> Self:
        """Return the same with points labeled as members of a class.

        Parameters
        ----------
        points : int, array-like of int, or mask of shape (n_samples,)
        class_ : str
            A class's name; a new one adds the class. Whole numbers stand for their digits.
        confidence : float, default=1.0
            In (0, 1]: the probability of the class; the remainder is spread over the others.

        Raises
        ------
        ValueError
            If a point is out of range or the confidence is, or the name is −1, which stands for
            unlabeled points.
        """
        where = check_points(points, self.n_samples)
        confidence = check_real("confidence", confidence, low=0, high=1, open_low=True)
        name = new_class_name(class_, "class_")
        classes = self.classes if name in self.classes else (*self.classes, name)
        codes, confidences = self._class.copy(), self._confidence.copy()
        codes[where] = classes.index(name)
        confidences[where] = confidence
        return self._with(
            classes=classes,
            _class=frozen(codes),
            _confidence=frozen(confidences),
            _rows=without(self._rows, where),
        )

    def label_each(self, labels: Iterable[tuple[int, Any, float]]) -> Self:
        """Return the same with each point labeled by a class and a confidence of its own.

        Parameters
        ----------
        labels : iterable of (point, class, confidence)
            As :meth:`label` takes them; of several labels of a point the last counts.

        Raises
        ------
        ValueError, TypeError
            If there are none, or one is none.
        """
        checked = check_labels(labels, self.n_samples)
        names = dict.fromkeys((*self.classes, *(name for _, name, _ in checked)))
        code = {name: k for k, name in enumerate(names)}
        codes, confidences = self._class.copy(), self._confidence.copy()
        for point, name, confidence in checked:
            codes[point], confidences[point] = code[name], confidence
        return self._with(
            classes=tuple(names),
            _class=frozen(codes),
            _confidence=frozen(confidences),
            _rows=without(self._rows, np.array([point for point, _, _ in checked])),
        )

    def must_link(self, points: ArrayLike) -> Self:
        """Return the same with the points linked: they belong together, whatever their class.

        Linking the same group twice has no further effect.

        Raises
        ------
        ValueError
            If there are fewer than two distinct points, or one is out of range.
        """
        group = frozen(check_points(points, self.n_samples))
        if group.size < 2:
            raise ValueError(f"points must be at least two distinct points to link, got {group}")
        if any(np.array_equal(group, other) for other in self.links):
            return self
        return self._with(links=(*self.links, group))

    def cannot_link(self, a: ArrayLike, b: ArrayLike) -> Self:
        """Return the same with a cannot-link between each point of ``a`` and each point of ``b``.

        Raises
        ------
        ValueError
            If a point is out of range or on both sides.
        """
        left = frozen(check_points(a, self.n_samples, "a"))
        right = frozen(check_points(b, self.n_samples, "b"))
        both = np.intersect1d(left, right)
        if both.size:
            raise ValueError(f"a and b must not share points, got point {both[0]} in both")
        for x, y in self.cannot_links:
            if (np.array_equal(x, left) and np.array_equal(y, right)) or (
                np.array_equal(x, right) and np.array_equal(y, left)
            ):
                return self
        return self._with(cannot_links=(*self.cannot_links, (left, right)))

    def pin(self, points: ArrayLike) -> Self:
        """Return the same with the points held in place: no optimizer moves them.

        They keep their coordinates in the first layout (``init``), or in a live session those in
        the present one, and go on to attract and repel the others.

        Raises
        ------
        ValueError
            If a point is out of range.
        """
        where = check_points(points, self.n_samples)
        return self._with(pinned=frozen(np.union1d(self.pinned, where)))

    def unpin(self, points: ArrayLike) -> Self:
        """Return the same with the points free to move; those that were free stay so.

        Raises
        ------
        ValueError
            If a point is out of range.
        """
        where = check_points(points, self.n_samples)
        return self._with(pinned=frozen(np.setdiff1d(self.pinned, where)))

    def forget(self, points: ArrayLike) -> Self:
        """Return the same without labels and pins of the points and without them in any link.

        Groups left with fewer than two points are removed, and so are cannot-links left with an
        empty side.
        """
        where = check_points(points, self.n_samples)
        codes, confidences = self._class.copy(), self._confidence.copy()
        codes[where] = -1
        confidences[where] = np.nan
        forgotten = self._with(
            _class=frozen(codes),
            _confidence=frozen(confidences),
            _rows=without(self._rows, where),
            links=(),
            cannot_links=(),
            pinned=frozen(np.setdiff1d(self.pinned, where)),
        )
        # Linked anew: groups that differed in forgotten points alone are one group now.
        for group in self.links:
            rest = np.setdiff1d(group, where)
            if rest.size > 1:
                forgotten = forgotten.must_link(rest)
        for a, b in self.cannot_links:
            left, right = np.setdiff1d(a, where), np.setdiff1d(b, where)
            if left.size and right.size:
                forgotten = forgotten.cannot_link(left, right)
        return forgotten

    # -- what it holds --------------------------------------------------------------------------

    @property
    def labeled(self) -> NDArray[np.intp]:
        """Indices of the labeled points, sorted."""
        return np.flatnonzero(self._class >= 0)

    @property
    def top_class(self) -> NDArray[np.intp]:
        """Each point's likeliest class as an index into ``classes``; −1 where unlabeled."""
        return self._class

    @property
    def confidence(self) -> NDArray[np.float64]:
        """The probability of each point's top class; NaN where unlabeled."""
        return self._confidence

    @property
    def has_links(self) -> bool:
        """True if any pair of points is linked, by a must-link, a class or a cannot-link."""
        return bool(self.cannot_links) or len(self.groups()) > 0

    @cached_property
    def label_weights(self) -> NDArray[np.float64]:
        """The weight of each point's label, in [0, 1], 0 where unlabeled; read only.

        See :mod:`nbembed.supervision.weights`.
        """
        return frozen(label_weights(self._confidence, len(self.classes)))

    def targets(self, n_classes: int | None = None) -> NDArray[np.float64]:
        """Return the labels as rows of probabilities.

        Parameters
        ----------
        n_classes : int, optional
            Number K of columns; by default the number of named classes. Further columns are classes
            without a name, which share in the remainder.

        Returns
        -------
        T : ndarray of shape (n_samples, n_classes)
            A NaN row for each unlabeled point.

        Raises
        ------
        ValueError
            If ``n_classes`` is smaller than the number of named classes, or larger than any method
            takes.
        """
        K = len(self.classes) if n_classes is None else check_count("n_classes", n_classes)
        if len(self.classes) > K:
            raise ValueError(
                f"n_classes must be at least {len(self.classes)}, the number of named classes, "
                f"got {K}"
            )
        most = max(MAX_CLASSES, len(self.classes))
        if most < K:
            raise ValueError(f"n_classes must be at most {most}, got {K}")
        T = np.full((self.n_samples, K), np.nan)
        where = self.labeled
        if where.size == 0:
            return T
        confidence = self._confidence[where]
        T[where] = ((1 - confidence) / (K - 1))[:, None] if K > 1 else 0.0
        # With a single class there is no other to take the remainder.
        T[where, self._class[where]] = confidence if K > 1 else 1.0
        # Rows given whole are zero at classes that were named later.
        T[list(self._rows)] = 0.0
        for point, row in self._rows.items():
            T[point, : len(row)] = row
        return T

    def groups(self, labels: bool = True) -> LinkGroups:
        """Return the linked points as weighted groups.

        Parameters
        ----------
        labels : bool, default=True
            Whether each class of two points or more is a group too, weighted by confidence.
        """
        labels = check_flag("labels", labels)
        made: dict[bool, LinkGroups] = self.__dict__.setdefault("_groups", {})
        if labels not in made:
            made[labels] = self._make_groups(labels)
        return made[labels]

    def _make_groups(self, labels: bool) -> LinkGroups:
        members: list[NDArray[np.intp]] = list(self.links)
        weights = [np.ones(group.size) for group in members]
        if labels:
            for k in range(len(self.classes)):
                points = np.flatnonzero((self._class == k) & (self.label_weights > 0))
                if points.size > 1:
                    members.append(points)
                    weights.append(self.label_weights[points])
        sizes = [group.size for group in members]
        return LinkGroups(
            frozen(np.concatenate([[0], np.cumsum(sizes, dtype=np.int64)]).astype(np.int64)),
            frozen(np.concatenate([*members, []]).astype(np.int64)),
            frozen(np.concatenate([*weights, []]).astype(np.float64)),
        )

    # -- as a value -----------------------------------------------------------------------------

    def to_dict(self) -> dict[str, Any]:
        """Return everything as lists, strings and numbers, which JSON can hold."""
        return encode(
            Entries(
                self.n_samples,
                self.classes,
                self._class,
                self._confidence,
                self._rows,
                self.links,
                self.cannot_links,
                self.pinned,
            )
        )

    @classmethod
    def from_dict(cls, data: Mapping[str, Any]) -> Self:
        """Return the supervision that :meth:`to_dict` wrote.

        Raises
        ------
        ValueError, TypeError
            If it is not such a dictionary.
        """
        entries = decode(data)
        made = cls(entries.n_samples, entries.classes)._with(
            _class=frozen(entries.codes),
            _confidence=frozen(entries.confidence),
            _rows=entries.rows,
            pinned=frozen(entries.pinned),
        )
        for group in entries.links:
            made = made.must_link(group)
        for a, b in entries.cannot_links:
            made = made.cannot_link(a, b)
        return made

    def __eq__(self, other: object) -> bool:
        if not isinstance(other, Supervision):
            return NotImplemented
        return self is other or self._key == other._key

    def __hash__(self) -> int:
        return hash(self._key)

    @cached_property
    def _key(self) -> tuple[Any, ...]:
        return (
            self.n_samples,
            self.classes,
            self._class.tobytes(),
            self._confidence.tobytes(),
            tuple(sorted(self._rows.items())),
            # Neither the order of links nor that of the sides of a cannot-link matters.
            frozenset(group.tobytes() for group in self.links),
            frozenset(frozenset((a.tobytes(), b.tobytes())) for a, b in self.cannot_links),
            self.pinned.tobytes(),
        )

    def __repr__(self) -> str:
        parts = [f"{self.n_samples} points"]
        for k, name in enumerate(self.classes):
            parts.append(f"{name!r}: {int((self._class == k).sum())}")
        if self.links:
            parts.append(f"must-links: {len(self.links)}")
        if self.cannot_links:
            parts.append(f"cannot-links: {len(self.cannot_links)}")
        if self.pinned.size:
            parts.append(f"pinned: {self.pinned.size}")
        return f"Supervision({', '.join(parts)})"

    def __setattr__(self, name: str, value: Any) -> None:
        raise AttributeError("a Supervision is immutable; its methods return new ones")

    def __copy__(self) -> Self:
        return self  # it is immutable

    def __deepcopy__(self, memo: Any) -> Self:
        return self

    def __reduce__(self) -> tuple[Any, ...]:
        return type(self).from_dict, (self.to_dict(),)

    def _set(self, **parts: Any) -> None:
        for name, value in parts.items():
            object.__setattr__(self, name, value)

    def _with(self, **parts: Any) -> Self:
        other = object.__new__(type(self))
        names = (
            "n_samples", "classes", "links", "cannot_links", "pinned",
            "_class", "_confidence", "_rows",
        )  # fmt: skip
        other._set(**{name: getattr(self, name) for name in names})
        other._set(**parts)
        return other

    def _index_of(self, name: str, argument: str) -> int:
        if name not in self.classes:
            classes = shown_names(self.classes) or "none yet"
            raise ValueError(f"{argument} must be an existing class ({classes}), got {shown(name)}")
        return self.classes.index(name)
