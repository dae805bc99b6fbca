"""Explorer: a session seen and steered from a notebook; a view of it and nothing more."""

from __future__ import annotations

import logging
import pathlib
import threading
from collections.abc import Callable, Mapping, Sequence
from typing import TYPE_CHECKING, Any

import anywidget
import numpy as np

from nbembed.display.columns import as_column
from nbembed.display.palette import ClassPalette
from nbembed.kernels import compilation
from nbembed.methods.recipe import Recipe
from nbembed.session.warm_up import warm_up
from nbembed.supervision import Supervision, as_supervision
from nbembed.supervision.conversion import relabeled
from nbembed.validation import check_flag, readable
from nbembed.widget import protocol, schema, serializers
from nbembed.widget.dispatcher import CommandDispatcher
from nbembed.widget.drawing import FrameArtist
from nbembed.widget.frames import FrameSource
from nbembed.widget.lifetime import WATCH, Displays, held, in_local_variable, in_other_threads
from nbembed.widget.sender import Sender
from nbembed.widget.suggestion_source import SuggestionSource
from nbembed.widget.trait_writer import TraitWriter

if TYPE_CHECKING:
    from numpy.typing import ArrayLike, NDArray

    from nbembed.methods.estimator import Estimator
    from nbembed.session import Session

_logger = logging.getLogger(__name__)

_STATIC = pathlib.Path(__file__).parent / "static"

if not (_STATIC / "explorer.js").exists():
    raise ImportError(
        f"the Explorer's front end is missing ({_STATIC / 'explorer.js'}): install nbembed with "
        "pip, or run `npm ci && npm run build` in nbembed/widget/frontend"
    )


