"""The variants of Algorithm 1: where labels are as certain as a point at twice the radius is."""

from __future__ import annotations

import numpy as np
from sklearn.datasets import load_iris

from nbembed.experiments.papers.mbed import VARIANTS, FartherRecipe
from nbembed.methods.mbed.recipe import MbedRecipe
from nbembed.supervision import as_supervision


def test_farther_labels_are_softened_at_twice_the_radius():
    X, y = load_iris(return_X_y=True)
    told = as_supervision(np.where(np.arange(150) % 10 == 0, y, -1), 150)
    affinities = MbedRecipe().make_affinities(X, told)
    start = MbedRecipe().make_start(X, affinities, told, np.random.default_rng(0))
    near, far = (
        kind().make_objective(affinities, told, start.geometry)
        for kind in (MbedRecipe, FartherRecipe)
    )
    assert far.parameters["radius"] == 2 * near.parameters["radius"]
    assert far.parameters["lam"] == near.parameters["lam"]
    assert far.evaluate(start.Y).cost != near.evaluate(start.Y).cost


def test_the_printed_variant_starts_from_noise():
    assert [init for init, _ in VARIANTS.values()] == ["noise", "auto", "noise", "auto"]
