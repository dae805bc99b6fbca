"""Plain pages, of which a picture is kept when a test fails."""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import contextmanager, suppress
from pathlib import Path

from playwright.sync_api import Browser, Error, Page

from tests.waiting import GUARD

ARTIFACTS = Path(__file__).parent / "artifacts"


@contextmanager
def open_page(browser: Browser, name: str, width: int, height: int) -> Iterator[Page]:
    """Open an empty page; close it at the end, and keep a picture of it if the end is an error."""
    page = browser.new_page(viewport={"width": width, "height": height})
    page.set_default_timeout(1000 * GUARD)
    try:
        yield page
    except BaseException:
        with suppress(Error):
            page.screenshot(path=ARTIFACTS / f"{name}.png")
        raise
    finally:
        page.close()
