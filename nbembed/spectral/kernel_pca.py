"""The KPCA trick: any learner, made non-linear by running it on kernel principal components.

    K̃ = (I − 11ᵀ/n) K (I − 11ᵀ/n) = U Λ Uᵀ,   φ(x) = Λ^(−1/2) Uᵀ k̃(x)

The coordinates φ(x_i), all of them of which anything is left, hold every inner product that the
kernel has between the points, so a learner that is given them finds in the kernel's feature space
what its own kernel version would, without there having to be one ("A Unified Semi-Supervised
Dimensionality Reduction Framework for Manifold Learning", section 3.4). Kernel discriminant
analysis is ``KPCATrick(FDA())``. New points go through the same map.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import replace
from typing import TYPE_CHECKING, Any, ClassVar

import numpy as np
from scipy import sparse
from scipy.linalg import eigh
from sklearn.base import clone
from sklearn.metrics.pairwise import PAIRWISE_KERNEL_FUNCTIONS, pairwise_kernels

from nbembed.methods.base import LiveParameter
from nbembed.spectral.base import SpectralMethod
from nbembed.spectral.fisher import FDA
from nbembed.spectral.points import Points
from nbembed.validation import check_choice, check_count, check_magnitude, check_real

if TYPE_CHECKING:
    from typing import Self

    from numpy.typing import ArrayLike, NDArray

    from nbembed.spectral.costs import Known
    from nbembed.spectral.solve import Problem
    from nbembed.supervision import Supervision

#: Kernel eigenvalues below this share of the largest are rounding.
ROUNDING = 1e-10
KERNELS = ("precomputed", *sorted(PAIRWISE_KERNEL_FUNCTIONS))
#: Which of the parameters scikit-learn's kernels take.
TAKES = {
    "rbf": ("gamma",),
    "laplacian": ("gamma",),
    "chi2": ("gamma",),
    "sigmoid": ("gamma", "coef0"),
    "polynomial": ("gamma", "degree", "coef0"),
    "poly": ("gamma", "degree", "coef0"),
}


class KPCATrick(SpectralMethod):
    """A learner of the framework on full-rank kernel principal components.

    Parameters
    ----------
    learner : SpectralMethod, optional
        What to run in the kernel's space; by default ``FDA()``. Its own ``gamma``, ``power`` and so
        on work there, its ``n_pca`` keeps the leading kernel components only: a learner without any
        unlabeled cost puts all labeled points of a class on one spot otherwise.
    kernel : str or callable, default="rbf"
        A kernel that scikit-learn knows, a function of two rows, or "precomputed": X is then the
        kernel's matrix, and in :meth:`transform` that of new points with the fitted ones.
    n_components : int, optional
        By default the learner's.
    gamma : float or "scale", default="scale"
        Parameter of the kernels "rbf", "laplacian", "polynomial", "sigmoid" and "chi2"; "scale" is
        one over the sum of the features' variances. Not the learner's γ.
    degree : float, default=3
        Of the polynomial kernel.
    coef0 : float, default=1
        Constant of the polynomial and the sigmoid kernel.

    Attributes
    ----------
    components_ : ndarray of shape (n_components, n_samples)
        Weights of the fitted points' kernels, which replace the features.
    mean_ : ndarray of shape (n_samples,)
        Mean of the kernel with each fitted point.
    gamma_ : float
    others
        As in :class:`~nbembed.spectral.base.SpectralMethod`.

    Notes
    -----
    O(n²) memory and O(n³) time; all of the kernel's rank is kept down to 1e-10 of its largest
    eigenvalue.

    Examples
    --------
    >>> from sklearn.datasets import load_iris
    >>> X, y = load_iris(return_X_y=True)
    >>> KPCATrick(FDA(), kernel="polynomial", degree=2).fit_transform(X, y).shape
    (150, 2)
    """

    live_parameters: ClassVar[tuple[LiveParameter, ...]] = (
        LiveParameter(
            "gamma",
            "γ kernel",
            1e-5,
            1e3,
            0.1,
            "How narrow the kernel is: more of it sees near points only.",
            scale="log",
            minimum=0.0,
            invalidates="affinities",
        ),
    )

    n_components: int | None  # type: ignore[assignment]

    def __init__(
        self,
        learner: SpectralMethod | None = None,
        kernel: str | Callable[..., float] = "rbf",
        *,
        n_components: int | None = None,
        gamma: float | str = "scale",
        degree: float = 3,
        coef0: float = 1,
    ) -> None:
        self.learner = learner
        self.kernel = kernel
        self.n_components = n_components
        self.gamma = gamma
        self.degree = degree
        self.coef0 = coef0

    # -- what the learner says -----------------------------------------------------------------

    @property
    def epsilon(self) -> float:  # type: ignore[override]
        """The learner's."""
        return self._inner().epsilon

    @property
    def needs_labels(self) -> bool:  # type: ignore[override]
        """Whether the learner does."""
        return bool(getattr(self._inner(), "needs_labels", True))

    @property
    def n_pca(self) -> None:  # type: ignore[override]
        """Nothing: the learner's own counts kernel components."""
        return None

    def problem(self, points: Points, known: Known) -> Problem:
        """Return the learner's problem."""
        return self._inner().problem(points, known)

    def check_parameters(self, n_samples: int, supervision: Supervision) -> None:
        """Raise ValueError or TypeError, naming the argument, before any work starts."""
        if self.learner is not None and (
            not isinstance(self.learner, SpectralMethod) or isinstance(self.learner, KPCATrick)
        ):
            raise TypeError(
                f"learner must be an estimator of nbembed.spectral other than KPCATrick, "
                f"got {self.learner!r}"
            )
        if not callable(self.kernel):
            check_choice("kernel", self.kernel, KERNELS)
        if isinstance(self.gamma, str):
            check_choice("gamma", self.gamma, ("scale",))
        else:
            check_real("gamma", self.gamma, low=0, open_low=True)
        check_real("degree", self.degree, low=0, open_low=True)
        check_real("coef0", self.coef0)
        if self.n_components is not None:
            check_count("n_components", self.n_components)
        self._inner().check_parameters(n_samples, supervision)

    # -- the kernel's space --------------------------------------------------------------------

    def make_affinities(  # type: ignore[override]
        self, X: NDArray[Any], supervision: Supervision | None = None
    ) -> Points:
        """Return the points in all their kernel principal components."""
        width = self._width(X)
        points = kernel_coordinates(self._kernel(X, X, width), self._inner().n_pca)[0]
        return replace(points, kernel_width=width)

    def live_values(self, objective: Any, geometry: Any) -> dict[str, float]:
        """Return γ of the kernel, also where it was a word."""
        return {} if objective.kernel_width is None else {"gamma": objective.kernel_width}

    def fit(
        self,
        X: ArrayLike,
        y: ArrayLike | None = None,
        supervision: Supervision | None = None,
    ) -> Self:
        """Find the learner's axes in the kernel's space.

        Parameters, errors : as in :meth:`SpectralMethod.fit`; X is the kernel's matrix with
        ``kernel="precomputed"``.
        """
        data, known = self._checked(X, y, supervision)
        self.gamma_ = self._width(data)
        K = self._kernel(data, data, self.gamma_)
        points, coefficients, mean = kernel_coordinates(K, self._inner().n_pca)
        solution = self._solve(points, known)
        self._keep_solution(solution, lambda A: np.asarray(coefficients @ A), mean, known)
        self._X_fit = None if self.kernel == "precomputed" else data
        self.embedding_ = super()._project(K)
        return self

    # -- parts ---------------------------------------------------------------------------------

    @property
    def _dimensions(self) -> int:
        return self._inner()._dimensions

    def _inner(self) -> SpectralMethod:
        learner = FDA() if self.learner is None else self.learner
        if self.n_components is None:
            return learner
        made: SpectralMethod = clone(learner).set_params(n_components=self.n_components)
        return made

    def _check_width(self, data: Any) -> None:
        if self.kernel == "precomputed" and data.shape[0] != data.shape[1]:
            raise ValueError(
                f'X must be the square kernel matrix with kernel="precomputed", '
                f"got shape {data.shape}"
            )

    def _project(self, X: Any) -> NDArray[np.float32]:
        if self.kernel == "precomputed":
            return super()._project(X)
        return super()._project(self._kernel(X, self._X_fit, self.gamma_))

    def _width(self, X: Any) -> float:
        """Return the kernel's γ as a number."""
        if not isinstance(self.gamma, str):
            return float(self.gamma)
        check_magnitude(X)
        X = X.astype(np.float64, copy=False)
        mean = np.asarray(X.mean(axis=0)).ravel()
        square = X.multiply(X) if sparse.issparse(X) else np.square(X)
        total = float((np.asarray(square.mean(axis=0)).ravel() - mean**2).sum())
        return 1 / total if total > 0 else 1.0

    def _kernel(self, X: Any, others: Any, gamma: float) -> NDArray[np.float64]:
        """Return the kernel of each row of X with each of the others."""
        if self.kernel == "precomputed":
            return np.asarray(X.toarray() if sparse.issparse(X) else X, dtype=np.float64)
        check_magnitude(X)
        X, others = (z.astype(np.float64, copy=False) for z in (X, others))
        known = {"gamma": gamma, "degree": self.degree, "coef0": self.coef0}
        takes = TAKES.get(self.kernel, ()) if isinstance(self.kernel, str) else ()
        options = {name: known[name] for name in takes}
        try:
            K = pairwise_kernels(X, others, metric=self.kernel, **options)
        except (TypeError, ValueError) as error:
            raise ValueError(
                f"kernel must be one that applies to this X, got {self.kernel!r}: {error}"
            ) from error
        K = np.asarray(K.toarray() if sparse.issparse(K) else K, dtype=np.float64)
        if not np.isfinite(K).all():
            raise ValueError(f"kernel must give finite values, got others from {self.kernel!r}")
        return K


