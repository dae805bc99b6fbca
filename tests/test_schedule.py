from __future__ import annotations

import pytest

from nbembed.optimizers import ConjugateGradient, FixedPoint
from nbembed.schedule import Schedule, Stage


def test_steps_are_counted():
    schedule = Schedule((Stage(10, FixedPoint()), Stage(5, ConjugateGradient())))
    assert schedule.steps == 15
    assert Schedule().steps == 0


def test_a_stage_needs_steps():
    with pytest.raises(ValueError, match="steps"):
        Stage(0, FixedPoint())


def test_parameters_cannot_be_changed_from_outside():
    given = {"lam": 1.0}
    stage = Stage(1, FixedPoint(), given)
    given["lam"] = 2.0
    assert stage.parameters["lam"] == 1.0
    with pytest.raises(TypeError):
        stage.parameters["lam"] = 3.0


def test_without_leaves_one_parameter_alone():
    schedule = Schedule(
        (
            Stage(2, FixedPoint(), {"lam": 1.0, "rho": 0.1}, keep=True),
            Stage(3, FixedPoint(), {"lam": 0.5}, keep=True, name="cooler"),
            Stage(4, FixedPoint(), keep=True),
        )
    )
    left = schedule.without("lam")
    assert [dict(stage.parameters) for stage in left.stages] == [{"rho": 0.1}, {}, {}]
    assert left.steps == schedule.steps
    # Only a stage that was about this parameter stops being a step of a path.
    assert [stage.keep for stage in left.stages] == [True, False, True]
    assert [dict(stage.parameters) for stage in schedule.stages][1] == {"lam": 0.5}


def test_schedules_are_values():
    def make():
        return Schedule((Stage(2, FixedPoint(), {"lam": 1.0}),))

    assert make() == make()
    assert make() != make().without("lam")
