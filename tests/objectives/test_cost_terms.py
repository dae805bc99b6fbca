"""The terms of a cost: they sum up to it, and each has its own gradient and its own meaning."""

from __future__ import annotations

import numpy as np
import pytest
from scipy import sparse

from nbembed.objectives import (
    SNE,
    HeavyTailed,
    LargeMargin,
    NeighborRetrieval,
    Parametric,
    Pinned,
    circle,
)
from nbembed.objectives.constant import Constant
from nbembed.objectives.cost_terms import ROLES
from nbembed.objectives.heavy_tailed_margin import HeavyTailedMargin
from nbembed.objectives.regions import Rays
from tests.objectives.conftest import N
from tests.objectives.test_heavy_tailed_margin import centers


def squared_distances(Y):
    return np.square(Y[:, None] - Y[None]).sum(axis=2)


def differences_of(objective, name, Y):
    """Return the gradient of one term by central differences of its own cost."""
    gradient, h = np.zeros_like(Y), 1e-5

    def cost(layout):
        return next((t.cost for t in objective.cost_terms(layout) if t.name == name), 0.0)

    for index in np.ndindex(*Y.shape):
        ahead, behind = Y.copy(), Y.copy()
        ahead[index] += h
        behind[index] -= h
        gradient[index] = (cost(ahead) - cost(behind)) / (2 * h)
    return gradient


def made(kind, rows, joint, supervision):
    widths = np.exp(np.random.default_rng(1).normal(size=N))
    return {
        "HSSNE": lambda: HeavyTailed(joint, 0.8, supervision=supervision, rho=0.6),
        "SSNE": lambda: HeavyTailed(joint, 0.0, supervision=supervision, rho=0.6),
        "aids": lambda: HeavyTailed(
            joint, 1.0, supervision=supervision, exaggeration=4.0, compactness=6.0
        ),
        "uniform": lambda: HeavyTailed(joint, 1.0, supervision=supervision, link_form="uniform"),
        "SNE": lambda: SNE(rows, supervision=supervision, rho=0.6),
        "NeRV": lambda: NeighborRetrieval(rows, 0.3, width=widths, supervision=supervision),
        "recall": lambda: NeighborRetrieval(rows, 1.0, width="uniform", supervision=supervision),
        "Mbed": lambda: LargeMargin(rows, 0.7, circle(5), supervision, rho=0.6, margin_weight=3.0),
        "priors": lambda: LargeMargin(
            rows, 0.7, circle(5), supervision, class_prior=[0.1, 0.2, 0.3, 0.2, 0.2]
        ),
        "rays": lambda: HeavyTailedMargin(
            joint,
            0.7,
            Rays(circle(5), label_distance=0.9),
            supervision,
            alpha=0.8,
            margin_weight=9.0,
        ),
        "centers": lambda: HeavyTailedMargin(joint, 0.9, centers(N), supervision),
    }[kind]()


KINDS = [
    "HSSNE", "SSNE", "aids", "uniform", "SNE", "NeRV", "recall", "Mbed", "priors", "rays",
    "centers",
]  # fmt: skip


@pytest.mark.parametrize("kind", KINDS)
def test_terms_sum_up_to_cost_and_gradient(kind, rows, joint, rng, supervision):
    objective = made(kind, rows, joint, supervision)
    Y = rng.normal(size=(N, 2))
    cost, gradient = objective.cost_and_gradient(Y)

    terms = objective.cost_terms(Y)

    assert sum(t.cost for t in terms) == pytest.approx(cost, rel=1e-9)
    total = sum(t.gradient for t in terms)
    np.testing.assert_allclose(total, gradient, atol=1e-9 * np.abs(gradient).max())
    assert all(t.gradient.shape == Y.shape and t.role in ROLES for t in terms)
    assert len({t.name for t in terms}) == len(terms)
    assert objective.equation
    assert all(t.formula for t in terms)


@pytest.mark.parametrize("kind", KINDS)
def test_each_term_has_its_own_gradient(kind, rows, joint, rng, supervision):
    objective = made(kind, rows, joint, supervision)
    Y = rng.normal(size=(N, 2))
    terms = objective.cost_terms(Y)
    size = max(np.abs(t.gradient).max() for t in terms)

    for term in terms:
        expected = differences_of(objective, term.name, Y)
        np.testing.assert_allclose(term.gradient, expected, atol=2e-6 * size, err_msg=term.name)


@pytest.mark.parametrize("alpha", [0.0, 0.5, 1.0])
def test_attraction_and_repulsion_are_those_of_the_pairs(joint, rng, alpha):
    """4 Σ_j P_ij S_ij (y_i − y_j), and −4 Σ_j Q_ij S_ij (y_i − y_j), pair by pair."""
    Y = rng.normal(size=(N, 2))
    tau = squared_distances(Y)
    S = 1 / (1 + alpha * tau)
    q = np.exp(-tau) if alpha == 0 else (1 + alpha * tau) ** (-1 / alpha)
    np.fill_diagonal(q, 0)
    entropy, attraction, repulsion = HeavyTailed(joint, alpha).cost_terms(Y)
    for i in range(N):
        pull = sum(4 * joint[i, j] * S[i, j] * (Y[i] - Y[j]) for j in range(N))
        push = sum(-4 * q[i, j] / q.sum() * S[i, j] * (Y[i] - Y[j]) for j in range(N))
        np.testing.assert_allclose(attraction.gradient[i], pull, rtol=1e-9, atol=1e-12)
        np.testing.assert_allclose(repulsion.gradient[i], push, rtol=1e-9, atol=1e-12)
    pairs = joint > 0
    assert entropy.cost == pytest.approx(np.sum(joint[pairs] * np.log(joint[pairs])))
    assert attraction.cost == pytest.approx(-np.sum(joint[pairs] * np.log(q[pairs])))
    assert repulsion.cost == pytest.approx(np.log(q.sum()))
    assert not entropy.gradient.any()


