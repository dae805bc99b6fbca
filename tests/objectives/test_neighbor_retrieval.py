from __future__ import annotations

import numpy as np
import pytest
from scipy import sparse
from sklearn.datasets import load_iris
from sklearn.metrics import pairwise_distances

from nbembed.affinities import Affinities, perplexity_affinities
from nbembed.kernels.log_rows import rewrite_links
from nbembed.objectives import SNE, NeighborRetrieval
from nbembed.objectives.neighbor_retrieval import FLOOR
from nbembed.supervision import Supervision

TRADEOFFS = [0.0, 0.1, 1.0]


def squared_distances(Y):
    return np.square(Y[:, None] - Y[None]).sum(axis=2)


def definition(P, Y, t, w, floor=FLOOR):
    """Return t Σ KL(p‖q) + (1 − t) Σ KL(q‖p) as it reads; log p is ``floor``'s where p is zero."""
    log_q = -w[:, None] * squared_distances(Y)
    np.fill_diagonal(log_q, -np.inf)
    log_q -= np.logaddexp.reduce(log_q, axis=1, keepdims=True)
    others = ~np.eye(len(P), dtype=bool)
    p, log_q = P[others], log_q[others]
    log_p = np.log(np.where(p > 0, p, floor))
    recall = np.sum((p * (log_p - log_q))[p > 0])
    return float(t * recall + (1 - t) * np.sum(np.exp(log_q) * (log_q - log_p)))


@pytest.fixture
def widths(rows, rng):
    return np.exp(rng.normal(size=len(rows)))


@pytest.mark.parametrize("t", TRADEOFFS)
@pytest.mark.parametrize("d", [1, 2, 3, 5])
def test_cost_and_gradient_without_supervision(rows, widths, rng, central_differences, d, t):
    Y = rng.normal(size=(len(rows), d))
    objective = NeighborRetrieval(rows, t, width=widths)

    cost, gradient = objective.cost_and_gradient(Y)

    assert cost == pytest.approx(definition(rows, Y, t, widths), rel=1e-9)
    expected = central_differences(objective, Y)
    assert np.abs(gradient - expected).max() < 1e-6 * np.abs(expected).max()


@pytest.mark.parametrize("rho", [0.0, 0.5, 1.0])
@pytest.mark.parametrize("form", ["dense", "sparse"])
def test_cost_and_gradient_with_supervision(
    rows, widths, rng, central_differences, supervision, linked_weights, repulsion, rho, form
):
    """p̃_i = (1 − ρ) p_i + ρ u_i / s_i for linked points, and no affinity across cannot-links."""
    t = 0.3
    Y = rng.normal(size=(len(rows), 2))
    if form == "sparse":
        rows = np.where(rows > np.quantile(rows, 0.5), rows, 0)
        rows /= rows.sum(axis=1, keepdims=True)
    u = linked_weights(supervision, True)
    P = rows.copy()
    for a, b in () if supervision is None else supervision.cannot_links:
        P[np.ix_(a, b)] = P[np.ix_(b, a)] = 0
    P /= P.sum(axis=1, keepdims=True)
    linked = u.sum(axis=1) > 0
    share = min(rho, 1 - FLOOR)
    P[linked] = (1 - share) * P[linked] + share * u[linked] / u[linked].sum(axis=1, keepdims=True)
    given = sparse.csr_array(rows) if form == "sparse" else rows
    objective = NeighborRetrieval(
        given, t, width=widths, supervision=supervision, rho=rho, link_form="uniform"
    )

    cost, gradient = objective.cost_and_gradient(Y)

    unit = np.exp(np.log(widths).mean())
    apart = rho * repulsion(supervision, unit * squared_distances(Y))
    assert cost == pytest.approx(definition(P, Y, t, widths) + apart, rel=1e-7)
    expected = central_differences(objective, Y)
    assert np.abs(gradient - expected).max() < 1e-6 * np.abs(expected).max()


