"""The grid and openTSNE's Fourier form, at ten thousand points and more.

    python benchmarks/large.py                      one iteration, n = 10 000, 20 000 and 70 000
    python benchmarks/large.py --sizes 10000        other sizes
    python benchmarks/large.py --fit 5000 20000     whole fits by default, on two threads (minutes)
    python benchmarks/large.py --sizes 20000 --fit 5000    both
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

A fit is one call with the defaults of each package, affinities included, on ``--threads`` threads
each, one after the other on wall time. Beside the seconds stand the divergence of the maps of
openTSNE and nbembed by nbembed's P, and of all three the share of the ten nearest neighbors in the
data that are so on the map, and the accuracy of ten neighbors there, where the data have classes.

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
from openTSNE import TSNE
from openTSNE.tsne import kl_divergence_bh, kl_divergence_fft
from scipy.spatial import cKDTree
from sklearn.datasets import make_blobs
from sklearn.decomposition import PCA
from sklearn.neighbors import NearestNeighbors
from umap import UMAP

import nbembed as nb
from nbembed.affinities import Affinities, perplexity_affinities
from nbembed.objectives import HeavyTailed, LargeMargin, circle
from nbembed.objectives.heavy_tailed_margin import HeavyTailedMargin
from nbembed.objectives.regions import Centers

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
#: Of whole fits.
FIT_GOALS = {
    (5000, "openTSNE"): 6.0,
    (20_000, "openTSNE"): 8.0,
    (20_000, "UMAP"): 4.0,
    (70_000, "openTSNE"): 8.0,
    (70_000, "UMAP"): 2.5,
}
#: openTSNE's defaults.
PARAMETERS: dict[str, dict[str, Any]] = {
    "fft": {"n_interpolation_points": 3, "min_num_intervals": 50, "ints_in_interval": 1},
    "bh": {"theta": 0.5},
}
#: Neighbors on a map that recall and accuracy are asked of.
NEIGHBORS = 10


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
    parser.add_argument("--threads", type=int, default=2, help="threads of whole fits")
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
    fits_report = Report("large", options.threads)
    for n in options.fit:
        fits(points(n, options.data), classes(n, options.data), options.threads, fits_report)
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
    report.figures.extend(fits_report.figures)
    report.write(options.json)


def points(n: int, data: str | None) -> Any:
    """Return n rows in fifty dimensions."""
    if data is None:
        return make_blobs(n, 50, centers=10, cluster_std=3.0, random_state=0)[0].astype(np.float32)
    X = np.load(data)["X"].astype(np.float32)
    X = PCA(50, random_state=0).fit_transform(X) if X.shape[1] > 50 else X
    return X[:n]


def classes(n: int, data: str | None) -> Any:
    """Return the classes of these rows; None where the file has none."""
    if data is None:
        return make_blobs(n, 50, centers=10, cluster_std=3.0, random_state=0)[1]
    found = np.load(data)
    return found["y"][:n] if "y" in found else None


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


def fits(X: Any, y: Any, threads: int, report: Report) -> None:
    """Print what whole fits by default take and are worth, and report the ratios of their times."""
    n = len(X)
    work: dict[str, Callable[[Any], Any]] = {
        "nbembed": nb.HSSNE(n_jobs=threads, random_state=0).fit_transform,
        "openTSNE": lambda X: np.asarray(TSNE(n_jobs=threads, random_state=0).fit(X)),
        # With a random state UMAP would use one thread.
        "UMAP": UMAP(n_jobs=threads).fit_transform,
    }
    for fit in work.values():
        fit(points(6000, None))  # compiles
    maps, seconds = {}, {}
    for name, fit in work.items():
        began = time.perf_counter()
        maps[name] = np.asarray(fit(X), dtype=np.float32)
        seconds[name] = time.perf_counter() - began
    objective = HeavyTailed(affinities(X), algorithm="grid", n_jobs=threads)
    near = NearestNeighbors(n_neighbors=NEIGHBORS).fit(X).kneighbors(return_distance=False)
    print(f"\nn = {n}: seconds, divergence, recall and accuracy of {NEIGHBORS} neighbors")
    costs = {}
    for name, Y in maps.items():
        costs[name] = objective.cost(Y)
        on_map = cKDTree(Y).query(Y, NEIGHBORS + 1)[1][:, 1:]
        recall = np.mean([np.intersect1d(*pair).size for pair in zip(near, on_map)]) / NEIGHBORS
        right = float("nan")
        if y is not None:
            votes = np.stack([(y[on_map] == c).sum(axis=1) for c in np.unique(y)], axis=1)
            right = np.mean(np.unique(y)[votes.argmax(axis=1)] == y)
        print(f"  {name:9s} {seconds[name]:7.1f}  {costs[name]:.4f}  {recall:.3f}  {right:.3f}")
    for peer in ("openTSNE", "UMAP"):
        work_name = f"t-SNE by default beside {peer}, whole fit, n = {n}"
        goal = FIT_GOALS.get((n, peer))
        report.ratio(work_name, [seconds[peer]], peer, [seconds["nbembed"]], goal)
    report.value(
        f"divergence of that fit in units of openTSNE's, n = {n}",
        costs["nbembed"] / costs["openTSNE"],
        "",
        at_most=1.0,
    )


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
