"""Sums over all pairs of points, each pair visited once: the loop under every exact method.

    force_i  = Σ_j f(τ_ij, P_ij) (y_i − y_j)      a pair adds to i what it subtracts from j
    scalar_i = Σ_j h(τ_ij, P_ij)                  a pair adds the same to both
    total    = Σ_{i<j} t(τ_ij, P_ij)

with τ_ij = ‖y_i − y_j‖² and f, t symmetric in i and j (h may add different amounts to i and to j,
and P may differ from Pᵀ: :attr:`PairSum.both`). A method states f, h and t in a :class:`PairSum`;
:func:`half_square` generates the loop.

The half square i < j is cut into tiles of a few rows by some hundred columns. The rows' coordinates
and sums stay in registers during the pass over the columns; a column's coordinates are loaded, and
its sums updated, once for all rows of the tile. Where a tile meets the diagonal or the last column,
lanes without a pair are masked.

Numbers too small for a normal representation are flushed to zero within the loop
(:mod:`~.subnormals`).
"""

from __future__ import annotations

import ctypes
import math
from typing import Any, NamedTuple

import numpy as np

from nbembed.kernels.codegen.compiling import inlined
from nbembed.kernels.codegen.ir_helpers import arrays, lane_count
from nbembed.kernels.codegen.numba_adapter import integers, intrinsic, ir, no_result, target, types
from nbembed.kernels.codegen.simd import INDEX, vector_registers
from nbembed.kernels.codegen.subnormals import flush_subnormals, restore_mode
from nbembed.kernels.codegen.tile_codegen import AnyAxes, Data, FewAxes, PairSum, Place

#: The most bytes that coordinates and sums of a tile's columns take, about a first-level cache, and
#: the most columns of a tile.
CACHE = 48 * 1024
COLUMNS = 1024
#: Arrays over points are padded to a multiple of this, the most columns that are read at once.
PADDING = 32
#: Bytes of a cache line.
LINE = 64
#: P is prefetched a tile ahead, but no fewer rows than this: a tile of one row takes less time than
#: memory (t-SNE with a dense P, n = 2000, AVX2: 1.16 ms one row ahead, 1.10 two rows).
ROWS_AHEAD = 2
#: Sums over fewer than MANY points run in one chunk: they take less time (0.2 ms) than it may take
#: to wake a thread on a busy machine. Larger sums are cut into CHUNKS chunks, whose number doubles
#: with n from twice DOUBLING points on, up to MOST. A chunk of t-SNE then takes some 0.1 ms on one
#: core, about twice as long as it takes to hand it to a thread. More chunks would cost all users
#: memory and time, because each chunk has sums of its own that are added in the end.
MANY = 1500
CHUNKS = 8
DOUBLING = 2000
MOST = 64


#: The largest float32.
LARGEST_SINGLE = float(np.finfo(np.float32).max)


class Shape(NamedTuple):
    """Shape of a tile: rows, registers of columns side by side in a row, and columns in all.

    ``ahead``: whether a pass over the columns computes the distances of the next one's. Only for
    processors with 16 registers, where it reads at most a cache line (:func:`padded_length`).
    """

    rows: int
    registers: int
    columns: int
    ahead: bool = False


def shape_of_tile(pair: PairSum, n_axes: int, itemsize: int, n_registers: int) -> Shape:
    """Return the fastest shape measured.

    * n_axes: axes that code is generated for, or 0 for any number
      (:class:`~.tile_codegen.AnyAxes`).
    * itemsize: bytes of a coordinate.
    * n_registers: vector registers of the processor: 16 (SSE, AVX2) or 32 (AVX-512, NEON).

    With the number of axes fixed, more rows save loads and stores of the columns' sums, until the
    rows' own coordinates and sums no longer fit the registers. For t-SNE with a dense P and d = 2
    they take 7 registers a row: with 32 registers and n = 2000, 0.39 ms for 2 rows, 0.36 for 3 and
    0.45 for 4.

    With 16 registers, two such rows leave none for the pair: every pass would write 5 sums to
    memory and read them again. A single row leaves enough to compute the next distances ahead,
    without which it would be slower than two (AMD processor with AVX2, n = 2000: 1.62 ms for 2
    rows, 1.70 for 1, 1.50 for 1 with distances ahead). Without P a row takes 4 registers, and two
    rows fit (0.80 ms; 0.85 for 1). With the cost, whose logarithm needs registers of its own, a
    single row is faster in float32 (3.1 ms instead of 3.5) but not in float64 (8.8 instead of 8.4);
    the shape is the same all the same, so that a cost that is asked for changes no bit.
    """
    if n_axes == 0:
        return Shape(4, pair.registers, 512)
    n_sums = pair.n_sums(n_axes)
    in_registers = n_sums + n_axes + 2 * pair.extras
    if n_registers >= 32:
        rows = 4 if in_registers <= 6 else 3 if in_registers <= 9 else 2
    else:
        rows = 2 if in_registers <= 5 else 1
    columns = CACHE // (itemsize * (n_sums + n_axes + pair.extras)) // PADDING * PADDING
    return Shape(rows, pair.registers, min(columns, COLUMNS), ahead=rows == 1)


