"""What a slider costs: from a change of parameters to the next layout, one pass over pairs."""

from __future__ import annotations

from collections import Counter
from concurrent.futures import ThreadPoolExecutor

import numpy as np
import pytest
from scipy import sparse

from nbembed.affinities import Affinities, perplexity_affinities
from nbembed.objectives import SNE, HeavyTailed, LargeMargin, NeighborRetrieval, simplex
from nbembed.optimizers import ConjugateGradient, FixedPoint, MomentumGradient
from nbembed.run import Run
from nbembed.supervision import Supervision

#: Functions that visit all pairs, or all entries of P, where the objectives find them.
PASSES = [
    "nbembed.objectives.heavy_tailed.heavy_tailed",
    "nbembed.objectives.neighbor_retrieval.neighbor_retrieval",
    "nbembed.objectives.log_affinities.packed_log_rows",
    "nbembed.objectives.log_affinities._dense",
    "nbembed.objectives.log_affinities._sparse",
    "nbembed.objectives.log_affinities._without",
    "nbembed.objectives.supervised_affinities.gaussian_rows",
    "nbembed.objectives.supervised_affinities.packed",
    "nbembed.objectives.linked.unlinked_sums",
    "nbembed.objectives.supervised_affinities._both_halves",
    "nbembed.objectives.supervised_affinities._sums",
    "nbembed.objectives.supervised_affinities.without_cannot_links",
    "nbembed.objectives.supervised_affinities.row_sums",
    "nbembed.objectives.linked.row_sums",
    "nbembed.affinities.value.check_matrix",
]
N = 60
TOLD = Supervision(N).label(range(8), "a").label(range(20, 25), "b").must_link([30, 31, 40])
APART = TOLD.cannot_link([1, 2], [50])


@pytest.fixture
def passes(monkeypatch):
    """Return a counter of the passes over pairs, by name."""
    counted: Counter[str] = Counter()

    def counting(name, function):
        def call(*arguments, **keywords):
            counted[name] += 1
            return function(*arguments, **keywords)

        return call

    import importlib

    for path in PASSES:
        module, name = path.rsplit(".", 1)
        function = getattr(importlib.import_module(module), name)
        monkeypatch.setattr(path, counting(name, function))
    logs = Affinities._log_rows
    monkeypatch.setattr(Affinities, "_log_rows", counting("_log_rows", logs))
    return counted


@pytest.fixture(scope="module")
def affinities():
    return perplexity_affinities(np.random.default_rng(0).normal(size=(N, 4)), 10)


SLIDERS = [
    (lambda a, s: HeavyTailed(a, 1.0, supervision=s), {"alpha": 0.5}, "heavy_tailed"),
    (lambda a, s: HeavyTailed(a, 1.0, supervision=s), {"rho": 0.8}, "heavy_tailed"),
    (lambda a, s: SNE(a, supervision=s), {"rho": 0.8}, "gaussian_rows"),
    (lambda a, s: NeighborRetrieval(a, supervision=s), {"tradeoff": 0.7}, "neighbor_retrieval"),
    (lambda a, s: NeighborRetrieval(a, supervision=s), {"rho": 0.8}, "neighbor_retrieval"),
    (lambda a, s: LargeMargin(a, 1.0, simplex(3)[:, :2], s), {"rho": 0.8}, "gaussian_rows"),
]
NAMES = ["HSSNE alpha", "HSSNE rho", "SNE rho", "NeRV tradeoff", "NeRV rho", "Mbed rho"]


@pytest.mark.parametrize("supervision", [None, TOLD, APART], ids=["bare", "links", "cannot"])
@pytest.mark.parametrize("optimizer", [MomentumGradient(), FixedPoint()], ids=repr)
@pytest.mark.parametrize(("make", "change", "kernel"), SLIDERS, ids=NAMES)
def test_a_slider_costs_one_pass_to_the_next_layout(
    affinities, passes, supervision, optimizer, make, change, kernel
):
    Y = np.random.default_rng(1).normal(size=(N, 2))
    run = Run(make(affinities, supervision), optimizer, Y).step(3)
    before = run.embedding
    passes.clear()
    run.change(run.objective.with_parameters(**change))
    assert not passes, "making the objective costs nothing"
    run.step()
    assert passes == {kernel: 1}
    assert not np.array_equal(run.embedding, before)
    run.change(run.objective.with_parameters(**change)).step()
    assert passes == {kernel: 2}


