"""A slider goes through ``with_parameters``: one pass over pairs to the next frame."""

from __future__ import annotations

from collections import Counter

import numpy as np
import pytest
from sklearn.datasets import load_iris

import nbembed as nb
from nbembed.objectives import heavy_tailed as heavy_tailed_module
from nbembed.objectives import (
    large_margin,
    linked,
    log_affinities,
    neighbor_retrieval,
    supervised_affinities,
)
from nbembed.session.core.commands import change_to
from nbembed.session.core.settings import Settings
from nbembed.session.map.engine import Engine
from nbembed.supervision import Supervision

X = load_iris().data

#: Every function that goes over pairs of points, where the objectives look it up.
PASSES = (
    (heavy_tailed_module, "heavy_tailed"),
    (supervised_affinities, "gaussian_rows"),
    (neighbor_retrieval, "neighbor_retrieval"),
    (linked, "unlinked_sums"),
    (log_affinities, "packed_log_rows"),
)


@pytest.fixture
def passes(monkeypatch) -> Counter[str]:
    """Count the calls of the functions that go over pairs, and of the parts of recipes."""
    counts: Counter[str] = Counter()

    def counted(name, function):
        def call(*arguments, **keywords):
            counts[name] += 1
            return function(*arguments, **keywords)

        return call

    for module, name in PASSES:
        monkeypatch.setattr(module, name, counted(name, getattr(module, name)))
    return counts


@pytest.mark.parametrize(
    ("method", "move", "kernel"),
    [
        (nb.HSSNE(random_state=0), {"alpha": 1.5}, "heavy_tailed"),
        (nb.HSSNE(random_state=0), {"rho": 0.8}, "heavy_tailed"),
        (nb.SNE(random_state=0), {"rho": 0.8}, "gaussian_rows"),
        (nb.NeRV(random_state=0), {"tradeoff": 0.6}, "neighbor_retrieval"),
        (nb.NeRV(random_state=0), {"rho": 0.8}, "neighbor_retrieval"),
        (nb.HSSNE(random_state=0, optimizer="fixed-point"), {"alpha": 1.5}, "heavy_tailed"),
    ],
    ids=lambda v: next(iter(v)) if isinstance(v, dict) else None,
)
def test_one_pass_from_the_slider_to_the_next_frame(method, move, kernel, passes, monkeypatch):
    supervision = Supervision(len(X)).label([0, 1, 2], "a").label([100, 101], "b")
    settings = Settings.of(method.recipe, supervision)
    engine = Engine(X, settings)
    for _ in range(119):  # beyond early stages; the next iteration's cost would be due
        engine.advance()
    for part in ("make_affinities", "make_objective", "make_start"):
        forbidden = lambda *a, part=part, **k: pytest.fail(f"{part} was called")  # noqa: E731
        monkeypatch.setattr(type(settings.recipe), part, forbidden)
    passes.clear()
    before = engine.layout
    engine.apply(change_to("set", move, settings, settings.with_parameters(move)))
    engine.advance()
    assert not np.array_equal(engine.layout, before)
    assert engine.objective.parameters[next(iter(move))] == next(iter(move.values()))
    assert dict(passes) == {kernel: 1}


def test_the_margin_s_slider_costs_no_pass_at_the_layout_that_is_there(passes):
    settings = Settings.of(nb.Mbed(n_classes=3, lam=1.0, random_state=0).recipe, Supervision(150))
    engine = Engine(X, settings)
    for _ in range(60):
        engine.advance()
    engine.refresh()
    layout = engine.layout
    passes.clear()
    engine.apply(change_to("set", {"lam": 0.8}, settings, settings.with_parameters({"lam": 0.8})))
    engine.refresh()
    assert not passes
    assert isinstance(engine.objective, large_margin.LargeMargin)
    engine.objective.evaluate(layout, cost=False)
    assert not passes, "the terms of SNE at this layout do not depend on λ"
