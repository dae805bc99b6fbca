"""Values of parameters and commands as JSON data, and back with the same bits.

JSON holds numbers, text, lists and maps. What else a session's parameters may be is written as a
map with a reserved key: ``{"__array__": list, "dtype": "<f4", "shape": [2, 3]}``, ``{"__tuple__":
list}``, ``{"__supervision__": map}``, ``{"__optimizer__": name, "fields": map}``,
``{"__estimator__": path, "parameters": map, "learned": map}``. Python writes floats with as many
digits as it takes to read the same bits again. Functions and other objects have no JSON form and
are refused by name; nothing is ever pickled.

An estimator (a classifier, a learning metric) is written as the path of its class and its
parameters; which ones may be, is said in :mod:`nbembed.session.core.estimators`.
"""

from __future__ import annotations

import dataclasses
import math
from collections.abc import Mapping
from typing import Any

import numpy as np

from nbembed.optimizers.base import Optimizer
from nbembed.session.core.estimators import (
    estimator_parts,
    fitted_attributes,
    is_estimator,
    make_estimator,
)
from nbembed.supervision import Supervision
from nbembed.validation import shown

#: How deep stored values may be nested; a classifier in a pipeline takes five.
DEPTH = 100


def encode(value: Any, name: str = "value") -> Any:
    """Return ``value`` as JSON data; a TypeError names the part, from ``name``, that has none."""
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
            raise TypeError(f"{name} must have keys of text that do not start with '__'")
        return {k: _encode(v, f"{name}[{k!r}]", strict) for k, v in value.items()}
    if isinstance(value, Supervision):
        return {"__supervision__": value.to_dict()}
    if is_optimizer(type(value)):
        fields = {f.name: getattr(value, f.name) for f in dataclasses.fields(value) if f.init}
        encoded = _encode(fields, name, strict)
        return {"__optimizer__": type(value).__name__, "fields": encoded}
    if is_estimator(value):
        try:
            return _encode_estimator(value, name)
        except TypeError:
            if strict:
                raise
    if not strict:
        return {"__opaque__": getattr(value, "__qualname__", repr(value))}
    raise TypeError(
        f"{name} is a {type(value).__name__}, which has no JSON form; only numbers, text, arrays, "
        f"lists, maps, supervision, nbembed's optimizers, and the estimators listed in "
        f"nbembed.session.core.estimators can be stored"
    )


def _encode_estimator(value: Any, name: str) -> dict[str, Any]:
    path, parameters, learned = estimator_parts(value, name)
    return {
        "__estimator__": path,
        "parameters": _encode(parameters, name, strict=True),
        "learned": _encode(learned, name, strict=True),
    }


def decode(value: Any, n_samples: int | None = None) -> Any:
    """Return the value that :func:`encode` was given.

    Any supervision must be of ``n_samples`` points: another number is refused before anything of
    that size is made. Raises ValueError if a reserved form is broken.
    """
    return _decode(value, n_samples, 0)


def _decode(value: Any, n: int | None, depth: int) -> Any:
    if isinstance(value, list):
        return [_decode(v, n, depth + 1) for v in value]
    if not isinstance(value, dict):
        return value
    if depth > DEPTH:
        raise ValueError(f"a stored value is nested more than {DEPTH} levels deep")
    try:
        if "__array__" in value:
            return _array(value)
        if "__tuple__" in value:
            return tuple(_decode(v, n, depth + 1) for v in value["__tuple__"])
        if "__supervision__" in value:
            return decode_supervision(value["__supervision__"], n)
        if "__optimizer__" in value:
            return _optimizer(value["__optimizer__"])(**_decode(value["fields"], n, depth + 1))
        if "__estimator__" in value:
            stored = (_decode(value[part], n, depth + 1) for part in ("parameters", "learned"))
            return make_estimator(value["__estimator__"], *stored)
    except (KeyError, TypeError, AttributeError, OverflowError) as error:
        raise ValueError(f"broken stored value: {error}") from error
    return {k: _decode(v, n, depth + 1) for k, v in value.items()}


def decode_supervision(data: Any, n_samples: int | None) -> Supervision:
    """Return the supervision that ``to_dict`` wrote, of ``n_samples`` points if that is known."""
    found = data.get("n_samples") if isinstance(data, Mapping) else None
    if n_samples is not None and (type(found) is not int or found != n_samples):
        raise ValueError(f"it has {n_samples} points but labels for {shown(found)}")
    try:
        return Supervision.from_dict(data)
    except (TypeError, ValueError, OverflowError) as error:
        raise ValueError(f"broken supervision: {error}") from error


def _array(stored: Mapping[str, Any]) -> np.ndarray[Any, Any]:
    """Return the array of a reserved form; nothing is made larger than its list of values."""
    values, shape, name = stored["__array__"], stored["shape"], stored["dtype"]
    if not isinstance(name, str):
        raise ValueError(f"a dtype must be text, got {shown(name)}")
    dtype = np.dtype(name)
    if dtype.kind not in "biufU":
        raise ValueError(f"dtype {dtype} is not allowed")
    if not isinstance(values, list) or not isinstance(shape, list):
        raise ValueError("an array must be a list of values with a shape")
    kinds = {"b": (bool,), "i": (int,), "u": (int,), "f": (int, float), "U": (str,)}[dtype.kind]
    if any(type(v) not in kinds for v in values):
        raise ValueError(f"an array of {dtype} has values of another type")
    if any(type(size) is not int or size < 0 for size in shape) or math.prod(shape) != len(values):
        raise ValueError(f"an array of {len(values)} values cannot have the shape {shape}")
    if dtype.kind == "U" and dtype.itemsize > 4 * max(map(len, values), default=1):
        dtype = np.dtype(str)  # as long as the longest
    return np.array(values, dtype=dtype).reshape(shape)


def is_opaque(value: Any) -> bool:
    """Return whether ``value`` is a description by :func:`encode_or_describe`."""
    return isinstance(value, Mapping) and "__opaque__" in value


def description(value: Any) -> str | None:
    """Return the first description of what has no JSON form in a value, if there is one."""
    if is_opaque(value):
        return str(value["__opaque__"])
    inner = value.values() if isinstance(value, Mapping) else value
    if not isinstance(inner, list | tuple) and inner is value:
        return None
    return next(filter(None, map(description, inner)), None)


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
        return type(a) is type(b) and (
            same(a.get_params(deep=False), b.get_params(deep=False))
            and same(fitted_attributes(a), fitted_attributes(b))
        )
    # 1 == 1.0 == True in Python, but an estimator may tell them apart.
    return type(a) is type(b) and bool(a == b)


def is_optimizer(cls: Any) -> bool:
    """Return whether a class is one of this package's optimizers."""
    return bool(
        issubclass(cls, Optimizer)
        and dataclasses.is_dataclass(cls)
        and cls.__module__.startswith("nbembed.optimizers.")
    )


def _optimizer(name: str) -> Any:
    """Return the optimizer class of that name; nothing outside nbembed.optimizers is looked at."""
    import nbembed.optimizers as optimizers

    cls = getattr(optimizers, name, None)
    if not (isinstance(cls, type) and is_optimizer(cls)):
        raise ValueError(f"unknown optimizer {shown(name)}")
    return cls
