"""Background work that a map needs before it can go on: affinities, and its start.

Two things wait for it. A map that has not begun, or that was opened from a file, stands still and
takes commands; a first layout is shown meanwhile. A change of a map in motion that needs other
affinities waits at the head of the queue, and later commands wait behind it, while the map goes on
as it was. Either way a command takes effect between two iterations, as the log says, and which
thread made the affinities decides no bit.
"""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import replace
from functools import partial
from itertools import takewhile
from typing import Any

from nbembed.session.core.serialization import same
from nbembed.session.live.background import BackgroundTask, Result
from nbembed.session.live.progress import Progress
from nbembed.session.live.records import QueuedCommand
from nbembed.session.map.affinity_cache import affinity_key
from nbembed.session.map.engine import Engine
from nbembed.session.map.fit_request import FitRequest


class Preparation:
    """Finds missing affinities or starts and has them made, under the mailbox's lock.

    Readings need no lock.

    * task: of no other use.
    * canceled: whether nothing is to be made before somebody asks for motion, or for other
      affinities.
    * remark: made with the affinities in force, "" if none.
    * n_waiting: commands in the queue that wait for affinities.
    """

    def __init__(self, engine: Engine, task: BackgroundTask) -> None:
        self.canceled = False
        self.remark = ""
        self.n_waiting = 0
        self._engine, self._task = engine, task
        self._wanted: FitRequest | None = None
        self._told: FitRequest | None = None  # of what is being made, subscribers know this
        self._taken = 0
        self._looked: tuple[Any, ...] = ()
        self._lacking: FitRequest | None = None

    @property
    def busy(self) -> bool:
        """True if something is being made."""
        return self._wanted is not None

    @property
    def progress(self) -> Progress | None:
        """The progress, ``None`` if nothing is being made."""
        wanted = self._wanted
        if wanted is None:
            return None
        counted = self._task.progress or Progress("preparing the map", 0, 0)
        then = "The map begins then" if self._engine.cold else "The map stands still until then"
        if self.n_waiting:
            then = "The map goes on as it was until then"
        return replace(counted, meanwhile=then)

    def lacking_for(self, queue: Iterable[QueuedCommand]) -> FitRequest | None:
        """Return the request for the missing input of the commands that can begin now, if any."""
        commands = list(queue)
        if not commands:
            self.n_waiting = 0
            return None
        looked = (self._engine.settings, self._taken, len(commands), *commands[:1], *commands[-1:])
        if len(looked) != len(self._looked) or any(
            a is not b for a, b in zip(looked, self._looked, strict=True)
        ):
            self._looked, self._lacking = looked, self._look(commands)
        self.n_waiting = len(commands) if self._lacking is not None else 0
        return self._lacking

    def _look(self, commands: list[QueuedCommand]) -> FitRequest | None:
        ahead = []
        for queued in takewhile(lambda queued: not queued.steps, commands):
            if "restarts" in queued.entry.flags:
                break
            ahead.append(queued.change)
        return self._engine.lacking_for(ahead)

    def want(self, request: FitRequest | None) -> None:
        """Let this be made, and nothing else."""
        if request is None:
            if self._wanted is not None:
                self._task.cancel()
            self._wanted = None
            return
        if self._wanted is not None and _same(self._wanted, request):
            return
        self._wanted = request
        self._task.cancel()
        self._task.put(request, partial(request.make, self._engine.X, self._task.meanwhile))

    def news(self) -> bool:
        """Return, once, whether something else is being made than subscribers know."""
        told, self._told = self._told, self._wanted
        return told is not self._wanted

    def take(self) -> Result | None:
        """Return the result, or before it a layout to show meanwhile, once."""
        result = self._task.take()
        if result is None or result.first:
            return result
        request: FitRequest = result.key
        if request is not self._wanted:
            return None
        self._wanted = self._told = None
        self._taken += 1
        if not request.of_start:
            self.remark = " ".join(result.remarks)
        return result


def _same(a: FitRequest, b: FitRequest) -> bool:
    """Return whether two requests are for the same result."""
    if a.of_start or b.of_start:
        return a.affinities is b.affinities and a.settings is b.settings
    return same(affinity_key(a.settings, a.learned_from), affinity_key(b.settings, b.learned_from))
