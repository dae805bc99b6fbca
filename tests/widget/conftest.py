"""Fixtures of the widget's tests: pages without Jupyter."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Callable, Iterator
from typing import Any

import pytest
from playwright.sync_api import Browser, Page

from nbembed import Explorer
from tests.widget.contract import check_page
from tests.widget.page import clear, open_page

OpenExplorer = Callable[..., Page]


def pytest_collection_modifyitems(items: list[pytest.Item]) -> None:
    for item in items:
        if "open_explorer" in getattr(item, "fixturenames", ()):
            item.add_marker(pytest.mark.browser)


@pytest.fixture(scope="session")
def left_open() -> dict[tuple[Browser, float], list[Page]]:
    """Return the pages that no test uses at present, by their browser and scale."""
    return defaultdict(list)


@pytest.fixture
def explore() -> Iterator[Callable[..., Explorer]]:
    """Return a function that makes Explorers at rest, which end with the test."""
    made: list[Explorer] = []

    def make(*args: Any, steps: int = 0, **options: Any) -> Explorer:
        made.append(Explorer(*args, autoplay=False, **options))
        if steps:
            made[-1].session.step(steps, wait=True)
        return made[-1]

    yield make
    for explorer in made:
        for child in explorer.children:
            child.close()
        explorer.close()


@pytest.fixture
def open_explorer(
    browser: Browser, left_open: dict[tuple[Browser, float], list[Page]]
) -> Iterator[OpenExplorer]:
    """Return a function that opens a page with a toy Explorer (see ``page.open_page``).

    When the test ends, no script error may be left on a page, and all that has crossed the wire
    must be in the schema. The pages are those of earlier tests, cleared; a test that changes what
    clearing does not restore, as the clock, asks for a ``fresh`` one.
    """
    pages: list[tuple[Page, list[Page] | None]] = []
    default = browser

    def open_explorer(
        *, browser: Browser | None = None, fresh: bool = False, **options: Any
    ) -> Page:
        left = None
        if not fresh and not options.get("touch"):
            left = left_open[browser or default, options.get("scale", 1)]
        page = open_page(browser or default, page=left.pop() if left else None, **options)
        pages.append((page, left))
        return page

    yield open_explorer
    assert not [error for page, _ in pages for error in page.errors]  # type: ignore[attr-defined]
    for page, left in pages:
        check_page(page)
        if left is None:
            page.close()
        else:
            clear(page)
            left.append(page)
