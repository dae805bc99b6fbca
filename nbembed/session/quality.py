"""Quality shown beside a live map: the share of points that keep their nearest neighbor.

Unsupervised on purpose: labels that pull a map apart show up here. It is for the eye alone, so its
rate may follow the clock: measuring takes at most about a tenth of the worker's time.
"""

from __future__ import annotations

import logging
import math
import time
from typing import TYPE_CHECKING, Any

from nbembed.measures import nearest_neighbors, neighbor_preservation

if TYPE_CHECKING:
    import numpy as np
    from numpy.typing import NDArray

_logger = logging.getLogger("nbembed.session")

#: Seconds of other work for each second of measuring.
REST = 9.0


class QualityMeter:
    """Measures 1-NN preservation of layouts of one data set.

    Parameters
    ----------
    X : ndarray or sparse array
        Checked data, or distances if ``metric`` is "precomputed".
    """

    def __init__(self, X: Any) -> None:
        self._X = X
        self._metric: Any = None
        self._nearest: NDArray[np.intp] | None = None
        self._due = -math.inf
        self._seen: NDArray[Any] | None = None
        self._value = math.nan

    def measure(self, Y: NDArray[Any], metric: Any, *, now: bool = False) -> float:
        """Return the quality of ``Y``, or the last one measured if it is too soon.

        ``now=True`` always measures. The nearest neighbors in the data are found once.
        """
        started = time.monotonic()
        if metric is not self._metric and metric != self._metric:
            self._metric, self._nearest, self._seen, self._due = metric, None, None, -math.inf
        if Y is self._seen or (started < self._due and not now) or self._due == math.inf:
            return self._value
        self._seen = Y
        try:
            if self._nearest is None:
                self._nearest = nearest_neighbors(self._X, 1, metric, search="auto")
                started = time.monotonic()
            self._value = float(neighbor_preservation(None, Y, k=1, neighbors=self._nearest))
        except Exception:
            # What is only looked at must not stop the map; a metric that works for affinities alone
            # is no mistake.
            _logger.info("the quality of the map could not be measured", exc_info=True)
            self._value, self._due = math.nan, math.inf
            return self._value
        done = time.monotonic()
        self._due = done + REST * (done - started)
        return self._value
