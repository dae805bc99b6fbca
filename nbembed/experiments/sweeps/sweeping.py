"""Sweeps: an estimator fitted with every setting of a grid, in every fold, with every seed.

One fit of a sweep is a pure function of the estimator, the data, the setting, the seed and the fold
(:func:`fit_and_score`). So fits run anywhere in any order (:mod:`nbembed.experiments.sweeps.jobs`),
give the same scores there as here, and are found again by the fingerprint of what they depend on
(:mod:`nbembed.experiments.sweeps.kept_results`).
"""

from __future__ import annotations

import itertools
import math
import time
import warnings
from collections.abc import Iterable, Iterator, Mapping, Sequence
from contextlib import nullcontext
from dataclasses import dataclass
from importlib.metadata import version
from numbers import Integral, Real
from typing import Any

import numpy as np
from numpy.typing import ArrayLike, NDArray
from sklearn.base import clone, is_regressor
from sklearn.exceptions import FitFailedWarning
from sklearn.metrics import get_scorer
from sklearn.model_selection import ParameterGrid, check_cv
from sklearn.utils.metaestimators import _safe_split

from nbembed import __version__
from nbembed.data.matrix_input import matrix_of
from nbembed.experiments.sweeps.fingerprint import fingerprint
from nbembed.experiments.sweeps.jobs import WorkerLost, check_n_jobs, completed
from nbembed.experiments.sweeps.kept_results import KeptResults
from nbembed.experiments.sweeps.sweep_table import SweepTable
from nbembed.supervision import as_supervision
from nbembed.validation import check_choice, check_count, check_unmasked, check_verbose

#: Columns of the table that no parameter or score may be called.
RESERVED = ("setting", "seed", "fold", "fits", "failed", "cost", "n_iter", "seconds", "error")


@dataclass(frozen=True, eq=False)
class Task:
    """Inputs that all fits of a sweep share."""

    estimator: Any
    X: Any
    y: Any
    scoring: Mapping[str, Any]
    held_out: str
    raises: bool
    #: The parameters of all settings: columns that no score may overwrite.
    parameters: tuple[str, ...]


@dataclass(frozen=True, eq=False)
class Fit:
    """One fit: a setting of the grid, a seed or None, and a fold or None."""

    setting: int
    parameters: Mapping[str, Any]
    seed: int | None
    fold: int | None
    train: NDArray[np.intp] | None = None
    test: NDArray[np.intp] | None = None


