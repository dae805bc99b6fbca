"""Sequences of calls: steering a live session, messages of a page, damaged session files.

Every command may be refused; whatever is accepted must leave a session that comes to rest, has not
failed, and has a finite layout.
"""

from __future__ import annotations

import contextlib
import functools
import json
import logging
import os
from collections.abc import Iterator, Mapping
from pathlib import Path
from typing import Any

import numpy as np
from hypothesis import strategies as st
from traitlets import TraitError

import nbembed as nb
from nbembed.widget.answers import query_source
from nbembed.widget.wire import page_commands, schema
from nbembed.widget.wire.page_commands import CommandType
from nbembed.widget.wire.queries import QUERIES
from nbembed.widget.wire.query_types import QueryType
from tests.fuzz import arguments, calls, damage, strategies
from tests.fuzz.outcomes import Fault, check_finite, check_refusal
from tests.fuzz.strategies import Strategy, World

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
            value[name] = draw(damage.json_damage(a_log()))
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


def load(content: bytes) -> None:
    """Load a damaged file; if it is accepted, everything that it holds must work."""
    path = Path(f"damaged-{os.getpid()}.nbembed")
    path.write_bytes(content)
    session = nb.load_session(path)
    try:
        settle(session)
        for _ in range(4):
            if session.can_undo:
                session.undo()
        while session.can_redo:
            session.redo()
        for name in session.snapshots:
            session.restore(name)
        session.step(2)
        session.wait(timeout=REST)
        settle(session)
        session.save(path)
    finally:
        session.close()
        path.unlink(missing_ok=True)


def load_anything(**values: Any) -> None:
    nb.load_session(**values).close()


# -- the Explorer -----------------------------------------------------------------------------


# What a page sends with its commands, by the name of the argument.
SENT: dict[str, Strategy] = {
    "class": strategies.names(), "name": strategies.names(), "old": strategies.names(),
    "new": strategies.names(), "confidence": st.sampled_from([1, 0.5, 0, 1e300]),
    "k": st.integers(1, 5), "size": st.integers(0, 5), "index": st.integers(-1, 3),
    "method": st.sampled_from(["SNE", "NeRV", "PCA", "FDA", "nothing"]),
    "shown": st.booleans(), "descending": st.booleans(), "column": st.integers(-1, 4),
    "text": st.sampled_from(["", "a", "#3", "\u202e"]),
    "use": st.sampled_from(["find", "color", "x"]),
    "table": st.sampled_from(["data", "labels", "x"]),
    "filters": st.lists(
        st.fixed_dictionaries({
            "column": st.integers(0, 4), "low": st.sampled_from([None, 0.0]),
            "high": st.sampled_from([None, 1.0]), "text": st.sampled_from(["", "1"]),
            "categories": st.sampled_from([None, [-1], [0, 7]]),
        }),
        max_size=2,
    ),
    "space": st.sampled_from(["data", "map"]),
    "step": st.sampled_from(["neighbors", "grow", "shrink", "x"]),
    "mode": st.sampled_from(["column", "class", "probability", "suggestion", "stress", "x"]),
    "what": st.sampled_from(["making", "learning", "suggestions", "unsupervised", "nothing"]),
    "point": st.integers(-1, 60),
    "measure": st.sampled_from(["trustworthiness", "continuity", "kept", "stress", "pull", "x"]),
    "snapshot": st.sampled_from(["", "snapshot 1", "lost"]),
    "onto": st.sampled_from(["", "snapshot 1", "snapshot 2"]),
    "view": st.sampled_from(["side", "blend", "x"]), "by_change": st.booleans(),
    "into": strategies.names(), "word": strategies.names(),
    "color": st.sampled_from(["#E69F00", "#e69f00", "red", ""]),
    "symbol": st.sampled_from(["star", "circle", "heart"]), "hidden": st.booleans(),
    "place": st.integers(-1, 3),
    "number": st.integers(0, 4),
    "by": st.sampled_from(["lasso", "", "x" * 99]),
}  # fmt: skip


