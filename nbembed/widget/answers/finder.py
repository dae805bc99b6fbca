"""Finds points: by text, by ranges and categories of columns, by neighborhood, by saved name.

Filters act together: a point is found if it passes all of them. The bars of each column count the
points that pass all *others*, so that one sees what another choice there would find.
"""

from __future__ import annotations

import re
from collections.abc import Hashable, Iterable, Mapping, Sequence
from typing import Any

import numpy as np
from numpy.typing import NDArray

from nbembed.points import neighborhoods
from nbembed.points.find_columns import FindColumn
from nbembed.points.find_text import as_word, excerpt, folded
from nbembed.points.point_columns import PointColumns, as_names
from nbembed.points.point_data import PointData
from nbembed.points.text import text_of
from nbembed.session import Session
from nbembed.validation import check_choice, check_count, check_text, shown
from nbembed.widget.wire.traits import as_points

#: Points that are listed with what was found in them.
MOST_HITS = 40
#: Neighbors that are looked at in one search.
MOST_PAIRS = 2**25
#: Where neighbors are searched.
SPACES = ("data", "map")

_NUMBER = re.compile(r"#?\s*(\d{1,15})")
_SHAPES = {
    "neighbors": neighborhoods.near,
    "grow": neighborhoods.grown,
    "shrink": neighborhoods.shrunk,
}


