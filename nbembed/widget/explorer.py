"""Explorer: a session seen and steered from a notebook; a view of it and nothing more."""

from __future__ import annotations

import os
import pathlib
import threading
from collections.abc import Callable, Sequence
from functools import partial
from typing import Any

from numpy.typing import ArrayLike, NDArray

from nbembed.drawing.class_palette import ClassPalette
from nbembed.kernels import compilation
from nbembed.methods.estimator import Estimator
from nbembed.methods.recipe import Recipe
from nbembed.points.point_data import PointData
from nbembed.session import Session
from nbembed.session.core.handle import Handle
from nbembed.session.readings.why import Why
from nbembed.supervision import Supervision
from nbembed.supervision.conversion import in_natural_order, relabeled
from nbembed.validation import check_flag, shown
from nbembed.widget.answers.cards import CardSource
from nbembed.widget.answers.data_source import DataSource
from nbembed.widget.answers.finder import Finder
from nbembed.widget.answers.finding import Finding
from nbembed.widget.answers.group_source import GroupSource
from nbembed.widget.answers.query_source import QuerySource
from nbembed.widget.answers.small_images import answer_images
from nbembed.widget.answers.suggested_groups import SuggestedGroupSource
from nbembed.widget.answers.suggestion_source import SuggestionSource
from nbembed.widget.answers.why_source import WhySource
from nbembed.widget.host import hosts
from nbembed.widget.host.autosave import Autosave
from nbembed.widget.host.child_maps import ChildMaps
from nbembed.widget.host.ending import Ending
from nbembed.widget.host.exporting import Exporting
from nbembed.widget.host.hearing import Hearing
from nbembed.widget.host.lifetime import WATCH, Displays
from nbembed.widget.host.opening import open_session
from nbembed.widget.host.other_maps import OtherMaps
from nbembed.widget.host.still_output import check_still
from nbembed.widget.stream import serializers
from nbembed.widget.stream.dispatcher import CommandDispatcher
from nbembed.widget.stream.drawing import FrameArtist
from nbembed.widget.stream.frames import FrameSource, frames_ahead
from nbembed.widget.stream.sender import Sender
from nbembed.widget.stream.trait_writer import TraitWriter
from nbembed.widget.view.class_styles import ClassStyles
from nbembed.widget.view.coloring import Coloring, ColumnChoice
from nbembed.widget.view.comparing import Comparing
from nbembed.widget.view.comparison import Comparison
from nbembed.widget.view.own_figure import Docking, OwnFigure
from nbembed.widget.view.view_state import VIEWED, present_view
from nbembed.widget.wire import schema

_STATIC = pathlib.Path(__file__).parent / "static"

if not (_STATIC / "explorer.js").exists():
    raise ImportError(
        f"the Explorer's front end is missing ({_STATIC / 'explorer.js'}); install nbembed with "
        "pip, or run `npm ci && npm run build` in nbembed/widget/frontend"
    )


