"""The methods of an Explorer that take something out of it; `exports` does the work."""

from __future__ import annotations

import os
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from nbembed.widget.host.exports import Exports


class Exporting:
    """Tables, pictures and pages of an Explorer."""

    _exports: Exports

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
        return self._exports.to_frame(provenance=provenance)

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
        return self._exports.label_table()

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
        return self._exports.to_csv(path, raw=raw)

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
        return self._exports.to_anndata(key, into)

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
        return self._exports.write_labels(frame, column, keep=keep)

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
        return self._exports.to_png(path, width, height, dark=dark)

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
        return self._exports.to_svg(path, width, height, dark=dark)

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
        return self._exports.to_html(path, title)
