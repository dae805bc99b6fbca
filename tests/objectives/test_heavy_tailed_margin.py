from __future__ import annotations

import numpy as np
import pytest

from nbembed.affinities import Affinities
from nbembed.objectives import HeavyTailed, LargeMargin, circle
from nbembed.objectives.class_terms import Wanted, class_terms
from nbembed.objectives.heavy_tailed_margin import HeavyTailedMargin
from nbembed.objectives.regions import Centers, Rays
from nbembed.supervision import Supervision


def centers(n, K=4, per_class=(1, 2, 1, 3), seed=3):
    """Centers of four classes, some with several, and random targets."""
    rng = np.random.default_rng(seed)
    owners = np.repeat(np.arange(K), per_class)
    member_of = np.concatenate([np.arange(owners.size), rng.integers(owners.size, size=n)])[:n]
    targets = rng.dirichlet(np.ones(K), n)
    weights = np.where(rng.random(n) < 0.3, 1.0, 0.1)
    weights[:3] = 0
    return Centers(member_of, rng.uniform(0.5, 1, n), owners, targets, weights)


@pytest.mark.parametrize("alpha", [0.0, 0.5, 1.0])
@pytest.mark.parametrize("lam", [0.4, 2.0])
@pytest.mark.parametrize("with_prior", [False, True])
def test_cost_and_gradient_of_centers(joint, rng, central_differences, alpha, lam, with_prior):
    n = len(joint)
    Y = rng.normal(size=(n, 2)) + 3
    regions = centers(n)
    prior = rng.dirichlet(np.full(4, 5.0)) if with_prior else None
    objective = HeavyTailedMargin(
        joint, lam, regions, alpha=alpha, margin_weight=30.0, class_prior=prior
    )

    cost, gradient = objective.cost_and_gradient(Y)

    # A second formula: memberships from the distances to the members' weighted means.
    phi = np.array(
        [
            np.average(
                Y[regions.member_of == c], axis=0, weights=regions.shares[regions.member_of == c]
            )
            for c in range(regions.owners.size)
        ]
    )
    e = np.exp(-np.square(Y[:, None] - phi).sum(axis=2) / (2 * lam**2))
    m = np.stack([e[:, regions.owners == k].sum(axis=1) for k in range(4)], axis=1)
    m /= m.sum(axis=1, keepdims=True)
    np.testing.assert_allclose(objective.membership(Y), m, atol=1e-12)
    np.testing.assert_allclose(objective.places(Y), phi, atol=1e-12)
    mean = m.mean(axis=0)
    A = float(np.mean(np.sum(m * np.log(m), axis=1)))
    B = -float(np.sum(mean * np.log(mean / (1 if prior is None else prior))))
    T = regions.targets
    D = float(regions.weights @ np.sum(T * np.log(T / m), axis=1))
    expected = n * HeavyTailed(joint, alpha).cost(Y) - 30 * (A + B) + D
    assert cost == pytest.approx(expected, rel=1e-9)
    differences = central_differences(objective, Y)
    assert np.abs(gradient - differences).max() < 1e-6 * np.abs(differences).max()


def test_points_of_no_class_count_in_no_term(joint, rng, central_differences):
    n = len(joint)
    Y = rng.normal(size=(n, 2))
    made = centers(n)
    no_class = (np.arange(n) >= made.owners.size) & (np.arange(n) % 3 == 0)
    shares, weights = made.shares * ~no_class, made.weights * ~no_class
    regions = Centers(made.member_of, shares, made.owners, made.targets, weights)
    prior = rng.dirichlet(np.full(4, 5.0))
    objective = HeavyTailedMargin(joint, 0.7, regions, margin_weight=30.0, class_prior=prior)

    _, gradient = objective.cost_and_gradient(Y)
    differences = central_differences(objective, Y)
    assert np.abs(gradient - differences).max() < 1e-6 * np.abs(differences).max()

    moved = Y + 5 * rng.normal(size=Y.shape) * no_class[:, None]
    neighbors = HeavyTailed(joint)
    for layout in (Y, moved):
        of_classes = {t.name: t for t in objective.cost_terms(layout) if t.name == "margin"}
        assert not of_classes["margin"].gradient[no_class].any()
    assert objective.cost(moved) - objective.cost(Y) == pytest.approx(
        n * (neighbors.cost(moved) - neighbors.cost(Y))
    )
    # The means are over the others: as many points again of no class change nothing.
    m = objective.membership(Y)[~no_class]
    mean = m.mean(axis=0)
    A, B = np.mean(np.sum(m * np.log(m), axis=1)), -np.sum(mean * np.log(mean / prior))
    T, v = regions.targets[~no_class], weights[~no_class]
    expected = -30 * (A + B) + v @ np.sum(T * np.log(T / m), axis=1)
    assert objective.cost(Y) - n * neighbors.cost(Y) == pytest.approx(expected)


