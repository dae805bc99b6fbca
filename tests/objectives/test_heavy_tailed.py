from __future__ import annotations

import math

import numpy as np
import pytest
from scipy import sparse

from nbembed.affinities import Affinities
from nbembed.objectives import HeavyTailed
from nbembed.supervision import Supervision

ALPHAS = [0.0, 1e-4, 0.5, 1.0, 1.5, 3.0]


def squared_distances(Y):
    return np.square(Y[:, None] - Y[None]).sum(axis=2)


def definition(P, Y, alpha):
    """Return Σ P log(P/Q) as the equation reads."""
    tau = squared_distances(Y)
    q = np.exp(-tau) if alpha == 0 else (1 + alpha * tau) ** (-1 / alpha)
    np.fill_diagonal(q, 0)
    Q = q / q.sum()
    pairs = P > 0
    return float(np.sum(P[pairs] * np.log(P[pairs] / Q[pairs])))


@pytest.mark.parametrize("alpha", ALPHAS)
@pytest.mark.parametrize("d", [1, 2, 3, 5])
def test_cost_and_gradient_without_supervision(joint, rng, central_differences, alpha, d):
    Y = rng.normal(size=(len(joint), d))
    objective = HeavyTailed(joint, alpha)

    cost, gradient = objective.cost_and_gradient(Y)

    assert cost == pytest.approx(definition(joint, Y, alpha), rel=1e-9)
    expected = central_differences(objective, Y)
    assert np.abs(gradient - expected).max() < 1e-6 * np.abs(expected).max()


@pytest.mark.parametrize("d", [1, 3])
@pytest.mark.parametrize("alpha", [0.0, 0.7])
def test_gradient_with_aids(joint, rng, central_differences, supervision, d, alpha):
    Y = rng.normal(size=(len(joint), d))
    objective = HeavyTailed(
        joint, alpha, supervision=supervision, rho=0.6, exaggeration=4.0, compactness=6.0
    )

    expected = central_differences(objective, Y)

    assert np.abs(objective.gradient(Y) - expected).max() < 1e-6 * np.abs(expected).max()


def test_many_links_have_their_full_share(joint, rng):
    """With at least as many linked pairs as points, ρ_e is ρ."""
    n = len(joint)
    Y = rng.normal(size=(n, 2))
    told = Supervision(n).must_link(range(n))
    everyone = HeavyTailed(joint, supervision=told, rho=1.0, link_form="uniform")
    uniform = (1 - np.eye(n)) / (n * (n - 1))
    assert everyone.cost(Y) == pytest.approx(definition(uniform, Y, 1.0), rel=1e-9)


def test_two_linked_points_do_not_tear_the_map(joint):
    n = len(joint)
    objective = HeavyTailed(joint, supervision=Supervision(n).must_link([0, 1]), rho=0.5)
    plain = HeavyTailed(joint)
    Y = np.random.default_rng(0).normal(size=(n, 2))
    difference = np.abs(objective.gradient(Y) - plain.gradient(Y)).max()
    assert 0 < difference < np.abs(plain.gradient(Y)).max()


@pytest.mark.parametrize("alpha", [0.5, 1.0, 2.0, 3.0])
@pytest.mark.parametrize(("width", "falls"), [(0.3, True), (20.0, False)])
def test_the_cost_of_large_maps_tends_to_a_limit(alpha, width, falls):
    """To that of q ∝ τ^(−1/α), from above where P falls off faster, at any α above zero."""
    line = np.arange(12.0)
    P = np.exp(-(((line[:, None] - line) / width) ** 2))
    np.fill_diagonal(P, 0)
    P /= P.sum()
    Y = np.column_stack([line, np.zeros(12)])
    costs = [HeavyTailed(P, alpha=alpha).cost(size * Y) for size in (1e-6, 1.0, 1e2, 1e4, 1e8)]
    q = np.square(line[:, None] - line + np.eye(12)) ** (-1 / alpha)
    np.fill_diagonal(q, 0)
    pairs = P > 0
    limit = (P[pairs] * np.log(P[pairs] / (q / q.sum())[pairs])).sum()
    assert costs[-1] == pytest.approx(limit, abs=1e-5)
    assert (np.argmin(costs) >= 2) == falls


@pytest.mark.parametrize("alpha", [0.0, 0.5, 1.0])
def test_curvature_makes_the_papers_fixed_point(joint, rng, alpha):
    """y − gradient / curvature is equation (14), computed here as it is printed."""
    Y = rng.normal(size=(len(joint), 2))
    tau = squared_distances(Y)
    S = 1 / (1 + alpha * tau)
    q = np.exp(-tau) if alpha == 0 else (1 + alpha * tau) ** (-1 / alpha)
    np.fill_diagonal(q, 0)
    A, B = joint * S, q / q.sum() * S
    printed = (Y * B.sum(axis=1)[:, None] + (A - B) @ Y) / A.sum(axis=1)[:, None]

    seen = HeavyTailed(joint, alpha).evaluate(Y)

    np.testing.assert_allclose(Y - seen.gradient / seen.curvature[:, None], printed, atol=1e-12)


