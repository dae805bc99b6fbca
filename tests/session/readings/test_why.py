"""Why points lie where they do: against the measures' definitions and the cost's differences."""

from __future__ import annotations

import threading

import numpy as np
import pytest
from scipy import sparse
from scipy.spatial.distance import cdist
from sklearn.datasets import load_iris

import nbembed as nb
from nbembed import measures
from nbembed.session.readings import point_measures, resampled
from nbembed.session.readings.neighborhood import neighborhood_of, squares_on_map
from nbembed.session.readings.point_measures import PointMeasures
from nbembed.session.readings.why import Why
from tests.session import fake, slow
from tests.session.fake import Fake
from tests.waiting import GUARD, eventually

X, SPECIES = load_iris(return_X_y=True)


@pytest.fixture(scope="module")
def session():
    method = nb.HSSNE(random_state=0, n_jobs=1, propagate_labels=False)
    with nb.Session(X, method) as session:
        session.pace = None
        session.step(60)
        session.label([0, 1, 2], "setosa")
        session.label([50, 51, 52], "versicolor")
        session.step(20, wait=True)
        yield session


@pytest.fixture
def why(session):
    why = Why(session)
    yield why
    why.close()


# -- neighborhoods ------------------------------------------------------------------


def test_a_neighborhood_is_that_of_all_distances(session, why):
    Y = session.embedding.astype(float)
    D, E = cdist(X, X), cdist(Y, Y)
    np.fill_diagonal(D, np.inf)
    np.fill_diagonal(E, np.inf)
    for point in (0, 17, 149):
        near = why.neighborhood(point, k=7)
        data = set(np.argsort(D[point], kind="stable")[:7].tolist())
        shown = set(np.argsort(E[point], kind="stable")[:7].tolist())
        assert set(near.kept.tolist()) == data & shown
        assert set(near.missing.tolist()) == data - shown
        assert set(near.false.tolist()) == shown - data
        assert (np.diff(D[point][near.missing]) >= 0).all()
        assert (np.diff(E[point][near.false]) >= 0).all()
        for j, rank in zip(near.missing, near.missing_ranks, strict=True):
            assert rank == 1 + np.sum(E[point] < E[point, j])
        for j, rank in zip(near.false, near.false_ranks, strict=True):
            # Some are equally far, but for rounding.
            equal = np.isclose(D[point], D[point, j], rtol=1e-9)
            nearer = np.sum((D[point] < D[point, j]) & ~equal)
            assert 1 + nearer <= rank <= nearer + np.sum(equal)


def test_a_neighborhood_has_the_point_own_measures():
    rng = np.random.default_rng(0)
    data, Y = rng.normal(size=(40, 5)), rng.normal(size=(40, 2))
    trust = measures.trustworthiness(data, Y, 6, per_point=True)
    whole = measures.continuity(data, Y, 6, per_point=True)
    for point in range(40):
        near = neighborhood_of(point, 6, squares_on_map(data, point), squares_on_map(Y, point))
        assert near.trustworthiness == pytest.approx(trust[point], abs=1e-12)
        assert near.continuity == pytest.approx(whole[point], abs=1e-12)
    half = neighborhood_of(0, 20, squares_on_map(data, 0), squares_on_map(Y, 0))
    assert np.isnan([half.trustworthiness, half.continuity]).all()


# -- measures -----------------------------------------------------------------------


def stress_of(D, E):
    """The definition, with one factor of proportion for all points."""
    b = np.sum(D * E) / np.sum(E * E)
    return np.sqrt(np.sum((D - b * E) ** 2, axis=1) / np.sum(D**2, axis=1))


