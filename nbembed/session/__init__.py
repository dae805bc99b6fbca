"""Session: an embedding that runs in the background and is steered while it moves; no Jupyter here.

From the inside out: ``settings`` (what a map is made with, a value), ``history`` (undo),
``commands`` (what each command does to both), ``cascade`` (what a change makes stale), ``engine``
(the moving map: deterministic, one thread), ``inbox``, ``live`` and ``worker`` (the queue and the
thread), ``session`` (the public face); around it ``events``, ``replay``, ``script``, ``storage``.
"""

from __future__ import annotations

from nbembed.session.events import Event
from nbembed.session.session import Session
from nbembed.session.storage import load_session
from nbembed.session.values import Frame, PathStep, Snapshot

__all__ = ["Session", "load_session", "Event", "Frame", "PathStep", "Snapshot"]
