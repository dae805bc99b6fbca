"""Validation: what each check lets through, and what its refusal says."""

from __future__ import annotations

import numpy as np
import pytest
from scipy import sparse

from nbembed import validation as v


@pytest.mark.parametrize("value", [True, "1", None, 1j, [1]])
def test_numbers_are_numbers(value):
    with pytest.raises(TypeError, match="alpha must be a number"):
        v.check_real("alpha", value)


@pytest.mark.parametrize(
    ("value", "limits", "message"),
    [
        (-0.1, {"low": 0}, "alpha must be a finite number at least 0, got -0.1"),
        (2, {"low": 0, "high": 1}, "at least 0 and at most 1, got 2"),
        (0, {"low": 0, "open_low": True}, "greater than 0, got 0"),
        (np.nan, {}, "finite"),
        (np.inf, {"low": 0}, "finite"),
    ],
)
def test_limits_are_said(value, limits, message):
    with pytest.raises(ValueError, match=message):
        v.check_real("alpha", value, **limits)


def test_numbers_come_back_as_python_numbers():
    assert v.check_real("alpha", np.float32(0.5), low=0) == 0.5
    assert type(v.check_count("n_init", np.int64(3))) is int
    with pytest.raises(TypeError, match="n_init must be an integer"):
        v.check_count("n_init", 2.0)
    with pytest.raises(ValueError, match="n_init must be at least 1"):
        v.check_count("n_init", 0)


@pytest.mark.parametrize("n", [2, 3, 4, 50, 1000])
def test_auto_perplexity_is_always_allowed(n):
    assert v.check_perplexity(v.check_perplexity("auto", n), n) == v.auto_perplexity(n)


def test_points_are_indices_or_masks():
    np.testing.assert_array_equal(v.check_points([3, 1, 3], 5), [1, 3])
    np.testing.assert_array_equal(v.check_points(2, 5), [2])
    np.testing.assert_array_equal(v.check_points([False, True, False], 3), [1])
    with pytest.raises(TypeError, match="a must be point indices or a mask"):
        v.check_points([0.5], 5, "a")
    with pytest.raises(ValueError, match="one list of indices"):
        v.check_points([[0, 1]], 5)


def test_data_may_be_a_list_or_sparse():
    assert v.check_data(sparse.csr_array(np.eye(3))).format == "csr"
    assert v.check_data([[1, 2], [3, 4]]).shape == (2, 2)
    with pytest.raises(ValueError, match="X"):
        v.check_data([["a"], ["b"]])
