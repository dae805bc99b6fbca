"""HSSNE with a user's own similarity: H and its score S, compiled into plain loops.

    q = H(τ),   S = −d log H/dτ,   force_i = Σ_j c_ij S_ij (y_i − y_j)

The sums are those of :mod:`nbembed.kernels.heavy_tailed` and :mod:`nbembed.kernels.links`, in
float64 and pair by pair: some thirty times slower than the built-in family, but for any H and S
that numba compiles. Each row of pairs has its own sums, so that the result does not depend on the
number of threads. Values of H below 2.2e-308 count as that number.
"""

from __future__ import annotations

import math
from collections.abc import Callable
from functools import lru_cache
from typing import Any

import numpy as np

from nbembed.kernels.codegen.numba_adapter import NumbaError, njit
from nbembed.kernels.terms import GroupTerms, HeavyTailedTerms, Loops, SparseTerms
from nbembed.kernels.threads import run_chunks

#: Rows a chunk of work.
ROWS = 64
TINY = float(np.finfo(np.float64).tiny)
_OPTIONS: Any = {"nogil": True, "error_model": "numpy"}


@lru_cache(maxsize=32)
def loops(H: Callable[[float], float], S: Callable[[float], float]) -> Loops:
    """Return the loops for a similarity and its score; compiled when they are first called.

    Raises ValueError if numba cannot compile one of them; its message is kept.
    """
    compiled_pair = []
    for name, function in (("H", H), ("score", S)):
        made = njit(**_OPTIONS)(getattr(function, "py_func", function))
        try:
            found = made(1.0)
        except (NumbaError, TypeError) as error:
            raise ValueError(
                f"{name} must be a function of one number that numba can compile, got "
                f"{function!r}: {str(error).strip().splitlines()[0]}"
            ) from error
        if not isinstance(found, float):
            raise ValueError(f"{name} must return a float, got {type(found).__name__}")
        compiled_pair.append(made)
    h, s = compiled_pair

    @njit(**_OPTIONS)
    def values(tau, similarity, score):
        for j in range(tau.size):
            similarity[j] = h(tau[j])
            score[j] = s(tau[j])

    @njit(**_OPTIONS)
    def dense(Y, P, half, cost, first, last, attraction, repulsion, curvature, normalizer, cross):
        n, d = Y.shape
        for i in range(first, last):
            for j in range(n):
                if j == i:
                    continue
                tau = 0.0
                for k in range(d):
                    tau += (Y[i, k] - Y[j, k]) ** 2
                q = max(h(tau), TINY)
                bend = s(tau)
                p = P[i, j] * (half[i] + half[j])
                pull = p * bend
                push = q * bend
                normalizer[i] += q
                curvature[i] += pull
                if cost:
                    cross[i] -= p * np.log(q)
                for k in range(d):
                    attraction[i, k] += pull * (Y[i, k] - Y[j, k])
                    repulsion[i, k] += push * (Y[i, k] - Y[j, k])

    @njit(**_OPTIONS)
    def repulse(Y, first, last, repulsion, normalizer):
        n, d = Y.shape
        for i in range(first, last):
            for j in range(n):
                if j == i:
                    continue
                tau = 0.0
                for k in range(d):
                    tau += (Y[i, k] - Y[j, k]) ** 2
                q = max(h(tau), TINY)
                push = q * s(tau)
                normalizer[i] += q
                for k in range(d):
                    repulsion[i, k] += push * (Y[i, k] - Y[j, k])

    @njit(**_OPTIONS)
    def attract(Y, indptr, indices, data, half, cost, first, last, attraction, curvature, cross):
        d = Y.shape[1]
        for i in range(first, last):
            for at in range(indptr[i], indptr[i + 1]):
                j = indices[at]
                tau = 0.0
                for k in range(d):
                    tau += (Y[i, k] - Y[j, k]) ** 2
                p = data[at] * (half[i] + half[j])
                pull = p * s(tau)
                curvature[i] += pull
                if cost:
                    cross[i] -= p * np.log(max(h(tau), TINY))
                for k in range(d):
                    attraction[i, k] += pull * (Y[i, k] - Y[j, k])

    @njit(**_OPTIONS)
    def group(Y, indptr, members, weights, rates, force, curvature):
        d = Y.shape[1]
        cross = 0.0
        for g in range(indptr.size - 1):
            for a in range(indptr[g], indptr[g + 1]):
                for b in range(a + 1, indptr[g + 1]):
                    i, j = members[a], members[b]
                    tau = 0.0
                    for k in range(d):
                        tau += (Y[i, k] - Y[j, k]) ** 2
                    share = weights[a] * weights[b] * (rates[a] + rates[b])
                    pull = share * s(tau)
                    cross -= 2.0 * share * np.log(max(h(tau), TINY))
                    curvature[i] += pull
                    curvature[j] += pull
                    for k in range(d):
                        step = pull * (Y[i, k] - Y[j, k])
                        force[i, k] += step
                        force[j, k] -= step
        return cross

    @njit(**_OPTIONS)
    def terms(e, scores, w, alpha):
        for j in range(e.size):
            tau = w * e[j]
            scores[j] = w * s(tau)
            e[j] = -np.log(max(h(tau), TINY))

    return Loops(values, dense, repulse, attract, group, terms)


