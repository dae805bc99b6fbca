"""Data matrices as users pass them: arrays, data frames, sparse and annotated matrices, distances.

Whatever is passed becomes a finite float matrix, dense or CSR, before work starts; each error names
the argument, and the first entry that is wrong.
"""

from __future__ import annotations

from typing import Any

import numpy as np
from scipy import sparse

from nbembed.data.dask_input import refuse_dask
from nbembed.data.sparse_format import as_csr
from nbembed.validation import check_choice, check_unmasked, shown

#: The least number of points with neighbors.
MIN_SAMPLES = 2
#: Metrics by name: those of scikit-learn's ``pairwise_distances``, SciPy's among them.
METRICS = (
    "euclidean", "l2", "cityblock", "l1", "manhattan", "cosine", "precomputed", "braycurtis",
    "canberra", "chebyshev", "correlation", "dice", "hamming", "haversine", "jaccard",
    "mahalanobis", "minkowski", "rogerstanimoto", "russellrao", "seuclidean", "sokalsneath",
    "sqeuclidean", "yule",
)  # fmt: skip


def check_magnitude(data: Any, name: str = "X", high: float = 1e140) -> None:
    """Raise ValueError unless squares of the data, dense or sparse, and their sums stay finite."""
    values = data if isinstance(data, np.ndarray) else data.data
    largest = float(np.abs(values).max(initial=0))
    if largest > high:
        raise ValueError(
            f"{name} must be at most {high:g} in magnitude, got {largest:.3g}: squares would "
            f"overflow; rescale {name}"
        )


def check_metric(metric: Any) -> Any:
    """Return a metric's name, a callable, or a learned metric; the error lists the known names."""
    if callable(metric) or hasattr(metric, "squared_rows"):
        return metric
    if not isinstance(metric, str):
        raise TypeError(
            "metric must be a name, a function of two points or a LearningMetric, "
            f"got {shown(metric)}"
        )
    return check_choice("metric", metric, METRICS)


def matrix_of(X: Any, name: str = "X") -> Any:
    """Return the matrix of an annotated one (AnnData's ``X``), anything else as it is.

    An AnnData is recognized by its attributes, so that anndata need not be installed. To use
    another of its matrices pass it, as in ``adata.obsm["X_pca"]`` or ``adata.layers["counts"]``.
    A sparse matrix is returned as a CSR matrix of which every entry has been checked
    (:func:`nbembed.data.sparse_format.as_csr`): no other code may read it before.

    Raises ValueError if the annotated matrix holds no data, or a sparse matrix is malformed;
    TypeError if it is a collection of dask, which need not fit into memory.
    """
    refuse_dask(X, name)
    found = _annotated_part(X, name)
    return as_csr(found, name) if sparse.issparse(found) else found


def _annotated_part(X: Any, name: str) -> Any:
    if not (hasattr(X, "obs_names") and hasattr(X, "var_names") and hasattr(X, "X")):
        return X
    found = X.X
    if found is None:
        raise ValueError(
            f"{name} must hold data, got an AnnData whose X is None; pass one of its obsm arrays "
            "instead"
        )
    return found.to_memory() if hasattr(found, "to_memory") else found


def check_data(
    X: Any, metric: Any = "euclidean", *, name: str = "X", min_samples: int = MIN_SAMPLES
) -> Any:
    """Return data as a finite float matrix, dense (C-ordered) or CSR.

    * X array-like, DataFrame, AnnData or sparse matrix of shape (n_samples, n_features): with
      ``metric="precomputed"`` the dissimilarity of each pair, (n_samples, n_samples); it need not
      be symmetric and its diagonal is ignored. float32 stays float32, every other type becomes
      float64.

    Raises ValueError if it is not two-dimensional, has too few rows or no column, or a value that
    is not a finite real number, or is not square and non-negative with ``metric="precomputed"``.
    """
    from sklearn.utils import check_array

    precomputed = isinstance(check_metric(metric), str) and metric == "precomputed"
    X = matrix_of(X, name)
    check_kind(X, name)
    try:
        data = check_array(
            X,
            accept_sparse="csr",
            dtype=[np.float64, np.float32],
            order="C",
            ensure_2d=False,
            allow_nd=True,
            ensure_all_finite=False,
            ensure_min_samples=0,
            ensure_min_features=0,
            input_name=name,
        )
    except (TypeError, ValueError, OverflowError) as error:
        raise ValueError(f"{name} must be a matrix of real numbers: {error}") from error
    if data.ndim != 2:
        hint = "; a single feature is a column, X[:, None]" if data.ndim == 1 else ""
        raise ValueError(
            f"{name} must have shape (n_samples, n_features), got shape {data.shape}{hint}"
        )
    if data.shape[0] < min_samples:
        raise ValueError(f"{name} must have at least {min_samples} points, got {data.shape[0]}")
    if data.shape[1] < 1:
        raise ValueError(f"{name} must have at least one feature, got shape {data.shape}")
    if precomputed:
        data = _without_diagonal(data, name)
    _check_finite(data, name)
    check_metric_applies(data, metric, name)
    if precomputed:
        check_non_negative(data, name)
    return data


