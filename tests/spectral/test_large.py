"""Large data: what is computed in blocks, iteratively or from landmarks against the whole of it."""

from __future__ import annotations

import numpy as np
import pytest
from scipy import sparse
from scipy.linalg import subspace_angles
from sklearn.datasets import load_digits
from sklearn.metrics.pairwise import rbf_kernel

from nbembed.spectral import (
    DNE,
    FDA,
    LFDA,
    LPP,
    MFA,
    PCA,
    SELF,
    SSFDA,
    SSMMC,
    KPCATrick,
    costs,
    local_graph,
    nystrom,
    subspace,
)
from nbembed.spectral.subspace import Subspace
from tests.peak_memory import peak_memory
from tests.spectral.helpers import pair_scatter, same_axes

LEARNERS = [FDA, LFDA, MFA, DNE, LPP, PCA, SELF, SSFDA, SSMMC]
every = pytest.mark.parametrize("kind", LEARNERS, ids=lambda kind: kind.__name__)


@pytest.fixture(scope="module")
def texts():
    """Return sparse counts of 300 documents, their three topics, and three fifths of those."""
    rng = np.random.default_rng(3)
    y = np.arange(300) % 3
    words = rng.gamma(0.2, size=(3, 420)) + 0.02
    X = rng.poisson(60 * words[y] / words.sum(axis=1)[y][:, None])
    return sparse.csr_array(X.astype(float)), y, np.where(np.arange(300) % 5 < 3, y, -1)


def iterated(monkeypatch):
    monkeypatch.setattr(subspace, "ALL", 10)
    monkeypatch.setattr(subspace, "LEADING", 20)


# -- local affinities of large classes ---------------------------------------------------------


@pytest.mark.parametrize("pairs", [40, 10**6])
def test_blocks_are_the_stored_class(blobs, monkeypatch, pairs):
    X, _, y = blobs
    groups = costs.LabelGroups.of(costs_supervision(y))
    stored = [make(X, groups) for make in (costs.local_within, costs.local_between)]
    monkeypatch.setattr(costs, "STORED", 3)
    monkeypatch.setattr(local_graph, "PAIRS", pairs)
    blocks = [make(X, groups) for make in (costs.local_within, costs.local_between)]
    assert any(isinstance(g, local_graph.Local) for _, g in blocks[0].terms)
    for whole, made in zip(stored, blocks):
        assert np.allclose(made.matrix().toarray(), whole.matrix().toarray(), rtol=1e-9)
        assert np.allclose(made.degree(), whole.degree(), rtol=1e-9)
        assert np.allclose(made.scatter(X), whole.scatter(X), rtol=1e-9)
        C = whole.matrix().toarray()
        assert np.allclose(made.scatter(X + 100), pair_scatter(C, X), rtol=1e-9)
    raised, power = blocks[0].terms[0][1] ** 2.5, stored[0].terms[0][1] ** 2.5
    assert np.allclose(raised.matrix().toarray(), power.matrix().toarray(), rtol=1e-9)
    with pytest.raises(ValueError, match="power must be"):
        raised**0


def costs_supervision(y):
    from nbembed.supervision import as_supervision

    return as_supervision(y, len(y))


def test_a_class_of_equal_points_has_a_scale(monkeypatch):
    monkeypatch.setattr(costs, "STORED", 3)
    X = np.vstack([np.zeros((9, 2)), np.random.default_rng(0).standard_normal((9, 2))])
    made = LFDA().fit_transform(X, np.repeat([0, 1], 9))
    assert np.isfinite(made).all()


def test_a_large_class_takes_no_memory_for_its_pairs():
    n = 6000
    X = np.random.default_rng(0).standard_normal((n, 5))
    peak = peak_memory(LFDA().fit, X, np.arange(n) % 2)
    assert peak < 0.6 * (n / 2) ** 2 * 8 * 2, "less than the pairs of both classes"


# -- iterative principal directions ------------------------------------------------------------


