"""Compiled loops over points: spreading onto the grid, and interpolation from it.

A point at y lies in the cell of node b = ⌊(y − low)/h⌋, counted along each axis, and has the
weights w of :mod:`~nbembed.kernels.grid.splines` at the nodes b − 2 … b + 3:

    spreading        ρ_ab ← ρ_ab + c w_a v_b                   a charge c onto 6 × 6 nodes
    interpolation    φ(y) = Σ_ab w_a v_b φ_ab,   ∂φ/∂y_1 = Σ_ab w_a' v_b φ_ab / h

Points are visited row by row of the grid, so that the nodes they touch stay in the cache. In the
plane, :mod:`.plane` does the work of a point.
"""

import numpy as np

from nbembed.kernels.codegen.compiling import compiled, inlined
from nbembed.kernels.grid.plane import interpolate_point, spread_point
from nbembed.kernels.grid.splines import LEFT, weights


@compiled
def sort_by_row(points, low, inverse, starts, order):
    """Fill ``order`` with the points sorted by their row of the grid, the first axis.

    ``starts``, zero at first, gets where each row's points begin and, at its end, their number.
    """
    n = points.shape[1]
    for i in range(n):
        starts[int((points[0, i] - low[0]) * inverse) + 1] += 1
    for row in range(1, starts.size):
        starts[row] += starts[row - 1]
    place = starts.copy()
    for i in range(n):
        row = int((points[0, i] - low[0]) * inverse)
        order[place[row]] = i
        place[row] += 1


@inlined
def _cell(points, low, inverse, axis, i):
    """Return the node to the left of point i along an axis, and the offset from it."""
    # In float64: of a float32 coordinate in cells, the offset would have few digits left.
    place = (points[axis, i] - low[axis]) * inverse
    # Rounding may put the first point of the map a little before the first cell.
    node = max(int(place), LEFT)
    return node, place - node


@compiled
def spread_plane(points, charges, order, low, inverse, first, last, grid):
    """Add the charges of the points at the places ``first`` to ``last`` of ``order``."""
    real = grid.dtype.type
    for place in range(first, last):
        i = order[place]
        a, u = _cell(points, low, inverse, 0, i)
        b, v = _cell(points, low, inverse, 1, i)
        spread_point(grid, a, b, real(u), real(v), real(charges[i]))


@compiled
def spread_space(points, charges, order, low, inverse, first, last, grid):
    """Do the same with three axes."""
    w, v, t = np.empty(6, grid.dtype), np.empty(6, grid.dtype), np.empty(6, grid.dtype)
    slopes = np.empty(6, grid.dtype)
    real = grid.dtype.type
    for place in range(first, last):
        i = order[place]
        a, u = _cell(points, low, inverse, 0, i)
        weights(real(u), w, slopes)
        b, u = _cell(points, low, inverse, 1, i)
        weights(real(u), v, slopes)
        c, u = _cell(points, low, inverse, 2, i)
        weights(real(u), t, slopes)
        for k in range(6):
            for r in range(6):
                weight = w[k] * v[r] * real(charges[i])
                for m in range(6):
                    grid[a - 2 + k, b - 2 + r, c - 2 + m] += weight * t[m]


@inlined
def _overlaps(w, slopes, c, s):
    """Fill c_a = Σ_k w_k w_{k+a} and s_a = dc_a/du, both doubled for a > 0, which stands for ±a."""
    for a in range(6):
        total, slope = w[0] * w[a], slopes[0] * w[a] + w[0] * slopes[a]
        for k in range(1, 6 - a):
            total += w[k] * w[k + a]
            slope += slopes[k] * w[k + a] + w[k] * slopes[k + a]
        c[a] = total if a == 0 else 2 * total
        s[a] = slope if a == 0 else 2 * slope


@compiled
def interpolate_plane(
    points, charges, order, low, inverse, first, last, field, near, potential, gradient
):  # fmt: skip
    """Fill potential and gradient at points, less what each point contributes to itself."""
    real = field.dtype.type
    found = np.empty(3, field.dtype)
    for place in range(first, last):
        i = order[place]
        a, u = _cell(points, low, inverse, 0, i)
        b, v = _cell(points, low, inverse, 1, i)
        interpolate_point(field, near, a, b, real(u), real(v), real(charges[i]), found)
        potential[i] = found[0]
        gradient[0, i] = found[1] * inverse
        gradient[1, i] = found[2] * inverse


@compiled
def interpolate_space(
    points, charges, order, low, inverse, first, last, field, near, potential, gradient
):  # fmt: skip
    """Do the same with three axes."""
    real = field.dtype.type
    w, v, t = np.empty(6, field.dtype), np.empty(6, field.dtype), np.empty(6, field.dtype)
    dw, dv, dt = np.empty(6, field.dtype), np.empty(6, field.dtype), np.empty(6, field.dtype)
    cw, cv, ct = np.empty(6, field.dtype), np.empty(6, field.dtype), np.empty(6, field.dtype)
    sw, sv, st = np.empty(6, field.dtype), np.empty(6, field.dtype), np.empty(6, field.dtype)
    for place in range(first, last):
        i = order[place]
        a, u = _cell(points, low, inverse, 0, i)
        weights(real(u), w, dw)
        b, u = _cell(points, low, inverse, 1, i)
        weights(real(u), v, dv)
        c, u = _cell(points, low, inverse, 2, i)
        weights(real(u), t, dt)
        value, g0, g1, g2 = real(0), real(0), real(0), real(0)
        for k in range(6):
            for r in range(6):
                row, slope = real(0), real(0)
                for m in range(6):
                    node = field[a - 2 + k, b - 2 + r, c - 2 + m]
                    row += node * t[m]
                    slope += node * dt[m]
                value += w[k] * v[r] * row
                g0 += dw[k] * v[r] * row
                g1 += w[k] * dv[r] * row
                g2 += w[k] * v[r] * slope
        _overlaps(w, dw, cw, sw)
        _overlaps(v, dv, cv, sv)
        _overlaps(t, dt, ct, st)
        own, o0, o1, o2 = real(0), real(0), real(0), real(0)
        for k in range(6):
            for r in range(6):
                row, slope = real(0), real(0)
                for m in range(6):
                    row += near[k, r, m] * ct[m]
                    slope += near[k, r, m] * st[m]
                own += cw[k] * cv[r] * row
                o0 += sw[k] * cv[r] * row
                o1 += cw[k] * sv[r] * row
                o2 += cw[k] * cv[r] * slope
        charge = real(charges[i])
        half = charge * real(0.5)
        potential[i] = value - charge * own
        gradient[0, i] = (g0 - half * o0) * inverse
        gradient[1, i] = (g1 - half * o1) * inverse
        gradient[2, i] = (g2 - half * o2) * inverse
