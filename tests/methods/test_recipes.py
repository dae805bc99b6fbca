"""Recipes: what they declare, and what estimators and sessions may rely on."""

from __future__ import annotations

import dataclasses
import inspect

import numpy as np
import pytest
from sklearn.datasets import load_iris

from nbembed.learning_metric import LearningMetric
from nbembed.methods import (
    HSSNE,
    SNE,
    Geometry,
    HSSNERecipe,
    Mbed,
    MbedRecipe,
    NeRV,
    NeRVRecipe,
    ParametricEmbedding,
    ParametricEmbeddingRecipe,
    Recipe,
    SNERecipe,
    SNeRV,
    SNeRVRecipe,
    register,
)
from nbembed.methods.recipe import INVALIDATES
from nbembed.methods.registry import estimator_of, recipe_type_of, registered
from nbembed.objectives import Similarity
from nbembed.supervision import Supervision

ESTIMATORS = [HSSNE, Mbed, NeRV, ParametricEmbedding, SNE, SNeRV]
X, Y = load_iris(return_X_y=True)
TOLD = (
    Supervision(150)
    .label(range(0, 50, 3), "a")
    .label(range(50, 100, 3), "b", 0.8)
    .must_link([1, 60, 120])
    .cannot_link([2, 4], [130])
)


@pytest.fixture(params=ESTIMATORS, ids=lambda kind: kind.__name__)
def estimator(request):
    return request.param


@pytest.fixture
def recipe_type(estimator):
    return estimator.recipe_type


# -- one list of parameters ------------------------------------------------------------------------


def test_every_parameter_is_documented_in_the_signature_s_order(estimator):
    text = inspect.getdoc(estimator)  # from Python 3.13 on __doc__ has no indentation itself
    section = text.split("Parameters\n----------\n")[1].split("\n\nAttr")[0]
    names = [
        line.split(" : ")[0] for line in section.splitlines() if " : " in line and line[0] != " "
    ]
    assert names == list(inspect.signature(estimator).parameters)


def test_an_estimator_holds_its_recipe(estimator, recipe_type):
    method = estimator(n_components=3, tol=0.5)
    recipe = method.recipe
    assert type(recipe) is recipe_type
    assert (recipe.n_components, recipe.tol) == (3, 0.5)
    assert method.set_params(tol=0.25).recipe.tol == 0.25
    assert recipe.parameters == {**recipe_type().parameters, "n_components": 3, "tol": 0.5}


def test_a_recipe_is_frozen(recipe_type):
    recipe = recipe_type()
    with pytest.raises(dataclasses.FrozenInstanceError):
        recipe.tol = 1.0
    assert recipe.replace(tol=0.5).tol == 0.5
    assert recipe.tol == inspect.signature(recipe_type).parameters["tol"].default
    with pytest.raises(ValueError, match=f"'theta' is not a parameter of {recipe.name}"):
        recipe.replace(theta=0.5)
    with pytest.raises(TypeError):
        recipe_type(2)


# -- declarations ----------------------------------------------------------------------------------


def test_what_is_declared_exists(recipe_type):
    fields = {field.name for field in dataclasses.fields(recipe_type)}
    live = {parameter.name for parameter in recipe_type.live_parameters}
    assert live <= fields
    assert set(recipe_type.invalidates) <= fields - live
    assert recipe_type.path_parameter in {"", *live}
    assert recipe_type.group in ("Begin with", "More methods")
    undeclared = fields - live - set(recipe_type.invalidates) - set(INVALIDATES)
    # What is declared nowhere enters the affinities, and these do.
    assert undeclared <= {"algorithm", "classifier", "class_names"}
    for name in undeclared:
        assert recipe_type.parts_entered(name) == ("affinities",)


def test_every_live_parameter_is_a_keyword_with_a_legal_default(estimator):
    for live in estimator.recipe_type.live_parameters:
        assert live.name in inspect.signature(estimator).parameters
        assert live.minimum <= live.low <= live.default <= live.high <= live.maximum
        assert live.description.endswith(".")
        if live.scale == "log":
            assert live.low > 0


def test_names_and_groups():
    groups = {kind.recipe_type.name: kind.recipe_type.group for kind in ESTIMATORS}
    assert groups == {
        "HSSNE": "Begin with",
        "Mbed": "Begin with",
        "NeRV": "Begin with",
        "SNE": "More methods",
        "SNeRV": "More methods",
        "ParametricEmbedding": "More methods",
    }
    assert MbedRecipe.path_parameter == "lam"
    assert ParametricEmbeddingRecipe.learns == "classifier"


def test_all_are_registered(estimator, recipe_type):
    assert registered()[estimator.__name__] is recipe_type
    assert estimator_of(recipe_type) is estimator
    assert recipe_type_of(estimator) is recipe_type is recipe_type_of(recipe_type)


