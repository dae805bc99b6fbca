"""A digest of a value, by which a later process recognizes it: the name of a kept result.

Arrays count by type, shape and content, estimators by class, parameters and what a fit left in
them. Functions count by their name, compiled code, defaults, the values that they enclose, and the
numbers, text and arrays among the global variables that they name; anything else by its pickle.
What is not seen is the code of classes and of the functions that a function calls, and other global
variables. Apart from these, equal digests mean equal values; equal values whose pickles differ only
lead to work that is done again.
"""

from __future__ import annotations

import numbers
import types
from collections.abc import Mapping
from functools import partial
from pathlib import PurePath
from typing import Any

import joblib
import numpy as np
from scipy import sparse


def fingerprint(value: Any) -> str:
    """Return a value's hexadecimal digest; raise TypeError if it cannot be described or pickled."""
    try:
        return str(joblib.hash(described(value), hash_name="sha1"))
    except Exception as error:
        raise TypeError(f"a part cannot be pickled: {error}") from error


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
        parameters = value.get_params(deep=False)
        state = {k: v for k, v in getattr(value, "__dict__", {}).items() if k not in parameters}
        return "estimator", _name(type(value)), described([parameters, dict(sorted(state.items()))])
    scored_by = getattr(value, "_score_func", None)  # of scikit-learn's make_scorer
    if scored_by is not None and not getattr(scored_by, "__module__", "").startswith("sklearn."):
        return "scorer", _name(type(value)), described(dict(sorted(vars(value).items())))
    if isinstance(value, partial):
        return "partial", described([value.func, value.args, value.keywords])
    if isinstance(value, types.MethodType):
        return "method", value.__name__, described(value.__self__)
    if isinstance(value, types.FunctionType):
        return _function(value)
    return value


def _function(function: types.FunctionType) -> Any:
    enclosed = [cell.cell_contents for cell in function.__closure__ or ()]
    read = {
        name: function.__globals__[name]
        for name in sorted(_names(function.__code__))
        if _plain(function.__globals__.get(name))
    }
    parts = [enclosed, function.__defaults__, function.__kwdefaults__, read]
    return "function", _name(function), _code(function.__code__), described(parts)


def _names(code: types.CodeType) -> set[str]:
    """Return the names of globals and attributes in some code and in the functions it makes."""
    inner = (_names(const) for const in code.co_consts if isinstance(const, types.CodeType))
    return set(code.co_names).union(*inner)


def _plain(value: Any) -> bool:
    """Return whether a value is a number, text, an array, or a sequence of these."""
    if isinstance(value, list | tuple):
        return all(map(_plain, value))
    return isinstance(value, numbers.Number | str | bytes | np.generic | np.ndarray)


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
