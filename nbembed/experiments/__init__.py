"""The papers' experiments, runnable by name: each figure next to the published one.

    >>> from nbembed import experiments
    >>> sorted(experiments.NAMES)[:2]
    ['hssne-unsupervised', 'hssne-vehicle']

``run(name, data)`` prints a table and returns 0 if every figure lies in its stated range, 1 if one
does not, and 2 if a data file is missing. The ranges were fixed before the figures were measured.
"""

from __future__ import annotations

from collections.abc import Mapping
from pathlib import Path
from types import MappingProxyType

from nbembed.experiments import framework, hssne, mbed, parametric, snerv, structure
from nbembed.experiments.base import Experiment, Figure, report
from nbembed.validation import check_path

__all__ = ["Experiment", "Figure", "NAMES", "run"]

#: All experiments by name.
NAMES: Mapping[str, Experiment] = MappingProxyType(
    {
        experiment.name: experiment
        for experiment in (
            *hssne.EXPERIMENTS,
            *structure.EXPERIMENTS,
            *mbed.EXPERIMENTS,
            *framework.EXPERIMENTS,
            *parametric.EXPERIMENTS,
            *snerv.EXPERIMENTS,
        )
    }
)


def run(name: str, data: Path | None = None) -> int:
    """Run one experiment, print its table and return its exit status.

    Parameters
    ----------
    name : str
        A key of :data:`NAMES`.
    data : Path, optional
        Directory of the data files that the package does not ship.

    Raises
    ------
    ValueError
        If the name is unknown.
    """
    if not isinstance(name, str) or name not in NAMES:
        raise ValueError(f"name must be one of {', '.join(NAMES)}, got {name!r}")
    return report(NAMES[name], None if data is None else check_path("data", data))
