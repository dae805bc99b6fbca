"""Must-links are answered: linked points come together on a map at rest, and the others stay."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

import numpy as np
import pytest
from numpy.typing import NDArray
from sklearn.datasets import load_digits

from nbembed.methods import HSSNE
from nbembed.session import Session
from tests.waiting import GUARD

_digits = load_digits()
X, classes = _digits.data[:500], _digits.target[:500]


@pytest.fixture
def session() -> Iterator[Session]:
    with Session(X, HSSNE(random_state=0)) as session:
        session.play()
        assert session.wait("converged", GUARD)
        yield session


def gaps(Y: NDArray[Any]) -> NDArray[Any]:
    """Return distances between points, in radii of the map."""
    found: NDArray[Any] = np.linalg.norm(Y[:, None] - Y, axis=2) / np.sqrt(Y.var(axis=0).sum())
    return found


def far_pairs(Y: NDArray[Any], count: int) -> list[tuple[int, int]]:
    """Return pairs of points of the widest class that are far apart, none with a point twice."""
    widest = max(range(10), key=lambda c: float(gaps(Y)[np.ix_(classes == c, classes == c)].max()))
    members, pairs = np.flatnonzero(widest == classes), []
    distances = gaps(Y)[np.ix_(members, members)]
    while len(pairs) < count:
        i, j = np.unravel_index(distances.argmax(), distances.shape)
        pairs.append((int(members[i]), int(members[j])))
        distances[[i, j]] = distances[:, [i, j]] = 0
    return pairs


def kept(before: NDArray[Any], after: NDArray[Any], linked: NDArray[Any]) -> float:
    """Return the share of their ten neighbors that points in no link keep."""
    first, last = (np.argsort(gaps(Y), axis=1)[:, 1:11] for Y in (before, after))
    others = np.setdiff1d(np.arange(len(X)), linked)
    return float(np.mean([np.isin(last[i], first[i]).mean() for i in others]))


@pytest.mark.parametrize(("count", "least"), [(1, 0.97), (20, 0.85)])
def test_far_pairs_come_together_and_undo_takes_them_back(
    session: Session, count: int, least: float
) -> None:
    before = session.embedding
    pairs = far_pairs(before, count)
    left, right = np.array(pairs).T
    lay = np.median(gaps(before)[left, right])
    assert lay > 0.4
    for pair in pairs:
        session.must_link(pair)
    assert session.wait("converged", GUARD)
    after = session.embedding
    assert np.median(gaps(after)[left, right]) < 0.25
    assert kept(before, after, np.ravel(pairs)) >= least
    for _ in pairs:
        session.undo()
    assert session.wait("converged", GUARD)
    assert np.median(gaps(session.embedding)[left, right]) > 0.8 * lay


def test_the_more_links_count_the_nearer_their_points(session: Session) -> None:
    pairs = far_pairs(session.embedding, 20)
    left, right = np.array(pairs).T
    found = [float(np.median(gaps(session.embedding)[left, right]))]
    session.set(rho=0.2)
    for pair in pairs:
        session.must_link(pair)
    for rho in (0.2, 0.5, 0.9):
        session.set(rho=rho)
        assert session.wait("converged", GUARD)
        found.append(float(np.median(gaps(session.embedding)[left, right])))
    assert found == sorted(found, reverse=True)
    assert found[1] < 0.5 * found[0]
    assert found[-1] < 0.1


def test_two_linked_clusters_are_one(session: Session) -> None:
    """Whole clusters come together, not two strings of points between them."""
    before = session.embedding
    centers = np.array([np.median(before[c == classes], axis=0) for c in range(10)])
    a, b = np.unravel_index(gaps(centers).argmax(), (10, 10))
    sides = [np.flatnonzero(c == classes) for c in (a, b)]
    session.must_link(np.concatenate(sides))
    assert session.wait("converged", GUARD)
    distances = gaps(session.embedding)
    assert np.median(distances[np.ix_(*sides)]) < 0.5
    within = [np.median(distances[np.ix_(side, side)]) for side in sides]
    assert max(within) > 0.02, "they keep their structure"
