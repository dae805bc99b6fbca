"""What every method is: a scikit-learn estimator that is also the recipe of a live run.

The estimator's face (``fit``, ``fit_transform``) and the live session use the same recipe::

    affinities = method.make_affinities(X)
    start      = method.make_start(X, affinities, rng)            # layout and geometry
    objective  = method.make_objective(affinities, supervision, start.geometry)
    run        = Run(objective, method.make_optimizer(), start.Y, method.make_schedule(...))

A method assembles; it computes nothing itself. Its live parameters are declared once, in
``live_parameters``: validation, sliders and the documentation read that one place.
"""

from __future__ import annotations

import math
from abc import abstractmethod
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any, ClassVar, Literal, Self

import numpy as np
from sklearn.base import BaseEstimator, TransformerMixin

from nbembed.run import Run

if TYPE_CHECKING:
    from numpy.typing import ArrayLike, NDArray

    from nbembed.affinities import Affinities
    from nbembed.objectives.base import Objective
    from nbembed.optimizers.base import Optimizer
    from nbembed.schedule import Schedule
    from nbembed.supervision import Supervision

Invalidates = Literal["display", "objective", "affinities", "metric"]


@dataclass(frozen=True)
class LiveParameter:
    """A parameter that may be changed while the map moves.

    Attributes
    ----------
    name : str
        The estimator's keyword.
    symbol : str
        What people call it, for example "α": the slider's label and accessible name.
    low, high : float
        The slider's range. The estimator may allow more; see ``minimum`` and ``maximum``.
    default : float
        Where the slider stands when the estimator's own value is a word such as "anneal".
    description : str
        One sentence: what more of it does to the map.
    scale : {"linear", "log"}
        How the slider divides its range.
    step : float or None
        The slider's grain on a linear scale; ``None`` lets the front end choose.
    minimum, maximum : float
        What is legal for the estimator; outside is a ValueError.
    invalidates : {"display", "objective", "affinities", "metric"}
        The first thing along the data flow that a change makes stale.
    needs : {"", "links"}
        "links": without labels or links the parameter means nothing and its slider is disabled.
    """

    name: str
    symbol: str
    low: float
    high: float
    default: float
    description: str
    scale: Literal["linear", "log"] = "linear"
    step: float | None = None
    minimum: float = -math.inf
    maximum: float = math.inf
    invalidates: Invalidates = "objective"
    needs: Literal["", "links"] = ""


@dataclass(frozen=True)
class Geometry:
    """What a run measures or fixes once and all its objectives share.

    Attributes
    ----------
    scale : float
        The map's natural radius in coordinates; 1.0 for methods whose parameters have no unit.
        Mbed's λ is given to users in this unit.
    directions : ndarray of shape (n_classes, n_components) or None
        Class directions in the order of the supervision's classes, free ones after them (Mbed).
    """

    scale: float = 1.0
    directions: NDArray[Any] | None = None


@dataclass(frozen=True)
class Start:
    """Where a run begins: a layout and its geometry."""

    Y: NDArray[Any]
    geometry: Geometry


class EmbeddingMethod(TransformerMixin, BaseEstimator):  # type: ignore[misc]
    """Base of the estimators that place points by minimising an objective.

    Subclasses write their constructor, declare ``live_parameters`` and give the recipe's parts.
    """

    live_parameters: ClassVar[tuple[LiveParameter, ...]] = ()

    # -- the recipe: what Session and fit() both use -----------------------------------------

    @abstractmethod
    def check_parameters(self, n_samples: int, supervision: Supervision) -> None:
        """Raise ValueError or TypeError, naming the argument, before any work starts."""

    @abstractmethod
    def make_affinities(self, X: NDArray[Any]) -> Affinities:
        """Return the neighbor probabilities of checked data ``X``."""

    @abstractmethod
    def make_start(
        self,
        X: NDArray[Any],
        affinities: Affinities,
        supervision: Supervision,
        rng: np.random.Generator,
    ) -> Start:
        """Return the first layout and its geometry for a cold start."""

    @abstractmethod
    def adopt(
        self,
        Y: NDArray[Any],
        affinities: Affinities,
        supervision: Supervision,
        rng: np.random.Generator,
    ) -> Start:
        """Return a warm start from another method's layout, rescaled and padded to this one's."""

    @abstractmethod
    def make_objective(
        self, affinities: Affinities, supervision: Supervision, geometry: Geometry
    ) -> Objective:
        """Return the objective at the estimator's present parameters."""

    @abstractmethod
    def make_optimizer(self) -> Optimizer:
        """Return the rule used after the schedule and in live steering."""

    @abstractmethod
    def make_schedule(self, affinities: Affinities, geometry: Geometry) -> Schedule:
        """Return the stages of a cold start."""

    def realign(
        self, geometry: Geometry, Y: NDArray[Any], supervision: Supervision
    ) -> Geometry:
        """Return the geometry after supervision changed (Mbed binds class directions here)."""
        return geometry

    def live_values(self, objective: Objective, geometry: Geometry) -> dict[str, float]:
        """Return the present value of each live parameter in the units of its slider."""
        values = objective.parameters
        return {p.name: values[p.name] for p in self.live_parameters if p.name in values}

    def memberships(self, Y: NDArray[Any], objective: Objective) -> NDArray[Any] | None:
        """Return class probabilities (n_samples, n_classes) to color by, if the method has any."""
        return None

    def path_criterion(self, Y: NDArray[Any], objective: Objective) -> float:
        """Return the criterion by which layouts of an annealing path compete (Mbed), else nan."""
        return math.nan
