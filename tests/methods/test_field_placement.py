"""New points on large maps: against the sums over all fitted points."""

from __future__ import annotations

import numpy as np
import pytest
from scipy import sparse
from scipy.spatial.distance import cdist

from nbembed.kernels import placement_field
from nbembed.kernels.placement import evaluate
from nbembed.methods import HSSNE, SNE, Mbed
from nbembed.methods import field_placement as module
from nbembed.methods.field_placement import MapField, place_on_field
from nbembed.methods.placement import TETHER, FittedData, RowCost, Rows, place
from nbembed.neighbors import search
from tests.kernels import reference
from tests.methods.helpers import quick


@pytest.fixture
def everywhere(monkeypatch):
    """Maps of few points have a field, too."""
    monkeypatch.setattr(module, "FIELD_FROM", 50)


@pytest.fixture
def clusters(rng):
    centers = rng.normal(size=(5, 6)) * 4
    label = rng.integers(0, 5, 400)
    return centers[label] + rng.normal(size=(400, 6)), label


@pytest.mark.parametrize("functions", [placement_field, reference])
@pytest.mark.parametrize("alpha", [0.0, 0.4, 1.0, 2.5])
def test_the_potential_is_the_logarithm_of_the_normalizer(rng, alpha, functions):
    Y = 3 * rng.normal(size=(70, 2))
    nodes = rng.uniform((-9, -40), (9, 8), (300, 2)).T
    V = functions.potentials(Y.T, nodes, 1.7, alpha, 2)
    for node, value in zip(nodes.T, V, strict=True):
        tau = 1.7 * np.square(Y - node).sum(axis=1)
        e = tau if alpha == 0 else np.log1p(alpha * tau) / alpha
        assert value == pytest.approx(np.logaddexp.reduce(-e), rel=1e-9)


@pytest.mark.parametrize("alpha", [0.0, 0.4, 1.0, 2.5])
@pytest.mark.parametrize("n_threads", [1, 2])
def test_at_the_nodes_of_a_mesh_the_grid_sums_it(rng, alpha, n_threads):
    Y = 2 * rng.normal(size=(600, 2)) + rng.choice([0, 40], (600, 1))
    nodes = rng.uniform(-20, 110, (2, 4000))
    V = module._log_normalizers(Y.T, nodes, 1.7, alpha, n_threads)
    np.testing.assert_allclose(V, placement_field.potentials(Y.T, nodes, 1.7, alpha, 1), atol=1e-3)
    assert (np.exp(V) < module.FAINT).any() == (alpha < 1)


def row_costs(P, Y, places, alpha):
    """f of each row, by the sums over all fitted points."""
    costs, gradients = np.empty(len(P)), np.empty_like(places)
    evaluate(
        np.ascontiguousarray(Y.T), P, np.empty((1, 0)), np.ones(len(P)), alpha, 1.0, TETHER, places,
        costs, gradients,
    )  # fmt: skip
    return costs, gradients


@pytest.mark.parametrize("alpha", [0.0, 0.5, 1.0, 2.0])
def test_places_are_those_of_all_sums(rng, everywhere, alpha):
    Y = np.concatenate([rng.normal(size=(60, 2)) + c for c in ((0, 0), (12, 3), (-5, 9))])
    X = np.c_[Y, rng.normal(size=len(Y))]
    new = X[::5] + 0.2 * rng.normal(size=(36, 3))
    cost = RowCost(alpha)
    field = MapField.of(Y, cost, 1)
    ((_, places),) = place_on_field(FittedData(X, "euclidean"), new, field, cost, 7.0, 1)
    # The same rows, over all points.
    D2 = cdist(new, X, "sqeuclidean")
    nearest = np.argsort(D2, axis=1)[:, :21]
    P = np.zeros_like(D2)
    kept = np.take_along_axis(D2, nearest, axis=1)
    made = module.calibrated_rows(np.sqrt(kept), 7.0, np.float64, 1)
    np.put_along_axis(P, nearest, made.P, axis=1)
    exact = place(Rows(P, None, made.beta), Y, cost, 1)
    at, best = (row_costs(P, Y, places, alpha)[0] for places in (places, exact))
    # Minima may be flat, or two of nearly the same cost: what counts is the cost.
    np.testing.assert_allclose(at, best, atol=2e-3)
    assert np.median(np.linalg.norm(places - exact, axis=1)) < 0.02


