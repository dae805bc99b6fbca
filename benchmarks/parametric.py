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
import statistics
import sys
import time
from pathlib import Path
from typing import Any

import numpy as np
from scipy.special import softmax

import nbembed as nb

sys.path.insert(0, str(Path(__file__).parent))
from report import Report, origin_line

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
    print(f"{origin_line()}, {options.threads} thread(s)\n")
    report = Report("parametric", options.threads)
    nb.ParametricEmbedding(random_state=0, max_iter=2).fit(posteriors(100, 10))  # compiles
    sizes = [n for n in (10_000, 30_000, 100_000, 300_000, 1_000_000) if n <= options.most]
    found = [sized(n, options.threads) for n in sizes]
    for row in found:
        work = f"Parametric Embedding, {row['objects']} × 10, an iteration"
        goal = AN_ITERATION if row["objects"] == 1_000_000 else None
        report.value(work, row["seconds an iteration"], "s", goal)
    if len(sizes) > 1:
        logs = np.log([[f["objects"], f["seconds an iteration"]] for f in found]).T
        slope = float(np.polyfit(*logs, 1)[0])
        report.value("Parametric Embedding, slope of log time against log n", slope, "", SLOPE)
    times = whole(26_243, 5, options)  # the paper's run, about a minute
    report.value("Parametric Embedding, 26243 × 5, complete run", times, "s", COMPLETE)
    for row in iterations(options):
        report.value(f"Parametric Embedding, {row['objects']} × 10", row["counts"], "iterations")
    report.write(options.json)


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
        f"{fitted.n_iter_} iterations, {seconds:.2f} s in total",
        flush=True,
    )
    return found


def whole(n: int, K: int, options: Any) -> list[float]:
    """Return the seconds of complete runs from several starts."""
    rows = posteriors(n, K)
    return [fit(rows, options.threads, seed)[1] for seed in range(options.seeds)]


def iterations(options: Any) -> list[dict[str, Any]]:
    """Print the number of iterations against the number of objects."""
    found = []
    for n in (500, 1000, 2000, 5000, 10_000, 20_000):
        rows = posteriors(n, 10)
        counts = [fit(rows, options.threads, seed)[0].n_iter_ for seed in range(options.seeds)]
        found.append({"objects": n, "counts": counts})
        print(
            f"{n:>9} objects: {statistics.median(counts):g} iterations "
            f"({min(counts)} to {max(counts)})"
        )
    return found


if __name__ == "__main__":
    main()
