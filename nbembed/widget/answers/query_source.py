"""Answers the queries of pages in a thread of its own, so that commands never wait for them."""

from __future__ import annotations

import logging
from collections.abc import Callable, Mapping, Sequence
from functools import partial
from typing import Any

from nbembed.session.live.background import BackgroundTask
from nbembed.validation import error_text
from nbembed.widget.stream.frames import Send
from nbembed.widget.wire import queries
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

    * send: ``send(content, buffers)`` of the widget.
    * answers: for each query the function that answers it, called with the query's arguments as
      keywords.
    """

    def __init__(self, send: Send, answers: Mapping[str, Answer]) -> None:
        self._send = send
        self._answers = dict(answers)
        self._task = BackgroundTask("nbembed queries", most=LONGEST_QUEUE)

    def ask(self, query: QueryMessage) -> None:
        """Answer a query soon."""
        self._task.put((query.client, query.asker), partial(self._reply, query))

    def wait(self, timeout: float) -> bool:
        """Wait until no query is being answered; return whether it is so."""
        return self._task.rest(timeout)

    def forget(self, client: str) -> None:
        """Drop what a page that is gone has asked."""
        self._task.drop(lambda key: key[0] == client)

    def _reply(self, query: QueryMessage) -> None:
        try:
            self._send(*self._answer(query))
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