@pytest.mark.parametrize("form", [np.asarray, sparse.csr_array])
def test_recall_alone_is_sne(rows, rng, supervision, form):
    Y = rng.normal(size=(len(rows), 2))
    P = np.where(rows > np.quantile(rows, 0.5), rows, 0)
    P /= P.sum(axis=1, keepdims=True)
    for dtype, tolerance in ((np.float64, 1e-7), (np.float32, 1e-5)):
        sne = SNE(form(P.astype(dtype)), supervision=supervision, rho=0.5).evaluate(Y)
        seen = NeighborRetrieval(
            form(P.astype(dtype)), 1.0, width="uniform", supervision=supervision, rho=0.5
        ).evaluate(Y)
        assert seen.cost == pytest.approx(sne.cost, rel=tolerance)
        np.testing.assert_allclose(seen.gradient, sne.gradient, atol=tolerance)
        np.testing.assert_allclose(seen.curvature, sne.curvature, rtol=1e-5)


def test_exact_logarithms_of_what_underflows():
    """37 % of iris' p are below 2e-16, and their logarithms enter all the same."""
    X = load_iris().data
    Y = 3 * np.random.default_rng(0).normal(size=(150, 2))
    affinities = perplexity_affinities(X, 30, dtype=np.float64)
    assert np.mean(affinities.P < 2e-16) == pytest.approx(0.37, abs=0.02)
    beta = affinities.beta
    D2 = pairwise_distances(X, metric="sqeuclidean")
    log_p = -beta[:, None] * D2
    np.fill_diagonal(log_p, -np.inf)
    log_p -= np.logaddexp.reduce(log_p, axis=1, keepdims=True)
    log_q = -beta[:, None] * squared_distances(Y)
    np.fill_diagonal(log_q, -np.inf)
    log_q -= np.logaddexp.reduce(log_q, axis=1, keepdims=True)
    others = ~np.eye(150, dtype=bool)
    log_p, log_q = log_p[others], log_q[others]
    expected = np.sum((0.9 * np.exp(log_q) - 0.1 * np.exp(log_p)) * (log_q - log_p))
    for kind in ("row", "joint"):
        for dtype, tolerance in ((np.float64, 1e-10), (np.float32, 1e-5)):
            affinities = perplexity_affinities(X, 30, dtype=dtype)
            given = affinities if kind == "row" else affinities.joint()
            assert NeighborRetrieval(given, 0.1).cost(Y) == pytest.approx(expected, rel=tolerance)


def test_widening_is_a_larger_neighborhood_on_both_sides(rng, central_differences):
    X = rng.normal(size=(12, 4))
    Y = rng.normal(size=(12, 2))
    affinities = perplexity_affinities(X, 4, dtype=np.float64)
    objective = NeighborRetrieval(affinities, 0.3, widening=3.0)
    P = np.exp(-affinities.beta[:, None] / 9 * pairwise_distances(X, metric="sqeuclidean"))
    np.fill_diagonal(P, 0)
    P /= P.sum(axis=1, keepdims=True)
    assert objective.cost(Y) == pytest.approx(definition(P, Y, 0.3, affinities.beta / 9), rel=1e-9)
    expected = central_differences(objective, Y)
    assert np.abs(objective.gradient(Y) - expected).max() < 1e-6 * np.abs(expected).max()
    assert objective.length_scale == pytest.approx(
        3 * objective.with_parameters(widening=1.0).length_scale
    )


def test_widening_of_sparse_affinities(rows, rng):
    P = np.where(rows > np.quantile(rows, 0.6), rows, 0)
    P /= P.sum(axis=1, keepdims=True)
    Y = rng.normal(size=(len(P), 2))
    wide = np.where(P > 0, P ** (1 / 16), 0)
    wide /= wide.sum(axis=1, keepdims=True)
    objective = NeighborRetrieval(sparse.csr_array(P), 0.3, width="uniform", widening=4.0)
    expected = definition(wide, Y, 0.3, np.full(len(P), 1 / 16))
    assert objective.cost(Y) == pytest.approx(expected, rel=1e-9)


