"""Write a file so that a crash leaves the old one or the new one, never half of one."""

from __future__ import annotations

import contextlib
import os
import secrets
from collections.abc import Callable
from pathlib import Path
from typing import BinaryIO


def write_atomically(path: Path, write: Callable[[BinaryIO], None]) -> None:
    """Let ``write`` fill a file beside ``path``, then put it in its place.

    Whatever ``write`` raises goes through, and nothing is left behind.
    """
    beside = path.with_name(f".{path.name}.{secrets.token_hex(4)}")
    try:
        with open(beside, "xb") as file:
            write(file)
            file.flush()
            os.fsync(file.fileno())
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
