"""Data as they are given: a table, a matrix or texts."""

from __future__ import annotations

from collections.abc import Hashable, Iterable
from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import NDArray
from scipy import sparse
from sklearn.utils.validation import validate_data

from nbembed.data.estimator_input import validated_data
from nbembed.data.matrix_input import matrix_of
from nbembed.points.table import Table, as_table, is_annotated, listed
from nbembed.points.text import is_missing
from nbembed.validation import shown


@dataclass(frozen=True)
class Source:
    """Data as they are read.

    * table: of an AnnData its ``obs``, beside the matrix.
    * matrix: values may be missing or infinite.
    * of: what of an AnnData the matrix is: "X", "names", or a part of its ``obsm``.
    """

    table: Table | None = None
    matrix: Any = None
    texts: list[str] | None = None
    of: str = ""


def read(estimator: Any, X: Any, *, reset: bool, tables: bool = True) -> Source:
    """Return the data; an estimator remembers or compares the number of their columns.

    * reset: whether they are fitted.
    * tables: whether frames are read as tables; otherwise as matrices.

    Raises ValueError or TypeError if they are no data, or ``features`` names what they lack.
    """
    features = estimator.features
    if is_annotated(X):
        return _annotated(estimator, X, features, reset)
    texts = _as_texts(X)
    if texts is not None:
        estimator.n_features_in_ = 1
        return Source(texts=texts)
    table = None if sparse.issparse(X) or isinstance(X, np.ndarray) else as_table(X)
    if table is not None and tables:
        if reset and isinstance(X, dict | Table):
            estimator.n_features_in_ = len(table.names)
        elif reset:
            validate_data(estimator, X, skip_check_array=True)
        return Source(table)
    if features is not None and table is None and reset:
        raise ValueError(
            f"features names columns of a DataFrame or AnnData, got X of type "
            f"{type(X).__name__}; give the columns that are to be embedded as X"
        )
    return Source(matrix=_matrix(estimator, X, reset))


def _matrix(estimator: Any, X: Any, reset: bool) -> Any:
    if isinstance(X, np.ndarray) and (X.ndim == 3 or (X.ndim == 4 and X.shape[3] <= 4)):
        X = X.reshape(X.shape[0], -1)  # images
    return validated_data(
        estimator, X, accept_sparse="csr", dtype=[np.float64, np.float32], order="C",
        ensure_all_finite=False, reset=reset,
    )  # fmt: skip


def _annotated(estimator: Any, X: Any, features: Any, reset: bool) -> Source:
    key = features if isinstance(features, str) and features in X.obsm else None
    if features is None and estimator.kind == "auto" and "X_pca" in X.obsm:
        key = "X_pca"
    if key is not None:
        matrix, of = X.obsm[key], f"obsm[{key!r}]"
    elif features is None:
        matrix, of = matrix_of(X), "X"
    else:
        names = as_names(features)
        if absent := [name for name in names if name not in X.var_names]:
            raise ValueError(
                f"features must be variables of X or a key of its obsm, got {listed(absent)}; "
                f"its obsm has {listed(list(X.obsm))}"
            )
        matrix, of = matrix_of(X[:, list(names)]), "names"
    return Source(as_table(X), _matrix(estimator, matrix, reset), None, of)


def _as_texts(X: Any) -> list[str] | None:
    """Return texts, missing ones empty; ``None`` if the data are something else."""
    if hasattr(X, "to_numpy") and len(getattr(X, "shape", (0, 0))) == 1:
        X = X.to_numpy()  # a column of pandas or polars
    if isinstance(X, np.ndarray):
        if X.ndim != 1 or X.dtype.kind not in "OUT":
            return None
        X = X.tolist()
    if not isinstance(X, list | tuple) or not any(isinstance(value, str) for value in X):
        return None
    if not all(isinstance(value, str) or is_missing(value) for value in X):
        return None
    return [value if isinstance(value, str) else "" for value in X]


def texts_of(table: Table, name: Hashable) -> list[str]:
    """Return a column of texts, missing ones empty."""
    return ["" if is_missing(v) else str(v) for v in table.values(name, "X").tolist()]


def as_names(features: Any, argument: str = "features") -> tuple[Hashable, ...]:
    """Return names as a tuple; one name may stand alone.

    Raises TypeError or ValueError if they are no names, none, or a name is there twice.
    """
    single = isinstance(features, str | tuple) or not isinstance(features, Iterable)
    names = (features,) if single else tuple(features)
    for name in names:
        if not isinstance(name, Hashable):
            raise TypeError(f"{argument} must be names of columns, got {shown(name)}")
    if not names:
        raise ValueError(f"{argument} must name at least one column, got none")
    repeated = [name for k, name in enumerate(names) if name in names[:k]]
    if repeated:
        raise ValueError(f"{argument} must be distinct, got {shown(repeated[0])} twice")
    return names


def without_infinite(X: Any) -> tuple[Any, NDArray[np.intp], int]:
    """Return a matrix with NaN for infinite values, missing values by column, and infinite ones."""
    values = X.data if sparse.issparse(X) else X
    with np.errstate(over="ignore", invalid="ignore"):
        if np.isfinite(values.sum(dtype=np.float64)):
            return X, np.zeros(X.shape[1], dtype=np.intp), 0
    infinite = np.isinf(values)
    if infinite.any():
        X = X.copy()
        values = X.data if sparse.issparse(X) else X
        values[infinite] = np.nan
    lost = np.isnan(values)
    counts: NDArray[np.intp] = (
        np.bincount(X.indices[lost], minlength=X.shape[1]) if sparse.issparse(X)
        else lost.sum(axis=0)
    )  # fmt: skip
    return X, counts, int(infinite.sum())
