"""Differences between hosts of notebooks, as far as the Python side must know.

A session runs in a thread, and its Explorer sends from another. JupyterLab, Notebook 7, VS Code and
marimo deliver what a thread sends. Google Colab delivers only what is sent while the kernel handles
a message or runs a cell (googlecolab/colabtools, issue 3373). There the page asks for news, several
times a second, and what threads would send waits for the next question.

marimo runs the cells that depend on a widget again, once the page has written one of its traits.
There the page counts changes of selection and supervision in a trait.

``docs/hosts`` has a page for each host: how it is used, what differs, and how that was checked.
"""

from __future__ import annotations

import sys
import threading
from typing import Any

from nbembed.widget.stream.frames import Send


def hears_threads() -> bool:
    """Return whether the host delivers what a background thread sends."""
    return "google.colab" not in sys.modules


def runs_dependent_cells() -> bool:
    """Return whether the host runs cells again when a page writes a trait."""
    marimo = sys.modules.get("marimo")
    return marimo is not None and bool(marimo.running_in_notebook())


class Outbox:
    """Messages that wait until the page asks for them. Thread-safe.

    ``send(content, buffers)`` of the widget is called by :meth:`flush` alone.
    """

    def __init__(self, send: Send) -> None:
        self._send = send
        self._lock = threading.Lock()
        self._waiting: list[tuple[dict[str, Any], list[bytes] | None]] = []

    def put(self, content: dict[str, Any], buffers: list[bytes] | None = None) -> None:
        """Keep a message, in any thread."""
        with self._lock:
            self._waiting.append((content, buffers))

    def flush(self) -> None:
        """Send what waits, in a thread that is heard."""
        with self._lock:
            waiting, self._waiting = self._waiting, []
        for content, buffers in waiting:
            self._send(content, buffers or [])
