"""What is counted more often in a group."""

from __future__ import annotations

import numpy as np
import pytest

from nbembed.points.groups.words import PRIOR, compare_words, log_odds


def test_log_odds_are_those_of_the_paper() -> None:
    a, b = np.array([30.0, 5, 0, 65]), np.array([10.0, 50, 1, 39])
    alpha = PRIOR * (a + b) / (a + b).sum()
    omega = [(y + alpha) / (y.sum() + PRIOR - y - alpha) for y in (a, b)]
    expected = np.log(omega[0] / omega[1]) / np.sqrt(1 / (a + alpha) + 1 / (b + alpha))
    np.testing.assert_allclose(log_odds(a, b), expected)
    np.testing.assert_allclose(log_odds(b, a), -expected)


def test_frequent_words_come_before_rare_ones_that_are_only_here() -> None:
    names = ["stars", "once", "the", "unused"]
    a, b = np.array([400.0, 1, 5000, 0]), np.array([100.0, 0, 50_000, 0])
    found = compare_words(names, a, b)
    assert [word.name for word in found] == ["stars"]
    (stars,) = found
    assert stars.share == pytest.approx(400 / 5401)
    assert stars.other_share == pytest.approx(100 / 50_100)
    assert stars.lift == pytest.approx(stars.share / (500 / 55_501))
    assert stars.z > 10
    assert stars.p < 1e-20


@pytest.mark.parametrize("a", [[0.0, 0.0], [3.0, 0.0]])
def test_groups_without_words_have_none(a: list[float]) -> None:
    assert compare_words(["x", "y"], np.array(a), np.array([0.0, 0.0])) == ()
    assert np.isfinite(log_odds(np.array([3.0, 0.0]), np.array([2.0, 0.0]))).all()
