"""Recipes live: the map is at the solution one step after any change."""

from __future__ import annotations

import numpy as np
import pytest

from nbembed import spectral
from nbembed.methods.recipe import Geometry, Recipe
from nbembed.methods.registry import estimator_of, registered
from nbembed.run import Run
from nbembed.spectral import (
    FDA,
    PCA,
    FDARecipe,
    KPCATrickRecipe,
    LFDARecipe,
    LPPRecipe,
    SELFRecipe,
    SSFDARecipe,
)
from nbembed.spectral.closed_form import ClosedForm, aligned
from nbembed.spectral.custom import GraphLearner, GraphLearnerRecipe
from nbembed.supervision import Supervision, as_supervision

KINDS = [getattr(spectral, name) for name in spectral.__all__ if name.endswith("Recipe")]
every = pytest.mark.parametrize("kind", KINDS, ids=lambda kind: kind.name)


def started(recipe, X, supervision):
    subspace = recipe.make_affinities(X, supervision)
    start = recipe.make_start(X, subspace, supervision, np.random.default_rng(0))
    run = Run(
        recipe.objective(subspace, supervision, start.geometry),
        recipe.make_optimizer(),
        start.Y,
        recipe.make_schedule(subspace, start.geometry),
    )
    return subspace, start, run


def test_the_objective_is_what_it_says(rng):
    Z, Y = rng.standard_normal((6, 2)), rng.standard_normal((6, 2))
    objective = ClosedForm(Z, 3.0, {"gamma": 1.0}, lambda **p: ClosedForm(Z + 1, 4.0, p, None))
    cost, gradient = objective.cost_and_gradient(Y)
    target = objective.target.astype(np.float64)
    assert cost == pytest.approx(3 + 0.5 * ((Y - target) ** 2).sum())
    for i, k in ((0, 0), (3, 1)):
        step = np.zeros_like(Y)
        step[i, k] = 1e-5
        slope = (objective.cost(Y + step) - objective.cost(Y - step)) / 2e-5
        assert slope == pytest.approx(gradient[i, k], abs=1e-6)
    assert objective.with_parameters(gamma=2.0).parameters == {"gamma": 2.0}
    with pytest.raises(TypeError, match="no parameter 'alpha'"):
        objective.with_parameters(alpha=1.0)


@every
def test_recipes_and_estimators_have_the_same_parameters(kind):
    estimator = estimator_of(kind)
    assert registered()[kind.name] is kind
    assert estimator is getattr(spectral, kind.name)
    assert estimator.recipe_type is kind
    assert list(kind().parameters) != []
    assert kind().parameters == estimator().get_params(deep=False)
    assert type(estimator().recipe) is kind


def test_the_custom_learner_has_a_recipe_too():
    assert GraphLearnerRecipe().parameters == GraphLearner().get_params(deep=False)


@every
def test_a_script_and_a_run_show_the_same_map(blobs, kind):
    X, _, y = blobs
    _, _, run = started(kind(), X, as_supervision(y, 60))
    fitted = estimator_of(kind)().fit(X, y)
    assert np.allclose(run.step().embedding, fitted.embedding_, atol=1e-4)
    assert run.cost == pytest.approx(fitted.cost_, rel=1e-4, abs=1e-6)


@every
def test_one_step_after_any_change(blobs, kind):
    X, _, y = blobs
    recipe, said = kind(), as_supervision(y, 60)
    subspace, start, run = started(recipe, X, said)
    for live in kind.live_parameters:
        recipe = recipe.replace(**{live.name: live.high})
        assert kind.parts_entered(live.name) == (live.invalidates,)
        if live.invalidates == "affinities":
            subspace = recipe.make_affinities(X, said)
        run.change(recipe.objective(subspace, said, start.geometry)).step()
        assert run.trace[-1].movement > 0
        assert np.allclose(run.embedding, run.objective.target, atol=1e-6)
        shown = recipe.live_values(run.objective, start.geometry)
        assert shown[live.name] == live.high
        assert recipe.to_objective(shown, start.geometry) == shown
        if live.invalidates == "affinities":
            continue
        again = run.objective.with_parameters(**{live.name: live.low})
        assert again.parameters[live.name] == live.low
        assert not np.allclose(again.target, run.objective.target)
        anew = recipe.replace(**{live.name: live.low}).objective(subspace, said, start.geometry)
        assert np.array_equal(again.target, anew.target), "one way or the other, the same bits"
        assert again.value == anew.value


