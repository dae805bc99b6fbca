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


def test_a_schedule_knows_what_was_begun_and_what_is_left():
    a, b, c = (Stage(steps, FixedPoint(), {"heat": float(steps)}) for steps in (2, 3, 4))
    begun = [Schedule((a, b, c))]
    for _ in range(9):
        begun.append(begun[-1].advanced())
    assert begun[9].advanced() is begun[9]
    assert [schedule.current for schedule in begun] == [a, a, b, b, b, c, c, c, c, None]
    assert [i for i, schedule in enumerate(begun) if schedule.at_boundary] == [0, 2, 5]
    assert begun[0].left == begun[0]
    assert begun[2].left == Schedule((b, c))
    assert begun[3].left == Schedule((Stage(2, FixedPoint(), {"heat": 3.0}), c))
    assert begun[9].left == Schedule()
    assert begun[9].finished
    assert not begun[8].finished
    assert [schedule.values.get("heat") for schedule in begun] == [
        None,
        *[2.0] * 2,
        *[3.0] * 3,
        *[4.0] * 4,
    ]


def test_without_takes_the_stages_out_where_nothing_else_was_to_be_moved():
    first = Stage(2, FixedPoint(), {"rho": 0.1})
    schedule = Schedule((first, Stage(3, FixedPoint(), {"lam": 1.0}))).advanced().advanced()
    assert schedule.without("lam") == Schedule()
    assert schedule.without("rho").current.parameters == {"lam": 1.0}


@pytest.mark.parametrize(
    ("name", "value"),
    [("steps", "5"), ("optimizer", "auto"), ("parameters", [1]), ("keep", 1), ("name", None)],
)
def test_a_stage_refuses_what_is_not_of_its_type(name, value):
    given = {"steps": 5, "optimizer": FixedPoint()} | {name: value}
    with pytest.raises(TypeError, match=name):
        Stage(**given)
