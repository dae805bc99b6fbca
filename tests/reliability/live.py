"""Sequences of calls: steering a live session, and Explorers made and assigned to.

Every command may be refused; whatever is accepted must leave a session that comes to rest, has not
failed, and has a finite layout.
"""

from __future__ import annotations

import functools
import json
from collections.abc import Iterator, Mapping
from pathlib import Path
from typing import Any

import numpy as np
from hypothesis import strategies as st
from traitlets import TraitError

import nbembed as nb
from tests.reliability import arguments, calls, strategies
from tests.reliability.mutations import spoil
from tests.reliability.promises import Fault, check_finite, check_refusal
from tests.reliability.strategies import Strategy, World

#: What commands of a session raise: RuntimeError where it is closed or has failed.
REFUSALS = (ValueError, TypeError, RuntimeError)
#: What reading and writing a file may raise besides.
FILE_ERRORS = (OSError, FileNotFoundError, IsADirectoryError, NotADirectoryError, PermissionError)
#: What single methods raise besides: a wait may be too short.
OTHER_ERRORS = {"save": FILE_ERRORS, "suggest": (TimeoutError,)}
#: Seconds in which a session of some points comes to rest: a safety net, far longer than it takes.
REST = 60.0

WORLD = World(8, 3, 2, 0)
#: Properties that users set.
SETTABLE = ("pace", "auto_learn")
#: Methods that may be refused for the session's state.
STATEFUL = ("undo", "redo", "play", "step", "reset", "pin", "learn", "give", "check", "accept",
            "check_suggestions")  # fmt: skip
PARAMETERS = ("alpha", "rho", "lam", "tradeoff", "perplexity", "n_components", "n_classes",
              "metric", "init", "optimizer", "max_iter", "tol", "random_state", "map_width",
              "directions", "gamma", "n_neighbors", "margin_weight", "class_prior")  # fmt: skip


def methods() -> Strategy:
    """Methods that a session is made with or switched to."""
    return st.sampled_from(
        [
            nb.HSSNE(random_state=0), nb.SNE(random_state=0), nb.Mbed(n_classes=2, random_state=0),
            nb.NeRV(random_state=0), nb.spectral.PCA(), nb.spectral.FDA(), nb.spectral.LPP(),
            nb.spectral.KPCATrick(), nb.methods.SNERecipe(),
            nb.ParametricEmbedding(classifier="soft-nearest-neighbor", random_state=0),
        ]
    )  # fmt: skip


def given_to(member: str) -> dict[str, Strategy]:
    """Return strategies for the legal arguments of a session's method or settable property."""
    special: dict[str, dict[str, Strategy]] = {
        "pace": {"value": st.sampled_from([None, 1e4])},
        "auto_learn": {"value": st.booleans()},
        "set": {
            "parameters": st.dictionaries(
                st.sampled_from(PARAMETERS),
                st.sampled_from([0.5, 1.0, 2, 3, "pca", "euclidean"]),
                min_size=1,
                max_size=2,
            )
        },
        "switch": {
            "method": st.one_of(methods(), st.sampled_from(["HSSNE", "NeRV", "PCA", "SNE", "FDA"]))
        },
        "give": {
            "command": st.sampled_from(["step", "label", "undo", "reset", "none"]),
            "arguments": st.sampled_from([{}, {"k": 1}, {"points": [0], "class_": "a"}]),
        },
        "subscribe": {"callback": st.just(lambda event: None)},
        "save": {"path": st.sampled_from(["session.nbembed", "other", Path("third")])},
        "snapshot": {"name": st.sampled_from(["one", "two", None])},
        "restore": {"name": st.sampled_from(["one", "two", "snapshot 1"])},
        "rename_snapshot": {
            "old": st.sampled_from(["one", "two", "snapshot 1"]),
            "new": st.sampled_from(["one", "two", "three"]),
        },
        "delete_snapshot": {"name": st.sampled_from(["one", "two", "three"])},
        "get_snapshot": {"name": st.sampled_from(["one", "two", "snapshot 1"])},
        "wait": {"state": st.none(), "timeout": st.sampled_from([0.0, 0.1])},
        "step": {"k": st.integers(1, 4), "wait": st.booleans()},
        "suggest": {"timeout": st.none()},
        "check_suggestions": {
            "size": st.integers(1, 9),
            "random_state": st.sampled_from([None, 0]),
            "confidence": st.sampled_from([0.0, 0.6]),
        },
        "label_each": {
            "labels": st.lists(
                st.tuples(st.integers(0, 7), strategies.names(), st.sampled_from([1.0, 0.7])),
                min_size=1,
                max_size=3,
            )
        },
        "show_path_step": {"index": st.integers(0, 2)},
        "go_to": {"number": st.integers(0, 3)},
        "to_script": {"number": st.sampled_from([None, 0, 1, 2])},
        "supervise": {"supervision": arguments.GOOD["supervision"](WORLD)},
        "learn": {"supervision": st.none()},
        "replay": {"X": st.just(arguments.some_data(WORLD)), "log": st.builds(a_log)},
    }
    if member in special:
        return special[member]
    names = calls.parameters_of(getattr(nb.Session, member))
    return {name: arguments.good(f"nb.Session.{member}", name)(WORLD) for name in names}


