"""Mbed with heavy tails and regions around centers."""

from __future__ import annotations

import numpy as np
import pytest
from sklearn.datasets import load_digits

from nbembed.affinities import perplexity_affinities
from nbembed.methods import HSSNE, Mbed, MbedRecipe
from nbembed.methods.mbed.heavy_tailed import agreement, criterion
from nbembed.methods.mbed.pieces import class_probabilities, make_centers, pieces
from nbembed.objectives import HeavyTailed, LargeMargin
from nbembed.objectives.heavy_tailed_margin import HeavyTailedMargin
from nbembed.supervision import Supervision, as_supervision


def blobs(rng, places, size=30, scatter=0.5):
    """Points around places of a plane, each in turn."""
    which = np.arange(size * len(places)) % len(places)
    return np.asarray(places, float)[which] + scatter * rng.normal(size=(which.size, 2)), which


FIVE = [[0, 0], [20, 0], [0, 20], [20, 20], [40, 10]]


@pytest.fixture
def five(rng):
    """Five clusters in ten dimensions."""
    places = 12 * rng.normal(size=(5, 10))
    y = np.arange(150) % 5
    return places[y] + rng.normal(size=(150, 10)), y


def quick(**parameters):
    return Mbed(**{"directions": "centers", "random_state": 0, "max_iter": 100, **parameters})


# -- pieces ----------------------------------------------------------------------------------------


def test_a_class_in_two_pieces_has_two_centers(rng):
    Y, which = blobs(rng, FIVE)
    y = np.array([0, 1, 1, 2, 0])[which]  # class 1 lies between the pieces of class 0
    known = np.where(np.arange(len(Y)) % 15 < 5, y, -1)
    centers = make_centers(Y, as_supervision(known, len(Y)), 3)
    found = centers.places(Y)
    assert centers.owners.tolist().count(0) == 2
    for place in (FIVE[0], FIVE[4]):
        assert np.linalg.norm(found[centers.owners == 0] - place, axis=1).min() < 1.0
    nearest = np.linalg.norm(Y[:, None] - found, axis=2).argmin(axis=1)
    np.testing.assert_array_equal(centers.owners[nearest], y)
    np.testing.assert_array_equal(centers.owners[centers.member_of], y)
    np.testing.assert_array_equal(centers.weights == 1, known >= 0)
    np.testing.assert_allclose(centers.targets.sum(axis=1), 1)


def test_a_stray_point_gets_no_center(rng):
    Y, which = blobs(rng, FIVE)
    F = np.eye(5)[which]
    F[0] = np.eye(5)[1]  # one point of another class amid a cluster
    _, owners = pieces(Y, F)
    assert owners.tolist() == [0, 1, 2, 3, 4]


def test_classes_without_labels_begin_at_clusters_without_labels(rng):
    Y, which = blobs(rng, FIVE)
    told = Supervision(len(Y), ["a", "b"]).label([2], "a").label([4], "b")
    F = class_probabilities(Y, told, 5)
    assert F.shape == (len(Y), 5)
    top = F.argmax(axis=1)
    assert set(top[which == 2]) == {0}
    assert set(top[which == 4]) == {1}
    assert len({tuple(np.unique(top[which == c])) for c in range(5)}) == 5
    nobody = class_probabilities(Y, Supervision(len(Y)), 5).argmax(axis=1)
    assert all(np.unique(nobody[which == c]).size == 1 for c in range(5))


def test_more_classes_than_clusters_leave_some_without_a_center(rng):
    Y, which = blobs(rng, FIVE[:2])
    told = as_supervision(np.where(np.arange(len(Y)) < 10, which, -1), len(Y))
    centers = make_centers(Y, told, 4)
    assert set(centers.owners) <= {0, 1, 2, 3}
    assert {0, 1} <= set(centers.owners)
    absent = np.setdiff1d(np.arange(4), centers.owners)
    assert not centers.targets[:, absent].any()


