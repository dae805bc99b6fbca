"""Cards: what is known of a point, sent to the page that asks for it.

A card has the point's name, the columns that are shown, its image, the distances to its nearest
neighbors in the data, the features in which it is unusual, and the classes of the labeled points
near it. It is read when a page asks, so that nothing is sent or searched at the start, and in a
thread of its own: a file that is slow to read must not keep commands waiting. Where the search for
neighbors takes long, the card goes first and comes again with them.
"""

from __future__ import annotations

import logging
from collections import Counter
from collections.abc import Callable, Sequence
from functools import partial
from typing import Any

import numpy as np
from numpy.typing import NDArray

from nbembed.data.distances import ROUNDING, scales_of, squared_row
from nbembed.neighbors import k_smallest
from nbembed.points.point_data import PointData
from nbembed.points.text import name_of
from nbembed.session import Session
from nbembed.session.live.background import BackgroundTask
from nbembed.validation import error_text
from nbembed.widget.stream.frames import Send

_logger = logging.getLogger(__name__)

#: Neighbors that a card lists, and labeled points near it whose classes it counts.
NEIGHBORS, LABELED = 5, 10
#: Numbers in the data up to which neighbors are searched at once: some milliseconds.
AT_ONCE = 2**21
#: Cards and searches that wait; the oldest is dropped, and comes when it is asked for again.
LONGEST_QUEUES = 1000, 16
#: Names that one message asks for.
MOST_NAMES = 400

#: The content of a card's message, and its buffers: the image, if there is one.
Card = tuple[dict[str, Any], list[bytes]]


class CardSource:
    """Answers what pages ask about points. Thread-safe.

    * send: ``send(content, buffers)`` of the widget.
    * unusual: returns the features in which a point is high and low, from it and its neighbors.
    """

    def __init__(
        self,
        session: Session,
        points: PointData,
        send: Send,
        unusual: Callable[[int, Sequence[int]], tuple[list[str], list[str]]],
    ) -> None:
        self._unusual = unusual
        self._session = session
        self._points = points
        self._send = send
        self._reading, self._searching = (
            BackgroundTask("nbembed cards", most=most, newest_first=True) for most in LONGEST_QUEUES
        )
        self._scales: dict[str, dict[str, Any]] = {}  # of each metric, in all of the data

    def card(self, client: str, point: int) -> None:
        """Send the card of a point soon."""
        self._ask(self._reading, client, point, None)

    def _ask(self, task: BackgroundTask, client: str, point: int, card: Card | None) -> None:
        """Let a card be read, or the neighbors for one be searched, each in its own thread."""
        task.put((client, point), partial(self._send_card, client, point, card))

    def _send_card(self, client: str, point: int, card: Card | None) -> None:
        """Send a card, first without neighbors where their search takes long."""
        try:
            self._send_parts(client, point, card)
        except Exception:  # the others wait still
            _logger.info("the card of a point could not be sent", exc_info=True)

    def _send_parts(self, client: str, point: int, card: Card | None) -> None:
        content, buffers = self._read(client, point) if card is None else card
        X, metric = self._session.X, self._session.recipe.quality_metric
        quick = X.shape[0] * X.shape[1] <= AT_ONCE and isinstance(metric, str)
        if card is None and not quick:
            self._send(content, buffers)
            self._ask(self._searching, client, point, (content, buffers))
        else:
            self._send({**content, **self._around(point)}, buffers)

    def names(self, client: str, points: Sequence[int]) -> None:
        """Send the names of points."""
        points = list(points)[:MOST_NAMES]
        names = [self._points.name(point) for point in points]
        self._send({"type": "names", "client": client, "points": points, "names": names}, [])

    def _read(self, client: str, point: int) -> Card:
        """Return the card of a point without neighbors."""
        problem, image = "", None
        try:
            image = self._points.image(point)
        except Exception as error:  # whatever the user's own sequence raises
            problem = error_text(error)
        content = {
            "type": "card",
            "client": client,
            "point": point,
            "name": self._points.name(point),
            "rows": [{"title": title, "text": text} for title, text in self._points.rows(point)],
            "left_out": self._points.left_out,
            "neighbors": None,
            "high": [],
            "low": [],
            "labeled": [],
            "problem": problem,
        }
        return content, [] if image is None else [image]

    def _around(self, point: int) -> dict[str, Any]:
        """Return what is known of a point by its neighbors."""
        session = self._session
        supervision = session.supervision
        labels = supervision.top_class
        try:
            metric = session.recipe.quality_metric
            scales = self._scales_of(metric)
            squares = squared_row(session.X, point, metric, scales)
            found, distances = nearest(squares)
            labeled, _ = nearest(np.where(labels >= 0, squares, np.inf), LABELED)
        except Exception:  # a metric of the user's own; what is only looked at must not fail
            _logger.info("the neighbors on the card of a point could not be found", exc_info=True)
            return {"neighbors": []}
        try:
            high, low = self._unusual(point, found.tolist())
        except Exception:  # a column of the user's own
            _logger.info("the features on the card of a point could not be compared", exc_info=True)
            high, low = [], []
        counts = Counter(labels[labeled].tolist())
        return {
            "neighbors": [
                {"point": int(i), "name": self._points.name(int(i)), "distance": float(d)}
                for i, d in zip(found, distances)
            ],
            "high": high,
            "low": low,
            "labeled": [
                {"name": name_of(supervision.classes[k]), "count": count}
                for k, count in counts.most_common()
            ],
        }

    def _scales_of(self, metric: Any) -> dict[str, Any]:
        if not isinstance(metric, str):
            return {}
        if metric not in self._scales:
            self._scales[metric] = scales_of(self._session.X, metric)
        return self._scales[metric]


def nearest(
    squares: NDArray[np.float64], k: int = NEIGHBORS
) -> tuple[NDArray[np.intp], NDArray[np.float64]]:
    """Return the nearest neighbors of one point, and their distances.

    * squares, of shape (n_samples,): its squared distances; infinite to itself, and to points that
      are not asked for.
    * k: at most n_samples − 1 are returned.
    """
    found = k_smallest(squares[None], min(k, squares.size - 1))[0]
    found = found[np.isfinite(squares[found])]  # sparse dissimilarities may store fewer
    distances = np.sqrt(squares[found])
    farthest = np.sqrt(np.max(squares, where=np.isfinite(squares), initial=0.0))
    return found, np.where(distances > ROUNDING * farthest, distances, 0.0)
