"""Explorers that nobody can reach end; those that somebody may reach do not."""

from __future__ import annotations

import gc
import threading
import weakref
from collections.abc import Iterator
from pathlib import Path
from types import SimpleNamespace
from typing import Any

import ipywidgets
import numpy as np
import pytest
from IPython.core.interactiveshell import InteractiveShell
from traitlets.config import Config

import nbembed as nb
from nbembed.methods.mbed.recipe import MbedRecipe
from nbembed.widget.host import ending, lifetime
from nbembed.widget.host.lifetime import (
    LOOKING,
    Displays,
    held,
    in_other_threads,
    in_use,
)
from tests.waiting import GUARD, PASSING, eventually, worker_begun_by

X = np.random.default_rng(0).normal(size=(20, 3))
METHOD = nb.SNE(random_state=0, n_jobs=1)


def threads() -> list[str]:
    """Return the names of our threads, once those that end by themselves have ended."""
    while ending := [t for t in threading.enumerate() if t.name in PASSING]:
        for thread in ending:  # affinities may be followed by a start
            if thread.is_alive():  # one that is being started is listed, but cannot be joined yet
                thread.join(GUARD)
    return sorted(t.name for t in threading.enumerate() if t.name.startswith("nbembed"))


def shown() -> tuple[nb.Explorer, threading.Thread]:
    """Return an Explorer and the worker of its session, which refers to neither."""
    explorers: list[nb.Explorer] = []
    worker = worker_begun_by(lambda: explorers.append(nb.Explorer(X, METHOD)))
    return explorers.pop(), worker


def ends(worker: threading.Thread) -> bool:
    """Wait until a session is closed, without a reference to it: that would keep it open."""
    worker.join(GUARD)
    return not worker.is_alive()


# -- where it is displayed --------------------------------------------------------------------


def test_what_was_never_displayed_is_displayed_nowhere() -> None:
    assert Displays().gone


def test_what_a_cell_displays_is_there_until_the_cell_is_run_again() -> None:
    displays = Displays()
    displays.asked()
    assert not displays.gone
    for cell in ("a", "b", "c"):
        displays.after_cell(cell)
        assert not displays.gone
    displays.after_cell("a")
    assert displays.gone
    displays.asked()  # by another cell
    displays.after_cell("b")
    displays.after_cell("a")
    assert not displays.gone


def test_the_views_of_all_pages_count() -> None:
    displays = Displays()
    displays.asked()
    displays.after_cell("a")
    displays.report("p", 1)
    displays.report("q", 2)
    displays.report("p", 0)
    displays.after_cell("a")
    assert not displays.gone, "another page shows it"
    displays.report("q", 0)
    assert displays.gone
    displays.report("q", 1)
    assert not displays.gone


def test_a_page_that_was_closed_may_be_opened_again() -> None:
    displays = Displays()
    displays.asked()
    displays.after_cell("a")
    displays.report("p", 1)
    displays.forget("p")
    assert not displays.gone
    displays.report("q", 0)
    assert not displays.gone, "a page that has just loaded has no views yet"
    displays.report("q", 1)
    displays.report("q", 0)
    assert displays.gone


# -- who refers to it -------------------------------------------------------------------------


class Thing:
    """Something to refer to."""

    def public(self) -> None:
        """Do nothing."""

    def _private(self) -> None:
        """Do nothing."""


def holds(things: list[Thing], *known: object) -> bool:
    """Return whether the first of things is held; a test's own assertions would refer to it."""
    return held(things[0], known)


def test_known_owners_and_own_private_methods_do_not_hold() -> None:
    things = [Thing()]
    owner, private = Thing(), things[0]._private
    owner.inner = things[0]  # type: ignore[attr-defined]
    assert holds(things)
    assert holds(things, owner), "the list does"
    assert not holds(things, owner, things)
    public = things[0].public
    assert holds(things, owner, things)
    del public, private


def test_variables_of_running_functions_are_found() -> None:
    started, stop = threading.Event(), threading.Event()
    owner = SimpleNamespace(thing=Thing())

    def work() -> None:
        mine = owner.thing
        started.set()
        stop.wait(GUARD)
        del mine

    def found() -> tuple[bool, bool]:
        with LOOKING:  # what other tests have closed may be looked at just now
            return in_other_threads(owner.thing), in_use(owner, "thing", [owner])

    assert found() == (False, False)
    thread = threading.Thread(target=work)
    thread.start()
    started.wait(GUARD)
    assert found() == (True, True)
    stop.set()
    thread.join()
    assert found() == (False, False)
    here = owner.thing
    assert found() == (False, True)
    del here
    assert found() == (False, False)