@pytest.mark.parametrize("alpha", [0.0, 1.0, 1.6])
def test_the_reference_agrees(rng, everywhere, alpha):
    Y = 4 * rng.normal(size=(80, 2))
    field = MapField.of(Y, RowCost(alpha), 1)
    index = rng.integers(0, 80, (9, 12))
    P = rng.dirichlet(np.ones(12), 9)
    starts = np.einsum("ij,ijk->ik", P, field.Y[index])[:, None]
    arguments = P, field.Y[index], field.field, 1.0, alpha, TETHER, starts, field.size, 1
    places = placement_field.descend_on_field(*arguments)
    expected = reference.descend_on_field(*arguments)
    full = np.zeros((9, 80))
    np.add.at(full, (np.arange(9)[:, None], index), P)
    # Where two minima cost the same, either may be found.
    costs = [row_costs(full, field.Y, y, alpha)[0] for y in (places, expected)]
    np.testing.assert_allclose(*costs, atol=1e-3)
    assert (np.abs(places - expected).max(axis=1) < 1e-4).sum() >= 7


def test_points_at_the_rim_are_placed_by_all_sums(rng, everywhere, monkeypatch):
    Y = rng.normal(size=(100, 2))
    X = np.c_[Y, np.zeros((100, 8))]
    cost = RowCost(1.0)
    plain = MapField.of(Y, cost, 1)
    fitted, new = FittedData(X, "euclidean"), X[:7] + 0.1
    ((_, expected),) = place_on_field(fitted, new, plain, cost, 5.0, 1)
    rim = np.arange(7) != 2
    made = []

    def noted(rows, *arguments):
        made.append(place(rows, *arguments))
        return made[-1]

    monkeypatch.setattr(MapField, "at_rim", lambda self, places: rim)
    monkeypatch.setattr(module, "AT_RIM", 4)
    monkeypatch.setattr(module, "place", noted)
    ((_, places),) = place_on_field(fitted, new, plain, cost, 5.0, 1)
    assert [len(part) for part in made] == [4, 2]
    np.testing.assert_array_equal(places[rim], np.concatenate(made))
    np.testing.assert_array_equal(places[~rim], expected[~rim])
    assert (places[rim] != expected[rim]).any(axis=1).all()
    np.testing.assert_allclose(places, expected, atol=0.05)


@pytest.mark.parametrize(
    ("kind", "options", "has_field"),
    [
        (HSSNE, {"alpha": 1.0}, True),
        (SNE, {}, True),
        (HSSNE, {"alpha": 1.0, "n_components": 3}, False),
        (Mbed, {"n_classes": 5}, False),
    ],
)
def test_large_maps_place_near_their_own_clusters(clusters, everywhere, kind, options, has_field):
    X, label = clusters
    model = quick(kind, **options).fit(X[:300])
    calls = []
    of = MapField.of.__func__

    def counted(cls, *arguments):
        calls.append(of(cls, *arguments))
        return calls[-1]

    module.MapField.of = classmethod(counted)
    try:
        places = model.transform(X)
        again = np.concatenate([model.transform(part) for part in (X[:310], X[310:330], X[330:])])
    finally:
        module.MapField.of = classmethod(of)
    assert any(made is not None for made in calls) == has_field
    assert len(calls) <= 1
    np.testing.assert_array_equal(places[:300], model.embedding_)
    np.testing.assert_array_equal(places, again)
    near = np.argmin(cdist(places[300:], model.embedding_), axis=1)
    assert (label[near] == label[300:]).mean() > 0.9


