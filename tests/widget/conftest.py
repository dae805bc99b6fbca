"""Fixtures of the widget's tests: pages without Jupyter."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from typing import Any

import pytest
from playwright.sync_api import Browser, Page

from tests.widget.contract import check_page
from tests.widget.page import open_page

OpenExplorer = Callable[..., Page]


def pytest_collection_modifyitems(items: list[pytest.Item]) -> None:
    for item in items:
        if "open_explorer" in getattr(item, "fixturenames", ()):
            item.add_marker(pytest.mark.browser)


@pytest.fixture
def open_explorer(browser: Browser) -> Iterator[OpenExplorer]:
    """Return a function that opens a page with a toy Explorer (see ``page.open_page``).

    When the test ends, no script error may be left on a page, and all that has crossed the wire
    must be in the schema.
    """
    pages: list[Page] = []
    default = browser

    def open_explorer(*, browser: Browser | None = None, **options: Any) -> Page:
        pages.append(open_page(browser or default, **options))
        return pages[-1]

    yield open_explorer
    errors = [error for page in pages for error in page.errors]  # type: ignore[attr-defined]
    assert not errors
    for page in pages:
        check_page(page)
        page.close()
