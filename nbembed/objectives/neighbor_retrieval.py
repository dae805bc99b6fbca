"""NeRV: neighbors on the map as the answer to a query, evaluated by recall and by precision.

    E = t Σ_i KL(p̃_i‖q_i) + (1 − t) Σ_i KL(q_i‖p̃_i),   q_ij = exp(−w_i τ_ij) / Σ_k exp(−w_i τ_ik)

with τ_ij = ‖y_i − y_j‖²: equation (1) of [1]_, whose λ is t here. KL(p‖q) penalizes neighbors that
the map misses (smoothed recall), KL(q‖p) false neighbors that it shows (smoothed precision). t = 1
is stochastic neighbor embedding. With L_ij = log(q_ij/p̃_ij) and F_i = Σ_j q_ij L_ij

    ∂E/∂y_i = 2 Σ_j (g_ij + g_ji)(y_i − y_j),
    g_ij = w_i [t (p̃_ij − q_ij) − (1 − t) q_ij (L_ij − F_i)]

The paper gives each point the width of its neighborhood in the data, w_i = β_i; one width for all
is a common variant, and costs of the two cannot be compared. p̃ mixes links into the rows p
(:mod:`nbembed.objectives.supervised_affinities`).

*Widening* s multiplies all widths, in the data (p ∝ p^(1/s²), renormalized) and on the map
(w_i/s²). The paper starts with large neighborhoods and shrinks them to s = 1, the cost itself.

References
----------
.. [1] J. Peltonen, H. Aidos and S. Kaski (2009), "Supervised nonlinear dimensionality reduction by
   neighbor retrieval".
"""

from __future__ import annotations

import copy
import math
from typing import Any, Self

import numpy as np
from numpy.typing import ArrayLike, NDArray

from nbembed.affinities import as_affinities
from nbembed.kernels.grid.neighbor_retrieval import neighbor_retrieval_by_grid
from nbembed.kernels.neighbor_retrieval import neighbor_retrieval
from nbembed.kernels.terms import RetrievalTerms
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
from nbembed.objectives.log_affinities import LogAffinities, MixedLogs, SupervisedLogs
from nbembed.objectives.supervised_affinities import SupervisedAffinities
from nbembed.objectives.supervised_objective import SupervisedObjective
from nbembed.supervision import Supervision
from nbembed.validation import check_choice, check_numbers, check_real

#: ε: what counts as p in KL(q‖p) where p is zero.
FLOOR = 1e-8
#: How many times narrower than the widest a neighborhood is where points are near duplicates.
NARROW = 1e4
#: The least and the largest s. Between them logarithms of probabilities stay in float32.
WIDENINGS = 1e-6, 1e6
#: The largest w/s² for each type: larger ones overflow, or their gradients do.
LARGEST_WIDTH = {np.dtype(np.float32): 1e36, np.dtype(np.float64): 1e300}


