"""Estimators that place new points on a fitted map: their ``transform``.

An estimator returns the cost that a single point minimizes from :meth:`PlacesNewPoints.row_cost`;
the rest is the same for all of them and is done in :mod:`nbembed.methods.placement`.
"""

from __future__ import annotations

from abc import abstractmethod
from typing import Any

import numpy as np
from numpy.typing import ArrayLike, NDArray
from scipy import sparse
from sklearn.utils.validation import check_is_fitted

from nbembed.affinities import Affinities
from nbembed.data.estimator_input import chunk_by_chunk
from nbembed.methods.algorithm import GridRecipe
from nbembed.methods.estimator import Estimator
from nbembed.methods.field_placement import MapField, place_on_field
from nbembed.methods.placement import FittedData, RowCost, place
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
        """Return the cost that a single point of the fitted map minimizes."""

    @chunk_by_chunk
    def transform(self, X: ArrayLike) -> NDArray[np.float32]:
        """Place points on the fitted map, which stays as it is.

        Parameters
        ----------
        X : array of shape (n_new, n_features)
            New data, or their dissimilarities to the fitted points, of shape (n_new, n_samples),
            with ``metric="precomputed"``. Sparse ones may store those of near points alone, which
            NeRV, whose cost needs all of them, refuses.

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
            If ``X`` has another number of features, or a value that is not finite, but for the
            dissimilarity of a fitted point and itself, which is ignored as in :meth:`fit`.

        Notes
        -----
        O(n_new · n_samples · (n_features + n_components)) time; work goes by blocks, so that
        memory does not grow with the number of new points. On maps of 10 000 points or more in two
        dimensions, where the cost allows it, O(n_new · (n_samples · n_features + perplexity)), and
        O(nodes log nodes + n_samples) at the first call, for a potential on a mesh over the map:
        a new point's probabilities are then over its 3 · perplexity nearest neighbors alone, see
        :mod:`nbembed.methods.field_placement`. Labels and links do not enter.
        """
        check_is_fitted(self, "embedding_")
        data = self._validated(X, reset=False)
        cost = self.row_cost()
        fitted = self._fitted.find(data)
        places = self.embedding_[fitted]
        new = np.flatnonzero(fitted < 0)
        if new.size == 0:
            return places
        field = self._map_field(cost)
        if field is not None and self.perplexity_ is not None:
            blocks = place_on_field(
                self._fitted, data[new], field, cost, self.perplexity_, self.n_jobs
            )
            for here, found in blocks:
                places[new[here]] = found
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

    def _map_field(self, cost: RowCost) -> MapField | None:
        """Return the potential of the fitted map, made at the first call, if it has one."""
        if self._sigma is not None:
            return None
        # Kept beside the data: a transform leaves the attributes of an estimator as they are.
        known = getattr(self._fitted, "field", None)
        if known is None or known[0] is not self.embedding_ or known[1] != cost:
            known = self.embedding_, cost, MapField.of(self.embedding_, cost, self.n_jobs)
            self._fitted.field = known
        made: MapField | None = known[2]
        return made

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
