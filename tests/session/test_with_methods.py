"""Sessions of the real methods: small data, all of the steering, the same bits again."""

from __future__ import annotations

import numpy as np
import pytest
from scipy import sparse
from sklearn.datasets import load_iris
from sklearn.metrics import pairwise_distances

import nbembed as nb
from nbembed.session import Session, load_session
from tests.session.fake import rest
from tests.session.parts import cost_anew
from tests.session.redone import redone
from tests.waiting import GUARD


@pytest.fixture(scope="module")
def iris() -> np.ndarray:
    return load_iris().data[::3]


@pytest.fixture
def make():
    made: list[Session] = []

    def session(X, method=None, **keywords) -> Session:
        made.append(Session(X, method, **keywords))
        made[-1].pace = None
        return made[-1]

    yield session
    for each in made:
        each.close()


def test_the_default_is_hssne(iris, make):
    session = make(iris)
    assert session.method_name == "HSSNE"
    assert isinstance(session.method.random_state, int)
    assert {"HSSNE", "Mbed", "SNE", "LFDA", "LPP", "PCA"} <= set(session.methods)
    assert "EmbeddingMethod" not in session.methods
    assert [p.name for p in session.live_parameters] == ["alpha", "compactness", "rho"]


def test_a_cold_start_is_what_fit_computes(iris, make):
    for method in (
        nb.HSSNE(random_state=4, max_iter=40),
        nb.SNE(random_state=4, max_iter=40),
        nb.NeRV(random_state=4, max_iter=60),
        nb.Mbed(n_classes=3, random_state=4, max_iter=60),
    ):
        fitted = method.fit(iris)
        session = make(iris, method)
        session.step(fitted.n_iter_)
        rest(session)
        layouts = [session.embedding, *(step.embedding for step in session.path)]
        # Mbed's fit returns the best layout of its path, a session shows where it is.
        assert any(np.array_equal(fitted.embedding_, Y) for Y in layouts)


def test_hssne_is_steered_and_redone(iris, make):
    session = make(iris, nb.HSSNE(random_state=0))
    session.step(30)  # in the middle of the early exaggeration
    session.set(alpha=1.5)
    session.step(30)
    session.label(range(8), "setosa")
    session.must_link([20, 30])
    session.step(20)
    session.set(perplexity=8)
    session.set(rho=0.9)
    session.step(20)
    session.cannot_link([0, 1], [20])
    session.undo()
    session.undo()
    session.step(20)
    rest(session)
    assert session.trace[-1].parameters["exaggeration"] == 1.0
    assert session.parameters["rho"] == 0.5
    redone(session)


def test_nerv_shrinks_is_steered_and_redone(iris, make, tmp_path):
    session = make(iris, nb.NeRV(random_state=0))
    assert [p.name for p in session.live_parameters] == ["tradeoff", "rho"]
    session.step(45)  # in the middle of the shrinking
    rest(session)
    assert 1 < session.trace[-1].parameters["widening"] < 8
    session.set(tradeoff=0.5)
    session.step(80)
    rest(session)
    assert session.trace[-1].parameters["widening"] == 1.0
    assert session.trace[-1].parameters["tradeoff"] == 0.5
    session.label(range(8), "setosa")
    session.must_link([20, 30])
    session.step(20)
    session.set(rho=0.9)
    session.cannot_link([0, 1], [20])
    session.set(map_width="uniform")
    session.step(20)
    session.undo()
    session.switch("SNE")
    session.step(20)
    session.switch("NeRV")
    session.step(20)
    rest(session)
    redone(session)
    session.save(tmp_path / "x")
    loaded = load_session(tmp_path / "x")
    loaded.step(5)
    rest(loaded)
    redone(loaded)
    loaded.close()


def test_mbed_anneals_is_steered_and_redone(iris, make, tmp_path):
    session = make(iris, nb.Mbed(n_classes=2, random_state=0, max_iter=67))
    session.step(20)
    rest(session)
    lams = [step.value for step in session.path]
    assert lams[0] == pytest.approx(20.0)
    assert session.parameters["lam"] < 20.0
    session.label(range(8), "setosa")
    session.step(40)
    rest(session)
    assert len(session.path) == 19
    best = max(session.path, key=lambda step: step.criterion)
    assert session.path[-1].value == pytest.approx(0.2)
    assert session.parameters["lam"] == pytest.approx(best.value), "it goes on from the best"
    session.show_path_step(10)
    rest(session)
    assert session.parameters["lam"] == pytest.approx(session.path[10].value)
    assert np.array_equal(session.embedding, session.path[10].embedding)
    assert session.membership.shape == (50, 2)
    session.set(lam=1.0)
    session.step(5)
    rest(session)
    redone(session)
    session.save(tmp_path / "x")
    loaded = load_session(tmp_path / "x")
    assert len(loaded.path) == 19
    assert loaded.scale == session.scale
    assert np.array_equal(loaded.directions, session.directions)
    loaded.step(5)
    rest(loaded)
    redone(loaded)
    loaded.close()


def test_touching_lambda_ends_the_annealing(iris, make):
    session = make(iris, nb.Mbed(n_classes=3, random_state=0))
    session.step(60)
    session.set(lam=3.0)
    session.step(100)
    rest(session)
    kept = len(session.path)
    assert 0 < kept < 10
    assert session.parameters["lam"] == 3.0
    assert session.trace[-1].stage == ""
    redone(session)