@pytest.mark.parametrize("widening", [0.2, 0.05, 0.01])
def test_narrowing_of_sparse_affinities(rows, rng, supervision, widening):
    """Their powers underflow, their logarithms must not."""
    P = np.where(rows > np.quantile(rows, 0.6), rows, 0)
    P /= P.sum(axis=1, keepdims=True)
    Y = widening * rng.normal(size=(len(P), 2))
    options = {"width": "uniform", "widening": widening, "supervision": supervision}
    dense, few = (NeighborRetrieval(f(P), 0.3, **options) for f in (np.asarray, sparse.csr_array))
    assert few.cost(Y) == pytest.approx(dense.cost(Y), rel=1e-12)
    expected = dense.gradient(Y)
    assert np.abs(few.gradient(Y) - expected).max() < 1e-11 * np.abs(expected).max()


def test_sparse_affinities_mean_the_same(rows, widths, rng, supervision):
    P = np.where(rows > np.quantile(rows, 0.6), rows, 0)
    P /= P.sum(axis=1, keepdims=True)
    Y = rng.normal(size=(len(P), 2))
    dense, thin = (
        NeighborRetrieval(stored, 0.2, width=widths, supervision=supervision).evaluate(Y)
        for stored in (P, sparse.csr_array(P))
    )
    assert thin.cost == pytest.approx(dense.cost, rel=1e-12)
    np.testing.assert_allclose(thin.gradient, dense.gradient, atol=1e-11)
    np.testing.assert_allclose(thin.curvature, dense.curvature, rtol=1e-12)


def test_points_far_apart_are_exact(rows, central_differences):
    Y = 40 * np.arange(2 * len(rows), dtype=float).reshape(-1, 2) ** 1.1
    objective = NeighborRetrieval(rows, 0.3, width="uniform")
    expected = definition(rows, Y, 0.3, np.ones(len(rows)))
    assert objective.cost(Y) == pytest.approx(expected, rel=1e-9)
    numeric = central_differences(objective, Y)
    assert np.abs(objective.gradient(Y) - numeric).max() < 1e-6 * np.abs(numeric).max()


def test_logarithms_are_made_once(rng, monkeypatch):
    """A live session makes a new objective at every move of a slider."""
    affinities = perplexity_affinities(rng.normal(size=(20, 3)), 5)
    Y = rng.normal(size=(20, 2))
    first = NeighborRetrieval(affinities, 0.1)
    first.cost(Y)

    def fail(*_):
        raise AssertionError("made again")

    monkeypatch.setattr("nbembed.objectives.log_affinities.packed_log_rows", fail)
    monkeypatch.setattr(Affinities, "_log_rows", fail)
    assert np.isfinite(NeighborRetrieval(affinities, 0.9).cost(Y))
    with pytest.raises(AssertionError, match="made again"):
        NeighborRetrieval(affinities, 0.9, widening=2.0).cost(Y)


def test_objectives_of_the_same_affinities_do_not_undo_each_other_s_work(rng, monkeypatch):
    affinities = perplexity_affinities(rng.normal(size=(20, 3)), 5)
    Y = rng.normal(size=(20, 2))
    one = NeighborRetrieval(affinities, 0.1)
    other = one.with_parameters(widening=3.0)
    costs = one.cost(Y), other.cost(Y)
    assert costs[0] != costs[1]

    def fail(*_):
        raise AssertionError("made again")

    monkeypatch.setattr("nbembed.objectives.log_affinities.packed_log_rows", fail)
    assert (one.cost(Y), other.cost(Y)) == costs
    assert np.isfinite(one.with_parameters(tradeoff=0.9).cost(Y))


