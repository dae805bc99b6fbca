"""Stability of maps and recurrence of groups: on maps whose chance is known."""

from __future__ import annotations

import numpy as np
import pytest

from nbembed import measures


def blobs(rng, sizes=(100, 100, 100), spread=20.0):
    """Return a map of Gaussian clusters on a circle, and the cluster of each point."""
    codes = np.repeat(np.arange(len(sizes)), sizes)
    angles = rng.uniform(0, 2 * np.pi) + 2 * np.pi * codes / len(sizes)
    centers = spread * np.stack([np.cos(angles), np.sin(angles)], axis=1)
    return centers + rng.normal(size=(len(codes), 2)), codes


def without(Y, points):
    left = np.array(Y)
    left[points] = np.nan
    return left


def test_the_same_map_turned_and_scaled_is_stable(rng):
    Y = rng.normal(size=(200, 2))
    assert measures.stability(Y, [3 * Y @ [[0, 1], [-1, 0]] + 5]) == 1.0


def test_maps_of_chance_have_in_common_what_chance_gives(rng):
    Y, others = rng.normal(size=(60, 2)), [rng.normal(size=(60, 2)) for _ in range(100)]
    for k in (5, 20):
        assert abs(measures.stability(Y, others, k)) < 0.02


def test_each_map_counts_for_the_points_that_it_shows(rng):
    Y, other = rng.normal(size=(80, 2)), rng.normal(size=(80, 2))
    left_out = np.arange(10)
    first = measures.stability(Y, [without(Y, left_out)], per_point=True)
    assert np.isnan(first[:10]).all()
    assert (first[10:] == 1).all()  # neighbors are those among the points that both show
    second = measures.stability(Y, [other], per_point=True)
    both = measures.stability(Y, [without(Y, left_out), other], per_point=True)
    np.testing.assert_allclose(both[:10], second[:10])
    np.testing.assert_allclose(both[10:], (1 + second[10:]) / 2)


def test_stability_is_its_definition(rng):
    Y, Z, k = rng.normal(size=(40, 2)), rng.normal(size=(40, 3)), 6

    def near(layout):
        squares = np.square(layout[:, None] - layout[None]).sum(axis=2)
        np.fill_diagonal(squares, np.inf)
        return [set(row[:k].tolist()) for row in squares.argsort(axis=1)]

    shares = np.array([len(a & b) / k for a, b in zip(near(Y), near(Z), strict=True)])
    expected = (39 * shares - k) / (39 - k)
    np.testing.assert_allclose(measures.stability(Y, [Z], k, per_point=True), expected)
    assert measures.stability(Y, [Z], k) == pytest.approx(expected.mean())


def test_clusters_recur_and_halves_of_noise_do_not(rng):
    (Y, codes), others = blobs(rng), [blobs(rng)[0] for _ in range(5)]
    for k in range(3):
        points = np.flatnonzero(codes == k)
        assert measures.cohesion(Y, points) == 1.0
        assert measures.recurrence(Y, others, points).tolist() == [True] * 5
        middle = np.median(Y[points, 0])
        cut = points[Y[points, 0] > middle]
        assert measures.cohesion(Y, cut) > 0.5
        assert measures.recurrence(Y, [Y, *others], cut).tolist() == [True] + [False] * 5
        drawn = rng.permutation(points)[:40]
        assert not measures.recurrence(Y, [Y, *others], drawn).any()


def test_a_group_in_two_pieces_is_not_together(rng):
    Y, codes = blobs(rng)
    two = np.flatnonzero(codes < 2)
    assert measures.cohesion(Y, two) == pytest.approx(0.5, abs=0.01)
    joined = np.array(Y)
    joined[codes == 1] += Y[codes == 0].mean(axis=0) - Y[codes == 1].mean(axis=0)
    assert measures.recurrence(Y, [joined, joined], two).all()
    assert not measures.recurrence(joined, [Y], two).any()


def test_points_at_random_have_no_cohesion(rng):
    Y = rng.normal(size=(2000, 2))
    assert abs(measures.cohesion(Y, rng.permutation(2000)[:200])) < 0.05


def test_a_map_that_shows_too_little_of_a_group_says_no(rng):
    Y, codes = blobs(rng)
    group = np.flatnonzero(codes == 0)
    missing = [without(Y, group), without(Y, group[1:]), without(Y, codes != 0), Y]
    assert measures.recurrence(Y, missing, group).tolist() == [False, False, False, True]


def test_bad_arguments_are_named(rng):
    Y = rng.normal(size=(30, 2))
    with pytest.raises(ValueError, match="others must have at least one map, got none"):
        measures.stability(Y, [])
    with pytest.raises(ValueError, match=r"others must be maps of 30 points, got one of shape \(9"):
        measures.recurrence(Y, [Y[:9]], [0, 1])
    with pytest.raises(ValueError, match=r"k must be in \[1, 29\) for maps of 30 points, got 29"):
        measures.stability(Y, [Y], 29)
    with pytest.raises(ValueError, match="others"):
        measures.stability(Y, [np.where(Y[3, 1] == Y, np.nan, Y)])
    for points in ([4], range(30)):
        with pytest.raises(
            ValueError, match="points must be at least 2 and fewer than all 30, got"
        ):
            measures.cohesion(Y, points)


@pytest.mark.parametrize("others", [None, 3, [["a", "b"]], [None]])
def test_what_are_no_maps_is_named(others):
    with pytest.raises((TypeError, ValueError), match="others must be"):
        measures.stability(np.eye(6, 2), others)
