"""The data a session is given: checked, its own copy, and known by a digest."""

from __future__ import annotations

import hashlib
from typing import TYPE_CHECKING, Any

import numpy as np
from scipy import sparse

if TYPE_CHECKING:
    from nbembed.methods.base import EmbeddingMethod


def digest(X: Any) -> str:
    """Return a fingerprint of the data's values, type and shape."""
    seen = hashlib.sha256(repr((X.shape, X.dtype.str)).encode())
    parts = (X.data, X.indices, X.indptr) if sparse.issparse(X) else (X,)
    for part in parts:
        seen.update(memoryview(np.ascontiguousarray(part)).cast("B"))
    return seen.hexdigest()


def checked_data(X: Any, method: EmbeddingMethod) -> Any:
    """Return ``X`` as a read-only float array of its own, or as a CSR array.

    Raises
    ------
    ValueError
        If it is not a finite matrix of numbers with at least two rows, or not square where the
        method's ``metric`` is "precomputed".
    """
    from sklearn.utils import check_array

    data = check_array(
        X,
        accept_sparse="csr",
        dtype=[np.float64, np.float32],
        ensure_min_samples=2,
        input_name="X",
        estimator=type(method).__name__,
    )
    if method.metric == "precomputed" and data.shape[0] != data.shape[1]:
        raise ValueError(
            f'X must be square with metric="precomputed": the dissimilarity of each pair of '
            f"points; got shape {data.shape}"
        )
    if sparse.issparse(data):
        data = sparse.csr_array(data, copy=True)
        data.sum_duplicates()
        return data
    data = np.array(data, order="C", copy=True)
    data.flags.writeable = False
    return data
