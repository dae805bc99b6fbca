"""Which groups the data suggest, as a page is told."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest

from nbembed.kernels.threads import run_chunks
from nbembed.session import Session
from nbembed.widget.answers.suggested_groups import SuggestedGroupSource
from nbembed.widget.wire.queries import QUERIES
from tests.session.fake import Fake

NOISE = np.random.default_rng(2).normal(size=(60, 3))


def test_groups_are_suggested_to_a_page_and_can_be_given_up(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    with Session(np.repeat(np.eye(3) * 40, [30, 20, 10], axis=0) + NOISE, Fake()) as session:
        source = SuggestedGroupSource(session)
        suggest = source.answers["suggest_groups"]
        fields, (codes,) = suggest(0.1, np.array([], dtype=np.intp))
        QUERIES["suggest_groups"].check(fields, 1)
        assert np.frombuffer(codes, "<i4").tolist() == [0] * 30 + [1] * 20 + [2] * 10
        assert [len(points) for points in fields["typical"]] == [3, 3, 3]
        _, (codes,) = suggest(0.1, np.arange(30, 60))
        assert np.frombuffer(codes, "<i4").tolist() == [-1] * 30 + [0] * 20 + [1] * 10

        def searching(*_: Any, **__: Any) -> None:
            source.cancel()
            run_chunks(lambda chunk: None, 2, 1)

        monkeypatch.setattr(session, "suggest_groups", searching)
        with pytest.raises(ValueError, match="canceled"):
            suggest(0.1, np.arange(60))
