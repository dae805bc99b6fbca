"""The giver of the commands of the present context: the provenance that they get."""

from __future__ import annotations

import contextlib
import time
from collections.abc import Iterator
from contextvars import ContextVar

from nbembed.session.core.provenance import LONGEST_HOW, Provenance

_GIVER: ContextVar[tuple[str, str]] = ContextVar("nbembed_giver", default=("code", ""))


@contextlib.contextmanager
def given_by_hand(how: str = "") -> Iterator[None]:
    """Let the commands given inside be those of a person in front of a page."""
    token = _GIVER.set(("hand", how[:LONGEST_HOW]))
    try:
        yield
    finally:
        _GIVER.reset(token)


def provenance_now(iteration: int, *, suggested: bool = False) -> Provenance:
    """Return the provenance of a command that is given now, in the present context."""
    source, how = _GIVER.get()
    return Provenance("suggestion" if suggested else source, how, time.time(), iteration)