@every
def test_without_labels_there_are_principal_components(blobs, kind):
    X = blobs[0]
    none = Supervision(60)
    recipe = kind()
    subspace, start, run = started(recipe, X, none)
    if kind not in (LPPRecipe, KPCATrickRecipe):
        Y = run.step().embedding
        assert np.allclose(Y, PCA().fit(X).embedding_, atol=1e-3)
    one = none.label([0, 1, 2], "only")
    still = recipe.objective(subspace, one, start.geometry)
    assert np.allclose(still.target, start.Y, atol=1e-4), "one class has nothing to part from"
    two = one.label([3], "other").label([0, 1], "third")
    assert np.isfinite(recipe.objective(subspace, two, start.geometry).target).all()


def test_new_labels_are_aligned_to_the_present_map(blobs):
    X, truth, _ = blobs
    recipe = LFDARecipe()
    subspace, start, run = started(recipe, X, Supervision(60))
    said = as_supervision(truth, 60)
    run.step()
    geometry = recipe.align(start.geometry, run.embedding, said)
    assert np.array_equal(geometry.reference, run.embedding)
    near = recipe.objective(subspace, said, geometry).target
    bare = recipe.objective(subspace, said, Geometry()).target
    assert np.linalg.norm(near - run.embedding) <= np.linalg.norm(bare - run.embedding)
    assert np.allclose(near @ near.T, bare @ bare.T, atol=1e-4)


def test_a_slider_does_not_flip_the_map(blobs):
    X, _, y = blobs
    recipe, said = SELFRecipe(pca_weight=0.0), as_supervision(y, 60)
    subspace, start, run = started(recipe, X, said)
    run.step()
    last = run.embedding
    for weight in np.linspace(0.05, 0.5, 10):
        recipe = recipe.replace(pca_weight=float(weight))
        run.change(recipe.objective(subspace, said, start.geometry)).step()
        correlation = np.sum(last * run.embedding) / np.linalg.norm(last)
        assert correlation > 0.9 * np.linalg.norm(run.embedding)
        last = run.embedding


def test_another_map_is_adopted(blobs, rng):
    X, _, y = blobs
    recipe, said = FDARecipe(), as_supervision(y, 60)
    subspace = recipe.make_affinities(X, said)
    solved = FDA().fit(X, y).embedding_
    angle = 2.0
    R = np.array([[np.cos(angle), -np.sin(angle)], [np.sin(angle), np.cos(angle)]])
    start = recipe.adopt(50 * solved @ R, subspace, said, rng)
    assert np.allclose(start.Y, solved @ R, atol=1e-3), "its size is the solution's"
    made = recipe.objective(subspace, said, start.geometry).target
    assert np.allclose(made, solved @ R, atol=1e-3)
    for Y in (np.zeros((60, 2)), rng.standard_normal((60, 1)), rng.standard_normal((60, 4))):
        start = recipe.adopt(Y, subspace, said, rng)
        assert start.Y.shape == (60, 2)
        assert np.isfinite(start.Y).all()


def test_alignment():
    Z = np.array([[1.0, 0], [0, 2], [-1, -2]])
    swapped = Z[:, ::-1]
    assert np.allclose(aligned(Z, swapped + 5), swapped)
    assert aligned(Z, None) is Z
    assert aligned(Z, Z[:, :1]) is Z