def test_forces_of_labels_are_those_that_labels_make(joint, rows, rng):
    """Labels pull their own class together, and no other point has a force of theirs."""
    from nbembed.supervision import Supervision

    Y = rng.normal(size=(N, 2))
    supervision = Supervision(N).label([0, 1, 2], "a")
    for objective in (
        HeavyTailed(joint, 1.0, supervision=supervision, rho=0.5),
        SNE(rows, supervision=supervision, rho=0.5),
    ):
        labels = next(t for t in objective.cost_terms(Y) if t.role == "labels")
        assert labels.gradient[:3].any(axis=1).all()
        assert not labels.gradient[3:].any()
        toward = Y[:3].mean(axis=0) - Y[:3]
        assert np.sum(-labels.gradient[:3] * toward) > 0
        silent = objective.with_parameters(rho=0.0).cost_terms(Y)
        assert all(t.role != "labels" for t in silent)


def test_recall_and_precision_are_the_two_divergences(rows, rng):
    Y = rng.normal(size=(N, 2))
    log_q = -squared_distances(Y)
    np.fill_diagonal(log_q, -np.inf)
    log_q -= np.logaddexp.reduce(log_q, axis=1, keepdims=True)
    others = ~np.eye(N, dtype=bool)
    p, log_q = rows[others], log_q[others]
    recall, precision = NeighborRetrieval(rows, 0.3, width="uniform").cost_terms(Y)
    assert recall.cost == pytest.approx(0.3 * np.sum(p * (np.log(p) - log_q)))
    assert precision.cost == pytest.approx(0.7 * np.sum(np.exp(log_q) * (log_q - np.log(p))))


@pytest.mark.parametrize("prior", [None, [0.1, 0.2, 0.3, 0.4]])
def test_terms_of_parametric_embedding(rng, prior):
    proba = rng.dirichlet(np.full(4, 0.4), 12)
    proba[0] = [1, 0, 0, 0]
    objective = Parametric(proba, prior, eta_objects=0.2, eta_classes=0.7)
    Y = rng.normal(size=(16, 2))
    cost, gradient = objective.cost_and_gradient(Y)
    terms = objective.cost_terms(Y)
    assert sum(t.cost for t in terms) == pytest.approx(cost, rel=1e-9)
    np.testing.assert_allclose(sum(t.gradient for t in terms), gradient, atol=1e-9)
    for term in terms:
        np.testing.assert_allclose(
            term.gradient, differences_of(objective, term.name, Y), atol=1e-6, err_msg=term.name
        )


def test_a_class_of_prior_zero_has_no_term(rng):
    proba = np.hstack([rng.dirichlet(np.ones(3), 9), np.zeros((9, 1))])
    objective = Parametric(proba, [0.2, 0.3, 0.5, 0.0])
    Y = rng.normal(size=(13, 2))
    cost, gradient = objective.cost_and_gradient(Y)
    terms = objective.cost_terms(Y)
    assert sum(t.cost for t in terms) == pytest.approx(cost, rel=1e-9)
    np.testing.assert_allclose(sum(t.gradient for t in terms), gradient, atol=1e-9)


def test_the_grid_has_the_same_terms(rng):
    n = 300
    P = sparse.random_array((n, n), density=0.05, rng=rng, format="csr")
    P = P + P.T
    P.setdiag(0)
    P.eliminate_zeros()
    P = sparse.csr_array(P / P.sum())
    Y = 5 * rng.normal(size=(n, 2))
    exact = HeavyTailed(P, 1.0).cost_terms(Y)
    by_grid = HeavyTailed(P, 1.0, algorithm="grid").cost_terms(Y)
    for a, b in zip(exact, by_grid, strict=True):
        assert b.cost == pytest.approx(a.cost, rel=1e-3)
        np.testing.assert_allclose(b.gradient, a.gradient, atol=1e-3 * np.abs(a.gradient).max())


def test_pins_withstand_the_forces_of_the_terms(joint, rng):
    inner = HeavyTailed(joint, 1.0)
    Y = rng.normal(size=(N, 2))
    held = Pinned(inner, [2])
    assert held.equation == inner.equation
    for a, b in zip(held.cost_terms(Y), inner.cost_terms(Y), strict=True):
        np.testing.assert_array_equal(a.gradient, b.gradient)
    assert not held.gradient(Y)[2].any()


def test_an_objective_that_does_not_say_has_one_term(rng):
    Y = rng.normal(size=(5, 2))
    (term,) = Constant(5).cost_terms(Y)
    assert (term.role, term.cost, Constant(5).equation) == ("whole", 0.0, "")
    assert not term.gradient.any()


def test_terms_need_a_layout_of_the_points(joint):
    with pytest.raises(ValueError, match="Y must have shape"):
        HeavyTailed(joint, 1.0).cost_terms(np.zeros((3, 2)))
