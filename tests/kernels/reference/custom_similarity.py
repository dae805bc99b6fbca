"""HSSNE with a user's own similarity, called pair by pair as a Python function."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numpy as np

from nbembed.kernels.terms import GroupTerms, HeavyTailedTerms, Loops, SparseTerms
from tests.kernels.reference.links import group_sums
from tests.kernels.reference.pairs import TINY, heavy_tailed_sums, squared_gaps


def _checked(H: Any, S: Any) -> list[Callable[[Any], Any]]:
    """Return both functions for arrays, or raise as the compiled kernels do."""
    functions: list[Callable[[Any], Any]] = []
    for name, given in (("H", H), ("score", S)):
        function = getattr(given, "py_func", given)
        try:
            found = function(1.0)
        except Exception as error:
            raise ValueError(
                f"{name} must be a function of one number, got {given!r}: {error}"
            ) from error
        if not isinstance(found, float):
            raise ValueError(f"{name} must return a float, got {type(found).__name__}")
        functions.append(np.vectorize(function, otypes=[np.float64]))
    return functions


def loops(H: Callable[[float], float], S: Callable[[float], float]) -> Loops:
    """See :func:`nbembed.kernels.custom_similarity.loops`."""
    h, s = _checked(H, S)

    def terms(e: Any, scores: Any, w: float, alpha: float) -> None:
        tau = w * e
        scores[:] = w * s(tau)
        e[:] = -np.log(np.maximum(h(tau), TINY))

    return Loops(None, None, None, None, None, terms)


def custom_values(H: Any, S: Any, tau: Any) -> tuple[Any, Any]:
    """See :func:`nbembed.kernels.custom_similarity.custom_values`."""
    h, s = _checked(H, S)
    tau = np.asarray(tau, np.float64)
    return h(tau), s(tau)


def custom_pairs(
    H: Any, S: Any, Yt: Any, P: Any, want_cost: bool, n_threads: int, *, keep: Any = None
) -> HeavyTailedTerms:
    """See :func:`nbembed.kernels.custom_similarity.custom_pairs`."""
    Yt = np.asarray(Yt, np.float64)
    q, score = custom_values(H, S, squared_gaps(Yt))
    q = np.maximum(q, TINY)
    return heavy_tailed_sums(Yt, P, q, -np.log(q), score, want_cost, keep)


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
    """See :func:`nbembed.kernels.custom_similarity.custom_entries`."""
    terms = custom_pairs(H, S, Yt, P, want_cost, 1, keep=keep)
    return SparseTerms(terms.attraction, terms.curvature, terms.cross)


def custom_groups(
    H: Any, S: Any, Yt: Any, indptr: Any, members: Any, weights: Any, rates: Any
) -> GroupTerms:
    """See :func:`nbembed.kernels.custom_similarity.custom_groups`."""
    Yt = np.asarray(Yt, np.float64)
    q, score = custom_values(H, S, squared_gaps(Yt))
    return group_sums(Yt, indptr, members, weights, rates, -np.log(np.maximum(q, TINY)), score)
