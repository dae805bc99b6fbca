"""The session says where a new start would reach a lower cost, and says nothing else."""

from __future__ import annotations

import threading

import numpy as np
import pytest
from sklearn.datasets import load_iris

import nbembed as nb
from nbembed.methods.hssne import HSSNERecipe
from nbembed.methods.recipe import Geometry
from nbembed.session.core.commands import change_to
from nbembed.session.core.settings import Settings
from nbembed.session.map.engine import Engine
from nbembed.session.map.optimum import WORSE, OptimumCheck, is_worse
from nbembed.session.map.quality import QualityMeter
from nbembed.supervision import Supervision
from tests.session.fake import GUARD
from tests.session.walks import comes_to_rest

X = load_iris().data


def resting(alpha=0.5):
    """Return an engine whose map rests after its cold start; light tails have poor optima."""
    recipe = HSSNERecipe(random_state=0, n_jobs=1, alpha=alpha)
    engine = Engine(X, Settings(recipe, Supervision(len(X))))
    assert comes_to_rest(engine)
    return engine


def shuffled(engine):
    """Bring the map into a poor optimum: its points exchange their places."""
    settings = engine.settings
    engine._state = engine.capture()
    order = np.random.default_rng(0).permutation(len(X))
    engine._go_on_from(np.ascontiguousarray(engine.layout[order]), Geometry(), {})
    engine.steered = True
    assert comes_to_rest(engine)
    assert engine.settings is settings


def told(check):
    while check.advance():
        pass
    return check.text


def test_a_cold_map_is_not_compared():
    engine = resting()
    check = OptimumCheck(engine)
    assert not check.advance()
    assert check.text == ""


def test_a_poor_optimum_is_told_with_both_costs():
    engine = resting()
    best = engine.cost()
    shuffled(engine)
    assert is_worse(engine.cost(), best), "the exchange must cost something"
    said = told(OptimumCheck(engine))
    assert f"{best:.4g}" in said
    assert f"{engine.cost():.4g}" in said


def test_a_cold_start_that_ends_at_other_values_is_measured_at_those_of_the_map(monkeypatch):
    engine = resting()
    shuffled(engine)
    copy, colds = Engine.cold_copy, []

    def elsewhere(self):
        """Return a cold start whose schedule ends at another number than the map's slider has."""
        cold = copy(self)
        other = self.settings.recipe.replace(alpha=0.52)
        moved = Settings(other, self.settings.supervision)
        cold.apply(change_to("set", {"alpha": 0.52}, cold.settings, moved))
        colds.append(cold)
        return cold

    monkeypatch.setattr(Engine, "cold_copy", elsewhere)
    check = OptimumCheck(engine)
    said = told(check)
    (cold,) = colds
    there = engine.objective.evaluate(cold.layout).plain_cost
    assert there != pytest.approx(cold.cost(), rel=1e-3), "two functions"
    assert is_worse(engine.cost(), there)
    assert f"the cost {there:.4g};" in said
    # At other values of the sliders nothing is known yet.
    monkeypatch.setattr(Engine, "live_values", lambda self: {"alpha": 0.7})
    assert check.text == ""


def test_the_map_is_not_touched():
    engine = resting()
    shuffled(engine)
    before, iteration = engine.layout.copy(), engine.iteration
    told(OptimumCheck(engine))
    np.testing.assert_array_equal(engine.layout, before)
    assert engine.iteration == iteration


def test_a_cold_start_of_the_same_settings_needs_no_other_run():
    engine = resting()
    check = OptimumCheck(engine)
    check.advance()  # keeps its cost
    shuffled(engine)
    assert not check.advance()
    assert check.text


def test_a_map_as_good_as_a_new_one_is_not_spoken_of():
    engine = resting()
    other = engine.settings.recipe.replace(alpha=0.6)
    moved = Settings(other, engine.settings.supervision)
    engine.apply(change_to("set", {"alpha": 0.6}, engine.settings, moved))
    assert engine.steered
    assert comes_to_rest(engine)
    assert told(OptimumCheck(engine)) == ""


def test_a_reset_ends_the_walk():
    engine = resting()
    shuffled(engine)
    engine.apply(change_to("reset", {}, engine.settings, engine.settings))
    assert not engine.steered


def test_pinned_maps_are_not_compared():
    engine = resting()
    shuffled(engine)
    pinned = Settings(engine.settings.recipe, engine.settings.supervision.pin([0]))
    engine.apply(change_to("pin", {"points": [0]}, engine.settings, pinned))
    assert comes_to_rest(engine)
    check = OptimumCheck(engine)
    assert not check.advance()
    assert check.text == ""


def test_a_cold_start_that_fails_says_nothing(monkeypatch):
    engine = resting()
    shuffled(engine)
    monkeypatch.setattr(Engine, "cold_copy", lambda self: 1 / 0)
    assert told(OptimumCheck(engine)) == ""


@pytest.mark.parametrize(("cost", "cold"), [(1.0, 1.0), (1.0, 0.99), (np.nan, 1.0), (1.0, np.nan)])
def test_small_differences_and_unknown_costs_do_not_count(cost, cold):
    assert not is_worse(cost, cold)


def test_negative_costs_are_compared_by_their_size():
    assert is_worse(-1.0, -1.0 - 2 * WORSE)


def test_a_session_says_it_and_takes_it_back(monkeypatch):
    monkeypatch.setattr(OptimumCheck, "advance", lambda self: False)
    monkeypatch.setattr(OptimumCheck, "text", "A new start reaches less")
    told = threading.Event()
    with nb.Session(X, nb.HSSNE(random_state=0, n_jobs=1)) as session:
        session.pace = None
        session.subscribe(lambda event: told.set() if session.worse_optimum else None)
        session.play()
        assert told.wait(60)
        assert session.worse_optimum == "A new start reaches less"
        assert session.state == "converged"
        log = session.log
        session.reset()
        session.step(3, wait=True)
        assert session.worse_optimum == ""
        assert [event.command for event in log] == ["start", "play", "rest"]


def test_what_is_only_noted_interrupts_no_comparison(start, monkeypatch):
    begun, gate, done = threading.Event(), threading.Event(), threading.Event()
    copies, measured, advance = [], [], OptimumCheck.advance
    compare, copy, measure = OptimumCheck._advance_cold, Engine.cold_copy, QualityMeter.measure

    def counted(engine):
        copies.append(engine)
        return copy(engine)

    def remeasured(*arguments, **keywords):
        measured.append(arguments)
        return measure(*arguments, **keywords)

    def held(check, settings):
        goes_on = compare(check, settings)
        begun.set()
        assert gate.wait(GUARD)
        return goes_on

    def noted(check):
        goes_on = advance(check)
        if begun.is_set() and not goes_on:
            done.set()
        return goes_on

    monkeypatch.setattr(Engine, "cold_copy", counted)
    monkeypatch.setattr(OptimumCheck, "_advance_cold", held)
    monkeypatch.setattr(OptimumCheck, "advance", noted)
    session = start()
    session.play()
    assert session.wait("converged", GUARD)
    session.set(weight=2.0)
    assert begun.wait(GUARD)
    assert session.state == "converged"
    monkeypatch.setattr(QualityMeter, "measure", remeasured)
    before = session.frame()
    session.snapshot("here")
    session.save_selection("some", [1, 2])
    session.rename_snapshot("here", "there")
    session.delete_snapshot("there")
    gate.set()
    assert done.wait(GUARD)
    assert len(copies) == 1
    assert measured == []
    assert session.frame().cost == before.cost
