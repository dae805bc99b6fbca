"""Session: an embedding that runs in the background and is steered while it moves; no Jupyter here.

From the inside out: ``settings`` (what a map is made with, a value), ``history`` (undo),
``session_state`` (both, and snapshots), ``commands`` (the table of what a session can do),
``invalidation`` (what a change invalidates), ``engine`` (the moving map: single-threaded and
deterministic), ``state_machine`` (what a session is doing: pure), ``controller`` (state and queue),
``executor`` and ``worker`` (the thread), ``suggester`` (suggested labels, in another thread),
``making`` (what takes long and is only looked at), ``compiled_threads`` (how all of them end with
the interpreter), ``session``, ``suggesting`` and ``verbs`` (the public face), ``second_session``
(another map on the same labels); around it ``events``, ``replay``, ``script``, ``storage``,
``serialization``, ``migration``.
"""

from __future__ import annotations

from nbembed.session.events import Event
from nbembed.session.loading import load_session
from nbembed.session.session import Session
from nbembed.session.snapshots import Frame, PathStep, Snapshot
from nbembed.session.suggestion_check import SuggestionCheck

__all__ = ["Session", "load_session", "Event", "Frame", "PathStep", "Snapshot", "SuggestionCheck"]
