"""A JupyterLab or Notebook 7 on the loopback, and the notebook pages that the tests open in it.

The server gets configuration, data and runtime directories of its own, so that a test neither sees
nor touches what the person at the machine has set up. News, update checks and autosave are off, and
every cell is kept in the page (``windowingMode: none``): scrolled-away cells would otherwise have
no elements to find.
"""

from __future__ import annotations

import json
import secrets
import shutil
import subprocess
import sys
import tempfile
import time
from collections.abc import Callable, Sequence
from pathlib import Path
from types import TracebackType
from typing import Any

from playwright.sync_api import (
    Browser,
    BrowserContext,
    ConsoleMessage,
    Locator,
    Page,
    ViewportSize,
)

from nbembed.widget.server import OPTION
from tests.browser import servers
from tests.browser.servers import CHECKOUT as CHECKOUT
from tests.waiting import GUARD

SETTINGS: dict[str, dict[str, object]] = {
    "apputils-extension/notification": {
        "fetchNews": "false",
        "checkForUpdates": False,
        "doNotDisturbMode": True,
    },
    "notebook-extension/tracker": {"windowingMode": "none"},
    "docmanager-extension/plugin": {"autosave": False},
}
#: Seconds after which the page has failed to answer: its kernel may have died.
ANSWERED = 5 * GUARD


class KernelError(Exception):
    """Code run in the notebook's kernel raised; the message is its traceback."""


class JupyterLab:
    """A running server; use as a context manager.

    Attributes
    ----------
    root : pathlib.Path
        The directory that the server shows; notebooks are written here.
    """

    #: The module to run, its options, and where it shows a notebook.
    module = "jupyterlab"
    options: tuple[str, ...] = (
        "--LabApp.news_url=",
        "--LabApp.check_for_updates_class=jupyterlab.NeverCheckForUpdate",
        "--LabApp.extension_manager=readonly",
        "--LabApp.expose_app_in_browser=True",
    )
    # "reset" drops the workspace that an earlier page left, else that page's tabs open too.
    address = "lab/tree/{path}?reset"

    def __init__(self) -> None:
        self._home = Path(tempfile.mkdtemp(prefix="nbembed-lab-"))
        self.root = self._home / "root"
        self.token = secrets.token_hex(16)
        self._log = self._home / "server.log"
        self._pages: list[Notebook] = []
        self._process: subprocess.Popen[bytes] | None = None

    def __enter__(self) -> JupyterLab:
        try:
            self._start()
        except BaseException:
            self._stop()
            raise
        return self

    def __exit__(
        self,
        kind: type[BaseException] | None,
        error: BaseException | None,
        traceback: TracebackType | None,
    ) -> None:
        self._stop()

    def _start(self) -> None:
        self.root.mkdir()
        for name, value in SETTINGS.items():
            file = self._home / "settings" / "@jupyterlab" / f"{name}.jupyterlab-settings"
            file.parent.mkdir(parents=True, exist_ok=True)
            file.write_text(json.dumps(value), encoding="utf-8")
        self._process, self._port = servers.start(
            self._command, f"api/status?token={self.token}",
            folder=self.root, variables=self._variables(), log=self._log,
        )  # fmt: skip
        self.url = f"http://127.0.0.1:{self._port}"

    def _command(self, port: int) -> list[str]:
        return [
            *(sys.executable, "-m", self.module, "--no-browser", "--ip=127.0.0.1"),
            f"--port={port}",
            "--ServerApp.port_retries=0",
            f"--IdentityProvider.token={self.token}",
            f"--ServerApp.root_dir={self.root}",
            OPTION,
            *self.options,
            "--allow-root",
        ]

    def _variables(self) -> dict[str, str]:
        home = self._home
        return servers.environment(
            JUPYTERLAB_SETTINGS_DIR=str(home / "settings"),
            JUPYTERLAB_WORKSPACES_DIR=str(home / "workspaces"),
            JUPYTER_CONFIG_DIR=str(home / "config"),
            JUPYTER_DATA_DIR=str(home / "data"),
            JUPYTER_RUNTIME_DIR=str(home / "runtime"),
            IPYTHONDIR=str(home / "ipython"),
        )

    def _stop(self) -> None:
        for page in self._pages:
            page.close()
        if self._process is not None:
            servers.stop(self._process)
        shutil.rmtree(self._home, ignore_errors=True)

    def restart(self) -> None:
        """End the server, with its kernels, and start it again at the same address."""
        assert self._process is not None
        servers.stop(self._process)
        self._process, _ = servers.start(
            self._command, f"api/status?token={self.token}",
            folder=self.root, variables=self._variables(), log=self._log, port=self._port,
        )  # fmt: skip

    def whole_log(self) -> str:
        """Return what the server wrote."""
        return self._log.read_text(errors="replace") if self._log.exists() else ""

    def page_of(self, path: str) -> str:
        """Return the address of the page that shows a notebook."""
        address = self.address.format(path=path)
        return f"{self.url}/{address}{'&' if '?' in address else '?'}token={self.token}"

    def write_notebook(self, name: str, cells: Sequence[str]) -> str:
        """Write a notebook of these code cells under the root; return its path there."""
        kernel = {"name": "python3", "display_name": "Python 3", "language": "python"}
        empty = {"cell_type": "code", "metadata": {}, "execution_count": None, "outputs": []}
        notebook = {
            "nbformat": 4,
            "nbformat_minor": 5,
            "metadata": {"kernelspec": kernel},
            "cells": [{**empty, "id": f"cell-{k}", "source": c} for k, c in enumerate(cells)],
        }
        path = f"{name}.ipynb"
        (self.root / path).write_text(json.dumps(notebook), encoding="utf-8")
        return path

    def copy_notebook(self, source: Path, name: str | None = None) -> str:
        """Copy a notebook under the root; return its path there."""
        path = f"{name or source.stem}.ipynb"
        shutil.copyfile(source, self.root / path)
        return path

    def open_notebook(
        self,
        browser: Browser,
        path: str,
        width: int = 1280,
        height: int = 1000,
        scale: float = 1,
    ) -> Notebook:
        """Open a notebook in a page of its own and wait for its kernel.

        ``width`` and ``height`` are those of the window; ``scale`` is pixels of the screen for
        each of the page's.
        """
        viewport: ViewportSize = {"width": width, "height": height}
        context = browser.new_context(
            viewport=viewport,
            device_scale_factor=scale,
            reduced_motion="reduce",  # the view is at its place at once
        )
        page = Notebook(self, context, path)
        self._pages.append(page)
        page.open()
        return page


