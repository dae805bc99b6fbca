"""Mbed: Algorithm 1 of "Large Margin Non-Linear Embedding" from radius to winner."""

from __future__ import annotations

import numpy as np
import pytest
from sklearn.datasets import load_iris

from nbembed.datasets import gaussian_pair
from nbembed.kernels.inner_product import rms_radius
from nbembed.measures import hotelling_lawley, inconsistent_pairs
from nbembed.methods import Geometry, Mbed, PathStep
from nbembed.objectives import circle
from nbembed.optimizers import ConjugateGradient
from nbembed.supervision import Supervision, as_supervision
from tests.methods.helpers import partly, quick


@pytest.fixture(scope="module")
def fitted(pair):
    X, y = pair
    return quick(Mbed, max_iter=200).fit(X, partly(y))


def test_few_labels_classify_the_rest(fitted, pair):
    _, y = pair
    hidden = partly(y) == -1
    assert np.mean(fitted.labels_[hidden] != y[hidden]) <= 0.03


def test_clusters_without_labels(pair):
    X, y = pair
    method = quick(Mbed, max_iter=200, n_init=3).fit(X)
    assert inconsistent_pairs(method.labels_, y) <= 0.05
    assert method.classes_.tolist() == [0, 1]


@pytest.mark.slow
def test_a_fresh_draw_of_the_paper_s_problem():
    """g50c's own distribution; a plain reference run has 5.9 % on fresh draws (Bayes 5 %)."""
    errors = []
    for seed in range(5):
        X, y = gaussian_pair(random_state=seed)
        labels = partly(y, 25)
        hidden = labels == -1
        method = Mbed(random_state=seed).fit(X, labels)
        errors.append(np.mean(method.labels_[hidden] != y[hidden]))
    assert np.mean(errors) < 0.075


def test_the_path_anneals_lambda_over_nineteen_steps(fitted):
    lams = [step.value for step in fitted.path_]
    assert len(lams) == 19
    assert lams[0] == pytest.approx(20)
    assert lams[-1] == pytest.approx(0.2)
    assert np.allclose(np.diff(np.log(lams)), np.log(0.01) / 18)
    assert fitted.n_iter_ == 190
    assert all(isinstance(step, PathStep) for step in fitted.path_)


def test_the_best_separated_step_wins(fitted):
    for step in fitted.path_:
        classes = (step.embedding @ fitted.directions_.T).argmax(axis=1)
        if np.unique(classes).size == 2:
            assert step.criterion == pytest.approx(hotelling_lawley(step.embedding, classes))
        else:
            assert np.isnan(step.criterion)
    winner = max(fitted.path_, key=lambda s: -np.inf if np.isnan(s.criterion) else s.criterion)
    assert np.array_equal(fitted.embedding_, winner.embedding)


def test_membership_labels_and_cost_belong_to_the_winner(fitted):
    assert fitted.membership_.shape == (80, 2)
    assert np.allclose(fitted.membership_.sum(axis=1), 1)
    assert np.array_equal(fitted.labels_, fitted.classes_[fitted.membership_.argmax(axis=1)])
    assert fitted.radius_ > 0


def test_restarts_keep_the_best(pair):
    X, _ = pair
    rng = np.random.default_rng(3)
    single = [
        max(step.criterion for step in quick(Mbed, random_state=rng).fit(X).path_) for _ in range(3)
    ]
    best = quick(Mbed, random_state=3, n_init=3).fit(X)
    assert max(step.criterion for step in best.path_) == max(single)


def test_a_callback_s_stop_ends_the_restarts_too(pair):
    X, _ = pair
    heard = []

    def stop(run):
        heard.append(run.iteration)
        return len(heard) == 5

    method = quick(Mbed, n_init=4, callbacks=stop).fit(X)
    assert heard == [1, 2, 3, 4, 5]
    assert len(method.path_) >= 1
    assert np.array_equal(method.path_[-1].embedding, method.embedding_)


