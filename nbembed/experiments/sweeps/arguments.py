"""The arguments of a sweep, checked before any fit."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from numbers import Real
from typing import Any

import numpy as np
from sklearn.base import is_regressor
from sklearn.metrics import get_scorer
from sklearn.model_selection import ParameterGrid, check_cv

from nbembed.data.matrix_input import matrix_of
from nbembed.supervision import as_supervision
from nbembed.validation import check_choice, check_count, check_unmasked

#: Columns of the table that no parameter or score may be called.
RESERVED = ("setting", "seed", "fold", "fits", "failed", "cost", "n_iter", "seconds", "error")


def own_score(model: Any, X: Any, y: Any) -> Any:
    """Return the score by the estimator's own method."""
    return model.score(X, y)


def checked_settings(estimator: Any, param_grid: Any) -> list[dict[str, Any]]:
    """Return the settings of a grid, whose names the estimator knows."""
    if isinstance(estimator, type) or not all(
        hasattr(estimator, name) for name in ("fit", "get_params", "set_params")
    ):
        raise TypeError(f"estimator must be a scikit-learn estimator, got {estimator!r}")
    try:
        settings = [dict(setting) for setting in ParameterGrid(param_grid)]
    except (TypeError, ValueError) as error:
        raise type(error)(
            "param_grid must be a mapping of names to sequences, or a list of such mappings: "
            f"{error}"
        ) from None
    known = estimator.get_params(deep=True)
    for setting in settings:
        for name in setting:
            if not isinstance(name, str) or name.partition("__")[0] not in known:
                raise ValueError(
                    f"param_grid must name parameters of {type(estimator).__name__}, "
                    f"{', '.join(sorted(known))}, got {name!r}"
                )
            if name in RESERVED:
                raise ValueError(
                    f"param_grid must not have a parameter named {name!r}, the name "
                    "of another column"
                )
    if not settings:
        raise ValueError(f"param_grid must have at least one setting, got {param_grid!r}")
    return settings


def checked_data(X: Any, y: Any) -> tuple[Any, Any, int]:
    """Return data and labels as arrays or matrices, and the number of points."""
    X = matrix_of(X)
    if not hasattr(X, "shape"):
        try:
            X = np.asarray(X)
        except ValueError as error:
            raise ValueError(f"X must be a matrix: {error}") from None
    if len(X.shape) == 0 or X.shape[0] == 0:
        raise ValueError(f"X must have a row for each point, got shape {tuple(X.shape)}")
    n = int(X.shape[0])
    if y is None:
        return X, None, n
    check_unmasked(y, "y")
    try:
        labels = np.asarray(y)
    except ValueError as error:
        raise ValueError(f"y must have one label for each row of X: {error}") from None
    if labels.ndim == 0 or labels.shape[0] != n:
        raise ValueError(f"y must have one label for each of {n} rows of X, got {labels.shape}")
    return X, labels, n


def checked_scorers(estimator: Any, scoring: Any, taken: Sequence[str]) -> dict[str, Any]:
    """Return the scorers by the names of their columns."""
    if scoring is None:
        if not hasattr(estimator, "score"):
            raise ValueError(
                f"scoring must be given, because {type(estimator).__name__} has no score method"
            )
        return {"score": own_score}
    given = scoring if isinstance(scoring, Mapping) else {"score": scoring}
    if not given:
        raise ValueError("scoring must have at least one scorer, got an empty mapping")
    found = {}
    for name, scorer in given.items():
        if not isinstance(name, str) or name in RESERVED or name in taken:
            raise ValueError(
                f"scoring must not have a score named {name!r}, the name of another column"
            )
        if isinstance(scorer, str):
            try:
                scorer = get_scorer(scorer)
            except ValueError as error:
                raise ValueError(f"scoring must be a scorer of scikit-learn: {error}") from None
        if not callable(scorer) or isinstance(scorer, type):
            raise TypeError(
                "scoring must be the name of a scorer or a function of (model, X, "
                f"y), got {scorer!r}"
            )
        found[name] = scorer
    return found


def seeded(estimator: Any) -> list[str]:
    """Return the names of an estimator's seeds, nested ones included."""
    names = estimator.get_params(deep=True)
    return [n for n in names if n == "random_state" or n.endswith("__random_state")]


def checked_seeds(estimator: Any, seeds: Any) -> list[int | None]:
    """Return the seeds, None where the estimator has its own."""
    if seeds is None:
        return [None]
    if isinstance(seeds, str | Mapping) or not isinstance(seeds, Iterable):
        raise TypeError(f"seeds must be integers, as in range(5), got {seeds!r}")
    numbers = [check_count("seeds", seed, low=0) for seed in seeds]
    if not numbers:
        raise ValueError("seeds must be at least one integer, got none")
    if max(numbers) >= 2**32:
        raise ValueError(f"seeds must be below 2**32, got {max(numbers)}")
    if not seeded(estimator):
        raise ValueError(f"seeds must be None: {type(estimator).__name__} has no random_state")
    return list(numbers)


def folds_of(
    estimator: Any, cv: Any, X: Any, y: Any, n: int, held_out: str
) -> list[tuple[int | None, tuple[Any, ...]]]:
    """Return numbers and (train, test) of the folds; None where everything is in the fit."""
    if cv is None:
        return [(None, ())]
    if isinstance(cv, Real):
        cv = check_count("cv", cv, low=2)
    points = np.arange(n)
    if held_out == "labels":
        points = np.asarray(as_supervision(y, n).labeled)
    labels = None if y is None else y[points]
    classifier = not is_regressor(estimator)
    if labels is not None and labels.dtype == object and labels.ndim == 1 and classifier:
        # Classes beside None are of a kind that scikit-learn does not know, and does not stratify.
        labels = np.unique([str(label) for label in labels], return_inverse=True)[1]
    try:
        splitter = check_cv(cv, labels, classifier=classifier)
        splits = [
            (points[np.asarray(a)], points[np.asarray(b)])
            for a, b in splitter.split(points[:, None], labels)
        ]
    except (TypeError, ValueError, IndexError) as error:
        raise ValueError(
            f"cv must be None, a number of folds, a splitter or (train, test) indices, got "
            f"{cv!r}: {error}"
        ) from None
    if not splits or not all(a.size and b.size for a, b in splits):
        raise ValueError(f"cv must give folds with training and test points, got {cv!r}")
    return list(enumerate(splits))


def raises_errors(error_score: Any) -> bool:
    """Return whether an error of a fit ends the sweep."""
    if isinstance(error_score, str):
        check_choice("error_score", error_score, ("raise",))
        return True
    if isinstance(error_score, bool | np.bool_) or not isinstance(error_score, Real):
        raise TypeError(f'error_score must be "raise" or a number, got {error_score!r}')
    return False
