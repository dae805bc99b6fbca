"""Margins around published figures."""

from __future__ import annotations

import numpy as np
import pytest

from nbembed.experiments.ranges import margin_of_mean, margin_of_one


def test_margins_by_hand():
    # The standard deviation of these is 1; Student's t with two degrees of freedom is 4.3027.
    assert margin_of_one([1, 2, 3], 2) == pytest.approx(4.302653 * np.sqrt(4 / 3) + 0.005)
    assert margin_of_mean([1, 2, 3], 1) == pytest.approx(4.302653 / np.sqrt(3) + 0.05)


def test_equal_runs_leave_the_rounding():
    assert margin_of_one([0.5] * 4, 2) == 0.005
    assert margin_of_mean([0.5] * 4, 0) == 0.5


def test_one_more_run_is_within_the_margin_nineteen_times_in_twenty(rng):
    runs = rng.standard_normal((4000, 6))
    inside = [abs(run[0] - run[1:].mean()) <= margin_of_one(run[1:], 9) for run in runs]
    assert 0.935 < np.mean(inside) < 0.965
