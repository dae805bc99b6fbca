"""The command line: ``nbembed lab``, ``reproduce`` and ``info``."""

from __future__ import annotations

import argparse
import importlib.util
import io
import os
import platform
import shutil
import subprocess
import sys
from collections.abc import Iterator, Mapping, Sequence
from contextlib import contextmanager, suppress
from importlib import metadata
from pathlib import Path

import nbembed
from nbembed.widget.server import OPTION

PACKAGE = Path(nbembed.__file__).parent
#: Exit status where the reader of the output has gone, as of a program that SIGPIPE ends.
PIPE_CLOSED = 141
QUICKSTART = "quickstart.ipynb"
SHOWN = (  # the distributions whose versions matter in bug reports
    *("numpy", "scipy", "numba", "scikit-learn"),
    *("anywidget", "ipywidgets", "jupyterlab", "bokeh"),
)


def main(arguments: Sequence[str] | None = None) -> int:
    """Run one command; return its exit status.

    Where the output's encoding lacks a character, a question mark is written. If the reader of the
    output goes, as ``head`` does, the command ends quietly.
    """
    for stream in (sys.stdout, sys.stderr):
        if isinstance(stream, io.TextIOWrapper):
            stream.reconfigure(errors="replace")
    try:
        try:
            return _run(arguments)
        finally:
            sys.stdout.flush()  # not at the exit, where an error could not be caught
    except BrokenPipeError:
        os.dup2(os.open(os.devnull, os.O_WRONLY), sys.stdout.fileno())
        return PIPE_CLOSED


def _run(arguments: Sequence[str] | None) -> int:
    parser = _parser()
    # `lab` passes unknown options to JupyterLab; for the other commands they are errors.
    known, rest = parser.parse_known_args(arguments)
    if rest and known.command != "lab":
        parser.error(f"unrecognized arguments: {' '.join(rest)}")
    if known.command == "lab":
        return lab(rest)
    if known.command == "reproduce":
        if known.list:
            return list_papers()
        return reproduce(
            known.names,
            known.data,
            known.short,
            known.jobs,
            full=known.full,
            fresh=known.fresh,
            results=known.results,
        )
    return info()


def _parser() -> argparse.ArgumentParser:
    parser = argparse.ArgumentParser(
        prog="nbembed", description="Steer an embedding from a Jupyter notebook."
    )
    parser.add_argument("--version", action="version", version=f"nbembed {nbembed.__version__}")
    commands = parser.add_subparsers(dest="command", required=True, metavar="COMMAND")
    commands.add_parser(
        "lab",
        help="open JupyterLab on the quickstart notebook",
        usage="nbembed lab [-h] [NOTEBOOK.ipynb] [JUPYTERLAB OPTION ...]",
        description="Open JupyterLab on the quickstart notebook or on a notebook that you name. "
        "In a checkout the quickstart is notebooks/quickstart.ipynb; elsewhere it "
        "is copied into the current directory first, unless a copy exists. Other "
        "options are passed on to JupyterLab, such as --no-browser or --port 8900.",
        allow_abbrev=False,
    )
    command = commands.add_parser(
        "reproduce",
        help="repeat published experiments and compare the results",
        description="Repeat published experiments and print each result with the published "
        "value and the accepted range. The exit status is 1 if a result is outside "
        "its range and not listed as a known failure, or is listed as one but "
        "within its range. Without a name, list the experiments.",
    )
    command.add_argument("names", nargs="*", metavar="NAME", help="experiments to run")
    command.add_argument(
        "--list", action="store_true", help="list all tables and figures of the papers"
    )
    command.add_argument(
        "--full",
        action="store_true",
        help="run all experiments and save their results; results saved with the same source "
        "code are reused, so an interrupted run continues where it stopped",
    )
    command.add_argument(
        "--fresh",
        action="store_true",
        help="with --full: compute everything anew, without reusing saved results",
    )
    command.add_argument(
        "--results",
        type=Path,
        metavar="FILE",
        help="JSON file in which to save the results (default with --full: docs/reproduction.json)",
    )
    command.add_argument(
        "--short", action="store_true", help="run all experiments that take about a minute or less"
    )
    command.add_argument(
        "--data", type=Path, metavar="DIR", help="directory with the data files of the experiments"
    )
    command.add_argument(
        "--jobs",
        type=int,
        metavar="N",
        help="number of processes for splits and folds; -1 uses all cores",
    )
    commands.add_parser(
        "info", help="show versions, number of cores and the cache of compiled code"
    )
    return parser


