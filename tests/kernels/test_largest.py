from __future__ import annotations

import numpy as np
import pytest
from scipy import sparse

from nbembed.kernels.largest import largest_entries
from tests.kernels import reference


@pytest.mark.parametrize("k", [1, 3, 50])
def test_largest_entries_by_a_sort(k: int) -> None:
    rng = np.random.default_rng(0)
    dense = rng.integers(0, 9, (60, 60)) * (rng.random((60, 60)) < 0.2) / 9
    dense[7] = 0
    P = sparse.csr_array(dense)
    found = largest_entries(P.indptr, P.data, k)
    assert np.array_equal(found, reference.largest_entries(P.indptr, P.data, k))
