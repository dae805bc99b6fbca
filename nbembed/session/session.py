"""Session: an embedding that runs in the background and takes commands while it moves.

A session owns the data, a recipe, what was said about the points (supervision), and the present
layout. Commands may come from any thread; each is checked in the caller's thread and takes effect
between two iterations. What took effect, and at which iteration, is the log; the log replays to the
same bits and prints as a script. No Jupyter here: the widget is a view of a session, nothing more.

The commands, and with them the methods that give them, are in :mod:`nbembed.session.core.commands`;
how they answer in each state is in :mod:`nbembed.session.core.state_machine`.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping
from typing import Any, Self

from numpy.typing import ArrayLike

from nbembed.methods.estimator import Estimator
from nbembed.methods.live_parameters import LiveParameter
from nbembed.methods.recipe import Recipe
from nbembed.methods.registry import estimator_of
from nbembed.session.core.data import checked_data, start_arguments
from nbembed.session.core.events import Arguments, Event
from nbembed.session.core.handle import Handle
from nbembed.session.core.methods import known_methods
from nbembed.session.core.session_state import SessionState
from nbembed.session.core.settings import Settings, recipe_of
from nbembed.session.core.state_machine import STATES, State
from nbembed.session.file.recorded import Recorded
from nbembed.session.file.stored_view import NOTHING
from nbembed.session.live.controller import Controller
from nbembed.session.live.giver import provenance_now
from nbembed.session.live.progress import Progress
from nbembed.session.live.threads import import_for_threads
from nbembed.session.map.engine import Engine
from nbembed.session.readings.history_view import HistoryView
from nbembed.session.readings.suggesting import Suggesting
from nbembed.supervision import Supervision
from nbembed.supervision.conversion import in_natural_order
from nbembed.validation import (
    check_choice,
    check_flag,
    check_instance,
    check_real,
    check_text,
    shown,
)

#: The smallest pace, in iterations a second. A map that moves every eleven days is a paused one.
SLOWEST = 1e-6


class Session(Handle, HistoryView, Suggesting, Recorded):
    """A live, steerable embedding.

    Parameters
    ----------
    X : array-like or sparse array of shape (n_samples, n_features)
        The data, or an (n_samples, n_samples) matrix of dissimilarities where the method takes
        those (``metric="precomputed"``).
    method : estimator or Recipe, default=HSSNE()
        Copied. A random state of ``None`` is drawn once, and logged.
    supervision : Supervision or array-like, optional
        What is known of the points at the start; see :func:`nbembed.supervision.as_supervision`.

    Raises
    ------
    ValueError
        If data, parameters or supervision are not legal; the message names the argument.
    TypeError
        If ``method`` is neither an estimator of this package's kind nor a recipe.

    Notes
    -----
    The worker is a daemon thread that starts with the first command, sleeps while there is nothing
    to do, and ends with the session. While playing it does at most ``pace`` iterations a second
    (250; ``None`` for no limit), so that the forming of a small map can be watched; ``step`` runs
    at full speed. The pace changes no result.

    Undo goes back over the last 200 changes; moves of one slider that follow each other are one.

    A change of a live parameter to a number ends that parameter's schedule. A map in motion (or
    converged) goes on moving after a change or a reset; another one shows its start. Pinned points
    stay where they are at a reset and at a switch to another method.

    A session lives in the process that made it. In a forked copy of that process it has failed: it
    can be read there, and takes no commands.

    Examples
    --------
    >>> import nbembed as nb
    >>> from sklearn.datasets import load_iris
    >>> with nb.Session(load_iris().data, nb.HSSNE(random_state=0)) as session:
    ...     session.step(60)
    ...     session.label([0, 1, 2], "setosa")
    ...     session.set(alpha=1.5)
    ...     session.step(40, wait=True)
    ...     session.iteration, session.undo_text
    (100, 'set α to 1.5')
    """

    def __init__(
        self,
        X: ArrayLike,
        method: Estimator | Recipe[Any] | None = None,
        *,
        supervision: Supervision | ArrayLike | None = None,
    ) -> None:
        methods = known_methods()
        if not (method is None or isinstance(method, Estimator | Recipe)):
            raise TypeError(
                f"method must be an estimator such as HSSNE(), or a Recipe, got {shown(method)}"
            )
        recipe = next(iter(methods.values()))() if method is None else recipe_of(method)
        data = checked_data(X, recipe)
        settings = Settings.of(
            recipe, in_natural_order(supervision, data.shape[0], "supervision")
        ).check()
        settings.recipe.check_data(data)
        settings.recipe.check_feasible(data, settings.supervision)
        provenance = provenance_now(0)
        settings = settings.begun(provenance)
        log = [Event(0, "start", start_arguments(data, settings), provenance)]
        methods = known_methods(type(settings.recipe))
        state = SessionState(settings)
        self._begin(data, Controller(Engine(data, settings), state, methods, log))

    def _begin(self, X: Any, controller: Controller) -> None:
        import_for_threads()
        self._X = X
        self._controller = controller
        self._stored_view = NOTHING
        self._present_view = _not_shown

    # -- commands -----------------------------------------------------------------------------

    def give(self, command: str, arguments: Mapping[str, Any]) -> Mapping[str, Any]:
        """Give a command by name, as the methods named like the commands do.

        Returns
        -------
        arguments : mapping
            As the log keeps them.

        Raises
        ------
        ValueError, TypeError
            If it is not legal; nothing has changed then.
        RuntimeError
            If the session is closed, or has failed and the command would run it.
        """
        check_text("command", command)
        check_instance("arguments", arguments, Mapping)
        method = arguments.get("method")
        own = type(recipe_of(method)) if isinstance(method, Estimator | Recipe) else None
        return Arguments(self._controller.give(command, arguments, own))

    def step(self, k: int = 1, *, wait: bool = False) -> None:
        """Do ``k`` iterations and pause; later commands wait for the steps.

        Parameters
        ----------
        k : int, default=1
            Number of iterations.
        wait : bool, default=False
            Whether to return only when they are done; an error of the map is then raised here.

        Raises
        ------
        ValueError
            If ``k`` is not a whole number of at least 1.
        RuntimeError
            If the session is closed or has failed.
        """
        check_flag("wait", wait)
        self.give("step", {"k": k})
        if wait:
            self.wait()
            self.check()

    def wait(self, state: State | None = None, timeout: float | None = None) -> bool:
        """Wait until all commands took effect and the map rests, or until it reaches ``state``.

        Parameters
        ----------
        state : str, optional
            Waiting for one state also ends, with ``False``, when the session fails or is closed.
        timeout : float, optional
            In seconds.

        Returns
        -------
        reached : bool
        """
        if state is not None and not (isinstance(state, str) and state in STATES):
            raise ValueError(
                f"state must be one of {', '.join(STATES)} or None, got {shown(state)}"
            )
        return self._controller.wait(state, timeout)

    def close(self) -> None:
        """Stop and end the worker. The session can still be read and saved.

        A change that waits for its affinities is not made, but kept: a saved file has it.
        """
        self._controller.close(timeout=10.0)

    def __enter__(self) -> Self:
        return self

    def __exit__(self, *_: object) -> None:
        self.close()

    # -- state ----------------------------------------------------------------------------------

    @property
    def error(self) -> Exception | None:
        """The error that stopped the worker, while the state is "failed"."""
        return self._controller.mailbox.error

    def check(self) -> None:
        """Raise the error that stopped the worker, if one did."""
        if self.state == "failed":
            raise RuntimeError(self._controller.failure_text()) from self.error

    @property
    def pace(self) -> float | None:
        """Most iterations a second while playing, at least 1e-6; ``None`` for no limit."""
        return self._controller.mailbox.pace

    @pace.setter
    def pace(self, value: float | None) -> None:
        if value is not None:
            try:
                value = check_real("pace", value, low=SLOWEST)
            except (TypeError, ValueError) as error:
                raise type(error)(f"{error}; None sets no limit") from None
        self._controller.mailbox.pace = value
        self._controller.wake()  # it may be waiting at the old pace

    @property
    def auto_learn(self) -> bool:
        """True if methods that learn from labels do so in the background whenever labels change.

        Otherwise they learn when :meth:`learn` is called, and at a cold start.
        """
        return self._controller.mailbox.auto_learn

    @auto_learn.setter
    def auto_learn(self, value: bool) -> None:
        self._controller.mailbox.auto_learn = check_flag("auto_learn", value)
        self._controller.wake()

    @property
    def learning(self) -> str:
        """The fit in the background, such as "learning the metric from 34 labels", "" if none."""
        return self._controller.learning

    @property
    def learning_error(self) -> Exception | None:
        """The error in learning from the last labels; the map goes on as before."""
        return self._controller.engine.learning_error

    @property
    def progress(self) -> Progress | None:
        """Progress of the background work that the map needs before it can go on.

        Affinities of many points, and the start of some methods, take seconds or minutes; ``None``
        while nothing of that kind is being made. ``str()`` of it is a sentence such as "finding
        neighbors 40 %, about 6 s left". A map that is being started takes commands meanwhile. A
        change that needs other affinities waits until they are there, with all commands after it,
        and the map goes on as it was.
        """
        with self._controller.mailbox.lock:
            return self._controller.preparation.progress

    @property
    def remark(self) -> str:
        """Remarks made while affinities were made, such as on duplicates, "" if none."""
        return self._controller.preparation.remark

    def cancel(self, what: str | None = None) -> bool:
        """Give up what is done in the background; nothing that was said is lost.

        A map that is being started is paused before its first iteration, and :meth:`play` begins
        again. A change of the method or of its parameters that waits for its affinities is taken
        back, and so is a command after it that is not possible without it; labels and links stay.
        If labels are being learned from, they are learned from again at the next change, or by
        :meth:`learn`.

        Parameters
        ----------
        what : {"making", "learning", "suggestions"}, optional
            What :attr:`progress` tells of, what :attr:`learning` does, or what
            :attr:`suggestions_progress` tells of. By default the first if there is any, else the
            second.

        Returns
        -------
        canceled : bool
            Whether there was anything to give up.

        Raises
        ------
        ValueError
            If ``what`` is something else.
        """
        if what is not None:
            check_choice("what", what, ("making", "learning", "suggestions"))
        return self._controller.cancel(what)

    @property
    def request(self) -> str:
        """The request to label that the method needs to learn anything, "" if none."""
        settings = self._settings
        return settings.recipe.request(settings.supervision)

    @property
    def worse_optimum(self) -> str:
        """A remark that the map rests at a higher cost than a new start would reach, "" if not.

        While a map that was steered rests, the idle worker compares it with a cold start of the
        same settings; a difference of more than two percent is said here, with both costs, and by
        the event "state". :meth:`reset` starts over. "" also means not known (yet): in motion,
        with pinned points, or while the comparison runs.
        """
        return self._controller.mailbox.worse_optimum

    # -- method, parameters and supervision -----------------------------------------------------

    @property
    def _settings(self) -> Settings:
        """Those of the last command given."""
        return self._given.settings

    @property
    def methods(self) -> dict[str, type[Recipe[Any]]]:
        """The recipes that :meth:`switch` takes by name."""
        return dict(self._controller.methods)

    @property
    def recipe(self) -> Recipe[Any]:
        """The present method with its parameters."""
        return self._settings.recipe

    @property
    def method(self) -> Any:
        """A new estimator with the present parameters; the recipe where it has no estimator."""
        recipe = self.recipe
        kind = estimator_of(type(recipe))
        return recipe if kind is None else kind(**recipe.parameters)

    @property
    def method_name(self) -> str:
        """Name of the present method."""
        return self._settings.name

    @property
    def live_parameters(self) -> tuple[LiveParameter, ...]:
        """The sliders that the present method declares."""
        return self.recipe.live_parameters

    @property
    def parameters(self) -> dict[str, Any]:
        """The present method's parameters, as last set.

        A live parameter is always a number: where the recipe says a word ("anneal"), what the
        schedule has reached, or the declared default before that. Of the others those that are a
        number, text, truth value or ``None``; arrays and functions are found on :attr:`method`.
        """
        controller = self._controller
        with controller.mailbox.lock:
            settings, seen = controller.mailbox.session_state.settings, controller.mailbox.published
        now = seen.live_values if seen.settings.same_method(settings) else {}
        words = {p.name: now.get(p.name, p.default) for p in settings.recipe.live_parameters}
        values: dict[str, Any] = {}
        for name, value in settings.recipe.parameters.items():
            if name in words and (value is None or isinstance(value, str)):
                values[name] = words[name]
            elif value is None or isinstance(value, bool | int | float | str):
                values[name] = value
        return values

    @property
    def n_classes(self) -> int | None:
        """Number of classes that the map works with; ``None`` where that means nothing."""
        return self._settings.n_classes

    @property
    def supervision(self) -> Supervision:
        """Labels and links, as last set."""
        return self._settings.supervision

    def subscribe(self, callback: Callable[[str], None]) -> Callable[[], None]:
        """Hear of changes: ``callback(event)`` is called from the worker thread.

        Events are "frame" (a new layout), "state", "supervision", "parameters", "method",
        "learning", "waiting" (commands were given that wait for affinities, or were taken back) and
        "error". A callback must be quick; it may read the session and give commands, but not wait.
        "suggestions" and "progress" come from the threads that make them.

        Returns
        -------
        unsubscribe : callable
        """
        return self._controller.mailbox.subscribers.add(callback)

    def __repr__(self) -> str:
        return (
            f"<Session of {self.n_samples} points, {self.method_name}, {self.state}, "
            f"iteration {self.iteration}>"
        )


def _not_shown() -> None:
    """Return an empty view, where no Explorer shows anything."""
