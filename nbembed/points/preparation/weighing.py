"""Weights of columns, and columns of which logarithms are embedded."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import replace
from typing import TYPE_CHECKING, Any

import numpy as np
from numpy.typing import NDArray
from sklearn.preprocessing import FunctionTransformer

from nbembed.points.preparation.reading import as_names
from nbembed.points.table import listed
from nbembed.validation import check_real, shown

if TYPE_CHECKING:
    from nbembed.points.preparation.columns import PreparedColumn

#: The largest weight of a column.
HEAVIEST = 3.0
#: Why a column of weight 0 is left out.
NO_WEIGHT = "weight 0"


def has_uses(weights: Any, log: Any) -> bool:
    """Return whether columns are weighed, or logarithms taken of some.

    Raises TypeError if the weights are no mapping.
    """
    if weights is not None and not isinstance(weights, Mapping):
        raise TypeError(f"weights must be a mapping of columns to numbers, got {shown(weights)}")
    return bool(weights) or bool(_names(log))


def with_uses(columns: Sequence[PreparedColumn], weights: Any, log: Any) -> list[PreparedColumn]:
    """Return columns with their weights, and whether logarithms of them are embedded.

    Raises TypeError or ValueError if a weight is not legal, or a column is not embedded.
    """
    told = {column.name: column for column in columns}
    for name in _names(log):
        column = _embedded(told, name, "log")
        if column.use != "number":
            raise ValueError(
                f"log must name columns of numbers, got {listed([name])}: {column.use}"
            )
        told[name] = replace(column, log=True)
    for name, weight in (weights or {}).items():
        column = _embedded(told, name, "weights")
        given = check_real(f"weights[{shown(name)}]", weight, low=0, high=HEAVIEST)
        told[name] = (
            replace(column, weight=given) if given
            else replace(column, use="left out", reason=NO_WEIGHT, log=False)
        )  # fmt: skip
    return list(told.values())


def logarithms(name: Any, numbers: NDArray[np.float64]) -> NDArray[np.float64]:
    """Return log(1 + x) of a column, NaN where it is missing or infinite."""
    finite = np.where(np.isfinite(numbers), numbers, np.nan)
    if (finite < 0).any():
        raise ValueError(
            f"log takes columns without negative numbers, but X has {np.nanmin(finite):.6g} in "
            f"{listed([name])}"
        )
    return np.log1p(finite)


def weighing(columns: Sequence[PreparedColumn], owners: Sequence[int]) -> list[tuple[str, Any]]:
    """Return the step that multiplies features by the weights of their columns, if there is one.

    * owners: of each feature, the place of its column among these.
    """
    weights = np.array([columns[k].weight for k in owners])
    if (weights == 1).all():
        return []
    return [("weights", FunctionTransformer(_weighed, kw_args={"weights": weights}))]


def _weighed(X: Any, weights: NDArray[np.float64]) -> Any:
    return X * weights


def _names(log: Any) -> tuple[Any, ...]:
    none = log is None or (isinstance(log, list | tuple) and not log)
    return () if none else as_names(log, "log")


def _embedded(columns: Mapping[Any, PreparedColumn], name: Any, argument: str) -> PreparedColumn:
    column = columns.get(name)
    if column is not None and column.embedded:
        return column
    why = "no column of X that is embedded" if column is None else f"left out ({column.reason})"
    raise ValueError(
        f"{argument} must name columns that are embedded, got {listed([name])}: {why}. "
        "features=[...] names those that are embedded"
    )
