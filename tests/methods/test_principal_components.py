"""Principal components of large data against a singular value decomposition."""

from __future__ import annotations

import numpy as np
import pytest
from scipy import sparse

from nbembed.methods import principal_components as module
from nbembed.methods.initialization import SMALL, pca_layout
from nbembed.methods.principal_components import leading_coordinates


def data(rng, n, D):
    spectrum = 2.0 ** -np.arange(min(n, D))
    return (rng.normal(size=(n, len(spectrum))) * spectrum) @ rng.normal(
        size=(len(spectrum), D)
    ) + 5


@pytest.mark.parametrize("few", [0, 1000])
@pytest.mark.parametrize("shape", [(200, 40), (40, 200), (30, 3)])
def test_components_are_those_of_the_singular_value_decomposition(rng, shape, few, monkeypatch):
    monkeypatch.setattr(module, "FEW_FEATURES", few)
    monkeypatch.setattr(module, "ROWS", 37)
    X = data(rng, *shape)
    U, S, _ = np.linalg.svd(X - X.mean(axis=0), full_matrices=False)
    for given in (X, X.astype(np.float32), sparse.csr_array(X)):
        Z = leading_coordinates(given, 2)
        assert Z.shape == (shape[0], 2)
        expected = (U * S)[:, :2] * np.sign(np.sum(U[:, :2] * Z, axis=0))
        np.testing.assert_allclose(Z, expected, atol=1e-4 * S[0])


def test_a_large_start_is_the_small_one_and_the_same_each_time(rng, monkeypatch):
    X = data(rng, 300, 20)
    small = pca_layout(X, 2, "euclidean", np.random.default_rng(0))
    monkeypatch.setattr(module, "LARGE", 1)
    for few in (0, 1000):
        monkeypatch.setattr(module, "FEW_FEATURES", few)
        for given in (X, sparse.csr_array(X)):
            large = pca_layout(given, 2, "euclidean", np.random.default_rng(0))
            np.testing.assert_allclose(large, small, atol=1e-4 * SMALL)
            again = pca_layout(given, 2, "euclidean", np.random.default_rng(0))
            np.testing.assert_array_equal(large, again)


def test_constant_data_have_components_without_variance(monkeypatch):
    monkeypatch.setattr(module, "FEW_FEATURES", 0)
    assert np.abs(leading_coordinates(np.full((30, 5), 2.0), 2)).max() < 1e-12