def test_aids_are_told_apart_from_the_plain_cost(joint, rng):
    Y = rng.normal(size=(len(joint), 2))
    plain = HeavyTailed(joint, 0.5)
    aided = plain.with_parameters(exaggeration=12.0, compactness=6.0).evaluate(Y)
    assert aided.plain_cost == pytest.approx(plain.cost(Y), rel=1e-12)
    assert aided.cost > aided.plain_cost


def test_a_cost_not_asked_for_is_nan(joint, rng):
    Y = rng.normal(size=(len(joint), 2))
    objective = HeavyTailed(joint)
    without = objective.evaluate(Y, cost=False)
    assert math.isnan(without.cost)
    np.testing.assert_allclose(without.gradient, objective.evaluate(Y).gradient, rtol=1e-12)


@pytest.mark.parametrize("alpha", [0.0, 0.01])
@pytest.mark.parametrize("dtype", [np.float32, np.float64])
def test_far_spread_maps_still_have_a_gradient(joint, rng, alpha, dtype):
    """Every q underflows here, and Q is defined nevertheless."""
    Y = (rng.normal(size=(len(joint), 2)) * 1e3).astype(dtype)
    seen = HeavyTailed(joint.astype(dtype), alpha).evaluate(Y)
    assert math.isfinite(seen.cost)
    assert np.isfinite(seen.gradient).all()

    wide = Y.astype(np.float64)
    tau = squared_distances(wide)
    log_q = -tau if alpha == 0 else -np.log1p(alpha * tau) / alpha
    np.fill_diagonal(log_q, -np.inf)
    log_Q = log_q - np.logaddexp.reduce(log_q, axis=None)
    pairs = joint > 0
    expected = np.sum(joint[pairs] * (np.log(joint[pairs]) - log_Q[pairs]))
    assert seen.cost == pytest.approx(expected, rel=1e-5)
    S = 1 / (1 + alpha * tau)
    force = 4 * (joint - np.exp(log_Q)) * S
    expected_gradient = (force[:, :, None] * (wide[:, None] - wide[None])).sum(axis=1)
    np.testing.assert_allclose(
        seen.gradient, expected_gradient, atol=1e-4 * np.abs(expected_gradient).max()
    )


def test_isolated_point_after_cannot_links_keeps_a_neighbor(joint):
    """A point whose every neighbor is forbidden would otherwise fly off."""
    n = len(joint)
    P = np.zeros((n, n))
    P[0, 1] = P[1, 0] = 0.25
    P[2:, 2:] = (1 - np.eye(n - 2)) * 0.5 / ((n - 2) * (n - 3))
    links = Supervision(n).cannot_link([0], [1])
    for stored in (P, sparse.csr_array(P)):
        objective = HeavyTailed(stored, supervision=links)
        seen = objective.evaluate(np.random.default_rng(0).normal(size=(n, 2)))
        assert np.isfinite(seen.gradient).all()
        assert (seen.curvature > 0).all()


def test_cannot_links_that_leave_nobody_are_refused(joint):
    n = len(joint)
    P = np.zeros((n, n))
    P[0, 1:] = P[1:, 0] = 0.5 / (n - 1)
    with pytest.raises(ValueError, match="supervision"):
        HeavyTailed(P, supervision=Supervision(n).cannot_link([0], range(1, n)))


@pytest.mark.parametrize(
    ("name", "value", "error"),
    [
        ("alpha", -0.1, ValueError),
        ("alpha", math.nan, ValueError),
        ("alpha", "one", TypeError),
        ("rho", -0.1, ValueError),
        ("rho", 1.1, ValueError),
        ("exaggeration", 0.0, ValueError),
        ("compactness", -1.0, ValueError),
    ],
)
def test_parameters_out_of_range_are_named(joint, name, value, error):
    with pytest.raises(error, match=name):
        HeavyTailed(joint, **{name: value})
    with pytest.raises(error, match=name):
        HeavyTailed(joint).with_parameters(**{name: value})


def test_unknown_parameters_are_named(joint):
    with pytest.raises(TypeError, match="lam"):
        HeavyTailed(joint).with_parameters(lam=1.0)


@pytest.mark.parametrize("n", [2, 3])
def test_the_fewest_points_work(n):
    P = (1 - np.eye(n)) / (n * (n - 1))
    seen = HeavyTailed(P, 1.0).evaluate(np.arange(2.0 * n).reshape(n, 2))
    assert np.isfinite(seen.gradient).all()
    assert seen.cost >= -1e-12


@pytest.mark.parametrize("kind", ["row", "joint"])
def test_affinities_are_brought_to_the_joint_form(rows, joint, rng, kind):
    given = Affinities.from_probabilities(rows if kind == "row" else joint, kind)
    Y = rng.normal(size=(len(rows), 2))
    assert HeavyTailed(given).cost(Y) == pytest.approx(HeavyTailed(joint).cost(Y), rel=1e-9)