def kernel_coordinates(
    K: NDArray[Any], n_pca: int | None = None
) -> tuple[Points, NDArray[np.float64], NDArray[np.float64]]:
    """Return all kernel principal components of the points.

    Parameters
    ----------
    K : ndarray of shape (n_samples, n_samples)
        Symmetric; what negative eigenvalues it has (the sigmoid kernel) are left out.
    n_pca : int, optional
        Keep this many leading ones at most.

    Returns
    -------
    points : Points
    coefficients : ndarray of shape (n_samples, r)
        ``(k(x, X) − mean) coefficients`` are the coordinates of x.
    mean : ndarray of shape (n_samples,)

    Raises
    ------
    ValueError
        If the kernel is not symmetric, or sees no difference between any two points.
    """
    gap = float(np.abs(K - K.T).max(initial=0))
    if gap > 1e-5 * float(np.abs(K).max(initial=0)):
        raise ValueError(f"kernel must be symmetric, but k(a, b) − k(b, a) is up to {gap:.3g}")
    K = (K + K.T) / 2
    mean = K.mean(axis=0)
    values, U = eigh(K - mean[:, None] - mean[None, :] + mean.mean())
    values, U = values[::-1], U[:, ::-1]
    kept = values > ROUNDING * max(float(np.trace(K)) / K.shape[0], float(values[0]))
    if not kept.any():
        raise ValueError("X must have points that differ in the kernel's view, got none")
    values, U = values[kept][:n_pca], U[:, kept][:, :n_pca]
    # The constant vector is no component; what rounding left of it would see the mean of K.
    U = U - U.mean(axis=0)
    root = np.sqrt(values)
    return Points(U * root, np.zeros(values.size), None), U / root, mean
