"""The three toy outcomes of the paper: who finds the separating axis, and who does not.

"A Unified Semi-Supervised Dimensionality Reduction Framework for Manifold Learning", figures 2, 3
and 4, on problems made like them. Found is within 30 degrees, missed beyond 45.
"""

from __future__ import annotations

import numpy as np
import pytest
from sklearn.neighbors import KNeighborsClassifier

from nbembed.datasets import toy_few_labels, toy_multimodal, toy_neither_alone
from nbembed.spectral import DNE, FDA, LFDA, LPP, MFA, PCA, SELF, SSFDA, SSMMC, LFDARecipe

SEEDS = range(10)
PCA_WEIGHTS = (0.0, 0.01, 0.1, 0.3, 0.5, 0.7, 0.9, 1.0)
GAMMAS = (0.0, 0.01, 0.1, 1.0, 10.0, 100.0, 1000.0)

MISSED, FOUND = 45, 30


def angles(toy, learner):
    """Return by how many degrees a learner is off the axis, one problem a seed."""
    problems = [toy(random_state=seed) for seed in SEEDS]
    return np.array([t.angle(learner.fit(t.X, t.labels).components_[0]) for t in problems])


def accuracy(toy, learner):
    """Return the mean accuracy of one nearest neighbor among the labeled on the others."""
    found = []
    for seed in SEEDS:
        t = toy(random_state=seed)
        Y, told = learner.fit_transform(t.X, t.labels), t.labels >= 0
        nearest = KNeighborsClassifier(1).fit(Y[told], t.y[told])
        found.append(nearest.score(Y[~told], t.y[~told]))
    return float(np.mean(found))


@pytest.mark.parametrize(
    "learner", [FDA(1), PCA(1), LPP(1), *(SSFDA(1, gamma=g) for g in GAMMAS)], ids=str
)
def test_1_many_labels_missed(learner):
    assert angles(toy_multimodal, learner).min() > MISSED
    assert accuracy(toy_multimodal, learner) < 0.65


@pytest.mark.parametrize("learner", [LFDA(1), LFDA(1, gamma=0.01)], ids=str)
def test_1_many_labels_found(learner):
    assert angles(toy_multimodal, learner).max() < FOUND
    assert accuracy(toy_multimodal, learner) > 0.85


@pytest.mark.parametrize(
    "learner", [FDA(1), PCA(1), LFDA(1), *(SELF(1, pca_weight=w) for w in PCA_WEIGHTS)], ids=str
)
def test_2_few_labels_missed(learner):
    assert angles(toy_few_labels, learner).min() > MISSED


@pytest.mark.parametrize("learner", [LPP(1), LFDA(1, gamma=100.0)], ids=str)
def test_2_few_labels_found(learner):
    assert angles(toy_few_labels, learner).max() < FOUND
    assert accuracy(toy_few_labels, learner) > 0.95


@pytest.mark.parametrize("learner", [LFDA(1), LPP(1), FDA(1), PCA(1)], ids=str)
def test_3_neither_alone(learner):
    assert angles(toy_neither_alone, learner).min() > MISSED


def test_3_but_together():
    assert angles(toy_neither_alone, LFDA(1, gamma=100.0)).max() < FOUND
    assert accuracy(toy_neither_alone, LFDA(1, gamma=100.0)) > 0.9


@pytest.mark.parametrize("toy", [toy_multimodal, toy_few_labels, toy_neither_alone])
@pytest.mark.parametrize(
    "learner",
    [
        MFA(1, gamma=100.0),
        DNE(1, gamma=100.0),
        SSMMC(1, gamma=100.0),
        LFDA(1, gamma=1000.0, epsilon="gamma"),
    ],
    ids=str,
)
def test_one_weight_for_all_three(toy, learner):
    assert angles(toy, learner).max() < FOUND


def test_the_slider_s_default_leaves_many_labels_their_axis():
    recipe = LFDARecipe().live_defaults(None, None)
    assert angles(toy_multimodal, LFDA(1, gamma=recipe.gamma)).max() < FOUND


@pytest.mark.parametrize("gamma", GAMMAS)
def test_no_weight_of_ss_lfda_with_a_tiny_epsilon_for_all_three(gamma):
    learner = LFDA(1, gamma=gamma)
    found = [angles(toy, learner).mean() for toy in (toy_multimodal, toy_few_labels)]
    assert max(found) > MISSED


@pytest.mark.parametrize("toy", [toy_multimodal, toy_few_labels, toy_neither_alone])
def test_the_problems_themselves(toy):
    t = toy(random_state=3)
    assert np.array_equal(t.X, toy(random_state=np.random.default_rng(3)).X)
    assert set(np.unique(t.labels)) == {-1, 0, 1}
    assert np.array_equal(t.labels[t.labels >= 0], t.y[t.labels >= 0])
    along = (t.X @ t.axis)[:, None]
    assert KNeighborsClassifier(1).fit(along[::2], t.y[::2]).score(along[1::2], t.y[1::2]) > 0.95
    assert np.bincount(t.y).min() >= 0.45 * len(t.y)
    assert t.angle(t.axis) == 0
    assert t.angle([0, 1]) == pytest.approx(90)
    with pytest.raises(ValueError, match="n_samples must be at least 40"):
        toy(10)