class Finder:
    """Answers what :class:`Finding` and the queries of a page ask.

    * feature_names: of the columns of an array.
    * columns: by which points are found.
    """

    def __init__(
        self, session: Session, points: PointData, feature_names: Sequence[str] | None = None
    ) -> None:
        self._session = session
        self._points = points
        X = None if session.recipe.takes_distances else points.described(session.X)
        self.columns = PointColumns(points, X, self._labels, feature_names)
        self._found = neighborhoods.FoundRows(session.X)

    # -- from Python --------------------------------------------------------------------------

    def find(self, text: Any, columns: Any, where: Any, among: Any) -> NDArray[np.intp]:
        """Return the points that :meth:`Finding.find` describes."""
        names = None if columns is None else as_names(columns)
        keys = None if names is None else [self.columns.named(name, "columns") for name in names]
        if where is not None and not isinstance(where, Mapping):
            raise TypeError(f"where must be a mapping of columns to values, got {shown(where)}")
        masks = [self._meets(name, wanted) for name, wanted in (where or {}).items()]
        found = self._among(None if among is None else as_points(among, self._n, "among"))
        if text is not None:
            found &= self._with_text(check_text("text", text), keys)
        for mask in masks:
            found &= mask
        return np.flatnonzero(found)

    def near(self, points: NDArray[np.intp], k: Any, space: Any, step: str) -> NDArray[np.intp]:
        """Return the neighbors of points, or the points grown or shrunk by them."""
        k = check_count("k", k)
        in_data = check_choice("space", space, SPACES) == "data"
        k = min(k, self._n - 1)
        if k * len(points) > MOST_PAIRS:
            raise ValueError(
                f"k must be at most {MOST_PAIRS // len(points)} for {len(points)} points, got {k}"
            )
        if in_data:
            metric = self._session.recipe.quality_metric
            rows = self._found.rows(points, k, metric)
        else:
            frame = self._session.frame()
            if not frame.version:
                raise ValueError(
                    'space="map" needs a map, but there is no map yet: call play() first'
                )
            layout = frame.embedding.astype(np.float64)
            rows = neighborhoods.neighbor_rows(layout, points, k, "euclidean")
        return _SHAPES[step](points, rows)

    # -- for a page ---------------------------------------------------------------------------

    def answer_find(
        self, text: str, column: int, filters: Sequence[Mapping[str, Any]], among: NDArray[np.intp]
    ) -> tuple[dict[str, Any], list[bytes]]:
        """Answer ``find``."""
        keys = None if column < 0 else [self.columns.key(column)]
        base = self._among(among if among.size else None)
        if text.strip():
            base &= self._with_text(text, keys)
        chosen = [(f, self.columns.key(f["column"])) for f in filters]
        masks = [self._passes(key, f) for f, key in chosen]
        failures = np.zeros(self._n, dtype=np.intp)
        for mask in masks:
            failures += ~mask
        found = np.flatnonzero(base & (failures == 0))
        charts = []
        for (f, key), mask in zip(chosen, masks):
            made, bars = self.columns.column(key)
            others = base & (failures == ~mask)
            charts.append(
                {
                    "column": f["column"],
                    "title": made.title,
                    "kind": made.kind,
                    "low": bars.low,
                    "high": bars.high,
                    "step": bars.step,
                    "totals": bars.totals,
                    "counts": bars.counts(others),
                    "codes": bars.codes,
                    "names": bars.names,
                    "left_out": bars.left_out,
                    "missing": bars.missing,
                }
            )
        hits = self._hits(self._best(found, text, keys), text, keys) if text.strip() else []
        return {"charts": charts, "hits": hits}, [found.astype("<u4").tobytes()]

    def answer_near(
        self, k: int, space: str, step: str, points: NDArray[np.intp]
    ) -> tuple[dict[str, Any], list[bytes]]:
        """Answer ``find_near``."""
        return {}, [self.near(points, k, space, step).astype("<u4").tobytes()]

    def answer_saved(self, name: str) -> tuple[dict[str, Any], list[bytes]]:
        """Answer ``saved_selection``."""
        saved = self._session.selections
        if name not in saved:
            raise ValueError(f"there is no saved selection {shown(name)}")
        return {}, [saved[name].astype("<u4").tobytes()]

    # -- parts --------------------------------------------------------------------------------

    @property
    def _n(self) -> int:
        return self._session.n_samples

    def _labels(self) -> tuple[NDArray[np.intp], tuple[str, ...]]:
        supervision = self._session.supervision
        return supervision.top_class, supervision.classes

    def _among(self, points: NDArray[np.intp] | None) -> NDArray[np.bool_]:
        mask = np.full(self._n, points is None)
        if points is not None:
            mask[points] = True
        return mask

    def _with_text(self, text: str, keys: list[Hashable] | None) -> NDArray[np.bool_]:
        """Return which points have a text: in their names or columns, or as their number."""
        wanted = folded(text.strip())
        found = np.zeros(self._n, dtype=bool)
        if keys is None:
            number = _NUMBER.fullmatch(wanted)
            if number and int(number[1]) < self._n:
                found[int(number[1])] = True
        for texts in self._searched(keys):
            found |= np.fromiter((wanted in each for each in texts), dtype=bool, count=self._n)
        return found

    def _searched(self, keys: list[Hashable] | None) -> Iterable[list[str]]:
        """Return what is searched for a text: names and columns of text, or those given."""
        if keys is not None:
            return map(self.columns.texts, keys)
        return [self.columns.names(), *map(self.columns.texts, self.columns.searched())]

    def _best(
        self, found: NDArray[np.intp], text: str, keys: list[Hashable] | None
    ) -> NDArray[np.intp]:
        """Return the found points to list: first those that have the text as a word."""
        word, whole = as_word(folded(text.strip())), np.zeros(found.size, dtype=bool)
        for texts in self._searched(keys):
            whole |= np.fromiter((bool(word.search(texts[i])) for i in found), bool, found.size)
        return np.concatenate([found[whole], found[~whole]])[:MOST_HITS]

    def _passes(self, key: Hashable, f: Mapping[str, Any]) -> NDArray[np.bool_]:
        """Return which points pass a filter of a page."""
        made, _ = self.columns.column(key)
        mask = np.ones(self._n, dtype=bool)
        if f["low"] is not None or f["high"] is not None:
            if not made.ordered:
                raise ValueError(f"{made.title} must hold numbers or times for a range")
            mask &= made.within(f["low"], f["high"])
        if f["categories"] is not None:
            if made.kind != "category":
                raise ValueError(f"{made.title} has no categories")
            mask &= made.among(f["categories"])
        if f["text"].strip():
            mask &= self._with_text(f["text"], [key])
        return mask

    def _meets(self, name: Any, wanted: Any) -> NDArray[np.bool_]:
        """Return which points meet what a person wants of a column."""
        key = self.columns.named(name, "where")
        made, _ = self.columns.column(key)
        if isinstance(wanted, tuple):
            return _within(made, name, wanted)
        single = isinstance(wanted, str) or not isinstance(wanted, Iterable)
        single = single or getattr(wanted, "ndim", 1) == 0
        values = [wanted] if single else list(wanted)
        if made.kind in ("number", "time"):
            numbers = [_number(made, name, value) for value in values]
            mask = np.isin(made.values, [v for v in numbers if v is not None])
            return mask | np.isnan(made.values) if None in numbers else mask
        if made.kind == "text" and not made.codes:
            raise ValueError(
                f"where[{shown(name)}] must not be a column of long text; search it "
                "with text and columns"
            )
        codes = []
        for value in values:
            try:
                known = value is None or value in made.codes
            except TypeError:
                known = False
            if not known:
                there = ", ".join(map(text_of, made.categories[:12]))
                raise ValueError(f"where[{shown(name)}] must be among {there}, got {shown(value)}")
            codes.append(-1 if value is None else made.codes[value])
        return made.among(codes)

    def _hits(
        self, points: NDArray[np.intp], text: str, keys: list[Hashable] | None
    ) -> list[dict[str, Any]]:
        wanted = folded(text.strip())
        word = as_word(wanted)
        searched = self.columns.searched() if keys is None else keys
        hits = []
        for point in points.tolist():
            title, part = "", ""
            name = self._points.name(point)
            if keys is not None or not word.search(folded(name)):
                texts = {key: self.columns.text(key, point) for key in searched}
                having = [key for key, value in texts.items() if wanted in folded(value)]
                having.sort(key=lambda key: not word.search(folded(texts[key])))
                whole = having and word.search(folded(texts[having[0]]))
                if having and (whole or keys is not None or wanted not in folded(name)):
                    key = having[0]
                    title, part = self.columns.title(key), excerpt(texts[key], wanted)
            hits.append({"point": point, "name": name, "title": title, "text": part})
        return hits


