"""Saves a session after every change, and goes on from such a file.

The file is a session file that also holds what the page shows: colors, looks of classes, selection.
Writing takes at most a tenth of the time: after a long one the next waits. What somebody else has
written meanwhile is not overwritten; saving then goes on in another file beside it.
"""

from __future__ import annotations

import atexit
import logging
import os
import threading
import time
import weakref
from collections.abc import Callable, Mapping
from pathlib import Path
from typing import TYPE_CHECKING, Any

from nbembed.atomic import check_destination
from nbembed.session.data import digest
from nbembed.session.loading import load_session
from nbembed.session.storage import save
from nbembed.validation import readable

if TYPE_CHECKING:
    from nbembed.session import Session
    from nbembed.session.controller import Controller

_logger = logging.getLogger(__name__)

#: Seconds from a change until it is saved, so that quick ones are saved together.
DELAY = 0.5
#: Seconds after which a map in motion is saved again.
MOTION = 20.0
#: A save that took t seconds is followed by REST · t seconds without one.
REST = 9.0
#: Events of a session, or of what is shown ("view"), after which there is something to save soon;
#: after "frame" there is later.
EVENTS = frozenset({"supervision", "parameters", "method", "state", "waiting", "view"})

#: What the page shows, as JSON data, and arrays by name.
View = tuple[Mapping[str, Any], Mapping[str, Any]]

_writers: weakref.WeakSet[Autosave] = weakref.WeakSet()


class Autosave:
    """Writes a session to a file whenever it has changed, in a thread of its own.

    Parameters
    ----------
    session : Session
    path : path-like
    view : callable
        Returns what the page shows.
    told : callable
        ``told(file name, error)``: called from the thread when either has changed.
    known : bool
        Whether the session was read from that file just now.

    Raises
    ------
    OSError
        If no file can be written there.
    """

    def __init__(
        self,
        session: Session,
        path: str | os.PathLike[str],
        view: Callable[[], View],
        told: Callable[[str, str], None],
        *,
        known: bool,
    ) -> None:
        self.path: Path = check_destination(path)
        self.error = ""
        # Not the session itself: it would then never be found unused.
        self._controller: Controller = session._controller
        self._X = session.X
        self._view, self.told = view, told
        self._lock = threading.Condition()
        self._writing = threading.Lock()
        self._due: float | None = None
        self._earliest = 0.0
        self._closed = False
        self._seen = _signature(self.path) if known else None
        take_over(self.path)
        _writers.add(self)
        self._thread = threading.Thread(target=self._work, name="nbembed autosave", daemon=True)
        self._thread.start()
        self.note("state")

    def note(self, event: str) -> None:
        """Take an event of the session, in its worker's thread."""
        delay = DELAY if event in EVENTS else MOTION if event == "frame" else None
        if delay is None:
            return
        when = time.monotonic() + delay
        with self._lock:
            if self._due is None or when < self._due:
                self._due = when
                if delay == DELAY:
                    self._lock.notify_all()

    def close(self) -> None:
        """Save once more, and end.

        Whether or not a change has been told of: a command may have been given just now.
        """
        with self._lock:
            if self._closed:
                return
            self._closed = True
            self._lock.notify_all()
        self._save()
        _writers.discard(self)

    @property
    def closed(self) -> bool:
        """Whether it has ended."""
        return self._closed

    def _work(self) -> None:
        while True:
            with self._lock:
                while not self._closed:
                    now = time.monotonic()
                    if self._due is None:
                        # Looked at again now and then: a frame tells nobody of its later date.
                        self._lock.wait(MOTION)
                    elif max(self._due, self._earliest) > now:
                        self._lock.wait(max(self._due, self._earliest) - now)
                    else:
                        break
                if self._closed:
                    return
                self._due = None
            self._save()

    def _save(self) -> None:
        began, error = time.monotonic(), ""
        with self._writing:
            try:
                self._avoid_others()
                save(self._controller, self._X, self.path, self._view())
                self._seen = _signature(self.path)
            except Exception as problem:
                error = readable(str(problem) or type(problem).__name__)
                _logger.info("the session could not be saved", exc_info=True)
        took = time.monotonic() - began
        with self._lock:
            self._earliest = began + took + REST * took
            if error and not self._closed:  # a full disk may have room again
                self._due = time.monotonic() + MOTION
        self.error = error
        self.told(self.path.name, error)

    def _avoid_others(self) -> None:
        """Go on in another file if somebody else has written this one."""
        if _signature(self.path) == self._seen:
            return
        stem, suffix = self.path.stem, self.path.suffix
        others = (self.path.with_name(f"{stem}-{k}{suffix}") for k in range(2, 10_000))
        self.path = next(other for other in others if not other.exists())
        self._seen = None


def take_over(path: Path) -> None:
    """End the saving of other Explorers of this process to a file, after a last time."""
    for other in list(_writers):
        if other.path == path:
            other.close()
            other.told("", "")


def resume(path: str | os.PathLike[str], methods: tuple[type[Any], ...] = ()) -> Session | None:
    """Return the session of a file, ``None`` if there is no such file yet.

    Raises
    ------
    ValueError, OSError
        If it is no session file, or no file can be written there.
    """
    target = check_destination(path)
    take_over(target)
    if not target.exists():
        return None
    try:
        return load_session(target, methods=methods)
    except ValueError as error:
        raise ValueError(f"autosave: {error}; choose another file, or move this one") from error


def check_same_data(found: Session, given: Session, path: Any) -> None:
    """Raise ValueError unless a file's session is of the data that are given."""
    a, b = found.X, given.X
    if a.shape != b.shape or digest(a) != digest(b):
        raise ValueError(
            f"autosave must be a new file, or one of the same data: {str(path)!r} holds a session "
            f"of {a.shape[0]} points with {a.shape[1]} features, and X differs from it; choose "
            f"another file, or move this one"
        )


def _signature(path: Path) -> tuple[int, int, int] | None:
    try:
        found = path.stat()
    except OSError:
        return None
    return found.st_ino, found.st_size, found.st_mtime_ns


@atexit.register
def _save_all() -> None:
    """Save what is not saved when the process ends."""
    for writer in list(_writers):
        writer.close()
