"""Whether similarities that are too small for normal numbers cost time.

    python benchmarks/subnormals.py                n = 2000
    python benchmarks/subnormals.py --n 5000 --turns 9
    python benchmarks/subnormals.py --cpu          CPU time, for machines under other load
    python benchmarks/subnormals.py --json out.json

Below 1e-38 a float32 is subnormal, and many processors take a hundred times as long for each. The
layout is two clumps of points, so far from each other that all similarities between them, half of
all, are 1e-41; beside it are the same clumps at a distance where they are 1e-30. An evaluation is
cost and gradient, on one thread and the same affinities (perplexity 30). The ratio is that of the
times, near over far: without trouble it is 1, and a kernel that computes with subnormal numbers
falls to a small fraction. The last row is NumPy's: where it is 1 too, the processor has no such
trouble (AMD's have none), and the rows above say nothing. Kernels without a vanishing similarity
(heavy tails from α = 0.5 on) are left out.
"""

from __future__ import annotations

import argparse
import sys
import time
from collections.abc import Callable
from pathlib import Path
from typing import Any

import numpy as np
from scipy.spatial.distance import cdist
from sklearn.datasets import make_blobs

import nbembed as nb
from nbembed.methods.recipe import Recipe

sys.path.insert(0, str(Path(__file__).parent))
from report import Report, timed

NEAR, FAR = 1e-30, 1e-41
#: The far layout may take a quarter longer.
GOAL = 0.8
ONE: dict[str, Any] = {"perplexity": 30, "random_state": 0, "n_jobs": 1}


def gaussian(similarity: float) -> float:
    """Return the squared distance at which exp(−d²) has a value."""
    return -float(np.log(similarity))


def heavy(alpha: float) -> Callable[[float], float]:
    """Return the same for (1 + α d²)^(−1/α)."""
    return lambda similarity: (similarity**-alpha - 1) / alpha


#: Method, the squared distance of a similarity, and whether points are labeled.
WORK: dict[str, tuple[Any, Callable[[float], float], bool]] = {
    "SNE": (nb.SNE(**ONE, algorithm="exact"), gaussian, False),
    "SNE, 10 % labeled": (nb.SNE(**ONE, algorithm="exact"), gaussian, True),
    "SNE, grid": (nb.SNE(**ONE, algorithm="grid"), gaussian, False),
    "HSSNE α = 0": (nb.HSSNE(alpha=0.0, **ONE, algorithm="exact"), gaussian, False),
    "HSSNE α = 0, grid": (nb.HSSNE(alpha=0.0, **ONE, algorithm="grid"), gaussian, False),
    "HSSNE α = 0.1": (nb.HSSNE(alpha=0.1, **ONE, algorithm="exact"), heavy(0.1), False),
    "NeRV, one width": (nb.NeRV(map_width="uniform", **ONE, algorithm="exact"), gaussian, False),
    "NeRV, one width, 10 % labeled": (
        nb.NeRV(map_width="uniform", **ONE, algorithm="exact"), gaussian, True,
    ),
    "NeRV, one width, grid": (
        nb.NeRV(map_width="uniform", **ONE, algorithm="grid"), gaussian, False,
    ),
    "NeRV, a width for each point": (nb.NeRV(map_width="point", **ONE), gaussian, False),
    "Mbed, directions": (
        nb.Mbed(alpha=0.0, directions="circle", **ONE, algorithm="exact"), gaussian, True,
    ),
}  # fmt: skip


def main() -> None:
    parser = argparse.ArgumentParser(
        description=__doc__.split("\n")[0], formatter_class=argparse.ArgumentDefaultsHelpFormatter
    )
    parser.add_argument("--n", type=int, default=2000, help="points")
    parser.add_argument("--turns", type=int, default=9, help="number of turns to take medians over")
    parser.add_argument("--cpu", action="store_true", help="measure CPU time")
    parser.add_argument("--json", type=Path, help="file to write the figures to")
    options = parser.parse_args()
    clock = time.process_time if options.cpu else time.perf_counter
    report = Report("subnormals")
    n = options.n
    X, _ = make_blobs(n, 50, centers=10, cluster_std=3.0, random_state=0)
    X = X.astype(np.float32)

    def compare(name: str, evaluate: Any, squared: Any, goal: float | None) -> None:
        near, far = (clumps(n, squared(similarity)) for similarity in (NEAR, FAR))
        work = {"near": lambda: evaluate(near), "far": lambda: evaluate(far)}
        seconds = timed(work, options.turns, clock)
        work_name = f"similarities of {FAR:g}, n = {n}, {name}"
        report.ratio(work_name, seconds["near"], f"{NEAR:g}", seconds["far"], goal)

    for name, (method, squared, labeled) in WORK.items():
        compare(name, evaluation(method.recipe, X, labeled), squared, GOAL)
    compare("NumPy's exp and division", in_numpy, gaussian, None)
    report.write(options.json)


def evaluation(recipe: Recipe[Any], X: Any, labeled: bool) -> Callable[[Any], Any]:
    """Return cost and gradient of a method as a function of the layout."""
    said = nb.Supervision(len(X))
    if labeled:
        said = said.label(np.arange(0, len(X), 20), "a").label(np.arange(1, len(X), 20), "b")
    affinities = recipe.make_affinities(X, said)
    start = recipe.make_start(X, affinities, said, np.random.default_rng(0))
    return recipe.objective(affinities, said, start.geometry).evaluate


def in_numpy(Y: Any) -> Any:
    """Return Gaussian similarities, normalized."""
    Q = np.exp(-cdist(Y, Y, "sqeuclidean").astype(np.float32))
    return Q / Q.sum()


def clumps(n: int, squared: float) -> Any:
    """Return two clumps of points, in turns, at a squared distance."""
    Y = 1e-3 * np.random.default_rng(0).normal(size=(n, 2))
    Y[1::2, 0] += np.sqrt(squared)
    return Y.astype(np.float32)


if __name__ == "__main__":
    main()