def test_which_maps_have_a_field(rng, everywhere, monkeypatch):
    Y = rng.normal(size=(60, 2))
    assert MapField.of(Y, RowCost(1.0)) is not None
    assert MapField.of(Y[:40], RowCost(1.0)) is None
    assert MapField.of(Y, RowCost(tradeoff=0.5)) is None
    assert MapField.of(Y, RowCost(precision=None)) is None
    assert MapField.of(rng.normal(size=(60, 3)), RowCost(1.0)) is None
    nodes = MapField.of(Y, RowCost(1.0)).field[3:5].prod()
    monkeypatch.setattr(module, "NODES", int(nodes))
    assert MapField.of(Y, RowCost(1.0)) is not None
    monkeypatch.setattr(module, "NODES", int(nodes) - 1)
    assert MapField.of(Y, RowCost(1.0)) is None


def test_a_map_with_much_empty_space_has_no_field(rng, everywhere, monkeypatch):
    Y = rng.normal(size=(60, 2)) + rng.choice([0, 40], (60, 1))
    summed = []
    potentials = module.potentials

    def counted(Yt, nodes, *arguments):
        summed.append(nodes.shape[1] * Yt.shape[1])
        return potentials(Yt, nodes, *arguments)

    monkeypatch.setattr(module, "potentials", counted)
    assert MapField.of(Y, RowCost(0.0)) is not None
    monkeypatch.setattr(module, "WORK", summed[0])
    assert MapField.of(Y, RowCost(0.0)) is not None
    monkeypatch.setattr(module, "WORK", summed[0] - 1)
    assert MapField.of(Y, RowCost(0.0)) is None
    assert MapField.of(Y, RowCost(1.0)) is not None


@pytest.mark.parametrize("store", [np.asarray, sparse.csr_array])
@pytest.mark.parametrize(("value", "message"), [(-1.0, "non-negative"), (1e200, "1e140")])
def test_given_dissimilarities_are_checked(rng, everywhere, store, value, message):
    X = rng.normal(size=(80, 3))
    D = cdist(X, X)
    model = quick(HSSNE, alpha=1.0, metric="precomputed", perplexity=5.0).fit(D[:60, :60])
    new = D[60:, :60].copy()
    new[-1, 7] = value
    with pytest.raises(ValueError, match=message):
        model.transform(store(new))


@pytest.mark.parametrize("store", [np.asarray, sparse.csr_array])
def test_given_dissimilarities_go_by_blocks(rng, everywhere, store, monkeypatch):
    X = rng.normal(size=(80, 3))
    D = cdist(X, X)
    model = quick(HSSNE, alpha=1.0, metric="precomputed", perplexity=5.0).fit(D[:60, :60])
    whole = model.transform(store(D[60:, :60]))
    rows = []
    real = search.k_smallest
    monkeypatch.setattr(search, "PAIRS", 4 * 60)
    monkeypatch.setattr(search, "k_smallest", lambda d, k: rows.append(len(d)) or real(d, k))
    np.testing.assert_array_equal(model.transform(store(D[60:, :60])), whole)
    assert rows == [4] * 5


def test_the_more_neighbors_the_fewer_points_at_a_time(rng, everywhere, monkeypatch):
    Y = rng.normal(size=(100, 2))
    cost = RowCost(1.0)
    field, fitted = MapField.of(Y, cost, 1), FittedData(Y, "euclidean")
    monkeypatch.setattr(module, "BLOCK", 300)
    monkeypatch.setattr(module, "LEAST", 8)
    for perplexity, step in ((5.0, 20), (20.0, 8)):
        made = place_on_field(fitted, Y[:45] + 0.1, field, cost, perplexity, 1)
        assert next(here.stop - here.start for here, _ in made) == step
