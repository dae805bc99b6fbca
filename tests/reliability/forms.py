"""One column of values in every form in which users have it: whoever reads one form reads all."""

from __future__ import annotations

import datetime
from collections.abc import Callable, Iterator
from decimal import Decimal
from typing import Any

import numpy as np
import pandas as pd
import polars as pl
from hypothesis import strategies as st

from tests.reliability.strategies import Strategy

#: Values of Python, by what they are.
VALUES: dict[str, Strategy] = {
    "text": st.sampled_from(["a", "b", "<b>", "10", "2", "é", "=1"]),
    "integers": st.sampled_from([0, 1, 2, 10, 11, 300]),
    "truth": st.booleans(),
    "numbers": st.floats(-1e6, 1e6, width=32).map(float),
    "decimals": st.sampled_from([Decimal(k) / 8 for k in range(9)]),
    "dates": st.dates(datetime.date(1990, 1, 1), datetime.date(2040, 1, 1)),
    "times": st.datetimes(datetime.datetime(1990, 1, 1), datetime.datetime(2040, 1, 1)),
    "durations": st.timedeltas(datetime.timedelta(0), datetime.timedelta(days=900)),
}


def _object(values: list[Any]) -> Any:
    array = np.empty(len(values), dtype=object)
    array[:] = values
    return array


def _scalar(value: Any) -> Any:
    """Return a value as a scalar of NumPy, where NumPy has one."""
    if isinstance(value, bool | int | float | str):
        return np.array([value])[0]
    return value


#: Forms of any values, ``None`` where one is missing.
FORMS: dict[str, Callable[[list[Any]], Any]] = {
    "tuple": tuple,
    "array of objects": _object,
    "scalars of NumPy": lambda values: [_scalar(v) for v in values],
    "objects, scalars of NumPy": lambda values: _object([_scalar(v) for v in values]),
    "NaN": lambda values: _object([np.nan if v is None else v for v in values]),
    "NA": lambda values: _object([pd.NA if v is None else v for v in values]),
    "series of objects": lambda values: pd.Series(values, dtype=object),
    "series with an index": lambda values: pd.Series(
        values, dtype=object, index=range(len(values), 0, -1)
    ),
    "polars": lambda values: pl.Series(values, strict=False),
}
#: Forms of single kinds of values besides.
MORE: dict[str, dict[str, Callable[[list[Any]], Any]]] = {
    "text": {
        "categorical": pd.Categorical,
        "series of text": lambda values: pd.Series(values, dtype="string"),
        "categories of polars": lambda values: pl.Series(values, dtype=pl.Categorical),
    },
    "integers": {
        "nullable": lambda values: pd.array(values, dtype="Int64"),
        "narrow": lambda values: pl.Series(values, dtype=pl.Int16),
    },
    "truth": {"nullable": lambda values: pd.array(values, dtype="boolean")},
    "numbers": {
        "array": lambda values: np.array(values, dtype=float),
        "nullable": lambda values: pd.array(values, dtype="Float64"),
    },
    "times": {
        "datetime64": lambda values: np.array(values, dtype="datetime64[us]"),
        "series": lambda values: pd.Series(pd.to_datetime(_object(values))),
        "zoned": lambda values: pd.Series(pd.to_datetime(_object(values))).dt.tz_localize("UTC"),
    },
    "durations": {
        "timedelta64": lambda values: np.array(values, dtype="timedelta64[us]"),
        "series": lambda values: pd.Series(pd.to_timedelta(_object(values))),
    },
}


def columns(kind: str, size: int) -> Strategy:
    """Return values of a kind, some of them missing."""
    lacking = st.booleans()
    known = st.lists(VALUES[kind], min_size=1, max_size=size)

    def make(known: list[Any], lacking: bool) -> list[Any]:
        return [None if lacking and i % 3 == 1 else known[i % len(known)] for i in range(size)]

    return st.builds(make, known, lacking)


def forms(kind: str, values: list[Any]) -> Iterator[tuple[str, Any]]:
    """Yield the other forms of values, each with its name."""
    for words, make in (FORMS | MORE.get(kind, {})).items():
        yield words, make(list(values))
