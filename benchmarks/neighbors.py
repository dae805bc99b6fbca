"""Nearest neighbors and affinities of many points, compared with other libraries.

    python benchmarks/neighbors.py                   20 000 points of ten clusters in 50 dimensions
    python benchmarks/neighbors.py --n 200000 --skip scikit usearch
    python benchmarks/neighbors.py --data mnist.npz      an array X, projected to 50 components
    python benchmarks/neighbors.py --json out.json

Each search finds k = 91 neighbors of all points; recall is the share of the true neighbors that it
finds for a sample of 200 points. Affinities (perplexity 30, 90 neighbors, joint) are compared with
openTSNE's, search included, and the calibration alone with scikit-learn's. All run on the given
number of threads, one after the other in one process; figures are CPU seconds, which other load on
the machine changes less. The first call, on 2000 points, may compile and
is timed on its own.

Needs the extra ``nbembed[bench]``.
"""

from __future__ import annotations

import argparse
import resource
import sys
import time
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any

import numpy as np
from sklearn.datasets import make_blobs

from nbembed.affinities import perplexity_affinities
from nbembed.affinities.rows import calibrated_rows
from nbembed.neighbors import find_neighbors
from nbembed.neighbors.exact import all_distances

sys.path.insert(0, str(Path(__file__).parent))
from report import Report, machine

K, PERPLEXITY, SAMPLE = 91, 30.0, 200


def main() -> None:
    parser = argparse.ArgumentParser(
        description=__doc__.split("\n")[0], formatter_class=argparse.ArgumentDefaultsHelpFormatter
    )
    parser.add_argument("--n", type=int, default=20_000, help="number of points")
    parser.add_argument("--data", type=Path, help="file of an array X to take instead")
    parser.add_argument("--threads", type=int, default=1)
    parser.add_argument("--skip", nargs="*", default=[], help="what not to time")
    parser.add_argument("--json", type=Path, help="file to write the figures to")
    options = parser.parse_args()
    X = clusters(options.n) if options.data is None else from_file(options.data)
    print(machine())
    print(f"n = {len(X)}, {X.shape[1]} dimensions, {options.threads} thread(s), CPU seconds")
    report = Report("neighbors", options.threads)
    points = f"{len(X)} points in {X.shape[1]} dimensions"

    rng = np.random.default_rng(0)
    sample = rng.choice(len(X), SAMPLE, replace=False)
    true = all_distances(X, K, X[sample], sample).squared[:, -1:] * (1 + 1e-5)
    print(f"\n{K} neighbors of all points")
    print(f"{'search':36} {'seconds':>9} {'recall':>7} {'ratio':>7} {'first call':>11}")
    took: dict[str, float] = {}
    recalls: dict[str, float] = {}
    for name, search in searches(options.threads):
        if any(word in name for word in options.skip):
            continue
        start = time.process_time()
        search(X[:2000])
        first = time.process_time() - start
        start = time.process_time()
        index = search(X)
        took[name] = time.process_time() - start
        d2 = np.square(X[sample, None].astype(float) - X[index[sample]]).sum(axis=2)
        self_found = (index[sample] == sample[:, None]).sum() / (SAMPLE * K)
        recall = min(1.0, float((d2 <= true).mean() - self_found))
        ratio = took[name] / took["nbembed"]
        print(f"{name:36} {took[name]:9.2f} {recall:7.4f} {ratio:7.1f} {first:11.2f}")
        recalls[name] = recall

    print("\nAffinities, perplexity 30 over 90 neighbors, search included")
    for name, make in affinities(options.threads):
        if any(word in name for word in options.skip):
            continue
        start = time.process_time()
        make(X)
        took[name] = time.process_time() - start
        print(f"{name:36} {took[name]:9.2f}")

    print("\nCalibration alone, ns per pair")
    distances = all_distances(X[:5000], 90).squared ** 0.5
    each: dict[str, list[float]] = {}
    for name, calibrate in calibrations():
        calibrate(distances)
        times = []
        for _ in range(5):
            start = time.process_time()
            calibrate(distances)
            times.append((time.process_time() - start) / distances.size * 1e9)
        each[name] = times
        print(f"{name:36} {min(times):9.2f}")
    peak = resource.getrusage(resource.RUSAGE_SELF).ru_maxrss / 2**20
    print(f"\npeak memory of the process: {peak:.2f} GiB\n")
    work = f"{K} neighbors of {points}"
    report.value(f"{work}: recall", recalls["nbembed"], "")
    for name in recalls:
        if not name.startswith("nbembed"):
            against = f"{name} (recall {recalls[name]:.3f})"
            report.ratio(work, [took[name]], against, [took["nbembed"]])
    if "openTSNE affinities" in took:
        theirs, ours = took["openTSNE affinities"], took["nbembed affinities"]
        report.ratio(f"affinities of {points}, perplexity 30", [theirs], "openTSNE", [ours], 1.0)
    report.value("calibration, 90 neighbors, float32", each["nbembed float32"], "ns/pair", 5.0)
    report.ratio(
        "calibration, 90 neighbors", each["scikit-learn"], "scikit-learn", each["nbembed float32"]
    )
    report.write(options.json)