@pytest.mark.parametrize("lam", [0.2, 1.0, 5.0])
def test_a_fixed_lambda(pair, lam):
    X, y = pair
    labels = partly(y)
    method = quick(Mbed, lam=lam, max_iter=200).fit(X, labels)
    assert np.mean(method.labels_ != y) <= 0.05
    assert [step.value for step in method.path_] == pytest.approx([lam])
    assert method.trace_[-1].parameters["lam"] == pytest.approx(lam * method.radius_)


@pytest.mark.parametrize("alpha", [0.0, 1.0])
@pytest.mark.parametrize(("parameters", "distance"), [({}, 2.0), ({"label_distance": 1.0}, 1.0)])
def test_a_label_is_as_certain_as_a_point_at_its_distance(pair, alpha, parameters, distance):
    """By default at twice the radius, the text of the paper; its equation (21) has the radius."""
    X, y = pair
    told = as_supervision(partly(y), len(X))
    recipe = Mbed(alpha=alpha, **parameters).recipe
    geometry = Geometry(3.0, circle(2))
    affinities = recipe.make_affinities(X, told)
    affinities = affinities.joint() if alpha else affinities
    objective = recipe.make_objective(affinities, told, geometry)
    lam = objective.parameters["lam"]
    found = objective.regions.wanted(told, len(X), lam)[0] if alpha else objective.targets
    there = distance * geometry.scale * circle(2)[0]
    expected = objective.membership(np.tile(there, (len(X), 1)).astype(np.float32))
    labeled = told.labeled[told.targets(2)[told.labeled, 0] == 1]
    assert labeled.size
    assert found[labeled] == pytest.approx(expected[labeled], rel=1e-6)


def test_small_lambda_is_surer(pair):
    X, y = pair
    soft, steep = (
        quick(Mbed, lam=lam, max_iter=200).fit(X, partly(y)).membership_.max(axis=1).mean()
        for lam in (10.0, 0.5)
    )
    assert steep > soft


def test_class_priors_set_the_sizes():
    X = np.random.default_rng(0).standard_normal((120, 3))
    share = [
        quick(Mbed, class_prior=prior, lam=1.0, margin_weight=120.0, max_iter=150)
        .fit(X)
        .membership_.mean(axis=0)[0]
        for prior in ([0.2, 0.8], [0.5, 0.5], [0.8, 0.2])
    ]
    assert share[0] < 0.4 < share[1] < 0.6 < share[2]


def test_margin_weight_widens_the_margin(pair):
    X, _ = pair
    weak, strong = (
        quick(Mbed, margin_weight=w, lam=1.0, max_iter=200).fit(X).membership_.max(axis=1).mean()
        for w in (0.0, 80.0)
    )
    assert strong > weak


def test_confidence_matters(pair):
    X, y = pair
    point = int(np.flatnonzero(y == 0)[0])
    told = (
        Supervision(80)
        .label(np.flatnonzero(y == 1)[:10], "1")
        .label(np.flatnonzero(y == 0)[1:10], "0")
    )

    def membership(confidence):
        known = told.label([point], "1", confidence)
        method = quick(Mbed, lam=0.5, max_iter=150).fit(X, supervision=known)
        return method.membership_[point, method.classes_.tolist().index("1")]

    assert membership(1.0) > membership(0.6)


# -- dimensions and directions ---------------------------------------------------------------------


def blobs(n_classes, rng):
    centers = 6 * rng.standard_normal((n_classes, 8))
    y = np.arange(20 * n_classes) % n_classes
    return centers[y] + rng.standard_normal((y.size, 8)), y


