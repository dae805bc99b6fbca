"""The plane that a map of many dimensions is drawn on."""

from __future__ import annotations

import numpy as np
import pytest

from nbembed.drawing.projection import Projection, best_plane


def simplex(k: int, d: int) -> np.ndarray:
    """Return K unit vectors with inner products −1/(K−1), in d dimensions."""
    corners = np.eye(k) - 1.0 / k
    u, s, _ = np.linalg.svd(corners)
    flat = (u * s)[:, : k - 1]
    flat /= np.linalg.norm(flat, axis=1, keepdims=True)
    return np.hstack([flat, np.zeros((k, d - k + 1))])


def orthonormal(basis: np.ndarray) -> bool:
    return np.allclose(basis.T @ basis, np.eye(2), atol=1e-12)


def test_two_dimensions_pass_unchanged(rng: np.random.Generator) -> None:
    Y = rng.normal(size=(9, 2)).astype(np.float32)
    project = Projection()
    np.testing.assert_array_equal(project(Y), Y)
    assert project.directions(np.array([[1.0, 0.0], [0.0, 1.0]])) == [[1.0, 0.0], [0.0, 1.0]]


def test_one_dimension_lies_flat(rng: np.random.Generator) -> None:
    Y = rng.normal(size=(9, 1))
    plane = Projection()(Y)
    np.testing.assert_allclose(plane[:, 0], Y[:, 0], rtol=1e-6)
    np.testing.assert_array_equal(plane[:, 1], 0)


def test_without_directions_the_widest_plane_is_shown(rng: np.random.Generator) -> None:
    Y = rng.normal(size=(500, 4)) * [0.1, 5.0, 0.1, 3.0]
    basis = best_plane(Y, None)
    assert orthonormal(basis)
    assert np.sum(basis[[1, 3]] ** 2) > 1.99


def test_the_class_plane_comes_first(rng: np.random.Generator) -> None:
    directions = simplex(3, 5)
    Y = rng.normal(size=(300, 5)) * [1, 1, 9, 9, 9]
    basis = best_plane(Y, directions)
    assert orthonormal(basis)
    np.testing.assert_allclose(basis[2:], 0, atol=1e-12)


def test_two_classes_give_their_axis_and_the_widest_other_one(rng: np.random.Generator) -> None:
    directions = np.array([[1.0, 0.0, 0.0], [-1.0, 0.0, 0.0]])
    Y = rng.normal(size=(300, 3)) * [0.01, 1.0, 7.0]
    basis = best_plane(Y, directions)
    assert abs(basis[0, 0]) == pytest.approx(1.0)
    assert abs(basis[2, 1]) > 0.99


def test_of_many_class_directions_those_are_shown_along_which_points_lie(
    rng: np.random.Generator,
) -> None:
    directions = simplex(6, 6)
    members = rng.integers(0, 3, size=400)  # three of six classes have points
    Y = 4 * directions[members] + 0.1 * rng.normal(size=(400, 6))
    basis = best_plane(Y, directions)
    shown = np.linalg.norm(directions @ basis, axis=1)
    assert shown[:3].min() > 0.85
    assert shown[3:].max() < shown[:3].min()


def test_turned_and_mirrored_bases_do_not_turn_the_picture(rng: np.random.Generator) -> None:
    """Eigenvectors flip and swap freely from frame to frame; the drawn plane must not."""
    Y = rng.normal(size=(200, 5)) * [3.0, 2.9, 0.5, 0.4, 0.3]
    project = Projection()
    first = project(Y)
    for _ in range(20):
        Y = Y + 1e-3 * rng.normal(size=Y.shape)
        last = project(Y)
    assert np.abs(last - first).max() < 0.2


def test_a_jump_of_the_best_plane_is_eased(rng: np.random.Generator) -> None:
    Y = rng.normal(size=(300, 3)) * [5.0, 3.0, 1.0]
    project = Projection()
    project(Y)
    assert project.basis is not None
    before = project.basis.copy()
    Y = Y * [1.0, 0.1, 8.0]  # now the plane of the first and third dimension is the widest
    steps = []
    for _ in range(80):
        project(Y)
        steps.append(np.linalg.norm(project.basis - before))
        before = project.basis.copy()
        assert orthonormal(before)
    assert max(steps) < 0.5
    assert steps[-1] < 1e-3
    assert abs(before[1]).max() < 0.05


def test_another_number_of_dimensions_starts_afresh(rng: np.random.Generator) -> None:
    project = Projection()
    project(rng.normal(size=(20, 5)))
    assert project(rng.normal(size=(20, 3))).shape == (20, 2)
    assert project.directions(np.eye(5)) == []
    assert len(project.directions(np.eye(3))) == 3


def test_points_all_at_one_place_are_no_trouble() -> None:
    assert np.isfinite(Projection()(np.zeros((4, 3)), simplex(3, 3))).all()
