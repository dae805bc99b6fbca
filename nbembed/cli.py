"""The command line: ``nbembed lab``, ``nbembed reproduce`` and ``nbembed info``."""

from __future__ import annotations

import argparse
import importlib.util
import os
import platform
import shutil
import subprocess
import sys
from collections.abc import Iterator, Sequence
from importlib import metadata
from pathlib import Path

import nbembed

PACKAGE = Path(nbembed.__file__).parent
QUICKSTART = "quickstart.ipynb"
SHOWN = (  # the distributions whose versions matter in a report of a fault
    *("numpy", "scipy", "numba", "scikit-learn"),
    *("anywidget", "ipywidgets", "jupyterlab", "bokeh"),
)


def main(arguments: Sequence[str] | None = None) -> int:
    """Run one command; return its exit status."""
    parser = _parser()
    # What `lab` does not know is for JupyterLab; the other commands know all their options.
    known, rest = parser.parse_known_args(arguments)
    if rest and known.command != "lab":
        parser.error(f"unrecognized arguments: {' '.join(rest)}")
    if known.command == "lab":
        return lab(rest)
    if known.command == "reproduce":
        return reproduce(known.names, known.data, known.short)
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
        description="Open JupyterLab on the quickstart notebook, or on the one you name. In a "
        "checkout the quickstart is notebooks/quickstart.ipynb; elsewhere a copy is put into the "
        "current directory first, unless there is one already. Options go to JupyterLab as they "
        "are: --no-browser, --port 8900, …",
        allow_abbrev=False,
    )
    command = commands.add_parser(
        "reproduce",
        help="run published experiments again and compare the figures",
        description="Run published experiments again and print each figure beside the published "
        "one and its accepted range. The exit status is 1 if a figure falls outside. Without a "
        "name, list the experiments.",
    )
    command.add_argument("names", nargs="*", metavar="NAME", help="which experiments to run")
    command.add_argument(
        "--short", action="store_true", help="run all that take no more than a minute or so"
    )
    command.add_argument(
        "--data", type=Path, metavar="DIR", help="the directory with the experiments' data files"
    )
    commands.add_parser("info", help="show versions, cores and where compiled code is kept")
    return parser


# -- nbembed lab -------------------------------------------------------------------------------


def lab(arguments: Sequence[str]) -> int:
    """Open JupyterLab on a notebook, the quickstart by default.

    Parameters
    ----------
    arguments : sequence of str
        Handed to JupyterLab as they are. A notebook among them is opened instead of the quickstart.

    Returns
    -------
    status : int
        JupyterLab's exit status; 2 if it is not installed or a named notebook does not exist.
    """
    if importlib.util.find_spec("jupyterlab") is None:
        print('JupyterLab is missing. Install it with: pip install "nbembed[lab]"', file=sys.stderr)
        return 2
    named = [word for word in arguments if word.endswith(".ipynb") and not word.startswith("-")]
    missing = [word for word in named if not Path(word).is_file()]
    if missing:
        print(f"There is no notebook {missing[0]}.", file=sys.stderr)
        return 2
    command = [sys.executable, "-m", "jupyterlab", *arguments]
    if not named:
        notebook = quickstart(Path.cwd())
        # The second makes the address that JupyterLab prints lead to the notebook as well.
        command += [str(notebook), f"--LabApp.default_url=/lab/tree/{notebook.name}"]
    if getattr(os, "geteuid", lambda: 1)() == 0 and "--allow-root" not in arguments:
        print("Running as root: JupyterLab is started with --allow-root.", file=sys.stderr)
        command.append("--allow-root")
    try:
        return subprocess.call(command)
    except KeyboardInterrupt:  # Ctrl-C reaches JupyterLab too, which asks and then ends
        return 0


def quickstart(directory: Path) -> Path:
    """Return the quickstart notebook to open from ``directory``, copying it there if need be.

    A copy that is already there is never overwritten: it holds what its owner did with it.
    """
    for present in (directory / "notebooks" / QUICKSTART, directory / QUICKSTART):
        if present.is_file():
            return present
    copy = directory / QUICKSTART
    shutil.copyfile(_shipped_notebook(), copy)
    print(f"Copied the quickstart to {copy}.", file=sys.stderr)
    return copy


def _shipped_notebook() -> Path:
    # Inside the package when it was installed; beside it in a checkout and an editable install.
    for folder in (PACKAGE / "notebooks", PACKAGE.parent / "notebooks"):
        if (folder / QUICKSTART).is_file():
            return folder / QUICKSTART
    raise FileNotFoundError(f"this installation of nbembed has no {QUICKSTART}")


# -- nbembed reproduce -------------------------------------------------------------------------


def reproduce(names: Sequence[str], data: Path | None = None, short: bool = False) -> int:
    """Run experiments by name and say how they went.

    Parameters
    ----------
    names : sequence of str
        Keys of ``experiments.NAMES``; none: list what there is.
    data : pathlib.Path or None
        Where the data files are that the package does not ship.
    short : bool
        Run the short ones, and those named.

    Returns
    -------
    status : int
        The worst of the experiments': 1 if a figure falls outside its range. 2 if a name or the
        directory is unknown; nothing is run then.
    """
    if data is not None and not data.is_dir():
        print(f"--data must be a directory, and {data} is none.", file=sys.stderr)
        return 2
    from nbembed import experiments

    known = experiments.NAMES
    if short:
        names = [name for name in known if known[name].short or name in names]
    if not names:
        width = max(map(len, known))
        for name, experiment in known.items():
            print(f"{name:{width}}  {experiment.summary}{'' if experiment.short else ' (long)'}")
        return 0
    unknown = [name for name in names if name not in known]
    if unknown:
        print(f"No experiment is named {', '.join(unknown)}; there are:", file=sys.stderr)
        print(*(f"  {name}" for name in known), sep="\n", file=sys.stderr)
        return 2
    # Every experiment runs even if one before it failed: the reader wants all the figures.
    return max(experiments.run(name, data) for name in names)


# -- nbembed info ------------------------------------------------------------------------------


def info() -> int:
    """Print what a report of a fault should contain."""
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
    """Say where numba keeps what it compiled, by numba's own order of preference."""
    named = os.environ.get("NUMBA_CACHE_DIR")
    beside = PACKAGE / "kernels" / "__pycache__"
    if named:
        return f"{named} (NUMBA_CACHE_DIR)"
    if os.access(beside if beside.exists() else beside.parent, os.W_OK):
        return f"{beside} ({len(list(beside.glob('*.nbc')))} functions)"
    return "the user's cache directory (the package's own cannot be written)"