@pytest.mark.parametrize(
    ("parameters", "shape"),
    [
        ({}, (4, 4)),
        ({"n_components": 3}, (4, 3)),
        ({"n_components": 6}, (4, 6)),
        ({"directions": "circle"}, (4, 2)),
        ({"directions": "circle", "n_components": 3}, (4, 3)),
    ],
)
def test_dimensions_follow_the_directions(parameters, shape, rng):
    X, y = blobs(4, rng)
    method = Mbed(random_state=0, max_iter=200, **parameters).fit(X, partly(y))
    assert method.directions_.shape == shape
    assert method.embedding_.shape == (80, shape[1])
    assert np.allclose(np.linalg.norm(method.directions_, axis=1), 1)
    assert np.mean(method.labels_ != y) <= 0.05


def test_directions_of_one_s_own(rng):
    X, y = blobs(3, rng)
    given = np.array([[1.0, 0.0], [0.0, 1.0], [-1.0, 0.0]])
    method = Mbed(directions=given, lam=0.5, random_state=0, max_iter=200).fit(X, y)
    assert np.array_equal(method.directions_, given)
    for c in range(3):
        assert method.embedding_[y == c].mean(axis=0) @ given[c] > 0


def test_a_free_class_beside_labeled_ones(rng):
    X, y = blobs(3, rng)
    labels = np.where(y == 2, -1, partly(y, 5))
    method = Mbed(n_classes=3, random_state=0).fit(X, labels)
    assert method.classes_.tolist() == [0, 1, 2]
    assert np.mean(method.labels_ == y) > 0.9


# -- classes ---------------------------------------------------------------------------------------


def test_labels_come_back_as_they_were_given(pair):
    X, y = pair
    labels = partly(y)
    numbers = np.where(labels >= 0, labels * 30 + 7, -1)
    method = quick(Mbed).fit(X, numbers)
    assert method.classes_.tolist() == [7, 37]
    assert set(method.labels_) <= {7, 37}
    floats = np.where(labels >= 0, labels, np.nan)
    assert quick(Mbed).fit(X, floats).classes_.tolist() == [0.0, 1.0]
    words = np.array(["left", "right"])[y].astype(object)
    words[labels == -1] = None
    method = quick(Mbed, n_classes=3).fit(X, words)
    assert method.classes_.tolist() == ["left", "right", "cluster 1"]
    assert method.labels_.dtype.kind == "U"


def test_classes_of_a_supervision_are_its_names(pair):
    X, y = pair
    told = Supervision(80, ["b", "a"]).label(np.flatnonzero(y == 0)[:3], "a")
    method = quick(Mbed).fit(X, supervision=told)
    assert method.classes_.tolist() == ["b", "a"]
    assert np.mean((method.labels_ == "a") == (y == 0)) > 0.95
    assert Mbed(random_state=0, max_iter=60).fit(X, supervision=told).membership_.shape == (80, 2)


def test_rows_of_probabilities_have_numbered_classes(pair):
    X, y = pair
    T = np.full((80, 2), np.nan)
    T[:20] = np.where(y[:20, None] == [0, 1], 0.9, 0.1)
    method = quick(Mbed).fit(X, T)
    assert method.classes_.tolist() == [0, 1]
    assert np.mean(method.labels_ == y) > 0.95


def test_a_class_that_nothing_falls_into(pair):
    """Steps with an empty class do not compete; with none left the last one is returned."""
    X, _ = pair
    told = Supervision(80, ["a", "b"]).label(np.arange(80), "a")
    method = quick(Mbed, lam=0.5).fit(X, supervision=told)
    assert np.isnan(method.path_[-1].criterion)
    assert np.array_equal(method.embedding_, method.path_[-1].embedding)


# -- new points ------------------------------------------------------------------------------------


def test_the_training_data_give_the_fit_itself(fitted, pair):
    X, _ = pair
    assert np.array_equal(fitted.transform(X), fitted.embedding_)
    assert np.array_equal(fitted.predict(X), fitted.labels_)
    assert np.array_equal(fitted.predict_proba(X), fitted.membership_)


