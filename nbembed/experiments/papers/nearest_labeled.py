"""The simplest classifier, which stands beside others: the class of the nearest labeled point."""

from __future__ import annotations

from typing import Any

import numpy as np
from numpy.typing import NDArray

from nbembed.neighbors import nearest_neighbors


def nearest_labels(X: Any, known: NDArray[np.int64]) -> NDArray[np.int64]:
    """Return the class of each point's nearest labeled one; −1 in ``known`` is no label."""
    labeled = np.flatnonzero(known >= 0)
    return np.asarray(known[labeled][nearest_neighbors(X, 1, others=X[labeled])[:, 0]])


def nearest_labeled_error(X: Any, y: NDArray[np.int64], known: NDArray[np.int64]) -> float:
    """Return the error of :func:`nearest_labels` on the unlabeled points, in percent."""
    hidden = known == -1
    return 100 * float(np.mean(nearest_labels(X, known)[hidden] != y[hidden]))
