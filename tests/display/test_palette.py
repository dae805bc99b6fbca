"""Colors that can be told apart, and stay with their classes."""

from __future__ import annotations

import itertools

import numpy as np
import pytest

from nbembed.display import palette
from nbembed.display.membership_colors import membership_colors
from nbembed.display.palette import COLORS, SYMBOLS

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


@pytest.mark.parametrize("count", [1, 2, 5, 12])
def test_ordered_colors_rise_in_lightness(count: int) -> None:
    colors = palette.category_colors(count, ordered=True)
    lightness = [lab(color, "trichromat")[0] for color in colors]
    assert len(set(colors)) == count
    assert lightness == sorted(lightness)
    assert all(len(color) == 7 for color in colors)
