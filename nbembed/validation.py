"""Checks of what users pass: each error names the argument, its value and the allowed values.

Functions return the checked value in the form that the rest of the package works with. They raise
TypeError for a value of the wrong type and ValueError for a value out of range, before any work
starts.
"""

from __future__ import annotations

import math
import os
import sys
from collections.abc import Sequence
from numbers import Integral, Real
from pathlib import Path
from typing import TYPE_CHECKING, Any

import numpy as np
from scipy import sparse

from nbembed.dask_input import refuse_dask
from nbembed.sparse_format import as_csr

if TYPE_CHECKING:
    from numpy.typing import NDArray

#: The least number of points with neighbors.
MIN_SAMPLES = 2
#: The most dimensions of a layout: a map is for reading, and time and memory grow with them.
MAX_COMPONENTS = 1000
#: The most classes that have directions of their own (Mbed).
MAX_CLASSES = 1000
#: Metrics by name: those of scikit-learn's ``pairwise_distances``, SciPy's among them.
METRICS = (
    "euclidean", "l2", "cityblock", "l1", "manhattan", "cosine", "precomputed", "braycurtis",
    "canberra", "chebyshev", "correlation", "dice", "hamming", "haversine", "jaccard",
    "mahalanobis", "minkowski", "rogerstanimoto", "russellrao", "seuclidean", "sokalsneath",
    "sqeuclidean", "yule",
)  # fmt: skip


def check_real(
    name: str,
    value: Any,
    *,
    low: float = -math.inf,
    high: float = math.inf,
    open_low: bool = False,
) -> float:
    """Return a finite number inside [low, high], or (low, high] with ``open_low``.

    Raises
    ------
    TypeError
        If it is not a real number; a bool is not.
    ValueError
        If it is outside, infinite or NaN.
    """
    if isinstance(value, bool | np.bool_) or not isinstance(value, Real):
        raise TypeError(f"{name} must be a number, got {value!r}")
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
    raise ValueError(f"{name} must be a finite number {allowed}".rstrip() + f", got {value!r}")


def check_count(name: str, value: Any, *, low: int = 1) -> int:
    """Return a whole number of at least ``low``.

    Raises
    ------
    TypeError
        If it is not an integer.
    ValueError
        If it is smaller, or larger than any array could be.
    """
    if isinstance(value, bool | np.bool_) or not isinstance(value, Integral):
        raise TypeError(f"{name} must be an integer, got {value!r}")
    if value < low:
        raise ValueError(f"{name} must be at least {low}, got {value!r}")
    count = int(value)
    if count > sys.maxsize:
        raise ValueError(f"{name} must be at most {sys.maxsize}, got {value!r}")
    return count


def check_components(value: Any) -> int:
    """Return the number of dimensions of a layout, ``n_components``, in [1, MAX_COMPONENTS].

    Raises
    ------
    TypeError, ValueError
    """
    return _check_bounded("n_components", value, MAX_COMPONENTS)


def check_classes(value: Any) -> int:
    """Return the number of classes that directions are made for, in [1, MAX_CLASSES].

    Raises
    ------
    TypeError, ValueError
    """
    return _check_bounded("n_classes", value, MAX_CLASSES)


def _check_bounded(name: str, value: Any, high: int) -> int:
    count = check_count(name, value)
    if count > high:
        raise ValueError(f"{name} must be at most {high}, got {value!r}")
    return count


def check_flag(name: str, value: Any) -> bool:
    """Return True or False.

    Raises
    ------
    TypeError
        If it is neither.
    """
    if not isinstance(value, bool | np.bool_):
        raise TypeError(f"{name} must be True or False, got {value!r}")
    return bool(value)


def check_choice(name: str, value: Any, allowed: Sequence[str]) -> str:
    """Return ``value`` if it is one of the words ``allowed``.

    Raises
    ------
    ValueError
        If it is not; the message lists them.
    """
    if isinstance(value, str) and value in allowed:
        return value
    words = ", ".join(map(repr, allowed))
    raise ValueError(f"{name} must be one of {words}, got {value!r}")


def check_numbers(name: str, value: Any) -> NDArray[np.float64]:
    """Return numbers as a new float64 array of whatever shape; they need not be finite.

    Raises
    ------
    TypeError
        If it holds what is no real number (text that reads like one is none), or rows of different
        lengths.
    ValueError
        If values are masked.
    """
    check_unmasked(value, name)
    try:
        array = np.asarray(value)
        if array.dtype.kind == "O" and not any(
            v is None or isinstance(v, str | bytes) for v in array.flat
        ):
            array = array.astype(np.float64)
    except OverflowError:
        raise ValueError(f"{name} must be numbers that float64 can hold, got {value!r}") from None
    except (TypeError, ValueError):
        array = np.array("")
    if array.dtype.kind not in "biuf":
        raise TypeError(f"{name} must be real numbers, got {value!r}")
    return np.array(array, dtype=np.float64)


