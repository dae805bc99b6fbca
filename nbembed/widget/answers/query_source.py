"""Answers the queries of pages in a thread of its own, so that commands never wait for them."""

from __future__ import annotations

import logging
import threading
from collections.abc import Callable, Mapping, Sequence
from typing import TYPE_CHECKING, Any

from nbembed.session.live.compiled_threads import end_at_exit
from nbembed.validation import error_text
from nbembed.widget.wire import queries

if TYPE_CHECKING:
    from nbembed.widget.stream.frames import Send
    from nbembed.widget.wire.protocol import QueryMessage

_logger = logging.getLogger(__name__)

#: Returns the fields of an answer, and its buffers as bytes.
Answer = Callable[..., tuple[Mapping[str, Any], Sequence[bytes]]]
#: Queries that wait; the oldest are dropped.
LONGEST_QUEUE = 64


class QuerySource:
    """Answers one query after another. Thread-safe.

    A query overtakes an older one of the same asker that has not begun: who asks again no longer
    wants to know what he asked before.

    Parameters
    ----------
    send : callable
        ``send(content, buffers)`` of the widget.
    answers : mapping of str to callable
        For each query the function that answers it, called with the query's arguments as keywords.
    """

    def __init__(self, send: Send, answers: Mapping[str, Answer]) -> None:
        self._send = send
        self._answers = dict(answers)
        self._lock = threading.Condition()  # notified when no query is left
        self._queue: dict[tuple[str, int], QueryMessage] = {}
        self._answering = False

    def ask(self, query: QueryMessage) -> None:
        """Answer a query soon."""
        with self._lock:
            self._queue.pop((query.client, query.asker), None)
            self._queue[query.client, query.asker] = query
            if len(self._queue) > LONGEST_QUEUE:
                self._queue.pop(next(iter(self._queue)))
            if self._answering:
                return
            self._answering = True
        thread = threading.Thread(target=self._work, name="nbembed queries", daemon=True)
        end_at_exit(thread, self.drop)
        try:
            thread.start()
        except RuntimeError:  # no thread is to be had; the next query tries again for this one, too
            _logger.info("queries are not answered", exc_info=True)
            with self._lock:
                self._rest()

    def wait(self, timeout: float) -> bool:
        """Wait until no query is being answered; return whether it is so."""
        with self._lock:
            return self._lock.wait_for(lambda: not self._answering, timeout)

    def forget(self, client: str) -> None:
        """Drop what a page that is gone has asked."""
        with self._lock:
            for key in [key for key in self._queue if key[0] == client]:
                del self._queue[key]

    def drop(self) -> None:
        """Drop all that waits; what is being answered goes on."""
        with self._lock:
            self._queue.clear()

    def _rest(self) -> None:
        """Note that the thread ends (under the lock)."""
        self._answering = False
        self._lock.notify_all()

    def _work(self) -> None:
        while True:
            with self._lock:
                if not self._queue:
                    self._rest()
                    return
                query = self._queue.pop(next(iter(self._queue)))
            try:
                content, buffers = self._answer(query)
                self._send(content, buffers)
            except Exception:  # the others wait still
                _logger.info("an answer could not be sent", exc_info=True)

    def _answer(self, query: QueryMessage) -> tuple[dict[str, Any], list[bytes]]:
        content: dict[str, Any] = {
            "type": "answer",
            "client": query.client,
            "request": query.request,
            "name": query.name,
            "error": None,
            "fields": {},
        }
        try:
            fields, buffers = self._answers[query.name](**query.arguments)
            queries.QUERIES[query.name].check(fields, len(buffers))
        except Exception as error:  # what is only looked at must not fail
            if not isinstance(error, ValueError | TypeError | RuntimeError):
                _logger.info("a query could not be answered", exc_info=True)
            content["error"] = error_text(error)
            return content, []
        return {**content, "fields": dict(fields)}, list(buffers)
