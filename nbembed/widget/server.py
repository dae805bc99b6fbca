"""A Jupyter server extension that disables Nagle's algorithm on kernel websockets.

A Jupyter server leaves Nagle's algorithm on for the websockets that carry a kernel's messages: a
message shorter than a packet waits until the browser has acknowledged the previous one, and a
browser with nothing to send delays its acknowledgment. On the loopback interface a packet is
64 KiB, so nearly every frame of a map waits, and a slider is slower to change the picture.

``nbembed lab`` starts JupyterLab with the extension; ``jupyter server extension enable
nbembed.widget.server`` enables it for other servers. The Explorer works without it, less smoothly.
"""

from __future__ import annotations

import functools
from typing import Any

#: The option with which a Jupyter server loads the extension.
OPTION = "--ServerApp.jpserver_extensions=nbembed.widget.server=True"


def _jupyter_server_extension_points() -> list[dict[str, str]]:
    """Return the extension that a Jupyter server loads."""
    return [{"module": "nbembed.widget.server"}]


def _load_jupyter_server_extension(app: Any) -> None:
    """Disable Nagle's algorithm on every kernel websocket that is opened from now on."""
    from jupyter_server.services.kernels.websocket import KernelWebsocketHandler

    without_delay(KernelWebsocketHandler)
    app.log.debug("nbembed: kernel websockets send without delay")


def without_delay(handler: type[Any]) -> None:
    """Make ``open`` of a websocket handler disable Nagle's algorithm first. Idempotent."""
    open_ = handler.open
    if getattr(open_, "sends_without_delay", False):
        return

    @functools.wraps(open_)
    def open_without_delay(self: Any, *args: Any, **kwargs: Any) -> Any:
        self.set_nodelay(True)
        return open_(self, *args, **kwargs)

    open_without_delay.sends_without_delay = True  # type: ignore[attr-defined]
    handler.open = open_without_delay
