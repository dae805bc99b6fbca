"""The marks on a map beside its points: borders of regions, centers, class directions."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import numpy as np
from bokeh.models import Arrow, Label, NormalHead
from numpy.typing import ArrayLike, NDArray

from nbembed.drawing.borders import region_borders
from nbembed.plots.points import Cloud, check_layout, paint_of
from nbembed.plots.theme import ground_color, text_color
from nbembed.plots.titles import LETTER

#: Color of borders, to be seen on light and on dark ground.
BORDER = "#8A919E"


def checked_places(
    what: str, places: ArrayLike | None, names: Sequence[str] | None, d: int
) -> tuple[NDArray[np.float64] | None, list[str]]:
    """Return named places beside the points, checked."""
    if places is None:
        if names is not None:
            raise ValueError(f"{what}_names must be given together with {what}s")
        return None, []
    checked = check_layout(places, f"{what}s")
    if checked.shape[1] != d:
        raise ValueError(f"{what}s must have {d} columns, like Y, got {checked.shape[1]}")
    if names is not None and (isinstance(names, str) or not hasattr(names, "__iter__")):
        raise TypeError(f"{what}_names must be a list of names, got {names!r}")
    given = [str(k) for k in range(len(checked))] if names is None else list(map(str, names))
    if len(given) != len(checked):
        raise ValueError(f"{what}_names must name each of {len(checked)} {what}s, got {len(given)}")
    return checked, given


def checked_owners(
    classes: ArrayLike | None, middles: NDArray[np.float64] | None, d: int
) -> NDArray[Any] | None:
    """Return the class of each center, checked."""
    if classes is None:
        return None
    if middles is None:
        raise ValueError("center_classes must be given together with centers")
    if d != 2:
        raise ValueError(f"center_classes must be None unless the map has 2 dimensions, got {d}")
    owners = np.asarray(classes)
    if owners.shape != (len(middles),):
        raise ValueError(
            f"center_classes must name the class of each of the {len(middles)} centers, "
            f"got shape {owners.shape}"
        )
    return owners


def draw_borders(made: Any, places: NDArray[Any], owners: NDArray[Any]) -> None:
    """Draw the lines between the regions of classes."""
    codes = np.unique(owners, return_inverse=True)[1]
    ends = np.reshape(region_borders(places, codes), (-1, 4)).T
    made.segment(*ends, line_color=BORDER, line_width=1.5)


def draw_centers(made: Any, places: NDArray[Any], names: list[str], shared: Cloud) -> None:
    """Draw a star with its name at each center."""
    for k, (place, name) in enumerate(zip(places, names)):
        made.scatter(
            x=[place[0]],
            y=[place[1]],
            marker="star",
            size=20,
            fill_color=paint_of(shared.column, name, k),
            line_color="#FFFFFF",
            line_width=1.5,
        )
        # Away from the middle: the points of a class lie between its center and the middle.
        left = place[0] < (made.x_range.start + made.x_range.end) / 2
        _write(made, place, name, -12 if left else 12, -7, "right" if left else "left")


def draw_directions(made: Any, tips: NDArray[Any], names: list[str], shared: Cloud) -> None:
    """Draw an arrow with its name for each class direction."""
    for k, (tip, name) in enumerate(zip(tips, names)):
        paint = paint_of(shared.column, name, k)
        head = NormalHead(size=9, fill_color=paint, line_color=paint)
        made.add_layout(
            Arrow(
                x_start=0, y_start=0, x_end=tip[0], y_end=tip[1],
                end=head, line_color=paint, line_width=2, line_alpha=0.9,
            )
        )  # fmt: skip
    span = made.x_range.end - made.x_range.start
    for tip, name in _merged(tips, names, 0.1 * span):
        along = tip / (float(np.linalg.norm(tip)) or 1.0)
        # Beyond the tip, so that the text does not cover the arrow.
        align = "left" if along[0] > 0.4 else "right" if along[0] < -0.4 else "center"
        right = 0 if align == "center" else round(8 * np.sign(along[0]))
        _write(made, tip, name, right, round(12 * along[1]) - 7, align)


def _merged(tips: NDArray[Any], names: list[str], near: float) -> list[tuple[NDArray[Any], str]]:
    """Return positions of labels and their text; names of nearby tips share one label."""
    groups: list[list[int]] = []
    for k, tip in enumerate(tips):
        for group in groups:
            if np.linalg.norm(tip - tips[group[0]]) < near:
                group.append(k)
                break
        else:
            groups.append([k])
    return [(tips[group].mean(axis=0), ", ".join(names[k] for k in group)) for group in groups]


def _write(made: Any, place: Any, text: str, right: int, up: int, align: str) -> None:
    """Add a label beside a place, on a translucent background, moved into the frame if it fits."""
    start, end = made.x_range.start, made.x_range.end
    # A frame that is as wide as the page is at least about as wide as high.
    frame = made.frame_width or made.height
    at = (float(place[0]) - start) / (end - start) * frame + right
    wide = LETTER * len(text)
    begin = at - wide * {"left": 0.0, "center": 0.5, "right": 1.0}[align]
    inside = min(max(begin, 2.0), max(frame - wide - 2.0, 2.0))
    if abs(inside - begin) > 1:  # the label now covers its place, so it goes above
        right, up = right + round(inside - begin), up + 14
    made.add_layout(
        Label(
            x=float(place[0]),
            y=float(place[1]),
            x_offset=right,
            y_offset=up,
            text=_plain(text),
            text_align=align,
            text_font_size="12px",
            text_font_style="bold",
            text_color=text_color(),
            background_fill_color=ground_color(),
            background_fill_alpha=0.7,
        )
    )


def _plain(text: str) -> Any:
    from bokeh.models import PlainText

    return PlainText(text=text)
