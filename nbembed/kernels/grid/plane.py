"""One point on the grid of a plane: what :mod:`.loops` does for each, in vector registers.

A register holds what belongs to the six nodes along the second axis, and two zeros. With w and v
the weights of a point along the two axes, each a polynomial of the point's offset
(:func:`~nbembed.kernels.grid.splines.polynomials`), and φ the grid,

    row_r = Σ_a w_a φ_ar,   φ(y) = Σ_r row_r v_r,   ∂φ/∂y_2 = Σ_r row_r v_r' / h

and likewise with w' in the place of w for ∂φ/∂y_1. What a point feels of itself has the same form:
of w there are then the overlaps c_a, and of φ the potential near a charge.
"""

from __future__ import annotations

from typing import Any

from nbembed.kernels.codegen.ir_helpers import arrays
from nbembed.kernels.codegen.numba_adapter import intrinsic, ir, no_result, types
from nbembed.kernels.codegen.simd import (
    INDEX,
    Lanes,
    Pointer,
    broadcast,
    load_where,
    store_where,
)
from nbembed.kernels.grid.splines import LEFT, ORDER, polynomials

#: Numbers in a register: the nodes in reach of a point and two more.
LANES = 8


def _in_reach() -> ir.Constant:
    """Return a mask of the lanes that stand for nodes."""
    bit = ir.IntType(1)
    return ir.Constant(ir.VectorType(bit, LANES), [bit(k < ORDER) for k in range(LANES)])


def _values(table: Any, z: Lanes) -> Lanes:
    """Return polynomials of z, one a lane; row k of ``table`` has the coefficients of z^k."""
    kind = z.value.type

    def constants(row: Any) -> Lanes:
        numbers = [ir.Constant(kind.element, float(number)) for number in row]
        nothing = [ir.Constant(kind.element, 0.0)] * (LANES - len(numbers))
        return Lanes(z.builder, ir.Constant(kind, numbers + nothing))

    total = constants(table[-1])
    for row in table[-2::-1]:
        total = total.times_plus(z, constants(row))
    return total


def _centered(builder: ir.IRBuilder, offset: ir.Value) -> Lanes:
    """Return an offset in a cell, counted from its middle, in every lane."""
    return broadcast(builder, offset, LANES) - 0.5


def _each(lanes: Lanes) -> list[Lanes]:
    """Return the numbers of the nodes, each in every lane."""
    return [broadcast(lanes.builder, lanes.lane(k), LANES) for k in range(ORDER)]


def _spread(context: Any, builder: ir.IRBuilder, signature: Any, arguments: Any) -> ir.Value:
    (grid,) = arrays(context, builder, signature.args[:1], arguments[:1])
    a, b, u, v, charge = arguments[1:]
    tables, reach = polynomials(), _in_reach()
    along = _values(tables.weights, _centered(builder, u)) * broadcast(builder, charge, LANES)
    across = _values(tables.weights, _centered(builder, v))
    first = builder.sub(b, INDEX(LEFT))
    for k, weight in enumerate(_each(along)):
        row = grid.row(builder.add(a, INDEX(k - LEFT)))
        nodes = load_where(builder, reach, row, first, LANES)
        store_where(builder, reach, weight.times_plus(across, nodes), row, first)
    return no_result(context)


@intrinsic
def spread_point(typing_context, grid, a, b, u, v, charge):
    """Add a charge in the cell (a, b), at the offsets (u, v) in it, to the grid."""
    real = grid.dtype
    return types.void(grid, types.intp, types.intp, real, real, real), _spread


def _interpolate(context: Any, builder: ir.IRBuilder, signature: Any, arguments: Any) -> ir.Value:
    field, near, found = arrays(
        context, builder, (*signature.args[:2], signature.args[7]), (*arguments[:2], arguments[7])
    )
    a, b, u, v, charge = arguments[2:7]
    tables, reach = polynomials(), _in_reach()
    z = _centered(builder, u), _centered(builder, v)

    def sums(rows: list[Lanes], values: Any, slopes: Any) -> list[Lanes]:
        """Return the sum over rows and lanes, and its derivatives along both axes, as scalars."""
        w, dw = _values(values, z[0]), _values(slopes, z[0])
        v, dv = _values(values, z[1]), _values(slopes, z[1])
        plain = steep = rows[0].constant(0.0)
        for row, weight, slope in zip(rows, _each(w), _each(dw), strict=True):
            plain = row.times_plus(weight, plain)
            steep = row.times_plus(slope, steep)
        parts = plain * v, steep * v, plain * dv
        return [Lanes(builder, part.total()) for part in parts]

    def rows_of(pointer: Pointer, first: ir.Value) -> Lanes:
        return load_where(builder, reach, pointer, first, LANES)

    first = builder.sub(b, INDEX(LEFT))
    nodes = [rows_of(field.row(builder.add(a, INDEX(k - LEFT))), first) for k in range(ORDER)]
    potential = sums(nodes, tables.weights, tables.slopes)
    nearest = [rows_of(near.row(k), INDEX(0)) for k in range(ORDER)]
    own = sums(nearest, tables.overlaps, tables.overlap_slopes)
    # A shift of the point moves source and target: half of that is the target's.
    charge = Lanes(builder, charge)
    for k, share in enumerate((charge, charge * 0.5, charge * 0.5)):
        place = found.data.offset(builder, INDEX(k))
        builder.store((potential[k] - share * own[k]).value, place.address)
    return no_result(context)


@intrinsic
def interpolate_point(typing_context, field, near, a, b, u, v, charge, found):
    """Write potential and gradient at a point, in units of the spacing, to ``found``."""
    real, at = field.dtype, types.intp
    return types.void(field, near, at, at, real, real, real, found), _interpolate
