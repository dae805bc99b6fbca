"""The data of a session: checked, copied, and identified by a digest."""

from __future__ import annotations

import hashlib
from typing import Any

import numpy as np
from scipy import sparse

from nbembed.data.distances import check_span
from nbembed.data.matrix_input import check_data
from nbembed.methods.recipe import Recipe
from nbembed.session.core.settings import Settings


def digest(X: Any) -> str:
    """Return a fingerprint of the data's values, type and shape."""
    seen = hashlib.sha256(repr((X.shape, X.dtype.str)).encode())
    parts = (X.data, X.indices, X.indptr) if sparse.issparse(X) else (X,)
    for part in parts:
        seen.update(np.ascontiguousarray(part).data.cast("B"))
    return seen.hexdigest()


def checked_data(X: Any, recipe: Recipe[Any]) -> Any:
    """Return ``X`` as a read-only float array of its own, or as a CSR array of such arrays.

    Raises ValueError also if squares of distances would over- or underflow, whatever the metric: a
    session can switch to methods that square them.
    """
    data = check_data(X, recipe.data_metric)
    check_span(data)
    if sparse.issparse(data):
        data = sparse.csr_array(data, copy=True)
        for part in (data.data, data.indices, data.indptr):
            part.flags.writeable = False
        return data
    data = np.array(data, order="C", copy=True)
    data.flags.writeable = False
    return data


def start_arguments(X: Any, settings: Settings) -> dict[str, Any]:
    """Return the arguments of the log's first event."""
    from nbembed import __version__

    return {
        "method": settings.name,
        "parameters": settings.recipe.parameters,
        "supervision": settings.supervision,
        "n_samples": int(X.shape[0]),
        "data": digest(X),
        "nbembed": __version__,
    }