def test_a_slider_recomputes_its_own_term_only(blobs, monkeypatch):
    X, _, y = blobs
    _, _, run = started(LFDARecipe(gamma=0.1), X, as_supervision(y, 60))
    calls = []
    monkeypatch.setattr("nbembed.spectral.fisher.local_within", lambda *a: calls.append("labels"))
    monkeypatch.setattr("nbembed.spectral.fisher.local_between", lambda *a: calls.append("labels"))
    monkeypatch.setattr(
        "nbembed.spectral.graph_recipe.heat_kernel", lambda *a: calls.append("graph")
    )
    scatter = "nbembed.spectral.graphs.Edges.scatter"
    with monkeypatch.context() as inner:
        inner.setattr(scatter, lambda *a: calls.append("pairs"))
        for gamma in (0.2, 5.0):
            run.change(run.objective.with_parameters(gamma=gamma))
    assert calls == [], "no pass over pairs for the weight of a graph"
    run.change(run.objective.with_parameters(power=3.0))
    assert calls == [], "the graph is cached, its power is new"


@every
def test_live_parameters_are_declared_well(kind):
    assert issubclass(kind, Recipe)
    assert kind.group == "More methods"
    for live in kind.live_parameters:
        assert live.name in kind().parameters
        assert live.minimum <= live.low <= live.default <= live.high <= live.maximum
        assert live.description.endswith(".")
        if live.scale == "log":
            assert live.low > 0
        assert kind().learns_from_labels is False
    assert kind.parts_entered("n_components") == ("layout",)
    assert kind.parts_entered("n_pca") == ("affinities",)


def test_fields_that_do_not_enter_the_subspace_do_not_invalidate_it():
    assert FDARecipe.parts_entered("constraint") == ("objective",)
    assert FDARecipe.parts_entered("scale_neighbor") == ("objective",)
    assert KPCATrickRecipe.parts_entered("kernel") == ("affinities",)
    assert KPCATrickRecipe.parts_entered("learner") == ("affinities",)


def test_live_defaults_let_unlabeled_points_count(blobs):
    none = Supervision(60)
    assert LFDARecipe().gamma == 0
    assert LFDARecipe().live_defaults(blobs[0], none).gamma == 0.01
    assert LFDARecipe(gamma=3.0).live_defaults(blobs[0], none).gamma == 3.0
    assert SSFDARecipe().live_defaults(blobs[0], none).gamma == 1.0


def test_pins_hold_in_a_live_map_and_are_refused_by_a_fit(blobs):
    X, _, y = blobs
    said = as_supervision(y, 60).pin([0, 1])
    _, start, run = started(LFDARecipe(), X, said)
    run.change(run.objective.with_parameters(gamma=10.0)).step()
    assert np.array_equal(run.embedding[:2], start.Y[:2].astype(np.float32))
    with pytest.raises(ValueError, match="supervision pins 2 points"):
        FDA().fit(X, supervision=said)


@every
@pytest.mark.parametrize("rank", [0, 1])
def test_a_map_of_degenerate_data(kind, rank):
    """On a line the map is a line, of equal points one place; a script says so in an error."""
    X = np.outer(np.arange(12.0) * rank, [1.0, 2, 3]) + 5
    supervision = as_supervision(np.arange(12) // 6, 12)
    recipe = kind(kernel="linear") if kind is KPCATrickRecipe else kind()
    subspace, _, run = started(recipe, X, supervision)
    run.step()
    assert run.embedding.shape == (12, 2)
    assert np.isfinite(run.embedding).all()
    assert np.linalg.matrix_rank(run.embedding.astype(float), tol=1e-5) == rank
    other = np.random.default_rng(0).standard_normal((12, 2))
    assert np.isfinite(recipe.adopt(other, subspace, supervision, np.random.default_rng(0)).Y).all()
    with pytest.raises(ValueError, match=r"X must have distinct points|n_components must be at"):
        estimator_of(kind)(**recipe.parameters).fit(X, np.arange(12) // 6)
