"""Costs and gradients by the grid against those over all pairs."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest
from scipy import sparse

from nbembed.objectives import SNE, HeavyTailed, NeighborRetrieval, Similarity
from nbembed.supervision import Supervision
from tests.objectives.sparse_rows import sparse_rows

N = 600


def H(tau: float) -> float:
    """Return a similarity of one's own."""
    return 1.0 / (1.0 + tau) ** 2


def score(tau: float) -> float:
    """Return its score."""
    return 2.0 / (1.0 + tau)


pytestmark = pytest.mark.usefixtures("always_the_grid")


@pytest.fixture(scope="module")
def rows() -> Any:
    return sparse_rows(N)


@pytest.fixture(scope="module")
def joint(rows: Any) -> Any:
    return sparse.csr_array((rows + rows.T) / (2 * N))


def supervision() -> Supervision:
    """Return labels, links and cannot-links."""
    labels = Supervision(N).label(np.arange(40), "a").label(np.arange(40, 60), "b", confidence=0.7)
    return labels.must_link(np.arange(100, 130)).must_link([3, 200]).cannot_link([1, 2], [300, 301])


def layout(d: int, width: float = 4.0) -> Any:
    Y = np.random.default_rng(1).normal(size=(N, d)) * width
    Y[5] = Y[4]
    return Y


def assert_close(found: Any, right: Any) -> None:
    assert found.cost == pytest.approx(right.cost, rel=1e-4)
    error = np.linalg.norm(found.gradient - right.gradient)
    assert error < 1e-3 * np.linalg.norm(right.gradient)
    assert error > 0
    np.testing.assert_allclose(found.curvature, right.curvature, rtol=1e-6)
    assert found.auxiliary_cost == pytest.approx(right.auxiliary_cost, rel=1e-9)


@pytest.mark.parametrize("d", [2, 3])
@pytest.mark.parametrize("alpha", [0.0, 0.5, 1.0, 3.0, "own"])
@pytest.mark.parametrize("linked", [False, True])
def test_heavy_tailed(joint: Any, d: int, alpha: Any, linked: bool) -> None:
    if alpha == "own":
        alpha = Similarity(H, score)
    Y = layout(d)
    given: Any = {"supervision": supervision() if linked else None, "exaggeration": 2.0}
    exact = HeavyTailed(joint, alpha, **given).evaluate(Y)
    assert_close(HeavyTailed(joint, alpha, algorithm="grid", **given).evaluate(Y), exact)


@pytest.mark.parametrize("d", [2, 3])
@pytest.mark.parametrize("linked", [False, True])
def test_sne(rows: Any, d: int, linked: bool) -> None:
    Y = layout(d, 2.0)
    given: Any = {"supervision": supervision() if linked else None}
    exact = SNE(rows, **given).evaluate(Y)
    assert_close(SNE(rows, algorithm="grid", **given).evaluate(Y), exact)


def test_rows_whose_normalizer_underflows_are_summed_exactly(rows: Any) -> None:
    Y = layout(2, 2.0)
    Y[:4] += np.array([[9.0, 0.0], [0.0, 60.0], [-30.0, -30.0], [30.0, -14.0]])
    exact = SNE(rows).evaluate(Y)
    found = SNE(rows, algorithm="grid").evaluate(Y)
    assert_close(found, exact)
    repulsion = found.gradient - exact.gradient
    assert np.abs(repulsion[:4]).max() < 1e-3


def nerv(P: Any, algorithm: Any = "grid", tradeoff: float = 0.1, **more: Any) -> Any:
    """Return NeRV's objective with one width for all points."""
    return NeighborRetrieval(P, tradeoff, width="uniform", algorithm=algorithm, **more)


@pytest.mark.parametrize("d", [2, 3])
@pytest.mark.parametrize("tradeoff", [0.0, 0.1, 1.0])
@pytest.mark.parametrize("linked", [False, True])
def test_nerv(rows: Any, d: int, tradeoff: float, linked: bool) -> None:
    Y = layout(d, 2.0)
    given: Any = {"tradeoff": tradeoff, "supervision": supervision() if linked else None}
    exact, found = (nerv(rows, algorithm, **given) for algorithm in ("exact", "grid"))
    assert_close(found.evaluate(Y), exact.evaluate(Y))
    wider = {"widening": 3.0, "rho": 0.9}
    assert_close(
        found.with_parameters(**wider).evaluate(Y), exact.with_parameters(**wider).evaluate(Y)
    )


