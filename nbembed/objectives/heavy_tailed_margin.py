"""Heavy-tailed neighborhoods under Mbed's class terms: our extension of its cost.

    J = n · KL(P̃ ‖ Q_α) − w (A + B) + D

The first term is the cost of heavy-tailed symmetric SNE (:mod:`nbembed.objectives.heavy_tailed`)
in place of SNE's rows, multiplied by n so that it is a sum over points like them and like D. A, B
and D are Mbed's (:mod:`nbembed.objectives.class_terms`), of the paper's directions or of centers
that move with their points (:mod:`nbembed.objectives.regions`).
"""

from __future__ import annotations

import copy
from dataclasses import replace
from typing import Any, Self

import numpy as np
from numpy.typing import ArrayLike, NDArray

from nbembed.affinities import Affinities, as_affinities
from nbembed.objectives.attraction import Edges
from nbembed.objectives.base import Evaluation, PairObjective
from nbembed.objectives.checks import Algorithm, check_layout, check_names
from nbembed.objectives.class_terms import ClassTerms, Wanted, class_terms, memberships
from nbembed.objectives.cost_terms import CostTerm
from nbembed.objectives.heavy_tailed import HeavyTailed
from nbembed.objectives.large_margin import normalized_prior
from nbembed.objectives.link_shares import LinkForm
from nbembed.objectives.regions import Regions
from nbembed.supervision import Supervision
from nbembed.validation import check_real