def test_looking_at_the_threads_keeps_nothing_alive() -> None:
    things, stop = [Thing()], threading.Event()
    thing = weakref.ref(things[0])
    thread = threading.Thread(target=stop.wait, args=(GUARD,))
    thread.start()
    gc.disable()
    try:
        with LOOKING:
            assert not in_other_threads(things.pop())
        assert thing() is None
    finally:
        gc.enable()
        stop.set()
        thread.join()


# -- Explorers --------------------------------------------------------------------------------


def test_a_closed_explorer_is_freed_and_its_session_ends() -> None:
    before, widgets = threads(), set(ipywidgets.widgets.widget._instances)
    explorer = nb.Explorer(X, METHOD)
    session, widget = weakref.ref(explorer.session), weakref.ref(explorer)
    explorer.session.label([0], "a")
    explorer.close()
    eventually(lambda: threads() == before)
    assert explorer.labels[0] == "a"
    assert set(ipywidgets.widgets.widget._instances) == widgets
    del explorer
    gc.collect()
    assert (widget(), session()) == (None, None)


def test_a_session_that_is_held_or_was_given_goes_on() -> None:
    with nb.Session(X, METHOD) as given:
        nb.Explorer(session=given).close()
        given.step(2, wait=True)
    explorer = nb.Explorer(X, METHOD, autoplay=False)
    kept = explorer.session
    explorer.close()
    kept.step(2, wait=True)
    assert kept.iteration == 2
    kept.close()


def test_a_session_in_use_by_a_picture_ends_when_the_picture_is_drawn() -> None:
    explorer, worker = shown()
    drawing, stop = threading.Event(), threading.Event()

    def draw() -> None:
        session = explorer._session
        drawing.set()
        stop.wait(GUARD)
        del session

    thread = threading.Thread(target=draw)
    thread.start()
    assert drawing.wait(GUARD)
    explorer.close()
    assert worker.is_alive()
    stop.set()
    thread.join()
    assert ends(worker), "though no cell is run, and no message comes"


