"""Exact gradients and a complete fit, compared with scikit-learn and openTSNE.

    python benchmarks/exact.py                 one iteration, n = 2000 and digits
    python benchmarks/exact.py --threads 2     all implementations with two threads
    python benchmarks/exact.py --fit           a complete fit of digits as well (about a minute)
    python benchmarks/exact.py --for haswell   nbembed compiled for a processor with AVX2
    python benchmarks/exact.py --json out.json write the figures as JSON

All implementations get the same embedding and the same affinities (perplexity 30): scikit-learn's
exact method and nbembed a dense P, the Barnes–Hut methods (BH, angle 0.5) the sparse P of 90
neighbors that they are designed for; nbembed is also timed on the sparse P. All run in one process,
in turns, and medians over the turns are compared: the speed of a machine drifts, ratios do not. A
turn is twenty consecutive iterations, as in a fit; an iteration is the gradient without the cost.
openTSNE's `dof` is HSSNE's 1/α.

The last rows show nbembed compiled for processors with fewer or shorter registers, each in a
separate process. They run on this machine, so only their ratio to the first rows is meaningful.

Needs the extra ``nbembed[bench]``.
"""

from __future__ import annotations

import argparse
import json
import os
import platform
import statistics
import subprocess
import sys
import tempfile
import time
from collections.abc import Callable
from pathlib import Path
from typing import Any, NamedTuple

import numpy as np
import openTSNE
import openTSNE.tsne
import sklearn.manifold
from scipy import sparse
from scipy.spatial.distance import squareform
from sklearn.datasets import load_digits, make_blobs
from sklearn.manifold import _t_sne
from sklearn.metrics import pairwise_distances
from sklearn.neighbors import kneighbors_graph

import nbembed as nb
from nbembed.kernels.heavy_tailed import heavy_tailed

sys.path.insert(0, str(Path(__file__).parent))
from report import Report, origin_line, timed

PERPLEXITY = 30.0
ALPHAS = (0.5, 0.7, 1.5)
IN_A_ROW = 20
#: Processors to compile for, by NUMBA_CPU_NAME and NUMBA_CPU_FEATURES: AVX2, SSE 4, and baseline
#: x86-64.
PROCESSORS = {
    "haswell": "+sse3,+ssse3,+sse4.1,+sse4.2,+popcnt,+avx,+avx2,+fma,+bmi,+bmi2,+lzcnt",
    "x86-64-v2": "+sse3,+ssse3,+sse4.1,+sse4.2,+popcnt,+cx16",
    "generic": "",
}
#: Times scikit-learn's exact method and openTSNE's Barnes–Hut, for the processors that have goals.
GOALS = {None: (60.0, 7.0), "haswell": (50.0, 6.5)}


class Goal(NamedTuple):
    """At least ``factor`` times as fast as ``baseline``."""

    baseline: str
    factor: float


class Work(NamedTuple):
    """One row of the table: an implementation and its iteration."""

    name: str
    run: Callable[[], Any]
    goals: tuple[Goal, ...] = ()


def main() -> None:
    parser = argparse.ArgumentParser(
        description=__doc__.split("\n")[0], formatter_class=argparse.ArgumentDefaultsHelpFormatter
    )
    parser.add_argument("--threads", type=int, default=1, help="threads, where supported")
    parser.add_argument("--turns", type=int, default=9, help="number of turns to take medians over")
    parser.add_argument("--sizes", nargs="+", default=["2000", "digits"], help="points, or digits")
    parser.add_argument("--fit", action="store_true", help="also time a complete fit of digits")
    parser.add_argument(
        "--cpu", action="store_true", help="measure CPU time, for machines under other load"
    )
    parser.add_argument(
        "--for", dest="processor", choices=["haswell"], help="processor to compile for"
    )
    parser.add_argument("--json", type=Path, help="file to write the figures to")
    parser.add_argument("--given", type=Path, help=argparse.SUPPRESS)  # see elsewhere()
    options = parser.parse_args()
    clock = time.process_time if options.cpu else time.perf_counter
    if options.processor and os.environ.get("NUMBA_CPU_NAME") != options.processor:
        # The compiler reads them when it is imported, which has been done.
        os.execve(sys.executable, [sys.executable, *sys.argv], environment_for(options.processor))
    if options.given:
        measure_given(options.given, options.threads, options.turns, clock)
        return

    print(origin_line())
    report = Report("exact", options.threads)
    for size in options.sizes:
        X = load_digits().data if size == "digits" else blobs(int(size))
        goals = GOALS[options.processor]
        iterations(size, X, options.threads, options.turns, clock, report, goals)
    if options.fit:
        fits(load_digits().data, options.threads, report)
    report.write(options.json)


