"""The columns of a table: what each of them is, and how it becomes numbers."""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Hashable, Sequence
from dataclasses import dataclass
from decimal import Decimal
from numbers import Real
from typing import Any

import numpy as np
from numpy.typing import NDArray
from sklearn.compose import ColumnTransformer
from sklearn.impute import KNNImputer, MissingIndicator, SimpleImputer
from sklearn.pipeline import make_pipeline
from sklearn.preprocessing import FunctionTransformer, OneHotEncoder, StandardScaler

from nbembed.points.preparation.weighing import logarithms
from nbembed.points.table import Table
from nbembed.points.text import is_missing, name_of, text_of
from nbembed.points.whole_numbers import are_whole

#: Categories that a column may have to be embedded without being named.
MOST_CATEGORIES = 20
#: A column in which this share is missing has a column beside it that says where.
MANY_MISSING = 0.2
#: Of fewer rows, numbers may be in order by chance.
FEWEST_IN_ORDER = 20
#: Words with which names of IDs and codes end.
CODES = frozenset({"id", "uuid", "guid", "zip", "zipcode", "postcode", "postalcode", "phone"})
#: Why columns that say nothing are left out.
ONE_VALUE, NO_VALUES = "one value in all rows", "no values"
#: Words of a cell from which on a column holds texts.
WORDS_OF_TEXT = 3

_WORD = re.compile(r"[A-Z]?[a-z]+|[A-Z]+(?![a-z])|\d+")


@dataclass(frozen=True)
class PreparedColumn:
    """A column of a table, and its use.

    * use: what it is embedded as.
    * reason: why it is left out, "" if it is not.
    * filled: how many values were missing or infinite, and filled in.
    * value: what stands for a missing one, "" where that depends on the row or none was missing.
    * categories: in their order.
    * weight: by which its features are multiplied.
    * log: whether log(1 + x) of its numbers is embedded.
    """

    name: Hashable
    use: str
    reason: str = ""
    filled: int = 0
    value: str = ""
    categories: tuple[Any, ...] = ()
    weight: float = 1.0
    log: bool = False

    @property
    def embedded(self) -> bool:
        """True unless the column is left out."""
        return self.use != "left out"


def judged_column(table: Table, name: Any, *, wanted: bool = False) -> PreparedColumn:
    """Return what a column is; one that somebody wants is left out only where it cannot be used."""

    def left_out(reason: str) -> PreparedColumn:
        return PreparedColumn(name, "left out", reason)

    wanted = wanted or table.n_rows < 2  # of one row nothing can be said
    numbers = numbers_of(table, name)
    if numbers is not None:
        column = PreparedColumn(name, "truth value" if table.is_boolean(name) else "number")
        there = numbers[np.isfinite(numbers)]
        if wanted:
            return column
        if not there.size or (there == there[0]).all():
            return left_out(ONE_VALUE if there.size else NO_VALUES)
        if are_whole(there) and _is_code(name):
            return left_out("ID or code")
        steps = np.diff(there)
        if there.size >= FEWEST_IN_ORDER and are_whole(there) and (
            (steps > 0).all() or (steps < 0).all()
        ):  # fmt: skip
            return left_out("whole numbers that count the rows")
        return column
    values = table.values(name, "X")
    if values.dtype.kind in "mM":
        return left_out("times")
    try:
        counts = Counter(v for v in values.tolist() if not is_missing(v))
    except TypeError:  # lists and the like
        first = next(v for v in values.tolist() if not is_missing(v))
        if np.ndim(first) == 1 and np.asarray(first).dtype.kind in "biuf":
            return left_out(f"a vector in each row: np.stack(df[{name!r}]) is a matrix")
        return left_out("neither numbers nor categories")
    dtype = getattr(table.native(name), "dtype", None)
    if len(counts) <= 1 and not wanted:
        return left_out(ONE_VALUE if counts else NO_VALUES)
    if getattr(dtype, "ordered", False) or type(dtype).__name__ == "Enum":
        return PreparedColumn(name, "order", categories=tuple(dtype.categories))  # type: ignore[union-attr]
    if len(counts) <= MOST_CATEGORIES and (wanted or 2 * len(counts) <= counts.total()):
        return PreparedColumn(name, "category", categories=tuple(sorted(counts, key=str)))
    if all(isinstance(v, str) for v in counts):
        words = sum(len(v.split()) * k for v, k in counts.items()) / counts.total()
        if words >= WORDS_OF_TEXT:
            return PreparedColumn(name, "left out", "text")
    return left_out(f"{len(counts):,} different values")


