"""The papers' experiments, runnable by name; and sweeps over parameters, folds and seeds.

    >>> from nbembed import experiments
    >>> sorted(experiments.NAMES)[:2]
    ['few-labels', 'few-labels-50']

``run(name, data)`` prints a table and returns 0 if every figure lies in its stated range, 1 if one
does not, and 2 if a data file is missing. The ranges were fixed before the figures were measured.
``sweep(estimator, param_grid, X, y)`` fits an estimator of yours with every setting of a grid.
"""

from __future__ import annotations

from collections.abc import Mapping
from pathlib import Path
from types import MappingProxyType

from nbembed.experiments import (
    few_labels,
    framework,
    hssne,
    mbed,
    parametric,
    snerv,
    structure,
)
from nbembed.experiments.base import Experiment, Figure, report
from nbembed.experiments.jobs import processes
from nbembed.experiments.sweep_table import SweepTable
from nbembed.experiments.sweeping import sweep
from nbembed.validation import check_path

__all__ = ["Experiment", "Figure", "NAMES", "SweepTable", "run", "sweep"]

#: All experiments by name.
NAMES: Mapping[str, Experiment] = MappingProxyType(
    {
        experiment.name: experiment
        for experiment in (
            *hssne.EXPERIMENTS,
            *structure.EXPERIMENTS,
            *mbed.EXPERIMENTS,
            *few_labels.EXPERIMENTS,
            *framework.EXPERIMENTS,
            *parametric.EXPERIMENTS,
            *snerv.EXPERIMENTS,
        )
    }
)


def run(name: str, data: Path | None = None, n_jobs: int | None = None) -> int:
    """Run one experiment, print its table and return its exit status.

    Parameters
    ----------
    name : str
        A key of :data:`NAMES`.
    data : Path, optional
        Directory of the data files that the package does not ship.
    n_jobs : int, optional
        Number of processes for splits and folds, −1 for one on each core; the figures do not depend
        on it. None: as ``joblib.parallel_config`` says, else 1.

    Raises
    ------
    ValueError
        If the name is unknown, or ``n_jobs`` 0.
    TypeError
        If ``n_jobs`` is no integer.
    """
    if not isinstance(name, str) or name not in NAMES:
        raise ValueError(f"name must be one of {', '.join(NAMES)}, got {name!r}")
    folder = None if data is None else check_path("data", data)
    with processes(n_jobs):
        return report(NAMES[name], folder)