@functools.cache
def _log() -> list[dict[str, Any]]:
    with nb.Session(arguments.some_data(WORLD), nb.SNE(random_state=0)) as session:
        session.label([0, 1], "a")
        session.step(2, wait=True)
        session.set(rho=0.2)
        session.step(1, wait=True)
        return [event.to_dict() for event in session.log]


def a_log() -> list[dict[str, Any]]:
    return json.loads(json.dumps(_log()))


def damaged_log(seed: int) -> list[dict[str, Any]]:
    log = a_log()
    spoil(np.random.default_rng(seed), log)
    return log


@st.composite
def commands(draw: Any) -> tuple[str, dict[str, Any]]:
    """One call of a session's method, mostly legal."""
    member = draw(st.sampled_from(members()))
    good = given_to(member)
    spoiled = draw(st.sampled_from([None, None, None, *good]))
    value: dict[str, Any] = {}
    for name, strategy in good.items():
        if name != spoiled:
            value[name] = draw(strategy)
        elif member == "set":
            keyword = draw(st.sampled_from([*PARAMETERS, "", "\ud800", "self", "method"]))
            value[name] = {keyword: draw(strategies.hostile_count())}
        elif member == "replay" and name == "log":
            value[name] = draw(st.integers(0, 2**32 - 1).map(damaged_log))
        elif name == "k":
            value[name] = draw(strategies.hostile_count())
        else:
            value[name] = draw(strategies.hostile())
    return member, value


def members() -> list[str]:
    """Return the session's public methods, and the properties that users set."""
    return [*calls.methods_of(nb.Session), *SETTABLE]


def perform(session: Any, member: str, values: Mapping[str, Any]) -> None:
    """Make one call of a session's method, which may be refused."""
    values = calls.plain(dict(values))
    about = (
        member,
        *values,
        *PARAMETERS,
        "points",
        "supervision",
        "index",
        "log",
        "name",
        "set",
        "data",
    )
    if member == "wait" and values.get("timeout") is None:
        values["timeout"] = 0.1  # a map that plays rests only once it has converged
    try:
        if member in SETTABLE:
            setattr(session, member, values["value"])
        elif member == "set":
            session.set(**values["parameters"])
        else:
            result = getattr(session, member)(**values)
            if isinstance(result, nb.Session):
                result.close()
    except Exception as error:
        allowed = REFUSALS + OTHER_ERRORS.get(member, ())
        about = () if isinstance(error, (RuntimeError, OSError)) else about
        if member in STATEFUL:
            about = ()  # refused for the session's state
        check_refusal(error, allowed, about)


