"""What a learning metric costs: lengths of all paths, the fit, the choice of a mixture.

    python benchmarks/learning_metric.py              1500 × 16, 26 classes, 30 Gaussians, T = 10
    python benchmarks/learning_metric.py --fit        fit and cross-validation on Letter as well
    python benchmarks/learning_metric.py --cpu        CPU time: for a machine that others use too

The goal for all paths of 1500 points is 2 s. ``float32`` is what :class:`nbembed.LearningMetric`
uses unless exponents are large; the error is relative to float64, the largest over all pairs.
"""

from __future__ import annotations

import argparse
import statistics
import time
from collections.abc import Callable
from functools import partial
from typing import Any

import numpy as np

import nbembed as nb
from nbembed.kernels.fisher_paths import path_lengths, shorten
from nbembed.learning_metric.mixture import Mixture

GOAL = 2.0


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__.split("\n")[0])
    parser.add_argument("--points", type=int, nargs="+", default=[1500, 5000])
    parser.add_argument("--turns", type=int, default=5)
    parser.add_argument("--threads", type=int, nargs="+", default=[1, 2])
    parser.add_argument("--fit", action="store_true", help="fit on 1500 points of Letter, too")
    parser.add_argument("--cpu", action="store_true", help="count CPU time")
    options = parser.parse_args()
    clock = time.process_time if options.cpu else time.perf_counter

    print(f"{'':36} {'s':>8}   ns a pair, piece and class")
    for n in options.points:
        A, beta = problem(n)
        exact = path_lengths(A, None, beta, 10, np.float64, 1)
        for dtype in (np.float32, np.float64):
            for threads in options.threads:
                work = partial(path_lengths, A, None, beta, 10, dtype, threads)
                error = float(np.abs(work() - exact).max() / exact.max())
                seconds = median(work, options.turns, clock)
                each = 1e9 * seconds / (n * (n - 1) / 2 * 10 * len(beta))
                verdict = f", goal {GOAL:g} s {'met' if seconds < GOAL else 'MISSED'}"
                print(
                    f"{f'all paths, n = {n}, {np.dtype(dtype).name}, {threads} threads':36} "
                    f"{seconds:8.3f}   {each:.3f}, error {error:.1e}{verdict if n == 1500 else ''}"
                )
        if n == 1500:
            for threads in options.threads:
                work = partial(shorten, exact.astype(np.float32), threads)
                seconds = median(work, options.turns, clock)
                print(f"{f'shortest paths, n = {n}, {threads} threads':36} {seconds:8.3f}")
    if options.fit:
        fits(clock)


def problem(n: int) -> tuple[Any, Any]:
    """Return exponents and β of 30 Gaussians of 26 classes in 16 dimensions."""
    rng = np.random.default_rng(0)
    mixture = Mixture(rng.normal(size=(30, 16)), rng.dirichlet(np.full(26, 0.1), 30).T, 2.0)
    return mixture.exponents(rng.normal(size=(n, 16))), mixture.beta


def fits(clock: Callable[[], float]) -> None:
    """Print times of fits on Letter."""
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


def median(work: Callable[[], Any], turns: int, clock: Callable[[], float]) -> float:
    """Return the median time of a turn."""
    work()
    times = []
    for _ in range(turns):
        began = clock()
        work()
        times.append(clock() - began)
    return statistics.median(times)


if __name__ == "__main__":
    main()
