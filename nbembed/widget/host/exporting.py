"""Takes data and pictures out of an Explorer: tables, pictures, a page that needs no kernel."""

from __future__ import annotations

import logging
import os
from collections.abc import Mapping
from typing import Any

import numpy as np
from numpy.typing import NDArray

from nbembed.drawing.picture import Picture
from nbembed.drawing.scene import MEASURES, picture_of
from nbembed.points import export
from nbembed.points.point_data import PointData, point_frame
from nbembed.points.text import name_of, text_of
from nbembed.session import Session
from nbembed.session.readings.why import NEIGHBORS, Why
from nbembed.validation import check_count, check_flag, check_text, readable
from nbembed.widget.answers.query_source import Answer
from nbembed.widget.host.autosave import View
from nbembed.widget.host.still_output import StillOutput
from nbembed.widget.host.still_page import still_page
from nbembed.widget.stream.drawing import FrameArtist
from nbembed.widget.stream.serializers import color_values
from nbembed.widget.view.view_state import view_of

_logger = logging.getLogger(__name__)

#: Characters of a change in the list.
LONGEST = 300
#: Pixels of a picture that are allowed in each direction.
FEWEST_PIXELS, MOST_PIXELS = 100, 4000


class Exporting:
    """Tables, pictures and pages of an Explorer."""

    color_by: str
    color_column: Mapping[str, Any]
    names_shown: bool
    selection: Any
    _session: Session
    _why: Why
    _points: PointData
    _artist: FrameArtist
    #: The table or AnnData that the user gave as X, for labels to be written into.
    _given: Any

    def to_frame(self, *, provenance: bool = False) -> Any:
        """Return layout, labels and selection as a data frame with one row for each point.

        It is a polars frame if the data are one, else a pandas frame with the index of the data, so
        that ``df.join(explorer.to_frame())`` adds it to a pandas ``df``. That needs an index
        without duplicates, and no equal names of columns; pandas' ``join`` takes a ``rsuffix``, and
        ``pd.concat([df.reset_index(drop=True), frame.reset_index(drop=True)], axis=1)`` goes by the
        order of the rows.

        Columns: ``x``, ``y`` (``z`` or ``y0``, ``y1``, … with more dimensions), ``label``,
        ``confidence``, ``selected``, and the color column under its own name or ``color``, unless
        it is a column of the data.

        Parameters
        ----------
        provenance : bool, default=False
            Whether to add the columns ``source``, ``how``, ``time`` and ``iteration`` of
            :meth:`label_table`.

        Warns
        -----
        UserWarning
            If labels of the index occur more than once.

        Raises
        ------
        ImportError
            If pandas, which nbembed does not require, is not installed.
        """
        check_flag("provenance", provenance)
        return point_frame(self._columns(provenance=provenance), self._points)

    def label_table(self) -> Any:
        """Return the labels as data: a data frame with one row for each labeled point.

        Columns: ``point``, ``label``, ``confidence``, ``source`` ("hand" in the page, "suggestion"
        accepted, "code" in Python), ``how`` (what the points were chosen with, such as "lasso"),
        ``time`` (UTC) and ``iteration`` of the map when the label was given. The last four are
        missing where they are not known, as in files of earlier versions. The frame is of the kind
        that :meth:`to_frame` returns.

        Raises
        ------
        ImportError
            If pandas, which nbembed does not require, is not installed.
        """
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

    def to_csv(
        self, path: str | os.PathLike[str] | None = None, *, raw: bool = False
    ) -> str | None:
        """Write all points with layout, labels and provenance as CSV, or return that text.

        Columns are those of ``to_frame(provenance=True)`` after the labels of the rows (``index``,
        or its own name), or the number of the point where rows have none. Missing values are empty,
        times are in ISO 8601. It needs no pandas.

        Parameters
        ----------
        path : path-like, optional
            Written as a whole or not at all, in UTF-8. Without it the text is returned.
        raw : bool, default=False
            Whether to write all text as it is. By default an apostrophe comes before text that a
            spreadsheet would take for a formula: text that begins with =, +, -, @, tab or the end
            of a line and is no number.

        Raises
        ------
        OSError
            If no file can be written there.
        """
        check_flag("raw", raw)
        columns = self._columns(provenance=True)
        index = self._points.index
        if index is not None:
            title = name_of(getattr(index, "name", None)) or "index"
            columns = {title if title not in columns else "index": list(index), **columns}
        else:
            columns = {"point": range(self._session.n_samples), **columns}
        return export.handed_out(export.as_csv(columns, raw=raw), path)

    def to_anndata(self, key: str = "nbembed", *, into: Any = None) -> Any:
        """Return the map and the labels in an AnnData.

        The layout is ``obsm["X_" + key]``; label, confidence and provenance are columns of ``obs``
        that begin with the key, such as ``nbembed_label``; method, parameters and classes are in
        ``uns[key]``.

        Parameters
        ----------
        key : str, default="nbembed"
        into : AnnData, optional
            The AnnData to write into, such as the data; by default a new one of the features that
            are embedded.

        Raises
        ------
        ImportError
            If anndata, which nbembed does not require, is not installed.
        TypeError, ValueError
            If ``into`` is no AnnData of these points.
        """
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

    def write_labels(self, frame: Any = None, column: str = "label", *, keep: bool = True) -> Any:
        """Write the labels into a column of your table, and return the table.

        A pandas DataFrame and the ``obs`` of an AnnData are changed in place; polars frames cannot
        be, so use what is returned. Rows of a pandas frame are found by their index.

        Parameters
        ----------
        frame : DataFrame or AnnData, optional
            By default the data of the Explorer.
        column : str, default="label"
            A column of numbers takes classes whose names are numbers.
        keep : bool, default=True
            Whether points without a label keep what the column has; else they have none.

        Raises
        ------
        ValueError
            If the rows are not the points, or the column cannot hold a class's name.
        TypeError
            If it is no such table.
        """
        target = self._given if frame is None else frame
        if target is None:
            raise ValueError("frame must be given, because X is not a table")
        check_flag("keep", keep)
        labels = export.label_columns(self._session.supervision)["label"]
        return export.write_labels(
            target, self._points.index, labels, check_text("column", column), keep=keep
        )

    def to_png(
        self,
        path: str | os.PathLike[str] | None = None,
        width: int = 900,
        height: int = 640,
        *,
        dark: bool = False,
    ) -> bytes | None:
        """Draw the whole map as a PNG with a legend: write it, or return its bytes.

        Points are colored as they are now (:attr:`color_by`). The History tab of the page exports
        the picture at the zoom that is seen there.

        Parameters
        ----------
        path : path-like, optional
        width, height : int
            In pixels, from 100 to 4000.
        dark : bool, default=False
            Whether the background is dark.

        Raises
        ------
        ValueError, TypeError
            If an argument is not legal.
        OSError
            If no file can be written there.
        """
        _check_size(width, height)
        picture = self._picture(dark=check_flag("dark", dark))
        return export.handed_out(picture.png(width, height), path)

    def to_svg(
        self,
        path: str | os.PathLike[str] | None = None,
        width: int = 900,
        height: int = 640,
        *,
        dark: bool = False,
    ) -> str | None:
        """Draw the whole map as an SVG with a legend: write it, or return its text.

        Parameters, errors and colors are those of :meth:`to_png`. Every point is an element of its
        own, so that files of many points are large.
        """
        _check_size(width, height)
        picture = self._picture(dark=check_flag("dark", dark))
        return export.handed_out(picture.svg(width, height), path)

    def to_html(self, path: str | os.PathLike[str] | None = None, title: str = "Map") -> str | None:
        """Write a page with the map that needs neither kernel nor network, or return its text.

        It pans, zooms, selects, and shows cards, as the Explorer does. Cards are in it as far as
        they take no more than some megabytes, those of the first points first. Before there is a
        map, the page says so.

        Parameters
        ----------
        path : path-like, optional
            Written as a whole or not at all. Without it the text is returned.
        title : str, default="Map"

        Raises
        ------
        OSError
            If no file can be written there.
        """
        frame = self._session.frame()
        drawing = self._artist.draw(frame)
        check_text("title", title)
        shown = self.color_by
        measured = self._measured(shown) if frame.version and shown in MEASURES else np.zeros(0)
        page = still_page(self, frame, drawing, self._points, title, measured)
        return export.handed_out(page, path)

    # -- what others take out of it -------------------------------------------------------------

    def _columns(self, *, provenance: bool) -> dict[str, Any]:
        """Return layout, labels and selection, one value for each point."""
        session = self._session
        supervision = session.supervision
        columns: dict[str, Any] = dict(export.layout_columns(session.embedding))
        columns.update(export.label_columns(supervision))
        columns["selected"] = np.isin(np.arange(session.n_samples), self.selection)
        if self._points.extra_color is not None:
            title, values = self._points.extra_color
            columns[title if title and title not in columns else "color"] = values
        if provenance:
            known = export.provenance_columns(session.label_provenance, range(session.n_samples))
            columns.update({k: v for k, v in known.items() if k not in columns})
        return columns

    def _picture(self, *, dark: bool = False, note: str = "") -> Picture:
        """Return the whole map as it is colored now."""
        frame = self._session.frame()
        drawing, there = self._artist.draw(frame), frame.version > 0
        if not there:
            note = "The map had not formed yet."
        supervision = self._session.supervision
        values = color_values(self)
        if there and self.color_by in MEASURES:
            values = self._measured(self.color_by)
        return picture_of(
            drawing.positions if there else drawing.positions[:0],
            color_by=self.color_by,
            column=self.color_column,
            values=values,
            classes=self._artist.class_styles(supervision.classes),
            labels=supervision.top_class if there else supervision.top_class[:0],
            membership_colors=drawing.colors,
            borders=drawing.borders,
            names_shown=self.names_shown,
            note=note,
            dark=dark,
        )

    def _measured(self, measure: str) -> NDArray[np.float64]:
        """Return a measure of each point of the present map; nothing where there is none."""
        n = self._session.n_samples
        try:
            return np.asarray(self._why.measure(measure, max(1, min(NEIGHBORS, (n + 1) // 2 - 1))))
        except (RuntimeError, ValueError) as error:  # of so few points, or of a map that has ended
            _logger.info("a picture could not be colored by %s: %s", measure, error)
            return np.zeros(0)

    def _draw_still(self) -> tuple[bytes, str]:
        """Return a PNG for the output of a cell, and what it shows."""
        session = self._session
        what = f"{session.n_samples} points, {session.method_name}, iteration {session.iteration}"
        return self._picture(note=what).png(stands_in=True), f"Map of {what}"

    def _still_output(self, still: bool | str) -> StillOutput | None:
        """Return the still output for a saved notebook, as the Explorer's argument has it."""
        if not still:
            return None
        page = still == "page"
        return StillOutput(self._draw_still, self._page if page else None)

    def _view(self) -> View:
        """Return the view, as a file stores it."""
        return view_of(self)

    @property
    def _export_answers(self) -> dict[str, Answer]:
        """The functions that answer the queries of the History tab."""
        return {
            "changes": self._changes,
            "change_code": self._change_code,
            "labels_csv": self._labels_csv,
            "web_page": self._web_page,
        }

    def _change_code(self, number: int) -> tuple[dict[str, Any], list[bytes]]:
        return {"text": self._session.to_script(number)}, []

    def _labels_csv(self) -> tuple[dict[str, Any], list[bytes]]:
        return {"text": readable(self.to_csv() or "")}, []

    def _web_page(self) -> tuple[dict[str, Any], list[bytes]]:
        return {"text": readable(self._page())}, []

    def _page(self) -> str:
        return self.to_html() or ""

    def _changes(self) -> tuple[dict[str, Any], list[bytes]]:
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


def _check_size(width: int, height: int) -> None:
    for name, value in (("width", width), ("height", height)):
        check_count(name, value, low=FEWEST_PIXELS)
        if value > MOST_PIXELS:
            raise ValueError(f"{name} must be at most {MOST_PIXELS} pixels, got {value}")
