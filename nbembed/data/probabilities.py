"""Matrices of probabilities: what a stored one looks like, and whether a given one is one.

A matrix is stored as C-contiguous float array or as canonical CSR array; in row form each row sums
to one, in joint form all entries do, and the matrix is symmetric.
"""

from __future__ import annotations

from collections.abc import Iterable
from typing import Any, Literal

import numpy as np
from numpy.typing import NDArray
from scipy import sparse

from nbembed.data.matrix_input import matrix_of
from nbembed.data.sparse_format import FLOATS, check_csr
from nbembed.validation import check_unmasked

#: Each row a distribution, or one distribution over all pairs.
Form = Literal["row", "joint"]
FORMS = ("row", "joint")

#: Tolerance of sums and of symmetry, relative to what is compared.
TOLERANCE = 1e-4


def frozen_matrix(P: Any) -> Any:
    """Return P as a read-only view, of the structure that kernels rely on.

    A view is made read only without a change of the caller's array.
    """
    if P.ndim != 2 or P.shape[0] != P.shape[1]:
        raise ValueError(f"P must be a square matrix (n_samples, n_samples), got {P.shape}")
    if sparse.issparse(P):
        check_csr(P, "P", canonical=True)
        parts = frozen(P.data), frozen(P.indices), frozen(P.indptr)
        view = sparse.csr_array(parts, shape=P.shape)
        view.has_canonical_format = True
        return view
    if P.dtype not in FLOATS or not P.flags.c_contiguous:
        raise ValueError(f"P must be a C-contiguous array of float32 or float64, got {P.dtype}")
    return frozen(P)


def frozen(array: NDArray[Any]) -> NDArray[Any]:
    """Return a read-only view."""
    if not array.flags.writeable:
        return array
    view = array.view()
    view.flags.writeable = False
    return view


def row_sums(P: Any) -> NDArray[np.float64]:
    """Return the sums of the rows of a dense or sparse matrix, in float64."""
    return np.asarray(P.sum(axis=1, dtype=np.float64)).ravel()


def canonical(P: Any) -> Any:
    """Return a CSR array with its indices sorted and duplicates summed, changed in place."""
    P.sum_duplicates()
    return P


def as_stored(P: Any) -> Any:
    """Return a matrix as C-contiguous float array or as canonical CSR array."""
    P = matrix_of(P, "P")
    check_unmasked(P, "P")
    if sparse.issparse(P):  # checked and canonical by now
        return sparse.csr_array(P)
    try:
        array = np.asarray(P)
    except ValueError:  # rows of different lengths
        array = np.array("")
    if array.ndim == 0 or array.dtype.kind not in "fiub":
        raise TypeError(
            f"P must be an array of numbers, a sparse matrix or Affinities, got {type(P).__name__}"
        )
    if array.dtype not in (np.float32, np.float64):
        array = array.astype(np.float64)
    return np.ascontiguousarray(array)


def check_matrix(P: Any, form: Form) -> Any:
    """Return a stored matrix if it is one of probabilities in the given form."""
    if P.ndim != 2 or P.shape[0] != P.shape[1]:
        raise ValueError(f"P must be a square matrix (n_samples, n_samples), got {P.shape}")
    if P.shape[0] < 2:
        raise ValueError(f"P must describe at least 2 points, got {P.shape[0]}")
    entries = P.data if sparse.issparse(P) else P
    if not np.isfinite(entries).all():
        raise ValueError("P must be finite, got NaN or infinity")
    if (entries < 0).any():
        raise ValueError(f"P must be non-negative, got {entries.min():.3g}")
    if P.diagonal().any():
        raise ValueError("P must have a zero diagonal: no point is its own neighbor")
    sums = row_sums(P)
    if form == "row":
        worst = int(np.argmax(np.abs(sums - 1)))
        if abs(sums[worst] - 1) > TOLERANCE:
            raise ValueError(
                f"P must have rows that sum to one, got {sums[worst]:.6g} in row {worst}"
            )
        return P
    total = float(sums.sum())
    if abs(total - 1) > TOLERANCE:
        raise ValueError(f"P must sum to one over all pairs, got {total:.6g}")
    difference = abs(P - P.T).max()
    if difference > TOLERANCE * float(entries.max()):
        raise ValueError(
            f"P must be symmetric, got |P − Pᵀ| up to {difference:.3g}; (P + P.T) / 2 is symmetric"
        )
    return P


def cut_pairs(P: sparse.csr_array, pairs: Iterable[tuple[Any, Any]]) -> None:
    """Set the entries of a CSR array between the points of two sides to zero, in place.

    ``pairs`` holds the distinct points of both sides, as of cannot-links.
    """
    there = np.zeros(P.shape[0], bool)
    for a, b in pairs:
        for these, others in ((a, b), (b, a)):
            there[others] = True
            counts = np.diff(P.indptr)[these]
            ends = np.cumsum(counts)
            # Entries of these rows alone: a link may be of few points among very many.
            stored = np.repeat(P.indptr[these] - (ends - counts), counts)
            stored = stored + np.arange(stored.size)
            P.data[stored[there[P.indices[stored]]]] = 0
            there[others] = False


def csr_of_rows(rows: NDArray[Any], index: NDArray[Any], n_columns: int) -> sparse.csr_array:
    """Return rows of probabilities as CSR array, entry (i, k) in column ``index[i, k]``."""
    number = np.int32 if max(rows.size, n_columns) < 2**31 else np.int64
    indptr = np.arange(0, rows.size + 1, rows.shape[1], dtype=number)
    parts = rows.ravel(), index.astype(number).ravel(), indptr
    P = sparse.csr_array(parts, shape=(rows.shape[0], n_columns))
    P.eliminate_zeros()
    P.sort_indices()
    return P
