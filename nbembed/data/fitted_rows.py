"""The rows of a fit, by digests: which of other rows are equal to one of them.

Of dissimilarities the entry of a point with itself says nothing. It is left out, whatever it is, as
it is in a fit.
"""

from __future__ import annotations

import hashlib
from collections.abc import Iterator
from typing import Any

import numpy as np
from numpy.typing import NDArray
from scipy import sparse


class FittedRows:
    """Digests of checked data ``X``, dense or canonical CSR: of values, whatever their type.

    ``distances`` says that X are dissimilarities of all pairs.
    """

    def __init__(self, X: Any, *, distances: bool = False) -> None:
        self._distances = distances
        self._digests = [_digest(*entries) for entries in _entries(X)]
        self._first: dict[bytes, int] = {}
        for i, digest in enumerate(self._digests):
            self._first.setdefault(digest, i)

    def find(self, X: Any) -> NDArray[np.intp]:
        """Return the fitted point equal to each row of ``X``, value for value; −1 for new points.

        Among equal fitted points it is the one in the same row, or else the first. Dissimilarities
        may be unknown (NaN or infinite) between a fitted point and itself; raises ValueError if
        another is.
        """
        n = len(self._digests)
        square = self._distances and X.shape == (n, n)
        rows, columns = _unknown(X) if self._distances else ((), ())
        alone = dict(zip(rows, columns, strict=True))
        found = np.empty(X.shape[0], dtype=np.intp)
        for i, (where, values) in enumerate(_entries(X)):
            digest = _digest(where, values)
            at = alone.get(i, i)
            if at < n and digest == self._digests[at]:
                found[i] = at
            elif square and _digest(where[where != i], values[where != i]) == self._digests[i]:
                found[i] = i
            else:
                found[i] = self._first.get(digest, -1)
        wrong = [(i, j) for i, j in zip(rows, columns, strict=True) if found[i] != j]
        if wrong:
            i, j = min(wrong, key=lambda at: at[0] == at[1])
            raise ValueError(
                "X must be finite, but for the dissimilarity of a fitted point and itself: it "
                f"contains {'NaN' if np.isnan(X[i, j]) else 'infinity'} at row {i}, column {j}"
            )
        return found

    def without_own(self, X: Any) -> Any:
        """Return a copy of dissimilarities with zero between each fitted point and itself."""
        found, X = self.find(X), X.copy()
        if sparse.issparse(X):
            X.data[np.repeat(found, np.diff(X.indptr)) == X.indices] = 0
        else:
            known = np.flatnonzero(found >= 0)
            X[known, found[known]] = 0
        return X


def _unknown(X: Any) -> tuple[list[int], list[int]]:
    """Return rows and columns of the entries that are not finite."""
    if sparse.issparse(X):
        stored = np.flatnonzero(~np.isfinite(X.data))
        rows = np.searchsorted(X.indptr, stored, side="right") - 1
        return rows.tolist(), X.indices[stored].tolist()
    rows, columns = np.nonzero(~np.isfinite(X))
    return rows.tolist(), columns.tolist()


def _entries(X: Any) -> Iterator[tuple[NDArray[np.int64], NDArray[np.float64]]]:
    """Yield where each row has finite entries other than zero, and these."""
    thin = sparse.issparse(X)
    for i in range(X.shape[0]):
        if thin:
            own = slice(X.indptr[i], X.indptr[i + 1])
            where, row = X.indices[own].astype(np.int64), X.data[own].astype(np.float64)
        else:
            where, row = np.arange(X.shape[1]), X[i].astype(np.float64)
        kept = (row != 0) & np.isfinite(row)
        yield where[kept], row[kept]


def _digest(where: NDArray[np.int64], values: NDArray[np.float64]) -> bytes:
    return hashlib.blake2b(where.tobytes() + values.tobytes(), digest_size=16).digest()
