"""The notebooks: committed without outputs, and they run from top to bottom."""

from __future__ import annotations

import os
from pathlib import Path

import nbclient
import nbformat
import pytest

ROOT = Path(__file__).resolve().parents[1]
NOTEBOOKS = sorted((ROOT / "notebooks").glob("*.ipynb"))

every_notebook = pytest.mark.parametrize("path", NOTEBOOKS, ids=lambda path: path.stem)


def test_there_is_a_quickstart():
    assert "quickstart" in {path.stem for path in NOTEBOOKS}


@every_notebook
def test_committed_without_outputs(path):
    notebook = nbformat.read(path, as_version=4)
    nbformat.validate(notebook)
    assert "widgets" not in notebook.metadata, "clear the widgets' state"
    for cell in notebook.cells:
        if cell.cell_type == "code":
            assert cell.outputs == []
            assert cell.execution_count is None
        assert cell.metadata == {}, "cell metadata differs from machine to machine"


@pytest.mark.slow
@every_notebook
def test_runs_from_top_to_bottom(path, tmp_path, monkeypatch):
    # The kernel is this interpreter's; it must find the package even where it is not installed.
    search = [str(ROOT), *filter(None, [os.environ.get("PYTHONPATH")])]
    monkeypatch.setenv("PYTHONPATH", os.pathsep.join(search))
    notebook = nbformat.read(path, as_version=4)
    nbclient.execute(notebook, cwd=str(tmp_path), timeout=600, kernel_name="python3")
    warnings = [
        output.text
        for cell in notebook.cells
        if cell.cell_type == "code"
        for output in cell.outputs
        if output.output_type == "stream" and output.name == "stderr"
    ]
    assert warnings == [], "a reader should meet no warning"
