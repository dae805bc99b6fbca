"""Run all benchmarks and write their figures to docs/performance.md.

    python -m benchmarks                      all, on one thread
    python -m benchmarks exact placement      some; the others' figures are kept
    python -m benchmarks --list

Each benchmark is a script of this folder that takes ``--json FILE`` and writes its figures there
(:mod:`benchmarks.report`). Its figures are kept in ``benchmarks/figures``, one file a benchmark, so
that a run of a few of them renews only theirs. A new script is found by itself; :data:`ARGUMENTS`
is for those that take others than ``--json``, :data:`VARIANTS` for those that run more than once.

Needs the extra ``nbembed[bench]``.
"""

from __future__ import annotations

import argparse
import os
import subprocess
import sys
import time
from collections.abc import Iterator, Mapping, Sequence
from pathlib import Path

sys.path.insert(0, str(Path(__file__).parent))
from report import ONE_THREAD, Figure, digits, listed, machine, origin, read, versions

HERE = Path(__file__).parent
FIGURES = HERE / "figures"
PAGE = HERE.parent / "docs" / "performance.md"
IMAGES = PAGE.parent / "images"
#: Not benchmarks.
PARTS = ("__main__", "layouts", "report")
#: Arguments besides ``--json``.
ARGUMENTS = {
    "exact": ["--fit"],
    "scaling": ["--picture", str(IMAGES / "scaling.png")],
}
#: Benchmarks that are a script with other arguments: the script, and those.
VARIANTS = {
    "cold_start": ("latency", ["--cold"]),
    "exact_avx2": ("exact", ["--for", "haswell"]),
    "large_fits": ("large", ["--fit", "5000", "20000", "70000", "--data", "mnist.npz"]),
    "large_million": ("large", ["--on-map", "1000000"]),
    "latency_large": ("latency", ["--n", "200000", "--moves", "20", "--lassos", "10"]),
    "latency_panels": ("latency", ["--panels"]),
    "page_memory": ("latency", ["--panels", "--n", "2000", "--minutes", "10"]),
    "placement_million": ("placement", ["--many", "1000000"]),
}

HEAD = """# Performance

Written by `python -m benchmarks` (`python -m pip install ".[bench]"` first). Ratios are of times
measured in turns in the same process, more is better; behind a median stand the smallest and the
largest of the turns. The speed of a machine drifts, ratios hardly do.

Measured on, where nothing else stands below a table: {machine}.

Versions: {versions}.
"""


def main() -> int:
    scripts = (path.stem for path in HERE.glob("*.py") if path.stem not in PARTS)
    names = sorted([*scripts, *VARIANTS])
    parser = argparse.ArgumentParser(description=__doc__.split("\n")[0])
    parser.add_argument("names", nargs="*", metavar="NAME", help="benchmarks; all by default")
    parser.add_argument("--list", action="store_true", help="list the benchmarks")
    options = parser.parse_args()
    unknown = [name for name in options.names if name not in names]
    if unknown:
        print(f"no benchmark {', '.join(unknown)}; there are {', '.join(names)}", file=sys.stderr)
        return 2
    if options.list:
        print(*names, sep="\n")
        return 0
    FIGURES.mkdir(exist_ok=True)
    failed = [name for name in options.names or names if not run(name)]
    PAGE.write_text(page(sorted(FIGURES.glob("*.json"))), encoding="utf-8")
    print(f"\n{PAGE} written" + (f"; failed: {', '.join(failed)}" if failed else ""))
    return 1 if failed else 0


def run(name: str) -> bool:
    """Run a benchmark in a process of its own; return whether it wrote its figures."""
    print(f"\n== {name}", flush=True)
    found = FIGURES / f"{name}.json"
    beside = found.with_suffix(".new")
    began = time.perf_counter()
    script, arguments = VARIANTS.get(name, (name, ARGUMENTS.get(name, [])))
    command = [sys.executable, str(HERE / f"{script}.py"), *arguments, "--json", str(beside)]
    # The package of this checkout is measured, whatever is installed.
    environment = {**os.environ, **ONE_THREAD, "PYTHONPATH": str(HERE.parent)}
    done = subprocess.run(command, env=environment, check=False)
    print(f"{time.perf_counter() - began:.0f} s")
    if done.returncode != 0 or not beside.exists():
        return False
    read(beside)
    beside.replace(found)
    return True


def page(files: Sequence[Path]) -> str:
    """Return the page with a table for each benchmark."""
    here, present = machine(), versions()
    head = HEAD.format(machine=here, versions=listed(present))
    return "\n".join([head, *_tables(files, here, present)]) + "\n"


def _tables(files: Sequence[Path], here: str, present: Mapping[str, str]) -> Iterator[str]:
    for file in files:
        name, figures = read(file)
        script, arguments = VARIANTS.get(file.stem, (file.stem, []))
        title = file.stem if file.stem in VARIANTS else name
        yield f"## {title}\n\n`{' '.join(['python', f'benchmarks/{script}.py', *arguments])}`\n"
        picture = f"{file.stem}.png"
        if (IMAGES / picture).exists():
            yield f"![The figures of this table as a plot](images/{picture})\n"
        yield "| work | figure | goal |\n|---|---|---|"
        for figure in figures:
            yield _row(figure)
        yield ""
        measured_on, used = origin(file)
        if measured_on != here:
            yield f"This table was measured on: {measured_on}.\n"
        if used != present:
            yield f"Versions of this table: {listed(used)}.\n"


def _row(figure: Figure) -> str:
    value = f"**{digits(figure.median)}** {figure.unit}"
    if figure.against:
        value += f" {figure.against}"
    if figure.turns > 1:
        value += f" ({digits(figure.low)} to {digits(figure.high)})"
    goal = "–"
    if figure.goal is not None:
        bound = "≥" if figure.unit == "×" else "≤"
        goal = f"{bound} {digits(figure.goal)}: {'met' if figure.met else '**not met**'}"
    work = figure.work if figure.threads == 1 else f"{figure.work}, {figure.threads} threads"
    return f"| {work} | {value} | {goal} |"


if __name__ == "__main__":
    sys.exit(main())
