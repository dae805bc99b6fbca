"""The map of a session as last published: layout, cost and quality, centers, class regions."""

from __future__ import annotations

from dataclasses import replace
from functools import partial
from typing import Any

import numpy as np
from numpy.typing import NDArray

from nbembed.run import Record
from nbembed.session.core.session_state import SessionState
from nbembed.session.core.state_machine import State
from nbembed.session.live.controller import Controller
from nbembed.session.live.records import PublishedFrame
from nbembed.session.map.snapshots import Frame, PathStep


class MapView:
    """Data, state and map of a session, as last published. Nothing here waits."""

    _X: Any
    _controller: Controller

    @property
    def _given(self) -> SessionState:
        """The state as of the last command given."""
        return self._controller.mailbox.session_state

    @property
    def X(self) -> Any:
        """The data as checked; treat it as read only."""
        return self._X

    @property
    def state(self) -> State:
        """One of "idle", "running", "paused", "converged", "failed"; at once what was asked for."""
        return self._controller.state

    @property
    def n_samples(self) -> int:
        """Number of points."""
        return int(self._X.shape[0])

    @property
    def embedding(self) -> NDArray[Any]:
        """A copy of the newest layout, shape (n_samples, n_components), in its own dtype.

        All zero before there is a layout (see :attr:`Frame.version`). While affinities of many
        points are made, principal components, or where the map will start.
        """
        return self._layout(self._controller.mailbox.published)[: self.n_samples]

    @property
    def centers(self) -> NDArray[Any]:
        """Positions of the method's centers, shape (n_centers, n_components).

        Parametric Embedding places the centers of its classes along with the points; those of
        Mbed's regions follow their points.
        """
        return self._centers(self._controller.mailbox.published)[0]

    @property
    def center_names(self) -> tuple[str, ...]:
        """The names of the centers: of the class of each, which may have several."""
        return self._centers(self._controller.mailbox.published)[1]

    @property
    def iteration(self) -> int:
        """Iterations since the last cold start."""
        return self._controller.mailbox.published.iteration

    @property
    def cost(self) -> float:
        """The true cost in nats where it was last evaluated; exact at rest."""
        return self._controller.mailbox.published.cost

    @property
    def quality(self) -> float:
        """Share of points that keep their nearest neighbor, where it was last measured."""
        return self._controller.mailbox.published.quality

    @property
    def trace(self) -> list[Record]:
        """A record of each iteration since the last cold start (thinned beyond 20 000)."""
        return list(self._controller.engine.trace)

    @property
    def path(self) -> list[PathStep]:
        """Layouts kept by the schedule (Mbed's annealing path)."""
        n = self.n_samples
        return [
            step if len(step.embedding) == n else replace(step, embedding=step.embedding[:n])
            for step in self._controller.mailbox.published.path
        ]

    @property
    def scale(self) -> float:
        """The map's radius r that λ is given in; 1.0 for methods without."""
        geometry = self._controller.mailbox.published.geometry
        return 1.0 if geometry is None else geometry.scale

    @property
    def directions(self) -> NDArray[Any] | None:
        """Class directions, shape (n_classes, n_components), of methods that have them."""
        geometry = self._controller.mailbox.published.geometry
        return None if geometry is None else geometry.directions

    @property
    def membership(self) -> NDArray[Any] | None:
        """Class probabilities, shape (n_samples, n_classes), of methods that have them.

        With Mbed in the plane rows are 0 at points that seem to be of none of the classes. With
        HSSNE, SNE and NeRV they are the weights with which labels act, by hand or carried.
        """
        return self._controller.mailbox.published.memberships(self.n_samples)

    def frame(self) -> Frame:
        """Return the map as it is at one moment."""
        box = self._controller.mailbox
        with box.lock:
            seen, state = box.published, box.machine.shown
        layout = self._layout(seen).astype(np.float32, copy=False)
        centers, names, classes = self._centers(seen)
        return Frame(
            seen.version,
            seen.iteration,
            seen.cost,
            seen.quality,
            layout[: self.n_samples],
            state,
            centers.astype(np.float32, copy=False),
            names,
            None if seen.geometry is None else seen.geometry.directions,
            classes,
            partial(seen.memberships, self.n_samples),
        )

    def _centers(
        self, seen: PublishedFrame
    ) -> tuple[NDArray[Any], tuple[str, ...], NDArray[Any] | None]:
        """Return places, names, and for centers of regions the class of each."""
        found = seen.region_centers()
        if found is None:
            return self._layout(seen)[self.n_samples :], seen.center_names, None
        places, owners = found
        classes = seen.settings.supervision.classes
        names = tuple(classes[k] if k < len(classes) else str(k + 1) for k in owners.tolist())
        return places, names, owners

    def _layout(self, seen: PublishedFrame) -> NDArray[Any]:
        if seen.layout is None:
            d = seen.settings.recipe.dimensions
            return np.zeros((self.n_samples, d), dtype=np.float32)
        return np.array(seen.layout)
