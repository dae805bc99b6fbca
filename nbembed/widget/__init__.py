"""The Explorer: a session seen and steered from a notebook.

Only this package knows Jupyter. It holds no model of its own: :class:`Explorer` shows a
:class:`nbembed.session.Session` and passes on what the person does; closing it loses nothing.

Imports run one way: ``wire`` (the schema), ``stream`` (frames and traits), ``answers``, ``view``,
``host``, and at the top ``explorer``, the widget that holds the parts. ``server`` is a Jupyter
server extension that spares frames a delay. ``frontend/`` is the page, in TypeScript; ``static/``
is what the build makes of it.
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
