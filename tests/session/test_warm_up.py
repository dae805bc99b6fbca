"""What the first label needs is compiled while somebody looks at the map."""

from __future__ import annotations

import threading
import time

import pytest

import nbembed as nb
from nbembed.session import warm_up as room
from nbembed.session.warm_up import warm_up
from tests.session.fake import GUARD, Fake, calls


@pytest.fixture(autouse=True)
def _cold(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(room, "_warm", {})


def wait(thread: threading.Thread | None) -> None:
    assert thread is not None
    thread.join(GUARD)
    assert not thread.is_alive()


def test_a_small_map_is_steered_once(monkeypatch: pytest.MonkeyPatch) -> None:
    seen = []
    evaluate = room.Engine.advance

    def advance(engine: room.Engine) -> object:
        settings = engine.settings
        seen.append((settings.recipe.parameters["alpha"], settings.supervision.labeled.size))
        return evaluate(engine)

    monkeypatch.setattr(room.Engine, "advance", advance)
    wait(warm_up(nb.HSSNE(random_state=0).recipe))
    assert seen[0] == (1.0, 0)
    assert {alpha for alpha, _ in seen} > {1.0}, "other kernels than those of the present α"
    assert seen[-1] == (1.0, 10)
    assert warm_up(nb.HSSNE(alpha=2.0).recipe) is None


def test_the_method_of_somebody_else_is_not_called() -> None:
    assert warm_up(Fake()) is None
    assert not calls


def test_a_metric_of_the_user_is_not_called() -> None:
    def metric(a: object, b: object) -> float:
        raise AssertionError("it was called")

    assert warm_up(nb.HSSNE(metric=metric).recipe) is None


def test_the_end_waits_once_for_all_threads(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(room, "PATIENCE_AT_EXIT", 0.2)
    release = threading.Event()
    kinds = [type(f"Method{number}", (), {}) for number in range(10)]
    threads = [threading.Thread(target=release.wait, daemon=True) for _ in kinds]
    for kind, thread in zip(kinds, threads):
        thread.start()
        room._warm[kind] = thread
    began = time.monotonic()
    room._end()
    waited = time.monotonic() - began
    release.set()
    for thread in threads:
        wait(thread)
    assert 0.2 <= waited < 1.0


@pytest.mark.parametrize("method", [nb.HSSNE(metric="precomputed"), nb.HSSNE(perplexity=1000)])
def test_what_cannot_be_warmed_up_harms_nothing(
    method: nb.HSSNE, capsys: pytest.CaptureFixture[str]
) -> None:
    wait(warm_up(method.recipe))
    assert capsys.readouterr() == ("", "")
