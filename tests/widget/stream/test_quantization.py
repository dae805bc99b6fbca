"""Frames of many points: 16-bit numbers while the map moves, float32 at rest and on request."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

import numpy as np
import pytest

from nbembed.widget import Explorer
from nbembed.widget.stream.quantization import FULL_PRECISION, LARGEST, quantize
from tests.widget.fake_session import FakeSession
from tests.widget.test_explorer import Page


@pytest.mark.parametrize("offset", [0.0, 1e6])
@pytest.mark.parametrize("scale", [1e-20, 1.0, 1e20])
def test_a_position_is_off_by_at_most_half_a_step(offset: float, scale: float) -> None:
    rng = np.random.default_rng(0)
    positions = ((rng.normal(size=(5000, 2)) * [1, 30] + offset) * scale).astype(np.float32)
    quantized = quantize(positions)
    assert quantized is not None
    numbers, (left, bottom, right, top) = quantized
    low, span = np.array([left, bottom]), np.array([right - left, top - bottom])
    back = low + numbers * (span / LARGEST)
    assert numbers.min(axis=0).tolist() == [0, 0]
    assert numbers.max(axis=0).tolist() == [LARGEST, LARGEST]
    assert (np.abs(back - positions) <= 0.5001 * span / LARGEST).all()


def test_points_on_a_line_and_in_one_place() -> None:
    line = np.c_[np.full(4, 3.0), np.arange(4.0)].astype(np.float32)
    numbers, extent = quantize(line)  # type: ignore[misc]
    assert extent == [3.0, 0.0, 3.0, 3.0]
    assert numbers[:, 0].tolist() == [0, 0, 0, 0]
    assert numbers[:, 1].tolist() == [0, 21845, 43690, 65535]


@pytest.mark.parametrize("bad", [np.nan, np.inf])
def test_what_is_not_finite_is_not_quantized(bad: float) -> None:
    assert quantize(np.array([[0, 1], [bad, 2]], np.float32)) is None


@pytest.fixture
def opened(request: pytest.FixtureRequest) -> Iterator[tuple[FakeSession, Page]]:
    session = FakeSession(request.param)
    explorer: Any = Explorer(session=session)  # type: ignore[arg-type]
    yield session, Page(explorer)
    explorer.close()


def shown(page: Page, version: int) -> tuple[dict[str, Any], bytes]:
    """Return the newest frame once one of at least a version is there."""
    page.frame(lambda m: m["version"] >= version)
    message, buffers = page.frames()[-1]
    page.say("ack", seq=message["seq"])
    return message, buffers[0]


@pytest.mark.parametrize("opened", [FULL_PRECISION + 1], indirect=True)
def test_a_large_map_is_quantized_while_it_moves_and_exact_at_rest(
    opened: tuple[FakeSession, Page],
) -> None:
    session, page = opened
    session.state = "running"
    session.move()
    page.say("hello")
    message, raw = shown(page, 1)
    assert len(raw) == 4 * session.n_samples
    assert len(message["range"]) == 4

    page.say("precision", full=True)
    page.frame(lambda m: m["seq"] > message["seq"])
    message, buffers = page.frames()[-1]
    assert "range" not in message
    assert buffers[0] == session.frame().embedding.tobytes()
    page.say("ack", seq=message["seq"])

    page.say("precision", full=False)
    session.move()
    message, raw = shown(page, 2)
    assert "range" in message
    assert len(raw) == 4 * session.n_samples

    session.state = "paused"
    session.move()
    message, raw = shown(page, 3)
    assert "range" not in message
    assert raw == session.frame().embedding.tobytes()


@pytest.mark.parametrize("opened", [FULL_PRECISION], indirect=True)
def test_a_smaller_map_is_sent_as_it_is(opened: tuple[FakeSession, Page]) -> None:
    session, page = opened
    session.state = "running"
    session.move()
    page.say("hello")
    message, raw = shown(page, 1)
    assert "range" not in message
    assert raw == session.frame().embedding.tobytes()


@pytest.mark.parametrize("opened", [FULL_PRECISION + 1], indirect=True)
def test_a_page_that_leaves_needs_no_precision_any_more(opened: tuple[FakeSession, Page]) -> None:
    session, page = opened
    session.state = "running"
    page.say("hello")
    page.say("precision", full=True)
    page.say("bye")
    session.move()
    page.say("hello")
    assert "range" in shown(page, 1)[0]
