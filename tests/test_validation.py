"""Validation: what each check lets through, and what its refusal says."""

from __future__ import annotations

import numpy as np
import pytest
from scipy import sparse

from nbembed import validation as v
from nbembed.supervision import Supervision


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
    with pytest.raises(ValueError, match="one-dimensional list of indices"):
        v.check_points([[0, 1]], 5)
    for ragged in ([[0], [1, 2]], [0, [1]], slice("a", "b")):
        with pytest.raises(TypeError, match="a must be point indices or a mask"):
            v.check_points(ragged, 5, "a")


def test_points_may_be_a_slice():
    np.testing.assert_array_equal(v.check_points(slice(1, None, 2), 6), [1, 3, 5])
    np.testing.assert_array_equal(v.check_points(range(2), 6), [0, 1])
    with pytest.raises(ValueError, match="at least one point"):
        v.check_points(slice(4, 4), 6)


@pytest.mark.parametrize("value", [None, "1", ["1", "2"], [None, 1.0], 1j, {}, [[1], [2, 3]], len])
def test_what_is_no_array_of_numbers_is_refused(value):
    with pytest.raises(TypeError, match="prior must be real numbers"):
        v.check_numbers("prior", value)


def test_whole_numbers_beyond_floats_are_refused():
    for value in (10**400, [1, -(10**400)]):
        with pytest.raises(ValueError, match="prior must be numbers that float64 can hold"):
            v.check_numbers("prior", value)


def test_numbers_are_copied_in_float64():
    given = np.array([1.0, np.nan])
    found = v.check_numbers("prior", given)
    found[0] = 5
    assert given[0] == 1
    assert v.check_numbers("prior", np.array([1, 2], dtype=object)).dtype == np.float64
    assert v.check_numbers("prior", 3).shape == ()
    with pytest.raises(ValueError, match="prior must have no masked values, got 1"):
        v.check_numbers("prior", np.ma.masked_equal([1.0, 2.0], 2.0))


def test_integers_that_nothing_can_hold():
    with pytest.raises(ValueError, match="n_init must be at most"):
        v.check_count("n_init", 10**30)
    with pytest.raises(ValueError, match="alpha must be a finite number"):
        v.check_real("alpha", 10**400)


def test_flags_text_and_paths(tmp_path):
    assert v.check_flag("precondition", np.bool_(True)) is True
    assert v.check_text("title", np.str_("a")) == "a"
    assert v.check_path("folder", str(tmp_path)) == v.check_path("folder", tmp_path) == tmp_path
    for check, word in ((v.check_flag, "True or False"), (v.check_text, "text")):
        for wrong in (None, 1, b"a"):
            with pytest.raises(TypeError, match=f"it must be {word}"):
                check("it", wrong)
    for wrong in (None, 3, b"a"):
        with pytest.raises(TypeError, match="folder must be a path"):
            v.check_path("folder", wrong)
    with pytest.raises(ValueError, match="folder must be a path, got empty text"):
        v.check_path("folder", "")
    for wrong in ("a\0b", "\ud800"):
        with pytest.raises(ValueError, match=r"^folder must be a path"):
            v.check_path("folder", wrong)


def test_text_is_what_utf_8_can_hold(tmp_path):
    assert v.check_text("name", "naïve 🙂") == "naïve 🙂"
    for half in ("\ud800", "a\udc80", "\udfff\ud800"):
        with pytest.raises(ValueError, match="name must be text that UTF-8 can encode"):
            v.check_text("name", half)
    with pytest.raises(ValueError, match="path must be a path that the file system can encode"):
        v.check_path("path", tmp_path / "a\ud800")


def test_text_from_elsewhere_is_made_readable():
    assert v.readable("naïve \ud800!") == "naïve ?!"


def test_a_value_that_cannot_be_shown_is_refused_by_its_type():
    broken = sparse.csr_array((2, 2))
    broken.indptr = broken.indptr[:0]
    with pytest.raises(TypeError, match=r"supervision must be of type.*a malformed csr_array"):
        v.check_instance("supervision", broken, Supervision)
