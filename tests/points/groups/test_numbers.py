"""Effect sizes and histograms, against their definitions."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest
from scipy import stats

from nbembed.points.groups.numbers import (
    BARS,
    bar_counts,
    bar_edges,
    compare_numbers,
    effect_sizes,
    moments,
    share_above,
)

RNG = np.random.default_rng(3)
A, B = RNG.normal(1.0, 2.0, (30, 4)), RNG.normal(0.0, 1.0, (50, 4))


def sums(*parts: Any, center: float = 0.0) -> list[Any]:
    return [moments(np.atleast_2d(part), np.full(np.atleast_2d(part).shape[1], center))
            for part in parts]  # fmt: skip


def test_effect_sizes_are_cohens_d() -> None:
    pooled = np.sqrt((29 * A.var(axis=0, ddof=1) + 49 * B.var(axis=0, ddof=1)) / 78)
    expected = (A.mean(axis=0) - B.mean(axis=0)) / pooled
    for center in (0.0, 0.3):
        a, b = sums(A, B, center=center)
        np.testing.assert_allclose(effect_sizes(a, b), expected, rtol=1e-12)
        np.testing.assert_allclose(effect_sizes(b, a), -expected, rtol=1e-12)


def test_the_rest_is_the_difference_of_sums() -> None:
    whole, a, b = sums(np.concatenate([A, B]), A, B, center=0.2)
    np.testing.assert_allclose(effect_sizes(a, whole - a), effect_sizes(a, b), rtol=1e-9)


def test_missing_values_do_not_count() -> None:
    gaps = np.concatenate([A, np.full((3, 4), np.nan)])
    np.testing.assert_array_equal(effect_sizes(*sums(gaps, B)), effect_sizes(*sums(A, B)))
    nothing = np.full((3, 4), np.nan)
    assert np.isnan(effect_sizes(*sums(nothing, B))).all()


def test_groups_that_do_not_vary_are_infinitely_far_apart_or_alike() -> None:
    a = np.array([[1e6, 5.0, 0.1]] * 3)
    b = np.array([[1e6, 7.0, 0.1]] * 4)
    whole, mine, other = sums(np.concatenate([a, b]), a, b)
    for d in (effect_sizes(mine, other), effect_sizes(mine, whole - mine)):
        np.testing.assert_array_equal(d, [0, -np.inf, 0])


def test_a_single_point_is_measured_in_deviations_of_the_others() -> None:
    a, b = sums(np.full((1, 4), 3.0), B)
    np.testing.assert_allclose(
        effect_sizes(a, b), (3 - B.mean(axis=0)) / B.std(axis=0, ddof=1), rtol=1e-9
    )
    one, other = sums(np.ones((1, 4)), np.zeros((1, 4)))
    assert np.isnan(effect_sizes(one, other)).all()


def test_the_share_of_pairs_is_that_of_mann_and_whitney() -> None:
    a, b = RNG.integers(0, 5, 40).astype(float), RNG.integers(1, 7, 60).astype(float)
    pairs = (a[:, None] > b).mean() + (a[:, None] == b).mean() / 2
    assert share_above(a, b) == pytest.approx(pairs, abs=1e-12)
    assert share_above(a, b) == pytest.approx(stats.mannwhitneyu(a, b).statistic / (40 * 60))


def test_a_few_whole_numbers_have_a_bar_each() -> None:
    values = np.array([3.0, 5, 5, 4, 8])
    edges = bar_edges(values)
    np.testing.assert_array_equal(edges, np.arange(2.5, 9))
    np.testing.assert_array_equal(bar_counts(values, edges), [1, 1, 2, 0, 0, 1])


def test_bars_of_many_whole_numbers_hold_as_many_of_them_each() -> None:
    values = np.tile(np.arange(1.0, 91), 100)
    edges = bar_edges(values)
    assert set(np.diff(edges)) == {4.0}
    counts = bar_counts(values, edges)
    assert counts.sum() == values.size
    assert set(counts[:-1].tolist()) == {400}


def test_bars_hold_all_values_and_extremes_do_not_flatten_them() -> None:
    values = np.append(RNG.normal(size=999), 1e9)
    edges = bar_edges(values)
    assert edges[-1] < 10
    counts = bar_counts(values, edges)
    assert counts.size == BARS
    assert counts.sum() == 1000
    inside = values[(values > edges[0]) & (values < edges[-1])]
    middle = np.histogram(inside, edges)[0]
    np.testing.assert_array_equal(counts[1:-1], middle[1:-1])


@pytest.mark.parametrize(
    "values", [[2.5], [0.0, 1e-320], [-1e308, 1e308], [1e300, 1e300], [0.0] * 999 + [0.25]]
)
def test_odd_ranges_have_bars_too(values: list[float]) -> None:
    array = np.array(values)
    edges = bar_edges(array)
    assert (edges[1:] > edges[:-1]).all()
    assert bar_counts(array, edges).sum() == array.size


def test_a_comparison_has_means_of_what_is_there() -> None:
    found = compare_numbers("size", 1.5, np.array([1.0, np.nan, 3]), np.array([0.0, np.inf, 1]))
    assert (found.mean, found.other_mean) == (2.0, 0.5)
    assert found.counts.sum() == 2
    assert found.other_counts.sum() == 2
    assert found.share_above == pytest.approx(0.875)
