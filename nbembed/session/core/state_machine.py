"""The activity of a session as a pure state machine: no thread, no clock, no engine.

    transition(state, action, facts) -> (state, effects)

An action is either *given*, by a command in the caller's thread, or *done*, by the worker. The
controller (:mod:`nbembed.session.live.controller`) holds the present state, calls
:func:`transition` under its lock and carries the effects out.

What commands do
----------------
* ``play`` runs; a converged map runs on until the map has been calm once more.
* ``pause`` stops after the present iteration and drops the steps that are not done.
* ``step`` does so many iterations, then the map is paused; later commands wait for the steps.
* A change (parameters, labels, links, undo, switch) lets a running or converged map go on from
  where it is; a paused map takes it over and stays paused; an idle one stores it.
* Showing a snapshot or a step of the path pauses a converged map there.
* After an error the state is failed: changes are stored, ``reset`` recovers, ``play`` and ``step``
  are refused until something has been changed. ``undo`` takes back what may have caused it, so the
  map is paused then.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass, replace
from typing import Literal

from nbembed.run import WINDOW

State = Literal["idle", "running", "paused", "converged", "failed"]
STATES: tuple[State, ...] = ("idle", "running", "paused", "converged", "failed")

#: How a command bears on the motion. "change": it may alter the settings; "undo": it takes such a
#: change back; "memory": it touches
#: the running map though the settings stay (another optimizer memory, newly learned affinities);
#: "show": it shows a stored layout; "record": it stores the present one.
Role = Literal["play", "pause", "step", "reset", "change", "undo", "memory", "show", "record"]

Effect = Literal[
    "enqueue",  # put the command into the queue
    "refuse",  # raise the error that stopped the map
    "drop steps",  # cancel the steps of queued commands
    "clear error",
    "log",  # write the command into the log and let the engine carry it out
    "log rest",  # note in the log that the map came to rest
]
Effects = tuple[Effect, ...]


@dataclass(frozen=True)
class MachineState:
    """The activity of a session.

    * target: the state once the steps in hand and in the queue are done.
    * steps_requested: iterations asked for by ``step`` and not yet done.
    * changed_since_error: whether a command since the error may have removed its cause.
    * playing: whether the worker iterates until convergence.
    * steps_left: iterations left of the ``step`` that the worker is at.
    * grace: iterations before convergence is looked at.
    * closing: whether the session ends once the queue is empty.
    """

    target: State = "idle"
    steps_requested: int = 0
    changed_since_error: bool = False
    playing: bool = False
    steps_left: int = 0
    grace: int = 0
    closing: bool = False

    @property
    def shown(self) -> State:
        """The state that people see: at once what was asked for."""
        return "running" if self.steps_requested else self.target

    @property
    def iterating(self) -> bool:
        """True if the worker has iterations to do."""
        return self.playing or self.steps_left > 0


@dataclass(frozen=True)
class Facts:
    """Inputs of a transition beside the state, each of one kind of action.

    * changes, moves: of a given command: whether the settings differ after it, and whether the
      layout is affected.
    * steps: of a ``step``.
    * woken: of a command that begins: whether it set the map in motion when it was given.
    * converged, queued: after an iteration: whether the map is at rest, and whether commands wait.
    """

    changes: bool = True
    moves: bool = True
    steps: int = 0
    woken: bool = False
    converged: bool = False
    queued: bool = False


def transition(state: MachineState, action: str, facts: Facts) -> tuple[MachineState, Effects]:
    """Return the state after an action, and what is to be done.

    * action: "give" or "begin" with a role ("give play", "begin reset", …), or "iterated",
      "failed", "learned", "close".
    * returns effects: of a given command: empty if there is nothing to do.

    Raises KeyError if there is no such action.
    """
    return TRANSITIONS[action](state, facts)


def wakes(before: MachineState, role: Role, facts: Facts) -> bool:
    """Return whether a command, when given in this state, sets the map in motion."""
    answers = role in ("reset", "memory") or (role in ("change", "undo") and facts.moves)
    return answers and before.target in ("running", "converged")


# -- given, in the caller's thread -----------------------------------------------------------


def _give_play(state: MachineState, facts: Facts) -> tuple[MachineState, Effects]:
    if state.target == "failed" and not state.changed_since_error:
        return state, ("refuse",)
    if state.target == "running":
        return state, ()
    return replace(state, target="running"), ("clear error", "enqueue")


def _give_pause(state: MachineState, facts: Facts) -> tuple[MachineState, Effects]:
    if state.target != "running" and not state.steps_requested:
        return state, ()
    target: State = "paused" if state.target == "running" else state.target
    return replace(state, target=target, steps_requested=0, steps_left=0), ("drop steps", "enqueue")


def _give_step(state: MachineState, facts: Facts) -> tuple[MachineState, Effects]:
    if state.target == "failed" and not state.changed_since_error:
        return state, ("refuse",)
    requested = state.steps_requested + facts.steps
    return replace(state, target="paused", steps_requested=requested), ("clear error", "enqueue")


def _give_reset(state: MachineState, facts: Facts) -> tuple[MachineState, Effects]:
    state = replace(state, changed_since_error=True)
    if state.target in ("running", "converged"):
        return replace(state, target="running"), ("enqueue",)
    if state.target == "failed":
        return replace(state, target="paused"), ("clear error", "enqueue")
    return state, ("enqueue",)


def _give_change(state: MachineState, facts: Facts) -> tuple[MachineState, Effects]:
    if not facts.changes:
        return state, ()
    target: State = "running" if facts.moves and state.target == "converged" else state.target
    return replace(state, target=target, changed_since_error=True), ("enqueue",)


def _give_undo(state: MachineState, facts: Facts) -> tuple[MachineState, Effects]:
    state, effects = _give_change(state, facts)
    if "enqueue" in effects and state.target == "failed":
        return replace(state, target="paused"), ("clear error", *effects)
    return state, effects


def _give_memory(state: MachineState, facts: Facts) -> tuple[MachineState, Effects]:
    return _give_change(state, replace(facts, changes=True, moves=True))


def _give_show(state: MachineState, facts: Facts) -> tuple[MachineState, Effects]:
    state = replace(state, changed_since_error=True)
    if state.target == "running":
        return state, ("enqueue",)
    return replace(state, target="paused"), ("clear error", "enqueue")


def _give_record(state: MachineState, facts: Facts) -> tuple[MachineState, Effects]:
    return state, ("enqueue",)


# -- begun, by the worker --------------------------------------------------------------------


def _begin_play(state: MachineState, facts: Facts) -> tuple[MachineState, Effects]:
    if state.target == "failed":
        return state, ()  # given before the error was known
    return replace(state, playing=not state.closing, grace=WINDOW), ("log",)


def _begin_pause(state: MachineState, facts: Facts) -> tuple[MachineState, Effects]:
    return replace(state, playing=False), ("log",)


def _begin_step(state: MachineState, facts: Facts) -> tuple[MachineState, Effects]:
    if not facts.steps:
        return state, ()  # dropped by a pause
    if state.target == "failed":
        left = max(0, state.steps_requested - facts.steps)
        return replace(state, steps_requested=left), ()
    return replace(state, playing=False, steps_left=facts.steps), ("log",)


def _begin_change(state: MachineState, facts: Facts) -> tuple[MachineState, Effects]:
    if facts.woken and state.target != "failed":
        state = replace(state, playing=not state.closing, grace=0)
    return state, ("log",)


def _begin_recovery(state: MachineState, facts: Facts) -> tuple[MachineState, Effects]:
    if state.target == "failed":  # an undo was given before the error was known
        return replace(state, target="paused"), ("clear error", "log")
    return _begin_change(state, facts)


def _begin_show(state: MachineState, facts: Facts) -> tuple[MachineState, Effects]:
    if state.target == "paused":
        return replace(state, playing=False), ("log",)
    return _begin_recovery(state, facts)


# -- done, by the worker ---------------------------------------------------------------------


def _iterated(state: MachineState, facts: Facts) -> tuple[MachineState, Effects]:
    state = replace(state, grace=max(0, state.grace - 1))
    if state.steps_left:
        state = replace(
            state, steps_left=state.steps_left - 1, steps_requested=state.steps_requested - 1
        )
        done = not state.steps_left and not facts.queued
        return state, ("log rest",) if done else ()
    if state.playing and facts.converged and not state.grace and not facts.queued:
        return replace(state, playing=False, target="converged"), ("log rest",)
    return state, ()


def _failed(state: MachineState, facts: Facts) -> tuple[MachineState, Effects]:
    stopped = replace(
        state,
        target="failed",
        changed_since_error=False,
        playing=False,
        steps_left=0,
        steps_requested=0,
    )
    return stopped, ("drop steps", "log rest")


def _learned(state: MachineState, facts: Facts) -> tuple[MachineState, Effects]:
    if state.target == "converged":
        state = replace(state, target="running")
    if state.target == "running" and not state.steps_requested:
        state = replace(state, playing=not state.closing, grace=0)
    return state, ("log",)


def _close(state: MachineState, facts: Facts) -> tuple[MachineState, Effects]:
    target: State = "paused" if state.target == "running" else state.target
    stopped = replace(
        state, target=target, closing=True, playing=False, steps_left=0, steps_requested=0
    )
    return stopped, ("drop steps",)


TRANSITIONS: dict[str, Callable[[MachineState, Facts], tuple[MachineState, Effects]]] = {
    "give play": _give_play,
    "give pause": _give_pause,
    "give step": _give_step,
    "give reset": _give_reset,
    "give change": _give_change,
    "give undo": _give_undo,
    "give memory": _give_memory,
    "give show": _give_show,
    "give record": _give_record,
    "begin play": _begin_play,
    "begin pause": _begin_pause,
    "begin step": _begin_step,
    "begin reset": _begin_recovery,
    "begin change": _begin_change,
    "begin undo": _begin_recovery,
    "begin memory": _begin_change,
    "begin show": _begin_show,
    "begin record": _begin_change,
    "iterated": _iterated,
    "failed": _failed,
    "learned": _learned,
    "close": _close,
}
