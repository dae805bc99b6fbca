"""Answers what a group of points is: its description, and its points as rows of a table."""

from __future__ import annotations

import threading
from collections.abc import Callable, Hashable, Mapping, Sequence
from functools import cached_property
from typing import Any

import numpy as np
from numpy.typing import NDArray

from nbembed.points import export
from nbembed.points.groups import (
    CategoryShare,
    ColumnDifference,
    Description,
    FeatureDifference,
    WordDifference,
    describe,
)
from nbembed.points.groups.description import MOST, SORTS, mean_text, value_text
from nbembed.points.groups.label_rows import LabelRows
from nbembed.points.groups.rows import PointRows
from nbembed.points.groups.unusual import unusual
from nbembed.points.groups.variables import Categories, Variables, variables_of
from nbembed.points.images import encoded
from nbembed.points.point_columns import PointColumns
from nbembed.points.point_data import PointData
from nbembed.points.text import name_of
from nbembed.session import Session
from nbembed.validation import check_choice, check_count, check_points, readable
from nbembed.widget.answers.query_source import Answer
from nbembed.widget.wire.protocol import finite

#: Rows that one answer holds.
MOST_ROWS = 400
#: Values of the features that a file of them is made from: some seconds.
MOST_VALUES = 2**27
#: The category of the points without a label, and the code of what is missing.
UNLABELED, MISSING = "unlabeled", -1


