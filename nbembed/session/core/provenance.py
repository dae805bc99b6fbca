"""The provenance of a command, as the history and each label have it: who, how and when.

It is noted beside a command, in the log too, and decides nothing: a replay comes to the same map
without it.
"""

from __future__ import annotations

import math
from collections.abc import Mapping
from dataclasses import asdict, dataclass
from typing import Any

#: "hand": a person, in the page; "suggestion": a suggested label that was accepted; "code": Python.
SOURCES = ("hand", "suggestion", "code")
#: Characters of what says how points were chosen.
LONGEST_HOW = 40


@dataclass(frozen=True)
class Provenance:
    """The origin of a command: who gave it, how, and when.

    * how: means of choosing the points, such as "lasso"; "" if that is not known.
    * time: in seconds since 1970 (UTC).
    * iteration: of the map when the command was given.
    """

    source: str
    how: str
    time: float
    iteration: int

    def to_dict(self) -> dict[str, Any]:
        """Return JSON data."""
        return asdict(self)

    @classmethod
    def from_dict(cls, data: Any) -> Provenance | None:
        """Return the provenance that :meth:`to_dict` described; ``None`` if it is not of that form.

        A log is of use without it, so that nothing is refused for its sake.
        """
        if not isinstance(data, Mapping):
            return None
        source, how = data.get("source"), data.get("how")
        when, iteration = data.get("time"), data.get("iteration")
        if source not in SOURCES or not isinstance(how, str) or len(how) > LONGEST_HOW:
            return None
        if not isinstance(when, int | float) or isinstance(when, bool) or not math.isfinite(when):
            return None
        if type(iteration) is not int:
            return None
        return cls(str(source), how, float(when), iteration)