def _within(made: FindColumn, name: Any, wanted: tuple[Any, ...]) -> NDArray[np.bool_]:
    """Return which points have a value in a range."""
    if len(wanted) != 2:
        raise ValueError(
            f"where[{shown(name)}] as a range must be (low, high), got {shown(wanted)}"
        )
    if not made.ordered:
        raise ValueError(
            f"where[{shown(name)}] must not be a range, got {shown(wanted)}: the column has no "
            "numbers or times; give a list of values"
        )
    low, high = (_number(made, name, value) for value in wanted)
    if low is not None and high is not None and low > high:
        raise ValueError(
            f"where[{shown(name)}] must be (low, high) with low ≤ high, got {shown(wanted)}"
        )
    return made.within(low, high)


def _number(made: FindColumn, name: Any, value: Any) -> float | None:
    """Return a number or time as columns have it, ``None`` where nothing is given."""
    if value is None:
        return None
    try:
        if made.kind == "time":
            seconds = np.datetime64(value, "us")
            if np.isnat(seconds):
                raise ValueError
            return float(seconds.astype(np.int64)) / 1e6
        number = float(value)
    except (TypeError, ValueError, OverflowError):
        what = "a time" if made.kind == "time" else "a number"
        raise ValueError(
            f"where[{shown(name)}] must be {what} or None, got {shown(value)}"
        ) from None
    if np.isnan(number):
        raise ValueError(f"where[{shown(name)}] must be a number or None, got {shown(value)}")
    return number
