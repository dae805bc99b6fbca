"""Fixtures for tests in a real JupyterLab and a headless Chromium.

A test asks for ``open_cells`` (or ``open_file``), gets a `Notebook` and acts on ``notebook.page``::

    def test_slider(open_cells):
        notebook = open_cells("import nbembed as nb", "explorer = nb.Explorer(X); explorer")
        notebook.run_all()
        notebook.page.get_by_role("slider", name="α").press("ArrowRight")
        notebook.wait_for("explorer.session.parameters['alpha']", lambda alpha: alpha > 1)

The browser itself is a fixture of all tests; whatever uses it carries the marker ``browser``.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Iterator
from pathlib import Path

import pytest
from playwright.sync_api import Browser, Error

from tests.browser.lab import CHECKOUT, JupyterLab, Notebook
from tests.browser.pages import ARTIFACTS

OpenCells = Callable[..., Notebook]
OpenFile = Callable[[Path], Notebook]


@pytest.hookimpl(wrapper=True)
def pytest_runtest_makereport(item: pytest.Item, call: pytest.CallInfo[None]) -> Iterator[None]:
    """Keep a picture of every page that a failing test had open."""
    report = yield
    if report.when == "call" and report.failed:
        for number, notebook in enumerate(getattr(item, "notebooks", [])):
            picture = ARTIFACTS / f"{file_name(item)}-{number}.png"
            try:
                notebook.screenshot(picture)
            except Error as error:
                report.sections.append(("browser", f"no picture: {error}"))
                continue
            text = "\n".join([f"picture: {picture}", "browser errors:", *notebook.errors])
            report.sections.append(("browser", text))
    return report


@pytest.fixture(scope="session")
def lab() -> Iterator[JupyterLab]:
    """Start JupyterLab once for all browser tests."""
    static = CHECKOUT / "nbembed" / "widget" / "static"
    if not (static / "explorer.js").exists():
        pytest.fail(
            f"{static / 'explorer.js'} is missing: build the front end first, with "
            '`pip install -e ".[test]"` or `npm ci && npm run build` in nbembed/widget/frontend.',
            pytrace=False,
        )
    with JupyterLab() as server:
        yield server


@pytest.fixture(scope="module")
def left_open() -> Iterator[dict[tuple[str, ...], Notebook]]:
    """Keep notebooks that the tests of a module share, by their cells."""
    notebooks: dict[tuple[str, ...], Notebook] = {}
    yield notebooks
    for notebook in notebooks.values():
        notebook.close()


@pytest.fixture
def open_cells(
    lab: JupyterLab,
    browser: Browser,
    left_open: dict[tuple[str, ...], Notebook],
    request: pytest.FixtureRequest,
) -> Iterator[OpenCells]:
    """Return a function that opens a new notebook with the given code cells.

    The page closes when the test ends. With ``shared=True`` it stays open for the next test of the
    module that shares the same cells, which makes all anew when it runs them: most of what opening
    a notebook costs is JupyterLab's page and the imports of its kernel.
    """
    opened: list[Notebook] = []
    request.node.notebooks = opened

    def open_cells(*cells: str, shared: bool = False) -> Notebook:
        if shared and cells in left_open:
            opened.append(left_open[cells])
        else:
            path = lab.write_notebook(f"{file_name(request.node)}-{len(opened)}", cells)
            opened.append(lab.open_notebook(browser, path))
        if shared:
            left_open[cells] = opened[-1]
        return opened[-1]

    yield open_cells
    for notebook in opened:
        if notebook not in left_open.values():
            notebook.close()


@pytest.fixture
def open_file(
    lab: JupyterLab, browser: Browser, request: pytest.FixtureRequest
) -> Iterator[OpenFile]:
    """Return a function that opens a copy of a notebook file."""
    opened: list[Notebook] = []
    request.node.notebooks = opened

    def open_file(source: Path) -> Notebook:
        path = lab.copy_notebook(source, f"{file_name(request.node)}-{len(opened)}")
        opened.append(lab.open_notebook(browser, path))
        return opened[-1]

    yield open_file
    for notebook in opened:
        notebook.close()


def file_name(item: pytest.Item) -> str:
    """Return the test's name with nothing in it that a file system or a URL minds."""
    return re.sub(r"[^\w-]+", "-", item.name).strip("-")
