"""Places of new points by a potential on a mesh: the same formulas, a point at a time."""

from __future__ import annotations

from typing import Any

import numpy as np

from nbembed.kernels.terms import GAUSSIAN_BELOW
from tests.kernels.reference.placement import _least


def _exponents(tau: Any, w: float, alpha: float) -> tuple[Any, Any]:
    """Return e and S = de/dτ."""
    if alpha < GAUSSIAN_BELOW:
        return w * tau, np.full_like(tau, w)
    return np.log1p(alpha * w * tau) / alpha, w / (1 + alpha * w * tau)


def potentials(Yt: Any, nodes: Any, w: float, alpha: float, n_threads: int) -> Any:
    """See :func:`nbembed.kernels.placement_field.potentials`."""
    out = np.empty(nodes.shape[1])
    for b, node in enumerate(nodes.T):
        e, _ = _exponents(np.square(Yt - node[:, None]).sum(axis=0), w, alpha)
        low = e.min()
        out[b] = np.log(np.exp(low - e).sum()) - low
    return out


def _spline(t: float) -> tuple[Any, Any]:
    r = 1 - t
    values = [r**3, 4 - 6 * t**2 + 3 * t**3, 4 - 6 * r**2 + 3 * r**3, t**3]
    slopes = [-3 * r**2, (9 * t - 12) * t, (12 - 9 * r) * r, 3 * t**2]
    return np.array(values) / 6, np.array(slopes) / 6


def descend_on_field(
    P: Any, neighbors: Any, field: Any, w: float, alpha: float, tether: float, starts: Any,
    size: float, n_threads: int,
) -> Any:  # fmt: skip
    """See :func:`nbembed.kernels.placement_field.descend_on_field`."""
    origin, inverse, shape = field[:2], field[2], (int(field[3]), int(field[4]))
    coefficients = field[5:].reshape(shape)
    places = np.empty((len(P), 2))
    for i, p in enumerate(P):

        def look(y: Any, p: Any = p, at: Any = neighbors[i]) -> Any:
            x = (y - origin) * inverse
            if not ((x >= 1) & (x < np.array(shape) - 2)).all():
                return np.inf, np.zeros(2), 0.0
            a, b = x.astype(int)
            c = coefficients[a - 1 : a + 3, b - 1 : b + 3]
            (wx, dx), (wy, dy) = _spline(x[0] - a), _spline(x[1] - b)
            gap = y - at
            e, s = _exponents(np.square(gap).sum(axis=1), w, alpha)
            pull = 2 * (1 + tether) * p * s
            gradient = pull @ gap + inverse * np.array([dx @ c @ wy, wx @ c @ dy])
            return (1 + tether) * (p @ e) + wx @ c @ wy, gradient, pull.sum()

        places[i], _ = _least(look, starts[i], size, max(size, 1 / np.sqrt(w)))
    return places