def sweep(
    estimator: Any,
    param_grid: Mapping[str, Sequence[Any]] | Sequence[Mapping[str, Sequence[Any]]],
    X: ArrayLike,
    y: ArrayLike | None = None,
    *,
    scoring: Any = None,
    cv: Any = None,
    held_out: str = "points",
    seeds: Iterable[int] | None = None,
    folder: Any = None,
    n_jobs: int | None = None,
    error_score: float | str = math.nan,
    verbose: int = 0,
) -> SweepTable:
    """Fit an estimator with every setting of a grid, in every fold and with every seed.

    The fits run on joblib: ``joblib.parallel_config(backend="dask")`` spreads them over the
    workers of a Dask cluster. The scores have the same bits as those of a serial run. A fit whose
    worker is killed is made again; with ``folder``, so is what a killed process leaves undone, and
    nothing else.

    Parameters
    ----------
    estimator : estimator
        With scikit-learn's interface; it is cloned.
    param_grid : mapping of str to sequence, or sequence of such mappings
        As scikit-learn's ``ParameterGrid`` takes it: every combination of the values. ``{}`` is one
        setting, the estimator's own.
    X : array, DataFrame, AnnData or sparse matrix of shape (n_samples, n_features)
        With a precomputed metric the dissimilarities of all pairs.
    y : array of shape (n_samples,), optional
        Labels, as the estimator takes them.
    scoring : None, str, callable, or mapping of str to str or callable
        None: the estimator's ``score``. A word: a scorer of scikit-learn. A callable
        ``scoring(model, X, y)`` returns a number, or a mapping of names to numbers. ``X`` and ``y``
        are those of the held-out points, or all without ``cv``.
    cv : None, int, splitter or iterable of (train, test), default=None
        Folds, as in scikit-learn, stratified by the labels unless the estimator is a regressor.
        None: every fit has all the data, and is scored on them.
    held_out : {"points", "labels"}, default="points"
        What a fold withholds from the fit. "points": its points. "labels": only their labels, so
        that all points are embedded, as in the papers of semi-supervised methods; the folds are
        those of the labeled points.
    seeds : iterable of int, optional
        Values of ``random_state``, nested ones included. None leaves the estimator's own.
    folder : path, optional
        Keeps each result as soon as it is known; results that it has are not computed again. They
        are recognized by data, estimator, setting, seed, fold, scoring and versions, so that a
        folder may serve several sweeps. The code of classes and of functions that ``scoring``
        calls is not looked into. Failed fits are not kept.
    n_jobs : int, optional
        Number of processes; None: as ``joblib.parallel_config`` says, else 1. 1 is this process,
        whatever the backend. Give the estimator ``n_jobs=1`` where processes share the cores.
    error_score : "raise" or float, default=NaN
        Score of a fit that raises; its error is in the table, and the others go on. "raise" lets
        the error through. A name that ``scoring`` did not return for a fit is NaN.
    verbose : int or bool, default=0
        1 shows a progress bar.

    Returns
    -------
    SweepTable
        A row for each fit, ordered by setting, seed and fold.

    Raises
    ------
    ValueError, TypeError
        Before any fit, naming the argument that is wrong and what is allowed.

    Warns
    -----
    FitFailedWarning
        If fits failed.

    Examples
    --------
    >>> from sklearn.datasets import load_iris
    >>> from nbembed import HSSNE, measures
    >>> X, y = load_iris(return_X_y=True)
    >>> def trust(model, X, y):
    ...     return measures.trustworthiness(X, model.embedding_)
    >>> table = sweep(HSSNE(max_iter=50), {"alpha": [0.5, 1.0]}, X, scoring=trust, seeds=[0, 1])
    >>> len(table), sorted(table.best())
    (4, ['alpha'])
    """
    settings = _settings(estimator, param_grid)
    X, y, n = _data(X, y)
    held_out = check_choice("held_out", held_out, ("points", "labels"))
    if held_out == "labels" and (y is None or cv is None):
        missing = "y" if y is None else "cv"
        raise ValueError(f'{missing} must be given with held_out="labels", got None')
    parameters = tuple(dict.fromkeys(itertools.chain(*settings)))
    scorers = _scorers(estimator, scoring, parameters)
    numbers = _seeds(estimator, seeds)
    folds = _folds(estimator, cv, X, y, n, held_out)
    raises = _raises(error_score)
    check_verbose(verbose)
    n_jobs = check_n_jobs(n_jobs)
    kept = KeptResults(folder)
    task = Task(estimator, X, y, scorers, held_out, raises, parameters)
    fits = [
        Fit(number, setting, seed, fold, *rows)
        for number, setting in enumerate(settings)
        for seed in numbers
        for fold, rows in folds
    ]
    results = _results(task, fits, kept, n_jobs, bool(verbose))
    return _table(fits, results, parameters, tuple(scorers), error_score)


def fit_and_score(task: Task, fit: Fit) -> dict[str, Any]:
    """Return the scores of one fit, or the text of its error."""
    began = time.perf_counter()
    try:
        model, scores = _scored(task, fit)
    except Exception as error:
        if task.raises:
            error.add_note(f"in the fit with {dict(fit.parameters)}, {fit.seed=}, {fit.fold=}")
            raise
        return {"scores": {}, "error": f"{type(error).__name__}: {error}"}
    found: dict[str, Any] = {"scores": scores, "error": None}
    for column, attribute in (("cost", "cost_"), ("n_iter", "n_iter_")):
        value = getattr(model, attribute, None)
        if isinstance(value, Real) and math.isfinite(value):
            found[column] = int(value) if isinstance(value, Integral) else float(value)
    found["seconds"] = time.perf_counter() - began
    return found


