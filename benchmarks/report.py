"""What the benchmarks report, in one form: figures with medians and spreads, to read and as JSON.

A benchmark makes a :class:`Report`, adds figures, and writes them where ``--json`` says:

    report = Report("placement", options.threads)
    report.ratio("1000 new points on a map of 2000", theirs, "openTSNE", ours, goal=5)
    report.value("the same, nbembed", ours, "s", at_most=1.0)
    report.write(options.json)

Times that are compared are taken in turns, and the ratio of each turn is a sample: the speed of a
machine drifts, ratios do not. ``python -m benchmarks`` collects the figures of all benchmarks in
``docs/performance.md``. Memory is the peak of a fresh process (:func:`in_fresh_process`).
"""

from __future__ import annotations

import json
import os
import platform
import statistics
import subprocess
import sys
import tempfile
import time
from collections.abc import Callable, Mapping, Sequence
from dataclasses import asdict, dataclass
from importlib.metadata import PackageNotFoundError, version
from pathlib import Path
from typing import Any

#: Distributions whose versions are named, where they are installed.
SHOWN = ("nbembed", "numpy", "numba", "scipy", "scikit-learn", "openTSNE", "umap-learn")
#: One thread for everybody: libraries differ in what they do with more.
ONE_THREAD = dict.fromkeys(("OMP_NUM_THREADS", "OPENBLAS_NUM_THREADS", "MKL_NUM_THREADS"), "1")


@dataclass(frozen=True)
class Figure:
    """A figure of a benchmark.

    Attributes
    ----------
    work : str
        What was done, with its sizes.
    unit : str
        Of the figure: "s", "ms", "ns/pair", "MiB"; "×" for a ratio, more of which is better.
    median, low, high : float
        Over the turns: the median, and the smallest and largest.
    turns : int
    against : str
        For a ratio, what nbembed was compared with.
    goal : float or None
        To be reached by the median: at least for ratios, at most for others.
    threads : int
    """

    work: str
    unit: str
    median: float
    low: float
    high: float
    turns: int
    against: str = ""
    goal: float | None = None
    threads: int = 1

    @property
    def met(self) -> bool | None:
        """Whether the goal is reached; None without a goal."""
        if self.goal is None:
            return None
        return self.median >= self.goal if self.unit == "×" else self.median <= self.goal

    def __str__(self) -> str:
        against = f" against {self.against}" if self.against else ""
        spread = f" ({digits(self.low)} to {digits(self.high)})" if self.turns > 1 else ""
        verdict = ""
        if self.goal is not None:
            bound = "≥" if self.unit == "×" else "≤"
            verdict = f", goal {bound} {digits(self.goal)}: {'met' if self.met else 'NOT met'}"
        return f"{self.work}: {digits(self.median)} {self.unit}{spread}{against}{verdict}"


class Report:
    """The figures of a benchmark, printed as they are added."""

    def __init__(self, name: str, threads: int = 1) -> None:
        self.name = name
        self.threads = threads
        self.figures: list[Figure] = []

    def value(
        self, work: str, samples: float | Sequence[float], unit: str, at_most: float | None = None
    ) -> Figure:
        """Add a figure of its own."""
        found = [samples] if isinstance(samples, int | float) else list(samples)
        return self._add(work, unit, found, "", at_most)

    def ratio(
        self,
        work: str,
        theirs: Sequence[float],
        against: str,
        ours: Sequence[float],
        goal: float | None = None,
    ) -> Figure:
        """Add how many times as fast, or as small, nbembed is: theirs over ours, turn by turn.

        Where the numbers of turns differ, the medians are compared, and there is no spread.
        """
        if len(theirs) == len(ours):
            samples = [a / b for a, b in zip(theirs, ours)]
        else:
            samples = [statistics.median(theirs) / statistics.median(ours)]
        return self._add(work, "×", samples, against, goal)

    def _add(
        self, work: str, unit: str, samples: list[float], against: str, goal: float | None
    ) -> Figure:
        figure = Figure(
            work, unit, statistics.median(samples), min(samples), max(samples), len(samples),
            against, goal, self.threads,
        )  # fmt: skip
        self.figures.append(figure)
        print(f"  {figure}", flush=True)
        return figure

    def write(self, path: Path | None) -> None:
        """Write the figures as JSON; nothing without a path."""
        if path is None:
            return
        content = {
            "benchmark": self.name,
            "machine": machine(),
            "versions": versions(),
            "figures": [asdict(figure) for figure in self.figures],
        }
        path.write_text(json.dumps(content, indent=1) + "\n", encoding="utf-8")


