"""Processes of our own that may be killed or may crash."""

from __future__ import annotations

import os
import subprocess
import sys
from pathlib import Path


def start_child(module: str, *arguments: str) -> subprocess.Popen[str]:
    """Call ``main`` of one of these modules in a process of its own; read its stdout."""
    package = str(Path(__file__).resolve().parents[2])
    path = os.pathsep.join([package, *filter(None, [os.environ.get("PYTHONPATH")])])
    code = f"import sys, {module}; {module}.main(*sys.argv[1:])"
    return subprocess.Popen(
        [sys.executable, "-W", "ignore", "-X", "faulthandler", "-c", code, *arguments],
        env={**os.environ, "PYTHONPATH": path},
        stdin=subprocess.DEVNULL,
        stdout=subprocess.PIPE,
        encoding="utf-8",
    )