@every
@pytest.mark.parametrize("kind_of_data", ["tall", "wide", "dense tall", "dense wide"])
def test_iterative_directions_give_the_solution_of_all_at_once(
    texts, monkeypatch, kind, kind_of_data
):
    X, _, y = texts
    if "tall" in kind_of_data:
        X = sparse.csr_array(X[:, :250])
    X = X.toarray() if "dense" in kind_of_data else X
    parameters = {} if kind is PCA else {"n_pca": 20}  # PCA's "auto" is as many
    whole = kind(**parameters).fit(X, y)
    iterated(monkeypatch)
    made = kind(**parameters).fit(X, y)
    if kind is not PCA:
        assert made.n_pca_ == 20
    angles = subspace_angles(made.components_.T, whole.components_.T)
    assert angles.max() < 1e-5
    assert made.cost_ == pytest.approx(whole.cost_, rel=1e-6)
    assert np.allclose(made.eigenvalues_, whole.eigenvalues_, rtol=1e-6)
    size = np.abs(whole.embedding_).max()
    assert np.allclose(made.embedding_, whole.embedding_, atol=1e-4 * size)
    assert np.array_equal(made.transform(X), made.embedding_)


def test_which_directions_are_kept(texts, monkeypatch):
    X, _, y = texts
    full = FDA(gamma=0.1).fit(X, y)
    assert full.n_pca_ == Subspace.of(X).rank > 250
    iterated(monkeypatch)
    assert FDA(gamma=0.1).fit(X, y).n_pca_ == 20
    assert FDA(gamma=0.1, n_pca=30).fit(X, y).n_pca_ == 30
    assert PCA(25).fit(X).embedding_.shape == (300, 25)
    # A quarter of the directions and more are found all at once.
    assert FDA(gamma=0.1, n_pca=250).fit(X, y).n_pca_ == 250
    everything = FDA(gamma=0.1, n_pca=None).fit(X, y)
    assert np.array_equal(everything.embedding_, full.embedding_)
    again = [FDA(gamma=0.1).fit(X, y).embedding_ for _ in range(2)]
    assert np.array_equal(*again), "the iteration starts from the same vector"


def test_directions_without_variance_are_left_out(monkeypatch):
    iterated(monkeypatch)
    rng = np.random.default_rng(0)
    X = rng.standard_normal((200, 5)) @ rng.standard_normal((5, 120))
    assert Subspace.of(X, "auto").rank == 5
    thin = [Subspace.of(sparse.csr_array(X), "auto") for _ in range(2)]
    assert thin[0].rank == 5
    assert np.array_equal(thin[0].Z, thin[1].Z)
    assert Subspace.of(np.ones((200, 120)), "auto").rank == 0
    with pytest.raises(ValueError, match="distinct points"):
        PCA().fit(np.ones((200, 120)))


def iterated_subspace(X):
    """Return what the next test measures; another process has no monkeypatch."""
    subspace.ALL, subspace.LEADING = 10, 20
    return Subspace.of(X, 3)


@pytest.mark.parametrize("dtype", [np.float32, np.float64])
def test_large_dense_data_are_copied_once_and_not_changed(monkeypatch, dtype):
    """While the span of the data is checked there is one copy more, of float32 data."""
    iterated(monkeypatch)
    X = np.random.default_rng(0).random((6000, 200), dtype=np.float32).astype(dtype) + 3
    before = X.copy()
    made = Subspace.of(X, 3)
    copies = 2 if dtype == np.float32 else 1
    assert peak_memory(iterated_subspace, X) < (copies + 0.3) * X.size * 8
    assert np.array_equal(X, before)
    assert np.allclose(made.Z, (X - made.mean) @ made.directions, atol=1e-3)


def test_large_sparse_data_stay_sparse():
    """A dense copy of 4000 × 12 000 numbers alone would take 384 MB."""
    X = sparse.random_array((4000, 12_000), density=2e-3, rng=0, format="csr")
    y = np.arange(4000) % 4
    assert FDA(n_pca=15).fit(X, y).n_pca_ == 15
    assert peak_memory(FDA(n_pca=15).fit, X, y) < 60e6


# -- landmarks ---------------------------------------------------------------------------------


@pytest.fixture(scope="module")
def digits():
    X, y = load_digits(return_X_y=True)
    return X, y, np.where(np.arange(len(y)) % 2 == 0, y, -1)