# -- nbembed lab -------------------------------------------------------------------------------


def lab(arguments: Sequence[str]) -> int:
    """Open JupyterLab on a notebook, the quickstart by default; return its exit status.

    Its server sends frames without delay (:mod:`nbembed.widget.server`), and while it starts, what
    the first map needs is compiled (:mod:`nbembed.session.live.compile_ahead`). ``arguments`` are
    passed on to JupyterLab; a notebook among them is opened instead of the quickstart. The status
    is 2 if JupyterLab is not installed or a named notebook does not exist.
    """
    if importlib.util.find_spec("jupyterlab") is None:
        message = 'JupyterLab is not installed. Install it with: pip install "nbembed[lab]"'
        print(message, file=sys.stderr)
        return 2
    named = [word for word in arguments if word.endswith(".ipynb") and not word.startswith("-")]
    missing = [word for word in named if not Path(word).is_file()]
    if missing:
        print(f"Notebook not found: {missing[0]}", file=sys.stderr)
        return 2
    command = [sys.executable, "-m", "jupyterlab", OPTION, *arguments]
    if not named:
        notebook = quickstart(Path.cwd())
        # With default_url, the address that JupyterLab prints also leads to the notebook.
        command += [str(notebook), f"--LabApp.default_url=/lab/tree/{notebook.name}"]
    if getattr(os, "geteuid", lambda: 1)() == 0 and "--allow-root" not in arguments:
        print("Running as root, so JupyterLab is started with --allow-root.", file=sys.stderr)
        command.append("--allow-root")
    try:
        with compiling_ahead():
            return subprocess.call(command)
    except KeyboardInterrupt:  # Ctrl-C also reaches JupyterLab, which asks before it stops
        return 0


@contextmanager
def compiling_ahead() -> Iterator[None]:
    """Compile in a process of its own while the body runs; what is not done then is given up."""
    process = None
    with suppress(OSError):  # then the first map compiles what it needs, as it would without
        process = subprocess.Popen(
            [sys.executable, "-m", "nbembed.session.live.compile_ahead"],
            stdin=subprocess.DEVNULL,
            stdout=subprocess.DEVNULL,
            stderr=subprocess.DEVNULL,
        )
    try:
        yield
    finally:
        if process is not None:
            process.kill()  # numba replaces the files of its cache whole
            process.wait()


def quickstart(directory: Path) -> Path:
    """Return the quickstart notebook to open from ``directory``; copy it there if necessary.

    An existing copy is never overwritten: it contains the user's own work.
    """
    for present in (directory / "notebooks" / QUICKSTART, directory / QUICKSTART):
        if present.is_file():
            return present
    copy = directory / QUICKSTART
    shutil.copyfile(_shipped_notebook(), copy)
    print(f"Copied the quickstart to {copy}.", file=sys.stderr)
    return copy


def _shipped_notebook() -> Path:
    # Inside the package in a regular installation; next to it in a checkout or editable install.
    for folder in (PACKAGE / "notebooks", PACKAGE.parent / "notebooks"):
        if (folder / QUICKSTART).is_file():
            return folder / QUICKSTART
    raise FileNotFoundError(
        f"{QUICKSTART} is missing from this installation of nbembed; reinstall it"
    )


# -- nbembed reproduce -------------------------------------------------------------------------


def list_papers() -> int:
    """Print every table and figure of the papers, and how it stands with each."""
    from nbembed.experiments.papers.paper_rows import lines

    print(*lines(), sep="\n")
    return 0


