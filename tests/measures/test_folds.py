"""The paired t-test against its formula."""

from __future__ import annotations

import numpy as np
import pytest
from scipy.stats import t as student

from nbembed.measures import good_neighbors, homogeneity, knn_error, paired_t_test


def test_it_is_the_formula(rng):
    a, b = rng.random(10), rng.random(10) + 0.2
    found = paired_t_test(a, b)
    d = a - b
    statistic = d.mean() / (d.std(ddof=1) / np.sqrt(10))
    assert found.difference == pytest.approx(d.mean())
    assert found.statistic == pytest.approx(statistic)
    assert found.p_value == pytest.approx(2 * student.sf(abs(statistic), 9))
    assert paired_t_test(b, a).statistic == pytest.approx(-statistic)
    less = paired_t_test(a, b, alternative="less")
    assert less.p_value == pytest.approx(student.cdf(statistic, 9))
    assert paired_t_test(a, b, alternative="greater").p_value == pytest.approx(1 - less.p_value)


def test_folds_that_all_agree():
    a = np.array([0.1, 0.2, 0.3])
    assert paired_t_test(a, a) == (0.0, 0.0, 1.0)
    found = paired_t_test(a, a + 0.1)
    assert found.difference == pytest.approx(-0.1)
    assert (found.statistic, found.p_value) == (-np.inf, 0.0)
    assert paired_t_test(a, a + 0.1, alternative="less").p_value == 0
    assert paired_t_test(a, a + 0.1, alternative="greater").p_value == 1


@pytest.mark.parametrize(
    ("a", "b", "message"),
    [
        ([1.0], [2.0], "a must be a score for each of at least two folds"),
        ([1.0, 2.0], [[1.0, 2.0]], "b must be a score for each"),
        ([1.0, 2.0], [1.0, 2.0, 3.0], "b must have a score for each of the 2 folds of a, got 3"),
        ([1.0, np.nan], [1.0, 2.0], "a must be finite"),
    ],
)
def test_bad_scores(a, b, message):
    with pytest.raises(ValueError, match=message):
        paired_t_test(a, b)
    with pytest.raises(ValueError, match="alternative must be one of"):
        paired_t_test([1, 2], [1, 3], alternative="more")


def test_good_neighbors_are_the_training_accuracy_of_the_nearest_neighbor(rng):
    Z, y = rng.standard_normal((90, 4)), rng.integers(0, 3, 90)
    assert good_neighbors(Z, y) == pytest.approx(1 - knn_error(Z, y, 1))
    assert good_neighbors(Z, y) == homogeneity(Z, y)
    D = np.linalg.norm(Z[:, None] - Z, axis=2)
    assert good_neighbors(D, y, 5, metric="precomputed") == pytest.approx(good_neighbors(Z, y, 5))
    np.fill_diagonal(D, np.inf)
    expected = (y[np.argsort(D, axis=1)[:, :5]] == y[:, None]).mean(axis=1)
    assert np.allclose(good_neighbors(Z, y, 5, per_point=True), expected)
    with pytest.raises(ValueError, match="y must have one label"):
        good_neighbors(Z, y[:5])
