from __future__ import annotations

import math

import numpy as np
import pytest

from nbembed.objectives import SNE, LargeMargin, circle, simplex
from nbembed.supervision import Supervision

DIRECTIONS = {
    "two classes on a line": simplex(2, 1),
    "two classes": simplex(2, 2),
    "three classes": simplex(3, 3),
    "simplex in fewest dimensions": simplex(4, 3),
    "circle": circle(5),
    "one class": simplex(1, 2),
    "own": np.array([[1.0, 0.0], [0.6, 0.8], [-1.0, 0.0]]),
}
TWO = [name for name, W in DIRECTIONS.items() if len(W) >= 2]


@pytest.fixture(params=list(DIRECTIONS))
def directions(request):
    return DIRECTIONS[request.param]


def entropy(p):
    return -float(np.sum(p[p > 0] * np.log(p[p > 0])))


@pytest.mark.parametrize("lam", [0.3, 2.0])
@pytest.mark.parametrize("with_prior", [False, True])
def test_unsupervised_cost_and_gradient(
    rows, rng, central_differences, directions, lam, with_prior
):
    K, d = directions.shape
    Y = rng.normal(size=(len(rows), d))
    prior = rng.dirichlet(np.full(K, 5.0)) if with_prior else None
    objective = LargeMargin(rows, lam, directions, margin_weight=3.0, class_prior=prior)

    cost, gradient = objective.cost_and_gradient(Y)

    M = objective.membership(Y)
    mean = M.mean(axis=0)
    A = -float(np.mean([entropy(m) for m in M]))
    B = entropy(mean) if prior is None else -float(np.sum(mean * np.log(mean / prior)))
    assert cost == pytest.approx(SNE(rows).cost(Y) - 3 * (A + B), rel=1e-9)
    expected = central_differences(objective, Y)
    assert np.abs(gradient - expected).max() < 1e-6 * np.abs(expected).max()


@pytest.mark.parametrize("name", TWO)
@pytest.mark.parametrize("rho", [0.0, 0.5, 1.0])
def test_supervised_cost_and_gradient(rows, rng, central_differences, supervision, name, rho):
    directions = DIRECTIONS[name]
    Y = rng.normal(size=(len(rows), directions.shape[1]))
    objective = LargeMargin(rows, 0.7, directions, supervision, rho=rho, label_distance=0.9)

    cost, gradient = objective.cost_and_gradient(Y)

    T, M = objective.targets, objective.membership(Y)
    known = ~np.isnan(T[:, 0])
    D = float(np.sum(T[known] * np.log(T[known] / M[known])))
    A, B = -float(np.mean([entropy(m) for m in M])), entropy(M.mean(axis=0))
    C = SNE(rows, supervision=supervision, rho=rho, labels_as_links=False).cost(Y)
    assert cost == pytest.approx(C - A - B + D, rel=1e-9)
    expected = central_differences(objective, Y)
    assert np.abs(gradient - expected).max() < 1e-6 * np.abs(expected).max()


def test_two_classes_are_the_papers_logistic(rows, rng):
    """m_i1 with λ here is the logistic function (5) with λ/2."""
    Y = rng.normal(size=(len(rows), 2))
    lam = 0.8
    M = LargeMargin(rows, lam, simplex(2, 2)).membership(Y)
    np.testing.assert_allclose(M[:, 0], 1 / (1 + np.exp(-Y[:, 0] / (lam / 2))))


@pytest.mark.parametrize("K", [2, 3, 5])
def test_labels_are_softened_as_the_paper_says_on_the_simplex(rows, K):
    n, r, lam = len(rows), 0.8, 0.5
    names = [str(k) for k in range(K)]
    supervision = Supervision(n, names).label([0], "0").label([1], "1", confidence=0.7)
    targets = LargeMargin(rows, lam, simplex(K), supervision, label_distance=r).targets

    star = math.exp(r / lam) / ((K - 1) * math.exp(-r / (lam * (K - 1))) + math.exp(r / lam))
    t = np.full((2, K), 0.0)
    t[0, 0] = 1
    t[1] = 0.3 / (K - 1)
    t[1, 1] = 0.7
    expected = t * star + (1 - t) * (1 - star) / (K - 1)
    np.testing.assert_allclose(targets[:2], expected, atol=1e-12)
    assert np.isnan(targets[2:]).all()


@pytest.mark.parametrize("name", TWO)
@pytest.mark.parametrize("lam", [0.1, 1.0, 20.0])
def test_a_softened_label_stays_the_most_probable(rows, name, lam):
    directions = DIRECTIONS[name]
    K = len(directions)
    supervision = Supervision(len(rows), [str(k) for k in range(K)])
    for k in range(K):
        supervision = supervision.label([k], str(k))
    targets = LargeMargin(rows, lam, directions, supervision).targets[:K]
    np.testing.assert_array_equal(targets.argmax(axis=1), np.arange(K))
    np.testing.assert_allclose(targets.sum(axis=1), 1)


def test_a_certain_label_asks_for_a_place_within_its_distance(rows):
    """The row of a certain label is the membership at r·w_k, so that its place has no pull."""
    directions, r, lam = circle(10), 0.9, 0.2
    supervision = Supervision(len(rows), [str(k) for k in range(10)]).label([0], "3")
    objective = LargeMargin(rows, lam, directions, supervision, label_distance=r)
    Y = np.zeros((len(rows), 2))
    Y[0] = r * directions[3]
    np.testing.assert_allclose(objective.targets[0], objective.membership(Y)[0], atol=1e-12)


def test_labels_do_not_act_as_links(rows, rng):
    Y = rng.normal(size=(len(rows), 2))
    labels = Supervision(len(rows)).label([0, 1, 2], "a").label([3], "b")
    one, other = (
        LargeMargin(rows, 1.0, simplex(2, 2), labels, rho=rho).cost(Y) for rho in (0.0, 1.0)
    )
    assert one == other


@pytest.mark.parametrize(
    ("name", "value"),
    [
        ("lam", 0.0),
        ("lam", -1.0),
        ("margin_weight", -0.1),
        ("label_distance", 0.0),
        ("rho", 1.5),
        ("class_prior", [0.5, 0.6]),
        ("class_prior", [1.0]),
        ("class_prior", [0.0, 1.0]),
        ("directions", [[1.0, 0.0], [0.0, 2.0]]),
        ("directions", [[1.0, 0.0], [1.0, 0.0]]),
        ("directions", [[np.nan, 0.0], [1.0, 0.0]]),
        ("directions", [1.0, 0.0]),
    ],
)
def test_parameters_out_of_range_are_named(rows, name, value):
    arguments = {"lam": 1.0, "directions": simplex(2, 2)} | {name: value}
    with pytest.raises(ValueError, match=name):
        LargeMargin(rows, **arguments)
    with pytest.raises(ValueError, match=name):
        LargeMargin(rows, 1.0, simplex(2, 2)).with_parameters(**{name: value})


def test_more_classes_than_directions_are_refused(rows):
    labels = Supervision(len(rows), ["a", "b", "c"])
    with pytest.raises(ValueError, match="directions"):
        LargeMargin(rows, 1.0, simplex(2, 2), labels)


def test_layouts_need_the_dimensions_of_the_directions(rows):
    with pytest.raises(ValueError, match="Y must have 2 columns"):
        LargeMargin(rows, 1.0, simplex(2, 2)).cost(np.zeros((len(rows), 3)))
