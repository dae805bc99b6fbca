"""HSSNE and SNE: the paper's figures on what scikit-learn ships, and the parts of the recipe."""

from __future__ import annotations

import numpy as np
import pytest
from sklearn.base import clone
from sklearn.datasets import load_digits, load_iris, load_wine
from sklearn.manifold import TSNE

from nbembed.kernels.inner_product import rms_radius
from nbembed.measures import homogeneity, neighbor_preservation
from nbembed.methods import HSSNE, SNE, Geometry
from nbembed.objectives import Similarity
from nbembed.optimizers import FixedPoint, MomentumGradient, MomentumLBFGS
from nbembed.run import Run
from nbembed.supervision import Supervision
from tests.methods.helpers import partly, quick, span


def standardized(X):
    return (X - X.mean(axis=0)) / X.std(axis=0)


@pytest.mark.parametrize("how", ["paper", "default"])
@pytest.mark.parametrize(
    ("name", "published", "cost"), [("iris", 0.95, 0.15), ("wine", 0.96, 0.36)]
)
def test_the_figures_of_the_paper(name, published, cost, how):
    """Figure 2 of "Heavy-Tailed Symmetric Stochastic Neighbor Embedding": homogeneity and cost."""
    X, y = {"iris": load_iris, "wine": load_wine}[name](return_X_y=True)
    X = standardized(X) if name == "wine" else X
    paper = {"optimizer": "fixed-point", "init": "random"} if how == "paper" else {}
    method = HSSNE(perplexity=30, random_state=0, **paper).fit(X)
    assert homogeneity(method.embedding_, y) == pytest.approx(published, abs=0.03)
    assert method.cost_ == pytest.approx(cost, abs=0.05)


def test_alpha_one_is_t_sne():
    X = load_digits().data[:300]
    ours = HSSNE(perplexity=20, random_state=0).fit(X)
    theirs = TSNE(perplexity=20, method="exact", init="pca", random_state=0).fit(X)
    assert ours.cost_ < 1.03 * theirs.kl_divergence_


@pytest.mark.parametrize("alpha", [0.0, 1e-6, 0.3, 1.0, 2.0, 3.0])
def test_every_alpha_keeps_neighborhoods(alpha):
    X, _ = load_wine(return_X_y=True)
    X = standardized(X)
    Y = HSSNE(alpha=alpha, random_state=0, max_iter=300).fit_transform(X)
    assert neighbor_preservation(X, Y, 10) > 0.45


def test_heavier_tails_part_clusters_further(pair):
    X, y = pair

    def separation(alpha):
        Y = quick(HSSNE, alpha=alpha, max_iter=300).fit_transform(X)
        means = np.array([Y[y == c].mean(axis=0) for c in (0, 1)])
        within = np.mean([Y[y == c].std() for c in (0, 1)])
        return np.linalg.norm(means[0] - means[1]) / within

    assert separation(2.0) > separation(0.0)


def test_labels_gather_their_points(pair, kind):
    """A class of points from both groups comes together, and more so with more ρ."""
    X, y = pair
    mixed = np.concatenate([np.flatnonzero(y == c)[:15] for c in (0, 1)])
    told = Supervision(80).must_link(mixed)

    def extent(**parameters):
        Y = quick(kind, max_iter=200, **parameters).fit(X, supervision=told).embedding_
        return np.sqrt(Y[mixed].var(axis=0).sum()) / np.sqrt(Y.var(axis=0).sum())

    loose, tight = extent(rho=0.05), extent(rho=0.9)
    assert tight < 0.8 * loose


@pytest.fixture(scope="module")
def plain():
    return HSSNE(random_state=0, max_iter=400).fit(load_digits().data[:600])


