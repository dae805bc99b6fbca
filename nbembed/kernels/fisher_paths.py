"""Lengths of straight paths in the Fisher metric of a mixture of labeled Gaussians.

With ``p(c|x) = Σ_k β_ck φ_k(x) / Σ_k φ_k(x)``, ``φ_k = exp(−‖x − m_k‖²/2σ²)``, the metric of
"Supervised nonlinear dimensionality reduction by neighbor retrieval", section 2.1, is

    J(x) = Σ_c p(c|x) b_c b_cᵀ,   b_c = σ⁻² (E[m_k | x, c] − E[m_k | x])

and the straight path from x_i to x_j in T pieces of δ = (x_j − x_i)/T is ``Σ_t √(δᵀ J(x_t) δ)``
long, J taken at the middle of each piece: there and back are as far.

No vector of the data's space is needed for a pair. Let ``a_ik = ‖x_i − m_k‖²/2σ²`` and
``e_k = a_jk − a_ik``. At the share s of the way the exponents of the Gaussians are
``a_ik + s e_k``, up to a constant common to all k, which cancels from p(c|x); and
``m_k·(x_j − x_i)/σ² = −e_k``, up to another one, which cancels from b_c. So

    w_k = exp(−a_ik − s e_k),   ē = Σ_k w_k e_k / Σ_k w_k
    N_c = Σ_k β_ck w_k,         G_c = Σ_k β_ck w_k (e_k − ē)
    (x_j − x_i)ᵀ J (x_j − x_i) = Σ_c G_c² / N_c / Σ_k w_k

(the columns of β sum to one): the length of the path is that of a curve in the simplex of the
classes along which the log-odds of the Gaussians change steadily.

The weights are divided by their largest, so that no relevant one underflows, and ē is subtracted
before the sums over classes, so that nothing cancels. Differences e_k are taken in float64 whatever
the type of the work, which keeps the distances of near points accurate. Rows are the left points,
lanes the right ones; the two sums over k stay in registers for :data:`CLASSES` classes at a time.
"""

from __future__ import annotations

from typing import Any

import numpy as np

from nbembed.kernels.codegen.compiling import compiled, read_only
from nbembed.kernels.codegen.ir_helpers import accumulate, arrays, lane_count, spread
from nbembed.kernels.codegen.numba_adapter import as_intp, intrinsic, ir, no_result, types
from nbembed.kernels.codegen.simd import INDEX, Lanes, Pointer, broadcast, load, store
from nbembed.kernels.codegen.vector_math import lanes_exp
from nbembed.kernels.threads import run_chunks

#: Classes whose sums are in registers at the same time: twelve sums, which fit sixteen registers.
CLASSES = 6
#: Columns are padded to a multiple of the longest register.
PADDING = 16
#: A class of smaller probability adds less than this to a squared length, relative to the spread of
#: the exponents.
TINY = 1e-30
#: Multiplications in a chunk: some ten milliseconds.
WORK = 4e8