def reproduce(
    names: Sequence[str],
    data: Path | None = None,
    short: bool = False,
    jobs: int | None = None,
    *,
    full: bool = False,
    fresh: bool = False,
    results: Path | None = None,
) -> int:
    """Run experiments by name and print their tables; without a name, list them.

    * data: directory of the data files that the package does not ship.
    * short: run all short experiments in addition to the named ones.
    * jobs: number of processes for splits and folds, −1 for one on each core; 1 by default.
    * full: run all and keep the figures. Experiments whose figures were kept with the same sources
      are not run again, so that an interrupted run goes on where it stopped.
    * fresh: with ``full``: run all, whatever is kept.
    * results: the file in which the figures are kept; by default none, for ``full`` that of the
      docs.
    * returns status: the largest exit status of the experiments: 1 if a figure falls outside its
      range and is not a known failure, or is one and does not fail; 2 if data are missing. Also 2
      if a name or the directory does not exist or an option is wrong; nothing is run then.
    """
    from nbembed import experiments
    from nbembed.experiments.papers import results as kept

    known = experiments.NAMES
    if full:
        results = results or kept.results_file()
    problem = _reproduce_problem(names, known, data, jobs, full=full, fresh=fresh, results=results)
    if problem:
        print(problem, file=sys.stderr)
        return 2
    if full:
        names = list(known)
    elif short:
        names = [name for name in known if known[name].short or name in names]
    if not names:
        width = max(map(len, known))
        for name, experiment in known.items():
            print(f"{name:{width}}  {experiment.summary}{'' if experiment.short else ' (long)'}")
        print(
            "\n--list shows the tables and figures of the papers that they repeat; --full "
            "runs all experiments."
        )
        return 0
    # An experiment runs even if a previous one failed, so that all figures are printed.
    status = 0
    for name in names:
        if results is None:
            found = experiments.run(name, data, jobs)
        else:
            found = kept.run_and_keep(results, name, data, jobs, again=fresh or not full)
        status = max(status, found)
    if full and results == kept.KEPT:
        from nbembed.experiments.papers import drawings, page

        status = max(status, drawings.draw_all(data))
        page.write()
    return status


def _reproduce_problem(
    names: Sequence[str],
    known: Mapping[str, object],
    data: Path | None,
    jobs: int | None,
    *,
    full: bool,
    fresh: bool,
    results: Path | None,
) -> str:
    """Return the error in the options, "" if there is none."""
    from nbembed.experiments.papers.results import read_results

    if jobs == 0:
        return "--jobs must not be 0"
    if data is not None and not data.is_dir():
        return f"--data must be a directory, got {data}"
    if fresh and not full:
        return "--fresh needs --full"
    if full and names:
        return f"--full runs all experiments and takes no names, got {' '.join(names)}"
    if results is not None:
        if not results.parent.is_dir():
            return f"--results must be a file in an existing directory, got {results}"
        try:
            read_results(results)
        except ValueError as error:
            return f"--results: {error}"
    unknown = [name for name in names if name not in known]
    if unknown:
        return "\n  ".join([f"Unknown experiments: {', '.join(unknown)}. Available:", *known])
    return ""


# -- nbembed info ------------------------------------------------------------------------------


def info() -> int:
    """Print what a bug report should contain."""
    lines = list(_facts())
    width = max(len(name) for name, _ in lines)
    for name, value in lines:
        print(f"{name:{width}}  {value}")
    return 0


def _facts() -> Iterator[tuple[str, str]]:
    yield "nbembed", f"{nbembed.__version__} in {PACKAGE}"
    yield "Python", f"{platform.python_version()} on {platform.platform()}"
    for name in SHOWN:
        try:
            yield name, metadata.version(name)
        except metadata.PackageNotFoundError:
            yield name, "not installed"
    from nbembed.kernels.cores import available_cores

    yield "cores", f"{available_cores()} of {os.cpu_count()}"
    yield "compiled code", _compiled_code()
    bundle = PACKAGE / "widget" / "static" / "explorer.js"
    yield "front end", f"{bundle.stat().st_size // 1024} KiB" if bundle.is_file() else "not built"


def _compiled_code() -> str:
    """Return Numba's folder of compiled code, as Numba itself finds it."""
    try:
        from nbembed.kernels.codegen.numba_adapter import cache_folder
        from nbembed.kernels.distances import squared_distances
    except ImportError as error:
        return f"none: {error}"
    folder = cache_folder(squared_distances)
    if folder is None:
        return "not cached: Numba found no writable folder"
    return f"{folder} ({len(list(Path(folder).glob('*.nbc')))} functions)"
