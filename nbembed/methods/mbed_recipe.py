"""The recipe of Mbed: how its parts are made, for an estimator and for a live session alike.

    minimise  Σ_i KL(p_i ‖ q_i) − w (A + B) + D

"Large Margin Non-Linear Embedding"; the cost is in :mod:`nbembed.objectives.large_margin`. This is
its Algorithm 1: a crude SNE of ten steps gives the radius r of the map; from near the origin the
steepness λ of the class boundaries is then annealed from 20 r to 0.2 r in nineteen stages.

One thing is added to it. From a start that knows nothing, classes unfold wherever noise puts them,
and few labels cannot pull them past one another later. So where there are labels the crude SNE goes
on for some steps, the class directions are turned towards where the labeled points came to lie,
and the second start is this map, shrunk, in place of noise (``docs/decisions/0008``).
"""

from __future__ import annotations

import math
from typing import TYPE_CHECKING, Any, ClassVar

import numpy as np

from nbembed.affinities import Affinities, global_affinities, perplexity_affinities
from nbembed.measures import hotelling_lawley
from nbembed.methods.alignment import (
    bind,
    class_positions,
    fitted_columns,
    labeled_classes,
    rotation,
    turn,
)
from nbembed.methods.base import EmbeddingMethod, Geometry, LiveParameter, Start
from nbembed.methods.neighbor import RHO
from nbembed.methods.settings import check_prior, resolve_optimizer
from nbembed.methods.starts import JITTER, fitted_to, noise, padded, spread
from nbembed.objectives import SNE, LargeMargin, circle, simplex
from nbembed.objectives.directions import check_directions
from nbembed.optimizers import ConjugateGradient, Optimizer
from nbembed.run import Run
from nbembed.schedule import Schedule, Stage
from nbembed.validation import check_choice, check_count, check_real

if TYPE_CHECKING:
    from numpy.typing import ArrayLike, NDArray

    from nbembed.supervision import Supervision

#: Algorithm 1: steps of the crude SNE (s0), variance of its start, variance of the second start in
#: units of r, number of annealing stages, and λ at their ends in units of r.
CRUDE_STEPS = 10
#: Further steps of the crude SNE where labels ask which way round the map should begin.
TURN_STEPS = 40
CRUDE_VARIANCE = 0.1
START_VARIANCE = 1e-3
STAGES = 19
LAM_FIRST, LAM_LAST = 20.0, 0.2

#: A λ in units of r at which boundaries are felt but not yet walls: where the slider stands before
#: a run, where an adopted map goes on while the keyword says "anneal", and where a run with a
#: smaller fixed λ spends its first iterations.
LAM_MIDDLE = 1.0
SETTLE_STEPS = 26


