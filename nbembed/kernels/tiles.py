"""Sums over all pairs of points, each pair visited once: the loop under every exact method.

    force_i  = Σ_j f(τ_ij, P_ij) (y_i − y_j)      a pair adds to i what it subtracts from j
    scalar_i = Σ_j h(τ_ij, P_ij)                  a pair adds the same to both
    total    = Σ_{i<j} t(τ_ij, P_ij)

with τ_ij = ‖y_i − y_j‖² and f, h, t symmetric in i and j. A method states them in a
:class:`PairSum`; :func:`half_square` makes the compiled loop.

The half square i < j is cut into tiles of a few rows by some hundred columns. A row's coordinates
and sums stay in registers while the columns run by; a column's coordinates are loaded, and its sums
updated, once for all the rows of the tile. Where a tile meets the diagonal or the last column,
lanes without a pair are masked.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import Any, NamedTuple

import numpy as np
from llvmlite import ir
from numba import types
from numba.extending import intrinsic

from nbembed.kernels.compiling import inlined
from nbembed.kernels.lanes import (
    INDEX,
    Lanes,
    lane_numbers,
    load,
    load_where,
    prefetch,
    splat_index,
    store,
)
from nbembed.kernels.writing import accumulate, add_total, arrays, lane_count, spread

#: Coordinates and sums of a tile's columns take so many bytes at most, about a first-level cache,
#: and its columns are so many at most.
CACHE = 48 * 1024
COLUMNS = 1024
#: Arrays over points are padded to a multiple of this, the most columns that are read at once.
PADDING = 32
#: Sums over at least MANY points are cut into CHUNKS chunks, whatever the number of threads.
CHUNKS = 8
MANY = 800


class Terms(NamedTuple):
    """What one pair adds to each of the sums of a :class:`PairSum`."""

    forces: Sequence[Lanes] = ()
    scalars: Sequence[Lanes] = ()
    totals: Sequence[Lanes] = ()


class PairSum(NamedTuple):
    """Sums over pairs: what a pair adds, and how many sums of each sort there are.

    Attributes
    ----------
    formula : callable
        ``formula(tau, p, at_row, at_column, parameters)`` returns the :class:`Terms` of a pair.
        ``p`` is P_ij, None if there is no P; ``at_row`` and ``at_column`` are lists of further
        values at i and j.
    forces, scalars, totals : int
        How many of each it returns. A force has as many components as the points have.
    extras, parameters : int
        Lengths of ``at_row`` and of ``parameters``.
    registers : int
        How many registers of columns a row works on side by side. 2 gives a long chain of dependent
        steps something to do while it waits for itself (general α, n = 2000: 0.95 ms against 1.10),
        and only costs registers where the chain is short (α = 1: 0.67 ms against 0.46).
    """

    formula: Callable[..., Terms]
    forces: int = 0
    scalars: int = 0
    totals: int = 0
    extras: int = 0
    parameters: int = 0
    registers: int = 1

    def n_sums(self, n_axes: int) -> int:
        """Return how many arrays over points are summed."""
        return self.forces * n_axes + self.scalars


class Shape(NamedTuple):
    """Of a tile: rows, registers of columns side by side in a row, and columns in all."""

    rows: int
    registers: int
    columns: int


def shape_of_tile(pair: PairSum, n_axes: int, itemsize: int) -> Shape:
    """Return the fastest shape measured, for n_axes coordinates of ``itemsize`` bytes.

    More rows save loads and stores of the columns' sums, until the rows' own values no longer fit
    the 32 registers (t-SNE with a dense P, n = 2000, d = 2: 0.39 ms with 2 rows, 0.36 with 3, 0.45
    with 4). Registers side by side: see :class:`PairSum`; with more axes there is enough to do.
    """
    n_sums = pair.n_sums(n_axes)
    in_registers = n_sums + n_axes + 2 * pair.extras
    rows = 4 if in_registers <= 6 else 3 if in_registers <= 9 else 2
    registers = pair.registers if n_axes <= 3 else 1
    columns = CACHE // (itemsize * (n_sums + n_axes + pair.extras)) // PADDING * PADDING
    return Shape(rows, registers, max(PADDING, min(columns, COLUMNS)))


def padded(values: Any) -> Any:
    """Return ``values`` (k, n) with zeros appended to its rows, for whole registers to be read."""
    k, n = values.shape
    result = np.zeros((k, padded_length(n, values.dtype)), values.dtype)
    result[:, :n] = values
    return result


def padded_length(n: int, dtype: Any) -> int:
    """Return a length of rows, at least n, such that tiles can be read whole.

    Rows follow each other at an odd number of cache lines. At a power of two the values of one
    column would compete for the same few places of the cache: at n = 2000 and d = 10 that took 1.4
    times as long.
    """
    return -(-n // PADDING) * PADDING + 64 // np.dtype(dtype).itemsize


def n_chunks(n: int) -> int:
    """Return into how many chunks sums over n points are cut: a function of n alone."""
    return CHUNKS if n >= MANY else 1


def half_square(pair: PairSum) -> Any:
    """Return a compiled function that adds one chunk of the sums of ``pair``.

    Returns
    -------
    add_chunk : function for use in compiled code
        ``add_chunk(points, extras, P, parameters, n, axes, chunk, n_chunks, sums, totals)``

        * points (d, width), extras (pair.extras, width) or None: :func:`padded`, n of them in use;
        * P: dense (n, n), C-contiguous, or None; only i < j is read;
        * parameters: 1-d array of pair.parameters numbers, in the points' type;
        * axes: a tuple of length d. Code is made for types; a tuple's length is part of its type;
        * chunk, n_chunks: which part of the rows;
        * sums (pair.n_sums(d), width), in the points' type, and totals (pair.totals), float64, are
          added to. Forces first, component by component.
    """
    shape_of = _shape_of_tile(pair)
    add_inner = _tile(pair, masked=False)
    add_edge = _tile(pair, masked=True)

    @inlined
    def add_chunk(points, extras, P, parameters, n, axes, chunk, n_chunks, sums, totals):
        rows, step, columns = shape_of(points, axes)
        for start in range(0, n, columns):
            stop = min(start + columns, n)
            whole = start + (stop - start) // step * step
            width = start + (stop - start + step - 1) // step * step
            # Chunks take blocks of rows in turn: rows near the diagonal are short, and every chunk
            # should have as many of them.
            for i in range(chunk * rows, stop, n_chunks * rows):
                first = max(start, i // step * step)
                inner = start  # no column from here on lies on or below the diagonal
                if i + rows > start:
                    inner = min((i + rows - 1) // step * step + step, width)
                last = max(inner, whole)
                for a, b in ((first, inner), (last, width)):
                    if a < b:
                        add_edge(points, extras, P, parameters, n, axes, i, i, a, b, sums, totals)
                if inner < whole:
                    next_i = i + n_chunks * rows
                    add_inner(
                        points, extras, P, parameters, n, axes, i, next_i, inner, whole,
                        sums, totals,
                    )  # fmt: skip

    return add_chunk


def _shape_of_tile(pair: PairSum) -> Any:
    """Return the function that knows a tile's rows, columns read at once, and columns."""

    @intrinsic
    def shape_of(typing_context, points, axes):
        def write(context, builder, signature, arguments):
            shape = shape_of_tile(pair, axes.count, points.dtype.bitwidth // 8)
            step = shape.registers * lane_count(context, points.dtype)
            numbers = [INDEX(number) for number in (shape.rows, step, shape.columns)]
            return context.make_tuple(builder, signature.return_type, numbers)

        return types.UniTuple(types.intp, 3)(points, axes), write

    return shape_of


def _tile(pair: PairSum, masked: bool) -> Any:
    """Return the function that adds one tile: rows from i on, columns from ``first`` to ``last``.

    ``next_i`` is the first row of the tile that the caller is going to ask for next.
    """

    def write(context: Any, builder: ir.IRBuilder, signature: Any, arguments: Any) -> ir.Value:
        points_to_parameters = arrays(context, builder, signature.args[:4], arguments[:4])
        n, _, i, next_i, first, last = arguments[4:10]
        sums, totals = arrays(context, builder, signature.args[10:], arguments[10:])
        number = signature.args[0].dtype
        shape = shape_of_tile(pair, signature.args[5].count, number.bitwidth // 8)
        count = shape.registers * lane_count(context, number)
        tile = _Tile(
            builder, pair, masked, shape.rows, count, signature.args[5].count, n, i,
            next_i, *points_to_parameters,
        )  # fmt: skip
        tile.add(first, last, sums, totals)
        return context.get_dummy_value()

    @intrinsic
    def add_tile(
        typing_context, points, extras, P, parameters, n, axes, i, next_i, first, last, sums, totals
    ):
        at = types.intp
        return types.void(
            points, extras, P, parameters, at, axes, at, at, at, at, sums, totals
        ), write

    return add_tile


class _Tile:
    """Writer of the code of one tile."""

    def __init__(
        self, builder, pair, masked, n_rows, count, n_axes, n, i, next_i, points, extras, P,
        parameters,
    ):  # fmt: skip
        self.builder, self.pair, self.masked, self.count = builder, pair, masked, count
        self.like = points.element, count
        self.n_sums = pair.n_sums(n_axes)
        self.rows = [builder.add(i, INDEX(r)) for r in range(n_rows)]
        self.coordinates = [points.row(k) for k in range(n_axes)]
        self.extras = [extras.row(k) for k in range(pair.extras)]
        self.P = self.next_P = None
        if P is not None:
            self.P = [P.row(row) for row in self.rows]
            self.next_P = [P.row(builder.add(next_i, INDEX(r))) for r in range(n_rows)]
        self.parameters = [
            spread(builder, parameters.data, INDEX(k), count) for k in range(pair.parameters)
        ]
        self.y_rows = [[spread(builder, y, i, count) for y in self.coordinates] for i in self.rows]
        self.extras_rows = [[spread(builder, e, i, count) for e in self.extras] for i in self.rows]
        self.limit = splat_index(builder, n, count)

    def add(self, first, last, sums, totals):
        """Write the loop over the columns and what follows it."""
        builder, n_sums = self.builder, self.n_sums
        self.sums = [sums.row(k) for k in range(n_sums)]
        n_carried = len(self.rows) * n_sums + self.pair.totals
        result = accumulate(builder, first, last, n_carried, self.like, self._columns)
        for r, row in enumerate(self.rows):
            for k, pointer in enumerate(self.sums):
                add_total(builder, pointer, row, result[r * n_sums + k])
        for k in range(self.pair.totals):
            add_total(builder, totals.data, INDEX(k), result[len(self.rows) * n_sums + k])

    def _columns(self, j: ir.Value, carried: list[Lanes]) -> list[Lanes]:
        """Write what is done with the columns from j on that are read at once."""
        builder, n_sums = self.builder, self.n_sums
        row_sums = [carried[r * n_sums : (r + 1) * n_sums] for r in range(len(self.rows))]
        totals = carried[len(self.rows) * n_sums :]
        y = [load(builder, pointer, j, self.count) for pointer in self.coordinates]
        extras = [load(builder, pointer, j, self.count) for pointer in self.extras]
        differences, terms = [], []
        for r in range(len(self.rows)):
            difference = [a - b for a, b in zip(self.y_rows[r], y)]
            of_row = self._terms(r, j, difference, extras)
            totals = [total + t for total, t in zip(totals, of_row.totals, strict=True)]
            differences.append(difference)
            terms.append(of_row)
        # One array of sums after the other, all rows at once: with many axes neither the rows' nor
        # the columns' sums fit the registers, and this way only the rows' do not.
        for k, pointer in enumerate(self.sums):
            column_sum = load(builder, pointer, j, self.count)
            force, axis = divmod(k, len(y))
            for r, of_row in enumerate(terms):
                if force < self.pair.forces:
                    f, component = of_row.forces[force], differences[r][axis]
                    row_sums[r][k] = f.times_plus(component, row_sums[r][k])
                    column_sum = (-f).times_plus(component, column_sum)
                else:
                    h = of_row.scalars[k - self.pair.forces * len(y)]
                    row_sums[r][k] = row_sums[r][k] + h
                    column_sum = column_sum + h
            store(builder, column_sum, pointer, j)
        return [total for of_row in row_sums for total in of_row] + totals

    def _terms(self, r: int, j: ir.Value, difference: list[Lanes], extras: list[Lanes]) -> Terms:
        """Return what row r and the columns from j on add, nothing where there is no pair."""
        tau = difference[0] * difference[0]
        for component in difference[1:]:
            tau = component.times_plus(component, tau)
        pairs = self._pairs(r, j) if self.masked else None
        p = None
        if self.P is not None:
            if pairs is None:
                p = load(self.builder, self.P[r], j, self.count)
                # Rows of P are too short for the processor to guess which comes next. Asking for it
                # while this one is used takes a third off the time when P comes from memory (α = 1,
                # n = 2000: 0.62 ms against 0.90), and nothing when it is in a cache.
                prefetch(self.builder, self.next_P[r], j, self.count)
            else:
                p = load_where(self.builder, pairs, self.P[r], j, self.count)
            p = p.as_type(self.like[0])
        terms = self.pair.formula(tau, p, self.extras_rows[r], extras, self.parameters)
        if pairs is None:
            return terms
        return Terms(*([x.where(pairs, 0.0) for x in part] for part in terms))

    def _pairs(self, r: int, j: ir.Value) -> ir.Value:
        """Return in which lanes row < column < n."""
        builder = self.builder
        columns = builder.add(splat_index(builder, j, self.count), lane_numbers(self.count))
        above = builder.icmp_signed(">", columns, splat_index(builder, self.rows[r], self.count))
        return builder.and_(above, builder.icmp_signed("<", columns, self.limit))
