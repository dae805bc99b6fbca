"""prec(h) and the F-measure, against their definitions and scikit-learn."""

from __future__ import annotations

import numpy as np
import pytest
from sklearn.metrics import f1_score

from nbembed.measures import class_f_measure, class_precision


def brute(proba, Y, centers, h):
    """Return equation (12) by sets."""
    shares = []
    for k in range(proba.shape[1]):
        high = set(np.argsort(-proba[:, k])[:h])
        close = set(np.argsort(np.linalg.norm(Y - centers[k], axis=1))[:h])
        shares.append(len(high & close) / h)
    return shares


@pytest.mark.parametrize("h", [1, 7, 30, 60])
def test_it_is_equation_twelve(rng, h):
    proba = rng.dirichlet(np.ones(4), 60)
    Y, centers = rng.standard_normal((60, 2)), rng.standard_normal((4, 2))
    expected = brute(proba, Y, centers, h)
    assert class_precision(proba, Y, centers, h) == pytest.approx(np.mean(expected))
    np.testing.assert_allclose(class_precision(proba, Y, centers, h, per_class=True), expected)


def test_a_curve(rng):
    proba = rng.dirichlet(np.ones(3), 40)
    Y, centers = rng.standard_normal((40, 2)), rng.standard_normal((3, 2))
    curve = class_precision(proba, Y, centers, [5, 20, 40])
    assert curve.shape == (3,)
    assert curve[2] == 1
    assert curve[0] == class_precision(proba, Y, centers, 5)
    assert class_precision(proba, Y, centers, [5, 20], per_class=True).shape == (2, 3)


def test_a_map_that_tells_all_has_one(rng):
    proba = rng.dirichlet(np.ones(3), 40)
    corners = np.eye(3)
    # Nearness to corner k falls with p_k alone only one class at a time: two classes do.
    two = np.column_stack([proba[:, 0], 1 - proba[:, 0]])
    assert class_precision(two, two, np.eye(2), [3, 10, 25]).tolist() == [1, 1, 1]
    assert class_precision(proba, proba, corners, 10) > 0.6


def test_without_centers_the_surest_object_stands_for_its_class(rng):
    proba = rng.dirichlet(np.ones(3), 40)
    Y = rng.standard_normal((40, 2))
    assert class_precision(proba, Y, h=8) == class_precision(proba, Y, Y[proba.argmax(axis=0)], h=8)


def test_ties_count_for_whoever_is_near():
    proba = np.array([[1.0, 0.0]] * 6 + [[0.0, 1.0]] * 6)
    Y = np.array([[float(i)] for i in range(12)])
    assert class_precision(proba, Y, [[5.0], [11.0]], 2) == 1
    assert class_precision(proba, Y, [[5.6], [11.0]], 2) == 0.75


@pytest.mark.parametrize(
    ("change", "says"),
    [
        ({"h": 0}, "h must"),
        ({"h": 41}, "h must be in"),
        ({"h": [3, 50]}, "h must be in"),
        ({"Y": np.zeros((39, 2))}, "Y must have a row"),
        ({"centers": np.zeros((2, 2))}, "centers must have shape"),
        ({"proba": np.full((40, 3), 0.5)}, "each row of proba must be non-negative and sum to one"),
    ],
)
def test_bad_arguments(rng, change, says):
    good = {"proba": np.full((40, 3), 1 / 3), "Y": rng.standard_normal((40, 2)), "h": 5}
    with pytest.raises(ValueError, match=says):
        class_precision(**{**good, **change})


def test_f_measure_is_scikit_learn_s(rng):
    y, guess = rng.integers(0, 5, 200), rng.integers(0, 5, 200)
    np.testing.assert_allclose(class_f_measure(y, guess), f1_score(y, guess, average=None))
    proba = rng.dirichlet(np.ones(5), 200)
    np.testing.assert_allclose(
        class_f_measure(y, proba), f1_score(y, proba.argmax(axis=1), average=None)
    )
    names = np.array(list("abcde"))
    np.testing.assert_allclose(class_f_measure(names[y], names[guess]), class_f_measure(y, guess))


def test_f_measure_of_classes_never_said_or_never_there():
    assert class_f_measure([0, 0, 1], [0, 0, 0]).tolist() == [0.8, 0]
    assert class_f_measure([0, 0], [0, 2]).tolist() == [pytest.approx(2 / 3), 0]
    with pytest.raises(ValueError, match="predicted must have one entry"):
        class_f_measure([0, 1], [0])
    with pytest.raises(ValueError, match="predicted must have a column"):
        class_f_measure([0, 1], [[0.2, 0.3, 0.5]] * 2)
    with pytest.raises(ValueError, match="y must be one label for each point"):
        class_f_measure([[0, 1]], [[0, 1]])
