"""Parametric Embedding: time per iteration and iterations against the number of objects.

    python benchmarks/parametric.py                up to 10⁶ objects × 10 classes
    python benchmarks/parametric.py --threads 2    with two threads
    python benchmarks/parametric.py --most 100000  fewer objects
    python benchmarks/parametric.py --cpu          CPU time, for machines under other load
    python benchmarks/parametric.py --json out.json

The posteriors are exact posteriors of ten overlapping Gaussian classes. An iteration is one step of
the class centers, after which all objects are solved for; its time is the mean over a complete run.
The paper's slope of log time against log n is 0.75 (500 to 5000 objects, start-up included), and
its run of 26 243 words × 5 topics took "about a minute". The goals are a time that is linear in the
number of objects (a slope of at most 1.1 from 10⁴ to 10⁶), 10⁶ × 10 within 5 s an iteration, and
26 243 × 5 within 5 s in all.
"""

from __future__ import annotations

import argparse
import json
import os
import platform
import statistics
import time
from pathlib import Path
from typing import Any

import numpy as np
from scipy.special import softmax

import nbembed as nb

#: Slope, seconds an iteration of 10⁶ × 10, seconds of a complete run of 26 243 × 5.
SLOPE, AN_ITERATION, COMPLETE = 1.1, 5.0, 5.0
#: What tells the time; ``--cpu`` takes another one.
clock = time.perf_counter


def main() -> None:
    parser = argparse.ArgumentParser(
        description=__doc__.split("\n")[0], formatter_class=argparse.ArgumentDefaultsHelpFormatter
    )
    parser.add_argument("--threads", type=int, default=1)
    parser.add_argument("--most", type=int, default=1_000_000, help="largest number of objects")
    parser.add_argument("--seeds", type=int, default=5, help="starts to take medians over")
    parser.add_argument("--cpu", action="store_true", help="measure CPU time")
    parser.add_argument("--json", type=Path, help="file to write the figures to")
    options = parser.parse_args()

    global clock
    clock = time.process_time if options.cpu else time.perf_counter
    machine = f"{platform.processor() or platform.machine()}, {os.cpu_count()} cores"
    print(f"{machine}, {options.threads} thread(s), nbembed {nb.__version__}\n")
    figures: dict[str, Any] = {"machine": machine, "threads": options.threads}
    nb.ParametricEmbedding(random_state=0, max_iter=2).fit(posteriors(100, 10))  # compiles
    sizes = [n for n in (10_000, 30_000, 100_000, 300_000, 1_000_000) if n <= options.most]
    figures["sizes"] = [sized(n, options.threads) for n in sizes]
    if len(sizes) > 1:
        logs = np.log([[f["objects"], f["seconds an iteration"]] for f in figures["sizes"]]).T
        figures["slope"] = float(np.polyfit(*logs, 1)[0])
        print(
            f"slope of log seconds per iteration against log n: {figures['slope']:.2f}"
            f"{verdict(figures['slope'], SLOPE)}\n"
        )
    figures["words"] = whole(26_243, 5, options)
    figures["iterations"] = iterations(options)
    if options.json:
        options.json.write_text(json.dumps(figures, indent=1) + "\n")


def posteriors(n: int, K: int, seed: int = 0) -> Any:
    """Return posteriors of n draws from K Gaussian classes in K dimensions."""
    rng = np.random.default_rng(seed)
    centers = 1.5 * rng.standard_normal((K, K))
    X = centers[rng.integers(K, size=n)] + rng.standard_normal((n, K))
    return softmax(X @ centers.T - 0.5 * np.sum(centers**2, axis=1), axis=1)


def fit(rows: Any, threads: int, seed: int = 0) -> tuple[Any, float]:
    """Return the fitted method and the seconds it took."""
    began = clock()
    fitted = nb.ParametricEmbedding(random_state=seed, n_jobs=threads).fit(rows)
    return fitted, clock() - began


def sized(n: int, threads: int) -> dict[str, float]:
    """Time a run of n objects × 10 classes and print its row."""
    fitted, seconds = fit(posteriors(n, 10), threads)
    found = {
        "objects": n,
        "iterations": fitted.n_iter_,
        "seconds an iteration": seconds / fitted.n_iter_,
        "seconds": seconds,
    }
    print(
        f"{n:>9} × 10: {found['seconds an iteration']:8.4f} s per iteration, "
        f"{fitted.n_iter_} iterations, {seconds:.2f} s in total"
        f"{verdict(found['seconds an iteration'], AN_ITERATION) if n == 1_000_000 else ''}",
        flush=True,
    )
    return found


def whole(n: int, K: int, options: Any) -> dict[str, float]:
    """Time complete runs from several starts and print their median."""
    rows = posteriors(n, K)
    times = [fit(rows, options.threads, seed)[1] for seed in range(options.seeds)]
    seconds = statistics.median(times)
    print(
        f"{n} × {K}, complete run: {seconds:.2f} s ({min(times):.2f} to {max(times):.2f}; "
        f"paper: about a minute){verdict(seconds, COMPLETE)}\n"
    )
    return {"objects": n, "classes": K, "seconds": seconds}


def verdict(figure: float, goal: float) -> str:
    """Return the goal and whether it is met."""
    return f", goal {goal:g} {'met' if figure <= goal else 'MISSED'}"


def iterations(options: Any) -> list[dict[str, float]]:
    """Print the number of iterations against the number of objects."""
    found = []
    for n in (500, 1000, 2000, 5000, 10_000, 20_000):
        rows = posteriors(n, 10)
        counts = [fit(rows, options.threads, seed)[0].n_iter_ for seed in range(options.seeds)]
        found.append({"objects": n, "iterations": statistics.median(counts)})
        print(
            f"{n:>9} objects: {statistics.median(counts):g} iterations "
            f"({min(counts)} to {max(counts)})"
        )
    return found


if __name__ == "__main__":
    main()
