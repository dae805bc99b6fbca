"""Write ``other_programs.json``: what other people's programs compute, for tests to compare with.

    python -m tests.recorded.record_other_programs
    python -m tests.recorded.record_other_programs --r SNEER LFDA
    python -m tests.recorded.record_other_programs --dredviz DREDVIZ

The first needs openTSNE and metric-learn 0.7, which the tests do not. The second needs R and
checkouts of two programs, jlmelville/sneer and terrytangyuan/lfda, with the files as they are at
:data:`COMMITS`, and renews their numbers only; the third needs g++ and the folder dredviz-1.0.2 of
ziyuang/pynerv. The file says which versions it was made with. Inputs are in it too where they are
random, so that nothing depends on a generator.

openTSNE: affinities at a perplexity, and cost and gradient of t-SNE with ``dof`` degrees of freedom
by its Barnes-Hut code at an angle of zero, which makes it exact. Its gradient lacks the factor 4.

metric-learn: local Fisher discriminant analysis. Its local scale of a point is read from the wrong
axis of a partitioned matrix of distances: the result of ``numpy.partition`` is transposed here, so
that it is the distance to the k-th neighbor, as its documentation and the method's paper have it.

sneer: gradients of heavy-tailed symmetric SNE and of NeRV with the width of each neighborhood, by
its stiffness matrices. lfda: axes of local Fisher discriminant analysis. The functions are loaded
from single files (``record_r_programs.R``) in R 4.2.2 of Debian; CRAN could not be reached, from
which the packages would be installed whole.

dredviz, by NeRV's authors: cost and gradient of NeRV with the width of each neighborhood, by its
two files of the cost and the neighborhoods, compiled with stand-ins for its matrices
(``record_dredviz.cpp``). Its gradient lacks the factor 2 of the squared distances, and the 1/n that
its cost has.
"""

from __future__ import annotations

import argparse
import json
import subprocess
import tempfile
from importlib.metadata import version
from pathlib import Path
from typing import Any

import numpy as np
from scipy import sparse
from sklearn.datasets import load_iris, load_wine

FILE = Path(__file__).with_name("other_programs.json")
ALPHAS = (0.25, 0.5, 1.0, 1.5, 2.0)
PERPLEXITY = 8
NEIGHBOR = 7
TRADEOFFS = (0.0, 0.1, 0.5, 1.0)
#: Commits of the files that were loaded.
COMMITS = {
    "sneer": {
        "R/stiffness.R": "029f2c239e800218a97f4e264fcc3ad1da2c81af",
        "R/gradient.R": "19e4002e68a0a966f18f5afa44e2ecc196477142",
        "R/cost.R": "92c581c85755823b2573cceed8ace66143d243b2",
    },
    "lfda": {
        "R/helpers.R": "97dcae43518121d3bbeaa45bc9ddb93665fcb807",
        "R/lfda.R": "0b37452dadb0213b28ad6f4e685820a1e2311d90",
    },
    "dredviz": {
        "dredviz-1.0.2/nervcostfunction.cc": "6302a700fdb675048d118a9e6bff16750d974fba",
        "dredviz-1.0.2/nervprobability.cc": "6302a700fdb675048d118a9e6bff16750d974fba",
    },
}


def points() -> Any:
    """Return every fifth flower of iris; no two are equal."""
    return load_iris().data[::5]


def affinities(X: Any) -> Any:
    """Return joint affinities ∝ exp(−d²), in float64."""
    P = np.exp(-np.square(X[:, None] - X).sum(axis=2))
    np.fill_diagonal(P, 0)
    return P / P.sum()


def neighborhoods(X: Any) -> tuple[Any, Any]:
    """Return rows ∝ exp(−w_i d²), in float64, and their widths w."""
    widths = 0.1 + 0.2 * np.arange(len(X)) / len(X)
    P = np.exp(-widths[:, None] * np.square(X[:, None] - X).sum(axis=2))
    np.fill_diagonal(P, 0)
    return P / P.sum(axis=1, keepdims=True), widths


def standardized_wine() -> Any:
    """Return wine with columns of zero mean and unit variance, and its classes."""
    X, y = load_wine(return_X_y=True)
    return (X - X.mean(axis=0)) / X.std(axis=0), y


