"""A marimo notebook on the loopback, opened in a page as an app whose cells have run."""

from __future__ import annotations

import os
import socket
import subprocess
import sys
import tempfile
import textwrap
import time
import urllib.error
import urllib.request
from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from pathlib import Path

from playwright.sync_api import Browser, Page

from tests.browser.lab import CHECKOUT


def source(cells: Sequence[str]) -> str:
    """Return a notebook file; each cell is a function body that may end in an expression."""
    parts = ["import marimo\n\napp = marimo.App()\n"]
    for cell in cells:
        parts.append(f"@app.cell\ndef _():\n{textwrap.indent(cell.strip(), '    ')}\n    return\n")
    return "\n\n".join(parts)


@contextmanager
def open_marimo(browser: Browser, cells: Sequence[str]) -> Iterator[Page]:
    """Run a notebook of these cells and open it; stop its server at the end."""
    with tempfile.TemporaryDirectory(prefix="nbembed-marimo-") as home:
        path = Path(home) / "notebook.py"
        path.write_text(source(cells), encoding="utf-8")
        with socket.socket() as listener:
            listener.bind(("127.0.0.1", 0))
            port = listener.getsockname()[1]
        command = [
            *(sys.executable, "-m", "marimo", "--quiet", "run", str(path)),
            *("--headless", "--no-token", "--host=127.0.0.1", f"--port={port}"),
        ]
        environment = dict(
            os.environ,
            PYTHONPATH=os.pathsep.join(
                [str(CHECKOUT), *filter(None, [os.environ.get("PYTHONPATH")])]
            ),
            XDG_CONFIG_HOME=home,
            XDG_STATE_HOME=home,
        )
        log = Path(home) / "server.log"
        with log.open("wb") as output:
            server = subprocess.Popen(
                command,
                cwd=home,
                env=environment,
                stdin=subprocess.DEVNULL,
                stdout=output,
                stderr=subprocess.STDOUT,
            )
        try:
            _wait_until_up(f"http://127.0.0.1:{port}/health", server, log)
            page = browser.new_page(viewport={"width": 1200, "height": 1100})
            page.set_default_timeout(60_000)
            page.goto(f"http://127.0.0.1:{port}")
            yield page
            page.close()
        finally:
            server.terminate()
            try:
                server.wait(20)
            except subprocess.TimeoutExpired:
                server.kill()
                server.wait()


def _wait_until_up(url: str, server: subprocess.Popen[bytes], log: Path) -> None:
    deadline = time.monotonic() + 120
    while True:
        try:
            urllib.request.urlopen(url, timeout=5)
            return
        except (urllib.error.URLError, OSError) as error:
            if server.poll() is not None or time.monotonic() > deadline:
                text = log.read_text(errors="replace")[-5000:]
                raise RuntimeError(f"marimo did not start:\n{text}") from error
            time.sleep(0.1)
