"""The grid and openTSNE's Fourier form, at ten thousand points and more.

    python benchmarks/large.py                      one iteration, n = 10 000, 20 000 and 70 000
    python benchmarks/large.py --sizes 10000        other sizes
    python benchmarks/large.py --fit 10000 70000    whole fits, affinities included (minutes)
    python benchmarks/large.py --sizes 20000 --fit 10000   both
    python benchmarks/large.py --on-map 1000000     one iteration, neighbors taken on the map
    python benchmarks/large.py --mbed 5000 70000    one iteration of Mbed, against all pairs
    python benchmarks/large.py --mbed-fit 20000     a whole fit of Mbed, against all pairs of 5000
    python benchmarks/large.py --data mnist.npz     rows of ``X`` of a file in the place of blobs
    python benchmarks/large.py --json out.json      write the figures as JSON
    python benchmarks/large.py --cpu                CPU time, for machines under other load

An iteration is the gradient of t-SNE without the cost, of both on the same embedding (a disc of the
size that maps of so many points have after 750 iterations of openTSNE) and the same P (perplexity
30, 90 neighbors, made by nbembed). They run in turns in one process, one thread; medians over the
turns are compared. Other α are compared with openTSNE's Barnes–Hut form at the same `dof` = 1/α.
With `--on-map`, which is for a million points, P has the 90 nearest neighbors on that disc itself,
and trees are left out.

A fit has affinities of its own. openTSNE runs its defaults: 250 iterations with exaggeration, 500
without. nbembed is stopped once its cost is not above that of openTSNE's map, both by nbembed's P.
The last column is the speed ratio, affinities included. UMAP is timed beside them with its
defaults on one thread; its cost is another one.

No other package has Mbed: its grid is compared with its own sums over all pairs. An iteration is
cost and gradient, as its line searches take them, of the paper's rows with three directions and of
heavy tails with ten centers; both are on a disc of the size that their maps have. A fit is
`Mbed(directions="centers")` with ten labels of each class, in CPU seconds, with the error on all
other points and the cost for each point. The same fit of the first 5000 points over all pairs, with
affinities of all pairs, is beside it; with `--data`, ``y`` of the file has the classes.

Needs the extra ``nbembed[bench]``.
"""

from __future__ import annotations

import argparse
import itertools
import statistics
import sys
import time
from collections.abc import Callable
from pathlib import Path
from typing import Any

import numpy as np
from openTSNE import TSNEEmbedding, affinity, initialization
from openTSNE.tsne import kl_divergence_bh, kl_divergence_fft
from sklearn.datasets import make_blobs
from sklearn.decomposition import PCA
from umap import UMAP

import nbembed as nb
from nbembed.affinities import Affinities, perplexity_affinities
from nbembed.objectives import HeavyTailed, LargeMargin, circle
from nbembed.objectives.heavy_tailed_margin import HeavyTailedMargin
from nbembed.objectives.regions import Centers
from nbembed.run import Run

sys.path.insert(0, str(Path(__file__).parent))
from layouts import disc, neighbors_on_a_disc
from report import Report, timed

SIZES = (10_000, 20_000, 70_000)
PERPLEXITY = 30.0
ALPHAS = (0.5, 2.0)
#: Radius of the disc, in units of √n.
SIZE = 0.36
#: Of an iteration of t-SNE.
GOALS = {
    (10_000, "openTSNE FFT"): 5.0,
    (10_000, "openTSNE BH"): 7.0,
    (1_000_000, "openTSNE FFT"): 2.0,
}
#: openTSNE's defaults.
PARAMETERS: dict[str, dict[str, Any]] = {
    "fft": {"n_interpolation_points": 3, "min_num_intervals": 50, "ints_in_interval": 1},
    "bh": {"theta": 0.5},
}
#: How often a fit looks whether it has reached openTSNE's cost.
LOOK = 25


