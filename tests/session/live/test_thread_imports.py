"""Threads import nothing: a fork in the midst of an import would leave its lock held."""

from __future__ import annotations

import subprocess
import sys

RUN = """
import sys, threading
import numpy as np
import nbembed as nb

found = []

def note(event, arguments):
    thread = threading.current_thread()
    if event == "import" and thread is not threading.main_thread():
        found.append((thread.name, arguments[0]))

X = np.random.default_rng(0).normal(size=(30, 3))
session = nb.Session(X, nb.HSSNE(max_iter=20))
sys.addaudithook(note)
session.step(5, wait=True)
session.label([0, 1, 2], "a")
session.label([3, 4], "b")
session.step(5, wait=True)
session.frame()
session.close()
print(found)
"""


def test_threads_of_a_session_import_nothing() -> None:
    result = subprocess.run(
        [sys.executable, "-c", RUN], capture_output=True, text=True, check=False, timeout=300
    )
    assert result.returncode == 0, result.stderr
    assert result.stdout.strip() == "[]"
