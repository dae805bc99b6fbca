"""Cost curves and annealing paths: read from whatever ran, told as it was."""

from __future__ import annotations

import math
from dataclasses import dataclass
from types import SimpleNamespace

import numpy as np
import pytest
from bokeh.models import BoxAnnotation, Label, Legend, Range1d, Scatter, Span
from sklearn.datasets import load_iris

import nbembed as nb
from nbembed import plots
from nbembed.plots.annealing import chosen_steps, winner
from nbembed.run import Record


def record(k, cost=math.nan, stage="", **parameters):
    return Record(k, cost, 0.1, stage, parameters)


TRACE = [
    record(1, 5.0, "warm", alpha=1.0),
    record(2, stage="warm"),
    record(3, 3.0, "warm"),
    record(4, 2.0),
    record(5),
    record(6, 1.0),
]


def added(figure, kind):
    """Return what was laid over the plot, without what its tools bring."""
    return [thing for thing in figure.center if isinstance(thing, kind)]


def curve(figure):
    return figure.renderers[0].data_source.data


def test_only_costs_that_were_evaluated_are_drawn():
    figure = plots.cost_curve(TRACE)
    assert curve(figure)["iteration"] == [1, 3, 4, 6]
    assert curve(figure)["cost"] == [5, 3, 2, 1]
    assert curve(figure)["parameters"][0] == "alpha = 1"


def test_stages_are_shaded_and_named():
    figure = plots.cost_curve(TRACE)
    (box,) = added(figure, BoxAnnotation)
    assert (box.left, box.right) == (0, 3)
    (label,) = added(figure, Label)
    assert label.text.text == "warm"


def test_names_of_short_stages_are_below_each_other():
    stages = ("exaggeration", "release", "after", "the rest of it")
    ends = (50, 60, 70, 350)
    trace = [
        record(k, 1.0, next(name for name, end in zip(stages, ends) if k <= end))
        for k in range(1, 351)
    ]
    figure = plots.cost_curve(trace)
    labels = added(figure, Label)
    named = {label.text.text: (label.x, label.y_offset) for label in labels}
    assert set(named) == {"exaggeration", "release", "the rest of it"}, "one has no room"
    assert named["exaggeration"][1] < named["release"][1]
    assert named["the rest of it"][1] == named["exaggeration"][1], "there is room again"
    padding = figure.y_range.range_padding
    share = padding / 2 / (1 + padding)
    assert named["release"][1] + 12 < share * (280 - 80), "the upper line is inside the frame"