class Notebook7(JupyterLab):
    """A running Notebook 7; use as a context manager.

    Its page hides the application's object, so that :meth:`open_notebook` cannot wait for it.
    """

    module = "notebook"
    options = (
        "--JupyterNotebookApp.check_for_updates_class=jupyterlab.NeverCheckForUpdate",
        "--JupyterNotebookApp.extension_manager=readonly",
    )
    address = "notebooks/{path}"


class Notebook:
    """A notebook open in JupyterLab.

    Attributes
    ----------
    page : playwright.sync_api.Page
        For everything that a person does: find by role and name, click, drag.
    errors : list of str
        What the browser's console and the page reported as errors so far.
    """

    def __init__(self, lab: JupyterLab, context: BrowserContext, path: str) -> None:
        self._lab = lab
        self._path = path
        self._context = context
        self._context.set_default_timeout(1000 * GUARD)
        self.page: Page = self._context.new_page()
        self.errors: list[str] = []
        self.page.on("console", self._heard)
        self.page.on("pageerror", lambda error: self.errors.append(str(error)))

    def _heard(self, message: ConsoleMessage) -> None:
        if message.type == "error":
            self.errors.append(message.text)
        elif message.text.startswith("nbembed:"):
            print(message.text)  # shown with a test that fails

    def open(self) -> None:
        """Load the page and wait until the kernel is idle; also opens it afresh."""
        self.page.goto(self._lab.page_of(self._path))
        self._ready()

    def reload(self) -> None:
        """Reload the page as F5 does, keeping kernel and saved document."""
        self.page.reload()
        self._ready()

    def restart(self) -> None:
        """Restart the kernel; outputs stay on the page."""
        self._await(
            "() => window.jupyterapp.shell.currentWidget.sessionContext.session.kernel.restart()"
        )
        self.wait_idle()

    def _await(self, function: str, argument: Any = None) -> Any:
        """Call a function of the page, and return what it promises; Playwright would wait on."""
        return self.page.evaluate(
            f"""async (argument) => {{
                let timer;
                const late = new Promise((_, reject) => {{
                    const error = new Error("the page has not answered for {ANSWERED:.0f} s");
                    timer = setTimeout(() => reject(error), {1000 * ANSWERED:.0f});
                }});
                try {{
                    return await Promise.race([({function})(argument), late]);
                }} finally {{
                    clearTimeout(timer);
                }}
            }}""",
            argument,
        )

    def _ready(self) -> None:
        self.page.locator(".jp-Notebook").first.wait_for()
        self.wait_idle()

    def wait_idle(self, timeout: float = 120) -> None:
        """Wait until the kernel has nothing left to do (timeout in seconds)."""
        self.page.wait_for_function(
            """() => {
                const session = window.jupyterapp?.shell?.currentWidget?.sessionContext;
                return session?.isReady && session.session?.kernel?.status === 'idle';
            }""",
            timeout=timeout * 1000,
        )

    def run_all(self) -> None:
        """Run every cell and wait for the last; raise KernelError if one raised."""
        self._await("() => window.jupyterapp.commands.execute('notebook:run-all-cells')")
        raised: list[str] = self.page.evaluate(
            """() => {
                const found = [];
                for (const cell of window.jupyterapp.shell.currentWidget.content.model.cells) {
                    if (cell.type !== 'code') continue;
                    for (const {output_type, traceback} of cell.sharedModel.getOutputs())
                        if (output_type === 'error') found.push(traceback.join('\\n'));
                }
                return found;
            }"""
        )
        if raised:
            raise KernelError("\n\n".join(raised))

    def execute(self, code: str) -> str:
        """Run code in the kernel, not in a cell; return what it printed and its last value."""
        answer: dict[str, str] = self._await(
            """async code => {
                const session = window.jupyterapp.shell.currentWidget.sessionContext.session;
                const future = session.kernel.requestExecute(
                    {code, store_history: false, silent: false, allow_stdin: false});
                const answer = {text: '', error: ''};
                future.onIOPub = message => {
                    const content = message.content;
                    switch (message.header.msg_type) {
                        case 'stream':
                            // A warning from a background thread may come in between, on stderr.
                            if (content.name === 'stdout') answer.text += content.text;
                            break;
                        case 'execute_result': answer.text += content.data['text/plain']; break;
                        case 'error': answer.error = content.traceback.join('\\n'); break;
                    }
                };
                await future.done;
                return answer;
            }""",
            code,
        )
        if answer["error"]:
            raise KernelError(answer["error"])
        return answer["text"].strip()

    def evaluate(self, expression: str) -> Any:
        """Return the value of a Python expression in the kernel, by way of JSON."""
        return json.loads(self.execute(f"import json; print(json.dumps({expression}))"))

    def wait_for(
        self, expression: str, accept: Callable[[Any], bool] = bool, timeout: float = GUARD
    ) -> Any:
        """Ask the kernel for an expression until its value is accepted; return the value."""
        deadline = time.monotonic() + timeout
        while True:
            value = self.evaluate(expression)
            if accept(value):
                return value
            if time.monotonic() > deadline:
                raise AssertionError(f"after {timeout} s, {expression} is still {value!r}")
            # Through Playwright, so that the page's own events keep arriving meanwhile.
            self.page.wait_for_timeout(50)

    def rest(self, explorer: str = "explorer") -> None:
        """Wait until the map of an Explorer, by its expression, has converged."""
        self.wait_for(f"{explorer}.session.state", lambda state: state == "converged", timeout=120)

    def cell(self, index: int) -> Locator:
        """Return the element of a cell with its outputs."""
        return self.page.locator(".jp-Notebook .jp-Cell").nth(index)

    def set_theme(self, dark: bool) -> None:
        """Switch JupyterLab between its light and its dark theme."""
        theme = "JupyterLab Dark" if dark else "JupyterLab Light"
        self._await(
            "theme => window.jupyterapp.commands.execute('apputils:change-theme', {theme})", theme
        )
        light = "false" if dark else "true"
        self.page.locator(f"body[data-jp-theme-light='{light}']").wait_for(state="attached")

    def save(self) -> None:
        """Save the document, with its widgets' state."""
        self._await("() => window.jupyterapp.commands.execute('docmanager:save')")

    def screenshot(self, path: Path, element: Locator | None = None) -> None:
        """Take a picture of the page, or of one element."""
        path.parent.mkdir(parents=True, exist_ok=True)
        (element or self.page).screenshot(path=path)

    def close(self) -> None:
        """Shut the kernel down and close the page; a second call does nothing."""
        if self.page.is_closed():
            return
        try:
            # The server answers with an error while a kernel that was killed comes up again; it
            # ends that kernel with itself.
            self._await(
                """async () => {
                    const session = window.jupyterapp?.shell?.currentWidget?.sessionContext;
                    await session?.shutdown().catch(() => undefined);
                }"""
            )
        finally:
            self._context.close()