def test_landmarks_of_full_rank_are_exact(blobs, rng):
    """A quadratic kernel of five features has 20 dimensions: 25 landmarks span them."""
    X, _, y = blobs
    new = rng.standard_normal((7, 5))
    for learner in (FDA(), LFDA(gamma=0.1), LPP()):
        exact = KPCATrick(learner=learner, kernel="poly", degree=2).fit(X, y)
        made = KPCATrick(learner=learner, kernel="poly", degree=2, n_landmarks=25).fit(X, y)
        assert made.landmarks_.size == 25
        assert made.components_.shape == (2, 25)
        assert exact.landmarks_.size == 60
        assert same_axes(made.embedding_.astype(float), exact.embedding_.astype(float), 1e-5)
        assert np.allclose(made.eigenvalues_, exact.eigenvalues_, rtol=1e-4)
        assert np.allclose(made.transform(new), exact.transform(new), atol=1e-3)
    all_of_them = KPCATrick(kernel="poly", n_landmarks=60).fit(X, y)
    none_apart = KPCATrick(kernel="poly", n_landmarks=None).fit(X, y)
    for made in (all_of_them, none_apart):
        assert np.array_equal(made.embedding_, KPCATrick(kernel="poly").fit(X, y).embedding_)


def test_landmarks_are_the_rule_s(digits, monkeypatch):
    X, _, y = digits
    assert nystrom.choose_landmarks(2000) is None
    assert nystrom.choose_landmarks(2001).size == 1000
    monkeypatch.setattr(nystrom, "EXACT", 100)
    monkeypatch.setattr(nystrom, "LANDMARKS", 90)
    one, two = (KPCATrick(learner=LFDA(n_pca=20)).fit(X, y) for _ in range(2))
    assert one.landmarks_.size == 90
    assert np.array_equal(one.landmarks_, two.landmarks_)
    assert np.array_equal(one.embedding_, two.embedding_)
    assert np.array_equal(one.transform(X), one.embedding_)
    for block in (1000, 90 * 1797):
        monkeypatch.setattr(nystrom, "ENTRIES", block)
        made = KPCATrick(learner=LFDA(n_pca=20)).fit(X, y)
        assert np.allclose(made.embedding_, one.embedding_, atol=1e-4)


def test_precomputed_and_sparse_kernels_have_landmarks(blobs):
    X, _, y = blobs
    learner = LFDA(n_pca=5)
    options = {"learner": learner, "n_landmarks": 30}
    named = KPCATrick(kernel_coefficient=0.1, **options).fit(X[:50], y[:50])
    given = KPCATrick(kernel="precomputed", **options).fit(rbf_kernel(X[:50], gamma=0.1), y[:50])
    thin = KPCATrick(kernel_coefficient=0.1, **options).fit(sparse.csr_array(X[:50]), y[:50])
    new = rbf_kernel(X[50:], X[:50], gamma=0.1)
    assert np.allclose(given.embedding_, named.embedding_, atol=1e-4)
    assert np.allclose(given.transform(new), named.transform(X[50:]), atol=1e-4)
    assert np.allclose(thin.embedding_, named.embedding_, atol=1e-4)


def test_more_landmarks_come_nearer(digits):
    """The angle to the exact axes' coordinates, and the labels that the map tells right."""
    X, _, y = digits
    learner = LFDA(n_pca=30)
    exact = KPCATrick(learner=learner).fit_transform(X, y).astype(float)
    angles = []
    for m in (60, 240, 960):
        made = KPCATrick(learner=learner, n_landmarks=m).fit_transform(X, y).astype(float)
        angles.append(subspace_angles(made - made.mean(axis=0), exact - exact.mean(axis=0)).max())
    assert angles[0] > angles[1] > angles[2]
    assert angles[2] < 0.1


@pytest.mark.parametrize("wrong", [1, 0, 2.5, "all"])
def test_numbers_of_landmarks_are_checked(blobs, wrong):
    X, _, y = blobs
    with pytest.raises((TypeError, ValueError), match="n_landmarks must be"):
        KPCATrick(n_landmarks=wrong).fit(X, y)
    with pytest.raises(ValueError, match="kernel must be symmetric"):
        KPCATrick(kernel=lambda a, b: a[0] + 2 * b[1], n_landmarks=20).fit(X, y)