def test_an_interrupt_leaves_other_objectives_right(rng, monkeypatch):
    """Objectives that differ in ρ share one matrix, which a stopped evaluation has rewritten."""
    told = Supervision(20).label(range(6), "a").must_link([7, 8])
    affinities = perplexity_affinities(rng.normal(size=(20, 3)), 5)
    Y = rng.normal(size=(20, 2))
    objective = NeighborRetrieval(affinities, 0.3, supervision=told, rho=0.5)
    cost = objective.cost(Y)

    def stop(*arguments, **keywords):
        rewrite_links(*arguments, **keywords)
        raise KeyboardInterrupt

    other = objective.with_parameters(rho=0.9)
    with monkeypatch.context() as patched:
        patched.setattr("nbembed.objectives.log_affinities.rewrite_links", stop)
        with pytest.raises(KeyboardInterrupt):
            other.cost(Y)
    assert objective.cost(Y) == cost


@pytest.mark.parametrize("form", [np.asarray, sparse.csr_array])
def test_a_point_without_allowed_neighbors_gets_the_rest(rows, form):
    n = len(rows)
    P = rows.copy()
    P[0] = 0
    P[0, 1] = 1
    Y = np.random.default_rng(0).normal(size=(n, 2))
    told = Supervision(n).cannot_link([0], [1])
    seen = NeighborRetrieval(form(P), 1.0, width="uniform", supervision=told).evaluate(Y)
    sne = SNE(P, supervision=told).evaluate(Y)
    assert seen.cost == pytest.approx(sne.cost, rel=1e-12)
    np.testing.assert_allclose(seen.gradient, sne.gradient, atol=1e-12)


def test_a_point_that_may_be_near_nobody(rows):
    told = Supervision(len(rows)).cannot_link([0], range(1, len(rows)))
    with pytest.raises(ValueError, match="cannot-links separate point 0"):
        NeighborRetrieval(rows, width="uniform", supervision=told)


@pytest.mark.parametrize(
    ("arguments", "error", "says"),
    [
        ({"tradeoff": 1.5}, ValueError, "tradeoff"),
        ({"tradeoff": np.nan}, ValueError, "tradeoff"),
        ({"tradeoff": "some"}, TypeError, "tradeoff"),
        ({"rho": 2}, ValueError, "rho"),
        ({"widening": 0.0}, ValueError, "widening"),
        ({"widening": 1e-200}, ValueError, "widening"),
        ({"widening": 1e200}, ValueError, "widening"),
        ({"width": np.full(14, 1e301)}, ValueError, "width"),
        ({"width": np.full(14, 1e290), "widening": 1e-6}, ValueError, "width"),
        ({"floor": 0.0}, ValueError, "floor"),
        ({"width": "point"}, ValueError, "width"),
        ({"width": "wide"}, ValueError, "width"),
        ({"width": np.ones(3)}, ValueError, "width"),
        ({"width": np.zeros(14)}, ValueError, "width"),
        ({"width": np.full(14, np.inf)}, ValueError, "width"),
        ({"n_jobs": 0}, ValueError, "n_jobs"),
        ({"supervision": Supervision(3)}, ValueError, "supervision"),
    ],
)
def test_bad_arguments_are_refused(rows, arguments, error, says):
    with pytest.raises(error, match=says):
        NeighborRetrieval(rows, **{"width": "uniform", **arguments})


def test_widths_that_overflow_in_float32_are_refused(rng):
    """Points 1e-20 apart have precisions of 1e40."""
    affinities = perplexity_affinities(1e-20 * rng.normal(size=(20, 3)), 5)
    with pytest.raises(ValueError, match=r"width .* float32"):
        NeighborRetrieval(affinities)
    objective = NeighborRetrieval(affinities, width="uniform")
    with pytest.raises(ValueError, match="widening"):
        objective.with_parameters(widening=1e-7)


def test_unknown_parameters_are_refused(rows):
    with pytest.raises(TypeError, match="alpha"):
        NeighborRetrieval(rows, width="uniform").with_parameters(alpha=1)
    with pytest.raises(ValueError, match="tradeoff"):
        NeighborRetrieval(rows, width="uniform").with_parameters(tradeoff=-1)
    with pytest.raises(ValueError, match="Y must have shape"):
        NeighborRetrieval(rows, width="uniform").cost(np.zeros((3, 2)))
