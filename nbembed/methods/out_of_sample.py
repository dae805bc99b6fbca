"""Estimators that place new points on a fitted map: their ``transform``.

An estimator returns the cost that a single point minimizes from :meth:`PlacesNewPoints.row_cost`;
the rest is the same for all of them and is done in :mod:`nbembed.methods.placement`.
"""

from __future__ import annotations

from abc import abstractmethod
from typing import TYPE_CHECKING, Any

import numpy as np
from scipy import sparse
from sklearn.utils.validation import check_is_fitted

from nbembed.estimator_input import chunk_by_chunk
from nbembed.methods.algorithm import GridRecipe
from nbembed.methods.estimator import Estimator
from nbembed.methods.placement import FittedData, RowCost, place

if TYPE_CHECKING:
    from numpy.typing import ArrayLike, NDArray

    from nbembed.affinities import Affinities
    from nbembed.objectives.checks import Algorithm


class PlacesNewPoints(Estimator):
    """Base of the estimators that are made from affinities and have a ``transform``."""

    metric: Any
    n_jobs: int | None

    perplexity_: float | None
    algorithm_: Algorithm

    _fitted: FittedData
    _sigma: float | None

    @abstractmethod
    def row_cost(self) -> RowCost:
        """Return what a single point of the fitted map minimizes."""

    @chunk_by_chunk
    def transform(self, X: ArrayLike) -> NDArray[np.float32]:
        """Place points on the fitted map, which stays as it is.

        Parameters
        ----------
        X : array of shape (n_new, n_features)
            New data, or their dissimilarities to the fitted points, of shape (n_new, n_samples),
            with ``metric="precomputed"``.

        Returns
        -------
        ndarray of shape (n_new, n_components), float32
            Each placed by its own row of the method's cost against the fitted points alone, so that
            a point's place does not depend on the other rows of ``X``; see
            :mod:`nbembed.methods.placement`. Rows equal to fitted points get their coordinates in
            ``embedding_``.

        Raises
        ------
        sklearn.exceptions.NotFittedError
            Before :meth:`fit`.
        ValueError
            If ``X`` has another number of features, or a value that is not finite.

        Notes
        -----
        O(n_new · n_samples · (n_features + n_components)) time; work goes by blocks, so that
        memory does not grow with the number of new points. Labels and links do not enter.
        """
        check_is_fitted(self, "embedding_")
        data = self._validated(X, reset=False)
        cost = self.row_cost()
        fitted = self._fitted.find(data)
        places = self.embedding_[fitted]
        new = np.flatnonzero(fitted < 0)
        if new.size == 0:
            return places
        rows = self._fitted.rows(
            data[new],
            sigma=self._sigma,
            perplexity=self.perplexity_,
            logs=cost.tradeoff < 1,
            n_jobs=self.n_jobs,
        )
        for here, block in rows:
            places[new[here]] = place(block, self.embedding_, cost, self.n_jobs)
        return places

    def _remember(self, X: Any, affinities: Affinities) -> None:
        """Keep the perplexity, and the data and the metric that the affinities were made with."""
        self.perplexity_ = affinities.perplexity
        recipe = self.recipe
        if isinstance(recipe, GridRecipe):
            self.algorithm_ = recipe.algorithm_for(affinities.n_samples)
        source = getattr(affinities, "source", None)
        if source is None:
            source = X.copy() if sparse.issparse(X) else np.array(X), self.metric
        self._fitted = FittedData(*source)
        self._sigma = getattr(affinities, "sigma", None)
