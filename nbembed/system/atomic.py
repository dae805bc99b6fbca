"""Write a file so that a crash leaves the old one or the new one, never half of one.

The new file is written beside the old one, under a hidden name that follows from the old one's, and
is renamed when it is complete. Its writer holds a lock on it. A process that is killed leaves the
hidden file, but no lock: the next one to write the same file removes what it can lock.

A writer may say which file it means to replace. Between looking which one is there and renaming,
it holds a lock on a second hidden name, as do all other writers of that file; a new file is put in
place by a link, which fails where there is one already. Where files cannot be locked, the rename
follows the look at once, and nothing else is promised.
"""

from __future__ import annotations

import contextlib
import errno
import hashlib
import os
import secrets
import stat
import time
from collections.abc import Callable, Iterator
from pathlib import Path
from types import EllipsisType
from typing import Any, BinaryIO

from nbembed.validation import check_path, shown

try:
    import fcntl as _fcntl
except ImportError:
    fcntl: Any = None  # Windows, which does not remove a file that is open
else:
    fcntl = _fcntl
try:
    import msvcrt as _msvcrt
except ImportError:
    msvcrt: Any = None
else:
    msvcrt = _msvcrt

#: What changes when a file is written: its inode, size and time.
Identity = tuple[int, int, int]

#: Seconds that a writer waits for others, who hold the lock for a rename only.
PATIENCE = 10.0


class NotReplacedError(OSError):
    """A file is not replaced: it is another one than was meant, or another process locks it."""


def identity(file: int | Path) -> Identity | None:
    """Return the identity of an open file, or of the one at a path, ``None`` if there is none."""
    try:
        found = os.stat(file)
    except OSError:
        return None
    return found.st_ino, found.st_size, found.st_mtime_ns


def check_destination(path: str | os.PathLike[str]) -> Path:
    """Return the file that is to be written: the target where ``path`` is a symbolic link.

    Raises OSError if no file can be written there; TypeError, ValueError if it is no path.
    """
    given = check_path("path", path)
    target = Path(os.path.realpath(given))
    length, most = len(os.fsencode(target.name)), _longest_name(target.parent)
    code, why = 0, ""
    if length > most:
        code, why = errno.ENAMETOOLONG, f"its name has {length} bytes, of at most {most}"
    elif target.is_symlink():
        code, why = errno.ELOOP, "its symbolic links form a loop"
    elif target.is_dir():
        code, why = errno.EISDIR, "it is a directory"
    elif not target.parent.is_dir():
        code, why = errno.ENOENT, f"there is no directory {target.parent}"
    elif target.exists() and not target.is_file():
        code, why = errno.EINVAL, "it is not a regular file"
    if why:
        raise OSError(
            code, f"path must be where a file can be written, got {shown(str(given))}: {why}"
        )
    return target


def check_writable(path: Path) -> None:
    """Raise OSError unless a file can be made beside ``path``, by making one."""
    try:
        beside, file = _create(path.parent, _hidden(path), private=True)
    except OSError as error:
        raise OSError(
            error.errno,
            f"path must be where a file can be written, got {str(path)!r}: {error.strerror}",
        ) from error
    file.close()
    with contextlib.suppress(FileNotFoundError):
        os.remove(beside)


def write_atomically(
    path: Path, write: Callable[[BinaryIO], None], over: Identity | EllipsisType | None = ...
) -> Identity | None:
    """Let ``write`` fill a file beside ``path``, then put it in its place; return its identity.

    An error of ``write`` is passed on, and nothing is left behind. The permissions of a file that
    is replaced are kept. ``path`` is as :func:`check_destination` returns it. ``over`` is the
    identity of the file that may be replaced, ``None`` for a new file; by default, any.

    Raises NotReplacedError if the file at ``path`` is not ``over``, before or after writing, or is
    kept locked.
    """
    start = _hidden(path)
    _remove_stale(path.parent, start)
    _check_there(path, over)
    try:
        replaced = os.stat(path)
    except FileNotFoundError:
        replaced = None
    beside, file = _create(path.parent, start, private=replaced is not None)
    try:
        with file:
            if replaced is not None:
                _take_over(beside, replaced)
            write(file)
            file.flush()
            os.fsync(file.fileno())
            if fcntl is not None:  # still locked, so that nobody takes it for a stale one
                written = _put_in_place(beside, path, over)
        if fcntl is None:
            written = _put_in_place(beside, path, over)
    except BaseException:
        with contextlib.suppress(OSError):
            os.remove(beside)
        raise
    if os.name == "posix":
        # The new name itself must survive a power cut.
        folder = os.open(path.parent, os.O_RDONLY)
        try:
            os.fsync(folder)
        finally:
            os.close(folder)
    return written


def _hidden(path: Path) -> str:
    """Return the common beginning of the names of files that are written in place of one."""
    return f".nbembed-{hashlib.sha256(os.fsencode(path.name)).hexdigest()[:16]}-"


