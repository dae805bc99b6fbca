"""A Jupyter server extension of one line: kernel messages are sent on at once.

A Jupyter server leaves Nagle's algorithm on in the websockets that carry a kernel's messages: a
message shorter than a packet waits until the browser has confirmed the one before, and a browser
with nothing to say confirms after 40 ms. On the loopback a packet is 64 KiB, so that nearly every
frame of a map waits. Measured with 1797 points on two busy cores: a frame was on its way for 34 ms
rather than 8, the time from a slider to the changed picture was 75 ms rather than 50 (95 % of them
within 165 rather than 90), and 17 frames a second arrived rather than 60.

Installing nbembed enables the extension for the environment's Jupyter servers
(``etc/jupyter/jupyter_server_config.d/nbembed.json``); ``jupyter server extension disable
nbembed.widget.server`` turns it off. The Explorer works without it, less smoothly.
"""

from __future__ import annotations

import functools
from typing import Any


def _jupyter_server_extension_points() -> list[dict[str, str]]:
    """Tell a Jupyter server what to load."""
    return [{"module": "nbembed.widget.server"}]


def _load_jupyter_server_extension(app: Any) -> None:
    """Let every kernel websocket that is opened from now on send without delay."""
    from jupyter_server.services.kernels.websocket import KernelWebsocketHandler

    without_delay(KernelWebsocketHandler)
    app.log.debug("nbembed: kernel websockets send without delay")


def without_delay(handler: type[Any]) -> None:
    """Make ``open`` of a websocket handler switch Nagle's algorithm off first. Twice is once."""
    open_ = handler.open
    if getattr(open_, "sends_without_delay", False):
        return

    @functools.wraps(open_)
    def open_without_delay(self: Any, *args: Any, **kwargs: Any) -> Any:
        self.set_nodelay(True)
        return open_(self, *args, **kwargs)

    open_without_delay.sends_without_delay = True  # type: ignore[attr-defined]
    handler.open = open_without_delay
