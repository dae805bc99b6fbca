"""What is asked of a call: finite results, legal refusals, arguments left as they were."""

from __future__ import annotations

import dataclasses
import re
import traceback
from collections.abc import Iterator, Mapping, Sequence
from pathlib import Path
from typing import Any

import numpy as np
import pandas as pd
from scipy import sparse
from sklearn.base import BaseEstimator

import nbembed

#: What scikit-learn's checks of estimators ask for, word for word.
CONVENTION = "Found array with 0 feature(s)"
PACKAGE = str(Path(nbembed.__file__).parent)


class Fault(AssertionError):
    """A call did something that it must not do."""


def check_finite(result: Any, where: str = "the result") -> None:
    """Raise :class:`Fault` if any number in a result is NaN or infinite."""
    if result is None or isinstance(result, str | bytes | bool | int):
        return
    if isinstance(result, float | np.floating):
        if not np.isfinite(result):
            raise Fault(f"{where} is {result!r}")
    elif isinstance(result, np.ndarray):
        if result.dtype.kind in "fc" and not np.isfinite(result).all():
            raise Fault(f"{where} is not finite: {result!r:.200}")
    elif sparse.issparse(result):
        check_finite(result.data, f"{where}.data")
    elif isinstance(result, Mapping):
        for key, value in result.items():
            check_finite(value, f"{where}[{key!r}]")
    elif isinstance(result, list | tuple):
        for i, value in enumerate(result):
            check_finite(value, f"{where}[{i}]")
    elif dataclasses.is_dataclass(result):
        for f in dataclasses.fields(result):
            check_finite(getattr(result, f.name), f"{where}.{f.name}")


def check_map(result: Any, X: Any) -> None:
    """Raise :class:`Fault` unless a fit has a finite layout with a row for each row of ``X``."""
    layout = getattr(result, "embedding_", None) if isinstance(result, BaseEstimator) else result
    if isinstance(result, BaseEstimator) and layout is None:
        for name, value in vars(result).items():
            if name.endswith("_") and isinstance(value, np.ndarray):
                check_finite(value, name)
        return
    if not isinstance(layout, np.ndarray) or layout.ndim != 2:
        raise Fault(f"the layout is {layout!r:.200}")
    check_finite(layout, "the layout")
    n = np.shape(X)[0] if X is not None and np.ndim(X) else None
    if n is not None and not hasattr(X, "obs_names") and layout.shape[0] != n:
        raise Fault(f"the layout has shape {layout.shape} for {n} points")


def check_refusal(
    error: BaseException, allowed: Sequence[type[Exception]], about: Sequence[str]
) -> None:
    """Raise :class:`Fault` unless an error is an allowed one whose message names an argument.

    The types must match exactly: NumPy's ``LinAlgError`` and Unicode's errors are ValueErrors too.
    Those that this package defines, and scikit-learn's ``NotFittedError``, count as what they are
    derived from.
    """
    kind = type(error)
    known = kind.__module__.startswith("nbembed") or kind.__name__ == "NotFittedError"
    if not (kind in allowed or (known and isinstance(error, tuple(allowed)))):
        raise Fault(f"{kind.__name__} is not among the errors allowed: {error}") from error
    text = str(error)
    if kind not in (ValueError, TypeError) or CONVENTION in text:
        return
    if about and not any(re.search(rf"(?<!\w){re.escape(name)}(?!\w)", text) for name in about):
        raise Fault(f"the message names no argument: {kind.__name__}: {text}") from error


def fingerprint(value: Any) -> Any:
    """Return what can be compared to see whether a value was changed."""
    if isinstance(value, np.ndarray):
        if value.dtype.kind == "O":
            return (value.shape, [fingerprint(v) for v in value.flat])
        return (value.shape, value.dtype.str, value.strides, value.tobytes())
    if sparse.issparse(value):
        parts = ("data", "indices", "indptr", "row", "col")
        return [fingerprint(getattr(value, p)) for p in parts if hasattr(value, p)]
    if isinstance(value, pd.DataFrame | pd.Series):
        return (value.to_json(), str(value.index), str(getattr(value, "columns", "")))
    if isinstance(value, Mapping):
        return [(key, fingerprint(v)) for key, v in value.items()]
    if isinstance(value, list | tuple):
        return [fingerprint(v) for v in value]
    if isinstance(value, set | bytearray | str | bytes | int | float | complex):
        return repr(value)
    if isinstance(value, BaseEstimator):
        return [type(value).__name__, sorted(vars(value))]
    if isinstance(value, nbembed.Supervision):
        return repr(value.to_dict())
    return id(value)


def place_of(error: BaseException) -> str:
    """Return the innermost line of this package that an error passed, as file:function."""
    chain = [error]
    while (cause := chain[-1].__cause__) is not None:
        chain.append(cause)
    frames = [f for f in traceback.extract_tb(chain[-1].__traceback__) if _own(f.filename)]
    return f"{Path(frames[-1].filename).relative_to(PACKAGE)}:{frames[-1].name}" if frames else ""


def _own(filename: str) -> bool:
    return filename.startswith(PACKAGE)


def lines_of(error: BaseException) -> Iterator[str]:
    """Yield the last frames of an error and of its cause."""
    text = "".join(traceback.format_exception(error, limit=-6))
    yield from text.strip().splitlines()[-30:]