def main() -> None:
    parser = argparse.ArgumentParser(
        description=__doc__.split("\n")[0], formatter_class=argparse.ArgumentDefaultsHelpFormatter
    )
    parser.add_argument(
        "--sizes", nargs="*", type=int, help=f"sizes of t-SNE's iterations; {SIZES} where alone"
    )
    parser.add_argument(
        "--on-map", nargs="*", type=int, default=[], help="sizes of iterations near their rest"
    )
    parser.add_argument("--fit", nargs="*", type=int, default=[], help="sizes of whole fits")
    parser.add_argument(
        "--mbed", nargs="*", type=int, default=[], help="sizes of Mbed's iterations"
    )
    parser.add_argument("--mbed-fit", nargs="*", type=int, default=[], help="sizes of Mbed's fits")
    parser.add_argument("--turns", type=int, default=5, help="number of turns to take medians over")
    parser.add_argument("--data", help="a file of NumPy arrays with X")
    parser.add_argument("--cpu", action="store_true", help="measure CPU time")
    parser.add_argument("--json", type=Path, help="file to write the figures to")
    options = parser.parse_args()
    clock = time.process_time if options.cpu else time.perf_counter
    report = Report("large")
    for n in options.fit:
        fits(points(n, options.data), clock, report)
    for n in options.mbed:
        mbed_iterations(points(n, options.data), options.turns, clock, report)
    if options.mbed_fit:
        mbed_fits(options.mbed_fit, options.data, report)
    others = options.fit or options.mbed or options.mbed_fit or options.on_map
    for n in options.sizes or (() if others else SIZES):
        P = affinities(points(n, options.data))
        iterations(P, disc(n, SIZE), options.turns, clock, report)
    for n in options.on_map:
        Y, rows = neighbors_on_a_disc(n, int(3 * PERPLEXITY))
        P = Affinities(rows, "row").joint()
        iterations(P, Y.astype(np.float64), options.turns, clock, report, trees=False)
    report.write(options.json)


def points(n: int, data: str | None) -> Any:
    """Return n rows in fifty dimensions."""
    if data is None:
        return make_blobs(n, 50, centers=10, cluster_std=3.0, random_state=0)[0].astype(np.float32)
    X = np.load(data)["X"].astype(np.float32)
    X = PCA(50, random_state=0).fit_transform(X) if X.shape[1] > 50 else X
    return X[:n]


def affinities(X: Any) -> Any:
    """Return nbembed's sparse joint affinities."""
    k = int(3 * PERPLEXITY)
    return perplexity_affinities(X, PERPLEXITY, n_neighbors=k, n_jobs=1).joint()


# ---- one iteration ------------------------------------------------------------------------------


def iterations(
    P: Any, Y: Any, turns: int, clock: Callable[[], float], report: Report, trees: bool = True
) -> None:
    """Print milliseconds for one iteration at a layout, and report ratios."""
    n = len(Y)
    layout = Y.astype(np.float32)
    theirs = P.P.astype(np.float64)

    def ours(alpha: float, algorithm: Any) -> Callable[[], Any]:
        objective = HeavyTailed(P, alpha, algorithm=algorithm, n_jobs=1)
        return lambda: objective.evaluate(layout, cost=False)

    work = {
        "openTSNE FFT": peer_gradient(Y, theirs, 1.0, "fft"),
        "grid α = 1": ours(1.0, "grid"),
    }
    if trees:
        work["openTSNE BH"] = peer_gradient(Y, theirs, 1.0, "bh")
    if n <= 20_000:
        work["exact α = 1"] = ours(1.0, "exact")
    for alpha in ALPHAS if trees else ():
        work[f"openTSNE BH α = {alpha}"] = peer_gradient(Y, theirs, alpha, "bh")
        work[f"grid α = {alpha}"] = ours(alpha, "grid")
    seconds = timed(work, turns, clock)
    print(f"\nn = {n}: ms for an iteration, and openTSNE's FFT in units of it")
    fft = statistics.median(seconds["openTSNE FFT"])
    for name, all_of_them in seconds.items():
        middle = statistics.median(all_of_them)
        spread = max(all_of_them) - min(all_of_them)
        print(f"  {name:24s} {1e3 * middle:9.1f} ± {1e3 * spread / 2:5.1f}   {fft / middle:6.1f} ×")
    for peer in ("openTSNE FFT", "openTSNE BH") if trees else ("openTSNE FFT",):
        name = f"t-SNE on the grid, one iteration, n = {n}"
        report.ratio(name, seconds[peer], peer, seconds["grid α = 1"], GOALS.get((n, peer)))
    for alpha in ALPHAS if trees else ():
        peer = f"openTSNE BH α = {alpha}"
        name = f"HSSNE α = {alpha} on the grid, one iteration, n = {n}"
        report.ratio(name, seconds[peer], peer, seconds[f"grid α = {alpha}"])