@pytest.mark.parametrize("directions", [None, "circle"])
def test_a_class_too_many_makes_room(iris, make, directions):
    session = make(iris, nb.Mbed(n_classes=2, lam=1.0, directions=directions, random_state=0))
    session.step(20)
    for k, name in enumerate("abcd"):
        session.label([k, 10 + k], name)
        session.step(5)
    rest(session)
    session.check()
    assert session.method.n_classes == 4
    assert session.directions.shape[0] == 4
    assert session.membership.shape == (50, 4)
    assert session.supervision.labeled.size == 8
    while session.can_undo:
        session.undo()
    session.step(5)
    rest(session)
    assert session.method.n_classes == 2
    assert session.directions.shape[0] == 2
    redone(session)


def test_switching_between_methods_keeps_what_was_said(iris, make):
    session = make(iris, nb.HSSNE(random_state=0, metric="cityblock"))
    session.step(60)
    session.label(range(5), "a")
    session.label(range(20, 25), "b")
    known = session.supervision
    session.switch("Mbed")
    session.step(10)
    rest(session)
    session.check()
    assert session.parameters["metric"] == "cityblock"
    assert session.directions is not None
    session.switch("SNE")
    session.step(10)
    session.switch("HSSNE")
    session.set(alpha=0.5)
    session.step(10)
    rest(session)
    assert session.supervision == known
    assert session.directions is None
    redone(session)


def test_mbed_by_name_has_two_classes_on_a_plane_and_as_an_estimator_must_say(iris, make):
    session = make(iris)
    with pytest.raises(ValueError, match="n_classes must be an integer"):
        session.switch(nb.Mbed())
    assert session.method_name == "HSSNE"
    session.switch("Mbed")
    assert session.n_classes == 2
    session.switch(nb.Mbed(n_classes=3))
    assert session.method.random_state == session.recipe.seed


@pytest.mark.parametrize(
    "bad",
    [
        {"alpha": -1.0},
        {"rho": 1.5},
        {"alpha": np.nan},
        {"perplexity": 50},
        {"perplexity": "many"},
        {"alpha": None},
        {"random_state": "x"},
        {"optimizer": "magic"},
    ],
)
def test_what_the_method_refuses_is_refused_at_once(iris, make, bad):
    session = make(iris)
    before = session.parameters
    with pytest.raises((ValueError, TypeError), match=next(iter(bad))):
        session.set(**bad)
    assert session.parameters == before
    with pytest.raises((ValueError, TypeError), match=next(iter(bad))):
        make(iris, nb.HSSNE(**bad))


def test_sparse_and_precomputed_data(iris, make, tmp_path):
    D = pairwise_distances(iris)
    for X, method in (
        (D, nb.HSSNE(metric="precomputed", random_state=0)),
        (D, nb.Mbed(n_classes=3, metric="precomputed", random_state=0)),
        (sparse.csr_matrix(iris), nb.HSSNE(random_state=0)),
        (sparse.coo_array(iris), nb.Mbed(n_classes=3, random_state=0)),
    ):
        session = make(X, method)
        session.step(20)
        session.label([1, 2], "a")
        session.step(20)
        rest(session)
        assert 0 < session.quality <= 1
        redone(session)
        session.save(tmp_path / "x")
        loaded = load_session(tmp_path / "x")
        assert type(loaded.X) is type(session.X)
        assert abs(loaded.X - session.X).max() == 0
        loaded.step(2)
        rest(loaded)
        redone(loaded)
        loaded.close()


@pytest.mark.filterwarnings("ignore:.*equally near neighbors")
@pytest.mark.parametrize("kind", ["HSSNE", "Mbed", "NeRV", "SNE"])
def test_small_and_degenerate_data(make, kind):
    def method(**keywords):
        if kind == "Mbed":
            keywords["n_classes"] = 2
        return getattr(nb, kind)(random_state=0, **keywords)

    rng = np.random.default_rng(0)
    for X in (
        rng.normal(size=(3, 2)),
        np.repeat(rng.normal(size=(5, 3)), 4, axis=0),
        np.ones((6, 2)),
    ):
        session = make(X, method())
        session.step(30)
        session.label([0, 1], "one")
        session.step(30)
        session.label(np.arange(len(X)), "one")  # one class, all labeled
        session.step(30)
        rest(session)
        session.check()
        assert np.isfinite(session.embedding).all()


def test_a_lasso_of_two_points_does_not_tear_the_map(iris, make):
    session = make(iris, nb.HSSNE(random_state=0))
    session.play()
    assert session.wait("converged", GUARD)
    before = np.ptp(session.embedding)
    session.label([0, 30], "odd pair")
    assert session.wait("converged", GUARD)
    session.check()
    assert np.ptp(session.embedding) < 2 * before


def test_a_finished_path_goes_on_from_its_best_layout(iris, make, tmp_path):
    method = nb.Mbed(n_classes=3, random_state=4, max_iter=60)
    fitted = method.fit(iris)
    session = make(iris, method)
    session.step(fitted.n_iter_)
    rest(session)
    assert np.array_equal(session.frame().embedding, fitted.embedding_)
    assert session.membership is not None
    session.save(tmp_path / "x")
    session.step(5)
    rest(session)
    redone(session)
    loaded = load_session(tmp_path / "x")
    loaded.step(5)
    rest(loaded)
    assert loaded.parameters["lam"] == session.parameters["lam"]
    redone(loaded)
    loaded.close()


def test_the_global_width_follows_the_number_of_classes(iris, make):
    session = make(iris, nb.Mbed(n_classes=3, lam=1.0, random_state=0))
    session.step(3)
    session.set(n_classes=6)
    session.step(3)
    rest(session)
    assert session.cost == pytest.approx(cost_anew(session), rel=1e-6)
