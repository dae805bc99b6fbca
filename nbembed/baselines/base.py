"""BaselineEstimator: input checks, fit and transform, which all baselines share."""

from __future__ import annotations

import warnings
from abc import abstractmethod
from collections.abc import Iterator
from dataclasses import dataclass
from typing import Any, Self

import numpy as np
from numpy.typing import ArrayLike, NDArray
from sklearn.base import BaseEstimator, ClassNamePrefixFeaturesOutMixin, TransformerMixin
from sklearn.utils.validation import check_is_fitted

from nbembed.data.distances import Distances
from nbembed.data.estimator_input import chunk_by_chunk, validated_data
from nbembed.data.matrix_input import check_data, check_non_negative
from nbembed.methods.placement import FittedData
from nbembed.methods.progress import as_callbacks
from nbembed.methods.settings import as_generator
from nbembed.run import Record
from nbembed.supervision import Supervision, as_supervision
from nbembed.supervision.conversion import check_y_or_supervision
from nbembed.system.blas import one_blas_thread
from nbembed.validation import check_components, check_count, check_verbose, shown


@dataclass(frozen=True)
class Iteration:
    """The argument of a baseline's callbacks, with these attributes of a :class:`~nbembed.Run`.

    * iteration: number of iterations done.
    * cost: the present cost, in nats.
    * embedding (n_samples, n_components): the present layout.
    * trace: one record an iteration.
    """

    iteration: int
    cost: float
    embedding: NDArray[np.float64]
    trace: list[Record]


