"""Spectral learners on large data: time, memory and what they are worth against their peers.

    python benchmarks/spectral.py                     20 000 × 50, text, the KPCA trick
    python benchmarks/spectral.py --only text         one of: learners, text, kernel
    python benchmarks/spectral.py --texts bow.npz     sparse counts of a file instead of drawn ones

Each row runs in a fresh process on one thread. Its peak memory is that of the process, the data and
the libraries included (some 150 MiB). Peers are scikit-learn's: ``TruncatedSVD`` and then
``LinearDiscriminantAnalysis`` beside FDA on text, ``Nystroem`` and then the same beside kernel FDA.
Accuracy is that of the nearest neighbor on the map, of one half of the points by the other.
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

sys.path.insert(0, str(Path(__file__).parent))
from report import ONE_THREAD, Report, in_fresh_process

LEARNERS = ("FDA", "LFDA", "MFA", "DNE", "LPP", "PCA", "SELF", "SSFDA", "SSMMC")
#: Goals at 20 000 × 50: seconds, and MiB.
SECONDS, MEMORY = 60.0, 2 * 2**10
#: One row of the table, in the process that :func:`report.in_fresh_process` starts.
ROW = """
import sys
sys.path.insert(0, sys.argv[1])
from spectral import measure
answer = measure(*sys.argv[3:], texts=sys.argv[2])
"""


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__.split("\n")[0])
    parser.add_argument("--only", choices=["learners", "text", "kernel"])
    parser.add_argument("--texts", default="", help="file with X_data, X_indices, X_indptr, y")
    parser.add_argument("--turns", type=int, default=3, help="runs to take medians over")
    parser.add_argument("--json", type=Path, help="file to write the figures to")
    options = parser.parse_args()
    report = Report("spectral")
    chosen = [options.only] if options.only else ["learners", "text", "kernel"]
    if "learners" in chosen:
        print("20 000 × 50, two classes of 10 000 points, half of them labeled")
        for name in LEARNERS:
            row = table_row(options, "learners", name)
            fast, small = row["seconds"] <= SECONDS, row["mib"] < MEMORY
            print(f"{'':4}goal: a minute and 2 GiB, {'met' if fast and small else 'MISSED'}")
            report.value(f"{name}, 20 000 × 50", row["seconds"], "s", SECONDS)
            report.value(f"{name}, 20 000 × 50, peak", row["mib"], "MiB", MEMORY)
    if "text" in chosen:
        print("\nsparse text, FDA in 500 principal components and its peer")
        first, second = (table_row(options, "text", name) for name in ("FDA", "peer"))
        print(f"{'':4}{second['seconds'] / first['seconds']:.1f} × as fast as its peer")
        peer = "TruncatedSVD and LDA"
        report.ratio("FDA on sparse text", [second["seconds"]], peer, [first["seconds"]])
    if "kernel" in chosen:
        print("\nkernel FDA: exact, by landmarks, and its peer")
        for n in ("2000", "20000"):
            names = ("exact", "landmarks", "peer") if n == "2000" else ("landmarks", "peer")
            rows = {name: table_row(options, "kernel", name, n) for name in names}
            ratio = rows["peer"]["seconds"] / rows["landmarks"]["seconds"]
            print(f"{'':4}{ratio:.1f} × as fast as its peer")
            fits = [[rows[name]["seconds"]] for name in ("peer", "landmarks")]
            report.ratio(f"kernel FDA by landmarks, n = {n}", fits[0], "Nystroem and LDA", fits[1])
    report.write(options.json)


def table_row(options: Any, *row: str) -> dict[str, float]:
    """Return the medians of some fresh processes and print them."""
    found = []
    for _ in range(options.turns):
        arguments = str(Path(__file__).parent), options.texts, *row
        done = in_fresh_process(ROW, *arguments, environment=ONE_THREAD)
        found.append({**done["answer"], "mib": done["mib"]})
    medians = {key: statistics.median(each[key] for each in found) for key in found[0]}
    times = [each["seconds"] for each in found]
    print(
        f"{' '.join(row):24} {medians['seconds']:8.2f} s ({min(times):.2f} to {max(times):.2f}), "
        f"peak {medians['mib'] / 2**10:.2f} GiB, accuracy {medians['accuracy']:.4f}",
        flush=True,
    )
    return medians


def measure(kind: str, name: str, n: str = "0", *, texts: str = "") -> dict[str, float]:
    """Return the seconds of a fit and the map's accuracy."""
    from nbembed.measures import nearest_neighbors

    if kind == "text":
        X, y = counts(texts)
    else:
        X, y = clusters(int(n) or 20_000, 50, 2 if kind == "learners" else 10)
    train = np.random.default_rng(1).random(len(y)) < 0.5
    work = {"learners": learner, "text": text, "kernel": kernel}[kind](name)
    work(X[:200], y[:200], train[:200])  # imports, and compiles
    began = time.perf_counter()
    Y = work(X, y, train)
    seconds = time.perf_counter() - began
    nearest = nearest_neighbors(Y[~train], others=Y[train])[:, 0]
    accuracy = float(np.mean(y[train][nearest] == y[~train]))
    return {"seconds": seconds, "accuracy": accuracy}


