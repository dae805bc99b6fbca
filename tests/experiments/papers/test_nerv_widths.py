"""How far out the farthest text lies, and the neighbors that a map keeps."""

from __future__ import annotations

from types import SimpleNamespace

import numpy as np
import pytest
from scipy import sparse

from nbembed.experiments.papers import nerv_widths
from nbembed.experiments.papers.nerv_widths import EXPERIMENTS, farthest, kept


def test_the_farthest_point_is_measured_in_medians():
    ring = np.exp(2j * np.pi * np.arange(8) / 8)
    Y = np.column_stack([ring.real, ring.imag])
    assert farthest(Y) == pytest.approx(1)
    assert farthest(np.vstack([Y, -Y, [[7.0, 0.0]]])) == pytest.approx(7)
    assert farthest(3 * Y + 5) == pytest.approx(1)


def test_a_map_keeps_all_neighbors_of_itself_and_few_of_another(rng):
    X = rng.normal(size=(200, 5))
    assert kept(X, X) == 100
    by_chance = 100 * nerv_widths.NEIGHBORS / 199
    assert kept(X, rng.normal(size=(200, 2))) == pytest.approx(by_chance, abs=5)


def test_both_widths_are_measured_on_both_sets(rng, monkeypatch):
    counts = sparse.csr_array(rng.poisson(1.0, size=(60, 30)))
    monkeypatch.setattr(nerv_widths, "read", lambda data, name: SimpleNamespace(X=counts))
    found = [figure.name for figure in EXPERIMENTS[0].figures(None)]
    assert len(found) == len(set(found)) == 8
    assert sum("map_width=uniform" in name for name in found) == 4