class BaselineEstimator(ClassNamePrefixFeaturesOutMixin, TransformerMixin, BaseEstimator):  # type: ignore[misc]
    """Base of the baselines: data and labels in, a layout in float64 out.

    Attributes
    ----------
    embedding_ : ndarray of shape (n_samples, n_components), float64
    supervision_ : Supervision
        The labels after conversion.
    n_features_in_ : int
    """

    n_components: int
    metric: Any
    random_state: Any
    verbose: int
    callbacks: Any

    embedding_: NDArray[np.float64]
    supervision_: Supervision
    _fitted: FittedData
    _metric: Any

    # -- for subclasses --------------------------------------------------------------------------

    @abstractmethod
    def _check_parameters(self, n_samples: int) -> None:
        """Raise ValueError or TypeError, naming the argument, before any work starts."""

    @abstractmethod
    def _embed(self, X: Any, supervision: Supervision) -> NDArray[np.float64]:
        """Return the layout of checked data and set the other fitted attributes."""

    @abstractmethod
    def _place(self, X: Any) -> NDArray[np.float64]:
        """Return the places of checked new points, each placed independently."""

    # -- the estimator ---------------------------------------------------------------------------

    @one_blas_thread()
    def fit(
        self, X: ArrayLike, y: ArrayLike | None = None, supervision: Supervision | None = None
    ) -> Self:
        """Embed ``X``.

        Parameters
        ----------
        X : array of shape (n_samples, n_features)
            Data, or dissimilarities of shape (n_samples, n_samples) with ``metric="precomputed"``.
        y : array of shape (n_samples,) or (n_samples, n_classes), optional
            Labels with -1, None or NaN for unlabeled points, or rows of class probabilities with
            NaN rows for unlabeled points.
        supervision : Supervision, optional
            Labels; instead of ``y``. Baselines use labels only: links are ignored with a warning.

        Returns
        -------
        self

        Raises
        ------
        ValueError, TypeError
            Before any work starts, naming the argument that is wrong and what is allowed.
        """
        data, labels = self._check_input(X, y, supervision)
        # An unfitted learning metric is fitted to the labels.
        learn = getattr(self.metric, "fitted_to", None)
        self._metric = self.metric if learn is None else learn(data, labels)
        self._fitted = FittedData(data.copy(), self._metric)
        self.supervision_ = labels
        self.embedding_ = self._embed(data, labels)
        return self

    def fit_transform(
        self, X: ArrayLike, y: ArrayLike | None = None, supervision: Supervision | None = None
    ) -> NDArray[np.float64]:
        """Embed ``X`` and return the layout, shape (n_samples, n_components); see :meth:`fit`."""
        return self.fit(X, y, supervision).embedding_.copy()

    @chunk_by_chunk
    @one_blas_thread()
    def transform(self, X: ArrayLike) -> NDArray[np.float64]:
        """Place new points on the fitted layout.

        Each is placed independently of the others. A row equal to a fitted one gets that point's
        place, so that the training data give ``embedding_``.

        Parameters
        ----------
        X : array of shape (n_new, n_features)
            With ``metric="precomputed"`` dissimilarities to the fitted points, (n_new, n_samples).

        Returns
        -------
        Y : ndarray of shape (n_new, n_components)

        Raises
        ------
        ValueError
            If ``X`` has another number of features, or a value that is not finite, but for the
            dissimilarity of a fitted point and itself, which is ignored as in :meth:`fit`.
        """
        check_is_fitted(self, "embedding_")
        data = self._validated(X, reset=False)
        found = self._fitted.find(data)
        places = self.embedding_[found]
        new = data[found < 0]
        if self._precomputed:
            check_non_negative(new)
        if new.shape[0]:
            places[found < 0] = self._place(new)
        return places

    @property
    def _precomputed(self) -> bool:
        return isinstance(self.metric, str) and self.metric == "precomputed"

    @property
    def _n_features_out(self) -> int:
        return int(self.embedding_.shape[1])

    def __sklearn_tags__(self) -> Any:
        tags = super().__sklearn_tags__()
        tags.input_tags.pairwise = self._precomputed
        tags.input_tags.sparse = True
        return tags

    # -- shared parts ----------------------------------------------------------------------------

    def _check_input(
        self, X: ArrayLike, y: ArrayLike | None, supervision: Supervision | None
    ) -> tuple[Any, Supervision]:
        data = check_data(self._validated(X, ensure_min_samples=2), self.metric)
        check_y_or_supervision(y, supervision)
        if not hasattr(y, "__len__") and hasattr(y, "__array__"):
            y = np.asarray(y)
        n = data.shape[0]
        labels = as_supervision(y if supervision is None else supervision, n)
        check_components(self.n_components)
        check_verbose(self.verbose)
        as_callbacks(self.callbacks)
        as_generator(self.random_state)
        self._check_parameters(n)
        if labels.links or labels.cannot_links:
            warnings.warn(
                f"{type(self).__name__} does not use the links in supervision; embedding_ is "
                "computed from its labels alone",
                stacklevel=3,
            )
        return data, labels

    def _validated(self, X: ArrayLike, **options: Any) -> Any:
        # Dissimilarities need not be finite on their diagonal; the others are checked after this.
        return validated_data(
            self, X, accept_sparse="csr", dtype=[np.float64, np.float32],
            ensure_all_finite=not self._precomputed, **options,
        )  # fmt: skip

    def _to_fitted(self, X: Any) -> Iterator[tuple[slice, NDArray[np.float64]]]:
        """Yield squared distances of new points to the fitted ones, by blocks of rows."""
        fitted = X if self._precomputed else self._fitted.X
        yield from Distances(X, self._metric, fitted).blocks()


def all_squared(X: Any, metric: Any) -> NDArray[np.float64]:
    """Return the squared dissimilarity of every pair, symmetrized by its mean."""
    distances = Distances(X, metric)
    D2 = np.empty(distances.shape)
    for here, block in distances.blocks():
        D2[here] = block
    if not distances.symmetric:
        D2 = (D2 + D2.T) / 2
    return D2


def resolve_count(name: str, value: Any, auto: int, most: int, why: str) -> int:
    """Return a count in [1, ``most``]; "auto" is ``auto``, or ``most`` if that is less."""
    if isinstance(value, str):
        if value != "auto":
            raise ValueError(f'{name} must be "auto" or an integer, got {shown(value)}')
        return min(auto, most)
    count = check_count(name, value)
    if count > most:
        raise ValueError(f"{name} must be at most {most}, {why}, got {count}")
    return count
