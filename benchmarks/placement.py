"""Placing new points on a fitted map, compared with openTSNE's ``transform``.

    python benchmarks/placement.py                 1000 new points on maps of 2000
    python benchmarks/placement.py --threads 2
    python benchmarks/placement.py --json out.json
    python benchmarks/placement.py --many 1000000  so many new points on a map of 20 000

Each implementation is fitted to 2000 points of ten clusters in fifty dimensions and places 1000
more. The time includes distances, calibration and optimization. nbembed calibrates to the fit's
perplexity and minimizes each row's cost, with its normalizer over all fitted points. openTSNE uses
its defaults, perplexity 5 and 250 gradient steps, and approximates the normalizer by interpolation;
it is also shown with the fit's perplexity. The share of new points whose nearest fitted point is in
the same cluster is printed as well.

With ``--many`` the map has 20 000 points (``--fitted``), nbembed places new points by their nearest
neighbors and the map's potential, and 500 of them are placed by the sums over all fitted points and
by openTSNE as well. Seconds are CPU seconds; of fewer points those for a million are extrapolated.

Needs the extra ``nbembed[bench]``.
"""

from __future__ import annotations

import argparse
import statistics
import sys
import time
from collections.abc import Callable
from pathlib import Path
from typing import Any

import numpy as np
import openTSNE
import openTSNE.initialization
from sklearn.datasets import make_blobs
from sklearn.neighbors import KNeighborsClassifier

import nbembed as nb
from nbembed.methods import field_placement

sys.path.insert(0, str(Path(__file__).parent))
from exact import PERPLEXITY
from report import Report, origin_line, timed

#: Seconds allowed for placing 1000 new points on a map of 2000.
GOAL = 1.0


def main() -> None:
    parser = argparse.ArgumentParser(
        description=__doc__.split("\n")[0], formatter_class=argparse.ArgumentDefaultsHelpFormatter
    )
    parser.add_argument("--threads", type=int, default=1, help="threads, where supported")
    parser.add_argument("--turns", type=int, default=5, help="number of turns to take medians over")
    parser.add_argument("--json", type=Path, help="file to write the figures to")
    parser.add_argument("--many", type=int, help="place so many points on a large map")
    parser.add_argument("--fitted", type=int, default=20_000, help="points of the large map")
    options = parser.parse_args()
    if options.many:
        on_large_map(options.fitted, options.many, options.threads, options.json)
        return

    X, y = make_blobs(3000, 50, centers=10, cluster_std=6.0, random_state=0)
    fitted, new = slice(2000), slice(2000, None)
    works = list(maps(X[fitted], options.threads))
    places: dict[str, Any] = {}

    def placing(name: str, transform: Callable[[Any], Any]) -> Callable[[], None]:
        def place() -> None:
            places[name] = np.asarray(transform(X[new]))

        return place

    transforms = {name: placing(name, transform) for name, _, transform in works}
    seconds = timed(transforms, options.turns)

    print(origin_line())
    print(f"1000 new points on 2000, {options.threads} thread(s), median of {options.turns} turns")
    print(f"{'transform':34} {'s':>7} {'same cluster':>13}")
    for name, Y, _ in works:
        took = statistics.median(seconds[name])
        score = KNeighborsClassifier(1).fit(Y, y[fitted]).score(places[name], y[new])
        goal = ""
        if name.startswith("nbembed"):
            goal = f"   goal {GOAL:g} s: {'met' if took < GOAL else 'NOT met'}"
        print(f"{name:34} {took:7.3f} {score:13.3f}{goal}")
    report = Report("placement", options.threads)
    for name, values in seconds.items():
        if name.startswith("nbembed"):
            work = f"1000 new points on a map of 2000, {name.removeprefix('nbembed ')}"
            report.value(work, values, "s", GOAL)
            report.ratio(work, seconds["openTSNE"], "openTSNE's transform", values)
    report.write(options.json)


def on_large_map(n: int, many: int, threads: int, file: Path | None) -> None:
    """Place many points on a large map; print how long it takes, and how well they are placed."""
    X, y = make_blobs(n + many, 50, centers=10, cluster_std=6.0, random_state=0)
    # A short run of few iterations is a map that new points can be placed on.
    start = openTSNE.initialization.pca(X[:n]) * 1e5
    model = nb.HSSNE(alpha=1, perplexity=PERPLEXITY, init=start, max_iter=20, n_jobs=threads)
    model.fit(X[:n])
    peer = openTSNE.TSNEEmbedding(
        model.embedding_.astype(float), openTSNE.affinity.PerplexityBasedNN(X[:n], n_jobs=threads)
    )
    few = X[n : n + 500]
    model.transform(few[:1])
    nearest = KNeighborsClassifier(1).fit(model.embedding_, y[:n])

    def all_sums(new: Any) -> Any:
        limit, field_placement.FIELD_FROM = field_placement.FIELD_FROM, n + 1
        try:
            model._fitted.field = None  # made anew, or not
            return model.transform(new)
        finally:
            field_placement.FIELD_FROM = limit
            model._fitted.field = None

    print(origin_line())
    print(f"new points on a map of {n}, {threads} thread(s), CPU seconds")
    print(f"{'transform':34} {'points':>8} {'s':>8} {'s a million':>12} {'same cluster':>13}")
    each: dict[str, float] = {}
    for name, new, transform in (
        ("nbembed, neighbors and potential", X[n:], model.transform),
        ("nbembed, all sums", few, all_sums),
        ("openTSNE, its defaults", few, peer.transform),
    ):
        begin = time.process_time()
        places = np.asarray(transform(new))
        took = time.process_time() - begin
        score = nearest.score(places, y[n : n + len(new)])
        print(f"{name:34} {len(new):8} {took:8.2f} {took / len(new) * 1e6:12.1f} {score:13.3f}")
        each[name] = took / len(new)
    ours, *others = each
    report = Report("placement", threads)
    report.value(f"1 000 000 new points on a map of {n}", [1e6 * each[ours]], "s", 120)
    for name in others:
        report.ratio(f"a new point on a map of {n}", [each[name]], name, [each[ours]])
    report.write(file)


def maps(X: Any, threads: int) -> list[tuple[str, Any, Callable[[Any], Any]]]:
    """Fit all implementations; return names, maps and functions that place new points."""
    found: list[tuple[str, Any, Callable[[Any], Any]]] = []
    options: dict[str, Any] = {"random_state": 0, "n_jobs": threads, "max_iter": 300}
    methods: list[tuple[str, Any]] = [
        (f"nbembed HSSNE alpha={alpha:g}", nb.HSSNE(alpha=alpha, perplexity=PERPLEXITY, **options))
        for alpha in (0.0, 0.5, 1.0, 1.5)
    ]
    methods.append(("nbembed SNE", nb.SNE(perplexity=PERPLEXITY, **options)))
    methods.append(("nbembed NeRV tradeoff=0.1", nb.NeRV(perplexity=PERPLEXITY, **options)))
    circle = nb.Mbed(n_classes=10, directions="circle", **options)
    methods.append(("nbembed Mbed, 10 classes", circle))
    for name, method in methods:
        method.fit(X)
        found.append((name, method.embedding_, method.transform))
    peer = openTSNE.TSNE(perplexity=PERPLEXITY, random_state=0, n_jobs=threads).fit(X)
    found.append(("openTSNE", np.asarray(peer), peer.transform))
    found.append(
        (
            f"openTSNE, perplexity {PERPLEXITY:g}",
            np.asarray(peer),
            lambda new: peer.transform(new, perplexity=PERPLEXITY),
        )
    )
    return found


if __name__ == "__main__":
    main()
