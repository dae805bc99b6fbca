"""The Explorer's page at many points, without a kernel: bytes, drawing, hover, lasso, selection.

    python benchmarks/drawing.py [--n 2000 20000 200000 1000000]

Drives the built front end in a headless Chromium that renders in software, with the stand-in for
the kernel of the page's tests. Times are medians in ms. "draw" is all that the page does between
two frames, also as the first decile, which other work on the machine hardly touches. "frames/s"
counts frames that were drawn while the stand-in sent them as fast as they were acknowledged, their
making included. "selected" is "draw" with all points of the lasso selected.
"""

from __future__ import annotations

import argparse
import statistics
from pathlib import Path

from playwright.sync_api import Page, sync_playwright

from tests.browser.chromium import chromium
from tests.browser.fixtures import launch
from tests.widget.page import kernel, open_page

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


def measure(page: Page, n: int, seconds: float) -> dict[str, float]:
    page.evaluate(PREPARE)
    page.evaluate("s => window.benchmark(s)", 0.5)  # compile
    moving = page.evaluate("s => window.benchmark(s)", seconds)
    page.get_by_role("button", name="Lasso", exact=True).click()
    places = [[100 + 7 * i, 90 + 5 * i] for i in range(40)]
    hover = page.evaluate(EVENTS, ["pointermove", places])
    handled, shown = page.evaluate(LASSO)
    chosen = kernel(page, "k.commands('select').pop().points.length")
    selected = page.evaluate("s => window.benchmark(s)", seconds / 2)
    return {
        "n": n,
        "kB": moving["bytes"] / 1000,
        "draw": statistics.median(moving["drawn"]),
        "draw 10 %": statistics.quantiles(moving["drawn"], n=10)[0],
        "frames/s": moving["rate"],
        "hover": statistics.median(hover),
        "lassoed": chosen,
        "lasso": handled,
        "→ shown": shown,
        "selected": statistics.median(selected["drawn"]),
        "selected 10 %": statistics.quantiles(selected["drawn"], n=10)[0],
    }


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--n", type=int, nargs="+", default=[2000, 20000, 50000, 200000, 1000000])
    parser.add_argument("--seconds", type=float, default=3.0)
    parser.add_argument("--renderer", choices=["webgl", "raster"])
    parser.add_argument("--pictures", type=Path, help="a folder for a picture at each n")
    args = parser.parse_args()
    with sync_playwright() as driver:
        browser = launch(driver, chromium())
        for n in args.n:
            page = open_page(browser, width=1000, renderer=args.renderer, n=n)
            page.set_default_timeout(60000)
            row = measure(page, n, args.seconds)
            if args.pictures:
                page.screenshot(path=args.pictures / f"explorer-{n}.png")
            page.close()
            if n == args.n[0]:
                print("".join(f"{name:>14}" for name in row))
            print(
                "".join(
                    f"{value:14.1f}" if name != "n" else f"{n:14d}" for name, value in row.items()
                ),
                flush=True,
            )
        browser.close()


if __name__ == "__main__":
    main()
