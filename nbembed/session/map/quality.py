"""Quality shown beside a live map: the share of points that keep their nearest neighbor.

Unsupervised on purpose: labels that pull a map apart show up here. It is for the eye alone, so its
rate may follow the clock: measuring takes at most about a tenth of the worker's time. Of many
points, a sample that is drawn once is measured, and a few of its points at a time, so that no
command waits: the standard error is at most 0.011.
"""

from __future__ import annotations

import logging
import math
import time
from typing import Any

import numpy as np
from numpy.typing import NDArray

from nbembed.data.distances import Distances, same_metric, scales_of
from nbembed.measures import nearest_neighbors, neighbor_preservation

_logger = logging.getLogger("nbembed.session")

#: Seconds of other work for each second of measuring.
REST = 9.0
#: Above MANY points, SAMPLE of them are measured, some PAIRS distances at a time: about 5 ms. Where
#: the data have more than WIDE features, fewer.
MANY = 5000
SAMPLE = 2000
PAIRS = 2**20
WIDE = 64


class QualityMeter:
    """Measures 1-NN preservation of layouts of one data set.

    ``X`` are checked data, or distances if ``metric`` is "precomputed".
    """

    def __init__(self, X: Any) -> None:
        self._X = X
        self._metric: Any = None
        self._nearest: NDArray[np.intp] | None = None
        self._due = -math.inf
        self._seen: NDArray[Any] | None = None
        self._points: Any = None  # in the layout seen last: one is known by its identity
        self._value = math.nan
        self._sampled = SampledQuality(X) if X.shape[0] > MANY else None

    @property
    def unfinished(self) -> bool:
        """True if the last layout is still being measured: call :meth:`measure` again."""
        sampled = self._sampled
        return sampled is not None and self._due < math.inf and sampled.unfinished

    def measure(self, layout: NDArray[Any], metric: Any, *, now: bool = False) -> float:
        """Return the quality of a layout, or the last one measured if it is too soon.

        Rows after those of the points do not count. ``now=True`` measures whether it is too soon or
        not. The nearest neighbors in the data are found once. Of many points, a call takes one
        step, and measures one layout after the other.
        """
        started = time.monotonic()
        if not same_metric(metric, self._metric):
            self._metric, self._nearest, self._seen, self._due = metric, None, None, -math.inf
            if self._sampled is not None:
                self._sampled = SampledQuality(self._X)
        known = layout is self._seen and not self.unfinished
        if known or (started < self._due and not now) or self._due == math.inf:
            return self._value
        if layout is not self._seen:
            self._seen, self._points = layout, layout[: self._X.shape[0]]
        Y = self._points
        try:
            if self._sampled is not None:
                self._value = self._sampled.advance(Y, metric)
            else:
                if self._nearest is None:
                    self._nearest = nearest_neighbors(self._X, 1, metric)
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


class SampledQuality:
    """1-NN preservation of a random sample of the points, measured step by step.

    ``X`` are checked data, or distances if ``metric`` is "precomputed".
    """

    def __init__(self, X: Any) -> None:
        n = int(X.shape[0])
        self._X = X
        self._points = np.sort(np.random.default_rng(0).choice(n, SAMPLE, replace=False))
        self._scales: dict[str, Any] | None = None  # of the metric, in all of the data
        #: Of each point of the sample, its nearest neighbor among the first points of the data, and
        #: their distance.
        self._nearest = np.full(SAMPLE, -1, dtype=np.intp)
        self._distances = np.full(SAMPLE, np.inf)
        self._searched = 0
        self._layout: NDArray[Any] | None = None  # what is being measured
        self._newest: NDArray[Any] | None = None
        self._done = 0  # points of the sample that were measured in it
        self._kept = 0
        self._value = math.nan

    @property
    def unfinished(self) -> bool:
        """True if the newest layout has not been measured to its end."""
        return self._newest is not None and (
            self._layout is not self._newest or self._done < SAMPLE
        )

    def advance(self, Y: NDArray[Any], metric: Any) -> float:
        """Take one step of measuring; return the last value that is complete, ``nan`` before."""
        self._newest = Y
        if self._searched < self._X.shape[0]:
            self._search(metric)
            return self._value
        if self._layout is None or (self._done == SAMPLE and self._layout is not Y):
            self._layout, self._done, self._kept = Y, 0, 0
        points = self._points[self._done : self._done + max(1, PAIRS // Y.shape[0])]
        kept = nearest_of(self._layout, points) == self._nearest[self._done :][: len(points)]
        self._kept += int(np.count_nonzero(kept))
        self._done += len(points)
        if self._done == SAMPLE:
            self._value = self._kept / SAMPLE
        return self._value

    def _search(self, metric: Any) -> None:
        """Search the next points of the data for nearest neighbors of the sample."""
        X, points, first = self._X, self._points, self._searched
        given = isinstance(metric, str) and metric == "precomputed"
        count = max(16, PAIRS // SAMPLE // (1 if given else max(1, X.shape[1] // WIDE)))
        here = slice(first, min(first + count, X.shape[0]))
        if self._scales is None:
            self._scales = scales_of(X, metric)
        if given:
            distances = Distances(X[points, here], metric, X, partial=True)
        else:
            distances = Distances(X[points], metric, X[here], scales=self._scales)
        for part, D2 in distances.blocks():
            own = np.flatnonzero((points[part] >= here.start) & (points[part] < here.stop))
            D2[own, points[part][own] - first] = np.inf
            column = D2.argmin(axis=1)
            found = D2[np.arange(len(D2)), column]
            closer = found < self._distances[part]
            self._nearest[part][closer] = column[closer] + first
            self._distances[part][closer] = found[closer]
        self._searched = here.stop


def nearest_of(Y: NDArray[Any], points: NDArray[np.intp]) -> NDArray[np.intp]:
    """Return the nearest neighbor in a layout of each of the given points."""
    squares = np.zeros((len(points), Y.shape[0]))
    for y in Y.T.astype(np.float64):
        squares += np.square(y[points, None] - y)
    squares[np.arange(len(points)), points] = np.inf
    index: NDArray[np.intp] = squares.argmin(axis=1)
    return index
