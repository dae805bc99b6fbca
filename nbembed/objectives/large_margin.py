"""Large-margin embedding (Mbed): SNE that opens a gap between classes, labeled or discovered.

    C − w (A + B) + D,   C = Σ_i KL(p̃_i ‖ q_i)                      (SNE)
    m_ik = softmax_k(⟨w_k, y_i⟩ / λ),  m̄ = mean_i m_i              (membership, eq. 15)
    A = −mean_i H(m_i)                                              (margin, eq. 6)
    B = H(m̄), or −KL(m̄ ‖ π) with class priors π                     (balance, eq. 6 and 8)
    D = Σ_labeled KL(T_i ‖ m_i)                                     (labels, eq. 12)

Equations of "Large Margin Non-Linear Embedding"; gradients (16) to (19). Erratum: its equation (9)
has a stray Σ_i. w is 1 in the paper. K = 2 with λ here is its logistic form (5) with λ/2.

Labels are softened to what the map can express at a distance δ from the origin: the certain label
of class k has the membership of a point at δ·w_k, that is the row

    s_kl = softmax_l(⟨w_l, δ w_k⟩ / λ)   and   T_i = Σ_k t_ik s_k.

With r for the radius of the map, δ = r in equation (21) and 2r in the text of section 6.

On the simplex, where ⟨w_k, w_l⟩ = −1/(K−1), this is Algorithm 1's rule t* t_ik +
(1−t_ik)(1−t*)/(K−1) (erratum: line 9 lacks the 1/(K−1), so that its rows would not sum to one for
K > 2). Other directions use the same definition rather than the simplex's numbers: on a circle of
ten classes a point at r·w_k belongs to the neighboring classes as well, and the simplex's t* = 0.97
at λ = 0.2 r would need a position at 5.8 radii. ⟨w_l, w_k⟩ < 1 for unit vectors, so a certain label
stays the most probable class.
"""

from __future__ import annotations

import copy
import math
from typing import Any, NamedTuple, Self

import numpy as np
from numpy.typing import ArrayLike, NDArray
from scipy.special import softmax

from nbembed.data.class_probabilities import check_class_prior
from nbembed.kernels.large_margin import large_margin
from nbembed.kernels.terms import MarginTerms
from nbembed.objectives.base import Evaluation
from nbembed.objectives.checks import Algorithm, check_layout, check_names
from nbembed.objectives.cost_terms import CostTerm
from nbembed.objectives.directions import check_directions
from nbembed.objectives.link_shares import LinkForm
from nbembed.objectives.regions import softened
from nbembed.objectives.sne import SNE
from nbembed.supervision import Supervision
from nbembed.validation import check_real


class _Terms(NamedTuple):
    """SNE's terms at a layout ``Yt``, which are independent of λ; O(n d) memory."""

    Yt: NDArray[Any]
    cost: bool
    terms: tuple[float, NDArray[Any], NDArray[np.float64], float]


