from __future__ import annotations

import numpy as np
import pytest
from scipy import sparse

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


@pytest.mark.parametrize("rho", [0.0, 0.5, 1.0])
@pytest.mark.parametrize("labels_as_links", [True, False])
def test_cost_and_gradient_with_supervision(
    rows, rng, central_differences, supervision, linked_weights, repulsion, rho, labels_as_links
):
    """p̃_i = (1 − ρ) p_i + ρ u_i / s_i for linked points, and no affinity across cannot-links."""
    Y = rng.normal(size=(len(rows), 2))
    u = linked_weights(supervision, labels_as_links)
    P = rows.copy()
    for a, b in () if supervision is None else supervision.cannot_links:
        P[np.ix_(a, b)] = P[np.ix_(b, a)] = 0
    P /= P.sum(axis=1, keepdims=True)
    linked = u.sum(axis=1) > 0
    P[linked] = (1 - rho) * P[linked] + rho * u[linked] / u[linked].sum(axis=1, keepdims=True)
    objective = SNE(
        rows,
        supervision=supervision,
        rho=rho,
        labels_as_links=labels_as_links,
        links="uniform",
    )

    cost, gradient = objective.cost_and_gradient(Y)

    expected_cost = definition(P, Y) + rho * repulsion(supervision, squared_distances(Y))
    assert cost == pytest.approx(expected_cost, rel=1e-9)
    expected = central_differences(objective, Y)
    assert np.abs(gradient - expected).max() < 1e-6 * np.abs(expected).max()


def test_sparse_affinities_mean_the_same(rows, rng, supervision):
    P = np.where(rows > np.quantile(rows, 0.6), rows, 0)
    P /= P.sum(axis=1, keepdims=True)
    Y = rng.normal(size=(len(P), 2))
    dense, thin = (
        SNE(stored, supervision=supervision).evaluate(Y) for stored in (P, sparse.csr_array(P))
    )
    assert thin.cost == pytest.approx(dense.cost, rel=1e-12)
    np.testing.assert_allclose(thin.gradient, dense.gradient, atol=1e-12)
    np.testing.assert_allclose(thin.curvature, dense.curvature, atol=1e-12)


def test_float32_is_float64_rounded(rows, rng, supervision):
    Y = rng.normal(size=(len(rows), 2))
    fine = SNE(rows, supervision=supervision).evaluate(Y)
    coarse = SNE(rows.astype(np.float32), supervision=supervision).evaluate(Y)
    assert coarse.gradient.dtype == np.float32
    assert coarse.cost == pytest.approx(fine.cost, rel=1e-5)
    np.testing.assert_allclose(coarse.gradient, fine.gradient, atol=1e-5)


def test_with_parameters_equals_a_fresh_objective(rows, rng, supervision):
    Y = rng.normal(size=(len(rows), 2))
    objective = SNE(rows, rho=0.2)
    changed = objective.with_parameters(rho=0.8, supervision=supervision)
    fresh = SNE(rows, supervision=supervision, rho=0.8)
    assert changed.cost(Y) == pytest.approx(fresh.cost(Y), rel=1e-12)
    np.testing.assert_allclose(changed.gradient(Y), fresh.gradient(Y), atol=1e-12)
    assert objective.parameters == {"rho": 0.2}


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