def clusters(n: int) -> Any:
    """Return ten clusters in fifty dimensions."""
    X = make_blobs(n, 50, centers=10, cluster_std=3.0, random_state=0)[0]
    return np.ascontiguousarray(X, dtype=np.float32)


def from_file(path: Path) -> Any:
    """Return the data of a file, of at most fifty dimensions."""
    X = np.load(path)
    X = np.asarray(X if isinstance(X, np.ndarray) else X["X"], dtype=np.float32)
    if X.shape[1] > 50:
        X = X - X.mean(axis=0)
        _, vectors = np.linalg.eigh(X.T @ X)
        X = X @ vectors[:, ::-1][:, :50]
    return np.ascontiguousarray(X)


def searches(threads: int) -> Iterator[tuple[str, Callable[[Any], Any]]]:
    """Yield names and searches."""

    def ours(search: Any) -> Callable[[Any], Any]:
        return lambda X: find_neighbors(X, K, search=search, n_jobs=threads).indices

    yield "nbembed", ours("auto")
    yield "nbembed, exact", ours("exact")

    def sklearn(X: Any) -> Any:
        from sklearn.neighbors import NearestNeighbors

        model = NearestNeighbors(n_neighbors=K, algorithm="brute", n_jobs=threads).fit(X)
        return model.kneighbors(return_distance=False)

    yield "scikit-learn brute", sklearn

    def pynndescent(X: Any) -> Any:
        from pynndescent import NNDescent

        index = NNDescent(X, n_neighbors=K + 1, random_state=0, n_jobs=threads)
        return index.neighbor_graph[0][:, 1:]

    yield "pynndescent", pynndescent

    def faiss(probes: int) -> Callable[[Any], Any]:
        def search(X: Any) -> Any:
            import faiss

            faiss.omp_set_num_threads(threads)
            cells = int(2 * np.sqrt(len(X)))
            index = faiss.IndexIVFFlat(faiss.IndexFlatL2(X.shape[1]), X.shape[1], cells)
            index.train(X)
            index.add(X)
            index.nprobe = probes
            return index.search(X, K + 1)[1][:, 1:]

        return search

    for probes in (16, 32):
        yield f"faiss IVF, {probes} probes", faiss(probes)

    def usearch(X: Any) -> Any:
        from usearch.index import Index

        index = Index(ndim=X.shape[1], metric="l2sq", expansion_search=2 * K)
        index.add(np.arange(len(X)), X, threads=threads)
        return index.search(X, K + 1, threads=threads).keys[:, 1:].astype(np.int64)

    yield "usearch HNSW", usearch


def affinities(threads: int) -> Iterator[tuple[str, Callable[[Any], Any]]]:
    """Yield names and functions that make joint affinities."""

    def ours(X: Any) -> Any:
        return perplexity_affinities(X, PERPLEXITY, n_neighbors=90, n_jobs=threads).joint()

    yield "nbembed affinities", ours

    def opentsne(X: Any) -> Any:
        from openTSNE.affinity import PerplexityBasedNN

        return PerplexityBasedNN(X, perplexity=PERPLEXITY, n_jobs=threads, random_state=0)

    yield "openTSNE affinities", opentsne


def calibrations() -> Iterator[tuple[str, Callable[[Any], Any]]]:
    """Yield names and functions that calibrate rows of sorted distances."""
    yield "nbembed float32", lambda d: calibrated_rows(d, PERPLEXITY, np.float32, 1)
    yield "nbembed float64", lambda d: calibrated_rows(d, PERPLEXITY, np.float64, 1)

    def sklearn(d: Any) -> Any:
        from sklearn.manifold._utils import _binary_search_perplexity

        return _binary_search_perplexity(np.square(d, dtype=np.float32), PERPLEXITY, 0)

    yield "scikit-learn", sklearn


if __name__ == "__main__":
    main()
