"""The fake session stands for a real one, and the help for what the handler and the docs say."""

from __future__ import annotations

import inspect
import re
from pathlib import Path
from typing import Any

from playwright.sync_api import Page

from nbembed.session import Session
from nbembed.session.core.commands import COMMANDS
from tests.widget.fake_session import FakeSession

DOCS = Path(__file__).parents[3] / "docs" / "explorer.md"


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


def help_rows(page: Page, place: int) -> list[tuple[str, str]]:
    """Return one list of the help dialog: the first is of mouse and fingers, the second of keys."""
    found = page.get_by_role("dialog").locator("dl").nth(place)
    labels, texts = found.locator("dt"), found.locator("dd")
    return list(zip(labels.all_text_contents(), texts.all_text_contents()))


def test_the_docs_list_what_the_help_lists(open_explorer: Any) -> None:
    page = open_explorer(n=20)
    page.get_by_role("button", name="Help").click()
    for place, head in enumerate(("| Mouse and fingers | |", "| Key | |")):
        table = DOCS.read_text(encoding="utf-8").partition(head)[2].partition("\n\n")[0]
        rows = re.findall(r"^\| (.+?) \| (.+?) \|$", table, re.MULTILINE)
        assert rows
        assert rows == help_rows(page, place)