@pytest.mark.slow
@pytest.mark.parametrize("how", ["link", "label"])
@pytest.mark.parametrize("n_points", [2, 3, 5, 10])
def test_a_lasso_of_few_points_never_tears_the_map_apart(plain, n_points, how):
    X = load_digits().data[:600]
    points = np.random.default_rng(n_points).choice(600, n_points, replace=False)
    told = Supervision(600)
    told = told.must_link(points) if how == "link" else told.label(points, "these")
    cold = HSSNE(random_state=0, max_iter=400).fit(X, supervision=told)
    assert 0.5 < span(cold.embedding_) / span(plain.embedding_) < 2
    objective = plain.recipe.make_objective(plain.recipe.make_affinities(X), told, Geometry())
    warm = Run(objective, plain.recipe.make_optimizer(), plain.embedding_).until(200).embedding
    assert 0.5 < span(warm) / span(plain.embedding_) < 2


def test_the_start_is_tiny_and_of_principal_components(pair):
    X, _ = pair
    method = HSSNE()
    affinities = method.recipe.make_affinities(X)
    rng = np.random.default_rng(0)
    start = method.recipe.make_start(X, affinities, Supervision(80), rng).Y
    assert start[:, 0].std() == pytest.approx(1e-4, rel=0.05)
    _, _, vectors = np.linalg.svd(X - X.mean(axis=0))
    along = (X - X.mean(axis=0)) @ vectors[0]
    assert abs(np.corrcoef(along, start[:, 0])[0, 1]) > 0.999


def test_a_given_start_is_taken_as_it_is(pair):
    X, _ = pair
    Y = np.random.default_rng(0).standard_normal((80, 3))
    seen = []

    def keep(run):
        seen.append(run.embedding.copy())
        return True

    HSSNE(n_components=3, init=Y, callbacks=keep).fit(X)
    # One step from there: no scaling, no exaggeration.
    assert np.abs(seen[0] - Y).max() < 2 * rms_radius(Y)
    assert np.abs(seen[0] - Y).max() > 0


def test_the_schedule_exaggerates_early_and_puts_it_back(pair):
    X, _ = pair
    method = quick(HSSNE, max_iter=300).fit(X)
    stages = [record.stage for record in method.trace_]
    assert stages[:76] == ["exaggeration"] * 75 + ["release"]
    strengths = [record.parameters["exaggeration"] for record in method.trace_]
    assert strengths[:75] == [4.0] * 50 + [2.0] * 25
    assert set(strengths[75:]) == {1.0}


def test_a_short_fit_exaggerates_for_a_quarter(pair):
    X, _ = pair
    method = quick(HSSNE, max_iter=8).fit(X)
    assert [r.stage for r in method.trace_].count("exaggeration") == 2
    assert method.trace_[-1].parameters["exaggeration"] == 1.0
    one = quick(HSSNE, max_iter=1).fit(X)
    assert one.n_iter_ == 1


def test_the_cost_is_that_of_the_embedding(pair):
    X, y = pair
    method = quick(HSSNE).fit(X, partly(y))
    objective = method.recipe.make_objective(
        method.recipe.make_affinities(X), method.supervision_, Geometry()
    )
    plain_cost = objective.evaluate(method.embedding_).plain_cost
    assert method.cost_ == pytest.approx(plain_cost, rel=1e-6)
    stopped = quick(HSSNE, callbacks=lambda run: run.iteration == 5).fit(X)
    plain = stopped.recipe.make_objective(
        stopped.recipe.make_affinities(X), Supervision(80), Geometry()
    )
    assert stopped.cost_ == pytest.approx(plain.cost(stopped.embedding_), rel=1e-6)


def test_optimizers_by_name():
    assert HSSNE().recipe.make_optimizer() == MomentumLBFGS()
    assert HSSNE(optimizer="fixed-point").recipe.make_optimizer() == FixedPoint()
    mine = MomentumGradient(momentum=0.5)
    assert HSSNE(optimizer=mine).recipe.make_optimizer() is mine


def test_perplexity_is_reported(pair):
    X, _ = pair
    assert quick(HSSNE).fit(X).perplexity_ == pytest.approx(79 / 3)
    assert quick(SNE, perplexity=5).fit(X).perplexity_ == 5


