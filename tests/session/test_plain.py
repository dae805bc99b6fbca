"""Values as plain JSON data."""

from __future__ import annotations

import json

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from hypothesis.extra import numpy as hnp

from nbembed.optimizers import ConjugateGradient, MomentumGradient
from nbembed.session.plain import decode, encode, plain, same
from nbembed.supervision import Supervision

leaves = (
    st.none()
    | st.booleans()
    | st.integers()
    | st.floats(allow_nan=False)
    | st.text()
    | hnp.arrays(
        st.sampled_from([np.float32, np.float64, np.int64, np.bool_]),
        hnp.array_shapes(min_side=0),
        elements={"allow_nan": False},
    )
)
values = st.recursive(
    leaves,
    lambda inner: (
        st.lists(inner)
        | st.lists(inner).map(tuple)
        | st.dictionaries(st.text().filter(lambda k: not k.startswith("__")), inner)
    ),
    max_leaves=8,
)


@given(values)
def test_values_come_back_with_the_same_bits(value):
    assert same(decode(json.loads(json.dumps(encode(value)))), value)


def test_optimizers_and_supervision_come_back():
    known = Supervision(5).label([1], "ω").must_link([2, 3])
    for value in (ConjugateGradient(), MomentumGradient(), known):
        back = decode(json.loads(json.dumps(encode(value))))
        assert type(back) is type(value)
        assert back == value


def test_numpy_scalars_become_numbers():
    assert encode(np.float64(0.1)) == 0.1
    assert type(encode(np.int32(3))) is int


def test_what_has_no_plain_form_is_named():
    with pytest.raises(TypeError, match=r"metric\[1\] is a function"):
        encode([1, lambda a, b: 0], "metric")
    with pytest.raises(TypeError, match="do not start with '__'"):
        encode({"__array__": 1})
    with pytest.raises(TypeError, match="ndarray"):
        encode(np.array([object()]))
    assert plain({"metric": np.subtract}) == {"metric": {"__opaque__": "subtract"}}


@pytest.mark.parametrize(
    "broken",
    [
        {"__array__": [1]},
        {"__array__": [1], "dtype": "O"},
        {"__array__": [[1], [2, 3]], "dtype": "<f8", "shape": [3]},
        {"__array__": [1, 2], "dtype": "<f8", "shape": [3]},
        {"__array__": [1, 2], "dtype": "none such", "shape": [2]},
        {"__optimizer__": "os", "fields": {}},
        {"__optimizer__": "LBFGS", "fields": {"nothing": 1}},
        {"__supervision__": {}},
        {"__tuple__": 3},
    ],
)
def test_broken_forms_are_refused(broken):
    with pytest.raises(ValueError):
        decode(broken)


def test_sameness_tells_types_apart():
    assert not same(1, 1.0)
    assert not same(True, 1)
    assert not same(np.zeros(2), np.zeros(2, dtype=np.float32))
    assert not same(np.zeros(2), [0.0, 0.0])
    assert same({"a": (1, [np.ones(2)])}, {"a": (1, [np.ones(2)])})
