"""The entropy of affinities mixed with large groups, against the sum over all pairs."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest
from scipy.special import xlogy

from nbembed.kernels import group_entropy as module
from nbembed.kernels.linked_entropy import joint_entropy, linked_entropy, unlinked_sums
from tests.kernels import helpers
from tests.kernels.reference.links import link_shares, link_weights

N = 400
#: Groups as lists of points. A must-link over a class and a half, classes, a pair, a point alone.
CASES = {
    "one": [range(300)],
    "classes": [range(150), range(150, 380)],
    "overlapping": [range(40, 240), range(150), range(150, 380), [3, 390], [3, 7], [9], range(60)],
    "small": [range(at, at + 20) for at in range(0, 300, 10)],
    "every point twice": [range(N), range(N)],
}


@pytest.fixture
def many(monkeypatch: pytest.MonkeyPatch) -> None:
    """Let few pairs count as many, and groups of fifty points as large."""
    monkeypatch.setattr(module, "MANY_PAIRS", 0)
    monkeypatch.setattr(module, "LARGE", 50)


def given(rng: np.random.Generator, case: str, weights: str) -> Any:
    """Return P as a matrix, groups, rates, factors of the rows and own affinities."""
    P = helpers.affinities(rng, N, density=0.05)
    P[P < 1e-6] = 0
    groups = CASES[case]
    members = np.concatenate([rng.permutation(group) for group in groups]).astype(np.int64)
    indptr = np.concatenate([[0], np.cumsum([len(group) for group in groups])])
    shape = members.size
    if weights == "one":
        w, rates = np.ones(shape), np.full(shape, 0.01)
    elif weights == "rates differ":
        w, rates = np.ones(shape), 0.01 * rng.lognormal(sigma=0.7, size=shape)
    else:
        w, rates = rng.uniform(0.1, 1, shape), 0.01 * rng.lognormal(sigma=0.7, size=shape)
        w[::17], rates[::13] = 0, 0
    keep = rng.uniform(0.2, 1, N)
    keep[5] = 0
    links = indptr, members, w
    linked = link_weights(N, *links) > 0
    own = np.where(linked & (rng.random((N, N)) < 0.02), rng.random((N, N)) / 100, 0)
    return P, links, rates, keep, own


@pytest.mark.parametrize("weights", ["one", "rates differ", "all differ"])
@pytest.mark.parametrize("case", CASES)
def test_rows(many: None, rng: np.random.Generator, case: str, weights: str) -> None:
    P, links, rates, keep, own = given(rng, case, weights)
    mixed = keep[:, None] * P + link_shares(N, links, rates) + own
    csr, own = helpers.csr_parts(P), helpers.csr_parts(own)

    def entropy(n_threads: int) -> float:
        rest = unlinked_sums(csr, links, n_threads)
        unlinked = keep @ rest.entropies + xlogy(keep, keep) @ rest.masses
        return float(unlinked + linked_entropy(csr, links, rates, keep, n_threads, own=own))

    assert entropy(1) == pytest.approx(xlogy(mixed, mixed).sum(), rel=1e-11)
    assert entropy(2) == entropy(1)


@pytest.mark.parametrize("weights", ["one", "rates differ", "all differ"])
@pytest.mark.parametrize("case", CASES)
def test_the_symmetric_form(many: None, rng: np.random.Generator, case: str, weights: str) -> None:
    P, links, rates, keep, own = given(rng, case, weights)
    points = np.unique(np.append(links[1], N - 1))
    own, v = own + own.T, link_shares(N, links, rates)
    mixed = P * (keep[:, None] + keep) / 2 + v + v.T + own
    mixed = mixed[np.ix_(points, points)]
    arguments = helpers.csr_parts(P), points, links, rates, helpers.csr_parts(own), keep
    entropy = joint_entropy(*arguments, 1)
    expected = xlogy(mixed, mixed).sum()
    assert entropy == pytest.approx(expected, rel=1e-11)
    assert joint_entropy(*arguments, 3) == entropy


@pytest.mark.parametrize("joint", [False, True])
def test_many_points_in_several_groups_share_cells(
    many: None, rng: np.random.Generator, monkeypatch: pytest.MonkeyPatch, joint: bool
) -> None:
    """With fewer cells than points the error falls with their number, and is zero among equals."""
    links = np.array([0, N, 2 * N - 100]), np.r_[np.arange(N), np.arange(N - 100)], np.ones(2 * N)
    links = (*links[:2], links[2][: 2 * N - 100])
    keep, P = np.zeros(N), helpers.csr_parts(np.zeros((N, N)))
    none = helpers.csr_parts(np.zeros((N, N)))

    def error(rates: Any, most: int) -> float:
        monkeypatch.setattr(module, "MOST", most)
        v = link_shares(N, links, rates)
        if joint:
            found = joint_entropy(P, np.arange(N), links, rates, none, keep, 1)
            return float(abs(found - xlogy(v + v.T, v + v.T).sum()) / v.sum())
        found = linked_entropy(P, links, rates, keep, 1)
        return float(abs(found - xlogy(v, v).sum()) / v.sum())

    some = rng.choice([0.1, 0.2, 0.7], links[1].size)
    assert error(some, 20) < 1e-11
    different = rng.lognormal(sigma=0.7, size=links[1].size)
    errors = [error(different, most) for most in (4, 40, N)]
    assert errors[0] > errors[1] > 1e-9
    assert errors[1] < 0.02
    assert errors[2] < 1e-5


@pytest.mark.parametrize("joint", [False, True])
def test_many_sets_of_groups_are_summed_a_few_rows_at_a_time(
    many: None, rng: np.random.Generator, monkeypatch: pytest.MonkeyPatch, joint: bool
) -> None:
    """Each set of groups has a cell, more than MOST of them: the sums over pairs stay small."""
    groups = [rng.choice(N, 200, replace=False) for _ in range(8)]
    indptr, members = np.arange(0, 1601, 200), np.concatenate(groups).astype(np.int64)
    links, rates = (indptr, members, np.ones(members.size)), np.full(members.size, 0.01)
    sets = sum((1 << g) * np.isin(np.arange(N), of) for g, of in enumerate(groups))
    several = [s for s in np.unique(sets) if int(s).bit_count() > 1]
    cells = len(several)
    monkeypatch.setattr(module, "MOST", 20)
    assert cells > 5 * module.MOST
    expected = module.entropy_of_groups(links, rates, joint)
    rows: list[int] = []
    f = module._f

    def noted(x: Any) -> Any:
        rows.append(len(x) if np.shape(x)[1:] == (cells,) else 0)
        return f(x)

    monkeypatch.setattr(module, "_f", noted)
    for at_once in (1, 7):
        monkeypatch.setattr(module, "BYTES", 2 * 8 * at_once * cells)
        found = module.entropy_of_groups(links, rates, joint)
        assert max(rows) == at_once
        assert found == pytest.approx(expected, rel=1e-12)


def test_few_pairs_are_visited_one_by_one(
    rng: np.random.Generator, monkeypatch: pytest.MonkeyPatch
) -> None:
    P, links, rates, keep, own = given(rng, "classes", "all differ")
    arguments = helpers.csr_parts(P), links, rates, keep, 1
    entropy = linked_entropy(*arguments, own=helpers.csr_parts(own))
    monkeypatch.setattr(
        "nbembed.kernels.linked_entropy.entropy_of_groups",
        lambda *a: pytest.fail("there are fewer than a million pairs"),
    )
    assert linked_entropy(*arguments, own=helpers.csr_parts(own)) == entropy
