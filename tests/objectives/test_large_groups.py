"""Labels and links of very many points: costs and gradients by the grid against all pairs."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest
from scipy import sparse

from nbembed.affinities import Affinities
from nbembed.kernels import group_entropy
from nbembed.kernels.grid import links as grid_links
from nbembed.kernels.grid.sums import radial_sums
from nbembed.objectives import SNE, HeavyTailed
from nbembed.supervision import Supervision
from tests.objectives.sparse_rows import sparse_rows

N = 3000


@pytest.fixture(autouse=True)
def grid_of_groups(monkeypatch: pytest.MonkeyPatch) -> None:
    """Let the grid be used for groups for which all pairs cost less, too."""
    for name in ("GROUP_PAIR", "CANNOT_PAIR"):
        monkeypatch.setattr(grid_links, name, 1e9)


@pytest.fixture
def sums(monkeypatch: pytest.MonkeyPatch) -> list[Any]:
    """Return a list to which each sum by the grid adds its kernel."""
    kernels: list[Any] = []

    def noted(Yt: Any, kernel: Any, *arguments: Any, **named: Any) -> Any:
        kernels.append(kernel)
        return radial_sums(Yt, kernel, *arguments, **named)

    monkeypatch.setattr(grid_links, "radial_sums", noted)
    return kernels


@pytest.fixture(scope="module")
def rows() -> Any:
    return sparse_rows(N, 10, among=200)


@pytest.fixture(scope="module")
def told() -> Supervision:
    """Return labels, soft ones, large must-links over them, and cannot-links inside and across."""
    told = Supervision(N).label(np.arange(1400), "a").label(np.arange(1400, 2600), "b", 0.8)
    told = told.label_each([(i, "b", 0.6 + 0.0001 * i) for i in range(2600, 2800)])
    told = told.must_link(np.arange(300, 1500)).must_link([3, 2900]).must_link([2950, 2960, 2970])
    return told.cannot_link(np.arange(100), np.arange(200, 260)).cannot_link(
        np.arange(1000), np.arange(1500, 2700)
    )


def layout(width: float) -> Any:
    Y = np.random.default_rng(1).normal(size=(N, 2)) * width
    Y[5] = Y[4]
    return Y


def close(found: Any, exact: Any) -> None:
    error = np.linalg.norm(found.gradient - exact.gradient) / np.linalg.norm(exact.gradient)
    assert error < 2e-4
    np.testing.assert_allclose(found.curvature, exact.curvature, rtol=3e-4)
    assert found.cost == pytest.approx(exact.cost, rel=1e-6)


@pytest.mark.parametrize(
    ("alpha", "link_form"), [(0.0, "uniform"), (1.0, "structured"), (2.0, "structured")]
)
def test_heavy_tailed(
    rows: Any, told: Supervision, alpha: float, link_form: Any, sums: list[Any]
) -> None:
    P = Affinities(sparse.csr_array((rows + rows.T) / (2 * N)), "joint")
    given: Any = {"supervision": told, "link_form": link_form}
    exact, grid = (HeavyTailed(P, alpha, algorithm=a, **given) for a in ("exact", "grid"))
    for width in (0.01, 4.0, 60.0):
        sums.clear()
        found = grid.evaluate(layout(width))
        assert sums
        close(found, exact.evaluate(layout(width)))


@pytest.mark.parametrize("link_form", ["structured", "uniform"])
def test_sne(rows: Any, told: Supervision, link_form: Any, sums: list[Any]) -> None:
    given: Any = {"supervision": told, "link_form": link_form}
    exact, grid = (SNE(rows, algorithm=a, **given) for a in ("exact", "grid"))
    for width in (0.01, 2.0):
        sums.clear()
        found = grid.evaluate(layout(width))
        assert sums
        close(found, exact.evaluate(layout(width)))


@pytest.mark.parametrize("kind", [HeavyTailed, SNE])
@pytest.mark.parametrize("link_form", ["structured", "uniform"])
def test_entropy_is_that_of_all_pairs(
    rows: Any, told: Supervision, kind: Any, link_form: Any, monkeypatch: pytest.MonkeyPatch
) -> None:
    P = rows if kind is SNE else sparse.csr_array((rows + rows.T) / (2 * N))
    given: Any = {"supervision": told, "link_form": link_form, "rho": 0.7}
    cost = kind(P, **given).cost(layout(1.0))
    monkeypatch.setattr(group_entropy, "MANY_PAIRS", np.inf)
    right = kind(P, **given).cost(layout(1.0))
    assert abs(cost - right) < 1e-5 * (N if kind is SNE else 1)
