"""Values as plain JSON data."""

from __future__ import annotations

import json

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from hypothesis.extra import numpy as hnp
from sklearn.base import BaseEstimator
from sklearn.linear_model import LogisticRegression
from sklearn.multiclass import OneVsRestClassifier
from sklearn.naive_bayes import GaussianNB
from sklearn.pipeline import make_pipeline
from sklearn.preprocessing import StandardScaler

from nbembed.optimizers import ConjugateGradient, MomentumGradient, MomentumLBFGS
from nbembed.session.core.serialization import decode, encode, encode_or_describe, same
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
    for value in (ConjugateGradient(), MomentumGradient(), MomentumLBFGS(), known):
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
    assert encode_or_describe({"metric": np.subtract}) == {"metric": {"__opaque__": "subtract"}}


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


@pytest.mark.parametrize(
    "estimator",
    [
        LogisticRegression(C=0.1 + 0.2),
        GaussianNB(),
        make_pipeline(StandardScaler(), LogisticRegression(tol=1e-3)),
        OneVsRestClassifier(GaussianNB(priors=[0.5, 0.5])),
    ],
    ids=lambda e: type(e).__name__,
)
def test_estimators_come_back(estimator):
    text = json.dumps(encode(estimator))
    assert "sklearn." in text
    back = decode(json.loads(text))
    assert type(back) is type(estimator)
    assert same(back, estimator)
    assert repr(back) == repr(estimator)


def test_estimators_are_the_same_by_their_parameters():
    assert same(GaussianNB(), GaussianNB())
    assert not same(GaussianNB(), GaussianNB(var_smoothing=1e-3))
    assert not same(GaussianNB(), LogisticRegression())
    fitted = GaussianNB().fit([[0.0], [1.0]], [0, 1])
    assert not same(GaussianNB(), fitted)


def test_a_fitted_estimator_of_scikit_learn_is_refused():
    fitted = GaussianNB().fit([[0.0], [1.0]], [0, 1])
    with pytest.raises(TypeError, match=r"classifier is a fitted GaussianNB.*unfitted"):
        encode(fitted, "classifier")
    assert encode_or_describe(fitted) == {"__opaque__": "GaussianNB()"}


def test_an_estimator_of_anybody_else_is_refused():
    class Mine(BaseEstimator):
        pass

    with pytest.raises(TypeError, match="classifier is a Mine, which has no JSON form"):
        encode(Mine(), "classifier")


@pytest.mark.parametrize(
    "path",
    [
        "os.system",
        "sklearn",
        "sklearn.no.such",
        "sklearn.base.clone",
        "sklearn.utils.os.system",
        "nbembed.session.Session",
        "sklearn.linear_model.np.ndarray",
        "sklearn.naive_bayes.GaussianNB; import os",
        3,
    ],
)
def test_no_stored_path_leads_out_of_the_known_estimators(path):
    with pytest.raises(ValueError, match=r"estimator|known here"):
        decode({"__estimator__": path, "parameters": {}, "learned": {}})


def test_broken_estimators_are_refused():
    path = "sklearn.naive_bayes.GaussianNB"
    with pytest.raises(ValueError, match="cannot be made with the stored parameters"):
        decode({"__estimator__": path, "parameters": {"x": 1}, "learned": {}})
    with pytest.raises(ValueError, match="are not fitted attributes"):
        decode({"__estimator__": path, "parameters": {}, "learned": {"fit": 1}})
    with pytest.raises(ValueError, match="broken"):
        decode({"__estimator__": path})
