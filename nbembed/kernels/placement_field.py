"""Positions of many new points on a large map of two dimensions, from their nearest neighbors.

At t = 1 the row that a new point minimizes (:mod:`.placement`) is

    f(y) = (1 + μ) Σ_j p_j e_j(y) + V(y),    V(y) = log Σ_j exp(−e_j(y))

The first sum runs over the neighbors with p_j > 0 alone. V is the same for all new points with the
same w, because the fitted points do not move: it is computed once at the nodes of a mesh of
spacing h (:mod:`nbembed.methods.field_placement`), and interpolated by cubic B-splines in between,

    V(y) = Σ_ab c_ab B(x/h − a) B(y/h − b)

A step of a new point then takes O(k) for k neighbors where all n fitted points would take O(n).
The error of the interpolation is of order h⁴; h is a third of the similarity's width. Beyond the
mesh a place has infinite cost.
"""

from __future__ import annotations

from functools import cache
from types import FunctionType
from typing import Any

import numpy as np

from nbembed.kernels.codegen.compiling import compiled, read_only
from nbembed.kernels.codegen.numba_adapter import njit
from nbembed.kernels.codegen.vector_math import exp, exp2, log2_1p
from nbembed.kernels.placement import descend_with, exponent_terms
from nbembed.kernels.terms import GAUSSIAN_BELOW
from nbembed.kernels.threads import run_chunks

#: Numbers that describe the mesh, before the coefficients: x₀, y₀, 1/h, rows, columns.
HEADER = 5
#: New points, or nodes, in a chunk of work.
CHUNK = 128


@compiled
def _potentials(Yt, nodes, w, alpha, out):
    """Write V at each node."""
    n = Yt.shape[1]
    e = np.empty(n)
    xs, heights = Yt[0], Yt[1]
    for b in range(nodes.shape[1]):
        x, y = nodes[0, b], nodes[1, b]
        low = np.inf
        for j in range(n):
            across, up = xs[j] - x, heights[j] - y
            e[j] = w * (across * across + up * up)
        total = 0.0
        if alpha == 0.0:
            for j in range(n):
                low = min(low, e[j])
            for j in range(n):
                total += exp(low - e[j])
            out[b] = np.log(total) - low
        elif alpha == 1.0:
            for j in range(n):
                total += 1.0 / (1.0 + e[j])
            out[b] = np.log(total)
        else:
            power = -1.0 / alpha
            for j in range(n):
                total += exp2(power * log2_1p(alpha * e[j]))
            out[b] = np.log(total)


