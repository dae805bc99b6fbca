"""What is not legal is refused by name, before work starts."""

from __future__ import annotations

import re

import numpy as np
import pytest

from nbembed import spectral
from nbembed.spectral import DNE, FDA, LFDA, LPP, MFA, PCA, SELF, SSFDA, SSMMC, KPCATrick
from nbembed.spectral.custom import GraphLearner
from nbembed.supervision import Supervision


@pytest.mark.parametrize(
    ("learner", "message"),
    [
        (FDA(0), "n_components must be at least 1"),
        (FDA(6), r"n_components must be at most the number of features \(n_features = 5\), got 6"),
        (FDA(60), "n_components must be less than n_samples = 60"),
        (FDA(2.0), "n_components must be an integer"),
        (FDA(gamma=-1.0), "gamma must be a finite number at least 0"),
        (FDA(gamma="auto"), "gamma must be a number"),
        (FDA(gamma=np.inf), "gamma must be a finite number"),
        (LFDA(power=0.0), "power must be a finite number"),
        (LFDA(scale_neighbor=0), "scale_neighbor must be at least 1"),
        (LFDA(n_neighbors=1.5), "n_neighbors must be an integer"),
        (LFDA(epsilon=-1e-3), "epsilon must be a finite number at least 0"),
        (LFDA(epsilon="auto"), "epsilon must be one of 'gamma'"),
        (SELF(epsilon="gamma"), "epsilon must be a number"),
        (LPP(epsilon="gamma"), "epsilon must be a number"),
        (LFDA(scale_neighbor="one"), "scale_neighbor must be an integer"),
        (LFDA(within_neighbors=0), "within_neighbors must be at least 1"),
        (LFDA(3, n_pca=2), "n_pca must be at least 3"),
        (LFDA(n_pca="all"), "n_pca must be one of 'auto'"),
        (LFDA(constraint="degree"), "constraint must be one of 'tabled', 'identity', 'variance'"),
        (LFDA(constraint=np.eye(4)), r"constraint as an array must have shape .* \(5, 5\)"),
        (LFDA(constraint=np.ones((5, 4))), "finite square matrix"),
        (LFDA(constraint=np.triu(np.ones((5, 5)))), "must be symmetric"),
        (LFDA(constraint=-np.eye(5)), "positive semidefinite"),
        (LFDA(constraint=np.zeros((5, 5))), "not zero"),
        (LFDA(constraint=object()), "constraint must be one of"),
        (LFDA(constraint=1j * np.eye(5)), "constraint must be one of"),
        (MFA(within_neighbors=0), "within_neighbors must be at least 1"),
        (DNE(between_neighbors=0), "between_neighbors must be at least 1"),
        (LPP(power=-1.0), "power must be a finite number"),
        (LPP(constraint="none"), "constraint must be one of"),
        (SELF(pca_weight=1.5), "pca_weight must be a finite number at least 0 and at most 1"),
        (SELF(scale_neighbor=0), "scale_neighbor must be at least 1"),
        (SSFDA(gamma=-1.0), "gamma must be a finite number at least 0"),
        (SSMMC(n_neighbors=0), "n_neighbors must be at least 1"),
        (GraphLearner(label_cost=3), "label_cost must be a function"),
        (GraphLearner(label_cost=lambda X, groups: 3), "label_cost must return a Graph, got int"),
        (GraphLearner(unlabeled_cost=lambda X: X), "unlabeled_cost must return a Graph"),
        (GraphLearner(constraint="tabled"), "constraint must be one of 'degree'"),
    ],
    ids=lambda value: re.sub(" at 0x[0-9a-f]+", "", str(value)),  # the same in each process
)
def test_parameters(blobs, learner, message):
    X, _, y = blobs
    with pytest.raises((ValueError, TypeError), match=message):
        learner.fit(X, y)
    assert not hasattr(learner, "components_")


ESTIMATORS = [name for name in spectral.__all__ if not name.endswith("Recipe")]
LABELED = [FDA, LFDA, MFA, DNE, SELF, SSFDA, SSMMC, spectral.KPCATrick]


