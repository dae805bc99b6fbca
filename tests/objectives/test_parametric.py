"""The cost of Parametric Embedding, as a whole and over its class centers alone."""

from __future__ import annotations

from types import SimpleNamespace

import numpy as np
import pytest
from scipy.optimize import minimize

from nbembed.methods import ParametricEmbedding
from nbembed.objectives import Parametric
from nbembed.objectives.constant import Constant


@pytest.fixture
def proba(rng):
    rows = rng.dirichlet(np.full(4, 0.4), 12)
    rows[0] = [1, 0, 0, 0]
    return rows


def formula(Y, proba, prior, eta_objects, eta_classes):
    """Return J as equations (1), (2) and (6) have it."""
    n = len(proba)
    R, Phi = Y[:n], Y[n:]
    joint = prior * np.exp(-0.5 * np.square(R[:, None] - Phi[None]).sum(axis=2))
    q = joint / joint.sum(axis=1, keepdims=True)
    pull = eta_objects * np.square(R).sum() + eta_classes * np.square(Phi).sum()
    return -(proba * np.log(q)).sum() + pull


@pytest.mark.parametrize("d", [1, 2, 3])
@pytest.mark.parametrize("prior", [None, [0.1, 0.2, 0.3, 0.4]])
def test_cost_and_gradient(proba, prior, d, rng, central_differences):
    objective = Parametric(proba, prior, eta_objects=0.2, eta_classes=0.7)
    Y = 2 * rng.standard_normal((16, d))
    weights = np.full(4, 0.25) if prior is None else np.array(prior)
    assert objective.cost(Y) == pytest.approx(formula(Y, proba, weights, 0.2, 0.7), rel=1e-12)
    gradient = objective.gradient(Y)
    numeric = central_differences(objective, Y)
    assert np.abs(gradient - numeric).max() < 1e-6 * np.abs(numeric).max()
    assert (objective.evaluate(Y).curvature > 0).all()


def test_float32(proba, rng):
    Y = 2 * rng.standard_normal((16, 2))
    exact = Parametric(proba)
    single = Parametric(proba.astype(np.float32))
    assert single.dtype == np.float32
    found = single.evaluate(Y)
    assert found.gradient.dtype == np.float32
    wanted = exact.gradient(Y)
    assert np.abs(found.gradient - wanted).max() < 1e-4 * np.abs(wanted).max()
    assert found.cost == pytest.approx(exact.cost(Y), rel=1e-6)


def test_it_does_not_change_when_the_map_is_turned(proba, rng):
    objective = Parametric(proba)
    Y = rng.standard_normal((16, 3))
    turn, _ = np.linalg.qr(rng.standard_normal((3, 3)))
    assert objective.cost(Y @ turn) == pytest.approx(objective.cost(Y), rel=1e-12)


def test_over_classes_every_object_is_at_its_best(proba, rng, central_differences):
    objective = Parametric(proba, eta_objects=0.2, eta_classes=0.7)
    over = objective.over_classes(np.zeros((12, 2)))
    Phi = 2 * rng.standard_normal((4, 2))
    seen = over.evaluate(Phi)
    best = minimize(
        lambda r: objective.cost(np.vstack([r.reshape(12, 2), Phi])),
        np.zeros(24),
        jac=lambda r: objective.gradient(np.vstack([r.reshape(12, 2), Phi]))[:12].ravel(),
        options={"gtol": 1e-9},
    )
    assert seen.cost == pytest.approx(best.fun, rel=1e-10)
    np.testing.assert_allclose(seen.objects, best.x.reshape(12, 2), atol=1e-5)
    numeric = central_differences(over, Phi)
    assert np.abs(seen.gradient - numeric).max() < 1e-6 * np.abs(numeric).max()
    still = objective.over_classes(seen.objects, solve=False)
    np.testing.assert_allclose(still.gradient(Phi), seen.gradient, rtol=1e-10, atol=1e-10)


@pytest.mark.parametrize("ratio", [0.25, 0.5, 1.0, 2.0])
def test_certain_objects_lie_at_the_root_of_the_ratio(ratio):
    """Of the way to their center, √(η_φK/η_rN): where forces balance for three classes."""
    classes = np.arange(60) % 3
    model = ParametricEmbedding(eta_objects=0.1, eta_classes=ratio * 0.1 * 60 / 3, random_state=0)
    model.fit(np.eye(3)[classes])
    reach = np.linalg.norm(model.embedding_, axis=1)
    centers = np.linalg.norm(model.class_embedding_, axis=1)[classes]
    np.testing.assert_allclose(reach / centers, np.sqrt(ratio), rtol=1e-3)


def test_memberships_are_equation_one(proba, rng):
    prior = np.array([0.1, 0.2, 0.3, 0.4])
    objective = Parametric(proba, prior)
    Y = 2 * rng.standard_normal((16, 2))
    joint = prior * np.exp(-0.5 * np.square(Y[:12, None] - Y[None, 12:]).sum(axis=2))
    np.testing.assert_allclose(
        objective.membership(Y), joint / joint.sum(axis=1, keepdims=True), rtol=1e-12
    )


def test_parameters(proba):
    objective = Parametric(proba)
    assert objective.parameters == {"eta_objects": 0.1, "eta_classes": 0.12}
    assert (objective.n_objects, objective.n_classes, objective.n_samples) == (12, 4, 16)
    other = objective.with_parameters(eta_objects=1.0, eta_classes=5.0)
    assert other.proba is objective.proba
    assert other.parameters == {"eta_objects": 1.0, "eta_classes": 5.0}
    assert objective.parameters["eta_objects"] == 0.1
    np.testing.assert_allclose(
        other.with_parameters(prior=[0.1, 0.2, 0.3, 0.4]).prior, [0.1, 0.2, 0.3, 0.4]
    )
    with pytest.raises(TypeError, match="no parameter 'eta'"):
        objective.with_parameters(eta=1.0)


def test_a_value_with_proba_will_do(proba):
    assert Parametric(SimpleNamespace(proba=proba)).n_classes == 4


@pytest.mark.parametrize(
    ("name", "value"),
    [
        ("proba", [[0.5, 0.6]]),
        ("proba", [[1.5, -0.5]]),
        ("proba", [[np.nan, 1.0]]),
        ("proba", [0.5, 0.5]),
        ("prior", [0.5, 0.5]),
        ("prior", [0.5, 0.5, 0.5, 0.5]),
        ("prior", [1.5, -0.5, 0.0, 0.0]),
        ("prior", [0.5, 0.5, 0.0, 0.0]),
        ("eta_objects", 0.0),
        ("eta_classes", -1.0),
        ("eta_classes", "some"),
    ],
)
def test_bad_arguments(proba, name, value):
    with pytest.raises(ValueError, match=name):
        Parametric(**{"proba": proba, name: value})


def test_a_layout_of_another_size(proba):
    with pytest.raises(ValueError, match="n_samples = 16"):
        Parametric(proba).cost(np.zeros((12, 2)))


def test_nothing_to_minimize_yet(rng):
    constant = Constant(5, np.float32)
    Y = rng.standard_normal((5, 2))
    seen = constant.evaluate(Y)
    assert seen.cost == 0
    assert seen.gradient.dtype == np.float32
    assert not seen.gradient.any()
    assert constant.with_parameters() is constant
    with pytest.raises(ValueError, match="n_samples = 5"):
        constant.evaluate(Y[:4])
    with pytest.raises(TypeError, match="no parameter"):
        constant.with_parameters(eta=1.0)
