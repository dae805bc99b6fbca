"""Rows of class probabilities are checked, and come back exact."""

from __future__ import annotations

import numpy as np
import pytest
from scipy import sparse

from nbembed.data.class_probabilities import check_posteriors, check_probabilities


def test_posteriors_come_back_dense_read_only_and_exact():
    rows = np.array([[0.5, 0.5], [0.25, 0.75]])
    found = check_posteriors(rows)
    assert np.array_equal(found, rows)
    assert not found.flags.writeable
    assert rows.flags.writeable
    assert check_posteriors(rows.astype(np.float32)).dtype == np.float32
    assert np.array_equal(check_posteriors(sparse.csr_array(rows)), rows)
    nearly = check_posteriors(rows * (1 + 5e-5))
    np.testing.assert_allclose(nearly.sum(axis=1), 1, rtol=1e-15)


@pytest.mark.parametrize(
    ("rows", "message"),
    [
        ([[0.5, 0.6]], r"each row of proba must be non-negative and sum to one; row 0.*sum 1.1"),
        ([[1.0, 0.0], [1.5, -0.5]], "each row of proba.*row 1"),
        ([[1.0]], "proba must have at least 2 columns, one for each class"),
        ([[np.nan, 1.0]], "proba must be finite"),
        ([0.5, 0.5], "proba must have shape"),
    ],
)
def test_what_is_no_posteriors_is_refused(rows, message):
    with pytest.raises(ValueError, match=message):
        check_posteriors(rows, "proba")


def test_rows_of_half_precision_are_probabilities():
    logits = np.random.default_rng(0).normal(size=(500, 12)).astype(np.float16)
    weights = np.exp(logits)
    rows = (weights / weights.sum(axis=1, keepdims=True)).astype(np.float16)
    assert np.abs(rows.sum(axis=1, dtype=np.float64) - 1).max() > 1e-4
    for check in (check_probabilities, check_posteriors):
        sums = check(rows).sum(axis=1)
        assert np.abs(sums - 1).max() < 1e-4
        with pytest.raises(ValueError, match="sum"):
            check(rows.astype(np.float32))
        with pytest.raises(ValueError, match="sum"):
            check(rows * np.float16(1.01))
