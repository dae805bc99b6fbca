"""Widths of neighborhoods: rows p_j ∝ exp(−β d_j²) with a given perplexity or a given width.

The entropy of a row, with u_j = (d_j² − min d²)/mean, w_j = exp(−b u_j) and Z = Σ w, is

    H(b) = log Z + b E[u],     dH/d log b = −b² Var[u],     β = b/mean

(nats; E and Var under the row itself). H decreases from the log of the row's length to the log of
the number of points tied for nearest, so H(b) = log(perplexity) has at most one root. Newton steps
in log b find it, safeguarded by a bracket and started from the previous row's solution: three or
four sweeps of a row where bisection needs thirty.

Shifting by the nearest distance changes no p and keeps Z ≥ 1, so that not even the row of a far
outlier underflows; it is done in float64, before distances are rounded to the type of P. Dividing
by the mean of d² − min d² gives b the order of one, whatever the units.

If ``perplexity`` or more points tie for nearest, no width has so small a perplexity: the row is the
limit of ever smaller widths, uniform over them, and β is one at which the next point weighs e⁻⁴⁰.
If the perplexity is the number of other points (β → 0), the row is uniform.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import Any, NamedTuple

import numpy as np
from numpy.typing import NDArray

from nbembed.kernels.codegen.compiling import compiled, read_only
from nbembed.kernels.codegen.ir_helpers import accumulate, add_total, arrays, lane_count
from nbembed.kernels.codegen.numba_adapter import intrinsic, ir, no_result, types
from nbembed.kernels.codegen.simd import INDEX, Lanes, broadcast, load, store
from nbembed.kernels.codegen.vector_math import lanes_exp2
from nbembed.kernels.terms import TIE, Calibration
from nbembed.kernels.threads import run_chunks

#: Rows in a chunk. The first row of a chunk has no previous solution to start from, so the last
#: digits depend on this number, but not on which thread works on which chunk. Callers that process
#: blocks of rows make them multiples of it.
CHUNK = 32
#: Several chunks of short rows are worked on at once, up to so many entries.
PAIRS = 2**16
#: The most sweeps of a row; bisection alone would reach the limit of float64 in as many.
SWEEPS = 200
#: Columns whose sums are kept in the type of P before they are added in float64; divides by lanes.
COLUMNS = 1024
#: Distance of padding: its weight is zero at any relevant width.
NOWHERE = 1e30

_LOG2_E = float(np.log2(np.e))
#: The most numbers of a register: rows are padded to a multiple.
_PADDING = 16


def calibrate(
    D2: NDArray[Any],
    skip: NDArray[np.int64],
    perplexity: float,
    n_threads: int,
    out: NDArray[Any] | None = None,
    *,
    squared: bool = True,
) -> Calibration:
    """Return rows of neighbor probabilities with a given perplexity, and their precisions.

    * D2 (n, m): squared dissimilarities, finite and ≥ 0. Read only.
    * skip (n,) int64: column of each row's own point, whose probability is zero; −1 for none.
    * perplexity: in [1, m − 1], or [1, m] for rows without a point of their own.
    * out (n, m): where P goes; its type is that of the work. A new array of the type of ``D2`` if
      None.
    * squared: whether ``D2`` has squared dissimilarities; else their roots, squared in float64
      here.
    * returns: the perplexity is met within about 1e-6 (relative) in float32 and 1e-10 in float64,
      except in rows with ties (see the module).

    O(n m) time; memory O(m) a thread besides the result. p below 1e-31 (1e-300 in float64) is zero.
    """
    target = float(np.log(perplexity))

    def widths(rows: _Rows) -> NDArray[np.float64]:
        solvable = (rows.tied < perplexity) & (rows.others > perplexity)
        b = np.where(rows.tied < perplexity, 0.0, np.inf)
        _solve(rows.u, target, solvable, np.zeros(3), b)
        return b

    return _each_chunk(D2, skip, n_threads, out, widths, squared)


def normalize(
    D2: NDArray[Any],
    skip: NDArray[np.int64],
    beta: float,
    n_threads: int,
    out: NDArray[Any] | None = None,
) -> NDArray[Any]:
    """Return rows of neighbor probabilities p_j ∝ exp(−β d_j²) of one precision β > 0.

    The other parameters, and the notes, are those of :func:`calibrate`.
    """
    return _each_chunk(D2, skip, n_threads, out, lambda rows: beta * rows.mean).P


class _Rows(NamedTuple):
    """Rows made free of units: u (rows, width), padded; what u was divided by; and counts."""

    u: NDArray[Any]
    nearest: NDArray[np.float64]
    mean: NDArray[np.float64]
    tied: NDArray[np.int64]
    others: NDArray[np.int64]


def _each_chunk(
    D2: NDArray[Any],
    skip: NDArray[np.int64],
    n_threads: int,
    out: NDArray[Any] | None,
    widths: Callable[[_Rows], NDArray[np.float64]],
    squared: bool = True,
) -> Calibration:
    """Write each row at the b that ``widths`` names; 0 and ∞ stand for the limits."""
    n, m = D2.shape
    P = np.empty_like(D2) if out is None else out
    beta, tied = np.empty(n), np.empty(n, np.int64)
    together = CHUNK * max(1, PAIRS // (CHUNK * m))

    def run(chunk: int) -> None:
        here = slice(chunk * together, min((chunk + 1) * together, n))
        rows = _prepare(D2[here], skip[here], P.dtype, squared)
        b = widths(rows)
        tied[here] = rows.tied
        beta[here] = _precisions(b, rows)
        u = rows.u
        for i in np.flatnonzero((b == 0) | np.isinf(b) | (rows.tied == rows.others)):
            # A limit, of equal weights: all that exist, or those tied for nearest.
            equal = u[i] < NOWHERE if b[i] == 0 else u[i] == 0
            u[i] = np.where(equal, 0, NOWHERE)
            b[i] = 1.0
        _write(u, b, P[here])

    run_chunks(run, -(-n // together), n_threads)
    return Calibration(P, beta, tied)


def _prepare(
    D2: NDArray[Any], skip: NDArray[np.int64], dtype: np.dtype[Any], squared: bool
) -> _Rows:
    r, m = D2.shape
    shifted, nearest, total = np.empty((r, m)), np.empty(r), np.empty(r)
    _shift(read_only(D2), squared, read_only(skip), shifted, nearest, total)
    others = np.where(skip >= 0, m - 1, m)
    mean = total / others
    mean[mean < 1e-300] = np.inf  # all at one distance, or too nearly to divide by the difference
    # Without the second bound a width could be asked for whose precision overflows.
    least = np.maximum(TIE * nearest / mean, 1e-30 if dtype == np.float32 else 1e-250)
    u, tied = np.empty((r, -(-m // _PADDING) * _PADDING), dtype), np.empty(r, np.int64)
    _scale(shifted, 1 / mean, least.astype(dtype), skip, u, tied)
    return _Rows(u, nearest, mean, tied, others)


def _precisions(b: NDArray[np.float64], rows: _Rows) -> NDArray[np.float64]:
    """Return β > 0, finite also where only a limit of widths has the perplexity."""
    beta = np.where(np.isinf(b), 1.0, np.maximum(b, 1e-12)) / rows.mean
    alone = rows.tied == rows.others
    for i in np.flatnonzero(np.isinf(b) & ~alone):
        u = rows.u[i]
        beta[i] = 40 / (float(u[u > 0].min()) * rows.mean[i])
    beta[alone] = 1 / np.where(rows.nearest > 1e-300, rows.nearest, 1)[alone]
    return beta


# ---- compiled sweeps of a row -------------------------------------------------------------------


def _weight(u: Lanes, c: Lanes) -> Lanes:
    """Return 2^(−c u), zero where it or its share of a row could not be a normal number."""
    t = c * u
    # The smallest normal numbers are 2^-126 and 2^-1022; Z may take 2^24 of that.
    lowest = 102.0 if u.single else 998.0
    kept = u.builder.fcmp_ordered("<", t.value, t.constant(lowest).value)
    return lanes_exp2(-t).where(kept, 0.0)


def _row_function(n_sums: int, body: Callable[..., list[Lanes]]) -> Any:
    """Return a function for compiled code that sweeps columns first … last − 1 of row i.

    ``f(u, totals, i, first, last, c)`` adds ``n_sums`` sums over the columns to ``totals``.
    """

    def write(context: Any, builder: ir.IRBuilder, signature: Any, arguments: Any) -> ir.Value:
        given: list[Any] = arrays(context, builder, signature.args[:2], arguments[:2])
        u, totals = given
        i, first, last, c = arguments[2:]
        like = u.element, lane_count(context, signature.args[0].dtype)
        pointer, c = u.row(i), broadcast(builder, c, like[1])

        def sweep(j: ir.Value, sums: list[Lanes]) -> list[Lanes]:
            return body(builder, pointer, j, load(builder, pointer, j, like[1]), c, sums)

        for k, total in enumerate(accumulate(builder, first, last, n_sums, like, sweep)):
            add_total(builder, totals.data, INDEX(k), total)
        return no_result(context)

    @intrinsic
    def sweep_row(typing_context, u, totals, i, first, last, c):
        return types.void(u, totals, types.intp, types.intp, types.intp, u.dtype), write

    return sweep_row


def _moments(
    builder: Any, pointer: Any, j: Any, u: Lanes, c: Lanes, sums: list[Lanes]
) -> list[Lanes]:
    w = _weight(u, c)
    wu = w * u
    return [sums[0] + w, sums[1] + wu, wu.times_plus(u, sums[2])]


def _replace(
    builder: Any, pointer: Any, j: Any, u: Lanes, c: Lanes, sums: list[Lanes]
) -> list[Lanes]:
    w = _weight(u, c)
    store(builder, w, pointer, j)
    return [sums[0] + w]


_add_moments = _row_function(3, _moments)
_replace_by_weights = _row_function(1, _replace)


@compiled
def _shift(values, squared, skip, shifted, nearest, total):
    """Write squared dissimilarities less the smallest in the row, that, and the sum of the rest.

    The own point counts as zero.
    """
    width = values.shape[1]
    whole = width // 4 * 4
    for i in range(nearest.size):
        row, out, own = values[i], shifted[i], skip[i]
        if squared:
            for j in range(width):
                out[j] = row[j]
        else:
            for j in range(width):
                d = np.float64(row[j])
                out[j] = d * d
        if own >= 0:
            out[own] = np.inf
        # Four at a time: each comparison waits for the one before.
        a = b = c = d = np.inf
        for j in range(0, whole, 4):
            a, b = min(a, out[j]), min(b, out[j + 1])
            c, d = min(c, out[j + 2]), min(d, out[j + 3])
        for j in range(whole, width):
            a = min(a, out[j])
        low = min(min(a, b), min(c, d))
        nearest[i] = low
        if own >= 0:
            out[own] = low
        above = 0.0
        for j in range(width):
            apart = out[j] - low
            out[j] = apart
            above += apart
        total[i] = above


@compiled
def _scale(shifted, factor, least, skip, u, tied):
    """Write the rows in units of their mean; what ties for nearest up to rounding is zero."""
    zero, nowhere = u.dtype.type(0), u.dtype.type(NOWHERE)
    for i in range(factor.size):
        row, out, by, low = shifted[i], u[i], factor[i], least[i]
        ties = 0
        for j in range(row.size):
            value = u.dtype.type(row[j] * by)
            apart = value > low
            out[j] = value if apart else zero
            ties += not apart
        for j in range(row.size, out.size):
            out[j] = nowhere
        own = skip[i]
        if own >= 0:
            ties -= out[own] == zero
            out[own] = nowhere
        tied[i] = ties


@compiled
def _solve(u, target, solvable, totals, b):
    """Write to ``b`` where the entropy is ``target``, for each ``solvable`` row."""
    # A Newton step of ``small`` leaves an error of its square; ``exact`` is what rounding leaves.
    single = u.itemsize == 4
    small = 3e-4 if single else 1e-6
    exact = 3e-7 if single else 1e-14
    width = u.shape[1]
    x = 1.0
    for i in range(u.shape[0]):
        if i % CHUNK == 0:
            x = 1.0
        if not solvable[i]:
            continue
        low, high = 0.0, np.inf
        for _ in range(SWEEPS):
            c = u.dtype.type(x * _LOG2_E)
            totals[:] = 0
            for first in range(0, width, COLUMNS):
                _add_moments(u, totals, i, first, min(first + COLUMNS, width), c)
            mean = totals[1] / totals[0]
            excess = np.log(totals[0]) + x * mean - target
            if abs(excess) < exact:
                break
            if excess > 0:
                low = x
            else:
                high = x
            slope = x * x * (totals[2] / totals[0] - mean * mean)
            # Far from the root H is nearly flat: a factor e² at once is enough.
            step = 2.0 if excess > 0 else -2.0
            if slope > 0:
                step = min(2.0, max(-2.0, excess / slope))
            after = x * np.exp(step)
            if low < after < high:
                x = after
                if abs(step) < small:
                    break
            else:  # both bounds are known, or a factor e² would have stayed inside
                x = np.sqrt(low * high)
                if high - low <= 1e-14 * high:
                    break
        b[i] = x


@compiled
def _write(u, b, P):
    """Turn u into weights, in place, and write each row's shares of their sum."""
    width = u.shape[1]
    total = np.zeros(1)
    for i in range(u.shape[0]):
        c = u.dtype.type(b[i] * _LOG2_E)
        total[0] = 0
        for first in range(0, width, COLUMNS):
            _replace_by_weights(u, total, i, first, min(first + COLUMNS, width), c)
        share = u.dtype.type(1 / total[0])
        row, out = u[i], P[i]
        for j in range(out.size):
            out[j] = row[j] * share
