"""Session: an embedding that runs in the background and is steered while it moves; no Jupyter here.

Imports run one way: ``core`` (values and pure functions), ``map`` (the moving map), ``live``
(threads and the queue), ``readings`` and ``file``, and at the top ``session``, the public face,
with ``loading`` and ``second_session``. Each room says what lives there.
"""

from nbembed.session.core.events import Event
from nbembed.session.loading import load_session
from nbembed.session.map.snapshots import Frame, PathStep, Snapshot
from nbembed.session.readings.suggestion_check import SuggestionCheck
from nbembed.session.session import Session

__all__ = ["Session", "load_session", "Event", "Frame", "PathStep", "Snapshot", "SuggestionCheck"]
