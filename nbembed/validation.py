"""Checks of what users pass: each error names the argument, its value and the allowed values.

Functions return the checked value in the form that the rest of the package works with. They raise
TypeError for a value of the wrong type and ValueError for a value out of range, before any work
starts.
"""

from __future__ import annotations

import math
import os
import sys
import unicodedata
from collections.abc import Iterable, Sequence
from numbers import Integral, Real
from pathlib import Path
from typing import Any

import numpy as np
from numpy.typing import NDArray

#: The most dimensions of a layout: a map is for reading, and time and memory grow with them.
MAX_COMPONENTS = 1000
#: The most classes that have directions of their own (Mbed).
MAX_CLASSES = 1000
#: Characters of a value that an error message repeats, of known names, and of an error in all that
#: a page is told.
LONGEST_SHOWN, LONGEST_LIST, LONGEST_ERROR = 120, 600, 1000


def shown(value: Any) -> str:
    """Return a value for an error message: its ``repr``, cut short."""
    try:
        text = repr(value)
    except Exception:  # malformed itself, or a number of thousands of digits
        text = f"a {'' if isinstance(value, int) else 'malformed '}{type(value).__name__}"
    return _cut(text, LONGEST_SHOWN)


def shown_names(names: Iterable[str]) -> str:
    """Return names for an error message, "" if there is none."""
    return _cut(", ".join(map(shown, names)), LONGEST_LIST)


def error_text(error: BaseException | str) -> str:
    """Return the message of an error, as files and messages can hold it, cut short."""
    return readable(_cut(str(error) or type(error).__name__, LONGEST_ERROR))


def _cut(text: str, longest: int) -> str:
    return text if len(text) <= longest else f"{text[:longest]} …"


def check_real(
    name: str,
    value: Any,
    *,
    low: float = -math.inf,
    high: float = math.inf,
    open_low: bool = False,
) -> float:
    """Return a finite number, no bool, inside [low, high], or (low, high] with ``open_low``."""
    if isinstance(value, bool | np.bool_) or not isinstance(value, Real):
        raise TypeError(f"{name} must be a number, got {shown(value)}")
    try:
        number = float(value)
    except OverflowError:  # an integer that no float can hold
        number = math.inf
    if math.isfinite(number) and number <= high and (number > low if open_low else number >= low):
        return number
    bounds = []
    if math.isfinite(low):
        bounds.append(f"greater than {low:g}" if open_low else f"at least {low:g}")
    if math.isfinite(high):
        bounds.append(f"at most {high:g}")
    allowed = " and ".join(bounds)
    raise ValueError(f"{name} must be a finite number {allowed}".rstrip() + f", got {shown(value)}")


def check_verbose(value: Any) -> None:
    """Check a verbosity: a number of at least 0, or a bool, as scikit-learn takes it."""
    if not isinstance(value, bool | np.bool_):
        check_real("verbose", value, low=0)


def check_count(name: str, value: Any, *, low: int = 1) -> int:
    """Return a whole number of at least ``low``, and not larger than any array could be."""
    if isinstance(value, bool | np.bool_) or not isinstance(value, Integral):
        raise TypeError(f"{name} must be an integer, got {shown(value)}")
    if value < low:
        raise ValueError(f"{name} must be at least {low}, got {shown(value)}")
    count = int(value)
    if count > sys.maxsize:
        raise ValueError(f"{name} must be at most {sys.maxsize}, got {shown(value)}")
    return count


def check_components(value: Any) -> int:
    """Return the number of dimensions of a layout, ``n_components``, in [1, MAX_COMPONENTS]."""
    return _check_bounded("n_components", value, MAX_COMPONENTS)


def check_classes(value: Any) -> int:
    """Return the number of classes that directions are made for, in [1, MAX_CLASSES]."""
    return _check_bounded("n_classes", value, MAX_CLASSES)


def _check_bounded(name: str, value: Any, high: int) -> int:
    count = check_count(name, value)
    if count > high:
        raise ValueError(f"{name} must be at most {high}, got {shown(value)}")
    return count


