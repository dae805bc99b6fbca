"""Sparse matrices whose arrays do not fit together: SciPy makes them, and code that reads them may
end the process."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numpy as np
from scipy import sparse

FAR = 2**30


def _csr(change: Callable[[Any], None]) -> Callable[[Any], Any]:
    """Return a function that makes a malformed CSR array of a dense one."""

    def make(dense: Any) -> Any:
        X = sparse.csr_array(dense)
        change(X)
        return X

    return make


def _set(part: str, index: Any, value: Any) -> Callable[[Any], Any]:
    def change(X: Any) -> None:
        getattr(X, part)[index] = value

    return _csr(change)


def _replace(part: str, made: Callable[[Any], Any]) -> Callable[[Any], Any]:
    return _csr(lambda X: setattr(X, part, made(getattr(X, part))))


#: Functions of a dense matrix, by what is wrong with the sparse one that they return.
MALFORMED: dict[str, Callable[[Any], Any]] = {
    "a negative index": _set("indices", 1, -FAR),
    "an index too large": _set("indices", -1, FAR),
    "an index one too large": lambda dense: _set("indices", 0, dense.shape[1])(dense),
    "a pointer too large": _set("indptr", 3, FAR),
    "a last pointer too large": _set("indptr", -1, FAR),
    "a negative pointer": _set("indptr", 2, -FAR),
    "a first pointer above zero": _set("indptr", 0, 1),
    "a first pointer below zero": _set("indptr", 0, -FAR),
    "pointers that decrease": _set("indptr", slice(2, 4), [9, 2]),
    "too few pointers": _replace("indptr", lambda a: a[:-2]),
    "too many pointers": _replace("indptr", lambda a: np.append(a, a[-1])),
    "no pointer": _replace("indptr", lambda a: a[:0]),
    "too few indices": _replace("indices", lambda a: a[:-1]),
    "too few values": _replace("data", lambda a: a[:1]),
    "fractional indices": _replace("indices", lambda a: a + 0.5),
    "fractional pointers": _replace("indptr", lambda a: a.astype(float)),
    "indices of objects": _replace("indices", lambda a: a.astype(object)),
    "indices of two dimensions": _replace("indices", lambda a: a[:, None]),
    "pointers in a list": _replace("indptr", lambda a: a.tolist()),
    "values of objects": _replace("data", lambda a: a.astype(object)),
    "complex values": _replace("data", lambda a: a + 1j),
}


def _other(kind: Any, part: str, index: Any, value: Any) -> Callable[[Any], Any]:
    def make(dense: Any) -> Any:
        X = kind(dense)
        getattr(X, part)[index] = value
        return X

    return make


def _coo_far(dense: Any) -> Any:
    X = sparse.coo_array(dense)
    X.coords = (X.coords[0] + FAR, X.coords[1])
    return X


def _coo_short(dense: Any) -> Any:
    X = sparse.coo_array(dense)
    X.coords = (X.coords[0][:-2], X.coords[1])
    return X


def _lil_far(dense: Any) -> Any:
    X = sparse.lil_array(dense)
    X.rows[0] = [k + FAR for k in X.rows[0]]
    return X


def _lil_long(dense: Any) -> Any:
    X = sparse.lil_array(dense)
    X.data[0] = X.data[0] * 1000
    return X


def _dok_far(dense: Any) -> Any:
    X = sparse.dok_array(dense)
    X._dict[(0, FAR)] = 1.0
    return X


def _dia_short(dense: Any) -> Any:
    X = sparse.dia_array(dense)
    X.data = X.data[:1]
    return X


#: Other formats than CSR.
MALFORMED_FORMATS: dict[str, Callable[[Any], Any]] = {
    "csc index": _other(sparse.csc_array, "indices", 0, FAR),
    "csc matrix index": _other(sparse.csc_matrix, "indices", 0, -FAR),
    "csc pointer": _other(sparse.csc_array, "indptr", 2, FAR),
    "bsr index": _other(sparse.bsr_array, "indices", 0, FAR),
    "bsr pointer": _other(sparse.bsr_matrix, "indptr", -1, FAR),
    "coo row": _coo_far,
    "coo lengths": _coo_short,
    "lil column": _lil_far,
    "lil lengths": _lil_long,
    "dok column": _dok_far,
    "dia data": _dia_short,
}
