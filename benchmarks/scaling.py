"""How the time of one iteration grows with the number of points, for every method.

    python benchmarks/scaling.py                                   to 200 000 points (minutes)
    python benchmarks/scaling.py --most 20000
    python benchmarks/scaling.py --picture docs/images/scaling.png
    python benchmarks/scaling.py --json out.json
    python benchmarks/scaling.py --json out.json --only "SNE"   renews its figures alone

An iteration is one step of the method's own optimizer with the cost, twenty steps after the start;
medians over the turns. Learners that do not iterate are timed for the whole fit. One percent of the
points are labeled for them and for Mbed, and none for the others. Data are ten clusters in fifty
dimensions in float32, their class posteriors for Parametric Embedding. A method is left out of
larger sizes once it takes more than ``--patience`` seconds.

Needs Bokeh and, for the picture, a Chromium (the extras ``display`` and ``test``).
"""

from __future__ import annotations

import argparse
import statistics
import sys
from collections.abc import Callable
from pathlib import Path
from typing import Any

import numpy as np
from scipy.spatial.distance import cdist
from scipy.special import softmax
from sklearn.datasets import make_blobs

import nbembed as nb
from nbembed import spectral
from nbembed.run import Run

sys.path.insert(0, str(Path(__file__).parents[1]))
sys.path.insert(0, str(Path(__file__).parent))
from report import Figure, Report, read, timed

SIZES = (500, 1000, 2000, 5000, 10_000, 20_000, 50_000, 100_000, 200_000)
CLASSES = 10
#: Steps before those that are timed.
BEFORE = 20
ONE: dict[str, Any] = {"random_state": 0, "n_jobs": 1}

#: One step: method, and whether it takes posteriors.
STEPS = {
    "SNE": nb.SNE(**ONE),
    "HSSNE, α = 1": nb.HSSNE(**ONE),
    "HSSNE, α = 0.5": nb.HSSNE(alpha=0.5, **ONE),
    "NeRV, one width": nb.NeRV(map_width="uniform", **ONE),
    "NeRV, a width for each point": nb.NeRV(map_width="point", **ONE),
    "Mbed, directions": nb.Mbed(**ONE),
    "Mbed, centers": nb.Mbed(directions="centers", **ONE),
    "Parametric Embedding": nb.ParametricEmbedding(random_state=0),
}
#: A whole fit.
FITS = {
    "SELF, fit": spectral.SELF(),
    "LPP, fit": spectral.LPP(),
    "SELF by the kernel PCA trick, fit": spectral.KPCATrick(learner=spectral.SELF()),
}


def main() -> None:
    parser = argparse.ArgumentParser(
        description=__doc__.split("\n")[0], formatter_class=argparse.ArgumentDefaultsHelpFormatter
    )
    parser.add_argument("--most", type=int, default=SIZES[-1], help="largest number of points")
    parser.add_argument("--turns", type=int, default=5, help="number of turns to take medians over")
    parser.add_argument("--patience", type=float, default=3.0, help="seconds, see above")
    parser.add_argument("--only", nargs="*", help="methods; all by default")
    parser.add_argument("--json", type=Path, help="file to write the figures to")
    parser.add_argument("--picture", type=Path, help="file to write the plot to, a PNG")
    options = parser.parse_args()
    report = Report("scaling")
    kept = read(options.json)[1] if options.only and options.json and options.json.exists() else []
    for name in [*STEPS, *FITS]:
        if options.only and name not in options.only:
            report.figures += [figure for figure in kept if method_and_size(figure)[0] == name]
            continue
        for n in SIZES:
            if n > options.most:
                break
            seconds = measure(name, n, options.turns)
            report.value(f"{name}, n = {n}", [1e3 * each for each in seconds], "ms")
            if statistics.median(seconds) > options.patience:
                break
    report.write(options.json)
    if options.picture:
        draw(report.figures, options.picture)


def method_and_size(figure: Figure) -> tuple[str, int]:
    """Return the method and the number of points of a figure."""
    name, n = figure.work.rsplit(", n = ", 1)
    return name, int(n)


def measure(name: str, n: int, turns: int) -> list[float]:
    """Return the seconds of each turn."""
    X, truth, centers = make_blobs(
        n, 50, centers=CLASSES, cluster_std=3.0, random_state=0, return_centers=True
    )
    X = X.astype(np.float32)
    said = nb.Supervision(n)
    for label in range(CLASSES):
        said = said.label(np.flatnonzero(truth == label)[: max(3, n // 1000)], label)
    if name in FITS:
        work = fit(FITS[name], X, said)
    else:
        posteriors = softmax(-cdist(X, centers, "sqeuclidean") / 100, axis=1)
        method = STEPS[name]
        work = step(method, posteriors if isinstance(method, nb.ParametricEmbedding) else X, said)
    return timed({name: work}, turns)[name]


def fit(method: Any, X: Any, said: nb.Supervision) -> Callable[[], Any]:
    """Return a whole fit."""
    return lambda: method.fit(X, supervision=said)


def step(method: Any, X: Any, said: nb.Supervision) -> Callable[[], Any]:
    """Return one step of a run that has begun."""
    if not isinstance(method, nb.Mbed):
        said = nb.Supervision(len(X))
    recipe = method.recipe.with_room_for(said)
    affinities = recipe.make_affinities(X, said)
    first = recipe.make_start(X, affinities, said, np.random.default_rng(0))
    objective = recipe.objective(affinities, said, first.geometry)
    schedule = recipe.make_schedule(affinities, first.geometry)
    run = Run(objective, recipe.make_optimizer(), first.Y, schedule, tol=0.0, cost_every=1)
    run.step(BEFORE)
    return run.step


def draw(figures: list[Figure], picture: Path) -> None:
    """Write a plot of seconds against the number of points, both by logarithm."""
    from bokeh.embed import file_html
    from bokeh.palettes import Category20
    from bokeh.plotting import figure as new_plot
    from bokeh.resources import INLINE
    from playwright.sync_api import sync_playwright

    from tests.browser.chromium import chromium
    from tests.browser.fixtures import launch

    plot = new_plot(
        width=900,
        height=560,
        x_axis_type="log",
        y_axis_type="log",
        x_axis_label="points",
        y_axis_label="seconds, one thread",
        toolbar_location=None,
    )
    colors = Category20[20]
    found: dict[str, list[tuple[int, float]]] = {}
    for figure in figures:
        name, n_points = method_and_size(figure)
        found.setdefault(name, []).append((n_points, figure.median / 1e3))
    for number, (name, points) in enumerate(found.items()):
        n, seconds = map(list, zip(*points))
        dash = "dashed" if name in FITS else "solid"
        plot.line(n, seconds, legend_label=name, color=colors[number], line_dash=dash, line_width=2)
        plot.scatter(n, seconds, legend_label=name, color=colors[number], size=6)
    plot.add_layout(plot.legend[0], "right")
    with sync_playwright() as playwright:
        browser = launch(playwright, chromium())
        page = browser.new_page(viewport={"width": 900, "height": 560}, device_scale_factor=2)
        page.set_content(file_html(plot, INLINE, "scaling"))
        page.locator(".bk-Figure").screenshot(path=picture)
        browser.close()


if __name__ == "__main__":
    main()
