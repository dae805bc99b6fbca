"""Comparison of a steered map at rest with the optimum that a cold start would reach.

Costs of maps have many minima, and a walk of the sliders may end in one of the poorer ones. Nothing
about the map itself tells. So once a map rests whose settings were changed since its cold start,
the idle worker makes a cold run of the same recipe beside it, one iteration a turn, and compares
the costs. The price is that of one more fit, in time that nobody waits for: any command interrupts
it. The map, the log and a replay do not depend on it. Costs of cold runs that came to rest are kept
by their settings, so that taking a change back needs no other run.

Where a slider stands at a word, as λ does at "anneal", the schedules of both maps may have ended at
two numbers, and their costs are those of two functions. Then the cold map's cost is taken by the
function of the map that rests: an upper bound of what a descent from there would reach, so that
what is said to be lower is lower.
"""

from __future__ import annotations

import logging
import math
from collections.abc import Mapping
from dataclasses import dataclass

from nbembed.session.core.settings import Settings
from nbembed.session.map.engine import Engine

_logger = logging.getLogger("nbembed.session")

#: A cost that is higher than a cold start's by more than this share is worth saying.
WORSE = 0.02

#: Iterations of a cold run at most.
LONGEST = 2000

#: Settings whose costs are kept.
KEPT = 32


@dataclass(frozen=True)
class _ColdCost:
    """The cost of a cold start of some settings at these values of the sliders."""

    settings: Settings
    values: Mapping[str, float]
    cost: float


class OptimumCheck:
    """Compares an engine's map with a cold start; used by the worker alone."""

    def __init__(self, engine: Engine) -> None:
        self._engine = engine
        self._cold: Engine | None = None
        self._known: list[_ColdCost] = []
        self._failed_for: Settings | None = None

    @property
    def text(self) -> str:
        """Return a remark on the present map, which rests; "" if there is none."""
        engine = self._engine
        known, cost = self._known_cost(engine.settings), engine.cost()
        if known is None or not engine.steered or not is_worse(cost, known):
            return ""
        return (
            f"A new start with the present settings reaches the cost {known:.4g}; "
            f"this map rests at {cost:.4g}"
        )

    def interrupt(self) -> None:
        """Give up a run that is under way: the map moves again."""
        self._cold = None

    def advance(self) -> bool:
        """Do one iteration of what is still to be found out; return whether there was any.

        The engine's map must be at rest.
        """
        engine, settings = self._engine, self._engine.settings
        if not engine.steered:
            if self._known_cost(settings) is None and engine.converged:
                self._note(settings, engine.cost())
            return False
        if self._known_cost(settings) is not None or not self._comparable():
            return False
        try:
            return self._advance_cold(settings)
        except Exception:
            # What is only looked at must not stop the map.
            _logger.info("a cold start could not be compared with the map", exc_info=True)
            self._cold, self._failed_for = None, settings
            return False

    def _advance_cold(self, settings: Settings) -> bool:
        if self._cold is None:
            self._cold = self._engine.cold_copy()
        cold = self._cold
        cold.advance()
        if not (cold.converged or cold.iteration >= LONGEST):
            return True
        same = _close(self._engine.live_values(), cold.live_values())
        self._note(settings, cold.cost() if same else self._cost_here(cold))
        self._cold = None
        return True

    def _cost_here(self, cold: Engine) -> float:
        """Return the cost of a cold map by the present objective; ``nan`` if it has none there."""
        objective, layout, ours = self._engine.objective, cold.layout, self._engine.layout
        if objective is None or layout is None or ours is None or layout.shape != ours.shape:
            return math.nan
        return objective.evaluate(layout).plain_cost

    def _comparable(self) -> bool:
        """Return whether a cold start would minimize the same cost: pins hold points elsewhere."""
        engine = self._engine
        pinned = engine.settings.supervision.pinned.size > 0
        return not pinned and engine.settings is not self._failed_for and engine.learned_all

    def _known_cost(self, settings: Settings) -> float | None:
        for known in reversed(self._known):
            same = known.settings is settings or known.settings.same_as(settings)
            if same and _close(known.values, self._engine.live_values()):
                return known.cost
        return None

    def _note(self, settings: Settings, cost: float) -> None:
        known = _ColdCost(settings, self._engine.live_values(), cost)
        self._known = [*self._known, known][-KEPT:]


def _close(ours: Mapping[str, float], theirs: Mapping[str, float]) -> bool:
    """Return whether the sliders of two maps stand at the same numbers."""
    return ours.keys() == theirs.keys() and all(
        math.isclose(ours[name], theirs[name], rel_tol=1e-6, abs_tol=1e-12) for name in ours
    )


def is_worse(cost: float, cold: float) -> bool:
    """Return whether a cost is worth a new start; not where either is unknown."""
    return cost - cold > WORSE * abs(cold)
