"""The format of sparse matrices: what a user or a file gives is checked before any code reads it.

A compressed sparse row (CSR) matrix is three arrays that refer to each other. Compiled code,
SciPy's and scikit-learn's as well as this package's, follows them without a check of bounds, so a
wrong pointer or index ends the process. SciPy's ``check_format`` does not find all of this, and it
changes what it is given; the flags of a matrix (``has_canonical_format``) are what somebody once
set. Here every array is looked at, in O(entries), and nothing is changed.
"""

from __future__ import annotations

from typing import Any

import numpy as np
from numpy.typing import NDArray
from scipy import sparse

#: The types that the package computes in.
FLOATS = (np.float32, np.float64)


def as_csr(X: Any, name: str = "X") -> Any:
    """Return a sparse matrix in CSR format with sorted indices and no duplicates.

    ``X`` may be in any format of SciPy and is never changed. float32 stays float32, every other
    type becomes float64. The result is a new object; it shares the arrays of an ``X`` that has
    this format already.

    Raises ValueError if the arrays of ``X`` do not fit together, refer to rows or columns that do
    not exist, or do not hold real numbers.
    """
    if len(X.shape) != 2:
        raise ValueError(f"{name} must have shape (n_samples, n_features), got shape {X.shape}")
    if X.format != "csr":
        X = _converted(X, name)
    _check_numbers(X.data, name)
    _check_compressed(X.data, X.indices, X.indptr, X.shape, name)
    entries = int(X.indptr[-1])
    kind = sparse.csr_matrix if isinstance(X, sparse.spmatrix) else sparse.csr_array
    parts = _as_floats(X.data[:entries]), X.indices[:entries], X.indptr
    csr = kind(parts, shape=X.shape)
    if not _is_canonical(csr.indices, csr.indptr):
        csr = csr.copy()
        csr.sum_duplicates()
    # SciPy would find this out again, and sort in place what it has not found to be sorted.
    csr.has_canonical_format = True
    return csr


def csr_from_parts(data: Any, indices: Any, indptr: Any, shape: Any, name: str = "X") -> Any:
    """Return a CSR array made of the arrays of a file, as :func:`as_csr` returns it.

    Raises ValueError as :func:`as_csr`; nothing of the size that ``shape`` states is allocated
    before.
    """
    size = np.asarray(shape)
    if size.shape != (2,) or size.dtype.kind not in "iu" or size.min() < 0:
        raise _malformed(name, f"the shape {shape!r}")
    rows, columns = size.tolist()
    _check_numbers(data, name)
    _check_compressed(data, indices, indptr, (rows, columns), name)
    return as_csr(sparse.csr_array((data, indices, indptr), shape=(rows, columns)), name)


def check_csr(X: Any, name: str = "X", *, canonical: bool = False) -> None:
    """Raise ValueError unless ``X`` is a well-formed CSR matrix of float32 or float64.

    With ``canonical`` its indices must be sorted and distinct in each row, with no room to spare.
    """
    if not sparse.issparse(X) or X.format != "csr":
        found = X.format if sparse.issparse(X) else type(X).__name__
        raise ValueError(f"{name} must be a sparse matrix in CSR format, got {found}")
    if X.dtype not in FLOATS:
        raise ValueError(f"{name} must be of float32 or float64, got {X.dtype}")
    _check_compressed(X.data, X.indices, X.indptr, X.shape, name)
    if canonical and (X.indptr[-1] != X.data.size or not _is_canonical(X.indices, X.indptr)):
        raise _malformed(name, "indices that are not sorted and distinct in each row")


def check_sparse(X: Any, name: str = "X") -> None:
    """Raise ValueError if ``X`` is a sparse matrix that :func:`check_csr` refuses."""
    if sparse.issparse(X):
        check_csr(X, name)


def _check_compressed(
    data: Any, indices: Any, indptr: Any, shape: tuple[int, ...], name: str
) -> None:
    """Raise unless row pointers, column indices and values make a matrix of this shape."""
    rows, columns = shape
    for part, array in (("data", data), ("indices", indices), ("indptr", indptr)):
        _check_array(array, part, name, whole=part != "data")
    if indptr.size != rows + 1:
        raise _malformed(name, f"indptr of length {indptr.size} for {rows} rows")
    if indices.size != data.size:
        raise _malformed(name, f"{indices.size} indices for {data.size} values")
    if indptr[0] != 0:
        raise _malformed(name, f"indptr that starts at {indptr[0]}, not 0")
    falls = np.flatnonzero(indptr[1:] < indptr[:-1])
    if falls.size:
        raise _malformed(name, f"indptr that decreases after row {falls[0]}")
    if indptr[-1] > indices.size:
        raise _malformed(name, f"indptr that ends at {indptr[-1]}, with {indices.size} entries")
    _check_range(indices[: indptr[-1]], columns, "indices", name)