def check_flag(name: str, value: Any) -> bool:
    """Return True or False; raise TypeError for anything else."""
    if not isinstance(value, bool | np.bool_):
        raise TypeError(f"{name} must be True or False, got {shown(value)}")
    return bool(value)


def check_choice(name: str, value: Any, allowed: Sequence[str]) -> str:
    """Return ``value`` if it is one of the words ``allowed``, which the error lists."""
    if isinstance(value, str) and value in allowed:
        return value
    words = ", ".join(map(repr, allowed))
    raise ValueError(f"{name} must be one of {words}, got {shown(value)}")


def check_numbers(name: str, value: Any) -> NDArray[np.float64]:
    """Return numbers as a new float64 array of whatever shape; they need not be finite.

    Raises TypeError if it holds what is no real number (text that reads like one is none), or rows
    of different lengths; ValueError if values are masked.
    """
    check_unmasked(value, name)
    try:
        array = np.asarray(value)
        if array.dtype.kind == "O" and not any(
            v is None or isinstance(v, str | bytes) for v in array.flat
        ):
            array = array.astype(np.float64)
    except OverflowError:
        raise ValueError(
            f"{name} must be numbers that float64 can hold, got {shown(value)}"
        ) from None
    except (TypeError, ValueError):
        array = np.array("")
    if array.dtype.kind not in "biuf":
        raise TypeError(f"{name} must be real numbers, got {shown(value)}")
    return np.array(array, dtype=np.float64)


def check_unmasked(values: Any, name: str) -> None:
    """Raise ValueError if a masked array masks any value."""
    if isinstance(values, np.ma.MaskedArray) and (mask := np.ma.getmaskarray(values)).any():
        raise ValueError(
            f"{name} must have no masked values, got {np.count_nonzero(mask)}: the mask would be "
            "ignored"
        )


def check_instance(name: str, value: Any, kind: type) -> None:
    """Raise TypeError unless ``value`` is of a class of this package."""
    if not isinstance(value, kind):
        raise TypeError(f"{name} must be of type {kind.__name__}, got {shown(value)}")


def check_text(name: str, value: Any) -> str:
    """Return text that UTF-8 can hold: files and messages to a page are in UTF-8.

    Half of a surrogate pair is no character.
    """
    if not isinstance(value, str):
        raise TypeError(f"{name} must be text, got {shown(value)}")
    try:
        value.encode("utf-8")
    except UnicodeEncodeError as error:
        raise ValueError(
            f"{name} must be text that UTF-8 can encode, got {shown(value)}, in which "
            f'{shown(value[error.start])} is half of a surrogate pair; text.encode("utf-8", '
            '"replace").decode() replaces it'
        ) from None
    return str(value)


def check_name(name: str, value: Any) -> str:
    """Return text that a class, snapshot or selection may be called.

    Control characters other than tab and line feed are refused: terminals obey some, and HDF5
    holds no null characters.
    """
    text = check_text(name, value)
    for character in text:
        if unicodedata.category(character) == "Cc" and character not in "\t\n":
            raise ValueError(
                f"{name} must be text without control characters, got {shown(text)}, which "
                f"contains {shown(character)}"
            )
    return text


def readable(text: str) -> str:
    """Return text from elsewhere, such as of an exception, as files and messages can hold it."""
    return text.encode("utf-8", "replace").decode()


def check_path(name: str, value: Any) -> Path:
    """Return the path of a file or directory, which need not exist."""
    if not isinstance(value, str | os.PathLike) or not isinstance(os.fspath(value), str):
        raise TypeError(f"{name} must be a path, got {shown(value)}")
    if os.fspath(value) == "":
        raise ValueError(f"{name} must be a path, got empty text")
    try:
        os.fsencode(value)
    except UnicodeEncodeError:
        raise ValueError(
            f"{name} must be a path that the file system can encode, got {shown(value)}"
        ) from None
    if "\0" in os.fspath(value):
        raise ValueError(f"{name} must be a path without null characters, got {shown(value)}")
    return Path(value)


