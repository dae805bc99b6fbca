"""How long the first use takes: the import, the first fit and the first map of a fresh process.

    python benchmarks/start_up.py
    python benchmarks/start_up.py --turns 5
    python benchmarks/start_up.py --json out.json

Each figure is of processes of their own. A first fit is that of iris with a method's defaults (of
posteriors for Parametric Embedding; for Mbed a tenth is labeled): what it imports is counted, the
data and scikit-learn's loader for them are not. "Cold" is with an empty
cache of compiled code, as after an installation; "warm" is with the cache that the cold one left.
Byte code of Python is there, as pip leaves it.
The first map of many points is timed from the Explorer's call, with what it imports, to the first
iteration, with all threads and code compiled before; until a page shows it see
``benchmarks/latency.py --cold``.
"""

from __future__ import annotations

import argparse
import os
import sys
import tempfile
from pathlib import Path

sys.path.insert(0, str(Path(__file__).parent))
from report import ONE_THREAD, Report, in_fresh_process

#: Public names are loaded when they are first used.
IMPORT = """
import sys, time
import numpy
began = time.perf_counter()
import nbembed
for name in sys.argv[1:]:
    getattr(nbembed, name)
answer = time.perf_counter() - began
"""
FIT = """
import sys, time
import numpy as np
from sklearn.datasets import load_iris
X, y = load_iris(return_X_y=True)
name = sys.argv[1]
if name == "ParametricEmbedding":
    X, y = np.eye(3)[y] * 0.8 + 0.2 / 3, None
else:
    y = np.where(np.arange(len(y)) % 10 == 0, y, -1) if name == "Mbed" else None
began = time.perf_counter()
import nbembed as nb
getattr(nb, name)(random_state=0).fit(X, y)
answer = time.perf_counter() - began
"""
FIRST_MAP = """
import sys, time
import numpy as np
from sklearn.datasets import make_blobs
n = int(sys.argv[1])
X = make_blobs(n, 50, centers=10, cluster_std=3.0, random_state=0)[0].astype(np.float32)
import nbembed as nb
began = time.perf_counter()
explorer = nb.Explorer(X)
explorer.session.play()
while explorer.session.iteration < 1:
    time.sleep(0.005)
answer = time.perf_counter() - began
explorer.close()
"""
METHODS = ("HSSNE", "SNE", "NeRV", "Mbed", "ParametricEmbedding")
#: Seconds that they may take.
IMPORT_GOAL, COLD_GOAL, WARM_GOAL = 0.25, 10.0, 1.0
FIRST_MAP_GOALS = {30_000: 3.0, 70_000: 6.0}


def main() -> None:
    parser = argparse.ArgumentParser(
        description=__doc__.split("\n")[0], formatter_class=argparse.ArgumentDefaultsHelpFormatter
    )
    parser.add_argument("--turns", type=int, default=3, help="number of turns to take medians over")
    parser.add_argument("--json", type=Path, help="file to write the figures to")
    options = parser.parse_args()
    report = Report("start_up")
    with tempfile.TemporaryDirectory() as byte_code:
        os.environ.update(PYTHONPYCACHEPREFIX=byte_code, PYTHONDONTWRITEBYTECODE="")
        imports(report, options.turns)
        first_fits(report, options.turns)
        first_maps(report, options.turns)
    report.write(options.json)


def imports(report: Report, turns: int) -> None:
    """Report what the import takes, and that of what is loaded when it is first used."""
    for names, goal in (((), IMPORT_GOAL), (("HSSNE",), None), (("Explorer",), None)):
        in_fresh_process(IMPORT, *names)  # compiles the byte code
        seconds = [in_fresh_process(IMPORT, *names)["answer"] for _ in range(turns)]
        work = " and ".join(["import nbembed", *names])
        report.value(f"{work}, over NumPy", seconds, "s", goal)


def first_fits(report: Report, turns: int) -> None:
    """Report the first fit of each method."""
    for name in METHODS:
        in_fresh_process(FIT, name)
        cold: list[float] = []
        warm: list[float] = []
        for _ in range(turns):
            with tempfile.TemporaryDirectory() as folder:
                for found in (cold, warm):
                    environment = {**ONE_THREAD, "NUMBA_CACHE_DIR": folder}
                    found.append(in_fresh_process(FIT, name, environment=environment)["answer"])
        report.value(f"first fit of iris, {name}, cold", cold, "s", COLD_GOAL)
        report.value(f"first fit of iris, {name}, warm", warm, "s", WARM_GOAL)


def first_maps(report: Report, turns: int) -> None:
    """Report the first map of many points, of a session with its threads."""
    report.threads = os.cpu_count() or 1
    for n, goal in FIRST_MAP_GOALS.items():
        in_fresh_process(FIRST_MAP, str(n))  # compiles
        seconds = [in_fresh_process(FIRST_MAP, str(n))["answer"] for _ in range(turns)]
        report.value(f"first map of {n} × 50 numbers, warm", seconds, "s", goal)


if __name__ == "__main__":
    main()