@pytest.mark.parametrize("affinity", ["global", "perplexity"])
def test_new_points_are_classified_and_do_not_disturb_each_other(affinity):
    X, y = gaussian_pair(200, 10, error=0.005, random_state=1)
    method = quick(Mbed, affinity=affinity, max_iter=150).fit(X[:120], partly(y[:120], 5))
    assert np.mean(method.predict(X[120:]) != y[120:]) <= 0.05
    together = method.predict_proba(X[120:])
    assert together.shape == (80, 2)
    assert np.allclose(together.sum(axis=1), 1)
    alone = np.vstack([method.predict_proba(x[None]) for x in X[120:130]])
    assert np.allclose(alone, together[:10], atol=1e-5)


def test_new_points_by_their_dissimilarities(pair):
    from sklearn.metrics import pairwise_distances

    X, y = pair
    train, new = np.arange(60), np.arange(60, 80)
    by_data = quick(Mbed).fit(X[train], partly(y[train]))
    by_distance = quick(Mbed, metric="precomputed").fit(
        pairwise_distances(X[train]), partly(y[train])
    )
    found = by_distance.predict(pairwise_distances(X[new], X[train]))
    assert np.mean(found == by_data.predict(X[new])) > 0.9
    with pytest.raises(ValueError, match="features"):
        by_data.predict(X[new, :4])
    with pytest.raises(ValueError, match="non-negative"):
        by_distance.predict(-pairwise_distances(X[new], X[train]))


# -- live ------------------------------------------------------------------------------------------


def live(method, X, supervision, rng):
    affinities = method.recipe.make_affinities(X, supervision)
    start = method.recipe.make_start(X, affinities, supervision, rng)
    return affinities, start


def test_lambda_is_in_units_of_the_radius(pair, rng):
    X, _ = pair
    method = Mbed(n_classes=2, lam=3.0, rho=0.25)
    affinities, start = live(method, X, Supervision(80), rng)
    objective = method.recipe.make_objective(affinities, Supervision(80), start.geometry)
    assert objective.parameters["lam"] == pytest.approx(3 * start.geometry.scale)
    values = method.recipe.live_values(objective, start.geometry)
    assert values == pytest.approx({"lam": 3.0, "alpha": 0.0, "rho": 0.25})


def test_the_start_is_small_and_the_radius_that_of_a_crude_sne(pair, rng):
    X, _ = pair
    method = Mbed(n_classes=2)
    _, start = live(method, X, Supervision(80), rng)
    r = start.geometry.scale
    assert start.Y.std() == pytest.approx(np.sqrt(1e-3 * r), rel=0.2)
    assert 0.05 < r < 5


def test_the_schedule_spends_what_is_left_of_max_iter(pair, rng):
    X, _ = pair
    method = Mbed(n_classes=2, max_iter=500)
    affinities, start = live(method, X, Supervision(80), rng)
    schedule = method.recipe.make_schedule(affinities, start.geometry)
    assert schedule.steps == 490
    steps = [stage.steps for stage in schedule.stages]
    assert max(steps) - min(steps) == 1
    assert all(stage.optimizer == ConjugateGradient() for stage in schedule.stages)


def test_adopting_a_map_takes_its_radius_and_pads(pair, rng):
    X, _ = pair
    method = Mbed(n_classes=4)
    told = Supervision(80)
    affinities = method.recipe.make_affinities(X, told)
    Y = 50 * np.column_stack([X[:, 0], X[:, 1]])
    start = method.recipe.adopt(Y, affinities, told, rng)
    assert start.Y.shape == (80, 4)
    stds = start.Y.std(axis=0)
    assert np.sqrt(np.mean(stds[:2] ** 2)) == pytest.approx(start.geometry.scale, rel=0.05)
    assert (stds[2:] < 0.05 * start.geometry.scale).all()
    assert (stds[2:] > 0).all()