def peer_gradient(Y: Any, P: Any, alpha: float, method: str) -> Callable[[], Any]:
    """Return one iteration of openTSNE: the gradient without the cost."""
    gradient = kl_divergence_fft if method == "fft" else kl_divergence_bh
    return lambda: gradient(Y, P, 1 / alpha, PARAMETERS[method], n_jobs=1)


# ---- whole fits ---------------------------------------------------------------------------------


def fits(X: Any, clock: Callable[[], float], report: Report) -> None:
    """Print the seconds that both take to the same cost, and report the ratio."""
    n = len(X)
    start = clock()
    P = affinity.PerplexityBasedNN(X, perplexity=PERPLEXITY, n_jobs=1, random_state=0)
    made = clock()
    Y = TSNEEmbedding(
        initialization.pca(X, random_state=0), P, negative_gradient_method="fft", n_jobs=1,
        random_state=0,
    )  # fmt: skip
    Y.optimize(250, exaggeration=12, momentum=0.5, inplace=True)
    Y.optimize(500, momentum=0.8, inplace=True)
    theirs = made - start, clock() - made

    start = clock()
    method = nb.HSSNE(perplexity=PERPLEXITY, algorithm="grid", n_jobs=1, random_state=0)
    recipe, supervision = method.recipe, nb.Supervision(n)
    ours = recipe.make_affinities(X, supervision)
    made = clock()
    first = recipe.make_start(X, ours, supervision, np.random.default_rng(0))
    objective = recipe.objective(ours, supervision, first.geometry)
    target = objective.cost(np.asarray(Y, dtype=np.float32))
    begun = clock()
    schedule = recipe.make_schedule(ours, first.geometry)
    run = Run(objective, recipe.make_optimizer(), first.Y, schedule, cost_every=LOOK)

    def reached(run: Run) -> bool:
        return run.schedule.finished and run.iteration % LOOK == 0 and run.cost <= target

    run = run.until(method.max_iter, callbacks=(reached,))
    own = made - start, clock() - begun
    cost = objective.cost(run.embedding)
    print(f"\nn = {n}: seconds for affinities and optimization, and the divergence")
    print(f"  openTSNE  {theirs[0]:7.1f} {theirs[1]:7.1f}   {target:.4f}")
    print(
        f"  nbembed   {own[0]:7.1f} {own[1]:7.1f}   {cost:.4f}   {run.iteration} iterations, "
        f"{sum(theirs) / sum(own):.1f} ×"
    )
    work = f"t-SNE, fit to openTSNE's cost, affinities included, n = {n}"
    goal = 4.0 if n <= 10_000 else 3.0
    report.ratio(work, [sum(theirs)], "openTSNE FFT", [sum(own)], goal)
    UMAP(random_state=0, n_jobs=1).fit(X[:1000])  # compiles
    start = clock()
    UMAP(random_state=0, n_jobs=1).fit(X)
    took = clock() - start
    print(f"  UMAP      {took:15.1f}   {took / sum(own):.1f} ×")
    report.ratio(f"t-SNE beside UMAP, whole fits, n = {n}", [took], "UMAP", [sum(own)])


# ---- Mbed ---------------------------------------------------------------------------------------

#: Radius of the disc that a map of n points fills, in units of √n: of rows, and of heavy tails.
DISC = {"rows": 0.075, "centers": 0.36}
#: All pairs with affinities of all pairs are timed up to so many points; they take 8 n² bytes.
DENSE = 10_000
#: Labels of each class in a fit, and the number of points whose pairs are all summed.
LABELS, ALL_PAIRS = 10, 5000