def check_unmasked(values: Any, name: str) -> None:
    """Raise ValueError if a masked array masks any value."""
    if isinstance(values, np.ma.MaskedArray) and (mask := np.ma.getmaskarray(values)).any():
        raise ValueError(
            f"{name} must have no masked values, got {np.count_nonzero(mask)}: what is behind the "
            "mask would be read"
        )


def check_magnitude(data: Any, name: str = "X", high: float = 1e140) -> None:
    """Raise unless squares of the data, dense or sparse, and their sums stay finite.

    Raises
    ------
    ValueError
        If an absolute value is above ``high``.
    """
    values = data if isinstance(data, np.ndarray) else data.data
    largest = float(np.abs(values).max(initial=0))
    if largest > high:
        raise ValueError(
            f"{name} must be at most {high:g} in magnitude, or squares overflow; got "
            f"{largest:.3g}: rescale it"
        )


def check_instance(name: str, value: Any, kind: type) -> None:
    """Raise unless ``value`` is of a class of this package.

    Raises
    ------
    TypeError
        If it is not.
    """
    if not isinstance(value, kind):
        try:
            got = repr(value)
        except Exception:  # malformed itself, as a sparse matrix without its parts is
            got = f"a malformed {type(value).__name__}"
        raise TypeError(f"{name} must be of type {kind.__name__}, got {got}")


def check_text(name: str, value: Any) -> str:
    """Return text that UTF-8 can hold: files and messages to a page are in UTF-8.

    Raises
    ------
    TypeError
        If it is no text.
    ValueError
        If it has half of a surrogate pair, which is no character.
    """
    if not isinstance(value, str):
        raise TypeError(f"{name} must be text, got {value!r}")
    try:
        value.encode("utf-8")
    except UnicodeEncodeError as error:
        raise ValueError(
            f"{name} must be text of whole characters, got {value!r}, in which "
            f"{value[error.start]!r} is half of a surrogate pair; "
            'text.encode("utf-8", "replace").decode() replaces it'
        ) from None
    return str(value)


def readable(text: str) -> str:
    """Return text from elsewhere, such as of an exception, as files and messages can hold it."""
    return text.encode("utf-8", "replace").decode()


def check_path(name: str, value: Any) -> Path:
    """Return the path of a file or directory, which need not exist.

    Raises
    ------
    TypeError
        If it is neither text nor a path.
    ValueError
        If it is empty text, or no file can be named so.
    """
    if not isinstance(value, str | os.PathLike) or not isinstance(os.fspath(value), str):
        raise TypeError(f"{name} must be a path, got {value!r}")
    if os.fspath(value) == "":
        raise ValueError(f"{name} must be a path, got empty text")
    try:
        os.fsencode(value)
    except UnicodeEncodeError:
        raise ValueError(f"{name} must be a path of whole characters, got {value!r}") from None
    if "\0" in os.fspath(value):
        raise ValueError(f"{name} must be a path without null characters, got {value!r}")
    return Path(value)


def auto_perplexity(n_samples: int) -> float:
    """Return min(30, (n − 1)/3), what ``perplexity="auto"`` stands for; at least 1."""
    n_samples = check_count("n_samples", n_samples)
    return max(1.0, min(30.0, (n_samples - 1) / 3))


def check_perplexity(value: Any, n_samples: int) -> float:
    """Return the perplexity for ``n_samples`` points.

    Parameters
    ----------
    value : float or "auto"
        In [1, n_samples − 1]: no row can spread over more than all other points.
    n_samples : int

    Raises
    ------
    ValueError
        If it is too large (the message names the largest that is allowed) or below 1.
    """
    if isinstance(value, str):
        check_choice("perplexity", value, ("auto",))
        return auto_perplexity(n_samples)
    number = check_real("perplexity", value)
    if not 1 <= number <= n_samples - 1:
        raise ValueError(
            f"perplexity must be in [1, {n_samples - 1}] for {n_samples} points (at most one less "
            f"than their number), got {value!r}"
        )
    return number


