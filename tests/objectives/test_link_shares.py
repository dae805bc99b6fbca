"""Groups in neighbor probabilities, held to P̃ written out pair by pair."""

from __future__ import annotations

import numpy as np
import pytest
from scipy import sparse
from scipy.special import xlogy

from nbembed.affinities import Affinities, perplexity_affinities
from nbembed.objectives import (
    SNE,
    HeavyTailed,
    LargeMargin,
    NeighborRetrieval,
    simplex,
)
from nbembed.objectives.link_shares import LinkShares
from nbembed.objectives.own_affinities import OwnAffinities
from nbembed.objectives.similarity import Similarity
from nbembed.supervision import Supervision
from tests.objectives.mixtures import joint_mixture, perplexity, row_mixture

FORMS = ["structured", "uniform"]
RHOS = (0.0, 0.4, 1.0)


def squared_distances(Y):
    return np.square(Y[:, None] - Y[None]).sum(axis=2)


def cannot(supervision, tau, rho, repulsion):
    return rho * repulsion(supervision, tau)


@pytest.fixture(params=["dense", "sparse"])
def given(request):
    """Return a function that stores P dense or sparse."""
    return sparse.csr_array if request.param == "sparse" else np.asarray


@pytest.fixture
def thin(joint):
    """Return a joint P in which many pairs have no affinity."""
    P = np.where(joint > np.quantile(joint, 0.5), joint, 0)
    return P / P.sum()


@pytest.mark.parametrize("links", FORMS)
@pytest.mark.parametrize("alpha", [0.0, 0.8, 1.0])
def test_the_joint_cost_is_the_divergence_from_the_mixture(
    thin, given, rng, supervision, repulsion, links, alpha
):
    Y = rng.normal(size=(len(thin), 2))
    tau = squared_distances(Y)
    for rho in RHOS:
        P, far = joint_mixture(thin, supervision, rho, links)
        assert P.sum() == pytest.approx(1)
        log_q = -tau if alpha == 0 else -np.log1p(alpha * tau) / alpha
        q = np.exp(log_q)
        np.fill_diagonal(q, 0)
        expected = xlogy(P, P).sum() - (P * log_q).sum() + np.log(q.sum())
        expected += cannot(supervision, tau, rho, repulsion)
        if alpha > 0:
            expected += (far * (2 * (np.sqrt(1 + alpha * tau) - 1) / alpha + log_q)).sum()
        objective = HeavyTailed(
            given(thin), alpha, supervision=supervision, rho=rho, link_form=links
        )
        assert objective.cost(Y) == pytest.approx(expected, rel=1e-9), rho
        again = objective.with_parameters(rho=0.7).with_parameters(rho=rho)
        assert again.cost(Y) == pytest.approx(expected, rel=1e-9)


@pytest.mark.parametrize("links", FORMS)
@pytest.mark.parametrize("labels", [True, False])
def test_the_cost_of_rows_is_the_divergence_from_the_mixture(
    thin, given, rng, supervision, repulsion, links, labels
):
    rows = thin / thin.sum(axis=1, keepdims=True)
    Y = rng.normal(size=(len(rows), 2))
    tau = squared_distances(Y)
    for rho in RHOS:
        p = row_mixture(rows, supervision, rho, links, labels)
        np.testing.assert_allclose(p.sum(axis=1), 1)
        q = np.exp(-tau)
        np.fill_diagonal(q, 0)
        expected = xlogy(p, p).sum() + (p * tau).sum() + np.log(q.sum(axis=1)).sum()
        expected += cannot(supervision, tau, rho, repulsion)
        objective = SNE(
            given(rows), supervision=supervision, rho=rho, link_form=links, labels_as_links=labels
        )
        seen = objective.evaluate(Y)
        assert seen.cost == pytest.approx(expected, rel=1e-9)
        np.testing.assert_allclose(seen.curvature, 2 * (p + p.T).sum(axis=1), rtol=1e-9)
        again = objective.with_parameters(rho=0.7).with_parameters(rho=rho).evaluate(Y)
        assert again.cost == pytest.approx(expected, rel=1e-9)


@pytest.mark.parametrize("links", FORMS)
def test_nerv_with_recall_and_precision_is_of_the_mixture(
    thin, given, rng, supervision, repulsion, links
):
    rows = thin / thin.sum(axis=1, keepdims=True)
    Y = rng.normal(size=(len(rows), 2))
    tau = squared_distances(Y)
    least = 1e-8  # of the data in a linked row, whose logarithms would be infinite otherwise
    for rho in RHOS:
        p = row_mixture(rows, supervision, min(rho, 1 - least), links)
        q = np.exp(-tau)
        np.fill_diagonal(q, 0)
        q /= q.sum(axis=1, keepdims=True)
        log_p = np.where(p > 0, np.log(np.where(p > 0, p, 1)), np.log(least))
        log_q = np.where(q > 0, np.log(np.where(q > 0, q, 1)), 0)
        recall = (p * (log_p - log_q)).sum()
        precision = (q * (log_q - log_p)).sum()
        expected = 0.3 * recall + 0.7 * precision + cannot(supervision, tau, rho, repulsion)
        objective = NeighborRetrieval(
            given(rows), 0.3, width="uniform", supervision=supervision, rho=rho, link_form=links
        )
        seen = objective.evaluate(Y)
        assert seen.cost == pytest.approx(expected, rel=1e-8), rho
        np.testing.assert_allclose(seen.curvature, 2 * (1 + p.sum(axis=0)), rtol=1e-7)
        again = objective.with_parameters(rho=0.7).with_parameters(rho=rho)
        assert again.cost(Y) == pytest.approx(expected, rel=1e-8)


