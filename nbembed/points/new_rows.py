"""New rows after those of a map: the data that are shown of the points, continued."""

from __future__ import annotations

from copy import copy
from typing import Any

import numpy as np
from numpy.typing import NDArray
from scipy import sparse

from nbembed.data.matrix_input import matrix_of
from nbembed.points.columns import as_column
from nbembed.points.point_data import PointData, row_names
from nbembed.points.table import Table, as_table


def continued(data: PointData, X: Any, n_new: int) -> PointData:
    """Return the data on the points with ``n_new`` rows after them; what X lacks is missing.

    Features that are described in place of prepared ones (genes, words) are left out.
    """
    made = copy(data)
    made.n_samples = data.n_samples + n_new
    matrix = isinstance(X, np.ndarray) or sparse.issparse(X)
    table = None if matrix else as_table(X)
    if table is None and not matrix and len(data.embedded) == 1:  # a list of texts
        table = as_table({data.embedded[0]: list(X)})
    if data.table is not None:
        made.table = continued_table(data.table, table, n_new)
        made.index = made.table.index
    made.variables = None
    if data.original is not None:
        rows = matrix_of(X.reshape(len(X), -1) if isinstance(X, np.ndarray) else X)
        made.original = stacked(data.original, rows)
    color = data.color
    if color.values is not None:
        known = made.table is not None and color.title in made.table
        values = (
            made.table.values(color.title, "color")
            if known and made.table is not None
            else joined(color.values, None, n_new)
        )
        made.color = as_column(values, made.n_samples, title=color.title)
    if data._names is not None:
        own = data._names is data.index
        named = row_names(made.index) if own else (joined(data._names, None, n_new, ""), data.named)
        made._names, made.named = named
    if data.images is not None:
        made.images = data.images.continued(X if np.ndim(X) > 2 else [None] * n_new)
    return made


def continued_table(table: Table, other: Table | None, n_new: int) -> Table:
    """Return a table with the rows of another after its own."""
    columns = {
        name: joined(
            table.values(name, "X"),
            other.values(name, "X") if other is not None and name in other else None,
            n_new,
        )
        for name in table.names
    }
    made = Table(columns, None, table.n_rows + n_new, table.kind)
    made.labels = table.labels
    if table.index is not None:
        made.index = continued_index(table.index, None if other is None else other.index, n_new)
    return made


def continued_index(index: Any, other: Any, n_new: int) -> Any:
    """Return the labels of all rows; new ones without labels are counted."""
    import pandas as pd  # the index is one of its own

    if isinstance(index, pd.RangeIndex) and index.start == 0 and index.step == 1:
        return pd.RangeIndex(len(index) + n_new)
    return index.append(pd.Index([f"new {k}" for k in range(n_new)]) if other is None else other)


def joined(values: NDArray[Any], more: Any, n_new: int, missing: Any = None) -> NDArray[Any]:
    """Return values and more of them, ``missing`` where there are none."""
    values = np.asarray(values)
    if more is None:
        number = values.dtype.kind in "iuf" and missing is None
        more = np.full(n_new, np.nan) if number else np.full(n_new, missing, dtype=object)
    both = values, np.asarray(more)
    if len({part.dtype.kind in "iuf" for part in both}) == 1 or (
        both[0].dtype.kind == both[1].dtype.kind
    ):
        return np.concatenate(both)
    return np.concatenate([part.astype(object) for part in both])


def stacked(X: Any, more: Any) -> Any:
    """Return the rows of two matrices, of the type of the first."""
    if sparse.issparse(X):
        return sparse.csr_array(sparse.vstack([X, sparse.csr_array(more)], format="csr"))
    rows = more.toarray() if sparse.issparse(more) else np.asarray(more)
    return np.concatenate([X, rows.astype(X.dtype, copy=False)])
