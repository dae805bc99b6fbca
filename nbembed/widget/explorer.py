"""Explorer: a session seen and steered from a notebook; a view of it and nothing more."""

from __future__ import annotations

import threading
from collections.abc import Callable, Sequence
from typing import TYPE_CHECKING, Any, ClassVar

import numpy as np
import traitlets

from nbembed.display.columns import as_column
from nbembed.display.membership_colors import membership_colors
from nbembed.display.palette import ClassPalette
from nbembed.display.projection import Projection
from nbembed.supervision import Supervision, as_supervision
from nbembed.validation import check_flag
from nbembed.widget import protocol, readout
from nbembed.widget.commands import Steersman
from nbembed.widget.protocol import finite, floats
from nbembed.widget.sender import Sender
from nbembed.widget.state import SyncedState

if TYPE_CHECKING:
    from numpy.typing import ArrayLike, NDArray

    from nbembed.methods.base import EmbeddingMethod
    from nbembed.session import Session


class Explorer(SyncedState):
    """Watch an embedding form, and steer it.

    Parameters
    ----------
    X : array-like of shape (n_samples, n_features), optional
        The data. Not together with ``session``.
    method : estimator, optional
        Cloned; ``HSSNE()`` by default. An ``Mbed`` that leaves its directions open gets
        ``directions="circle"`` in the plane.
    supervision : Supervision or array-like, optional
        What is known at the start: a :class:`~nbembed.Supervision`, labels with −1 for unknown
        ones, or rows of class probabilities with NaN rows.
    session : Session, optional
        Show this session rather than a new one.
    color : array-like of shape (n_samples,), optional
        Truth, or any other column to color the points by. It never reaches the method.
    height : int, optional
        Of the map, in pixels.
    autoplay : bool, optional
        Whether to set the map in motion at once. By default a new session is, a given one is left
        as it is.

    Attributes
    ----------
    session : Session
        What is shown. It lives on when the widget is closed.
    selection : ndarray of int
        The selected points, sorted. May be set: indices, a mask, or ``None``; may be observed.
    color_by : {"column", "class", "probability"}
        What colors the unlabelled points.

    Raises
    ------
    ValueError
        If an argument is not legal; the message names it.

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

    #: What must be read again when the session says that something changed.
    _TOPICS: ClassVar[dict[str, tuple[str, ...]]] = {
        "supervision": ("_read_supervision", "_read_parameters", "_read_history", "_read_state"),
        "parameters": ("_read_parameters", "_read_history", "_read_state"),
        "method": ("_read_parameters", "_read_history", "_read_state"),
        "state": ("_read_state", "_read_history"),
        "learning": ("_read_state",),
        "error": ("_read_state",),
    }

    def __init__(
        self,
        X: ArrayLike | None = None,
        method: EmbeddingMethod | None = None,
        *,
        supervision: Supervision | ArrayLike | None = None,
        session: Session | None = None,
        color: ArrayLike | None = None,
        height: int = 460,
        autoplay: bool | None = None,
    ) -> None:
        from nbembed.session import Session
        from nbembed.widget.commands import in_the_plane

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
        if session is None:
            assert X is not None
            planned = None if method is None else in_the_plane(method)
            session = Session(X, planned, supervision=supervision)
            autoplay = True if autoplay is None else autoplay
        column = as_column(color, session.n_samples)

        self._session = session
        self._column = column
        self._palette = ClassPalette(column.names if column.kind == "category" else ())
        self._projection = Projection()
        self._lock = threading.RLock()
        self._directions: list[list[float]] = []
        self._closed = False
        self._tinted = False
        self._choosing_color = True  # until someone else does
        self._sent_parameters: dict[str, float | None] = {}
        self._steersman = Steersman(session)
        super().__init__(n_samples=session.n_samples, height=height)
        with self._lock:
            self.color_column = readout.color_column(column)
            self.color_by = self._usual_color()
            self.methods = list(session.methods)
            self.method_groups = readout.groups(session.methods)
        self._sender = Sender(self._deliver, self._send_frame, self._settle)
        self._deliver(set(self._TOPICS))
        self._settle()
        self._unsubscribe: Callable[[], None] = session.subscribe(self._hear)
        self.on_msg(self._receive)
        self.observe(self._color_was_chosen, "color_by")
        self._sender.start()
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
        """Labels and links. May be set to whatever ``supervision=`` takes, or ``None``."""
        return self._session.supervision

    @supervision.setter
    def supervision(self, value: Supervision | ArrayLike | None) -> None:
        self._session.supervise(as_supervision(value, self.n_samples))

    @property
    def labels(self) -> list[str | None]:
        """The name of each point's class, ``None`` for unlabelled ones.

        May be set: names or whole numbers, ``None`` or −1 for unlabelled; links and pins stay.
        """
        supervision = self._session.supervision
        return [supervision.classes[k] if k >= 0 else None for k in supervision.top_class.tolist()]

    @labels.setter
    def labels(self, value: Sequence[Any] | NDArray[Any] | None) -> None:
        given = as_supervision(_plain_labels(value), self.n_samples)
        before = self._session.supervision
        changed = Supervision(self.n_samples, before.classes)
        for group in before.links:
            changed = changed.must_link(group)
        for a, b in before.cannot_links:
            changed = changed.cannot_link(a, b)
        if before.pinned.size:
            changed = changed.pin(before.pinned)
        for k, name in enumerate(given.classes):
            points = np.flatnonzero(given.top_class == k)
            changed = changed.label(points, name) if points.size else changed
        self._session.supervise(changed)

    def to_frame(self) -> Any:
        """Return layout, labels and selection as a pandas data frame, one row a point.

        Columns: ``x``, ``y`` (``z`` or ``y0``, ``y1``, … with more dimensions), ``label``,
        ``confidence``, ``selected``, and the color column under its own name or ``color``.

        Raises
        ------
        ImportError
            If pandas is not installed; nbembed itself does without.
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
        """Close the widget. The session goes on; :attr:`session` still holds it."""
        if hasattr(self, "_unsubscribe") and not self._closed:
            self._closed = True
            self._unsubscribe()
            self._sender.close()
        super().close()

    def __repr__(self) -> str:
        return f"<Explorer of {self._session!r}>" if hasattr(self, "_session") else "<Explorer>"

    # -- from the session: a flag in its worker, everything else in the sender's thread ----------

    def _hear(self, event: str) -> None:
        self._steersman.hear(event)
        self._sender.poke(event)
        if event == "state":
            self._sender.rest(self._session.state != "running")

    def _deliver(self, topics: set[str]) -> None:
        """Bring what changed into the traits."""
        readers = dict.fromkeys(name for topic in topics for name in self._TOPICS.get(topic, ()))
        changes: dict[str, Any] = {}
        for name in readers:
            changes.update(getattr(self, name)())
        self._update(changes)
        if "supervision" in topics or "method" in topics:
            self._sender.resend()  # class colors may differ, and so tints and directions

    def _read_supervision(self) -> dict[str, Any]:
        supervision = self._session.supervision
        with self._lock:
            classes = self._palette.styles(supervision.classes)
        return {**readout.labels(supervision), "classes": classes}

    def _read_parameters(self) -> dict[str, Any]:
        session = self._session
        return {
            "method": session.method_name,
            "parameters": readout.parameters(session),
            "controls": readout.controls(session.live_parameters, session.supervision),
        }

    def _read_history(self) -> dict[str, Any]:
        session = self._session
        return {
            "undo": session.undo_text,
            "redo": session.redo_text,
            "chosen_path": readout.chosen_step(session),
            "path": readout.path(session),
        }

    def _read_state(self) -> dict[str, Any]:
        session = self._session
        return {
            "state": session.state,
            "error": readout.error(session),
            "learning": session.learning,
            "unlearned": readout.unlearned(session),
            "wanted": readout.wanted(session),
        }

    def _settle(self) -> None:
        """Write what a page that is loaded later needs to show the same."""
        session = self._session
        if session.state == "running" and self.coordinates:
            return
        frame = session.frame()
        plane, rgba = self._picture(frame)
        self._follow_tints(rgba is not None)
        self._update(
            {
                **self._read_state(),
                **self._read_parameters(),
                **self._read_history(),
                "coordinates": floats(plane) if frame.version else b"",
                "probability_colors": rgba.tobytes() if rgba is not None else b"",
                "directions": self._directions,
                "direction_colors": self._palette.colors(len(self._directions)),
                **self._landmarks(frame),
                "iteration": frame.iteration,
                "cost": finite(frame.cost),
                "quality": finite(frame.quality),
                "history": readout.history(session),
            }
        )

    def _usual_color(self) -> str:
        """Return what colors the points as long as nobody has chosen."""
        if self._tinted:
            return "probability"
        return "class" if self._column.kind == "none" else "column"

    def _follow_tints(self, tinted: bool) -> None:
        """Color by class probability while a method has any."""
        if tinted != self._tinted:
            self._tinted = tinted
            if self._choosing_color:
                self._update({"color_by": self._usual_color()})

    def _color_was_chosen(self, change: Any) -> None:
        if change.new != self._usual_color():
            self._choosing_color = False

    def _update(self, changes: dict[str, Any]) -> None:
        with self._lock, self.hold_sync():
            for name, value in changes.items():
                setattr(self, name, value)

    def _picture(self, frame: Any) -> tuple[NDArray[Any], NDArray[np.uint8] | None]:
        """Return a frame's layout on the plane, and its colors by class probability."""
        session = self._session
        with self._lock:
            directions = session.directions
            if directions is not None and directions.shape[1] != frame.embedding.shape[1]:
                directions = None  # between two methods
            plane = self._projection(frame.embedding, directions)
            self._directions = self._projection.directions(directions)
            membership = session.membership
            if membership is None or membership.shape[0] != plane.shape[0]:
                return plane, None
            return plane, membership_colors(membership, self._palette.colors(membership.shape[1]))

    def _landmarks(self, frame: Any) -> dict[str, Any]:
        """Return a frame's landmarks on the plane, with names and colors; after ``_picture``."""
        with self._lock:
            places = self._projection.points(frame.centers) if frame.version else []
            names = list(frame.center_names[: len(places)])
            classes = self._session.supervision.classes
            styles = {s["name"]: s["color"] for s in self._palette.styles(classes)}
            others = self._palette.colors(len(names))
        return {
            "centers": places,
            "center_names": names,
            "center_colors": [styles.get(name, color) for name, color in zip(names, others)],
        }

    def _send_frame(self, number: Callable[[int], int], newer_than: int) -> bool:
        session = self._session
        applied = self._steersman.applied  # read first: the frame may show more, never less
        frame = session.frame()
        if frame.version <= newer_than or frame.version == 0:
            return False
        plane, rgba = self._picture(frame)
        content = {
            "type": "frame",
            "seq": number(frame.version),
            "version": frame.version,
            "iteration": frame.iteration,
            "cost": finite(frame.cost),
            "quality": finite(frame.quality),
            "state": frame.state,
            "applied": applied,
            "directions": self._directions,
            "direction_colors": self._palette.colors(len(self._directions)),
            **self._landmarks(frame),
        }
        present = readout.parameters(session)
        if present != self._sent_parameters:
            content["parameters"] = self._sent_parameters = present
        self._follow_tints(rgba is not None)
        self.send(content, [floats(plane), *([rgba.tobytes()] if rgba is not None else [])])
        if len(session.path) != len(self.path):
            self._update({"path": readout.path(session)})
        return True

    # -- from the page: in the main thread or another of the kernel's ----------------------------

    def _receive(self, _: Any, content: Any, buffers: Sequence[Any]) -> None:
        try:
            message = protocol.parse(content, buffers, self.n_samples)
        except protocol.ProtocolError as error:
            self._reply(error.client, error.request, str(error))
            return
        match message:
            case protocol.Ack(client, seq):
                self._sender.acknowledge(seq, client)
            case protocol.Hello(client):
                self._sent_parameters = {}
                self._sender.watch(client, True)
            case protocol.Visible(client, visible):
                self._sender.watch(client, visible)
            case protocol.Bye(client):
                self._sender.watch(client, False)
                self._steersman.forget(client)
            case protocol.Command():
                self._sender.watch(message.client, True)
                self._reply(message.client, message.request, self._obey(message))

    def _obey(self, command: protocol.Command) -> str | None:
        """Carry out a command; return what was wrong with it, ``None`` if nothing."""
        try:
            if command.name == "select":
                with self._lock:
                    self.selection = command.points
            elif command.name == "color_by":
                with self._lock:
                    self.color_by = command.arguments["mode"]
            else:
                self._steersman.steer(command)
        except traitlets.TraitError as error:
            return str(error)
        except (ValueError, TypeError, RuntimeError) as error:
            return str(error)
        return None

    def _reply(self, client: str, request: int, error: str | None) -> None:
        self.send(
            {
                "type": "reply",
                "client": client,
                "request": request,
                "ok": error is None,
                "error": error,
            }
        )


def _plain_labels(value: Sequence[Any] | NDArray[Any] | None) -> Any:
    """Return labels with whole numbers other than −1 as names, so that they keep their order."""
    if value is None:
        return None
    given = list(value.tolist() if isinstance(value, np.ndarray) else value)
    return np.array([None if _unlabelled(v) else str(v) for v in given], dtype=object)


def _unlabelled(value: Any) -> bool:
    return value is None or value != value or (not isinstance(value, str) and value == -1)
