"""The figures of past runs, in one JSON file: what a full run writes and where it goes on.

The file has an entry for each experiment: its figures, its time, the versions, digests of the
sources and of the settings (:mod:`nbembed.experiments.papers.sources`). Entries are written as soon
as an experiment has ended, so that an interrupted run continues with the experiment at which it
stopped; an entry of the present sources is :func:`up_to_date` and need not be computed again.
``python -m nbembed.experiments.papers.page`` makes the pages of the file.
"""

from __future__ import annotations

import datetime
import json
import math
import platform
from collections.abc import Mapping
from dataclasses import dataclass, fields
from importlib.metadata import version
from pathlib import Path
from typing import Any, BinaryIO

from nbembed import __version__
from nbembed.experiments.papers.base import Figure, Outcome
from nbembed.experiments.papers.catalog import NAMES, outcome
from nbembed.experiments.papers.sources import PACKAGE, settings_digest, source_digest
from nbembed.kernels.cores import available_cores
from nbembed.system.atomic import write_atomically

FORMAT = 1
#: Where the figures are kept in a checkout.
KEPT = PACKAGE.parent / "docs" / "reproduction.json"
SHOWN = ("numpy", "scipy", "scikit-learn", "numba")


@dataclass(frozen=True)
class Entry:
    """A past run of an experiment.

    * versions: of Python and of the distributions that figures may depend on.
    * source: the digest of the sources that it was run with.
    * settings: that of the experiment's settings; "" if these are not known.
    """

    figures: tuple[Figure, ...]
    seconds: float
    date: str
    versions: Mapping[str, str]
    cores: int
    source: str
    settings: str


def results_file() -> Path:
    """Return the path of a full run's figures: in the docs of a checkout, else right here."""
    return KEPT if KEPT.parent.is_dir() else Path(KEPT.name)


def read_results(file: Path) -> dict[str, Entry]:
    """Return the entries of a file by experiment; none if the file does not exist.

    Raises ValueError if the file is not one of results.
    """
    if not file.is_file():
        return {}
    try:
        content = json.loads(file.read_text(encoding="utf-8"))
        if content["format"] != FORMAT:
            raise ValueError(f"format {content['format']}")
        return {
            name: Entry(
                tuple(_judged(name, _from_json(figure)) for figure in entry["figures"]),
                *(entry[field.name] for field in fields(Entry)[1:]),
            )
            for name, entry in content["experiments"].items()
        }
    except (ValueError, KeyError, TypeError) as error:
        raise ValueError(f"{file} must be a file of results, but it is not: {error}") from None


def _to_json(figure: Figure) -> dict[str, Any]:
    """Return a figure as JSON has it: what is not finite is null; causes are elsewhere."""
    found = {**vars(figure), "others": {k: _finite(v) for k, v in figure.others.items()}}
    del found["fails"], found["unjudged"]
    for name in ("measured", "low", "high"):
        found[name] = _finite(found[name])
    if figure.spread is not None:
        found["spread"] = _finite(figure.spread)
    return found


def _finite(value: float) -> float | None:
    return float(value) if math.isfinite(value) else None


def _from_json(found: Mapping[str, Any]) -> Figure:
    absent = {"measured": math.nan, "low": -math.inf, "high": math.inf}
    others = {k: math.nan if v is None else v for k, v in found.get("others", {}).items()}
    given = {**found, "others": others}
    return Figure(**{**given, **{name: absent[name] for name in absent if found[name] is None}})


def _judged(name: str, figure: Figure) -> Figure:
    """Return a figure with what the list of known failures says of it today."""
    return NAMES[name].judged(figure) if name in NAMES else figure


def write_results(file: Path, entries: Mapping[str, Entry]) -> None:
    """Write entries, in the order of their names."""
    content = {
        "format": FORMAT,
        "experiments": {
            name: {**vars(entry), "figures": [_to_json(figure) for figure in entry.figures]}
            for name, entry in sorted(entries.items())
        },
    }
    text = json.dumps(content, indent=1, ensure_ascii=False, allow_nan=False) + "\n"

    def write(opened: BinaryIO) -> None:
        opened.write(text.encode())

    write_atomically(file, write)


def run_and_keep(
    file: Path, name: str, data: Path | None, n_jobs: int | None, *, again: bool
) -> int:
    """Run an experiment, write its figures beside the others of a file, return its exit status.

    Without ``again`` it is not run if its figures are there and :func:`up_to_date`.
    """
    entries = read_results(file)
    if not again and name in entries and up_to_date(name, entries[name]):
        print(f"{name}: kept in {file}\n")
        return int(not all(figure.as_expected for figure in entries[name].figures))
    source = source_digest(name)  # of what is loaded now, not of what is edited meanwhile
    found = outcome(name, data, n_jobs)
    if found.figures:
        # Read again: another process may have written meanwhile.
        entry = _entry(found, source, settings_digest(name))
        write_results(file, {**read_results(file), name: entry})
    return found.status


def up_to_date(name: str, entry: Entry) -> bool:
    """Return whether an entry was computed with the present sources."""
    return entry.source == source_digest(name)


def _entry(found: Outcome, source: str, settings: str) -> Entry:
    versions = {"Python": platform.python_version(), "nbembed": __version__}
    return Entry(
        found.figures,
        round(found.seconds, 1),
        datetime.datetime.now(datetime.UTC).date().isoformat(),
        versions | {name: version(name) for name in SHOWN},
        available_cores(),
        source,
        settings,
    )