@pytest.mark.parametrize("wrong", [3, "HSSNE", dict, HSSNERecipe()])
def test_what_is_no_method_cannot_be_registered(wrong):
    with pytest.raises(TypeError, match="method must be a recipe class or an estimator class"):
        register(wrong)


# -- a slider goes through with_parameters ---------------------------------------------------------

PROBA = np.random.default_rng(0).dirichlet(np.ones(4), 150)
LEARNED = LearningMetric(n_centroids=4, width=1.0, cv=None, max_iter=5, random_state=0)
RECIPES = [
    HSSNERecipe(),
    HSSNERecipe(alpha=0.0, metric=LEARNED),
    HSSNERecipe(alpha=Similarity(lambda t: np.exp(-t), lambda t: 1.0)),
    SNERecipe(),
    NeRVRecipe(),
    NeRVRecipe(map_width="uniform"),
    NeRVRecipe(metric=LEARNED),
    SNeRVRecipe(metric=LEARNED),
    SNeRVRecipe(metric=LEARNED, map_width="point"),
    MbedRecipe(n_classes=3),
    MbedRecipe(n_classes=3, directions="circle", n_components=2, lam=0.7),
    MbedRecipe(n_classes=2, class_prior=[0.3, 0.7], affinity="perplexity"),
    MbedRecipe(n_classes=3, directions="circle", n_components=2, alpha=0.5, max_iter=50),
    MbedRecipe(n_classes=4, directions="centers", max_iter=50),
    ParametricEmbeddingRecipe(classifier="soft-nearest-neighbor"),
    ParametricEmbeddingRecipe(),
    ParametricEmbeddingRecipe(eta_classes=2.5, class_prior=np.full(4, 0.25)),
]
MOVES = [
    pytest.param(recipe, live, id=f"{k} {recipe.name} {live.name}")
    for k, recipe in enumerate(RECIPES)
    for live in recipe.live_parameters
    if live.invalidates == "objective"
]


@pytest.mark.parametrize(("recipe", "live"), MOVES)
def test_a_changed_objective_is_the_one_made_anew_to_the_last_bit(recipe, live):
    posteriors = isinstance(recipe, ParametricEmbeddingRecipe) and recipe.classifier is None
    data = PROBA if posteriors else X
    rng = np.random.default_rng(0)
    affinities = recipe.make_affinities(data, TOLD)
    start = recipe.make_start(data, affinities, TOLD, rng)
    objective = recipe.objective(affinities, TOLD, start.geometry)
    layout = (start.Y + rng.standard_normal(start.Y.shape)).astype(objective.dtype)
    objective.evaluate(layout)  # what it keeps from here must not be of the old value
    for value in (live.low, live.default, 0.3 * live.low + 0.7 * live.high, live.high):
        moved = recipe.replace(**{live.name: value})
        changed = recipe.updated_objective(objective, {live.name: value}, start.geometry)
        anew = moved.objective(affinities, TOLD, start.geometry)
        assert changed.parameters == anew.parameters
        a, b = changed.evaluate(layout), anew.evaluate(layout)
        assert (a.cost, a.auxiliary_cost, a.rounding) == (b.cost, b.auxiliary_cost, b.rounding)
        assert a.gradient.tobytes() == b.gradient.tobytes()
        assert a.curvature.tobytes() == b.curvature.tobytes()
        values = moved.live_values(changed, start.geometry)
        assert values == moved.live_values(anew, start.geometry)
        assert values[live.name] == pytest.approx(value)
        changes = recipe.to_objective({live.name: value}, start.geometry)
        if changes.keys() <= objective.parameters.keys() and type(changed) is type(objective):
            assert objective.with_parameters(**changes).parameters == anew.parameters


def test_units_of_lambda_there_and_back():
    recipe, geometry = MbedRecipe(), Geometry(scale=2.0)
    assert recipe.to_objective({"lam": 3.0, "rho": 0.5}, geometry) == {"lam": 6.0, "rho": 0.5}
    assert recipe.to_sliders({"lam": 6.0, "rho": 0.5}, geometry) == {"lam": 3.0, "rho": 0.5}
    assert recipe.to_objective({"rho": 0.5}, geometry) == {"rho": 0.5}


def test_a_slider_of_a_map_that_waits_for_labels():
    recipe = ParametricEmbeddingRecipe(classifier="naive-bayes")
    none = Supervision(150)
    waiting = recipe.objective(recipe.make_affinities(X, none), none, Geometry())
    assert recipe.updated_objective(waiting, {"eta_objects": 1.0}, Geometry()) is waiting
    moved = recipe.replace(eta_objects=1.0)
    assert moved.live_values(waiting, Geometry())["eta_objects"] == 1.0