def numbers_of(table: Table, name: Any) -> NDArray[np.float64] | None:
    """Return a column of numbers or truth values, NaN where missing; of others ``None``."""
    if table.is_numeric(name) or table.is_boolean(name):
        return table.numbers([name])[:, 0]
    values = table.values(name, "X")
    if values.dtype.kind != "O":
        return None
    items = [None if is_missing(v) else v for v in values.tolist()]
    if not all(v is None or isinstance(v, Real | Decimal) for v in items) or not any(
        v is not None for v in items
    ):
        return None
    try:
        return np.array([np.nan if v is None else float(v) for v in items])
    except OverflowError:  # an integer that no float can hold
        return None


def coded(table: Table, columns: Sequence[PreparedColumn]) -> NDArray[np.float64]:
    """Return columns as numbers, of categories their places; NaN where missing.

    Raises ValueError if a column has other values than it had, as new rows may, or a negative
    number has no logarithm.
    """
    matrix = np.empty((table.n_rows, len(columns)))
    for k, column in enumerate(columns):
        if column.use in ("order", "category"):
            places: dict[Any, float] = {v: float(i) for i, v in enumerate(column.categories)}
            # An unknown category is none of the known ones.
            other = float(len(places)) if column.use == "category" else np.nan
            values = table.values(column.name, "X").tolist()
            matrix[:, k] = [np.nan if is_missing(v) else places.get(v, other) for v in values]
            continue
        numbers = numbers_of(table, column.name)
        if numbers is None:
            raise ValueError(f"X must have numbers in the column {name_of(column.name)!r}")
        matrix[:, k] = logarithms(column.name, numbers) if column.log else numbers
    return matrix


def imputer(missing: str) -> Any:
    """Return what fills missing numbers."""
    if missing == "neighbors":
        return KNNImputer(keep_empty_features=True)
    strategy = missing if missing != "error" else "median"
    return SimpleImputer(strategy=strategy, keep_empty_features=True)


def column_transformer(
    columns: Sequence[PreparedColumn], coded: NDArray[np.float64], missing: str, scaled: bool
) -> tuple[Any, list[str], list[int]]:
    """Return the transformer of coded columns, not yet fitted, and the names of what it makes.

    Also of each of these the place of its column.

    A column of categories counts as much as one of numbers: the variances of its indicators add up
    to 1.
    """
    scaler = StandardScaler() if scaled else FunctionTransformer()
    numbers = [k for k, c in enumerate(columns) if c.use != "category"]
    parts: list[tuple[str, Any, list[int]]] = []
    weights: dict[str, float] = {}
    names, owners = [str(columns[k].name) for k in numbers], list(numbers)
    if numbers:
        parts.append(("numbers", make_pipeline(scaler, imputer(missing)), numbers))
    for k, column in enumerate(columns):
        if column.use != "category":
            continue
        part, size = f"category {k}", len(column.categories)
        encoder = OneHotEncoder(
            categories=[np.arange(size, dtype=float)], handle_unknown="ignore", sparse_output=False
        )
        fill = SimpleImputer(strategy="most_frequent", keep_empty_features=True)
        parts.append((part, make_pipeline(fill, encoder), [k]))
        names += [f"{column.name}={value}" for value in column.categories]
        owners += [k] * size
        there = coded[~np.isnan(coded[:, k]), k].astype(np.intp)
        variance = 1.0 - float(np.sum((np.bincount(there) / max(there.size, 1)) ** 2))
        weights[part] = 1 / np.sqrt(variance) if scaled and variance > 0 else 1.0
    many = [k for k, lost in enumerate(np.isnan(coded).mean(axis=0)) if MANY_MISSING <= lost < 1]
    if many and missing != "error":
        parts.append(
            ("missing", make_pipeline(MissingIndicator(features="all"), StandardScaler()), many)
        )
        names += [f"{columns[k].name} is missing" for k in many]
        owners += many
    return ColumnTransformer(parts, transformer_weights=weights), names, owners


def filled_values(transformer: Any, columns: Sequence[PreparedColumn]) -> list[str]:
    """Return what stands for a missing value in each column, "" where that depends on the row."""
    found = [""] * len(columns)
    for name, part, places in transformer.transformers_:
        if name == "missing" or name == "remainder":
            continue
        fill = part[0] if name != "numbers" else part[1]
        if not isinstance(fill, SimpleImputer):
            continue
        values = fill.statistics_[None]
        if name == "numbers" and isinstance(part[0], StandardScaler):
            values = part[0].inverse_transform(values)
        for k, value in zip(places, values[0]):
            known = columns[k].categories
            if not known:
                found[k] = text_of(float(np.expm1(value) if columns[k].log else value))
            elif not np.isnan(value):
                found[k] = text_of(known[min(round(float(value)), len(known) - 1)])
    return found


def _is_code(name: Any) -> bool:
    """Return whether a column is called like an ID or a code: customer_id, userId, zip code."""
    words = [word.lower() for word in _WORD.findall(str(name))]
    return bool(words) and (words[-1] in CODES or "".join(words[-2:]) in CODES)
