"""Results of neighbor searches."""

from __future__ import annotations

from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray


class Found(NamedTuple):
    """Neighbors of queries by squared distances, nearest first."""

    indices: NDArray[np.intp]
    squared: NDArray[np.float64]


class Neighbors(NamedTuple):
    """The nearest neighbors of points.

    * indices (n_samples, k): nearest first.
    * distances (n_samples, k): in units of the metric.
    * recall: share of the true neighbors that were found, estimated on a sample; 1.0 for an exact
      search.
    """

    indices: NDArray[np.intp]
    distances: NDArray[np.float64]
    recall: float
