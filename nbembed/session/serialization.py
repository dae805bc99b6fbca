"""Values of parameters and commands as JSON data, and back with the same bits.

JSON holds numbers, text, lists and maps. What else a session's parameters may be is written as a
map with a reserved key: ``{"__array__": list, "dtype": "<f4", "shape": [2, 3]}``, ``{"__tuple__":
list}``, ``{"__supervision__": map}``, ``{"__optimizer__": name, "fields": map}``,
``{"__estimator__": path, "parameters": map, "learned": map}``. Python writes floats with as many
digits as it takes to read the same bits again. Functions and other objects have no JSON form and
are refused by name; nothing is ever pickled.

An estimator (a classifier, a learning metric) is written as the path of its class and its
parameters. Only classes of scikit-learn and of this package are written or read: a file from
somebody else must not choose what is imported. The fitted attributes of this package's own
estimators are written along with them; a fitted estimator of scikit-learn is refused, because its
fitted attributes are not a stable format.
"""

from __future__ import annotations

import dataclasses
import importlib
import re
import sys
from collections.abc import Mapping
from typing import Any

import numpy as np
from sklearn.base import BaseEstimator

from nbembed.optimizers.base import Optimizer
from nbembed.supervision import Supervision

#: Packages whose estimators may be stored.
PACKAGES = ("sklearn", "nbembed")

#: Parameters of estimators that are none of their recipes'.
REPORTING = ("verbose", "callbacks")

_PATH = re.compile(rf"({'|'.join(PACKAGES)})(\.[A-Za-z_]\w*)+")


def encode(value: Any, name: str = "value") -> Any:
    """Return ``value`` as JSON data.

    Raises
    ------
    TypeError
        If it has no JSON form; the message says which part, beginning at ``name``.
    """
    return _encode(value, name, strict=True)


def encode_or_describe(value: Any, name: str = "value") -> Any:
    """Return ``encode(value)``, with a marked description in place of what has no JSON form.

    The log must be readable even where a parameter is a function of the user's.
    """
    return _encode(value, name, strict=False)


def _encode(value: Any, name: str, strict: bool) -> Any:
    if isinstance(value, np.generic):
        value = value.item()
    if value is None or isinstance(value, bool | int | float | str):
        return value
    if isinstance(value, np.ndarray) and value.dtype.kind in "biufU":
        shape = list(value.shape)
        return {"__array__": value.ravel().tolist(), "dtype": value.dtype.str, "shape": shape}
    if isinstance(value, list):
        return [_encode(v, f"{name}[{i}]", strict) for i, v in enumerate(value)]
    if isinstance(value, tuple):
        return {"__tuple__": [_encode(v, f"{name}[{i}]", strict) for i, v in enumerate(value)]}
    if isinstance(value, Mapping):
        if is_opaque(value):
            return dict(value)
        if any(not isinstance(k, str) or k.startswith("__") for k in value):
            raise TypeError(f"{name} must have text keys that do not start with '__'")
        return {k: _encode(v, f"{name}[{k!r}]", strict) for k, v in value.items()}
    if isinstance(value, Supervision):
        return {"__supervision__": value.to_dict()}
    if _is_optimizer(type(value)):
        fields = {f.name: getattr(value, f.name) for f in dataclasses.fields(value) if f.init}
        encoded = _encode(fields, name, strict)
        return {"__optimizer__": type(value).__name__, "fields": encoded}
    if is_estimator(value) and (strict or not _has_no_form(value)):
        return _encode_estimator(value, name)
    if not strict:
        return {"__opaque__": getattr(value, "__qualname__", repr(value))}
    raise TypeError(
        f"{name} is a {type(value).__name__}, which has no JSON form; only numbers, text, arrays, "
        f"lists, maps, supervision, nbembed's optimizers, and estimators of nbembed and "
        f"scikit-learn can be stored"
    )


def _encode_estimator(value: Any, name: str) -> dict[str, Any]:
    learned = fitted_attributes(value)
    if learned and not type(value).__module__.startswith("nbembed."):
        raise TypeError(
            f"{name} is a fitted {type(value).__name__}, of which only parameters can be stored; "
            f"give an unfitted one (sklearn.base.clone)"
        )
    return {
        "__estimator__": path_of(type(value)),
        "parameters": _encode(value.get_params(deep=False), name, strict=True),
        "learned": _encode(learned, name, strict=True),
    }