def _converted(X: Any, name: str) -> Any:
    """Return a sparse matrix of another format as CSR; its own arrays are checked first."""
    is_matrix = isinstance(X, sparse.spmatrix)
    if X.format in ("csc", "bsr"):
        if X.format == "bsr":
            _check_blocks(X, name)
            kind = sparse.bsr_matrix if is_matrix else sparse.bsr_array
        else:
            _check_numbers(X.data, name)
            _check_compressed(X.data, X.indices, X.indptr, X.shape[::-1], name)
            kind = sparse.csc_matrix if is_matrix else sparse.csc_array
        return kind((_as_floats(X.data), X.indices, X.indptr), shape=X.shape).tocsr()
    if X.format == "lil":
        _check_lists(X, name)
        return X.tocsr()
    data, row, column = _coordinates(X, name)
    for part, index, bound in (("row", row, X.shape[0]), ("col", column, X.shape[1])):
        _check_array(index, part, name, whole=True)
        if index.size != data.size:
            raise _malformed(name, f"{index.size} {part} indices for {data.size} values")
        _check_range(index, bound, f"{part} indices", name)
    kind = sparse.coo_matrix if is_matrix else sparse.coo_array
    return kind((data, (row, column)), shape=X.shape).tocsr()


def _coordinates(X: Any, name: str) -> tuple[NDArray[Any], Any, Any]:
    """Return values, rows and columns of diagonals, a dictionary, or coordinates."""
    if X.format == "dia":
        _check_array(X.offsets, "offsets", name, whole=True)
        _check_numbers(X.data, name)
        if X.data.ndim != 2 or len(X.data) != X.offsets.size:
            raise _malformed(name, f"data that do not fit {X.offsets.size} diagonals")
        column = np.broadcast_to(np.arange(X.data.shape[1]), X.data.shape)
        row = column - X.offsets.astype(np.int64)[:, None]
        inside = (row >= 0) & (row < X.shape[0]) & (column < X.shape[1]) & (X.data != 0)
        return _as_floats(X.data)[inside], row[inside], column[inside]
    if X.format == "dok":
        try:
            X = X.tocoo()
        except (TypeError, ValueError) as error:
            raise _malformed(name, f"a dictionary that SciPy rejects: {error}") from None
    _check_numbers(X.data, name)
    _check_array(X.data, "data", name, whole=False)
    return _as_floats(X.data), X.row, X.col


def _check_blocks(X: Any, name: str) -> None:
    _check_numbers(X.data, name)
    if X.data.ndim != 3 or 0 in X.data.shape[1:]:
        raise _malformed(name, "data that are not an array of blocks")
    high, wide = X.data.shape[1:]
    if X.shape[0] % high or X.shape[1] % wide:
        raise _malformed(name, f"blocks of {high} × {wide} in a matrix of shape {X.shape}")
    first = X.data[:, 0, 0]
    _check_compressed(first, X.indices, X.indptr, (X.shape[0] // high, X.shape[1] // wide), name)


def _check_lists(X: Any, name: str) -> None:
    for part in (X.rows, X.data):
        if not isinstance(part, np.ndarray) or part.shape != (X.shape[0],):
            raise _malformed(name, f"lists that do not fit {X.shape[0]} rows")
    for i, (where, values) in enumerate(zip(X.rows, X.data)):
        if len(where) != len(values):
            raise _malformed(name, f"{len(where)} indices for {len(values)} values in row {i}")
        if where and not 0 <= min(where) <= max(where) < X.shape[1]:
            raise _malformed(name, f"a column outside [0, {X.shape[1]}) in row {i}")


def _check_numbers(data: Any, name: str) -> None:
    found = data.dtype if isinstance(data, np.ndarray) else type(data).__name__
    if getattr(found, "kind", "O") not in "biuf":
        raise ValueError(f"{name} must be a matrix of real numbers, got values of type {found}")


def _as_floats(data: NDArray[Any]) -> NDArray[Any]:
    return data.astype(data.dtype if data.dtype in FLOATS else np.float64, copy=False)


def _check_array(array: Any, part: str, name: str, *, whole: bool) -> None:
    if not isinstance(array, np.ndarray) or array.ndim != 1:
        raise _malformed(name, f"{part} that is no flat array")
    if whole and array.dtype.kind not in "iu":
        raise _malformed(name, f"{part} of type {array.dtype}, not of whole numbers")


def _check_range(index: NDArray[Any], bound: int, what: str, name: str) -> None:
    if index.size and (index.min() < 0 or index.max() >= bound):
        wrong = index[(index < 0) | (index >= bound)][0]
        raise _malformed(name, f"{what} outside [0, {bound}), such as {wrong}")


def _is_canonical(indices: NDArray[Any], indptr: NDArray[Any]) -> bool:
    """Return whether the indices of each row increase."""
    rises = indices[1:] > indices[:-1]
    starts = indptr[1:-1]
    rises[starts[(starts > 0) & (starts < indices.size)] - 1] = True
    return bool(rises.all())


def _malformed(name: str, what: str) -> ValueError:
    return ValueError(f"{name} must be a well-formed sparse matrix, got {what}")
