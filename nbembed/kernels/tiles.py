"""Sums over all pairs of points, each pair visited once: the loop under every exact method.

    force_i  = Σ_j f(τ_ij, P_ij) (y_i − y_j)      a pair adds to i what it subtracts from j
    scalar_i = Σ_j h(τ_ij, P_ij)                  a pair adds the same to both
    total    = Σ_{i<j} t(τ_ij, P_ij)

with τ_ij = ‖y_i − y_j‖² and f, h, t symmetric in i and j. A method states them in a :class:`PairSum`;
:func:`half_square` makes the compiled loop.

The half square i < j is cut into tiles of a few rows by ``COLUMNS`` columns. A row's coordinates and sums
stay in registers while the columns run by; a column's coordinates are loaded, and its sums updated, once for
all the rows of the tile. Where a tile meets the diagonal or the last column, lanes without a pair are masked.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import Any, NamedTuple

import numpy as np
from llvmlite import ir
from numba import types
from numba.extending import intrinsic

from nbembed.kernels.compiling import inlined
from nbembed.kernels.lanes import INDEX, Lanes, lane_numbers, load, load_where, splat_index, store
from nbembed.kernels.writing import accumulate, add_total, arrays, lane_count, spread

#: Columns a tile: their coordinates, sums and a row's part of P stay in a 32 KiB first-level cache.
COLUMNS = 512
#: Arrays over points are padded to a multiple of this, the most numbers that a register holds.
PADDING = 16
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
        ``formula(tau, p, at_row, at_column, parameters)`` returns the :class:`Terms` of a pair. ``p`` is
        P_ij, None if there is no P; ``at_row`` and ``at_column`` are lists of further values at i and j.
    forces, scalars, totals : int
        How many of each it returns. A force has as many components as the points have.
    extras, parameters : int
        Lengths of ``at_row`` and of ``parameters``.
    """

    formula: Callable[..., Terms]
    forces: int = 0
    scalars: int = 0
    totals: int = 0
    extras: int = 0
    parameters: int = 0


def padded(values: Any) -> Any:
    """Return ``values`` of shape (k, n) with zeros appended, so that whole registers can be read."""
    k, n = values.shape
    result = np.zeros((k, padded_length(n)), values.dtype)
    result[:, :n] = values
    return result


