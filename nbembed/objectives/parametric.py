"""Parametric Embedding: objects and class centers whose distances express class probabilities.

    p(c_k|r_n) = π_k exp(−½‖r_n − φ_k‖²) / Σ_l π_l exp(−½‖r_n − φ_l‖²)                      (eq. 1)
    J = −Σ_n Σ_k p(c_k|x_n) log p(c_k|r_n) + η_r Σ_n ‖r_n‖² + η_φ Σ_k ‖φ_k‖²           (eq. 2 and 6)

of "Parametric Embedding for Class Visualization". A layout holds the N objects r_n first and the K
class centers φ_k after them; both are optimized. The centers are landmarks, so that all sums take
O(NK) time.

Given the centers, J separates into N strictly convex problems in d variables each. The optimal
objects R*(Φ) are computed exactly (:mod:`nbembed.kernels.parametric`), which leaves

    F(Φ) = min_R J(R, Φ),   ∂F/∂Φ = ∂J/∂Φ at R*(Φ)

a function of K·d variables, whatever N is (:class:`OverClasses`). Its optimizer is
:class:`nbembed.optimizers.Alternating`.
"""

from __future__ import annotations

import copy
from dataclasses import dataclass
from typing import Any, Self

import numpy as np
from numpy.typing import ArrayLike, NDArray
from scipy.special import logsumexp, softmax

from nbembed.data.class_probabilities import check_class_prior, check_posteriors
from nbembed.kernels.parametric import parametric
from nbembed.kernels.terms import NEVER, ParametricTerms
from nbembed.objectives.base import Evaluation, PairObjective
from nbembed.objectives.checks import check_layout, check_names, threads_for
from nbembed.objectives.cost_terms import CostTerm
from nbembed.validation import check_real, shown

#: Upper bound of the default η_φ per object: the paper's 50 is for its 5000 pages.
ETA_AN_OBJECT = 0.01
#: How far from its minimum a solved object may be, in coordinates.
TOLERANCE = 1e-9