@pytest.mark.parametrize("kind", [HSSNE, SNE])
@pytest.mark.parametrize("n_components", [1, 2, 3])
def test_adopting_a_map_keeps_its_shape_at_this_method_s_size(kind, n_components, pair):
    X, _ = pair
    method = quick(kind, n_components=n_components)
    affinities = method.recipe.make_affinities(X)
    Y = 1000 * quick(kind).fit_transform(X)
    start = method.recipe.adopt(Y, affinities, Supervision(80), np.random.default_rng(0))
    assert start.Y.shape == (80, n_components)
    objective = method.recipe.make_objective(affinities, Supervision(80), start.geometry)
    at = [objective.cost(start.Y * s) for s in (0.8, 1.0, 1.25)]
    assert at[1] < min(at[0], at[2])
    if n_components == 2:
        scale = np.vdot(start.Y, Y - Y.mean(axis=0)) / np.vdot(start.Y, start.Y)
        assert np.allclose(start.Y * scale, Y - Y.mean(axis=0), atol=1e-3 * np.abs(Y).max())


@pytest.mark.parametrize("kind", [HSSNE, SNE])
def test_adopting_a_heap_starts_anew(kind, pair):
    X, _ = pair
    method = quick(kind)
    start = method.recipe.adopt(
        np.ones((80, 2)),
        method.recipe.make_affinities(X),
        Supervision(80),
        np.random.default_rng(0),
    )
    assert 0 < rms_radius(start.Y) < 1e-3


def test_live_values_are_those_of_the_objective(pair):
    X, _ = pair
    values = {"alpha": 0.7, "compactness": 1.5, "rho": 0.2}
    method = HSSNE(**values)
    objective = method.recipe.make_objective(
        method.recipe.make_affinities(X), Supervision(80), Geometry()
    )
    assert method.recipe.live_values(objective, Geometry()) == values
    assert method.recipe.memberships(np.zeros((80, 2)), objective) is None


def test_sne_lowers_its_cost_well_below_pca(pair):
    X, _ = pair
    method = quick(SNE, max_iter=300).fit(X)
    objective = method.recipe.make_objective(
        method.recipe.make_affinities(X), Supervision(80), Geometry()
    )
    centered = X - X.mean(axis=0)
    pca = centered @ np.linalg.svd(centered)[2][:2].T
    adopted = method.recipe.adopt(
        pca, method.recipe.make_affinities(X), Supervision(80), np.random.default_rng()
    )
    assert method.cost_ < 0.9 * objective.cost(adopted.Y)


# -- a similarity of one's own ---------------------------------------------------------------------


def student(tau):
    return 1 / (1 + tau)


def test_a_similarity_of_one_s_own_is_the_family_s_member(pair):
    """The same cost at the same map, a map as good, and the same places for new points."""
    X, y = pair
    own = Similarity(student, student)
    mine = quick(HSSNE, alpha=own, max_iter=300).fit(X)
    theirs = quick(HSSNE, alpha=1.0, max_iter=300).fit(X)
    assert mine.cost_ == pytest.approx(theirs.cost_, rel=0.05)
    affinities = theirs.recipe.make_affinities(X)
    objectives = [
        m.recipe.make_objective(affinities, Supervision(80), Geometry()) for m in (mine, theirs)
    ]
    costs = [objective.cost(theirs.embedding_) for objective in objectives]
    assert costs[0] == pytest.approx(costs[1], rel=1e-5)
    copy = clone(mine).set_params(init=theirs.embedding_, max_iter=1).fit(X)
    copy.embedding_ = theirs.embedding_
    new = X[:20] + 0.5
    assert np.allclose(copy.transform(new), theirs.transform(new), atol=1e-3)
    assert mine.recipe.live_values(objectives[0], Geometry()) == {"compactness": 1.0, "rho": 0.5}
    told = quick(HSSNE, alpha=own).fit(X, y)
    assert homogeneity(told.embedding_, y) == 1


def test_what_is_no_similarity(pair):
    with pytest.raises(TypeError, match="alpha must be a number"):
        quick(HSSNE, alpha=student).fit(pair[0])
