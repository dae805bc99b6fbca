"""Events of the session and messages of the pages that come to an Explorer.

Events come in the session's worker, which only sets flags; all work is done in the sender's thread.
Messages are checked, carried out and answered in the main thread or another one of the kernel's.
"""

from __future__ import annotations

import logging
from collections.abc import Callable, Mapping, Sequence
from typing import Any

import anywidget
import numpy as np
from numpy.typing import NDArray

from nbembed.session import Session
from nbembed.session.live.warm_up import warm_up
from nbembed.session.readings.why import Why
from nbembed.validation import error_text
from nbembed.widget.answers.cards import CardSource
from nbembed.widget.answers.query_source import QuerySource
from nbembed.widget.answers.suggested_groups import SuggestedGroupSource
from nbembed.widget.answers.suggestion_source import SuggestionSource
from nbembed.widget.host.autosave import Autosave
from nbembed.widget.host.hosts import Outbox
from nbembed.widget.host.lifetime import WATCH, Displays
from nbembed.widget.host.still_output import StillOutput
from nbembed.widget.stream import serializers
from nbembed.widget.stream.dispatcher import CommandDispatcher
from nbembed.widget.stream.frames import FrameSource
from nbembed.widget.stream.sender import Sender
from nbembed.widget.stream.trait_writer import TraitWriter
from nbembed.widget.view.comparison import Comparison
from nbembed.widget.wire import protocol, schema

_logger = logging.getLogger(__name__)


