"""The preparation of a table, as a person changes it: columns that are embedded, and how."""

from __future__ import annotations

from collections.abc import Hashable, Mapping
from functools import cache
from typing import Any

import numpy as np
from sklearn.base import clone

from nbembed.points.preparation.columns import PreparedColumn, judged_column, numbers_of
from nbembed.points.preparation.estimator import Preparation
from nbembed.points.preparation.weighing import NO_WEIGHT
from nbembed.points.table import Table, listed
from nbembed.validation import check_flag

#: Changes that a description of a map tells.
MOST_CHANGES = 2


class Choices:
    """The columns of the table that a fitted preparation has prepared.

    * prepared_by: what has prepared the data.
    * table: None where there is none.
    """

    def __init__(self, prepared_by: Any, table: Table | None) -> None:
        self._prepared_by, self._table = prepared_by, table
        self.column = cache(self._column)
        self.positive = cache(self._positive)

    @property
    def refusal(self) -> str:
        """A sentence on why nothing can be chosen, "" if it can."""
        by = self._prepared_by
        if by is None:
            return "The columns of a table can be chosen, where the map was made of it here."
        if not isinstance(by, Preparation):
            return (
                f"The data are prepared by {type(by).__name__}, which is changed in Python alone."
            )
        if by.kind_ in ("table", "numbers") and by._used is not None and self._table is not None:
            return ""
        return "The columns of a table can be chosen; these data are prepared as a whole."

    @property
    def preparation(self) -> Preparation:
        """The fitted preparation; raises ValueError if nothing can be chosen."""
        if self.refusal:
            raise ValueError(f"X must be a table whose columns are embedded. {self.refusal}")
        made: Preparation = self._prepared_by
        return made

    @property
    def table(self) -> Table:
        """The table; raises ValueError if there is nothing to choose in it."""
        assert self.preparation is not None
        assert self._table is not None
        return self._table

    @property
    def standardized(self) -> bool:
        """True if numbers are scaled."""
        by = self.preparation
        return by.kind_ == "table" if by.standardize is None else bool(by.standardize)

    @property
    def looked_at(self) -> list[Hashable]:
        """The columns that were named as such, which are not embedded unless ``features`` are."""
        return [c.name for c in self.preparation.columns_ if c.reason == "to look at"]

    def _column(self, name: Any) -> tuple[PreparedColumn, bool]:
        """Return what became of a column, and whether it can be embedded."""
        told = {c.name: c for c in self.preparation.columns_}.get(name)
        if told is not None and (told.embedded or told.reason == NO_WEIGHT):
            return told, True
        wanted = judged_column(self.table, name, wanted=True)
        if not wanted.embedded:
            return wanted, False
        return told or PreparedColumn(name, "left out", "not chosen"), True

    def _positive(self, name: Any) -> bool:
        """Return whether a column has numbers, and no negative one."""
        numbers = numbers_of(self.table, name)
        return (
            numbers is not None
            and not self.table.is_boolean(name)
            and not bool((numbers[np.isfinite(numbers)] < 0).any())
        )

    @property
    def chosen(self) -> list[Hashable]:
        """The columns that are embedded, those of weight 0 among them, in the table's order."""
        there = {c.name for c in self.preparation.columns_ if c.embedded or c.reason == NO_WEIGHT}
        return [name for name in self.table.names if name in there]

    def changed(
        self,
        *,
        features: Any = None,
        weights: Mapping[Any, float] | None = None,
        log: Any = None,
        standardize: bool | None = None,
        missing: str | None = None,
    ) -> Preparation:
        """Return a preparation, not fitted, that differs in what is not None.

        Weights and logarithms of columns that are no longer among the ``features`` are dropped.
        """
        before = self.preparation
        made: Preparation = clone(before)
        if before.kind_ == "numbers":  # of the table, so that it may have weights and categories
            made.set_params(kind="table", standardize=self.standardized, features=self.chosen)
        if standardize is not None:
            made.set_params(standardize=check_flag("standardize", standardize))
        if missing is not None:
            made.set_params(missing=missing)
        if features is not None:
            kept = set(features) if isinstance(features, list | tuple | set) else {features}
            made.set_params(
                features=features,
                weights={n: w for n, w in (before.weights or {}).items() if n in kept},
                log=[c.name for c in before.columns_ if c.log and c.name in kept],
            )
        if weights is not None:
            made.set_params(weights=weights)
        if log is not None:
            made.set_params(log=log)
        return made

    def with_use(self, name: Any, embedded: bool, weight: float, log: bool) -> Preparation:
        """Return a preparation, not fitted, in which a column is used like this."""
        before, chosen = self.preparation, self.chosen
        features = None
        if embedded != (name in chosen):
            wanted = {*chosen, name} if embedded else {*chosen} - {name}
            features = [n for n in self.table.names if n in wanted]
            if not features:
                raise ValueError("features must name at least one column: the map is made of them")
        weights = {n: w for n, w in (before.weights or {}).items() if n != name}
        logs = [c.name for c in before.columns_ if c.log and c.name != name]
        if embedded:
            weights |= {name: weight} if weight != 1 else {}
            logs += [name] if log and weight else []
        return self.changed(features=features, weights=weights, log=logs)


def difference(before: Choices, after: Choices) -> str:
    """Return how a table is prepared otherwise, in a few words."""
    old, new = ({c.name: c for c in each.preparation.columns_} for each in (before, after))
    none = PreparedColumn("", "left out")
    told: list[str] = []
    for name in after.table.names:
        one, other, said = old.get(name, none), new.get(name, none), listed([name])
        if one.embedded != other.embedded:
            told.append(f"{'with' if other.embedded else 'without'} {said}")
        if other.embedded and one.weight != other.weight:
            told.append(f"{said} × {other.weight:g}")
        if other.embedded and one.log != other.log:
            told.append(f"log {said}" if other.log else f"{said} without log")
    if before.standardized != after.standardized:
        told.append("standardized" if after.standardized else "as it is")
    rest = len(told) - MOST_CHANGES
    return ", ".join(told[:MOST_CHANGES]) + (f" and {rest} more" if rest > 0 else "")
