"""Merging and removing classes in a live session: undone, replayed, and written as a script."""

from __future__ import annotations

import pytest

from tests.session.fake import rest


def test_classes_are_merged_and_removed_and_come_back(start):
    session = start()
    session.label([0, 1], "a", 0.8)
    session.label([2], "b")
    session.label([3], "c")
    session.step(3)
    session.merge_classes("a", "b")
    assert session.undo_text == "merge a into b"
    session.remove_class("c")
    assert session.undo_text == "remove the class c"
    session.step(3)
    rest(session)
    value = session.supervision
    assert value.classes == ("b",)
    assert value.top_class[:4].tolist() == [0, 0, 0, -1]
    again = session.replayed()
    assert again.supervision == value
    assert again.embedding.tobytes() == session.embedding.tobytes()
    again.close()
    script = session.to_script()
    assert "session.merge_classes('a', 'b')" in script.replace('"', "'")
    assert "session.remove_class('c')" in script.replace('"', "'")
    session.undo()
    session.undo()
    assert session.supervision.classes == ("a", "b", "c")
    assert session.supervision.confidence[0] == 0.8
    with pytest.raises(ValueError, match="old must be an existing class"):
        session.merge_classes("z", "a")
    with pytest.raises(ValueError, match="name must be an existing class"):
        session.remove_class("z")