def _has_no_form(value: Any) -> bool:
    """Return whether an estimator has no JSON form."""
    try:
        _encode_estimator(value, "value")
    except TypeError:
        return True
    return False


def decode(value: Any) -> Any:
    """Return what :func:`encode` was given.

    Raises
    ------
    ValueError
        If a reserved form is broken.
    """
    if isinstance(value, list):
        return [decode(v) for v in value]
    if not isinstance(value, dict):
        return value
    try:
        if "__array__" in value:
            dtype = np.dtype(value["dtype"])
            if dtype.kind not in "biufU":
                raise ValueError(f"dtype {dtype} is not allowed")
            return np.array(value["__array__"], dtype=dtype).reshape(value["shape"])
        if "__tuple__" in value:
            return tuple(decode(v) for v in value["__tuple__"])
        if "__supervision__" in value:
            return Supervision.from_dict(value["__supervision__"])
        if "__optimizer__" in value:
            return _optimizer(value["__optimizer__"])(**decode(value["fields"]))
        if "__estimator__" in value:
            stored = decode(value["parameters"]), decode(value["learned"])
            return make_estimator(value["__estimator__"], *stored)
    except (KeyError, TypeError, AttributeError) as error:
        raise ValueError(f"broken stored value: {error}") from error
    return {k: decode(v) for k, v in value.items()}


def is_opaque(value: Any) -> bool:
    """Return whether ``value`` is a description by :func:`encode_or_describe`."""
    return isinstance(value, Mapping) and "__opaque__" in value


def same(a: Any, b: Any) -> bool:
    """Return whether two parameter values are equal, arrays and containers included."""
    if a is b:
        return True
    if type(a) is type(b) and isinstance(a, bool | int | float | str):
        return bool(a == b)  # the common case, before slower checks
    if isinstance(a, np.ndarray) or isinstance(b, np.ndarray):
        if not (isinstance(a, np.ndarray) and isinstance(b, np.ndarray)):
            return False
        return a.dtype == b.dtype and a.shape == b.shape and a.tobytes() == b.tobytes()
    if isinstance(a, Mapping) and isinstance(b, Mapping):
        return a.keys() == b.keys() and all(same(v, b[k]) for k, v in a.items())
    if isinstance(a, list | tuple) and isinstance(b, list | tuple):
        return type(a) is type(b) and len(a) == len(b) and all(map(same, a, b))
    if is_estimator(a):
        return same_estimator(a, b)
    # 1 == 1.0 == True in Python, but an estimator may tell them apart.
    return type(a) is type(b) and bool(a == b)


def _is_optimizer(cls: Any) -> bool:
    return bool(
        issubclass(cls, Optimizer)
        and dataclasses.is_dataclass(cls)
        and cls.__module__.startswith("nbembed.optimizers.")
    )


def _optimizer(name: str) -> Any:
    """Return the optimizer class of that name; nothing outside nbembed.optimizers is looked at."""
    import nbembed.optimizers as optimizers

    cls = getattr(optimizers, name, None)
    if not (isinstance(cls, type) and _is_optimizer(cls)):
        raise ValueError(f"unknown optimizer {name!r}")
    return cls


# -- estimators ------------------------------------------------------------------------------


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


def fitted_attributes(value: BaseEstimator) -> dict[str, Any]:
    """Return the attributes that fitting has set, which by convention end with an underscore."""
    return {k: v for k, v in vars(value).items() if k.endswith("_") and not k.startswith("_")}


def make_estimator(
    path: str, parameters: Mapping[str, Any], learned: Mapping[str, Any]
) -> BaseEstimator:
    """Return the estimator of a path with these parameters.

    Raises
    ------
    ValueError
        If the path is not that of an estimator of a known package, or does not take a parameter.
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
    recipe_type = getattr(cls, "recipe_type", None)
    if recipe_type is not None:  # an older version may have named some otherwise
        renamed = recipe_type.upgraded(parameters)
        parameters = renamed | {k: parameters[k] for k in REPORTING if k in parameters}
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
    if type(a) is not type(b):
        return False
    return same(a.get_params(deep=False), b.get_params(deep=False)) and same(
        fitted_attributes(a), fitted_attributes(b)
    )


def _from_known_package(cls: type) -> bool:
    return cls.__module__.partition(".")[0] in PACKAGES