class Explorer(
    Handle, Finding, Coloring, Comparing, Docking, OtherMaps, Exporting, Hearing, Ending
):
    """Watch an embedding form, and steer it.

    Parameters
    ----------
    X : DataFrame, AnnData, list of str or array-like of shape (n_samples, n_features), optional
        The data. Not together with ``session``. They are prepared as their kind asks
        (``prepare``); :attr:`data_note` says how. Images may have the shape (n_samples, height,
        width) or (n_samples, height, width, 3 or 4).
    method : estimator or Recipe, optional
        Copied; ``HSSNE()`` by default. A method that leaves its dimensions open is laid out on the
        plane (:meth:`nbembed.Recipe.in_plane`).
    supervision : array-like, name of a column or Supervision, optional
        Labels at the start, as a series of names with ``None`` or NaN where there is none, or the
        name of such a column, which is then not embedded. Also whole numbers with −1 for unlabeled
        points, rows of class probabilities with NaN rows for unlabeled points, or a
        :class:`~nbembed.Supervision`, which knows links, too.
    session : Session, optional
        Show this session instead of a new one.
    color : array-like of shape (n_samples,) or name of a column, optional
        True classes, or any other values to color the points by. They never reach the method.
    features : name or list of names, optional
        The columns that are embedded; by default those that :class:`~nbembed.Preparation` takes,
        without those that ``color``, ``supervision``, ``names`` and ``images`` name. Of an AnnData,
        variables or the key of one of its ``obsm``.
    feature_names : sequence of str, optional
        What the features of an array are called where a group is described, such as the words that
        were counted. The columns of a DataFrame and the variables of an AnnData have names.
    standardize : bool, optional
        Whether each feature is scaled to mean 0 and variance 1. By default the columns of a
        DataFrame are, and arrays and AnnData are not.
    prepare : "auto", None or transformer, default="auto"
        What is done with the data before distances are taken: as :class:`~nbembed.Preparation`
        finds it right for them, nothing, or what a transformer of scikit-learn does, which is
        copied and fitted. Groups, cards, *Find* and colors go on speaking of the columns as given.
    missing : {"median", "mean", "neighbors", "error"}, optional
        What fills missing and infinite numbers, by default the median of their column.
    names : array-like of shape (n_samples,) or name of a column, optional
        What the points are called. By default the labels of the rows, if they are not just counted;
        IDs, such as bar codes, are on cards and in *Find* and not on the map unless given here.
    columns : list of names or table, optional
        The columns that cards show. By default those that are not embedded come first, twelve at
        most. For arrays and sessions, a table (DataFrame or mapping of columns).
    images : array or sequence of n_samples images, or name of a column, optional
        Shown on cards: arrays of gray values (height, width) or colors (height, width, 3 or 4),
        bytes of image files, paths, ``None``, or the records of Hugging Face data sets with
        "bytes" and "path". Arrays of type uint8 are shown as they are, other numbers from black to
        white. Photographs are turned as their EXIF says. A file that would be decoded to more than
        40 million pixels is refused.
    height : int, optional
        Height of the Explorer in pixels. The sidebar scrolls; tables, snapshots and notices open
        below, and in a narrow cell the sidebar does, too.
    autoplay : bool, optional
        Whether to start the run at once. By default a new session starts, and one that is given or
        read from a file is left unchanged.
    autosave : path-like, optional
        A session file that is written after every change. If it exists already, the Explorer goes
        on from it: labels, parameters, history and map are those of the file, so that running the
        same cell again after the kernel was restarted brings all back. ``Explorer(autosave=path)``
        alone opens the file with the data in it.
    still : bool or "page", default=True
        Whether the output of a notebook's cell also has a picture of the map, for where no kernel
        runs. Pages with a live map hide it. With "page", the page that :meth:`to_html` writes lies
        over the picture; the notebook is larger by it.

    Attributes
    ----------
    session : Session
        The session that is shown. A given session is never closed; one that the Explorer made is
        closed with it, unless something else refers to it.
    selection : ndarray of int
        The selected points, sorted. Can be set to indices, a mask or ``None``, and observed.
    cards : ndarray of int
        The points whose cards are kept open. Can be set and observed, too.
    names_shown : bool
        Whether the map shows names of points and classes where there is room. Can be set.
    thumbnails_shown : bool
        Whether the map shows the images of points where few are in view. Can be set.
    sidebar_width : int
        Width of the panel beside the map in pixels, at most a third of the Explorer; 0 is the usual
        width. Can be set.
    explained : int or None
        The point at which the tab *Why* opens when this is set. What a page explains later, since
        somebody points at it, is not told here.
    unsupervised_shown : bool
        Whether the tab *Why* lays the map without labels, links and pins on the map. Can be set.
    data_note : str
        What of the data is embedded and how, and which values were filled in.
    preparation : transformer or None
        The fitted transformer that prepared the data, for new rows: ``None`` with
        ``prepare=None`` and where a session was given or its file opened without the data.
    color_by : {"column", "class", "probability", "suggestion"} or name of a measure
        What colors the unlabeled points. The measures are those of :meth:`Why.measure`: where the
        map keeps its data, and where labels pull.
    class_styles : mapping of str to mapping
        Color, symbol, place and visibility of each class. ``class_styles.change("six",
        color="#E69F00", symbol="star", hidden=True, place=0)`` changes some of them.

    Raises
    ------
    ValueError, TypeError
        If an argument is not legal; the message names it.
    OSError
        If no file can be written where ``autosave`` is.

    Notes
    -----
    In a notebook an Explorer closes by itself when no page shows it any more and no variable or
    other object refers to it, as when its cell is run again. Entries of ``Out`` do not count; the
    labels of a closed Explorer can still be read there.

    Examples
    --------
    >>> import nbembed as nb
    >>> from sklearn.datasets import load_iris
    >>> explorer = nb.Explorer(load_iris().data, autoplay=False)
    >>> explorer.selection = [0, 1, 2]
    >>> explorer.session.label(explorer.selection, "setosa")
    >>> explorer.labels[:4]
    ['setosa', 'setosa', 'setosa', None]

    Of a DataFrame, numbers are embedded and the other columns shown:

    >>> import pandas as pd
    >>> frame = pd.DataFrame(
    ...     {"height": [1.0, 2.0, 4.0], "width": [3.0, 1.0, 2.0], "kind": ["a", "b", "b"]},
    ...     index=["Ann", "Bob", "Cleo"],
    ... )
    >>> explorer = nb.Explorer(frame, color="kind", autoplay=False)
    >>> explorer.data_note
    '2 of 3 columns are embedded, standardized: height, width'
    >>> frame.join(explorer.to_frame()).index.tolist()
    ['Ann', 'Bob', 'Cleo']
    """

    # As text: of a path anywidget keeps a signal that refers to every widget ever made.
    _esm = (_STATIC / "explorer.js").read_text(encoding="utf-8")
    _css = (_STATIC / "explorer.css").read_text(encoding="utf-8")
    # One trait for each entry of the schema: in a class body, vars() is the class's namespace.
    vars().update({name: trait.make() for name, trait in schema.TRAITS.items()})

    n_samples: int
    height: int
    selection: Any
    cards: Any
    names_shown: bool
    thumbnails_shown: bool
    sidebar_width: int
    explained: int | None
    unsupervised_shown: bool
    data_note: str
    color_by: str

    def __init__(
        self,
        X: Any = None,
        method: Estimator | Recipe[Any] | None = None,
        *,
        supervision: Supervision | ArrayLike | None = None,
        session: Session | None = None,
        color: Any = None,
        features: Any = None,
        feature_names: Sequence[str] | None = None,
        standardize: bool | None = None,
        prepare: Any = "auto",
        missing: str | None = None,
        names: Any = None,
        columns: Any = None,
        images: Any = None,
        height: int = 640,
        autoplay: bool | None = None,
        autosave: str | os.PathLike[str] | None = None,
        still: bool | str = True,
    ) -> None:
        if isinstance(height, bool) or not isinstance(height, int) or not 200 <= height <= 2000:
            raise ValueError(
                f"height must be an integer number of pixels in [200, 2000], got {shown(height)}"
            )
        if autoplay is not None:
            check_flag("autoplay", autoplay)
        check_still(still)
        opened = open_session(
            X,
            method,
            supervision,
            session,
            prepared={
                "features": features,
                "standardize": standardize,
                "prepare": prepare,
                "missing": missing,
            },
            columns=columns,
            apart=[color, names, images],
            autosave=autosave,
        )
        session, chosen = opened.session, opened.features
        if autoplay is None:
            autoplay = opened.owned and opened.read is None
        resumed_color = color is None and X is None
        if resumed_color:
            color = opened.view.color_series
        points = opened.points or PointData(
            chosen,
            session.n_samples,
            color=color,
            names=names,
            columns=columns,
            images=images,
        )
        column = points.color
        color_traits = serializers.color_column(column)

        self._session = session
        self._points = points
        self._groups = GroupSource(session, points, feature_names)
        artist = FrameArtist(
            session, ClassPalette(column.names, color_traits["color_column"]["colors"])
        )
        self._artist = artist
        self.class_styles = ClassStyles(session, artist, self._tell_style)
        self.class_styles.restore(opened.view.class_styles)
        self._outbox = None if hosts.hears_threads() else hosts.Outbox(self._send_now)
        super().__init__(n_samples=session.n_samples, height=height)
        writer = TraitWriter(self, session, artist, has_column=column.kind != "none")
        self._writer = writer
        self._cards = CardSource(session, points, self._send_message, self._groups.unusual)
        comparison = self._comparison = Comparison(session, artist, writer, self._tell_comparison)
        finder = self._finder = Finder(session, points, self._groups.feature_names)
        choice = self._column_choice = ColumnChoice(points, finder.columns, artist, writer)
        self._why = Why(session)
        reasons = self._reasons = WhySource(self._why, artist)
        self._given = opened.given
        data_note = "" if chosen is None else chosen.note
        self._preparation = None if chosen is None else chosen.transformer
        self._prepared_by = None if chosen is None else chosen.prepared_by
        self._data = DataSource(points, self._prepared_by)
        self._suggested_groups = SuggestedGroupSource(session)
        self._own_figure = OwnFigure(writer)
        self._queries = QuerySource(
            self._send_message,
            {
                "find_columns": choice.answer_columns,
                "data_columns": self._data.answer,
                "images": partial(answer_images, data=points),
                "own_figure": self._own_figure.answer,
                "find": finder.answer_find,
                "find_near": finder.answer_near,
                "saved_selection": finder.answer_saved,
                **self._groups.answers(finder.columns, choice.place),
                **self._suggested_groups.answers,
                **reasons.answers,
                **comparison.answers,
                **self._export_answers,
            },
        )
        suggestions = self._suggestions = SuggestionSource(session, self._send_message)
        self._child_maps = ChildMaps(self._make_child, writer)
        self._dispatcher = CommandDispatcher(
            session,
            {
                "select": self._select,
                "color_by": lambda mode: writer.update({"color_by": mode}),
                "color_by_column": choice.choose,
                "show_cards": lambda points: writer.update({"cards": points}),
                "show_names": lambda shown: writer.update({"names_shown": shown}),
                "show_thumbnails": lambda shown: writer.update({"thumbnails_shown": shown}),
                "size_panel": lambda width: writer.update({"sidebar_width": width}),
                "show_unsupervised": lambda shown: writer.update({"unsupervised_shown": shown}),
                "check_suggestions": self._check_suggestions,
                "set_word": self._set_word,
                "style_class": self.class_styles.change,
                "end_check": self._end_check,
                "cancel": self._cancel,
                **self._prepare_commands,
                **comparison.commands,
                **self._child_maps.commands,
            },
            chosen_by=self._chosen_by,
            checks={
                "accept": suggestions.check_ready,
                "check_suggestions": suggestions.check_ready,
                "set": self._check_offered,
            },
        )
        self._frames = FrameSource(session, artist, self._dispatcher, writer, self._send_message)
        self._sender = Sender(
            self._write,
            self._send_frame,
            writer.write_at_rest,
            limit=frames_ahead(session.n_samples),
            heard=lambda: WATCH.idle,
        )
        writer.update({**color_traits, "data_note": data_note})
        writer.update({"named": points.named, "imaged": points.images is not None})
        writer.update(choice.traits)
        reactive = hosts.runs_dependent_cells()
        writer.update({"polled": self._outbox is not None, "reactive": reactive})
        writer.update({"color_by": writer.default_color})
        writer.write()
        writer.write_at_rest()
        self.observe(writer.color_changed, "color_by")
        #: The title of the column that was given to color by.
        self._given_color = None if column.kind == "none" else column.title
        if resumed_color or opened.view.given == self._given_color:
            self._given_color = opened.view.given
            choice.restore(opened.view)
        writer.update(opened.view.traits_for(self.color_column["kind"]))
        session._present_view = present_view(self)
        self._owned, self._closed = opened.owned, False
        self._ending: threading.Thread | None = None  # ends the session
        self._still = self._still_output(still)
        self._autosave: Autosave | None = None
        if autosave is not None:
            self._autosave = Autosave(
                session, autosave, self._view, self._tell_saved, read=opened.read
            )
        self._displays = Displays()
        self._unsubscribe: Callable[[], None] = session.subscribe(self._notify)
        self.on_msg(self._receive)
        if self._autosave is not None:
            self.observe(self._tell_view, VIEWED)
        if self._outbox is None:
            self._sender.start()
        compilation.watch(self._tell_compiling)
        WATCH.add(self._displays, self._close_unless_held)
        if autoplay:
            session.play()

    # -- from Python --------------------------------------------------------------------------

    @property
    def session(self) -> Session:
        """The session that is shown."""
        return self._session

    @property
    def why(self) -> Why:
        """Why points lie where they do: neighborhoods, measures, forces, the map without labels."""
        return self._why

    @property
    def preparation(self) -> Any:
        """The fitted transformer that prepared the data, ``None`` where there is none."""
        return self._preparation

    @property
    def embedding(self) -> NDArray[Any]:
        """A copy of the present layout, shape (n_samples, n_components)."""
        return self._session.embedding

    @property
    def supervision(self) -> Supervision:
        """Labels and links. Can be set to what the argument ``supervision`` takes, or ``None``."""
        return self._session.supervision

    @supervision.setter
    def supervision(self, value: Supervision | ArrayLike | None) -> None:
        self._session.supervise(in_natural_order(value, self.n_samples, "supervision"))

    @property
    def labels(self) -> list[str | None]:
        """The name of each point's class, ``None`` for unlabeled points.

        Can be set to names or whole numbers, with ``None`` or −1 for unlabeled points. Links and
        pins stay, and so does the confidence of a point whose label does not change.
        """
        supervision = self._session.supervision
        return [supervision.classes[k] if k >= 0 else None for k in supervision.top_class.tolist()]

    @labels.setter
    def labels(self, value: Sequence[Any] | NDArray[Any] | None) -> None:
        before = self._session.supervision
        after = relabeled(before, value, "labels")
        if after != before:
            self._session.supervise(after)

    def _repr_mimebundle_(self, **kwargs: Any) -> Any:
        self._displays.asked()
        self._session._controller.keep_moving()
        self._sender.suppose_page()
        if self._still is not None:
            self._still.show()
        data, metadata = super()._repr_mimebundle_(**kwargs) or ({}, {})
        # Read where no widget is shown: in a notebook from somebody else, and on most web pages.
        hint = "In a notebook, run this cell for the live map."
        return {**data, "text/plain": f"{self!r}\n{hint}"}, metadata

    def __copy__(self) -> Any:
        return self.__reduce_ex__(4)

    def __deepcopy__(self, _: Any) -> Any:
        return self.__reduce_ex__(4)

    def __repr__(self) -> str:
        return f"<Explorer of {self._session!r}>" if hasattr(self, "_session") else "<Explorer>"
