"""The KPCA trick: any learner becomes non-linear on kernel principal components.

    K̃ = (I − 11ᵀ/n) K (I − 11ᵀ/n) = U Λ Uᵀ,   φ(x) = Λ^(−1/2) Uᵀ k̃(x)

The coordinates φ(x_i) of full rank reproduce every inner product that the kernel has between the
points, so a learner on them finds in the kernel's feature space what its own kernel version would
("A Unified Semi-Supervised Dimensionality Reduction Framework for Manifold Learning", section 3.4).
Kernel discriminant analysis is ``KPCATrick(learner=FDA())``. New points go through the same map.

K takes O(n²) memory and its eigenvectors O(n³) time. Above a number of points, or where landmarks
are asked for, the coordinates are those of its Nyström approximation
(:mod:`nbembed.spectral.nystrom`), on which a learner of the framework works the same. That is ours.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass, field, replace
from typing import Any, ClassVar, Literal, NamedTuple, Self

import numpy as np
from numpy.typing import ArrayLike, NDArray
from scipy import sparse
from scipy.linalg import eigh
from sklearn.metrics.pairwise import PAIRWISE_KERNEL_FUNCTIONS, pairwise_kernels

from nbembed.data.matrix_input import check_magnitude
from nbembed.data.sparse_format import check_sparse
from nbembed.methods.live_parameters import LiveParameter
from nbembed.methods.recipe import Geometry
from nbembed.objectives.base import Objective
from nbembed.spectral.costs import LabelGroups
from nbembed.spectral.estimator import SpectralEstimator
from nbembed.spectral.fisher import FDA
from nbembed.spectral.nystrom import (
    CERTAIN,
    ENTRIES,
    LANDMARKS,
    choose_landmarks,
    nystrom_coordinates,
    rounding,
    symmetric_kernel,
)
from nbembed.spectral.recipe import SpectralRecipe
from nbembed.spectral.solve import Eigenproblem, Eigensolution
from nbembed.spectral.subspace import Subspace
from nbembed.supervision import Supervision
from nbembed.system.blas import one_blas_thread
from nbembed.system.memory import check_memory
from nbembed.validation import check_choice, check_count, check_real, shown

KERNELS = ("precomputed", *sorted(PAIRWISE_KERNEL_FUNCTIONS))
#: Which of the parameters scikit-learn's kernels take, under their names there.
TAKES = {
    "rbf": ("gamma",),
    "laplacian": ("gamma",),
    "chi2": ("gamma",),
    "sigmoid": ("gamma", "coef0"),
    "polynomial": ("gamma", "degree", "coef0"),
    "poly": ("gamma", "degree", "coef0"),
}


class KernelMap(NamedTuple):
    """Points in their kernel principal components, and the map of any point to these.

    * Shapes: mean (n_landmarks,).
    * subspace: the coordinates of the points.
    * weights (n_landmarks, r): ``(k(x, landmarks) − mean) weights`` are the coordinates of x.
    * coefficient: the kernel's, as a number.
    * landmarks: which points are landmarks; None: all are.
    * K: the kernel of all pairs; None with landmarks.
    """

    subspace: Subspace
    weights: NDArray[np.float64]
    mean: NDArray[np.float64]
    coefficient: float
    landmarks: NDArray[np.intp] | None
    K: NDArray[np.float64] | None


@dataclass(frozen=True, eq=False, kw_only=True)
class KPCATrickRecipe(SpectralRecipe):
    """Recipe of :class:`KPCATrick`; fields as its parameters."""

    summary: ClassVar[str] = "another spectral method in the space of a kernel"
    n_components: int | None = field(default=None, kw_only=False)  # type: ignore[assignment]
    learner: SpectralEstimator | None = None
    kernel: str | Callable[..., float] = "rbf"
    kernel_coefficient: float | str = "scale"
    degree: float = 3
    coef0: float = 1
    n_landmarks: int | Literal["auto"] | None = "auto"

    live_parameters: ClassVar[tuple[LiveParameter, ...]] = (
        LiveParameter(
            "kernel_coefficient",
            "κ",
            1e-5,
            1e3,
            0.1,
            "How narrow the kernel is: more of it sees near points only.",
            scale="log",
            minimum=1e-12,
            maximum=1e12,
            invalidates="affinities",
        ),
    )

    @property
    def inner(self) -> SpectralRecipe:
        """The recipe that works in the kernel's space."""
        recipe = (FDA() if self.learner is None else _check_learner(self.learner)).recipe
        if self.n_components is None:
            return recipe
        return recipe.replace(n_components=self.n_components)

    @property
    def dimensions(self) -> int:
        """Number of axes: the learner's where none is given."""
        return self.inner.dimensions

    @property
    def needs_labels(self) -> bool:
        """True if the learner needs labels."""
        try:
            return self.inner.needs_labels
        except TypeError:  # scikit-learn asks before the parameters are checked
            return True

    def check(self, n_samples: int, supervision: Supervision) -> None:
        """Raise ValueError or TypeError, naming the argument, before any work starts."""
        inner = self.inner
        if not callable(self.kernel):
            check_choice("kernel", self.kernel, KERNELS)
        scaled = isinstance(self.kernel_coefficient, str)
        if isinstance(self.kernel_coefficient, str):
            check_choice("kernel_coefficient", self.kernel_coefficient, ("scale",))
        self.check_live(but=("kernel_coefficient",) if scaled else ())
        check_real("degree", self.degree, low=0, open_low=True)
        check_real("coef0", self.coef0)
        if self.n_components is not None:
            check_count("n_components", self.n_components)
        if isinstance(self.n_landmarks, str):
            check_choice("n_landmarks", self.n_landmarks, ("auto",))
        elif self.n_landmarks is not None:
            check_count("n_landmarks", self.n_landmarks, low=2)
        inner.check(n_samples, supervision)

    def check_feasible(self, X: Any, supervision: Supervision) -> None:
        """Raise ValueError where the kernel would not fit into memory."""
        super().check_feasible(X, supervision)
        self.check_kernel_size(X.shape[0])

    def check_kernel_size(self, n: int) -> None:
        """Raise ValueError if the kernel of n points would not fit into memory."""
        landmarks = self.landmarks_of(n)
        if landmarks is None:
            # The kernel, its mirror, both centered, and the eigenvectors.
            what = f"the kernel of all {n} × {n} pairs, with its eigenvectors,"
            check_memory(5 * 8 * n**2, what, f"n_landmarks={min(LANDMARKS, n - 1)}")
        else:
            m = landmarks.size
            what = f"the coordinates of {n} points by {m} landmarks"
            check_memory(2 * 8 * n * m + 5 * 8 * m**2, what, "a smaller n_landmarks")

    def problem(self, subspace: Subspace, groups: LabelGroups) -> Eigenproblem:
        """Return the learner's problem."""
        return self.inner.problem(subspace, groups)

    def solution(self, subspace: Subspace, groups: LabelGroups) -> Eigensolution:
        """Return the learner's axes.

        Raises
        ------
        ValueError
            If the kernel is constant on the points, or has fewer components than there are axes.
        """
        if subspace.rank == 0:
            raise ValueError(
                "X must have distinct points in the space of the kernel, but all of them coincide"
            )
        return self.inner.solution(subspace, groups)

    @one_blas_thread()
    def make_affinities(self, X: Any, supervision: Supervision | None = None) -> Subspace:
        """Return the points in all their kernel principal components."""
        check_sparse(X)
        found = self.kernel_map(X)
        return replace(found.subspace, kernel_coefficient=found.coefficient)

    def kernel_map(self, X: Any) -> KernelMap:
        """Return the points in their kernel principal components, and the map to these.

        Raises
        ------
        ValueError
            If the kernel would not fit into memory.
        """
        self.check_kernel_size(X.shape[0])
        coefficient = self.coefficient_for(X)
        landmarks = self.landmarks_of(X.shape[0])
        if landmarks is None:
            K = self.kernel_between(X, X, coefficient)
            return KernelMap(*self.coordinates(K), coefficient, None, K)
        found = self.approximate_coordinates(X, coefficient, landmarks)
        return KernelMap(*found, coefficient, landmarks, None)

    def live_values(self, objective: Objective, geometry: Geometry) -> dict[str, float]:
        """Return the kernel's coefficient as the number that it was resolved to."""
        coefficient = getattr(objective, "kernel_coefficient", None)
        return {} if coefficient is None else {"kernel_coefficient": coefficient}

    # -- the kernel --------------------------------------------------------------------------

    def coordinates(
        self, K: NDArray[Any]
    ) -> tuple[Subspace, NDArray[np.float64], NDArray[np.float64]]:
        """Return :func:`kernel_coordinates`, as many as the learner works in."""
        return kernel_coordinates(K, self._most)

    def approximate_coordinates(
        self, X: Any, coefficient: float, landmarks: NDArray[np.intp]
    ) -> tuple[Subspace, NDArray[np.float64], NDArray[np.float64]]:
        """Return the same of the kernel's approximation by landmarks."""
        given = self.kernel == "precomputed"
        others = None if given else X[landmarks]

        def kernel(here: Any) -> NDArray[np.float64]:
            rows = X[here][:, landmarks] if given else X[here]
            return self.kernel_between(rows, others, coefficient)

        return nystrom_coordinates(kernel, X.shape[0], landmarks, self._most)

    @property
    def _most(self) -> int | None:
        """The largest number of kernel components that the learner works in."""
        n_pca = getattr(self.inner, "n_pca", None)
        return None if isinstance(n_pca, str) else n_pca

    def landmarks_of(self, n: int) -> NDArray[np.intp] | None:
        """Return the landmarks among n points; None: all are."""
        if self.n_landmarks is None:
            return None
        return choose_landmarks(n, None if isinstance(self.n_landmarks, str) else self.n_landmarks)

    def coefficient_for(self, X: Any) -> float:
        """Return the kernel's coefficient as a number."""
        if not isinstance(self.kernel_coefficient, str):
            return float(self.kernel_coefficient)
        check_magnitude(X)
        X = X.astype(np.float64, copy=False)
        mean = np.asarray(X.mean(axis=0)).ravel()
        square = X.multiply(X) if sparse.issparse(X) else np.square(X)
        total = float((np.asarray(square.mean(axis=0)).ravel() - mean**2).sum())
        return 1 / total if total > 0 else 1.0

    def kernel_between(self, X: Any, others: Any, coefficient: float) -> NDArray[np.float64]:
        """Return the kernel of each row of X with each of the others."""
        if self.kernel == "precomputed":
            return np.asarray(X.toarray() if sparse.issparse(X) else X, dtype=np.float64)
        check_magnitude(X)
        X, others = (z.astype(np.float64, copy=False) for z in (X, others))
        given = {"gamma": coefficient, "degree": self.degree, "coef0": self.coef0}
        takes = TAKES.get(self.kernel, ()) if isinstance(self.kernel, str) else ()
        options = {name: given[name] for name in takes}
        try:
            K = pairwise_kernels(X, others, metric=self.kernel, **options)
        except (TypeError, ValueError) as error:
            raise ValueError(
                f"kernel must be one that applies to this X, got {shown(self.kernel)}: {error}"
            ) from error
        K = np.asarray(K.toarray() if sparse.issparse(K) else K, dtype=np.float64)
        if not np.isfinite(K).all():
            raise ValueError(
                f"kernel must give finite values, got NaN or infinity from {shown(self.kernel)}"
            )
        return K


