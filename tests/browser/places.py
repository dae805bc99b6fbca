"""Where points are drawn on the page, as the maps' own cameras have it, and a lasso around all."""

from __future__ import annotations

import math
from typing import Any

import numpy as np
from numpy.typing import NDArray
from playwright.sync_api import Locator, Page

#: The place of a point of a map, in pixels of the page.
WHERE = """(map, i) => { const box = map.getBoundingClientRect();
  const [x, y] = map.nbembedWhere(i); return [box.left + x, box.top + y]; }"""
#: The places of all points, if they were the same when the page drew last.
STILL = f"""(map) => {{
  const where = {WHERE};
  const places = [];
  for (let place = where(map, 0); Number.isFinite(place[0]); place = where(map, places.length))
    places.push(place);
  const now = JSON.stringify(places), before = map.placesBefore;
  map.placesBefore = now;
  return places.length > 0 && now === before && places;
}}"""


def screen_of(map_: Locator, point: int) -> tuple[float, float]:
    """Return where on the page a point is drawn now."""
    x, y = map_.evaluate(WHERE, point)
    return x, y


def still(map_: Locator) -> NDArray[Any]:
    """Return where on the page all points are drawn, once neither map nor view is moving."""
    handle = map_.element_handle()
    handle.evaluate("(map) => { map.placesBefore = ''; }")
    return np.array(map_.page.wait_for_function(STILL, arg=handle).json_value())


def lasso_all(page: Page, widget: Locator | Page) -> None:
    """Select all points by a lasso along the edge of the map."""
    widget.get_by_role("button", name="Fit view", exact=True).click()
    widget.get_by_role("button", name="Lasso", exact=True).click()
    box = widget.get_by_role("application", name="Map").bounding_box()
    assert box is not None
    middle = np.array([box["x"] + box["width"] / 2, box["y"] + box["height"] / 2])
    radii = np.array([box["width"], box["height"]]) / 2 - 3
    # A superellipse: an ellipse would cut the corners off.
    turns = np.linspace(0, 2 * math.pi, 60)
    shape = np.c_[np.cos(turns), np.sin(turns)]
    ring = middle + radii * np.sign(shape) * np.abs(shape) ** 0.2
    page.mouse.move(*ring[0])
    page.mouse.down()
    for x, y in ring[1:]:
        page.mouse.move(x, y)
    page.mouse.up()
