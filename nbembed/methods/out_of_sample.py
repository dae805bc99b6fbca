"""Methods that place new points on a fitted map: what ``transform`` is made of.

A method says in :meth:`PlacesNewPoints.row_cost` which cost one point of it minimises; the rest is
the same for all of them and is done in :mod:`nbembed.methods.placement`.
"""

from __future__ import annotations

from abc import abstractmethod
from typing import TYPE_CHECKING, Any

import numpy as np
from scipy import sparse
from sklearn.utils.validation import check_is_fitted

from nbembed.methods.base import EmbeddingMethod
from nbembed.methods.placement import FittedData, RowCost, place

if TYPE_CHECKING:
    from numpy.typing import ArrayLike, NDArray

    from nbembed.affinities import Affinities


class PlacesNewPoints(EmbeddingMethod):
    """Base of the methods with a ``transform``; it stands before others among the bases."""

    _fitted: FittedData
    _sigma: float | None

    @abstractmethod
    def row_cost(self) -> RowCost:
        """Return what a single point of the fitted map minimises."""

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
            Each by its own row of the method's cost against the fitted points alone, so that any
            subset gives the same places; see :mod:`nbembed.methods.placement`. Points that were
            fitted, value for value, have the places that the fit gave them.

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
        known = self._fitted.find(data)
        places = self.embedding_[known]
        new = np.flatnonzero(known < 0)
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
        """Keep the data and the metric that the affinities were made with."""
        source = getattr(affinities, "source", None)
        if source is None:
            source = X.copy() if sparse.issparse(X) else np.array(X), self.metric
        self._fitted = FittedData(*source)
        self._sigma = getattr(affinities, "sigma", None)