def test_measures_are_those_of_their_definitions(session, why):
    Y = session.embedding
    np.testing.assert_allclose(
        why.measure("trustworthiness", 7), measures.trustworthiness(X, Y, 7, per_point=True)
    )
    np.testing.assert_allclose(
        why.measure("continuity", 7), measures.continuity(X, Y, 7, per_point=True)
    )
    np.testing.assert_allclose(
        why.measure("kept", 7), measures.neighbor_preservation(X, Y, 7, per_point=True)
    )
    expected = stress_of(cdist(X, X), cdist(Y, Y))
    np.testing.assert_allclose(why.measure("stress"), expected, rtol=1e-5)


def test_a_map_that_only_scales_has_no_stress():
    Y = np.random.default_rng(0).normal(size=(30, 2))
    stress = PointMeasures(Y).measured("stress", 3.7 * Y, "euclidean", 1)
    np.testing.assert_allclose(stress, 0, atol=1e-6)


@pytest.mark.parametrize("metric", ["cosine", "cityblock", "seuclidean", "precomputed"])
@pytest.mark.parametrize("name", ["trustworthiness", "continuity", "kept", "stress"])
def test_measures_take_the_metric(metric, name):
    rng = np.random.default_rng(0)
    data, Y = rng.normal(size=(40, 3)) * [1, 5, 9] + 4, rng.normal(size=(40, 2))
    D = cdist(data, data, "cosine" if metric == "precomputed" else metric)
    given = D if metric == "precomputed" else data
    found = PointMeasures(given).measured(name, Y, metric, 5)
    expected = {
        "trustworthiness": lambda: measures.trustworthiness(
            given, Y, 5, metric=metric, per_point=True
        ),
        "continuity": lambda: measures.continuity(given, Y, 5, metric=metric, per_point=True),
        "kept": lambda: measures.neighbor_preservation(given, Y, 5, metric=metric, per_point=True),
        "stress": lambda: stress_of(D, cdist(Y, Y)),
    }[name]()
    np.testing.assert_allclose(found, expected, rtol=1e-6, atol=1e-9)


@pytest.mark.parametrize("metric", ["euclidean", "cosine", "cityblock", "precomputed"])
def test_measures_of_many_points_are_estimated(metric, monkeypatch):
    rng = np.random.default_rng(0)
    n = 900
    data = rng.normal(size=(n, 4)) + 3
    Y = data[:, :2] + 0.7 * rng.normal(size=(n, 2))
    given = cdist(data, data) if metric == "precomputed" else data
    exact = PointMeasures(given)
    monkeypatch.setattr(point_measures, "MANY", 500)
    monkeypatch.setattr(point_measures, "SAMPLE", 400)
    sampled = PointMeasures(given)
    assert sampled.reference.size == 400
    for name in ("trustworthiness", "continuity", "stress"):
        a, b = (one.measured(name, Y, metric, 10) for one in (exact, sampled))
        assert np.corrcoef(a, b)[0, 1] > 0.98, name
        assert abs(a.mean() - b.mean()) < 0.01, name
        assert np.abs(a - b).max() < 0.1, name
    # Neighbors are never estimated.
    np.testing.assert_array_equal(
        *(one.measured("kept", Y, metric, 10) for one in (exact, sampled))
    )


def test_estimates_take_sparse_data(monkeypatch):
    rng = np.random.default_rng(0)
    data = sparse.random_array((300, 20), density=0.3, rng=rng, format="csr")
    Y = rng.normal(size=(300, 2))
    exact = PointMeasures(data).measured("trustworthiness", Y, "euclidean", 10)
    monkeypatch.setattr(point_measures, "MANY", 100)
    monkeypatch.setattr(point_measures, "SAMPLE", 200)
    sampled = PointMeasures(data).measured("trustworthiness", Y, "euclidean", 10)
    assert np.abs(exact - sampled).max() < 0.15
    assert abs(exact.mean() - sampled.mean()) < 0.02


def test_the_pull_is_the_force_of_the_labels(why):
    pull = why.measure("pull")
    for point in (0, 51, 7):
        labels = [f.vector for f in why.forces(point).terms if f.role == "labels"]
        assert pull[point] == pytest.approx(np.linalg.norm(np.sum(labels, axis=0)))
    assert (pull[[0, 1, 2, 50, 51, 52]] > 0).all()
    assert not pull[3:50].any()