@pytest.mark.parametrize("d", [2, 3])
@pytest.mark.parametrize("width", [0.01, 0.3, 3.0, 20.0, 200.0])
def test_nerv_over_all_widths_of_the_map(rows: Any, d: int, width: float) -> None:
    """Half of the points in a clump, and many in the same place."""
    rng = np.random.default_rng(3)
    Y = rng.normal(size=(N, d)) * rng.choice([0.05, 1.0], size=(N, 1))
    Y[100:150] = Y[:50]
    Y[150:170] = Y[150]
    Y *= width / np.ptp(Y, axis=0).max()
    for dtype in (np.float32, np.float64):
        P = rows.astype(dtype)
        exact = nerv(rows, "exact").evaluate(Y)
        found = nerv(P).evaluate(Y.astype(dtype))
        assert found.cost == pytest.approx(exact.cost, rel=1e-4)
        error = np.linalg.norm(found.gradient - exact.gradient)
        assert error < 1e-3 * np.linalg.norm(exact.gradient)


def test_isolated_rows_of_nerv_are_summed_exactly(rows: Any) -> None:
    Y = layout(2, 2.0)
    Y[:4] += np.array([[9.0, 0.0], [0.0, 60.0], [-30.0, -30.0], [30.0, -14.0]])
    exact, found = nerv(rows, "exact").evaluate(Y), nerv(rows).evaluate(Y)
    assert_close(found, exact)
    np.testing.assert_allclose(found.gradient[:4], exact.gradient[:4], rtol=1e-3, atol=1e-3)


def test_nerv_has_the_same_bits_for_any_number_of_threads() -> None:
    Y = np.random.default_rng(1).normal(size=(4000, 2)) * 4
    Y[0] += 60.0
    one, three = (nerv(sparse_rows(4000), n_jobs=n).evaluate(Y) for n in (1, 3))
    assert one.cost == three.cost
    differ = np.flatnonzero((one.gradient != three.gradient).any(axis=1))
    assert differ.size == 0, (differ[:9], one.gradient[differ[:9]] - three.gradient[differ[:9]])


def test_what_the_grid_has_no_form_of_nerv_for(rows: Any) -> None:
    with pytest.raises(ValueError, match='algorithm="grid" needs a sparse P'):
        nerv(rows.toarray())
    widths = np.ones(N)
    NeighborRetrieval(rows, width=widths, algorithm="grid")
    widths[7] = 2.0
    with pytest.raises(ValueError, match="one width for all points, got widths from 1 to 2"):
        NeighborRetrieval(rows, width=widths, algorithm="grid")
    for d in (1, 5):
        Y = layout(d)
        exact = nerv(rows, "exact").evaluate(Y)
        assert np.array_equal(nerv(rows).evaluate(Y).gradient, exact.gradient)


@pytest.mark.parametrize("kind", [HeavyTailed, SNE, nerv])
def test_gradient_is_the_derivative_of_the_cost(joint: Any, rows: Any, kind: Any) -> None:
    """The grid's own cost and gradient agree, not only each with the exact one."""
    objective = kind(joint if kind is HeavyTailed else rows, algorithm="grid")
    Y = layout(2, 2.0)
    gradient = objective.evaluate(Y).gradient
    direction = np.random.default_rng(2).normal(size=Y.shape)
    step = 1e-3
    ahead, behind = (objective.cost(Y + s * direction) for s in (step, -step))
    slope = float((gradient * direction).sum())
    assert (ahead - behind) / (2 * step) == pytest.approx(slope, rel=1e-3)


def test_dense_affinities_and_other_dimensions(joint: Any) -> None:
    """A dense P becomes sparse; a map on a line, or in five dimensions, is summed exactly."""
    Y = layout(2)
    one = HeavyTailed(joint.toarray(), algorithm="grid").evaluate(Y)
    assert np.array_equal(one.gradient, HeavyTailed(joint, algorithm="grid").evaluate(Y).gradient)
    for d in (1, 5):
        exact = HeavyTailed(joint).evaluate(layout(d))
        found = HeavyTailed(joint, algorithm="grid").evaluate(layout(d))
        assert np.array_equal(found.gradient, exact.gradient)


def test_a_map_whose_points_are_far_apart(joint: Any) -> None:
    """Where the normalizer consists of few pairs, the grid gives way to all of them."""
    Y = 8.0 * np.argwhere(np.ones((25, N // 25)))
    for alpha in (0.0, 1e-3):
        found = HeavyTailed(joint, alpha, algorithm="grid").evaluate(Y)
        exact = HeavyTailed(joint, alpha).evaluate(Y)
        np.testing.assert_allclose(found.gradient, exact.gradient, rtol=1e-12)


def test_algorithm_is_kept_and_checked(joint: Any, rows: Any) -> None:
    objective = HeavyTailed(joint, algorithm="grid").with_parameters(alpha=0.5)
    assert objective.algorithm == "grid"
    assert HeavyTailed(joint).algorithm == "exact"
    for kind, P in ((HeavyTailed, joint), (SNE, rows), (nerv, rows)):
        with pytest.raises(ValueError, match="algorithm must be one of 'exact', 'grid'"):
            kind(P, algorithm="trees")
