"""Every learner against a second formula, and what holds for all of them."""

from __future__ import annotations

import numpy as np
import pytest
from scipy import sparse
from scipy.linalg import eigh, subspace_angles
from sklearn.base import clone
from sklearn.datasets import load_iris, load_wine
from sklearn.decomposition import PCA as SklearnPCA
from sklearn.discriminant_analysis import LinearDiscriminantAnalysis

from nbembed.spectral import DNE, FDA, LFDA, LPP, MFA, PCA, SELF, SSFDA, SSMMC, costs
from nbembed.spectral.custom import GraphLearner
from nbembed.supervision import Supervision
from tests.spectral.helpers import (
    fisher_matrices,
    heat_matrix,
    local_affinity,
    nearest_matrix,
    pair_scatter,
    same_axes,
    smallest,
)

LEARNERS = [FDA, LFDA, MFA, DNE, LPP, PCA, SELF, SSFDA, SSMMC]
GAMMA = 0.05

every = pytest.mark.parametrize("kind", LEARNERS, ids=lambda kind: kind.__name__)


def local_affinities(X, y):
    return sum(local_affinity(X, np.flatnonzero(y == c)) for c in np.unique(y[y >= 0]))


@pytest.fixture(scope="module")
def parts(blobs):
    """Return every scatter by pairs: labels, neighborhoods, and degrees."""
    X, _, y = blobs
    centered = X - X.mean(axis=0)
    heat = heat_matrix(X)
    return {
        "fda": [pair_scatter(C, X) for C in fisher_matrices(y)],
        "lfda": [pair_scatter(C, X) for C in fisher_matrices(y, local_affinities(X, y))],
        "near": [pair_scatter(nearest_matrix(X, y, 3, same), X) for same in (True, False)],
        "heat": pair_scatter(heat, X),
        "heat2": pair_scatter(heat**2, X),
        "degrees": centered.T @ np.diag(heat.sum(axis=1)) @ centered,
        "degrees2": centered.T @ np.diag((heat**2).sum(axis=1)) @ centered,
        "total": centered.T @ centered,
        "I": np.eye(X.shape[1]),
    }


def pencils(parts):
    """Yield learners with the matrices W and B that their table says."""
    (fw, fb), (lw, lb), (near, other) = parts["fda"], parts["lfda"], parts["near"]
    heat, total, one = parts["heat"], parts["total"], parts["I"]
    for gamma in (0.0, GAMMA):
        extra = gamma * parts["heat"]
        yield FDA(gamma=gamma), fw + extra, fb
        yield LFDA(gamma=gamma), lw + extra, lb
        yield MFA(gamma=gamma), near + extra, other
        yield DNE(gamma=gamma), near - other + extra, one
    yield LFDA(gamma=GAMMA, power=2), lw + GAMMA * parts["heat2"], lb
    yield LPP(), heat, parts["degrees"]
    yield LPP(power=2), parts["heat2"], parts["degrees2"]
    yield PCA(), -total, one
    yield SELF(pca_weight=0.3), 0.7 * lw + 0.3 * one, 0.7 * lb + 0.3 * total
    yield SSFDA(gamma=0.2), fw + fb + 0.2 * heat, fb
    yield SSMMC(gamma=0.2), fw + 0.2 * heat - fb, one


@pytest.mark.parametrize("number", range(15))
def test_axes_cost_and_constraint_are_the_formula_s(blobs, parts, number):
    X, _, y = blobs
    learner, W, B = list(pencils(parts))[number]
    learner.fit(X, y)
    A = learner.components_.T
    # FDA's constraint has no inverse in five dimensions; turned round, its cost has.
    if isinstance(learner, FDA | SSFDA):
        values, axes = eigh(-B, W)
        axes, values = axes[:, :2], -1 / values[:2]
    else:
        axes, values = smallest(W, B, 2)
    assert same_axes(A, axes)
    expected = -values if isinstance(learner, PCA | SSMMC) else values
    assert np.allclose(learner.eigenvalues_, expected, rtol=1e-6)
    assert np.allclose(A.T @ B @ A, np.eye(2), atol=1e-7)
    assert learner.cost_ == pytest.approx(np.trace(A.T @ W @ A), rel=1e-6)
    assert learner.informed_.all()
    assert np.allclose(learner.embedding_, (X - X.mean(axis=0)) @ A, atol=1e-5)


@pytest.mark.parametrize("constraint", ["identity", "variance", "array"])
@pytest.mark.parametrize("kind", [FDA, LFDA, MFA, DNE, LPP], ids=lambda kind: kind.__name__)
def test_choices_of_the_constraint(blobs, parts, kind, constraint, rng):
    X, _, y = blobs
    M = rng.standard_normal((5, 5))
    B = {"identity": np.eye(5), "variance": np.diag(X.var(axis=0)), "array": M @ M.T}[constraint]
    W = {FDA: parts["fda"][0], LFDA: parts["lfda"][0], MFA: parts["near"][0],
         DNE: parts["near"][0] - parts["near"][1], LPP: parts["heat"]}[kind]  # fmt: skip
    learner = kind(constraint=B if constraint == "array" else constraint).fit(X, y)
    axes, values = smallest(W, B, 2)
    assert same_axes(learner.components_.T, axes)
    assert np.allclose(learner.eigenvalues_, values, rtol=1e-6)


