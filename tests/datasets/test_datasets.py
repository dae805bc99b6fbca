"""Bundled data, files on disk, and the generator."""

from __future__ import annotations

import numpy as np
import pytest
from scipy import sparse
from sklearn.discriminant_analysis import LinearDiscriminantAnalysis

from nbembed import datasets
from nbembed.measures import knn_error


def test_vehicle_is_bundled():
    vehicle = datasets.load_vehicle()
    assert vehicle.X.shape == (846, 18)
    assert vehicle.X.dtype == np.float64
    assert vehicle.target_names == ["bus", "opel", "saab", "van"]
    assert np.bincount(vehicle.y).tolist() == [218, 212, 217, 199]
    # The neighbors of raw features tell .652 of the vehicles apart.
    assert knn_error(vehicle.X, vehicle.y) == pytest.approx(1 - 0.652, abs=0.001)


def test_the_pair_has_the_error_it_was_asked_for():
    X, y = datasets.gaussian_pair(40_000, 50, random_state=0)
    assert X.shape == (40_000, 50)
    assert np.bincount(y).tolist() == [20_000, 20_000]
    assert 1 - LinearDiscriminantAnalysis().fit(X, y).score(X, y) == pytest.approx(0.05, abs=0.004)
    again = datasets.gaussian_pair(40_000, 50, random_state=0)
    assert np.array_equal(X, again[0])
    assert np.bincount(datasets.gaussian_pair(5)[1]).tolist() == [3, 2]
    with pytest.raises(ValueError, match="error must be in"):
        datasets.gaussian_pair(error=0.5)


def test_files_dense_and_sparse(tmp_path):
    y = np.array([0, 1, 1])
    names = np.array(["a", "b"])
    X = np.eye(3, dtype=np.float32)
    np.savez_compressed(
        tmp_path / "dense.npz", X=X, y=y, target_names=names, labeled_idx_2=[[0, 1], [0, 2]]
    )
    dense = datasets.read(tmp_path, "dense")
    assert np.array_equal(dense.X, X)
    assert dense.masked(0, 2).tolist() == [0, 1, -1]
    assert dense.masked(1, 2).tolist() == [0, -1, 1]
    parts = sparse.csr_array(X)
    np.savez_compressed(
        tmp_path / "sparse.npz",
        X_data=parts.data,
        X_indices=parts.indices,
        X_indptr=parts.indptr,
        X_shape=parts.shape,
        y=y,
        target_names=names,
    )
    found = datasets.read(tmp_path, "sparse")
    assert sparse.issparse(found.X)
    assert np.array_equal(found.X.toarray(), X)
    assert found.labeled == {}


def test_a_missing_file_says_what_it_is(tmp_path):
    with pytest.raises(datasets.MissingDataError, match=r"g50c\.npz .*Chapelle"):
        datasets.read(tmp_path, "g50c")
    with pytest.raises(datasets.MissingDataError, match=r"text_mac_win\.npz .*no data directory"):
        datasets.read(None, "text_mac_win")


def test_a_file_with_objects_is_refused(tmp_path):
    np.savez(tmp_path / "bad.npz", X=np.array([{}], dtype=object), y=[0], target_names=["a"])
    with pytest.raises(ValueError, match="pickle"):
        datasets.read(tmp_path, "bad")
