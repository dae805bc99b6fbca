"""The server extension that spares frames a delay."""

from __future__ import annotations

import logging
import subprocess
import sys
from types import SimpleNamespace
from typing import Any

import pytest
from jupyter_server.services.kernels.websocket import KernelWebsocketHandler

from nbembed.widget import server


class Handler:
    """A websocket handler that notes what is done to it."""

    def __init__(self) -> None:
        self.done: list[Any] = []

    def set_nodelay(self, value: bool) -> None:
        self.done.append(("nodelay", value))

    def open(self, kernel_id: str) -> str:
        self.done.append(("open", kernel_id))
        return "opened"


def test_the_delay_is_off_before_anything_is_sent_and_twice_is_once() -> None:
    kind = type("Own", (Handler,), {})
    server.without_delay(kind)
    server.without_delay(kind)
    handler = kind()
    assert handler.open("k") == "opened"
    assert handler.done == [("nodelay", True), ("open", "k")]


def test_the_extension_is_found_by_a_server_and_changes_its_kernel_websockets(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    monkeypatch.setattr(KernelWebsocketHandler, "open", KernelWebsocketHandler.open)
    (point,) = server._jupyter_server_extension_points()
    assert f"--ServerApp.jpserver_extensions={point['module']}=True" == server.OPTION
    server._load_jupyter_server_extension(SimpleNamespace(log=logging.getLogger("test")))
    assert KernelWebsocketHandler.open.sends_without_delay


def test_a_server_that_loads_it_imports_nothing_heavy() -> None:
    code = (
        "import sys, nbembed.widget.server; "
        "print([m for m in ('numpy', 'numba', 'sklearn', 'anywidget') if m in sys.modules])"
    )
    found = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True)
    assert found.stdout.strip() == "[]"
