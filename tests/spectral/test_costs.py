"""The table of costs, entry by entry, for labels, soft labels and links."""

from __future__ import annotations

import numpy as np
import pytest
from threadpoolctl import threadpool_limits

from nbembed.spectral import costs
from nbembed.spectral.costs import LabelGroups
from nbembed.supervision import Supervision, as_supervision
from tests.spectral.helpers import (
    distances,
    fisher_matrices,
    heat_matrix,
    local_affinity,
    nearest_matrix,
)


def dense(graph):
    return graph.matrix().toarray()


def hollow(C):
    return C - np.diag(np.diagonal(C))


def groups_of(y):
    return LabelGroups.of(as_supervision(y, len(y)))


def affinity_by_class(X, y):
    return sum(local_affinity(X, np.flatnonzero(y == c)) for c in range(3))


def test_fisher(blobs):
    _, _, y = blobs
    W, B = fisher_matrices(y)
    assert np.allclose(dense(costs.within(groups_of(y))), hollow(W), atol=1e-15)
    assert np.allclose(dense(costs.between(groups_of(y))), hollow(B), atol=1e-15)


def test_local_fisher(blobs):
    X, _, y = blobs
    W, B = fisher_matrices(y, affinity_by_class(X, y))
    assert np.allclose(dense(costs.local_within(X, groups_of(y))), hollow(W), atol=1e-14)
    assert np.allclose(dense(costs.local_between(X, groups_of(y))), hollow(B), atol=1e-14)


@pytest.mark.parametrize("k", [1, 3, 50])
def test_nearest(blobs, k):
    X, _, y = blobs
    found = dense(costs.nearest_within(X, groups_of(y), k))
    assert np.array_equal(found, nearest_matrix(X, y, k, same=True))
    found = dense(costs.nearest_between(X, groups_of(y), k))
    assert np.array_equal(found, nearest_matrix(X, y, k, same=False))


@pytest.mark.parametrize(("k", "scale"), [(7, 7), (3, 5), (9, 2)])
def test_heat_kernel(blobs, k, scale):
    X, _, _ = blobs
    assert np.allclose(dense(costs.heat_kernel(X, k, scale)), heat_matrix(X, k, scale))


def test_local_fisher_with_pairs_of_nearest_neighbors(blobs):
    X, _, y = blobs
    near = nearest_matrix(X, y, 3, same=True)
    W, B = fisher_matrices(y, near)
    assert np.allclose(dense(costs.local_within(X, groups_of(y), n_neighbors=3)), hollow(W))
    found = dense(costs.local_between(X, groups_of(y), n_neighbors=3))
    assert np.allclose(found, hollow(B), atol=1e-14)


def test_one_width_is_the_root_mean_square_distance_of_the_pairs(blobs):
    X, _, y = blobs
    D = distances(X)
    near = np.argsort(D + np.diag(np.full(len(X), -1.0)), axis=1)[:, 1:5]
    linked = np.zeros(D.shape, dtype=bool)
    np.put_along_axis(linked, near, True, axis=1)
    expected = np.exp(-(D**2) / np.mean(D[linked] ** 2)) * (linked | linked.T)
    assert np.allclose(dense(costs.heat_kernel(X, 4, None)), expected)
    a = np.zeros(D.shape)
    for c in range(3):
        pairs = np.outer(y == c, y == c)
        a[pairs] = np.exp(-(D**2) / np.mean(D[pairs & ~np.eye(len(X), dtype=bool)] ** 2))[pairs]
    W, _ = fisher_matrices(y, a)
    assert np.allclose(dense(costs.local_within(X, groups_of(y), None)), hollow(W), atol=1e-14)


def test_more_neighbors_than_there_are(blobs):
    X = blobs[0][:5]
    D = distances(X)
    far = D.max(axis=1)
    expected = hollow(np.exp(-(D**2) / np.outer(far, far)))
    assert np.allclose(dense(costs.heat_kernel(X, 50, 50)), expected)


