"""The Explorer: a session seen and steered from a notebook.

This room alone knows Jupyter. It holds no model of its own: :class:`Explorer` shows a
:class:`nbembed.session.Session` and passes on what the person does; closing it loses nothing.

* ``explorer``: the widget: its synced traits and its face towards Python.
* ``protocol``: what the page may say, checked; the bytes of arrays.
* ``sender``: the thread that streams layouts, and the acknowledgements that pace it.
* ``projection``: a steady plane for maps of more than two dimensions.
* ``palette``, ``columns``: colors and symbols of classes; any column to color by.
* ``frontend/``: the page's side, in TypeScript; ``static/`` is what the build makes of it.
"""

from nbembed.widget.explorer import Explorer

__all__ = ["Explorer"]