def blobs(n: int) -> Any:
    """Return ten clusters in fifty dimensions."""
    return make_blobs(n, 50, centers=10, cluster_std=3.0, random_state=0)[0]


# ---- one iteration ------------------------------------------------------------------------------


def iterations(
    title: str,
    X: Any,
    threads: int,
    turns: int,
    clock: Callable[[], float],
    report: Report,
    goals: tuple[float, float],
) -> None:
    """Time one iteration of all implementations on X, print the table and report the ratios."""
    n = len(X)
    dense = dense_affinities(X)
    P = squareform(dense)
    near = sparse_affinities(X)
    Y = np.ascontiguousarray(layout(X), dtype=np.float64)
    works = [*peers(dense, near, Y, threads), *ours(P, near, Y, threads, goals)]
    samples = timed(pieces(works), turns, clock, IN_A_ROW)
    medians = {name: statistics.median(values) for name, values in samples.items()}
    others = PROCESSORS if platform.machine() in ("x86_64", "AMD64") else {}
    for processor in others:
        for name, seconds in elsewhere(processor, P, Y, threads, turns, clock).items():
            line = f"{name}, {processor}"
            works.append(Work(line, exit))  # measured already
            medians[line] = seconds

    def exact() -> Any:
        return _t_sne._kl_divergence(Y.ravel(), dense, 1.0, n, 2, compute_error=False)[1]

    # At a minimum attraction and repulsion cancel, so the error is relative to the attraction.
    single = np.ascontiguousarray(Y.T, dtype=np.float32)
    attraction = heavy_tailed(single, P.astype(np.float32), 1.0, False, 1).attraction
    ours_32 = gradient(P.astype(np.float32), Y.astype(np.float32), 1.0, 1)
    error = np.abs(ours_32 - exact().reshape(n, 2)).max() / (4 * np.abs(attraction).max())

    print(f"\n{title}: n = {n}, {threads} thread(s), median of {turns} turns")
    print(f"{'one iteration':47} {'ms':>8} {'ns/pair':>8}   {'ratio and goal'}")
    for work in works:
        ms = medians[work.name] * 1e3
        ratios = []
        for goal in work.goals:
            ratio = medians[goal.baseline] / medians[work.name]
            met = "met" if ratio >= goal.factor else "NOT met"
            ratios.append(f"{ratio:6.1f} × {goal.baseline} (goal {goal.factor:g}: {met})")
        print(f"{work.name:47} {ms:8.2f} {ms * 1e6 / n**2:8.3f}   {'; '.join(ratios)}".rstrip())
    print(f"float32 gradient: error against scikit-learn's at most {error:.1e} of max. attraction")
    for work in works:
        for peer, factor in work.goals:
            name = f"{work.name.removeprefix('nbembed ')}, one iteration, n = {n}"
            report.ratio(name, samples[peer], peer, samples[work.name], factor)


