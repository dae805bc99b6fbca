from __future__ import annotations

import numpy as np
import pytest
from scipy import sparse

from nbembed.objectives import SNE, HeavyTailed
from nbembed.objectives.pairs import as_pair_matrix
from nbembed.supervision import Supervision


def broken(P, how):
    P = P.copy()
    if how == "nan":
        P[0, 1] = np.nan
    elif how == "infinity":
        P[0, 1] = np.inf
    elif how == "negative":
        P[0, 1] = P[1, 0] = -1e-3
    elif how == "sum":
        P *= 1.01
    elif how == "shape":
        P = P[:-1]
    elif how == "one-dimensional":
        P = P.ravel()
    elif how == "diagonal":
        P[0, 0] = 0.1
    elif how == "one point":
        P = np.zeros((1, 1))
    return P


HOW = ["nan", "infinity", "negative", "sum", "shape", "one-dimensional", "diagonal", "one point"]


@pytest.mark.parametrize("how", HOW)
def test_malformed_affinities_are_refused(joint, rows, how):
    with pytest.raises(ValueError, match="P must"):
        HeavyTailed(broken(joint, how))
    with pytest.raises(ValueError, match="P must"):
        SNE(broken(rows, how))


@pytest.mark.parametrize("how", ["nan", "infinity", "negative", "sum", "shape", "diagonal"])
def test_malformed_sparse_affinities_are_refused(joint, rows, how):
    with pytest.raises(ValueError, match="P must"):
        HeavyTailed(sparse.csr_array(broken(joint, how)))
    with pytest.raises(ValueError, match="P must"):
        SNE(sparse.csr_array(broken(rows, how)))


def test_asymmetry_is_refused_where_symmetry_is_meant(rows):
    lopsided = rows / rows.sum()
    with pytest.raises(ValueError, match="symmetric"):
        HeavyTailed(lopsided)
    with pytest.raises(ValueError, match="symmetric"):
        HeavyTailed(sparse.csr_array(lopsided))


def test_joint_affinities_are_no_rows(joint, rows):
    with pytest.raises(ValueError, match="rows that sum to one"):
        SNE(joint)
    with pytest.raises(ValueError, match="sum to one"):
        HeavyTailed(rows)


@pytest.mark.parametrize("P", ["P", None, object()])
def test_what_is_no_matrix_is_a_type_error(P):
    with pytest.raises(TypeError, match="P must be"):
        HeavyTailed(P)


def test_a_good_array_is_not_copied(joint):
    assert as_pair_matrix(joint, "joint").values is joint
    assert as_pair_matrix(joint, "joint").without(()).values is joint


def test_integers_become_float64():
    P = np.array([[0, 1], [1, 0]])
    assert SNE(P).dtype == np.float64


def test_unsorted_csr_with_duplicates_is_put_in_order():
    data = np.array([0.25, 0.25, 0.5, 1.0])
    P = sparse.csr_array((data, np.array([1, 1, 2, 0]), np.array([0, 3, 4, 4])), shape=(3, 3))
    P = sparse.csr_array(P + sparse.csr_array(([1.0], ([2], [0])), shape=(3, 3)))
    values = as_pair_matrix(P, "rows").values
    assert values.has_canonical_format
    np.testing.assert_allclose(values.toarray(), [[0, 0.5, 0.5], [1, 0, 0], [1, 0, 0]])


@pytest.mark.parametrize("make", [np.asarray, sparse.csr_array])
def test_cannot_links_copy_and_leave_the_given_matrix(joint, make):
    P = make(joint)
    matrix = as_pair_matrix(P, "joint")
    cut = matrix.without(Supervision(len(joint)).cannot_link([0, 1], [2]).cannot_links).values
    dense = cut.toarray() if sparse.issparse(cut) else cut
    assert not dense[[0, 1], 2].any()
    assert not dense[2, [0, 1]].any()
    assert dense.sum() == pytest.approx(1)
    np.testing.assert_allclose(dense, dense.T)
    np.testing.assert_array_equal(P.toarray() if sparse.issparse(P) else P, joint)
