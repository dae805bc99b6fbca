"""Compactness: a map fills its picture at any tails."""

from __future__ import annotations

import numpy as np
import pytest
from sklearn.datasets import load_digits, make_blobs

from nbembed import HSSNE
from nbembed.kernels.inner_product import rms_radius
from nbembed.objectives import HeavyTailed
from nbembed.objectives.compactness import PRESSURE, ROOMY, bound


def largest(n, compactness, width):
    return width / compactness / np.sqrt(1 / n + 1 / ROOMY)


@pytest.mark.parametrize("d", [1, 2, 3])
def test_its_gradient_is_the_derivative_of_its_cost(rng, d):
    Yt = rng.normal(size=(d, 20)) + 3.0
    found = bound(Yt, 4.0, 1.5)
    moved = rng.normal(size=Yt.shape)
    h = 1e-5
    ahead, behind = (bound(Yt + s * h * moved, 4.0, 1.5).cost for s in (1, -1))
    assert np.sum(found.gradient * moved) == pytest.approx((ahead - behind) / (2 * h), rel=1e-6)


def test_a_map_of_the_largest_radius_must_gain_the_pressure_by_growing(rng):
    Yt = rng.normal(size=(2, 50))
    Yt -= Yt.mean(axis=1, keepdims=True)
    Yt *= largest(50, 2.0, 0.7) / rms_radius(Yt.T)
    found = bound(Yt, 2.0, 0.7)
    assert np.sum(found.gradient * Yt) == pytest.approx(PRESSURE)
    # Along the map itself: the second derivative by the scale.
    grown = bound(1.0001 * Yt, 2.0, 0.7)
    bend = (np.sum(grown.gradient * Yt) - PRESSURE) / 0.0001 / np.sum(Yt * Yt)
    assert found.curvature == pytest.approx(bend, rel=1e-3)


def test_it_is_next_to_nothing_on_a_narrow_map_and_finite_on_any(rng):
    Yt = rng.normal(size=(2, 50))
    assert bound(Yt, 1.0, 1.0).cost < 1e-6
    assert bound(np.zeros((2, 50)), 1.0, 1.0).cost == 0
    assert np.isfinite(bound(1e15 * Yt, 1.0, 1.0).gradient).all()


def test_the_shown_cost_is_the_divergence_alone(joint, rng):
    Y = 10 * rng.normal(size=(len(joint), 2))
    free, held = HeavyTailed(joint, 2.0), HeavyTailed(joint, 2.0, compactness=1.0)
    assert held.evaluate(Y).plain_cost == pytest.approx(free.cost(Y))
    assert held.cost(Y) > free.cost(Y)
    assert held.cost_terms(Y)[-1].name == "compactness"


@pytest.mark.parametrize("alpha", [1.0, 2.0, 3.0])
def test_maps_have_one_radius_at_all_heavy_tails(alpha):
    X = load_digits().data[:600]
    Y = HSSNE(alpha=alpha, random_state=0).fit_transform(X)
    assert 0.7 < rms_radius(Y) / largest(len(X), 1.0, 1.0) < 1.3
    closer = HSSNE(alpha=alpha, compactness=1.5, random_state=0).fit_transform(X)
    assert rms_radius(closer) < 0.8 * rms_radius(Y)


@pytest.mark.parametrize("alpha", [1.5, 2.0, 3.0])
def test_groups_do_not_become_dots(alpha):
    """Without compactness each is a hundredth of the map and less."""
    X, classes = make_blobs(400, 20, centers=8, random_state=0)
    found = {c: HSSNE(alpha=alpha, compactness=c, random_state=0).fit(X) for c in (0.0, 1.0)}
    width = {}
    for c, fitted in found.items():
        Y = fitted.embedding_
        assert np.isfinite(Y).all()
        within = np.mean([rms_radius(Y[classes == k]) for k in range(8)])
        width[c] = within / rms_radius(Y)
    assert width[1.0] > 2 * width[0.0]