def mbed_iterations(X: Any, turns: int, clock: Callable[[], float], report: Report) -> None:
    """Print milliseconds for cost and gradient of Mbed, and report the grid's ratios."""
    n = len(X)
    k = int(3 * PERPLEXITY)
    near = perplexity_affinities(X, PERPLEXITY, n_neighbors=k, n_jobs=1)
    every = perplexity_affinities(X, PERPLEXITY, n_jobs=1) if n <= DENSE else None
    rng = np.random.default_rng(0)
    told = nb.Supervision(n)
    for c in range(3):
        told = told.label(rng.integers(n, size=20), f"class {c}")
    work: dict[str, Callable[[], Any]] = {}
    for form, size in DISC.items():
        Y = disc(n, size, rng).astype(np.float32)
        for name, P, algorithm in (
            ("grid", near, "grid"),
            ("all pairs", near, "exact"),
            ("all pairs, dense P", every, "exact"),
        ):
            if P is not None:
                work[f"{form}, {name}"] = mbed_evaluation(form, P, Y, told, algorithm)
    seconds = timed(work, turns, clock)
    print(f"\nn = {n}: ms for cost and gradient of Mbed")
    for name, all_of_them in seconds.items():
        middle, spread = statistics.median(all_of_them), max(all_of_them) - min(all_of_them)
        print(f"  {name:30s} {1e3 * middle:9.1f} ± {1e3 * spread / 2:5.1f}")
    for form in DISC:
        report.value(
            f"Mbed on the grid, {form}, cost and gradient, n = {n}",
            [1e3 * s for s in seconds[f"{form}, grid"]],
            "ms",
        )
        for name in ("all pairs", "all pairs, dense P"):
            if f"{form}, {name}" in seconds:
                report.ratio(
                    f"Mbed on the grid, {form}, cost and gradient, n = {n}",
                    seconds[f"{form}, {name}"],
                    f"its own {name}",
                    seconds[f"{form}, grid"],
                )


def mbed_evaluation(
    form: str, P: Any, Y: Any, supervision: Any, algorithm: Any
) -> Callable[[], Any]:
    """Return cost and gradient of one form of Mbed, at a layout that is not the last one."""
    given: dict[str, Any] = {"algorithm": algorithm, "n_jobs": 1}
    if form == "rows":
        objective: Any = LargeMargin(P, 1.0, circle(3), supervision, radius=10.0, **given)
    else:
        n, rng = len(Y), np.random.default_rng(1)
        targets = rng.dirichlet(np.ones(10), n)
        regions = Centers(np.arange(n) % 10, np.ones(n), np.arange(10), targets, np.full(n, 0.1))
        objective = HeavyTailedMargin(P.joint(), 10.0, regions, supervision, alpha=1.0, **given)
    layouts = itertools.cycle([Y, Y * np.float32(1.0001)])
    return lambda: objective.evaluate(next(layouts))


def mbed_fits(sizes: list[int], data: str | None, report: Report) -> None:
    """Print CPU seconds, error and cost of whole fits of Mbed; all pairs of few points first."""
    all_of_them = np.load(data) if data else None
    y: Any = all_of_them["y"] if data else None
    work: list[tuple[int, Any]] = [(ALL_PAIRS, "exact"), (ALL_PAIRS, "grid")]
    for n, algorithm in work + [(n, "grid") for n in sizes]:
        X = points(n, data)
        truth = y[:n] if data else make_blobs(n, 50, centers=10, random_state=0)[1]
        known = np.full(n, -1)
        for c in np.unique(truth):
            known[np.flatnonzero(truth == c)[:LABELS]] = c
        start = time.process_time()
        model = nb.Mbed(
            directions="centers", perplexity=PERPLEXITY, algorithm=algorithm, n_jobs=1,
            random_state=0,
        ).fit(X, known)  # fmt: skip
        seconds = time.process_time() - start
        hidden = known < 0
        error = float(np.mean(model.labels_[hidden] != truth[hidden]))
        work_name = f"Mbed, whole fit, {algorithm}, n = {n}"
        print(
            f"{work_name}: {seconds:.1f} s of CPU, {100 * error:.1f} % error, "
            f"cost {model.cost_ / n:.4f} for each point",
            flush=True,
        )
        report.value(work_name, seconds, "s of CPU")
        report.value(f"{work_name}, error on points without a label", 100 * error, "%")


if __name__ == "__main__":
    main()
