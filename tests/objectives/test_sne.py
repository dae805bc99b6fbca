from __future__ import annotations

import numpy as np
import pytest

from nbembed.objectives import SNE
from nbembed.supervision import Supervision


def squared_distances(Y):
    return np.square(Y[:, None] - Y[None]).sum(axis=2)


def definition(P, Y):
    """Return Σ_i KL(p_i ‖ q_i) as the equation reads."""
    log_q = -squared_distances(Y)
    np.fill_diagonal(log_q, -np.inf)
    log_q -= np.logaddexp.reduce(log_q, axis=1, keepdims=True)
    pairs = P > 0
    return float(np.sum(P[pairs] * (np.log(P[pairs]) - log_q[pairs])))


@pytest.mark.parametrize("d", [1, 2, 3, 5])
def test_cost_and_gradient_without_supervision(rows, rng, central_differences, d):
    Y = rng.normal(size=(len(rows), d))
    objective = SNE(rows)

    cost, gradient = objective.cost_and_gradient(Y)

    assert cost == pytest.approx(definition(rows, Y), rel=1e-9)
    expected = central_differences(objective, Y)
    assert np.abs(gradient - expected).max() < 1e-6 * np.abs(expected).max()


def test_a_point_without_allowed_neighbors_gets_the_rest(rows):
    n = len(rows)
    P = rows.copy()
    P[0] = 0
    P[0, 1] = 1
    objective = SNE(P, supervision=Supervision(n).cannot_link([0], [1]))
    seen = objective.evaluate(np.random.default_rng(0).normal(size=(n, 2)))
    assert np.isfinite(seen.cost)
    assert np.isfinite(seen.gradient).all()


def test_rho_outside_its_range_is_refused(rows):
    with pytest.raises(ValueError, match="rho"):
        SNE(rows, rho=2)
    with pytest.raises(TypeError, match="alpha"):
        SNE(rows).with_parameters(alpha=1)
