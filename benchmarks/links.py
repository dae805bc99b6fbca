"""A lasso around very many points: from the label to the next layout, and each iteration.

    python benchmarks/links.py                                50 000 of 200 000 points
    python benchmarks/links.py --samples 70000 --lasso 10000
    python benchmarks/links.py --method sne --alpha 0         another method, another α
    python benchmarks/links.py --cpu                          CPU time, on a busy machine
    python benchmarks/links.py --json out.json                write the figures as JSON

The points are a disc of the size that maps of so many have, and P has ten neighbors a point in it.
Shown are the first cost and gradient after the label, which include the entropy of the mixed
affinities and the group's own affinities; those that follow; the first gradient after a tenth as
many points more were labeled, as the step that shows a label takes it; the same without a label;
and the pull within the group alone, there and in a wider map, with all its pairs in comparison. One
thread. Memory is the peak of the process, before the label and at the end of what follows it.
"""

from __future__ import annotations

import argparse
import resource
import sys
import time
from pathlib import Path
from typing import Any

import numpy as np
from scipy import sparse

import nbembed as nb
from nbembed.affinities import Affinities
from nbembed.kernels.grid.links import groups_by_grid, pair_by_pair
from nbembed.kernels.grid.radial import Radial
from nbembed.objectives import SNE, HeavyTailed

sys.path.insert(0, str(Path(__file__).parent))
from layouts import neighbors_on_a_disc
from report import Report, timed

NEIGHBORS = 10
#: Maps of separated clusters are so much wider than a disc.
WIDER = 6


def main() -> None:
    parser = argparse.ArgumentParser(
        description=__doc__.split("\n")[0], formatter_class=argparse.ArgumentDefaultsHelpFormatter
    )
    parser.add_argument("--samples", type=int, default=200_000, help="number of points")
    parser.add_argument("--lasso", type=int, default=50_000, help="number of points to label")
    parser.add_argument("--method", choices=["hssne", "sne"], default="hssne")
    parser.add_argument("--alpha", type=float, default=1.0, help="heaviness of HSSNE's tails")
    parser.add_argument("--turns", type=int, default=5, help="number of turns to take medians over")
    parser.add_argument("--cpu", action="store_true", help="measure CPU time")
    parser.add_argument("--json", type=Path, help="file to write the figures to")
    options = parser.parse_args()
    clock = time.process_time if options.cpu else time.perf_counter
    report = Report("links")
    n, m, alpha = options.samples, options.lasso, options.alpha
    if options.method == "sne":
        alpha = 0.0
    what = f"{m} of {n} points labeled, {options.method} at α = {alpha:g}"

    def make(n: int) -> tuple[Any, Any]:
        Y, rows = neighbors_on_a_disc(n, NEIGHBORS)
        if options.method == "sne":
            return Y, SNE(Affinities(rows, "row"), algorithm="grid", n_jobs=1)
        P = sparse.csr_array((rows + rows.T) / (2 * n))
        return Y, HeavyTailed(Affinities(P, "joint"), alpha, algorithm="grid", n_jobs=1)

    def labeled(objective: Any, Y: Any, m: int) -> Any:
        middle = np.square(Y - Y.mean(axis=0) - 0.2 * np.ptp(Y)).sum(axis=1)
        told = nb.Supervision(len(Y)).label(np.argsort(middle)[:m], "a")
        return objective.with_parameters(supervision=told)

    small, objective = make(12_000)  # compiles, for the grid, too
    for cost in (True, False):
        labeled(objective, small, 10_000).evaluate(small, cost=cost)
    pair_by_pair(small.T.copy(), *groups(1500), Radial(alpha), 1)
    groups_by_grid(100 * small.T, *groups(len(small)), Radial(alpha), 1)

    Y, objective = make(n)
    (without,) = timed({"": lambda: objective.evaluate(Y)}, options.turns, clock).values()
    before = peak()
    start = clock()
    objective = labeled(objective, Y, m)
    objective.evaluate(Y)
    first = clock() - start
    (after,) = timed({"": lambda: objective.evaluate(Y)}, options.turns, clock).values()
    added = peak() - before
    start = clock()
    labeled(objective, Y, m + m // 10).evaluate(Y, cost=False)
    grown = clock() - start
    print(f"\n{what}")
    report.value(f"{what}: to the first cost and gradient", first, "s")
    report.value(f"{what}: each cost and gradient that follows", after, "s")
    report.value("  the same without a label", without, "s")
    report.value(f"{what}: to the first gradient after {m // 10} more", grown, "s")
    report.value(f"{what}: memory added", added, "MiB")
    print(f"  peak memory {before:.0f} MiB before the label, {peak():.0f} MiB at the end")
    inner = np.ascontiguousarray(Y[objective.supervision.labeled].T)
    for wider, at in (("", inner), (f", map {WIDER} times as wide", WIDER * inner)):
        work = f"pull within a group of {m}, α = {alpha:g}{wider}"
        grid = {"": lambda at=at: groups_by_grid(at, *groups(m), Radial(alpha), 1)}
        (ours,) = timed(grid, options.turns, clock).values()
        start = clock()  # once, because it takes long; it is compiled already
        pair_by_pair(at, *groups(m), Radial(alpha), 1)
        pairs = [clock() - start]
        report.value(work, ours, "s")
        report.ratio(work, pairs, "all pairs", ours)
    report.write(options.json)


def groups(m: int) -> tuple[Any, Any]:
    """Return a group of all m points, and rates."""
    rates = np.random.default_rng(1).uniform(0.5, 1, m) / m
    return (np.array([0, m]), np.arange(m), np.ones(m)), rates


def peak() -> float:
    """Return the peak of the process's memory so far, in MiB."""
    return resource.getrusage(resource.RUSAGE_SELF).ru_maxrss / 2**10


if __name__ == "__main__":
    main()
