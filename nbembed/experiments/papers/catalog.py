"""All experiments by name, and how one is run."""

from __future__ import annotations

from collections.abc import Mapping
from pathlib import Path
from types import MappingProxyType

from nbembed.experiments.papers import (
    causes,
    few_labels,
    framework,
    framework_choices,
    framework_figures,
    hssne,
    label_causes,
    label_distance,
    mbed,
    nerv_widths,
    none_of_these,
    parametric,
    parametric_figures,
    parametric_times,
    parametric_topics,
    snerv,
    snerv_unlabeled,
    structure,
)
from nbembed.experiments.papers.base import Experiment, Outcome, report
from nbembed.experiments.sweeps.jobs import processes
from nbembed.validation import check_path

#: All experiments by name.
NAMES: Mapping[str, Experiment] = MappingProxyType(
    {
        experiment.name: experiment
        for experiment in (
            *hssne.EXPERIMENTS,
            *structure.EXPERIMENTS,
            *mbed.EXPERIMENTS,
            *label_distance.EXPERIMENTS,
            *few_labels.EXPERIMENTS,
            *none_of_these.EXPERIMENTS,
            *framework.EXPERIMENTS,
            *framework_choices.EXPERIMENTS,
            *framework_figures.EXPERIMENTS,
            *parametric.EXPERIMENTS,
            *parametric_figures.EXPERIMENTS,
            *parametric_times.EXPERIMENTS,
            *parametric_topics.EXPERIMENTS,
            *causes.EXPERIMENTS,
            *label_causes.EXPERIMENTS,
            *nerv_widths.EXPERIMENTS,
            *snerv_unlabeled.EXPERIMENTS,
            *snerv.EXPERIMENTS,
        )
    }
)


def run(name: str, data: Path | None = None, n_jobs: int | None = None) -> int:
    """Run one experiment, print its table and return its exit status.

    It is 0 if all figures are as expected, 1 if one is not, 2 if data are missing.

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
    return outcome(name, data, n_jobs).status


def outcome(name: str, data: Path | None = None, n_jobs: int | None = None) -> Outcome:
    """Run one experiment, print its table, and return its figures too; see :func:`run`."""
    if not isinstance(name, str) or name not in NAMES:
        raise ValueError(f"name must be one of {', '.join(NAMES)}, got {name!r}")
    folder = None if data is None else check_path("data", data)
    with processes(n_jobs):
        return report(NAMES[name], folder)