def own_score(model: Any, X: Any, y: Any) -> Any:
    """Return the score by the estimator's own method."""
    return model.score(X, y)


def _scored(task: Task, fit: Fit) -> tuple[Any, dict[str, float]]:
    model = clone(task.estimator)
    model.set_params(**_given_parameters(fit))
    if fit.seed is not None:
        model.set_params(**dict.fromkeys(_seeded(model), fit.seed))
    X, y = task.X, task.y
    if fit.test is None:
        model.fit(X) if y is None else model.fit(X, y)
        given = X, y
    elif task.held_out == "labels":
        model.fit(X, _without(y, fit.test))
        given = _safe_split(task.estimator, X, y, fit.test, np.arange(X.shape[0]))
    else:
        train = _safe_split(task.estimator, X, y, fit.train)
        model.fit(train[0]) if y is None else model.fit(*train)
        given = _safe_split(task.estimator, X, y, fit.test, fit.train)
    scores: dict[str, float] = {}
    for name, scorer in task.scoring.items():
        value = scorer(model, *given)
        if isinstance(value, Mapping):
            for each, number in value.items():
                if not isinstance(each, str) or each in RESERVED or each in task.parameters:
                    raise ValueError(
                        f"scoring must not return a score named {each!r}, the name "
                        "of another column"
                    )
                scores[each] = _score(each, number)
        else:
            scores[name] = _score(name, value)
    return model, scores


def _given_parameters(fit: Fit) -> dict[str, Any]:
    """Return the parameters that the estimator of a fit is given: unfitted copies of the values."""
    return {name: clone(value, safe=False) for name, value in fit.parameters.items()}


def _score(name: Any, value: Any) -> float:
    if isinstance(value, np.ndarray) and value.ndim == 0:
        value = value[()]
    if not isinstance(value, Real):
        raise TypeError(f"scoring must return numbers, got {value!r} as {name!r}")
    return float(value)


def _without(y: Any, points: NDArray[np.intp]) -> Any:
    """Return labels with those of some points taken away."""
    labels = np.array(y)
    if labels.dtype.kind in "iu":
        labels = labels.astype(np.int64)  # −1 is no number of unsigned types
        labels[points] = -1
    elif labels.dtype.kind == "f":
        labels[points] = np.nan
    else:
        labels = labels.astype(object)
        labels[points] = None
    return labels


# -- what is asked for ----------------------------------------------------------------------------


def _settings(estimator: Any, param_grid: Any) -> list[dict[str, Any]]:
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


def _data(X: Any, y: Any) -> tuple[Any, Any, int]:
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


def _scorers(estimator: Any, scoring: Any, taken: Sequence[str]) -> dict[str, Any]:
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


def _seeded(estimator: Any) -> list[str]:
    """Return the names of an estimator's seeds, nested ones included."""
    names = estimator.get_params(deep=True)
    return [n for n in names if n == "random_state" or n.endswith("__random_state")]


def _seeds(estimator: Any, seeds: Any) -> list[int | None]:
    if seeds is None:
        return [None]
    if isinstance(seeds, str | Mapping) or not isinstance(seeds, Iterable):
        raise TypeError(f"seeds must be integers, as in range(5), got {seeds!r}")
    numbers = [check_count("seeds", seed, low=0) for seed in seeds]
    if not numbers:
        raise ValueError("seeds must be at least one integer, got none")
    if max(numbers) >= 2**32:
        raise ValueError(f"seeds must be below 2**32, got {max(numbers)}")
    if not _seeded(estimator):
        raise ValueError(f"seeds must be None: {type(estimator).__name__} has no random_state")
    return list(numbers)


