"""Heavy-tailed symmetric SNE: one family from symmetric SNE (α = 0) over t-SNE (α = 1) and beyond.

    J = Σ_ij P̃_ij log(P̃_ij / Q_ij),  Q = q/Σq,  q = H(τ) = (ατ + 1)^(−1/α)
    S = −d log H/dτ = 1/(ατ + 1)
    ∂J/∂y_i = 4 Σ_j (P̃_ij − Q_ij) S_ij (y_i − y_j)

with τ_ij = ‖y_i − y_j‖² and q = exp(−τ), S = 1 in the limit α → 0: equations (1), (11) and (13) of
"Heavy-Tailed Symmetric Stochastic Neighbor Embedding". The fixed-point update of its equation (14)
is ``y − gradient / curvature`` with curvature_i = 4 Σ_j P̃_ij S_ij. P̃ mixes labels and links into
P (:mod:`nbembed.objectives.supervised_affinities`).

Two parameters help the optimization and are neutral by default: *exaggeration* e multiplies the
attraction, *compactness* c adds a bound B of the map's radius
(:mod:`nbembed.objectives.compactness`). The cost is always the one whose gradient is returned:

    J = Σ P̃ log P̃ − e Σ P̃ log q + log Σq + B + ρ Σ_cannot mean exp(−τ)

so with e = 1 and c = 0 it is the Kullback–Leibler divergence (and the cannot-links' repulsion). The
share of the two, (e − 1)(−Σ P̃ log q) + B, is reported as :attr:`Evaluation.auxiliary_cost`. Of
must-links −log q is 2(√(1 + ατ) − 1)/α, so that they pull from afar too.
"""

from __future__ import annotations

import copy
import math
from typing import Any, NamedTuple, Self

import numpy as np
from numpy.typing import NDArray

from nbembed.affinities import as_affinities
from nbembed.kernels.custom_similarity import custom_pairs, custom_values
from nbembed.kernels.grid.heavy_tailed import heavy_tailed_by_grid
from nbembed.kernels.grid.radial import Radial
from nbembed.kernels.heavy_tailed import heavy_tailed
from nbembed.kernels.terms import HeavyTailedTerms
from nbembed.objectives.attraction import Edges, squared_lengths, strongest_pairs
from nbembed.objectives.base import Evaluation
from nbembed.objectives.checks import (
    ALGORITHMS,
    Algorithm,
    as_sparse,
    check_layout,
    check_names,
    threads_for,
)
from nbembed.objectives.compactness import bound
from nbembed.objectives.cost_terms import CostTerm
from nbembed.objectives.link_shares import LinkForm
from nbembed.objectives.similarity import Similarity, distance_of_share
from nbembed.objectives.supervised_affinities import SupervisedAffinities
from nbembed.objectives.supervised_objective import SupervisedObjective
from nbembed.objectives.underflow import shifted_repulsion, underflowed
from nbembed.supervision import Supervision
from nbembed.validation import check_choice, check_real

#: The exponential of more is not finite, or its square root is of no use as a distance.
LARGEST_EXPONENT = 600.0


class _Parts(NamedTuple):
    """Sums from which cost and gradient follow; those of coordinates have shape (d, n).

    * pairs: sums of P and of q.
    * kept: factor of what ``pairs`` has of P.
    * links: of what labels and must-links mix in.
    * log_normalizer: log Σ q.
    * repulsion: Σ_j Q_ij S_ij (y_i − y_j).
    """

    pairs: HeavyTailedTerms
    kept: float
    links: tuple[NDArray[Any], NDArray[Any], float] | None
    log_normalizer: float
    repulsion: NDArray[Any]
    cannot_links: tuple[float, NDArray[Any]] | None