class LargeMargin(SNE):
    """The cost of Mbed.

    Parameters
    ----------
    P : ndarray or sparse matrix of shape (n_samples, n_samples), or Affinities
        Row-stochastic, as for :class:`~nbembed.objectives.sne.SNE`.
    lam : float
        λ > 0 in units of the coordinates: small λ makes memberships steep.
    directions : array of shape (n_classes, n_components)
        Unit vectors w_k, in the order of the supervision's classes, free classes after them.
    supervision : Supervision, optional
        Labels enter D; links enter p̃. Labels do not act as links here.
    rho : float, default=0.5
        ρ in [0, 1], the share of a linked point's row that goes to its links.
    link_form : {"structured", "uniform"}, default="structured"
        As for :class:`~nbembed.objectives.sne.SNE`.
    algorithm : {"exact", "grid"}, default="exact"
        How SNE's repulsion is summed; see :class:`~nbembed.objectives.HeavyTailed`. The terms of
        the classes are the same in both.
    margin_weight : float, default=1.0
        w ≥ 0, the weight of A + B.
    class_prior : array of shape (n_classes,), optional
        π > 0, summing to one. Without it B favors classes of equal size.
    label_distance : float, default=1.0
        δ > 0 in coordinates: a certain label of class k is as certain as a point at δ w_k is.
    n_jobs : int, optional
        Threads; None uses all cores of the process, or one if there are few points.

    Raises
    ------
    ValueError
        Naming the argument that is out of range or malformed.
    """

    def __init__(
        self,
        P: Any,
        lam: float,
        directions: ArrayLike,
        supervision: Supervision | None = None,
        *,
        rho: float = 0.5,
        link_form: LinkForm = "structured",
        algorithm: Algorithm = "exact",
        margin_weight: float = 1.0,
        class_prior: ArrayLike | None = None,
        label_distance: float = 1.0,
        n_jobs: int | None = None,
    ) -> None:
        super().__init__(
            P,
            supervision=supervision,
            rho=rho,
            labels_as_links=False,
            link_form=link_form,
            algorithm=algorithm,
            n_jobs=n_jobs,
        )
        self._lam = check_real("lam", lam, low=0, open_low=True)
        self._margin_weight = check_real("margin_weight", margin_weight, low=0)
        self._label_distance = check_real("label_distance", label_distance, low=0, open_low=True)
        self._directions = check_directions(directions)
        self._prior = normalized_prior(class_prior, self.n_classes)
        self._targets = self._softened()
        self._last_terms: _Terms | None = None

    @property
    def n_classes(self) -> int:
        """K, the number of class directions."""
        return int(self._directions.shape[0])

    @property
    def directions(self) -> NDArray[np.float64]:
        """Class directions w_k, shape (n_classes, n_components)."""
        return self._directions

    @property
    def class_prior(self) -> NDArray[np.float64] | None:
        """Class priors π, or None where B is the entropy of the mean membership."""
        return self._prior

    @property
    def targets(self) -> NDArray[np.float64]:
        """Softened labels T, shape (n_samples, n_classes); rows of unlabeled points are NaN."""
        return self._targets

    @property
    def parameters(self) -> dict[str, float]:
        """``lam``, ``rho``, ``margin_weight`` and ``label_distance``."""
        return {
            "lam": self._lam,
            "rho": self._supervised.rho,
            "margin_weight": self._margin_weight,
            "label_distance": self._label_distance,
        }

    def with_parameters(self, **parameters: Any) -> Self:
        """Return the same objective with some parameters changed.

        Takes the numbers in :attr:`parameters` and ``supervision``, ``directions`` and
        ``class_prior``. P is shared, and unless ``rho`` or ``supervision`` change so are SNE's
        terms at the last layout: evaluating that layout at another λ visits no pair of points.
        """
        check_names(
            self, parameters, (*self.parameters, "supervision", "directions", "class_prior")
        )
        other = copy.copy(self)
        if "lam" in parameters:
            other._lam = check_real("lam", parameters["lam"], low=0, open_low=True)
        if "margin_weight" in parameters:
            other._margin_weight = check_real("margin_weight", parameters["margin_weight"], low=0)
        if "label_distance" in parameters:
            other._label_distance = check_real(
                "label_distance", parameters["label_distance"], low=0, open_low=True
            )
        if "directions" in parameters:
            other._directions = check_directions(parameters["directions"])
        other._prior = normalized_prior(parameters.get("class_prior", self._prior), other.n_classes)
        other._supervised = self._supervised.changed(parameters)
        if other._supervised is not self._supervised:
            other._last_terms = None
        if not {"lam", "label_distance", "directions", "supervision"}.isdisjoint(parameters):
            other._targets = other._softened()
        return other

    def membership(self, Y: NDArray[Any]) -> NDArray[np.float64]:
        """Return m_ik, the probability that a point at y_i is of class k, shape (n, n_classes)."""
        Y = self._checked(Y)
        scores = Y.astype(np.float64) @ self._directions.T / self._lam
        return np.asarray(softmax(scores, axis=1))

    @property
    def equation(self) -> str:
        """SNE's cost with the terms of the classes, and what they are made of."""
        balance = "H(m̄)" if self._prior is None else "−KL(m̄ ‖ π)"
        return (
            f"C − w (A + B) + D,  {super().equation}\n"
            f"mᵢₖ = softmaxₖ(⟨wₖ, yᵢ⟩ / λ),  A = −mean H(mᵢ),  B = {balance}"
        )

    def cost_terms(self, Y: NDArray[Any]) -> tuple[CostTerm, ...]:
        """Return SNE's terms, and those of margin and balance, and of labels."""
        found = list(super().cost_terms(Y))
        Yt = np.ascontiguousarray(self._checked(Y).T)
        whole, labels = self._class_terms(Yt, self._margin_weight), self._class_terms(Yt, 0.0)
        margin = np.asarray(whole.gradient, float) - np.asarray(labels.gradient, float)
        found.append(
            CostTerm.of("margin", "−w (A + B)", "classes", whole.cost - labels.cost, margin)
        )
        if not np.isnan(self._targets[:, 0]).all():
            found.append(
                CostTerm.of("labels", "Σ KL(Tᵢ ‖ mᵢ)", "labels", labels.cost, labels.gradient)
            )
        return tuple(found)

    def _class_terms(self, Yt: NDArray[Any], margin_weight: float) -> MarginTerms:
        # The kernel's prior is read only where B is a divergence from it.
        prior = np.full(self.n_classes, 1 / self.n_classes) if self._prior is None else self._prior
        return large_margin(
            Yt,
            self._directions,
            self._lam,
            self._targets,
            prior,
            0 if self._prior is None else 1,
            margin_weight,
            self._n_threads,
        )

    def evaluate(self, Y: NDArray[Any], *, cost: bool = True) -> Evaluation:
        """Return cost, gradient and a positive curvature at ``Y``.

        The curvature adds to SNE's the bounds of the other terms' second derivatives:
        1/λ² at a labeled point and w/(nλ²) at any.
        """
        Y = self._checked(Y)
        Yt = np.ascontiguousarray(Y.T)
        value, gradient, curvature, rounding = self._terms(Yt, cost)
        terms = self._class_terms(Yt, self._margin_weight)
        steepness = 1 / self._lam**2
        labeled = ~np.isnan(self._targets[:, 0])
        curvature = curvature + steepness * labeled
        curvature += self._margin_weight * steepness / self.n_samples
        return Evaluation(
            value + float(terms.cost),
            np.ascontiguousarray((gradient + terms.gradient).T, dtype=self.dtype),
            np.ascontiguousarray(curvature, dtype=self.dtype),
            rounding=rounding,
        )

    def _terms(
        self, Yt: NDArray[Any], cost: bool
    ) -> tuple[float, NDArray[Any], NDArray[np.float64], float]:
        """Return SNE's terms at ``Yt``, those of the last layout without a pass over pairs."""
        last = self._last_terms
        # Compared by content: a caller may write to an array that was evaluated before.
        if last is None or (cost and not last.cost) or not np.array_equal(last.Yt, Yt):
            last = _Terms(Yt.copy(), cost, super()._terms(Yt, cost))
            self._last_terms = last
        value, gradient, curvature, rounding = last.terms
        return value if cost else math.nan, gradient, curvature, rounding

    def _checked(self, Y: NDArray[Any]) -> NDArray[Any]:
        Y = check_layout(Y, self.n_samples, self.dtype)
        if Y.shape[1] != self._directions.shape[1]:
            raise ValueError(
                f"Y must have {self._directions.shape[1]} columns, like directions, got "
                f"{Y.shape[1]}"
            )
        return Y

    def _softened(self) -> NDArray[np.float64]:
        """Return T at the present λ, label distance, directions and labels."""
        return softened(
            self._directions,
            self._label_distance,
            self._lam,
            self.supervision,
            self.n_samples,
        )


def normalized_prior(class_prior: ArrayLike | None, n_classes: int) -> NDArray[np.float64] | None:
    """Return class priors whose sum is one to rounding, or None."""
    if class_prior is None:
        return None
    prior = check_class_prior(class_prior, n_classes)
    return np.asarray(prior / prior.sum())
