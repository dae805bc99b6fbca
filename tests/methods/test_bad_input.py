"""Every wrong argument is an error that names it, raised before any work starts."""

from __future__ import annotations

import numpy as np
import pytest

from nbembed.methods import HSSNE, SNE, Mbed
from nbembed.run import Run
from nbembed.supervision import Supervision
from tests.methods.helpers import quick


@pytest.fixture(autouse=True)
def no_work(monkeypatch):
    """Fail if an iteration is taken: errors come first."""

    def step(self, k=1):
        raise AssertionError("work had started")

    monkeypatch.setattr(Run, "step", step)
    monkeypatch.setattr(Run, "_step", step)


def data(n=20):
    return np.random.default_rng(0).standard_normal((n, 3))


def spoilt(value):
    X = data()
    X[3, 1] = value
    return X


@pytest.mark.parametrize(
    ("X", "says"),
    [
        (spoilt(np.nan), "NaN"),
        (spoilt(np.inf), "infinity"),
        (np.zeros(5), "2D"),
        (np.zeros((4, 3, 2)), "dim"),
        (np.zeros((1, 3)), "sample"),
        (np.zeros((0, 3)), "sample"),
        (np.zeros((5, 0)), "feature"),
        ([["a", "b"], ["c", "d"], ["e", "f"]], "convert|numeric"),
        (data().astype("datetime64[s]"), "real numbers"),
        ([["1", "2"], ["3", "4"], ["5", "7"]], "real numbers|numeric"),
        (np.ma.masked_greater(data(), 1), "masked"),
        (1e200 * data(), "must span"),
        (1e-200 * data(), "must span"),
    ],
    ids=[
        "nan", "inf", "1d", "3d", "one point", "no points", "no features", "text", "dates",
        "digits", "masked", "huge", "tiny",
    ],
)  # fmt: skip
def test_bad_data(kind, X, says):
    with pytest.raises(ValueError, match=says):
        quick(kind).fit(X)


def test_bad_dissimilarities(kind):
    with pytest.raises(ValueError, match="X must be a square matrix"):
        quick(kind, metric="precomputed").fit(np.ones((5, 4)))
    with pytest.raises(ValueError, match="X must be non-negative"):
        quick(kind, metric="precomputed").fit(-np.ones((5, 5)))


@pytest.mark.parametrize(
    ("name", "value", "error"),
    [
        ("rho", -0.1, ValueError),
        ("rho", 1.1, ValueError),
        ("rho", np.nan, ValueError),
        ("rho", "much", TypeError),
        ("link_form", "even", ValueError),
        ("link_form", None, ValueError),
        ("perplexity", 20, ValueError),
        ("perplexity", 0.5, ValueError),
        ("perplexity", "some", ValueError),
        ("perplexity", None, TypeError),
        ("n_components", 0, ValueError),
        ("n_components", 2.0, TypeError),
        ("optimizer", "newton", ValueError),
        ("optimizer", 3, ValueError),
        ("max_iter", 0, ValueError),
        ("max_iter", 10.5, TypeError),
        ("tol", -1e-3, ValueError),
        ("random_state", "seed", ValueError),
        ("random_state", -1, ValueError),
        ("callbacks", 3, TypeError),
        ("callbacks", ["print"], TypeError),
        ("verbose", "yes", TypeError),
    ],
)
def test_bad_shared_keywords(kind, name, value, error):
    with pytest.raises(error, match=name):
        quick(kind, **{name: value}).fit(data())


@pytest.mark.parametrize("X", [None, {"a": 1}, len, int, (i for i in range(3))])
def test_what_is_no_data_at_all(kind, X):
    with pytest.raises((TypeError, ValueError), match="X must be a finite matrix of numbers"):
        quick(kind).fit(X)


