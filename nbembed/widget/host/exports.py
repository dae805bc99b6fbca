"""Exports of an Explorer: tables, pictures, a page that needs no kernel."""

from __future__ import annotations

import logging
import os
from typing import TYPE_CHECKING, Any

import numpy as np

from nbembed.drawing.scene import MEASURES, picture_of
from nbembed.points import export
from nbembed.points.point_data import point_frame
from nbembed.points.text import name_of, text_of
from nbembed.session.readings.why import NEIGHBORS
from nbembed.validation import check_count, check_flag, check_text, readable
from nbembed.widget.host.still_output import StillOutput
from nbembed.widget.host.still_page import still_page
from nbembed.widget.stream.serializers import color_values
from nbembed.widget.view.view_state import view_of

if TYPE_CHECKING:
    from collections.abc import Mapping

    from numpy.typing import NDArray

    from nbembed.drawing.picture import Picture
    from nbembed.points.point_data import PointData
    from nbembed.session import Session
    from nbembed.widget.answers.query_source import Answer
    from nbembed.widget.host.autosave import View
    from nbembed.widget.stream.drawing import Drawing, FrameArtist

_logger = logging.getLogger(__name__)

#: Characters of a change in the list.
LONGEST = 300
#: Pixels of a picture that are allowed in each direction.
FEWEST_PIXELS, MOST_PIXELS = 100, 4000


