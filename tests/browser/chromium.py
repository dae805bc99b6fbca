"""Find a Chromium for the browser tests, or install one.

Looked for in this order: the environment variable ``NBEMBED_CHROMIUM``, the PATH, Playwright's own
download. Where there is none, Playwright is asked to fetch its own, then (as root on a Debian or
Ubuntu) the system's package manager. A candidate counts once it has told its version: distributions
ship launchers that are only a note on where to get the browser.
"""

from __future__ import annotations

import os
import shutil
import subprocess
import sys
import tempfile
from collections.abc import Iterable, Iterator, Mapping
from contextlib import contextmanager
from pathlib import Path

try:
    import fcntl
except ImportError:
    fcntl = None  # type: ignore[assignment]

VARIABLE = "NBEMBED_CHROMIUM"
NAMES = ("chromium", "chromium-browser", "google-chrome", "google-chrome-stable", "chrome")
WHAT_TO_DO = f"""\
The browser tests need a Chromium, and none was found or could be installed.
Do one of these, then run the tests again:
  * set {VARIABLE} to the full path of a Chromium or Chrome;
  * run: {sys.executable} -m playwright install --with-deps chromium
  * install the package "chromium" with the system's package manager.
To leave the browser tests out, say so: python -m pytest -m "not browser"
"""


class NoChromium(Exception):
    """There is no Chromium and none could be installed; the message says what to do."""


def chromium() -> Path:
    """Return a Chromium that starts, installing one if need be.

    Raises
    ------
    NoChromium
        With what was tried and what to do.
    """
    named = os.environ.get(VARIABLE)
    if named:
        if not starts(named):
            raise NoChromium(f"{VARIABLE}={named} does not start.\n\n{WHAT_TO_DO}")
        return Path(named)
    tried: list[str] = []
    with alone():
        for candidate in candidates():
            if starts(candidate):
                return candidate
            tried.append(f"{candidate} does not start")
        for command in installers():
            print(f"No Chromium found; running: {' '.join(command)}", file=sys.stderr, flush=True)
            tried.append(run(command))
            for candidate in candidates():
                if starts(candidate):
                    return candidate
    raise NoChromium("\n".join([WHAT_TO_DO, "What was tried:", *tried]))


@contextmanager
def alone() -> Iterator[None]:
    """Let one process of a test run at a time look: the first installs, the others then find.

    Where files have no such locks, as on Windows, only Playwright installs, which has its own.
    """
    if fcntl is None:
        yield
        return
    user = getattr(os, "geteuid", lambda: 0)()
    with open(Path(tempfile.gettempdir()) / f"nbembed-chromium-{user}.lock", "w") as file:
        fcntl.flock(file, fcntl.LOCK_EX)
        yield


def candidates(environment: Mapping[str, str] | None = None) -> Iterator[Path]:
    """Yield the places where a Chromium may be, best first."""
    path = (os.environ if environment is None else environment).get("PATH", "")
    for name in NAMES:
        found = shutil.which(name, path=path)
        if found:
            yield Path(found)
    own = playwrights_own()
    if own is not None and own.exists():
        yield own


def playwrights_own() -> Path | None:
    """Return where Playwright keeps (or would keep) its Chromium.

    Asked in a process of its own: Playwright's blocking interface cannot be opened twice in one
    thread, and the fixtures that drive the browser keep it open for the whole run.
    """
    code = (
        "from playwright.sync_api import sync_playwright\n"
        "with sync_playwright() as p: print(p.chromium.executable_path)"
    )
    answer = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True)
    return Path(answer.stdout.strip()) if answer.returncode == 0 else None


def installers() -> Iterator[list[str]]:
    """Yield the commands that may bring a Chromium, the least intrusive first."""
    yield [sys.executable, "-m", "playwright", "install", "chromium"]
    if getattr(os, "geteuid", lambda: 1)() != 0 or shutil.which("apt-get") is None:
        return
    # Playwright's download runs only where its libraries are; its own helper knows their names.
    yield [sys.executable, "-m", "playwright", "install", "--with-deps", "chromium"]
    yield ["apt-get", "update"]
    yield ["apt-get", "install", "--yes", "--no-install-recommends", "chromium"]


def run(command: Iterable[str], timeout: float = 600) -> str:
    """Run an installer; return one paragraph on how it went. Never raises."""
    command = list(command)
    environment = dict(os.environ, DEBIAN_FRONTEND="noninteractive")
    try:
        done = subprocess.run(
            command,
            env=environment,
            stdin=subprocess.DEVNULL,
            stdout=subprocess.PIPE,
            stderr=subprocess.STDOUT,
            text=True,
            errors="replace",
            timeout=timeout,
        )
    except (OSError, subprocess.TimeoutExpired) as error:
        return f"$ {' '.join(command)}\n  {error}"
    tail = "\n".join(f"  {line}" for line in done.stdout.strip().splitlines()[-5:])
    return f"$ {' '.join(command)}\n  exit status {done.returncode}\n{tail}"


def starts(path: str | Path) -> bool:
    """Tell whether this is a browser that runs here (and not a note on where to get one)."""
    try:
        done = subprocess.run(
            [str(path), "--version"],
            stdin=subprocess.DEVNULL,
            stdout=subprocess.PIPE,
            stderr=subprocess.DEVNULL,
            text=True,
            errors="replace",
            timeout=60,
        )
    except (OSError, subprocess.TimeoutExpired):
        return False
    return done.returncode == 0 and any(name in done.stdout for name in ("Chromium", "Chrome"))
