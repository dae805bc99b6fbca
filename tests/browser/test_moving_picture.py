"""The script of the moving picture films what a person does, on fewer points and groups."""

from __future__ import annotations

from pathlib import Path

import pytest
from PIL import Image

from docs import moving_picture
from tests.browser.conftest import OpenCells


def test_the_film_shows_a_map_that_is_steered(
    open_cells: OpenCells, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    notebook = open_cells(moving_picture.CELL.format(points=300))
    notebook.run_all()
    groups = moving_picture.GROUPS[:2]
    moving_picture.film(notebook, groups).write(tmp_path / "steering.webp")
    assert set(notebook.evaluate("list(explorer.supervision.classes)")) >= {"zero", "six"}
    assert notebook.errors == []
    with Image.open(tmp_path / "steering.webp") as film:
        assert film.n_frames > 30
        assert film.width == moving_picture.WIDTH


def test_the_kept_picture_is_small_and_moves() -> None:
    assert moving_picture.PICTURE.stat().st_size < 3 * 2**20
    with Image.open(moving_picture.PICTURE) as film:
        assert film.n_frames > 30