class NeighborRetrieval(SupervisedObjective):
    """The cost of the neighbor retrieval visualizer, optionally semi-supervised.

    Parameters
    ----------
    affinities : Affinities, or ndarray or sparse matrix of shape (n_samples, n_samples)
        Row i is the distribution p_i over the neighbors of point i; empty diagonal; float32 or
        float64. Read only. Affinities made from data give exact logarithms also where p underflows.
    tradeoff : float, default=0.1
        t in [0, 1]: 1 is recall alone, 0 precision alone.
    width : {"point", "uniform"} or array of shape (n_samples,), default="point"
        w_i: the precisions β_i of the affinities, 1 for all, or given, positive.
    supervision : Supervision, optional
        Labels and links.
    rho : float, default=0.5
        ρ in [0, 1], the largest share of a linked point's row that goes to its links. The data keep
        a share of ``floor`` (or 1e-16) even at ρ = 1, or what lies off the links would cost
        infinitely much.
    widening : float, default=1.0
        s in [1e-6, 1e6], a factor on all widths.
    floor : float, default=1e-8
        ε in (0, 0.5]: KL(q‖p) takes ε for p where p is zero, that is off the graph of a sparse P
        and across cannot-links. KL(p‖q) does not use it, and rows are not normalized anew.
    labels_as_links : bool, default=True
        Whether each class counts as a must-link group; false where the affinities were learned from
        the labels (SNeRV).
    link_form : {"structured", "uniform"}, default="structured"
        How labels and must-links enter: "structured" keeps the inner structure of a group,
        "uniform" spreads the share evenly over its points.
    algorithm : {"exact", "grid"}, default="exact"
        How the sums over all pairs are taken: pair by pair, or by a grid on the map, in nearly
        linear time, with an error of the force below 0.1 per cent; see
        :mod:`nbembed.kernels.grid.neighbor_retrieval`. The grid needs a sparse P and one width for
        all points. Maps of other than two or three dimensions are summed pair by pair, and so are
        those where that costs less.
    n_jobs : int, optional
        Threads; None uses all cores of the process, or one if there are few points.

    Raises
    ------
    ValueError
        Naming the argument that is out of range or malformed; ``width="point"`` without affinities
        that know their precisions, or with data in such units that precisions overflow;
        ``algorithm="grid"`` with a dense P, or with widths that differ.

    Notes
    -----
    An evaluation is O(n²) time and O(n) memory, or nearly linear time on the grid; with the cost it
    takes no longer than without. Two n × n matrices of logarithms are stored besides P: those of P,
    and those widened and mixed with links (of a sparse P its entries); cannot-links take a third.
    Another ``tradeoff`` shares the second, and so does another ``rho``, which rewrites the linked
    pairs: objectives that differ in it are evaluated in turns. Another ``widening`` or supervision
    makes a new one in one pass, O(n²), or over the entries of a sparse P. With a sparse P each
    linked pair is stored.

    Examples
    --------
    >>> import numpy as np
    >>> P = (1 - np.eye(3)) / 2
    >>> objective = NeighborRetrieval(P, tradeoff=0.5, width="uniform")
    >>> triangle = np.array([[0.0, 0.0], [1.0, 0.0], [0.5, 0.75**0.5]])
    >>> cost, gradient = objective.cost_and_gradient(triangle)
    >>> bool(abs(cost) < 1e-12 and np.abs(gradient).max() < 1e-12)
    True
    """

    def __init__(
        self,
        affinities: Any,
        tradeoff: float = 0.1,
        *,
        width: str | ArrayLike = "point",
        supervision: Supervision | None = None,
        rho: float = 0.5,
        widening: float = 1.0,
        floor: float = FLOOR,
        labels_as_links: bool = True,
        link_form: LinkForm = "structured",
        algorithm: Algorithm = "exact",
        n_jobs: int | None = None,
    ) -> None:
        self._tradeoff = check_real("tradeoff", tradeoff, low=0, high=1)
        self._widening = _checked_widening(widening)
        self._floor = check_real("floor", floor, low=0, high=0.5, open_low=True)
        base = as_affinities(affinities, "row")
        self._n_threads = threads_for(base.n_samples, n_jobs)
        self._supervised = SupervisedAffinities.make(
            base,
            supervision,
            rho,
            labels_as_links=labels_as_links,
            link_form=link_form,
            n_threads=self._n_threads,
        )
        self._width = _widths(width, affinities, self.n_samples)
        _check_sizes(self._width, self._widening, self.dtype)
        check_choice("algorithm", algorithm, ALGORITHMS)
        if algorithm == "grid":
            _check_grid(self._supervised.base.is_sparse, self._width)
        self._algorithm = algorithm
        self._logs: SupervisedLogs | None = None  # made at the first evaluation

    @property
    def length_scale(self) -> float:
        """Width of the map's neighborhoods: that of their geometric mean precision, widened."""
        return self._unit * self._widening

    @property
    def _unit(self) -> float:
        return math.exp(-0.5 * float(np.mean(np.log(self._width))))

    @property
    def parameters(self) -> dict[str, float]:
        """``tradeoff``, ``rho`` and ``widening``."""
        return {
            "tradeoff": self._tradeoff,
            "rho": self._supervised.rho,
            "widening": self._widening,
        }

    def with_parameters(self, **parameters: Any) -> Self:
        """Return the same objective with some of its parameters, or ``supervision``, changed.

        Affinities are shared, and so are logarithms at another ``tradeoff`` or ``rho``.
        """
        check_names(self, parameters, (*self.parameters, "supervision"))
        other = copy.copy(self)
        if "tradeoff" in parameters:
            other._tradeoff = check_real("tradeoff", parameters["tradeoff"], low=0, high=1)
        if "widening" in parameters:
            other._widening = _checked_widening(parameters["widening"])
            _check_sizes(self._width, other._widening, self.dtype)
        other._supervised = self._supervised.changed(parameters)
        same_links = other._supervised.links.key == self._supervised.links.key
        same = same_links and other._widening == self._widening
        other._logs = self._logs if same else None
        return other

    def __getstate__(self) -> dict[str, Any]:
        """Return the state without logarithms, which are shared and have a lock."""
        return {**self.__dict__, "_logs": None}

    @property
    def hazard(self) -> str:
        """Near duplicates, whose neighborhoods are so narrow that log p of others overflows."""
        widths = getattr(self._supervised.base, "beta", None)
        widths = self._width if widths is None else np.asarray(widths)
        narrow = np.flatnonzero(widths > NARROW**2 * widths.min())
        if not narrow.size:
            return ""
        times = math.sqrt(float(widths.max()) / float(widths.min()))
        return (
            f"{narrow.size} points, such as point {int(widths.argmax())}, have neighborhoods up to "
            f"{times:.0e} times narrower than other points have, as near duplicates do; keep one "
            "point of each such group, or give a perplexity above the number of points in a group"
        )

    @property
    def equation(self) -> str:
        """Both divergences, and the similarity on the map."""
        width = "" if (self._width == 1).all() else "wᵢ "
        return f"E = t Σᵢ KL(pᵢ ‖ qᵢ) + (1 − t) Σᵢ KL(qᵢ ‖ pᵢ)\nqᵢⱼ = exp(−{width}‖yᵢ − yⱼ‖²) / Zᵢ"

    def cost_terms(self, Y: NDArray[Any]) -> tuple[CostTerm, ...]:
        """Return recall and precision without labels and links, and what these add to both.

        The precision is not linear in p̃, so that labels have no part of their own in it: "labels"
        is the difference that ρ makes.
        """
        Y = check_layout(Y, self.n_samples, self.dtype)
        Yt, t, supervised = np.ascontiguousarray(Y.T), self._tradeoff, self._supervised
        data = self.with_parameters(rho=0.0) if supervised.linked else self
        missed, terms = data._missed(Yt, 1.0)
        recall = t * missed, 2 * t * terms.force.astype(np.float64)
        terms = data._retrieval(Yt, 0.0)[0]
        false = (1 - t) * float(terms.divergences.sum())
        precision = false, 2 * (1 - t) * terms.force.astype(np.float64)
        found = [
            CostTerm.of("recall", "t Σᵢ KL(pᵢ ‖ qᵢ)", "attraction", *recall),
            CostTerm.of("precision", "(1 − t) Σᵢ KL(qᵢ ‖ pᵢ)", "repulsion", *precision),
        ]
        if supervised.linked:
            missed, terms = self._missed(Yt, t)
            more = t * missed + (1 - t) * float(terms.divergences.sum()) - recall[0] - false
            pull = 2 * terms.force.astype(np.float64) - recall[1] - precision[1]
            name = "labels" if supervised.links.labels_as_links else "must-links"
            found.append(CostTerm.of(name, "E(ρ) − E(0)", "labels", more, pull))
        cannot_links = self._cannot_links(Yt)
        if cannot_links is not None:
            found.append(
                CostTerm.of("cannot-links", "ρ · mean exp(−‖yₐ − y_b‖²)", "labels", *cannot_links)
            )
        return tuple(found)

    def _retrieval(self, Yt: NDArray[Any], tradeoff: float) -> tuple[RetrievalTerms, MixedLogs]:
        """Return the sums over pairs at a trade-off; of the logarithms only the sums are valid."""
        supervised = self._supervised
        widths = self._width / self._widening**2
        if self._logs is None:
            self._logs = LogAffinities.of(supervised.base).supervised(
                supervised, widths, self._widening, self._n_threads
            )
        floor = math.log(self._floor)
        sums = neighbor_retrieval_by_grid if self._algorithm == "grid" else neighbor_retrieval
        with self._logs.mixed(supervised.rho, self._floor) as logs:
            kept = logs.keep
            terms = sums(Yt, logs.kernel, widths, tradeoff, floor, self._n_threads, keep=kept)
        return terms, logs

    def _missed(self, Yt: NDArray[Any], tradeoff: float) -> tuple[float, RetrievalTerms]:
        """Return Σ KL(p̃‖q), and the sums over pairs at a trade-off."""
        terms, logs = self._retrieval(Yt, tradeoff)
        return logs.entropy + terms.cross + float(terms.log_normalizers.sum()), terms

    def _cannot_links(self, Yt: NDArray[Any]) -> tuple[float, NDArray[Any]] | None:
        """Return cost and gradient (d, n) of the cannot-links, or None without any."""
        unit = self.dtype.type(self._unit)
        found = self._supervised.cannot_link_energy(Yt / unit, self._n_threads, self._algorithm)
        return None if found is None else (found[0], found[1] / unit)

    def evaluate(self, Y: NDArray[Any], *, cost: bool = True) -> Evaluation:
        """Return cost, gradient and curvature at ``Y``; see the module."""
        Y = check_layout(Y, self.n_samples, self.dtype)
        Yt = np.ascontiguousarray(Y.T)
        t, widths = self._tradeoff, self._width / self._widening**2
        terms, logs = self._retrieval(Yt, t)
        gradient = 2 * terms.force
        log_normalizers = float(terms.log_normalizers.sum())
        missed = logs.entropy + terms.cross + log_normalizers
        value = t * missed + (1 - t) * float(terms.divergences.sum())
        # Each row's logarithms are rounded by themselves, and n such errors largely cancel.
        expected = float(np.abs(terms.divergences + terms.log_normalizers).sum())
        by_rows = t * abs(logs.entropy) + (1 - t) * expected + abs(log_normalizers)
        sizes = by_rows / math.sqrt(self.n_samples) + t * abs(terms.cross)
        cannot_links = self._cannot_links(Yt)
        if cannot_links is not None:
            value += cannot_links[0]
            gradient += cannot_links[1]
        return Evaluation(
            value,
            np.ascontiguousarray(gradient.T, dtype=self.dtype),
            (2 * (widths + logs.inward)).astype(self.dtype),
            rounding=float(np.finfo(self.dtype).eps) * sizes,
        )


