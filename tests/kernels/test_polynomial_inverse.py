"""The polynomial on rows of any length, of any number of points."""

import numpy as np
import pytest
from scipy import sparse

from nbembed.kernels import polynomial_inverse
from nbembed.kernels.polynomial_inverse import PolynomialInverse
from tests.kernels import reference


@pytest.mark.parametrize("n", [1, 3, 4, 6, 9, 40])
@pytest.mark.parametrize("columns", [1, 2, 3, 5])
def test_blocks_of_rows_of_unequal_length_give_the_polynomial(n, columns, rng, monkeypatch):
    monkeypatch.setattr(polynomial_inverse, "BLOCKS", 3)  # several chunks
    half = sparse.random_array((n, n), density=0.2, rng=rng).toarray()
    half[n // 2] = half[:, n // 2] = 0.0  # a row without an entry
    S = half + half.T
    S /= max(S.sum(axis=1).max(), 1.0)
    whole = sparse.csr_array(S)
    parts = whole.indptr, whole.indices, whole.data
    B = rng.normal(size=(n, columns))
    expected = reference.polynomial_inverse(parts, B, 0.01, 15)
    for n_threads in (1, 2):
        found = PolynomialInverse(parts, 0.01, 15, n_threads)(B)
        np.testing.assert_allclose(found, expected, rtol=1e-12, atol=1e-12)