def test_two_looks_at_once_do_not_take_each_other_for_a_user(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    explorer, worker = shown()
    explorer.session.wait(timeout=GUARD)
    first_looks, second_is_done = threading.Event(), threading.Event()

    def slow(owner: object, name: str, parts: tuple[object, ...]) -> bool:
        if not first_looks.is_set():
            first_looks.set()
            second_is_done.wait(0.5)  # where it can
        return in_use(owner, name, parts)

    with monkeypatch.context() as patch:  # closed, with its session still to be ended
        patch.setattr(explorer, "_end_session", lambda *, wait: None)
        explorer.close()
    looked: list[bool] = []
    with monkeypatch.context() as patch:  # until one look by itself finds that nothing refers to it
        patch.setattr(ending, "in_use", lambda *it: looked.append(in_use(*it)) or True)
        eventually(lambda: explorer._ended_session() or not looked[-1])
    monkeypatch.setattr(ending, "in_use", slow)
    found: list[bool] = []
    first = threading.Thread(target=lambda: found.append(explorer._ended_session()))
    first.start()
    assert first_looks.wait(GUARD)
    found.append(explorer._ended_session())
    second_is_done.set()
    first.join()
    assert found == [True, True]
    assert ends(worker)


def test_a_session_that_only_garbage_refers_to_ends() -> None:
    explorer, worker = shown()

    def keep_error() -> None:
        try:
            explorer.session.label([len(X)], "a")
        except ValueError as error:
            kept = error  # whose traceback refers to this frame
            assert kept

    gc.disable()
    try:
        keep_error()
        explorer.close()
        assert worker.is_alive()
        assert ends(worker)
    finally:
        gc.enable()


def test_a_session_that_has_ended_keeps_what_was_computed_and_drops_affinities(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    made: list[weakref.ref[Any]] = []
    make = MbedRecipe.make_affinities

    def noted(recipe: Any, data: Any, supervision: Any = None) -> Any:
        affinities = make(recipe, data, supervision)
        if len(data) == len(X):  # not those of the small map that compiles kernels
            made.append(weakref.ref(affinities))
        return affinities

    monkeypatch.setattr(MbedRecipe, "make_affinities", noted)
    with nb.Session(X, nb.Mbed(n_classes=2, random_state=0, n_jobs=1)) as session:
        session.label([0, 1], "a")
        session.step(5, wait=True)
        assert made[-1]() is not None
        layout, membership, script = session.embedding, session.membership, session.to_script()
    gc.collect()
    assert all(affinities() is None for affinities in made)
    np.testing.assert_array_equal(session.embedding, layout)
    np.testing.assert_array_equal(session.membership, membership)
    np.testing.assert_array_equal(session.frame().membership, membership)
    assert session.to_script() == script
    np.testing.assert_array_equal(session.replayed().embedding, layout)


@pytest.fixture
def shell() -> Iterator[InteractiveShell]:
    """Return a notebook's IPython in this process, with the data in ``X``."""
    config = Config(HistoryManager={"hist_file": ":memory:"})
    shell = InteractiveShell(config=config)
    InteractiveShell._instance = shell
    shell.user_ns.update(nb=nb, X=X, METHOD=METHOD)
    yield shell
    for ref in list(lifetime.WATCH._open.values()):
        close = ref[1]()
        if close is not None:
            close.__self__.close()
    shell.reset()
    shell.history_manager.end_session()
    InteractiveShell.clear_instance()
    gc.collect()


def run(shell: InteractiveShell, code: str) -> None:
    result = shell.run_cell(code, store_history=True)
    result.raise_error()


MAKE = "explorer = nb.Explorer(X, METHOD); explorer"


@pytest.mark.parametrize("make", [MAKE, "nb.Explorer(X, METHOD)"])
def test_a_cell_run_seven_times_has_one_session(shell: InteractiveShell, make: str) -> None:
    before, begun = threads(), []
    for turn in range(7):
        begun.append(worker_begun_by(run, shell, make))
        shell.user_ns["Out"][shell.execution_count - 1].session.label([turn], "kept")
    assert all(ends(worker) for worker in begun[:-1])
    *old, last = (shell.user_ns["Out"][k] for k in range(1, 8))
    assert begun[-1].is_alive()
    one = sorted([*before, "nbembed session", "nbembed-sender"])
    eventually(lambda: threads() == one)
    assert [e.labels.index("kept") for e in old] == list(range(6)), "what was said is kept"
    assert [e.comm for e in old] == [None] * 6
    assert lifetime.WATCH._open.keys() == {id(last._displays)}


@pytest.mark.parametrize(
    ("hold", "drop"),
    [
        ("kept = explorer", "del kept"),
        ("kept = {'a': [explorer]}", "kept.clear()"),
        ("close = explorer.close", "del close"),
        ("import ipywidgets; box = ipywidgets.VBox([explorer])", "box.close(); del box; _ = 0"),
        ("def f(e=explorer): pass", "del f"),
    ],
)
def test_what_something_refers_to_stays_open_as_long(
    shell: InteractiveShell, hold: str, drop: str
) -> None:
    worker = worker_begun_by(run, shell, MAKE)
    run(shell, hold)
    run(shell, MAKE)
    run(shell, "1 + 1")
    assert worker.is_alive()
    run(shell, drop)
    gc.collect()
    run(shell, "2 + 2")
    assert ends(worker)


def test_saving_by_itself_keeps_nothing_open(shell: InteractiveShell, tmp_path: Path) -> None:
    shell.user_ns["path"] = tmp_path / "work.nbembed"
    make = "explorer = nb.Explorer(X, METHOD, autosave=path); explorer"
    worker = worker_begun_by(run, shell, make)
    run(shell, make)
    assert shell.user_ns["Out"][1].comm is None
    assert ends(worker)
    assert not shell.user_ns["explorer"]._autosave.closed


def test_a_session_kept_from_an_explorer_ends_when_it_is_dropped(shell: InteractiveShell) -> None:
    worker = worker_begun_by(run, shell, MAKE)
    run(shell, "session = explorer.session")
    run(shell, MAKE)
    assert shell.user_ns["Out"][1].comm is None, "the view is closed"
    assert worker.is_alive()
    run(shell, "del session")
    assert ends(worker)


def test_what_a_page_shows_stays_open_until_it_drops_it(shell: InteractiveShell) -> None:
    worker = worker_begun_by(run, shell, MAKE)

    def tell(count: int) -> None:
        explorer = shell.user_ns["Out"][1]
        content = {"type": "views", "client": "p", "count": count}
        explorer._handle_custom_msg(content, [])
        del explorer
        shell.events.trigger("post_execute")  # as ipykernel does after a message

    tell(1)
    run(shell, MAKE)
    assert worker.is_alive()
    tell(0)
    assert ends(worker)


def test_the_cell_of_a_variable_in_use_can_be_cleared(shell: InteractiveShell) -> None:
    worker = worker_begun_by(run, shell, MAKE)
    explorer = shell.user_ns["explorer"]
    for count in (1, 0):
        explorer._handle_custom_msg({"type": "views", "client": "p", "count": count}, [])
    run(shell, "explorer")
    assert worker.is_alive()
