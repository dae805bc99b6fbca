from __future__ import annotations

import numpy as np
import pytest
from scipy import sparse

from nbembed.affinities import Affinities, as_affinities
from nbembed.objectives import SNE, HeavyTailed
from nbembed.objectives.cannot_links import without_cannot_links
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
    for P, form in ((joint, "joint"), (rows, "row")):
        with pytest.raises(ValueError, match="P must"):
            Affinities.from_probabilities(broken(P, how), form)


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


@pytest.mark.parametrize("make", [np.asarray, sparse.csr_array])
def test_a_good_array_is_neither_copied_nor_made_read_only(joint, make):
    P = make(joint)
    made = as_affinities(P, "joint")
    values, given = (made.P.data, P.data) if sparse.issparse(P) else (made.P, P)
    assert np.shares_memory(values, given)
    assert given.flags.writeable
    assert not values.flags.writeable
    assert without_cannot_links(made, ()) is made


def test_affinities_of_a_form_are_taken_as_they_are(joint, rows):
    for P, form in ((joint, "joint"), (rows, "row")):
        made = Affinities.from_probabilities(P, form)
        assert as_affinities(made, form) is made
        assert not np.shares_memory(made.P, P)


def test_integers_become_float64():
    P = np.array([[0, 1], [1, 0]])
    assert SNE(P).dtype == np.float64


def test_unsorted_csr_with_duplicates_is_put_in_order():
    data = np.array([0.25, 0.25, 0.5, 1.0])
    P = sparse.csr_array((data, np.array([1, 1, 2, 0]), np.array([0, 3, 4, 4])), shape=(3, 3))
    P = sparse.csr_array(P + sparse.csr_array(([1.0], ([2], [0])), shape=(3, 3)))
    values = as_affinities(P, "row").P
    assert values.has_canonical_format
    np.testing.assert_allclose(values.toarray(), [[0, 0.5, 0.5], [1, 0, 0], [1, 0, 0]])


@pytest.mark.parametrize("make", [np.asarray, sparse.csr_array])
def test_cannot_links_copy_and_leave_the_given_matrix(joint, make):
    P = make(joint)
    cannot_links = Supervision(len(joint)).cannot_link([0, 1], [2]).cannot_links
    cut = without_cannot_links(as_affinities(P, "joint"), cannot_links).P
    dense = cut.toarray() if sparse.issparse(cut) else cut
    assert not dense[[0, 1], 2].any()
    assert not dense[2, [0, 1]].any()
    assert dense.sum() == pytest.approx(1)
    np.testing.assert_allclose(dense, dense.T)
    np.testing.assert_array_equal(P.toarray() if sparse.issparse(P) else P, joint)