class HeavyTailedMargin(PairObjective):
    """The cost of Mbed with heavy-tailed neighborhoods.

    * P (n_samples, n_samples), or Affinities: joint, as for
      :class:`~nbembed.objectives.HeavyTailed`.
    * lam: λ > 0 in units of the coordinates, the softness of the regions' borders.
    * regions: of :mod:`nbembed.objectives.regions`.
    * supervision: links enter P̃; labels do not act as links. With :class:`Rays` labels enter D;
      with :class:`Centers` they are in its targets.
    * alpha: α ≥ 0, the heaviness of the tails.
    * rho: ρ in [0, 1], the weight of links.
    * link_form {"structured", "uniform"}: as for :class:`~nbembed.objectives.HeavyTailed`.
    * algorithm {"exact", "grid"}: how repulsion is summed; see
      :class:`~nbembed.objectives.HeavyTailed`. The terms of the classes are the same in both.
    * compactness: as for :class:`~nbembed.objectives.HeavyTailed`.
    * margin_weight: w ≥ 0, the weight of A + B.
    * class_prior (n_classes,): π > 0, summing to one. Without it B favors classes of equal size.
    * n_jobs: threads; None uses all cores of the process, or one if there are few points.

    Raises ValueError: naming the argument that is out of range or malformed.
    """

    def __init__(
        self,
        P: Any,
        lam: float,
        regions: Regions,
        supervision: Supervision | None = None,
        *,
        alpha: float = 1.0,
        rho: float = 0.5,
        link_form: LinkForm = "structured",
        algorithm: Algorithm = "exact",
        compactness: float = 0.0,
        margin_weight: float = 1.0,
        class_prior: ArrayLike | None = None,
        n_jobs: int | None = None,
    ) -> None:
        self._neighbors = HeavyTailed(
            P,
            alpha,
            supervision=None if supervision is None else links_alone(supervision),
            rho=rho,
            link_form=link_form,
            algorithm=algorithm,
            compactness=compactness,
            n_jobs=n_jobs,
        )
        self._affinities = P if isinstance(P, Affinities) else as_affinities(P, "joint")
        self._lam = check_real("lam", lam, low=0, open_low=True)
        self._margin_weight = check_real("margin_weight", margin_weight, low=0)
        self._regions = regions
        self._supervision = supervision
        self._prior = normalized_prior(class_prior, regions.n_classes)
        self._wanted = Wanted.of(
            *regions.wanted(supervision, self.n_samples, self._lam), regions.counted
        )

    @property
    def n_samples(self) -> int:
        """Number of points that a layout must have."""
        return self._neighbors.n_samples

    @property
    def dtype(self) -> np.dtype[Any]:
        """Floating type of P, in which pairs are computed; class terms are in float64."""
        return self._neighbors.dtype

    @property
    def algorithm(self) -> Algorithm:
        """The algorithm that sums repulsion."""
        return self._neighbors.algorithm

    @property
    def length_scale(self) -> float:
        """Width of the similarity in coordinates."""
        return self._neighbors.length_scale

    def far(self, near: float) -> float | None:
        """Return the distance at which the similarity is 1/n of that at the distance ``near``."""
        return self._neighbors.far(near)

    @property
    def affinities(self) -> Affinities:
        """P as given."""
        return self._affinities

    @property
    def supervision(self) -> Supervision | None:
        """Labels and links."""
        return self._supervision

    @property
    def regions(self) -> Regions:
        """The regions that memberships derive from."""
        return self._regions

    @property
    def n_classes(self) -> int:
        """K."""
        return self._regions.n_classes

    @property
    def class_prior(self) -> NDArray[np.float64] | None:
        """Class priors π, or None where B is the entropy of the mean membership."""
        return self._prior

    @property
    def parameters(self) -> dict[str, float]:
        """``lam``, ``alpha``, ``rho`` and ``margin_weight``."""
        shared = self._neighbors.parameters
        return {
            "lam": self._lam,
            "alpha": shared["alpha"],
            "rho": shared["rho"],
            "margin_weight": self._margin_weight,
        }

    def with_parameters(self, **parameters: Any) -> Self:
        """Return the same objective with some of :attr:`parameters` changed; P is shared."""
        check_names(self, parameters, self.parameters)
        other = copy.copy(self)
        shared = {name: parameters[name] for name in ("alpha", "rho") if name in parameters}
        if shared:
            other._neighbors = self._neighbors.with_parameters(**shared)
        if "margin_weight" in parameters:
            other._margin_weight = check_real("margin_weight", parameters["margin_weight"], low=0)
        if "lam" in parameters:
            other._lam = check_real("lam", parameters["lam"], low=0, open_low=True)
            wanted = self._regions.wanted(self._supervision, self.n_samples, other._lam)
            other._wanted = Wanted.of(*wanted, self._regions.counted)
        return other

    def places(self, Y: NDArray[Any]) -> NDArray[np.float64]:
        """Return class directions or centers at ``Y``, whichever the regions are built around."""
        return self._regions.places(np.asarray(Y, dtype=np.float64))

    def membership(
        self, Y: NDArray[Any], points: NDArray[Any] | None = None
    ) -> NDArray[np.float64]:
        """Return m_ik, shape (n, n_classes), of the layout ``Y`` or of other ``points`` on it."""
        layout = np.asarray(Y, dtype=np.float64)
        where = layout if points is None else np.asarray(points, dtype=np.float64)
        logits = self._regions.logits(where, self._regions.places(layout), self._lam)
        return memberships(logits, self._regions.owners, self.n_classes)

    @property
    def equation(self) -> str:
        """The divergence with the terms of the classes, and what they are made of."""
        balance = "H(m̄)" if self._prior is None else "−KL(m̄ ‖ π)"
        return (
            f"n · J − w (A + B) + D,  {self._neighbors.equation}\nA = −mean H(mᵢ),  B = {balance}"
        )

    def cost_terms(self, Y: NDArray[Any]) -> tuple[CostTerm, ...]:
        """Return HSSNE's terms, and those of margin and balance, and of labels."""
        near = (term.scaled(self.n_samples, "n") for term in self._neighbors.cost_terms(Y))
        # Labels are no links here.
        found = [replace(t, name="must-links") if t.name == "labels" else t for t in near]
        layout, places = self._placed(check_layout(Y, self.n_samples, self.dtype))
        whole = self._class_terms(layout, places, self._margin_weight)
        labels = self._class_terms(layout, places, 0.0)
        derivative = whole.derivative - labels.derivative
        margin = self._regions.gradient(layout, places, self._lam, derivative)
        found.append(CostTerm("margin", "−w (A + B)", "classes", whole.cost - labels.cost, margin))
        if self._wanted.weights.any():
            pull = self._regions.gradient(layout, places, self._lam, labels.derivative)
            found.append(CostTerm("labels", "Σ vᵢ KL(Tᵢ ‖ mᵢ)", "labels", labels.cost, pull))
        return tuple(found)

    def _placed(self, Y: NDArray[Any]) -> tuple[NDArray[np.float64], NDArray[np.float64]]:
        """Return the layout in float64, and the places of the regions on it."""
        layout = Y.astype(np.float64)
        places = self._regions.places(layout)
        if places.shape[1] != Y.shape[1]:
            raise ValueError(
                f"Y must have {places.shape[1]} columns, like directions, got {Y.shape[1]}"
            )
        return layout, places

    def _class_terms(
        self, layout: NDArray[np.float64], places: NDArray[np.float64], margin_weight: float
    ) -> ClassTerms:
        return class_terms(
            self._regions.logits(layout, places, self._lam),
            self._regions.owners,
            self._wanted,
            self._prior,
            margin_weight,
        )

    def evaluate(self, Y: NDArray[Any], *, cost: bool = True) -> Evaluation:
        """Return cost, gradient and a positive curvature at ``Y``.

        To HSSNE's curvature each point's class terms add the trace of their second derivative, the
        covariance of the places under m_i, and as much as lets them alone move a point by λ: where
        m_i is certain of another class the derivative is large and the covariance vanishes.
        """
        Y = check_layout(Y, self.n_samples, self.dtype)
        near = self._neighbors.evaluate(Y, cost=cost)
        layout, places = self._placed(Y)
        found = self._class_terms(layout, places, self._margin_weight)
        pull = self._regions.gradient(layout, places, self._lam, found.derivative)
        n = self.n_samples
        assert near.curvature is not None
        around = places - places.mean(axis=0)
        r = found.responsibility
        spread = np.square(around).sum(axis=1) @ r - np.square(around.T @ r).sum(axis=0)
        strength = self._wanted.weights + self._margin_weight * self._wanted.counted
        curvature = n * near.curvature.astype(np.float64)
        curvature += self._regions.steepness(self._lam) * strength * np.maximum(spread, 0)
        curvature += np.linalg.norm(pull, axis=1) / self._lam
        return Evaluation(
            n * near.cost + found.cost,
            (n * near.gradient + pull).astype(self.dtype),
            curvature.astype(self.dtype),
            n * near.auxiliary_cost,
            n * near.rounding,
        )

    def attraction(self, Y: NDArray[Any]) -> Edges:
        """Return HSSNE's strongest attractions, n times; those of the classes are left out."""
        edges = self._neighbors.attraction(Y)
        return edges._replace(weights=self.n_samples * edges.weights)


def links_alone(supervision: Supervision) -> Supervision:
    """Return the links without the labels, which are no links in Mbed, and without pins."""
    links = Supervision(supervision.n_samples)
    for group in supervision.links:
        links = links.must_link(group)
    for a, b in supervision.cannot_links:
        links = links.cannot_link(a, b)
    return links
