"""A polynomial of a matrix on a graph in the place of its inverse, in time like its entries.

A = I − S, with S symmetric and the eigenvalues of A between 0 and 2, such as the normalized
Laplacian of a graph. X = p(A) B is what so many steps of Chebyshev's iteration make of A X = B from
zero, with its parameters for the interval [a, 2] and the middle m = 1 + a/2 and half-width
h = 1 − a/2 of it:

    X ← X + D,   R ← R − A D,   D ← r r' D + (2 r/h) R,   r = 1/(2 m/h − r'),   r' the r before

from R = B, D = R/m and r' = h/m. 1 − λ p(λ) is then the Chebyshev polynomial that is least on the
interval and one at λ = 0, so that p(λ) > 0 on (0, 2] (Saad, "Iterative Methods for Sparse Linear
Systems", section 12.3). No inner product is needed, and p depends on nothing but a and the number
of steps: it is a linear operator.
"""

from __future__ import annotations

from typing import Any

import numpy as np

from nbembed.kernels.codegen.compiling import compiled, read_only
from nbembed.kernels.codegen.ir_helpers import accumulate, arrays
from nbembed.kernels.codegen.numba_adapter import intrinsic, ir, no_result, types
from nbembed.kernels.codegen.simd import INDEX, Lanes, as_index, broadcast, load, store
from nbembed.kernels.threads import run_chunks

#: Columns of B that are worked on together, in one register: of two, or of up to four.
COLUMNS = 2, 4
#: Rows of a chunk, after which work can be given up.
ROWS = 2**13


def polynomial_inverse(
    S: tuple[Any, Any, Any], B: Any, low: float, degree: int, n_threads: int = 1
) -> Any:
    """Return p(I − S) B, for B of shape (n, m).

    ``S`` are the CSR parts of a symmetric matrix, of the type of ``B``; ``low`` is a in (0, 2),
    ``degree`` the number of steps, at least 1.

    A row's entries are few, and what they point at is scattered: rows in an order in which
    neighbors are near each other, and those of equal length in a row, take a third less time
    (:class:`~nbembed.optimizers.laplacian.LaplacianPolynomial`).
    """
    n, m = B.shape
    parts = tuple(read_only(part) for part in S)
    middle, half = 1 + low / 2, 1 - low / 2
    found = np.empty_like(B)
    columns = COLUMNS[m > COLUMNS[0]]
    for first in range(0, m, columns):
        here = slice(first, min(first + columns, m))
        rest = np.zeros((n, columns), B.dtype)
        rest[:, : here.stop - first] = B[:, here]
        X, D, after = np.zeros_like(rest), rest * B.dtype.type(1 / middle), np.empty_like(rest)
        ratio = half / middle
        for _ in range(degree):
            r = 1 / (2 * middle / half - ratio)
            factors = np.array([r * ratio, 2 * r / half], B.dtype)

            def step(k: int, state: Any = (D, rest, X, after, factors)) -> None:
                _step(*parts, *state, (0,) * columns, k * ROWS, min((k + 1) * ROWS, n))

            run_chunks(step, -(-n // ROWS), n_threads)
            D, after, ratio = after, D, r
        found[:, here] = X[:, : here.stop - first]
    return found


def _row(context: Any, builder: ir.IRBuilder, signature: Any, arguments: Any) -> ir.Value:
    indptr, indices, data, D, rest, X, after, factors = arrays(
        context, builder, signature.args[:8], arguments[:8]
    )
    columns, i = signature.args[8].count, arguments[9]
    start = as_index(builder, indptr.data.read(builder, i))
    stop = as_index(builder, indptr.data.read(builder, builder.add(i, INDEX(1))))

    def add(e: ir.Value, sums: list[Lanes]) -> list[Lanes]:
        j = as_index(builder, indices.data.read(builder, e))
        share = broadcast(builder, data.data.read(builder, e), columns)
        return [load(builder, D.row(j), INDEX(0), columns).times_plus(share, sums[0])]

    (product,) = accumulate(builder, start, stop, 1, (D.element, columns), add, step=1)

    def row(array: Any) -> Lanes:
        return load(builder, array.row(i), INDEX(0), columns)

    def factor(k: int) -> Lanes:
        return broadcast(builder, factors.data.read(builder, INDEX(k)), columns)

    own = row(D)
    left = row(rest) - own + product
    store(builder, row(X) + own, X.row(i), INDEX(0))
    store(builder, left, rest.row(i), INDEX(0))
    store(builder, own.times_plus(factor(0), left * factor(1)), after.row(i), INDEX(0))
    return no_result(context)


@intrinsic
def _row_step(typing_context, indptr, indices, data, D, rest, X, after, factors, columns, i):
    arguments = indptr, indices, data, D, rest, X, after, factors, columns, types.intp
    return types.void(*arguments), _row


@compiled
def _step(indptr, indices, data, D, rest, X, after, factors, columns, first, last):
    """Do a step on the rows from ``first`` to ``last``, ``columns`` as long as a register."""
    for i in range(first, last):
        _row_step(indptr, indices, data, D, rest, X, after, factors, columns, i)
