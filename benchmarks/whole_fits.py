"""Whole fits of large data, each in a fresh process: minutes, the peak of the memory, iterations.

    python benchmarks/whole_fits.py                       70 000 points, and a million by HSSNE
    python benchmarks/whole_fits.py --methods SNE NeRV    some of the methods
    python benchmarks/whole_fits.py --n 20000 --million 0 fewer points
    python benchmarks/whole_fits.py --json out.json       write the figures as JSON

Ten clusters in fifty dimensions, in float32, with the defaults of each method but NeRV's
``map_width="uniform"``, which the grid serves. Mbed has ten labels of each class. The minutes
include the data, all imports and the affinities. Trustworthiness is that of 12 neighbors, among
3000 of the points: it says that the map is one, not how it compares.

No other package has SNE, NeRV or Mbed at this size, so there is nothing to compare them with;
HSSNE at α = 1 is t-SNE, which ``benchmarks/large.py`` compares with openTSNE.
"""

from __future__ import annotations

import argparse
import sys
from pathlib import Path
from typing import Any

sys.path.insert(0, str(Path(__file__).parent))
from report import Report, in_fresh_process

#: Minutes and GiB that a million points may take.
MINUTES, MEMORY = 10, 5
#: The fit of each method, of rows X with classes y of which ``known`` are given.
FITS = {
    "HSSNE": "nb.HSSNE(random_state=0, n_jobs=jobs).fit(X)",
    "SNE": "nb.SNE(random_state=0, n_jobs=jobs).fit(X)",
    "NeRV": 'nb.NeRV(map_width="uniform", random_state=0, n_jobs=jobs).fit(X)',
    "Mbed": 'nb.Mbed(directions="centers", random_state=0, n_jobs=jobs).fit(X, known)',
}
CODE = """
import sys
import numpy as np
from sklearn.datasets import make_blobs
from sklearn.manifold import trustworthiness
import nbembed as nb
n, jobs = map(int, sys.argv[1:])
X, y = make_blobs(n, 50, centers=10, cluster_std=3.0, random_state=0)
X = X.astype(np.float32)
known = np.full(n, -1)
for c in range(10):
    known[np.flatnonzero(y == c)[:10]] = c
model = {fit}
some = np.random.default_rng(0).permutation(n)[:3_000]
answer = {{
    "iterations": int(model.n_iter_),
    "cost": float(model.cost_),
    "trustworthiness": float(trustworthiness(X[some], model.embedding_[some], n_neighbors=12)),
}}
"""


def main() -> None:
    parser = argparse.ArgumentParser(
        description=__doc__.split("\n")[0], formatter_class=argparse.ArgumentDefaultsHelpFormatter
    )
    parser.add_argument("--methods", nargs="*", choices=FITS, default=list(FITS), help="methods")
    parser.add_argument("--n", type=int, default=70_000, help="points")
    parser.add_argument("--million", type=int, default=1_000_000, help="points of HSSNE's fit")
    parser.add_argument("--jobs", type=int, default=2, help="threads")
    parser.add_argument("--json", type=Path, help="file to write the figures to")
    options = parser.parse_args()
    report = Report("whole_fits", options.jobs)
    for method in options.methods:
        fit(method, options.n, options.jobs, report)
    if options.million:
        fit("HSSNE", options.million, options.jobs, report, (MINUTES, MEMORY))
    report.write(options.json)


def fit(
    method: str,
    n: int,
    jobs: int,
    report: Report,
    goals: tuple[float | None, float | None] = (None, None),
) -> None:
    """Fit n points by a method, and report minutes and GiB, with goals for both, and the map."""
    code = CODE.format(fit=FITS[method])
    found: dict[str, Any] = in_fresh_process(code, str(n), str(jobs))
    work = f"{method}, whole fit, n = {n}"
    report.value(work, found["seconds"] / 60, "min", goals[0])
    report.value(f"{work}: peak memory", found["mib"] / 1024, "GiB", goals[1])
    answer = found["answer"]
    report.value(f"{work}: iterations", answer["iterations"], "")
    report.value(f"{work}: cost", answer["cost"], "")
    report.value(f"{work}: trustworthiness", answer["trustworthiness"], "")


if __name__ == "__main__":
    main()