# -- forces -------------------------------------------------------------------------


def test_forces_are_differences_of_the_cost(session, why):
    Y = session.embedding.astype(float)
    objective = nb.objectives.HeavyTailed(
        nb.affinities.perplexity_affinities(X, 30.0, dtype=np.float64).joint(),
        1.0,
        supervision=session.supervision,
        rho=0.5,
    )
    for point in (0, 60):
        forces = why.forces(point)
        slope, h = np.zeros(2), 1e-4
        for axis in range(2):
            ahead, behind = Y.copy(), Y.copy()
            ahead[point, axis] += h
            behind[point, axis] -= h
            slope[axis] = (objective.cost(ahead) - objective.cost(behind)) / (2 * h)
        size = max(np.linalg.norm(f.vector) for f in forces.terms)
        np.testing.assert_allclose(forces.total, -slope, atol=1e-4 * size)
        assert forces.cost == pytest.approx(session.cost, rel=1e-5)
        assert forces.equation.startswith("J = ")
        assert [f.role for f in forces.terms] == [
            "constant",
            "attraction",
            "labels",
            "repulsion",
            "aid",
        ]


def test_forces_cancel_at_rest():
    method = nb.HSSNE(random_state=0, n_jobs=1, propagate_labels=False)
    with nb.Session(X, method) as session:
        session.pace = None
        session.play()
        assert session.wait("converged", timeout=GUARD)
        forces = Why(session).forces(0)
        longest = max(np.linalg.norm(f.vector) for f in forces.terms)
        assert np.linalg.norm(forces.total) < 0.05 * longest


def test_forces_on_a_pinned_point_are_told(start):
    session = start(nb.HSSNE(random_state=0, n_jobs=1))
    session.step(5)
    session.pin([3])
    session.step(2, wait=True)
    why = Why(session)
    assert why.forces(3).pinned
    assert not why.forces(4).pinned
    assert np.linalg.norm(why.forces(3).total) > 0


@pytest.mark.parametrize(
    "method",
    [
        nb.SNE(random_state=0),
        nb.NeRV(random_state=0),
        nb.Mbed(n_classes=2, random_state=0),
        nb.Mbed(n_classes=2, directions="centers", random_state=0),
        nb.spectral.FDA(),
    ],
)
def test_every_method_says_what_its_cost_is(method, start):
    session = start(method)
    session.label([0, 1, 2], "a")
    session.label([5, 6, 7], "b")
    session.step(5, wait=True)
    forces = Why(session).forces(0)
    assert forces.cost == pytest.approx(session.cost, rel=1e-4, abs=1e-6)
    assert np.isfinite(forces.total).all()


def test_an_evaluation_serves_all_points(why, session, monkeypatch):
    first = why.forces(0)
    monkeypatch.setattr(nb.objectives.HeavyTailed, "cost_terms", lambda *_: 1 / 0)
    assert why.forces(1).cost == first.cost


# -- what is refused ----------------------------------------------------------------


def test_what_is_asked_for_must_be_there(why):
    with pytest.raises(ValueError, match=r"point must be in \[0, 150\), got 150"):
        why.neighborhood(150)
    with pytest.raises(ValueError, match="point must be"):
        why.forces(-1)
    with pytest.raises(TypeError, match="point must be"):
        why.forces("a")
    with pytest.raises(ValueError, match="k must be below the number of points, 150, got 150"):
        why.neighborhood(0, k=150)
    with pytest.raises(ValueError, match="k must be below half of the 150 points, got 75"):
        why.measure("trustworthiness", k=75)
    with pytest.raises(ValueError, match="name must be one of"):
        why.measure("beauty")
    with pytest.raises(TypeError, match="k must be"):
        why.measure("stress", k="many")
    with pytest.raises(ValueError, match="timeout must be"):
        why.unsupervised(timeout=-1)


