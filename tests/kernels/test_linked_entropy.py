"""The entropy of affinities mixed with links, put together from its parts."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest
from scipy.special import xlogy

from nbembed.kernels.linked_entropy import joint_entropy, linked_entropy, unlinked_sums
from tests.kernels import helpers
from tests.kernels.reference.links import link_shares, link_weights
from tests.kernels.test_links import CASES, make_groups

NO_LINKS = np.zeros(1, np.int64), np.zeros(0, np.int64), np.zeros(0)


def mixed_entropy(
    P: Any, links: Any, rates: Any, keep: Any, n_threads: int = 1, own: Any = None
) -> float:
    unlinked = unlinked_sums(P, links, n_threads)
    linked = linked_entropy(P, links, rates, keep, n_threads, own=own)
    return float(keep @ unlinked.entropies + xlogy(keep, keep) @ unlinked.masses) + linked


@pytest.mark.parametrize("form", ["dense", "sparse"])
@pytest.mark.parametrize("dtype", [np.float32, np.float64])
@pytest.mark.parametrize("case", CASES)
def test_the_parts_are_the_entropy_of_the_mixture(
    rng: np.random.Generator, case: str, dtype: Any, form: str
) -> None:
    n, sizes = CASES[case]
    P = helpers.affinities(rng, n, density=0.3).astype(dtype)
    P[0, 1] = P[1, 0] = 0
    groups = make_groups(rng, n, sizes)
    keep, rates = rng.uniform(0.2, 1, n), rng.random(groups[1].size)
    keep[-1] = 0  # a row without a share of the data
    rates[groups[1] < n // 2] = 0  # rows without a share of the links
    linked = link_weights(n, *groups) > 0
    own = np.where(linked & (rng.random((n, n)) < 0.3), rng.random((n, n)), 0)
    mixed = keep[:, None] * P.astype(float) + link_shares(n, groups, rates) + own
    positive = mixed[mixed > 0]
    expected = (positive * np.log(positive)).sum()
    given = helpers.csr_parts(P) if form == "sparse" else P
    own = helpers.csr_parts(own)
    entropy = mixed_entropy(given, groups, rates, keep, own=own)
    assert entropy == pytest.approx(expected, rel=1e-12)
    assert mixed_entropy(given, groups, rates, keep, 2, own) == entropy


@pytest.mark.parametrize("form", ["dense", "sparse"])
@pytest.mark.parametrize("dtype", [np.float32, np.float64])
@pytest.mark.parametrize("case", CASES)
def test_the_symmetric_form_is_summed_over_all_pairs_of_linked_points(
    rng: np.random.Generator, case: str, dtype: Any, form: str
) -> None:
    n, sizes = CASES[case]
    P = helpers.affinities(rng, n, density=0.3).astype(dtype)
    groups = make_groups(rng, n, sizes)
    points = np.unique(np.append(groups[1], n - 1))
    keep, rates = rng.uniform(0.2, 1, n), rng.random(groups[1].size)
    keep[points[0]] = 0
    linked = link_weights(n, *groups) > 0
    own = np.where(linked & (rng.random((n, n)) < 0.3), rng.random((n, n)), 0)
    own = own + own.T
    v = link_shares(n, groups, rates)
    mixed = P.astype(float) * (keep[:, None] + keep) / 2 + v + v.T + own
    mixed = mixed[np.ix_(points, points)]
    given = helpers.csr_parts(P) if form == "sparse" else P
    arguments = given, points, groups, rates, helpers.csr_parts(own), keep
    entropy = joint_entropy(*arguments, 1)
    assert entropy == pytest.approx(xlogy(mixed, mixed).sum(), rel=1e-12, abs=1e-15)
    assert joint_entropy(*arguments, 2) == entropy


@pytest.mark.parametrize("form", ["dense", "sparse"])
def test_weights_of_zero_link_nothing(rng: np.random.Generator, form: str) -> None:
    """In more groups than there are points, a pair must not be listed once a group."""
    n, n_groups = 8, 40
    P = helpers.affinities(rng, n)
    every = np.tile(np.arange(n), n_groups)
    links = n * np.arange(n_groups + 1), every, np.where(every < 3, 0.5, 0.0)
    u = np.zeros((n, n))
    u[:3, :3] = n_groups / 4
    np.fill_diagonal(u, 0)
    keep, rates = np.full(n, 0.7), np.full(every.size, 0.01)
    mixed = keep[:, None] * P + 0.01 * u
    expected = xlogy(mixed, mixed).sum()
    given = helpers.csr_parts(P) if form == "sparse" else P
    assert mixed_entropy(given, links, rates, keep) == pytest.approx(expected, rel=1e-12)


def test_entropy_of_subnormal_affinities() -> None:
    P = np.array([[0, 1e-320], [1e-320, 0]])
    assert abs(mixed_entropy(P, NO_LINKS, np.zeros(0), np.ones(2))) < 1e-300