def settle(session: Any, closed: bool = False) -> None:
    """Bring a session to rest and look at everything that it says."""
    if not closed:
        session.pause()
        if not session.wait(timeout=REST):
            raise Fault(f"the session does not come to rest: {session!r}")
    for name in dir(type(session)):
        if isinstance(getattr(type(session), name), property):
            getattr(session, name)
    if session.state == "failed":
        raise Fault(f"accepted commands failed: {session.error!r}") from session.error
    check_finite(session.embedding, "the layout")
    if session.embedding.shape[0] != session.n_samples:
        raise Fault(f"the layout has shape {session.embedding.shape}")
    compile(session.to_script(), "the script", "exec")


def steer(method: Any, commands: list[tuple[str, dict[str, Any]]]) -> None:
    session = nb.Session(arguments.some_data(WORLD), method)
    session.pace = None
    try:
        for member, values in commands:
            perform(session, member, values)
        closed = any(member == "close" for member, _ in commands)
        settle(session, closed)
    finally:
        session.close()


def begin(**values: Any) -> None:
    """Make a session, let it take a step, and end it."""
    session = nb.Session(**values)
    try:
        session.step(2)
        session.wait(timeout=REST)
        settle(session)
    finally:
        session.close()


# -- files ------------------------------------------------------------------------------------


def load_anything(**values: Any) -> None:
    nb.load_session(**values).close()


# -- the Explorer -----------------------------------------------------------------------------


def show(**values: Any) -> None:
    """Make an Explorer, read it, and close it."""
    explorer = nb.Explorer(**values)
    try:
        explorer.to_frame()
        check_finite(explorer.embedding)
    finally:
        explorer.close()
        explorer.session.close()


def assign(name: str, value: Any) -> None:
    """Assign to one of the attributes of an Explorer that users set."""
    explorer = nb.Explorer(arguments.some_data(WORLD), nb.SNE(random_state=0), autoplay=False)
    try:
        setattr(explorer, name, value)
        explorer.to_frame()
    finally:
        explorer.close()
        explorer.session.close()


# -- entries ----------------------------------------------------------------------------------


def _calls(name: str, act: Any, about: tuple[str, ...] = (), /, **given: Strategy) -> Strategy:
    return st.fixed_dictionaries(given).map(
        lambda drawn: calls.Call(name, act, drawn, lambda result, values: None, about)
    )


@st.composite
def _constructed(draw: Any, name: str, kind: type, act: Any) -> Any:
    w = draw(strategies.worlds())
    parameters = {k: p for k, p in calls.parameters_of(kind).items() if k != "session"}
    given = {"X": draw(arguments.GOOD["X"](w)), "method": draw(methods())}
    if "autoplay" in parameters:
        given["autoplay"] = False
    given |= calls.drawn(draw, name, parameters, w, draw(calls.spoiling(parameters)))
    about = (*parameters, *PARAMETERS, "y")
    return calls.Call(name, act, given, lambda result, values: None, about)


def entries() -> Iterator[tuple[str, Strategy, tuple[type[Exception], ...], float]]:
    """Yield name, calls, allowed exceptions and weight of each entry."""
    refusals = calls.REFUSALS
    yield "nb.Session", _constructed("nb.Session", nb.Session, begin), refusals, 4
    yield (
        "nb.Session.*",
        _calls("steer", steer, method=methods(), commands=st.lists(commands(), max_size=8)),
        (),
        20,
    )
    yield (
        "nb.load_session",
        _calls("load_session", load_anything, ("path", "methods"),
               path=strategies.hostile(), methods=st.one_of(st.just(()), strategies.hostile())),
        refusals + FILE_ERRORS,
        2,
    )  # fmt: skip
    yield "nb.Explorer", _constructed("nb.Explorer", nb.Explorer, show), refusals, 2
    yield (
        "nb.Explorer.*",
        _calls(
            "assign", assign, ("labels", "supervision", "selection", "color_by", "y", "points"),
            name=st.sampled_from(["labels", "supervision", "selection", "color_by"]),
            value=st.one_of(strategies.labels(WORLD), strategies.points(WORLD),
                            strategies.hostile()),
        ),
        (*refusals, TraitError),
        2,
    )  # fmt: skip