def auto_perplexity(n_samples: int) -> float:
    """Return min(30, (n − 1)/3), what ``perplexity="auto"`` stands for; at least 1."""
    n_samples = check_count("n_samples", n_samples)
    return max(1.0, min(30.0, (n_samples - 1) / 3))


def check_perplexity(value: Any, n_samples: int) -> float:
    """Return the perplexity for ``n_samples`` points, in [1, n_samples − 1].

    No row can spread over more than all other points; the error names the largest that is allowed.
    """
    if isinstance(value, str):
        check_choice("perplexity", value, ("auto",))
        return auto_perplexity(n_samples)
    number = check_real("perplexity", value)
    if not 1 <= number <= n_samples - 1:
        raise ValueError(
            f"perplexity must be in [1, {n_samples - 1}] for {n_samples} points, got {shown(value)}"
        )
    return number


def check_perplexity_of_neighbors(value: Any, n_neighbors: int) -> float:
    """Return the perplexity of rows over ``n_neighbors`` neighbors, in [1, ``n_neighbors``]."""
    if isinstance(value, str):
        return check_perplexity(value, n_neighbors + 1)
    number = check_real("perplexity", value)
    if not 1 <= number <= n_neighbors:
        raise ValueError(
            f"perplexity must be in [1, {n_neighbors}] for n_neighbors={n_neighbors}, got "
            f"{shown(value)}; n_neighbors is usually three times the perplexity"
        )
    return number


def as_generator(random_state: Any) -> np.random.Generator:
    """Return a generator of random numbers; the same seed gives the same stream.

    A generator goes on from where it is; ``None`` draws fresh entropy.
    """
    if isinstance(random_state, np.random.Generator):
        return random_state
    if isinstance(random_state, np.random.RandomState):
        return np.random.default_rng(random_state.randint(2**31 - 1))
    if random_state is None:
        return np.random.default_rng()
    whole = isinstance(random_state, Integral) and not isinstance(random_state, bool)
    if whole and int(random_state) >= 0:
        return np.random.default_rng(int(random_state))
    raise ValueError(
        "random_state must be None, a non-negative integer or a numpy generator, "
        f"got {shown(random_state)}"
    )


def check_float_type(dtype: Any) -> np.dtype[Any]:
    """Return float32 or float64 as a dtype."""
    try:
        wanted: np.dtype[Any] = np.dtype(dtype)
    except TypeError:
        wanted = np.dtype(object)
    if wanted not in (np.dtype(np.float32), np.dtype(np.float64)):
        raise ValueError(f"dtype must be float32 or float64, got {shown(dtype)}")
    return wanted


def check_points(points: Any, n_samples: int, name: str = "points") -> NDArray[np.intp]:
    """Return points as sorted, distinct indices.

    They are given as an index, a slice, indices, or a mask of shape (n_samples,).

    Raises ValueError if there are none, or one is not in [0, n_samples), or a mask has another
    length; TypeError if they are neither whole numbers nor a mask.
    """
    try:
        array = np.arange(n_samples)[points] if isinstance(points, slice) else np.asarray(points)
    except (TypeError, ValueError):  # rows of different lengths, a slice of text
        raise TypeError(f"{name} must be point indices or a mask, got {shown(points)}") from None
    if array.dtype == bool:
        if array.shape != (n_samples,):
            raise ValueError(f"{name} as a mask must have shape ({n_samples},), got {array.shape}")
        array = np.flatnonzero(array)
    array = np.atleast_1d(array)
    if array.size == 0:
        raise ValueError(f"{name} must name at least one point, got none")
    if array.ndim != 1:
        raise ValueError(
            f"{name} must be a one-dimensional list of indices, got shape {array.shape}"
        )
    if array.dtype.kind not in "iu":
        raise TypeError(f"{name} must be point indices or a mask, got {shown(points)}")
    if array.min() < 0 or array.max() >= n_samples:
        wrong = array[(array < 0) | (array >= n_samples)][0]
        raise ValueError(f"{name} must be indices in [0, {n_samples}), got {wrong}")
    return np.unique(array).astype(np.intp)
