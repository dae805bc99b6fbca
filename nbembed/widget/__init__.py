"""The Explorer: a session seen and steered from a notebook.

This room alone knows Jupyter. It holds no model of its own: :class:`Explorer` shows a
:class:`nbembed.session.Session` and passes on what the person does; closing it loses nothing.

* ``explorer``, ``state``: the widget: its face towards Python, its synced traits.
* ``protocol``: what the page may say, checked; the bytes of arrays.
* ``commands``, ``readout``: from the page's commands to the session's, and from the session to
  plain values.
* ``sender``: the thread that streams layouts, and the acknowledgements that pace it.
* ``projection``: a steady plane for maps of more than two dimensions.
* ``palette``, ``columns``, ``tints``: colors and symbols of classes; any column to color by.
* ``server``: a Jupyter server extension that spares frames a delay.
* ``frontend/``: the page's side, in TypeScript; ``static/`` is what the build makes of it.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from nbembed.widget.explorer import Explorer

__all__ = ["Explorer"]


def __getattr__(name: str) -> Any:
    # Lazy, so that a Jupyter server which loads the extension does not import all of nbembed.
    if name == "Explorer":
        from nbembed.widget.explorer import Explorer

        return Explorer
    raise AttributeError(f"module {__name__!r} has no attribute {name!r}")