@pytest.mark.parametrize(
    ("kind", "name", "value"),
    [
        (HSSNE, "init", np.full((20, 2), 1e35)),
        (HSSNE, "alpha", -0.01),
        (HSSNE, "alpha", np.inf),
        (HSSNE, "init", "spectral"),
        (SNE, "init", np.zeros((20, 3))),
        (HSSNE, "init", np.zeros((19, 2))),
        (HSSNE, "init", np.full((20, 2), np.nan)),
        (Mbed, "lam", 0.0),
        (Mbed, "lam", -1.0),
        (Mbed, "lam", "cool"),
        (Mbed, "margin_weight", -1.0),
        (Mbed, "label_distance", 0.0),
        (Mbed, "class_prior", [0.5, 0.4]),
        (Mbed, "class_prior", [1.0, 0.0]),
        (Mbed, "class_prior", [0.5, 0.25, 0.25]),
        (Mbed, "affinity", "local"),
        (Mbed, "n_init", 0),
        (Mbed, "n_classes", 0),
        (Mbed, "n_classes", 21),
        (Mbed, "max_iter", 28),
        (Mbed, "directions", "square"),
        (Mbed, "directions", [[1.0, 0.0], [2.0, 0.0]]),
        (Mbed, "directions", [[1.0, 0.0], [1.0, 0.0]]),
        (Mbed, "directions", np.eye(3)),
    ],
)
def test_bad_keywords_of_one_method(kind, name, value):
    with pytest.raises(ValueError, match=name):
        quick(kind, **{name: value}).fit(data())


@pytest.mark.parametrize(
    ("y", "says"),
    [
        (np.zeros(19), "y"),
        (np.zeros((20, 2)), "sum to one"),
        (np.full((20, 2), 0.6), "sum to one"),
        (np.full(20, 0.5), "y"),
        (np.full(20, -2), "y"),
        (5, "y"),
    ],
    ids=["length", "zero rows", "sum", "fraction", "negative", "number"],
)
def test_bad_labels(kind, y, says):
    with pytest.raises((ValueError, TypeError), match=says):
        quick(kind).fit(data(), y)


def test_labels_and_supervision_cannot_both_be_given(kind):
    with pytest.raises(ValueError, match=r"y and supervision"):
        quick(kind).fit(data(), np.zeros(20), supervision=Supervision(20))


def test_supervision_of_other_data(kind):
    with pytest.raises(ValueError, match="supervision must cover 20"):
        quick(kind).fit(data(), supervision=Supervision(21))
    with pytest.raises(TypeError, match="supervision must be a Supervision"):
        quick(kind).fit(data(), supervision=np.zeros(20))


def test_must_link_of_points_that_are_not_there():
    with pytest.raises(ValueError, match="points"):
        Supervision(20).must_link([3, 20])


def test_dimensions_are_bounded(kind):
    for wrong in (1001, 10**6, 2**40):
        with pytest.raises(ValueError, match="n_components must be at most 1000"):
            quick(kind, n_components=wrong).fit(data())


def test_a_first_layout_too_large_for_squared_distances(kind):
    for scale in (1e16, 1e30, 1e300):
        with pytest.raises(ValueError, match=r"init must (have a Frobenius norm|be finite)"):
            quick(kind, init=scale * data()[:, :2]).fit(data())


def test_mbed_needs_to_know_how_many_classes():
    with pytest.raises(ValueError, match="n_classes must be an integer of at least 1 when neither"):
        Mbed().fit(data())
    y = np.array([0, 1, 2] + [-1] * 17)
    with pytest.raises(ValueError, match="n_classes must be at least 3"):
        Mbed(n_classes=2).fit(data(), y)


def test_the_simplex_needs_room():
    with pytest.raises(ValueError, match="n_components must be at least n_classes - 1 = 3"):
        Mbed(n_classes=4, n_components=2).fit(data())
    with pytest.raises(ValueError, match="n_components must be at least 2 for a circle"):
        Mbed(n_classes=4, n_components=1, directions="circle").fit(data())
    with pytest.raises(ValueError, match="directions must have n_components = 3"):
        Mbed(n_classes=2, n_components=3, directions=[[1.0, 0.0], [0.0, 1.0]]).fit(data())


def test_data_too_large_for_principal_axes_are_refused_under_any_metric():
    with pytest.raises(ValueError, match="X must be at most"):
        SNE(metric="cosine").fit(1e300 * data())