def path_lengths(A: Any, B: Any, beta: Any, pieces: int, dtype: Any, n_threads: int) -> Any:
    """Return the lengths of the straight paths from each point of ``A`` to each of ``B``.

    * A (n, K) float64: ‖x_i − m_k‖²/2σ². Adding a number to a row changes nothing; without its
      least the row is most precise.
    * B (m, K), float64, or None: the same of the other ends; None for all pairs of ``A``, which
      takes half the time.
    * beta (C, K): β_ck ≥ 0, columns sum to one.
    * pieces: T ≥ 1.
    * dtype: of the work and of the result. float32 is twice as fast, and off by some 1e-7 times
      the largest exponent that matters on the way.
    * returns lengths (n, m): finite and ≥ 0; exactly 0 between equal rows. With ``B`` None
      symmetric to the last bit.

    O(n m T K C) time, whatever the dimension of the data. ``benchmarks/learning_metric.py`` prints
    it.
    """
    A = np.asarray(A, np.float64)
    n, K = A.shape
    symmetric = B is None
    B = A if B is None else np.asarray(B, np.float64)
    m = B.shape[0]
    columns = np.zeros((K, -(-m // PADDING) * PADDING))
    columns[:, :m] = B.T
    out = np.empty((n, m), dtype)
    groups = _by_groups(np.asarray(beta, dtype))
    work = max(m, 1) * pieces * K * (2 * groups.shape[0] * CLASSES + 16)
    rows = int(max(1, min(n, WORK / work)))
    A, columns, groups = read_only(A), read_only(columns), read_only(groups)

    def fill(chunk: int) -> None:
        first = chunk * rows
        _fill(A, columns, groups, pieces, symmetric, first, min(first + rows, n), out)

    run_chunks(fill, -(-n // rows), n_threads)
    return out


def shorten(D: Any, n_threads: int) -> None:
    """Replace distances by lengths of shortest paths over the complete graph, in place.

    D (n, n) is symmetric and ≥ 0. Floyd's algorithm, O(n³).
    """
    n = D.shape[0]
    rows = max(1, 2**20 // max(n, 1))
    for k in range(n):
        through = D[k].copy()
        run_chunks(
            lambda chunk: _relax(D[chunk * rows : (chunk + 1) * rows], through, k),  # noqa: B023
            -(-n // rows),
            n_threads,
        )


def detours(direct: Any, D: Any, n_threads: int) -> Any:
    """Return shortest ways of new points, min_l direct[i, l] + D[l, j].

    ``direct`` (n_new, n) holds their lengths to each of the old points, ``D`` (n, n) the shortest
    ways among those, with a zero diagonal.
    """
    out = direct.copy()
    run_chunks(lambda i: _detour(direct[i], D, out[i]), direct.shape[0], n_threads)
    return out


def _by_groups(beta: Any) -> Any:
    """Return β as (groups of classes, K · CLASSES), the classes of a group side by side."""
    C, K = beta.shape
    groups = -(-C // CLASSES)
    padded = np.zeros((groups * CLASSES, K), beta.dtype)
    padded[:C] = beta
    return np.ascontiguousarray(
        padded.reshape(groups, CLASSES, K).transpose(0, 2, 1).reshape(groups, K * CLASSES)
    )


@compiled
def _relax(D, through, k):
    for i in range(D.shape[0]):
        row = D[i]
        first = row[k]
        for j in range(row.size):
            way = first + through[j]
            row[j] = way if way < row[j] else row[j]


@compiled
def _detour(direct, D, out):
    for k in range(D.shape[0]):
        row = D[k]
        first = direct[k]
        for j in range(row.size):
            way = first + row[j]
            out[j] = way if way < out[j] else out[j]


@compiled
def _fill(A, columns, beta, pieces, symmetric, first, last, out):
    K, width = columns.shape
    scratch = np.empty((3 * K, PADDING), out.dtype)
    lengths = np.empty(width, out.dtype)
    m = out.shape[1]
    for i in range(first, last):
        start = i // PADDING * PADDING if symmetric else 0
        _row(A[i], columns, beta, scratch, lengths, pieces, start)
        if symmetric:
            out[i, i] = 0.0
            for j in range(i + 1, m):
                out[i, j] = lengths[j]
                out[j, i] = lengths[j]
        else:
            for j in range(m):
                out[i, j] = lengths[j]


@intrinsic
def _row(typing_context, a, columns, beta, scratch, lengths, pieces, start):
    """Write the lengths of the paths from one point to all columns from ``start`` on."""

    def write(context, builder, signature, arguments):
        kinds, values = signature.args, arguments
        data = arrays(context, builder, kinds[:5], values[:5])
        count = lane_count(context, kinds[3].dtype)
        pieces, start = (
            as_intp(context, builder, value, kind) for value, kind in zip(values[5:], kinds[5:])
        )
        _Path(builder, data, count, pieces).write_row(start)
        return no_result(context)

    return types.void(a, columns, beta, scratch, lengths, pieces, start), write


class _Path:
    """Writes the code of one row: its state is the code's variables that do not change."""

    def __init__(self, builder: ir.IRBuilder, data: Any, count: int, pieces: ir.Value) -> None:
        self.builder = builder
        self.a, self.columns, self.beta, self.scratch, self.lengths = data
        self.count = count
        self.pieces = pieces
        self.like = (self.scratch.element, count)
        self.K = self.columns.height
        self.none = INDEX(0)

    def _spare(self, which: int, k: ir.Value) -> Pointer:
        """Return where scratch keeps number k of one of the three lists: e, w and w (e − ē)."""
        return self.scratch.row(self.builder.add(k, self.builder.mul(self.K, INDEX(which))))

    def _read(self, which: int, k: ir.Value) -> Lanes:
        return load(self.builder, self._spare(which, k), self.none, self.count)

    def _keep(self, numbers: Lanes, which: int, k: ir.Value) -> None:
        store(self.builder, numbers, self._spare(which, k), self.none)

    def _loop(self, stop: ir.Value, n_sums: int, body: Any, step: int = 1) -> list[Lanes]:
        return accumulate(self.builder, self.none, stop, n_sums, self.like, body, step)

    def _a(self, k: ir.Value) -> Lanes:
        return spread(self.builder, self.a.data, k, self.count).as_type(self.like[0])

    def write_row(self, start: ir.Value) -> None:
        width = self.lengths.height

        def block(j: ir.Value, sums: list[Lanes]) -> list[Lanes]:
            self._write_block(j)
            return sums

        accumulate(self.builder, start, width, 0, self.like, block)

    def _write_block(self, j: ir.Value) -> None:
        """Write the lengths to the ``count`` columns from j on."""
        builder = self.builder

        def differences(k: ir.Value, sums: list[Lanes]) -> list[Lanes]:
            there = load(builder, self.columns.row(k), j, self.count)
            here = spread(builder, self.a.data, k, self.count)
            self._keep((there - here).as_type(self.like[0]), 0, k)
            return sums

        self._loop(self.K, 0, differences)
        number = builder.sitofp(self.pieces, self.like[0])
        share = 1.0 / broadcast(builder, number, self.count)

        def piece(t: ir.Value, sums: list[Lanes]) -> list[Lanes]:
            place = broadcast(builder, builder.sitofp(t, self.like[0]), self.count)
            s = (place + 0.5) * share
            return [sums[0] + self._write_piece(s)]

        (total,) = self._loop(self.pieces, 1, piece)
        store(builder, total * share, self.lengths.data, j)

    def _write_piece(self, s: Lanes) -> Lanes:
        """Return √((x_j − x_i)ᵀ J (x_j − x_i)) at the share s of the way."""

        def height(k: ir.Value) -> Lanes:
            return s.times_plus(self._read(0, k), self._a(k))

        above = height(self.none)

        def deepest(k: ir.Value, sums: list[Lanes]) -> list[Lanes]:
            return [sums[0].at_least(above - height(k))]

        (depth,) = self._loop(self.K, 1, deepest)
        least = above - depth

        def weigh(k: ir.Value, sums: list[Lanes]) -> list[Lanes]:
            e = self._read(0, k)
            w = lanes_exp(least - height(k))
            self._keep(w, 1, k)
            return [sums[0] + w, w.times_plus(e, sums[1])]

        Z, M = self._loop(self.K, 2, weigh)
        mean = M / Z

        def center(k: ir.Value, sums: list[Lanes]) -> list[Lanes]:
            self._keep(self._read(1, k) * (self._read(0, k) - mean), 2, k)
            return sums

        self._loop(self.K, 0, center)

        def group(g: ir.Value, sums: list[Lanes]) -> list[Lanes]:
            row = self.beta.row(g)

            def products(k: ir.Value, parts: list[Lanes]) -> list[Lanes]:
                w, v = self._read(1, k), self._read(2, k)
                at = self.builder.mul(k, INDEX(CLASSES))
                found = []
                for c in range(CLASSES):
                    b = spread(self.builder, row, self.builder.add(at, INDEX(c)), self.count)
                    found += [b.times_plus(w, parts[2 * c]), b.times_plus(v, parts[2 * c + 1])]
                return found

            parts = self._loop(self.K, 2 * CLASSES, products)
            total = sums[0]
            for N, G in zip(parts[::2], parts[1::2]):
                total = G.times_plus(G / N.at_least(TINY), total)
            return [total]

        (total,) = self._loop(self.beta.height, 1, group)
        return (total / Z).square_root()
