"""Progress of background work, as a value."""

from __future__ import annotations

import time
from dataclasses import dataclass

#: Share of a stage from which the pace so far says how long the rest takes.
TELLING = 0.02


@dataclass(frozen=True)
class Progress:
    """A stage of background work, and the part of it that is done.

    * stage: such as "finding neighbors".
    * done, total: rows counted, and rows that there are; a total of 0 stands for work that is not
      counted.
    * meanwhile: a sentence on the map until then.
    * begun, now: ``time.monotonic()`` when the stage began, and when ``done`` was counted.
    """

    stage: str
    done: int
    total: int
    meanwhile: str = ""
    begun: float = 0.0
    now: float = 0.0

    @property
    def share(self) -> float | None:
        """Share of the stage that is done, from 0 to 1; ``None`` where it is not counted."""
        return self.done / self.total if self.total else None

    @property
    def percent(self) -> int:
        """The share in whole per cent, 0 where it is not counted."""
        return 100 * self.done // self.total if self.total else 0

    @property
    def seconds_left(self) -> float | None:
        """Seconds that the rest of the stage takes at the pace so far, ``None`` if unknown."""
        share = self.share
        if share is None or not TELLING <= share < 1:
            return None
        return (self.now - self.begun) * (1 - share) / share

    def counted(self, stage: str, done: int, total: int) -> Progress:
        """Return the progress after a count, of the same stage or of the next."""
        now = time.monotonic()
        same = stage == self.stage and done >= self.done
        return Progress(stage, done, total, self.meanwhile, self.begun if same else now, now)

    def __str__(self) -> str:
        text = self.stage
        if self.total:
            text += f" {self.percent} %"
        left = self.seconds_left
        if left is not None:
            text += f", {duration(left)} left"
        return text


def duration(seconds: float) -> str:
    """Return a length of time as people say it."""
    if seconds < 100:
        return f"about {max(1, round(seconds))} s"
    return f"about {round(seconds / 60)} min"