# -- classes ---------------------------------------------------------------------------------------


@pytest.mark.parametrize("kind", [HSSNE, SNE, NeRV, SNeRV, ParametricEmbedding])
def test_methods_without_a_number_of_classes(kind):
    recipe = kind.recipe_type()
    assert recipe.n_classes_for(TOLD) is None
    assert recipe.with_room_for(TOLD) is recipe
    assert recipe.in_plane() is recipe


def test_mbed_makes_room_for_classes():
    many = Supervision(150, list("abcde"))
    assert MbedRecipe().n_classes_for(many) == 5
    assert MbedRecipe(n_classes=7).n_classes_for(many) == 7
    assert MbedRecipe(directions=np.eye(6)).n_classes_for(many) == 6
    for recipe in (MbedRecipe(), MbedRecipe(n_classes=5), MbedRecipe(n_classes=7)):
        assert recipe.with_room_for(many) is recipe
    grown = MbedRecipe(n_classes=2, n_components=2).with_room_for(many)
    assert (grown.n_classes, grown.n_components) == (5, 4)
    flat = MbedRecipe(n_classes=2, n_components=2, directions="circle").with_room_for(many)
    assert (flat.n_classes, flat.n_components) == (5, 2)
    free = MbedRecipe(n_classes=2).with_room_for(many)
    assert (free.n_classes, free.n_components) == (5, None)


# -- in a session ----------------------------------------------------------------------------------


def test_mbed_begins_live_on_a_plane_with_two_classes_or_more():
    for told, n_classes in ((Supervision(150), 2), (Supervision(150, list("abc")), 3)):
        recipe = MbedRecipe().live_defaults(X, told)
        assert (recipe.n_classes, recipe.directions, recipe.n_components) == (
            n_classes,
            "plane",
            2,
        )
        circle = recipe.replace(directions="circle")
        for each in (recipe, circle):
            start = each.make_start(
                X, each.make_affinities(X, told), told, np.random.default_rng(0)
            )
            assert start.geometry.directions.shape == (n_classes, 2)
            assert each.tails == 0
        assert recipe.make_optimizer() == circle.make_optimizer()
    for given in ({"n_components": 3}, {"directions": np.eye(2)}, {"directions": "circle"}):
        recipe = MbedRecipe(**given)
        assert recipe.in_plane() is recipe


def test_parametric_embedding_begins_live_with_a_classifier_where_data_are_no_posteriors():
    recipe = ParametricEmbeddingRecipe()
    assert recipe.live_defaults(PROBA, TOLD) is recipe
    assert recipe.live_defaults(X, TOLD).classifier == "soft-nearest-neighbor"
    chosen = recipe.replace(classifier="naive-bayes")
    assert chosen.live_defaults(X, TOLD) is chosen


@pytest.mark.parametrize("kind", [HSSNE, SNE, NeRV, SNeRV])
def test_the_others_begin_live_at_their_defaults(kind):
    recipe = kind.recipe_type()
    assert recipe.live_defaults(X, TOLD) is recipe


def test_requests():
    none = Supervision(150)
    assert HSSNERecipe().request(none) == ""
    asked = "Label points of two classes: the metric is learned from them"
    assert SNeRVRecipe().request(none) == asked == HSSNERecipe(metric=LEARNED).request(none)
    assert SNeRVRecipe().request(TOLD) == ""
    assert "the classifier" in ParametricEmbeddingRecipe(classifier="naive-bayes").request(none)


# -- fitted attributes -----------------------------------------------------------------------------


def test_only_affinities_with_a_perplexity_give_one():
    fit = {"max_iter": 30, "random_state": 0}
    assert HSSNE(perplexity=9, **fit).fit(X).perplexity_ == 9
    assert Mbed(n_classes=2, affinity="perplexity", perplexity=9, **fit).fit(X).perplexity_ == 9
    assert Mbed(n_classes=2, **fit).fit(X).perplexity_ is None
    assert not hasattr(ParametricEmbedding(**fit).fit(PROBA), "perplexity_")


def test_a_recipe_of_one_s_own_needs_six_functions():
    assert Recipe.__abstractmethods__ == {
        "check",
        "make_affinities",
        "make_start",
        "adopt",
        "make_objective",
        "make_optimizer",
    }


def test_a_recipe_says_whether_it_begins_at_a_layout():
    layout = np.zeros((150, 2))
    for kind in registered().values():
        recipe = kind()
        assert recipe.takes_layout == hasattr(recipe, "init")
        if recipe.takes_layout:
            begun = recipe.replace(init=layout)
            assert begun.takes_layout
            assert begun.without_layout().init == recipe.init
        else:
            assert recipe.without_layout() is recipe
