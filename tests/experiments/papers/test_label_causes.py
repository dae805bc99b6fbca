"""Purity at ρ = 1, neighbors without a label, and the share of the graph in suggestions."""

from __future__ import annotations

import numpy as np
import pytest

from nbembed.experiments.papers import label_causes
from nbembed.experiments.papers.few_labels import Task
from nbembed.experiments.papers.label_causes import EXPERIMENTS, _of_case


@pytest.fixture
def mixed():
    """Return points on a line and two classes of 40 that alternate in its middle."""
    x = np.arange(80)
    middle = (x >= 20) & (x < 60)
    return np.column_stack([x, np.zeros(80)]).astype(float), np.where(middle, x % 2, x >= 40)


def test_neighbors_of_labeled_points_on_the_map_are_counted(mixed, monkeypatch):
    X, y = mixed
    asked = []

    def same(alpha, X, labels, rho):
        asked.append((alpha, rho))
        return X

    monkeypatch.setattr(label_causes, "hssne_map", same)
    at_one, none = _of_case((X, y), (1.0, None, 1.0))
    assert np.isnan(none)
    near = label_causes.nearest_neighbors(X, label_causes.NEIGHBORS)
    assert at_one == pytest.approx(min((y[near][y == k] == k).mean() for k in (0, 1)))
    none, share = _of_case((X, y), (2.0, None, 0.3))
    assert np.isnan(none)
    assert asked == [(1.0, 1.0), (2.0, None)]
    labels = label_causes.some_labels(y, None, 0.3)
    without = [labels[j] < 0 for i in np.flatnonzero(labels >= 0) for j in near[i] if y[j] != y[i]]
    assert share == pytest.approx(100 * np.mean(without))
    assert 0 < share < 100


def test_suggestions_leave_the_graph_where_a_plane_is_better(rng, monkeypatch):
    X = rng.normal(size=(120, 20))
    y = (X[:, 0] > 0).astype(int)
    splits = {n: np.array([rng.permutation(120)[:n] for _ in range(2)]) for n in (4, 60)}
    splits[4][:, 0], splits[4][:, 1] = y.argmin(), y.argmax()
    monkeypatch.setattr(label_causes, "BOOK", {"ssl_bci": (4, 60)})
    monkeypatch.setattr(label_causes, "task", lambda data, name, n: Task(name, X, y, splits[n]))
    found = {figure.name: figure.measured for figure in EXPERIMENTS[1].figures(None)}
    few, many = (
        found[f"ssl_bci, {count} labels: share of the graph in the weights of suggestions"]
        for count in (4, 60)
    )
    assert many < few <= 1
    assert 40 < found["ssl_bci: neighbors in the data of their class, %"] < 70
