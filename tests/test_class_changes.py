"""Classes merged and removed: labels, confidences and whole rows."""

from __future__ import annotations

import numpy as np
import pytest

from nbembed import Supervision
from nbembed.supervision import as_supervision
from nbembed.supervision.class_changes import merged, removed


def some() -> Supervision:
    labeled = Supervision(6).label([0, 1], "a", 0.9).label([2], "b", 0.6).label([3], "c")
    return labeled.must_link([2, 4]).pin([2])


def test_merged_classes_are_one():
    value = merged(some(), "a", "c")
    assert value.classes == ("b", "c")
    assert value.top_class.tolist() == [1, 1, 0, 1, -1, -1]
    np.testing.assert_array_equal(value.confidence[:4], [0.9, 0.9, 0.6, 1.0])
    assert value == merged(value.add_class("new"), "new", "b"), "one without points"
    assert value.pinned.tolist() == [2]


def test_no_confidence_is_more_than_one():
    rows = np.random.default_rng(0).dirichlet(np.ones(3), 500)
    once = merged(as_supervision(rows, 500), "0", "1")
    for value in (once, merged(once, "1", "2"), as_supervision([[1 + 2e-16, 0.0]], 1)):
        assert value.confidence.max() <= 1
        assert Supervision.from_dict(value.to_dict()) == value, "a saved session can be opened"


def test_a_removed_class_takes_its_labels_along():
    value = removed(some(), "b")
    assert value.classes == ("a", "c")
    assert value.top_class.tolist() == [0, 0, -1, 1, -1, -1]
    assert np.isnan(value.confidence[2])
    assert [group.tolist() for group in value.links] == [[2, 4]]
    assert value.pinned.tolist() == [2]
    assert Supervision.from_dict(value.to_dict()) == value


def test_rows_given_whole_stay_probabilities():
    rows = as_supervision([[0.5, 0.3, 0.2], [0.1, 0.2, 0.7], [0.4, 0.35, 0.25]], 3).add_class("x")
    value = merged(rows, "1", "2")
    assert value.classes == ("0", "2", "x")
    np.testing.assert_allclose(value.targets(), [[0.5, 0.5, 0], [0.1, 0.9, 0], [0.4, 0.6, 0]])
    assert value.top_class.tolist() == [0, 1, 1]
    rest = removed(rows, "0")
    assert rest.top_class.tolist() == [-1, 1, -1]
    np.testing.assert_allclose(rest.targets()[1], [2 / 9, 7 / 9, 0])
    np.testing.assert_allclose(rest.confidence[1], 7 / 9)
    assert Supervision.from_dict(value.to_dict()) == value


@pytest.mark.parametrize(
    ("change", "message"),
    [
        (lambda s: merged(s, "a", "a"), "into must differ from old"),
        (lambda s: merged(s, "z", "a"), "old must be an existing class"),
        (lambda s: merged(s, "a", "z"), "into must be an existing class"),
        (lambda s: removed(s, "z"), "name must be an existing class"),
        (lambda s: removed(s, None), "name must be the name of a class"),
    ],
)
def test_what_is_no_class_is_refused(change, message):
    with pytest.raises((ValueError, TypeError), match=message):
        change(some())
