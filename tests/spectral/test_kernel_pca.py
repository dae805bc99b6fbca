"""The KPCA trick: linear where the kernel is, and kernel discriminant analysis by its formula."""

from __future__ import annotations

import numpy as np
import pytest
from scipy import sparse
from scipy.linalg import eigh
from sklearn.datasets import load_iris, make_circles
from sklearn.metrics.pairwise import polynomial_kernel, rbf_kernel

from nbembed.spectral import DNE, FDA, LFDA, LPP, MFA, PCA, SELF, KPCATrick
from nbembed.spectral.kernel_pca import kernel_coordinates
from tests.spectral.helpers import same_axes


@pytest.mark.parametrize("kind", [FDA, LFDA, DNE, LPP, PCA, SELF], ids=lambda kind: kind.__name__)
def test_a_linear_kernel_changes_nothing(blobs, kind, rng):
    X, _, y = blobs
    new = rng.standard_normal((7, 5))
    plain, trick = kind().fit(X, y), KPCATrick(learner=kind(), kernel="linear").fit(X, y)
    assert np.allclose(trick.embedding_, plain.embedding_, atol=1e-5)
    assert np.allclose(trick.transform(new), plain.transform(new), atol=1e-5)
    assert np.allclose(trick.eigenvalues_, plain.eigenvalues_, rtol=1e-6)


def test_kernel_discriminant_analysis(blobs, rng):
    """max αᵀMα/αᵀNα of Mika et al. with K̃ between and within classes; a kernel of low rank."""
    X, truth, _ = blobs
    X = X[:, :2] - X[:, :2].mean(axis=0)
    K = polynomial_kernel(X, degree=2, gamma=0.5, coef0=1)
    H = np.eye(60) - 1 / 60
    Kc = H @ K @ H
    total = np.zeros((60, 60))
    for c in range(3):
        own = np.outer(truth == c, truth == c) / (truth == c).sum()
        total += own
    between, within = Kc @ (H @ total @ H) @ Kc, Kc @ (np.eye(60) - total) @ Kc
    values, U = eigh(Kc)
    kept = U[:, values > 1e-9 * values[-1]]
    assert kept.shape[1] == 5, "the quadratic kernel of two features has five dimensions"
    ratio, alpha = eigh(kept.T @ between @ kept, kept.T @ within @ kept)
    alpha = kept @ alpha[:, ::-1][:, :2]
    made = KPCATrick(
        learner=FDA(), kernel="polynomial", degree=2, kernel_coefficient=0.5, coef0=1
    ).fit(X, truth)
    Z = made.embedding_.astype(float)
    assert same_axes(Z, Kc @ alpha, 1e-5)
    assert np.allclose(made.eigenvalues_, 1 / ratio[::-1][:2], rtol=1e-5)
    new = rng.standard_normal((9, 2))
    k = polynomial_kernel(new, X, degree=2, gamma=0.5, coef0=1)
    centered = k - k.mean(axis=1, keepdims=True) - K.mean(axis=0) + K.mean()
    assert same_axes(made.transform(new).astype(float), centered @ alpha, 1e-5)


def test_it_sees_what_no_line_can():
    X, y = make_circles(160, noise=0.05, factor=0.4, random_state=0)
    labels = np.where(np.arange(160) % 4 == 0, y, -1)
    flat = LFDA(1).fit_transform(X, labels).ravel()
    bent = (
        KPCATrick(learner=LFDA(1, gamma=0.1, n_pca=20), kernel_coefficient=1.0)
        .fit_transform(X, labels)
        .ravel()
    )

    def right(z):
        middle = (z[labels == 0].mean() + z[labels == 1].mean()) / 2
        told = np.mean((z > middle) == y)
        return max(told, 1 - told)

    assert right(flat) < 0.75
    assert right(bent) > 0.98


