"""The looks of an Explorer's classes, chosen from Python and from its pages alike."""

from __future__ import annotations

import re
from collections.abc import Callable, Iterator, Mapping
from typing import Any

from nbembed.drawing.palette import SYMBOLS
from nbembed.session import Session
from nbembed.session.core.handle import Handle
from nbembed.supervision.parts import class_name
from nbembed.validation import check_count, check_flag, shown, shown_names
from nbembed.widget.stream.drawing import FrameArtist

#: What can be chosen for a class beside its place.
LOOK = ("color", "symbol", "hidden")
_COLOR = re.compile(r"#[0-9A-Fa-f]{6}")


class ClassStyles(Handle, Mapping[str, Mapping[str, Any]]):
    """The look of each class of an Explorer, by name.

    It is a matter of the Explorer and not of its session: no map moves with it.

    Parameters
    ----------
    session : Session
    artist : FrameArtist
    changed : callable
        Called after a change.

    Examples
    --------
    >>> import nbembed as nb
    >>> from sklearn.datasets import load_iris
    >>> explorer = nb.Explorer(load_iris().data, autoplay=False)
    >>> explorer.session.label([0, 1, 2], "setosa")
    >>> explorer.class_styles.change("setosa", color="#E69F00", symbol="star")
    >>> explorer.class_styles["setosa"]["symbol"]
    'star'
    """

    def __init__(self, session: Session, artist: FrameArtist, changed: Callable[[], None]) -> None:
        self._session = session
        self._artist = artist
        self._changed = changed

    def __getitem__(self, name: str) -> Mapping[str, Any]:
        for style in self._artist.class_styles(self._classes()):
            if style["name"] == name:
                return style
        raise KeyError(name)

    def __iter__(self) -> Iterator[str]:
        styles = self._artist.class_styles(self._classes())
        return iter(style["name"] for style in sorted(styles, key=lambda style: style["place"]))

    def __len__(self) -> int:
        return len(self._classes())

    def __repr__(self) -> str:
        return f"ClassStyles({', '.join(map(repr, self))})"

    def change(
        self,
        name: Any,
        *,
        color: str | None = None,
        symbol: str | None = None,
        hidden: bool | None = None,
        place: int | None = None,
    ) -> None:
        """Give a class another look.

        Parameters
        ----------
        name : str or int
            The class.
        color : str, optional
            As "#RRGGBB". Pages show it darker on a light background, lighter on a dark one.
        symbol : str, optional
            The shape of its points: "circle", "square", "triangle", "diamond", "star", "cross",
            "wedge", "pentagon", "saltire" or "hexagon".
        hidden : bool, optional
            Whether its points are not drawn. They stay where they are, with their labels.
        place : int, optional
            Where lists have the class, from 0 on. The order in the supervision stays.

        Raises
        ------
        ValueError, TypeError
            If there is no such class, or a value is not legal.
        """
        name, classes = class_name(name, "name"), self._classes()
        if name not in classes:
            known = shown_names(classes) or "none yet"
            raise ValueError(f"name must be an existing class ({known}), got {shown(name)}")
        look = _look(color, symbol, hidden)
        if place is not None and check_count("place", place, low=0) >= len(classes):
            raise ValueError(f"place must be in [0, {len(classes)}), got {place}")
        self._artist.choose_style(classes, name, look, place)
        self._changed()

    def stored(self) -> dict[str, Any]:
        """Return the chosen looks and order, as a file stores them."""
        looks, order = self._artist.chosen_styles()
        return {"looks": looks, "order": order}

    def restore(self, stored: Mapping[str, Any]) -> None:
        """Take over what :func:`checked_styles` has found in a file."""
        if stored:
            self._artist.restore_styles(self._classes(), stored["looks"], stored["order"])

    def _classes(self) -> tuple[str, ...]:
        return self._session.supervision.classes


def checked_styles(stored: Any) -> dict[str, Any]:
    """Return the looks of classes in a file; raise unless they are in the form of a file."""
    looks = {
        class_name(name, "name"): _look(**{key: look.get(key) for key in LOOK})
        for name, look in stored["looks"].items()
    }
    return {"looks": looks, "order": [class_name(name, "name") for name in stored["order"]]}


def _look(color: Any, symbol: Any, hidden: Any) -> dict[str, Any]:
    """Return the entries of a style that are given, in the form that pages know."""
    look: dict[str, Any] = {}
    if color is not None:
        if not isinstance(color, str) or not _COLOR.fullmatch(color):
            raise ValueError(f'color must be text such as "#E69F00", got {shown(color)}')
        look["color"] = color.upper()
    if symbol is not None:
        if not isinstance(symbol, str) or symbol not in SYMBOLS:
            raise ValueError(f"symbol must be one of {', '.join(SYMBOLS)}, got {shown(symbol)}")
        look["symbol"] = symbol
    if hidden is not None:
        look["hidden"] = check_flag("hidden", hidden)
    return look
