"""A picture of the map beside the widget in the output of a notebook's cell.

Where no kernel runs, a widget shows nothing: on GitHub, in what nbconvert makes of a notebook, in a
notebook that is opened again. The picture is an output of its own, which a page with a live map
hides (``frontend/src/host/still_output.ts``). It is replaced when nothing has changed for a moment,
and now and then while a map moves, so that a saved notebook has the last map: drawing twenty
thousand points takes a quarter of a second, for which a person who is at work should not wait. On
request the page that zooms and shows cards lies over the picture, in a frame; where frames are
removed, the picture is left. A short script follows, which hides what JupyterLab says where the
widget's model is lost (``frontend/src/lost_widget.ts``).
"""

from __future__ import annotations

import base64
import functools
import html
import logging
import pathlib
import secrets
import sys
import time
from collections.abc import Callable
from typing import Any

from nbembed.session.live.background import DeferredTask
from nbembed.validation import shown

_logger = logging.getLogger(__name__)

#: Seconds between two pictures of a map that goes on changing, and from its last change to one.
MOTION, REST = 15.0, 1.0
#: Pixels that the page in the output has at least.
PAGE_HEIGHT = 640
_SCRIPT = pathlib.Path(__file__).parents[1] / "static" / "lost_widget.js"

#: Events of a session that change the picture.
EVENTS = frozenset({"frame", "state", "supervision", "method"})


class StillOutput:
    """Publishes pictures under one display id, from a thread that ends with the Explorer.

    * draw: returns the PNG of the present map and a sentence that describes it.
    * page: returns the page to lie over the picture.
    """

    def __init__(
        self, draw: Callable[[], tuple[bytes, str]], page: Callable[[], str] | None = None
    ) -> None:
        self._draw = draw
        self._page = page
        self._id = f"nbembed-{secrets.token_hex(8)}"
        self._changed: float | None = None  # first since the last picture
        self._renewal: DeferredTask | None = None
        self._last = b""

    def show(self) -> None:
        """Put the picture into the output of the running cell."""
        if _publisher() is None:
            return
        self._publish(update=False)
        self._publish_script()
        if self._renewal is None:
            try:
                self._renewal = DeferredTask("nbembed picture", self._renew)
            except RuntimeError:  # no thread is to be had: the first picture stays
                _logger.info("the picture in the output could not be updated", exc_info=True)

    def note(self, event: str) -> None:
        """Take an event of the session, in its worker's thread."""
        if self._renewal is None or event not in EVENTS:
            return
        now = time.monotonic()
        changed = self._changed = now if self._changed is None else self._changed
        self._renewal.at(min(changed + MOTION, now + REST))

    def close(self) -> None:
        """Publish the last picture, and end."""
        if self._renewal is not None and self._renewal.close():
            self._publish(update=True)

    def _renew(self) -> None:
        self._changed = None
        self._publish(update=True)

    def _publish(self, *, update: bool) -> None:
        publisher = _publisher()
        if publisher is None:
            return
        try:
            png, text = self._draw()
            if update and png == self._last:
                return
            self._last = png
            picture = base64.b64encode(png).decode("ascii")
            data = {"image/png": picture, "text/plain": text}
            if self._page is not None:
                data["text/html"] = over_picture(picture, text, self._page())
            publisher.publish(data, {}, transient={"display_id": self._id}, update=update)
        except Exception:  # a picture must never cost the map
            _logger.info("the picture in the output could not be drawn", exc_info=True)

    def _publish_script(self) -> None:
        publisher = _publisher()
        if publisher is None:
            return
        try:
            data = {"text/html": f"<script>{lost_widget_script()}</script>", "text/plain": ""}
            publisher.publish(data, {})
        except Exception:  # the same
            _logger.info("the script in the output could not be published", exc_info=True)


def check_still(still: Any) -> None:
    """Raise ValueError or TypeError unless this is True, False or "page"."""
    if isinstance(still, str):
        if still != "page":
            raise ValueError(f"still must be True, False or 'page', got {shown(still)}")
    elif not isinstance(still, bool):
        raise TypeError(f"still must be True, False or 'page', got {shown(still)}")


def over_picture(picture: str, text: str, page: str) -> str:
    """Return HTML of a whole page in a frame over its picture.

    The picture is a PNG in base64, described by ``text``.
    """
    place = "grid-area:1/1;width:100%;"
    alt = html.escape(text, quote=True)
    return (
        f'<div class="nbembed-still" style="display:grid">'
        f'<img alt="{alt}" src="data:image/png;base64,{picture}" style="{place}">'
        f'<iframe title="{alt}" sandbox="allow-scripts allow-downloads" loading="lazy" '
        f'style="{place}height:100%;min-height:{PAGE_HEIGHT}px;border:0;background:#fff" '
        f'srcdoc="{html.escape(page, quote=True)}"></iframe></div>'
    )


@functools.cache
def lost_widget_script() -> str:
    """Return the script that hides what stands in place of a widget without a model."""
    return _SCRIPT.read_text(encoding="utf-8").strip()


def _publisher() -> Any:
    """Return the publisher of outputs in a notebook, ``None`` elsewhere."""
    module = sys.modules.get("IPython")
    shell = None if module is None else module.get_ipython()
    try:
        return None if shell is None or shell.kernel is None else shell.display_pub
    except AttributeError:
        return None  # a terminal has no kernel, and no outputs
