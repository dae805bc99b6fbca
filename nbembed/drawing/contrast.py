"""Colors of classes and categories on a ground: the same as the page shows (``contrast.ts`` there).

The page has its constants from here (:mod:`nbembed.widget.wire.typescript`).

On a light ground colors are darker, on a dark one lighter, so that each has a contrast of at least
3:1 with it (WCAG 2.2, 1.4.11). The lightness of OKLab (Ottosson 2020) is compressed away from the
ground rather than cut off, so that colors which differ in lightness still do.
"""

from __future__ import annotations

import math
from functools import lru_cache

RGB = tuple[int, int, int]

#: Of 3:1 on the map; a little more, since panels are not as light or as dark as the map.
LEAST = {"light": 3.05, "dark": 3.6}
#: Lightness on a light ground: that of the palest color of the palette, where it goes, and how much
#: of their differences from it the others keep. On a dark one: from which a color stays as it is,
#: that of the darkest, and where that goes; between them with an exponent below 1, since what
#: lies near ``keep`` needs little more light, and there are the two blues and the two greens of the
#: palette. Chosen so that the twelve colors differ for every eye (by CIEDE2000), and ordered ones
#: keep their order.
LIGHT = {"palest": 0.85, "to": 0.66, "slope": 0.8}
DARK = {"keep": 0.75, "darkest": 0.25, "to": 0.5, "exponent": 0.7}
#: Steps of lightness until the contrast is enough.
STEP, MOST_STEPS = 0.01, 60

#: From linear RGB to the cube of cone responses, from these to OKLab; and back.
TO_LMS = (
    (0.4122214708, 0.5363325363, 0.0514459929),
    (0.2119034982, 0.6806995451, 0.1073969566),
    (0.0883024619, 0.2817188376, 0.6299787005),
)
TO_LAB = (
    (0.2104542553, 0.793617785, -0.0040720468),
    (1.9779984951, -2.428592205, 0.4505937099),
    (0.0259040371, 0.7827717662, -0.808675766),
)
FROM_LAB = (
    (1.0, 0.3963377774, 0.2158037573),
    (1.0, -0.1055613458, -0.0638541728),
    (1.0, -0.0894841775, -1.291485548),
)
FROM_LMS = (
    (4.0767416621, -3.3077115913, 0.2309699292),
    (-1.2684380046, 2.6097574011, -0.3413193965),
    (-0.0041960863, -0.7034186147, 1.707614701),
)

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
    least = LEAST["dark" if dark else "light"]
    L, a, b = _to_oklab(given)
    to = L
    if not dark:
        to = LIGHT["to"] - LIGHT["slope"] * (LIGHT["palest"] - L)
    elif DARK["keep"] > L:
        share = min(1.0, (DARK["keep"] - L) / (DARK["keep"] - DARK["darkest"]))
        to = DARK["keep"] - (DARK["keep"] - DARK["to"]) * share ** DARK["exponent"]
    if to == L and contrast(given, ground) >= least:
        return given
    for _ in range(MOST_STEPS):
        found = _with_lightness(a, b, to)
        if contrast(found, ground) >= least:
            return found
        to += STEP if dark else -STEP
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
    l, m, s = _times(TO_LMS, (r, g, b))  # noqa: E741
    return _times(TO_LAB, (math.cbrt(l), math.cbrt(m), math.cbrt(s)))


def _from_oklab(L: float, a: float, b: float) -> _Triple:
    l, m, s = _times(FROM_LAB, (L, a, b))  # noqa: E741
    return _times(FROM_LMS, (l**3, m**3, s**3))


def _times(matrix: tuple[_Triple, ...], vector: _Triple) -> _Triple:
    x, y, z = vector
    first, second, third = (a * x + b * y + c * z for a, b, c in matrix)
    return first, second, third


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
