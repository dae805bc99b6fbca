from __future__ import annotations

import numpy as np
import pytest

from nbembed.objectives.directions import circle, simplex


@pytest.mark.parametrize("K", [1, 2, 3, 4, 10])
@pytest.mark.parametrize("extra", [0, 1, 3])
def test_simplex_has_unit_vectors_at_equal_angles(K, extra):
    d = max(K - 1, 1) + extra
    W = simplex(K, d)
    assert W.shape == (K, d)
    inner = W @ W.T
    np.testing.assert_allclose(np.diag(inner), 1)
    if K > 1:
        np.testing.assert_allclose(inner[~np.eye(K, dtype=bool)], -1 / (K - 1))
    assert not W[:, max(K - 1, 1) :].any()


def test_simplex_of_two_is_the_first_axis():
    np.testing.assert_allclose(simplex(2), [[1, 0], [-1, 0]])
    np.testing.assert_allclose(simplex(2, 1), [[1], [-1]])


def test_simplex_takes_as_many_dimensions_as_classes_by_default():
    assert simplex(4).shape == (4, 4)
    assert simplex(1).shape == (1, 1)


def test_circle_has_equal_steps():
    W = circle(6, 3)
    assert W.shape == (6, 3)
    steps = np.sum(W * np.roll(W, -1, axis=0), axis=1)
    np.testing.assert_allclose(steps, np.cos(np.pi / 3))
    np.testing.assert_allclose(W[0], [1, 0, 0])
    np.testing.assert_allclose(np.linalg.norm(W, axis=1), 1)


@pytest.mark.parametrize(("K", "d"), [(4, 2), (3, 1), (0, 2), (1, 0)])
def test_simplex_that_does_not_fit_is_refused(K, d):
    with pytest.raises(ValueError, match="n_c"):
        simplex(K, d)


@pytest.mark.parametrize(("K", "d"), [(3, 1), (0, 2)])
def test_circle_that_does_not_fit_is_refused(K, d):
    with pytest.raises(ValueError, match="n_c"):
        circle(K, d)
