"""Quintic B-splines, by which points and grid exchange values.

A B-spline M of order 6 is a bump over six nodes of a grid, a polynomial of degree 5 between any two
of them, with four continuous derivatives. With u ∈ [0, 1) a point's offset from the node to its
left, the bumps at the nodes −2 … 3 around it have there the weights

    M(u + 2), M(u + 1), M(u), M(u − 1), M(u − 2), M(u − 3),    which sum to one.

They follow from those of lower orders p = 2 … 6 by de Boor's recursion

    (p − 1) M_p(x) = x M_{p−1}(x) + (p − x) M_{p−1}(x − 1)        (x counted from the left end)

and their derivatives are differences of the weights of order 5: M_6'(x) = M_5(x) − M_5(x − 1).
"""

from __future__ import annotations

from functools import cache
from typing import Any, NamedTuple

import numpy as np
from numpy.polynomial import Polynomial

from nbembed.kernels.codegen.compiling import inlined

#: Nodes in reach of a point, along each axis; how many of them are to the left of its cell.
ORDER = 6
LEFT = 2


@inlined
def weights(u, w, slopes):
    """Fill ``w`` and ``slopes`` with the six weights at offset u and their derivatives."""
    one = w.dtype.type(1)
    w[0] = one - u
    w[1] = u
    for p in range(3, 6):
        scale = one / (p - 1)
        w[p - 1] = scale * u * w[p - 2]
        for k in range(p - 2, 0, -1):
            w[k] = scale * ((u + (p - 1 - k)) * w[k - 1] + ((k + 1) - u) * w[k])
        w[0] = scale * (one - u) * w[0]
    slopes[0] = -w[0]
    for k in range(1, 5):
        slopes[k] = w[k - 1] - w[k]
    slopes[5] = w[4]
    scale = one / 5
    w[5] = scale * u * w[4]
    for k in range(4, 0, -1):
        w[k] = scale * ((u + (5 - k)) * w[k - 1] + ((k + 1) - u) * w[k])
    w[0] = scale * (one - u) * w[0]


def symbol(theta: Any) -> Any:
    """Return Σ_k M(k) cos kθ over the nodes: how a spline's nodes damp the frequency θ."""
    return (66 + 52 * np.cos(theta) + 2 * np.cos(2 * theta)) / 120


class Polynomials(NamedTuple):
    """Polynomials of u − ½, a row a power and a column a node: (degree + 1, 6) each.

    * weights, slopes: w and dw/du of the six nodes.
    * overlaps, overlap_slopes: c_a = Σ_k w_k w_{k+a} and dc_a/du, both doubled for a > 0, which
      stands for ±a: what a charge on its nodes has in common with itself a nodes away.
    """

    weights: Any
    slopes: Any
    overlaps: Any
    overlap_slopes: Any


@cache
def polynomials() -> Polynomials:
    """Return the results of :func:`weights` as polynomials."""
    u, none = Polynomial([0.5, 1.0]), Polynomial([0.0])
    w = [1 - u, u]
    for p in range(3, ORDER + 1):
        before = [none, *w, none]
        w = [
            ((u + (p - 1 - k)) * before[k] + (k + 1 - u) * before[k + 1]) / (p - 1)
            for k in range(p)
        ]
    overlaps = [
        (1 if a == 0 else 2) * sum((w[k] * w[k + a] for k in range(ORDER - a)), none)
        for a in range(ORDER)
    ]
    tables = []
    for degree, each in ((ORDER - 1, w), (2 * ORDER - 2, overlaps)):
        tables.append(_table(each, degree))
        tables.append(_table([one.deriv() for one in each], degree - 1))
    return Polynomials(*tables)


def _table(each: list[Polynomial], degree: int) -> Any:
    """Return the coefficients of polynomials of a degree, a row a power."""
    table = np.zeros((degree + 1, len(each)))
    for k, one in enumerate(each):
        known = one.coef[: degree + 1]
        table[: len(known), k] = known
    return table
