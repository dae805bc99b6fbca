"""Mbed's costs by the grid against those over all pairs: one objective, class terms included."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest
from scipy import sparse

from nbembed.kernels.grid import size
from nbembed.objectives import SNE, HeavyTailed, LargeMargin, circle, simplex
from nbembed.objectives.heavy_tailed_margin import HeavyTailedMargin
from nbembed.objectives.regions import Centers, Rays
from nbembed.supervision import Supervision
from tests.objectives.sparse_rows import sparse_rows

N = 1000
WIDTHS = (0.01, 0.3, 3.0, 12.0, 40.0, 100.0, 200.0)
#: In space wider maps than this have too many nodes for a test, and are summed exactly.
WIDEST_IN_SPACE = 12.0


pytestmark = pytest.mark.usefixtures("always_the_grid")


@pytest.fixture(autouse=True)
def few_nodes(monkeypatch: pytest.MonkeyPatch) -> None:
    """Let wide maps in space be summed exactly: their grids would take long."""
    monkeypatch.setattr(size, "MOST_BYTES", 2**25)


@pytest.fixture(scope="module")
def rows() -> Any:
    return sparse_rows(N)


@pytest.fixture(scope="module")
def joint(rows: Any) -> Any:
    return sparse.csr_array((rows + rows.T) / (2 * N))


def clumped(d: int, width: float) -> Any:
    """Return a map of this extent: a dense middle, two clumps, and duplicates."""
    rng = np.random.default_rng(1)
    Y = rng.normal(size=(N, d)) * rng.choice([0.1, 1.0], size=(N, 1))
    Y[100:200] = Y[0] + 1e-4 * rng.normal(size=(100, d))
    Y[200:250] = Y[1]
    return Y * (width / np.ptp(Y, axis=0).max())


def supervision() -> Supervision:
    """Return labels, links and cannot-links."""
    told = Supervision(N, ["a", "b", "c"]).label(np.arange(40), "a")
    told = told.label(np.arange(40, 60), "b", confidence=0.7).must_link(np.arange(300, 330))
    return told.must_link([3, 200]).cannot_link([1, 2], [300, 301])


def centers() -> Centers:
    """Return four centers of three classes."""
    rng = np.random.default_rng(2)
    targets, weights = rng.dirichlet(np.ones(3), N), rng.choice([0.1, 1.0], size=N)
    return Centers(np.arange(N) % 4, np.ones(N), np.array([0, 1, 1, 2]), targets, weights)


def mbed(form: str, P: tuple[Any, Any], d: int, lam: float, **given: Any) -> Any:
    """Return Mbed's cost, with class terms that weigh as much as the neighborhoods."""
    rows, joint = P
    W = circle(3) if d == 2 else simplex(3, 3)
    given = {"margin_weight": float(N), **given}
    if form == "rows":
        return LargeMargin(rows, lam, W, supervision(), label_distance=lam, **given)
    regions = centers() if form == "centers" else Rays(W, lam)
    return HeavyTailedMargin(joint, lam, regions, supervision(), **given)


@pytest.mark.parametrize("d", [2, 3])
@pytest.mark.parametrize("form", ["rows", "rays", "centers"])
def test_cost_and_force_over_all_widths(rows: Any, joint: Any, form: str, d: int) -> None:
    for width in WIDTHS:
        Y = clumped(d, width)
        exact, grid = (
            mbed(form, (rows, joint), d, 0.2 * width, algorithm=a) for a in ("exact", "grid")
        )
        assert (exact.algorithm, grid.algorithm) == ("exact", "grid")
        right, found = exact.evaluate(Y), grid.evaluate(Y)
        assert found.cost == pytest.approx(right.cost, rel=1e-4), width
        error = np.linalg.norm(found.gradient - right.gradient) / np.linalg.norm(right.gradient)
        assert error < 1e-3, width
        np.testing.assert_allclose(found.curvature, right.curvature, rtol=1e-6)
        on_grid = (d == 2 and width < 20) or width < WIDEST_IN_SPACE
        assert error > 0 or not on_grid, "the grid has been used"


@pytest.mark.parametrize("lam", [0.05, 1.0, 40.0])
@pytest.mark.parametrize("with_prior", [False, True])
def test_margin_balance_and_labels_are_the_same_to_rounding(
    rows: Any, joint: Any, lam: float, with_prior: bool
) -> None:
    """What the class terms add to the cost of the neighborhoods does not depend on the sum."""
    Y = clumped(2, 6.0)
    prior = [0.5, 0.2, 0.3] if with_prior else None
    told = supervision()
    links = Supervision(N).must_link(told.links[0]).must_link(told.links[1])
    links = links.cannot_link(*told.cannot_links[0])
    for form in ("rows", "rays", "centers"):
        added = []
        for algorithm in ("exact", "grid"):
            given: Any = {"supervision": links, "algorithm": algorithm}
            if form == "rows":
                plain = SNE(rows, **given).cost(Y)
            else:
                plain = N * HeavyTailed(joint, 1.0, **given).cost(Y)
            made = mbed(form, (rows, joint), 2, lam, algorithm=algorithm, class_prior=prior)
            added.append(made.cost(Y) - plain)
        assert added[0] != 0
        assert added[1] == pytest.approx(added[0], rel=1e-9, abs=1e-8)


@pytest.mark.parametrize("form", ["rows", "centers"])
def test_gradient_is_the_derivative_of_the_cost(rows: Any, joint: Any, form: str) -> None:
    objective = mbed(form, (rows, joint), 2, 1.0, algorithm="grid")
    Y = clumped(2, 6.0)
    direction = np.random.default_rng(3).normal(size=Y.shape)
    slope = float((objective.evaluate(Y).gradient * direction).sum())
    ahead, behind = (objective.cost(Y + step * direction) for step in (1e-4, -1e-4))
    assert (ahead - behind) / 2e-4 == pytest.approx(slope, rel=1e-3)


@pytest.mark.parametrize("form", ["rows", "rays", "centers"])
@pytest.mark.parametrize("d", [2, 3])
def test_the_same_bits_for_any_number_of_threads(rows: Any, joint: Any, form: str, d: int) -> None:
    Y = clumped(d, 8.0).astype(np.float32)
    P = rows.astype(np.float32), joint.astype(np.float32)
    one, *others = (
        mbed(form, P, d, 1.0, algorithm="grid", n_jobs=n).evaluate(Y) for n in (1, 2, 5)
    )
    for other in others:
        assert other.cost == one.cost
        assert np.array_equal(other.gradient, one.gradient)
        assert np.array_equal(other.curvature, one.curvature)


@pytest.mark.parametrize("form", ["rows", "rays", "centers"])
def test_the_algorithm_is_kept_and_checked(rows: Any, joint: Any, form: str) -> None:
    objective = mbed(form, (rows, joint), 2, 1.0, algorithm="grid")
    assert objective.with_parameters(lam=2.0, rho=0.2).algorithm == "grid"
    assert mbed(form, (rows, joint), 2, 1.0).algorithm == "exact"
    with pytest.raises(ValueError, match="algorithm must be one of 'exact', 'grid'"):
        mbed(form, (rows, joint), 2, 1.0, algorithm="trees")
