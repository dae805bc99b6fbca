"""Probabilities over pairs of points: the matrix P as the objectives hold it.

P is dense or sparse (CSR), float32 or float64, and is shared by every objective made from it:
nothing here writes into it, and only a cannot-link makes a copy. Two forms exist: *joint*,
symmetric and summing to one over all pairs (HSSNE), and *rows*, each row a distribution (SNE,
Mbed).
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any, Literal

import numpy as np
from scipy import sparse

if TYPE_CHECKING:
    from numpy.typing import NDArray

Form = Literal["joint", "rows"]

#: How far sums and symmetry may be off, in units of float32 rounding of what is compared.
TOLERANCE = 1e-4


@dataclass(frozen=True, eq=False)
class PairMatrix:
    """A checked matrix of pair probabilities.

    Attributes
    ----------
    values : ndarray or csr_array of shape (n_samples, n_samples)
        Read only. C-contiguous, or CSR with sorted indices and no duplicates.
    form : {"joint", "rows"}
        Symmetric and summing to one, or each row summing to one.
    """

    values: Any
    form: Form

    @property
    def n_samples(self) -> int:
        """Number of points."""
        return int(self.values.shape[0])

    @property
    def dtype(self) -> np.dtype[Any]:
        """Either float32 or float64."""
        dtype: np.dtype[Any] = self.values.dtype
        return dtype

    @property
    def kernel(self) -> Any:
        """What the kernels take: the dense array, or the triple (indptr, indices, data)."""
        return as_kernel_argument(self.values)

    def row_plus_column(self, keep: NDArray[np.float64] | None = None) -> Any:
        """Return diag(keep)·P + Pᵀ·diag(keep), dense or CSR; ``keep`` None is all ones."""
        weighted = self.values
        if keep is not None:
            factor = keep.astype(self.dtype)
            if sparse.issparse(weighted):
                weighted = sparse.csr_array(sparse.diags_array(factor) @ weighted)
            else:
                weighted = weighted * factor[:, None]
        if sparse.issparse(weighted):
            return canonical(sparse.csr_array(weighted + weighted.T))
        return weighted + weighted.T

    def without(
        self, cannot_links: Sequence[tuple[NDArray[np.intp], NDArray[np.intp]]]
    ) -> PairMatrix:
        """Return P with no affinity across the cannot-links, renormalized; itself without any.

        A point that loses every neighbor this way would fly off the map, so its row becomes uniform
        over the points that no cannot-link forbids it.

        Raises
        ------
        ValueError
            If the links forbid a point every other point.
        """
        if not cannot_links:
            return self
        n = self.n_samples
        values = self.values.copy()
        if sparse.issparse(values):
            rows = np.repeat(np.arange(n), np.diff(values.indptr))
            columns = values.indices
            for a, b in cannot_links:
                in_a, in_b = np.zeros(n, bool), np.zeros(n, bool)
                in_a[a], in_b[b] = True, True
                across = (in_a[rows] & in_b[columns]) | (in_b[rows] & in_a[columns])
                values.data[across] = 0
        else:
            for a, b in cannot_links:
                values[np.ix_(a, b)] = 0
                values[np.ix_(b, a)] = 0
        before = row_sums(self.values)
        after = row_sums(values)
        for i in np.flatnonzero((after == 0) & (before > 0)):
            values = _add_row(
                values, int(i), allowed_points(int(i), n, cannot_links), float(before[i]), self.form
            )
            after = row_sums(values)
        if self.form == "joint":
            scale = np.full(n, 1 / after.sum())
        else:
            scale = 1 / after
        if sparse.issparse(values):
            values.data *= np.repeat(scale, np.diff(values.indptr)).astype(self.dtype)
        else:
            values *= scale[:, None].astype(self.dtype)
        return PairMatrix(values, self.form)


def as_pair_matrix(P: Any, form: Form) -> PairMatrix:
    """Return ``P`` as a checked :class:`PairMatrix`; no copy is made of a well-formed array.

    Parameters
    ----------
    P : ndarray, sparse matrix or array, Affinities or PairMatrix
        Square, finite, non-negative, with an empty diagonal. Affinities are brought to ``form``;
        an array must have it already.
    form : {"joint", "rows"}
        What the objective needs.

    Raises
    ------
    TypeError
        If ``P`` is none of these.
    ValueError
        If ``P`` breaks a condition; the message says which.
    """
    if isinstance(P, PairMatrix):
        if P.form != form:
            raise ValueError(f"P must be in the form {form!r}, got {P.form!r}")
        return P
    if hasattr(P, "joint") and hasattr(P, "rows"):
        # Affinities were checked when they were made.
        values = (P.joint() if form == "joint" else P.rows()).P
        return PairMatrix(_stored(values), form)
    values = _stored(P)
    if values.ndim != 2 or values.shape[0] != values.shape[1]:
        raise ValueError(f"P must be a square matrix (n_samples, n_samples), got {values.shape}")
    n = values.shape[0]
    if n < 2:
        raise ValueError(f"P must describe at least 2 points, got {n}")
    entries = values.data if sparse.issparse(values) else values
    if not np.isfinite(entries).all():
        raise ValueError("P must be finite, got NaN or infinity")
    if (entries < 0).any():
        raise ValueError(f"P must be non-negative, got {entries.min():.3g}")
    if values.diagonal().any():
        raise ValueError("P must have an empty diagonal: no point is its own neighbor")
    sums = row_sums(values)
    if form == "joint":
        total = float(sums.sum())
        if abs(total - 1) > TOLERANCE:
            raise ValueError(f"P must sum to one over all pairs, got {total:.6g}")
        scale = float(entries.max())
        difference = abs(values - values.T).max()
        if difference > TOLERANCE * scale:
            raise ValueError(
                f"P must be symmetric, got |P − Pᵀ| up to {difference:.3g}; "
                "(P + P.T) / 2 is a symmetric form"
            )
    else:
        worst = int(np.argmax(np.abs(sums - 1)))
        if abs(sums[worst] - 1) > TOLERANCE:
            raise ValueError(
                f"P must have rows that sum to one, got {sums[worst]:.6g} in row {worst}"
            )
    return PairMatrix(values, form)


def as_kernel_argument(values: Any) -> Any:
    """Return a dense array itself, or the triple (indptr, indices, data) of a CSR array."""
    if sparse.issparse(values):
        return values.indptr, values.indices, values.data
    return values


def row_sums(values: Any) -> NDArray[np.float64]:
    """Return the sums over each row of a dense or sparse matrix, in float64."""
    return np.asarray(values.sum(axis=1, dtype=np.float64)).ravel()


def canonical(values: Any) -> Any:
    """Return a CSR array with its indices sorted and no duplicates, changed in place."""
    values.sum_duplicates()
    return values


def _stored(P: Any) -> Any:
    if sparse.issparse(P):
        dtype = P.dtype if P.dtype in (np.float32, np.float64) else np.float64
        values = sparse.csr_array(P).astype(dtype, copy=False)
        return values if values.has_canonical_format else canonical(values.copy())
    try:
        values = np.asarray(P)
    except ValueError:  # rows of different lengths
        values = np.array("")
    if values.ndim == 0 or values.dtype.kind not in "fiub":
        raise TypeError(
            f"P must be an array of numbers, a sparse matrix or Affinities, got {type(P).__name__}"
        )
    if values.dtype not in (np.float32, np.float64):
        values = values.astype(np.float64)
    return np.ascontiguousarray(values)


def allowed_points(
    i: int, n: int, cannot_links: Sequence[tuple[NDArray[np.intp], NDArray[np.intp]]]
) -> NDArray[np.intp]:
    """Return the points that no cannot-link forbids point i.

    Raises
    ------
    ValueError
        If there are none.
    """
    allowed = np.ones(n, bool)
    allowed[i] = False
    for a, b in cannot_links:
        if i in a:
            allowed[b] = False
        if i in b:
            allowed[a] = False
    if not allowed.any():
        raise ValueError(f"supervision: cannot-links leave point {i} no other point to be near")
    return np.flatnonzero(allowed)


def _add_row(values: Any, i: int, columns: NDArray[np.intp], mass: float, form: Form) -> Any:
    if sparse.issparse(values):
        share = np.full(columns.size, mass / columns.size, values.dtype)
        extra = sparse.coo_array((share, (np.full(columns.size, i), columns)), shape=values.shape)
        if form == "joint":
            extra = extra + extra.T
        return canonical(sparse.csr_array(values + extra))
    values[i, columns] = mass / columns.size
    if form == "joint":
        values[columns, i] += mass / columns.size
    return values
