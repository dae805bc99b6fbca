"""What is not legal is refused by name when an objective is made, and layouts when it is asked."""

from __future__ import annotations

import numpy as np
import pytest

from nbembed.objectives import (
    SNE,
    HeavyTailed,
    LargeMargin,
    NeighborRetrieval,
    Parametric,
    Pinned,
    circle,
    simplex,
)
from nbembed.objectives.base import LARGEST
from nbembed.supervision import Supervision
from nbembed.validation import MAX_CLASSES, MAX_COMPONENTS

N = 6
ROWS = (1 - np.eye(N)) / (N - 1)
PROBA = np.full((N, 3), 1 / 3)

OF_PAIRS = {
    "HeavyTailed": lambda P=ROWS / N, **k: HeavyTailed(P, n_jobs=1, **k),
    "SNE": lambda P=ROWS, **k: SNE(P, n_jobs=1, **k),
    "LargeMargin": lambda P=ROWS, **k: LargeMargin(
        P, **{"lam": 1.0, "directions": simplex(3), "n_jobs": 1, **k}
    ),
    "NeighborRetrieval": lambda P=ROWS, **k: NeighborRetrieval(
        P, **{"width": "uniform", "n_jobs": 1, **k}
    ),
}


@pytest.mark.parametrize("make", OF_PAIRS.values(), ids=OF_PAIRS)
def test_supervision(make):
    for wrong in (3, "a", np.zeros(N, int)):
        with pytest.raises(TypeError, match="supervision must be a Supervision or None"):
            make(supervision=wrong)
    with pytest.raises(ValueError, match="supervision must cover 6 points, got one of 5"):
        make(supervision=Supervision(5))
    for links in ("even", None, 1):
        with pytest.raises(ValueError, match="link_form must be"):
            make(link_form=links)


@pytest.mark.parametrize("P", [None, "abc", [[1, 2], [3]], {}, len])
@pytest.mark.parametrize("make", OF_PAIRS.values(), ids=OF_PAIRS)
def test_probabilities(make, P):
    with pytest.raises(TypeError, match="P must be an array of numbers"):
        make(P)


@pytest.mark.parametrize(
    ("Y", "kind", "message"),
    [
        (None, TypeError, "real numbers"),
        ("ab", TypeError, "real numbers"),
        ([["1", "2"]] * N, TypeError, "real numbers"),
        (np.ones((N, 2)) + 1j, TypeError, "real numbers"),
        ([[1, 2], [3]], TypeError, "real numbers"),
        (np.ones((N - 1, 2)), ValueError, "shape"),
        (np.ones(N), ValueError, "shape"),
    ],
)
@pytest.mark.parametrize("make", OF_PAIRS.values(), ids=OF_PAIRS)
def test_layouts(make, Y, kind, message):
    with pytest.raises(kind, match=f"Y must .*{message}"):
        make().evaluate(Y)


@pytest.mark.parametrize("make", OF_PAIRS.values(), ids=OF_PAIRS)
def test_a_layout_may_be_a_list_of_whole_numbers(make):
    Y = np.arange(3 * N).reshape(N, 3) % 5
    objective = make()
    assert objective.cost(Y.tolist()) == objective.cost(Y.astype(objective.dtype))


@pytest.mark.parametrize(
    ("keywords", "kind", "message"),
    [
        ({"directions": "simplex"}, TypeError, "directions must be real numbers"),
        ({"directions": [[1.0], [1.0, 2.0]]}, TypeError, "directions must be real numbers"),
        ({"directions": np.eye(2) * 1j}, TypeError, "directions must be real numbers"),
        ({"directions": np.full((2, 2), np.nan)}, ValueError, "directions must be finite"),
        ({"class_prior": "equal"}, TypeError, "class_prior must be real numbers"),
        ({"class_prior": [1, 1j, 0]}, TypeError, "class_prior must be real numbers"),
        ({"class_prior": [0.5, 0.5]}, ValueError, r"class_prior must have shape \(3,\)"),
    ],
)
def test_large_margin(keywords, kind, message):
    with pytest.raises(kind, match=message):
        OF_PAIRS["LargeMargin"](**keywords)


