"""Colors of classes and categories on a ground: the same as the page shows (``contrast.ts`` there).

On a light ground colors are darker, on a dark one lighter, so that each has a contrast of at least
3:1 with it (WCAG 2.2, 1.4.11). The lightness of OKLab (Ottosson 2020) is compressed away from the
ground rather than cut off, so that colors which differ in lightness still do.
"""

from __future__ import annotations

import math
from functools import lru_cache

RGB = tuple[int, int, int]

#: A little more than 3:1, for panels that are not as light or as dark as the map.
_LEAST_LIGHT, _LEAST_DARK = 3.05, 3.6
#: On a light ground: the lightness of the palest color, where it goes, and how much of their
#: differences from it the others keep.
_PALEST, _PALEST_TO, _SLOPE = 0.85, 0.66, 0.8
#: On a dark one: the lightness from which a color stays as it is, that of the darkest, and where
#: that goes; between them by a power.
_KEEP, _DARKEST, _DARKEST_TO, _POWER = 0.75, 0.25, 0.5, 0.7
#: Steps of lightness until the contrast is enough.
_STEP, _MOST_STEPS = 0.01, 60

_Triple = tuple[float, float, float]


def contrast(a: RGB, b: RGB) -> float:
    """Return the contrast of two colors, from 1 to 21."""
    x, y = _luminance(a), _luminance(b)
    return (max(x, y) + 0.05) / (min(x, y) + 0.05)


@lru_cache(maxsize=4096)
def on_ground(color: str, ground: RGB) -> RGB:
    """Return a color, given as "#RRGGBB", as it is shown on a ground."""
    given = parsed(color)
    dark = _luminance(ground) < 0.2
    least = _LEAST_DARK if dark else _LEAST_LIGHT
    L, a, b = _to_oklab(given)
    to = L
    if not dark:
        to = _PALEST_TO - _SLOPE * (_PALEST - L)
    elif L < _KEEP:
        share = min(1.0, (_KEEP - L) / (_KEEP - _DARKEST))
        to = _KEEP - (_KEEP - _DARKEST_TO) * share**_POWER
    if to == L and contrast(given, ground) >= least:
        return given
    for _ in range(_MOST_STEPS):
        found = _with_lightness(a, b, to)
        if contrast(found, ground) >= least:
            return found
        to += _STEP if dark else -_STEP
    return (255, 255, 255) if dark else (0, 0, 0)


def parsed(color: str) -> RGB:
    """Return "#RRGGBB" as three numbers."""
    red, green, blue = bytes.fromhex(color[1:7])
    return red, green, blue


def _linear(v: float) -> float:
    return v / 12.92 if v <= 0.04045 else float(((v + 0.055) / 1.055) ** 2.4)


def _coded(v: float) -> float:
    return 12.92 * v if v <= 0.0031308 else float(1.055 * v ** (1 / 2.4) - 0.055)


def _luminance(color: RGB) -> float:
    r, g, b = (_linear(v / 255) for v in color)
    return 0.2126 * r + 0.7152 * g + 0.0722 * b


def _to_oklab(color: RGB) -> _Triple:
    r, g, b = (_linear(v / 255) for v in color)
    l = math.cbrt(0.4122214708 * r + 0.5363325363 * g + 0.0514459929 * b)  # noqa: E741
    m = math.cbrt(0.2119034982 * r + 0.6806995451 * g + 0.1073969566 * b)
    s = math.cbrt(0.0883024619 * r + 0.2817188376 * g + 0.6299787005 * b)
    return (
        0.2104542553 * l + 0.793617785 * m - 0.0040720468 * s,
        1.9779984951 * l - 2.428592205 * m + 0.4505937099 * s,
        0.0259040371 * l + 0.7827717662 * m - 0.808675766 * s,
    )


def _from_oklab(L: float, a: float, b: float) -> _Triple:
    l = (L + 0.3963377774 * a + 0.2158037573 * b) ** 3  # noqa: E741
    m = (L - 0.1055613458 * a - 0.0638541728 * b) ** 3
    s = (L - 0.0894841775 * a - 1.291485548 * b) ** 3
    return (
        4.0767416621 * l - 3.3077115913 * m + 0.2309699292 * s,
        -1.2684380046 * l + 2.6097574011 * m - 0.3413193965 * s,
        -0.0041960863 * l - 0.7034186147 * m + 1.707614701 * s,
    )


def _with_lightness(a: float, b: float, L: float) -> RGB:
    """Return the color of that lightness and hue, with as much of its chroma as can be shown."""

    def shows(share: float) -> bool:
        return all(-0.001 <= v <= 1.001 for v in _from_oklab(L, share * a, share * b))

    share = 1.0
    if not shows(1.0):
        low, high = 0.0, 1.0
        for _ in range(12):
            middle = (low + high) / 2
            low, high = (middle, high) if shows(middle) else (low, middle)
        share = low
    red, green, blue = (
        math.floor(255 * _coded(min(1.0, max(0.0, v))) + 0.5)
        for v in _from_oklab(L, share * a, share * b)
    )
    return red, green, blue