def check_perplexity_of_neighbors(value: Any, n_neighbors: int) -> float:
    """Return the perplexity of rows over ``n_neighbors`` neighbors, as :func:`check_perplexity`.

    Raises
    ------
    ValueError
        If it is above ``n_neighbors`` or below 1.
    """
    if isinstance(value, str):
        return check_perplexity(value, n_neighbors + 1)
    number = check_real("perplexity", value)
    if not 1 <= number <= n_neighbors:
        raise ValueError(
            f"perplexity must be in [1, {n_neighbors}] for n_neighbors={n_neighbors} (three times "
            f"the perplexity is usual), got {value!r}"
        )
    return number


def as_generator(random_state: Any) -> np.random.Generator:
    """Return a generator of random numbers; the same seed gives the same stream.

    Parameters
    ----------
    random_state : int, Generator, RandomState or None
        A generator goes on from where it is; ``None`` draws fresh entropy.

    Raises
    ------
    ValueError
        If it is none of these.
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
        f"got {random_state!r}"
    )


def check_float_type(dtype: Any) -> np.dtype[Any]:
    """Return float32 or float64 as a dtype.

    Raises
    ------
    ValueError
        If it is another type.
    """
    try:
        wanted: np.dtype[Any] = np.dtype(dtype)
    except TypeError:
        wanted = np.dtype(object)
    if wanted not in (np.dtype(np.float32), np.dtype(np.float64)):
        raise ValueError(f"dtype must be float32 or float64, got {dtype!r}")
    return wanted


def check_points(points: Any, n_samples: int, name: str = "points") -> NDArray[np.intp]:
    """Return points as sorted, distinct indices.

    Parameters
    ----------
    points : int, slice, array-like of int, or bool mask of shape (n_samples,)
    n_samples : int
    name : str
        The argument's name, for the error.

    Raises
    ------
    ValueError
        If there are none, or one is not in [0, n_samples), or a mask has another length.
    TypeError
        If they are neither whole numbers nor a mask.
    """
    try:
        array = np.arange(n_samples)[points] if isinstance(points, slice) else np.asarray(points)
    except (TypeError, ValueError):  # rows of different lengths, a slice of text
        raise TypeError(f"{name} must be point indices or a mask, got {points!r}") from None
    if array.dtype == bool:
        if array.shape != (n_samples,):
            raise ValueError(f"{name} as a mask must have shape ({n_samples},), got {array.shape}")
        array = np.flatnonzero(array)
    array = np.atleast_1d(array)
    if array.size == 0:
        raise ValueError(f"{name} must name at least one point, got none")
    if array.ndim != 1:
        raise ValueError(f"{name} must be one list of indices, got shape {array.shape}")
    if array.dtype.kind not in "iu":
        raise TypeError(f"{name} must be point indices or a mask, got {points!r}")
    if array.min() < 0 or array.max() >= n_samples:
        wrong = array[(array < 0) | (array >= n_samples)][0]
        raise ValueError(f"{name} must be indices in [0, {n_samples}), got {wrong}")
    return np.unique(array).astype(np.intp)


def check_probabilities(rows: Any, name: str = "y") -> NDArray[np.float64]:
    """Return rows of class probabilities; an unlabeled point's row is all NaN.

    Raises
    ------
    TypeError
        If they are not real numbers.
    ValueError
        If a row is partly NaN, has a negative entry or does not sum to one (within 1e-4).
    """
    array = check_numbers(name, rows)
    if array.ndim != 2 or array.shape[1] == 0:
        raise ValueError(f"{name} must have shape (n_samples, n_classes), got {array.shape}")
    unknown = np.isnan(array).all(axis=1)
    given = array[~unknown]
    where = np.flatnonzero(~unknown)
    bad = ~np.isfinite(given).all(axis=1)
    if bad.any():
        raise ValueError(
            f"{name} must have rows of finite probabilities, or of nothing but NaN for unlabeled "
            f"points; row {where[bad][0]} is {given[bad][0]}"
        )
    wrong = (given < 0).any(axis=1) | (np.abs(given.sum(axis=1) - 1) > 1e-4)
    if wrong.any():
        raise ValueError(
            f"each row of {name} must be non-negative and sum to one; row {where[wrong][0]} is "
            f"{given[wrong][0]}, with sum {given[wrong][0].sum():.6g}"
        )
    return array


def check_posteriors(rows: Any, name: str = "X", *, min_classes: int = 2) -> NDArray[Any]:
    """Return class posteriors, a row of probabilities for each object, dense and read only.

    Parameters
    ----------
    rows : array-like or sparse matrix of shape (n_samples, n_classes)
        float32 stays float32, every other type becomes float64. Rows are made to sum to one where
        they do so only nearly.
    name : str
        The argument's name, for the error.
    min_classes : int, default=2
        The least number of columns.

    Raises
    ------
    ValueError
        If it is no finite matrix, has too few columns, or a row is negative somewhere or does not
        sum to one (within 1e-4).
    """
    array = check_data(rows, name=name, min_samples=1)
    array = array.toarray() if hasattr(array, "toarray") else array
    if array.shape[1] < min_classes:
        raise ValueError(
            f"{name} must have a column for each of at least {min_classes} classes, "
            f"got shape {array.shape}"
        )
    sums = array.sum(axis=1, dtype=np.float64)
    off = np.abs(sums - 1)
    wrong = np.flatnonzero((array.min(axis=1) < 0) | (off > 1e-4))
    if wrong.size:
        raise ValueError(
            f"each row of {name} must be the probabilities of classes, non-negative and summing to "
            f"one; row {wrong[0]} is {array[wrong[0]]}, with sum {sums[wrong[0]]:.6g}"
        )
    if (off > 4 * np.finfo(array.dtype).eps).any():
        array = array / sums[:, None].astype(array.dtype)
    array = np.ascontiguousarray(array).view()
    array.flags.writeable = False
    return array


def check_class_prior(
    prior: Any, n_classes: int, name: str = "class_prior", *, allow_zero: bool = False
) -> NDArray[np.float64]:
    """Return class priors: one positive number for each class, summing to one (within 1e-6).

    Parameters
    ----------
    prior : array-like of shape (n_classes,)
    n_classes : int
    name : str, default="class_prior"
        The argument's name, for the error.
    allow_zero : bool, default=False
        Whether a class may have prior zero.

    Raises
    ------
    TypeError, ValueError
    """
    values = check_numbers(name, prior)
    if values.shape != (n_classes,):
        raise ValueError(
            f"{name} must have shape ({n_classes},), one entry a class, got {values.shape}"
        )
    low = "non-negative" if allow_zero else "positive"
    legal = values >= 0 if allow_zero else values > 0
    if not (np.isfinite(values).all() and legal.all() and abs(values.sum() - 1) < 1e-6):
        raise ValueError(f"{name} must be {low} and sum to one, got {values.tolist()}")
    return values


def check_metric(metric: Any) -> Any:
    """Return a metric's name, a callable, or a learned metric.

    Raises
    ------
    ValueError
        If it is a name that neither scikit-learn nor SciPy knows; the message lists them.
    TypeError
        If it is none of these.
    """
    if callable(metric) or hasattr(metric, "squared_rows"):
        return metric
    if not isinstance(metric, str):
        raise TypeError(
            f"metric must be a name, a function of two points or a LearningMetric, got {metric!r}"
        )
    return check_choice("metric", metric, METRICS)


def matrix_of(X: Any, name: str = "X") -> Any:
    """Return the matrix of an annotated one (AnnData's ``X``), anything else as it is.

    An AnnData is recognized by its attributes, so that anndata need not be installed. To use
    another of its matrices pass it, as in ``adata.obsm["X_pca"]`` or ``adata.layers["counts"]``.
    A sparse matrix is returned as a CSR matrix of which every entry has been checked
    (:func:`nbembed.sparse_format.as_csr`): no other code may read it before.

    Raises
    ------
    ValueError
        If the annotated matrix holds no data, or a sparse matrix is malformed.
    TypeError
        If it is a collection of dask, which need not fit into memory.
    """
    refuse_dask(X, name)
    found = _annotated_part(X, name)
    return as_csr(found, name) if sparse.issparse(found) else found


def _annotated_part(X: Any, name: str) -> Any:
    if not (hasattr(X, "obs_names") and hasattr(X, "var_names") and hasattr(X, "X")):
        return X
    found = X.X
    if found is None:
        raise ValueError(
            f"{name} must hold data, got an annotated matrix without X; one of its obsm can be "
            "given in its place"
        )
    return found.to_memory() if hasattr(found, "to_memory") else found


def check_data(
    X: Any, metric: Any = "euclidean", *, name: str = "X", min_samples: int = MIN_SAMPLES
) -> Any:
    """Return data as a finite float matrix, dense (C-ordered) or CSR.

    Parameters
    ----------
    X : array-like, DataFrame, AnnData or sparse matrix of shape (n_samples, n_features)
        With ``metric="precomputed"`` the dissimilarity of each pair, (n_samples, n_samples); it
        need not be symmetric and its diagonal is ignored. float32 stays float32, every other type
        becomes float64.
    metric : str or callable
        Checked as well.
    name : str
        The argument's name, for the error.
    min_samples : int
        The least number of rows.

    Raises
    ------
    ValueError
        If it is not two-dimensional, has too few rows or no column, or a value that is not a finite
        real number, or is not square and non-negative with ``metric="precomputed"``.
    """
    from sklearn.utils import check_array

    precomputed = isinstance(check_metric(metric), str) and metric == "precomputed"
    X = matrix_of(X, name)
    check_kind(X, name)
    try:
        data = check_array(
            X,
            accept_sparse="csr",
            dtype=[np.float64, np.float32],
            order="C",
            ensure_2d=False,
            allow_nd=True,
            ensure_all_finite=False,
            ensure_min_samples=0,
            ensure_min_features=0,
            input_name=name,
        )
    except (TypeError, ValueError, OverflowError) as error:
        raise ValueError(f"{name} must be a matrix of real numbers: {error}") from error
    if data.ndim != 2:
        hint = "; a single feature is a column, X[:, None]" if data.ndim == 1 else ""
        raise ValueError(
            f"{name} must have shape (n_samples, n_features), got shape {data.shape}{hint}"
        )
    if data.shape[0] < min_samples:
        raise ValueError(f"{name} must have at least {min_samples} points, got {data.shape[0]}")
    if data.shape[1] < 1:
        raise ValueError(f"{name} must have at least one feature, got shape {data.shape}")
    if precomputed:
        data = _without_diagonal(data, name)
    _check_finite(data, name)
    check_metric_applies(data, metric, name)
    values = data if isinstance(data, np.ndarray) else data.data
    if precomputed and values.size and values.min() < 0:
        raise ValueError(
            f'{name} must be non-negative with metric="precomputed", got a dissimilarity of '
            f"{values.min()}"
        )
    return data


def check_metric_applies(data: Any, metric: Any, name: str = "X") -> None:
    """Raise if a metric is not defined for some rows of checked data.

    Raises
    ------
    ValueError
        If a row is constant and the metric the correlation of rows.
    """
    if not (isinstance(metric, str) and metric == "correlation" and isinstance(data, np.ndarray)):
        return
    constant = np.flatnonzero(data.max(axis=1) == data.min(axis=1))
    if constant.size:
        raise ValueError(
            f'{name} must have rows that vary with metric="correlation", got '
            f"{constant.size} constant ones, the first of them row {constant[0]}"
        )


def check_kind(X: Any, name: str = "X") -> None:
    """Raise unless ``X`` holds real numbers; NumPy converts numerals, dates and masks silently.

    Raises
    ------
    ValueError
        If a matrix of real numbers cannot be made of it.
    """
    check_unmasked(X, name)
    if hasattr(X, "toarray"):
        kind, found = X.dtype.kind, X.dtype
    else:
        try:
            array = np.asarray(X)
        except ValueError as error:  # rows of different lengths
            raise ValueError(f"{name} must be a matrix of real numbers: {error}") from error
        kind, found = array.dtype.kind, array.dtype
        if kind == "O" and array.ndim == 0:
            raise ValueError(f"{name} must be a matrix of real numbers, got {X!r}")
        if kind == "O":
            strange = next((v for v in array.flat if isinstance(v, str | bytes | complex)), None)
            if strange is not None:
                raise ValueError(f"{name} must be a matrix of real numbers, got {strange!r} in it")
    if kind not in "biufO":
        raise ValueError(f"{name} must be a matrix of real numbers, got values of type {found}")


def _check_finite(data: Any, name: str) -> None:
    values = data if isinstance(data, np.ndarray) else data.data
    # The sum is finite unless a value is not, or the values are huge: no array of bools needed.
    with np.errstate(over="ignore", invalid="ignore"):
        if np.isfinite(values.sum(dtype=np.float64)):
            return
    bad = np.argwhere(~np.isfinite(values))
    if bad.size == 0:
        return
    value = values[tuple(bad[0])]
    what = "NaN" if np.isnan(value) else "infinity"
    where = f" at row {bad[0][0]}, column {bad[0][1]}" if bad.shape[1] == 2 else ""
    raise ValueError(f"{name} must be finite, but it contains {what}{where}")


def _without_diagonal(data: Any, name: str) -> Any:
    if data.shape[0] != data.shape[1]:
        raise ValueError(
            f'{name} must be square with metric="precomputed": the dissimilarity of each pair of '
            f"points; got shape {data.shape}"
        )
    if isinstance(data, np.ndarray) and not (np.diagonal(data) == 0).all():
        data = data.copy()
        np.fill_diagonal(data, 0)
    return data
