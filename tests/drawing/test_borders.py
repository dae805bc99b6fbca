from __future__ import annotations

import numpy as np
import pytest

from nbembed.drawing.borders import region_borders


def test_a_border_lies_half_way_between_two_classes():
    lines = np.array(region_borders(np.array([[0.0, 0.0], [2.0, 0.0]]), np.array([0, 1])))
    assert lines.shape == (1, 4)
    assert lines[0, [0, 2]] == pytest.approx([1.0, 1.0])
    assert abs(lines[0, 1] - lines[0, 3]) > 20


def test_centers_of_one_class_have_no_border():
    places = np.array([[0.0, 0.0], [2.0, 0.0], [0.0, 5.0]])
    assert region_borders(places, np.zeros(3, int)) == []
    assert region_borders(places[:1], np.zeros(1, int)) == []
    assert region_borders(np.zeros((2, 2)), np.array([0, 1])) == []
    lines = region_borders(places, np.array([0, 0, 1]))
    assert all(min(y, end) >= 2.4 or max(y, end) <= 2.6 for _, y, _, end in lines)


def test_on_a_border_the_nearest_centers_are_of_two_classes(rng):
    places, classes = rng.normal(size=(12, 2)), np.arange(12) % 4
    lines = region_borders(places, classes)
    assert len(lines) > 4
    for line in lines:
        for share in (0.2, 0.5, 0.8):
            at = (1 - share) * np.array(line[:2]) + share * np.array(line[2:])
            away = np.linalg.norm(places - at, axis=1)
            two = np.argsort(away)[:2]
            assert away[two[0]] == pytest.approx(away[two[1]], rel=1e-6)
            assert classes[two[0]] != classes[two[1]]
