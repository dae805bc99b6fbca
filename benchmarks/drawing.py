"""The Explorer's page at many points, without a kernel: bytes, drawing, hover, lasso, selection.

    python benchmarks/drawing.py [--n 2000 20000 200000 1000000]

Drives the built front end in a headless Chromium that renders in software, with the stand-in for
the kernel of the page's tests. "Drawing" is all that the page does for a frame; its smallest time
is what other work on the machine hardly touches. Between two frames there is also their making,
while the stand-in sends them as fast as they are acknowledged.
"""

from __future__ import annotations

import argparse
import sys
from pathlib import Path

from playwright.sync_api import Page, sync_playwright

sys.path.insert(0, str(Path(__file__).parents[1]))
sys.path.insert(0, str(Path(__file__).parent))
from report import Report

from tests.browser.chromium import chromium
from tests.browser.fixtures import launch
from tests.widget.page import kernel, open_page

#: Milliseconds between two frames: 30 a second at 20 000 points, 10 at 200 000.
GOALS = {2000: 1000 / 30, 20000: 1000 / 30, 200000: 100.0}

#: Two layouts between which the map alternates, so that sending costs no more than copying.
PREPARE = """() => {
  const k = window.kernel;
  k.tick(200);
  k.traits.state = "running";
  const layouts = [0, 1].map((step) => { if (step) k.tick(1); return [k.packed, k.range]; });
  window.benchmark = async (seconds) => {
    const drawn = [];
    const listen = (e) => drawn.push(e.detail.took);
    const root = document.querySelector(".nbe");
    root.addEventListener("nbembed:frame", listen);
    const packed = Object.getOwnPropertyDescriptor(Object.getPrototypeOf(k), "packed");
    let turn = 0;
    Object.defineProperty(k, "packed", { configurable: true, get: () => layouts[turn % 2][0] });
    Object.defineProperty(k, "range", { configurable: true, get: () => layouts[turn++ % 2][1] });
    const began = performance.now();
    while (performance.now() - began < 1000 * seconds) {
      if (k.flying.size < 2) { k.traits.iteration++; k.frame(); }
      await new Promise((r) => setTimeout(r, 0));
    }
    const rate = drawn.length / (performance.now() - began) * 1000;
    delete k.packed; delete k.range;
    root.removeEventListener("nbembed:frame", listen);
    return { drawn, rate, bytes: layouts[0][0].byteLength };
  };
}"""
#: Milliseconds that a handler of the page takes for one event, of several.
EVENTS = """async ([type, places]) => {
  const map = document.querySelector(".nbe-map");
  const box = map.getBoundingClientRect();
  const times = [];
  for (const [x, y] of places) {
    const event = new PointerEvent(type, {
      clientX: box.left + x, clientY: box.top + y, pointerId: 1, bubbles: true });
    const began = performance.now();
    map.dispatchEvent(event);
    times.push(performance.now() - began);
    await new Promise((r) => requestAnimationFrame(r));
  }
  return times;
}"""
#: From the end of a lasso around half of the map to the first picture that shows its selection.
LASSO = """async () => {
  const map = document.querySelector(".nbe-map");
  const box = map.getBoundingClientRect();
  const at = (type, x, y) => map.dispatchEvent(new PointerEvent(type, {
    clientX: box.left + x, clientY: box.top + y, pointerId: 1, button: 0, bubbles: true }));
  map.setPointerCapture = () => {};
  const [x, y] = [box.width / 2, box.height / 2];
  at("pointerdown", x, y);
  for (let i = 0; i <= 300; i++)
    at("pointermove", x * (1 + 0.84 * Math.cos(i / 48)), y * (1 + 0.84 * Math.sin(i / 48)));
  await new Promise((r) => requestAnimationFrame(() => requestAnimationFrame(r)));
  const began = performance.now();
  at("pointerup", x, y);
  const handled = performance.now() - began;
  await new Promise((r) => requestAnimationFrame(() => setTimeout(r, 0)));
  return [handled, performance.now() - began];
}"""


def measure(report: Report, page: Page, n: int, seconds: float) -> None:
    page.evaluate(PREPARE)
    page.evaluate("s => window.benchmark(s)", 0.5)  # compile
    moving = page.evaluate("s => window.benchmark(s)", seconds)
    page.get_by_role("button", name="Lasso", exact=True).click()
    places = [[100 + 7 * i, 90 + 5 * i] for i in range(40)]
    hover = page.evaluate(EVENTS, ["pointermove", places])
    handled, shown = page.evaluate(LASSO)
    chosen = kernel(page, "k.commands('select').pop().points.length")
    selected = page.evaluate("s => window.benchmark(s)", seconds / 2)
    report.value(f"frame, n = {n}", moving["bytes"] / 1000, "kB")
    report.value(f"drawing a frame, n = {n}", moving["drawn"], "ms")
    report.value(f"between two frames, n = {n}", 1000 / moving["rate"], "ms", GOALS.get(n))
    report.value(f"drawing with {chosen} selected, n = {n}", selected["drawn"], "ms")
    report.value(f"hover, n = {n}", hover, "ms")
    report.value(f"lasso of {chosen}, n = {n}", handled, "ms")
    report.value(f"lasso of {chosen} until it is shown, n = {n}", shown, "ms")


def main() -> None:
    parser = argparse.ArgumentParser(
        description=__doc__.split("\n")[0], formatter_class=argparse.ArgumentDefaultsHelpFormatter
    )
    parser.add_argument("--n", type=int, nargs="+", default=[2000, 20000, 200000, 1000000])
    parser.add_argument("--seconds", type=float, default=3.0)
    parser.add_argument("--renderer", choices=["webgl", "raster"])
    parser.add_argument("--pictures", type=Path, help="a folder for a picture at each n")
    parser.add_argument("--json", type=Path, help="file to write the figures to")
    options = parser.parse_args()
    report = Report("drawing")
    with sync_playwright() as driver:
        browser = launch(driver, chromium())
        for n in options.n:
            page = open_page(browser, width=1000, renderer=options.renderer, n=n)
            page.set_default_timeout(60000)
            measure(report, page, n, options.seconds)
            if options.pictures:
                page.screenshot(path=options.pictures / f"explorer-{n}.png")
            page.close()
        browser.close()
    report.write(options.json)


if __name__ == "__main__":
    main()
