"""Costs whose minima are known, and small embeddings."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest
from numpy.typing import NDArray

from nbembed.objectives import Evaluation, Objective


class Quadratic(Objective):
    """½ Σ_i h_i ‖y_i − c_i‖², counting how often it is looked at."""

    def __init__(
        self, stiffness: NDArray[Any], center: NDArray[Any], curvature: NDArray[Any] | None
    ) -> None:
        self.stiffness = stiffness
        self.center = center
        self.curvature = curvature
        self.looks = 0

    @property
    def n_samples(self) -> int:
        return len(self.center)

    @property
    def dtype(self) -> np.dtype[Any]:
        return self.center.dtype

    @property
    def length_scale(self) -> float:
        return 10.0

    @property
    def parameters(self) -> dict[str, float]:
        return {"factor": float(self.stiffness[0])}

    def with_parameters(self, **parameters: Any) -> Quadratic:
        stiffness = self.stiffness * 0 + parameters["factor"]
        return Quadratic(stiffness, self.center, self.curvature)

    def evaluate(self, Y: NDArray[Any], *, cost: bool = True) -> Evaluation:
        self.looks += 1
        away = Y - self.center
        value = 0.5 * float(np.sum(self.stiffness[:, None] * away**2, dtype=np.float64))
        gradient = (self.stiffness[:, None] * away).astype(self.dtype)
        return Evaluation(value if cost else np.nan, gradient, self.curvature)


@pytest.fixture
def quadratic(rng: np.random.Generator) -> Quadratic:
    """Return a bowl whose axes differ in stiffness by 300, with an honest curvature."""
    stiffness = np.geomspace(0.1, 30, 12)
    return Quadratic(stiffness, rng.normal(size=(12, 2)), stiffness)


@pytest.fixture
def bare(quadratic: Quadratic) -> Quadratic:
    """Return the same bowl without curvature."""
    return Quadratic(quadratic.stiffness, quadratic.center, None)


@pytest.fixture(scope="session")
def clusters() -> NDArray[np.float64]:
    """Return the joint P of three clouds of 20 points, by a plain Gaussian of their distances."""
    rng = np.random.default_rng(3)
    X = rng.normal(size=(60, 5)) + 4 * np.repeat(np.eye(3, 5), 20, axis=0)
    tau = np.square(X[:, None] - X[None]).sum(axis=2)
    rows = np.exp(-tau / 2)
    np.fill_diagonal(rows, 0)
    rows /= rows.sum(axis=1, keepdims=True)
    return (rows + rows.T) / (2 * len(X))


@pytest.fixture(scope="session")
def rows(clusters: NDArray[np.float64]) -> NDArray[np.float64]:
    """Return the same clouds' P with rows that sum to one."""
    return clusters / clusters.sum(axis=1, keepdims=True)