def padded_length(n: int) -> int:
    """Return n rounded up to a whole number of registers."""
    return -(-n // PADDING) * PADDING


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
        * axes: a tuple of length d. Compiled code is made for types, and the length of a tuple is one;
        * chunk, n_chunks: which part of the rows;
        * sums (pair.forces·d + pair.scalars, width), in the points' type, and totals (pair.totals), float64:
          are added to. Forces first, component by component.
    """
    rows_of = _rows_of_tile(pair)
    add_inner = _tile(pair, masked=False)
    add_edge = _tile(pair, masked=True)

    @inlined
    def add_chunk(points, extras, P, parameters, n, axes, chunk, n_chunks, sums, totals):
        rows = rows_of(axes)
        for start in range(0, n, COLUMNS):
            stop = min(start + COLUMNS, n)
            whole = start + (stop - start) // PADDING * PADDING
            width = start + (stop - start + PADDING - 1) // PADDING * PADDING
            # Chunks take blocks of rows in turn: rows near the diagonal are short, and every chunk
            # should have as many of them.
            for i in range(chunk * rows, stop, n_chunks * rows):
                first = max(start, i // PADDING * PADDING)
                inner = start  # no column from here on lies on or below the diagonal
                if i + rows > start:
                    inner = min((i + rows - 1) // PADDING * PADDING + PADDING, width)
                last = max(inner, whole)
                if inner < whole:
                    add_inner(points, extras, P, parameters, n, axes, i, inner, whole, sums, totals)
                for a, b in ((first, inner), (last, width)):
                    if a < b:
                        add_edge(points, extras, P, parameters, n, axes, i, a, b, sums, totals)

    return add_chunk


def rows_of_tile(pair: PairSum, n_axes: int) -> int:
    """Return how many rows of a tile share a load of the columns: as many as registers allow."""
    n_sums = pair.forces * n_axes + pair.scalars
    return 4 if n_sums <= 5 else 2


def _rows_of_tile(pair: PairSum) -> Any:
    @intrinsic
    def rows(typing_context, axes):  # type: ignore[no-untyped-def]
        def write(context, builder, signature, arguments):  # type: ignore[no-untyped-def]
            return context.get_constant(types.intp, rows_of_tile(pair, axes.count))

        return types.intp(axes), write

    return rows


def _tile(pair: PairSum, masked: bool) -> Any:
    """Return the function that adds one tile: rows from i on, columns from ``first`` to ``last``."""

    def write(context: Any, builder: ir.IRBuilder, signature: Any, arguments: Any) -> ir.Value:
        points_to_parameters = arrays(context, builder, signature.args[:4], arguments[:4])
        n, _, i, first, last = arguments[4:9]
        sums, totals = arrays(context, builder, signature.args[9:], arguments[9:])
        count = lane_count(context, signature.args[0].dtype)
        n_axes = signature.args[5].count
        tile = _Tile(builder, pair, masked, count, n_axes, n, i, *points_to_parameters)
        tile.add(first, last, sums, totals)
        return context.get_dummy_value()

    @intrinsic
    def add_tile(  # type: ignore[no-untyped-def]
        typing_context, points, extras, P, parameters, n, axes, i, first, last, sums, totals
    ):
        at = types.intp
        return types.void(
            points, extras, P, parameters, at, axes, at, at, at, sums, totals
        ), write

    return add_tile


class _Tile:
    """Writer of the code of one tile."""

    def __init__(  # type: ignore[no-untyped-def]
        self, builder, pair, masked, count, n_axes, n, i, points, extras, P, parameters
    ):
        self.builder, self.pair, self.masked, self.count = builder, pair, masked, count
        self.like = points.element, count
        self.n_rows = rows_of_tile(pair, n_axes)
        self.n_sums = pair.forces * n_axes + pair.scalars
        self.rows = [builder.add(i, INDEX(r)) for r in range(self.n_rows)]
        self.coordinates = [points.row(k) for k in range(n_axes)]
        self.extras = [extras.row(k) for k in range(pair.extras)]
        self.P = None if P is None else [P.row(row) for row in self.rows]
        self.parameters = [
            spread(builder, parameters.data, INDEX(k), count) for k in range(pair.parameters)
        ]
        self.y_rows = [[spread(builder, y, i, count) for y in self.coordinates] for i in self.rows]
        self.extras_rows = [[spread(builder, e, i, count) for e in self.extras] for i in self.rows]
        self.limit = splat_index(builder, n, count)

    def add(self, first, last, sums, totals):  # type: ignore[no-untyped-def]
        """Write the loop over the columns and what follows it."""
        builder, n_sums = self.builder, self.n_sums
        self.sums = [sums.row(k) for k in range(n_sums)]
        n_carried = self.n_rows * n_sums + self.pair.totals
        result = accumulate(builder, first, last, n_carried, self.like, self._columns)
        for r, row in enumerate(self.rows):
            for k, pointer in enumerate(self.sums):
                add_total(builder, pointer, row, result[r * n_sums + k])
        for k in range(self.pair.totals):
            add_total(builder, totals.data, INDEX(k), result[self.n_rows * n_sums + k])

    def _columns(self, j: ir.Value, carried: list[Lanes]) -> list[Lanes]:
        """Write what is done with one register of columns from j on."""
        builder, n_sums = self.builder, self.n_sums
        y = [load(builder, pointer, j, self.count) for pointer in self.coordinates]
        extras = [load(builder, pointer, j, self.count) for pointer in self.extras]
        column_sums = [load(builder, pointer, j, self.count) for pointer in self.sums]
        totals = carried[self.n_rows * n_sums :]
        updated: list[Lanes] = []
        for r in range(self.n_rows):
            row_sums = carried[r * n_sums : (r + 1) * n_sums]
            difference = [a - b for a, b in zip(self.y_rows[r], y)]
            tau = difference[0] * difference[0]
            for component in difference[1:]:
                tau = component.times_plus(component, tau)
            pairs = self._pairs(r, j) if self.masked else None
            p = None if self.P is None else self._load_p(self.P[r], j, pairs)
            terms = self.pair.formula(tau, p, self.extras_rows[r], extras, self.parameters)
            if pairs is not None:
                terms = Terms(*([x.where(pairs, 0.0) for x in part] for part in terms))
            k = 0
            for f in terms.forces:
                for component in difference:
                    row_sums[k] = f.times_plus(component, row_sums[k])
                    column_sums[k] = (-f).times_plus(component, column_sums[k])
                    k += 1
            for h in terms.scalars:
                row_sums[k] = row_sums[k] + h
                column_sums[k] = column_sums[k] + h
                k += 1
            totals = [total + t for total, t in zip(totals, terms.totals, strict=True)]
            updated += row_sums
        for pointer, column_sum in zip(self.sums, column_sums):
            store(builder, column_sum, pointer, j)
        return updated + totals

    def _pairs(self, r: int, j: ir.Value) -> ir.Value:
        """Return in which lanes row < column < n."""
        builder = self.builder
        columns = builder.add(splat_index(builder, j, self.count), lane_numbers(self.count))
        above = builder.icmp_signed(">", columns, splat_index(builder, self.rows[r], self.count))
        return builder.and_(above, builder.icmp_signed("<", columns, self.limit))

    def _load_p(self, pointer: ir.Value, j: ir.Value, pairs: ir.Value | None) -> Lanes:
        if pairs is None:
            p = load(self.builder, pointer, j, self.count)
        else:
            p = load_where(self.builder, pairs, pointer, j, self.count)
        return p.as_type(self.like[0])