@pytest.mark.parametrize("kind", [FDA, LFDA, MFA, DNE], ids=lambda kind: kind.__name__)
def test_epsilon_may_be_gamma_in_the_unit_of_the_data(blobs, parts, kind):
    X, _, y = blobs
    near, other = parts["near"]
    W, B = {FDA: parts["fda"], LFDA: parts["lfda"], MFA: parts["near"],
            DNE: (near - other, np.eye(5))}[kind]  # fmt: skip
    learner = kind(gamma=0.3, epsilon="gamma").fit(X, y)
    axes, values = smallest(W + 0.3 * parts["heat"], B + 0.3 * np.eye(5), 2)
    assert same_axes(learner.components_.T, axes)
    assert np.allclose(learner.eigenvalues_, values, rtol=1e-6)
    # There is nothing to take for ε without a cost of neighborhoods.
    without = kind(epsilon="gamma").fit(X, y)
    assert np.allclose(without.components_, kind().fit(X, y).components_)


@pytest.mark.parametrize("load", [load_iris, load_wine])
def test_fda_is_linear_discriminant_analysis(load):
    X, y = load(return_X_y=True)
    theirs = LinearDiscriminantAnalysis(solver="eigen").fit(X, y).scalings_[:, :2]
    assert subspace_angles(FDA().fit(X, y).components_.T, theirs).max() < 1e-6


def test_pca_is_scikit_learn_s(blobs):
    X = blobs[0]
    mine, theirs = PCA(3).fit(X), SklearnPCA(3).fit(X)
    assert same_axes(mine.components_.T, theirs.components_.T, 1e-10)
    assert np.allclose(mine.eigenvalues_, theirs.singular_values_**2)
    assert mine.cost_ == pytest.approx(-(theirs.singular_values_**2).sum())


def test_self_interpolates_between_lfda_and_pca(blobs):
    X, _, y = blobs
    start, end = SELF(pca_weight=0.0).fit(X, y), SELF(pca_weight=1.0).fit(X, y)
    assert np.allclose(start.components_, LFDA().fit(X, y).components_, atol=1e-9)
    assert same_axes(end.components_.T, PCA().fit(X).components_.T, 1e-9)
    assert np.allclose(np.square(end.embedding_).sum(axis=0), 1, atol=1e-5)


def test_ss_fda_has_the_axes_of_fda_with_the_same_gamma(blobs):
    X, _, y = blobs
    theirs, ours = SSFDA(gamma=0.3).fit(X, y), FDA(gamma=0.3).fit(X, y)
    assert same_axes(theirs.components_.T, ours.components_.T, 1e-9)
    assert np.allclose(theirs.eigenvalues_, ours.eigenvalues_ + 1)


def test_a_custom_learner(blobs):
    X, _, y = blobs

    def apart(X, groups):
        return costs.local_between(X, groups)

    mine = GraphLearner(
        label_cost=costs.local_within, constraint=apart, gamma=GAMMA, power=2
    ).fit(X, y)  # fmt: skip
    assert np.allclose(mine.components_, LFDA(gamma=GAMMA, power=2).fit(X, y).components_)
    assert np.allclose(GraphLearner().fit(X).components_, LPP().fit(X).components_)

    def four_nearest(X):
        return costs.heat_kernel(X, 4)

    mine = GraphLearner(unlabeled_cost=four_nearest, constraint="identity").fit(X)
    axes, _ = smallest(pair_scatter(heat_matrix(X, 4), X), np.eye(5), 2)
    assert same_axes(mine.components_.T, axes)


# -- what holds for all ------------------------------------------------------------------------


@every
def test_where_the_data_lie_and_how_they_are_turned_does_not_matter(blobs, kind, rng):
    X, _, y = blobs
    turn, _ = np.linalg.qr(rng.standard_normal((5, 5)))
    plain = kind().fit(X, y)
    moved = kind().fit(X @ turn + 1000.0, y)
    assert same_axes(turn @ moved.components_.T, plain.components_.T)
    assert np.allclose(moved.embedding_, plain.embedding_, atol=1e-4)


@every
def test_the_order_of_points_and_the_names_of_classes_do_not_matter(blobs, kind, rng):
    X, _, y = blobs
    order = rng.permutation(60)
    names = np.array(["c", "a", "b", "none"])[y]
    plain = kind().fit(X, y)
    known = [None if c == "none" else c for c in names[order]]
    other = kind().fit(X[order], known)
    assert np.allclose(other.embedding_, plain.embedding_[order], atol=1e-5)


