"""The solver: the generalized eigenproblem behind every learner of the framework.

    minimize  tr AᵀWA   subject to   Aᵀ(B + εI)A = I,

solved by the eigenvectors of ``W a = λ (B + εI) a`` with the smallest λ ("A Unified
Semi-Supervised Dimensionality Reduction Framework for Manifold Learning", eq. 3). Learners that
maximize have −W in the place of W.

**Singular B.** A label constraint has low rank: FDA's has K − 1. Four steps handle this.

* Directions in the null spaces of both W and B are left out first. Along them λ would be 0/ε, the
  optimum, and the learner would return axes that the data say nothing about. If more axes are
  wanted than remain, the principal axes of the rest follow, uncorrelated with the others, with
  λ = ∞.
* For W ≥ 0 the reversed pencil is solved, ``(B + εI) a = θ (W + c(B + εI)) a`` with the largest
  θ = 1/(λ + c). It is well conditioned whatever the rank of B; division by B + εI is not. c makes
  the two traces equal. So ε may be tiny, and FDA equals linear discriminant analysis to many
  digits.
* If W is singular too, as in a kernel's space, where each class can be mapped to one place, several
  axes have λ = 0, and only rounding would order them. They are found first, as the null space of W,
  and the one that B sees best comes first; the others are conjugate to them.
* An axis whose constraint is mostly ε is not informed by B (with two classes FDA has one informed
  axis). While ε only serves numerical stability, the length of such an axis, of order 1/√ε, would
  drown the others, so it is scaled to the scatter of the least scattered informed axis instead, and
  the constraint holds for the informed axes only. An ε above 1e-6 is taken as a choice and
  respected. In all cases the axes stay conjugate.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import NDArray
from scipy.linalg import eigh, null_space, orth
from scipy.linalg.lapack import dpocon, dpotrf

from nbembed.spectral.graphs import symmetric

#: Eigenvalues below this share of the largest, times the dimension, are zero.
ROUNDING = 4 * np.finfo(np.float64).eps
#: Above this estimate of 1/condition a matrix is solved with as it is.
REGULAR = 1e-11
#: An axis is informed if B makes up at least this share of its constraint.
INFORMED = 0.5
#: An ε below this does not show in a sum, and an axis of which B makes less is not bounded by it.
LEAST = 1e-12
#: Up to this, ε only keeps a constraint from being singular; a larger one regularizes.
TINY = 1e-6


@dataclass(frozen=True, eq=False)
class Eigenproblem:
    """A cost and a constraint, in coordinates of the data's span.

    * W (r, r): the cost; minimized.
    * B (r, r): the constraint, positive semidefinite.
    * maximizes: whether the learner maximizes −W: eigenvalues are then reported with their sign
      flipped.
    """

    W: NDArray[np.float64]
    B: NDArray[np.float64]
    maximizes: bool = False


@dataclass(frozen=True, eq=False)
class Eigensolution:
    """The axes that solve a problem.

    * A (r, n_components): best axis first.
    * eigenvalues (n_components,): λ, ascending, or descending where the learner maximizes.
    * cost: ``tr AᵀWA``.
    * informed (n_components,) bool: whether B sees the axis.
    """

    A: NDArray[np.float64]
    eigenvalues: NDArray[np.float64]
    cost: float
    informed: NDArray[np.bool_]


def solve(
    problem: Eigenproblem,
    n_components: int,
    epsilon: float = 0.0,
    scatter: NDArray[Any] | None = None,
) -> Eigensolution:
    """Return the ``n_components`` best axes.

    * epsilon: ε as a share of B's mean eigenvalue, so that it means the same whatever the data's
      unit.
    * scatter (r, r): the scatter of all points, by which uninformed axes are scaled; the identity
      if None.

    Raises ValueError if B is zero, or singular and ``epsilon`` zero where W is indefinite or B
    sees fewer axes than wanted, or there are fewer coordinates than axes wanted.
    """
    W, B = symmetric(problem.W), symmetric(problem.B)
    r = W.shape[0]
    scatter = np.eye(r) if scatter is None else scatter
    if n_components > r:
        raise ValueError(f"n_components must be at most {r}, got {n_components}")
    size = float(np.trace(B)) / max(r, 1)
    if not (size > 0 and np.isfinite(W).all() and np.isfinite(B).all()):
        raise ValueError("constraint must be finite and not zero")
    held = B + epsilon * size * np.eye(r)
    definite = not problem.maximizes and _is_semidefinite(W)
    weight = float(np.trace(W)) / float(np.trace(held)) if W.any() else 1.0
    if definite:
        inner, outer, sight = held, W + weight * held, W + weight * B
    else:
        inner, outer, sight = -W, held, held
    # Features may differ by orders of magnitude in size: remove the units first.
    unit = 1 / np.sqrt(np.where(np.diagonal(sight) > 0, np.diagonal(sight), np.inf))
    unit[unit == 0] = 1.0
    inner, outer, sight, cost = (M * np.outer(unit, unit) for M in (inner, outer, sight, W))
    seen, unseen = (None, None) if _is_regular(sight) else _parted(sight)
    count = r if seen is None else seen.shape[1]
    if not definite and count < r:
        raise ValueError(
            f"epsilon must be larger than {epsilon:g}: the constraint is singular and the cost "
            "is indefinite, so the problem is unbounded"
        )
    if seen is not None:
        inner, outer, cost = (seen.T @ M @ seen for M in (inner, outer, cost))
    free = _free(cost, inner, n_components) if definite else np.empty((count, 0))
    vectors = _best(inner, outer, free, n_components)
    share = weight * _quadratic(vectors, inner) / _quadratic(vectors, outer)
    if definite and epsilon < LEAST and share.min() < LEAST:
        raise ValueError(
            f"epsilon must be at least {LEAST:g} for n_components = {n_components}, got "
            f"{epsilon:g}: the constraint is singular and restricts only "
            f"{(share >= LEAST).sum()} of the axes"
        )
    A = vectors if seen is None else seen @ vectors
    A = np.asarray(unit[:, None] * A, dtype=np.float64)
    if unseen is not None and unseen.size:
        # Among equally good axes take the shortest, with no part that neither W nor B sees.
        unseen = orth(unit[:, None] * unseen)
        A -= unseen @ (unseen.T @ A)
    A /= np.sqrt(_quadratic(A, held))
    values = _quadratic(A, W)
    values[: free.shape[1]] = 0.0  # rounding must not order them
    order = np.argsort(values, kind="stable")
    A, values = A[:, order], values[order]
    informed = _quadratic(A, B) >= INFORMED
    if count < n_components:
        A = np.hstack([A, _rest(A, scatter, n_components - count)])
        values = np.append(values, np.full(n_components - count, np.inf))
        informed = np.append(informed, np.zeros(n_components - count, dtype=bool))
    if epsilon <= TINY or count < n_components:
        A = _level(A, informed, scatter)
    cost = float(np.trace(A.T @ W @ A))
    return Eigensolution(A, -values if problem.maximizes else values, cost, informed)


def _free(
    cost: NDArray[np.float64], held: NDArray[np.float64], n_components: int
) -> NDArray[np.float64]:
    """Return the axes that cost nothing, the one that the constraint sees best first.

    All have λ = 0, so their order needs a rule of its own. To leave it to the pencil would be to
    leave it to rounding.
    """
    if _is_regular(cost):
        return np.empty((len(cost), 0))
    _, null = _parted(symmetric(cost))
    if not null.size:
        return null
    _, best = eigh(symmetric(null.T @ held @ null))
    return np.asarray(null @ best[:, ::-1][:, :n_components])


def _best(
    inner: NDArray[np.float64],
    outer: NDArray[np.float64],
    first: NDArray[np.float64],
    n_components: int,
) -> NDArray[np.float64]:
    """Return the axes ``first`` and, conjugate to them, those of largest θ up to ``n_components``.

    As many as there are coordinates at most.
    """
    missing = min(n_components, len(inner)) - first.shape[1]
    if missing < 1:
        return first
    if first.size:
        rest = null_space((inner @ first).T)
        inner, outer = rest.T @ inner @ rest, rest.T @ outer @ rest
    _, vectors = eigh(
        symmetric(inner),
        symmetric(outer),
        subset_by_index=[len(inner) - missing, len(inner) - 1],
        check_finite=False,
    )
    vectors = vectors[:, ::-1]
    return np.hstack([first, rest @ vectors]) if first.size else np.asarray(vectors)


def _rest(A: NDArray[np.float64], scatter: NDArray[Any], n_components: int) -> NDArray[np.float64]:
    """Return the principal axes among those that are uncorrelated with the axes A."""
    free = null_space(A.T @ scatter)
    last = free.shape[1] - 1
    _, vectors = eigh(
        symmetric(free.T @ scatter @ free), subset_by_index=[last - n_components + 1, last]
    )
    return np.asarray(free @ vectors[:, ::-1])


def _level(
    A: NDArray[np.float64], informed: NDArray[np.bool_], scatter: NDArray[Any]
) -> NDArray[np.float64]:
    """Return axes, the uninformed ones scaled to the scatter of the least scattered other."""
    if informed.all():
        return A
    spread = _quadratic(A, scatter)
    target = float(spread[informed].min()) if informed.any() else 1.0
    change = np.where(informed, 1.0, np.sqrt(target / np.where(spread > 0, spread, 1.0)))
    return np.asarray(A * change)


def _is_regular(M: NDArray[np.float64]) -> bool:
    """Return whether a matrix is positive definite by a wide margin (LAPACK's estimate, O(r³))."""
    factor, failed = dpotrf(M, lower=True)
    if failed:
        return False
    rcond, _ = dpocon(factor, float(np.abs(M).sum(axis=0).max()), uplo="L")
    return bool(rcond > REGULAR)


def _parted(M: NDArray[np.float64]) -> tuple[NDArray[np.float64], NDArray[np.float64]]:
    """Return orthonormal bases of the range and of the null space of a semidefinite matrix."""
    values, vectors = eigh(M)
    kept = values > max(float(values[-1]), 0.0) * ROUNDING * M.shape[0]
    return vectors[:, kept], vectors[:, ~kept]


def _is_semidefinite(W: NDArray[np.float64]) -> bool:
    if not W.any():
        return True
    margin = 1e-10 * max(float(np.diagonal(W).max(initial=0.0)), 0.0)
    return not dpotrf(W + margin * np.eye(W.shape[0]), lower=True)[1]


def _quadratic(A: NDArray[np.float64], M: NDArray[np.float64]) -> NDArray[np.float64]:
    """Return aᵀMa of each column."""
    return np.asarray(np.einsum("ij,ij->j", A, M @ A), dtype=np.float64)
