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

A row has few entries, and what they point at is scattered: taken one after the other, their
additions wait for each other and for memory. Four rows are therefore worked on together in one
register, and their entries are stored in turns. An entry takes 0.7 ns where single rows took 1.2
(20 000 points; of 70 000 0.9 and 1.5), with the same bits.
"""

from __future__ import annotations

from typing import Any

import numpy as np

from nbembed.kernels.codegen.compiling import compiled, read_only
from nbembed.kernels.codegen.ir_helpers import accumulate, arrays
from nbembed.kernels.codegen.numba_adapter import intrinsic, ir, no_result, types
from nbembed.kernels.codegen.simd import INDEX, as_index, broadcast, load, side_by_side, store
from nbembed.kernels.threads import run_chunks

#: Columns of B that are worked on together: two, or up to four.
COLUMNS = 2, 4
#: Rows of a block, which are worked on together.
BLOCK = 4
#: Blocks of a chunk, after which work can be given up.
BLOCKS = 2**11


class PolynomialInverse:
    """p(I − S) as a function of B, of shape (n, m).

    ``S`` are the CSR parts of a symmetric matrix, of the type of B; ``low`` is a in (0, 2),
    ``degree`` the number of steps, at least 1.

    A block takes as long as its longest row, and waits for memory: rows that are neighbors should
    be near each other, and those of equal length in a row.
    """

    def __init__(
        self, S: tuple[Any, Any, Any], low: float, degree: int, n_threads: int = 1
    ) -> None:
        self._blocks = tuple(read_only(part) for part in _in_blocks(*S))
        self._low, self._degree, self._n_threads = low, degree, n_threads

    def __call__(self, B: Any) -> Any:
        """Return p(I − S) B."""
        n, m = B.shape
        n_blocks = self._blocks[0].size - 1
        middle, half = 1 + self._low / 2, 1 - self._low / 2
        found = np.empty_like(B)
        columns = COLUMNS[m > COLUMNS[0]]
        for first in range(0, m, columns):
            here = slice(first, min(first + columns, m))
            rest = np.zeros((n_blocks * BLOCK, columns), B.dtype)
            rest[:n, : here.stop - first] = B[:, here]
            X, D, after = np.zeros_like(rest), rest * B.dtype.type(1 / middle), np.empty_like(rest)
            ratio = half / middle
            for _ in range(self._degree):
                r = 1 / (2 * middle / half - ratio)
                factors = np.array([r * ratio, 2 * r / half], B.dtype)

                def step(k: int, state: Any = (D, rest, X, after, factors)) -> None:
                    stop = min((k + 1) * BLOCKS, n_blocks)
                    _step(*self._blocks, *state, (0,) * columns, k * BLOCKS, stop)

                run_chunks(step, -(-n_blocks // BLOCKS), self._n_threads)
                D, after, ratio = after, D, r
            found[:, here] = X[:n, : here.stop - first]
        return found


def _in_blocks(indptr: Any, indices: Any, data: Any) -> tuple[Any, Any, Any]:
    """Return the starts of the blocks, and their entries: the first of each row, the second, …

    A row that is shorter than the longest of its block is filled up with zeros at its own place,
    and the last block with rows of zeros. Points are counted in 32 bits, half as much to read.
    """
    n = indptr.size - 1
    lengths = np.zeros(-(-n // BLOCK) * BLOCK, np.int64)
    lengths[:n] = np.diff(indptr)
    longest = lengths.reshape(-1, BLOCK).max(axis=1)
    starts = np.concatenate([[0], np.cumsum(longest)]) * BLOCK
    rows = np.repeat(np.arange(n), lengths[:n])
    turn = np.arange(rows.size) - np.repeat(indptr[:-1], lengths[:n])
    places = starts[rows // BLOCK] + turn * BLOCK + rows % BLOCK
    own = np.arange(lengths.size).reshape(-1, BLOCK)
    points = np.repeat(own, longest, axis=0).ravel().astype(np.int32)
    entries = np.zeros(points.size, data.dtype)
    points[places], entries[places] = indices, data
    return starts, points, entries


def _block(context: Any, builder: ir.IRBuilder, signature: Any, arguments: Any) -> ir.Value:
    starts, points, entries, D, rest, X, after, factors = arrays(
        context, builder, signature.args[:8], arguments[:8]
    )
    columns, block = signature.args[8].count, arguments[9]
    lanes = BLOCK * columns
    start = as_index(builder, starts.data.read(builder, block))
    stop = as_index(builder, starts.data.read(builder, builder.add(block, INDEX(1))))

    def add(e: ir.Value, sums: list[Any]) -> list[Any]:
        ahead = [builder.add(e, INDEX(k)) for k in range(BLOCK)]
        neighbors = [as_index(builder, points.data.read(builder, place)) for place in ahead]
        shares = load(builder, entries.data, e, BLOCK).each(columns)
        steps = [load(builder, D.row(j), INDEX(0), columns) for j in neighbors]
        return [side_by_side(steps).times_plus(shares, sums[0])]

    (product,) = accumulate(builder, start, stop, 1, (D.element, lanes), add, step=BLOCK)
    first = builder.mul(block, INDEX(lanes))

    def factor(k: int) -> Any:
        return broadcast(builder, factors.data.read(builder, INDEX(k)), lanes)

    own = load(builder, D.data, first, lanes)
    left = load(builder, rest.data, first, lanes) - own + product
    store(builder, load(builder, X.data, first, lanes) + own, X.data, first)
    store(builder, left, rest.data, first)
    store(builder, own.times_plus(factor(0), left * factor(1)), after.data, first)
    return no_result(context)


@intrinsic
def _block_step(
    typing_context, starts, points, entries, D, rest, X, after, factors, columns, block
):
    arguments = starts, points, entries, D, rest, X, after, factors, columns, types.intp
    return types.void(*arguments), _block


@compiled
def _step(starts, points, entries, D, rest, X, after, factors, columns, first, last):
    """Do a step on the blocks from ``first`` to ``last``, of ``columns``' length columns."""
    for block in range(first, last):
        _block_step(starts, points, entries, D, rest, X, after, factors, columns, block)
