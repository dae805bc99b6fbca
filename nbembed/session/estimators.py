"""Estimators among a session's parameters: classifiers, learning metrics.

An estimator is written as the path of its class and its parameters, never as a pickle. Only classes
of scikit-learn and of this package are written or read: a file from somebody else must not choose
what is imported. What an estimator of this package has learned is written along with it, where it
is plain; one of scikit-learn's that is fitted is refused, because its parts are nobody's promise.
"""

from __future__ import annotations

import importlib
import re
import sys
from collections.abc import Mapping
from typing import Any

from sklearn.base import BaseEstimator

#: Packages whose estimators may be stored.
PACKAGES = ("sklearn", "nbembed")

_PATH = re.compile(rf"({'|'.join(PACKAGES)})(\.[A-Za-z_]\w*)+")


def is_estimator(value: Any) -> bool:
    """Return whether ``value`` is an estimator of a package whose estimators may be stored."""
    return isinstance(value, BaseEstimator) and _from_known_package(type(value))


def path_of(cls: type) -> str:
    """Return the dotted path of an estimator's class, without private modules where it can be."""
    name = cls.__qualname__
    parts = cls.__module__.split(".")
    for end in range(1, len(parts) + 1):
        if any(part.startswith("_") for part in parts[1:end]):
            break
        module = ".".join(parts[:end])
        # Nothing is imported for the sake of a shorter name.
        if vars(sys.modules.get(module, sys)).get(name) is cls:
            return f"{module}.{name}"
    return f"{cls.__module__}.{name}"


def learned_by(value: BaseEstimator) -> dict[str, Any]:
    """Return the attributes that fitting has set, which by convention end with an underscore."""
    return {k: v for k, v in vars(value).items() if k.endswith("_") and not k.startswith("_")}


def make(path: str, parameters: Mapping[str, Any], learned: Mapping[str, Any]) -> BaseEstimator:
    """Return the estimator of a path with these parameters.

    Raises
    ------
    ValueError
        If the path is not of an estimator of a known package, or a parameter is not its.
    """
    if not isinstance(path, str) or not _PATH.fullmatch(path):
        raise ValueError(f"{path!r} is not an estimator of {' or '.join(PACKAGES)}")
    module, _, name = path.rpartition(".")
    try:
        cls = getattr(importlib.import_module(module), name)
    except (ImportError, AttributeError):
        raise ValueError(f"{path} is not known here; it may need another version") from None
    if not (isinstance(cls, type) and issubclass(cls, BaseEstimator) and _from_known_package(cls)):
        raise ValueError(f"{path} is not an estimator")
    try:
        made = cls(**parameters)
    except TypeError as error:
        raise ValueError(f"{path} does not take these parameters: {error}") from None
    if any(not k.endswith("_") or k.startswith("_") for k in learned):
        raise ValueError(f"{path} was not stored as it should be")
    vars(made).update(learned)
    return made


def same_estimator(a: BaseEstimator, b: BaseEstimator) -> bool:
    """Return whether two estimators are of one class, with the same parameters, fitted alike."""
    from nbembed.session.plain import same

    if type(a) is not type(b):
        return False
    return same(a.get_params(deep=False), b.get_params(deep=False)) and same(
        learned_by(a), learned_by(b)
    )


def _from_known_package(cls: type) -> bool:
    return cls.__module__.partition(".")[0] in PACKAGES
