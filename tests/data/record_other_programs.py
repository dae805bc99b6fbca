"""Write ``other_programs.json``: what other people's programs compute, for tests to compare with.

    python -m tests.data.record_other_programs

needs openTSNE and metric-learn 0.7, which the tests do not. The file says which versions it was
made with. Inputs are in it too where they are random, so that nothing depends on a generator.

openTSNE: affinities at a perplexity, and cost and gradient of t-SNE with ``dof`` degrees of freedom
by its Barnes-Hut code at an angle of zero, which makes it exact. Its gradient lacks the factor 4.

metric-learn: local Fisher discriminant analysis. Its local scale of a point is read from the wrong
axis of a partitioned matrix of distances: the result of ``numpy.partition`` is transposed here, so
that it is the distance to the k-th neighbor, as its documentation and the method's paper have it.
"""

from __future__ import annotations

import json
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


def points() -> Any:
    """Return every fifth flower of iris; no two are equal."""
    return load_iris().data[::5]


def affinities(X: Any) -> Any:
    """Return joint affinities ∝ exp(−d²), in float64."""
    P = np.exp(-np.square(X[:, None] - X).sum(axis=2))
    np.fill_diagonal(P, 0)
    return P / P.sum()


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


def main() -> None:
    content = {
        "openTSNE": {"version": version("openTSNE"), **from_opentsne()},
        "metric-learn": {"version": version("metric-learn"), **from_metric_learn()},
    }
    FILE.write_text(json.dumps(content, separators=(",", ":")) + "\n", encoding="utf-8")


if __name__ == "__main__":
    main()