class Parametric(PairObjective):
    """The cost of Parametric Embedding.

    Parameters
    ----------
    proba : array of shape (n_objects, n_classes), or Posteriors
        p(c_k|x_n); rows of probabilities. float32 or float64, which becomes the layout's type.
    prior : array of shape (n_classes,), optional
        p(c_k), summing to one; equal by default. A class of prior zero is left out, and no object
        may have a posterior of it.
    eta_objects : float, default=0.1
        η_r > 0 holds the objects together.
    eta_classes : "auto" or float, default="auto"
        η_φ > 0 holds the class centers together; for the word see :func:`resolve_eta`.
    n_jobs : int, optional
        Threads; None uses all cores of the process, or one if there are few objects.

    Raises
    ------
    ValueError
        Naming the argument that is out of range or malformed.

    Notes
    -----
    J is the sum of Kullback–Leibler divergences up to the entropy of the posteriors, which does not
    depend on the layout. It is invariant under rotations and reflections of the layout.

    Examples
    --------
    >>> proba = np.array([[0.9, 0.1], [0.2, 0.8], [0.5, 0.5]])
    >>> objective = Parametric(proba)
    >>> objective.n_samples
    5
    """

    def __init__(
        self,
        proba: Any,
        prior: ArrayLike | None = None,
        *,
        eta_objects: float = 0.1,
        eta_classes: float | str = "auto",
        n_jobs: int | None = None,
    ) -> None:
        self._proba = check_posteriors(getattr(proba, "proba", proba), "proba", min_classes=1)
        self._log_prior = self._checked_prior(prior)
        self._eta_objects = check_real("eta_objects", eta_objects, low=0, open_low=True)
        self._eta_classes = self._resolved(eta_classes)
        self._n_threads = threads_for(self.n_objects, n_jobs)

    @property
    def n_objects(self) -> int:
        """N, the rows of a layout that are objects."""
        return int(self._proba.shape[0])

    @property
    def n_classes(self) -> int:
        """K, the rows after them that are class centers."""
        return int(self._proba.shape[1])

    @property
    def n_samples(self) -> int:
        """Rows that a layout must have: N + K."""
        return self.n_objects + self.n_classes

    @property
    def dtype(self) -> np.dtype[Any]:
        """Floating type of the posteriors and of layouts."""
        return self._proba.dtype

    @property
    def proba(self) -> NDArray[Any]:
        """p(c_k|x_n), read only."""
        return self._proba

    @property
    def prior(self) -> NDArray[np.float64]:
        """p(c_k), shape (n_classes,)."""
        return np.asarray(np.exp(self._log_prior))

    @property
    def parameters(self) -> dict[str, float]:
        """``eta_objects`` and ``eta_classes``."""
        return {"eta_objects": self._eta_objects, "eta_classes": self._eta_classes}

    def with_parameters(self, **parameters: Any) -> Self:
        """Return the same objective with some parameters changed; posteriors are shared.

        Takes the numbers in :attr:`parameters` and ``prior``.
        """
        check_names(self, parameters, (*self.parameters, "prior"))
        other = copy.copy(self)
        if "eta_objects" in parameters:
            eta = check_real("eta_objects", parameters["eta_objects"], low=0, open_low=True)
            other._eta_objects = eta
        if "eta_classes" in parameters:
            other._eta_classes = other._resolved(parameters["eta_classes"])
        if "prior" in parameters:
            other._log_prior = self._checked_prior(parameters["prior"])
        return other

    def evaluate(self, Y: NDArray[Any], *, cost: bool = True) -> Evaluation:
        """Return cost, gradient and curvature at ``Y``, shape (n_objects + n_classes, d).

        A row's curvature is a bound of the second derivatives by that row: its Hessian's trace.
        """
        objects, centers = self.split(Y)
        terms = self.terms(objects, centers, solve=False)
        return Evaluation(
            self._cost(terms, centers),
            np.vstack([terms.gradient, self._pull(terms, centers)]).astype(self.dtype, copy=False),
            np.concatenate([terms.curvature, terms.class_curvature + 2 * self._eta_classes]).astype(
                self.dtype, copy=False
            ),
        )

    @property
    def equation(self) -> str:
        """The cross entropy with its penalties, and the class probabilities on the map."""
        return "J = −Σ pₙₖ log qₙₖ + ηᵣ Σ ‖rₙ‖² + ηᵩ Σ ‖φₖ‖²\nqₙₖ = πₖ exp(−½ ‖rₙ − φₖ‖²) / Zₙ"

    def cost_terms(self, Y: NDArray[Any]) -> tuple[CostTerm, ...]:
        """Return the pull of the classes that an object has, the push of all, and the penalties."""
        objects, centers = (part.astype(np.float64) for part in self.split(Y))
        p = self._proba.astype(np.float64)
        squares = np.square(objects[:, None] - centers).sum(axis=2)
        scores = self._log_prior - 0.5 * squares
        # A class of prior zero has no posterior: 0 · log 0.
        near = -float(np.where(p > 0, p * scores, 0.0).sum())
        Z = logsumexp(scores, axis=1)
        q = np.exp(scores - Z[:, None])

        def pulled(weights: NDArray[np.float64]) -> NDArray[np.float64]:
            """Return Σ_k w_nk (r_n − φ_k), and Σ_n w_nk (φ_k − r_n) below."""
            by_object = weights.sum(axis=1)[:, None] * objects - weights @ centers
            by_class = weights.sum(axis=0)[:, None] * centers - weights.T @ objects
            return np.vstack([by_object, by_class])

        penalty = self._eta_objects * float(np.square(objects).sum())
        penalty += self._eta_classes * float(np.square(centers).sum())
        held = np.vstack([2 * self._eta_objects * objects, 2 * self._eta_classes * centers])
        total = p.sum(axis=1)
        return (
            CostTerm(
                "attraction", "−Σ pₙₖ log(πₖ exp(−½ ‖rₙ − φₖ‖²))", "attraction", near, pulled(p)
            ),
            CostTerm(
                "repulsion",
                "Σₙ log Zₙ",
                "repulsion",
                float(total @ Z),
                -pulled(total[:, None] * q),
            ),
            CostTerm("penalties", "ηᵣ Σ ‖rₙ‖² + ηᵩ Σ ‖φₖ‖²", "aid", penalty, held),
        )

    def membership(self, Y: NDArray[Any]) -> NDArray[np.float64]:
        """Return p(c_k|r_n) of the objects in ``Y``, shape (n_objects, n_classes)."""
        return self.membership_at(*self.split(Y))

    def membership_at(self, objects: Any, centers: Any) -> NDArray[np.float64]:
        """Return p(c_k|r) at any positions among the centers, shape (n_positions, n_classes)."""
        objects, centers = np.asarray(objects, float), np.asarray(centers, float)
        scores = objects @ centers.T - 0.5 * np.sum(centers * centers, axis=1) + self._log_prior
        return np.asarray(softmax(scores, axis=1))

    def solve(
        self, centers: NDArray[Any], start: NDArray[Any] | None = None
    ) -> tuple[NDArray[Any], int]:
        """Return the optimal position of each object among ``centers``, and how many failed.

        The positions are unique: ``start``, shape (n_objects, d), affects only the time. An object
        whose search fails (with tiny η_r) stays where the search ended.
        """
        if start is None:
            start = self.means(centers)
        terms = self.terms(np.asarray(start, self.dtype), centers, solve=True)
        return terms.objects, terms.unsolved

    def means(self, centers: NDArray[Any]) -> NDArray[Any]:
        """Return Σ_k p(c_k|x_n) φ_k, a start of the search, shape (n_objects, d)."""
        return np.asarray(self._proba @ np.asarray(centers, self.dtype))

    def over_classes(
        self, objects: NDArray[Any], *, held: Any = (), solve: bool = True
    ) -> OverClasses:
        """Return F(Φ), the cost of class centers alone; see :class:`OverClasses`."""
        return OverClasses(self, objects, held, solve)

    def split(self, Y: NDArray[Any]) -> tuple[NDArray[Any], NDArray[Any]]:
        """Return objects and centers of a layout."""
        Y = check_layout(Y, self.n_samples, self.dtype)
        return Y[: self.n_objects], Y[self.n_objects :]

    def terms(
        self, objects: NDArray[Any], centers: NDArray[Any], *, solve: bool, held: Any = ()
    ) -> ParametricTerms:
        """Return the kernel's sums at these positions; ``solve`` first optimizes free objects."""
        return parametric(
            objects,
            centers,
            self._proba,
            self._log_prior,
            self._eta_objects,
            solve,
            np.asarray(held, np.intp),
            TOLERANCE,
            self._n_threads,
        )

    def _cost(self, terms: ParametricTerms, centers: NDArray[Any]) -> float:
        squares = np.sum(np.square(centers, dtype=np.float64))
        return terms.cost + self._eta_classes * float(squares)

    def _pull(self, terms: ParametricTerms, centers: NDArray[Any]) -> NDArray[np.float64]:
        """Return ∂J/∂Φ."""
        return np.asarray(terms.class_gradient + 2 * self._eta_classes * np.asarray(centers, float))

    def _resolved(self, eta_classes: float | str) -> float:
        return resolve_eta(eta_classes, self.n_objects, self.n_classes, self._eta_objects)

    def _checked_prior(self, prior: ArrayLike | None) -> NDArray[np.float64]:
        K = self.n_classes
        if prior is None:
            return np.full(K, -np.log(K))
        values = check_class_prior(prior, K, "prior", allow_zero=True)
        absent = values == 0
        if absent.any() and self._proba[:, absent].any():
            raise ValueError(
                "prior must be positive for each class that has positive probability for any "
                f"object, got {values.tolist()}"
            )
        return np.where(absent, NEVER, np.log(np.where(absent, 1.0, values)))