@pytest.mark.parametrize("form", ["dense", "sparse"])
@pytest.mark.parametrize("make", [NeighborRetrieval, SNE, HeavyTailed])
def test_the_cost_at_another_share_of_links_needs_no_other_pass(passes, make, form):
    """The entropy of the mixture is known from its parts."""
    P = np.random.default_rng(0).random((N, N)) + 0.01
    P += P.T
    np.fill_diagonal(P, 0)
    P /= P.sum() if make is HeavyTailed else P.sum(axis=1, keepdims=True)
    P = sparse.csr_array(P) if form == "sparse" else P
    width = {"width": "uniform"} if make is NeighborRetrieval else {}
    Y = np.random.default_rng(1).normal(size=(N, 2))
    objective = make(P, supervision=TOLD, **width)
    objective.cost(Y)
    passes.clear()
    changed = objective.with_parameters(rho=0.8)
    cost = changed.cost(Y)
    assert len(passes) == passes.total() == 1, passes
    fresh = make(P, supervision=TOLD, rho=0.8, **width)
    assert cost == pytest.approx(fresh.cost(Y), rel=1e-12)
    np.testing.assert_allclose(changed.gradient(Y), fresh.gradient(Y), rtol=1e-12, atol=1e-14)


@pytest.mark.parametrize("form", ["dense", "sparse"])
def test_objectives_that_share_logarithms_keep_their_own_share_of_links(affinities, form):
    P = np.where(affinities.P > 0.01, affinities.P, 0).astype(np.float64)
    P /= P.sum(axis=1, keepdims=True)
    P = sparse.csr_array(P) if form == "sparse" else P
    Y = np.random.default_rng(1).normal(size=(N, 2))
    first = NeighborRetrieval(P, supervision=APART, width="uniform", rho=0.0)
    objectives = {rho: first.with_parameters(rho=rho) for rho in (0.0, 0.3, 1.0)}
    alone = {
        rho: NeighborRetrieval(P.copy(), supervision=APART, width="uniform", rho=rho).evaluate(Y)
        for rho in objectives
    }
    with ThreadPoolExecutor(4) as pool:
        order = [*objectives] * 20
        for rho, seen in zip(order, pool.map(lambda rho: objectives[rho].evaluate(Y), order)):
            assert seen.cost == alone[rho].cost
            np.testing.assert_array_equal(seen.gradient, alone[rho].gradient)
            np.testing.assert_array_equal(seen.curvature, alone[rho].curvature)


@pytest.mark.parametrize("supervision", [TOLD, APART], ids=["links", "cannot"])
def test_a_margin_s_width_costs_what_its_line_search_takes(affinities, passes, supervision):
    objective = LargeMargin(affinities, 1.0, simplex(3)[:, :2], supervision)
    run = Run(objective, ConjugateGradient(), np.random.default_rng(1).normal(size=(N, 2))).step(5)
    layout = run.embedding
    passes.clear()
    other = run.objective.with_parameters(lam=0.5)
    seen = other.evaluate(layout)
    assert not passes, "the terms of SNE at a layout do not depend on the margin"
    fresh = LargeMargin(affinities, 0.5, simplex(3)[:, :2], supervision).evaluate(layout)
    assert seen.cost == fresh.cost
    np.testing.assert_array_equal(seen.gradient, fresh.gradient)
    np.testing.assert_array_equal(seen.curvature, fresh.curvature)
    passes.clear()
    run.change(run.objective.with_parameters(lam=0.4)).step()
    trials = passes["gaussian_rows"]
    assert passes == {"gaussian_rows": trials}
    assert 1 <= trials <= 5


def test_terms_are_those_of_the_present_numbers_of_a_layout(affinities):
    """A caller may write to an array that was evaluated before."""
    objective = LargeMargin(affinities, 1.0, simplex(3)[:, :2], TOLD)
    Y = np.random.default_rng(1).normal(size=(N, 2)).astype(np.float32)
    first = objective.cost(Y)
    Y[0] += 1
    assert objective.cost(Y) != first
    assert objective.cost(Y) == LargeMargin(affinities, 1.0, simplex(3)[:, :2], TOLD).cost(Y)
    assert np.isnan(objective.evaluate(Y, cost=False).cost)


def test_objectives_of_the_same_affinities_share_what_is_made_of_them(affinities, passes):
    Y = np.random.default_rng(1).normal(size=(N, 2))
    SNE(affinities).cost(Y)
    passes.clear()
    SNE(affinities, supervision=TOLD).gradient(Y)
    LargeMargin(affinities, 1.0, simplex(3)[:, :2]).gradient(Y)
    assert passes == {"without_cannot_links": 2, "gaussian_rows": 2}, "there are no cannot-links"
