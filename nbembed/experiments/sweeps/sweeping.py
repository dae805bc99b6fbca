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
from sklearn.base import clone
from sklearn.exceptions import FitFailedWarning
from sklearn.utils.metaestimators import _safe_split

from nbembed import __version__
from nbembed.experiments.sweeps.arguments import (
    RESERVED,
    checked_data,
    checked_scorers,
    checked_seeds,
    checked_settings,
    folds_of,
    raises_errors,
    seeded,
)
from nbembed.experiments.sweeps.fingerprint import fingerprint
from nbembed.experiments.sweeps.jobs import WorkerLost, check_n_jobs, completed
from nbembed.experiments.sweeps.kept_results import KeptResults
from nbembed.experiments.sweeps.sweep_table import SweepTable
from nbembed.validation import check_choice, check_verbose


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
    settings = checked_settings(estimator, param_grid)
    X, y, n = checked_data(X, y)
    held_out = check_choice("held_out", held_out, ("points", "labels"))
    if held_out == "labels" and (y is None or cv is None):
        missing = "y" if y is None else "cv"
        raise ValueError(f'{missing} must be given with held_out="labels", got None')
    parameters = tuple(dict.fromkeys(itertools.chain(*settings)))
    scorers = checked_scorers(estimator, scoring, parameters)
    numbers = checked_seeds(estimator, seeds)
    folds = folds_of(estimator, cv, X, y, n, held_out)
    raises = raises_errors(error_score)
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


def _scored(task: Task, fit: Fit) -> tuple[Any, dict[str, float]]:
    model = clone(task.estimator)
    model.set_params(**_given_parameters(fit))
    if fit.seed is not None:
        model.set_params(**dict.fromkeys(seeded(model), fit.seed))
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