def test_there_is_nothing_to_explain_before_there_is_a_map(start):
    why = Why(start())
    for ask in (lambda: why.neighborhood(0), lambda: why.measure("kept"), lambda: why.forces(0)):
        with pytest.raises(RuntimeError, match="there is no"):
            ask()


def test_a_closed_session_says_that_it_is_closed(start):
    session = start()
    session.step(5, wait=True)
    session.close()
    why = Why(session)
    assert why.neighborhood(0).kept.size <= 10
    with pytest.raises(RuntimeError, match="the session is closed"):
        why.forces(0)


# -- the map without labels ---------------------------------------------------------


def test_the_map_without_labels_is_the_one_that_was_never_labeled(session, why):
    found = why.unsupervised(timeout=GUARD)
    until = [lambda run: run.iteration == found.iteration]
    plain = nb.HSSNE(random_state=0, n_jobs=1, tol=0, callbacks=until).fit(X)
    assert plain.n_iter_ == found.iteration
    np.testing.assert_array_equal(found.embedding, plain.embedding_)
    assert found.cost == pytest.approx(plain.cost_, rel=1e-4)
    assert why.unsupervised(timeout=GUARD) is found  # it is kept


def test_it_stays_while_labels_and_their_weight_change(start):
    session = start(nb.HSSNE(random_state=0, n_jobs=1))
    session.step(5, wait=True)
    why = Why(session)
    first = why.unsupervised(timeout=GUARD)
    session.label([0, 1], "a")
    session.set(rho=0.9)
    assert why.unsupervised(timeout=GUARD) is first
    session.set(alpha=2.0)
    other = why.unsupervised(timeout=GUARD)
    assert other is not first
    assert not np.array_equal(other.embedding, first.embedding)


def test_classes_are_counted_without_labels(start):
    known = nb.Supervision(30).label([0, 1], "a").label([2, 3], "b")
    session = start(nb.Mbed(random_state=0, max_iter=30), supervision=known)
    session.step(3, wait=True)
    assert np.isfinite(Why(session).unsupervised(timeout=GUARD).embedding).all()


def test_qualities_are_the_means_of_both_maps(session, why):
    found = why.qualities(k=7, timeout=GUARD)
    other = why.unsupervised(timeout=GUARD)
    assert list(found) == ["trustworthiness", "continuity", "kept", "stress"]
    trust = found["trustworthiness"]
    assert trust.here == pytest.approx(measures.trustworthiness(X, session.embedding, 7))
    assert trust.unsupervised == pytest.approx(measures.trustworthiness(X, other.embedding, 7))
    assert trust.moved == trust.here - trust.unsupervised


def test_the_map_without_labels_is_made_in_the_background(session, monkeypatch):
    from nbembed.session.readings import unsupervised as module

    begun, go = threading.Event(), threading.Event()
    run = module.run_to_rest

    def slow(*arguments):
        begun.set()
        assert go.wait(GUARD)
        return run(*arguments)

    monkeypatch.setattr(module, "run_to_rest", slow)
    why = Why(session)
    assert why.without_labels.ask()[0] is None
    assert begun.wait(GUARD)
    assert why.unsupervised(timeout=0.01) is None
    assert why.qualities(timeout=0.01) == {}
    go.set()
    assert why.unsupervised(timeout=GUARD) is not None


def test_what_cannot_be_made_is_said(session, monkeypatch):
    from nbembed.session.readings import unsupervised as module

    monkeypatch.setattr(module, "run_to_rest", lambda *_: 1 / 0)
    with pytest.raises(RuntimeError, match="the map without labels cannot be computed: division"):
        Why(session).unsupervised(timeout=GUARD)


