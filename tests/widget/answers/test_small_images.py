"""Small images of points, as a page is told."""

from __future__ import annotations

import io
from typing import Any

import numpy as np
import pytest
from PIL import Image

from nbembed.points.point_data import PointData
from nbembed.widget.answers.small_images import MOST_IMAGES, SIDE, answer_images
from nbembed.widget.wire.queries import QUERIES


def pngs(fields: Any, buffer: bytes) -> list[Image.Image]:
    """Return the images of an answer."""
    ends = np.cumsum(fields["lengths"])
    assert ends[-1] == len(buffer)
    return [Image.open(io.BytesIO(b)) for b in np.split(np.frombuffer(buffer, "u1"), ends[:-1])]


def test_images_of_points_come_small_and_one_after_the_other() -> None:
    images = [np.full((2, 3), 7, np.uint8), None, np.full((400, 200, 3), 9, np.uint8)]
    fields, (buffer,) = answer_images(np.arange(3), data=PointData(None, 3, images=images))
    QUERIES["images"].check(fields, 1)
    assert fields["points"] == [0, 2]
    assert [image.size for image in pngs(fields, buffer)] == [(3, 2), (SIDE // 2, SIDE)]
    assert [np.asarray(image).max() for image in pngs(fields, buffer)] == [7, 9]


def test_an_image_that_cannot_be_read_keeps_no_other_back(tmp_path: Any) -> None:
    Image.fromarray(np.zeros((2, 2), np.uint8)).save(tmp_path / "there.png")
    paths = [tmp_path / "there.png", tmp_path / "gone.png"]
    fields, _ = answer_images(np.arange(2), data=PointData(None, 2, images=paths))
    assert fields["points"] == [0]


def test_few_images_are_asked_for_at_a_time() -> None:
    data = PointData(None, 40, images=np.zeros((40, 2, 2)))
    with pytest.raises(ValueError, match=f"at most {MOST_IMAGES} at a time, got 17"):
        answer_images(np.arange(17), data=data)


def test_points_without_images_have_none() -> None:
    fields, buffers = answer_images(np.arange(2), data=PointData(None, 2))
    assert (fields, buffers) == ({"points": [], "lengths": []}, [b""])
