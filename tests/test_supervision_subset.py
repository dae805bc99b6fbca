"""Labels and links of some of the points, and changes of them written back."""

from __future__ import annotations

import numpy as np

from nbembed.supervision import Supervision
from nbembed.supervision.conversion import as_supervision
from nbembed.supervision.subset import subset, written_back

POINTS = np.array([1, 2, 4, 5])


def whole() -> Supervision:
    return (
        Supervision(6)
        .label([0, 1], "a")
        .label([4], "b", confidence=0.7)
        .must_link([0, 1, 2])
        .must_link([4, 5])
        .cannot_link([1], [4])
        .pin([1])
    )


def test_a_subset_has_the_labels_and_the_links_among_its_points() -> None:
    part = subset(whole(), POINTS)
    assert part.classes == ("a", "b")
    assert part.top_class.tolist() == [0, -1, 1, -1]
    assert part.confidence[2] == 0.7
    assert [g.tolist() for g in part.links] == [[0, 1], [2, 3]]
    assert [(a.tolist(), b.tolist()) for a, b in part.cannot_links] == [([0], [2])]
    assert part.pinned.size == 0


def test_nothing_is_written_back_where_nothing_changed() -> None:
    part = subset(whole(), POINTS)
    assert written_back(whole(), POINTS, part, part) == whole()


def test_changes_are_written_back_and_nothing_else() -> None:
    part = subset(whole(), POINTS)
    after = part.label([1], "c", confidence=0.9).forget([2]).must_link([0, 3]).pin([0])
    made = written_back(whole(), POINTS, part, after)
    assert made.classes == ("a", "b", "c")
    assert made.top_class.tolist() == [0, 0, 2, -1, -1, -1]
    assert made.confidence[2] == 0.9
    # The link that reaches beyond the points stays; that of point 4 is gone with its label.
    assert sorted(g.tolist() for g in made.links) == [[0, 1, 2], [1, 5]]
    assert made.cannot_links == ()
    assert made.pinned.tolist() == [1], "pins are of one map"


def test_what_was_said_meanwhile_about_others_stays() -> None:
    part = subset(whole(), POINTS)
    later = whole().label([3], "d").label([5], "a")
    made = written_back(later, POINTS, part, part.label([1], "b"))
    assert [made.classes[k] for k in made.top_class[[2, 3, 5]]] == ["b", "d", "a"]


def test_a_class_is_renamed_for_all_points() -> None:
    part = subset(whole(), POINTS)
    made = written_back(whole(), POINTS, part, part.rename_class("a", "alpha"))
    assert made == whole().rename_class("a", "alpha")


def test_rows_of_probabilities_are_written_in_the_order_of_all_classes() -> None:
    rows = np.full((4, 2), np.nan)
    rows[1] = 0.25, 0.75
    before = Supervision(4)
    given = as_supervision(rows, 4)
    first, second = given.classes
    made = written_back(Supervision(6, [second, "z"]), POINTS, before, given)
    assert made.classes == (second, "z", first)
    assert made.targets()[2].tolist() == [0.75, 0.0, 0.25]
