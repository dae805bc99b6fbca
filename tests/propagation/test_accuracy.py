"""Random samples to check, and what they say about accuracy."""

from __future__ import annotations

import numpy as np
import pytest

import nbembed as nb
from nbembed.propagation import accuracy_interval, points_to_check


@pytest.mark.parametrize(("correct", "n"), [(0, 20), (19, 20), (20, 20), (1, 2), (700, 1000)])
@pytest.mark.parametrize(("level", "z"), [(0.95, 1.959964), (0.8, 1.281552)])
def test_the_interval_is_wilson_s(correct, n, level, z):
    p = correct / n
    middle = (p + z**2 / (2 * n)) / (1 + z**2 / n)
    half = z / (1 + z**2 / n) * np.sqrt(p * (1 - p) / n + z**2 / (4 * n**2))
    low, high = accuracy_interval(correct, n, level)
    assert (low, high) == pytest.approx((middle - half, middle + half), abs=1e-6)
    assert 0 <= low <= p <= high <= 1


@pytest.mark.parametrize(
    ("arguments", "error", "message"),
    [
        ((3, 2), ValueError, "correct must be at most n = 2"),
        ((-1, 2), ValueError, "correct must be at least 0"),
        ((0, 0), ValueError, "n must be at least 1"),
        ((0.5, 2), TypeError, "correct must be an integer"),
        ((1, 2, 1.0), ValueError, "level must be less than 1"),
        ((1, 2, 0.0), ValueError, "level must be"),
        ((1, 2, 0.95, 1), ValueError, "population must be at least n = 2"),
        ((1, 2, 0.95, 2.5), TypeError, "population must be an integer"),
    ],
)
def test_bad_counts_are_refused(arguments, error, message):
    with pytest.raises(error, match=message):
        accuracy_interval(*arguments)


@pytest.mark.parametrize(("population", "n"), [(60, 20), (25, 20), (400, 30)])
def test_the_interval_of_a_sample_without_replacement_covers_as_often_as_it_says(population, n):
    rng = np.random.default_rng(0)
    covered, wide, narrow = [], [], []
    for right in np.linspace(0.5, 0.98, 13):
        truth = round(right * population)
        for correct in rng.hypergeometric(truth, population - truth, n, size=200):
            low, high = accuracy_interval(correct, n, population=population)
            covered.append(low - 1e-12 <= truth / population <= high + 1e-12)
            narrow.append(high - low)
            wide.append(np.subtract(*accuracy_interval(correct, n)[::-1]))
            assert correct / population <= low <= high <= 1 - (n - correct) / population
    assert np.mean(covered) > 0.93
    assert np.mean(narrow) < np.mean(wide)


def test_a_sample_of_all_leaves_nothing_open():
    assert accuracy_interval(7, 8, population=8) == (7 / 8, 7 / 8)
    assert accuracy_interval(7, 8, population=10**9) == pytest.approx(accuracy_interval(7, 8))


def test_the_sample_is_of_unlabeled_points_and_repeats():
    labels = nb.Supervision(100).label(np.arange(50), "a")
    sample = points_to_check(labels, 20, random_state=3)
    assert np.unique(sample).size == 20
    assert sample.min() >= 50
    np.testing.assert_array_equal(sample, points_to_check(labels, 20, random_state=3))
    assert points_to_check(labels, 80, random_state=0).size == 50
    assert points_to_check(labels.label(np.arange(100), "a")).size == 0


def test_every_unlabeled_point_is_as_likely():
    labels = nb.Supervision(10).label([0, 5], "a")
    drawn = np.concatenate([points_to_check(labels, 2, random_state=s) for s in range(800)])
    counts = np.bincount(drawn, minlength=10)
    assert counts[[0, 5]].sum() == 0
    rest = np.delete(counts, [0, 5])
    assert rest.min() > 140  # 200 each, standard deviation 13
    assert rest.max() < 260
