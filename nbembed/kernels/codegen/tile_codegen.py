"""Generate the code of one tile of :mod:`nbembed.kernels.codegen.tiles`, in two forms.

:class:`AnyAxes` passes over the tile once to compute the weights f(τ, P) of its pairs, which it
stores in a small buffer, and then once for each axis to sum the forces. One version of the code
serves any number of axes (at n = 2000 t-SNE takes 0.5 ms for d = 2, 1.4 for d = 10, 2.5 for
d = 20).

:class:`FewAxes` unrolls everything: the rows' coordinates and sums of all axes stay in registers
during a single pass over the columns. It is faster for a short formula on one or two axes, which is
t-SNE's case; for more axes there are too few registers (3.1 ms for d = 10).
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import Any, NamedTuple

from nbembed.kernels.codegen.ir_helpers import Array, accumulate, add_total, spread
from nbembed.kernels.codegen.numba_adapter import ir
from nbembed.kernels.codegen.simd import (
    INDEX,
    Lanes,
    Pointer,
    lane_numbers,
    load,
    load_where,
    prefetch,
    splat_index,
    store,
    zero,
)


class Terms(NamedTuple):
    """Amounts that one pair adds to each of the sums of a :class:`PairSum`.

    A scalar is a pair of values where the pair adds different amounts to i and to j.
    """

    forces: Sequence[Lanes] = ()
    scalars: Sequence[Lanes | tuple[Lanes, Lanes]] = ()
    totals: Sequence[Lanes] = ()


class PairSum(NamedTuple):
    """Sums over pairs: what a pair adds, and how many sums of each sort there are.

    * formula: ``formula(tau, p, at_row, at_column, parameters)`` returns the :class:`Terms` of a
      pair. ``p`` is P_ij, the pair (P_ij, P_ji) with ``both``, None if there is no P; ``at_row``
      and ``at_column`` are lists of further values at i and j.
    * forces, scalars, totals: how many of each it returns. A force has as many components as the
      points have.
    * extras, parameters: lengths of ``at_row`` and of ``parameters``.
    * registers: how many registers of columns a row processes side by side. With 2, two chains of
      dependent instructions overlap, which pays if the chain is long (general α, n = 2000: 0.95 ms
      instead of 1.10); if it is short, 2 only cost registers (α = 1: 0.67 ms instead of 0.46).
    * both: whether P is not symmetric and a pair needs P_ij and P_ji. P then comes packed
      (:func:`nbembed.kernels.codegen.tiles.half_square`), so that both lie side by side for
      columns that follow each other.
    """

    formula: Callable[..., Terms]
    forces: int = 0
    scalars: int = 0
    totals: int = 0
    extras: int = 0
    parameters: int = 0
    registers: int = 1
    both: bool = False

    def n_sums(self, n_axes: int) -> int:
        """Return the count of arrays over points that are summed."""
        return self.forces * n_axes + self.scalars


class Place(NamedTuple):
    """Which tile: n points in all, first row, first row of the next tile, range of columns."""

    n: ir.Value
    i: ir.Value
    next_i: ir.Value
    first: ir.Value
    last: ir.Value


class Data(NamedTuple):
    """Arrays that a tile reads and writes; ``extras`` and ``P`` may be None."""

    points: Array
    extras: Any
    P: Any
    parameters: Array
    weights: Array
    sums: Array
    totals: Array


class _Tile:
    """Common part of both forms: the place of the tile, and the terms of a row and some columns."""

    def __init__(
        self,
        builder: ir.IRBuilder,
        pair: PairSum,
        masked: bool,
        n_rows: int,
        count: int,
        place: Place,
        data: Data,
        ahead: bool = False,
    ) -> None:
        self.builder, self.pair, self.masked, self.count = builder, pair, masked, count
        self.ahead = ahead
        self.place, self.data = place, data
        self.like = data.points.element, count
        self.rows = [builder.add(place.i, INDEX(r)) for r in range(n_rows)]
        self.next_rows = [builder.add(place.next_i, INDEX(r)) for r in range(n_rows)]
        self.extras = [data.extras.row(k) for k in range(pair.extras)]
        self.extras_rows = [[spread(builder, e, i, count) for e in self.extras] for i in self.rows]
        self.parameters = [
            spread(builder, data.parameters.data, INDEX(k), count) for k in range(pair.parameters)
        ]
        self.limit = splat_index(builder, place.n, count)

    def _accumulate(
        self, n_sums: int, body: Callable[[ir.Value, list[Lanes]], list[Lanes]]
    ) -> list[Lanes]:
        """Generate a loop over the columns that keeps ``n_sums`` registers of sums."""
        first, last = self.place.first, self.place.last
        return accumulate(self.builder, first, last, n_sums, self.like, body)

    def _add_totals(self, totals: list[Lanes]) -> None:
        for k, total in enumerate(totals):
            add_total(self.builder, self.data.totals.data, INDEX(k), total)

    def _terms(self, r: int, j: ir.Value, tau: Lanes) -> Terms:
        """Return the terms of row r with the columns from j on; 0 where there is no pair."""
        builder, count = self.builder, self.count
        pairs = self._pairs(r, j) if self.masked else None
        p: Any = None
        if self.data.P is not None:
            here, then = self.rows[r], self.next_rows[r]
            p = self._entry(j, self.data.P.row(here), self.data.P.row(then), pairs)
            if self.pair.both:
                p = p, self._entry(j, self._mirrored(here), self._mirrored(then), pairs)
        extras = [load(builder, pointer, j, count) for pointer in self.extras]
        terms = self.pair.formula(tau, p, self.extras_rows[r], extras, self.parameters)
        if pairs is None:
            return terms
        return Terms(*([_where(x, pairs) for x in part] for part in terms))

    def _entry(self, j: ir.Value, row: Pointer, next_row: Pointer, pairs: ir.Value | None) -> Lanes:
        """Return the entries of a row of P at the columns from j on; 0 where there is no pair."""
        if pairs is None:
            p = load(self.builder, row, j, self.count)
            # Rows of P within a tile are too short for the processor to predict which comes next.
            # Prefetching it saves a third of the time when P comes from memory (α = 1, n = 2000:
            # 0.62 ms instead of 0.90), and costs nothing when P is in a cache.
            prefetch(self.builder, next_row, j, self.count)
        else:
            p = load_where(self.builder, pairs, row, j, self.count)
        return p.as_type(self.like[0])

    def _mirrored(self, i: ir.Value) -> Pointer:
        """Return a pointer p with P_ji at p[j] for j > i, of a packed P."""
        builder = self.builder
        after = builder.add(i, INDEX(1))
        row = self.data.P.row(builder.sub(self.place.n, after))
        return row.offset(builder, builder.neg(after))

    def _pairs(self, r: int, j: ir.Value) -> ir.Value:
        """Return in which lanes row < column < n."""
        builder = self.builder
        columns = builder.add(splat_index(builder, j, self.count), lane_numbers(self.count))
        above = builder.icmp_signed(">", columns, splat_index(builder, self.rows[r], self.count))
        return builder.and_(above, builder.icmp_signed("<", columns, self.limit))

    def _add_scalars(
        self, j: ir.Value, terms: list[Terms], row_sums: list[Lanes], pointers: list[Pointer]
    ) -> list[Lanes]:
        """Add the scalars of all rows to the columns' sums; return the rows' sums, row by row."""
        row_sums = list(row_sums)
        for k, pointer in enumerate(pointers):
            column_sum = load(self.builder, pointer, j, self.count)
            for r, of_row in enumerate(terms):
                at = r * len(pointers) + k
                to_row, to_column = _two(of_row.scalars[k])
                row_sums[at] = row_sums[at] + to_row
                column_sum = column_sum + to_column
            store(self.builder, column_sum, pointer, j)
        return row_sums


def _two(scalar: Lanes | tuple[Lanes, Lanes]) -> tuple[Lanes, Lanes]:
    return scalar if isinstance(scalar, tuple) else (scalar, scalar)


def _where(term: Any, pairs: ir.Value) -> Any:
    """Return a term, or each of two, where there is a pair, else 0."""
    if isinstance(term, tuple):
        return tuple(x.where(pairs, 0.0) for x in term)
    return term.where(pairs, 0.0)


def _add_force(
    f: Lanes, component: Lanes, row_sum: Lanes, column_sum: Lanes
) -> tuple[Lanes, Lanes]:
    """Return both sums with f·(y_i − y_j) added to the row's and taken from the column's."""
    return f.times_plus(component, row_sum), (-f).times_plus(component, column_sum)


class FewAxes(_Tile):
    """A tile that keeps its rows' coordinates and sums in registers.

    With ``ahead`` it also reads the coordinates of as many columns behind the last as it reads at
    once.
    """

    def write(self, n_axes: int) -> None:
        """Generate the tile's code."""
        builder, data = self.builder, self.data
        self.coordinates = [data.points.row(k) for k in range(n_axes)]
        self.y_rows = [
            [spread(builder, y, i, self.count) for y in self.coordinates] for i in self.rows
        ]
        self.sums = [data.sums.row(k) for k in range(self.pair.n_sums(n_axes))]
        n_row_sums = len(self.rows) * len(self.sums)
        n_sums = n_row_sums + self.pair.totals
        if self.ahead:
            result = self._accumulate_ahead(n_sums)
        else:
            result = self._accumulate(n_sums, self._columns)
        for r, row in enumerate(self.rows):
            for k, pointer in enumerate(self.sums):
                add_total(builder, pointer, row, result[r * len(self.sums) + k])
        self._add_totals(result[n_row_sums:])

    def _accumulate_ahead(self, n_sums: int) -> list[Lanes]:
        """Generate the loop such that each pass computes the distances of the next one's columns.

        The instructions of a pair wait for each other: from the coordinates to τ, from there to the
        weight, and from there to the sums. A processor overlaps passes only as far as it looks
        ahead. In this order the first part of the chain is done before the second part begins.

        Two passes are written one after the other, which saves a tenth of the instructions: those
        that compute addresses, count, and load constants.
        """
        builder, first, last = self.builder, self.place.first, self.place.last
        step, width = self.count, len(self.coordinates) + 1

        def one(j: ir.Value, carried: list[Lanes]) -> list[Lanes]:
            following = self._distances(builder.add(j, INDEX(step)))
            known = carried[n_sums:]
            rows = [known[r * width : (r + 1) * width] for r in range(len(self.rows))]
            return self._columns(j, carried[:n_sums], rows) + following

        def two(j: ir.Value, carried: list[Lanes]) -> list[Lanes]:
            return one(builder.add(j, INDEX(step)), one(j, carried))

        start = [zero(builder, *self.like)] * n_sums + self._distances(first)
        n = len(start)
        # A number of columns is a multiple of the step, and that a power of two.
        even = builder.and_(builder.sub(last, first), INDEX(-2 * step))
        middle = builder.add(first, even)
        carried = accumulate(builder, first, middle, n, self.like, two, 2 * step, start)
        return accumulate(builder, middle, last, n, self.like, one, step, carried)[:n_sums]

    def _distances(self, j: ir.Value) -> list[Lanes]:
        """Return y_i − y_j and τ for the columns from j on, row by row."""
        y = self._read(j)
        return [part for r in range(len(self.rows)) for part in self._distance(r, y)]

    def _read(self, j: ir.Value) -> list[Lanes]:
        """Return the coordinates of the columns from j on."""
        return [load(self.builder, pointer, j, self.count) for pointer in self.coordinates]

    def _distance(self, r: int, y: list[Lanes]) -> list[Lanes]:
        """Return the components of y_i − y_j for row r, and τ."""
        difference = [a - b for a, b in zip(self.y_rows[r], y)]
        tau = difference[0] * difference[0]
        for component in difference[1:]:
            tau = component.times_plus(component, tau)
        return [*difference, tau]

    def _columns(
        self, j: ir.Value, carried: list[Lanes], distances: list[list[Lanes]] | None = None
    ) -> list[Lanes]:
        """Generate the pass over the columns from j on that are read at once.

        ``distances`` are those of each row, if they are known already.
        """
        builder, n_sums, n_axes = self.builder, len(self.sums), len(self.coordinates)
        row_sums = [carried[r * n_sums : (r + 1) * n_sums] for r in range(len(self.rows))]
        totals = carried[len(self.rows) * n_sums :]
        y = self._read(j) if distances is None else []
        differences, terms = [], []
        for r in range(len(self.rows)):
            *difference, tau = self._distance(r, y) if distances is None else distances[r]
            of_row = self._terms(r, j, tau)
            totals = [total + t for total, t in zip(totals, of_row.totals, strict=True)]
            differences.append(difference)
            terms.append(of_row)
        n_forces = self.pair.forces * n_axes
        for k, pointer in enumerate(self.sums[:n_forces]):
            force, axis = divmod(k, n_axes)
            column_sum = load(builder, pointer, j, self.count)
            for r, of_row in enumerate(terms):
                row_sums[r][k], column_sum = _add_force(
                    of_row.forces[force], differences[r][axis], row_sums[r][k], column_sum
                )
            store(builder, column_sum, pointer, j)
        scalars = [total for of_row in row_sums for total in of_row[n_forces:]]
        scalars = self._add_scalars(j, terms, scalars, self.sums[n_forces:])
        n_scalars = self.pair.scalars
        result: list[Lanes] = []
        for r, of_row_sums in enumerate(row_sums):
            result += of_row_sums[:n_forces]
            result += scalars[r * n_scalars : (r + 1) * n_scalars]
        return result + totals


