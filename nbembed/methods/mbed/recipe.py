"""The recipe of Mbed: how a large-margin map is made.

    minimize  Σ_i KL(p_i ‖ q_i) − w (A + B) + D

"Large Margin Non-Linear Embedding"; the cost is in :mod:`nbembed.objectives.large_margin`. This is
its Algorithm 1: a crude SNE of ten steps gives the radius r of the map; from near the origin the
steepness λ of the class boundaries is then annealed from 20 r to 0.2 r in nineteen stages.

One step is added to it. From a random start, classes unfold wherever the noise puts them, and later
few labels cannot pull them past one another. So where there are labels the crude SNE is continued
for some steps, the class directions are rotated towards the positions of the labeled points, and
the second start is this map, shrunk, instead of noise (``docs/decisions/0008``).
"""

from __future__ import annotations

import math
from collections.abc import Callable, Mapping
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any, ClassVar, Literal, Self

import numpy as np

from nbembed.affinities import Affinities, global_affinities, perplexity_affinities
from nbembed.measures import hotelling_lawley
from nbembed.methods.initialization import (
    JITTER,
    fitted_to,
    noise,
    padded,
    pca_layout,
    spread,
)
from nbembed.methods.learned_affinities import fitted_metric
from nbembed.methods.mbed.class_directions import (
    bind,
    class_positions,
    fitted_columns,
    labeled_classes,
    rotation,
    turn,
)
from nbembed.methods.neighbor_base import RHO
from nbembed.methods.recipe import Geometry, LiveParameter, Part, Recipe, Start
from nbembed.methods.settings import check_init, check_shared, resolve_optimizer
from nbembed.objectives import SNE, LargeMargin, circle, simplex
from nbembed.objectives.cannot_links import check_neighbors_left
from nbembed.objectives.directions import check_directions
from nbembed.objectives.link_shares import LinkForm
from nbembed.optimizers import ConjugateGradient, Optimizer
from nbembed.run import Run
from nbembed.schedule import Schedule, Stage
from nbembed.validation import (
    check_choice,
    check_class_prior,
    check_components,
    check_count,
    check_real,
)

if TYPE_CHECKING:
    from numpy.typing import ArrayLike, NDArray

    from nbembed.supervision import Supervision

#: Algorithm 1: steps of the crude SNE (s0), variance of its start, variance of the second start in
#: units of r, number of annealing stages, and λ at their ends in units of r.
CRUDE_STEPS = 10
CRUDE_VARIANCE = 0.1
START_VARIANCE = 1e-3
STAGES = 19
LAM_FIRST, LAM_LAST = 20.0, 0.2
#: Further steps of the crude SNE where labels decide the map's orientation.
TURN_STEPS = 40

#: A λ in units of r at which boundaries have an effect but can still be crossed: where the slider
#: stands before a run, where an adopted map continues while ``lam`` is "anneal", and where a run
#: with a smaller fixed λ spends its first iterations.
LAM_MIDDLE = 1.0
SETTLE_STEPS = 26

#: What ``init`` may be beside an array.
INITS = ("noise", "pca")


