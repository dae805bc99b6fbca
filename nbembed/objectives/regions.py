"""Regions of classes on a map: what the logits of Mbed's memberships are made of.

:class:`Rays` are the paper's, a unit vector w_k for each class (equation 15 of "Large Margin
Non-Linear Embedding"):

    s_ik = ⟨w_k, y_i⟩ / λ

:class:`Centers` are ours: a region around the mean of its members, one or several for each class,

    s_ic = −‖y_i − φ_c‖² / (2λ²),   φ_c = Σ_i u_ic y_i,   Σ_i u_ic = 1

with fixed shares u, so that centers move with their points and are a function of the layout alone.
‖y_i‖² is the same for all centers of a point and leaves ⟨φ_c, y_i⟩/λ² − ‖φ_c‖²/(2λ²): where all
‖φ_c‖ equal ρ the memberships are the paper's with w_k = φ_k/ρ and its λ equal to λ²/ρ.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any, Protocol

import numpy as np
from numpy.typing import NDArray
from scipy.special import softmax

from nbembed.objectives.class_terms import memberships
from nbembed.objectives.directions import check_directions
from nbembed.supervision import Supervision


class Regions(Protocol):
    """Interface of regions for the objective :class:`.heavy_tailed_margin.HeavyTailedMargin`."""

    @property
    def n_classes(self) -> int:
        """K."""

    @property
    def owners(self) -> NDArray[np.intp]:
        """The class of each logit, ascending."""

    @property
    def counted(self) -> NDArray[np.bool_] | None:
        """A mask of the points of some class, shape (n_samples,); ``None`` if all are.

        No term counts the others.
        """

    def places(self, Y: NDArray[np.float64]) -> NDArray[np.float64]:
        """Return the directions w or the centers φ of the logits, shape (n_logits, d)."""

    def logits(
        self, Y: NDArray[np.float64], places: NDArray[np.float64], lam: float
    ) -> NDArray[np.float64]:
        """Return s at any points ``Y``, shape (n_logits, len(Y))."""

    def gradient(
        self,
        Y: NDArray[np.float64],
        places: NDArray[np.float64],
        lam: float,
        derivative: NDArray[np.float64],
    ) -> NDArray[np.float64]:
        """Return the derivative by Y of a cost, from that by the logits of the layout."""

    def steepness(self, lam: float) -> float:
        """Return the factor from the covariance of the places to a second derivative by y."""

    def wanted(
        self, supervision: Supervision | None, n_samples: int, lam: float
    ) -> tuple[NDArray[np.float64], NDArray[np.float64]]:
        """Return the targets T of all points, shape (n_samples, K), and their weights v."""


@dataclass(frozen=True, eq=False)
class Rays:
    """The paper's regions: a direction for each class.

    * directions (n_classes, n_components): unit vectors.
    * label_distance: δ in coordinates; a certain label is as certain as a point at δ w_k is.
    * counted (n_samples,) bool: the points that are of some class; by default all.
    """

    directions: NDArray[np.float64]
    label_distance: float = 1.0
    counted: NDArray[np.bool_] | None = None

    def __post_init__(self) -> None:
        object.__setattr__(self, "directions", check_directions(self.directions))

    @property
    def n_classes(self) -> int:
        """K."""
        return int(self.directions.shape[0])

    @property
    def owners(self) -> NDArray[np.intp]:
        """Every class has one."""
        return np.arange(self.n_classes)

    def places(self, Y: NDArray[np.float64]) -> NDArray[np.float64]:
        """Return the directions."""
        return self.directions

    def logits(
        self, Y: NDArray[np.float64], places: NDArray[np.float64], lam: float
    ) -> NDArray[np.float64]:
        """Return ⟨w, y⟩ / λ."""
        return places @ Y.T / lam

    def gradient(
        self,
        Y: NDArray[np.float64],
        places: NDArray[np.float64],
        lam: float,
        derivative: NDArray[np.float64],
    ) -> NDArray[np.float64]:
        """Return Σ_k g_ik w_k / λ."""
        return derivative.T @ places / lam

    def steepness(self, lam: float) -> float:
        """Return 1/λ²."""
        return 1 / lam**2

    def wanted(
        self, supervision: Supervision | None, n_samples: int, lam: float
    ) -> tuple[NDArray[np.float64], NDArray[np.float64]]:
        """Return the softened labels, each with weight 1."""
        T = softened(self.directions, self.label_distance, lam, supervision, n_samples)
        weights = (~np.isnan(T[:, 0])).astype(np.float64)
        return T, weights


@dataclass(frozen=True, eq=False)
class Centers:
    """Regions around the means of their members.

    * member_of (n_samples,) int: the center that each point belongs to.
    * shares (n_samples,): u_i ≥ 0 of each point in its center; made to sum to one for each center.
      A point without a share is of no class: it counts in no term.
    * owners (n_centers,) int: the class of each center, ascending. Every center has a member.
    * targets (n_samples, n_classes): class probabilities T of the points, rows that sum to one;
      zero at classes without a center.
    * weights (n_samples,): v ≥ 0, how much each row of ``targets`` counts.

    Raises ValueError if a center has no member, a share is negative, a point without a share has a
    weight, or shapes disagree.
    """

    member_of: NDArray[np.intp]
    shares: NDArray[np.float64]
    owners: NDArray[np.intp]
    targets: NDArray[np.float64]
    weights: NDArray[np.float64]

    def __post_init__(self) -> None:
        member_of, owners = np.asarray(self.member_of, np.intp), np.asarray(self.owners, np.intp)
        n, count = member_of.size, owners.size
        shares = np.asarray(self.shares, np.float64)
        targets = np.asarray(self.targets, np.float64)
        weights = np.asarray(self.weights, np.float64)
        if shares.shape != (n,) or weights.shape != (n,) or targets.shape[:1] != (n,):
            raise ValueError(
                f"shares, weights and targets must have {n} rows, like member_of, got shapes "
                f"{shares.shape}, {weights.shape} and {targets.shape}"
            )
        if not (shares >= 0).all():
            raise ValueError(f"shares must not be negative, got {shares.min()}")
        if (weights[shares == 0] != 0).any():
            raise ValueError("weights must be 0 where shares are 0")
        if (np.diff(owners) < 0).any() or not 0 <= owners.min() <= owners.max() < targets.shape[1]:
            raise ValueError(
                f"owners must be ascending classes below {targets.shape[1]}, got {owners.tolist()}"
            )
        if member_of.min() < 0 or member_of.max() >= count:
            raise ValueError(f"member_of must be in [0, {count - 1}], got {member_of.max()}")
        sums = np.bincount(member_of, shares, minlength=count)
        if not sums.all():
            raise ValueError(
                f"member_of must give every center a member, got none for center {sums.argmin()}"
            )
        for name, value in {
            "member_of": member_of,
            "shares": shares / sums[member_of],
            "owners": owners,
            "targets": targets,
            "weights": weights,
        }.items():
            value = value.copy()
            value.flags.writeable = False
            object.__setattr__(self, name, value)

    @property
    def n_classes(self) -> int:
        """K, classes without a center included."""
        return int(self.targets.shape[1])

    @property
    def counted(self) -> NDArray[np.bool_]:
        """The points that have a share in a center."""
        return self.shares > 0

    def places(self, Y: NDArray[np.float64]) -> NDArray[np.float64]:
        """Return φ, the means of their members in the layout ``Y``."""
        weighted = self.shares[:, None] * Y
        return np.stack(
            [np.bincount(self.member_of, axis, minlength=self.owners.size) for axis in weighted.T],
            axis=1,
        )

    def logits(
        self, Y: NDArray[np.float64], places: NDArray[np.float64], lam: float
    ) -> NDArray[np.float64]:
        """Return −‖y − φ‖² / (2λ²) but for a term that all centers of a point share."""
        return _around(Y, places, lam)

    def gradient(
        self,
        Y: NDArray[np.float64],
        places: NDArray[np.float64],
        lam: float,
        derivative: NDArray[np.float64],
    ) -> NDArray[np.float64]:
        """Return the derivative by Y, through the points and through the centers that follow."""
        # The derivatives of a point sum to zero over its logits, so that y_i itself drops out.
        own = derivative.T @ places
        through = derivative @ Y - derivative.sum(axis=1)[:, None] * places
        own += self.shares[:, None] * through[self.member_of]
        return np.asarray(own / lam**2)

    def steepness(self, lam: float) -> float:
        """Return 1/λ⁴."""
        return 1 / lam**4

    def wanted(
        self, supervision: Supervision | None, n_samples: int, lam: float
    ) -> tuple[NDArray[np.float64], NDArray[np.float64]]:
        """Return its own targets and weights, in which labels are contained."""
        return self.targets, self.weights


def _around(
    Y: NDArray[np.float64], centers: NDArray[np.float64], lam: float
) -> NDArray[np.float64]:
    middle = centers.mean(axis=0)
    centers = centers - middle  # far from the origin the difference of squares would lose digits
    squares = 0.5 * np.square(centers).sum(axis=1)[:, None]
    return np.asarray((centers @ (Y - middle).T - squares) / lam**2)


def regions_around(
    Y: NDArray[np.float32], centers: Any, owners: Any, lam: float, n_classes: int
) -> NDArray[np.float64]:
    """Return the memberships (len(Y), n_classes) of any points, given the places of the centers."""
    return memberships(_around(Y.astype(np.float64), centers, lam), owners, n_classes)


def softened(
    directions: NDArray[np.float64],
    label_distance: float,
    lam: float,
    supervision: Supervision | None,
    n_samples: int,
) -> NDArray[np.float64]:
    """Return labels as a point at the distance δ can express them, T; other rows are NaN.

    A certain label of class k is the membership of a point at δ w_k (equation 21), see
    :mod:`nbembed.objectives.large_margin`.
    """
    n_classes = int(directions.shape[0])
    if supervision is None:
        return np.full((n_samples, n_classes), np.nan)
    if len(supervision.classes) > n_classes:
        raise ValueError(
            f"directions must have one row for each of the {len(supervision.classes)} classes of "
            f"supervision, got {n_classes}"
        )
    targets = np.asarray(supervision.targets(n_classes), dtype=np.float64)
    certain = softmax(directions @ directions.T * (label_distance / lam), axis=1)
    return np.ascontiguousarray(targets @ certain)
