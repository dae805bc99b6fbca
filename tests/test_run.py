from __future__ import annotations

import math
import re

import numpy as np
import pytest

from nbembed.kernels.threads import Interrupted
from nbembed.objectives import HeavyTailed, LargeMargin, simplex
from nbembed.optimizers import LBFGS, FixedPoint, MomentumGradient
from nbembed.optimizers.base import Optimizer, State
from nbembed.run import WINDOW, Checkpoint, Run, relative_movement
from nbembed.schedule import Schedule, Stage


@pytest.fixture
def objective(rng):
    P = rng.random((30, 30)) ** 4
    np.fill_diagonal(P, 0)
    P = P + P.T
    return HeavyTailed(P / P.sum(), 0.5)


@pytest.fixture
def Y(rng):
    return rng.normal(size=(30, 2))


def test_steps_are_traced(objective, Y):
    run = Run(objective, FixedPoint(), Y, cost_every=5).step(12)
    assert run.iteration == 12
    assert [record.iteration for record in run.trace] == list(range(1, 13))
    known = [record.iteration for record in run.trace if not math.isnan(record.cost)]
    assert known == [5, 10]
    assert all(record.movement > 0 for record in run.trace)
    assert run.trace[0].parameters == objective.parameters


def test_the_cost_is_that_of_the_present_layout(objective, Y):
    run = Run(objective, FixedPoint(), Y)
    for _ in range(11):
        run.step()
        assert run.cost == pytest.approx(objective.cost(run.embedding), rel=1e-12)
    assert run.trace[9].cost == pytest.approx(
        Run(objective, FixedPoint(), Y).step(10).cost, rel=1e-12
    )


def test_a_run_is_deterministic(objective, Y):
    first = Run(objective, MomentumGradient(), Y).step(30).embedding
    second = Run(objective, MomentumGradient(), Y).step(10).step(20).embedding
    np.testing.assert_array_equal(first, second)


def test_the_start_is_copied_into_the_objectives_dtype(objective, Y):
    run = Run(objective, FixedPoint(), Y.astype(np.float32))
    assert run.embedding.dtype == np.float64
    kept = Y.copy()
    Run(objective, FixedPoint(), Y).step(5)
    np.testing.assert_array_equal(Y, kept)


def test_it_converges_after_a_calm_while(objective, Y):
    run = Run(objective, LBFGS(), Y).until(2000)
    assert run.converged
    assert run.iteration < 2000
    assert [record.movement < run.tol for record in run.trace[-WINDOW:]] == [True] * WINDOW
    assert np.abs(objective.gradient(run.embedding)).max() < 1e-4


def test_max_iter_counts_from_the_beginning(objective, Y):
    run = Run(objective, FixedPoint(), Y, tol=0.0)
    assert run.until(20).iteration == 20
    assert run.until(20).iteration == 20
    assert run.until(25).iteration == 25


def test_callbacks_hear_every_iteration_and_can_stop(objective, Y):
    heard: list[tuple[str, int]] = []

    def stops(run):
        heard.append(("stops", run.iteration))
        return run.iteration == 3

    def listens(run):
        heard.append(("listens", run.iteration))
        return "anything but True"

    run = Run(objective, FixedPoint(), Y).until(10, callbacks=[stops, listens])
    assert run.iteration == 3
    assert heard == [(who, k) for k in (1, 2, 3) for who in ("stops", "listens")]


def test_stages_set_parameters_and_optimizers_in_order(objective, Y):
    schedule = Schedule(
        (
            Stage(3, MomentumGradient(), {"exaggeration": 4.0}, name="exaggeration"),
            Stage(2, FixedPoint(), {"exaggeration": 1.0, "alpha": 1.5}, name="rest"),
        )
    )
    run = Run(objective, LBFGS(), Y, schedule)
    assert run.scheduled
    run.step(6)
    assert not run.scheduled
    assert [record.stage for record in run.trace] == ["exaggeration"] * 3 + ["rest"] * 2 + [""]
    assert [record.parameters["exaggeration"] for record in run.trace] == [4.0] * 3 + [1.0] * 3
    # What a stage has set stays in force.
    assert run.objective.parameters["alpha"] == 1.5
    assert objective.parameters["alpha"] == 0.5


def test_shown_costs_are_without_exaggeration(objective, Y):
    schedule = Schedule((Stage(20, MomentumGradient(), {"exaggeration": 12.0}),))
    run = Run(objective, MomentumGradient(), Y, schedule).step(10)
    assert run.cost == pytest.approx(objective.cost(run.embedding))
    assert run.trace[-1].cost == run.cost


def test_no_run_converges_before_its_schedule_ends(objective, Y):
    schedule = Schedule((Stage(60, FixedPoint()),))
    run = Run(objective, FixedPoint(), Y, schedule, tol=math.inf).until(1000)
    assert run.iteration == 60 + WINDOW


