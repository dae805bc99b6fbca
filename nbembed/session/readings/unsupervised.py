"""The map that a session's method makes without labels: what supervision has changed.

It is the cold start of the present method and its parameters, with the same seed and without
labels, links and pins, run to its rest. It is made in the background from the affinities that there
are, on one core, and gives way to a map in motion. Neither the map nor the log depends on it, and
it stays valid while labels come and go.
"""

from __future__ import annotations

import time
from collections.abc import Callable
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

import numpy as np

from nbembed.kernels.threads import Interrupted
from nbembed.session.core.serialization import same
from nbembed.supervision import Supervision

if TYPE_CHECKING:
    from numpy.typing import NDArray

    from nbembed.session.core.settings import Settings
    from nbembed.session.map.engine import Engine

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


class UnsupervisedKey:
    """The settings that an unsupervised map depends on beside the data; compared by value."""

    def __init__(self, settings: Settings) -> None:
        self._recipe = settings.recipe
        self._n_classes = settings.n_classes

    def __eq__(self, other: object) -> bool:
        if not isinstance(other, UnsupervisedKey) or type(self._recipe) is not type(other._recipe):
            return False
        mine, theirs = self._recipe.parameters, other._recipe.parameters
        return self._n_classes == other._n_classes and same(mine, theirs)

    def __hash__(self) -> int:
        return hash(type(self._recipe))


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
