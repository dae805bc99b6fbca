"""Labels at the radius and at twice the radius: the same draws and the same splits for both."""

from __future__ import annotations

import numpy as np
import pytest

from nbembed.experiments.papers import label_distance
from nbembed.experiments.papers.label_distance import DISTANCES, drawn, labeled


@pytest.mark.parametrize(("n_labels", "size"), [(10, 10), (3, 4), (0, 4)])
def test_each_class_has_a_label_and_no_point_two(n_labels, size):
    y = np.repeat([0, 1, 2, 3], [100, 50, 5, 1])
    found = labeled(y, n_labels, np.random.default_rng(0))
    assert len(set(found.tolist())) == size
    assert set(y[found]) == {0, 1, 2, 3}
    assert not np.array_equal(found, labeled(y, n_labels, np.random.default_rng(1)))


def test_letter_has_as_many_labels_as_classes():
    few, many = (drawn("letter", None, n_labels).splits for n_labels in label_distance.LABELS)
    assert few.shape == (label_distance.SPLITS, 26)
    assert many.shape == (label_distance.SPLITS, 100)


def test_the_two_are_compared_split_by_split(monkeypatch):
    assert DISTANCES == {"labels at r": 1, "labels at 2r": 2}
    errors = {1: 20.0 + 10 * np.arange(10), 2: 19.0 + 10 * np.arange(10) + [0, 1] * 5}
    monkeypatch.setattr(label_distance, "_error", lambda shared, split: errors[shared[1]][split])
    near, far, gap, p = label_distance._compared(drawn("satellite", None, 10))
    assert near.name == "satellite, 10 labels, labels at r: test error, %"
    assert (near.measured, far.measured) == (65.0, 64.5)
    assert gap.measured == pytest.approx(-0.5)
    assert gap.spread == pytest.approx(np.std([-1, 0] * 5, ddof=1))
    assert 0.01 < p.measured < 0.05
