"""Stochastic neighbor embedding: the map keeps the distribution of each point's neighbors.

    C = Σ_i KL(p̃_i ‖ q_i),  q_ij = exp(−τ_ij) / Σ_k exp(−τ_ik),  τ_ij = ‖y_i − y_j‖²
    ∂C/∂y_i = 2 Σ_j (y_i − y_j)(p̃_ij − q_ij + p̃_ji − q_ji)

Equations (2) to (4) of "Large Margin Non-Linear Embedding", section 2. Erratum: its equation (4)
lacks the factor 2. p̃ mixes links into the rows p (:mod:`nbembed.objectives.supervised_affinities`).
"""

from __future__ import annotations

import copy
import math
from typing import Any, NamedTuple, Self

import numpy as np
from numpy.typing import NDArray

from nbembed.affinities import Affinities, as_affinities
from nbembed.kernels.terms import GaussianRowsTerms
from nbembed.objectives.base import Evaluation
from nbembed.objectives.checks import (
    ALGORITHMS,
    Algorithm,
    check_layout,
    check_names,
    threads_for,
)
from nbembed.objectives.cost_terms import CostTerm
from nbembed.objectives.link_shares import LinkForm
from nbembed.objectives.supervised_affinities import SupervisedAffinities
from nbembed.objectives.supervised_objective import SupervisedObjective
from nbembed.supervision import Supervision
from nbembed.validation import check_choice


class _Parts(NamedTuple):
    """Sums from which cost and gradient follow.

    * log_normalizers: Σ_i log Z_i, nan if no cost was asked for.
    * links: of what labels and must-links mix in; ``cross`` counts each pair twice.
    """

    pairs: GaussianRowsTerms
    log_normalizers: float
    links: tuple[NDArray[Any], NDArray[Any], float] | None
    cannot_links: tuple[float, NDArray[Any]] | None