class MbedRecipe(EmbeddingMethod):
    """How a large-margin map is made; :class:`~nbembed.methods.mbed.Mbed` is the estimator."""

    live_parameters: ClassVar[tuple[LiveParameter, ...]] = (
        LiveParameter(
            "lam",
            "λ",
            0.2,
            20.0,
            LAM_MIDDLE,
            "Softness of the class boundaries in radii of the map: less widens the margin.",
            scale="log",
            minimum=0.0,
        ),
        RHO,
    )

    n_classes: int | None
    n_components: int | None
    directions: ArrayLike | str | None
    lam: float | str
    margin_weight: float
    class_prior: ArrayLike | None
    affinity: str
    n_init: int
    rho: float
    n_jobs: int | None

    def check_parameters(self, n_samples: int, supervision: Supervision) -> None:
        """Raise ValueError or TypeError, naming the argument, before any work starts."""
        n_classes = self._count_classes(supervision)
        if n_classes > n_samples:
            raise ValueError(f"n_classes must be at most n_samples = {n_samples}, got {n_classes}")
        self._make_directions(n_classes)
        if isinstance(self.lam, str):
            if self.lam != "anneal":
                raise ValueError(f'lam must be "anneal" or a number above 0, got {self.lam!r}')
            check_count("max_iter", self.max_iter, low=CRUDE_STEPS + STAGES)
        else:
            check_real("lam", self.lam, low=0, open_low=True)
            check_count("max_iter", self.max_iter, low=CRUDE_STEPS + 1)
        check_real("margin_weight", self.margin_weight, low=0)
        if self.class_prior is not None:
            check_prior(self.class_prior, n_classes)
        check_choice("affinity", self.affinity, ("global", "perplexity"))
        check_count("n_init", self.n_init)
        self._check_live(but=("lam",))
        self._check_shared(n_samples, supervision)

    def make_affinities(
        self, X: NDArray[Any], supervision: Supervision | None = None
    ) -> Affinities:
        """Return rows of neighbor probabilities: of one width for all points, or of a perplexity.

        Without ``n_classes`` the global width needs the supervision's number of classes.
        """
        metric = self._metric_for(X, supervision)
        if self.affinity == "perplexity":
            return perplexity_affinities(
                X, self.perplexity, metric, dtype=np.float32, n_jobs=self.n_jobs
            )
        # One class has no quantile of its own: the median, as for two.
        n_classes = max(2, self._count_classes(supervision))
        return global_affinities(X, n_classes, metric, dtype=np.float32)

    def make_start(
        self,
        X: NDArray[Any],
        affinities: Affinities,
        supervision: Supervision,
        rng: np.random.Generator,
    ) -> Start:
        """Return points close to the origin and the radius that a crude SNE has (lines 1 to 5).

        Without labels they are noise, as in the paper; with labels, the crude map made small, and
        directions (or, where the user gave them, the map) turned so that the two agree.
        """
        directions = self._make_directions(self._count_classes(supervision))
        n_components = directions.shape[1]
        crude, radius = self._crude_map(affinities, n_components, rng)
        size = math.sqrt(START_VARIANCE * radius)
        geometry = Geometry(radius, directions, labeled_classes(supervision))
        if not geometry.bound:
            return Start(noise(affinities.n_samples, n_components, size, rng), geometry)
        Y = crude.step(TURN_STEPS).embedding.astype(np.float64)
        Y -= Y.mean(axis=0)
        if self._regular:
            geometry = self._turned(Geometry(radius), directions, Y, supervision)
        else:
            anchors = class_positions(Y, supervision, geometry.bound)
            Y = Y @ rotation(anchors, directions[list(geometry.bound)])
        return Start(np.asarray(Y * (size / spread(Y)), dtype=affinities.dtype), geometry)

    def adopt(
        self,
        Y: NDArray[Any],
        affinities: Affinities,
        supervision: Supervision,
        rng: np.random.Generator,
    ) -> Start:
        """Return ``Y`` with the radius of a crude SNE and directions turned to labeled points."""
        template = self._make_directions(self._count_classes(supervision))
        n_components = template.shape[1]
        _, radius = self._crude_map(affinities, n_components, rng)
        shape = fitted_to(Y, n_components)
        size = spread(shape)
        if size > 0:
            # Padding thins the spread out over more dimensions; the map that one sees has radius r.
            shape = shape * (radius / size)
        Y = padded(shape, n_components, JITTER * radius, rng)
        geometry = Geometry(radius, template)
        return Start(Y, self._turned(geometry, template, Y, supervision))

    def make_objective(
        self, affinities: Affinities, supervision: Supervision, geometry: Geometry
    ) -> LargeMargin:
        """Return the cost at the present λ (while annealing, the schedule sets it)."""
        if geometry.directions is None:
            raise ValueError("geometry must have directions; make_start() and adopt() give it")
        lam = LAM_MIDDLE if isinstance(self.lam, str) else float(self.lam)
        return LargeMargin(
            affinities,
            lam * geometry.scale,
            geometry.directions,
            supervision,
            rho=self.rho,
            margin_weight=self.margin_weight,
            class_prior=self.class_prior,
            radius=geometry.scale,
            n_jobs=self.n_jobs,
        )

    def make_optimizer(self) -> Optimizer:
        """Return the optimizer of the keyword; "auto" is conjugate gradients."""
        return resolve_optimizer(self.optimizer, ConjugateGradient())

    def make_schedule(self, affinities: Affinities, geometry: Geometry) -> Schedule:
        """Return the stages of annealing; with a fixed λ, a soft beginning and that λ."""
        optimizer, r = self.make_optimizer(), geometry.scale
        steps = self.max_iter - CRUDE_STEPS
        if isinstance(self.lam, str):
            each, more = divmod(steps, STAGES)
            lams = np.geomspace(LAM_FIRST, LAM_LAST, STAGES)
            return Schedule(
                tuple(
                    Stage(each + (j < more), optimizer, {"lam": lam * r}, keep=True, name="anneal")
                    for j, lam in enumerate(lams.tolist())
                )
            )
        # Steep boundaries through a heap of points cut it anywhere, and very soft ones let the map
        # unfold without regard to the labels; in between it unfolds and turns to them.
        soft = min(SETTLE_STEPS, steps // 4)
        if soft < 1 or self.lam >= LAM_MIDDLE:
            return Schedule()
        return Schedule(
            (
                Stage(soft, optimizer, {"lam": LAM_MIDDLE * r}, name="settle"),
                Stage(1, optimizer, {"lam": self.lam * r}, name="release"),
            )
        )

    def realign(self, geometry: Geometry, Y: NDArray[Any], supervision: Supervision) -> Geometry:
        """Return the geometry after supervision changed; see :mod:`nbembed.methods.alignment`.

        Directions that the user gave as an array stay with the classes they were given to.
        """
        template = self._make_directions(self._count_classes(supervision))
        old = geometry.directions
        bound = labeled_classes(supervision)
        if old is None or old.shape != template.shape:
            return self._turned(geometry, template, Y, supervision)
        if not self._regular:
            return Geometry(geometry.scale, template, bound)
        return Geometry(geometry.scale, bind(old, geometry.bound, Y, supervision), bound)

    def live_values(self, objective: Any, geometry: Geometry) -> dict[str, float]:
        """Return λ in units of the radius, and ρ."""
        values = super().live_values(objective, geometry)
        values["lam"] = values["lam"] / geometry.scale
        return values

    def memberships(self, Y: NDArray[Any], objective: Any) -> NDArray[Any] | None:
        """Return the class probabilities at ``Y``, shape (n_samples, n_classes)."""
        return np.asarray(objective.membership(Y))

    def path_criterion(self, Y: NDArray[Any], objective: Any) -> float:
        """Return the Hotelling–Lawley trace of the predicted classes; NaN where one is empty."""
        predicted = objective.membership(Y).argmax(axis=1)
        if np.unique(predicted).size < objective.n_classes or objective.n_classes < 2:
            return math.nan
        return float(hotelling_lawley(Y, predicted))

    # -- parts -------------------------------------------------------------------------------

    @property
    def _regular(self) -> bool:
        """Whether the directions are a regular set, so that classes may trade them."""
        return self.directions is None or isinstance(self.directions, str)

    def _count_classes(self, supervision: Supervision | None) -> int:
        """Return K, or raise ValueError if nothing says it or two things disagree."""
        named = 0 if supervision is None else len(supervision.classes)
        n_classes = None
        if self.n_classes is not None:
            n_classes = check_count("n_classes", self.n_classes)
        rows = None if self._regular else self._given_directions().shape[0]
        if rows is not None and n_classes is not None and rows != n_classes:
            raise ValueError(
                f"directions must have one row for each of n_classes = {n_classes}, got {rows}"
            )
        found = rows if n_classes is None else n_classes
        if found is None:
            if named == 0:
                raise ValueError(
                    "n_classes must be given (an integer of at least 1) where neither y nor "
                    "supervision names any class"
                )
            return named
        if found < named:
            raise ValueError(
                f"n_classes must be at least {named}, the number of classes in y or supervision, "
                f"got {found}"
            )
        return found

    def _given_directions(self) -> NDArray[np.float64]:
        """Return the keyword's array, checked."""
        assert self.directions is not None
        return check_directions(self.directions)

    def _make_directions(self, n_classes: int) -> NDArray[np.float64]:
        """Return the class directions of the keyword, (n_classes, n_components)."""
        given = self.n_components
        n_components = None if given is None else check_count("n_components", given)
        if self.directions is None:
            return simplex(n_classes, max(n_classes, 2) if n_components is None else n_components)
        if isinstance(self.directions, str):
            if self.directions != "circle":
                raise ValueError(
                    f'directions must be None, "circle" or an array, got {self.directions!r}'
                )
            return circle(n_classes, 2 if n_components is None else n_components)
        directions = self._given_directions()
        if n_components is not None and directions.shape[1] != n_components:
            raise ValueError(
                f"directions must have n_components = {n_components} columns, "
                f"got {directions.shape[1]}"
            )
        return directions

    def _turned(
        self,
        geometry: Geometry,
        template: NDArray[np.float64],
        Y: NDArray[Any],
        supervision: Supervision,
    ) -> Geometry:
        """Return the geometry with a new set of directions, turned towards what is known."""
        bound = labeled_classes(supervision)
        if not self._regular:
            return Geometry(geometry.scale, template, bound)
        classes: tuple[int, ...] = bound
        anchors = class_positions(fitted_columns(Y, template.shape[1]), supervision, bound)
        old = geometry.directions
        if old is not None:
            # Classes without points stay near where their direction was.
            kept = tuple(c for c in range(min(len(old), len(template))) if c not in bound)
            classes = (*bound, *kept)
            anchors = np.vstack([anchors, fitted_columns(old[list(kept)], template.shape[1])])
        plane = isinstance(self.directions, str)
        return Geometry(geometry.scale, turn(template, anchors, classes, plane), bound)

    def _crude_map(
        self, affinities: Affinities, n_components: int, rng: np.random.Generator
    ) -> tuple[Run, float]:
        """Return a crude SNE and r: the geometric mean of its axes' standard deviations."""
        Y = noise(affinities.n_samples, n_components, math.sqrt(CRUDE_VARIANCE), rng)
        crude = Run(SNE(affinities, n_jobs=self.n_jobs), ConjugateGradient(), Y).step(CRUDE_STEPS)
        stds = np.std(crude.embedding, axis=0, dtype=np.float64)
        return crude, float(np.exp(np.mean(np.log(np.maximum(stds, 1e-3)))))