def test_kept_layouts_are_those_at_the_ends_of_stages(rng):
    P = rng.random((30, 30))
    np.fill_diagonal(P, 0)
    objective = LargeMargin(P / P.sum(axis=1, keepdims=True), 1.0, simplex(2, 2))
    lams = [4.0, 2.0, 1.0]
    schedule = Schedule(tuple(Stage(3, LBFGS(), {"lam": lam}, keep=True) for lam in lams))
    layouts: list[np.ndarray] = []

    Run(objective, LBFGS(), rng.normal(size=(30, 2)), schedule)
    run = Run(objective, LBFGS(), rng.normal(size=(30, 2)), schedule)
    run.until(9, callbacks=[lambda run: layouts.append(run.embedding)])

    assert [kept.iteration for kept in run.kept] == [3, 6, 9]
    assert [kept.parameters["lam"] for kept in run.kept] == lams
    for kept in run.kept:
        np.testing.assert_array_equal(kept.Y, layouts[kept.iteration - 1])


def test_a_released_parameter_is_left_alone(objective, Y):
    schedule = Schedule(
        tuple(Stage(2, FixedPoint(), {"alpha": a, "rho": 0.1}, keep=True) for a in (2.0, 1.0, 0.0))
    )
    run = Run(objective, FixedPoint(), Y, schedule).step(2)
    run.release("alpha").change(run.objective.with_parameters(alpha=0.7))
    run.step(4)
    assert [record.parameters["alpha"] for record in run.trace] == [2.0] * 2 + [0.7] * 4
    assert run.objective.parameters["rho"] == 0.1


def test_the_schedule_can_be_ended(objective, Y):
    schedule = Schedule((Stage(100, FixedPoint(), {"exaggeration": 4.0}, name="long"),))
    run = Run(objective, LBFGS(), Y, schedule).step(2).end_schedule()
    run.step()
    assert not run.scheduled
    assert run.trace[-1].stage == ""


def test_change_keeps_the_layout_and_starts_afresh(objective, Y):
    run = Run(objective, LBFGS(), Y).until(2000)
    assert run.converged
    rested = run.embedding
    run.change(objective.with_parameters(alpha=1.5))
    assert not run.converged
    np.testing.assert_array_equal(run.embedding, rested)
    assert run.cost == pytest.approx(run.objective.cost(rested))
    before = run.cost
    assert run.step(20).cost < before


def test_change_keeps_what_the_schedule_has_set(objective, Y):
    schedule = Schedule((Stage(10, FixedPoint(), {"exaggeration": 4.0}),))
    run = Run(objective, FixedPoint(), Y, schedule)
    run.change(objective.with_parameters(alpha=1.0))
    assert run.objective.parameters["exaggeration"] == 1.0  # nothing has been set yet
    run.step(2).change(objective.with_parameters(alpha=2.0))
    assert run.objective.parameters["exaggeration"] == 4.0
    assert run.objective.parameters["alpha"] == 2.0
    run.step(8).change(objective.with_parameters(alpha=0.5))
    assert run.objective.parameters["exaggeration"] == 1.0  # the schedule is over


def test_change_to_another_dtype(objective, Y, rng):
    run = Run(objective, LBFGS(), Y).step(3)
    P = np.full((30, 30), 1 / 870, np.float32) * (1 - np.eye(30, dtype=np.float32))
    run.change(HeavyTailed(P)).step(3)
    assert run.embedding.dtype == np.float32


def test_change_to_other_points_is_refused(objective, Y):
    with pytest.raises(ValueError, match="objective must have 30 points"):
        Run(objective, LBFGS(), Y).change(HeavyTailed((1 - np.eye(5)) / 20))


def test_move_takes_another_layout(objective, Y, rng):
    run = Run(objective, MomentumGradient(), Y).step(5)
    there = rng.normal(size=(30, 3))
    run.move(there)
    np.testing.assert_array_equal(run.embedding, there)
    run.step()
    assert run.embedding.shape == (30, 3)
    assert run.iteration == 6


@pytest.mark.parametrize("bad", ["shape", "nan", "flat"])
def test_bad_layouts_are_refused(objective, Y, bad):
    wrong = {"shape": Y[:-1], "nan": np.where(Y > 0, Y, np.nan), "flat": Y.ravel()}[bad]
    with pytest.raises(ValueError, match="Y must"):
        Run(objective, LBFGS(), wrong)
    with pytest.raises(ValueError, match="Y must"):
        Run(objective, LBFGS(), Y).move(wrong)


def test_memory_goes_on_between_stages_that_change_nothing(objective, Y):
    whole = Run(objective, MomentumGradient(), Y).step(20)
    cut = Schedule((Stage(5, MomentumGradient()), Stage(5, MomentumGradient(), name="second")))
    parts = Run(objective, MomentumGradient(), Y, cut).step(20)
    np.testing.assert_array_equal(parts.embedding, whole.embedding)