@pytest.mark.parametrize("n", [2, 3, 5])
def test_few_points_and_points_in_one_place(n):
    for Y in (np.zeros((n, 2)), np.arange(2.0 * n).reshape(n, 2)):
        for told in (Supervision(n), Supervision(n, ["a"]).label([0], "a")):
            centers = make_centers(Y, told, 2)
            assert np.isfinite(centers.places(Y)).all()


def test_contradictory_and_soft_labels_work(rng):
    Y, _ = blobs(rng, FIVE)
    told = Supervision(len(Y), ["a", "b", "c"]).label([0, 5], "a", confidence=0.4)
    told = told.label([1, 10], "b")  # 10 lies in the cluster of 0 and 5
    centers = make_centers(Y, told, 3)
    m = HeavyTailedMargin(perplexity_affinities(Y), 2.0, centers, told).membership(Y)
    assert np.isfinite(m).all()


# -- the estimator ---------------------------------------------------------------------------------


def test_one_keyword_brings_the_form(five):
    X, y = five
    model = quick().fit(X, np.where(np.arange(150) < 25, y, -1))
    assert model.embedding_.shape == (150, 2)
    assert np.array_equal(model.labels_, y)
    assert model.directions_ is None
    assert model.centers_.shape == (model.center_classes_.size, 2)
    assert set(model.center_classes_) == set(range(5))
    assert len(model.path_) == 10
    assert model.path_[0].value > model.path_[-1].value == pytest.approx(0.1)
    assert model.perplexity_ is not None
    recipe = model.recipe
    assert (recipe.tails, recipe.steps) == (1.0, 100)


def test_without_labels_it_finds_clusters(five):
    X, y = five
    found = quick(n_classes=5).fit(X).labels_
    assert len({(a, b) for a, b in zip(found, y)}) == 5


def test_new_points_are_placed_and_classified(five):
    X, y = five
    known = np.where(np.arange(120) < 25, y[:120], -1)
    model = quick().fit(X[:120], known)
    assert np.array_equal(model.transform(X[:120]), model.embedding_)
    assert np.array_equal(model.predict_proba(X[:120]), model.membership_)
    proba = model.predict_proba(X[120:])
    np.testing.assert_allclose(proba.sum(axis=1), 1)
    assert np.array_equal(model.predict(X[120:]), y[120:])
    alone = np.vstack([model.predict_proba(x[None]) for x in X[120:123]])
    np.testing.assert_allclose(alone, proba[:3], atol=1e-5)


def test_the_same_seed_gives_the_same_bits_on_any_number_of_threads(five):
    X, y = five
    known = np.where(np.arange(150) < 25, y, -1)
    first = quick(n_jobs=1).fit(X, known).embedding_
    assert np.array_equal(first, quick(n_jobs=1).fit(X, known).embedding_)
    assert np.array_equal(first, quick(n_jobs=2).fit(X, known).embedding_)


def test_pinned_points_stay(five):
    X, y = five
    Y = HSSNE(random_state=0, max_iter=60).fit_transform(X)
    told = as_supervision(np.where(np.arange(150) < 25, y, -1), 150).pin([3, 40])
    model = quick(init=Y).fit(X, supervision=told)
    assert np.array_equal(model.embedding_[[3, 40]], Y[[3, 40]])
    assert not np.array_equal(model.embedding_, Y)


@pytest.mark.parametrize("alpha", [0.0, 0.5, 2.0])
def test_any_heaviness_around_centers(five, alpha):
    X, y = five
    model = quick(alpha=alpha).fit(X, np.where(np.arange(150) < 50, y, -1))
    assert np.mean(model.labels_ != y) < 0.05


def test_heavy_tails_with_the_papers_directions(five):
    X, y = five
    model = Mbed(alpha=1.0, random_state=0, max_iter=200).fit(
        X, np.where(np.arange(150) < 50, y, -1)
    )
    assert model.directions_.shape == (5, 5)
    assert model.centers_ is None
    assert np.mean(model.labels_ != y) < 0.05
    assert np.array_equal(model.predict_proba(X), model.membership_)


