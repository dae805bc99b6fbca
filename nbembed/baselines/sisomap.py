"""S-Isomap: Isomap on a dissimilarity that depends on the classes.

    D(i, j) = √(1 − exp(−d²/scale))       i and j of one class
              √exp(d²/scale) − offset     of two classes

with the metric's distance d, ``scale`` its mean over all pairs and ``offset`` in [0, 1], equation
(1) of Geng, Zhan and Zhou (2005), who call them β and α. Within a class D never exceeds 1; between
classes it starts at 1 − offset and grows
without bound. Then as in Isomap: the graph of nearest neighbors by D, shortest paths along it,
classical scaling of their lengths.
"""

from __future__ import annotations

import warnings
from typing import Any, Literal

import numpy as np
from numpy.typing import NDArray
from scipy import sparse
from scipy.sparse.csgraph import shortest_path

from nbembed.baselines.base import BaselineEstimator, all_squared, resolve_count
from nbembed.baselines.graph import neighbor_graph
from nbembed.baselines.regression import best_width, regress
from nbembed.data.matrix_input import check_metric
from nbembed.methods.initialization import scaling_axes
from nbembed.supervision import Supervision
from nbembed.validation import check_choice, check_real

#: Squares of longer paths would overflow.
LONGEST = 1e100


class SIsomap(BaselineEstimator):
    """Supervised Isomap.

    Parameters
    ----------
    n_components : int, default=2
        Dimensions of the layout; less than n_samples.
    n_neighbors : int or "auto", default="auto"
        Neighbors of each point in the graph; "auto" is 10 as in the paper, or n_samples − 1 if that
        is less.
    offset : float, default=0.5
        In [0, 1]: D of two classes is at least 1 − offset.
    scale : float or "mean", default="mean"
        Above 0, in units of the metric squared; "mean" is the number that is the mean distance of
        all pairs, as in the paper. That is a length where d² is an area: with it, scaling the data
        up makes classes count for more.
    bandwidth : float or "auto", default="auto"
        Width of the regression network that places new points, in units of the metric; "auto"
        predicts each fitted point from the others best.
    metric : str, callable or LearningMetric, default="euclidean"
        A name that scikit-learn or SciPy knows, a function of two points, or a metric learned from
        labels; an unfitted one is fitted to the labels of the fit.
    random_state, verbose, callbacks
        Accepted as by the other methods and without effect: nothing is random or iterative.

    Attributes
    ----------
    embedding_ : ndarray of shape (n_samples, n_components), float64
    scale_ : float
    bandwidth_ : float
    n_pieces_ : int
        Connected components of the neighbor graph before they were joined.
    supervision_ : Supervision
    n_features_in_ : int

    Warns
    -----
    UserWarning
        If the neighbor graph is not connected (its components are joined by their shortest edges,
        and the warning names ``n_neighbors``), or if the path lengths have fewer positive axes than
        ``n_components`` (those missing are zero).

    Notes
    -----
    A pair with an unlabeled point gets D = d/√scale, between the two: for an offset ≤ 0.57 it is
    never below the one nor above the other, and equals the first in the limit of short distances.
    Without any label the layout is that of Isomap, divided by √scale. The published comparisons
    fit labeled points alone and let the regression network place the rest: ``fit(X_labeled, y)``
    and ``transform(X_rest)``.

    Rows of class probabilities count by their likeliest class. Time is O(n² (n_neighbors + log n)),
    memory O(n²).

    References
    ----------
    .. [1] X. Geng, D.-C. Zhan, Z.-H. Zhou (2005), "Supervised nonlinear dimensionality reduction
       for visualization and classification", IEEE Transactions on Systems, Man, and Cybernetics B
       35, 1098-1107.
    .. [2] D. Specht (1991), "A general regression neural network", IEEE Transactions on Neural
       Networks 2, 568-576.

    Examples
    --------
    >>> from sklearn.datasets import load_iris
    >>> from nbembed.baselines import SIsomap
    >>> X, y = load_iris(return_X_y=True)
    >>> SIsomap(n_neighbors=60).fit(X[::2], y[::2]).transform(X[1::2]).shape
    (75, 2)
    """

    scale_: float
    bandwidth_: float
    n_pieces_: int

    def __init__(
        self,
        n_components: int = 2,
        *,
        n_neighbors: int | Literal["auto"] = "auto",
        offset: float = 0.5,
        scale: float | Literal["mean"] = "mean",
        bandwidth: float | Literal["auto"] = "auto",
        metric: Any = "euclidean",
        random_state: Any = None,
        verbose: int = 0,
        callbacks: Any = None,
    ) -> None:
        self.n_components = n_components
        self.n_neighbors = n_neighbors
        self.offset = offset
        self.scale = scale
        self.bandwidth = bandwidth
        self.metric = metric
        self.random_state = random_state
        self.verbose = verbose
        self.callbacks = callbacks

    def _check_parameters(self, n_samples: int) -> None:
        if self.n_components >= n_samples:
            raise ValueError(
                f"n_components must be less than n_samples = {n_samples}, got {self.n_components}"
            )
        self._neighbors(n_samples)
        check_real("offset", self.offset, low=0, high=1)
        check_metric(self.metric)
        for name, value, word in (
            ("scale", self.scale, "mean"),
            ("bandwidth", self.bandwidth, "auto"),
        ):
            if isinstance(value, str):
                check_choice(name, value, (word,))
            else:
                check_real(name, value, low=0, open_low=True)

    def _neighbors(self, n_samples: int) -> int:
        why = f"one less than the {n_samples} points"
        return resolve_count("n_neighbors", self.n_neighbors, 10, n_samples - 1, why)

    def _embed(self, X: Any, supervision: Supervision) -> NDArray[np.float64]:
        D2 = all_squared(X, self._metric)
        n = D2.shape[0]
        n_neighbors = self._neighbors(n)
        if isinstance(self.scale, str):
            mean = float(np.sqrt(D2).sum() / (n * (n - 1)))
            self.scale_ = mean if mean > 0 else 1.0
        else:
            self.scale_ = float(self.scale)
        D = dissimilarity(D2, supervision.top_class, self.offset, self.scale_)
        graph, self.n_pieces_ = neighbor_graph(D, n_neighbors)
        lengths = sparse.csr_array((D[graph.nonzero()], graph.indices, graph.indptr), graph.shape)
        longest = float(lengths.data.max())
        if longest > LONGEST:
            raise ValueError(
                f"scale must be larger, got {self.scale_:.4g}: an edge of the graph between "
                f"classes would have length {longest:.3g}; raise scale, or scale X down"
            )
        paths = shortest_path(lengths, method="D", directed=False)
        axes = scaling_axes(paths, self.n_components)
        missing = self.n_components - axes.shape[1]
        if missing:
            warnings.warn(
                f"the path lengths span only {axes.shape[1]} of n_components = "
                f"{self.n_components} dimensions; embedding_ is zero in the others",
                stacklevel=3,
            )
        Y = np.hstack([axes, np.zeros((n, missing))])
        if isinstance(self.bandwidth, str):
            self.bandwidth_ = best_width(D2, Y, n_neighbors)
        else:
            self.bandwidth_ = float(self.bandwidth)
        return Y

    def _place(self, X: Any) -> NDArray[np.float64]:
        parts = [np.empty((0, self.embedding_.shape[1]))]
        for _, D2 in self._to_fitted(X):
            parts.append(regress(D2, self.embedding_, self.bandwidth_))
        return np.vstack(parts)


def dissimilarity(
    D2: NDArray[Any], classes: NDArray[Any], offset: float, scale: float
) -> NDArray[np.float64]:
    """Return S-Isomap's dissimilarity of every pair.

    * D2 (n_samples, n_samples): squared distances.
    * classes (n_samples,) int: −1 for unlabeled points.
    * offset, scale: as in :class:`SIsomap`; ``scale`` as a number.
    * returns (n_samples, n_samples): zero on the diagonal; infinite where exp(d²/scale) overflows
      a float64, which matters only if the graph needs that edge.
    """
    ratio = D2 / scale
    labeled = classes >= 0
    both = labeled[:, None] & labeled
    same = both & (classes[:, None] == classes)
    apart = both & ~same
    D = np.sqrt(ratio)
    D[same] = np.sqrt(-np.expm1(-ratio[same]))
    with np.errstate(over="ignore"):
        D[apart] = np.exp(ratio[apart] / 2) - offset
    np.fill_diagonal(D, 0.0)
    return D
