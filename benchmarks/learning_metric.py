"""Time of a learning metric: lengths of all paths, the fit, and the selection of a mixture.

    python benchmarks/learning_metric.py              1500 × 16, 26 classes, 30 Gaussians, T = 10
    python benchmarks/learning_metric.py --fit        fit and cross-validation on Letter as well
    python benchmarks/learning_metric.py --cpu        CPU time, for machines under other load

The goal for all paths of 1500 points is 2 s. :class:`nbembed.LearningMetric` uses ``float32``
unless exponents are large. The error is the largest one over all pairs, relative to float64.
"""

from __future__ import annotations

import argparse
import statistics
import sys
import time
from collections.abc import Callable
from functools import partial
from pathlib import Path
from typing import Any

import numpy as np

import nbembed as nb
from nbembed.kernels.fisher_paths import path_lengths, shorten
from nbembed.learning_metric.mixture import Mixture

sys.path.insert(0, str(Path(__file__).parent))
from report import Report

GOAL = 2.0


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__.split("\n")[0])
    parser.add_argument("--points", type=int, nargs="+", default=[1500, 5000])
    parser.add_argument("--turns", type=int, default=5)
    parser.add_argument("--threads", type=int, nargs="+", default=[1, 2])
    parser.add_argument("--fit", action="store_true", help="fit on 1500 points of Letter, too")
    parser.add_argument("--cpu", action="store_true", help="measure CPU time")
    parser.add_argument("--json", type=Path, help="file to write the figures to")
    options = parser.parse_args()
    reports = {threads: Report("learning_metric", threads) for threads in options.threads}
    clock = time.process_time if options.cpu else time.perf_counter

    print(f"{'':36} {'s':>8}   ns per pair, piece and class")
    for n in options.points:
        A, beta = problem(n)
        exact = path_lengths(A, None, beta, 10, np.float64, 1)
        for dtype in (np.float32, np.float64):
            for threads in options.threads:
                work = partial(path_lengths, A, None, beta, 10, dtype, threads)
                error = float(np.abs(work() - exact).max() / exact.max())
                times = turns(work, options.turns, clock)
                seconds = statistics.median(times)
                each = 1e9 * seconds / (n * (n - 1) / 2 * 10 * len(beta))
                verdict = f", goal {GOAL:g} s {'met' if seconds < GOAL else 'MISSED'}"
                print(
                    f"{f'all paths, n = {n}, {np.dtype(dtype).name}, {threads} threads':36} "
                    f"{seconds:8.3f}   {each:.3f}, error {error:.1e}{verdict if n == 1500 else ''}"
                )
                name = f"learning metric, all paths of {n} points, {np.dtype(dtype).name}"
                reports[threads].value(name, times, "s", GOAL if n == 1500 else None)
        if n == 1500:
            for threads in options.threads:
                work = partial(shorten, exact.astype(np.float32), threads)
                times = turns(work, options.turns, clock)
                seconds = statistics.median(times)
                reports[threads].value(f"learning metric, shortest paths of {n} points", times, "s")
                print(f"{f'shortest paths, n = {n}, {threads} threads':36} {seconds:8.3f}")
    if options.fit:
        fits(clock)
    first, *others = reports.values()
    first.figures += [figure for report in others for figure in report.figures]
    first.write(options.json)


def problem(n: int) -> tuple[Any, Any]:
    """Return exponents and β of 30 Gaussians of 26 classes in 16 dimensions."""
    rng = np.random.default_rng(0)
    mixture = Mixture(rng.normal(size=(30, 16)), rng.dirichlet(np.full(26, 0.1), 30).T, 2.0)
    return mixture.exponents(rng.normal(size=(n, 16))), mixture.beta


def fits(clock: Callable[[], float]) -> None:
    """Time fits on Letter and print the table."""
    data = nb.datasets.load_letter()
    X, y = data.X[:1500], data.y[:1500]
    for name, metric in (
        (
            "fit of 52 Gaussians, 50 iterations",
            nb.LearningMetric(52, width=3.0, cv=None, max_iter=50),
        ),
        ("3 folds, 1 thread", nb.LearningMetric(cv=3, n_jobs=1)),
        ("5 folds, 1 thread", nb.LearningMetric(n_jobs=1)),
        ("5 folds, 2 threads", nb.LearningMetric(n_jobs=2)),
    ):
        metric.set_params(random_state=0)
        began = clock()
        metric.fit(X, y)
        seconds = clock() - began
        chosen = f"{len(metric.centroids_)} Gaussians, {metric.n_iter_} iterations"
        print(f"{'Letter: ' + name:36} {seconds:8.3f}   {chosen}")


def turns(work: Callable[[], Any], count: int, clock: Callable[[], float]) -> list[float]:
    """Return the time of each turn."""
    work()
    times = []
    for _ in range(count):
        began = clock()
        work()
        times.append(clock() - began)
    return times


if __name__ == "__main__":
    main()