@pytest.fixture(scope="module")
def square():
    """Return a similarity of one's own, whose functions are compiled once."""
    return Similarity(lambda tau: 1 / (1 + tau) ** 2, lambda tau: 2 / (1 + tau))


@pytest.mark.parametrize(
    "name",
    ["HSSNE", "symmetric SNE", "HSSNE, any alpha", "HSSNE, similarity", "SNE", "NeRV", "Mbed"],
)
def test_gradients_are_those_of_the_cost(
    thin, given, rng, supervision, central_differences, square, name
):
    Y = rng.normal(size=(len(thin), 2))
    told = {"supervision": supervision, "rho": 0.6, "link_form": "structured"}
    rows = given(thin / thin.sum(axis=1, keepdims=True))
    alphas = {"symmetric SNE": 0.0, "HSSNE, any alpha": 1.7, "HSSNE, similarity": square}
    if name == "SNE":
        objective = SNE(rows, **told)
    elif name == "NeRV":
        objective = NeighborRetrieval(rows, 0.3, width="uniform", **told)
    elif name == "Mbed":
        objective = LargeMargin(rows, 1.0, simplex(3)[:, :2], **told)
    else:
        objective = HeavyTailed(given(thin), alphas.get(name, 1.0), **told)
    expected = central_differences(objective, Y)
    assert np.abs(objective.gradient(Y) - expected).max() < 1e-6 * np.abs(expected).max()


def test_links_between_two_points_weigh_as_in_the_paper(joint, rng):
    Y = rng.normal(size=(len(joint), 2))
    pairs = Supervision(len(joint)).must_link([0, 1]).must_link([1, 4]).must_link([7, 9])
    structured, uniform = (
        HeavyTailed(joint, 0.0, supervision=pairs, link_form=links).evaluate(Y) for links in FORMS
    )
    assert structured.cost == uniform.cost
    np.testing.assert_array_equal(structured.gradient, uniform.gradient)


@pytest.mark.parametrize("alpha", [0.5, 1.0, 3.0])
def test_a_must_link_pulls_from_afar_as_from_near(joint, alpha):
    n = len(joint)
    linked = HeavyTailed(joint, alpha, supervision=Supervision(n).must_link([0, 1]), rho=0.5)
    plain = linked.with_parameters(rho=0.0)
    pulls = []
    for distance in (20.0, 200.0):
        Y = np.zeros((n, 2))
        Y[1, 0] = distance
        pulls.append((linked.evaluate(Y).gradient - plain.evaluate(Y).gradient)[1, 0])
    # 4 v √S r with v = ρ/(2n), less what the share of the links takes from P.
    np.testing.assert_allclose(pulls, 1 / n / np.sqrt(alpha), rtol=0.05)


def shares(P, supervision, labels=True):
    return LinkShares.make(P, P, supervision, "structured", labels=labels)


@pytest.fixture(scope="module")
def affinities():
    return perplexity_affinities(np.random.default_rng(0).normal(size=(200, 4)), 20)


def test_a_class_counts_more_with_each_label_up_to_a_neighborhood(affinities):
    strengths = [
        shares(affinities, Supervision(200).label(range(m), "a")).strengths[0]
        for m in (1, 2, 6, 11, 60)
    ]
    np.testing.assert_allclose(strengths, [0, 1 / 10, 5 / 10, 1, 1])


def test_doubtful_labels_count_less(affinities):
    certain = Supervision(200).label(range(9), "a").label(range(20, 29), "b")
    doubtful = certain.label([0], "a", confidence=0.5 + 1e-9)
    weak, strong = shares(affinities, doubtful), shares(affinities, certain)
    assert weak.strengths[0] < 1e-8 < 0.3 < strong.strengths[0]
    assert weak.strengths[1] == pytest.approx(7 / 10)


def test_own_affinities_prefer_the_nearest_members(affinities):
    group = np.arange(90)
    found = shares(affinities, Supervision(200).must_link(group))
    own = found.own.toarray()
    np.testing.assert_allclose(own.sum(axis=1)[group], 0.5)
    assert not own[90:].any()
    assert not own[:, 90:].any()
    assert (own > 0).sum(axis=1).max() == 60
    for i in (0, 17):
        nearest = np.argsort(-affinities.P[i, :90])[:60]
        assert np.all(np.diff(own[i, nearest]) <= 1e-12)
    rows = own[group] / 0.5
    assert perplexity(rows) == pytest.approx(20, rel=1e-4)


def test_a_group_that_did_not_change_keeps_its_own_affinities(affinities, monkeypatch):
    before = Supervision(200).label(range(30), "a").label(range(50, 80), "b")
    after = before.label([90], "b")
    again = shares(affinities, after)
    shares(affinities, before)
    calls = []
    real = OwnAffinities.of
    monkeypatch.setattr(OwnAffinities, "of", lambda *a: calls.append(a) or real(*a))
    kept = shares(affinities, after)
    assert len(calls) == 1
    assert abs(kept.own - again.own).max() == 0


def test_one_point_more_changes_the_shares_a_little(affinities):
    before, after = (shares(affinities, Supervision(200).label(range(m), "a")) for m in (40, 41))
    step = abs(after.own - before.own).sum(axis=1)[:40]
    assert step.mean() < 0.05


def test_points_without_affinity_to_their_group_are_spread_evenly():
    P = sparse.csr_array(np.kron(np.eye(3), (np.ones((4, 4)) - np.eye(4)) / 3))
    given = Affinities(P, "row")
    found = shares(given, Supervision(12).must_link([0, 4, 8]))
    assert found.own is None or found.own.nnz == 0
    np.testing.assert_allclose(found.total(found.rates)[[0, 4, 8]], 1)


def test_unknown_links_are_refused(joint):
    with pytest.raises(ValueError, match="link_form"):
        HeavyTailed(joint, link_form="even")