def potentials(Yt: Any, nodes: Any, w: float, alpha: float, n_threads: int) -> Any:
    """Return V at nodes (2, m), shape (m,), with one w for all points, by all sums.

    ``Yt`` (2, n) float64 holds the coordinates of the fitted points.
    """
    alpha = 0.0 if alpha < GAUSSIAN_BELOW else float(alpha)
    out = np.empty(nodes.shape[1])
    Yt, nodes = read_only(Yt), read_only(nodes)

    def run(chunk: int) -> None:
        here = slice(chunk * CHUNK, (chunk + 1) * CHUNK)
        _potentials(Yt, nodes[:, here], float(w), alpha, out[here])

    run_chunks(run, -(-out.size // CHUNK), n_threads)
    return out


def _row_cost(Yt, p, field, w, alpha, tradeoff, tether, y, e, s, q, gradient):
    """Stand in for the row cost of all fitted points, with its arguments.

    ``p`` holds k probabilities, then the neighbors' first and their second coordinates; ``field``
    the header and the coefficients of V. Of ``Yt`` only the length k is read; ``q`` holds weights.
    """
    k = Yt.shape[1]
    x, up = y[0], y[1]
    inverse, rows, columns = field[2], int(field[3]), int(field[4])
    across, along = (x - field[0]) * inverse, (up - field[1]) * inverse
    gradient[0] = 0.0
    gradient[1] = 0.0
    # A spline takes the four nodes around it in each direction.
    if not (across >= 1.0 and along >= 1.0 and across < rows - 2.0 and along < columns - 2.0):
        return np.inf, 0.0
    a, b = int(across), int(along)
    t, u = across - a, along - b
    wx, wy, dx, dy = q[0:4], q[4:8], q[8:12], q[12:16]
    _spline(t, wx, dx)
    _spline(u, wy, dy)
    V = 0.0
    for i in range(4):
        line, slope = 0.0, 0.0
        first = HEADER + (a - 1 + i) * columns + b - 1
        for j in range(4):
            c = field[first + j]
            line += c * wy[j]
            slope += c * dy[j]
        V += line * wx[i]
        gradient[0] += line * dx[i] * inverse
        gradient[1] += slope * wx[i] * inverse
    for j in range(k):
        gap, rise = x - p[k + j], up - p[2 * k + j]
        e[j] = gap * gap + rise * rise
    exponent_terms(e, s, w, alpha)
    cross, curvature, pull_x, pull_y = 0.0, 0.0, 0.0, 0.0
    for j in range(k):
        cross += p[j] * e[j]
        weight = p[j] * s[j]
        curvature += weight
        pull_x += weight * (x - p[k + j])
        pull_y += weight * (up - p[2 * k + j])
    pull = 1.0 + tether
    gradient[0] += 2.0 * pull * pull_x
    gradient[1] += 2.0 * pull * pull_y
    return pull * cross + V, 2.0 * pull * curvature


def _spline(t, values, slopes):
    """Write the four cubic B-splines that are not zero at t in [0, 1), and their derivatives."""
    r = 1.0 - t
    values[0] = r * r * r / 6.0
    values[1] = (4.0 - 6.0 * t * t + 3.0 * t * t * t) / 6.0
    values[2] = (4.0 - 6.0 * r * r + 3.0 * r * r * r) / 6.0
    values[3] = t * t * t / 6.0
    slopes[0] = -0.5 * r * r
    slopes[1] = (1.5 * t - 2.0) * t
    slopes[2] = (2.0 - 1.5 * r) * r
    slopes[3] = 0.5 * t * t


@cache
def _descend_on_field() -> Any:
    """Return the descent of :mod:`.placement` with the row cost of this module."""
    compiler = njit(nogil=True, error_model="numpy")
    names = {**globals(), "_spline": compiler(_spline)}
    cost = compiler(FunctionType(_row_cost.__code__, names))
    return descend_with(cost, "_descend_with_field", on_disk=True)


def descend_on_field(
    P: Any,
    neighbors: Any,
    field: Any,
    w: float,
    alpha: float,
    tether: float,
    starts: Any,
    size: float,
    n_threads: int,
) -> Any:
    """Descend from the best of each row's starts; return the place of least cost, (m, 2).

    * P (m, k) float64: neighbor probabilities of the new points over k neighbors each.
    * neighbors (m, k, 2) float64: coordinates of those.
    * field: x₀, y₀, 1/h, rows, columns, and the coefficients c of V.
    * w, alpha, tether, starts, size, n_threads: as for :func:`nbembed.kernels.placement.descend`;
      w is one number, and the starts are on the mesh.
    """
    m, k = P.shape
    alpha = 0.0 if alpha < GAUSSIAN_BELOW else float(alpha)
    # The descent allocates arrays of k numbers, one of which holds the 16 weights of the splines.
    short = max(0, 16 - k)
    P, neighbors = np.pad(P, ((0, 0), (0, short))), np.pad(neighbors, ((0, 0), (0, short), (0, 0)))
    rows = np.concatenate([P, neighbors[:, :, 0], neighbors[:, :, 1]], axis=1)
    rows, starts = read_only(rows), read_only(starts)
    Yt, fields = read_only(np.empty((2, k + short))), read_only(field[None])
    places, costs, widths = np.empty((m, 2)), np.empty(m), read_only(np.full(m, float(w)))
    down = _descend_on_field()

    def run(chunk: int) -> None:
        here = slice(chunk * CHUNK, (chunk + 1) * CHUNK)
        down(
            Yt, rows[here], fields, widths[here], alpha, 1.0, float(tether), starts[here],
            float(size), places[here], costs[here],
        )  # fmt: skip

    run_chunks(run, -(-m // CHUNK), n_threads)
    return places
