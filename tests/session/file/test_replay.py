"""A log replays to the same bits, and prints as a script that does."""

from __future__ import annotations

import contextlib
import json
import random
import threading

import numpy as np
import pytest

import nbembed as nb
from nbembed.session import Session
from nbembed.session.core.events import Event
from tests.session import fake
from tests.session.fake import Fake, Other, rest
from tests.session.parts import workers_held
from tests.session.redone import run_script
from tests.waiting import GUARD


def random_command(session: Session, rng: random.Random) -> None:
    """Give one command, most of them legal, none that may stop the others."""
    points = rng.sample(range(30), rng.randint(1, 4))
    choices = [
        lambda: session.play(),
        lambda: session.play(),
        lambda: session.pause(),
        lambda: session.step(rng.randint(1, 4)),
        lambda: session.set(weight=rng.choice([0.5, 1.0, 2.0])),
        lambda: session.set(width=rng.choice([0.5, 1.0])),
        lambda: session.set(heat=rng.choice([0.0, 1.0])),
        lambda: session.set(n_components=rng.choice([1, 2, 3])),
        lambda: session.label(points, rng.choice("abc"), rng.choice([1.0, 0.5])),
        lambda: session.label(points, rng.choice("abc")),
        lambda: session.must_link(points),
        lambda: session.cannot_link(points[:1], [(points[0] + 1) % 30]),
        lambda: session.forget(points),
        lambda: session.undo(),
        lambda: session.redo(),
        lambda: session.snapshot(rng.choice("xy")),
        lambda: session.restore(rng.choice("xy")),
        lambda: session.switch(rng.choice(["Fake", "Other"])),
        lambda: session.reset(),
        lambda: session.reset_optimizer(),
        lambda: session.show_path_step(rng.randint(0, 2)),
        lambda: session.rename_class(rng.choice("abc"), rng.choice("def")),
    ]
    # Nothing to undo, no such snapshot: refused, as it should be.
    with contextlib.suppress(ValueError):
        rng.choice(choices)()


