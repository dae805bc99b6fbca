"""The spacing of the grid, and the kernel's transform on it.

The kernel K(r²) is sampled at the nodes, ±N of them along each axis, and repeated with the period
2N, so that charges on N nodes see each other at their true distance alone. Spreading and
interpolation each damp a frequency by the splines' symbol b; dividing the transform by b² along
every axis undoes both:

    F_kl = K̂_kl / (b_k b_l)²

after which the potential of a charge at a node is K exactly at every other node. K is even, so
K̂ is a cosine transform of one quadrant.

**Spacing.** How fine a grid the kernel needs is measured along one axis (:func:`spline_error`): a
charge is put at offsets within a cell, and the force on points at other offsets compared with the
derivative of K. The error falls with h⁶ for any kernel; what differs is how soon: α = 0 needs half
the nodes of α = 3 along an axis.
"""

from __future__ import annotations

import bisect
import functools
import math
import threading
from collections import OrderedDict
from functools import lru_cache
from typing import Any, NamedTuple

import numpy as np
from scipy import fft

from nbembed.kernels.grid.radial import GROWING, GaussianMoment, Radial, Smoothed
from nbembed.kernels.grid.splines import ORDER, symbol, weights

#: Spacings that are tried, in widths of the kernel.
SPACINGS = tuple(0.5 * 2 ** (-k / 12) for k in range(61))

#: The error that is allowed in the force between two charges, relative to the root mean square of
#: that force. A map's error is no larger, and at α = 1 a quarter of it, because errors of many
#: pairs cancel; half as much again only where most points sit in a few places narrower than a cell.
TOLERANCE = 4e-4

#: The same in the pull within a group, most of whose points may lie in places narrower than a cell.
PULL = 1e-4

#: The same where small potentials must be right as well as large ones.
PRECISE = 2e-5

#: Nodes along an axis are a number from a list in which each is larger by about this share, so that
#: a map that grows does not need a new transform at every iteration.
STEP = 1 / 16

#: More nodes than this along an axis are never used, and need not be a number that transforms fast.
LARGEST = 2**22


class Plan(NamedTuple):
    """A kernel on a grid of a certain shape.

    * transform (N_0 + 1, N_1 + 1, ...): F for the frequencies of one quadrant.
    * near (6, 6, ...): its inverse transform at the nearest nodes: what charges within one cell's
      reach feel.
    """

    transform: Any
    near: Any


@lru_cache(maxsize=64)
def spacing(kernel: Radial | GaussianMoment, precise: bool = False) -> float:
    """Return the widest spacing with an error of at most what is allowed.

    That is :data:`PRECISE`, :data:`PULL` for a kernel that grows, or else :data:`TOLERANCE`.

    It is 0 where none that is tried is fine enough: similarities that are much steeper somewhere
    than their width says.
    """
    allowed = PRECISE if precise else PULL if kernel.of in GROWING else TOLERANCE
    width = kernel.width
    place = bisect.bisect_left(
        SPACINGS, True, key=lambda h: spline_error(kernel, h * width) <= allowed
    )
    return SPACINGS[place] * width if place < len(SPACINGS) else 0.0


def spline_error(kernel: Radial | GaussianMoment | Smoothed, h: float) -> float:
    """Return the relative error of the force between charges on a grid of one axis.

    Root mean square over offsets of both in their cells and over distances.
    """
    n, offsets = 64, np.arange(8) / 8
    K = kernel.values(np.square(np.arange(n + 1) * h))
    response = fft.dct(K, type=1) / symbol(np.pi * np.arange(n + 1) / n) ** 2
    G = fft.idct(response, type=1)
    w, slopes = _splines_at(tuple(offsets))
    nodes, cells = np.arange(ORDER), np.arange(n // 2)[:, None, None]
    # Axes: distance in whole cells, offset of the point, offset of the charge.
    pairs = G[np.abs(cells + nodes[:, None] - nodes)]
    force = slopes @ pairs @ w.T / h
    r = (cells + offsets[:, None] - offsets) * h
    step = 1e-4 * h
    ahead, behind = (kernel.values(np.square(r + s)) for s in (step, -step))
    exact = (ahead - behind) / (2 * step)
    wrong, right = (float(np.square(part).sum()) for part in (force - exact, exact))
    return math.sqrt(wrong / right) if right > 0 else 0.0


@lru_cache(maxsize=1)
def _splines_at(offsets: tuple[float, ...]) -> tuple[Any, Any]:
    """Return the weights and their derivatives, a row for each offset."""
    w, slopes = np.empty((2, len(offsets), ORDER))
    for k, u in enumerate(offsets):
        weights.py_func(u, w[k], slopes[k])
    return w, slopes


def plan(
    kernel: Radial | GaussianMoment | Smoothed, h: float, shape: tuple[int, ...], dtype: str
) -> Plan:
    """Return the kernel's transform for a grid of ``shape`` with spacing h, in ``dtype``.

    The last ones are kept: two of similarities, and :data:`KEPT` of those that large groups need,
    which have a grid each.
    """
    key = kernel, h, shape, dtype
    if kernel.of == "similarity":
        return _of_similarity(*key)
    with _lock:
        if key in _of_groups:
            _of_groups.move_to_end(key)
            return _of_groups[key]
    made = _make(*key)
    with _lock:
        _of_groups[key] = made
        while len(_of_groups) > KEPT or (len(_of_groups) > 2 and _kept_bytes() > KEPT_BYTES):
            _of_groups.popitem(last=False)
    return made


#: The most transforms of groups that are kept for the next iteration, and the most bytes of them.
KEPT, KEPT_BYTES = 64, 2**26
_of_groups: OrderedDict[tuple[Any, ...], Plan] = OrderedDict()
_lock = threading.Lock()


def _kept_bytes() -> int:
    return sum(p.transform.nbytes for p in _of_groups.values())


def _make(
    kernel: Radial | GaussianMoment | Smoothed, h: float, shape: tuple[int, ...], dtype: str
) -> Plan:
    axes = [np.arange(n + 1) for n in shape]
    tau = functools.reduce(np.add, np.ix_(*(np.square(k * h) for k in axes)))
    transform = fft.dctn(kernel.values(tau), type=1, overwrite_x=True)
    for axis, (n, k) in enumerate(zip(shape, axes)):
        damping = symbol(np.pi * k / n) ** 2
        transform /= damping.reshape([-1 if a == axis else 1 for a in range(len(shape))])
    near = transform
    for n, k in zip(shape, axes):
        # The inverse cosine transform at six nodes alone.
        cosines = np.cos(np.pi / n * np.outer(k, np.arange(ORDER))) / n
        cosines[[0, -1]] /= 2
        near = np.tensordot(near, cosines, axes=(0, 0))
    return Plan(transform.astype(dtype), np.ascontiguousarray(near, dtype))


_of_similarity = lru_cache(maxsize=2)(_make)


def grid_shape(extents: Any, h: float) -> tuple[int, ...]:
    """Return numbers of nodes along the axes for a map of these extents."""
    return tuple(_rounded_up(int(extent / h) + 1 + ORDER) for extent in extents)


@lru_cache(maxsize=1024)
def _rounded_up(n: int) -> int:
    if n > LARGEST:
        return n
    size = ORDER + 2
    while size < n:
        size = max(size + 2, math.ceil(size * (1 + STEP)))
    return int(fft.next_fast_len(size, real=True))