class SNE(SupervisedObjective):
    """The cost of asymmetric SNE, optionally semi-supervised.

    Parameters
    ----------
    P : ndarray or sparse matrix of shape (n_samples, n_samples), or Affinities
        Row i is the distribution p_i over the neighbors of point i; empty diagonal; float32 or
        float64. Read only.
    supervision : Supervision, optional
        Labels and links.
    rho : float, default=0.5
        ρ in [0, 1], the largest share of a linked point's row that goes to its links.
    labels_as_links : bool, default=True
        Whether points of one class attract each other as linked points do.
    link_form : {"structured", "uniform"}, default="structured"
        How labels and must-links enter: "structured" keeps the inner structure of a group,
        "uniform" spreads the share evenly over its points.
    algorithm : {"exact", "grid"}, default="exact"
        How repulsion is summed; see :class:`~nbembed.objectives.HeavyTailed`.
    n_jobs : int, optional
        Threads; None uses all cores of the process, or one if there are few points.

    Raises
    ------
    ValueError
        Naming the argument that is out of range or malformed.

    Notes
    -----
    An evaluation is O(n²) time. A dense P is stored a second time, in the order in which pairs are
    visited; objectives of the same :class:`~nbembed.affinities.Affinities` share it. Another
    ``rho`` costs O(n), or O(entries) with a sparse P.
    """

    def __init__(
        self,
        P: Any,
        *,
        supervision: Supervision | None = None,
        rho: float = 0.5,
        labels_as_links: bool = True,
        link_form: LinkForm = "structured",
        algorithm: Algorithm = "exact",
        n_jobs: int | None = None,
    ) -> None:
        base = as_affinities(P, "row")
        self._n_threads = threads_for(base.n_samples, n_jobs)
        self._supervised = SupervisedAffinities.make(
            base,
            supervision,
            rho,
            labels_as_links=labels_as_links,
            link_form=link_form,
            n_threads=self._n_threads,
        )
        check_choice("algorithm", algorithm, ALGORITHMS)
        self._algorithm = algorithm

    @property
    def affinities(self) -> Affinities:
        """P as given, in its row form."""
        return self._supervised.base

    @property
    def parameters(self) -> dict[str, float]:
        """``rho``."""
        return {"rho": self._supervised.rho}

    def with_parameters(self, **parameters: Any) -> Self:
        """Return the same objective with another ``rho`` or ``supervision``; P is shared."""
        check_names(self, parameters, (*self.parameters, "supervision"))
        other = copy.copy(self)
        other._supervised = self._supervised.changed(parameters)
        return other

    def evaluate(self, Y: NDArray[Any], *, cost: bool = True) -> Evaluation:
        """Return cost, gradient and curvature_i = 2 Σ_j (p̃_ij + p̃_ji) at ``Y``."""
        Y = check_layout(Y, self.n_samples, self.dtype)
        Yt = np.ascontiguousarray(Y.T)
        value, gradient, curvature, rounding = self._terms(Yt, cost)
        return Evaluation(
            value,
            np.ascontiguousarray(gradient.T, dtype=self.dtype),
            np.ascontiguousarray(curvature, dtype=self.dtype),
            rounding=rounding,
        )

    @property
    def equation(self) -> str:
        """The divergence, and the similarity on the map."""
        return "C = Σᵢ KL(pᵢ ‖ qᵢ)\nqᵢⱼ = exp(−‖yᵢ − yⱼ‖²) / Zᵢ"

    def cost_terms(self, Y: NDArray[Any]) -> tuple[CostTerm, ...]:
        """Return the terms of the divergence at ``Y``.

        "labels" is what labels and must-links have mixed into p̃, "attraction" what is left of p.
        """
        Y = check_layout(Y, self.n_samples, self.dtype)
        Yt = np.ascontiguousarray(Y.T)
        parts = self._parts(Yt, True)
        pairs, term = parts.pairs, CostTerm.of
        entropy = self._supervised.entropy
        found = [
            term("entropy", "Σ pᵢⱼ log pᵢⱼ", "constant", entropy, np.zeros_like(Yt)),
            term("attraction", "Σ pᵢⱼ ‖yᵢ − yⱼ‖²", "attraction", pairs.cross, 2 * pairs.attraction),
        ]
        if parts.links is not None:
            force, _, cross = parts.links
            name = "labels" if self._supervised.links.labels_as_links else "must-links"
            found.append(term(name, "Σ uᵢⱼ ‖yᵢ − yⱼ‖²", "labels", cross / 2, 2 * force))
        found.append(
            term("repulsion", "Σᵢ log Zᵢ", "repulsion", parts.log_normalizers, -2 * pairs.repulsion)
        )
        if parts.cannot_links is not None:
            found.append(
                term("cannot-links", "ρ · mean exp(−‖yₐ − y_b‖²)", "labels", *parts.cannot_links)
            )
        return tuple(found)

    def _parts(self, Yt: NDArray[Any], cost: bool) -> _Parts:
        """Compute the sums from which cost and gradient follow."""
        supervised, n_threads = self._supervised, self._n_threads
        pairs = supervised.gaussian_rows(Yt, cost, n_threads, self._algorithm)
        return _Parts(
            pairs,
            float(np.sum(pairs.log_normalizers, dtype=np.float64)) if cost else math.nan,
            supervised.link_attraction(Yt, 0.0, cost, n_threads, self._algorithm),
            supervised.cannot_link_energy(Yt, n_threads, self._algorithm),
        )

    def _terms(
        self, Yt: NDArray[Any], cost: bool
    ) -> tuple[float, NDArray[Any], NDArray[np.float64], float]:
        """Return cost, gradient (d, n), curvature (n,) and the cost's rounding at ``Yt``."""
        supervised, parts = self._supervised, self._parts(Yt, cost)
        pairs = parts.pairs
        gradient = 2 * (pairs.attraction - pairs.repulsion)
        curvature = 2 * supervised.weights_mass
        cross = pairs.cross
        if parts.links is not None:
            gradient += 2 * parts.links[0]
            curvature = curvature + 2 * parts.links[1]
            # The group kernel sums over both orders of a pair what the cost counts once.
            cross += parts.links[2] / 2
        value, rounding = math.nan, 0.0
        if cost:
            entropy = supervised.entropy
            value = entropy + float(cross) + parts.log_normalizers
            # Each row's logarithm is rounded by itself, and n such errors largely cancel.
            by_rows = (abs(entropy) + abs(parts.log_normalizers)) / math.sqrt(self.n_samples)
            rounding = float(np.finfo(self.dtype).eps) * (by_rows + abs(cross))
        if parts.cannot_links is not None:
            value += parts.cannot_links[0]
            gradient += parts.cannot_links[1]
        return value, gradient, curvature, rounding
