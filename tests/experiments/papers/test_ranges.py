"""Margins around published figures."""

from __future__ import annotations

import numpy as np
import pytest

from nbembed.experiments import Figure
from nbembed.experiments.papers.ranges import (
    least_above,
    margin_by_chance,
    margin_of_best,
    margin_of_mean,
    margin_of_means,
    margin_of_one,
)


def test_margins_by_hand():
    # The standard deviation of these is 1; Student's t with two degrees of freedom is 4.3027.
    assert margin_of_one([1, 2, 3], 2) == pytest.approx(4.302653 * np.sqrt(4 / 3) + 0.005)
    assert margin_of_means([1, 2, 3], 6, 2) == pytest.approx(4.302653 * np.sqrt(1 / 2) + 0.005)
    assert margin_of_mean([1, 2, 3], 1) == pytest.approx(4.302653 / np.sqrt(3) + 0.05)


def test_ten_random_axes_are_seldom_as_near_as_a_found_one(rng):
    means = rng.uniform(0, 90, (100_000, 10)).mean(axis=1)
    found = 45 - margin_by_chance(90 / np.sqrt(12), 10)
    assert np.mean(means <= found) == pytest.approx(0.025, abs=0.003)


def test_equal_runs_leave_the_rounding():
    assert margin_of_one([0.5] * 4, 2) == 0.005
    assert margin_of_mean([0.5] * 4, 0) == 0.5


def test_one_more_run_is_within_the_margin_nineteen_times_in_twenty(rng):
    runs = rng.standard_normal((4000, 6))
    inside = [abs(run[0] - run[1:].mean()) <= margin_of_one(run[1:], 9) for run in runs]
    assert 0.935 < np.mean(inside) < 0.965


def test_the_margin_of_the_best_of_several_by_hand():
    # Of two runs drawn again, the better one by the criterion is the best with 1 − 1/4.
    variance = 0.75 * 0.25 * (8 - 5) ** 2
    by_hand = 1.959964 * np.sqrt(2 * variance) + 0.05
    assert margin_of_best([8, 5], [0.1, 0.7], 1) == pytest.approx(by_hand)
    assert margin_of_best([5, 8], [0.7, 0.1], 1) == pytest.approx(by_hand)


def test_the_margin_of_the_best_is_that_of_drawing_again(rng):
    values, criteria = rng.standard_normal(10), rng.standard_normal(10)
    drawn = rng.integers(10, size=(100_000, 10))
    best = values[np.take_along_axis(drawn, criteria[drawn].argmax(axis=1)[:, None], axis=1)]
    margin = margin_of_best(values, criteria, 9)
    assert margin == pytest.approx(1.96 * np.sqrt(2) * best.std(), rel=0.02)


def test_runs_that_never_win_do_not_widen_the_margin():
    tight = margin_of_best([1.0] * 10, range(10), 2)
    wide = margin_of_best([1.0] * 5 + [9.0] * 5, range(10, 0, -1), 2)
    assert tight == pytest.approx(0.005)
    # Half of the runs are far off; the best of ten is one of them once in 1024.
    assert wide < 1


@pytest.mark.parametrize(("decimals", "printed"), [(1, "0.1"), (2, "0.01"), (3, "0.001")])
def test_a_claim_of_more_begins_at_what_is_printed_as_more(decimals, printed):
    """Along with the figure itself: what is printed as 0 is out, what is printed as more is in."""
    low = least_above(0.0, decimals)
    assert f"{low:.{decimals}f}" == printed
    nearly = Figure("", "> 0", np.nextafter(low, 0), low, digits=decimals)
    assert (nearly.row[3], nearly.ok) == (f"{0:.{decimals}f}", False)
    assert Figure("", "> 0", low, low, digits=decimals).ok