Work = Callable[[Any, Any, Any], Any]


def learner(name: str) -> Work:
    """Return a learner's fit, with neighborhoods of all points where it takes them."""
    from nbembed import spectral

    kind = getattr(spectral, name)
    made = kind(gamma=0.1) if name in ("FDA", "LFDA", "MFA", "DNE", "SSFDA", "SSMMC") else kind()
    return lambda X, y, train: made.fit(X, np.where(train, y, -1)).embedding_


def text(name: str) -> Work:
    """Return FDA on sparse data, or its peer."""
    from nbembed.spectral import FDA

    if name == "FDA":
        return lambda X, y, train: FDA(min(19, y.max())).fit(X, np.where(train, y, -1)).embedding_
    from sklearn.decomposition import TruncatedSVD
    from sklearn.discriminant_analysis import LinearDiscriminantAnalysis

    def peer(X: Any, y: Any, train: Any) -> Any:
        count = min(500, X.shape[0] - 1)
        Z = TruncatedSVD(count, algorithm="arpack", random_state=0).fit_transform(X)
        discriminant = LinearDiscriminantAnalysis(n_components=min(19, y.max()))
        return discriminant.fit(Z[train], y[train]).transform(Z)

    return peer


def kernel(name: str) -> Work:
    """Return kernel FDA with an RBF kernel, or its peer."""
    from nbembed.spectral import FDA, KPCATrick

    if name != "peer":
        landmarks = 1000 if name == "landmarks" else 10**9

        def trick(X: Any, y: Any, train: Any) -> Any:
            made = KPCATrick(9, learner=FDA(n_pca=300), n_landmarks=landmarks)
            return made.fit(X, np.where(train, y, -1)).embedding_

        return trick
    from sklearn.decomposition import PCA
    from sklearn.discriminant_analysis import LinearDiscriminantAnalysis
    from sklearn.kernel_approximation import Nystroem

    def peer(X: Any, y: Any, train: Any) -> Any:
        gamma = 1 / X.var(axis=0).sum()
        features = Nystroem(gamma=gamma, n_components=min(1000, len(X)), random_state=0)
        Z = PCA(min(300, len(X) - 1), svd_solver="full").fit_transform(features.fit_transform(X))
        return LinearDiscriminantAnalysis(n_components=9).fit(Z[train], y[train]).transform(Z)

    return peer


def clusters(n: int, d: int, n_classes: int) -> tuple[Any, Any]:
    """Return points of classes of four clusters each."""
    rng = np.random.default_rng(0)
    y = np.arange(n) % n_classes
    centers = 0.6 * rng.standard_normal((n_classes, 4, d))
    return centers[y, rng.integers(4, size=n)] + rng.standard_normal((n, d)), y


def counts(file: str) -> tuple[Any, Any]:
    """Return sparse logarithms of word counts, rows of length one, and topics."""
    if file:
        parts = np.load(file)
        X = sparse.csr_array(
            (parts["X_data"], parts["X_indices"], parts["X_indptr"]), shape=tuple(parts["X_shape"])
        ).astype(float)
        y = parts["y"]
    else:
        rng = np.random.default_rng(0)
        n, n_words = 11_000, 20_000
        y = np.arange(n) % 20
        often = 1 / (np.arange(n_words) + 10.0)
        topics = often * rng.gamma(0.3, size=(20, n_words))
        topics /= topics.sum(axis=1, keepdims=True)
        drawn = [rng.choice(n_words, size=120, p=topics[k]) for k in y]
        rows = np.repeat(np.arange(n), 120)
        X = sparse.csr_array((np.ones(rows.size), (rows, np.concatenate(drawn))), (n, n_words))
        X.sum_duplicates()
    X.data = np.log1p(X.data)
    length = np.sqrt(np.asarray(X.multiply(X).sum(axis=1)).ravel())
    return sparse.csr_array(sparse.diags_array(1 / np.maximum(length, 1e-9)) @ X), y


if __name__ == "__main__":
    main()