def _folds(
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


def _raises(error_score: Any) -> bool:
    if isinstance(error_score, str):
        check_choice("error_score", error_score, ("raise",))
        return True
    if isinstance(error_score, bool | np.bool_) or not isinstance(error_score, Real):
        raise TypeError(f'error_score must be "raise" or a number, got {error_score!r}')
    return False


# -- carrying it out ------------------------------------------------------------------------------


def _results(
    task: Task, fits: Sequence[Fit], kept: KeptResults, n_jobs: int | None, shown: bool
) -> list[dict[str, Any]]:
    """Return the results in the order of the fits; those that are kept are not computed."""
    keys = list(_keys(task, fits)) if kept.folder is not None else [""] * len(fits)
    found = {
        i: result
        for i, key in enumerate(keys)
        if (result := kept.find(key)) is not None
        and result["scores"].keys().isdisjoint(task.parameters)  # kept where they were no columns
    }
    missing = [i for i in range(len(fits)) if i not in found]
    with _bar(len(fits), len(found), shown) as bar:
        for number, result in completed(fit_and_score, task, [fits[i] for i in missing], n_jobs):
            i = missing[number]
            if isinstance(result, WorkerLost):
                if task.raises:
                    raise result
                result = {"scores": {}, "error": f"{type(result).__name__}: {result}"}
            found[i] = result
            if result["error"] is None:
                about = {**fits[i].parameters, "seed": fits[i].seed, "fold": fits[i].fold}
                kept.keep(keys[i], about, result)
            if bar is not None:
                bar.update(1)
    return [found[i] for i in range(len(fits))]


def _keys(task: Task, fits: Sequence[Fit]) -> Iterator[str]:
    """Yield the fingerprint of everything that the result of each fit depends on."""
    versions = [__version__, *map(version, ("numpy", "scipy", "scikit-learn"))]
    try:
        estimator = clone(task.estimator)  # as it is fitted: nothing of an earlier fit counts
        shared = [estimator, task.X, task.y, task.scoring, task.held_out, versions]
        common = fingerprint(shared)
    except Exception as error:
        raise TypeError(
            f"estimator and scoring must be picklable when folder is given, but {error}; use "
            "folder=None"
        ) from None
    for fit in fits:
        try:
            yield fingerprint([common, _given_parameters(fit), fit.seed, fit.train, fit.test])
        except Exception as error:
            raise TypeError(
                f"param_grid must have picklable values when folder is given, but {error}; use "
                "folder=None"
            ) from None


def _bar(total: int, done: int, shown: bool) -> Any:
    if not shown:
        return nullcontext()
    from tqdm.auto import tqdm

    return tqdm(total=total, initial=done, desc="sweep", unit="fit")


def _table(
    fits: Sequence[Fit],
    results: Sequence[Mapping[str, Any]],
    parameters: tuple[str, ...],
    named: tuple[str, ...],
    error_score: float | str,
) -> SweepTable:
    scores = tuple(dict.fromkeys(name for result in results for name in result["scores"])) or named
    there = [c for c in ("cost", "n_iter") if any(c in result for result in results)]
    columns = ["setting", *parameters]
    columns += ["seed"] * any(fit.seed is not None for fit in fits)
    columns += ["fold"] * any(fit.fold is not None for fit in fits)
    columns += [*scores, *there, "seconds", "error"]
    rows = []
    for fit, result in zip(fits, results):
        row = {**dict.fromkeys(columns, math.nan), **dict.fromkeys(parameters)}
        row |= {"setting": fit.setting, **fit.parameters, "error": result["error"]}
        row |= {k: v for k, v in (("seed", fit.seed), ("fold", fit.fold)) if v is not None}
        missing = math.nan if result["error"] is None else error_score
        row |= {name: result["scores"].get(name, missing) for name in scores}
        row |= {name: result[name] for name in (*there, "seconds") if name in result}
        rows.append({name: row[name] for name in columns})
    failed = [row for row in rows if row["error"] is not None]
    if failed:
        warnings.warn(
            f"{len(failed)} of {len(rows)} fits failed, the first with {failed[0]['error']}",
            FitFailedWarning,
            stacklevel=3,
        )
    return SweepTable(tuple(columns), tuple(rows), parameters, scores)