def _check_there(path: Path, over: Identity | EllipsisType | None) -> None:
    if over is not ... and identity(path) != over:
        raise NotReplacedError(errno.EEXIST, f"{path.name} was changed by another program")


def _put_in_place(
    beside: Path, path: Path, over: Identity | EllipsisType | None
) -> Identity | None:
    """Rename a file unless another is there than was meant to be replaced; return what it is then.

    Its identity is read at its own name and under the lock: some network file systems have another
    inode for each name.
    """
    with _locked(path):
        _check_there(path, over)
        if over is None:
            _put_new(beside, path)
        else:
            os.replace(beside, path)
        return identity(path)


def _put_new(beside: Path, path: Path) -> None:
    """Rename a file unless there is one, where links are possible also if others hold no lock."""
    try:
        if fcntl is None:
            os.rename(beside, path)  # Windows replaces nothing by it
            return
        os.link(beside, path)
    except OSError as error:
        if os.path.lexists(path):
            why = f"{path.name} was changed by another program"
            raise NotReplacedError(errno.EEXIST, why) from error
        os.replace(beside, path)  # a file system without links
    else:
        with contextlib.suppress(OSError):
            os.remove(beside)


@contextlib.contextmanager
def _locked(path: Path) -> Iterator[None]:
    """Hold the lock of those who put a file in place at ``path``, where files can be locked."""
    lock = path.parent / f"{_hidden(path)[:-1]}.lock"
    deadline = time.monotonic() + PATIENCE
    while True:
        try:
            descriptor = os.open(lock, os.O_RDWR | os.O_CREAT | getattr(os, "O_NOFOLLOW", 0), 0o666)
        except OSError:  # somebody else's, or Windows has just removed it
            held, descriptor = None, -1
        else:
            held = _lock(descriptor)
        # The one who held it before removes it: what was locked may be nobody's any more.
        if held and identity(descriptor) != identity(lock):
            held = False
        if held is not False:
            break
        os.close(descriptor)
        if time.monotonic() > deadline:
            raise NotReplacedError(errno.EAGAIN, f"{path.name} is locked by another process")
        time.sleep(0.002)
    try:
        yield
    finally:
        if descriptor >= 0:
            _end_lock(descriptor, lock)


def _end_lock(descriptor: int, lock: Path) -> None:
    if fcntl is None:
        os.close(descriptor)  # first, since what is open is not removed
    with contextlib.suppress(OSError):
        os.remove(lock)
    if fcntl is not None:
        os.close(descriptor)


def _create(folder: Path, start: str, *, private: bool) -> tuple[Path, BinaryIO]:
    """Return a new file, locked as long as it is open; ``private``: for its owner alone."""
    flags = os.O_RDWR | os.O_CREAT | os.O_EXCL | getattr(os, "O_BINARY", 0)
    while True:
        path = folder / f"{start}{secrets.token_hex(4)}"
        file = os.fdopen(os.open(path, flags, 0o600 if private else 0o666), "wb")
        # Another process may have locked and removed it before it could be locked here.
        if fcntl is None or (_lock(file.fileno()) is not False and path.exists()):
            return path, file
        file.close()


def _lock(descriptor: int) -> bool | None:
    """Lock an open file; return whether nobody else has, ``None`` where files cannot be locked."""
    taken: type[OSError] = BlockingIOError if fcntl is not None else PermissionError
    try:
        if fcntl is not None:
            fcntl.flock(descriptor, fcntl.LOCK_EX | fcntl.LOCK_NB)
        elif msvcrt is not None:
            msvcrt.locking(descriptor, msvcrt.LK_NBLCK, 1)
        else:
            return None
    except taken:
        return False
    except OSError:
        return None
    return True


def _remove_stale(folder: Path, start: str) -> None:
    """Remove what killed processes have left of the file whose hidden names begin like that."""
    for path in folder.glob(f"{start}*"):
        with contextlib.suppress(OSError):
            if fcntl is None:
                path.unlink()  # refused while it is open
                continue
            descriptor = os.open(path, os.O_RDWR | os.O_NOFOLLOW)
            try:
                if _lock(descriptor):
                    path.unlink()
            finally:
                os.close(descriptor)


def _take_over(path: Path, replaced: os.stat_result) -> None:
    """Give a file owner and permissions of the one that it replaces."""
    if os.name == "posix":
        with contextlib.suppress(OSError):  # only root gives files away
            os.chown(path, replaced.st_uid, replaced.st_gid)
    os.chmod(path, stat.S_IMODE(replaced.st_mode))


def _longest_name(folder: Path) -> int:
    """Return the limit on the length of a file's name, in bytes."""
    try:
        return os.pathconf(folder, "PC_NAME_MAX")
    except (AttributeError, OSError, ValueError):
        return 255