def _checked_widening(widening: Any) -> float:
    low, high = WIDENINGS
    return check_real("widening", widening, low=low, high=high)


def _check_sizes(width: NDArray[np.float64], widening: float, dtype: np.dtype[Any]) -> None:
    """Raise ValueError unless every w/s² fits the type that pairs are computed in."""
    largest, bound = float(width.max()) / widening**2, LARGEST_WIDTH[dtype]
    if not largest <= bound:
        raise ValueError(
            f"width / widening² must be at most {bound:g} at every point in {dtype}, got "
            f"{largest:.3g}; rescale the data that width was computed from"
        )


def _check_grid(is_sparse: bool, width: NDArray[np.float64]) -> None:
    """Raise ValueError where the grid has no form of the cost."""
    if not is_sparse:
        raise ValueError(
            'algorithm="grid" needs a sparse P, such as perplexity_affinities(X, '
            'n_neighbors=...) returns, got a dense one; use algorithm="exact"'
        )
    if (width != width[0]).any():
        raise ValueError(
            f'algorithm="grid" needs one width for all points, got widths from {width.min():.3g} '
            f'to {width.max():.3g}; use width="uniform" or algorithm="exact"'
        )


def _widths(width: Any, affinities: Any, n_samples: int) -> NDArray[np.float64]:
    """Return w of each point."""
    if isinstance(width, str):
        check_choice("width", width, ("point", "uniform"))
        if width == "uniform":
            return np.ones(n_samples)
        width = getattr(affinities, "beta", None)
        if width is None:
            raise ValueError(
                'width="point" needs the precision of each point, which a matrix of '
                'probabilities does not have; use width="uniform" or an array of precisions'
            )
    widths = check_numbers("width", width)
    if widths.shape != (n_samples,):
        raise ValueError(
            f"width must be 'point', 'uniform' or an array of shape ({n_samples},), "
            f"got shape {widths.shape}"
        )
    if not (np.isfinite(widths).all() and (widths > 0).all()):
        raise ValueError("width must be positive and finite at every point")
    widths.flags.writeable = False
    return widths