@pytest.mark.parametrize("seed", range(12))
def test_steered_from_several_threads_while_it_runs(start, register, seed):
    register(Other)
    session = start(Fake(random_state=seed))

    def steer(seed: int) -> None:
        rng = random.Random(seed)
        for _ in range(25):
            random_command(session, rng)
            if rng.random() < 0.3:
                session.wait(timeout=0.002)  # let some iterations pass

    threads = [threading.Thread(target=steer, args=(97 * seed + i,)) for i in range(3)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join(GUARD)
        assert not thread.is_alive()
    session.pause()
    rest(session)
    session.check()

    log = json.loads(json.dumps([event.to_dict() for event in session.log]))
    again = Session.replay(session.X, log, methods=(Fake, Other), until=session.iteration)
    assert again.iteration == session.iteration
    assert again.supervision == session.supervision
    assert again.parameters == session.parameters
    assert again.undo_text == session.undo_text
    assert again.snapshots == session.snapshots
    assert again.embedding.tobytes() == session.embedding.tobytes()
    assert run_script(session.to_script(), session.X).tobytes() == session.embedding.tobytes()


def test_no_label_is_lost_whoever_speaks_when(start, register):
    register(Other)
    session = start()
    session.play()

    def label(points: range) -> None:
        for i in points:
            session.label([i], f"class {i % 3}")

    def steer() -> None:
        rng = random.Random(5)
        for _ in range(40):
            rng.choice(
                [
                    lambda: session.set(weight=rng.choice([1.0, 2.0])),
                    lambda: session.switch(rng.choice(["Fake", "Other"])),
                    lambda: session.reset(),
                    lambda: session.step(2),
                    lambda: session.play(),
                ]
            )()

    jobs = [lambda: label(range(0, 15)), lambda: label(range(15, 30)), steer, steer]
    threads = [threading.Thread(target=job) for job in jobs]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join(GUARD)
    session.pause()
    rest(session)
    session.check()
    names = np.array(session.supervision.classes)
    assert names[session.supervision.top_class].tolist() == [f"class {i % 3}" for i in range(30)]
    assert session.replayed().supervision == session.supervision


def test_stops_replay_too(start):
    session = start()
    session.play()
    assert session.wait("converged", GUARD)
    again = session.replayed()
    assert again.state == "converged"
    assert again.iteration == session.iteration
    # ... and both go on alike
    for each in (session, again):
        each.label([1], "a")
        assert each.wait("converged", GUARD)
    assert again.embedding.tobytes() == session.embedding.tobytes()
    again.close()


def test_a_log_is_plain_data_with_iterations(start):
    session = start(supervision=np.r_[[0, 1], np.full(28, -1)])
    session.step(3)
    session.label([1], "ω <b>")
    session.set(weight=np.float64(2.0))
    rest(session)
    log = json.loads(json.dumps([event.to_dict() for event in session.log]))
    assert [(e["iteration"], e["command"]) for e in log] == [
        (0, "start"),
        (0, "step"),
        (3, "label"),
        (3, "set"),
    ]
    assert log[2]["arguments"] == {"points": [1], "class_": "ω <b>", "confidence": 1.0}
    again = Session.replay(session.X, log, methods=(Fake,))
    assert again.embedding.tobytes() == session.embedding.tobytes()
    assert again.supervision == session.supervision


def test_replay_refuses_what_is_no_log_of_this_data(start):
    session = start()
    session.step(3)
    rest(session)
    log = session.log
    with pytest.raises(ValueError, match="must start with a 'start'"):
        Session.replay(session.X, log[1:])
    with pytest.raises(ValueError, match="X must be the data that the log was recorded with"):
        Session.replay(session.X + 1, log, methods=(Fake,))
    with pytest.raises(ValueError, match="unknown method 'Fake'"):
        Session.replay(session.X, log)
    with pytest.raises(ValueError, match="must not go back"):
        Session.replay(session.X, [*log, Event(1, "set", {"weight": 2.0})], methods=(Fake,))
    with pytest.raises(ValueError, match="unknown command"):
        Session.replay(session.X, [*log, Event(3, "dance")], methods=(Fake,))
    spoiled = Event(3, "label", {"points": [0], "class_": "a", "confidence": []})
    with pytest.raises(ValueError, match=r"log: 'label' at iteration 3: confidence must be"):
        Session.replay(session.X, [*log, spoiled], methods=(Fake,))
    with pytest.raises(ValueError, match="log must be a list of events"):
        Session.replay(session.X, [{"iteration": 0}])
    broken = {"iteration": 0, "command": "pin", "arguments": {"indices": {"__array__": [1]}}}
    with pytest.raises(ValueError, match="log must be a list of events: broken stored value"):
        Session.replay(session.X, [broken])


def test_a_function_in_the_log_is_named_and_must_be_given(start):
    session = start(Fake(metric=np.subtract, random_state=1))
    session.step(3)
    rest(session)
    log = json.loads(json.dumps([event.to_dict() for event in session.log]))
    assert log[0]["arguments"]["parameters"]["metric"] == {"__opaque__": "subtract"}
    with pytest.raises(ValueError, match="parameter metric was subtract"):
        Session.replay(session.X, log, methods=(Fake,))
    again = Session.replay(session.X, log, method=Fake(metric=np.subtract))
    assert again.embedding.tobytes() == session.embedding.tobytes()


def test_the_script_is_readable(start):
    session = start()
    session.play()
    session.pause()
    session.step(3)
    session.label([1, 2], "seven", confidence=0.9)
    session.must_link([4, 5, 6, 7])
    session.set(weight=1.5)
    rest(session)
    text = session.to_script()
    assert "session.label([1, 2], 'seven', confidence=0.9)" in text
    assert "session.must_link(range(4, 8))" in text
    assert "session.set(weight=1.5)" in text
    assert "play" not in text
    assert run_script(text, session.X).tobytes() == session.embedding.tobytes()


def test_a_map_that_rests_at_its_start_is_scripted(start):
    session = start()
    fake.gate.clear()
    session.play()
    session.label([1], "a")
    session.reset()
    session.pause()
    fake.gate.set()
    rest(session)
    if session.iteration == 0:  # the worker may have been quicker
        assert session.frame().version > 0
    assert run_script(session.to_script(), session.X).tobytes() == session.embedding.tobytes()


def test_a_map_whose_only_steps_were_dropped_is_scripted(start):
    """A pause drops steps that nobody has begun; the map rests at its start nevertheless."""
    session = start()
    with workers_held():
        session.step(5)
        session.pause()
    rest(session)
    assert [event.command for event in session.log] == ["start", "pause"]
    assert session.state == "paused"
    assert session.embedding.any()
    assert run_script(session.to_script(), session.X).tobytes() == session.embedding.tobytes()


def test_a_log_that_sets_what_is_no_parameter_is_refused(X):
    with nb.Session(X, nb.NeRV(random_state=0)) as session:
        session.set(map_width="uniform")
        session.step(1, wait=True)
        log = [event.to_dict() for event in session.log]
    (change,) = (event for event in log if event["command"] == "set")
    change["arguments"] = {"depth": 1.0}
    with pytest.raises(ValueError, match="'depth' is not a parameter of NeRV"):
        Session.replay(X, log)
