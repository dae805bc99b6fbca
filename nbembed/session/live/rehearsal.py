"""Commands that wait until their kernels are compiled, while a map that is watched moves on.

After a cold installation a first label or slider needs seconds of compilation. Where somebody looks
at the map, the command waits at the head of the queue until a small map has been steered that way
(:mod:`nbembed.session.live.warm_up`), and the map goes on as it was, as it does while affinities
are made. So the first frames of a notebook that is run from top to bottom wait for the map's own
kernels alone. A command takes effect between two iterations, as the log says, whether it has waited
or not.
"""

from __future__ import annotations

from collections.abc import Sequence

from nbembed.session.core.state_machine import MachineState
from nbembed.session.live.records import QueuedCommand
from nbembed.session.live.warm_up import lacks
from nbembed.session.map.engine import Engine
from nbembed.session.map.fit_request import SHOWN_FROM
from nbembed.supervision import Supervision

#: Iterations after which a map has its own kernels: the second may be of another kind.
BEGUN = 3


class Rehearsal:
    """Decides which commands wait for compilation; under the mailbox's lock.

    * watched: whether somebody looks at the map. Without, no command waits.
    * n_iterations: of the worker so far.
    * n_waiting: commands in the queue that wait for kernels.
    """

    def __init__(self, engine: Engine) -> None:
        self.watched = False
        self.n_iterations = 0
        self.n_waiting = 0
        self._engine = engine

    def look(self, machine: MachineState, queue: Sequence[QueuedCommand]) -> bool:
        """Find out whether the commands that wait are to wait on for their kernels."""
        waits = self.watched and bool(queue) and self._moves(machine, queue)
        waits = waits and self._lacks(queue[0])
        self.n_waiting = len(queue) if waits else 0
        return waits

    def _moves(self, machine: MachineState, queue: Sequence[QueuedCommand]) -> bool:
        """Return whether iterations may continue during compilation."""
        stops = machine.closing or machine.steps_left
        return machine.playing and not stops and all(q.entry.role != "pause" for q in queue)

    def _lacks(self, queued: QueuedCommand) -> bool:
        engine, change = self._engine, queued.change
        if queued.entry.role not in ("change", "undo") or not change.invalidation.moves:
            return False
        # A map of many points that has not begun takes commands over when it begins: its affinities
        # take longer than the kernels.
        if engine.cold and (engine.n_points >= SHOWN_FROM or change.needs_affinities):
            return False
        if self.n_iterations < BEGUN:
            return True
        after = change.new.settings
        labels = after.supervision != Supervision(engine.n_points)
        return lacks(after.recipe, engine.n_points, labels=labels)
