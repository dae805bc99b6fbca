"""Settings of optimizers and the layouts that they begin at."""

from __future__ import annotations

import numpy as np
import pytest

from nbembed.optimizers import (
    LBFGS,
    Alternating,
    ConjugateGradient,
    FixedPoint,
    MomentumGradient,
    MomentumLBFGS,
)


@pytest.mark.parametrize(
    ("kind", "name", "value", "error"),
    [
        (MomentumLBFGS, "momentum", LBFGS(), TypeError),
        (MomentumLBFGS, "lbfgs", MomentumGradient(), TypeError),
        (LBFGS, "laplacian", 1, TypeError),
        (MomentumGradient, "learning_rate", "fast", ValueError),
        (MomentumGradient, "learning_rate", None, TypeError),
        (MomentumGradient, "learning_rate", True, TypeError),
        (MomentumGradient, "learning_rate", 0, ValueError),
        (MomentumGradient, "learning_rate", np.inf, ValueError),
        (MomentumGradient, "learning_rate", np.nan, ValueError),
        (MomentumGradient, "learning_rate", [1.0, 2.0], TypeError),
        (MomentumGradient, "momentum", "much", ValueError),
        (MomentumGradient, "momentum", None, TypeError),
        (MomentumGradient, "momentum", 1.0, ValueError),
        (MomentumGradient, "momentum", -0.1, ValueError),
        (MomentumGradient, "momentum", np.nan, ValueError),
        (ConjugateGradient, "precondition", "yes", TypeError),
        (ConjugateGradient, "precondition", 1, TypeError),
        (ConjugateGradient, "flatness", None, TypeError),
        (ConjugateGradient, "flatness", 0, ValueError),
        (ConjugateGradient, "flatness", 1.0, ValueError),
        (LBFGS, "memory", None, TypeError),
        (LBFGS, "memory", 2.5, TypeError),
        (LBFGS, "memory", True, TypeError),
        (LBFGS, "memory", 0, ValueError),
        (Alternating, "memory", 0, ValueError),
        (Alternating, "memory", np.inf, TypeError),
        (Alternating, "tol", "small", TypeError),
        (Alternating, "tol", -1e-3, ValueError),
        (Alternating, "tol", np.inf, ValueError),
    ],
)
def test_settings(kind, name, value, error):
    with pytest.raises(error, match=f"{name} must be"):
        kind(**{name: value})


@pytest.mark.parametrize(
    "kind", [MomentumGradient, ConjugateGradient, LBFGS, FixedPoint, MomentumLBFGS]
)
@pytest.mark.parametrize(
    "Y", [None, "ab", [[1.0, 2.0]], np.ones(3), np.ones((3, 2), int), np.ones((3, 2)) * 1j]
)
def test_layouts(kind, Y):
    with pytest.raises(
        TypeError,
        match=r"Y must be a float32 or float64 array of shape \(n_samples, n_components\)",
    ):
        kind().start(Y)
