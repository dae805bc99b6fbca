"""Colors that can be told apart, and stay with their classes."""

from __future__ import annotations

import itertools

import numpy as np
import pytest

from nbembed.drawing import palette
from nbembed.drawing.membership_colors import membership_colors
from nbembed.drawing.palette import COLORS, SYMBOLS

# Machado, Oliveira and Fernandes (2009), severity 1, for linear RGB.
VISIONS = {
    "trichromat": np.eye(3),
    "protanope": [
        [0.152286, 1.052583, -0.204868],
        [0.114503, 0.786281, 0.099216],
        [-0.003882, -0.048116, 1.051998],
    ],
    "deuteranope": [
        [0.367322, 0.860646, -0.227968],
        [0.280085, 0.672501, 0.047413],
        [-0.011820, 0.042940, 0.968881],
    ],
}


def lab(color: str, vision: str) -> np.ndarray:
    """Return CIELAB coordinates of a color as seen with some kind of vision."""
    coded = np.array([int(color[i : i + 2], 16) / 255 for i in (1, 3, 5)])
    light = np.where(coded <= 0.04045, coded / 12.92, ((coded + 0.055) / 1.055) ** 2.4)
    light = np.clip(np.asarray(VISIONS[vision]) @ light, 0, 1)
    to_xyz = [[0.4124, 0.3576, 0.1805], [0.2126, 0.7152, 0.0722], [0.0193, 0.1192, 0.9505]]
    xyz = np.asarray(to_xyz) @ light / [0.9505, 1.0, 1.089]
    f = np.where(xyz > 0.008856, np.cbrt(xyz), 7.787 * xyz + 16 / 116)
    return np.array([116 * f[1] - 16, 500 * (f[0] - f[1]), 200 * (f[1] - f[2])])


def ciede2000(one: np.ndarray, two: np.ndarray) -> float:
    """Return the color difference ΔE00 of two CIELAB colors (Sharma, Wu and Dalal 2005)."""
    (l1, a1, b1), (l2, a2, b2) = one, two
    chroma7 = ((np.hypot(a1, b1) + np.hypot(a2, b2)) / 2) ** 7
    a1, a2 = (a * (1.5 - 0.5 * np.sqrt(chroma7 / (chroma7 + 25**7))) for a in (a1, a2))
    c1, c2 = np.hypot(a1, b1), np.hypot(a2, b2)
    h1, h2 = (np.degrees(np.arctan2(b, a)) % 360 for a, b in ((a1, b1), (a2, b2)))
    turn = (h2 - h1 + 180) % 360 - 180
    hue = 2 * np.sqrt(c1 * c2) * np.sin(np.radians(turn) / 2)
    light, chroma, mean = (l1 + l2) / 2, (c1 + c2) / 2, np.radians(h1 + turn / 2)
    t = (
        1
        - 0.17 * np.cos(mean - np.radians(30))
        + 0.24 * np.cos(2 * mean)
        + 0.32 * np.cos(3 * mean + np.radians(6))
        - 0.20 * np.cos(4 * mean - np.radians(63))
    )
    near_blue = np.exp(-(((np.degrees(mean) % 360 - 275) / 25) ** 2))
    turned = -2 * np.sqrt(chroma**7 / (chroma**7 + 25**7)) * np.sin(np.radians(60 * near_blue))
    dl = (l2 - l1) / (1 + 0.015 * (light - 50) ** 2 / np.sqrt(20 + (light - 50) ** 2))
    dc = (c2 - c1) / (1 + 0.045 * chroma)
    dh = hue / (1 + 0.015 * chroma * t)
    return float(np.sqrt(dl**2 + dc**2 + dh**2 + turned * dc * dh))


@pytest.mark.parametrize(
    ("one", "two", "expected"),
    [  # of the test data that Sharma, Wu and Dalal published
        ((50.0, 2.6772, -79.7751), (50.0, 0.0, -82.7485), 2.0425),
        ((50.0, 2.5, 0.0), (73.0, 25.0, -18.0), 27.1492),
        ((60.2574, -34.0099, 36.2677), (60.4626, -34.1751, 39.4387), 1.2644),
        ((22.7233, 20.0904, -46.6940), (23.0331, 14.9730, -42.5619), 2.0373),
    ],
)
def test_color_differences_are_the_published_ones(
    one: object, two: object, expected: float
) -> None:
    assert ciede2000(np.array(one), np.array(two)) == pytest.approx(expected, abs=1e-4)


@pytest.mark.parametrize("vision", VISIONS)
def test_the_first_colors_differ_for_every_eye(vision: str) -> None:
    seen = [lab(c, vision) for c in COLORS[:10]]
    nearest = min(np.linalg.norm(a - b) for a, b in itertools.combinations(seen, 2))
    assert nearest > 14


@pytest.mark.parametrize("ground", ["#FDFDFC", "#121317"])
def test_colors_stand_out_from_both_grounds(ground: str) -> None:
    for color in COLORS:
        assert np.linalg.norm(lab(color, "trichromat") - lab(ground, "trichromat")) > 30


def test_classes_differ_in_color_and_shape_together() -> None:
    pairs = [(palette.color(k), palette.symbol(k)) for k in range(60)]
    assert len(set(pairs)) == 60
    assert len({color for color, _ in pairs[: len(COLORS)]}) == len(COLORS)
    assert len(set(SYMBOLS)) == len(SYMBOLS)


def test_a_certain_point_has_its_class_color_and_mixtures_are_light() -> None:
    rgba = membership_colors(np.array([[1.0, 0.0], [0.5, 0.5]]), ["#FF0000", "#0000FF"])
    assert rgba[0].tolist() == [255, 0, 0, 255]
    assert rgba[1, 0] == rgba[1, 2]
    assert 180 < rgba[1, 0] < 190  # mixed in coded values it would be a dark 128


def test_a_point_is_as_opaque_as_it_belongs_to_any_class() -> None:
    rgba = membership_colors(np.array([[0.4, 0.0], [0.0, 0.0], [0.3, 0.3]]), ["#FF0000", "#0000FF"])
    assert rgba[0].tolist() == [255, 0, 0, 102]
    assert rgba[1, 3] == 0
    assert rgba[2, 3] == 153
    assert rgba[2, 0] == rgba[2, 2] > 180


@pytest.mark.parametrize("count", [1, 2, 5, 12])
def test_ordered_colors_rise_in_lightness(count: int) -> None:
    colors = palette.category_colors(count, ordered=True)
    lightness = [lab(color, "trichromat")[0] for color in colors]
    assert len(set(colors)) == count
    assert lightness == sorted(lightness)
    assert all(len(color) == 7 for color in colors)