def test_a_map_without_labels_that_is_canceled_takes_no_further_step(start):
    why = Why(start(Fake(random_state=3, tol=0.0)))
    fake.gate.clear()
    why.without_labels.ask()
    eventually(lambda: fake.calls["objective"])
    why.cancel()
    fake.gate.set()
    eventually(lambda: not why.without_labels.task.busy)
    assert why.without_labels._told <= 1


def test_closing_ends_the_affinities_of_the_map_without_labels(start):
    slow.clean()
    session = start(slow.Slow(random_state=3))
    why = Why(session)
    slow.gate.clear()
    why.without_labels.ask()
    eventually(lambda: slow.begun)
    session.close()
    eventually(lambda: not why.without_labels.task.busy)
    assert (slow.made, why.without_labels.task.newest) == ([], None)
    slow.clean()


# -- other maps -------------------------------------------------------------------------------


def test_other_maps_are_of_samples_and_kept(session, why):
    maps = why.resampled(timeout=GUARD)
    assert len(maps) == resampled.MAPS
    left_out = [np.isnan(one).all(axis=1) for one in maps]
    assert [int(out.sum()) for out in left_out] == [15] * len(maps)
    assert len({out.tobytes() for out in left_out}) == len(maps)
    assert why.resampled(timeout=GUARD) is maps
    again = Why(session).resampled(timeout=GUARD)
    for one, other in zip(maps, again, strict=True):
        np.testing.assert_array_equal(one, other)
    values = why.measure("stability", k=7)
    expected = measures.stability(session.embedding, maps, 7, per_point=True)
    np.testing.assert_array_equal(values, expected)


def test_a_group_recurs_on_other_maps(session, why):
    setosa = np.flatnonzero(SPECIES == 0)
    assert why.recurrence(setosa, timeout=GUARD).all()
    drawn = np.random.default_rng(0).permutation(150)[:50]
    assert not why.recurrence(drawn, timeout=GUARD).any()


def test_other_maps_stay_while_labels_change(start):
    session = start(Fake(random_state=3))
    why = Why(session)
    first = why.resampled(timeout=GUARD)
    session.label([0, 1], "a")
    assert why.resampled(timeout=GUARD) is first
    session.set(weight=0.5)
    assert why.resampled(timeout=GUARD) is not first


def test_other_maps_wait_for_a_map_in_motion(start):
    session = start(Fake(random_state=3, tol=0.0))
    session.pace = 20.0
    session.step(1, wait=True)
    why = Why(session)
    session.play()
    eventually(lambda: session.state == "running")
    with pytest.raises(RuntimeError, match="other maps are still being computed"):
        why.measure("stability")
    eventually(lambda: why.other_maps.task.busy)
    assert why.resampled(timeout=0.05) is None
    assert why.other_maps.ask() == (None, 0)
    session.pause()
    assert why.resampled(timeout=GUARD) is not None


def test_other_maps_can_be_canceled(start):
    session = start(Fake(random_state=3))
    why = Why(session)
    fake.gate.clear()
    why.other_maps.ask()
    eventually(lambda: why.other_maps.task.busy)
    why.cancel("stability")
    fake.gate.set()
    eventually(lambda: not why.other_maps.task.busy)
    assert why.other_maps.task.newest is None


@pytest.mark.parametrize("n", [30, 60])
def test_other_maps_of_few_points_have_a_perplexity_of_their_own(n):
    few = np.random.default_rng(0).normal(size=(n, 4))
    with nb.Session(few, nb.HSSNE(perplexity=(n - 1) / 3, random_state=0, n_jobs=1)) as session:
        session.step(5, wait=True)
        maps = Why(session).resampled(timeout=GUARD)
        assert {int((~np.isnan(one[:, 0])).sum()) for one in maps} == {round(0.9 * n)}


def test_other_maps_of_distances_are_of_theirs():
    D = cdist(X, X)
    with nb.Session(D, nb.HSSNE(metric="precomputed", random_state=0, n_jobs=1)) as session:
        session.step(5, wait=True)
        assert np.isfinite(Why(session).resampled(timeout=GUARD)[0]).any()
