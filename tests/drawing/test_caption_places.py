"""Names of groups in still pictures: what they cover, and what they leave to be seen."""

from __future__ import annotations

import io

import numpy as np
from PIL import Image

from nbembed.drawing.caption_places import caption_places, central_point
from nbembed.drawing.contrast import on_ground
from nbembed.drawing.scene import picture_of

FRAME = (0.0, 0.0, 640.0, 460.0)


def blob(middle, size, n=60, seed=0):
    return np.asarray(middle) + size * np.random.default_rng(seed).uniform(-1, 1, (n, 2))


def covered(points, place, size):
    return (np.abs(points - place) < np.asarray(size) / 2).all(axis=1).mean()


def test_a_large_group_has_its_name_at_its_middle():
    points = blob((300, 200), 90, 400)
    (place,) = caption_places(points, [np.arange(400)], [(50, 14)], FRAME)
    assert np.linalg.norm(np.subtract(place, (300, 200))) < 15


def test_a_small_group_is_not_buried_by_its_name():
    points = blob((300, 200), 9)
    (place,) = caption_places(points, [np.arange(60)], [(50, 14)], FRAME)
    assert covered(points, place, (50, 14)) < 0.05
    assert np.linalg.norm(np.subtract(place, (300, 200))) < 50, "but it is beside it"


def test_the_name_is_on_the_side_where_it_covers_least():
    points = np.concatenate([blob((300, 200), 9), blob((300, 165), 12, 200), blob((300, 235), 12)])
    (place,) = caption_places(points, [np.arange(60)], [(50, 14)], FRAME)
    assert covered(points, place, (50, 14)) < 0.02


def test_names_cover_no_other_name_and_stay_in_the_picture():
    points = np.concatenate([blob((8, 8 + 3 * k), 4, seed=k) for k in range(6)])
    groups = np.arange(360).reshape(6, 60)
    places = [p for p in caption_places(points, list(groups), [(80, 14)] * 6, FRAME) if p]
    assert len(places) >= 2
    for k, (x, y) in enumerate(places):
        assert 40 <= x <= 600
        assert 7 <= y <= 453
        assert all(abs(x - u) >= 80 or abs(y - v) >= 14 for u, v in places[:k])


def test_a_group_without_points_has_no_name():
    none = np.zeros(0, dtype=int)
    assert caption_places(blob((9, 9), 2), [none], [(8, 8)], FRAME) == [None]


def test_a_picture_shows_the_points_of_a_small_cluster_under_its_name():
    big, small = blob((0, 0), 5, 400), blob((20, 3), 0.5, 30)
    names = ["the large one", "the small cluster"]
    column = {"kind": "category", "title": "k", "names": names, "colors": ["#56B4E9", "#D55E00"]}
    positions = np.concatenate([big, small])

    def drawn(names_shown):
        picture = picture_of(
            positions, color_by="column", column=column, classes=[],
            values=np.repeat([0.0, 1.0], [400, 30]), labels=np.full(430, -1),
            names_shown=names_shown,
        )  # fmt: skip
        image = np.asarray(Image.open(io.BytesIO(picture.png())).convert("RGB")).astype(int)
        return int((np.abs(image - on_ground("#D55E00", (255, 255, 255))).sum(axis=-1) < 12).sum())

    assert drawn(True) == drawn(False) > 100


def test_a_group_in_pieces_is_named_on_a_large_one():
    rng = np.random.default_rng(0)
    pieces = np.array([[0.0, 0.0], [300.0, 0.0], [150.0, 200.0]])
    own = np.repeat(pieces, [60, 40, 40], axis=0) + rng.normal(scale=12, size=(140, 2))
    own[0] = 150, 70  # alone, and nearest to the medians
    assert np.linalg.norm(central_point(own) - pieces, axis=1).min() < 15
    whole = rng.normal(size=(140, 2))
    middle = np.median(whole, axis=0)
    nearest = whole[np.linalg.norm(whole - middle, axis=1).argmin()]
    assert (central_point(whole) == nearest).all(), "one piece has its own middle"
    assert (central_point(whole[:1]) == whole[:1]).all()