class Exports:
    """Takes data and pictures out of an Explorer; its methods are the Explorer's.

    ``given`` is the table or AnnData that the user gave as X, for labels to be written into.
    """

    def __init__(
        self, widget: Any, session: Session, points: PointData, artist: FrameArtist, given: Any
    ) -> None:
        self._widget = widget
        self._session = session
        self._points = points
        self._artist = artist
        self._given = given

    # -- tables -------------------------------------------------------------------------------

    def columns(self, *, provenance: bool) -> dict[str, Any]:
        """Return layout, labels and selection, one value for each point."""
        session, widget = self._session, self._widget
        supervision = session.supervision
        columns: dict[str, Any] = dict(export.layout_columns(session.embedding))
        columns.update(export.label_columns(supervision))
        columns["selected"] = np.isin(np.arange(session.n_samples), widget.selection)
        if self._points.extra_color is not None:
            title, values = self._points.extra_color
            columns[title if title and title not in columns else "color"] = values
        if provenance:
            known = export.provenance_columns(session.label_provenance, range(session.n_samples))
            columns.update({k: v for k, v in known.items() if k not in columns})
        return columns

    def to_frame(self, *, provenance: bool) -> Any:
        """See the Explorer's method of this name."""
        check_flag("provenance", provenance)
        return point_frame(self.columns(provenance=provenance), self._points)

    def label_table(self) -> Any:
        """Return the labels as a data frame."""
        supervision, points = self._session.supervision, self._points
        labeled = supervision.labeled
        every = export.label_columns(supervision)
        columns = {
            "point": labeled,
            "label": [every["label"][i] for i in labeled.tolist()],
            "confidence": every["confidence"][labeled],
            **export.provenance_columns(self._session.label_provenance, labeled.tolist()),
        }
        return point_frame(columns, points, labeled)

    def to_csv(self, path: str | os.PathLike[str] | None, *, raw: bool = False) -> str | None:
        """See the Explorer's method of this name."""
        check_flag("raw", raw)
        columns = self.columns(provenance=True)
        index = self._points.index
        if index is not None:
            title = name_of(getattr(index, "name", None)) or "index"
            columns = {title if title not in columns else "index": list(index), **columns}
        else:
            columns = {"point": range(self._session.n_samples), **columns}
        text = export.as_csv(columns, raw=raw)
        if path is None:
            return text
        export.write_text(path, text)
        return None

    def to_anndata(self, key: str, into: Any) -> Any:
        """See the Explorer's method of this name."""
        session = self._session
        columns = {
            **export.label_columns(session.supervision),
            **export.provenance_columns(session.label_provenance, range(session.n_samples)),
        }
        plain = {k: v for k, v in session.parameters.items() if v is not None}
        about = {
            "method": session.method_name,
            "parameters": plain,
            "classes": list(session.supervision.classes),
            "iteration": session.iteration,
        }
        variables = self._points.variables
        X = self._points.described(session.X) if variables is None else variables()[0]
        return export.to_anndata(
            X, self._points.index, session.embedding, columns, about, key, into
        )

    def write_labels(self, frame: Any, column: str, *, keep: bool) -> Any:
        """See the Explorer's method of this name."""
        target = self._given if frame is None else frame
        if target is None:
            raise ValueError("frame must be given: the data of this Explorer are no table")
        check_flag("keep", keep)
        labels = export.label_columns(self._session.supervision)["label"]
        return export.write_labels(
            target, self._points.index, labels, check_text("column", column), keep=keep
        )

    # -- pictures -----------------------------------------------------------------------------

    def picture(self, *, dark: bool = False, note: str = "") -> Picture:
        """Return the whole map as it is colored now."""
        frame = self._session.frame()
        if frame.version == 0:
            note = "The map had not formed yet."
        return self.picture_from(
            self._artist.draw(frame), there=frame.version > 0, dark=dark, note=note
        )

    def picture_from(
        self, drawing: Drawing, *, there: bool = True, dark: bool = False, note: str = ""
    ) -> Picture:
        """Return the picture of a map that has been drawn."""
        widget, supervision = self._widget, self._session.supervision
        column: Mapping[str, Any] = widget.color_column
        values = color_values(widget)
        if there and widget.color_by in MEASURES:
            values = self._measured(widget.color_by)
        return picture_of(
            drawing.positions if there else drawing.positions[:0],
            color_by=widget.color_by,
            column=column,
            values=values,
            classes=self._artist.class_styles(supervision.classes),
            labels=supervision.top_class if there else supervision.top_class[:0],
            membership_colors=drawing.colors,
            borders=drawing.borders,
            names_shown=widget.names_shown,
            note=note,
            dark=dark,
        )

    def _measured(self, measure: str) -> NDArray[np.float64]:
        """Return a measure of each point of the present map; nothing where there is none."""
        why, n = self._widget.why, self._session.n_samples
        try:
            return np.asarray(why.measure(measure, max(1, min(NEIGHBORS, (n + 1) // 2 - 1))))
        except (RuntimeError, ValueError) as error:  # of so few points, or of a map that has ended
            _logger.info("a picture is not colored by %s: %s", measure, error)
            return np.zeros(0)

    def still(self) -> tuple[bytes, str]:
        """Return a PNG for the output of a cell, and what it shows."""
        session = self._session
        what = f"{session.n_samples} points, {session.method_name}, iteration {session.iteration}"
        return self.picture(note=what).png(stands_in=True), f"Map of {what}"

    def still_output(self, still: bool | str) -> StillOutput | None:
        """Return the still output for a saved notebook, as the Explorer's argument has it."""
        if not still:
            return None
        page = still == "page"
        return StillOutput(self.still, self._page if page else None)

    def _page(self) -> str:
        return self.to_html(None, "Map") or ""

    def view(self) -> View:
        """Return the view, as a file stores it."""
        return view_of(self._widget)

    @property
    def answers(self) -> dict[str, Answer]:
        """The functions that answer the queries of the History tab."""
        return {
            "changes": self.changes,
            "labels_csv": lambda: ({"text": readable(self.to_csv(None) or "")}, []),
            "web_page": lambda: ({"text": readable(self.to_html(None, "Map") or "")}, []),
        }

    def changes(self) -> tuple[dict[str, Any], list[bytes]]:
        """Return the history as the page lists it."""
        session = self._session
        changes = [
            {
                "number": change.number,
                "text": text_of(str(change), LONGEST),
                "source": "" if change.provenance is None else change.provenance.source,
                "time": None if change.provenance is None else change.provenance.time,
                "iteration": None if change.provenance is None else change.provenance.iteration,
            }
            for change in session.changes
        ]
        return {"place": session.place, "first": session.first_place, "changes": changes}, []

    def to_png(self, path: Any, width: int, height: int, *, dark: bool) -> bytes | None:
        """See the Explorer's method of this name."""
        _check_size(width, height)
        data = self.picture(dark=check_flag("dark", dark)).png(width, height)
        if path is None:
            return data
        export.write_bytes(path, data)
        return None

    def to_svg(self, path: Any, width: int, height: int, *, dark: bool) -> str | None:
        """See the Explorer's method of this name."""
        _check_size(width, height)
        text = self.picture(dark=check_flag("dark", dark)).svg(width, height)
        if path is None:
            return text
        export.write_text(path, text)
        return None

    def to_html(self, path: Any, title: str) -> str | None:
        """See the Explorer's method of this name."""
        frame = self._session.frame()
        drawing = self._artist.draw(frame)
        check_text("title", title)
        shown = self._widget.color_by
        measured = self._measured(shown) if frame.version and shown in MEASURES else np.zeros(0)
        text = still_page(self._widget, frame, drawing, self._points, title, measured)
        if path is None:
            return text
        export.write_text(path, text)
        return None


def _check_size(width: int, height: int) -> None:
    for name, value in (("width", width), ("height", height)):
        check_count(name, value, low=FEWEST_PIXELS)
        if value > MOST_PIXELS:
            raise ValueError(f"{name} must be at most {MOST_PIXELS} pixels, got {value}")