@pytest.mark.parametrize("kind", LABELED, ids=lambda kind: kind.__name__)
def test_fewer_than_two_classes(blobs, kind):
    X = blobs[0]
    with pytest.raises(ValueError, match="requires y to be passed"):
        kind().fit(X)
    with pytest.raises(ValueError, match=r"must label points of at least two classes.* got 0"):
        kind().fit(X, np.full(60, -1))
    with pytest.raises(ValueError, match=r"must label points of at least two classes.* got 1"):
        kind().fit(X, np.zeros(60, dtype=int))
    with pytest.raises(ValueError, match="must label points of at least two classes"):
        kind().fit(X, supervision=Supervision(60).must_link([0, 1]))
    uniform = np.full((60, 2), 0.5)
    with pytest.raises(ValueError, match=r"must label points of at least two classes.* got 0"):
        kind().fit(X, uniform)


@pytest.mark.parametrize("kind", [LPP, PCA, GraphLearner], ids=lambda kind: kind.__name__)
def test_some_need_no_labels(blobs, kind):
    X, _, y = blobs
    assert np.array_equal(kind().fit(X).embedding_, kind().fit(X, y).embedding_)


@pytest.mark.parametrize("name", ESTIMATORS)
def test_data(blobs, name):
    X, _, y = blobs
    kind = getattr(spectral, name)
    for bad in (np.where(X.max() - 1e-9 < X, np.nan, X), [["a", "b"]] * 60, X[:, 0]):
        with pytest.raises(ValueError, match="X must be"):
            kind().fit(bad, y)
    with pytest.raises(ValueError, match="X must have distinct points"):
        kind().fit(np.ones((60, 3)), y)
    with pytest.raises(ValueError, match="y must have 60 labels"):
        kind().fit(X, y[:50])
    with pytest.raises(ValueError, match="supervision must cover 60 points"):
        kind().fit(X, supervision=Supervision(50))
    with pytest.raises(ValueError, match="y and supervision must not both be given"):
        kind().fit(X, y, Supervision(60))
    with pytest.raises(ValueError, match=r"4 features|shape"):
        kind().fit(X, y).transform(X[:, :4])


def test_data_that_vary_in_too_few_directions(blobs):
    X, _, y = blobs
    line = np.outer(X[:, 0], [1.0, 2.0, 3.0])
    with pytest.raises(ValueError, match="at most 1, the number of directions in which X varies"):
        FDA().fit(line, y)
    assert FDA(1).fit(line, y).embedding_.shape == (60, 1)


@pytest.mark.parametrize("scale", [1e200, 1e-200])
@pytest.mark.parametrize("name", [name for name in ESTIMATORS if name != "KPCATrick"])
def test_data_whose_squares_are_lost(blobs, name, scale):
    X, _, y = blobs
    with pytest.raises(ValueError, match="X must span between 1e-140 and 1e140"):
        getattr(spectral, name)().fit(scale * X, y)


def test_new_points_that_the_map_cannot_hold(blobs):
    X, _, y = blobs
    fitted = LFDA().fit(X, y)
    for scale, message in (
        (1e60, "X must not project to magnitudes"),
        (1e200, "X must be at most"),
    ):
        with pytest.raises(ValueError, match=message):
            fitted.transform(scale * X)
    with pytest.raises(ValueError, match="X must be at most"):
        spectral.KPCATrick().fit(1e200 * X, y)


def test_kernels_are_symmetric(blobs):
    X, _, y = blobs
    K = X @ X.T
    K[0, 1] += 1
    with pytest.raises(ValueError, match="kernel must be symmetric"):
        spectral.KPCATrick(kernel="precomputed").fit(K, y)


@pytest.mark.parametrize("kind", [FDA, SSFDA], ids=lambda kind: kind.__name__)
@pytest.mark.parametrize("epsilon", [0.0, 1e-300])
def test_an_epsilon_that_leaves_axes_without_a_bound(blobs, kind, epsilon):
    X, truth, _ = blobs
    y = (truth > 0).astype(int)  # two classes: the constraint has rank one
    with pytest.raises(
        ValueError, match=r"epsilon must be at least 1e-12 .* restricts only 1 of the axes"
    ):
        kind(2, epsilon=epsilon).fit(X, y)
    assert kind(1, epsilon=epsilon).fit(X, y).informed_.all()
    assert np.isfinite(kind(2).fit(X, y).embedding_).all()


def test_a_learner_of_another_kind():
    for learner in ([], {}, "FDA", FDA, 0):
        recipe = KPCATrick(learner=learner).recipe
        with pytest.raises(TypeError, match="learner must be an estimator of"):
            _ = recipe.dimensions
        assert recipe.needs_labels
