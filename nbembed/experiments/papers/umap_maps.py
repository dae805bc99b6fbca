"""UMAP beside other methods, where it is installed (``nbembed[bench]``)."""

from __future__ import annotations

import warnings
from importlib.util import find_spec
from typing import Any

import numpy as np
from numpy.typing import NDArray


def has_umap() -> bool:
    """Return whether UMAP can be run."""
    return find_spec("umap") is not None


def umap_map(X: Any, labels: NDArray[Any] | None = None) -> NDArray[np.float64]:
    """Return UMAP's map in the plane, with −1 for unlabeled points if there are labels."""
    from umap import UMAP

    X = X.toarray() if hasattr(X, "toarray") else X  # of few points it takes no sparse array
    with warnings.catch_warnings():
        warnings.filterwarnings("ignore", module="umap")
        return np.asarray(UMAP(random_state=0, n_jobs=1).fit(X, labels).embedding_)
