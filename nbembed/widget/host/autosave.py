"""Saves a session after every change, and goes on from such a file.

The file is a session file that also holds what the page shows: colors, looks of classes, selection.
Writing takes at most a tenth of the time: after a long one the next waits. Only the file that was
read or written here last is replaced; saving goes on in another one beside it where somebody else
has written it meanwhile, in another kernel, too.
"""

from __future__ import annotations

import atexit
import logging
import os
import threading
import time
import warnings
import weakref
from collections.abc import Callable, Mapping
from pathlib import Path
from typing import Any

from nbembed.session import Session
from nbembed.session.core.data import digest
from nbembed.session.file.storage import save
from nbembed.session.live.background import DeferredTask
from nbembed.session.live.controller import Controller
from nbembed.session.loading import read_session
from nbembed.system.atomic import Identity, NotReplacedError, check_destination
from nbembed.validation import error_text, shown

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
#: What :meth:`Autosave.flush` notes where nothing could be saved: no history is equal to it.
_UNSAVED = object()


class Autosave:
    """Writes a session to a file whenever it has changed, in a thread of its own.

    * view: returns the view of the page.
    * told: ``told(file name, error)``: called from the thread when either has changed.
    * read: the identity of that file where the session was read from it just now.

    Raises OSError if no file can be written there.
    """

    def __init__(
        self,
        session: Session,
        path: str | os.PathLike[str],
        view: Callable[[], View],
        told: Callable[[str, str], None],
        *,
        read: Identity | None,
    ) -> None:
        self.path: Path = check_destination(path)
        self.error = ""
        # Not the session itself: it would then never be found unused.
        self._controller: Controller = session._controller
        self._X = session.X
        self._view, self.told = view, told
        self._writing = threading.Lock()
        self._ended = False  # nothing is written any more, whoever asks
        self._flushed: tuple[object, Identity | None] = (_UNSAVED, None)
        self._seen: Identity | None = None
        self._task = DeferredTask("nbembed autosave", self._save)
        # From here on nothing fails, so that either this one saves to the file or the one before.
        if read is not None:
            self._seen = _take_over(self.path, read)
        else:
            _close_others(self.path)
        _writers.add(self)
        self.note("state")

    def note(self, event: str) -> None:
        """Take an event of the session, in its worker's thread."""
        delay = DELAY if event in EVENTS else MOTION if event == "frame" else None
        if delay is not None:
            self._task.by(time.monotonic() + delay)

    def close(self) -> None:
        """Save once more, and end; :attr:`lost` then says why that failed, if it did.

        Whether or not a change has been told of: a command may have been given just now.
        """
        if self._task.closed:
            return
        self._task.close()
        self._save(last=True)
        _writers.discard(self)

    def flush(self) -> None:
        """Save now, for an Explorer that is about to go on from the file."""
        # Read before the file is written: what comes meanwhile may be missing in it.
        said = self._said()
        self._flushed = (said, self._seen) if self._save() else (_UNSAVED, None)

    def hand_over(self, read: Identity) -> Identity | None:
        """Leave the file to the Explorer that has read it since :meth:`flush`, and end.

        That Explorer, to which the file had the identity ``read``, lacks all labels given since
        then, and all of them if it read a stranger's file. None may be lost, so if there are any,
        this session is saved on in another file beside. Returns the identity of the file that may
        be replaced: as it was written here last, or as it was read.
        """
        with self._writing:  # what is being written comes before, and is not taken for a stranger's
            said, flushed = self._flushed
            ours = read in (flushed, self._seen)  # it may have been written again since then
            seen = self._seen if ours else read
            self._ended = self._ended or (ours and self._said() == said)
            if not self._ended:
                self._go_beside()
        if not self._ended:
            self.note("supervision")
            return seen
        self._task.close()
        _writers.discard(self)
        self.told("", "")
        return seen

    def _said(self) -> object:
        """Return all commands of the history, as of the last one given."""
        return self._controller.mailbox.session_state.history.changes()

    @property
    def lost(self) -> str:
        """The reason why the last changes are in no file after closing; "" if they are."""
        if not self.closed or not self.error:
            return ""
        return f"the last changes could not be saved to {self.path}: {self.error}"

    @property
    def closed(self) -> bool:
        """True if it has ended."""
        return self._task.closed

    def _save(self, *, last: bool = False) -> bool:
        """Write the file, unless it has been left to another; return whether it is written."""
        began, error = time.monotonic(), ""
        with self._writing:
            if self._ended:
                return False
            self._ended = last
            try:
                self._write()
            except Exception as problem:
                error = error_text(problem)
                # Of all but the last time a page tells, and it is tried again.
                level = logging.ERROR if last else logging.INFO
                _logger.log(level, "the session could not be saved", exc_info=True)
            self.error = error
        took = time.monotonic() - began
        self._task.not_before(began + took + REST * took)
        if error:  # a full disk may have room again
            self._task.by(time.monotonic() + MOTION)
        if last or not self._ended:
            self.told(self.path.name, error)
        return not error

    def _write(self) -> None:
        """Write the file, or another one if somebody else has written this one."""
        while True:
            view = self._view()
            try:
                self._seen = save(self._controller, self._X, self.path, view, self._seen)
                return
            except NotReplacedError:
                self._go_beside()

    def _go_beside(self) -> None:
        stem, suffix = self.path.stem, self.path.suffix
        others = (self.path.with_name(f"{stem}-{k}{suffix}") for k in range(2, 10_000))
        self.path = next(other for other in others if not os.path.lexists(other))
        self._seen = None  # whoever else takes that name first keeps it


def _others(path: Path) -> list[Autosave]:
    """Return the Explorers of this process that save to a file."""
    return [other for other in list(_writers) if other.path == path]


def _close_others(path: Path) -> None:
    """End the saving of others to a file, after a last time."""
    for other in _others(path):
        other.close()
        if not other.lost:
            other.told("", "")


def _take_over(path: Path, read: Identity) -> Identity | None:
    """Let others leave a file that was read after their flush; return how they left it."""
    seen: Identity | None = read
    for other in _others(path):
        seen = other.hand_over(read)
    return seen


def resume(
    path: str | os.PathLike[str], methods: tuple[type[Any], ...] = ()
) -> tuple[Session, Identity | None] | None:
    """Return the session of a file and the file's identity, ``None`` if there is no file yet."""
    target = check_destination(path)
    # They go on: the Explorer that is being opened may still be refused.
    for other in _others(target):
        other.flush()
    try:
        return read_session(target, methods)
    except FileNotFoundError:
        return None
    except ValueError as error:
        raise ValueError(f"autosave: {error}; choose another file, or move this one") from error


def check_same_data(found: Session, given: Session, path: Any) -> None:
    """Raise ValueError unless a file's session is of the data that are given."""
    a, b = found.X, given.X
    if a.shape != b.shape or digest(a) != digest(b):
        raise ValueError(
            f"autosave must be a new file, or a session of the same X, got {shown(str(path))}, a "
            f"session of {a.shape[0]} other points with {a.shape[1]} features; choose another "
            "file, or move this one"
        )


@atexit.register
def _save_all() -> None:
    """Save what is not saved when the process ends."""
    ended = list(_writers)
    for writer in ended:
        writer.close()
    if lost := [writer.lost for writer in ended if writer.lost]:
        warnings.warn("; ".join(lost), stacklevel=1)