def peers(dense: Any, near: Any, Y: Any, threads: int) -> list[Work]:
    """Return an iteration of each of the other implementations."""
    n = len(Y)
    # The Barnes–Hut implementations take a sparse P; scikit-learn's requires float32.
    near_32, flat_32 = near.astype(np.float32), Y.astype(np.float32).ravel()

    def sklearn_exact() -> Any:
        return _t_sne._kl_divergence(Y.ravel(), dense, 1.0, n, 2, compute_error=False)

    def sklearn_bh() -> Any:
        return _t_sne._kl_divergence_bh(
            flat_32, near_32, 1.0, n, 2, angle=0.5, compute_error=False, num_threads=threads
        )

    def opentsne_bh(dof: float) -> Callable[[], Any]:
        return lambda: openTSNE.tsne.kl_divergence_bh(Y, near, dof, {"theta": 0.5}, n_jobs=threads)

    return [
        Work("scikit-learn exact", sklearn_exact),
        Work("scikit-learn BH", sklearn_bh),
        Work("openTSNE BH", opentsne_bh(1.0)),
        *(Work(f"openTSNE BH, dof 1/{alpha:g}", opentsne_bh(1 / alpha)) for alpha in ALPHAS),
    ]


def ours(P: Any, near: Any, Y: Any, threads: int, factors: tuple[float, float]) -> list[Work]:
    """Return the iterations of nbembed, with the goals."""
    both = tuple(map(Goal, ("scikit-learn exact", "openTSNE BH"), factors))
    works = []
    for dtype in (np.float32, np.float64):
        name, y = np.dtype(dtype).name, Y.astype(dtype)
        dense, along = P.astype(dtype), csr_parts(near.astype(dtype))
        # The goals are stated for float32, which the estimators use.
        goals = both if dtype == np.float32 else ()
        works += [
            Work(f"nbembed t-SNE {name}, dense P", call(dense, y, 1.0, threads), goals),
            Work(f"nbembed t-SNE {name}, sparse P", call(along, y, 1.0, threads), goals),
        ]
        for alpha in ALPHAS if dtype == np.float32 else ALPHAS[1:2]:
            goal = (Goal(f"openTSNE BH, dof 1/{alpha:g}", 5),) if goals else ()
            works += [
                Work(
                    f"nbembed HSSNE α={alpha:g} {name}, dense P",
                    call(dense, y, alpha, threads),
                    goal,
                ),
                Work(
                    f"nbembed HSSNE α={alpha:g} {name}, sparse P",
                    call(along, y, alpha, threads),
                    goal,
                ),
            ]
    return works


def on_any_processor(P: Any, Y: Any, threads: int) -> list[Work]:
    """Return the iterations that are timed for each of the :data:`PROCESSORS`."""
    P, Y = P.astype(np.float32), Y.astype(np.float32)
    return [
        Work("nbembed t-SNE float32, dense P", call(P, Y, 1.0, threads)),
        Work("nbembed HSSNE α=0.5 float32, dense P", call(P, Y, 0.5, threads)),
    ]


def environment_for(processor: str) -> dict[str, str]:
    """Return the variables with which nbembed is compiled for a processor."""
    return os.environ | {"NUMBA_CPU_NAME": processor, "NUMBA_CPU_FEATURES": PROCESSORS[processor]}


def elsewhere(
    processor: str, P: Any, Y: Any, threads: int, turns: int, clock: Any
) -> dict[str, float]:
    """Return the seconds per iteration when compiled for another processor (a subprocess)."""
    with tempfile.TemporaryDirectory() as folder:
        given = Path(folder) / "given.npz"
        np.savez(given, P=P, Y=Y)
        done = subprocess.run(
            [sys.executable, __file__, "--given", given, "--threads", str(threads)]
            + ["--turns", str(turns)]
            + (["--cpu"] if clock is time.process_time else []),
            env=environment_for(processor),
            check=True,
            capture_output=True,
            text=True,
        )
    return json.loads(done.stdout)


def measure_given(given: Path, threads: int, turns: int, clock: Callable[[], float]) -> None:
    """Time nbembed on the arrays in a file and print the seconds as JSON."""
    arrays = np.load(given)
    works = on_any_processor(arrays["P"], arrays["Y"], threads)
    print(json.dumps(measure(works, turns, clock)))


def call(P: Any, Y: Any, alpha: float, threads: int) -> Callable[[], Any]:
    return lambda: gradient(P, Y, alpha, threads)


