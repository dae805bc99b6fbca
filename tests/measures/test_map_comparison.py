"""Two maps of the same points: brought onto each other, and how far their neighborhoods differ."""

from __future__ import annotations

import numpy as np
import pytest
from scipy.spatial import procrustes

from nbembed import measures
from nbembed.measures.map_comparison import align_map


def turned(Y: np.ndarray, degrees: float, *, mirrored: bool = False) -> np.ndarray:
    angle = np.radians(degrees)
    rotation = np.array([[np.cos(angle), np.sin(angle)], [-np.sin(angle), np.cos(angle)]])
    return (Y * [1, -1] if mirrored else Y) @ rotation


@pytest.mark.parametrize("mirrored", [False, True])
@pytest.mark.parametrize("degrees", [-120.0, 0.0, 35.0])
def test_the_same_map_is_found_however_it_lies(rng, degrees, mirrored):
    Y = rng.normal(size=(60, 2)) * [3, 1]
    onto = 7 * turned(Y, degrees, mirrored=mirrored) + [5, -2]
    found = measures.compare_maps(Y, onto, 5)
    np.testing.assert_allclose(found.aligned, onto, atol=1e-9)
    assert found.alignment.turn == pytest.approx(degrees)
    assert found.alignment.mirrored is mirrored
    assert found.alignment.scale == pytest.approx(7)
    assert found.disparity == pytest.approx(0, abs=1e-12)
    assert found.mean_change == 0.0


def test_the_disparity_is_scipys(rng):
    Y, Z = rng.normal(size=(2, 40, 2))
    assert measures.compare_maps(Y, Z).disparity == pytest.approx(procrustes(Z, Y)[2])


def test_a_map_keeps_its_size_though_it_has_little_in_common(rng):
    Y, Z = rng.normal(size=(50, 2)), 4 * rng.normal(size=(50, 2))
    found = measures.compare_maps(Y, Z)
    sizes = [np.linalg.norm(each - each.mean(axis=0)) for each in (found.aligned, Z)]
    assert sizes[0] == pytest.approx(sizes[1])


def test_change_is_the_share_of_other_neighbors(rng):
    """On a line, exchanging two far points changes them and their neighbors, and no others."""
    Y = np.column_stack([np.arange(20.0) + rng.uniform(-0.1, 0.1, 20), np.zeros(20)])
    Z = Y.copy()
    Z[[3, 15]] = Y[[15, 3]]
    change = measures.compare_maps(Y, Z, 2).change
    assert change[[3, 15]].tolist() == [1.0, 1.0]
    assert np.flatnonzero(change).tolist() == [2, 3, 4, 14, 15, 16]
    np.testing.assert_array_equal(change, measures.compare_maps(Z, Y, 2).change)
    kept = measures.neighbor_preservation(Y, Z, 2, per_point=True)
    np.testing.assert_allclose(change, 1 - kept, atol=1e-15)


def test_of_many_points_in_one_place_each_has_others_as_neighbors(rng):
    Y = np.zeros((30, 2))
    Y[20:] = 5 + rng.normal(size=(10, 2))
    found = measures.compare_maps(Y, rng.normal(size=(30, 2)), 4)
    assert ((found.change >= 0) & (found.change <= 1)).all()
    assert measures.compare_maps(Y[20:], 2 * Y[20:], 4).mean_change == 0.0


def test_maps_of_other_dimensions_are_brought_onto_each_other(rng):
    plane = rng.normal(size=(40, 2))
    basis = np.linalg.qr(rng.normal(size=(3, 3)))[0][:2]
    space = plane @ basis
    down = measures.compare_maps(space, plane)
    np.testing.assert_allclose(down.aligned, plane, atol=1e-9)
    up = measures.compare_maps(plane, space)
    np.testing.assert_allclose(up.aligned, space, atol=1e-9)
    assert np.isnan(up.alignment.turn)
    assert up.alignment.mirrored is False
    line = measures.compare_maps(plane[:, :1], plane)
    assert line.aligned.shape == (40, 2)


@pytest.mark.filterwarnings("error")
def test_points_in_one_place_have_nothing_in_common_with_a_map(rng):
    found = align_map(np.zeros((9, 2)), rng.normal(size=(9, 2)))
    assert found.disparity == 1.0
    assert np.isfinite(found(np.zeros((9, 2)))).all()


@pytest.mark.parametrize(
    ("arguments", "error", "message"),
    [
        ((np.zeros((4, 2)), np.zeros((5, 2))), ValueError, "other must have a row for each of the"),
        (
            (np.zeros((4, 2)), np.eye(4), 4),
            ValueError,
            r"k must be in \[1, 3\] for 4",
        ),
        ((np.zeros((4, 2)), np.eye(4), 1.5), TypeError, "k must be an integer"),
        ((np.zeros((4, 2)), np.full((4, 2), np.nan)), ValueError, "other"),
        (("map", np.eye(4)), ValueError, "Y"),
    ],
)
def test_bad_input_is_named(arguments, error, message):
    with pytest.raises(error, match=message):
        measures.compare_maps(*arguments)


def test_a_map_is_laid_on_another_of_any_dimension():
    rng = np.random.default_rng(0)
    Y = rng.normal(size=(30, 2))
    turn = np.array([[0.6, -0.8], [-0.8, -0.6]])  # a rotation with a mirror
    turned = 3 * Y @ turn + [5, -2]
    np.testing.assert_allclose(align_map(turned, Y)(turned), Y, atol=1e-12)
    space = rng.normal(size=(30, 3))
    assert align_map(Y, space)(Y).shape == (30, 3)
    assert align_map(space, Y)(space).shape == (30, 2)
    nothing = np.zeros((30, 2))
    assert np.isfinite(align_map(nothing, Y)(nothing)).all()
