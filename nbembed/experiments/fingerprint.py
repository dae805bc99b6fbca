"""A digest of a value, by which a later process recognizes it: the name of a kept result.

Arrays count by type, shape and content, estimators by class and parameters, functions by their
name, compiled code, defaults and the values that they enclose, anything else by its pickle. Equal
digests mean equal values; equal values whose pickles differ only lead to work that is done again.
"""

from __future__ import annotations

import types
from collections.abc import Mapping
from functools import partial
from pathlib import PurePath
from typing import Any

import joblib
import numpy as np
from scipy import sparse


def fingerprint(value: Any) -> str:
    """Return a hexadecimal digest of a value.

    Raises
    ------
    TypeError
        If something in it can be neither described nor pickled.
    """
    try:
        return str(joblib.hash(described(value), hash_name="sha1"))
    except Exception as error:
        raise TypeError(f"it has a part that cannot be pickled: {error}") from error


def described(value: Any) -> Any:
    """Return plain values and arrays in place of what does not have the same pickle every time."""
    if value is None or isinstance(value, bool | int | float | str | bytes):
        return value
    if sparse.issparse(value):
        rows = sparse.csr_array(value)
        return "sparse", rows.shape, rows.indptr, rows.indices, rows.data
    if isinstance(value, np.ndarray):
        return value if value.dtype != object else ("objects", value.shape, described(list(value)))
    if isinstance(value, np.random.Generator):
        return "generator", described(value.bit_generator.state)
    if isinstance(value, np.random.RandomState):
        return "random state", described(value.get_state(legacy=False))
    if hasattr(value, "columns") and hasattr(value, "dtypes"):
        columns = [str(column) for column in value.columns]
        return "table", columns, [described(np.asarray(value[c])) for c in value.columns]
    if isinstance(value, Mapping):
        return "mapping", [(described(k), described(v)) for k, v in value.items()]
    if isinstance(value, list | tuple | range):
        return "sequence", [described(v) for v in value]
    if isinstance(value, set | frozenset):
        return "set", sorted(fingerprint(v) for v in value)
    if isinstance(value, PurePath):
        return "path", str(value)
    if isinstance(value, type):
        return "class", _name(value)
    if hasattr(value, "get_params"):
        return "estimator", _name(type(value)), described(value.get_params(deep=False))
    if isinstance(value, partial):
        return "partial", described([value.func, value.args, value.keywords])
    if isinstance(value, types.MethodType):
        return "method", value.__name__, described(value.__self__)
    if isinstance(value, types.FunctionType):
        return _function(value)
    return value


def _function(function: types.FunctionType) -> Any:
    enclosed = [cell.cell_contents for cell in function.__closure__ or ()]
    parts = [enclosed, function.__defaults__, function.__kwdefaults__]
    return "function", _name(function), _code(function.__code__), described(parts)


def _code(code: types.CodeType) -> Any:
    return code.co_code, code.co_names, [_constant(constant) for constant in code.co_consts]


def _constant(constant: Any) -> Any:
    if isinstance(constant, types.CodeType):
        return _code(constant)
    if isinstance(constant, frozenset):  # in an order that differs from process to process
        return sorted(map(repr, constant))
    return repr(constant)


def _name(thing: Any) -> str:
    return f"{thing.__module__}.{thing.__qualname__}"
