"""Writes the synced traits of an Explorer: what a page that loads later needs."""

from __future__ import annotations

import threading
from collections.abc import Callable, Iterable, Iterator, Mapping
from contextlib import contextmanager
from typing import Any

from nbembed.data.distances import name_of
from nbembed.kernels.compilation import compiling
from nbembed.session import Session
from nbembed.widget.stream import serializers
from nbembed.widget.stream.drawing import Drawing, FrameArtist
from nbembed.widget.wire.protocol import encode, finite


class TraitWriter:
    """Brings changes of a session into the traits of a widget. Thread-safe.

    ``has_column`` says whether there is a column to color by.
    """

    def __init__(
        self, widget: Any, session: Session, artist: FrameArtist, *, has_column: bool
    ) -> None:
        self._widget = widget
        self._session = session
        self._artist = artist
        self._has_column = has_column
        self._has_memberships = False
        self._color_chosen = False
        self._lock = threading.RLock()
        self._thread = threading.local()
        supervision, parameters = self._supervision, self._parameters
        history, state = self._history, self._state
        #: What to read again for each event of the session.
        self._readers: Mapping[str, tuple[Callable[[], dict[str, Any]], ...]] = {
            "supervision": (supervision, parameters, history, state),
            "parameters": (parameters, history, state),
            "method": (self._methods, parameters, history, state),
            "state": (state, history),
            "learning": (state,),
            "waiting": (self._methods, supervision, parameters, history, state),
            "progress": (self._progress,),
            "compiling": (self._compiling,),
            "error": (state,),
        }

    def also(self, event: str, read: Callable[[], dict[str, Any]]) -> None:
        """Let an event write further traits."""
        self._readers = {**self._readers, event: (*self._readers.get(event, ()), read)}

    def write(self, events: Iterable[str] | None = None) -> None:
        """Write what the events changed; by default everything."""
        events = self._readers if events is None else events
        readers = dict.fromkeys(r for event in events for r in self._readers.get(event, ()))
        changes: dict[str, Any] = {}
        for read in readers:
            changes.update(read())
        self.update(changes)

    def write_at_rest(self) -> None:
        """Write layout and measures too, which change with every iteration."""
        session = self._session
        if session.state == "running" and self._widget.coordinates:
            return
        frame = session.frame()
        drawing = self._artist.draw(frame)
        self.follow_memberships(drawing)
        colors = drawing.colors
        self.update(
            {
                **self._state(),
                **self._parameters(),
                **self._history(),
                **drawing.annotations,
                "coordinates": encode("coordinates", drawing.positions) if frame.version else b"",
                "membership_colors": (
                    b"" if colors is None else encode("membership_colors", colors)
                ),
                "iteration": frame.iteration,
                "cost": finite(frame.cost),
                "quality": finite(frame.quality),
                "history": serializers.history(session),
            }
        )

    def write_path(self) -> None:
        """Write the path if it has grown."""
        if len(self._session.path) != len(self._widget.path):
            self.update({"path": serializers.path(self._session)})

    def update(self, changes: Mapping[str, Any]) -> None:
        """Set traits, in one message to the pages."""
        with self._lock, self.writing(), self._widget.hold_sync():
            for name, value in changes.items():
                setattr(self._widget, name, value)

    @contextmanager
    def writing(self) -> Iterator[None]:
        """Mark what this thread changes as not assigned by the user's code."""
        before, self._thread.writes = self.writes, True
        try:
            yield
        finally:
            self._thread.writes = before

    @property
    def writes(self) -> bool:
        """True while this thread changes traits for a page or the session.

        Nobody who could handle the error of an observer has called it then.
        """
        return getattr(self._thread, "writes", False)

    # -- what colors the points ---------------------------------------------------------------

    def follow_memberships(self, drawing: Drawing) -> None:
        """Color by class probability while the method has any, unless someone has chosen.

        A column that was given stays where labels are carried: no region of the map is a class's.
        """
        there = drawing.colors is not None and (drawing.has_regions or not self._has_column)
        if there != self._has_memberships:
            self._has_memberships = there
            if not self._color_chosen:
                self.update({"color_by": self.default_color})

    def choose_column(self, traits: Mapping[str, Any]) -> None:
        """Color by a column that someone has chosen."""
        self._has_column = self._color_chosen = True
        self.update({**traits, "color_by": "column"})

    def color_changed(self, change: Any) -> None:
        """Note that someone has chosen what colors the points."""
        if change.new != self.default_color:
            self._color_chosen = True

    @property
    def default_color(self) -> str:
        """The coloring of the points until someone chooses one."""
        if self._has_memberships:
            return "probability"
        return "column" if self._has_column else "class"

    # -- parts of the session -----------------------------------------------------------------

    def _supervision(self) -> dict[str, Any]:
        supervision = self._session.supervision
        return {
            **serializers.supervision_traits(supervision),
            "classes": self._artist.class_styles(supervision.classes),
        }

    def _methods(self) -> dict[str, Any]:
        methods = self._session.methods
        return {
            "methods": list(methods),
            "method_groups": serializers.method_groups(methods),
        }

    def _parameters(self) -> dict[str, Any]:
        session = self._session
        return {
            "method": session.method_name,
            "quality_metric": name_of(session.recipe.quality_metric),
            "parameters": serializers.parameters(session),
            "controls": serializers.controls(session),
            "prepared": serializers.prepared(session),
            "class_count": serializers.class_count(session),
            "path_symbol": serializers.path_symbol(session),
        }

    def _history(self) -> dict[str, Any]:
        session = self._session
        return {
            "undo": session.undo_text,
            "redo": session.redo_text,
            "chosen_step": serializers.chosen_step(session),
            "path": serializers.path(session),
            "selections": serializers.saved_selections(session),
            "new_rows": serializers.new_rows(session),
        }

    @staticmethod
    def _compiling() -> dict[str, Any]:
        return {"compiling": compiling()}

    def _progress(self) -> dict[str, Any]:
        return serializers.progress(self._session)

    def _state(self) -> dict[str, Any]:
        session = self._session
        return {
            **self._progress(),
            "state": session.state,
            "error": serializers.error(session),
            "learning": session.learning,
            "learning_error": serializers.learning_error(session),
            "request": session.request,
            "worse_optimum": session.worse_optimum,
        }
