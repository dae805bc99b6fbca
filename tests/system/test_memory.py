"""Memory: how much there is, and the refusal of what would take more."""

from __future__ import annotations

import re

import numpy as np
import pytest
from sklearn.base import clone

import nbembed as nb
from nbembed.affinities import global_affinities, perplexity_affinities
from nbembed.neighbors import nearest_neighbors
from nbembed.system import memory
from nbembed.system.memory import check_memory, in_bytes, memory_limit


def test_there_is_some_and_no_more_than_a_container_allows(tmp_path, monkeypatch):
    whole = memory_limit()
    assert whole is not None
    assert 2**28 < whole < 2**50
    limit = tmp_path / "memory.max"
    monkeypatch.setattr(memory, "LIMITS", (tmp_path / "nothing", limit))
    limit.write_text("max\n")
    assert memory_limit() >= whole
    limit.write_text("123456\n")
    assert memory_limit() == 123456


def test_what_is_larger_is_refused_with_its_bytes(monkeypatch):
    monkeypatch.setattr(memory, "memory_limit", lambda: 24 * 10**9)
    check_memory(24e9, "it", "less=True")
    message = "pairs would take 196 GB of memory, but this machine has 24 GB; use"
    with pytest.raises(ValueError, match=re.escape(message) + " less=True"):
        check_memory(196e9, "pairs", "less=True")
    monkeypatch.setattr(memory, "memory_limit", lambda: None)
    check_memory(1e30, "it", "less=True")


@pytest.mark.parametrize(
    ("number", "words"),
    [(0, "0 bytes"), (999, "999 bytes"), (1000, "1 kB"), (19.6e9, "19.6 GB"), (1e21, "1e+03 EB")],
)
def test_bytes_in_words(number, words):
    assert in_bytes(number) == words


@pytest.fixture
def little(monkeypatch):
    """A machine of 100 kB."""
    monkeypatch.setattr(memory, "memory_limit", lambda: 100_000)


X = np.random.default_rng(0).standard_normal((300, 4))
Y = np.arange(300) % 3


@pytest.mark.parametrize(
    ("work", "message"),
    [
        (
            lambda: perplexity_affinities(X, 30),
            "affinities of all 300 × 300 pairs would take 360 kB of memory, but this machine "
            'has 100 kB; use n_neighbors=... .* algorithm="grid"',
        ),
        (
            lambda: perplexity_affinities(X, 30, n_neighbors=90),
            "affinities of 300 × 90 neighbors would take 864 kB .* a smaller n_neighbors",
        ),
        (
            lambda: perplexity_affinities(X, 30, n_neighbors=90, dtype=np.float64),
            "affinities of 300 × 90 neighbors would take 1.3 MB",  # of the joint form
        ),
        (
            lambda: nb.HSSNE(algorithm="grid", perplexity=50).fit(X),
            "affinities of 300 × 150 neighbors would .* a smaller perplexity where it follows",
        ),
        (lambda: nb.SNE().fit(X), "affinities of all 300 × 300 pairs would take 360 kB"),
        (
            lambda: nb.spectral.KPCATrick().fit(X, Y),
            "the kernel of all 300 × 300 pairs, with its eigenvectors, would take 3.6 MB of memory,"
            " but this machine has 100 kB; use n_landmarks=299",
        ),
        (
            lambda: nb.spectral.KPCATrick(n_landmarks=20).fit(X, Y),
            "the coordinates of 300 points by 20 landmarks would take 112 kB .* a smaller n_landm",
        ),
        (
            lambda: nb.Mbed().fit(X, Y),
            "one width for all points, which needs all 300 × 300 pairs, would take 720 kB .* "
            'use a width for each point, affinity="perplexity" of Mbed',
        ),
        (
            lambda: nb.Mbed(directions="centers").fit(X, Y),
            "affinities of all 300 × 300 pairs, kept in 2 forms, would take 720 kB .* "
            'algorithm="auto" or "grid", which take affinities of nearest neighbors',
        ),
        (
            lambda: nb.Mbed(algorithm="grid", perplexity=50).fit(X, Y),
            "affinities of 300 × 150 neighbors would .* a smaller perplexity where it follows",
        ),
        (lambda: global_affinities(X, 3), "one width for all points"),
        (
            lambda: nb.propagation.neighbor_affinities(X),
            "affinities of 300 × 30 neighbors would take 432 kB",
        ),
    ],
    ids=[
        "all pairs",
        "neighbors",
        "neighbors in double precision",
        "neighbors of HSSNE",
        "SNE",
        "kernel",
        "landmarks",
        "Mbed",
        "centers",
        "neighbors of Mbed",
        "width",
        "propagation",
    ],
)
def test_methods_refuse_before_they_work(little, work, message):
    with pytest.raises(ValueError, match=message):
        work()


def test_principal_coordinates_are_refused(little, monkeypatch):
    monkeypatch.setattr("nbembed.spectral.subspace.ALL", 3)
    monkeypatch.setattr("nbembed.spectral.subspace.LEADING", 40)
    with pytest.raises(ValueError, match=r"12 principal coordinates .* 134 kB .* a smaller n_pca"):
        nb.spectral.FDA().fit(np.tile(X, 3), Y)


def test_distances_of_a_learned_metric_are_refused(monkeypatch):
    metric = nb.LearningMetric(3, width=1.0, cv=None, max_iter=2, random_state=0).fit(X, Y)
    longer = clone(metric).set_params(shortest_paths=True).fit(X, Y)
    monkeypatch.setattr("nbembed.system.memory.memory_limit", lambda: 100_000)
    with pytest.raises(ValueError, match=r"distances of 300 × 300 pairs would take 1.8 MB"):
        metric.pairwise(X)
    assert metric.pairwise(X[:50]).shape == (50, 50)
    found = nearest_neighbors(X, 3, metric)
    assert found.shape == (300, 3)
    with pytest.raises(ValueError, match="shortest paths over 300 points would take 720 kB"):
        nearest_neighbors(X, 3, longer)


def test_a_joint_form_needs_as_much_again(monkeypatch):
    made = perplexity_affinities(X, 30)
    sparse = perplexity_affinities(X, 10, n_neighbors=30)
    monkeypatch.setattr(memory, "memory_limit", lambda: 500_000)
    with pytest.raises(ValueError, match=r"300 × 300 pairs, beside the rows .* would take 720 kB"):
        made.joint()
    assert sparse.joint().form == "joint"
