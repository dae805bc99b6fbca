"""It is known when a kernel is being compiled, and when code comes from disk."""

from __future__ import annotations

import gc
import os
import subprocess
import sys
import threading
import weakref
from pathlib import Path

from nbembed.kernels import compilation

ROOT = Path(__file__).parents[2]

TWICE = """
from nbembed.kernels import compilation
from nbembed.kernels.codegen.compiling import compiled

class Watcher:
    def __init__(self):
        self.seen = []
        compilation.watch(self.changed)
    def changed(self):
        self.seen.append(compilation.compiling())

@compiled
def twice(x):
    return 2 * x

watcher = Watcher()
assert twice(21) == 42
assert twice(4) == 8
print(watcher.seen, compilation.compiling())
"""


def test_compiling_is_told_and_loading_is_not(tmp_path: Path) -> None:
    script = tmp_path / "twice.py"
    script.write_text(TWICE)
    environment = os.environ | {"NUMBA_CACHE_DIR": str(tmp_path / "cache"), "PYTHONPATH": str(ROOT)}
    for expected in ("[True, False] False", "[] False"):
        done = subprocess.run(
            [sys.executable, str(script)], env=environment, capture_output=True, text=True
        )
        assert done.returncode == 0, done.stderr
        assert done.stdout.strip() == expected


class Watcher:
    def __init__(self) -> None:
        self.seen: list[bool] = []

    def changed(self) -> None:
        self.seen.append(compilation.compiling())


def test_two_threads_that_compile_are_one_wait() -> None:
    watcher = Watcher()
    compilation.watch(watcher.changed)

    def compile_() -> None:
        with compilation.under_way():
            assert compilation.compiling()

    with compilation.under_way():
        other = threading.Thread(target=compile_)
        other.start()
        other.join()
        assert compilation.compiling()
    assert watcher.seen == [True, False]


def test_a_kernel_that_compiles_another_is_one_wait() -> None:
    watcher = Watcher()
    compilation.watch(watcher.changed)
    with compilation.under_way():
        with compilation.under_way():
            pass
        assert compilation.compiling()
    assert not compilation.compiling()
    assert watcher.seen == [True, False]


INTERRUPTED = """
from nbembed.kernels import compilation
from nbembed.kernels.codegen.compiling import compiled

@compiled
def inner(x):
    return x + 1

@compiled
def outer(x):
    return inner(x) + undefined_name

kind = type(inner._compiler)
compile_ = kind._compile_core
for wrong in (KeyboardInterrupt, MemoryError):
    def interrupted(self, *arguments):
        assert compilation.compiling()
        raise wrong
    kind._compile_core = interrupted
    try:
        compiled(lambda x: x)(1)
    except wrong:
        pass
    else:
        raise AssertionError("it was compiled")
    finally:
        kind._compile_core = compile_
    assert not compilation.compiling()

try:
    outer(1)
except Exception as error:
    print(type(error).__name__)
print(compilation.compiling(), inner(1))
"""


def test_a_compile_that_is_interrupted_or_fails_is_over(tmp_path: Path) -> None:
    script = tmp_path / "interrupted.py"
    script.write_text(INTERRUPTED)
    environment = os.environ | {"NUMBA_CACHE_DIR": str(tmp_path / "cache"), "PYTHONPATH": str(ROOT)}
    done = subprocess.run(
        [sys.executable, str(script)], env=environment, capture_output=True, text=True
    )
    assert done.returncode == 0, done.stderr
    assert done.stdout.split() == ["TypingError", "False", "2"]


def test_a_watcher_is_not_kept() -> None:
    watcher = Watcher()
    compilation.watch(watcher.changed)
    ref = weakref.ref(watcher)
    del watcher
    gc.collect()
    assert ref() is None
    with compilation.under_way():
        pass
