"""Matrices: what their numbers are, and what is done with them before distances are taken."""

from __future__ import annotations

from typing import Any

import numpy as np
from numpy.typing import NDArray
from scipy import sparse
from sklearn.decomposition import PCA, TruncatedSVD
from sklearn.feature_extraction.text import TfidfTransformer
from sklearn.preprocessing import FunctionTransformer, Normalizer

#: With more features than this there are too many.
MOST_FEATURES = 100
#: What is made of them: principal components, and singular vectors of words.
COMPONENTS, WORD_COMPONENTS = 50, 100
#: Counts of words are whole numbers, at most this share of them is not 0,
DENSEST_COUNTS = 0.1
#: and half of these are at most this.
TYPICAL_COUNT = 2
#: Rows of an array that tell whether it may hold counts.
SAMPLE = 1000


def are_counts(X: Any) -> bool:
    """Return whether all numbers are whole and not negative, and one is above 1."""
    values = X if isinstance(X, np.ndarray) else X.data
    if not values.size or not (values[: SAMPLE * 10] >= 0).all():
        return False
    return bool(values.max() > 1 and (values >= 0).all() and (values == np.rint(values)).all())


def are_word_counts(X: Any) -> bool:
    """Return whether a matrix looks like counts of words: whole, mostly 0, then mostly 1."""
    head = X[:SAMPLE]
    values = head[head != 0] if isinstance(head, np.ndarray) else head.data
    if not values.size or values.size > DENSEST_COUNTS * head.shape[0] * head.shape[1]:
        return False
    return bool(np.median(values) <= TYPICAL_COUNT) and are_counts(X)


def kind_of_matrix(X: Any, *, cells: bool = False, scaled: bool = False) -> str:
    """Return what a matrix is recognized as: ``cells`` where its counts would be of cells.

    Counts that are to be ``scaled`` are numbers like others.
    """
    if X.shape[1] <= MOST_FEATURES:
        return "numbers"
    if scaled or not (are_counts(X) if cells else are_word_counts(X)):
        return "wide"
    return "cells" if cells else "words"


def steps_of(kind: str, X: Any, n_components: int | str | None) -> list[tuple[str, Any]]:
    """Return what is done to a matrix of a kind."""
    steps: list[tuple[str, Any]] = []
    words = kind in ("words", "texts")
    if words:
        steps.append(("tfidf", TfidfTransformer(sublinear_tf=True)))
    elif kind == "cells":
        size = float(np.median(np.asarray(X.sum(axis=1))))
        steps += [
            ("share", Normalizer(norm="l1")),
            ("log", FunctionTransformer(log_of_share, accept_sparse=True, kw_args={"size": size})),
        ]
    if n_components == "auto":
        n_components = {"numbers": None, "words": WORD_COMPONENTS, "texts": WORD_COMPONENTS}.get(
            kind, COMPONENTS
        )
    count = 0 if n_components is None else min(int(n_components), X.shape[0] - 1)
    if 0 < count < X.shape[1]:
        steps.append(
            ("svd", TruncatedSVD(count, random_state=0)) if words
            else ("pca", principal(count, sparse.issparse(X)))
        )  # fmt: skip
    return [*steps, ("length", Normalizer())] if words else steps


def principal(count: int, is_sparse: bool) -> PCA:
    """Return a PCA that makes the same of the same data."""
    return PCA(count, svd_solver="arpack" if is_sparse else "auto", random_state=0)


def log_of_share(X: Any, size: float) -> Any:
    """Return log(1 + size · x), dense or sparse."""
    if sparse.issparse(X):
        return (X * size).log1p()
    result: NDArray[Any] = np.log1p(X * size)
    return result
