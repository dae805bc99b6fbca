"""The Explorer: a session seen and steered from a notebook.

Only this package knows Jupyter. It holds no model of its own: :class:`Explorer` shows a
:class:`nbembed.session.Session` and passes on what the person does; closing it loses nothing.

* ``schema``, ``wire_types``: the one table of traits, messages and commands on the wire.
* ``typescript``: writes the page's side of that table.
* ``protocol``: checks messages from the page.
* ``explorer``: the widget, which holds the parts below.
* ``dispatcher``: carries out commands and tracks when their effect is visible.
* ``serializers``, ``trait_writer``: from the session to the synced traits.
* ``drawing``: a layout as it is drawn, on the plane and with colors.
* ``frames``, ``sender``: from the session to frame messages, and the thread that paces them.
* ``traits``: the trait of a selection.
* ``server``: a Jupyter server extension that spares frames a delay.
* ``frontend/``: the page, in TypeScript; ``static/`` is what the build makes of it.
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