def custom_values(H: Any, S: Any, tau: Any) -> tuple[Any, Any]:
    """Return H and S at each τ, float64."""
    tau = np.ascontiguousarray(tau, dtype=np.float64)
    similarity, score = np.empty_like(tau), np.empty_like(tau)
    loops(H, S).values(tau, similarity, score)
    return similarity, score


def custom_pairs(
    H: Any, S: Any, Yt: Any, P: Any, want_cost: bool, n_threads: int, *, keep: Any = None
) -> HeavyTailedTerms:
    """Return the sums over pairs of HSSNE's cost, in float64.

    The arguments and results are those of :func:`~.heavy_tailed.heavy_tailed`, with a similarity H
    and its score S, functions of τ, in place of α.
    """
    made = loops(H, S)
    Y = np.ascontiguousarray(Yt.T, dtype=np.float64)
    n, d = Y.shape
    repulsion, normalizer = np.zeros((n, d)), np.zeros(n)
    if isinstance(P, tuple):

        def repulse(chunk: int) -> None:
            made.repulsion(Y, *_rows(chunk, n), repulsion, normalizer)

        run_chunks(repulse, -(-n // ROWS), n_threads)
        pull = custom_entries(H, S, Yt, P, want_cost, n_threads, keep=keep)
        return HeavyTailedTerms(
            pull.force, repulsion.T, pull.curvature, float(normalizer.sum()), pull.cross
        )
    attraction, curvature, cross = np.zeros((n, d)), np.zeros(n), np.zeros(n)
    half = _half(keep, n)

    def run(chunk: int) -> None:
        made.dense(
            Y, P, half, want_cost, *_rows(chunk, n),
            attraction, repulsion, curvature, normalizer, cross,
        )  # fmt: skip

    run_chunks(run, -(-n // ROWS), n_threads)
    total = float(cross.sum()) if want_cost else math.nan
    return HeavyTailedTerms(attraction.T, repulsion.T, curvature, float(normalizer.sum()), total)


def custom_entries(
    H: Any,
    S: Any,
    Yt: Any,
    P: tuple[Any, ...],
    want_cost: bool,
    n_threads: int = 1,
    *,
    keep: Any = None,
) -> SparseTerms:
    """Return the pull along the entries of P, as :func:`~.sparse.sparse_attraction` does.

    In float64. ``keep`` is as for :func:`~.heavy_tailed.heavy_tailed`.
    """
    Y = np.ascontiguousarray(Yt.T, dtype=np.float64)
    n = len(Y)
    force, curvature, cross = np.zeros_like(Y), np.zeros(n), np.zeros(n)
    half, made = _half(keep, n), loops(H, S)

    def run(chunk: int) -> None:
        made.attraction(Y, *P, half, want_cost, *_rows(chunk, n), force, curvature, cross)

    run_chunks(run, -(-n // ROWS), n_threads)
    return SparseTerms(force.T, curvature, float(cross.sum()) if want_cost else math.nan)


def _half(keep: Any, n: int) -> Any:
    return np.full(n, 0.5) if keep is None else np.asarray(keep, np.float64) / 2


def _rows(chunk: int, n: int) -> tuple[int, int]:
    return chunk * ROWS, min((chunk + 1) * ROWS, n)


def custom_groups(
    H: Any, S: Any, Yt: Any, indptr: Any, members: Any, weights: Any, rates: Any
) -> GroupTerms:
    """Return the pull within groups, as :func:`~.links.group_attraction` does, in float64."""
    Y = np.ascontiguousarray(Yt.T, dtype=np.float64)
    force, curvature = np.zeros_like(Y), np.zeros(len(Y))
    cross = loops(H, S).groups(
        Y, indptr, members, weights, np.asarray(rates, dtype=np.float64), force, curvature
    )
    return GroupTerms(force.T, curvature, float(cross))