@pytest.mark.parametrize(
    ("width", "kind", "message"),
    [
        (None, TypeError, "must be real numbers"),
        (1j, TypeError, "must be real numbers"),
        ({}, TypeError, "must be real numbers"),
        ("wide", ValueError, "must be one of"),
        (np.ones(N - 1), ValueError, r"shape \(6,\)"),
        (-np.ones(N), ValueError, "must be"),
    ],
)
def test_width(width, kind, message):
    with pytest.raises(kind, match=f"width {message}" if kind is TypeError else "width must be"):
        OF_PAIRS["NeighborRetrieval"](width=width)


@pytest.mark.parametrize(
    ("prior", "kind"),
    [("a", TypeError), ([1j, 0, 0], TypeError), ([0.5, 0.5], ValueError), ([1, 1, 1], ValueError)],
)
def test_prior_of_posteriors(prior, kind):
    with pytest.raises(kind, match="prior must"):
        Parametric(PROBA, prior)


@pytest.mark.parametrize("make", [simplex, circle])
@pytest.mark.parametrize(
    ("value", "kind"),
    [(None, TypeError), (2.0, TypeError), (True, TypeError), ("3", TypeError), (0, ValueError)],
)
def test_directions(make, value, kind):
    with pytest.raises(kind, match="n_classes must be"):
        make(value)
    if value is not None:
        with pytest.raises(kind, match="n_components must be"):
            make(3, value)


def test_pinned():
    for wrong in (None, 3, ROWS):
        with pytest.raises(TypeError, match="objective must be an Objective"):
            Pinned(wrong, [1])
    for points in ([N], [0.5], [[1]]):
        with pytest.raises((TypeError, ValueError), match="points must be"):
            Pinned(OF_PAIRS["SNE"](), points)


@pytest.mark.filterwarnings("error")
@pytest.mark.parametrize("dtype", [np.float32, np.float64])
@pytest.mark.parametrize("make", [*OF_PAIRS.values(), Parametric], ids=[*OF_PAIRS, "Parametric"])
def test_layouts_out_of_range(make, dtype):
    """Up to the bound everything is finite; beyond it squared distances would overflow."""
    objective = make((PROBA if make is Parametric else make.__defaults__[0]).astype(dtype))
    Y = np.random.default_rng(0).normal(size=(objective.n_samples, 3))
    Y *= 0.999 * LARGEST[objective.dtype] / np.linalg.norm(Y)
    for scale in (1e-10, 1.0):
        seen = objective.evaluate(scale * Y)
        assert np.isfinite(seen.cost)
        assert np.isfinite(seen.gradient).all()
        assert objective.in_range(scale * Y)
    for wrong, message in (
        (1.01 * Y, r"norm .* at most 1e\+(15|140) in float"),
        (np.full_like(Y, 1e300), "(be finite|have a Frobenius norm)"),
        (np.full_like(Y, np.nan), "be finite"),
        (np.full_like(Y, -np.inf), "be finite"),
    ):
        assert not objective.in_range(wrong)
        for ask in (objective.evaluate, objective.cost, objective.gradient):
            with pytest.raises(ValueError, match=f"Y must .*{message}"):
                ask(wrong)


@pytest.mark.parametrize("make", [simplex, circle])
def test_numbers_of_classes_and_dimensions_are_bounded(make):
    assert make(MAX_CLASSES, MAX_COMPONENTS).shape == (MAX_CLASSES, MAX_COMPONENTS)
    for n_classes in (MAX_CLASSES + 1, 2**31, 2**62):
        with pytest.raises(ValueError, match="n_classes must be at most 1000"):
            make(n_classes)
    with pytest.raises(ValueError, match="n_components must be at most 1000"):
        make(3, 10**6)
