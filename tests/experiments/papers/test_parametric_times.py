"""The methods whose time is compared: each makes a map of the first documents, and is timed."""

from __future__ import annotations

import numpy as np
import pytest
from scipy.sparse import csr_array

from nbembed.experiments.papers import parametric_times as times
from nbembed.posteriors import NaiveBayes


@pytest.fixture(scope="module")
def given():
    rng = np.random.default_rng(0)
    y = rng.integers(0, 3, 240)
    counts = rng.poisson(0.3 + 2.0 * (np.arange(60) % 3 == y[:, None]))
    words = csr_array(counts / np.linalg.norm(counts, axis=1, keepdims=True))
    proba = NaiveBayes().fit(counts, y).predict_proba(counts)
    return times.Documents(words, rng.standard_normal((240, 96)), proba, y)


def test_the_first_documents_have_fewer_principal_components(given):
    part = given.first(50)
    assert part.words.shape == (50, 60)
    assert part.axes.shape == (50, 20)
    assert part.proba.shape == (50, 3)
    np.testing.assert_array_equal(part.y, given.y[:50])


@pytest.mark.parametrize("name", [name for name in times.MAKERS if name != "PE"])
def test_each_method_makes_a_map(given, name):
    Y = times.MAKERS[name](given)
    assert Y.shape == (240, 2)
    assert np.isfinite(Y).all()
    assert (Y.std(axis=0) > 0).all()


def test_each_number_of_objects_is_timed_after_a_first_call(given, monkeypatch):
    monkeypatch.setattr(times, "SIZES", (100, 150, 240))
    sizes = []
    found = times.seconds(given, lambda d: sizes.append(len(d.y)))
    assert sizes == [200, 100, 150, 240]
    assert len(found) == 3
    assert min(found) >= 0


def test_the_slope_is_the_power_of_the_objects():
    seconds = [3e-6 * n**1.7 for n in times.SIZES]
    assert times.slope(seconds) == pytest.approx(1.7)


def test_table_2_has_all_methods():
    assert times.SLOPES.keys() == times.MAKERS.keys()
    assert set(times.SLOWER) < set(times.MAKERS)