@dataclass(frozen=True)
class Solved(Evaluation):
    """An evaluation of class centers, with their optimal objects.

    * objects (n_objects, d): R*(Φ).
    * whole (n_objects + n_classes, d): the gradient by the whole layout; zero, up to rounding, for
      solved objects.
    """

    objects: Any = None
    whole: Any = None


class OverClasses(PairObjective):
    """F(Φ) = min_R J(R, Φ): the cost of class centers with optimal objects.

    * objects (n_objects, d): where the search for objects begins.
    * held: objects that stay there.
    * solve: without it all objects stay there: the cost of the centers alone, J(R, Φ) at fixed R.

    Its layouts are the centers, (n_classes, d), in float64 whatever the type of the objects: they
    are few, and the precision of the descent is that of their rounding.
    """

    def __init__(
        self, objective: Parametric, objects: NDArray[Any], held: Any, solve: bool
    ) -> None:
        self._objective = objective
        self._objects = np.asarray(objects, objective.dtype)
        self._held = held
        self._solve = solve

    @property
    def n_samples(self) -> int:
        """K, the number of classes."""
        return self._objective.n_classes

    @property
    def dtype(self) -> np.dtype[Any]:
        """float64."""
        return np.dtype(np.float64)

    @property
    def parameters(self) -> dict[str, float]:
        """Those of the whole objective."""
        return self._objective.parameters

    def with_parameters(self, **parameters: Any) -> Self:
        """Return the same over another whole objective."""
        changed = self._objective.with_parameters(**parameters)
        return type(self)(changed, self._objects, self._held, self._solve)

    def evaluate(self, Y: NDArray[Any], *, cost: bool = True) -> Solved:
        """Return F and ∂F/∂Φ at centers ``Y``, and the objects that they have there."""
        centers = check_layout(Y, self.n_samples, self.dtype)
        whole = self._objective
        terms = whole.terms(self._objects, centers, solve=self._solve, held=self._held)
        value = whole._cost(terms, centers)
        gradient = whole._pull(terms, centers)
        return Solved(
            value,
            gradient,
            terms.class_curvature + 2 * whole._eta_classes,
            # Objects are optimal within a tolerance, and the sum over them is rounded.
            rounding=1e-14 * abs(value),
            objects=terms.objects,
            whole=np.vstack([terms.gradient, gradient]).astype(whole.dtype, copy=False),
        )


def resolve_eta(
    eta_classes: float | str, n_objects: int, n_classes: int, eta_objects: float
) -> float:
    """Return η_φ; "auto" is n_objects · min(0.01, η_r / (2 · n_classes)).

    Where the objects of a class are nearly certain, the forces at a minimum balance for
    ‖r‖/‖φ‖ ≈ √(η_φ K/(η_r N)), with many classes nearer to one: the paper's numbers (50, 10
    classes, 0.1, 5000 pages) put the root at one. With larger η_φ they lie beyond the class center,
    and the objects nearest to a center are not the most certain ones. "auto" is the paper's 0.01
    per object, or, with more than 50 η_r classes (five by default), half of the value at which the
    root is one.

    Raises ValueError, TypeError if it is neither that word nor a number above 0.
    """
    if isinstance(eta_classes, str):
        if eta_classes == "auto":
            return n_objects * min(ETA_AN_OBJECT, eta_objects / (2 * max(n_classes, 1)))
        raise ValueError(
            f'eta_classes must be "auto" or a number above 0, got {shown(eta_classes)}'
        )
    return check_real("eta_classes", eta_classes, low=0, open_low=True)