class KPCATrick(SpectralEstimator):
    """A learner of the framework on full-rank kernel principal components.

    Parameters
    ----------
    n_components : int, optional
        By default the learner's.
    learner : SpectralEstimator, optional
        The learner to run in the kernel's space; by default ``FDA()``. It is not fitted. Its
        ``gamma``, ``power`` and so on apply there, its ``n_pca`` keeps the leading kernel
        components only: otherwise a learner without a cost of unlabeled pairs maps all labeled
        points of a class to one place.
    kernel : str or callable, default="rbf"
        A kernel that scikit-learn knows, a function of two rows, or "precomputed": X is then the
        kernel's matrix, and in :meth:`transform` that of new points with the fitted ones.
    kernel_coefficient : float or "scale", default="scale"
        scikit-learn's ``gamma`` of the kernels "rbf", "laplacian", "polynomial", "sigmoid" and
        "chi2"; "scale" is one over the sum of the features' variances. The learner's ``gamma``, the
        weight of its neighborhood graph, is another parameter.
    degree : float, default=3
        Of the polynomial kernel.
    coef0 : float, default=1
        Constant of the polynomial and the sigmoid kernel.
    n_landmarks : int, "auto" or None, default="auto"
        Number m ≥ 2 of points that all others are compared with. None is all points, the exact
        form; "auto" is all of up to 2000 points, and 1000 of more.

    Attributes
    ----------
    components_ : ndarray of shape (n_components, n_landmarks)
        Weights of the landmarks' kernels, which replace the features.
    mean_ : ndarray of shape (n_landmarks,)
        Mean of the kernel with each landmark.
    landmarks_ : ndarray of int, shape (n_landmarks,)
        Which of the fitted points are landmarks.
    kernel_coefficient_ : float
    others
        As in :class:`~nbembed.spectral.estimator.SpectralEstimator`.

    Notes
    -----
    O(n m) memory and O(n m² + m³) time. With m < n the kernel is approximated by Nyström's method
    from m points drawn at random, the same ones every time. The learner then works in the at most m
    directions that these span in the kernel's space; in the paper all n points do.

    An eigenvalue of the centered kernel is known up to a rounding error of about n ε λ₁, with
    ε = 2.2e-16 and λ₁ the largest one. Components whose eigenvalue is below 10⁴ n ε λ₁ (3e-10 λ₁ at
    150 points) are left out: a learner that weighs all directions alike, as FDA does, would magnify
    their rounding to the size of the map.

    Examples
    --------
    >>> from sklearn.datasets import load_iris
    >>> X, y = load_iris(return_X_y=True)
    >>> KPCATrick(learner=FDA(), kernel="polynomial", degree=2).fit_transform(X, y).shape
    (150, 2)
    """

    recipe_type = KPCATrickRecipe
    recipe: KPCATrickRecipe

    kernel_coefficient_: float
    landmarks_: NDArray[np.intp]

    def __init__(
        self,
        n_components: int | None = None,
        *,
        learner: SpectralEstimator | None = None,
        kernel: str | Callable[..., float] = "rbf",
        kernel_coefficient: float | str = "scale",
        degree: float = 3,
        coef0: float = 1,
        n_landmarks: int | Literal["auto"] | None = "auto",
    ) -> None:
        self.n_components = n_components
        self.learner = learner
        self.kernel = kernel
        self.kernel_coefficient = kernel_coefficient
        self.degree = degree
        self.coef0 = coef0
        self.n_landmarks = n_landmarks

    @one_blas_thread()
    def fit(
        self,
        X: ArrayLike,
        y: ArrayLike | None = None,
        supervision: Supervision | None = None,
    ) -> Self:
        """Find the learner's axes in the kernel's space.

        Parameters and errors: as in :meth:`SpectralEstimator.fit`; X is the kernel's matrix with
        ``kernel="precomputed"``.
        """
        data, groups = self._checked(X, y, supervision)
        recipe = self.recipe
        found = recipe.kernel_map(data)
        solution = recipe.solution(found.subspace, groups)
        self._keep_solution(solution, lambda A: np.asarray(found.weights @ A), found.mean, groups)
        self.kernel_coefficient_ = found.coefficient
        landmarks = found.landmarks
        self.landmarks_ = np.arange(data.shape[0]) if landmarks is None else landmarks
        self._X_fit: Any = None
        if self.kernel != "precomputed":
            self._X_fit = data if landmarks is None else data[landmarks]
        self.embedding_ = self._project(data) if found.K is None else super()._project(found.K)
        return self

    # -- parts -------------------------------------------------------------------------------

    def _check_width(self, data: Any) -> None:
        if self.kernel == "precomputed" and data.shape[0] != data.shape[1]:
            raise ValueError(
                f'X must be the square kernel matrix with kernel="precomputed", '
                f"got shape {data.shape}"
            )

    def _project(self, X: Any) -> NDArray[np.float32]:
        n, m = X.shape[0], self.landmarks_.size
        if self.kernel == "precomputed":
            return super()._project(X if m == self.n_features_in_ else X[:, self.landmarks_])
        Y = np.empty((n, len(self.components_)), np.float32)
        rows = max(1, ENTRIES // m)
        for first in range(0, n, rows):
            here = slice(first, first + rows)
            K = self.recipe.kernel_between(X[here], self._X_fit, self.kernel_coefficient_)
            Y[here] = super()._project(K)
        return Y


def _check_learner(learner: Any) -> SpectralEstimator:
    if not isinstance(learner, SpectralEstimator) or isinstance(learner, KPCATrick):
        raise TypeError(
            f"learner must be an estimator of nbembed.spectral other than KPCATrick, "
            f"got {shown(learner)}"
        )
    return learner


def kernel_coordinates(
    K: NDArray[Any], n_pca: int | None = None
) -> tuple[Subspace, NDArray[np.float64], NDArray[np.float64]]:
    """Return all kernel principal components of the points.

    * Shapes: returns mean (n_samples,).
    * K (n_samples, n_samples): symmetric; negative eigenvalues (the sigmoid kernel has some) are
      left out.
    * n_pca: keep this many leading ones at most.
    * returns coefficients (n_samples, r): ``(k(x, X) − mean) coefficients`` are the coordinates of
      x.

    The rank is the number of eigenvalues above 10⁴ n ε λ₁; see :class:`KPCATrick`.

    Raises ValueError if the kernel is not symmetric.
    """
    K = symmetric_kernel(K)
    mean = K.mean(axis=0)
    values, U = eigh(K - mean[:, None] - mean[None, :] + mean.mean())
    values, U = values[::-1], U[:, ::-1]
    kept = values > CERTAIN * rounding(K, values[::-1])
    values, U = values[kept][:n_pca], U[:, kept][:, :n_pca]
    # The constant vector is no component; what rounding left of it would see the mean of K.
    U = U - U.mean(axis=0)
    root = np.sqrt(values)
    return Subspace(U * root, np.zeros(values.size), None), U / root, mean