def test_cost_and_gradient_of_directions(joint, rng, central_differences, supervision):
    Y = rng.normal(size=(len(joint), 2))
    objective = HeavyTailedMargin(
        joint, 0.7, Rays(circle(4), label_distance=0.9), supervision, alpha=0.8
    )
    _, gradient = objective.cost_and_gradient(Y)
    differences = central_differences(objective, Y)
    assert np.abs(gradient - differences).max() < 1e-6 * np.abs(differences).max()


def test_with_directions_only_the_neighborhoods_differ_from_the_paper(rows, joint, rng):
    n = len(rows)
    Y = rng.normal(size=(n, 2))
    labels = Supervision(n, ["a", "b"]).label([0, 3], "a").label([1], "b", confidence=0.8)
    ours = HeavyTailedMargin(joint, 0.7, Rays(circle(3), 0.9), labels, margin_weight=2.0)
    paper = LargeMargin(rows, 0.7, circle(3), labels, label_distance=0.9, margin_weight=2.0)
    plain = LargeMargin(rows, 0.7, circle(3), label_distance=0.9, margin_weight=0.0)
    np.testing.assert_allclose(ours.membership(Y), paper.membership(Y), atol=1e-12)
    class_terms_of_paper = paper.cost(Y) - plain.cost(Y)
    assert ours.cost(Y) - n * HeavyTailed(joint).cost(Y) == pytest.approx(class_terms_of_paper)


@pytest.mark.parametrize("lam", [0.2, 1.0])
def test_centers_on_a_circle_are_the_papers_directions(joint, rng, lam):
    """Where all centers have the norm ρ, w_k = φ_k/ρ and the paper's λ is λ²/ρ."""
    n, K, size = len(joint), 5, 1.7
    directions = circle(K)
    member_of = np.arange(n) % K
    Y = size * directions[member_of]
    regions = Centers(member_of, np.ones(n), np.arange(K), np.full((n, K), 1 / K), np.zeros(n))
    ours = HeavyTailedMargin(joint, lam, regions)
    paper = HeavyTailedMargin(joint, lam**2 / size, Rays(directions))
    anywhere = rng.normal(size=(50, 2))
    np.testing.assert_allclose(ours.places(Y) / size, directions, atol=1e-12)
    np.testing.assert_allclose(
        ours.membership(Y, anywhere), paper.membership(Y, anywhere), atol=1e-10
    )


def test_a_map_far_from_the_origin_has_the_same_regions(joint, rng):
    n = len(joint)
    Y = rng.normal(size=(n, 2))
    objective = HeavyTailedMargin(joint, 0.3, centers(n))
    np.testing.assert_allclose(
        objective.membership(Y), objective.membership(Y + 1e4), rtol=1e-5, atol=1e-9
    )


def test_far_points_keep_finite_terms(joint, rng):
    """At steep borders a point that lies a thousand λ away from its class is pulled, not lost."""
    n = len(joint)
    Y = rng.normal(size=(n, 2)) * 100
    evaluation = HeavyTailedMargin(joint, 0.05, centers(n)).evaluate(Y)
    assert np.isfinite(evaluation.cost)
    assert np.isfinite(evaluation.gradient).all()
    assert (evaluation.curvature > 0).all()


