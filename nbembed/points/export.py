"""Map and labels as data: columns, CSV, AnnData, and labels written back into a user's own table.

Each function takes plain columns. Where the rows of a table have labels, those say which row is
which point.
"""

from __future__ import annotations

import csv
import datetime
import io
import itertools
import os
from collections.abc import Mapping, Sequence
from typing import TYPE_CHECKING, Any, AnyStr, BinaryIO

import numpy as np
from numpy.typing import NDArray

from nbembed.points.table import LABELS, is_annotated, labels_written
from nbembed.points.text import is_missing
from nbembed.system.atomic import check_destination, write_atomically
from nbembed.system.optional_packages import load_optional
from nbembed.system.work import stage
from nbembed.validation import check_name, readable, shown

if TYPE_CHECKING:
    from nbembed.session.core.provenance import Provenance
    from nbembed.supervision import Supervision

#: Rows of a CSV that are written together.
ROWS = 1000
#: Spreadsheets take a cell that begins so for a formula, which may start programs.
FORMULA = ("=", "+", "-", "@", "\t", "\r", "\n")


def layout_columns(Y: NDArray[Any]) -> dict[str, NDArray[Any]]:
    """Return the coordinates of a layout by name: x, y, z, or y0, y1, … of more dimensions."""
    d = Y.shape[1]
    names = ["x", "y", "z"][:d] if d <= 3 else [f"y{i}" for i in range(d)]
    return {name: Y[:, i] for i, name in enumerate(names)}


def label_columns(supervision: Supervision) -> dict[str, Any]:
    """Return the label and the confidence of each point, ``None`` and NaN where there is none."""
    classes = supervision.classes
    labels = [classes[k] if k >= 0 else None for k in supervision.top_class.tolist()]
    return {
        "label": labels,
        "confidence": np.asarray(supervision.confidence, dtype=np.float64),
    }


def provenance_columns(
    provenance: Mapping[int, Provenance | None], points: Sequence[int]
) -> dict[str, list[Any]]:
    """Return who labeled each of some points, how, when and at which iteration.

    Times are in UTC. What is not known is ``None``.
    """
    known = [provenance.get(point) for point in points]
    return {
        "source": [None if p is None else p.source for p in known],
        "how": [None if p is None else p.how or None for p in known],
        "time": [None if p is None else utc(p.time) for p in known],
        "iteration": [None if p is None else p.iteration for p in known],
    }


