"""Squared Euclidean distances without cancellation, a block of rows at a time.

    d_ij² = Σ_k (a_ik − b_jk)²                 (few dimensions: as it stands)
          = ‖a_i‖² + ‖b_j‖² − 2 ⟨a_i, b_j⟩     (many: the products are one matrix multiplication)

The second form is far faster in many dimensions, but its error is relative to the norms: for two
points much nearer to each other than to the origin, no digit may be correct. Such pairs are
detected when the parts are combined, and recomputed by the first form. Duplicates have distance
exactly zero.
"""

from __future__ import annotations

from typing import Any

import numpy as np
from numpy.typing import NDArray

from nbembed.kernels.codegen.compiling import compiled, read_only

#: Up to this many dimensions, differences are faster than the matrix product.
FEW_DIMENSIONS = 12
#: A squared distance below this share of the norms is recomputed. The error of the second form is a
#: few 1e-16 of the norms, so the other distances have a relative error of some 1e-12.
NEAR = 1e-4


@compiled
def _differences(At, Bt, D2):
    """Write Σ_k (a_ik − b_jk)² for points given coordinate by coordinate."""
    d, rows = At.shape
    for i in range(rows):
        out = D2[i]
        a = At[0, i]
        b = Bt[0]
        for j in range(out.size):
            gap = a - b[j]
            out[j] = gap * gap
        for k in range(1, d):
            a = At[k, i]
            b = Bt[k]
            for j in range(out.size):
                gap = a - b[j]
                out[j] += gap * gap


@compiled
def _assemble(A, B, norms_a, norms_b, D2):
    """Turn the products ⟨a_i, b_j⟩ in ``D2`` into squared distances, in place."""
    for i in range(A.shape[0]):
        out = D2[i]
        norm = norms_a[i]
        near = 0
        for j in range(out.size):
            both = norm + norms_b[j]
            value = both - 2.0 * out[j]
            out[j] = value
            near += value <= NEAR * both
        if near == 0:
            continue
        for j in range(out.size):
            if out[j] <= NEAR * (norm + norms_b[j]):
                total = 0.0
                for k in range(A.shape[1]):
                    gap = A[i, k] - B[j, k]
                    total += gap * gap
                out[j] = total


def squared_distances(A: Any, B: Any) -> NDArray[np.float64]:
    """Return the squared Euclidean distances of the rows of ``A`` (n, d) to those of ``B`` (m, d).

    Both are float64 and centered at the same point; an offset would cost precision in the input
    already. The relative error is below about 1e-11, and equal rows have distance exactly zero.
    O(n m d) time; O((n + m) d) memory besides the result.
    """
    D2 = np.empty((A.shape[0], B.shape[0]))
    if A.shape[1] == 0:
        D2[:] = 0
    elif A.shape[1] <= FEW_DIMENSIONS:
        _differences(read_only(A.T), read_only(B.T), D2)
    else:
        np.matmul(A, B.T, out=D2)
        norms_a, norms_b = np.einsum("ij,ij->i", A, A), np.einsum("ij,ij->i", B, B)
        _assemble(read_only(A), read_only(B), read_only(norms_a), read_only(norms_b), D2)
    return D2
