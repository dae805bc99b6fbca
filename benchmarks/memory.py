"""Whole fits of t-SNE in fresh processes: seconds with all imports, and the peak of the memory.

    python benchmarks/memory.py                  10 000 and 70 000 points
    python benchmarks/memory.py --sizes 5000
    python benchmarks/memory.py --json out.json

Ten clusters in fifty dimensions, in float32. Each library runs with its defaults, perplexity 30 and
one thread; openTSNE by its Fourier form. The peak is that of the resident memory, the data and the
libraries included; a ratio is openTSNE's peak over ours. Costs are not compared here:
``benchmarks/large.py`` does.

Needs the extra ``nbembed[bench]``.
"""

from __future__ import annotations

import argparse
import sys
from pathlib import Path

sys.path.insert(0, str(Path(__file__).parent))
from report import ONE_THREAD, Report, in_fresh_process

#: From so many points on, no more memory than openTSNE takes is a goal.
LARGE = 70_000
DATA = """
import sys, warnings
import numpy as np
from sklearn.datasets import make_blobs
warnings.simplefilter("ignore")
n = int(sys.argv[1])
X = make_blobs(n, 50, centers=10, cluster_std=3.0, random_state=0)[0].astype(np.float32)
"""
OURS = """
import nbembed as nb
answer = nb.HSSNE(perplexity=30, random_state=0, n_jobs=1).fit(X).n_iter_
"""
THEIRS = """
import openTSNE
openTSNE.TSNE(
    perplexity=30, negative_gradient_method="fft", random_state=0, n_jobs=1
).fit(X)
"""


def main() -> None:
    parser = argparse.ArgumentParser(
        description=__doc__.split("\n")[0], formatter_class=argparse.ArgumentDefaultsHelpFormatter
    )
    parser.add_argument("--sizes", nargs="+", type=int, default=[10_000, 70_000], help="points")
    parser.add_argument("--turns", type=int, default=1, help="runs to take medians over")
    parser.add_argument("--json", type=Path, help="file to write the figures to")
    options = parser.parse_args()
    report = Report("memory")
    for n in options.sizes:
        ours, theirs = [], []
        for _ in range(options.turns):
            for found, code in ((ours, OURS), (theirs, THEIRS)):
                found.append(in_fresh_process(DATA + code, str(n), environment=ONE_THREAD))
        for key, what, unit in (("seconds", "whole process", "s"), ("mib", "peak memory", "MiB")):
            own, peer = ([each[key] for each in found] for found in (ours, theirs))
            report.value(f"t-SNE, fit, {what}, n = {n}", own, unit)
            goal = 1.0 if key == "mib" and n >= LARGE else None
            report.ratio(f"t-SNE, fit, {what}, n = {n}", peer, "openTSNE", own, goal)
    report.write(options.json)


if __name__ == "__main__":
    main()