def utc(seconds: float) -> datetime.datetime | None:
    """Return a time of a log, to the millisecond; ``None`` if no calendar has it."""
    try:
        when = datetime.datetime.fromtimestamp(seconds, datetime.UTC)
    except (OverflowError, OSError, ValueError):
        return None
    return when.replace(microsecond=when.microsecond // 1000 * 1000)


def as_csv(columns: Mapping[str, Sequence[Any]], *, raw: bool = False) -> str:
    """Return columns as CSV (RFC 4180) with a header; missing values are empty.

    Numbers keep all their digits, times are in ISO 8601. Unless ``raw``, text that a spreadsheet
    would take for a formula begins with an apostrophe.
    """
    file = io.StringIO(newline="")
    writer = csv.writer(file)
    cell = _cell if raw else _harmless_cell
    writer.writerow([cell(str(name)) for name in columns])
    cells = [map(cell, _plain(values)) for values in columns.values()]
    writing = stage("writing the table", max(map(len, columns.values()), default=0))
    rows = zip(*cells, strict=True)
    while some := list(itertools.islice(rows, ROWS)):
        writer.writerows(some)
        writing.advance(len(some))
    return file.getvalue()


def _plain(values: Any) -> Sequence[Any]:
    """Return values that are written alike, and quicker where they are of the commonest types."""
    if isinstance(values, np.ndarray) and values.dtype in (np.float64, np.int64, np.bool_):
        values = values.tolist()
    found: Sequence[Any] = values
    return found


def _cell(value: Any) -> Any:
    if type(value) is float:
        return "" if value != value else repr(value)
    if is_missing(value):
        return ""
    if isinstance(value, np.generic):
        value = value.item() if value.dtype != np.float32 else float(str(value))
    if isinstance(value, bool | int):
        return value
    if isinstance(value, float):
        return repr(value)
    if isinstance(value, datetime.datetime):
        return value.isoformat(timespec="milliseconds").replace("+00:00", "Z")
    return readable(str(value))


def _harmless_cell(value: Any) -> Any:
    cell = _cell(value)
    if isinstance(cell, str) and cell.startswith(FORMULA) and not _is_number(cell):
        return "'" + cell
    return cell


def _is_number(text: str) -> bool:
    try:
        float(text)
    except ValueError:
        return False
    return True


def handed_out(data: AnyStr, path: str | os.PathLike[str] | None) -> AnyStr | None:
    """Return data, or write them to a path as a whole or not at all, text in UTF-8."""
    if path is None:
        return data
    raw = data.encode("utf-8", "replace") if isinstance(data, str) else data

    def write(file: BinaryIO) -> None:
        file.write(raw)

    write_atomically(check_destination(path), write)
    return None


# -- AnnData -----------------------------------------------------------------------------------


def to_anndata(
    X: Any,
    index: Any,
    Y: NDArray[Any],
    columns: Mapping[str, Any],
    about: Mapping[str, Any],
    key: str,
    into: Any = None,
) -> Any:
    """Return an AnnData with the map in ``obsm["X_" + key]`` and labels in columns of ``obs``.

    * X (n_samples, n_features): of a new AnnData.
    * index: its names of observations; by default the numbers of the points.
    * columns: of ``obs``; each name gets ``key`` before it.
    * about: for ``uns[key]``.
    * into: written into instead of a new one.

    Raises ImportError if anndata, which nbembed does not install, is missing.
    """
    if not check_name("key", key).strip():
        raise ValueError(f"key must be a nonempty name, got {shown(key)}")
    if into is None:
        into = load_optional("anndata", "to_anndata()").AnnData(X)
        if index is not None:
            into.obs_names = [str(name) for name in index]
    elif not is_annotated(into):
        raise TypeError(f"into must be an AnnData, got {type(into).__name__}")
    elif into.shape[0] != len(Y):
        raise ValueError(f"into must have {len(Y)} observations, got {into.shape[0]}")
    elif index is not None and list(map(str, into.obs_names)) != list(map(str, index)):
        raise ValueError("into must have the same observations as the data, in the same order")
    import pandas as pd  # AnnData needs it

    into.obsm[f"X_{key}"] = np.array(Y)
    for name, values in columns.items():
        series = pd.Series(values, index=into.obs_names)
        if name in ("label", "source", "how"):
            series = series.astype("category")
        elif name == "iteration":
            series = series.astype("Int64").astype("float64")
        elif name == "time":  # a file of AnnData holds no times
            series = pd.Series([_cell(v) for v in values], index=into.obs_names).astype("category")
        into.obs[f"{key}_{name}"] = series
    into.uns[key] = dict(about)
    return into


# -- write-back --------------------------------------------------------------------------------


def write_labels(
    target: Any, index: Any, labels: Sequence[str | None], column: str, *, keep: bool
) -> Any:
    """Write labels into a column of a table; return the table.

    * target: frames of pandas and AnnData are changed in place; a polars frame cannot be, so that
      a new one is returned.
    * index: the labels of the rows of the data, by which rows of a pandas frame are found if they
      are in another order.
    * keep: whether unlabeled points keep the value that the column has.

    Raises ValueError if the rows are not the points, or a column of numbers cannot hold a class's
    name.
    """
    if is_annotated(target):
        write_labels(target.obs, index, labels, column, keep=keep)
        return target
    module = type(target).__module__.partition(".")[0]
    if module == "polars":
        return _into_polars(target, labels, column, keep)
    if module != "pandas" or not hasattr(target, "columns"):
        raise TypeError(
            "frame must be a DataFrame of pandas or polars, or an AnnData, got "
            f"{type(target).__name__}"
        )
    place = _rows(target.index, index, len(labels))
    if column in target.columns:
        old = target[column]
        if getattr(old, "ndim", 1) != 1:
            raise ValueError(f"column must name one column, but several are named {shown(column)}")
        known = np.array([label is not None for label in labels])
        values = old.astype(object).to_numpy(copy=True)
        if not keep:
            values[:] = None
        given = np.empty(int(known.sum()), dtype=object)
        given[:] = _as_values([v for v in labels if v is not None], old, column)
        values[place[known]] = given
        import pandas as pd

        made = pd.Series(values, index=target.index, dtype=object)
        numeric = old.dtype.kind in "iufb" if hasattr(old.dtype, "kind") else False
        target[column] = made.infer_objects() if numeric else made.astype(_dtype(old))
    else:
        import pandas as pd

        values = np.empty(len(labels), dtype=object)
        values[place] = np.array([*labels, None], dtype=object)[:-1]
        target[column] = pd.array(values.tolist(), dtype="string")
        target.attrs[LABELS] = [*labels_written(target), column]
    return target


def _dtype(old: Any) -> Any:
    """Return the dtype that a column of text gets: categories may be new."""
    return "category" if str(old.dtype) == "category" else old.dtype


def _rows(there: Any, index: Any, n_samples: int) -> NDArray[np.intp]:
    """Return the row of each point in a table with the labels ``there``."""
    _check_n_rows(len(there), n_samples)
    if index is None or there.equals(index):
        return np.arange(n_samples)
    if not there.is_unique or not index.is_unique:
        raise ValueError(
            "frame must have the rows of the data in the same order, because row "
            "labels occur more than once"
        )
    place = there.get_indexer(index)
    if (place < 0).any():
        raise ValueError("frame must have the rows of the data, but its row labels differ")
    return np.asarray(place, dtype=np.intp)


def _as_values(labels: list[str], old: Any, column: str) -> list[Any]:
    """Return class names as values of a column: numbers where it has numbers."""
    kind = getattr(old.dtype, "kind", "O")
    if kind not in "iufb":
        return labels
    try:
        if kind == "b":
            return [{"True": True, "False": False}[label] for label in labels]
        return [int(label) if kind in "iu" else float(label) for label in labels]
    except (ValueError, KeyError):
        raise _holds_no_names(column, old) from None


def _into_polars(target: Any, labels: Sequence[str | None], column: str, keep: bool) -> Any:
    import polars as pl

    if not isinstance(target, pl.DataFrame):
        raise TypeError(f"frame must be a DataFrame in memory, got {type(target).__name__}")
    _check_n_rows(target.height, len(labels))
    given = list(labels)
    if column in target.columns:
        old = target[column]
        if old.dtype.is_numeric():
            converted = iter(_as_numbers([v for v in given if v is not None], old, column))
            given = [None if v is None else next(converted) for v in given]
        if keep:
            given = [v if v is not None else w for v, w in zip(given, old.to_list())]
        dtype = old.dtype if old.dtype.is_numeric() else pl.String
        return target.with_columns(pl.Series(column, given, dtype=dtype))
    return target.with_columns(pl.Series(column, given, dtype=pl.String))


def _holds_no_names(column: str, old: Any) -> ValueError:
    return ValueError(
        f"column must be able to hold names of classes, but {shown(column)} is of type {old.dtype}"
    )


def _check_n_rows(n_rows: int, n_samples: int) -> None:
    if n_rows != n_samples:
        raise ValueError(f"frame must have a row for each of the {n_samples} points, got {n_rows}")


def _as_numbers(labels: list[str], old: Any, column: str) -> list[Any]:
    try:
        return [int(label) if old.dtype.is_integer() else float(label) for label in labels]
    except ValueError:
        raise _holds_no_names(column, old) from None
