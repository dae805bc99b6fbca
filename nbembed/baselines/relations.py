"""The cost of multiple relational embedding: several SNE costs over one latent space.

    C(Y, r) = Σ_c Σ_{i∈S_c} KL(p_iᶜ ‖ q_iᶜ),   q_ijᶜ ∝ exp(−Σ_k (r_kᶜ)² (y_ik − y_jk)²)

Relation c is between the points S_c in the coordinates z = y∘rᶜ: its term is SNE's cost there, and

    ∂C/∂y_ik = Σ_c r_kᶜ ∂C_c/∂z_ik,    ∂C/∂r_kᶜ = Σ_i y_ik ∂C_c/∂z_ik

The weights Rᶜ = diag(rᶜ)² are non-negative without bounds on rᶜ.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import NDArray

from nbembed.kernels.gaussian_rows import gaussian_rows


@dataclass(frozen=True)
class Relation:
    """Neighbor probabilities among some of the points.

    * points (n_related,) int: S_c, at least two.
    * W (n_related, n_related) float64: P + Pᵀ with a zero diagonal.
    * entropy: Σ p log p, in nats.
    """

    name: str
    points: NDArray[np.intp]
    W: NDArray[np.float64]
    entropy: float

    @classmethod
    def make(cls, name: str, points: NDArray[np.intp], P: NDArray[Any]) -> Relation:
        """Return the relation of row-stochastic probabilities ``P`` among ``points``."""
        P = np.asarray(P, dtype=np.float64)
        p = P[P > 0]
        return cls(name, points, P + P.T, float(p @ np.log(p)))


@dataclass(frozen=True)
class Relations:
    """The cost of a latent layout and of the weights of its axes."""

    relations: tuple[Relation, ...]
    n_samples: int
    n_threads: int = 1

    def terms(self, Y: NDArray[np.float64], r: NDArray[np.float64]) -> list[float]:
        """Return C_c of each relation, in nats."""
        return [self._term(c, Y, r[k])[0] for k, c in enumerate(self.relations)]

    def cost_and_gradient(
        self, Y: NDArray[np.float64], r: NDArray[np.float64]
    ) -> tuple[float, NDArray[np.float64], NDArray[np.float64]]:
        """Return C, ∂C/∂Y and ∂C/∂r.

        * Shapes: Y (n_samples, n_components); returns by_place (n_samples, n_components); returns
          by_weight (n_relations, n_components).
        * r (n_relations, n_components): roots of the weights, of either sign.
        * returns cost: in nats.

        O(n²) time a relation.
        """
        cost, by_place, by_weight = 0.0, np.zeros_like(Y), np.zeros_like(r)
        for k, relation in enumerate(self.relations):
            value, gradient = self._term(relation, Y, r[k])
            cost += value
            by_place[relation.points] += gradient * r[k]
            by_weight[k] = np.sum(gradient * Y[relation.points], axis=0)
        return cost, by_place, by_weight

    def _term(
        self, relation: Relation, Y: NDArray[np.float64], r: NDArray[np.float64]
    ) -> tuple[float, NDArray[np.float64]]:
        """Return C_c and its gradient by z, (n_related, n_components)."""
        Zt = np.ascontiguousarray((Y[relation.points] * r).T)
        terms = gaussian_rows(Zt, relation.W, True, self.n_threads)
        value = relation.entropy + float(terms.cross) + float(np.sum(terms.log_normalizers))
        return value, 2 * (terms.attraction - terms.repulsion).T
