"""The state machine, over all its states and actions."""

from __future__ import annotations

import itertools

import pytest

from nbembed.run import WINDOW
from nbembed.session.core.commands import COMMANDS
from nbembed.session.core.state_machine import (
    STATES,
    TRANSITIONS,
    Facts,
    MachineState,
    transition,
    wakes,
)

ROLES = ("play", "pause", "step", "reset", "change", "undo", "memory", "show", "record")
EFFECTS = {"enqueue", "refuse", "drop steps", "clear error", "log", "log rest"}


def machine_states():
    """Yield every state there can be, steps and grace reduced to none, one and more."""
    for target, changed, playing, closing in itertools.product(
        STATES, (False, True), (False, True), (False, True)
    ):
        for steps_left, queued, grace in itertools.product((0, 1, 3), (0, 2), (0, 1)):
            if closing and playing:
                continue
            yield MachineState(
                target, steps_left + queued, changed, playing, steps_left, grace, closing
            )


def facts():
    flags = itertools.product((False, True), repeat=5)
    return [
        Facts(changes, moves and changes, steps, woken, converged, queued)
        for changes, moves, woken, converged, queued in flags
        for steps in (0, 2)
    ]


@pytest.mark.parametrize("action", TRANSITIONS)
def test_every_action_leads_to_a_legal_state(action):
    for state in machine_states():
        for known in facts():
            if action == "begin step" and known.steps > state.steps_requested - state.steps_left:
                continue  # steps that begin were asked for
            after, effects = transition(state, action, known)
            assert transition(state, action, known) == (after, effects)  # pure
            assert set(effects) <= EFFECTS
            assert after.target in STATES
            assert 0 <= after.steps_left <= after.steps_requested or state.target == "failed"
            assert after.grace >= 0
            assert after.closing or not state.closing
            assert not (after.closing and after.playing and not state.playing)
            assert after.shown == ("running" if after.steps_requested else after.target)
            if effects == ("refuse",):
                assert after == state
            if action.startswith("give"):
                assert ("enqueue" in effects) or after == state
                assert after.playing == state.playing  # only the worker moves the map
            if action.startswith("begin") and "log" not in effects:
                assert after.playing == state.playing


@pytest.mark.parametrize("role", ROLES)
def test_a_failed_map_runs_only_after_a_change(role):
    failed = MachineState("failed")
    after, effects = transition(failed, f"give {role}", Facts(steps=2))
    if role in ("play", "step"):
        assert effects == ("refuse",)
    elif role in ("change", "memory"):
        assert after.target == "failed"
        assert after.changed_since_error
        again, effects = transition(after, "give play", Facts())
        assert again.target == "running"
        assert "clear error" in effects
    elif role in ("reset", "show", "undo"):
        assert after.target == "paused"
        assert "clear error" in effects
    else:
        assert after.target == "failed"
        assert not after.changed_since_error


@pytest.mark.parametrize(
    ("target", "role", "moves", "expected"),
    [
        ("idle", "change", True, "idle"),
        ("paused", "change", True, "paused"),
        ("running", "change", True, "running"),
        ("converged", "change", True, "running"),
        ("converged", "change", False, "converged"),
        ("idle", "undo", True, "idle"),
        ("converged", "undo", True, "running"),
        ("converged", "undo", False, "converged"),
        ("failed", "undo", True, "paused"),
        ("converged", "memory", False, "running"),
        ("converged", "reset", False, "running"),
        ("converged", "show", False, "paused"),
        ("running", "show", False, "running"),
        ("running", "pause", False, "paused"),
        ("converged", "pause", False, "converged"),
        ("converged", "play", False, "running"),
        ("running", "step", False, "paused"),
        ("idle", "record", False, "idle"),
    ],
)
def test_what_commands_do(target, role, moves, expected):
    state = MachineState(target)
    after, _ = transition(state, f"give {role}", Facts(moves=moves, steps=1))
    assert after.target == expected
    motion = role in ("memory", "reset") or (role in ("change", "undo") and moves)
    woken = wakes(state, role, Facts(moves=moves))
    assert woken == (motion and target in ("running", "converged"))


def test_steps_are_counted_down_and_end_in_rest():
    state, _ = transition(MachineState("running", playing=True), "give step", Facts(steps=2))
    assert state.shown == "running"
    state, effects = transition(state, "begin step", Facts(steps=2))
    assert effects == ("log",)
    assert not state.playing
    state, effects = transition(state, "iterated", Facts())
    assert effects == ()
    state, effects = transition(state, "iterated", Facts())
    assert effects == ("log rest",)
    assert state.shown == "paused"


def test_a_converged_map_runs_on_for_a_while():
    state, _ = transition(MachineState("converged"), "give play", Facts())
    state, _ = transition(state, "begin play", Facts())
    for _ in range(WINDOW - 1):
        state, effects = transition(state, "iterated", Facts(converged=True))
        assert effects == ()
    state, effects = transition(state, "iterated", Facts(converged=True))
    assert effects == ("log rest",)
    assert state.target == "converged"


def test_closing_stops_and_drops_steps():
    state = MachineState("running", steps_requested=5, steps_left=3, playing=True)
    state, effects = transition(state, "close", Facts())
    assert effects == ("drop steps",)
    assert state == MachineState("paused", closing=True)


def test_every_role_of_a_command_has_its_transitions():
    assert {entry.role for entry in COMMANDS.values()} == set(ROLES)
    for role in ROLES:
        assert f"give {role}" in TRANSITIONS
        assert f"begin {role}" in TRANSITIONS
