"""Where one is in a schedule: what was begun, what is left."""

from __future__ import annotations

import itertools
from dataclasses import replace

from nbembed.schedule import Schedule, Stage


def sets(schedule: Schedule, name: str) -> bool:
    """Return whether any stage sets the parameter ``name``."""
    return any(name in stage.parameters for stage in schedule.stages)


def begun(schedule: Schedule, steps: int) -> tuple[Stage, ...]:
    """Return the stages that were begun in the first so many steps."""
    starts = itertools.accumulate((stage.steps for stage in schedule.stages), initial=0)
    return tuple(stage for stage, start in zip(schedule.stages, starts) if start < steps)


def after(schedule: Schedule, steps: int) -> Schedule:
    """Return what is left of a schedule after so many steps.

    A stage that was begun begins again with its own parameters and fewer steps.
    """
    left = []
    for stage in schedule.stages:
        if steps >= stage.steps:
            steps -= stage.steps
            continue
        left.append(replace(stage, steps=stage.steps - steps))
        steps = 0
    return Schedule(tuple(left))
