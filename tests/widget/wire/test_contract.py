"""The fake session stands for a real one, and the help for what the handler and the docs say."""

from __future__ import annotations

import inspect
from typing import Any

from docs import keys
from nbembed.session import Session
from nbembed.session.core.commands import COMMANDS
from tests.widget.fake_session import FakeSession


def public(thing: Any) -> set[str]:
    return {name for name in dir(thing) if not name.startswith("_")}


def test_a_fake_session_has_nothing_that_a_real_one_has_not() -> None:
    fake = public(FakeSession(3)) - FakeSession.CONTROLS - {"CONTROLS"}
    assert fake - public(Session) == set()


def test_a_fake_session_takes_every_command_of_a_page() -> None:
    commands = {name for name, command in COMMANDS.items() if command.from_page}
    assert commands - public(FakeSession) == set()


def test_the_methods_of_a_fake_session_have_the_real_signatures() -> None:
    for name in public(FakeSession) - FakeSession.CONTROLS:
        fake, real = getattr(FakeSession, name), getattr(Session, name, None)
        if not inspect.isfunction(fake):
            continue
        assert inspect.isfunction(real), name
        assert parameters(fake) == parameters(real), name


def test_what_a_fake_session_reads_are_properties_of_the_real_one() -> None:
    session = FakeSession(3)
    for name in public(session) - FakeSession.CONTROLS - {"CONTROLS"}:
        if not callable(getattr(session, name)) or name == "recipe":
            assert isinstance(inspect.getattr_static(Session, name), property), name


def parameters(function: Any) -> list[tuple[str, Any, Any]]:
    """Return name, kind and default of each parameter."""
    found = inspect.signature(function).parameters.values()
    return [(p.name, p.kind, p.default) for p in found]


def test_the_guide_lists_the_keys_and_buttons_that_there_are(open_explorer: Any) -> None:
    assert keys.PAGE.read_text(encoding="utf-8") == keys.text(open_explorer(**keys.SHOWN))