def timed(
    work: Mapping[str, Callable[[], Any]],
    turns: int,
    clock: Callable[[], float] = time.perf_counter,
    in_a_row: int = 1,
) -> dict[str, list[float]]:
    """Return the seconds that each piece of work takes, in each turn.

    Parameters
    ----------
    work : mapping of str to callable
        Done in turns: the speed of a machine drifts, ratios do not. Each is done once before the
        first turn, which compiles it.
    turns : int
    clock : callable
    in_a_row : int, default=1
        How often a piece is done in a turn, which counts as their mean.
    """
    for run in work.values():
        run()
    seconds: dict[str, list[float]] = {name: [] for name in work}
    for _ in range(turns):
        for name, run in work.items():
            start = clock()
            for _ in range(in_a_row):
                run()
            seconds[name].append((clock() - start) / in_a_row)
    return seconds


def read(path: Path) -> tuple[str, list[Figure]]:
    """Return the name of a benchmark and the figures that it wrote."""
    content = json.loads(path.read_text(encoding="utf-8"))
    return content["benchmark"], [Figure(**figure) for figure in content["figures"]]


def origin(path: Path) -> tuple[str, dict[str, str]]:
    """Return the machine and the versions that the figures of a file were measured with."""
    content = json.loads(path.read_text(encoding="utf-8"))
    return content["machine"], content["versions"]


def digits(value: float) -> str:
    """Return a number with three significant digits, without an exponent."""
    if value == 0 or not 1e-6 < abs(value) < 1e15:
        return f"{value:g}"
    return f"{float(f'{value:.3g}'):.10f}".rstrip("0").rstrip(".")


def machine() -> str:
    """Return the machine in general terms: the family of the processor, cores, and memory."""
    name = platform.processor() or platform.machine()
    information = Path("/proc/cpuinfo")
    features = ""
    if information.exists():
        text = information.read_text(encoding="utf-8")
        names = [
            line.split(":", 1)[1].strip() for line in text.splitlines() if "model name" in line
        ]
        name = names[0] if names else name
        features = ", AVX-512" if " avx512f" in text else ", AVX2" if " avx2" in text else ""
    memory = ""
    if hasattr(os, "sysconf") and "SC_PHYS_PAGES" in os.sysconf_names:
        total = os.sysconf("SC_PHYS_PAGES") * os.sysconf("SC_PAGE_SIZE")
        memory = f", {total / 2**30:.0f} GiB"
    return f"{name}{features}, {os.cpu_count()} cores{memory}, {platform.system()}"


def versions() -> dict[str, str]:
    """Return the versions of Python and of the distributions that are compared."""
    found = {"Python": platform.python_version()}
    for name in SHOWN:
        try:
            found[name] = version(name)
        except PackageNotFoundError:
            continue
    return found


def listed(found: Mapping[str, str]) -> str:
    """Return names and versions in one line."""
    return ", ".join(f"{name} {number}" for name, number in found.items())


def origin_line() -> str:
    """Return the machine and the versions that are measured with, as a benchmark's first line."""
    return f"{machine()} · {listed(versions())}"


#: Runs a script and reports the peak of the process's memory. On Linux ``ru_maxrss`` would include
#: that of the process that started this one.
MEASURED = """
import json, pathlib, re, runpy, sys, time
script, answer = sys.argv[1], sys.argv[2]
sys.argv = [script, *sys.argv[3:]]
began = time.perf_counter()
found = runpy.run_path(script, run_name="__main__")
seconds = time.perf_counter() - began
status = pathlib.Path("/proc/self/status")
if status.exists():
    mib = int(re.search(r"VmHWM:\\s+(\\d+)", status.read_text()).group(1)) / 2**10
else:
    import resource
    peak = resource.getrusage(resource.RUSAGE_SELF).ru_maxrss
    mib = peak / (2**20 if sys.platform == "darwin" else 2**10)
found = {"seconds": seconds, "mib": mib, "answer": found.get("answer")}
pathlib.Path(answer).write_text(json.dumps(found))
"""


def in_fresh_process(code: str, *arguments: str, environment: dict[str, str] | None = None) -> Any:
    """Run Python code in a process of its own; return its seconds, its peak memory and its answer.

    Parameters
    ----------
    code : str
        Finds its arguments in ``sys.argv[1:]``; may set ``answer``, which JSON must be able to
        hold.
    *arguments : str
    environment : dict, optional
        Variables besides those of this process.

    Returns
    -------
    dict
        "seconds", with the imports; "mib", the peak of the resident memory; "answer".
    """
    with tempfile.TemporaryDirectory() as folder:
        script, answer = Path(folder) / "script.py", Path(folder) / "answer.json"
        script.write_text(code, encoding="utf-8")
        subprocess.run(
            [sys.executable, "-c", MEASURED, str(script), str(answer), *arguments],
            check=True,
            env={**os.environ, **(environment or {})},
        )
        return json.loads(answer.read_text(encoding="utf-8"))
