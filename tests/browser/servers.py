"""Servers on the loopback, each a process of its own on a port that was free a moment ago."""

from __future__ import annotations

import os
import socket
import subprocess
import time
import urllib.error
import urllib.request
from collections.abc import Callable, Mapping, Sequence
from pathlib import Path

from tests.waiting import GUARD

CHECKOUT = Path(__file__).resolve().parents[2]
#: Seconds within which a server must be up.
STARTED = 5 * GUARD
#: How many ports are tried: another program may take one before the server does.
TRIES = 3


class Ended(RuntimeError):
    """A server ended before it was up; the message has its log."""


def environment(**variables: str) -> dict[str, str]:
    """Return this process's environment with the checkout importable, and more variables."""
    path = os.pathsep.join([str(CHECKOUT), *filter(None, [os.environ.get("PYTHONPATH")])])
    return {**os.environ, "PYTHONPATH": path, **variables}


def start(
    command: Callable[[int], Sequence[str]],
    health: str,
    *,
    folder: Path,
    variables: Mapping[str, str],
    log: Path,
    port: int | None = None,
) -> tuple[subprocess.Popen[bytes], int]:
    """Start a server and wait until it is up; return its process and port.

    Parameters
    ----------
    command : callable
        ``command(port)`` is the command line.
    health : str
        Address below the root that answers once the server is up.
    folder : pathlib.Path
        Working directory.
    variables : mapping
        The environment.
    log : pathlib.Path
        File for what the server writes.
    port : int, optional
        The port that an earlier server had; a free one by default.
    """
    for left in reversed(range(TRIES)):
        at = port or free_port()
        with log.open("wb") as output:
            process = subprocess.Popen(
                command(at),
                cwd=folder,
                env=variables,
                stdin=subprocess.DEVNULL,
                stdout=output,
                stderr=subprocess.STDOUT,
            )
        try:
            wait_until_up(f"http://127.0.0.1:{at}/{health}", process, log)
        except Ended:
            if not left:
                raise
        except BaseException:
            stop(process)
            raise
        else:
            return process, at
    raise AssertionError("unreachable")


def wait_until_up(url: str, process: subprocess.Popen[bytes], log: Path) -> None:
    """Wait until an address answers; raise `Ended` if the server ends meanwhile."""
    deadline = time.monotonic() + STARTED
    while True:
        if process.poll() is not None:
            raise Ended(f"the server did not start:\n{tail(log)}")
        try:
            urllib.request.urlopen(url, timeout=5).close()
            return
        except (urllib.error.URLError, OSError) as error:
            if time.monotonic() > deadline:
                message = f"the server is not up after {STARTED:.0f} s:\n{tail(log)}"
                raise RuntimeError(message) from error
            time.sleep(0.1)


def stop(process: subprocess.Popen[bytes]) -> None:
    """End a server, by force if it does not end by itself."""
    process.terminate()
    try:
        process.wait(20)
    except subprocess.TimeoutExpired:
        process.kill()
        process.wait()


def tail(log: Path) -> str:
    """Return the end of a log."""
    return log.read_text(errors="replace")[-5000:] if log.exists() else ""


def free_port() -> int:
    """Return a port that nobody listens at."""
    with socket.socket() as listener:
        listener.bind(("127.0.0.1", 0))
        port: int = listener.getsockname()[1]
        return port
