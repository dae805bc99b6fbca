"""Sends what a session suggests to the pages that show it."""

from __future__ import annotations

import threading
from typing import Any

import numpy as np
from numpy.typing import ArrayLike, NDArray

from nbembed.propagation import Suggestions
from nbembed.session import Session
from nbembed.session.live.progress import Progress
from nbembed.supervision import Supervision
from nbembed.validation import error_text
from nbembed.widget.stream.frames import Send
from nbembed.widget.wire.protocol import finite
from nbembed.widget.wire.schema import SUGGESTIONS, SURENESS_STEPS

#: Doubtful points that a page has at a time, and suspicious labels.
DOUBTFUL = 60
#: What pages say that show suggestions whose making somebody has given up.
CANCELED = "Canceled; close and open this panel to begin again"
#: Stands for no class.
NO_CLASS = 2**16 - 1

_STEPS = np.arange(SURENESS_STEPS + 1) / SURENESS_STEPS


class SuggestionSource:
    """Makes a session's suggestions into a message. Thread-safe.

    Suggestions are made only for pages that show them, in the background.

    * send: ``send(content, buffers)`` of the widget.
    """

    def __init__(self, session: Session, send: Send) -> None:
        self._session = session
        self._send = send
        self._pages: set[str] = set()
        self._lock = threading.Lock()
        self._order = threading.Lock()  # one message at a time

    def show(self, client: str, shown: bool) -> None:
        """Note whether a page shows suggestions."""
        with self._lock:
            if shown:
                self._pages.add(client)
            else:
                self._pages.discard(client)

    def check_ready(self, **_: Any) -> None:
        """Raise ValueError if a page asks for what would have to wait for the graph."""
        session = self._session
        if session.suggestions is None:
            error = session.suggestions_error
            if session.suggesting:
                raise ValueError("the suggestions are still being computed")
            if error is not None:
                raise ValueError(f"suggestions cannot be computed: {error}")
            raise ValueError("there are no suggestions: label some points first")

    def cancel(self) -> None:
        """Give up suggestions that are being made; they begin anew when a page shows them again."""
        with self._order:
            with self._lock:  # before: else they would be asked for again
                pages, self._pages = self._pages, set()
            if self._session.cancel("suggestions"):
                self._send(self._content("failed", CANCELED), [])
            else:
                with self._lock:
                    self._pages |= pages

    def send(self) -> None:
        """Send the newest suggestions, if a page shows any."""
        with self._order:
            self._send_newest()

    def _send_newest(self) -> None:
        with self._lock:
            if not self._pages:
                return
        session = self._session
        found, busy, error = session.suggestions, session.suggesting, session.suggestions_error
        state, text = "ready", ""
        if found is None:
            state = "making" if busy else "none"
            if not busy and error is not None:
                state, text = "failed", error_text(error)
        content = self._content(state, text, session.suggestions_progress)
        self._send(content, [] if found is None else buffers(found, session.supervision))

    def _content(self, state: str, error: str, progress: Progress | None = None) -> dict[str, Any]:
        return {
            "type": "suggestions",
            "state": state,
            "error": error,
            "making": "" if progress is None else str(progress),
            "share": None if progress is None else progress.share,
            "check": self._check(),
        }

    def _check(self) -> dict[str, Any] | None:
        check = self._session.suggestion_check
        if check is None:
            return None
        low, high = check.interval
        return {
            "points": check.points.tolist(),
            "answers": check.answered_class.tolist(),
            "answered": check.n_answered,
            "accuracy": finite(check.accuracy),
            "low": low,
            "high": high,
            "confidence": check.confidence,
        }


def buffers(found: Suggestions, now: Supervision) -> list[bytes]:
    """Return the arrays of a message, in the order of the schema."""
    doubtful = found.doubtful()
    doubtful = doubtful[now.top_class[doubtful] < 0][:DOUBTFUL]  # without what was accepted
    second = np.full(doubtful.size, NO_CLASS)
    if len(found.classes) > 1:
        second = np.argsort(-found.probabilities[doubtful], axis=1, kind="stable")[:, 1]
    suspicious = found.suspicious(DOUBTFUL)
    instead = found.left_out_class[suspicious]
    foretold = np.flatnonzero(found.left_out_class >= 0)
    rightly = found.left_out_class[foretold] == found.top_class[foretold]
    arrays = (
        *(found.top_class, sureness(found), doubtful, second, suspicious, instead),
        *(_steps(found.left_out_confidence[foretold]), rightly),
    )
    return [_bytes(f.type.dtype, values) for f, values in zip(SUGGESTIONS.buffers, arrays)]


def sureness(found: Suggestions) -> NDArray[np.intp]:
    """Return each point's confidence as a page has it.

    A confidence c is at least k/:data:`~nbembed.widget.wire.schema.SURENESS_STEPS` just if its code
    is at least k + 1, so that a page counts what :meth:`nbembed.Session.accept` takes.
    """
    codes = _steps(found.confidence)
    return np.where(found.reached & ~found.none_of_these, codes, 0)


def _steps(confidence: NDArray[np.float64]) -> NDArray[np.intp]:
    return np.asarray(np.searchsorted(_STEPS, confidence, side="right"))


def _bytes(dtype: str, values: ArrayLike) -> bytes:
    return np.ascontiguousarray(values, dtype=dtype).tobytes()