def gradient(P: Any, Y: Any, alpha: float, threads: int) -> Any:
    """Return the gradient of HSSNE in the other implementations' order: one row per point."""
    terms = heavy_tailed(np.ascontiguousarray(Y.T), P, alpha, False, threads)
    scale = Y.dtype.type(1 / terms.normalizer)
    return np.ascontiguousarray(4 * (terms.attraction - scale * terms.repulsion).T)


def measure(works: list[Work], turns: int, clock: Callable[[], float]) -> dict[str, float]:
    """Return the median seconds per iteration of each implementation, timed in turns."""
    samples = timed(pieces(works), turns, clock, IN_A_ROW)
    return {name: statistics.median(v) for name, v in samples.items()}


def pieces(works: list[Work]) -> dict[str, Callable[[], Any]]:
    """Return the iterations by name."""
    return {work.name: work.run for work in works}


# ---- shared input -------------------------------------------------------------------------------


def dense_affinities(X: Any) -> Any:
    """Return scikit-learn's joint probabilities in condensed form."""
    distances = pairwise_distances(X, metric="sqeuclidean")
    return _t_sne._joint_probabilities(distances, PERPLEXITY, 0)


def sparse_affinities(X: Any) -> Any:
    """Return scikit-learn's joint probabilities over 90 neighbors."""
    graph = kneighbors_graph(X, int(3 * PERPLEXITY), mode="distance")
    graph.data **= 2
    return sparse.csr_matrix(_t_sne._joint_probabilities_nn(graph, PERPLEXITY, 0))


def csr_parts(P: Any) -> tuple[Any, Any, Any]:
    return P.indptr, P.indices, P.data


def layout(X: Any) -> Any:
    """Return a finished layout: the cost of Barnes–Hut depends on it."""
    return nb.HSSNE(alpha=1, perplexity=PERPLEXITY, random_state=0).fit_transform(X)


# ---- a complete fit -----------------------------------------------------------------------------


def fits(X: Any, threads: int, report: Report) -> None:
    """Time a complete fit of t-SNE by scikit-learn's exact method and by nbembed; print both."""
    dense = dense_affinities(X)

    def divergence(Y: Any) -> float:
        Y = np.asarray(Y, np.float64)
        return float(_t_sne._kl_divergence(Y.ravel(), dense, 1.0, len(Y), 2)[0])

    def ours() -> Any:
        model = nb.HSSNE(alpha=1, perplexity=PERPLEXITY, random_state=0, n_jobs=threads)
        return model.fit(X)

    times, costs, steps = [], [], 0
    for _ in range(3):
        start = time.perf_counter()
        model = ours()
        times.append(time.perf_counter() - start)
        costs.append(divergence(model.embedding_))
        steps = model.n_iter_
    seconds, cost = statistics.median(times), statistics.median(costs)
    start = time.perf_counter()
    baseline = sklearn.manifold.TSNE(
        method="exact", perplexity=PERPLEXITY, init="pca", random_state=0
    ).fit(X)
    baseline_seconds = time.perf_counter() - start
    baseline_cost = divergence(baseline.embedding_)
    ratio = baseline_seconds / seconds
    fast = "met" if ratio >= 30 else "NOT met"
    good = "met" if cost <= 1.005 * baseline_cost else "NOT met"
    print(f"\ndigits, complete fit of t-SNE, n = {len(X)}, affinities and initial layout included")
    print(f"{'':40} {'s':>8} {'KL':>8} {'steps':>6}")
    row = f"{baseline_seconds:8.2f} {baseline_cost:8.4f} {baseline.n_iter_:6d}"
    print(f"{'scikit-learn exact':40} {row}")
    print(f"{'nbembed HSSNE(alpha=1)':40} {seconds:8.2f} {cost:8.4f} {steps:6d}")
    print(
        f"{ratio:.1f} × scikit-learn exact (goal 30: {fast}); KL at most 0.5 % above its KL: {good}"
    )
    report.ratio(
        "t-SNE, complete fit of digits", [baseline_seconds], "scikit-learn exact", times, 30
    )
    report.value(
        "t-SNE, complete fit of digits, KL over scikit-learn's", cost / baseline_cost, "", 1.005
    )


if __name__ == "__main__":
    main()