class Hearing(anywidget.AnyWidget):
    """Hears the session and the pages of an Explorer."""

    n_samples: int
    selection: Any
    _session: Session
    _why: Why
    _writer: TraitWriter
    _dispatcher: CommandDispatcher
    _frames: FrameSource
    _sender: Sender
    _outbox: Outbox | None
    _displays: Displays
    _queries: QuerySource
    _cards: CardSource
    _suggestions: SuggestionSource
    _suggested_groups: SuggestedGroupSource
    _comparison: Comparison
    _autosave: Autosave | None
    _still: StillOutput | None

    #: What the selected points were chosen with, if the page said so.
    _selected_by = ""

    # -- from the session ---------------------------------------------------------------------

    def _notify(self, event: str) -> None:
        self._dispatcher.notify(event)
        self._sender.poke(event)
        for part in (self._autosave, self._still):
            if part is not None:
                part.note(event)
        if event == "state":
            self._sender.rest(self._session.state != "running")

    def _send_frame(self, number: Callable[[int], int], newer_than: int) -> bool:
        sent = self._frames.send(number, newer_than)
        if sent:  # somebody looks at a map, and may label it next
            warm_up(self._session.recipe, self._session.n_samples)
        return sent

    def _tell_style(self) -> None:
        self._sender.poke("supervision")
        self._tell_view()

    def _tell_view(self, _: Any = None) -> None:
        """Save the view, if the session is saved automatically."""
        if self._autosave is not None:
            self._autosave.note("view")

    def _tell_compiling(self) -> None:
        self._sender.poke("compiling")

    def _tell_comparison(self) -> None:
        self._sender.poke("comparison")

    def _write(self, events: set[str]) -> None:
        if self._outbox is not None:
            self._outbox.flush()  # a frame made before is older than what the traits say now
        self._writer.write(events)
        if events & {"supervision", "method"} and self._session.state != "running":
            # The colors of classes may differ. While the map moves, its next layout has them: the
            # last one again would be drawn first and keep that layout waiting.
            self._sender.resend()
        if "suggestions" in events:
            self._suggestions.send()
        if "comparison" in events:
            self._comparison.write()

    def _tell_saved(self, name: str, error: str) -> None:
        self._writer.update({"saved_to": name, "save_error": error})

    # -- from a page --------------------------------------------------------------------------

    def set_state(self, sync_data: Mapping[str, Any]) -> None:
        """Take values of traits from a page: only of those that the schema lets it write."""
        allowed = {k: v for k, v in sync_data.items() if k in schema.WRITABLE_BY_PAGE}
        refused = [name for name in sync_data if name not in allowed and name in self.keys]
        if allowed:
            with self._writer.writing():
                super().set_state(allowed)
        if refused:
            _logger.warning(
                "nbembed: the page tried to set traits that it may not set: %s", ", ".join(refused)
            )
            self.send_state(refused)  # so that the page has what Python has

    def notify_change(self, change: Any) -> None:
        """Tell observers; one that fails while a page or the session changes a trait is logged.

        Where Python code assigns a trait, it gets the error.
        """
        try:
            super().notify_change(change)
        except Exception:
            if not (hasattr(self, "_writer") and self._writer.writes):
                raise
            _logger.exception("nbembed: an observer of %r failed", change["name"])

    def _receive(self, _: Any, content: Any, buffers: Sequence[Any]) -> None:
        self._handle(content, buffers)
        if self._outbox is not None:
            self._sender.turn()
            self._outbox.flush()

    def _handle(self, content: Any, buffers: Sequence[Any]) -> None:
        try:
            message = protocol.parse(content, buffers, self.n_samples)
        except protocol.ProtocolError as error:
            self._reply(error.client, error.request, str(error))
            return
        try:
            self._act(message)
        except Exception as error:  # of the user's code; without an answer a page gives up
            _logger.exception("nbembed: a message from the page could not be answered")
            request = getattr(message, "request", 0)
            self._reply(message.client, request, error_text(error))

    def _act(
        self, message: protocol.Message | protocol.CommandMessage | protocol.QueryMessage
    ) -> None:
        client = message.client
        if isinstance(message, protocol.CommandMessage):
            self._sender.watch(client, True)
            self._reply(client, message.request, self._dispatcher.dispatch(message))
        elif isinstance(message, protocol.QueryMessage):
            self._queries.ask(message)
        elif message.type == "ack":
            self._sender.acknowledge(message.fields["seq"], client)
        elif message.type == "hello":
            self._frames.forget_sent()
            self._sender.watch(client, True)
            self._reply(client, 0, None)  # so that the page knows that it is heard
        elif message.type == "poll":
            self._reply(client, 0, None)  # so that it asks again
        elif message.type == "visible":
            self._sender.watch(client, message.fields["visible"])
        elif message.type == "suggesting":
            self._suggestions.show(client, message.fields["shown"])
            self._sender.poke("suggestions")
        elif message.type == "inspect":
            self._cards.card(client, message.fields["point"])
        elif message.type == "naming":
            self._cards.names(client, message.fields["points"])
        elif message.type == "precision":
            if self._frames.need_precision(client, message.fields["full"]):
                self._sender.resend()
        elif message.type == "views":
            self._displays.report(client, message.fields["count"])
            if self._displays.gone:
                WATCH.look_soon()
        elif message.type == "bye":
            self._displays.forget(client)
            self._sender.leave(client)
            self._frames.need_precision(client, False)
            self._dispatcher.forget(client)
            self._queries.forget(client)
            self._suggestions.show(client, False)

    def _select(self, points: NDArray[np.intp], by: str = "") -> None:
        self._selected_by = by
        self._writer.update({"selection": points})

    def _chosen_by(self, points: Any) -> str:
        return self._selected_by if np.array_equal(points, self.selection) else ""

    def _check_suggestions(self, size: int, confidence: float) -> None:
        self._session.check_suggestions(size, confidence=confidence)

    def _end_check(self) -> None:
        self._session.end_check()

    def _check_offered(self, **parameters: Any) -> None:
        serializers.check_offered(self._session, parameters)

    def _set_word(self, name: str, word: str) -> None:
        serializers.check_offered(self._session, [name])
        offered = {p.name: p for p in self._session.recipe.prepared_parameters}
        self._session.set(**{name: offered[name].value_of(word) if name in offered else word})

    def _cancel(self, what: str) -> None:
        if what in ("unsupervised", "stability"):
            self._why.cancel(what)
        elif what == "suggestions":
            self._suggestions.cancel()
        elif what == "groups":
            self._suggested_groups.cancel()
        else:
            self._session.cancel(what)

    def _send_message(self, content: dict[str, Any], buffers: list[bytes] | None = None) -> None:
        (self._send_now if self._outbox is None else self._outbox.put)(content, buffers)

    def _send_now(self, content: dict[str, Any], buffers: list[bytes] | None) -> None:
        self.send(content, buffers)

    def _reply(self, client: str, request: int, error: str | None) -> None:
        self._send_message(
            {
                "type": "reply",
                "client": client,
                "request": request,
                "ok": error is None,
                "error": None if error is None else error_text(error),
            }
        )