def test_precomputed_and_callable_kernels(blobs):
    X, _, y = blobs
    learner = LFDA(gamma=0.1)
    by_name = KPCATrick(learner=learner, kernel_coefficient=0.1).fit(X[:50], y[:50])
    given = KPCATrick(learner=learner, kernel="precomputed").fit(
        rbf_kernel(X[:50], gamma=0.1), y[:50]
    )
    assert np.allclose(given.embedding_, by_name.embedding_, atol=1e-4)
    new = rbf_kernel(X[50:], X[:50], gamma=0.1)
    assert np.allclose(given.transform(new), by_name.transform(X[50:]), atol=1e-4)
    by_hand = KPCATrick(learner=learner, kernel=lambda a, b: np.exp(-0.1 * ((a - b) ** 2).sum()))
    assert np.allclose(by_hand.fit(X[:50], y[:50]).embedding_, by_name.embedding_, atol=1e-4)
    thin = KPCATrick(learner=learner, kernel_coefficient=0.1).fit(sparse.csr_array(X[:50]), y[:50])
    assert np.allclose(thin.embedding_, by_name.embedding_, atol=1e-4)


def test_the_width_and_the_number_of_axes(blobs):
    X, _, y = blobs
    made = KPCATrick().fit(X, y)
    assert made.kernel_coefficient_ == pytest.approx(1 / X.var(axis=0).sum())
    assert made.components_.shape == (2, 60)
    assert np.array_equal(made.transform(X), made.embedding_)
    thin = sparse.csr_array(X)
    assert KPCATrick().fit(thin, y).kernel_coefficient_ == pytest.approx(made.kernel_coefficient_)
    learner = LFDA(3, gamma=1.0)
    one = KPCATrick(learner=learner, n_components=1).fit(X, y)
    assert one.embedding_.shape == (60, 1)
    assert learner.n_components == 3
    assert not hasattr(learner, "components_"), "the learner itself is not fitted"
    assert KPCATrick(learner=learner).fit(X, y).embedding_.shape == (60, 3)
    assert KPCATrick(learner=LPP()).fit(X).embedding_.shape == (60, 2)


@pytest.mark.parametrize(
    ("parameters", "message"),
    [
        ({"learner": "FDA"}, "learner must be an estimator of nbembed.spectral"),
        ({"learner": KPCATrick()}, "other than KPCATrick"),
        ({"learner": FDA(gamma=-1.0)}, "gamma must be"),
        ({"kernel": "cosinus"}, "kernel must be one of 'precomputed', 'additive_chi2'"),
        ({"kernel": "chi2"}, "kernel must be one that applies to this X"),
        ({"kernel": lambda a, b: np.nan}, "kernel must give finite values"),
        ({"kernel": lambda a, b: 1.0}, "X must have distinct points in the space of the kernel"),
        ({"kernel": "precomputed"}, "X must be the square kernel matrix"),
        ({"kernel_coefficient": 0.0}, "kernel_coefficient must be a finite number at least 1e-12"),
        ({"kernel_coefficient": "auto"}, "kernel_coefficient must be one of 'scale'"),
        ({"degree": 0}, "degree must be"),
        ({"n_components": 0}, "n_components must be at least 1"),
        ({"kernel": "linear", "n_components": 6}, "n_components must be at most 5"),
    ],
)
def test_bad_input(blobs, parameters, message):
    X, _, y = blobs
    with pytest.raises((ValueError, TypeError), match=message):
        KPCATrick(**parameters).fit(X, y)


@pytest.mark.parametrize("learner", [FDA(), LFDA(), MFA(), LFDA(gamma=0.1)], ids=repr)
@pytest.mark.parametrize("n_labeled", [9, 75, 150])
def test_rounding_of_the_data_does_not_move_the_map(learner, n_labeled):
    """The kernel's space is larger than the labeled points: many axes cost a learner nothing."""
    X, y = load_iris(return_X_y=True)
    y[np.random.default_rng(0).permutation(150)[n_labeled:]] = -1
    made, moved = (KPCATrick(learner=learner).fit(Z, y).embedding_ for Z in (X, X * (1 + 1e-14)))
    assert np.abs(moved - made).max() < 1e-4 * np.abs(made).max()


def test_components_within_their_rounding_are_left_out():
    X = load_iris().data
    K = rbf_kernel(X)
    H = np.eye(150) - 1 / 150
    values = np.linalg.eigvalsh(H @ K @ H)
    subspace, _, _ = kernel_coordinates(K)
    kept = values > 1e4 * 150 * np.finfo(float).eps * values[-1]
    assert subspace.rank == kept.sum() < 149