class GroupSource:
    """Describes groups of points. Thread-safe.

    What holds for all points is read at the first question, and kept.

    * feature_names: of the columns of an array.

    Raises TypeError or ValueError if the names are not text, one for each feature of an array.
    """

    def __init__(self, session: Session, points: PointData, feature_names: Any = None) -> None:
        self._session = session
        self._points = points
        self.feature_names = _checked_names(feature_names, session, points)
        self._lock = threading.Lock()

    def answers(
        self, columns: PointColumns, color: Callable[[Hashable], int | None]
    ) -> dict[str, Answer]:
        """Return the functions that answer queries of pages, by name.

        * columns: those by which points are found.
        * color: returns the number of a column by which points can be colored.
        """
        self._columns, self._color = columns, color
        return {
            "describe": self._describe,
            "describe_csv": self._csv,
            "order": self._order,
            "rows": self._cells,
        }

    def describe(
        self, points: Any, against: Any = None, selection: Any = (), *, most: Any = MOST, **how: Any
    ) -> Description:
        """Return what distinguishes points; see :meth:`nbembed.Explorer.describe`."""
        n = self._session.n_samples
        check_count("most", most)
        if points is None:
            if not len(selection):
                raise ValueError("points must be given when no points are selected, got None")
            points = selection
        chosen = check_points(points, n)
        others = None if against is None else check_points(against, n, "against")
        with self._lock:
            return describe(
                self._variables,
                chosen,
                others,
                n,
                labels=self._labels(),
                images=self._points.images,
                most=int(most),
                **how,
            )

    def unusual(self, point: int, neighbors: Sequence[int]) -> tuple[list[str], list[str]]:
        """Return the features in which a point is high, and low, as its neighbors are."""
        with self._lock:
            return unusual(self._variables, point, neighbors)

    @property
    def _features(self) -> Any:
        """The features of the data; ``None`` where they are dissimilarities."""
        X = self._points.described(self._session.X)
        return None if self._session.recipe.takes_distances else X

    @cached_property
    def _variables(self) -> Variables:
        return variables_of(self._points, self._features, self.feature_names)

    @cached_property
    def _rows(self) -> PointRows:
        return PointRows(self._points, self._features, self.feature_names, self._session.n_samples)

    def _label_rows(self) -> LabelRows:
        session = self._session
        return LabelRows(self._points, session.supervision, session.label_provenance)

    def _labels(self) -> Categories | None:
        supervision = self._session.supervision
        names = [name_of(name) for name in supervision.classes]
        if not names:
            return None
        codes = np.where(supervision.top_class < 0, len(names), supervision.top_class)
        return Categories("label", (*names, UNLABELED), codes)

    # -- for pages ----------------------------------------------------------------------------

    def _describe(
        self,
        sort: str,
        features: int,
        words: int,
        values: int,
        points: NDArray[np.intp],
        against: NDArray[np.intp],
    ) -> tuple[Mapping[str, Any], Sequence[bytes]]:
        found = self.describe(
            points,
            against if against.size else None,
            most=features,
            most_words=words,
            most_values=values,
            sort=check_choice("sort", sort, SORTS),
        )
        pictures: Sequence[bytes] = [b""] * 3
        if found.images is not None:
            pictures = [encoded(picture) for picture in found.images.pictures]
        averaged = 0 if found.images is None else found.images.count
        fields = {
            "size": int(found.points.size),
            "others": int(found.others.size),
            "features": [{**_feature(f), **self._places(f)} for f in found.features],
            "left_out": found.n_differing - len(found.features),
            "categories": [self._column(column) for column in found.categories],
            "words": [{**_word(word), **self._places(word)} for word in found.words],
            "words_left_out": found.n_words - len(found.words),
            "averaged": averaged,
        }
        return fields, pictures

    def _places(
        self, shown: FeatureDifference | WordDifference | ColumnDifference
    ) -> dict[str, int | None]:
        """Return the numbers by which a page finds by a column, and colors by it."""
        key, columns = shown.key, self._columns
        column = columns.position(key)
        # The matrix of one may not be that of the other, as where X has a table beside it.
        if column is None or (key is not None and columns.title(key) != shown.name):
            return {"column": None, "color": None}
        return {"column": column, "color": self._color(key)}

    def _column(self, column: ColumnDifference) -> dict[str, Any]:
        places = self._places(column)
        codes = {} if places["column"] is None else self._columns.codes(column.key)
        if column.key is None:
            codes.setdefault(UNLABELED, MISSING)
        return {
            "title": column.name,
            "association": column.association,
            "p_value": finite(column.p),
            "values": [{**_share(v), "code": codes.get(v.name)} for v in column.values],
            "more": column.n_values - len(column.values),
            **places,
        }

    def _csv(
        self, sort: str, points: NDArray[np.intp], against: NDArray[np.intp]
    ) -> tuple[Mapping[str, Any], Sequence[bytes]]:
        found = self.describe(
            points,
            against if against.size else None,
            most=max(MOST, MOST_VALUES // self._session.n_samples),
            sort=check_choice("sort", sort, SORTS),
        )
        return {"text": readable(export.as_csv(found.columns()))}, []

    def _order(
        self, table: str, column: int, descending: bool, points: NDArray[np.intp]
    ) -> tuple[Mapping[str, Any], Sequence[bytes]]:
        rows: PointRows | LabelRows
        with self._lock:
            if table == "labels":
                rows = self._label_rows()
                order = rows.order(points, column, descending=descending)
            else:
                rows = self._rows
                order = rows.order(
                    points if points.size else np.arange(self._session.n_samples),
                    column,
                    descending=descending,
                    labels=lambda: self._session.supervision.top_class,
                )
        fields = {
            "columns": [{"title": c.title, "kind": c.kind} for c in rows.columns],
            "left_out": rows.left_out,
            "column": column,
            "descending": descending,
        }
        return fields, [order.astype("<u4").tobytes()]

    def _cells(
        self, table: str, points: NDArray[np.intp]
    ) -> tuple[Mapping[str, Any], Sequence[bytes]]:
        if points.size > MOST_ROWS:
            raise ValueError(f"points must be at most {MOST_ROWS} at a time, got {points.size}")
        with self._lock:
            rows = self._label_rows() if table == "labels" else self._rows
            return {"points": points.tolist(), "cells": rows.cells(points.tolist())}, []


def _checked_names(names: Any, session: Session, points: PointData) -> list[str] | None:
    if names is None:
        return None
    if isinstance(names, str | bytes | Mapping) or not hasattr(names, "__iter__"):
        raise TypeError(f"feature_names must be a sequence of names, got {type(names).__name__}")
    if points.embedded or points.variables is not None:
        raise ValueError("feature_names must be None for a table: its columns have names")
    if session.recipe.takes_distances:
        raise ValueError("feature_names must be None for distances: there are no features")
    texts = [name_of(name) for name in names]
    n_features = points.described(session.X).shape[1]
    if len(texts) != n_features:
        raise ValueError(
            f"feature_names must have one name for each of the {n_features} features, got "
            f"{len(texts)}"
        )
    return texts


def _feature(feature: FeatureDifference) -> dict[str, Any]:
    low, high = float(feature.edges[0]), float(feature.edges[-1])
    return {
        "title": feature.name,
        "effect": finite(feature.effect),
        "above": feature.share_above,
        "mean": mean_text(feature),
        "other_mean": mean_text(feature, other=True),
        "larger": feature.mean > feature.other_mean,
        "p_value": finite(feature.p),
        "middle": feature.mean / 2 + feature.other_mean / 2,
        "middle_text": value_text(feature, feature.mean / 2 + feature.other_mean / 2),
        "low": value_text(feature, low),
        "high": value_text(feature, high),
        "bars": feature.counts.tolist(),
        "other_bars": feature.other_counts.tolist(),
    }


def _share(value: CategoryShare) -> dict[str, Any]:
    return {
        "name": value.name,
        "count": value.count,
        "other_count": value.other_count,
        "share": value.share,
        "other_share": value.other_share,
        "lift": value.lift,
    }


def _word(word: WordDifference) -> dict[str, Any]:
    return {
        "name": word.name,
        "share": word.share,
        "other_share": word.other_share,
        "lift": word.lift,
        "z": word.z,
        "p_value": finite(word.p),
    }
