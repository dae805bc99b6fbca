"""The notebooks: committed without outputs, and they run from top to bottom."""

from __future__ import annotations

import os
import re
from pathlib import Path
from typing import Any

import pytest

ROOT = Path(__file__).resolve().parents[1]
NOTEBOOKS = sorted((ROOT / "notebooks").glob("*.ipynb"))
#: Short stories; a page of the docs has a picture of each.
GALLERY = sorted((ROOT / "notebooks" / "gallery").glob("*.ipynb"))
NOTEBOOKS += GALLERY
#: The lessons, one a paper, are numbered.
LESSONS = [path for path in NOTEBOOKS if path.stem[0].isdigit()]

every_notebook = pytest.mark.parametrize("path", NOTEBOOKS, ids=lambda path: path.stem)


def read(path: Path) -> Any:
    """Return a valid notebook. nbformat, whose import takes seconds, is not needed to collect."""
    import nbformat

    notebook = nbformat.read(path, as_version=4)
    nbformat.validate(notebook)
    return notebook


def test_there_is_a_quickstart():
    assert "quickstart" in {path.stem for path in NOTEBOOKS}


def test_no_cell_of_the_quickstart_blocks_for_longer_than_two_seconds():
    """The map moves while later cells run; who waits does so for two seconds at most."""
    cells = read(ROOT / "notebooks" / "quickstart.ipynb").cells
    code = "\n".join(cell.source for cell in cells if cell.cell_type == "code")
    assert "wait=True" not in code
    waits = re.findall(r"\.wait\((.*)\)", code)
    assert waits, "it shows how to wait"
    assert all(re.search(r"\btimeout=[12]\b", arguments) for arguments in waits), waits


@every_notebook
def test_committed_without_outputs(path):
    notebook = read(path)
    assert "widgets" not in notebook.metadata, "clear the widgets' state"
    for cell in notebook.cells:
        if cell.cell_type == "code":
            assert cell.outputs == []
            assert cell.execution_count is None
        assert cell.metadata == {}, "cell metadata differs from machine to machine"


@every_notebook
def test_cells_keep_their_names(path):
    """Cells with ids of words keep their history: the editor's own ids change at every save."""
    cells = read(path).cells
    ids = [cell.id for cell in cells]
    assert len(set(ids)) == len(ids)
    assert all(re.fullmatch(r"[a-z][a-z0-9-]+", name) for name in ids)
    assert not any(re.fullmatch(r"[0-9a-f]{8}(-[0-9a-f-]+)?", name) for name in ids)


@every_notebook
def test_figures_fill_the_width(path):
    """What is narrower than a page, or cut off by it, is hard to read; nb.plots does it itself."""
    for cell in read(path).cells:
        if cell.cell_type == "code":
            made = len(re.findall(r"\b(?:figure|row|column)\(", cell.source))
            assert cell.source.count('sizing_mode="s') == made, cell.source


@pytest.mark.parametrize("path", LESSONS, ids=lambda path: path.stem)
def test_lessons_have_what_a_lesson_needs(path):
    cells = read(path).cells
    text = "\n".join(cell.source for cell in cells if cell.cell_type == "markdown")
    code = "\n".join(cell.source for cell in cells if cell.cell_type == "code")
    assert text.startswith("# ")
    assert text.count("$$") >= 2, "an equation"
    assert "nb.plots." in code, "a figure"
    assert "INLINE" in code, "figures that need no network"
    assert "nb.Explorer(" in code, "something to play with"
    answers = text.count("<details>")
    assert answers == text.count("</details>") == text.count("<summary>Answer</summary>")
    assert answers >= 2, "exercises, their answers folded"


@pytest.mark.parametrize("path", LESSONS, ids=lambda path: path.stem)
def test_lessons_are_listed(path):
    assert f"(notebooks/{path.name})" in (ROOT / "README.md").read_text(encoding="utf-8")


@pytest.mark.parametrize("path", GALLERY, ids=lambda path: path.stem)
def test_stories_are_short_and_have_a_picture(path):
    cells = read(path).cells
    assert len(cells) <= 16
    assert cells[0].source.startswith("# ")
    assert cells[-1].source.split("\n")[-1] == "explorer", "ends with a map to look at"
    page = (ROOT / "docs" / "gallery.md").read_text(encoding="utf-8")
    assert f"(../notebooks/gallery/{path.name})" in page
    assert f"\nnotebooks/gallery/{path.stem}\n" in page, "in the table of contents"
    assert f"(images/gallery/{path.stem}.png)" in page
    picture = ROOT / "docs" / "images" / "gallery" / f"{path.stem}.png"
    assert 0 < picture.stat().st_size < 150_000


@pytest.mark.parametrize("path", LESSONS, ids=lambda path: path.stem)
def test_what_a_lesson_begins_with_is_not_to_be_undone(path):
    """Labels that are there from the start are arguments, and no actions of the reader."""
    (made,) = (
        cell.source
        for cell in read(path).cells
        if cell.cell_type == "code" and "nb.Explorer(" in cell.source
    )
    assert not re.search(r"session\.(?!wait\b)", made)
    assert re.search(r"explorer\.session\.wait\(timeout=[12]\)", made), "at rest if it is quick"


#: Run after a notebook: its Explorer comes to rest by itself.
REST = 'assert explorer.session.wait("converged", timeout=300), explorer.session'
#: Run after a lesson, too: within few iterations. Others may take several maps one after another.
SOON = "assert explorer.session.iteration < 1000, explorer.session"
#: Run after a notebook whose classes are the categories of its column: both have the same colors.
ALIKE = """
shown = dict(zip(explorer.color_column["names"], explorer.color_column["colors"]))
classes = {name: explorer.class_styles[name]["color"] for name in explorer.class_styles}
assert classes and classes.items() <= shown.items(), (classes, shown)
"""
#: Those without classes, and those whose classes are of another kind, such as parts of the pictures
#: that the column names.
OWN_CLASSES = {
    "01-sne-to-hssne",
    "02-mbed",
    "03-nerv-and-snerv",
    "07-a-method-of-your-own",
    "a-table-with-holes",
    "alpha-for-a-talk",
    "cells-in-anndata",
    "digits-by-lasso",
    "pieces-of-photographs",
}


@pytest.mark.slow
@every_notebook
def test_runs_from_top_to_bottom(path, tmp_path, monkeypatch):
    import nbclient
    import nbformat

    # The kernel is this interpreter's; it must find the package even where it is not installed.
    search = [str(ROOT), *filter(None, [os.environ.get("PYTHONPATH")])]
    monkeypatch.setenv("PYTHONPATH", os.pathsep.join(search))
    notebook = read(path)
    after = [REST, SOON] if path in LESSONS else [REST]
    after += [] if path.stem in OWN_CLASSES else [ALIKE]
    notebook.cells += [nbformat.v4.new_code_cell(code) for code in after]
    nbclient.execute(notebook, cwd=str(tmp_path), timeout=600, kernel_name="python3")
    warnings = [
        output.text
        for cell in notebook.cells
        if cell.cell_type == "code"
        for output in cell.outputs
        if output.output_type == "stream" and output.name == "stderr"
    ]
    assert warnings == [], "a reader should meet no warning"
