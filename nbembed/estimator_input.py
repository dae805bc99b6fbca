"""What estimators are given, as scikit-learn validates it, with errors that name the argument."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import numpy as np
from sklearn.utils import assert_all_finite, check_consistent_length, column_or_1d
from sklearn.utils.multiclass import check_classification_targets
from sklearn.utils.validation import _check_sample_weight, validate_data

from nbembed.validation import check_kind, matrix_of

if TYPE_CHECKING:
    from numpy.typing import NDArray


def validated_data(
    estimator: Any,
    X: Any,
    name: str = "X",
    *,
    form: str = "a finite matrix of numbers, one row a point",
    **options: Any,
) -> Any:
    """Return ``X`` as scikit-learn's ``validate_data`` returns it.

    The wording of its errors is kept behind the name: scikit-learn's own checks of estimators look
    for it.

    Parameters
    ----------
    estimator : estimator
        Number and names of features are remembered in it, or compared with those it remembers.
    X : array-like, DataFrame, AnnData or sparse matrix
    name : str
        The argument's name, for the error.
    form : str
        What the error says that it must be.
    **options
        Of ``validate_data``.

    Raises
    ------
    TypeError, ValueError
        If it is not legal.
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
    """Return the class of each of ``n_samples`` rows as scikit-learn's classifiers take them.

    Raises
    ------
    TypeError, ValueError
        If there are none, too few or too many, or they are no classes.
    """
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
    """Return the weight of each row of ``data``, finite and non-negative; ones if None is given.

    Raises
    ------
    TypeError, ValueError
        If there is not one for each row, or one is not legal.
    """
    try:
        weights: NDArray[np.float64] = _check_sample_weight(
            sample_weight, data, dtype=np.float64, ensure_non_negative=True
        )
    except (TypeError, ValueError, OverflowError) as error:
        kind = TypeError if isinstance(error, TypeError) else ValueError
        raise kind(f"sample_weight must be one number ≥ 0 for each row of X: {error}") from None
    if not np.isfinite(weights).all():  # a single number is not looked at by scikit-learn
        raise ValueError(f"sample_weight must be finite, got {sample_weight!r}")
    return weights