def from_opentsne() -> dict[str, Any]:
    from openTSNE import tsne
    from openTSNE.affinity import PerplexityBasedNN

    X = points()
    P = affinities(X)
    Y = np.round(np.random.default_rng(0).standard_normal((len(X), 2)), 6)
    found = {}
    for alpha in ALPHAS:
        cost, gradient = tsne.kl_divergence_bh(
            Y.copy(), sparse.csr_matrix(P), 1 / alpha, {"theta": 0.0}, should_eval_error=True
        )
        found[str(alpha)] = {"cost": float(cost), "gradient": gradient.tolist()}
    near = PerplexityBasedNN(
        X, perplexity=PERPLEXITY, method="exact", metric="euclidean", k_neighbors=len(X) - 1
    )
    return {"Y": Y.tolist(), "by alpha": found, "P": near.P.toarray().tolist()}


def from_metric_learn() -> dict[str, Any]:
    from metric_learn import lfda

    class Transposed:
        """NumPy, but for the axis of ``partition``."""

        def __getattr__(self, name: str) -> Any:
            return getattr(np, name)

        def partition(self, *arguments: Any, **options: Any) -> Any:
            return np.partition(*arguments, **options).T

    lfda.np = Transposed()
    X, y = standardized_wine()
    model = lfda.LFDA(n_components=2, k=NEIGHBOR, embedding_type="plain")
    # Its checks of the input use an argument that scikit-learn has since removed.
    model._prepare_inputs = lambda X, y, **checks: (X, y)
    model.fit(X, y)
    return {"components": model.components_.tolist()}


def from_r(sneer: Path, lfda: Path, Y: Any) -> dict[str, Any]:
    X = points()
    rows, widths = neighborhoods(X)
    wine, y = standardized_wine()
    given = {
        "Y": Y, "joint": affinities(X), "rows": rows, "widths": widths, "alphas": ALPHAS,
        "tradeoffs": TRADEOFFS, "knn": [NEIGHBOR], "wine": np.column_stack([wine, y]),
    }  # fmt: skip
    script = Path(__file__).with_name("record_r_programs.R")
    with tempfile.TemporaryDirectory() as folder:
        for name, values in given.items():
            np.savetxt(Path(folder, f"{name}.csv"), np.asarray(values), "%.17g", ",")
        subprocess.run(["Rscript", str(script), folder, str(sneer), str(lfda)], check=True)

        def found(name: str) -> Any:
            return np.loadtxt(Path(folder, f"{name}.csv"), delimiter=",").tolist()

        return {
            "sneer": {
                "commits": COMMITS["sneer"],
                "HSSNE by alpha": {str(alpha): found(f"hssne_{alpha:g}") for alpha in ALPHAS},
                "NeRV by tradeoff": {str(t): found(f"nerv_{t:g}") for t in TRADEOFFS},
            },
            "lfda": {"commits": COMMITS["lfda"], "components": found("lfda")},
        }


def from_dredviz(sources: Path, Y: Any) -> dict[str, Any]:
    X = points()
    numbers = np.concatenate([X.shape, X.ravel(), Y.ravel(), neighborhoods(X)[1]])
    driver = Path(__file__).with_name("record_dredviz.cpp")
    found = {}
    with tempfile.TemporaryDirectory() as folder:
        np.savetxt(Path(folder, "dredviz.txt"), numbers, "%.17g")
        program = Path(folder, "record")
        options = ["-O2", "-ffp-contract=off", "-I", sources, driver, "-o", program]
        subprocess.run(["g++", *map(str, options)], check=True)
        subprocess.run([program, folder, *map(str, TRADEOFFS)], check=True)
        for tradeoff in TRADEOFFS:
            rows = np.loadtxt(Path(folder, f"dredviz_{tradeoff}.csv"), delimiter=",")
            found[str(tradeoff)] = {"cost": float(rows[0, 0]), "gradient": rows[1:].tolist()}
    return {"version": "1.0.2", "commits": COMMITS["dredviz"], "NeRV by tradeoff": found}


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--r", nargs=2, type=Path, metavar=("SNEER", "LFDA"))
    parser.add_argument("--dredviz", type=Path)
    arguments = parser.parse_args()
    content = json.loads(FILE.read_text(encoding="utf-8")) if FILE.exists() else {}
    if arguments.dredviz:
        content["dredviz"] = from_dredviz(arguments.dredviz, np.array(content["openTSNE"]["Y"]))
    elif arguments.r:
        content |= from_r(*arguments.r, np.array(content["openTSNE"]["Y"]))
    else:
        content |= {
            "openTSNE": {"version": version("openTSNE"), **from_opentsne()},
            "metric-learn": {"version": version("metric-learn"), **from_metric_learn()},
        }
    FILE.write_text(json.dumps(content, separators=(",", ":")) + "\n", encoding="utf-8")


if __name__ == "__main__":
    main()
