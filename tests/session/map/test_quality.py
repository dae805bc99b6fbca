"""The quality beside the map: exact for few points, a sample in small steps for many."""

from __future__ import annotations

import math

import numpy as np
import pytest
from scipy import sparse

from nbembed.measures import nearest_neighbors, neighbor_preservation
from nbembed.session.map import quality
from nbembed.session.map.quality import QualityMeter


def finished(meter: QualityMeter, Y: np.ndarray, metric: object = "euclidean") -> tuple[float, int]:
    """Return the quality of a layout, and the number of steps that it took."""
    for steps in range(1, 10_000):
        value = meter.measure(Y, metric, now=True)
        if not meter.unfinished:
            return value, steps
    raise AssertionError("it is never finished")


def test_few_points_are_measured_at_once() -> None:
    rng = np.random.default_rng(0)
    X, Y = rng.normal(size=(300, 5)), rng.normal(size=(300, 2))
    meter = QualityMeter(X)
    assert meter.measure(X[:, :2], "euclidean", now=True) == neighbor_preservation(X, X[:, :2])
    assert not meter.unfinished
    assert meter.measure(Y, "euclidean", now=True) == neighbor_preservation(X, Y)


@pytest.fixture
def small_steps(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(quality, "MANY", 500)
    monkeypatch.setattr(quality, "SAMPLE", 200)
    monkeypatch.setattr(quality, "PAIRS", 20_000)


FORMS = ["dense", "sparse", "cosine", "precomputed", "seuclidean", "mahalanobis"]


@pytest.mark.usefixtures("small_steps")
@pytest.mark.parametrize("form", FORMS)
def test_of_many_a_sample_is_measured_step_by_step(form: str) -> None:
    rng = np.random.default_rng(1)
    data = np.abs(rng.normal(size=(900, 6)))
    data[300:310] = data[300]  # in one place
    if form in ("seuclidean", "mahalanobis"):
        data[450:] *= np.linspace(0.5, 3.0, 6)  # the last points vary otherwise than the first
    Y = (data[:, :2] + 0.02 * rng.normal(size=(900, 2))).astype(np.float32)
    metric = "euclidean" if form in ("dense", "sparse") else form
    X = sparse.csr_array(data) if form == "sparse" else data
    if form == "precomputed":
        X = np.sqrt(((data[:, None] - data[None]) ** 2).sum(axis=2))
    meter = QualityMeter(X)
    value, steps = finished(meter, Y, metric)
    assert steps > 10

    points = np.sort(np.random.default_rng(0).choice(900, 200, replace=False))
    wanted = nearest_neighbors(X, 1, metric)[points, 0]
    inside = nearest_neighbors(Y, 1)[points, 0]
    assert value == np.mean(wanted == inside)
    assert 0 < value < 1


@pytest.mark.usefixtures("small_steps")
def test_a_layout_is_measured_to_its_end_before_the_next() -> None:
    rng = np.random.default_rng(2)
    X = rng.normal(size=(900, 2))
    meter = QualityMeter(X)
    seen = set()
    for _ in range(200):  # every layout is new
        seen.add(meter.measure(X.copy(), "euclidean", now=True))
    known = {value for value in seen if not math.isnan(value)}
    assert known == {1.0}


@pytest.mark.usefixtures("small_steps")
def test_a_metric_that_fails_stops_nothing() -> None:
    def broken(a: np.ndarray, b: np.ndarray) -> float:
        raise RuntimeError("no distance")

    X = np.random.default_rng(3).normal(size=(900, 2))
    meter = QualityMeter(X)
    assert math.isnan(meter.measure(X, broken, now=True))
    assert not meter.unfinished