def padded(values: Any) -> Any:
    """Return ``values`` (k, n) with zeros appended, so that registers can be read whole."""
    k, n = values.shape
    result = aligned_zeros((k, padded_length(n, values.dtype)), values.dtype)
    result[:, :n] = values
    return result


def padded_length(n: int, dtype: Any) -> int:
    """Return a length of rows, at least n, such that tiles can be read whole.

    It is an odd number of cache lines. With a power of two, the values of one column would compete
    for the same few sets of the cache: at n = 2000 and d = 10 that took 1.4 times as long. The last
    line is what tiles read that compute ahead (:attr:`Shape.ahead`).
    """
    return -(-n // PADDING) * PADDING + LINE // np.dtype(dtype).itemsize


def aligned_zeros(shape: tuple[int, ...], dtype: Any) -> Any:
    """Return zeros that begin at the start of a cache line.

    NumPy's own arrays begin anywhere at a multiple of 16 bytes, and where the points and sums of a
    tile do, half of the registers of 256 bits that are read and written lie across two lines. For
    t-SNE with a dense P, n = 2000, that took 1.07 times as long (AVX2), with one row a tile 1.2
    times.
    """
    room: Any = np.zeros(math.prod(shape) * np.dtype(dtype).itemsize + LINE, np.uint8)
    # The address that takes the least time to get: with ``room.ctypes``, two arrays took 4 % of a
    # gradient at n = 700.
    address = ctypes.addressof(ctypes.c_char.from_buffer(room))
    return np.ndarray(shape, dtype, room, -address % LINE)


def distances_stay_finite(Yt: Any, factor: float) -> bool:
    """Return whether ``factor`` times any squared distance of the points Yt (d, n) fits their type.

    Only float32 is examined: False for coordinates from some 1e18 on, infinite or NaN. Float64 has
    no operation that needs finite operands.
    """
    if Yt.dtype != np.float32:
        return True
    # τ_ij ≤ 2 Σ_k ‖y_k‖². A dot product takes 1 µs, the largest coordinate would take 5.
    return float(np.vdot(Yt, Yt)) * max(factor, 1.0) < LARGEST_SINGLE / 4


def n_chunks(n: int) -> int:
    """Return the number of chunks that sums over n points are cut into: a function of n alone.

    It bounds the number of threads that can share the work, and must not depend on it: sums over
    chunks would otherwise be rounded differently for each number of threads.
    """
    if n < MANY:
        return 1
    doublings = max(n // DOUBLING, 1).bit_length() - 1
    return min(CHUNKS << doublings, MOST)


def half_square(pair: PairSum) -> Any:
    """Return a compiled function that adds one chunk of the sums of ``pair``.

    * returns add_chunk: ``add_chunk(points, extras, P, parameters, n, axes, chunk, n_chunks, sums,
      totals)``

      * points (d, width), extras (pair.extras, width) or None: :func:`padded`, n of them in use;
      * P: dense (n, n), C-contiguous, or None; only i < j is read. With ``pair.both`` packed:
        entry (i, j) in its place for i < j, entry (j, i) at [n − 1 − i, j − i − 1], below the
        diagonal;
      * parameters: 1-d array of pair.parameters numbers, in the points' type;
      * axes: (), or a tuple of length d ≤ 3 for code specialized to this d (code is compiled for
        types, and a tuple's length is part of its type). That is faster only for the shortest
        formulas: t-SNE at n = 2000, d = 2 takes 0.39 ms instead of 0.49, a Gaussian 0.70 instead
        of 0.53;
      * chunk, n_chunks: which part of the rows;
      * sums (pair.n_sums(d), width), in the points' type, and totals (pair.totals), float64, are
        added to. Forces first, component by component.
    """
    shape_of = _shape_of_tile(pair)
    add_inner = _tile(pair, masked=False)
    add_edge = _tile(pair, masked=True)

    @inlined
    def add_chunk(points, extras, P, parameters, n, axes, chunk, n_chunks, sums, totals):
        rows, step, columns, n_weights, rows_ahead = shape_of(points, axes)
        weights = np.empty((n_weights, columns), points.dtype)
        mode = flush_subnormals()
        for start in range(0, n, columns):
            stop = min(start + columns, n)
            whole = start + (stop - start) // step * step
            width = start + (stop - start + step - 1) // step * step
            # Chunks take blocks of rows in turn: rows become shorter towards the end of the half
            # square, and every chunk should get its share of long and short ones.
            for i in range(chunk * rows, stop, n_chunks * rows):
                first = max(start, i // step * step)
                inner = start  # no column from here on lies on or below the diagonal
                if i + rows > start:
                    inner = min((i + rows - 1) // step * step + step, width)
                last = max(inner, whole)
                for a, b in ((first, inner), (last, width)):
                    if a < b:
                        add_edge(
                            points, extras, P, parameters, weights, sums, totals, axes,
                            n, i, i, a, b,
                        )  # fmt: skip
                if inner < whole:
                    next_i = i + n_chunks * rows_ahead
                    add_inner(
                        points, extras, P, parameters, weights, sums, totals, axes,
                        n, i, next_i, inner, whole,
                    )  # fmt: skip
        restore_mode(mode)

    return add_chunk


def _shape(context: Any, pair: PairSum, n_axes: int, number: Any) -> Shape:
    """Return the shape of a tile on the processor that ``context`` compiles for."""
    registers = vector_registers(target(context))
    return shape_of_tile(pair, n_axes, number.bitwidth // 8, registers)


def _shape_of_tile(pair: PairSum) -> Any:
    """Return a function that gives what the loop over tiles needs to know of them.

    A tile's rows, columns read at once, columns, and weights; and how many of its own rows ahead a
    chunk prefetches P.
    """

    @intrinsic
    def shape_of(typing_context, points, axes):
        def write(context, builder, signature, arguments):
            shape = _shape(context, pair, axes.count, points.dtype)
            step = shape.registers * lane_count(context, points.dtype)
            n_weights = 0 if axes.count else shape.rows * pair.forces
            rows_ahead = max(shape.rows, ROWS_AHEAD)
            numbers = [INDEX(k) for k in (shape.rows, step, shape.columns, n_weights, rows_ahead)]
            return integers(context, builder, signature.return_type, numbers)

        return types.UniTuple(types.intp, 5)(points, axes), write

    return shape_of


def _tile(pair: PairSum, masked: bool) -> Any:
    """Return a function that adds one tile: rows from i on, columns from ``first`` to ``last``.

    ``next_i`` is the first row of a tile that comes soon, whose P is prefetched.
    """

    def write(context: Any, builder: ir.IRBuilder, signature: Any, arguments: Any) -> ir.Value:
        data = Data(*arrays(context, builder, signature.args[:7], arguments[:7]))
        n_axes, number = signature.args[7].count, signature.args[0].dtype
        shape = _shape(context, pair, n_axes, number)
        count = shape.registers * lane_count(context, number)
        kind = FewAxes if n_axes else AnyAxes
        place = Place(*arguments[8:])
        # Where lanes are masked there is one pass as a rule, and nothing to compute ahead.
        ahead = shape.ahead and not masked
        tile = kind(builder, pair, masked, shape.rows, count, place, data, ahead)
        tile.write(n_axes or data.points.height)
        return no_result(context)

    @intrinsic
    def add_tile(
        typing_context, points, extras, P, parameters, weights, sums, totals, axes,
        n, i, next_i, first, last,
    ):  # fmt: skip
        at = types.intp
        return types.void(
            points, extras, P, parameters, weights, sums, totals, axes, at, at, at, at, at
        ), write

    return add_tile
