"""Small problems, supervision of every kind, and definitions to hold objectives against."""

from __future__ import annotations

from collections.abc import Callable

import numpy as np
import pytest
from numpy.typing import NDArray

from nbembed.kernels.grid import size
from nbembed.objectives import Objective
from nbembed.supervision import Supervision

N = 14


def supervisions() -> dict[str, Supervision | None]:
    """Return one supervision of each kind for N points."""
    nothing = Supervision(N)
    labels = nothing.label([0, 1, 2, 3], "a").label([4, 5, 6], "b")
    soft = labels.label([1, 7], "a", confidence=0.7).label([8], "b", confidence=0.6)
    links = nothing.must_link([0, 3, 9]).must_link([10, 11])
    overlapping = links.must_link([3, 9, 12])
    cannot = nothing.cannot_link([0, 1], [5, 6, 7])
    return {
        "none": None,
        "empty": nothing,
        "labels": labels,
        "soft labels": soft,
        "links": links,
        "overlapping links": overlapping,
        "cannot-links": cannot,
        "everything": soft.must_link([3, 9, 12])
        .must_link([9, 10])
        .cannot_link([0, 1], [5, 6])
        .cannot_link([13], [2]),
    }


@pytest.fixture(params=list(supervisions()))
def supervision(request: pytest.FixtureRequest) -> Supervision | None:
    return supervisions()[request.param]


@pytest.fixture
def always_the_grid(monkeypatch: pytest.MonkeyPatch) -> None:
    """Let the grid be used for few points, too, for which all pairs cost less."""
    monkeypatch.setattr(size, "pair_cost", lambda kernel: 1e9)


@pytest.fixture
def rows(rng: np.random.Generator) -> NDArray[np.float64]:
    """Return a row-stochastic P."""
    P = rng.random((N, N)) ** 3
    np.fill_diagonal(P, 0)
    return P / P.sum(axis=1, keepdims=True)


@pytest.fixture
def joint(rows: NDArray[np.float64]) -> NDArray[np.float64]:
    """Return a symmetric P that sums to one."""
    return (rows + rows.T) / (2 * len(rows))


@pytest.fixture
def central_differences() -> Callable[[Objective, NDArray[np.float64]], NDArray[np.float64]]:
    """Return a function that differentiates an objective's cost numerically."""

    def differentiate(objective: Objective, Y: NDArray[np.float64]) -> NDArray[np.float64]:
        gradient = np.zeros_like(Y)
        h = 1e-5
        for index in np.ndindex(*Y.shape):
            ahead, behind = Y.copy(), Y.copy()
            ahead[index] += h
            behind[index] -= h
            gradient[index] = (objective.cost(ahead) - objective.cost(behind)) / (2 * h)
        return gradient

    return differentiate


@pytest.fixture
def linked_weights() -> Callable[[Supervision | None, bool], NDArray[np.float64]]:
    """Return a function that counts links pair by pair: u_ij, as the definition has it."""

    def count(supervision: Supervision | None, labels: bool) -> NDArray[np.float64]:
        u = np.zeros((N, N))
        if supervision is None:
            return u
        for group in supervision.links:
            for i in group:
                for j in group:
                    u[i, j] += i != j
        K = len(supervision.classes)
        if labels and K:
            targets = supervision.targets()
            top = np.where(np.isnan(targets[:, 0]), -1, np.nan_to_num(targets).argmax(axis=1))
            strength = (K * np.nan_to_num(targets).max(axis=1) - 1) / (K - 1)
            for i in range(N):
                for j in range(N):
                    if i != j and top[i] == top[j] >= 0:
                        u[i, j] += strength[i] * strength[j]
        return u

    return count


@pytest.fixture
def repulsion() -> Callable[[Supervision | None, NDArray[np.float64]], float]:
    """Return a function that gives Σ over cannot-links of the mean of exp(−τ)."""

    def energy(supervision: Supervision | None, tau: NDArray[np.float64]) -> float:
        if supervision is None:
            return 0.0
        return float(sum(np.exp(-tau[np.ix_(a, b)]).mean() for a, b in supervision.cannot_links))

    return energy
