"""Shares, lift and association of categories."""

from __future__ import annotations

import numpy as np
import pytest
from scipy.stats import chi2_contingency, contingency, false_discovery_control

from nbembed.points.groups.categories import (
    MOST_VALUES,
    adjusted_columns,
    association,
    compare_categories,
)


def test_lift_is_the_share_over_that_in_both_groups() -> None:
    a, b = np.array([0] * 8 + [1] * 2), np.array([0] * 10 + [1] * 20 + [2] * 30)
    found = compare_categories("kind", ("red", "green", "blue"), a, b)
    assert found is not None
    assert [v.name for v in found.values] == ["red", "blue", "green"]
    red, blue, green = found.values
    assert (red.count, red.other_count) == (8, 10)
    assert red.share == pytest.approx(0.8)
    assert red.other_share == pytest.approx(1 / 6)
    assert red.lift == pytest.approx(0.8 / (18 / 70))
    assert blue.lift == 0.0
    assert green.lift == pytest.approx(0.2 / (22 / 70))
    assert found.n_values == 3


def test_columns_have_p_values_adjusted_for_their_number() -> None:
    rng = np.random.default_rng(3)
    pairs = [(rng.integers(0, 3, 40), rng.integers(0, high, 60)) for high in (1, 3, 3)]
    found = [compare_categories("kind", ("a", "b", "c"), a, b) for a, b in pairs]
    counts = [[np.bincount(codes, minlength=3) for codes in pair] for pair in pairs]
    p = [chi2_contingency(table, correction=False).pvalue for table in counts]
    columns = adjusted_columns([column for column in found if column is not None])
    np.testing.assert_allclose([c.p for c in columns], false_discovery_control(p))


def test_missing_values_and_absent_categories_are_left_out() -> None:
    a, b = np.array([0, -1, 0]), np.array([2, 2, -1, 0])
    found = compare_categories("kind", ("a", "b", "c"), a, b)
    assert found is not None
    assert found.n_values == 2
    assert [(v.name, v.share) for v in found.values] == [("a", 1.0), ("c", 0.0)]
    assert compare_categories("kind", ("a",), np.array([-1, -1]), np.array([0])) is None


def test_of_many_categories_the_most_telling_are_listed() -> None:
    names = [str(k) for k in range(40)]
    a = np.repeat(np.arange(40), np.where(np.arange(40) == 7, 30, 1))
    b = np.repeat(np.arange(40), 10)
    found = compare_categories("kind", names, a, b)
    assert found is not None
    assert len(found.values) == MOST_VALUES
    assert found.values[0].name == "7"
    assert found.n_values == 40


def test_association_is_cramers_v_without_the_part_of_chance() -> None:
    counts = np.array([[900, 100, 0], [100, 500, 400]])
    plain = contingency.association(counts)
    assert association(counts) == pytest.approx(plain, abs=0.002)
    assert association(np.array([[50, 0], [0, 50]])) == pytest.approx(1.0)
    assert association(np.array([[50, 50], [500, 500]])) == 0.0
    rng = np.random.default_rng(0)
    noise = np.stack([np.bincount(rng.integers(0, 300, n), minlength=300) for n in (300, 300)])
    assert contingency.association(noise[:, noise.any(axis=0)]) > 0.5
    assert association(noise[:, noise.any(axis=0)]) < 0.25


@pytest.mark.parametrize("counts", [[[1], [1]], [[1, 0], [0, 1]], [[3], [5]]])
def test_association_of_next_to_nothing_is_a_number(counts: list[list[int]]) -> None:
    assert 0 <= association(np.array(counts)) <= 1
