"""Maps beside that of a session, among them the one without labels: what supervision has changed.

That is the cold start of the present method and its parameters, with the same seed and without
labels, links and pins, run to its rest. It is made in the background from the affinities that there
are, on one core, and gives way to a map in motion. Neither the map nor the log depends on it, and
it stays valid while labels come and go.
"""

from __future__ import annotations

import threading
import time
import weakref
from collections.abc import Callable
from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import NDArray

from nbembed.kernels.threads import Interrupted
from nbembed.session.core.settings import Settings
from nbembed.session.live.background import BackgroundTask
from nbembed.session.map.engine import Engine
from nbembed.session.readings.map_view import MapView
from nbembed.supervision import Supervision
from nbembed.validation import check_real

#: Iterations at most.
LONGEST = 2000


@dataclass(frozen=True, eq=False)
class UnsupervisedMap:
    """A map without labels.

    Attributes
    ----------
    embedding : ndarray of shape (n_samples, n_components)
    iteration : int
        After how many it came to rest, or was ended.
    cost : float
        In nats, of the method's cost without labels.
    """

    embedding: NDArray[Any]
    iteration: int
    cost: float


@dataclass(frozen=True, eq=False)
class UnsupervisedKey:
    """The settings that an unsupervised map depends on beside the data; compared by value."""

    settings: Settings

    def __eq__(self, other: object) -> bool:
        return isinstance(other, UnsupervisedKey) and (
            self.settings.n_classes == other.settings.n_classes
            and self.settings.same_recipe(other.settings)
        )


def unsupervised_settings(settings: Settings) -> Settings:
    """Return settings without labels, links and pins.

    Parameters that mean nothing without them stand at their defaults, so that moving them makes no
    other map; the result does not depend on the number of threads, of which there is one.
    """
    recipe = settings.recipe
    unused = {p.name: p.default for p in recipe.live_parameters if p.needs}
    unused.update(recipe.one_thread)
    # Classes keep their names: methods count them.
    nothing = Supervision(settings.supervision.n_samples, settings.supervision.classes)
    return settings.with_parameters(unused).with_supervision(nothing)


def run_to_rest(
    engine: Engine,
    given_up: Callable[[], bool],
    yields: Callable[[], bool],
    told: Callable[[int], None],
) -> UnsupervisedMap:
    """Return the map that an engine comes to.

    * engine: before its cold start.
    * given_up: whether nobody wants it any more; asked within iterations, too.
    * yields: whether a map in motion needs the processor.
    * told: told the iteration.

    Raises Interrupted if it was given up.
    """
    cost = np.nan
    while engine.iteration < LONGEST and not engine.converged:
        if given_up():
            raise Interrupted
        began = time.monotonic()
        cost = engine.advance(given_up).cost
        told(engine.iteration)
        if yields():
            time.sleep(min(1.0, time.monotonic() - began))
    if np.isnan(cost):
        cost = engine.cost()
    assert engine.layout is not None
    layout = engine.layout[: engine.n_points].copy()
    return UnsupervisedMap(layout, engine.iteration, float(cost))


class MapMaker:
    """Makes maps without labels beside that of a session, in the background; keeps the last.

    * what: names them in errors.
    * make: returns them, of the session's engine and settings without labels; called in a thread
      with what :func:`run_to_rest` is given.
    """

    def __init__(self, session: MapView, what: str, make: Callable[..., Any]) -> None:
        ref = weakref.ref(session)  # which the thread does not keep alive

        def closed() -> bool:
            there = ref()
            return there is None or there._controller.mailbox.machine.closing

        # Who else holds the session decides when it ends; its Why holds it.
        self._session, self._what, self._make = ref, what, make
        self.task = BackgroundTask("nbembed making", over=closed)
        self._told = 0

    def wait(self, timeout: float | None) -> Any:
        """Return them; ``None`` if it takes longer, or they were given up.

        Raises ValueError if ``timeout`` is negative, RuntimeError if they cannot be made.
        """
        if timeout is not None:
            timeout = min(check_real("timeout", timeout, low=0), threading.TIMEOUT_MAX)
        made = self.task.wait(*self._request(), timeout)
        return None if made is None else self._value(made)

    def ask(self) -> tuple[Any, int]:
        """Return them if they are there, and else what ``make`` told last; begun if need be.

        Raises RuntimeError if they cannot be made.
        """
        key, make = self._request()
        made = self.task.ask(key, make)
        there = made is not None and made.key == key
        return (self._value(made), 0) if there else (None, self._told)

    def _value(self, made: Any) -> Any:
        if made.error is not None:
            raise RuntimeError(f"{self._what} cannot be computed: {made.error}") from made.error
        return made.value

    def _request(self) -> tuple[UnsupervisedKey, Callable[[], Any]]:
        session = self._session()
        if session is None:
            raise RuntimeError(f"{self._what} cannot be computed: the session no longer exists")
        controller = session._controller
        with controller.mailbox.lock:
            settings = unsupervised_settings(controller.mailbox.session_state.settings)
        engine, ref, maker = controller.engine, weakref.ref(controller), weakref.ref(self)
        given_up, make = self.task.given_up, self._make

        def moving() -> bool:
            there = ref()
            return there is not None and there.state == "running"

        def tell(count: int) -> None:
            there = maker()
            if there is not None:
                there._told = count

        def made() -> Any:
            tell(0)
            return make(engine, settings, given_up, moving, tell)

        return UnsupervisedKey(settings), made


def unsupervised_map(engine: Engine, settings: Settings, *asked: Callable[..., Any]) -> Any:
    """Return the map of an engine's data without labels; the rest as :func:`run_to_rest`."""
    return run_to_rest(engine.apart(settings), *asked)
