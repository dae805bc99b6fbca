"""Values of parameters and commands as plain JSON data, and back with the same bits.

JSON holds numbers, text, lists and maps. What else a session's parameters may be is written as a
map with a reserved key: ``{"__array__": list, "dtype": "<f4", "shape": [2, 3]}``, ``{"__tuple__":
list}``, ``{"__supervision__": map}``, ``{"__optimizer__": name, "fields": map}``,
``{"__estimator__": path, "parameters": map, "learned": map}``. Python writes floats with as many
digits as it takes to read the same bits again. Functions and other objects have no plain form and
are refused by name; nothing is ever pickled.
"""

from __future__ import annotations

import dataclasses
from collections.abc import Mapping
from typing import Any

import numpy as np

from nbembed.session.estimators import is_estimator, learned_by, make, path_of, same_estimator
from nbembed.supervision import Supervision


def encode(value: Any, name: str = "value") -> Any:
    """Return ``value`` as JSON data.

    Raises
    ------
    TypeError
        If it has no plain form; the message says which part, beginning at ``name``.
    """
    return _encode(value, name, strict=True)


def plain(value: Any, name: str = "value") -> Any:
    """Return ``encode(value)``, with a marked description in place of what has no plain form.

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
    if is_estimator(value) and (strict or not _unspeakable(value)):
        return _encode_estimator(value, name)
    if not strict:
        return {"__opaque__": getattr(value, "__qualname__", repr(value))}
    raise TypeError(
        f"{name} is a {type(value).__name__}, which has no plain form; only numbers, text, arrays, "
        f"lists, maps, supervision, nbembed's optimizers, and estimators of nbembed and "
        f"scikit-learn can be stored"
    )


def _encode_estimator(value: Any, name: str) -> dict[str, Any]:
    learned = learned_by(value)
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


def _unspeakable(value: Any) -> bool:
    """Return whether an estimator has no plain form."""
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
            return make(value["__estimator__"], *stored)
    except (KeyError, TypeError, AttributeError) as error:
        raise ValueError(f"broken stored value: {error}") from error
    return {k: decode(v) for k, v in value.items()}


def is_opaque(value: Any) -> bool:
    """Return whether ``value`` stands for something that :func:`plain` could not write down."""
    return isinstance(value, Mapping) and "__opaque__" in value


def same(a: Any, b: Any) -> bool:
    """Return whether two parameter values are equal, arrays and containers included."""
    if a is b:
        return True
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
    from nbembed.optimizers.base import Optimizer

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
