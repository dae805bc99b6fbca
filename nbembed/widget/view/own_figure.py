"""A figure of the user's own beside the map: kept as the picture that it is when it is given."""

from __future__ import annotations

import base64
import io
import sys
from collections.abc import Mapping, Sequence
from typing import Any

from nbembed.widget.stream.trait_writer import TraitWriter

#: Bytes of a picture; a larger one would keep other answers waiting.
MOST_BYTES = 8_000_000
#: Pixels of a figure of Matplotlib for each of its own, for displays of high resolution.
SCALE = 2


class OwnFigure:
    """The figure as a picture, and the answer to pages."""

    def __init__(self, writer: TraitWriter) -> None:
        self._writer = writer
        self._given = 0  # figures that there were
        self._picture = ("png", b"")

    def show(self, figure: Any) -> None:
        """Show a figure, ``None`` for none."""
        picture = ("png", b"") if figure is None else picture_of(figure)
        if len(picture[1]) > MOST_BYTES:
            raise ValueError(
                f"figure must have a picture of at most {MOST_BYTES:,} bytes, got "
                f"{len(picture[1]):,}: give a smaller figure, or fewer marks"
            )
        self._picture = picture
        self._given += 1
        self._writer.update({"own_figure": 0 if figure is None else self._given})

    def answer(self) -> tuple[Mapping[str, Any], Sequence[bytes]]:
        """Answer ``own_figure``."""
        kind, data = self._picture
        return {"svg": kind == "svg"}, [data]


class Docking:
    """Shows a figure of the user's own in the side panel."""

    _own_figure: OwnFigure

    def dock(self, figure: Any) -> None:
        """Show a figure in a tab *Mine* beside the map, in place of the one before.

        Parameters
        ----------
        figure : figure, Axes, image or None
            A figure or Axes of Matplotlib, or whatever a notebook shows as PNG or SVG, such as an
            image of Pillow. It is shown as it is now; call this again when it has changed, as in a
            function for :meth:`on_selection`. ``None`` removes the tab.

        Raises
        ------
        TypeError
            If it has neither form.
        ValueError
            If its picture has more than 8 MB.

        Notes
        -----
        A figure of pyplot is closed, so that the notebook does not show it a second time.

        Examples
        --------
        >>> import nbembed as nb
        >>> from PIL import Image
        >>> from sklearn.datasets import load_iris
        >>> explorer = nb.Explorer(load_iris().data, autoplay=False)
        >>> explorer.dock(Image.new("L", (120, 80)))
        >>> explorer.dock(None)
        """
        self._own_figure.show(figure)


def picture_of(figure: Any) -> tuple[str, bytes]:
    """Return "png" or "svg" and the file; a figure of pyplot is closed."""
    drawn = getattr(figure, "figure", figure)  # of Axes
    drawn = getattr(drawn, "figure", drawn)  # of a part of a figure, whose Axes may be
    if hasattr(drawn, "savefig"):
        file = io.BytesIO()
        dpi = SCALE * getattr(drawn, "dpi", 100)
        drawn.savefig(file, format="png", dpi=dpi, bbox_inches="tight")
        if (pyplot := sys.modules.get("matplotlib.pyplot")) is not None:
            pyplot.close(drawn)
        return "png", file.getvalue()
    bundle = _shown_by(figure, "_repr_mimebundle_")
    for kind, mime in (("svg", "image/svg+xml"), ("png", "image/png")):
        data = _shown_by(figure, f"_repr_{kind}_")
        if data is None and isinstance(bundle, Mapping):
            data = bundle.get(mime)
        if isinstance(data, str):
            data = data.encode() if kind == "svg" else base64.b64decode(data)
        if isinstance(data, bytes):
            return kind, data
    raise TypeError(
        "figure must be a figure of Matplotlib, or what a notebook shows as PNG or SVG, got "
        f"{type(figure).__name__}"
    )


def _shown_by(figure: Any, method: str) -> Any:
    """Return what a method for notebooks returns, without what else it tells; ``None`` if none."""
    found = getattr(figure, method, None)
    if not callable(found) or isinstance(figure, type):
        return None
    shown = found()
    return shown[0] if isinstance(shown, tuple) else shown