def test_the_paper_is_the_default_and_no_tail_is_it(five):
    X, y = five
    known = np.where(np.arange(150) < 50, y, -1)
    told = as_supervision(known, 150)
    recipe = Mbed(random_state=0).recipe
    affinities = recipe.make_affinities(X, told)
    start = recipe.make_start(X, affinities, told, np.random.default_rng(0))
    assert isinstance(recipe.objective(affinities, told, start.geometry), LargeMargin)
    paper = Mbed(random_state=0, max_iter=60).fit(X, known).embedding_
    same = Mbed(alpha=0.0, affinity="global", init="auto", random_state=0, max_iter=60)
    assert np.array_equal(paper, same.fit(X, known).embedding_)


@pytest.mark.parametrize(
    ("parameters", "message"),
    [
        ({"alpha": "heavy"}, 'alpha must be "auto" or a number'),
        ({"alpha": -1.0}, "alpha must be"),
        ({"directions": "center"}, 'directions must be None, "circle", "centers", "plane"'),
        ({"affinity": "local"}, "affinity must be"),
        ({"lam": "soft"}, "lam must be"),
        ({"class_prior": [0.5, 0.5]}, "class_prior must"),
        ({"n_classes": 4}, "n_classes must be at least 5"),
    ],
)
def test_wrong_parameters_are_refused_before_any_work(five, parameters, message):
    X, y = five
    with pytest.raises(ValueError, match=message):
        quick(**parameters).fit(X, y)


# -- the choice of λ -------------------------------------------------------------------------------


def test_labeled_points_vote_by_their_unlabeled_neighbors(rng):
    Y, which = blobs(rng, FIVE[:2])
    told = as_supervision(np.where(np.arange(60) < 8, which, -1), 60)
    right = np.eye(2)[which]
    assert agreement(Y, told, right) == 8
    swapped = right[:, ::-1].copy()
    swapped[:8] = right[:8]  # right at the labeled points alone
    assert agreement(Y, told, swapped) == 0
    assert agreement(Y, Supervision(60), right) == 0


def test_more_pairs_than_are_stored_vote_the_same(rng, monkeypatch):
    Y, which = blobs(rng, FIVE, scatter=6.0)
    told = as_supervision(np.where(np.arange(150) % 3 == 0, which, -1), 150)
    membership = np.eye(5)[which]
    stored = agreement(Y, told, membership)
    assert 0 < stored < 50
    monkeypatch.setattr("nbembed.methods.mbed.heavy_tailed.PAIRS", 10)
    assert agreement(Y, told, membership) == stored


def test_the_vote_comes_before_the_trace():
    assert criterion(7, 1e9) < criterion(8, 0.0)
    assert criterion(8, 3.0) < criterion(8, 4.0)
    assert np.isnan(criterion(8, np.nan))


# -- the recipe ------------------------------------------------------------------------------------


def test_a_plane_is_a_circle_for_three_classes_and_centers_for_more():
    told = Supervision(150, list("abcd"))
    recipe = MbedRecipe().in_plane()
    assert recipe.directions == "plane"
    assert recipe.with_room_for(Supervision(150)).n_classes is None
    four = recipe.with_room_for(told)
    assert (four.n_classes, four.tails) == (4, 1.0)
    three = four.replace(n_classes=3)
    assert three.tails == 0.0
    assert three.with_room_for(told).tails == 1.0


