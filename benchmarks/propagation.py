"""Label propagation from label to label, compared with scikit-learn's LabelSpreading.

    python benchmarks/propagation.py                 20 000 points, 10 classes
    python benchmarks/propagation.py --samples 5000
    python benchmarks/propagation.py --json out.json

20 000 points of ten clusters in eight dimensions, three labels a class, then one more at a time.
Shown are the graph (neighbors and weights, once), the first solution, and the median time from a
label to the suggestions of all points. LabelSpreading(kernel="knn") has no update: each label costs
a fit, its graph included; its iterations alone are shown too.
"""

from __future__ import annotations

import argparse
import statistics
import sys
import time
import warnings
from pathlib import Path
from typing import Any

import numpy as np
from sklearn.datasets import make_blobs
from sklearn.semi_supervised import LabelSpreading

import nbembed as nb
from nbembed.supervision import as_supervision

sys.path.insert(0, str(Path(__file__).parent))
from report import Report, origin_line

#: Seconds allowed from one label to the next at 20 000 points.
GOAL = 0.05
CLASSES = 10


def main() -> None:
    parser = argparse.ArgumentParser(
        description=__doc__.split("\n")[0], formatter_class=argparse.ArgumentDefaultsHelpFormatter
    )
    parser.add_argument("--samples", type=int, default=20_000, help="number of points")
    parser.add_argument("--labels", type=int, default=20, help="number of labels to give")
    parser.add_argument("--threads", type=int, default=1, help="threads, where supported")
    parser.add_argument("--json", type=Path, help="file to write the figures to")
    options = parser.parse_args()

    X, y = make_blobs(options.samples, 8, centers=CLASSES, cluster_std=4.0, random_state=0)
    rng = np.random.default_rng(0)
    order = rng.permutation(options.samples)
    first = np.concatenate([order[y[order] == c][:3] for c in range(CLASSES)])
    more = np.setdiff1d(order, first)[: options.labels]
    known = np.full(options.samples, -1)
    known[first] = y[first]

    nb.propagate(nb.propagation.neighbor_affinities(X[:500]), as_supervision(y[:500], 500))
    figures: dict[str, float] = {}
    start = time.perf_counter()
    affinities = nb.propagation.neighbor_affinities(X, n_jobs=options.threads)
    propagation = nb.Propagation(affinities, n_jobs=options.threads)
    figures["graph"] = time.perf_counter() - start
    labels = as_supervision(known, options.samples)
    start = time.perf_counter()
    found = propagation.update(labels)
    figures["first solution, all classes"] = time.perf_counter() - start
    seconds = []
    for i in more:
        labels = labels.label(int(i), str(y[i]))
        start = time.perf_counter()
        found = propagation.update(labels)
        seconds.append(time.perf_counter() - start)
    figures["from label to label, median"] = statistics.median(seconds)
    figures["from label to label, slowest"] = max(seconds)
    lasso = more[y[more] == y[more[0]]]
    start = time.perf_counter()
    propagation.update(labels.forget(lasso))
    figures[f"{lasso.size} labels withdrawn at once"] = time.perf_counter() - start

    known[more] = y[more]
    peer, figures["LabelSpreading(kernel='knn'), fit"], iterations = spreading(X, known)
    figures["LabelSpreading, without its graph"] = iterations
    hidden = known == -1
    print(origin_line())
    for name, value in figures.items():
        print(f"{name:40} {1000 * value:10.1f} ms")
    ratio = figures["LabelSpreading(kernel='knn'), fit"] / figures["from label to label, median"]
    print(f"from label to label, {ratio:.0f} × faster than a fit of LabelSpreading")
    for name, classes in (("propagation", found.top_class), ("LabelSpreading", peer)):
        print(f"error, {name:33} {100 * np.mean(classes[hidden] != y[hidden]):8.1f} %")
    verdict = "yes" if figures["from label to label, median"] <= GOAL else "NO"
    print(f"goal of {1000 * GOAL:.0f} ms from label to label: {verdict}")
    report = Report("propagation", options.threads)
    work = f"label propagation, {options.samples} points, from label to label"
    report.value(work, seconds, "s", GOAL if options.samples == 20_000 else None)
    peers = [figures["LabelSpreading(kernel='knn'), fit"]]
    report.ratio(work, peers, "a fit of LabelSpreading", seconds)
    report.value(f"its graph, {options.samples} points", figures["graph"], "s")
    report.write(options.json)


def spreading(X: Any, known: Any) -> tuple[Any, float, float]:
    """Return scikit-learn's classes, the time of a fit, and that of its iterations alone."""
    model = LabelSpreading(kernel="knn", n_neighbors=10)
    build = model._build_graph
    graph = 0.0

    def timed() -> Any:
        nonlocal graph
        start = time.perf_counter()
        made = build()
        graph = time.perf_counter() - start
        return made

    model._build_graph = timed
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        start = time.perf_counter()
        model.fit(X, known)
        whole = time.perf_counter() - start
    return model.transduction_, whole, whole - graph


if __name__ == "__main__":
    main()
