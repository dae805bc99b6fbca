"""Experiments by name: tables, verdicts, exit status; and the one whose data are bundled."""

from __future__ import annotations

import math

import numpy as np
import pytest

from nbembed import experiments
from nbembed.datasets import load_vehicle, toy_few_labels
from nbembed.experiments import Experiment, Figure
from nbembed.experiments.base import report
from nbembed.experiments.framework import Task, hits, labeled_points
from nbembed.experiments.hssne import known_pairs, standardized, to_unit_range
from nbembed.spectral import LFDARecipe, LPPRecipe


def experiment(*figures, files=()):
    return Experiment("fake", "a fake", files, True, lambda data: iter(figures))


def test_names():
    assert list(experiments.NAMES) == [
        "hssne-unsupervised",
        "hssne-vehicle",
        "labels-structure",
        "labels-benchmark",
        "mbed-g50c",
        "mbed-g50c-unsupervised",
        "mbed-text",
        "framework-10",
        "framework-100",
        "pe-newsgroups",
        "pe-digits",
        "snerv-letter-short",
        "snerv-satellite-short",
        "snerv-letter",
        "snerv-satellite",
        "snerv-phoneme",
    ]
    for name, found in experiments.NAMES.items():
        assert found.name == name
        assert found.summary.endswith(")"), "say how long it takes"
    with pytest.raises(ValueError, match="name must be one of hssne-unsupervised"):
        experiments.run("tsne")


@pytest.mark.parametrize(
    ("low", "high", "measured", "ok", "shown"),
    [
        (0.1, 0.2, 0.15, True, "0.100 to 0.200"),
        (0.1, 0.2, 0.2001, False, "0.100 to 0.200"),
        (0.1, 0.2, math.nan, False, "0.100 to 0.200"),
        (-math.inf, 0.2, -5.0, True, "≤ 0.200"),
        (0.1, math.inf, 0.05, False, "≥ 0.100"),
        (-math.inf, math.inf, 7.0, True, "–"),
    ],
)
def test_a_figure_and_its_range(low, high, measured, ok, shown):
    figure = Figure("f", "0.15", measured, low, high)
    assert figure.ok is ok
    assert figure.row[2] == shown
    assert figure.row[4] == ("–" if shown == "–" else "yes" if ok else "NO")


def test_a_table_and_its_status(capsys):
    good, bad = Figure("good", "1", 1.0, 0, 2), Figure("bad", "", 3.0, 0, 2)
    assert report(experiment(good), None) == 0
    out = capsys.readouterr().out
    assert "figure" in out
    assert "measured" in out
    assert "yes" in out
    assert report(experiment(bad, good), None) == 1
    assert "NO" in capsys.readouterr().out


def test_missing_data_is_status_two_and_says_what_is_missing(capsys, tmp_path):
    for directory in (None, tmp_path):
        assert experiments.run("mbed-g50c", directory) == 2
        error = capsys.readouterr().err
        assert "g50c.npz" in error
        assert "--data" in error


def test_scaling():
    X = np.array([[1.0, 5.0], [3.0, 5.0]])
    assert standardized(X).tolist() == [[-1, 0], [1, 0]]
    assert to_unit_range(np.array([[0.0, 2.0], [4.0, 3.0], [1.0, 2.5]])).tolist() == [
        [-1, -1],
        [1, 1],
        [-0.5, 0],
    ]


def test_known_pairs_are_of_one_class():
    y = load_vehicle().y
    told = known_pairs(y, 50, np.random.default_rng(0))
    assert len(told.links) == 50
    assert all(y[i] == y[j] for i, j in told.links)


def test_labeled_points_are_two_of_each_class_and_then_any():
    y = np.repeat([0, 1, 2], [40, 50, 3])
    for seed in range(5):
        told = labeled_points(y, 10, np.random.default_rng(seed))
        assert np.unique(told).size == 10
        assert np.bincount(y[told], minlength=3).min() >= 2


def test_hits_are_counted_on_the_map():
    toy = toy_few_labels(random_state=0)
    told, asked = np.flatnonzero(toy.labels >= 0), np.flatnonzero(toy.labels < 0)
    subspace = LPPRecipe(1).make_affinities(toy.X)
    task = Task("toy", 1)
    assert hits(subspace, toy.y, told, asked, LPPRecipe(), {"power": 1.0}, task) == 1.0
    assert hits(subspace, toy.y, told, asked, LFDARecipe(), {}, task) < 0.95


@pytest.mark.slow
def test_vehicle_with_known_pairs(capsys):
    """Section 6.2 of "Heavy-Tailed Symmetric Stochastic Neighbor Embedding"."""
    assert experiments.run("hssne-vehicle") == 0, capsys.readouterr().out


@pytest.mark.parametrize("name", [None, 3, "nope", ["hssne-unsupervised"]])
def test_what_is_no_experiment_is_named(name):
    with pytest.raises(ValueError, match="name must be one of hssne-"):
        experiments.run(name)


def test_where_data_are_is_a_path():
    with pytest.raises(TypeError, match="data must be a path, got 3"):
        experiments.run("hssne-unsupervised", 3)
