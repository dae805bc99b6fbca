"""Mbed of many points: the grid, affinities of nearest neighbors, and a path of bounded size."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import numpy as np
import pytest
from sklearn.datasets import load_digits

import nbembed as nb
from nbembed.kernels.grid import size
from nbembed.methods import Mbed, MbedRecipe
from nbembed.methods.algorithm import GRID_FROM
from nbembed.methods.mbed import heavy_tailed
from nbembed.methods.mbed.parameters import STAGES
from nbembed.session import load_session
from nbembed.supervision import Supervision
from tests.methods.helpers import partly, quick

FILES = Path(__file__).parents[1] / "session" / "files"


@pytest.fixture
def always_the_grid(monkeypatch: pytest.MonkeyPatch) -> None:
    """Let the grid be used for few points, too, for which all pairs cost less."""
    monkeypatch.setattr(size, "pair_cost", lambda kernel: 1e9)
    monkeypatch.setattr(size, "MOST_BYTES", 2**22)  # wide maps in space would take long


@pytest.fixture(scope="module")
def digits() -> Any:
    """Return 400 digits of three classes, and labels of ten of each."""
    X, y = load_digits(n_class=3, return_X_y=True)
    return X[:400], y[:400], partly(y[:400], 10)


def test_auto_takes_the_grid_for_a_width_each_in_two_or_three_dimensions() -> None:
    wide = Mbed(affinity="perplexity").recipe
    assert wide.algorithm_for(GRID_FROM - 1, 2) == "exact"
    assert wide.neighbors_for(GRID_FROM - 1) is None
    for d, expected in ((2, "grid"), (3, "grid"), (1, "exact"), (10, "exact")):
        assert wide.algorithm_for(GRID_FROM, d) == expected
        assert wide.neighbors_for(GRID_FROM) == 90
    assert wide.replace(algorithm="exact").algorithm_for(10**6, 2) == "exact"
    assert wide.replace(algorithm="exact").neighbors_for(10**6) is None
    assert wide.replace(algorithm="grid").algorithm_for(100, 2) == "grid"
    assert Mbed(directions="centers").recipe.algorithm_for(GRID_FROM, 2) == "grid"
    # One width for all points, the paper's and the default with directions, takes all pairs.
    for affinity in ("auto", "global"):
        paper = Mbed(affinity=affinity).recipe
        assert paper.algorithm_for(10**6, 2) == "exact"
        assert paper.neighbors_for(10**6) is None


def test_the_grid_asked_for_means_a_width_each(pair: Any) -> None:
    X, y = pair
    fitted = quick(Mbed, algorithm="grid").fit(X, partly(y))
    assert fitted.algorithm_ == "grid"
    assert fitted.perplexity_ is not None
    assert fitted.transform(X[:5] + 0.01).shape == (5, 2)
    assert quick(Mbed).fit(X, partly(y)).algorithm_ == "exact"


def test_what_is_refused(pair: Any) -> None:
    X, _ = pair
    with pytest.raises(ValueError, match="algorithm must be one of 'auto', 'exact', 'grid'"):
        quick(Mbed, algorithm="barnes-hut").fit(X)
    with pytest.raises(ValueError, match="n_components = 2 or 3, got 5"):
        Mbed(n_classes=5, algorithm="grid").fit(X)
    with pytest.raises(ValueError, match="needs affinity='perplexity', got 'global'"):
        quick(Mbed, algorithm="grid", affinity="global").fit(X)


def test_many_points_of_a_live_map_have_a_width_each() -> None:
    few, many = np.zeros((GRID_FROM - 1, 2)), np.zeros((GRID_FROM, 2))
    recipe = MbedRecipe()
    assert recipe.live_defaults(few, Supervision(len(few))).affinity == "auto"
    assert recipe.live_defaults(many, Supervision(len(many))).affinity == "perplexity"
    exact = recipe.replace(algorithm="exact")
    assert exact.live_defaults(many, Supervision(len(many))).affinity == "auto"


@pytest.mark.parametrize(
    ("given", "d"),
    [
        ({"directions": "circle"}, 2),
        ({"n_components": 3}, 3),
        ({"directions": "circle", "alpha": 1.0}, 2),
        ({"directions": "centers"}, 2),
    ],
    ids=["circle", "simplex in space", "heavy tails", "centers"],
)
def test_maps_by_the_grid_are_as_good(
    given: Any, d: int, digits: Any, always_the_grid: None
) -> None:
    """By the cost of all pairs, with the affinities of all pairs, and by the labels withheld."""
    X, y, known = digits
    hidden = known < 0
    given = {"perplexity": 15.0, "random_state": 0, "max_iter": 100, **given}
    grid, exact = (
        Mbed(affinity="perplexity", algorithm=a, **given).fit(X, known) for a in ("grid", "exact")
    )
    assert grid.embedding_.shape == (400, d)
    errors = [np.mean(model.labels_[hidden] != y[hidden]) for model in (grid, exact)]
    assert errors[0] <= errors[1] + 0.02 < 0.2
    recipe, told = exact.recipe.replace(lam=1.0), exact.supervision_
    affinities = recipe.make_affinities(X, told)
    start = recipe.make_start(X, affinities, told, np.random.default_rng(0))
    if exact.directions_ is None:
        objective = recipe.make_objective(affinities, told, start.geometry)._neighbors
    else:
        objective = recipe.make_objective(affinities, told, start.geometry)
        objective = objective.with_parameters(margin_weight=0.0, lam=1e6)
    assert objective.cost(grid.embedding_) < 1.05 * objective.cost(exact.embedding_)


@pytest.mark.parametrize("directions", ["circle", "centers"])
def test_the_same_bits_for_any_number_of_threads(
    directions: str, digits: Any, always_the_grid: None
) -> None:
    X, _, known = digits
    given: Any = {"directions": directions, "algorithm": "grid", "max_iter": 40, "random_state": 0}
    one, three = (Mbed(n_jobs=n, **given).fit(X, known) for n in (1, 3))
    assert np.array_equal(one.embedding_, three.embedding_)
    assert np.array_equal(one.membership_, three.membership_)


# -- the path --------------------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("directions", "stages"), [("circle", STAGES), ("centers", heavy_tailed.STAGES)]
)
@pytest.mark.parametrize("max_iter", [60, 200])
def test_a_path_holds_one_layout_for_each_stage(
    directions: str, stages: int, max_iter: int, digits: Any
) -> None:
    X, _, known = digits
    given: Any = {"directions": directions, "max_iter": max_iter, "random_state": 0}
    runs: Any = []
    model = Mbed(callbacks=lambda run: runs.append(run), n_init=2, **given).fit(
        X[:120], known[:120]
    )
    assert len(model.path_) == stages
    for step in model.path_:
        assert step.embedding.dtype == np.float32
        assert step.embedding.nbytes == 4 * 120 * 2
        assert step.embedding.base is None  # not a view of something larger
        assert not np.shares_memory(step.embedding, model.embedding_)
    kept = {id(layout.Y) for layout in runs[-1].kept} | {id(layout.Y) for layout in runs[0].kept}
    assert {id(step.embedding) for step in model.path_} <= kept  # and there is no other copy


def test_a_path_stopped_early_ends_where_it_stopped(pair: Any) -> None:
    X, y = pair
    model = quick(Mbed, max_iter=200, callbacks=lambda run: run.iteration == 25).fit(X, partly(y))
    assert len(model.path_) <= STAGES
    assert model.n_iter_ == 25
    values = [step.value for step in model.path_]
    assert values == sorted(values, reverse=True)
    assert model.path_[-1].value == pytest.approx(
        model.trace_[-1].parameters["lam"] / model.radius_
    )


# -- live ------------------------------------------------------------------------------------------


def test_a_live_map_on_the_grid_replays_and_is_stored(
    digits: Any, always_the_grid: None, tmp_path: Path
) -> None:
    X, y, _ = digits
    method = Mbed(n_classes=2, directions="circle", algorithm="grid", random_state=0)
    session = nb.Session(X[:150], method)
    session.pace = None
    try:
        session.step(40)
        session.label(np.flatnonzero(y[:150] == 0)[:5], "zero")
        session.step(20)
        session.set(alpha=0.7)
        session.step(20, wait=True)
        session.check()
        bits = session.embedding.tobytes()
        assert session.replayed().embedding.tobytes() == bits
        session.save(tmp_path / "grid.nbembed")
        again = load_session(tmp_path / "grid.nbembed")
        try:
            assert again.embedding.tobytes() == bits
            assert again.parameters["algorithm"] == "grid"
        finally:
            again.close()
    finally:
        session.close()