def test_a_layout_that_leaves_the_numbers_is_never_taken(objective, Y):
    class Wild(Optimizer):
        def start(self, Y):
            return State(Y)

        def step(self, objective, state, *, cost=False):
            return State(state.Y * np.inf)

    run = Run(objective, Wild(), Y)
    with pytest.raises(FloatingPointError, match="layout became too large or NaN under Wild"):
        run.step()
    np.testing.assert_array_equal(run.embedding, Y)
    assert run.iteration == 0


def test_a_step_that_is_given_up_does_not_begin_a_stage(objective, Y):
    class GivenUp(FixedPoint):
        """Is given up once."""

        times = 1

        def step(self, objective, state, *, cost=True):
            if self.times and objective.parameters["alpha"] == 2.0:
                type(self).times -= 1
                raise Interrupted
            return super().step(objective, state, cost=cost)

    optimizer = GivenUp()
    stages = (Stage(2, optimizer, {"alpha": 1.0}), Stage(2, optimizer, {"alpha": 2.0}))
    run = Run(objective, optimizer, Y, Schedule(stages)).step(2)
    with pytest.raises(Interrupted):
        run.step()
    assert run.objective.parameters["alpha"] == 1.0
    assert run.iteration == 2
    run.step(2)
    never = Run(objective, optimizer, Y, Schedule(stages)).step(4)
    assert run.embedding.tobytes() == never.embedding.tobytes()


def test_a_fork_goes_its_own_way(objective, Y):
    run = Run(objective, MomentumGradient(), Y).step(5)
    kept = run.state
    ahead = run.step(5).embedding
    state = kept
    for _ in range(5):
        state = MomentumGradient().step(objective, state)
    np.testing.assert_array_equal(state.Y, ahead)


def test_movement_is_in_radii():
    before = np.array([[0.0, 0.0], [2.0, 0.0], [0.0, 2.0], [2.0, 2.0]])
    assert relative_movement(before, before + 0.1) == pytest.approx(0.1)
    assert relative_movement(10 * before, 10 * (before + 0.1)) == pytest.approx(0.1)
    assert relative_movement(np.zeros((3, 2)), np.ones((3, 2))) == 1.0


def test_a_run_goes_on_from_a_checkpoint(objective, Y):
    schedule = Schedule(tuple(Stage(3, FixedPoint(), {"exaggeration": e}) for e in (4.0, 2.0, 1.0)))
    whole = Run(objective, FixedPoint(), Y, schedule).step(12)
    run = Run(objective, FixedPoint(), Y, schedule).step(4)
    checkpoint = run.checkpoint()
    assert checkpoint.values == {"exaggeration": 2.0}
    assert checkpoint.schedule.done == 4
    again = Run.resume(objective, FixedPoint(), checkpoint)
    assert again.objective.parameters["exaggeration"] == 2.0
    again.step(8)
    np.testing.assert_array_equal(again.embedding, whole.embedding)
    assert again.checkpoint().values == {"exaggeration": 1.0}


def test_a_resumed_run_sets_what_the_objective_has(objective, Y):
    checkpoint = Checkpoint(Y, values={"alpha": 1.5, "lam": 3.0})
    run = Run.resume(objective, FixedPoint(), checkpoint)
    assert run.objective.parameters["alpha"] == 1.5
    assert run.values == {"alpha": 1.5}
    assert run.release("alpha").values == {}


@pytest.mark.parametrize(
    ("name", "value", "error"),
    [
        ("objective", "SNE", TypeError),
        ("optimizer", None, TypeError),
        ("schedule", [], TypeError),
        ("Y", "layout", TypeError),
        ("Y", 10**400, ValueError),
        ("Y", np.zeros((3, 2)), ValueError),
        ("Y", np.full((30, 2), np.nan), ValueError),
        ("tol", -1.0, ValueError),
        ("tol", "small", TypeError),
        ("cost_every", 0, ValueError),
    ],
)
def test_bad_arguments_are_refused_by_name(objective, Y, name, value, error):
    given = {"objective": objective, "optimizer": FixedPoint(), "Y": Y} | {name: value}
    with pytest.raises(error, match=name):
        Run(**given)


def test_bad_arguments_of_methods_are_refused_by_name(objective, Y):
    run = Run(objective, FixedPoint(), Y)
    with pytest.raises(TypeError, match="k must be an integer"):
        run.step("2")
    with pytest.raises(TypeError, match="max_iter must be an integer"):
        run.until("2")
    for callbacks in (print, "nan", [3]):
        given = re.escape(f"got {callbacks!r}")
        with pytest.raises(TypeError, match=f"callbacks must be functions .*{given}"):
            run.until(2, callbacks=callbacks)
    with pytest.raises(TypeError, match="objective must be of type Objective"):
        run.change("SNE")
    with pytest.raises(TypeError, match="Y must be real numbers"):
        run.move("layout")
    with pytest.raises(TypeError, match="checkpoint must be of type Checkpoint"):
        Run.resume(objective, FixedPoint(), None)
    assert run.iteration == 0
    assert np.array_equal(run.embedding, Y.astype(objective.dtype))