@st.composite
def messages(draw: Any) -> tuple[Any, list[bytes]]:
    """A message of a page: mostly well-formed, sometimes with one part replaced."""
    kind = draw(st.sampled_from(["command", "command", "query"] if QUERIES else ["command"]))
    table: Mapping[str, CommandType | QueryType] = (
        QUERIES if kind == "query" else page_commands.COMMANDS
    )
    name = draw(st.sampled_from(sorted(table)))
    command = table[name]
    told: dict[str, Any] = {f.name: draw(SENT[f.name]) for f in command.arguments}
    if isinstance(command, CommandType) and command.parameters:
        told = draw(
            st.dictionaries(st.sampled_from(PARAMETERS), strategies.json_values(), max_size=2)
        )
    content: Any = {"type": kind, "client": "page", "request": draw(st.integers(1, 9)),
                    "asker": 0, "name": name, "arguments": told}  # fmt: skip
    content = draw(
        st.one_of(
            st.just(content),
            st.just(content),
            damage.json_damage(content),
            st.sampled_from(
                ["hello", "bye", "visible", "ack", "suggesting", "inspect", "naming"]
            ).map(
                lambda kind: {
                    "type": kind,
                    "client": "page",
                    "visible": True,
                    "seq": 1,
                    "shown": True,
                    "point": 3,
                    "points": [0, 7],
                }
            ),
            strategies.json_values(),
        )
    )
    indices = st.lists(st.sampled_from([0, 1, 2, 3, 7, 8, 2**31, 2**32 - 1]), max_size=4)
    buffers = [np.array(draw(indices), dtype="<u4").tobytes() for _ in command.points]
    return content, draw(st.sampled_from([buffers, buffers, buffers, [], [b"abc"], [b""] * 3]))


def _is_command(content: Any) -> bool:
    return (
        isinstance(content, dict)
        and content.get("type") == "command"
        and content.get("client") == "page"
        and type(content.get("request")) is int
        and 0 < content["request"] < 2**53
    )


class _Heard(logging.Handler):
    """Keeps the errors that are logged."""

    def __init__(self) -> None:
        super().__init__(logging.INFO)
        self.errors: list[BaseException] = []

    def emit(self, record: logging.LogRecord) -> None:
        error = record.exc_info and record.exc_info[1]
        if error:
            self.errors.append(error)


@contextlib.contextmanager
def query_errors() -> Iterator[list[BaseException]]:
    """Give the errors of queries in the block: a page is told their texts alone."""
    logger, heard = logging.getLogger(query_source.__name__), _Heard()
    level = logger.level
    logger.setLevel(logging.INFO)
    logger.addHandler(heard)
    try:
        yield heard.errors
    finally:
        logger.removeHandler(heard)
        logger.setLevel(level)


def check_answers(explorer: Any, sent: list[Any], errors: list[BaseException]) -> None:
    """Wait for the answers to queries; each is plain JSON, and no error is a foreign one."""
    if not explorer._queries.wait(REST):
        raise Fault("queries are not answered")
    for answer in [message for message in sent if message.get("type") == "answer"]:
        json.dumps(answer, allow_nan=False, ensure_ascii=False).encode("utf-8")
    for error in errors:
        if not isinstance(error, REFUSALS):
            raise Fault(f"a query raised {type(error).__name__}: {error}") from error


def talk(messages: list[tuple[Any, list[bytes]]], state: dict[str, Any]) -> None:
    """Send messages of a page to an Explorer; each gets its reply or answer, in plain JSON."""
    explorer = nb.Explorer(arguments.some_data(WORLD), nb.SNE(random_state=0), autoplay=False)
    sent: list[Any] = []
    explorer.send = lambda content, buffers=None: sent.append(content)
    try:
        receive = explorer._msg_callbacks.callbacks[-1]
        with query_errors() as errors:
            for content, buffers in messages:
                before = len(sent)
                receive(explorer, content, buffers)
                replies = [m for m in sent[before:] if m.get("type") == "reply"]
                if _is_command(content) and not any(
                    m["request"] == content["request"] for m in replies
                ):
                    raise Fault(f"no reply to {content!r}")
                json.dumps(replies, allow_nan=False, ensure_ascii=False).encode("utf-8")
            check_answers(explorer, sent, errors)
        with contextlib.suppress(TraitError, *calls.REFUSALS):  # refused
            explorer.set_state(state)
        if explorer.n_samples != 8:
            raise Fault("the page has set n_samples")
        settle(explorer.session)
        explorer.to_frame()
    finally:
        explorer.close()
        explorer.session.close()


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
    yield (
        "nb.load_session (damaged files)",
        _calls("load", load, content=damage.files()),
        (ValueError,),
        10,
    )
    yield "nb.Explorer", _constructed("nb.Explorer", nb.Explorer, show), refusals, 2
    traits = sorted(schema.TRAITS)
    yield (
        "nb.Explorer (messages)",
        _calls(
            "talk", talk, messages=st.lists(messages(), min_size=1, max_size=6),
            state=st.dictionaries(st.sampled_from(traits), strategies.json_values(), max_size=1),
        ),
        (),
        6,
    )  # fmt: skip
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
