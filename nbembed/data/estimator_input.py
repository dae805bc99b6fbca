"""Checks of estimators' input by scikit-learn's validation, with errors that name the argument.

Methods of fitted estimators whose rows are independent take Dask collections as well, by
:func:`chunk_by_chunk`.
"""

from __future__ import annotations

import copy
import functools
from collections.abc import Callable
from typing import Any, TypeVar

import numpy as np
from numpy.typing import NDArray
from sklearn.utils import assert_all_finite, check_consistent_length, column_or_1d
from sklearn.utils._set_output import _get_output_config
from sklearn.utils.multiclass import check_classification_targets
from sklearn.utils.validation import _check_sample_weight, check_is_fitted, validate_data

from nbembed.data.dask_input import head_of, is_dask, map_chunks
from nbembed.data.matrix_input import check_kind, matrix_of
from nbembed.validation import shown

Method = TypeVar("Method", bound=Callable[..., Any])

#: Of each method, the shape of a row of its result and the type.
RESULTS: dict[str, Callable[[Any], tuple[tuple[int, ...], Any]]] = {
    "transform": lambda model: ((model._n_features_out,), model.embedding_.dtype),
    "predict": lambda model: ((), model.classes_.dtype),
    "predict_proba": lambda model: ((len(model.classes_),), np.float64),
    "predict_log_proba": lambda model: ((len(model.classes_),), np.float64),
}


def chunk_by_chunk(method: Method) -> Method:
    """Let a method ``(self, X)`` of fitted estimators also take dask arrays and dataframes.

    The result is a dask array, computed when it is asked for, from the estimator as it is now. Each
    chunk of rows is one call of the method, so that its rows must not depend on each other. Columns
    are checked at once, values with their chunk.
    """
    name = method.__name__
    described = RESULTS[name]

    @functools.wraps(method)
    def take(self: Any, X: Any) -> Any:
        if not is_dask(X):
            return method(self, X)
        check_is_fitted(self)
        if name == "transform" and _get_output_config(name, self)["dense"] != "default":
            # scikit-learn would make a dataframe of the result, and compute all of it for that.
            raise ValueError(
                "X must be in memory for the output type chosen with set_output; call "
                'set_output(transform="default") to pass dask collections'
            )
        validated_data(self, head_of(X), reset=False, skip_check_array=True)
        model = copy.copy(self)  # fitting again sets new attributes, which are not this copy's
        if hasattr(model, "callbacks"):
            model.callbacks = None  # they report on fits, and may not be picklable
        if name == "transform":  # whatever is chosen before the result is computed
            model._sklearn_output_config = {name: "default"}
        return map_chunks(functools.partial(_call, name), model, X, *described(self))

    return take  # type: ignore[return-value]


def _call(name: str, model: Any, chunk: Any) -> Any:
    return getattr(model, name)(chunk)


def validated_data(
    estimator: Any,
    X: Any,
    name: str = "X",
    *,
    form: str = "a finite matrix of numbers, one row a point",
    **options: Any,
) -> Any:
    """Return ``X`` as scikit-learn's ``validate_data`` returns it, which takes ``options``.

    Errors begin with ``name`` and say that it must be ``form``; scikit-learn's wording follows, as
    its own checks of estimators look for it. Number and names of features are remembered in the
    estimator, or compared with those it remembers.
    """
    X = matrix_of(X, name)
    try:
        data = validate_data(estimator, X, **options)
    except (TypeError, ValueError, OverflowError) as error:
        kind = TypeError if isinstance(error, TypeError) else ValueError
        raise kind(f"{name} must be {form}: {error}") from None
    check_kind(X, name)
    return data


def validated_labels(estimator: Any, y: Any, n_samples: int) -> NDArray[Any]:
    """Return the class of each of ``n_samples`` rows as scikit-learn's classifiers take them."""
    if y is None:
        raise ValueError(
            f"{type(estimator).__name__} requires y to be passed, but the target y is None"
        )
    try:
        labels: NDArray[Any] = column_or_1d(y, warn=True)
        assert_all_finite(labels, input_name="y")
        check_consistent_length(np.empty(n_samples), labels)
        check_classification_targets(labels)
    except (TypeError, ValueError) as error:
        kind = TypeError if isinstance(error, TypeError) else ValueError
        raise kind(f"y must have one class for each row of X: {error}") from None
    return labels


def validated_weights(sample_weight: Any, data: Any) -> NDArray[np.float64]:
    """Return the weight of each row of ``data``, finite and non-negative; ones if None is given."""
    try:
        weights: NDArray[np.float64] = _check_sample_weight(
            sample_weight, data, dtype=np.float64, ensure_non_negative=True
        )
    except (TypeError, ValueError, OverflowError) as error:
        kind = TypeError if isinstance(error, TypeError) else ValueError
        raise kind(
            f"sample_weight must be a non-negative number for each row of X: {error}"
        ) from None
    if not np.isfinite(weights).all():  # a single number is not looked at by scikit-learn
        raise ValueError(f"sample_weight must be finite, got {shown(sample_weight)}")
    return weights