class HeavyTailed(SupervisedObjective):
    """The divergence of heavy-tailed symmetric SNE, optionally semi-supervised.

    Parameters
    ----------
    P : ndarray or sparse matrix of shape (n_samples, n_samples), or Affinities
        Symmetric, non-negative, empty diagonal, summing to one; float32 or float64. Read only;
        affinities are brought to this form.
    alpha : float or Similarity, default=1.0
        α ≥ 0, the heaviness of the tails: 0 is symmetric SNE, 1 is t-SNE. Or a custom similarity in
        place of the family, which is then not among :attr:`parameters`.
    supervision : Supervision, optional
        Labels and links; same-class points attract as must-linked ones do.
    rho : float, default=0.5
        ρ in [0, 1], the weight of supervision against P.
    link_form : {"structured", "uniform"}, default="structured"
        How labels and must-links enter: "structured" keeps the inner structure of a group,
        "uniform" draws its points together evenly, as in the paper. Links between two points are
        the same in both.
    algorithm : {"exact", "grid"}, default="exact"
        How repulsion is summed: over all pairs, or by a grid (:mod:`nbembed.kernels.grid`) that
        takes nearly linear time. The grid serves maps of two or three dimensions, and gives way to
        all pairs at layouts where those cost less: of few points, or much wider than their number
        warrants. A dense P is stored a second time, as a sparse matrix.
    exaggeration : float, default=1.0
        Multiplies attraction; greater than 0.
    compactness : float, default=0.0
        c ≥ 0: the map's radius stays near √n/c widths of the similarity or below, of many points
        near that of 8000; 0 is no bound.
    n_jobs : int, optional
        Threads; None uses all cores of the process, or one if there are few points.

    Raises
    ------
    ValueError
        Naming the argument that is out of range or malformed.
    TypeError
        If ``P`` is no matrix.

    Notes
    -----
    An evaluation is O(n²) time and O(n) memory beyond P; by the grid, O(n + E + N log N) with E
    entries of P and N nodes, about 16 for each unit of the map's area at α = 1.

    Examples
    --------
    >>> import numpy as np
    >>> P = (1 - np.eye(3)) / 6
    >>> objective = HeavyTailed(P, alpha=1.0)
    >>> triangle = np.array([[0.0, 0.0], [1.0, 0.0], [0.5, 0.75**0.5]])
    >>> cost, gradient = objective.cost_and_gradient(triangle)
    >>> bool(abs(cost) < 1e-12 and np.abs(gradient).max() < 1e-12)
    True
    """

    def __init__(
        self,
        P: Any,
        alpha: float | Similarity = 1.0,
        *,
        supervision: Supervision | None = None,
        rho: float = 0.5,
        link_form: LinkForm = "structured",
        algorithm: Algorithm = "exact",
        exaggeration: float = 1.0,
        compactness: float = 0.0,
        n_jobs: int | None = None,
    ) -> None:
        self._alpha = check_alpha(alpha)
        self._exaggeration = check_real("exaggeration", exaggeration, low=0, open_low=True)
        self._compactness = check_real("compactness", compactness, low=0)
        base = as_affinities(P, "joint")
        self._n_threads = threads_for(base.n_samples, n_jobs)
        self._supervised = SupervisedAffinities.make(
            base, supervision, rho, link_form=link_form, n_threads=self._n_threads
        )
        check_choice("algorithm", algorithm, ALGORITHMS)
        self._algorithm = algorithm

    @property
    def length_scale(self) -> float:
        """Width of the similarity in coordinates."""
        return self._alpha.length_scale if isinstance(self._alpha, Similarity) else 1.0

    def far(self, near: float) -> float | None:
        """Return the distance at which the similarity is 1/n of that at the distance ``near``.

        d² = n^α near² + (n^α − 1)/α for the family, with log n for the last term at α = 0. None
        where there is no such distance, or it is out of range.
        """
        near = check_real("near", near, low=0)
        if isinstance(self._alpha, Similarity):
            return distance_of_share(self._alpha, near, 1 / self.n_samples)
        more = self._alpha * math.log(self.n_samples)
        if more > LARGEST_EXPONENT:
            return None
        added = math.expm1(more) / self._alpha if more > 0 else math.log(self.n_samples)
        found = math.sqrt(math.exp(more) * near * near + added)
        return found if math.isfinite(found) else None

    @property
    def parameters(self) -> dict[str, float]:
        """``alpha``, ``rho``, ``exaggeration`` and ``compactness``."""
        rest = {
            "rho": self._supervised.rho,
            "exaggeration": self._exaggeration,
            "compactness": self._compactness,
        }
        return rest if isinstance(self._alpha, Similarity) else {"alpha": self._alpha, **rest}

    def with_parameters(self, **parameters: Any) -> Self:
        """Return the same objective with some of its parameters, or ``supervision``, changed.

        P is shared and nothing is computed before the next evaluation; the entropy of P̃ is computed
        once for each ``rho`` and ``supervision``, when a cost is asked for.
        """
        check_names(self, parameters, ("alpha", *self.parameters, "supervision"))
        other = copy.copy(self)
        if "alpha" in parameters:
            other._alpha = check_alpha(parameters["alpha"])
        if "exaggeration" in parameters:
            other._exaggeration = check_real(
                "exaggeration", parameters["exaggeration"], low=0, open_low=True
            )
        if "compactness" in parameters:
            other._compactness = check_real("compactness", parameters["compactness"], low=0)
        other._supervised = self._supervised.changed(parameters)
        return other

    @property
    def equation(self) -> str:
        """The divergence, and the similarity on the map."""
        alpha = self._alpha
        if isinstance(alpha, Similarity):
            similarity = "H(‖yᵢ − yⱼ‖²)"
        elif alpha == 0:
            similarity = "exp(−‖yᵢ − yⱼ‖²)"
        else:
            similarity = "(1 + α ‖yᵢ − yⱼ‖²)^(−1/α)"
        return f"J = Σ pᵢⱼ log(pᵢⱼ / Qᵢⱼ),  Q = q / Σ q\nqᵢⱼ = {similarity}"

    def cost_terms(self, Y: NDArray[Any]) -> tuple[CostTerm, ...]:
        """Return the terms of the divergence at ``Y``.

        "labels" is what labels and must-links have mixed into P̃, "attraction" what is left of P. h
        is −log q of labels and 2(√(1 + ατ) − 1)/α of must-links.
        """
        Y = check_layout(Y, self.n_samples, self.dtype)
        Yt = np.ascontiguousarray(Y.T)
        parts = self._parts(Yt, True)
        entropy = self._supervised.entropy
        cross, attraction = parts.kept * parts.pairs.cross, parts.kept * parts.pairs.attraction
        term = CostTerm.of
        found = [
            term("entropy", "Σ pᵢⱼ log pᵢⱼ", "constant", entropy, np.zeros_like(Yt)),
            term("attraction", "−Σ pᵢⱼ log qᵢⱼ", "attraction", cross, 4 * attraction),
        ]
        if parts.links is not None:
            force, _, own = parts.links
            equation = "Σ uᵢⱼ hᵢⱼ" if self._supervised.shares.n_far else "−Σ uᵢⱼ log qᵢⱼ"
            found.append(term("labels", equation, "labels", own, 4 * force))
            cross, attraction = cross + own, attraction + force
        found.append(
            term("repulsion", "log Σ qᵢⱼ", "repulsion", parts.log_normalizer, -4 * parts.repulsion)
        )
        if parts.cannot_links is not None:
            found.append(
                term("cannot-links", "ρ · mean exp(−‖yₐ − y_b‖²)", "labels", *parts.cannot_links)
            )
        more = self._exaggeration - 1
        if more != 0:
            cost, gradient = more * cross, (4 * more) * attraction
            found.append(term("exaggeration", "−(e − 1) Σ pᵢⱼ log qᵢⱼ", "aid", cost, gradient))
        if self._compactness > 0:
            held = bound(Yt, self._compactness, self.length_scale)
            found.append(term("compactness", "(ε/8) (r/R)⁸", "aid", held.cost, held.gradient))
        return tuple(found)

    def evaluate(self, Y: NDArray[Any], *, cost: bool = True) -> Evaluation:
        """Return cost, gradient and the fixed point's curvature at ``Y``; see the module."""
        Y = check_layout(Y, self.n_samples, self.dtype)
        Yt = np.ascontiguousarray(Y.T)
        parts = self._parts(Yt, cost)
        attraction = parts.kept * parts.pairs.attraction
        curvature = parts.kept * parts.pairs.curvature
        cross = parts.kept * parts.pairs.cross
        if parts.links is not None:
            attraction = attraction + parts.links[0]
            curvature = curvature + parts.links[1]
            cross += parts.links[2]

        gradient = (4 * self._exaggeration) * attraction
        gradient -= 4 * parts.repulsion
        curvature = (4 * self._exaggeration) * curvature
        value, auxiliary, rounding = math.nan, (self._exaggeration - 1) * cross, 0.0
        if self._compactness > 0:
            held = bound(Yt, self._compactness, self.length_scale)
            gradient = gradient + held.gradient
            curvature = curvature + held.curvature
            auxiliary += held.cost
        if cost:
            entropy = self._supervised.entropy
            value = entropy + cross + parts.log_normalizer + auxiliary
            sizes = abs(entropy) + abs(cross) + abs(parts.log_normalizer) + abs(auxiliary)
            rounding = float(np.finfo(self.dtype).eps) * sizes
        if parts.cannot_links is not None:
            value += parts.cannot_links[0]
            gradient += parts.cannot_links[1]
        return Evaluation(
            value,
            np.ascontiguousarray(gradient.T, dtype=self.dtype),
            np.ascontiguousarray(curvature, dtype=self.dtype),
            auxiliary if cost else 0.0,
            rounding,
        )

    def attraction(self, Y: NDArray[Any]) -> Edges:
        """Return 4 e P_ij S_ij of the strongest pairs of P; labels and links are left out."""
        allowed = self._supervised.allowed
        edges: Edges = allowed.cached("strongest", lambda: strongest_pairs(allowed.P))
        Y = check_layout(Y, self.n_samples, self.dtype)
        tau = squared_lengths(Y, edges)
        if isinstance(self._alpha, Similarity):
            _, score = custom_values(self._alpha.H, self._alpha.score, tau)
        else:
            score = 1 / (self._alpha * tau + 1)
        return edges._replace(weights=4 * self._exaggeration * edges.weights * score)

    def _parts(self, Yt: NDArray[Any], cost: bool) -> _Parts:
        """Compute the sums from which cost and gradient follow."""
        supervised = self._supervised
        pairs = self._pairs(Yt, cost)
        kept = 1.0 if supervised.by_points else 1 - supervised.share
        links = supervised.link_attraction(Yt, self._alpha, cost, self._n_threads, self._algorithm)
        # Sums of a custom similarity are in float64, where no H counts as zero.
        lost = underflowed(pairs.normalizer, self.dtype)
        if lost and not isinstance(self._alpha, Similarity):
            log_normalizer, repulsion = shifted_repulsion(Yt, self._alpha)
        else:
            log_normalizer = math.log(pairs.normalizer)
            repulsion = pairs.repulsion / pairs.normalizer
        cannot_links = supervised.cannot_link_energy(Yt, self._n_threads, self._algorithm)
        return _Parts(pairs, kept, links, log_normalizer, repulsion, cannot_links)

    def _pairs(self, Yt: NDArray[Any], cost: bool) -> HeavyTailedTerms:
        """Return the sums over pairs, of the family or of a custom similarity."""
        supervised, alpha = self._supervised, self._alpha
        P, keep = supervised.allowed.kernel_argument, None
        if supervised.by_points:
            keep = supervised.keep
        if self._algorithm == "grid":
            entries = supervised.allowed.cached("entries", lambda: as_sparse(supervised.allowed.P))
            P = entries.indptr, entries.indices, entries.data
            kernel = Radial(alpha) if not isinstance(alpha, Similarity) else alpha.radial
            return heavy_tailed_by_grid(Yt, P, kernel, cost, self._n_threads, keep=keep)
        if isinstance(alpha, Similarity):
            return custom_pairs(alpha.H, alpha.score, Yt, P, cost, self._n_threads, keep=keep)
        return heavy_tailed(Yt, P, alpha, cost, self._n_threads, keep=keep)


def check_alpha(alpha: Any) -> float | Similarity:
    """Return α, a finite number of at least 0, or a custom similarity."""
    return alpha if isinstance(alpha, Similarity) else check_real("alpha", alpha, low=0)
