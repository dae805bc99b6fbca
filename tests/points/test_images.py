"""Images as photographs and data sets have them."""

from __future__ import annotations

import io
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from PIL import Image

from nbembed.points.images import Images

ORIENTATION = 0x0112


def photograph(orientation: int) -> Image.Image:
    """Return one that is wider than high, white on the left, as the sensor has it."""
    pixels = np.zeros((20, 40), np.uint8)
    pixels[:, :20] = 255
    image = Image.fromarray(pixels)
    image.getexif()[ORIENTATION] = orientation
    return image


def stored(orientation: int) -> bytes:
    file, image = io.BytesIO(), photograph(orientation)
    image.save(file, "JPEG", exif=image.getexif())
    return file.getvalue()


def test_photographs_stand_upright(tmp_path: Path) -> None:
    path = tmp_path / "a.jpg"
    path.write_bytes(stored(6))
    opened = Image.open(path)
    images = Images([stored(1), stored(6), path, opened, stored(3)], 5)
    first: Any = images.pixels(0)
    assert first.shape == (20, 40)
    for point in (1, 2, 3):
        turned: Any = images.pixels(point)
        assert turned.shape == (40, 20)
        assert turned[0].mean() > 200 > 50 > turned[-1].mean()
    over: Any = images.pixels(4)
    assert over[:, -1].mean() > 200


def test_records_of_hugging_face_data_sets(tmp_path: Path) -> None:
    path = tmp_path / "a.jpg"
    path.write_bytes(stored(1))
    records = [
        {"bytes": stored(1), "path": None},
        {"bytes": None, "path": str(path)},
        {"bytes": None, "path": None},
    ]
    images = Images(records, 3)
    assert images.png(0) == images.png(1)
    assert images.png(0) is not None
    assert images.png(2) is None
    with pytest.raises(TypeError, match=r"images\[0\] must be"):
        Images([{"array": 3}], 1)