def check_non_negative(data: Any, name: str = "X") -> None:
    """Raise ValueError if a dissimilarity, dense or stored in a sparse matrix, is negative."""
    values = data if isinstance(data, np.ndarray) else data.data
    if values.size and values.min() < 0:
        raise ValueError(
            f'{name} must be non-negative with metric="precomputed", got a dissimilarity of '
            f"{values.min():.4g}"
        )


def check_metric_applies(data: Any, metric: Any, name: str = "X") -> None:
    """Raise ValueError if the metric correlates rows and a row of checked data is constant."""
    if not (isinstance(metric, str) and metric == "correlation" and isinstance(data, np.ndarray)):
        return
    constant = np.flatnonzero(data.max(axis=1) == data.min(axis=1))
    if constant.size:
        raise ValueError(
            f'{name} must not have constant rows with metric="correlation", got {constant.size}, '
            f"the first of them row {constant[0]}"
        )


def check_kind(X: Any, name: str = "X") -> None:
    """Raise ValueError unless ``X`` holds real numbers; NumPy converts numerals and dates."""
    check_unmasked(X, name)
    if hasattr(X, "toarray"):
        kind, found = X.dtype.kind, X.dtype
    else:
        try:
            array = np.asarray(X)
        except ValueError as error:  # rows of different lengths
            raise ValueError(f"{name} must be a matrix of real numbers: {error}") from error
        kind, found = array.dtype.kind, array.dtype
        if kind == "O" and array.ndim == 0:
            raise ValueError(f"{name} must be a matrix of real numbers, got {shown(X)}")
        if kind == "O":
            strange = next((v for v in array.flat if isinstance(v, str | bytes | complex)), None)
            if strange is not None:
                raise ValueError(
                    f"{name} must be a matrix of real numbers, but it contains {shown(strange)}"
                )
    if kind not in "biufO":
        raise ValueError(f"{name} must be a matrix of real numbers, got values of type {found}")


def _check_finite(data: Any, name: str) -> None:
    values = data if isinstance(data, np.ndarray) else data.data
    # The sum is finite unless a value is not, or the values are huge: no array of bools needed.
    with np.errstate(over="ignore", invalid="ignore"):
        if np.isfinite(values.sum(dtype=np.float64)):
            return
    bad = np.argwhere(~np.isfinite(values))
    if bad.size == 0:
        return
    value = values[tuple(bad[0])]
    what = "NaN" if np.isnan(value) else "infinity"
    where = f" at row {bad[0][0]}, column {bad[0][1]}" if bad.shape[1] == 2 else ""
    raise ValueError(f"{name} must be finite, but it contains {what}{where}")


def _without_diagonal(data: Any, name: str) -> Any:
    if data.shape[0] != data.shape[1]:
        raise ValueError(
            f'{name} must be a square matrix of dissimilarities with metric="precomputed", got '
            f"shape {data.shape}"
        )
    if isinstance(data, np.ndarray) and not (np.diagonal(data) == 0).all():
        data = data.copy()
        np.fill_diagonal(data, 0)
    elif not isinstance(data, np.ndarray):
        own = data.indices == np.repeat(np.arange(data.shape[0]), np.diff(data.indptr))
        if data.data[own].any():
            data = data.copy()
            data.data[own] = 0
    return data
