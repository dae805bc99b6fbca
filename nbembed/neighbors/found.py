"""What searches return."""

from __future__ import annotations

from typing import TYPE_CHECKING, NamedTuple

if TYPE_CHECKING:
    import numpy as np
    from numpy.typing import NDArray


class Found(NamedTuple):
    """Neighbors of queries by squared distances, nearest first."""

    indices: NDArray[np.intp]
    squared: NDArray[np.float64]


class Neighbors(NamedTuple):
    """The nearest neighbors of points.

    Attributes
    ----------
    indices : ndarray of shape (n_samples, k)
        Nearest first.
    distances : ndarray of shape (n_samples, k)
        In units of the metric.
    recall : float
        Share of the true neighbors that were found, estimated on a sample; 1.0 for an exact search.
    """

    indices: NDArray[np.intp]
    distances: NDArray[np.float64]
    recall: float
