"""A child that is forked beside a thread with factors of SuperLU knows that it is one."""

from __future__ import annotations

import os
import subprocess
import sys

import pytest

RUN = """
import os, threading
import numpy as np
from nbembed.optimizers.laplacian import LaplacianInverse

made, ended = threading.Event(), threading.Event()

def factor():
    i = np.arange(9)
    inverse = LaplacianInverse(i, i + 1, np.ones(9), 10)
    made.set()
    ended.wait()
    inverse(np.ones((10, 2)))

thread = threading.Thread(target=factor)
thread.start()
made.wait()
child = os.fork()
if child == 0:
    os._exit(threading.active_count())
print(os.waitstatus_to_exitcode(os.waitpid(child, 0)[1]))
ended.set()
thread.join()
"""


@pytest.mark.skipif(not hasattr(os, "fork"), reason="this system has no fork")
def test_a_fork_beside_factors_leaves_no_error() -> None:
    result = subprocess.run(
        [sys.executable, "-W", "ignore", "-c", RUN],
        capture_output=True, text=True, check=False, timeout=120,
    )  # fmt: skip
    assert (result.stdout, result.stderr) == ("1\n", "")
