"""A figure of the user's own beside the map: what can be docked, and how a page gets it."""

from __future__ import annotations

import io
import sys
from collections.abc import Callable
from types import SimpleNamespace
from typing import Any

import numpy as np
import pytest
from PIL import Image

import nbembed as nb
from nbembed.widget.view.own_figure import MOST_BYTES, picture_of
from nbembed.widget.wire.queries import QUERIES


class Drawn:
    """Shows itself as a notebook asks it to."""

    def __init__(self, **forms: Any) -> None:
        for name, shown in forms.items():
            setattr(self, f"_repr_{name}_", lambda shown=shown: shown)


class Figure:
    """Saves itself as a figure of Matplotlib does, which the tests do not need."""

    dpi = 50

    def savefig(self, file: Any, *, format: str, dpi: float, bbox_inches: str) -> None:
        Image.new("L", (2 * int(dpi), int(dpi))).save(file, format)


def test_a_figure_of_matplotlib_is_drawn_and_closed(monkeypatch: pytest.MonkeyPatch) -> None:
    figure, closed = Figure(), []
    monkeypatch.setitem(sys.modules, "matplotlib.pyplot", SimpleNamespace(close=closed.append))
    for given in (figure, SimpleNamespace(figure=figure)):  # Axes
        kind, data = picture_of(given)
        assert kind == "png"
        assert Image.open(io.BytesIO(data)).size == (200, 100)
    assert closed == [figure, figure]


@pytest.mark.parametrize(
    ("forms", "picture"),
    [
        ({"png": b"p"}, ("png", b"p")),
        ({"svg": "<svg/>", "png": b"p"}, ("svg", b"<svg/>")),
        ({"png": ("cA==", {"width": 3})}, ("png", b"p")),
        ({"mimebundle": {"image/png": "cA==", "text/plain": "x"}}, ("png", b"p")),
        ({"mimebundle": ({"image/svg+xml": "<svg/>"}, {})}, ("svg", b"<svg/>")),
        ({"svg": None, "png": b"p"}, ("png", b"p")),
    ],
)
def test_what_a_notebook_shows_as_a_picture_is_shown(forms: Any, picture: Any) -> None:
    assert picture_of(Drawn(**forms)) == picture


@pytest.mark.parametrize("figure", [3, "map.png", Drawn(html="<p>"), Drawn, Drawn(png=None)])
def test_others_are_refused(figure: Any) -> None:
    with pytest.raises(TypeError, match="figure must be a figure of Matplotlib, or"):
        picture_of(figure)


def test_a_page_is_told_of_each_figure(explore: Callable[..., nb.Explorer]) -> None:
    explorer: Any = explore(np.random.default_rng(0).normal(size=(20, 3)))
    assert explorer.own_figure == 0
    explorer.dock(Drawn(png=b"one"))
    explorer.dock(Drawn(svg="<svg/>"))
    assert explorer.own_figure == 2
    fields, buffers = explorer._own_figure.answer()
    QUERIES["own_figure"].check(fields, len(buffers))
    assert (fields, list(buffers)) == ({"svg": True}, [b"<svg/>"])
    with pytest.raises(ValueError, match="at most 8,000,000 bytes, got 8,000,001"):
        explorer.dock(Drawn(png=bytes(MOST_BYTES + 1)))
    assert explorer.own_figure == 2
    explorer.dock(None)
    assert explorer.own_figure == 0
    assert explorer._own_figure.answer()[1] == [b""]
