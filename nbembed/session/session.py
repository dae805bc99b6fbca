"""Session: an embedding that runs in the background and takes commands while it moves.

A session owns the data, a method, what was said about the points (supervision), and the present
layout. Commands may come from any thread; each is checked in the caller's thread and takes effect
between two iterations. What took effect, and at which iteration, is the log; the log replays to the
same bits and prints as a script. No Jupyter here: the widget is a view of a session, nothing more.

How commands answer in each state is written in :mod:`nbembed.session.inbox`.
"""

from __future__ import annotations

import os
from collections.abc import Callable, Iterable, Mapping
from typing import TYPE_CHECKING, Any, Self

from nbembed.methods.base import EmbeddingMethod
from nbembed.session.commands import Desk
from nbembed.session.engine import Engine
from nbembed.session.events import Event
from nbembed.session.inputs import checked_data, digest
from nbembed.session.live import Live
from nbembed.session.settings import Settings, known_methods, start_settings
from nbembed.session.steering import Steering
from nbembed.supervision import Supervision, as_supervision

if TYPE_CHECKING:
    from numpy.typing import ArrayLike


class Session(Steering):
    """A live, steerable embedding.

    Parameters
    ----------
    X : array-like or sparse array of shape (n_samples, n_features)
        The data, or an (n_samples, n_samples) matrix of dissimilarities where the method's
        ``metric`` is "precomputed".
    method : estimator, default=HSSNE()
        Cloned. Its ``random_state`` is drawn once if it is ``None``, and logged.
    supervision : Supervision or array-like, optional
        What is known of the points at the start; see :func:`nbembed.supervision.as_supervision`.

    Raises
    ------
    ValueError
        If data, parameters or supervision are not legal; the message names the argument.
    TypeError
        If ``method`` is not an estimator of this package's kind.

    Notes
    -----
    The worker is a daemon thread that starts with the first command, sleeps while there is nothing
    to do, and ends with the session. While playing it does at most ``pace`` iterations a second
    (250; ``None`` for no limit), so that the forming of a small map can be watched; ``step`` runs
    at full speed. The pace changes no result.

    Examples
    --------
    >>> import nbembed as nb
    >>> from sklearn.datasets import load_iris
    >>> with nb.Session(load_iris().data, nb.HSSNE(random_state=0)) as session:
    ...     session.step(60)
    ...     session.label([0, 1, 2], "setosa")
    ...     session.set(alpha=1.5)
    ...     session.step(40)
    ...     _ = session.wait()
    ...     session.iteration, session.undo_text
    (100, 'set α to 1.5')
    """

    def __init__(
        self,
        X: ArrayLike,
        method: EmbeddingMethod | None = None,
        *,
        supervision: Supervision | ArrayLike | None = None,
    ) -> None:
        if method is None:
            method = known_methods()["HSSNE"]()
        if not isinstance(method, EmbeddingMethod):
            raise TypeError(
                f"method must be an estimator such as HSSNE() or Mbed(), got {method!r}"
            )
        data = checked_data(X, method)
        settings = start_settings(
            method, as_supervision(supervision, data.shape[0], "supervision")
        ).check()
        log = [Event(0, "start", start_arguments(data, settings))]
        methods = known_methods(settings.kind)
        self._begin(data, Live(Engine(data, settings), Desk(settings), methods, log))

    def _begin(self, X: Any, live: Live) -> None:
        self._X = X
        self._live = live

    @classmethod
    def _around(cls, X: Any, live: Live) -> Self:
        """Return a session around a live engine that was made elsewhere (replay, load)."""
        session = cls.__new__(cls)
        session._begin(X, live)
        return session

    # -- views, files, the end --------------------------------------------------------------

    def subscribe(self, callback: Callable[[str], None]) -> Callable[[], None]:
        """Hear of changes: ``callback(event)`` is called from the worker thread.

        Events are "frame" (a new layout), "state", "supervision", "parameters", "method" and
        "error". A callback must be quick; it may read the session and give commands, but not wait.

        Returns
        -------
        unsubscribe : callable
        """
        return self._live.subscribe(callback)

    def to_script(self) -> str:
        """Return a Python script that does the steering again, to the same bits."""
        from nbembed.session.script import script

        return script(self._X, *self._so_far(), self.methods)

    def _so_far(self) -> tuple[list[Event], int]:
        moment = self._live.capture()
        return moment.log, moment.place.iteration

    def replayed(self) -> Session:
        """Return a new session at rest that went through this one's log again."""
        log, until = self._so_far()
        return self.replay(self._X, log, methods=tuple(self.methods.values()), until=until)

    @classmethod
    def replay(
        cls,
        X: ArrayLike,
        log: Iterable[Event | Mapping[str, Any]],
        *,
        method: EmbeddingMethod | None = None,
        methods: tuple[type[EmbeddingMethod], ...] = (),
        until: int | None = None,
    ) -> Session:
        """Return a session at rest that went through a log, in the calling thread.

        Parameters
        ----------
        X : array-like
            The data that the log was made with.
        log : iterable of Event or their ``to_dict()``
        method : estimator, optional
            Only needed if a parameter at the start was a function and the log was plain data: an
            estimator that has it.
        methods : tuple of estimator classes
            Needed where the session used methods that are not this package's own.
        until : int, optional
            Iterations to go on to after the last event.

        Raises
        ------
        ValueError
            If the log is broken or was made with other data.
        """
        from nbembed.session.replay import replay

        data, live = replay(X, log, method, methods, until)
        return cls._around(data, live)

    def save(self, path: str | os.PathLike[str]) -> None:
        """Write the session to one file; see :mod:`nbembed.session.storage` for its form.

        The file is written beside its destination and then put in its place, so that a crash
        leaves the old file or the new one. A running session is saved between two iterations.

        Raises
        ------
        ValueError
            If a parameter is a function, which no file can hold.
        """
        from nbembed.session.storage import save

        save(self._live, self._X, path)

    def close(self) -> None:
        """Stop and end the worker. The session can still be read and saved."""
        self._live.close(timeout=10.0)

    def __enter__(self) -> Self:
        return self

    def __exit__(self, *_: object) -> None:
        self.close()

    def __repr__(self) -> str:
        return (
            f"<Session of {self.n_samples} points, {self.method_name}, {self.state}, "
            f"iteration {self.iteration}>"
        )


def start_arguments(X: Any, settings: Settings) -> dict[str, Any]:
    """Return what the log's first event says."""
    from nbembed import __version__

    return {
        "method": settings.name,
        "parameters": dict(settings.parameters),
        "supervision": settings.supervision,
        "n_samples": int(X.shape[0]),
        "data": digest(X),
        "nbembed": __version__,
    }
