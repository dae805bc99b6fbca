"""The browser that all browser tests share, with a notebook around them or without."""

from __future__ import annotations

import os
from collections.abc import Iterator
from pathlib import Path

import pytest
from playwright.sync_api import Browser, Error, Playwright, expect, sync_playwright

from tests.browser.chromium import NoChromium, chromium
from tests.waiting import GUARD

ARGUMENTS = [
    "--disable-gpu",
    "--disable-quic",
    "--no-first-run",
    "--disable-background-networking",
    "--disable-component-update",
    "--disable-sync",
]


@pytest.fixture(scope="session")
def playwright() -> Iterator[Playwright]:
    """Start Playwright, whose expectations wait as long as everything else in the tests."""
    expect.set_options(timeout=1000 * GUARD)
    with sync_playwright() as driver:
        yield driver


@pytest.fixture(scope="session")
def chromium_path() -> Path:
    try:
        return chromium()
    except NoChromium as error:
        pytest.fail(str(error), pytrace=False)


@pytest.fixture(scope="session")
def browser(chromium_path: Path, playwright: Playwright) -> Iterator[Browser]:
    """Start the browser once; every notebook gets a fresh profile in it."""
    running = launch(playwright, chromium_path)
    yield running
    running.close()


@pytest.fixture(scope="session")
def browser_without_webgl(chromium_path: Path, playwright: Playwright) -> Iterator[Browser]:
    """Start a browser whose pages get no WebGL context."""
    running = launch(
        playwright, chromium_path, ["--disable-3d-apis", "--disable-software-rasterizer"]
    )
    yield running
    running.close()


def launch(playwright: Playwright, path: Path, extra: list[str] | None = None) -> Browser:
    """Start a headless Chromium.

    As root it must run without its sandbox. Elsewhere the sandbox is tried first; containers and
    some distributions forbid the user namespaces that it needs, and the pages shown here are our
    own, from the loopback.
    """
    arguments = ARGUMENTS + (extra or [])
    if getattr(os, "geteuid", lambda: 1)() != 0:
        try:
            return playwright.chromium.launch(
                executable_path=path, args=arguments, chromium_sandbox=True
            )
        except Error:
            pass
    return playwright.chromium.launch(
        executable_path=path, args=[*arguments, "--no-sandbox"], chromium_sandbox=False
    )