class Explorer(anywidget.AnyWidget):
    """Watch an embedding form, and steer it.

    Parameters
    ----------
    X : array-like of shape (n_samples, n_features), optional
        The data. Not together with ``session``.
    method : estimator or Recipe, optional
        Copied; ``HSSNE()`` by default. A method that leaves its dimensions open is laid out on the
        plane (:meth:`nbembed.Recipe.in_plane`).
    supervision : Supervision or array-like, optional
        Labels and links at the start: a :class:`~nbembed.Supervision`, labels with −1 for unlabeled
        points, or rows of class probabilities with NaN rows for unlabeled points.
    session : Session, optional
        Show this session instead of a new one.
    color : array-like of shape (n_samples,), optional
        True classes, or any other column to color the points by. It never reaches the method.
    height : int, optional
        Height of the map in pixels.
    autoplay : bool, optional
        Whether to start the run at once. By default a new session starts, and a given session is
        left unchanged.

    Attributes
    ----------
    session : Session
        The session that is shown. A given session is never closed; one that the Explorer made is
        closed with it, unless something else refers to it.
    selection : ndarray of int
        The selected points, sorted. Can be set to indices, a mask or ``None``, and observed.
    color_by : {"column", "class", "probability", "suggestion"}
        What colors the unlabeled points.

    Raises
    ------
    ValueError
        If an argument is not legal; the message names it.

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
    """

    # As text: of a path anywidget keeps a signal that refers to every widget ever made.
    _esm = (_STATIC / "explorer.js").read_text(encoding="utf-8")
    _css = (_STATIC / "explorer.css").read_text(encoding="utf-8")
    # One trait for each entry of the schema: in a class body, vars() is the class's namespace.
    vars().update({name: trait.make() for name, trait in schema.TRAITS.items()})

    n_samples: int
    selection: Any
    color_by: str

    def __init__(
        self,
        X: ArrayLike | None = None,
        method: Estimator | Recipe[Any] | None = None,
        *,
        supervision: Supervision | ArrayLike | None = None,
        session: Session | None = None,
        color: ArrayLike | None = None,
        height: int = 460,
        autoplay: bool | None = None,
    ) -> None:
        from nbembed.session import Session

        if (X is None) == (session is None):
            raise ValueError("give either X or session, and not both")
        if session is not None and (method is not None or supervision is not None):
            raise ValueError("method and supervision come with the session; use its own commands")
        if isinstance(height, bool) or not isinstance(height, int) or not 200 <= height <= 2000:
            raise ValueError(
                f"height must be a whole number of pixels in [200, 2000], got {height!r}"
            )
        if autoplay is not None:
            check_flag("autoplay", autoplay)
        if session is not None and not hasattr(session, "subscribe"):
            raise TypeError(f"session must be a Session, got {type(session).__name__}")
        owned = session is None
        if session is None:
            assert X is not None
            session = Session(X, _in_plane(method), supervision=supervision)
            autoplay = True if autoplay is None else autoplay
        column = as_column(color, session.n_samples)
        color_traits = serializers.color_column(column)

        self._session = session
        self._column = column
        categories = column.names if column.kind == "category" else ()
        artist = self._artist = FrameArtist(session, ClassPalette(categories))
        super().__init__(n_samples=session.n_samples, height=height)
        writer = TraitWriter(self, session, artist, has_column=column.kind != "none")
        self._writer = writer
        suggestions = self._suggestions = SuggestionSource(session, self._send_message)
        self._dispatcher = CommandDispatcher(
            session,
            {
                "select": self._select,
                "color_by": self._color_by,
                "check_suggestions": self._check_suggestions,
                "end_check": self._end_check,
            },
            checks={
                "accept": suggestions.check_ready,
                "check_suggestions": suggestions.check_ready,
            },
        )
        self._frames = FrameSource(session, artist, self._dispatcher, writer, self._send_message)
        self._sender = Sender(self._write, self._send_frame, writer.write_at_rest)
        writer.update({**color_traits, "color_by": writer.default_color})
        writer.write()
        writer.write_at_rest()
        self._owned, self._closed = owned, False
        self._displays = Displays()
        self._unsubscribe: Callable[[], None] = session.subscribe(self._notify)
        self.on_msg(self._receive)
        self.observe(writer.color_changed, "color_by")
        self._sender.start()
        compilation.watch(self._compiling_changed)
        WATCH.add(self._displays, self._close_unless_held)
        if autoplay:
            session.play()

    # -- from Python --------------------------------------------------------------------------

    @property
    def session(self) -> Session:
        """The session that is shown."""
        return self._session

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
        self._session.supervise(as_supervision(value, self.n_samples, "supervision"))

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

    def to_frame(self) -> Any:
        """Return layout, labels and selection as a pandas data frame with one row for each point.

        Columns: ``x``, ``y`` (``z`` or ``y0``, ``y1``, … with more dimensions), ``label``,
        ``confidence``, ``selected``, and the color column under its own name or ``color``.

        Raises
        ------
        ImportError
            If pandas, which nbembed does not require, is not installed.
        """
        try:
            import pandas as pd
        except ImportError:
            raise ImportError(
                "to_frame() needs pandas, which nbembed does not install: pip install pandas"
            ) from None
        Y = self.embedding
        d = Y.shape[1]
        names = ["x", "y", "z"][:d] if d <= 3 else [f"y{i}" for i in range(d)]
        columns: dict[str, Any] = {name: Y[:, i] for i, name in enumerate(names)}
        columns["label"] = pd.array(self.labels, dtype="string")
        columns["confidence"] = np.asarray(self._session.supervision.confidence, dtype=float)
        columns["selected"] = np.isin(np.arange(self.n_samples), self.selection)
        if self._column.values is not None:
            title = self._column.title
            columns[title if title and title not in columns else "color"] = self._column.values
        return pd.DataFrame(columns)

    def close(self) -> None:
        """Close the widget, and its session if the Explorer made it and nothing else refers to it.

        What was labeled can still be read from here and saved; :attr:`session` stays.
        """
        self._close(wait=True)

    def _close(self, *, wait: bool) -> None:
        # Called by __del__ too, also where __init__ has raised.
        if hasattr(self, "_displays") and not self._closed:
            self._closed = True
            self._displays.end()
            WATCH.remove(self._displays)
            self._unsubscribe()
            self._sender.close()
            layout = self.layout
            super().close()
            if not held(layout, [self._trait_values]):
                layout.close()
            if self._owned:
                self._end_session(wait=wait)
        super().close()

    def _end_session(self, *, wait: bool = False) -> None:
        """End the session; if something else refers to it, look again after the next cell."""
        parts = (
            self, self._writer, self._dispatcher, self._frames, self._artist, self._suggestions
        )  # fmt: skip
        if held(self._session, parts) or in_local_variable(self, "_session"):
            WATCH.add(self._displays, self._end_session)
            return
        WATCH.remove(self._displays)
        end = threading.Thread(target=self._session.close, daemon=True)
        end.start()
        if wait:
            end.join()

    def _close_unless_held(self) -> None:
        """Close what no page shows and nobody refers to; do not wait for the worker's turn."""
        if not (held(self, [self._writer]) or in_other_threads(self)):
            self._close(wait=False)

    def _repr_mimebundle_(self, **kwargs: Any) -> Any:
        self._displays.asked()
        return super()._repr_mimebundle_(**kwargs)

    def __repr__(self) -> str:
        return f"<Explorer of {self._session!r}>" if hasattr(self, "_session") else "<Explorer>"

    # -- from the session: flags in its worker's thread, all work in the sender's ----------------

    def _notify(self, event: str) -> None:
        self._dispatcher.notify(event)
        self._sender.poke(event)
        if event == "state":
            self._sender.rest(self._session.state != "running")

    def _send_frame(self, number: Callable[[int], int], newer_than: int) -> bool:
        sent = self._frames.send(number, newer_than)
        if sent:  # somebody looks at a map, and may label it next
            warm_up(self._session.recipe)
        return sent

    def _compiling_changed(self) -> None:
        self._sender.poke("compiling")

    def _write(self, events: set[str]) -> None:
        self._writer.write(events)
        if "supervision" in events or "method" in events:
            self._sender.resend()  # the colors of classes may differ
        if "suggestions" in events:
            self._suggestions.send()

    # -- from a page: in the main thread or another of the kernel's ------------------------------

    def set_state(self, sync_data: Mapping[str, Any]) -> None:
        """Take values of traits from a page: only of those that the schema lets it write."""
        allowed = {k: v for k, v in sync_data.items() if k in schema.WRITABLE_BY_PAGE}
        refused = [name for name in sync_data if name not in allowed and name in self.keys]
        if allowed:
            super().set_state(allowed)
        if refused:
            _logger.warning("nbembed: a page may not write %s", ", ".join(refused))
            self.send_state(refused)  # so that the page has what Python has

    def _receive(self, _: Any, content: Any, buffers: Sequence[Any]) -> None:
        try:
            message = protocol.parse(content, buffers, self.n_samples)
        except protocol.ProtocolError as error:
            self._reply(error.client, error.request, str(error))
            return
        client = message.client
        if isinstance(message, protocol.CommandMessage):
            self._sender.watch(client, True)
            self._reply(client, message.request, self._dispatcher.dispatch(message))
        elif message.type == "ack":
            self._sender.acknowledge(message.fields["seq"], client)
        elif message.type == "hello":
            self._frames.forget_sent()
            self._sender.watch(client, True)
            self._reply(client, 0, None)  # so that the page knows that it is heard
        elif message.type == "visible":
            self._sender.watch(client, message.fields["visible"])
        elif message.type == "suggesting":
            self._suggestions.show(client, message.fields["shown"])
            self._sender.poke("suggestions")
        elif message.type == "precision":
            if self._frames.need_precision(client, message.fields["full"]):
                self._sender.resend()
        elif message.type == "views":
            self._displays.report(client, message.fields["count"])
            if self._displays.gone:
                WATCH.look_soon()
        elif message.type == "bye":
            self._displays.forget(client)
            self._sender.watch(client, False)
            self._frames.need_precision(client, False)
            self._dispatcher.forget(client)
            self._suggestions.show(client, False)

    def _select(self, points: NDArray[np.intp]) -> None:
        self._writer.update({"selection": points})

    def _color_by(self, mode: str) -> None:
        self._writer.update({"color_by": mode})

    def _check_suggestions(self, size: int) -> None:
        self._session.check_suggestions(size)

    def _end_check(self) -> None:
        self._session.end_check()

    def _send_message(self, content: dict[str, Any], buffers: list[bytes] | None = None) -> None:
        self.send(content, buffers)

    def _reply(self, client: str, request: int, error: str | None) -> None:
        self._send_message(
            {
                "type": "reply",
                "client": client,
                "request": request,
                "ok": error is None,
                "error": None if error is None else readable(error),
            }
        )


def _in_plane(method: Any) -> Any:
    """Return a method laid out on the plane, where it leaves its dimensions open."""
    recipe = getattr(method, "recipe", method)
    if not isinstance(recipe, Recipe):
        return method  # the session says what is wrong with it
    planar = recipe.in_plane()
    return method if planar is recipe else planar
