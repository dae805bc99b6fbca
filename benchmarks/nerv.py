"""One evaluation of NeRV's cost and gradient, compared with the same formulas in NumPy.

    python benchmarks/nerv.py                  n = 2000
    python benchmarks/nerv.py --sizes 2000 5000 --threads 2
    python benchmarks/nerv.py --fit            a complete fit of digits as well
    python benchmarks/nerv.py --grid 70000     sizes at which the grid is compared with all pairs
    python benchmarks/nerv.py --json out.json

All implementations get the same finished map of ten clusters in fifty dimensions and the same
affinities (perplexity 30; the sparse ones are the 90 largest of each row). They run in turns, and
medians over the turns are compared. An evaluation computes cost, gradient and curvature, all that
an optimizer needs. No other public implementation of NeRV is designed for speed, so the baseline is
NumPy, also in float32, with whole matrices and matrix products, and without repeated computations.

Of more points, the grid is compared with sums over all pairs: the same affinities of 90 neighbors,
one width, on a disc on which points are as dense as on finished maps.

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
from scipy import sparse
from sklearn.datasets import load_digits
from threadpoolctl import threadpool_limits

import nbembed as nb
from nbembed.affinities import Affinities, perplexity_affinities
from nbembed.supervision import Supervision

sys.path.insert(0, str(Path(__file__).parent))
from exact import IN_A_ROW, PERPLEXITY, Work, blobs, pieces
from layouts import disc
from report import Report, origin_line, timed

#: Nanoseconds per ordered pair that an evaluation in float32 may take, at n = 2000 on one thread.
GOAL = 1.2
TRADEOFF = 0.1
#: Points in a unit of area of a map of MNIST with one width.
DENSITY = 10.0


def main() -> None:
    parser = argparse.ArgumentParser(
        description=__doc__.split("\n")[0], formatter_class=argparse.ArgumentDefaultsHelpFormatter
    )
    parser.add_argument("--threads", type=int, default=1, help="threads, where supported")
    parser.add_argument("--turns", type=int, default=9, help="number of turns to take medians over")
    parser.add_argument("--sizes", nargs="+", type=int, default=[2000], help="points")
    parser.add_argument(
        "--grid", nargs="*", type=int, default=[5000, 10_000, 20_000], help="points, on the grid"
    )
    parser.add_argument("--fit", action="store_true", help="also time complete fits of digits")
    parser.add_argument(
        "--cpu", action="store_true", help="measure CPU time, for machines under other load"
    )
    parser.add_argument("--json", type=Path, help="file to write the figures to")
    options = parser.parse_args()

    print(origin_line())
    report = Report("nerv", options.threads)
    clock = time.process_time if options.cpu else time.perf_counter
    for n in options.sizes:
        # Otherwise NumPy's matrix products use all cores, and keep them busy for a while after.
        with threadpool_limits(options.threads):
            evaluations(n, options.threads, options.turns, clock, report)
    for n in options.grid:
        on_the_grid(n, options.threads, options.turns, clock, report)
    if options.fit:
        fits(options.threads, report)
    report.write(options.json)


def evaluations(
    n: int, threads: int, turns: int, clock: Callable[[], float], report: Report
) -> None:
    """Time one evaluation of all implementations, print the table and report the figures."""
    X = blobs(n)
    single = perplexity_affinities(X, PERPLEXITY, dtype=np.float32)
    double = perplexity_affinities(X, PERPLEXITY, dtype=np.float64)
    Y = nb.NeRV(perplexity=PERPLEXITY, random_state=0).fit_transform(X)
    unit = float(np.exp(np.mean(np.log(single.beta))))
    width = single.beta / unit
    labels = Supervision(n).label(np.arange(0, n, 20), "a").label(np.arange(1, n, 20), "b")

    def ours(P: Any, kind: Any, **more: Any) -> Callable[[], Any]:
        objective = nb.objectives.NeighborRetrieval(P, TRADEOFF, width=kind, n_jobs=threads, **more)
        layout = Y.astype(objective.dtype)
        return lambda: objective.evaluate(layout)

    log_P = np.array(single.log_P)
    np.fill_diagonal(log_P, 0)
    sne = nb.objectives.SNE(single, n_jobs=threads)
    works = [
        Work("nbembed float32", ours(single, width)),
        Work("nbembed float32, one width", ours(single, "uniform")),
        Work("nbembed float32, 10 % labeled", ours(single, width, supervision=labels)),
        Work("nbembed float32, sparse P", ours(nearest(single), width)),
        Work("nbembed float64", ours(double, width)),
        Work("nbembed float32, SNE", lambda: sne.evaluate(Y)),
        Work("NumPy float32", lambda: in_numpy(single.P, log_P, width.astype(np.float32), Y)),
    ]
    cost = works[0].run().cost
    numpy_cost, numpy_gradient = works[-1].run()
    gap = np.abs(works[0].run().gradient - works[4].run().gradient).max()
    samples = timed(pieces(works), turns, clock, IN_A_ROW)
    medians = {name: statistics.median(values) for name, values in samples.items()}
    print(f"\nn = {n}, {threads} thread(s), median of {turns} turns, tradeoff {TRADEOFF:g}")
    print(f"{'one evaluation':34} {'ms':>8} {'ns/pair':>8} {'× NumPy':>8}")
    for work in works:
        seconds = medians[work.name]
        per_pair = seconds * 1e9 / n**2
        ratio = medians["NumPy float32"] / seconds
        goal = ""
        if work is works[0] and n == 2000 and threads == 1:
            goal = f"   goal {GOAL:g} ns: {'met' if per_pair <= GOAL else 'NOT met'}"
        print(f"{work.name:34} {seconds * 1e3:8.2f} {per_pair:8.3f} {ratio:8.1f}{goal}")
    scale = np.abs(numpy_gradient).max()
    print(f"NumPy's cost differs by {abs(numpy_cost / cost - 1):.1e};", end=" ")
    print(f"float32's gradient from float64's by {gap / max(scale, 1):.1e}")
    for work in works[:-1]:
        name = f"NeRV, cost and gradient, n = {n}, {work.name.removeprefix('nbembed ')}"
        goal = GOAL if work is works[0] and n == 2000 and threads == 1 else None
        per_pair = [seconds * 1e9 / n**2 for seconds in samples[work.name]]
        report.value(name, per_pair, "ns/pair", goal)
        report.ratio(name, samples["NumPy float32"], "NumPy float32", samples[work.name])


def on_the_grid(
    n: int, threads: int, turns: int, clock: Callable[[], float], report: Report
) -> None:
    """Time one evaluation by the grid and over all pairs, and report the ratio."""
    P = perplexity_affinities(blobs(n), PERPLEXITY, n_neighbors=3 * int(PERPLEXITY), n_jobs=threads)
    Y = disc(n, (DENSITY * np.pi) ** -0.5).astype(np.float32)
    made = {
        kind: nb.objectives.NeighborRetrieval(
            P, TRADEOFF, width="uniform", algorithm=kind, n_jobs=threads
        )
        for kind in ("grid", "exact")
    }
    works = {kind: lambda kind=kind: made[kind].evaluate(Y) for kind in made}
    samples = timed(works, min(turns, 3), clock, IN_A_ROW)
    print(f"\nn = {n}, {threads} thread(s), 90 neighbors, one width")
    for kind, seconds in samples.items():
        print(f"{kind:34} {statistics.median(seconds) * 1e3:8.2f} ms")
    grid, exact = (made[kind].gradient(Y) for kind in made)
    error = np.linalg.norm(grid - exact) / np.linalg.norm(exact)
    print(f"the gradients differ by {error:.1e}")
    name = f"NeRV, cost and gradient on the grid, n = {n}"
    report.ratio(name, samples["exact"], "all pairs", samples["grid"])


def nearest(affinities: Affinities) -> Any:
    """Return the 90 largest of each row, normalized, as CSR."""
    P = np.array(affinities.P)
    bound = np.partition(P, -90, axis=1)[:, -90]
    P[bound[:, None] > P] = 0
    return sparse.csr_array(P / P.sum(axis=1, keepdims=True))


def in_numpy(P: Any, log_P: Any, w: Any, Y: Any) -> tuple[float, Any]:
    """Return cost and gradient, computed by NumPy."""
    norms = np.sum(Y * Y, axis=1)
    tau = norms[:, None] + norms - 2 * (Y @ Y.T)
    x = w[:, None] * tau
    q = np.exp(-x)
    np.fill_diagonal(q, 0)
    Z = q.sum(axis=1, keepdims=True)
    q /= Z
    L = -x - np.log(Z) - log_P
    F = (q * L).sum(axis=1, keepdims=True)
    cost = -TRADEOFF * float(np.sum(P * L)) + (1 - TRADEOFF) * float(F.sum())
    g = w[:, None] * (TRADEOFF * (P - q) - (1 - TRADEOFF) * q * (L - F))
    g += g.T
    return cost, 2 * (g.sum(axis=1)[:, None] * Y - g @ Y)


def fits(threads: int, report: Report) -> None:
    """Time complete fits of digits and print the table."""
    X = load_digits().data
    print(f"\ndigits, complete fits, n = {len(X)}, affinities and initial layout included")
    print(f"{'':34} {'s':>8} {'cost':>9} {'steps':>6}")
    for optimizer in ("auto", "conjugate-gradient"):
        method = nb.NeRV(perplexity=PERPLEXITY, random_state=0, n_jobs=threads, optimizer=optimizer)
        method.fit(X[:50])  # compiles
        start = time.perf_counter()
        method.fit(X)
        seconds = time.perf_counter() - start
        print(f"{'NeRV, ' + optimizer:34} {seconds:8.2f} {method.cost_:9.2f} {method.n_iter_:6d}")
        report.value(f"NeRV, complete fit of digits, optimizer {optimizer}", seconds, "s")


if __name__ == "__main__":
    main()
