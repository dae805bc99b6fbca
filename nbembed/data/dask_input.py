"""Dask arrays and dataframes: recognized without importing dask, and mapped chunk by chunk.

Data of this kind may be larger than memory. A fitted estimator takes them one chunk of rows at a
time, lazily; whatever needs all rows at once refuses them (:func:`refuse_dask`).
"""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numpy as np


def is_dask(X: Any) -> bool:
    """Return whether ``X`` is a collection of dask; dask is then imported already."""
    return type(X).__module__.partition(".")[0] == "dask" and hasattr(X, "__dask_graph__")


def is_frame(X: Any) -> bool:
    """Return whether a collection of dask is a dataframe."""
    kind = type(X)  # a Delayed has every attribute
    return hasattr(kind, "map_partitions") and hasattr(kind, "columns")


def refuse_dask(X: Any, name: str) -> None:
    """Raise TypeError, with the bytes that it would take, if ``X`` is a collection of dask.

    For work that needs all of it in memory.
    """
    if not is_dask(X):
        return
    size: Any = X.nbytes if hasattr(type(X), "map_blocks") else None
    known = isinstance(size, int | np.integer)  # else the number of rows is not known
    takes = f" (that takes {int(size) / 2**20:,.1f} MiB)" if known else ""
    raise TypeError(
        f"{name} must be in memory, got a dask {type(X).__name__}: pass X.compute(), or fit a "
        "sample of the rows, as in fit(X[::1000].compute()), and place the others with "
        f"transform, which reads them chunk by chunk{takes}"
    )


def head_of(X: Any, name: str = "X") -> Any:
    """Return the columns and types of a collection, without computing and without rows."""
    if is_frame(X):
        return X._meta
    if not hasattr(type(X), "map_blocks"):
        raise TypeError(f"{name} must be a dask array or dataframe, got {type(X).__name__}")
    shape = X.shape
    if len(shape) != 2:
        raise ValueError(f"{name} must have shape (n_samples, n_features), got shape {shape}")
    if np.isnan(shape[1]):
        raise ValueError(
            f"{name} must have a known number of columns; X.compute_chunk_sizes() determines it"
        )
    return np.empty((0, shape[1]), X.dtype)


def map_chunks(
    function: Callable[[Any, Any], Any], model: Any, X: Any, columns: tuple[int, ...], dtype: Any
) -> Any:
    """Return ``function(model, chunk)`` of all chunks of rows as a dask array, not yet computed.

    ``function`` takes the model, which is sent to each worker once, and a chunk: an array, sparse
    matrix or DataFrame of at least one row. It returns an array of ``dtype`` with as many rows,
    each of the shape ``columns``, ``()`` for a single value. ``X`` was checked by :func:`head_of`;
    the numbers of its rows may be unknown.
    """
    import dask
    import dask.array as da

    # One node of the graph holds the model; the tasks refer to it.
    given = {
        "model": dask.delayed(model, pure=False, traverse=False),
        "function": function,
        "columns": columns,
        "kind": np.dtype(dtype),
    }
    if is_frame(X):
        apply = dask.delayed(_of_chunk, pure=False)
        shape = (np.nan, *columns)
        return da.concatenate(
            [da.from_delayed(apply(part, **given), shape, dtype) for part in X.to_delayed()]
        )
    if len(X.chunks[1]) > 1:
        X = X.rechunk({1: -1})
    return X.map_blocks(
        _of_chunk,
        **given,
        dtype=dtype,
        chunks=(X.chunks[0], *((k,) for k in columns)),
        drop_axis=[] if columns else [1],
        meta=np.empty((0,) * (1 + len(columns)), dtype),
    )


def _of_chunk(
    chunk: Any, model: Any, function: Any, columns: tuple[int, ...], kind: np.dtype[Any]
) -> Any:
    if chunk.shape[0] == 0:
        return np.empty((0, *columns), kind)
    return np.asarray(function(model, chunk), dtype=kind)
