"""Division in lanes: accurate, and defined where a layout has diverged."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest

from nbembed.kernels.gaussian_rows import gaussian_rows
from nbembed.kernels.heavy_tailed import heavy_tailed
from nbembed.kernels.links import group_attraction
from tests.kernels import helpers


@pytest.mark.parametrize("dtype", [np.float32, np.float64])
@pytest.mark.parametrize("place", [np.inf, -np.inf, np.nan])
@pytest.mark.parametrize("alpha", [0.0, 0.5, 1.0])
@pytest.mark.parametrize("form", ["dense", "sparse"])
def test_a_diverged_point_shows_in_the_sums(
    rng: np.random.Generator, dtype: Any, place: float, alpha: float, form: str
) -> None:
    for n in (7, 80):
        Yt, P = helpers.layout(rng, n, 2).astype(dtype), helpers.affinities(rng, n).astype(dtype)
        Yt[0, n // 2] = place
        with np.errstate(all="ignore"):
            value = helpers.csr_parts(P) if form == "sparse" else P
            terms = heavy_tailed(Yt, value, alpha, True, 1)
        assert not np.isfinite(terms.attraction[0]).all()


@pytest.mark.parametrize("alpha", [0.5, 1.0])
def test_distances_that_overflow_float32_are_computed_in_float64(
    rng: np.random.Generator, alpha: float
) -> None:
    # τ overflows float32 between the far points and all others; S and q of those pairs are tiny.
    Yt, P = helpers.layout(rng, 60, 2).astype(np.float32), helpers.affinities(rng, 60)
    expected = heavy_tailed(Yt[:, :58], P[:58, :58].astype(np.float32), alpha, False, 1)
    Yt[0, 58], Yt[1, 59] = 1e25, -1e25
    terms = heavy_tailed(Yt, P.astype(np.float32), alpha, False, 1)
    assert terms.normalizer == pytest.approx(expected.normalizer, rel=1e-5)
    assert helpers.error(terms.curvature[:58], expected.curvature) < 1e-5


def test_links_and_rows_of_a_diverged_point(rng: np.random.Generator) -> None:
    Yt, W = helpers.layout(rng, 30, 2).astype(np.float32), helpers.affinities(rng, 30)
    Yt[1, 4] = np.inf
    groups = np.array([0, 6]), np.arange(6), np.ones(6)
    with np.errstate(all="ignore"):
        pulled = group_attraction(Yt, *groups, np.ones(6), 1.0, 1)
        rows = gaussian_rows(Yt, W.astype(np.float32), True, 1)
    assert not np.isfinite(pulled.force).all()
    assert not np.isfinite(rows.attraction).all()
