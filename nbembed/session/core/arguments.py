"""Kinds of arguments that commands take: how each is checked, printed and sent by a page."""

from __future__ import annotations

import math
from collections.abc import Callable, Mapping
from dataclasses import dataclass
from typing import Any

import numpy as np

from nbembed.supervision.conversion import in_natural_order
from nbembed.supervision.parts import check_labels, class_name
from nbembed.validation import check_name, check_points, check_real, check_text, shown

#: Stands for "no default": the argument must be given.
REQUIRED: Any = object()


@dataclass(frozen=True)
class Kind:
    """A kind of argument.

    * name: what the schema of the wire calls it.
    * check: ``check(argument's name, value, n_samples)`` returns the value as the log keeps it, or
      raises ValueError or TypeError naming the argument.
    * annotation: its type in the signature of the session's method.
    """

    name: str
    check: Callable[[str, Any, int], Any]
    annotation: str
    doc: str


def _points(name: str, value: Any, n_samples: int) -> list[int]:
    return [int(i) for i in check_points(value, n_samples, name)]


def _text(name: str, value: Any, n_samples: int) -> str | None:
    if value is not None and not isinstance(value, str):
        raise ValueError(f"{name} must be text, got {shown(value)}")
    return None if value is None else check_name(name, value)


def _new_name(name: str, value: Any, n_samples: int) -> str:
    if not check_name(name, value).strip():
        raise ValueError(f"{name} must not be blank, got {shown(value)}")
    return str(value)


def _measured(name: str, value: Any, n_samples: int) -> float:
    return math.nan if isinstance(value, float) and math.isnan(value) else check_real(name, value)


def _count(name: str, value: Any, n_samples: int) -> int:
    if isinstance(value, bool) or not isinstance(value, int | np.integer) or value < 1:
        raise ValueError(f"{name} must be an integer of at least 1, got {shown(value)}")
    return int(value)


def _index(name: str, value: Any, n_samples: int) -> int:
    if isinstance(value, bool) or not isinstance(value, int | np.integer):
        raise ValueError(f"{name} must be an integer, got {shown(value)}")
    return int(value)


def _labels(name: str, value: Any, n_samples: int) -> list[list[Any]]:
    return [list(label) for label in check_labels(value, n_samples, name)]


def _parameters(name: str, value: Any, n_samples: int) -> dict[str, Any]:
    if not isinstance(value, Mapping) or not all(isinstance(key, str) for key in value):
        raise TypeError(f"{name} must be a mapping of parameters by name, got {shown(value)}")
    return dict(value)


POINTS = Kind("points", _points, "ArrayLike", "array-like of int, or mask of shape (n_samples,)")
CLASS_NAME = Kind("text", lambda name, value, n: class_name(value, name), "Any", "str or int")
TEXT = Kind("text", _text, "str | None", "str")
NEW_NAME = Kind("text", _new_name, "str", "str")
NUMBER = Kind("number", lambda name, value, n: check_real(name, value), "float", "float")
#: Of the log alone: a name, a number that may be NaN, parameters by name.
NAME = Kind("text", lambda name, value, n: check_text(name, value), "str", "str")
MEASURED = Kind("number", _measured, "float", "float")
PARAMETER_MAP = Kind("parameters", _parameters, "Mapping[str, Any]", "mapping of str to Any")
COUNT = Kind("count", _count, "int", "int")
INDEX = Kind("index", _index, "int", "int")
SUPERVISION = Kind(
    "supervision",
    lambda name, value, n: in_natural_order(value, n, name),
    "Supervision | ArrayLike | None",
    "Supervision, array-like or None",
)
#: Labels of points with a class and a confidence each.
LABELS = Kind(
    "labels",
    _labels,
    "Iterable[tuple[int, Any, float]]",
    "iterable of (point, class, confidence)",
)
#: A method by name, or an estimator or recipe; the command itself checks it.
METHOD = Kind(
    "method",
    lambda name, value, n: value,
    "str | Estimator | Recipe[Any]",
    "str, estimator or Recipe",
)
#: Any number of parameters by keyword; the recipe checks them.
PARAMETERS = Kind("parameters", lambda name, value, n: value, "Any", "parameters of the method")


@dataclass(frozen=True)
class Argument:
    """An argument of a command.

    * name: its keyword in the session's method and in the log.
    * default: taken unchecked; :data:`REQUIRED` where it must be given.
    * wire: what a page calls it, if not ``name``: some names are reserved words in Python.
    """

    name: str
    kind: Kind
    doc: str = ""
    default: Any = REQUIRED
    wire: str = ""

    @property
    def required(self) -> bool:
        """True if it must be given."""
        return self.default is REQUIRED

    @property
    def wire_name(self) -> str:
        """The name of the argument on a page."""
        return self.wire or self.name