@dataclass(frozen=True, eq=False, kw_only=True)
class MbedRecipe(Recipe[Affinities]):
    """How Mbed's map is made; the parameters are those of :class:`~nbembed.Mbed`."""

    group: ClassVar[str] = "Neighbor embeddings"

    live_parameters: ClassVar[tuple[LiveParameter, ...]] = (
        LiveParameter(
            "lam",
            "λ",
            0.2,
            20.0,
            LAM_MIDDLE,
            "Softness of the class boundaries in radii of the map: less widens the margin.",
            scale="log",
            minimum=1e-9,
            maximum=1e9,
        ),
        RHO,
    )

    invalidates: ClassVar[Mapping[str, tuple[Part, ...]]] = {
        "affinity": ("affinities",),
        "directions": ("layout",),
        "n_classes": ("affinities", "alignment"),
        "class_prior": ("objective",),
        "margin_weight": ("objective",),
        "n_init": (),
    }
    path_parameter: ClassVar[str] = "lam"
    added: ClassVar[Mapping[str, Any]] = {"link_form": "uniform"}
    class_count_parameter: ClassVar[str] = "n_classes"

    n_components: int | None = None
    n_classes: int | None = None
    directions: ArrayLike | str | None = None
    lam: float | str = "anneal"
    margin_weight: float = 1.0
    class_prior: ArrayLike | None = None
    affinity: str = "global"
    init: str | ArrayLike = "noise"
    n_init: int = 1
    rho: float = 0.5
    link_form: LinkForm = "structured"
    perplexity: float | Literal["auto"] = "auto"
    metric: str | Callable[..., float] | Any = "euclidean"
    optimizer: Any = "auto"
    max_iter: int = 500
    tol: float = 1e-4
    n_jobs: int | None = None
    random_state: int | np.random.Generator | np.random.RandomState | None = None

    def check(self, n_samples: int, supervision: Supervision) -> None:
        """Raise ValueError or TypeError, naming the argument, before any work starts."""
        n_classes = self._count_classes(supervision)
        if n_classes > n_samples:
            raise ValueError(f"n_classes must be at most n_samples = {n_samples}, got {n_classes}")
        directions = self._make_directions(n_classes)
        if isinstance(self.lam, str):
            if self.lam != "anneal":
                raise ValueError(f'lam must be "anneal" or a number, got {self.lam!r}')
            check_count("max_iter", self.max_iter, low=CRUDE_STEPS + STAGES)
        else:
            check_count("max_iter", self.max_iter, low=CRUDE_STEPS + 1)
        check_real("margin_weight", self.margin_weight, low=0)
        if self.class_prior is not None:
            check_class_prior(self.class_prior, n_classes)
        check_choice("affinity", self.affinity, ("global", "perplexity"))
        check_count("n_init", self.n_init)
        self.check_live(but=("lam",) if isinstance(self.lam, str) else ())
        check_shared(self, n_samples, supervision)
        check_init(self.init, INITS, n_samples, directions.shape[1])

    def check_feasible(self, X: Any, supervision: Supervision) -> None:
        """Raise ValueError where the metric is undefined or cannot-links leave no neighbor."""
        super().check_feasible(X, supervision)
        check_neighbors_left(supervision)

    def make_affinities(self, X: Any, supervision: Supervision | None = None) -> Affinities:
        """Return rows of neighbor probabilities: of one width for all points, or of a perplexity.

        Without ``n_classes`` the global width needs the supervision's number of classes.
        """
        metric = fitted_metric(
            self.metric, X, supervision, random_state=self.random_state, n_jobs=self.n_jobs
        )
        if self.affinity == "perplexity":
            return perplexity_affinities(
                X, self.perplexity, metric, dtype=np.float32, n_jobs=self.n_jobs
            )
        # One class has no quantile of its own: the median, as for two.
        n_classes = max(2, self._count_classes(supervision))
        return global_affinities(X, n_classes, metric, dtype=np.float32)

    def make_start(
        self,
        X: Any,
        affinities: Affinities,
        supervision: Supervision,
        rng: np.random.Generator,
    ) -> Start:
        """Return points close to the origin and the radius of a crude SNE (lines 1 to 5).

        Without labels they are noise, as in the paper; with labels, the crude map made small. With
        ``init="pca"`` they are principal components, equally small. Where there are labels, the
        directions (or, where the user gave them, the map) are rotated so that the two agree. An
        array given as ``init`` is taken as it is, and only the directions may be rotated.
        """
        directions = self._make_directions(self._count_classes(supervision))
        n_components = directions.shape[1]
        given = check_init(self.init, INITS, affinities.n_samples, n_components)
        crude, radius = self._crude_map(affinities, n_components, rng)
        size = math.sqrt(START_VARIANCE * radius)
        geometry = Geometry(radius, directions, labeled_classes(supervision))
        turned = geometry.bound and self._regular
        if given is not None:
            if turned:
                geometry = self._turned(Geometry(radius), directions, given, supervision)
            return Start(given.astype(affinities.dtype), geometry)
        if self.init == "pca":
            Y = pca_layout(X, n_components, self.metric, rng)
        elif geometry.bound:
            Y = crude.step(TURN_STEPS).embedding.astype(np.float64)
        else:
            return Start(noise(affinities.n_samples, n_components, size, rng), geometry)
        Y -= Y.mean(axis=0)
        if turned:
            geometry = self._turned(Geometry(radius), directions, Y, supervision)
        elif geometry.bound:
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
        """Return ``Y`` with the radius of a crude SNE, and directions rotated to labeled points."""
        template = self._make_directions(self._count_classes(supervision))
        n_components = template.shape[1]
        _, radius = self._crude_map(affinities, n_components, rng)
        shape = fitted_to(Y, n_components)
        size = spread(shape)
        if size > 0:
            # Padding reduces the mean spread of the dimensions; the visible map has radius r.
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
            link_form=self.link_form,
            margin_weight=self.margin_weight,
            class_prior=self.class_prior,
            radius=geometry.scale,
            n_jobs=self.n_jobs,
        )

    def make_optimizer(self) -> Optimizer:
        """Return the optimizer of the parameter; "auto" is conjugate gradients."""
        return resolve_optimizer(self.optimizer, ConjugateGradient())

    def make_schedule(self, affinities: Affinities, geometry: Geometry) -> Schedule:
        """Return the stages of annealing; with a fixed λ, a soft beginning and that λ.

        An array given as ``init`` is already unfolded: with a fixed λ it needs no soft beginning.
        """
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
        # Steep boundaries cut a heap of points anywhere, and under very soft ones the map unfolds
        # regardless of the labels; in between it unfolds and follows them.
        soft = min(SETTLE_STEPS, steps // 4)
        if soft < 1 or self.lam >= LAM_MIDDLE or not isinstance(self.init, str):
            return Schedule()
        return Schedule(
            (
                Stage(soft, optimizer, {"lam": LAM_MIDDLE * r}, name="settle"),
                Stage(1, optimizer, {"lam": self.lam * r}, name="release"),
            )
        )

    def to_objective(self, values: Mapping[str, float], geometry: Geometry) -> dict[str, Any]:
        """Return λ in coordinates, from units of the radius, and ρ."""
        found = dict(values)
        if "lam" in found:
            # The same product as in make_objective, so that the bits agree.
            found["lam"] = float(found["lam"]) * geometry.scale
        return found

    def to_sliders(self, values: Mapping[str, float], geometry: Geometry) -> dict[str, float]:
        """Return λ in units of the radius, from coordinates, and ρ."""
        found = dict(values)
        if "lam" in found:
            found["lam"] = found["lam"] / geometry.scale
        return found

    def n_classes_for(self, supervision: Supervision) -> int:
        """Return ``n_classes``, or the number of given directions, or that of named classes."""
        if self.n_classes is not None:
            return int(self.n_classes)
        if self._regular:
            return len(supervision.classes)
        return int(self._given_directions().shape[0])

    def with_room_for(self, supervision: Supervision) -> Self:
        """Return the recipe with room for all classes of ``supervision``.

        A number of classes that was given grows, and with it the dimensions that the simplex of
        directions needs: a label is never refused for want of room.
        """
        n_classes = len(supervision.classes)
        if self.n_classes is None or self.n_classes >= n_classes:
            return self
        changes: dict[str, Any] = {"n_classes": n_classes}
        d = self.n_components
        if self.directions is None and d is not None and d < n_classes - 1:
            changes["n_components"] = n_classes - 1
        return self.replace(**changes)

    def live_defaults(self, X: Any, supervision: Supervision) -> Self:
        """Return the recipe for a first switch: at least two classes, laid out on a plane."""
        if self.n_classes is not None:
            return self.in_plane()
        return self.replace(n_classes=max(2, len(supervision.classes))).in_plane()

    def in_plane(self) -> Self:
        """Return the recipe with directions on a circle where it leaves directions open.

        The simplex of K directions needs K − 1 dimensions and can only be seen in part; on a plane
        up to three directions on a circle *are* the simplex. A recipe that gives directions or
        dimensions is returned as it is.
        """
        if self.directions is not None or self.n_components is not None:
            return self
        return self.replace(directions="circle", n_components=2)

    def align(self, geometry: Geometry, Y: NDArray[Any], supervision: Supervision) -> Geometry:
        """Return the geometry after supervision changed.

        Directions that the user gave as an array keep their classes. See
        :mod:`nbembed.methods.mbed.class_directions`.
        """
        template = self._make_directions(self._count_classes(supervision))
        old = geometry.directions
        bound = labeled_classes(supervision)
        if old is None or old.shape != template.shape:
            return self._turned(geometry, template, Y, supervision)
        if not self._regular:
            return Geometry(geometry.scale, template, bound)
        return Geometry(geometry.scale, bind(old, geometry.bound, Y, supervision), bound)

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
        """Whether the directions are a regular set, so that classes may exchange them."""
        return self.directions is None or isinstance(self.directions, str)

    def _count_classes(self, supervision: Supervision | None) -> int:
        """Return K, or raise ValueError if it is not determined or two arguments disagree."""
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
        """Return the array of ``directions``, checked."""
        assert self.directions is not None
        return check_directions(self.directions)

    def _make_directions(self, n_classes: int) -> NDArray[np.float64]:
        """Return the class directions, shape (n_classes, n_components)."""
        given = self.n_components
        n_components = None if given is None else check_components(given)
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
        """Return the geometry with a new set of directions, rotated towards labeled points."""
        bound = labeled_classes(supervision)
        if not self._regular:
            return Geometry(geometry.scale, template, bound)
        classes: tuple[int, ...] = bound
        anchors = class_positions(fitted_columns(Y, template.shape[1]), supervision, bound)
        old = geometry.directions
        if old is not None:
            # Classes without points stay near their old directions.
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
