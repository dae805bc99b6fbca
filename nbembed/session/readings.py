"""What can be read from a session, from any thread, at any moment."""

from __future__ import annotations

from dataclasses import replace
from typing import TYPE_CHECKING, Any

import numpy as np

from nbembed.session.values import Frame, PathStep, State

if TYPE_CHECKING:
    from numpy.typing import NDArray

    from nbembed.methods.base import EmbeddingMethod, LiveParameter
    from nbembed.run import Record
    from nbembed.session.events import Event
    from nbembed.session.live import Live
    from nbembed.session.moments import Published
    from nbembed.supervision import Supervision


class Readings:
    """The readable half of a session: state, layout, parameters, supervision, log."""

    _X: Any
    _live: Live

    @property
    def X(self) -> Any:
        """The data as checked; treat it as read only."""
        return self._X

    @property
    def n_samples(self) -> int:
        """Number of points."""
        return int(self._X.shape[0])

    @property
    def state(self) -> State:
        """One of "idle", "running", "paused", "converged", "failed"; at once what was asked for."""
        return self._live.state

    @property
    def error(self) -> Exception | None:
        """What stopped the worker, while the state is "failed"."""
        return self._live.error

    @property
    def pace(self) -> float | None:
        """Most iterations a second while playing; ``None`` for no limit."""
        return self._live.pace

    @pace.setter
    def pace(self, value: float | None) -> None:
        if value is not None and not value > 0:
            raise ValueError(f"pace must be above 0 or None, got {value!r}")
        self._live.pace = value

    @property
    def auto_learn(self) -> bool:
        """Whether methods that learn from labels do so whenever labels change, in the background.

        Otherwise they learn when :meth:`learn` is called, and at a cold start.
        """
        return self._live.learns_alone

    @auto_learn.setter
    def auto_learn(self, value: bool) -> None:
        self._live.learns_alone = bool(value)

    @property
    def learning(self) -> str:
        """What is being learned in the background, such as "learning the metric from 34 labels"."""
        return self._live.learning

    @property
    def learning_error(self) -> Exception | None:
        """What kept the labels said last from being learned from; the map goes on as before."""
        return self._live.unlearned

    @property
    def methods(self) -> dict[str, type[EmbeddingMethod]]:
        """The methods that :meth:`switch` takes by name."""
        return dict(self._live.methods)

    @property
    def method(self) -> EmbeddingMethod:
        """A new estimator with the present method's parameters."""
        settings = self._live.desk.settings
        return settings.kind(**settings.parameters)

    @property
    def method_name(self) -> str:
        """Name of the present method's class."""
        return self._live.desk.settings.name

    @property
    def live_parameters(self) -> tuple[LiveParameter, ...]:
        """What the present method declares for its sliders."""
        return self._live.desk.settings.kind.live_parameters

    @property
    def parameters(self) -> dict[str, Any]:
        """The present method's parameters, as last set.

        A live parameter is always a number: where the estimator says a word ("anneal"), what the
        schedule has reached, or the declared default before that. Of the others those that are a
        number, text, truth value or ``None``; arrays and functions are found on :attr:`method`.
        """
        live = self._live
        with live.lock:
            settings, seen = live.desk.settings, live.published
        now = seen.reached if seen.settings.kind is settings.kind else {}
        words = {p.name: now.get(p.name, p.default) for p in settings.kind.live_parameters}
        values: dict[str, Any] = {}
        for name, value in settings.parameters.items():
            if name in words and (value is None or isinstance(value, str)):
                values[name] = words[name]
            elif value is None or isinstance(value, bool | int | float | str):
                values[name] = value
        return values

    @property
    def supervision(self) -> Supervision:
        """Labels and links, as last set."""
        return self._live.desk.settings.supervision

    @property
    def embedding(self) -> NDArray[Any]:
        """A copy of the newest layout, shape (n_samples, n_components), in its own dtype.

        All zero before the first start was prepared (see :attr:`Frame.version`).
        """
        return self._layout(self._live.published)[: self.n_samples]

    @property
    def centers(self) -> NDArray[Any]:
        """Where the method's landmarks are, shape (n_centers, n_components); mostly there are none.

        Parametric Embedding places the centers of its classes along with the points.
        """
        return self._layout(self._live.published)[self.n_samples :]

    @property
    def center_names(self) -> tuple[str, ...]:
        """The landmarks' names."""
        return self._live.published.center_names

    @property
    def iteration(self) -> int:
        """Iterations since the last cold start."""
        return self._live.published.iteration

    @property
    def cost(self) -> float:
        """The true cost in nats where it was last evaluated; exact at rest."""
        return self._live.published.cost

    @property
    def quality(self) -> float:
        """Share of points that keep their nearest neighbor, where it was last measured."""
        return self._live.published.quality

    @property
    def trace(self) -> list[Record]:
        """A record of each iteration since the last cold start (thinned beyond 20 000)."""
        return list(self._live.engine.trace)

    @property
    def path(self) -> list[PathStep]:
        """Layouts kept by the schedule (Mbed's annealing path)."""
        n = self.n_samples
        return [
            step if len(step.embedding) == n else replace(step, embedding=step.embedding[:n])
            for step in self._live.published.path
        ]

    @property
    def scale(self) -> float:
        """The map's radius r that λ is given in; 1.0 for methods without."""
        geometry = self._live.published.geometry
        return 1.0 if geometry is None else geometry.scale

    @property
    def directions(self) -> NDArray[Any] | None:
        """Class directions, shape (n_classes, n_components), of methods that have them."""
        geometry = self._live.published.geometry
        return None if geometry is None else geometry.directions

    @property
    def membership(self) -> NDArray[Any] | None:
        """Class probabilities, shape (n_samples, n_classes), of methods that have them."""
        seen = self._live.published
        if seen.layout is None or seen.objective is None:
            return None
        found = seen.settings.estimator.memberships(seen.layout, seen.objective)
        return None if found is None else found[: self.n_samples]

    @property
    def snapshots(self) -> tuple[str, ...]:
        """Names of the snapshots, oldest first."""
        return tuple(self._live.desk.snapshots)

    @property
    def can_undo(self) -> bool:
        """Whether there is something to undo."""
        return bool(self._live.desk.history.past)

    @property
    def can_redo(self) -> bool:
        """Whether there is something to redo."""
        return bool(self._live.desk.history.future)

    @property
    def undo_text(self) -> str:
        """What :meth:`undo` would undo, "" if nothing."""
        past = self._live.desk.history.past
        return past[-1].text if past else ""

    @property
    def redo_text(self) -> str:
        """What :meth:`redo` would do again, "" if nothing."""
        future = self._live.desk.history.future
        return future[-1].text if future else ""

    @property
    def log(self) -> list[Event]:
        """What has taken effect so far (commands still waiting are not in it)."""
        return self._live.log

    def frame(self) -> Frame:
        """Return the map as it is at one moment."""
        seen, state = self._live.moment()
        layout = self._layout(seen).astype(np.float32, copy=False)
        embedding, centers = layout[: self.n_samples], layout[self.n_samples :]
        head = (seen.version, seen.iteration, seen.cost, seen.quality)
        return Frame(*head, embedding, state, centers, seen.center_names)

    def _layout(self, seen: Published) -> NDArray[Any]:
        if seen.layout is None:
            dimensions = seen.settings.parameters.get("n_components")
            d = dimensions if isinstance(dimensions, int) else 2
            return np.zeros((self.n_samples, d), dtype=np.float32)
        return np.array(seen.layout)

    def check(self) -> None:
        """Raise the error that stopped the worker, if one did."""
        if self.state == "failed":
            raise RuntimeError(
                f"the session failed at iteration {self.iteration}: {self.error}; reset() starts "
                f"again with the present labels and parameters"
            ) from self.error
