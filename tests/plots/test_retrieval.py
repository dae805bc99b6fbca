"""Retrieval curves against the plain definitions, pair by pair."""

from __future__ import annotations

import numpy as np
import pytest
from bokeh.models import Legend
from scipy.spatial.distance import cdist

from nbembed import plots
from nbembed.measures import nearest_neighbors


@pytest.fixture
def data(rng):
    X = rng.normal(size=(40, 5))
    return X, X[:, :2] + 0.1 * rng.normal(size=(40, 2))


def ranks(X):
    """Return the rank of j among the neighbors of i, from 1; 0 on the diagonal."""
    D = cdist(X, X)
    np.fill_diagonal(D, -1)
    return D.argsort(axis=1).argsort(axis=1)


def lines(figure):
    return [r.data_source.data for r in figure.renderers]


def test_precision_and_recall_are_their_definitions(data):
    X, Y = data
    (curve,) = lines(plots.retrieval_curve(X, {"map": Y}, k=7))
    inside, outside = ranks(X), ranks(Y)
    for r, precision, recall in zip(curve["retrieved"], curve["precision"], curve["recall"]):
        hits = ((inside >= 1) & (inside <= 7) & (outside >= 1) & (outside <= r)).sum(axis=1)
        assert precision == pytest.approx(np.mean(hits / r))
        assert recall == pytest.approx(np.mean(hits / 7))
    assert (curve["retrieved"][0], curve["retrieved"][-1]) == (1, 39)
    assert curve["recall"][-1] == pytest.approx(1)


def test_the_data_themselves_are_retrieved_in_full(data):
    X, _ = data
    (curve,) = lines(plots.retrieval_curve(X, {"itself": X}, k=5, most=10))
    near = curve["retrieved"] <= 5
    assert curve["precision"][near] == pytest.approx(1)
    assert curve["recall"][~near] == pytest.approx(1)
    assert curve["retrieved"][-1] == 10


def test_neighbors_may_be_given_instead_of_the_data(data):
    X, Y = data
    known = nearest_neighbors(X, 9)
    given = lines(plots.retrieval_curve(None, {"map": Y}, k=5, neighbors=known))[0]
    found = lines(plots.retrieval_curve(X, {"map": Y}, k=5))[0]
    assert np.array_equal(given["precision"], found["precision"])


def test_rnx_is_its_definition(data):
    X, Y = data
    figure = plots.rnx_curve(X, {"map": Y})
    (curve,) = lines(figure)
    inside, outside = ranks(X), ranks(Y)
    n = 40
    every = []
    for k in range(1, n - 1):
        both = ((inside >= 1) & (inside <= k) & (outside >= 1) & (outside <= k)).sum()
        share = both / (k * n)
        every.append(((n - 1) * share - k) / (n - 1 - k))
    assert curve["kept"] == pytest.approx(np.array(every)[curve["k"] - 1])
    k = np.arange(1, n - 1)
    area = np.sum(every / k) / np.sum(1 / k)
    assert figure.select_one(Legend).items[0].label.value == f"map ({area:.3f})"


def test_a_perfect_map_and_a_random_one(rng):
    X = rng.normal(size=(200, 3))
    perfect, chance = lines(plots.rnx_curve(X, {"X": X, "noise": rng.normal(size=(200, 2))}))
    assert perfect["kept"] == pytest.approx(1)
    assert np.abs(chance["kept"]).max() < 0.1


@pytest.mark.parametrize(
    ("arguments", "message"),
    [
        ({"k": 0}, "k must be at least 1"),
        ({"k": 40}, r"k must be in \[1, 39\]"),
        ({"most": 40}, r"most must be in \[1, 39\]"),
        ({"X": None}, "X must be the data"),
        ({"X": np.eye(3)}, "layouts must be of the 3 points of X"),
        ({"neighbors": np.zeros((40, 1), dtype=int)}, "neighbors must have shape"),
        ({"neighbors": np.full((40, 5), 77)}, r"neighbors must be indices in \[0, 40\), got 77"),
        ({"width": 3}, "width must be at least 100"),
    ],
)
def test_bad_input_is_named(data, arguments, message):
    X, Y = data
    with pytest.raises(ValueError, match=message):
        plots.retrieval_curve(**{"X": X,
                                 "layouts": {"map": Y}, "k": 2, **arguments})  # fmt: skip


def test_bad_input_of_rnx_is_named(data):
    X, Y = data
    with pytest.raises(ValueError, match="at least 4 points"):
        plots.rnx_curve(X[:3], {"map": Y[:3]})
    with pytest.raises(ValueError, match="layouts must be of the 40 points"):
        plots.rnx_curve(X, {"map": Y[:5]})


@pytest.mark.parametrize("X", [None, "abc", 3.0, np.ones((40, 2, 2)), [[1, 2], [3]]])
def test_what_is_no_data_is_named(X):
    layouts = {"one": np.random.default_rng(0).normal(size=(40, 2))}
    with pytest.raises(ValueError, match="X must"):
        plots.retrieval_curve(X, layouts)
    with pytest.raises(ValueError, match="X must"):
        plots.rnx_curve(X, layouts)
