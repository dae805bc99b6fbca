"""Stochastic neighbor embedding: the map keeps the distribution of each point's neighbors.

    C = Σ_i KL(p̃_i ‖ q_i),  q_ij = exp(−τ_ij) / Σ_k exp(−τ_ik),  τ_ij = ‖y_i − y_j‖²
    ∂C/∂y_i = 2 Σ_j (y_i − y_j)(p̃_ij − q_ij + p̃_ji − q_ji)

Equations (2) to (4) of "Large Margin Non-Linear Embedding", section 2. Erratum: its equation (4)
lacks the factor 2. p̃ mixes links into the rows p (:mod:`nbembed.objectives.supervised_affinities`).
"""

from __future__ import annotations

import copy
import math
from typing import TYPE_CHECKING, Any, Self

import numpy as np

from nbembed.affinities import Affinities, as_affinities
from nbembed.objectives.base import Evaluation, PairObjective
from nbembed.objectives.checks import (
    ALGORITHMS,
    Algorithm,
    check_layout,
    check_names,
    threads_for,
)
from nbembed.objectives.link_shares import LinkForm
from nbembed.objectives.supervised_affinities import SupervisedAffinities
from nbembed.validation import check_choice

if TYPE_CHECKING:
    from numpy.typing import NDArray

    from nbembed.supervision import Supervision


class SNE(PairObjective):
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
        self._supervised = SupervisedAffinities.make(
            as_affinities(P, "row"),
            supervision,
            rho,
            labels_as_links=labels_as_links,
            link_form=link_form,
        )
        check_choice("algorithm", algorithm, ALGORITHMS)
        self._algorithm = algorithm
        self._n_threads = threads_for(self.n_samples, n_jobs)

    @property
    def n_samples(self) -> int:
        """Number of points that a layout must have."""
        return self._supervised.base.n_samples

    @property
    def dtype(self) -> np.dtype[Any]:
        """Floating type of P, in which pairs are computed."""
        return self._supervised.base.dtype

    @property
    def affinities(self) -> Affinities:
        """P as given, in its row form."""
        return self._supervised.base

    @property
    def algorithm(self) -> Algorithm:
        """How repulsion is summed."""
        return self._algorithm

    @property
    def supervision(self) -> Supervision | None:
        """Labels and links that are mixed in."""
        return self._supervised.supervision

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

    def _terms(
        self, Yt: NDArray[Any], cost: bool
    ) -> tuple[float, NDArray[Any], NDArray[np.float64], float]:
        """Return cost, gradient (d, n), curvature (n,) and the cost's rounding at ``Yt``."""
        supervised = self._supervised
        terms = supervised.gaussian_rows(Yt, cost, self._n_threads, self._algorithm)
        gradient = 2 * (terms.attraction - terms.repulsion)
        curvature = 2 * supervised.weights_mass
        cross = terms.cross
        links = supervised.link_attraction(Yt, 0.0, self._n_threads)
        if links is not None:
            gradient += 2 * links[0]
            curvature = curvature + 2 * links[1]
            # The group kernel sums over both orders of a pair what the cost counts once.
            cross += links[2] / 2
        value, rounding = math.nan, 0.0
        if cost:
            log_normalizers = float(np.sum(terms.log_normalizers, dtype=np.float64))
            entropy = supervised.entropy(self._n_threads)
            value = entropy + float(cross) + log_normalizers
            # Each row's logarithm is rounded by itself, and n such errors largely cancel.
            sizes = (abs(entropy) + abs(log_normalizers)) / math.sqrt(self.n_samples) + abs(cross)
            rounding = float(np.finfo(self.dtype).eps) * sizes
        cannot_links = supervised.cannot_link_energy(Yt, self._n_threads)
        if cannot_links is not None:
            value += cannot_links[0]
            gradient += cannot_links[1]
        return value, gradient, curvature, rounding