def test_equal_points_have_a_finite_scale():
    X = np.repeat(np.arange(4.0)[:, None], 10, axis=0)
    C = dense(costs.heat_kernel(X, 12, 7))
    assert np.isfinite(C).all()
    assert C[0, 1] == 1.0, "equal points are as near as can be"
    assert dense(costs.heat_kernel(np.zeros((9, 2)))).max() == 1.0
    y = np.repeat([0, 1], 20)
    assert np.isfinite(dense(costs.local_within(X, groups_of(y)))).all()


def test_of_an_uncertain_label_only_a_part_counts(blobs):
    X = blobs[0][:6]
    rows = np.array([[1, 0], [0.75, 0.25], [0.5, 0.5], [0, 1], [0.1, 0.9], [np.nan] * 2])
    groups = groups_of(rows)
    c = np.array([1, 0.5, 0, 1, 0.8, 0])
    sizes = np.array([1.5, 1.5, 1, 1.8, 1.8, 1])
    y = np.array([0, 0, -1, 1, 1, -1])
    expected = np.outer(c, c) * (y[:, None] == y) / sizes
    assert np.allclose(dense(costs.within(groups)), hollow(expected))
    between = np.outer(c, c) * np.where(y[:, None] == y, 1 / 3.3 - 1 / sizes, 1 / 3.3)
    assert np.allclose(dense(costs.between(groups)), hollow(between))
    near = dense(costs.nearest_within(X, groups, 3))
    assert np.allclose(near, hollow(np.outer(c, c) * (y[:, None] == y)))
    near = dense(costs.nearest_between(X, groups, 3))
    assert np.allclose(near, np.outer(c, c) * (y[:, None] != y))
    local = dense(costs.local_within(X, groups))
    assert 0 < local[0, 1] < 0.5 / 1.5


def test_links(blobs):
    X = blobs[0][:8]
    said = Supervision(8).must_link([0, 1, 2]).cannot_link([3], [4, 5, 6])
    groups = LabelGroups.of(said)
    assert groups.sufficient
    assert not LabelGroups.of(Supervision(8).must_link([0, 1])).sufficient
    group, across = np.zeros((8, 8)), np.zeros((8, 8))
    group[:3, :3] = 1
    across[3, 4:7] = across[4:7, 3] = 1
    assert np.allclose(dense(costs.within(groups)), hollow(group) / 3)
    assert np.allclose(dense(costs.between(groups)), across / 4)
    assert np.allclose(dense(costs.local_between(X, groups)), across / 4)
    assert np.allclose(dense(costs.nearest_within(X, groups, 2)), hollow(group))
    assert np.allclose(dense(costs.nearest_between(X, groups, 3)), across)
    local = dense(costs.local_within(X, groups))
    assert np.allclose(local, hollow(local_affinity(X, [0, 1, 2]) / 3))


def test_a_point_alone_in_its_class_pulls_at_nothing(blobs):
    X = blobs[0][:4]
    groups = groups_of([0, 1, -1, -1])
    for graph in (
        costs.within(groups),
        costs.local_within(X, groups),
        costs.nearest_within(X, groups, 3),
    ):
        assert not dense(graph).any()
    assert dense(costs.between(groups))[0, 1] == 0.5


@pytest.mark.parametrize("name", ["n_neighbors", "scale_neighbor"])
def test_numbers_of_neighbors_are_checked(blobs, name):
    with pytest.raises(ValueError, match=f"{name} must be at least 1"):
        costs.heat_kernel(blobs[0], **{name: 0})


@pytest.mark.parametrize("n", [300, 1000])
def test_the_number_of_threads_does_not_choose_among_ties(rng, n):
    """In many features the search is by blocks, which threads divide and merge."""
    X = rng.integers(0, 3, (n, 20)).astype(float)
    found = []
    for k in (1, 2, 4):
        with threadpool_limits(k, user_api="openmp"):
            found.append(costs.heat_kernel(X).matrix())
    assert (found[0] != found[1]).nnz == (found[0] != found[2]).nnz == 0