def test_centers_stay_a_function_of_the_map_that_regions_were_made_on(five):
    X, y = five
    recipe = quick(n_classes=5, lam=0.2).recipe
    told = as_supervision(np.where(np.arange(150) < 25, y, -1), 150)
    affinities = recipe.make_affinities(X, told)
    start = recipe.make_start(X, affinities, told, np.random.default_rng(0))
    more = told.label([30], "3")
    moved = start.Y + 1.0
    aligned = recipe.align(start.geometry, moved, more)
    assert aligned is start.geometry
    objective = recipe.objective(affinities, told, start.geometry)
    places, owners = recipe.region_centers(moved, objective)
    before, _ = recipe.region_centers(start.Y, objective)
    np.testing.assert_allclose(places - before, 1.0, rtol=1e-5)
    assert np.array_equal(owners, objective.regions.owners)


def test_a_finished_map_is_adopted_as_it_is_and_another_one_is_made_anew(five, rng):
    X, _ = five
    recipe = quick(n_classes=5).recipe
    told = Supervision(150)
    affinities = recipe.make_affinities(X, told)
    Y = HSSNE(random_state=0, max_iter=500).fit_transform(X)
    start = recipe.adopt(Y, affinities, told, rng)
    ratio = np.linalg.norm(start.Y) / np.linalg.norm(Y - Y.mean(axis=0))
    np.testing.assert_allclose(start.Y, ratio * (Y - Y.mean(axis=0)), atol=1e-2)
    heap = rng.normal(size=Y.shape)
    cost = HeavyTailed(affinities).cost
    as_it_is = HSSNE().recipe.adopt(heap, affinities.joint(), told, rng).Y
    anew = recipe.adopt(heap, affinities, told, rng).Y
    assert cost(anew) < 0.5 * cost(as_it_is)
    assert cost(start.Y) < 0.5 * cost(as_it_is)


# -- the goal --------------------------------------------------------------------------------------


def test_digits_with_eight_labels_a_class_in_the_plane():
    """At most 5 % of the unlabeled digits; Mbed's directions on a circle miss most of them."""
    X, y = load_digits(return_X_y=True)
    rng = np.random.default_rng(0)
    known = np.full(len(y), -1)
    for k in range(10):
        known[rng.choice(np.flatnonzero(y == k), 8, replace=False)] = k
    model = Mbed(directions="centers", random_state=0).fit(X, known)
    hidden = known == -1
    assert model.embedding_.shape == (1797, 2)
    assert np.mean(model.labels_[hidden] != y[hidden]) <= 0.05


# -- none of these ---------------------------------------------------------------------------------


def test_a_group_that_nobody_named_gets_no_center(five):
    X, y = five
    known = np.where((np.arange(150) < 60) & (y < 3), y, -1)
    model = quick().fit(X, known)
    none = model.none_of_these_
    assert none[y >= 3].mean() > 0.9
    assert none[y < 3].mean() < 0.1
    assert set(model.labels_) == {0, 1, 2}, "the likeliest of the classes there are"
    np.testing.assert_allclose(model.membership_.sum(axis=1), 1)
    unnamed = [model.embedding_[y == k].mean(axis=0) for k in (3, 4)]
    radius = np.linalg.norm(model.embedding_[y == 3] - unnamed[0], axis=1).max()
    for place in unnamed:
        assert np.linalg.norm(model.centers_ - place, axis=1).min() > radius
    assert not quick().fit(X, np.where(np.arange(150) < 60, y, -1)).none_of_these_.any()


def test_classes_that_may_be_anywhere_leave_no_point_out(five):
    X, y = five
    known = np.where((np.arange(150) < 60) & (y < 3), y, -1)
    model = quick(n_classes=5).fit(X, known)
    assert not model.none_of_these_.any()
    assert len(model.centers_) == 5


def test_a_circle_knows_of_none_and_the_paper_does_not(five):
    X, y = five
    known = np.where((np.arange(150) < 60) & (y < 3), y, -1)
    circle = quick(directions="circle", alpha=1.0).fit(X, known)
    assert circle.none_of_these_[y >= 3].mean() > 0.9
    assert circle.none_of_these_[y < 3].mean() < 0.1
    assert not Mbed(random_state=0, max_iter=60).fit(X, known).none_of_these_.any()
