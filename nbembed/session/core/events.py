"""The log of a session: a list of events, each with the iteration at which it took effect.

The log is the session's memory of what was done to it. It starts with a ``start`` event (method,
parameters, supervision, a digest of the data), goes on with the commands in the order in which they
took effect, and notes with a ``rest`` event every stop that no command asked for (convergence, the
last of some steps, an error). Between two events lie so many iterations as their counts differ by;
a ``reset`` sets the count back to zero. Nothing else moves a session, so the log can be replayed.
"""

from __future__ import annotations

import copy
from collections.abc import Iterable, Iterator, Mapping
from dataclasses import dataclass, field
from typing import Any

import numpy as np

from nbembed.session.core.estimators import is_estimator
from nbembed.session.core.provenance import Provenance
from nbembed.session.core.serialization import decode, encode_or_describe
from nbembed.validation import shown

_PLAIN = frozenset({bool, int, float, str, type(None)})


class Arguments(Mapping[str, Any]):
    """Arguments of an event, which nobody changes: what could be is handed out as a copy."""

    def __init__(self, given: Mapping[str, Any]) -> None:
        self._given = {name: copied(value) for name, value in given.items()}

    def __getitem__(self, name: str) -> Any:
        return copied(self._given[name])

    def __iter__(self) -> Iterator[str]:
        return iter(self._given)

    def __len__(self) -> int:
        return len(self._given)

    def __repr__(self) -> str:
        return repr(self._given)


@dataclass(frozen=True)
class Event:
    """Something that happened to a session.

    Attributes
    ----------
    iteration : int
        Number of iterations done since the last cold start when it took effect.
    command : str
        The name of the session's method, or "start" or "rest".
    arguments : mapping of str to Any
        Numbers, text, arrays, supervision; :meth:`to_dict` makes them JSON data.
    provenance : Provenance or None
        Who gave the command, how and when, if that is known. Two events are equal without it.
    """

    iteration: int
    command: str
    arguments: Mapping[str, Any] = field(default_factory=dict)
    provenance: Provenance | None = field(default=None, compare=False)

    def __post_init__(self) -> None:
        if not isinstance(self.arguments, Arguments):
            object.__setattr__(self, "arguments", Arguments(self.arguments))

    def to_dict(self) -> dict[str, Any]:
        """Return JSON data."""
        data = {
            "iteration": self.iteration,
            "command": self.command,
            "arguments": encode_or_describe(dict(self.arguments)),
        }
        if self.provenance is not None:
            data["provenance"] = self.provenance.to_dict()
        return data

    @classmethod
    def from_dict(cls, data: Mapping[str, Any], n_samples: int | None = None) -> Event:
        """Return the event that :meth:`to_dict` described.

        * n_samples: how many points any supervision in it must be of.

        Raises ValueError if a part is missing or has the wrong type.
        """
        try:
            iteration, command, arguments = data["iteration"], data["command"], data["arguments"]
        except (KeyError, TypeError):
            raise ValueError(
                "log must be a list of events, each with iteration, command and arguments, got "
                f"{shown(data)}"
            ) from None
        try:
            decoded = decode(arguments, n_samples)
        except ValueError as error:
            raise ValueError(f"log must be a list of events: {error}") from error
        if (
            type(iteration) is not int
            or iteration < 0
            or not isinstance(command, str)
            or not isinstance(decoded, dict)
        ):
            raise ValueError(f"log must be a list of events, but it contains {shown(data)}")
        return cls(iteration, command, decoded, Provenance.from_dict(data.get("provenance")))


def as_events(
    log: Iterable[Event | Mapping[str, Any]], n_samples: int | None = None
) -> list[Event]:
    """Return a log's events, from events or from what ``to_dict`` made of them."""
    if isinstance(log, str | Mapping) or not isinstance(log, Iterable):
        raise TypeError(f"log must be a list of events, got {shown(log)}")
    return [
        event if isinstance(event, Event) else Event.from_dict(event, n_samples) for event in log
    ]


def copied(value: Any) -> Any:
    """Return a copy of what could be changed in place; other values are shared."""
    if type(value) in _PLAIN:
        return value
    if isinstance(value, list):
        plain = _PLAIN.issuperset(map(type, value))
        return value.copy() if plain else [copied(v) for v in value]
    if isinstance(value, tuple):
        return tuple(map(copied, value))
    if isinstance(value, np.ndarray):
        return value.copy()
    if isinstance(value, Mapping):
        return {k: copied(v) for k, v in value.items()}
    return copy.deepcopy(value) if is_estimator(value) else value
