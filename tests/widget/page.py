"""A page with the built front end and a stand-in for the kernel, for tests without Jupyter."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

from playwright.sync_api import Browser, Page

from tests.waiting import GUARD

HERE = Path(__file__).parent
STATIC = HERE.parents[1] / "nbembed" / "widget" / "static"

#: What JupyterLab's themes say, as far as the widget listens.
LIGHT = {"--jp-layout-color0": "#fff", "--jp-layout-color1": "#fff", "--jp-layout-color2": "#eee"}
DARK = {"--jp-layout-color0": "#111", "--jp-layout-color1": "#212121", "--jp-layout-color2": "#444"}

HTML = """<!doctype html><meta charset="utf-8"><title>Explorer</title>
<style>{css}</style><style>body {{ margin: 0; padding: 16px }}</style>
<div id="cell"></div><p id="below">below</p>"""

START = """async ([explorer, kernel, options, width]) => {
  const load = (text) => import(URL.createObjectURL(new Blob([text], { type: "text/javascript" })));
  const [{ default: factory }, { FakeKernel }] = await Promise.all([load(explorer), load(kernel)]);
  document.getElementById("cell").style.width = width + "px";
  window.kernel = new FakeKernel(options);
  window.widget = await factory();
  window.cleanups = [await window.widget.initialize({ model: window.kernel.model() })];
  window.frames = [];
  window.addView = async () => {
    const el = document.createElement("div");
    el.className = "output";
    document.getElementById("cell").append(el);
    const host = window.kernel.widgets(factory);
    const cleanup = await window.widget.render({ model: window.kernel.model(), el, host });
    el.querySelector(".nbe").addEventListener("nbembed:frame", (e) => window.frames.push(e.detail));
    return cleanup;
  };
  window.cleanups.push(await window.addView());
  await new Promise((r) => requestAnimationFrame(() => requestAnimationFrame(r)));
}"""


def open_page(
    browser: Browser,
    *,
    page: Page | None = None,
    width: int = 748,
    theme: dict[str, str] | None = None,
    scheme: str = "light",
    scale: float = 1,
    renderer: str | None = None,
    touch: bool = False,
    **options: Any,
) -> Page:
    """Open a page with one view of a toy Explorer; ``options`` go to the fake kernel.

    ``page`` is one that was opened before, of the same browser, scale and touch: a new one costs
    five times as much as what is shown in it.
    """
    if page is None:
        page = browser.new_page(device_scale_factor=scale, has_touch=touch)
        page.set_default_timeout(1000 * GUARD)
        errors: list[str] = []
        page.on("pageerror", lambda error: errors.append(str(error)))
        page.errors = errors  # type: ignore[attr-defined]
    page.set_viewport_size({"width": max(width + 40, 400), "height": 1200})
    page.emulate_media(
        color_scheme=scheme,  # type: ignore[arg-type]
        forced_colors="none",
        reduced_motion="reduce",  # the view is at its place at once
    )
    page.set_content(HTML.format(css=(STATIC / "explorer.css").read_text()))
    for name, value in (theme or {}).items():
        page.evaluate("([n, v]) => document.body.style.setProperty(n, v)", [name, value])
    if theme:
        page.evaluate("document.body.style.background = 'var(--jp-layout-color1)'")
    if renderer is not None:
        page.evaluate("r => document.documentElement.dataset.nbembedRenderer = r", renderer)
    sources = [(STATIC / "explorer.js").read_text(), (HERE / "fake_kernel.js").read_text()]
    page.evaluate(START, [*sources, options, width])
    return page


def clear(page: Page) -> None:
    """Leave nothing of what was shown on a page, nor a key held down on it."""
    for key in ("Shift", "Alt", "Control", "Meta"):
        page.keyboard.up(key)
    page.goto("about:blank")


def kernel(page: Page, expression: str) -> Any:
    """Evaluate JavaScript with the fake kernel as ``k``."""
    return page.evaluate(f"(() => {{ const k = window.kernel; return ({expression}); }})()")


def act(page: Page, statement: str) -> None:
    """Do something as the fake kernel ``k``, and let the page draw."""
    page.evaluate(
        f"""async () => {{ const k = window.kernel; {statement};
          await new Promise(r => requestAnimationFrame(() => requestAnimationFrame(r))); }}"""
    )


def sent(page: Page, name: str) -> list[dict[str, Any]]:
    """Return the commands of a name that the page sent."""
    found = kernel(page, f"k.commands({json.dumps(name)})")
    return list(found)