def test_naming_a_cluster_does_not_flip_the_map(fitted, pair):
    """The first label of either cluster finds its class in the direction that it already has."""
    X, _ = pair
    method = quick(Mbed, max_iter=200).fit(X)
    told = Supervision(80)
    rng = np.random.default_rng(0)
    geometry = method.recipe.make_start(
        X, method.recipe.make_affinities(X, told), told, rng
    ).geometry
    sides = method.embedding_ @ geometry.directions.T
    for cluster in (0, 1):
        there = np.flatnonzero(sides.argmax(axis=1) == cluster)[:4]
        first = method.recipe.align(geometry, method.embedding_, told.label(there, "first"))
        assert first.bound == (0,)
        assert np.array_equal(first.directions[0], geometry.directions[cluster])
        assert np.array_equal(first.directions[1], geometry.directions[1 - cluster])
        # A second word about the same class does not move it, wherever the points are.
        other = np.flatnonzero(sides.argmax(axis=1) != cluster)[:4]
        more = told.label(there, "first").label(other, "first")
        again = method.recipe.align(first, method.embedding_, more)
        assert np.array_equal(again.directions, first.directions)


def test_directions_of_one_s_own_are_never_traded(pair):
    X, _ = pair
    given = [[1.0, 0.0], [0.0, 1.0]]
    method = quick(Mbed, directions=given)
    told = Supervision(80).label([0], "a")
    Y = np.tile([0.0, 5.0], (80, 1))
    start = method.recipe.make_start(
        X, method.recipe.make_affinities(X, told), told, np.random.default_rng(0)
    )
    assert np.array_equal(method.recipe.align(start.geometry, Y, told).directions, given)


@pytest.mark.parametrize("directions", [None, "circle"])
def test_one_class_more_turns_the_new_set_to_the_old(directions, rng):
    X, y = blobs(3, rng)
    method = Mbed(n_classes=3, directions=directions, random_state=0).fit(X, partly(y, 5))
    told = method.supervision_
    start = method.recipe.make_start(X, method.recipe.make_affinities(X, told), told, rng)
    more = told.add_class("new")
    wider = Mbed(n_classes=4, directions=directions).recipe.align(
        start.geometry, method.embedding_, more
    )
    d = method.embedding_.shape[1]
    assert wider.directions.shape == (4, 2 if directions else 4)
    assert wider.scale == start.geometry.scale
    for c in range(3):
        center = method.embedding_[y == c].mean(axis=0)
        assert (wider.directions[:, :d] @ center).argmax() == c


def test_few_labels_turn_the_map_and_not_the_names() -> None:
    """Three labels a class: from noise, one run in four ended with iris under wrong names."""
    X, y = load_iris(return_X_y=True)
    errors = []
    for seed in range(4):
        rng = np.random.default_rng(seed)
        known = np.full(150, -1)
        for c in range(3):
            members = rng.permutation(np.flatnonzero(y == c))[:3]
            known[members] = c
        fitted = Mbed(random_state=seed).fit(X, known)
        errors.append(np.mean(np.asarray(fitted.labels_)[known < 0] != y[known < 0]))
    assert max(errors) < 0.2


def test_given_directions_stay_and_the_map_is_turned() -> None:
    X, y = load_iris(return_X_y=True)
    angles = np.array([0.3, 1.5, 4.0])
    directions = np.c_[np.cos(angles), np.sin(angles)]
    known = np.where(np.arange(150) % 10 == 0, y, -1)
    fitted = Mbed(directions=directions, random_state=0).fit(X, known)
    np.testing.assert_array_equal(fitted.directions_, directions)
    assert np.mean(np.asarray(fitted.labels_) == y) > 0.8


# -- first layouts ---------------------------------------------------------------------------------


def test_noise_is_the_default_start_without_labels(pair):
    X, _ = pair
    named = quick(Mbed, init="noise").fit(X)
    assert np.array_equal(named.embedding_, quick(Mbed).fit(X).embedding_)


