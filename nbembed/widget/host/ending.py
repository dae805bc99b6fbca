"""The end of an Explorer: by its method, or since nobody can reach it any more."""

from __future__ import annotations

import threading
import warnings
from collections.abc import Callable

import anywidget

from nbembed.session import Session
from nbembed.session.live.threads import begin
from nbembed.session.shared_labels import SharedLabels
from nbembed.widget.answers.why_source import WhySource
from nbembed.widget.host.autosave import Autosave
from nbembed.widget.host.child_maps import ChildMaps
from nbembed.widget.host.lifetime import (
    LOOKING,
    WATCH,
    Displays,
    held,
    in_other_threads,
    in_use,
    try_again,
)
from nbembed.widget.host.still_output import StillOutput
from nbembed.widget.stream.sender import Sender
from nbembed.widget.stream.trait_writer import TraitWriter
from nbembed.widget.view.comparison import Comparison

#: The attributes of an Explorer that refer to its session.
PARTS = (
    "_writer", "_dispatcher", "_frames", "_artist", "_suggestions", "_cards", "_queries", "_finder",
    "_groups", "_why", "_comparison", "class_styles", "_suggested_groups",
)  # fmt: skip


class Ending(anywidget.AnyWidget):
    """Closes an Explorer, and its session if nothing else refers to it."""

    _session: Session
    _writer: TraitWriter
    _sender: Sender
    _reasons: WhySource
    _comparison: Comparison
    _shared: SharedLabels | None
    _child_maps: ChildMaps
    _autosave: Autosave | None
    _still: StillOutput | None
    _displays: Displays
    _unsubscribe: Callable[[], None]
    _owned: bool
    _closed: bool
    _ending: threading.Thread | None

    def close(self) -> None:
        """Close the widget, and its session if the Explorer made it and nothing else refers to it.

        What was labeled can still be read from here and saved; :attr:`session` stays.

        Warns
        -----
        UserWarning
            If the last changes could not be saved to the file of ``autosave``. ``session.save()``
            may still write them elsewhere.
        """
        self._close(wait=True)

    def _close(self, *, wait: bool) -> None:
        # Called by __del__ too, also where __init__ has raised.
        if hasattr(self, "_displays") and not self._closed:
            self._closed = True
            self._displays.end()
            WATCH.remove(self._displays)
            self._unsubscribe()
            self._child_maps.let_go()
            if self._shared is not None:
                self._shared.close()
                self._shared = None  # it refers to the session of all points
            self._comparison.close()
            self._sender.close()
            self._reasons.close()
            for part in (self._autosave, self._still):
                if part is not None:
                    part.close()
            layout = self.layout
            super().close()
            if not held(layout, [self._trait_values]):
                layout.close()
            if self._owned:
                self._end_session(wait=wait)
            if self._autosave is not None and self._autosave.lost:
                warnings.warn(self._autosave.lost, stacklevel=3)
        super().close()

    def _end_session(self, *, wait: bool = False) -> None:
        """End the session; if something else refers to it, look again after the next cell.

        A thread that draws a picture or answers a query refers to it for a moment, which no cell
        may follow. So it is looked at again meanwhile, too.
        """
        if not self._ended_session(wait=wait):
            WATCH.add(self._displays, self._ended_session)
            try_again(self._ended_session)

    def _ended_session(self, *, wait: bool = False) -> bool:
        """End the session unless something else refers to it; return whether it has been ended."""
        parts = (self, *(getattr(self, name) for name in PARTS))
        with LOOKING:
            end = self._ending
            if end is None:
                if in_use(self, "_session", parts):
                    return False
                WATCH.remove(self._displays)
                end = self._ending = begin("nbembed ending", self._session.close)
        if wait:
            end.join()
        return True

    def _close_unless_held(self) -> None:
        """Close what no page shows and nobody refers to; do not wait for the worker's turn."""
        with LOOKING:
            if held(self, [self._writer]) or in_other_threads(self):
                return
        self._close(wait=False)

    def _end_if_unneeded(self) -> bool:
        """Close this if no page shows it and nobody refers to it; return whether it is closed."""
        if self._displays.gone:
            self._close_unless_held()
        return self._closed