@pytest.mark.parametrize(
    "kind", [kind for kind in LEARNERS if kind is not SELF], ids=lambda kind: kind.__name__
)
def test_the_unit_of_the_data_does_not_matter(blobs, kind):
    """SELF alone has one: it adds I to a scatter."""
    X, _, y = blobs
    assert same_axes(kind().fit(1000 * X, y).components_.T, kind().fit(X, y).components_.T, 1e-5)


@every
def test_sparse_data_give_the_same_axes(blobs, kind):
    X, _, y = blobs
    thin = np.where(np.abs(X) > 1.5, X, 0.0)
    for make in (sparse.csr_matrix, sparse.csr_array):
        loose, dense = kind().fit(make(thin), y), kind().fit(thin, y)
        assert np.allclose(loose.components_, dense.components_, rtol=1e-5, atol=1e-8)
        assert np.allclose(loose.transform(make(thin)), dense.transform(thin), atol=1e-5)


@every
def test_more_features_than_points(kind, rng):
    """Axes lie in the span of the data; sparse and dense agree there as well."""
    X = np.where(rng.random((30, 200)) < 0.2, rng.random((30, 200)), 0.0)
    y = np.where(np.arange(30) < 20, np.arange(30) % 2, -1)
    dense, loose = kind().fit(X, y), kind().fit(sparse.csr_array(X), y)
    assert np.isfinite(dense.embedding_).all()
    span = np.linalg.svd(X - X.mean(axis=0), full_matrices=False)[2][:29]
    A = dense.components_.T
    assert np.allclose(span.T @ (span @ A), A, atol=1e-8 * np.abs(A).max())
    told = dense.informed_
    assert told.tolist() == [True, kind not in (FDA, SSFDA)], "of two classes"
    gap = np.abs(loose.embedding_ - dense.embedding_)[:, told].max()
    assert gap < 1e-3 * np.abs(dense.embedding_).max()


@every
def test_constant_and_repeated_features_do_no_harm(blobs, kind):
    X, _, y = blobs
    singular = np.column_stack([X, np.full(60, 7.0), X[:, 0], X[:, 1] + X[:, 2]])
    learner = kind(3).fit(singular, y)
    assert np.isfinite(learner.components_).all()
    assert np.isfinite(learner.embedding_).all()
    assert np.abs(learner.components_[:, 5]).max() < 1e-8


@every
def test_transform_is_linear_and_gives_the_embedding(blobs, kind):
    X, _, y = blobs
    learner = kind().fit(X, y)
    assert np.array_equal(learner.transform(X), learner.embedding_)
    assert np.allclose(
        learner.transform(X[:3].astype(np.float32)), learner.embedding_[:3], atol=1e-4
    )
    middle = learner.transform((X[:1] + X[1:2]) / 2)
    assert np.allclose(middle, learner.embedding_[:2].mean(axis=0), atol=1e-5)
    assert learner.embedding_.dtype == np.float32
    assert np.array_equal(clone(learner).fit_transform(X, y), learner.embedding_)


def test_principal_components_first(blobs):
    X, _, y = blobs
    first = PCA(3).fit(X)
    behind = LFDA().fit(first.transform(X).astype(float), y)
    assert np.allclose(LFDA(n_pca=3).fit(X, y).embedding_, behind.embedding_, atol=1e-3)


def test_classes_of_one_point_and_no_neighborhoods(blobs):
    X = blobs[0]
    y = np.full(60, -1)
    y[[0, 1]] = 0, 1
    for kind in (FDA, LFDA, MFA, SELF, SSFDA):
        learner = kind().fit(X, y)
        assert np.isfinite(learner.embedding_).all()
    only = FDA().fit(X, y)
    gap = X[0] - X[1]
    assert same_axes(only.components_[:1].T, gap[:, None])
    assert only.informed_.tolist() == [True, False]


def test_further_axes_than_the_classes_inform(blobs):
    X, truth, _ = blobs
    learner = FDA(4).fit(X, truth)
    assert learner.informed_.tolist() == [True, True, False, False]
    spread = learner.embedding_.std(axis=0)
    assert np.allclose(spread[2:], spread[:2].min(), rtol=1e-4)
    assert np.allclose(learner.components_[:2], FDA(2).fit(X, truth).components_)


def test_links_take_the_place_of_labels(blobs):
    X, truth, _ = blobs
    said = Supervision(60)
    groups = [np.flatnonzero(truth == c)[:8] for c in range(3)]
    for group in groups:
        said = said.must_link(group)
    for a, b in ((0, 1), (0, 2), (1, 2)):
        said = said.cannot_link(groups[a], groups[b])
    for kind in (FDA, LFDA, MFA, DNE):
        learner = kind(gamma=1e-3).fit(X, supervision=said)
        Y = learner.embedding_
        centers = np.array([Y[g].mean(axis=0) for g in groups])
        hit = np.argmin(((Y[:, None] - centers) ** 2).sum(axis=2), axis=1) == truth
        assert hit.mean() > 0.75