def test_noise_is_the_printed_start_with_labels_too(pair):
    """Lines 4 and 5 of Algorithm 1: noise of variance 1e-3 r, and directions as they are made."""
    X, y = pair
    told = as_supervision(partly(y), 80)
    affinities = Mbed().recipe.make_affinities(X, told)
    starts = {}
    for init in ("auto", "noise"):
        recipe = Mbed(init=init).recipe
        starts[init] = recipe.make_start(X, affinities, told, np.random.default_rng(0))
    plain = Mbed(n_classes=2).recipe
    unlabeled = plain.make_start(X, affinities, Supervision(80), np.random.default_rng(0))
    assert np.array_equal(starts["noise"].Y, unlabeled.Y)
    assert np.array_equal(starts["noise"].geometry.directions, unlabeled.geometry.directions)
    assert starts["noise"].geometry.bound == (0, 1), "each class has its direction"
    assert not np.array_equal(starts["auto"].geometry.directions, unlabeled.geometry.directions)


def test_a_start_of_principal_components_is_as_small_as_noise(pair, rng):
    X, _ = pair
    recipe = Mbed(n_classes=2, init="pca").recipe
    affinities = recipe.make_affinities(X)
    start = recipe.make_start(X, affinities, Supervision(80), rng)
    assert rms_radius(start.Y) == pytest.approx(np.sqrt(1e-3 * start.geometry.scale), rel=1e-5)
    centered = X - X.mean(axis=0)
    axis = centered @ np.linalg.svd(centered)[2][0]
    assert abs(np.corrcoef(start.Y[:, 0], axis)[0, 1]) > 0.999


@pytest.mark.parametrize("directions", [None, "circle", [[1.0, 0.0], [0.0, 1.0]]])
@pytest.mark.parametrize("init", ["pca", "array"])
def test_a_start_agrees_with_the_labels(directions, init, pair, rng):
    """Directions turn to labeled points; of directions that are given, the map turns to them."""
    X, y = pair
    if init == "array":
        init = X[:, :2] - X[:, :2].mean(axis=0)
    recipe = Mbed(directions=directions, init=init, lam=1.0).recipe
    told = Supervision(80, ["a", "b"]).label(np.flatnonzero(y == 0)[:5], "a")
    told = told.label(np.flatnonzero(y == 1)[:5], "b")
    affinities = recipe.make_affinities(X, told)
    start = recipe.make_start(X, affinities, told, rng)
    if not isinstance(init, str):
        assert np.array_equal(start.Y, init.astype(np.float32)), "an array is taken as it is"
        assert not recipe.make_schedule(affinities, start.geometry).stages
        if isinstance(directions, list):
            assert np.array_equal(start.geometry.directions, directions)
            return
    W = start.geometry.directions
    assert start.geometry.bound == (0, 1)
    means = np.array([start.Y[y == c].mean(axis=0) for c in (0, 1)])
    assert ((means @ W.T).argmax(axis=1) == [0, 1]).all()


@pytest.mark.parametrize("lam", ["anneal", 0.5])
@pytest.mark.parametrize("init", ["pca", "array"])
def test_other_starts_classify_too(init, lam, pair):
    X, y = pair
    if init == "array":
        init = np.random.default_rng(0).standard_normal((80, 2))
    labels = partly(y)
    hidden = labels == -1
    fitted = quick(Mbed, init=init, lam=lam, max_iter=200).fit(X, labels)
    assert np.mean(fitted.labels_[hidden] != y[hidden]) <= 0.05
    again = quick(Mbed, init=init, lam=lam, max_iter=200).fit(X, labels)
    assert np.array_equal(again.embedding_, fitted.embedding_)


def test_a_start_must_fit_the_directions(pair):
    X, _ = pair
    for init, said in ((np.zeros((80, 3)), "shape"), ("random", "'noise', 'pca'")):
        with pytest.raises(ValueError, match=f"init must .*{said}"):
            quick(Mbed, init=init).fit(X)
