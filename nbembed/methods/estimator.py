"""Estimator: scikit-learn's face of a recipe.

An estimator holds the recipe that its parameters make and adds ``fit``, ``transform``, ``predict``
and fitted attributes; how the map is made is the recipe's part (:mod:`nbembed.methods.recipe`).
"""

from __future__ import annotations

import dataclasses
import warnings
from collections.abc import Callable, Iterable
from typing import Any, ClassVar, Self

import numpy as np
from numpy.typing import ArrayLike, NDArray
from sklearn.base import BaseEstimator, ClassNamePrefixFeaturesOutMixin, TransformerMixin
from sklearn.exceptions import ConvergenceWarning

from nbembed.data.estimator_input import validated_data
from nbembed.data.matrix_input import check_data
from nbembed.learning_metric.labels import check_labels_suffice
from nbembed.methods.learned_affinities import must_learn
from nbembed.methods.progress import Progress, as_callbacks
from nbembed.methods.recipe import Recipe, Start
from nbembed.methods.settings import as_generator
from nbembed.run import Record, Run
from nbembed.supervision import Supervision, as_supervision
from nbembed.supervision.conversion import check_y_or_supervision
from nbembed.validation import check_verbose, shown


class Estimator(ClassNamePrefixFeaturesOutMixin, TransformerMixin, BaseEstimator):  # type: ignore[misc]  # scikit-learn is untyped
    """Base of the estimators that place points by minimizing an objective.

    A subclass names its :attr:`recipe_type`. Its constructor has the recipe's fields as keywords,
    and ``verbose`` and ``callbacks``, which only report; ``python -m tests.test_constructors``
    writes it from the recipe, and the texts that methods share. Sums over pairs run in
    float32 with the cost accumulated in float64, whatever the dtype of the data: a map is looked
    at, and float32 is twice as fast. The objectives themselves also work in float64 for those who
    build them on float64 affinities.
    """

    recipe_type: ClassVar[type[Recipe[Any]]]

    verbose: int
    callbacks: Any
    random_state: Any
    max_iter: int
    tol: float

    embedding_: NDArray[np.float32]
    cost_: float
    n_iter_: int
    trace_: list[Record]
    supervision_: Supervision

    @property
    def recipe(self) -> Recipe[Any]:
        """The recipe that the present parameters make."""
        fields = dataclasses.fields(self.recipe_type)
        return self.recipe_type(**{f.name: getattr(self, f.name) for f in fields})

    # -- fitting -----------------------------------------------------------------------------

    def fit(
        self,
        X: ArrayLike,
        y: ArrayLike | None = None,
        supervision: Supervision | None = None,
    ) -> Self:
        """Embed ``X``.

        Parameters
        ----------
        X : array, DataFrame, AnnData or sparse matrix of shape (n_samples, n_features)
            Data (of an AnnData its ``X``), or dissimilarities of shape (n_samples, n_samples) with
            ``metric="precomputed"``. A sparse matrix may store those of near points alone, as of
            scikit-learn's ``KNeighborsTransformer(mode="distance")``: the others count as far.
        y : array of shape (n_samples,) or (n_samples, n_classes), optional
            Labels with -1, None or NaN for unlabeled points, or rows of class probabilities with
            NaN rows for unlabeled points.
        supervision : Supervision, optional
            Soft labels, must-links and cannot-links; instead of ``y``. Points that it pins stay
            where ``init``, which must then be an array, has them.

        Returns
        -------
        self

        Raises
        ------
        ValueError, TypeError
            Before any work starts, naming the argument that is wrong and what is allowed.
        FloatingPointError
            If the map leaves the range of numbers: in NeRV and SNeRV, where neighborhoods differ in
            width by a factor of 10¹² or so. The message says which points those are.

        Warns
        -----
        ConvergenceWarning
            If ``max_iter`` was reached before the map came to rest; ``embedding_`` is the layout
            so far.
        """
        data, supervision = self._check_input(X, y, supervision)
        recipe = self.recipe
        rng = as_generator(self.random_state)
        affinities = recipe.make_affinities(data, supervision)
        start = recipe.make_start(data, affinities, supervision, rng)
        with self._progress(self.max_iter) as progress:
            run = self._run(recipe, affinities, supervision, start).until(
                self.max_iter, callbacks=self._callbacks(progress)
            )
        self._warn_unless_converged(run, self.max_iter)
        self._keep(run, affinities, supervision)
        self._remember(data, affinities)
        return self

    def fit_transform(
        self,
        X: ArrayLike,
        y: ArrayLike | None = None,
        supervision: Supervision | None = None,
    ) -> NDArray[np.float32]:
        """Embed ``X`` and return the layout, shape (n_samples, n_components); see :meth:`fit`."""
        # A copy: where new points go depends on the map that the estimator has.
        return self.fit(X, y, supervision).embedding_.copy()

    @property
    def _n_features_out(self) -> int:
        return int(self.embedding_.shape[1])

    def __sklearn_tags__(self) -> Any:
        tags = super().__sklearn_tags__()
        tags.input_tags.pairwise = self.recipe.takes_distances
        tags.input_tags.sparse = True
        tags.transformer_tags.preserves_dtype = ["float32"]
        return tags

    # -- what the estimators share -----------------------------------------------------------

    def _validated(self, X: ArrayLike, **options: Any) -> Any:
        # Dissimilarities need not be finite on their diagonal; the others are checked after this.
        return validated_data(
            self, X, accept_sparse="csr", dtype=[np.float64, np.float32],
            ensure_all_finite=not self.recipe.takes_distances, **options,
        )  # fmt: skip

    def _check_input(
        self, X: ArrayLike, y: ArrayLike | None, supervision: Supervision | None
    ) -> tuple[NDArray[Any], Supervision]:
        """Return checked data and their supervision; parameters are checked along with them."""
        recipe = self.recipe
        metric = recipe.data_metric
        data: NDArray[Any] = check_data(self._validated(X, ensure_min_samples=2), metric)
        check_y_or_supervision(y, supervision)
        supervision = as_supervision(y if supervision is None else supervision, data.shape[0])
        recipe.check(data.shape[0], supervision)
        check_verbose(self.verbose)
        as_callbacks(self.callbacks)
        self._check_pins(supervision)
        if must_learn(metric):
            check_labels_suffice(supervision)
        return data, supervision

    def _check_pins(self, supervision: Supervision) -> None:
        """Raise if points are pinned and ``init`` does not give their places.

        A live session has a layout to hold them in and does not call this.
        """
        if supervision.pinned.size == 0 or not isinstance(getattr(self, "init", ""), str):
            return
        name = type(self).__name__
        where = (
            "init must be an array of shape (n_samples, n_components), got "
            f"{shown(getattr(self, 'init', ''))}"
            if hasattr(self, "init")
            else f"{name} takes no init; pin points in a Session instead"
        )
        raise ValueError(
            f"supervision pins {supervision.pinned.size} points, but their positions are not "
            f"given: {where}"
        )

    def _run(
        self, recipe: Recipe[Any], affinities: Any, supervision: Supervision, start: Start
    ) -> Run:
        """Return a cold run that nothing has moved yet."""
        return Run(
            recipe.objective(affinities, supervision, start.geometry),
            recipe.make_optimizer(),
            start.Y,
            recipe.make_schedule(affinities, start.geometry),
            tol=self.tol,
            # The cost is an extra pass over pairs: it is evaluated rarely where nobody sees it.
            cost_every=10 if self.verbose or self.callbacks is not None else 50,
        )

    def _warn_unless_converged(self, run: Run, max_iter: int) -> None:
        """Warn that the iterations were used up; not where a callback stopped the run."""
        if run.iteration >= max_iter and not run.converged:
            warnings.warn(
                f"{type(self).__name__} did not converge within {run.iteration} iterations; "
                f"raise max_iter (now {self.max_iter}) to continue, or tol (now {self.tol:g}) to "
                "stop earlier",
                ConvergenceWarning,
                stacklevel=3,
            )

    def _progress(self, total: int) -> Progress:
        return Progress(total, type(self).__name__, bool(self.verbose))

    def _callbacks(self, progress: Progress) -> Iterable[Callable[[Run], Any]]:
        return (*as_callbacks(self.callbacks), progress)

    def _keep(self, run: Run, affinities: Any, supervision: Supervision) -> None:
        """Set the fitted attributes from a finished run."""
        self.embedding_ = np.array(run.embedding, dtype=np.float32)
        self.cost_ = float(run.cost)
        self.n_iter_ = run.iteration
        self.trace_ = run.trace
        self.supervision_ = supervision

    def _remember(self, X: Any, affinities: Any) -> None:
        """Keep what later calls need of the data: nothing, unless new points can be placed."""