def test_stages_of_one_name_are_told_apart_by_lambda_and_named_once():
    trace = [record(k, 1.0, "anneal", lam=float(k // 5)) for k in range(1, 20)]
    figure = plots.cost_curve(trace)
    assert len(added(figure, BoxAnnotation)) == 4
    assert len(added(figure, Label)) == 1


def test_several_runs_share_a_figure():
    figure = plots.cost_curve({"a": TRACE, "<b>": TRACE[3:]})
    assert [item.label.value for item in figure.select_one(Legend).items] == ["a", "<b>"]
    assert added(figure, BoxAnnotation) == []
    colors = {r.glyph.line_color for r in figure.renderers}
    assert len(colors) == 2


def test_estimators_sessions_and_explorers_are_read():
    X = load_iris().data[:40]
    fitted = nb.HSSNE(random_state=0, max_iter=60, n_jobs=1).fit(X)
    known = [r.cost for r in fitted.trace_ if math.isfinite(r.cost)]
    assert curve(plots.cost_curve(fitted))["cost"] == known
    with nb.Session(X, nb.HSSNE(random_state=0, n_jobs=1)) as session:
        session.step(30)
        session.wait(timeout=60)
        assert curve(plots.cost_curve(session))["iteration"][-1] <= 30
        shown = SimpleNamespace(session=session)
        assert curve(plots.cost_curve({"live": shown}))["name"][0] == "live"


@pytest.mark.parametrize(
    ("source", "error", "message"),
    [
        (3, TypeError, "source must be a trace"),
        ([1, 2], TypeError, "source must be a trace"),
        ([], ValueError, "source must have a trace with at least one record"),
        ({}, ValueError, "at least one trace"),
        ({"a": "text"}, TypeError, r"source\['a'\] must be a trace"),
        ([record(1)], ValueError, "must have a record with a cost"),
        (nb.HSSNE(), TypeError, "a fitted estimator"),
    ],
)
def test_bad_sources_are_named(source, error, message):
    with pytest.raises(error, match=message):
        plots.cost_curve(source)


@dataclass
class Step:
    value: float
    embedding: np.ndarray
    criterion: float


@pytest.fixture
def path(rng):
    Y = rng.normal(size=(12, 2))
    criteria = [math.nan, 1.0, 4.0, 3.0, 2.0, 1.5, 1.2, 1.1]
    lams = np.geomspace(20, 0.2, 8)
    return [Step(lam, Y * k, J) for k, (lam, J) in enumerate(zip(lams, criteria), start=1)]


def test_the_winner_is_drawn_and_marked(path):
    strip, below = plots.annealing_path(path, np.arange(12) % 2, maps=3).children
    titles = [figure.title.text.text for figure in strip.children]
    assert len(titles) == 3
    assert [("best" in title) for title in titles].count(True) == 1
    assert "λ = 5.37 ★ best" in titles
    assert below.select_one(Span).location == pytest.approx(path[2].value)
    assert isinstance(below.x_range, Range1d)
    assert below.x_range.start > below.x_range.end, "λ falls as time goes on"


def test_an_empty_class_is_shown_as_no_criterion(path):
    below = plots.annealing_path(path).children[1]
    dots = next(r for r in below.renderers if isinstance(r.glyph, Scatter))
    assert dots.data_source.data["text"][0] == "an empty class"
    nowhere = [Step(s.value, s.embedding, math.nan) for s in path]
    assert winner(nowhere) is None
    strip, below = plots.annealing_path(nowhere).children
    assert below.select_one(Span) is None
    assert all("best" not in figure.title.text.text for figure in strip.children)


def test_all_maps_of_a_path_share_their_points(path):
    strip = plots.annealing_path(path, maps=4).children[0]
    sources = {figure.renderers[0].data_source.id for figure in strip.children}
    assert len(sources) == 1


def test_the_steps_drawn_are_spread_and_hold_the_best():
    assert chosen_steps(19, 4, None) == [0, 6, 12, 18]
    assert chosen_steps(19, 4, 7) == [0, 7, 12, 18]
    assert chosen_steps(3, 6, 1) == [0, 1, 2]
    assert chosen_steps(9, 1, 4) == [4]


def test_a_fitted_mbed_and_a_session_have_paths():
    iris = load_iris()
    X, y = iris.data[::3], iris.target[::3]
    fitted = nb.Mbed(n_classes=3, max_iter=60, random_state=0, n_jobs=1).fit(X)
    strip, _ = plots.annealing_path(fitted).children
    names = strip.children[0].renderers[0].data_source.data["name"]
    assert names == [str(label) for label in fitted.labels_]
    with nb.Session(X, nb.Mbed(n_classes=3, max_iter=60, random_state=0, n_jobs=1)) as session:
        session.step(60)
        session.wait(timeout=60)
        strip, _ = plots.annealing_path(session, y).children
        assert len(strip.children) == 6


@pytest.mark.parametrize(
    ("arguments", "error", "message"),
    [
        ({"path": 3}, TypeError, "path must be a fitted Mbed"),
        ({"path": []}, ValueError, "at least one layout"),
        ({"maps": 0}, ValueError, "maps must be at least 1"),
        ({"size": 3}, ValueError, "size must be at least 60"),
        ({"y": [1]}, ValueError, "y must have one value"),
    ],
)
def test_bad_paths_are_named(path, arguments, error, message):
    with pytest.raises(error, match=message):
        plots.annealing_path(**{"path": path, **arguments})
