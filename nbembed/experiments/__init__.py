"""The papers' experiments, runnable by name; and sweeps over parameters, folds and seeds.

    >>> from nbembed import experiments
    >>> sorted(experiments.NAMES)[:2]
    ['few-labels', 'few-labels-50']

``run(name, data)`` prints a table and returns 0 if every figure lies in its stated range or is a
known failure (:mod:`~nbembed.experiments.papers.known_failures`), 1 if not, and 2 if a data file is
missing. Ranges follow from the published figures and from spreads, not from our means
(:mod:`~nbembed.experiments.papers.ranges`). :mod:`~nbembed.experiments.papers.published` lists
every table and figure of the papers, :mod:`~nbembed.experiments.papers.results` keeps figures.
``sweep(estimator, param_grid, X, y)`` fits an estimator of yours with every setting of a grid.
"""

from __future__ import annotations

from importlib import import_module
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from nbembed.experiments.papers.base import Experiment, Figure
    from nbembed.experiments.papers.catalog import NAMES, run
    from nbembed.experiments.sweeps.sweep_table import SweepTable
    from nbembed.experiments.sweeps.sweeping import sweep

__all__ = ["Experiment", "Figure", "NAMES", "SweepTable", "run", "sweep"]

#: Where each name is defined. They are loaded when they are first used: a process that makes calls
#: of others (:mod:`nbembed.experiments.sweeps.jobs`) does not wait for all experiments.
_HOMES = {
    "Experiment": "papers.base",
    "Figure": "papers.base",
    "NAMES": "papers.catalog",
    "SweepTable": "sweeps.sweep_table",
    "run": "papers.catalog",
    "sweep": "sweeps.sweeping",
}


def __getattr__(name: str) -> object:
    if name not in _HOMES:
        raise AttributeError(f"module {__name__!r} has no attribute {name!r}")
    value = getattr(import_module(f"{__name__}.{_HOMES[name]}"), name)
    globals()[name] = value  # the next access does not come here
    return value


def __dir__() -> list[str]:
    return sorted({*globals(), *__all__})
