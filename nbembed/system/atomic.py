"""Write a file so that a crash leaves the old one or the new one, never half of one.

The new file is written beside the old one, under a hidden name that follows from the old one's, and
is renamed when it is complete. Its writer holds a lock on it. A process that is killed leaves the
hidden file, but no lock: the next one to write the same file removes what it can lock.
"""

from __future__ import annotations

import contextlib
import errno
import hashlib
import os
import secrets
import stat
from collections.abc import Callable
from pathlib import Path
from typing import Any, BinaryIO

from nbembed.validation import check_path, shown

try:
    import fcntl as _fcntl
except ImportError:
    fcntl: Any = None  # Windows, which does not remove a file that is open
else:
    fcntl = _fcntl


def check_destination(path: str | os.PathLike[str]) -> Path:
    """Return the file that is to be written: the target where ``path`` is a symbolic link.

    Raises
    ------
    OSError
        If no file can be written there.
    TypeError, ValueError
        If it is no path.
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
        code, why = errno.EINVAL, "it is no regular file"
    if why:
        raise OSError(
            code, f"path must be where a file can be written, got {shown(str(given))}: {why}"
        )
    return target


def write_atomically(path: Path, write: Callable[[BinaryIO], None]) -> None:
    """Let ``write`` fill a file beside ``path``, then put it in its place.

    Whatever ``write`` raises goes through, and nothing is left behind. The permissions of a file
    that is replaced are kept.

    Parameters
    ----------
    path : Path
        As :func:`check_destination` returns it.
    write : callable
        Takes a binary file.
    """
    start = f".nbembed-{hashlib.sha256(os.fsencode(path.name)).hexdigest()[:16]}-"
    _remove_stale(path.parent, start)
    replaced = os.stat(path) if path.exists() else None
    beside, file = _create(path.parent, start, private=replaced is not None)
    try:
        with file:
            if replaced is not None:
                _take_over(beside, replaced)
            write(file)
            file.flush()
            os.fsync(file.fileno())
            if fcntl is not None:  # still locked, so that nobody takes it for a stale one
                os.replace(beside, path)
        if fcntl is None:
            os.replace(beside, path)
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


def _create(folder: Path, start: str, *, private: bool) -> tuple[Path, BinaryIO]:
    """Return a new file, locked as long as it is open; ``private``: for its owner alone."""
    flags = os.O_RDWR | os.O_CREAT | os.O_EXCL | getattr(os, "O_BINARY", 0)
    while True:
        path = folder / f"{start}{secrets.token_hex(4)}"
        file = os.fdopen(os.open(path, flags, 0o600 if private else 0o666), "wb")
        # Another process may have locked and removed it before it could be locked here.
        if _lock(file.fileno()) is not False and path.exists():
            return path, file
        file.close()


def _lock(descriptor: int) -> bool | None:
    """Lock an open file; return whether nobody else has, ``None`` where files cannot be locked."""
    if fcntl is None:
        return None
    try:
        fcntl.flock(descriptor, fcntl.LOCK_EX | fcntl.LOCK_NB)
    except BlockingIOError:
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
    """Return how many bytes a file's name may have."""
    try:
        return os.pathconf(folder, "PC_NAME_MAX")
    except (AttributeError, OSError, ValueError):
        return 255