def test_a_class_without_centers_has_no_members(joint, rng):
    n = len(joint)
    made = centers(n)
    targets = np.zeros((n, 6))
    targets[:, [0, 1, 3, 5]] = made.targets
    owners = np.array([0, 1, 3, 5])[made.owners]
    regions = Centers(made.member_of, made.shares, owners, targets, made.weights)
    Y = rng.normal(size=(n, 2))
    m = HeavyTailedMargin(joint, 0.5, regions).membership(Y)
    assert not m[:, [2, 4]].any()
    np.testing.assert_allclose(
        m[:, [0, 1, 3, 5]], HeavyTailedMargin(joint, 0.5, made).membership(Y), atol=1e-12
    )


def test_parameters_change_without_another_objective(joint, rng):
    n = len(joint)
    Y = rng.normal(size=(n, 2))
    regions = centers(n)
    first = HeavyTailedMargin(joint, 0.5, regions, alpha=1.0)
    changed = first.with_parameters(lam=0.2, alpha=0.5, margin_weight=3.0, rho=0.1)
    made = HeavyTailedMargin(joint, 0.2, regions, alpha=0.5, margin_weight=3.0, rho=0.1)
    assert changed.cost(Y) == made.cost(Y)
    assert changed.parameters == made.parameters
    assert first.parameters["lam"] == 0.5
    with pytest.raises(TypeError, match="exaggeration"):
        first.with_parameters(exaggeration=2.0)


def test_labels_are_no_links(joint, rng):
    n = len(joint)
    Y = rng.normal(size=(n, 2))
    labels = Supervision(n, ["a"]).label([0, 1, 2], "a")
    linked = labels.must_link([4, 5])
    regions = centers(n)
    plain = HeavyTailedMargin(joint, 0.5, regions).cost(Y)
    assert HeavyTailedMargin(joint, 0.5, regions, labels).cost(Y) == plain
    links = Supervision(n).must_link([4, 5])
    assert HeavyTailedMargin(joint, 0.5, regions, linked).cost(Y) - plain == pytest.approx(
        n * (HeavyTailed(joint, supervision=links).cost(Y) - HeavyTailed(joint).cost(Y))
    )


def test_derivative_by_single_logits(rng):
    n, K = 7, 3
    owners = np.array([0, 0, 1, 2, 2, 2])
    logits = 2 * rng.normal(size=(owners.size, n))
    wanted = Wanted.of(rng.dirichlet(np.ones(K), n), rng.random(n))
    prior = np.array([0.5, 0.3, 0.2])

    def cost(values):
        return class_terms(values, owners, wanted, prior, 4.0).cost

    found = class_terms(logits, owners, wanted, prior, 4.0).derivative
    for c, i in np.ndindex(logits.shape):
        step = np.zeros_like(logits)
        step[c, i] = 1e-5
        assert found[c, i] == pytest.approx(
            (cost(logits + step) - cost(logits - step)) / 2e-5, abs=1e-8
        )


@pytest.mark.parametrize(
    ("changes", "message"),
    [
        ({"shares": np.full(9, -1.0)}, "shares must not be negative"),
        ({"shares": np.zeros(9)}, "member_of must give every center a member"),
        ({"shares": np.eye(9)[0], "weights": np.ones(9)}, "weights must be 0 where shares are"),
        ({"owners": np.array([1, 0])}, "owners must be ascending"),
        ({"owners": np.array([0, 2])}, "owners must be ascending"),
        ({"member_of": np.zeros(9, int)}, "member_of must give every center a member"),
        ({"member_of": np.full(9, 2)}, "member_of must be in"),
        ({"weights": np.zeros(8)}, "weights"),
    ],
)
def test_malformed_centers_are_refused(changes, message):
    given = {
        "member_of": np.arange(9) % 2,
        "shares": np.ones(9),
        "owners": np.array([0, 1]),
        "targets": np.full((9, 2), 0.5),
        "weights": np.zeros(9),
    }
    with pytest.raises(ValueError, match=message):
        Centers(**{**given, **changes})


def test_other_dimensions_than_those_of_the_directions_are_refused(joint):
    objective = HeavyTailedMargin(Affinities(joint, "joint"), 1.0, Rays(circle(3)))
    with pytest.raises(ValueError, match="2 columns, like directions"):
        objective.cost(np.zeros((len(joint), 3)))