class AnyAxes(_Tile):
    """A tile that passes over its columns once for the weights and once for each axis."""

    def write(self, n_axes: ir.Value) -> None:
        """Generate the tile's code; the number of axes is known only at run time."""
        self.n_axes = n_axes
        n_scalars, n_forces = self.pair.scalars, self.pair.forces
        first_scalar = self.builder.mul(n_axes, INDEX(n_forces))
        self.scalar_sums = [
            self.data.sums.row(self.builder.add(first_scalar, INDEX(k))) for k in range(n_scalars)
        ]
        self.weights = [self.data.weights.row(k) for k in range(len(self.rows) * n_forces)]
        n_row_sums = len(self.rows) * n_scalars
        result = self._accumulate(n_row_sums + self.pair.totals, self._weigh)
        for r, row in enumerate(self.rows):
            for k, pointer in enumerate(self.scalar_sums):
                add_total(self.builder, pointer, row, result[r * n_scalars + k])
        self._add_totals(result[n_row_sums:])
        if n_forces:
            accumulate(self.builder, INDEX(0), n_axes, 0, self.like, self._add_axis, step=1)

    def _weigh(self, j: ir.Value, carried: list[Lanes]) -> list[Lanes]:
        """Generate code that stores the weights of the columns from j on in the buffer."""
        builder = self.builder
        n_row_sums = len(self.rows) * self.pair.scalars
        totals = carried[n_row_sums:]

        def add_axis(axis: ir.Value, taus: list[Lanes]) -> list[Lanes]:
            pointer = self.data.points.row(axis)
            y = load(builder, pointer, j, self.count)
            differences = [spread(builder, pointer, i, self.count) - y for i in self.rows]
            return [a.times_plus(a, tau) for a, tau in zip(differences, taus)]

        taus = accumulate(
            builder, INDEX(0), self.n_axes, len(self.rows), self.like, add_axis, step=1
        )
        terms = [self._terms(r, j, tau) for r, tau in enumerate(taus)]
        at = builder.sub(j, self.place.first)
        for r, of_row in enumerate(terms):
            totals = [total + t for total, t in zip(totals, of_row.totals, strict=True)]
            for k, f in enumerate(of_row.forces):
                store(builder, f, self.weights[r * self.pair.forces + k], at)
        return self._add_scalars(j, terms, carried[:n_row_sums], self.scalar_sums) + totals

    def _add_axis(self, axis: ir.Value, _: list[Lanes]) -> list[Lanes]:
        """Generate the sums of one component of the forces."""
        builder, n_forces = self.builder, self.pair.forces
        pointer = self.data.points.row(axis)
        y_rows = [spread(builder, pointer, i, self.count) for i in self.rows]
        sums = [
            self.data.sums.row(builder.add(axis, builder.mul(self.n_axes, INDEX(k))))
            for k in range(n_forces)
        ]

        def columns(j: ir.Value, row_sums: list[Lanes]) -> list[Lanes]:
            row_sums = list(row_sums)
            at = builder.sub(j, self.place.first)
            y = load(builder, pointer, j, self.count)
            column_sums = [load(builder, total, j, self.count) for total in sums]
            for r, y_row in enumerate(y_rows):
                difference = y_row - y
                for k in range(n_forces):
                    weight = r * n_forces + k
                    f = load(builder, self.weights[weight], at, self.count)
                    row_sums[weight], column_sums[k] = _add_force(
                        f, difference, row_sums[weight], column_sums[k]
                    )
            for total, column_sum in zip(sums, column_sums):
                store(builder, column_sum, total, j)
            return row_sums

        row_sums = self._accumulate(len(self.rows) * n_forces, columns)
        for r, row in enumerate(self.rows):
            for k, total in enumerate(sums):
                add_total(builder, total, row, row_sums[r * n_forces + k])
        return []
