"""A marimo notebook on the loopback, opened in a page as an app whose cells have run."""

from __future__ import annotations

import sys
import tempfile
import textwrap
from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from pathlib import Path

from playwright.sync_api import Browser, Page

from tests.browser import servers
from tests.browser.pages import open_page


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

        def command(port: int) -> list[str]:
            return [
                *(sys.executable, "-m", "marimo", "--quiet", "run", str(path)),
                *("--headless", "--no-token", "--host=127.0.0.1", f"--port={port}"),
            ]

        variables = servers.environment(XDG_CONFIG_HOME=home, XDG_STATE_HOME=home)
        server, port = servers.start(
            command, "health",
            folder=Path(home), variables=variables, log=Path(home) / "server.log",
        )  # fmt: skip
        try:
            with open_page(browser, "marimo", 1200, 1100) as page:
                page.goto(f"http://127.0.0.1:{port}")
                yield page
        finally:
            servers.stop(server)
