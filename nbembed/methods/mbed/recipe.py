"""The recipe of Mbed: how a large-margin map is made.

    minimize  Σ_i KL(p_i ‖ q_i) − w (A + B) + D

"Large Margin Non-Linear Embedding"; the cost is in :mod:`nbembed.objectives.large_margin`. This is
its Algorithm 1: a crude SNE of ten steps gives the radius r of the map; from near the origin the
steepness λ of the class boundaries is then annealed from 20 r to 0.2 r in nineteen stages.

One step is added to it. From a random start, classes unfold wherever the noise puts them, and later
few labels cannot pull them past one another. So where there are labels the crude SNE is continued
for some steps, the class directions are rotated towards the positions of the labeled points, and
the second start is this map, shrunk, instead of noise (``docs/decisions/0008``). With
``init="noise"`` and ``label_distance=1`` the algorithm is the printed one.

``alpha`` above 0 and ``directions="centers"`` are another method under the same name, ours: the
cost is in :mod:`nbembed.objectives.heavy_tailed_margin`, its start and its path in
:mod:`nbembed.methods.mbed.heavy_tailed`, its centers in :mod:`nbembed.methods.mbed.pieces`.
"""

from __future__ import annotations

import math
from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any, ClassVar

import numpy as np
from numpy.typing import NDArray

from nbembed.affinities import Affinities, global_affinities, perplexity_affinities
from nbembed.kernels.inner_product import rms_radius
from nbembed.measures import hotelling_lawley
from nbembed.methods.hssne import COMPACTNESS, HSSNERecipe
from nbembed.methods.initialization import (
    JITTER,
    fitted_to,
    noise,
    padded,
    pca_layout,
    unfolded,
)
from nbembed.methods.learned_affinities import fitted_metric
from nbembed.methods.mbed import heavy_tailed
from nbembed.methods.mbed.class_directions import (
    bind,
    class_positions,
    fitted_columns,
    labeled_classes,
    rotation,
    turn,
)
from nbembed.methods.mbed.parameters import (
    CRUDE_STEPS,
    INITS,
    LAM_MIDDLE,
    STAGES,
    MbedParameters,
)
from nbembed.methods.mbed.pieces import make_centers, none_of
from nbembed.methods.recipe import Geometry, Start
from nbembed.methods.settings import check_init, resolve_optimizer
from nbembed.objectives import SNE, LargeMargin, Pinned
from nbembed.objectives.heavy_tailed_margin import HeavyTailedMargin, links_alone
from nbembed.objectives.regions import Rays
from nbembed.optimizers import ConjugateGradient, MomentumGradient, MomentumLBFGS, Optimizer
from nbembed.run import Run
from nbembed.schedule import Schedule, Stage
from nbembed.supervision import Supervision

#: Algorithm 1: variance of the crude SNE's start, variance of the second start in units of r, and λ
#: at the ends of the annealing in units of r.
CRUDE_VARIANCE = 0.1
START_VARIANCE = 1e-3
LAM_FIRST, LAM_LAST = 20.0, 0.2
#: Further steps of the crude SNE where labels decide the map's orientation.
TURN_STEPS = 40
#: Iterations at a middle λ with which a run at a smaller fixed one begins.
SETTLE_STEPS = 26


@dataclass(frozen=True, eq=False, kw_only=True)
class MbedRecipe(MbedParameters):
    """The recipe of Mbed's maps; the parameters are those of :class:`~nbembed.Mbed`."""

    summary: ClassVar[str] = "gives each class a region of the map"

    def make_affinities(self, X: Any, supervision: Supervision | None = None) -> Affinities:
        """Return rows of neighbor probabilities: of one width for all points, or of a perplexity.

        Without ``n_classes`` the global width needs the supervision's number of classes.
        """
        n = X.shape[0]
        self._check_memory(n)
        metric = fitted_metric(
            self.metric, X, supervision, random_state=self.random_state, n_jobs=self.n_jobs
        )
        if self._by_perplexity:
            return perplexity_affinities(
                X,
                self.perplexity,
                metric,
                n_neighbors=self.neighbors_for(n),
                dtype=np.float32,
                n_jobs=self.n_jobs,
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

        Without labels, or with ``init="noise"``, they are noise, as in the paper; with labels else,
        the crude map made small. With ``init="pca"`` they are principal components, equally small.
        Where there are labels and the start is not noise, the directions (or, where the user gave
        them, the map) are rotated so that the two agree. An array given as ``init`` is taken as it
        is, and only the directions may be rotated.

        With heavy tails it is HSSNE's map, see :mod:`nbembed.methods.mbed.heavy_tailed`.
        """
        if self._heavy:
            return self._heavy_start(X, affinities, supervision, rng)
        directions = self._make_directions(self._count_classes(supervision))
        n_components = directions.shape[1]
        given = check_init(self.init, INITS, affinities.n_samples, n_components)
        crude, radius = self._crude_map(affinities, n_components, rng)
        size = math.sqrt(START_VARIANCE * radius)
        geometry = Geometry(radius, directions, labeled_classes(supervision))
        turned = geometry.bound and self._regular
        if given is not None:
            given = unfolded(given, supervision.pinned)
            if turned:
                geometry = self._turned(Geometry(radius), directions, given, supervision)
            return Start(given.astype(affinities.dtype), geometry)
        if self.init == "pca":
            Y = pca_layout(X, n_components, self.metric, rng)
        elif geometry.bound and self.init != "noise":
            Y = crude.step(TURN_STEPS).embedding.astype(np.float64)
        else:
            return Start(noise(affinities.n_samples, n_components, size, rng), geometry)
        Y -= Y.mean(axis=0)
        if turned:
            geometry = self._turned(Geometry(radius), directions, Y, supervision)
        elif geometry.bound:
            anchors = class_positions(Y, supervision, geometry.bound)
            Y = Y @ rotation(anchors, directions[list(geometry.bound)])
        return Start(np.asarray(Y * (size / rms_radius(Y)), dtype=affinities.dtype), geometry)

    def adopt(
        self,
        Y: NDArray[Any],
        affinities: Affinities,
        supervision: Supervision,
        rng: np.random.Generator,
    ) -> Start:
        """Return ``Y`` with the radius of a crude SNE, and directions rotated to labeled points.

        With heavy tails it is kept where it is a map of HSSNE, else made anew from its shape.
        """
        if self._heavy:
            n_components = self._dimensions(self._count_classes(supervision))
            links = links_alone(supervision)
            Y = heavy_tailed.adopted_map(
                self._map_recipe(affinities.n_samples, n_components),
                Y,
                affinities.joint(),
                links,
                rng,
            )
            return self._placed(Y, affinities, supervision)
        template = self._make_directions(self._count_classes(supervision))
        n_components = template.shape[1]
        _, radius = self._crude_map(affinities, n_components, rng)
        shape = fitted_to(Y, n_components)
        size = rms_radius(shape)
        if size > 0:
            # Padding reduces the mean spread of the dimensions; the visible map has radius r.
            shape = shape * (radius / size)
        Y = padded(shape, n_components, JITTER * radius, rng)
        geometry = Geometry(radius, template)
        return Start(Y, self._turned(geometry, template, Y, supervision))

    def make_objective(
        self, affinities: Affinities, supervision: Supervision, geometry: Geometry
    ) -> LargeMargin | HeavyTailedMargin:
        """Return the cost at the present λ (while annealing, the schedule sets it)."""
        steady = heavy_tailed.LAM_STEADY if self._has_centers else LAM_MIDDLE
        lam = steady if isinstance(self.lam, str) else float(self.lam)
        if self._heavy:
            return self._heavy_objective(affinities, supervision, geometry, lam * geometry.scale)
        if geometry.directions is None:
            raise ValueError(
                "geometry must have directions; make_start() and adopt() return such a geometry"
            )
        return LargeMargin(
            affinities,
            lam * geometry.scale,
            geometry.directions,
            supervision,
            rho=self.rho,
            link_form=self.link_form,
            algorithm=self.algorithm_for(affinities.n_samples, geometry.directions.shape[1]),
            margin_weight=self.margin_weight,
            class_prior=self.class_prior,
            label_distance=self.label_distance * geometry.scale,
            n_jobs=self.n_jobs,
        )

    def make_optimizer(self) -> Optimizer:
        """Return the optimizer of the parameter.

        "auto" is conjugate gradients as in the paper, and with heavy tails that of HSSNE: momentum,
        then L-BFGS. While λ is annealed it is momentum alone.
        """
        auto = MomentumLBFGS() if self._heavy else ConjugateGradient()
        return resolve_optimizer(self.optimizer, auto)

    def make_schedule(self, affinities: Affinities, geometry: Geometry) -> Schedule:
        """Return the stages of annealing; with a fixed λ, a soft beginning and that λ.

        An array given as ``init`` is already unfolded: with a fixed λ it needs no soft beginning.
        """
        r, steps = geometry.scale, self.steps
        auto = MomentumGradient() if self._heavy else ConjugateGradient()
        optimizer = resolve_optimizer(self.optimizer, auto)
        if isinstance(self.lam, str):
            ends, stages = (LAM_FIRST, LAM_LAST), STAGES
            if self._heavy:
                stages = heavy_tailed.STAGES
                ends = heavy_tailed.LAM_DIRECTIONS
                if self._has_centers:
                    ends = heavy_tailed.LAM_CENTERS
            each, more = divmod(steps, stages)
            lams = np.geomspace(*ends, stages)
            return Schedule(
                tuple(
                    Stage(each + (j < more), optimizer, {"lam": lam * r}, keep=True, name="anneal")
                    for j, lam in enumerate(lams.tolist())
                )
            )
        # Steep boundaries cut a heap of points anywhere, and under very soft ones the map unfolds
        # regardless of the labels; in between it unfolds and follows them.
        soft = min(SETTLE_STEPS, steps // 4)
        unfolded = self._heavy or not isinstance(self.init, str)
        if soft < 1 or self.lam >= LAM_MIDDLE or unfolded:
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

    def updated_objective(
        self, objective: Any, values: Mapping[str, float], geometry: Geometry
    ) -> Any:
        """Return a running objective with live parameters changed; affinities are shared.

        Between α = 0, the paper's rows, and α > 0 it is another cost on the same affinities.
        """
        if "alpha" not in values:
            return super().updated_objective(objective, values, geometry)
        moved = self.replace(alpha=values["alpha"])
        plain = _plain(objective)
        if moved._heavy != isinstance(plain, HeavyTailedMargin):
            in_force = {name: objective.parameters[name] for name in ("lam", "rho")}
            made = moved.objective(plain.affinities, plain.supervision, geometry)
            objective = made.with_parameters(**in_force)
        if not moved._heavy:
            values = {name: value for name, value in values.items() if name != "alpha"}
        return super().updated_objective(objective, values, geometry) if values else objective

    def live_values(self, objective: Any, geometry: Geometry) -> dict[str, float]:
        """Return the present value of each live parameter; the paper's rows are α = 0."""
        return {"alpha": 0.0, **super().live_values(objective, geometry)}

    def align(self, geometry: Geometry, Y: NDArray[Any], supervision: Supervision) -> Geometry:
        """Return the geometry after supervision changed.

        Directions that the user gave as an array keep their classes. See
        :mod:`nbembed.methods.mbed.class_directions`. Centers are a function of the labels and of
        the geometry's map, which stays.
        """
        if self._has_centers:
            return geometry if geometry.reference is not None else self._center_geometry(Y)
        template = self._make_directions(self._count_classes(supervision))
        old = geometry.directions
        bound = labeled_classes(supervision)
        if old is None or old.shape != template.shape:
            return self._turned(geometry, template, Y, supervision)
        if not self._regular:
            return Geometry(geometry.scale, template, bound)
        return Geometry(geometry.scale, bind(old, geometry.bound, Y, supervision), bound)

    def memberships(self, Y: NDArray[Any], objective: Any) -> NDArray[Any] | None:
        """Return the class probabilities at ``Y``, shape (n_samples, n_classes).

        Rows of points that are of none of the classes are 0.
        """
        membership = np.asarray(objective.membership(Y))
        none = none_of_these(objective)
        return membership if none is None else membership * ~none[:, None]

    def path_criterion(self, Y: NDArray[Any], objective: Any) -> float:
        """Return the Hotelling–Lawley trace of the predicted classes; NaN where one is empty.

        With heavy tails the labels are asked first, see
        :func:`nbembed.methods.mbed.heavy_tailed.agreement`.
        """
        membership = objective.membership(Y)
        predicted = membership.argmax(axis=1)
        found = np.unique(predicted).size
        if found < (2 if self._has_centers else objective.n_classes) or objective.n_classes < 2:
            return math.nan
        trace = float(hotelling_lawley(Y, predicted))
        if not self._heavy:
            return trace
        agreeing = heavy_tailed.agreement(Y, objective.supervision, membership)
        return heavy_tailed.criterion(agreeing, trace)

    def region_centers(
        self, Y: NDArray[Any], objective: Any
    ) -> tuple[NDArray[np.float64], NDArray[np.intp]] | None:
        """Return the centers of the class regions, and the class of each."""
        if not self._has_centers or not isinstance(_plain(objective), HeavyTailedMargin):
            return None
        return objective.places(Y), objective.regions.owners

    # -- heavy tails -------------------------------------------------------------------------

    def _map_recipe(self, n_samples: int, n_components: int) -> HSSNERecipe:
        """Return the recipe of the map that the boundaries harden on."""
        words = {"auto": "pca", "noise": "random"}
        init = words.get(self.init, self.init) if isinstance(self.init, str) else self.init
        return HSSNERecipe(
            n_components=n_components,
            alpha=self.tails,
            rho=self.rho,
            link_form=self.link_form,
            metric=self.metric,
            init=init,
            algorithm=self.algorithm_for(n_samples, n_components),
            max_iter=self.max_iter,
            n_jobs=self.n_jobs,
        )

    def _heavy_start(
        self,
        X: Any,
        affinities: Affinities,
        supervision: Supervision,
        rng: np.random.Generator,
    ) -> Start:
        d = self._dimensions(self._count_classes(supervision))
        recipe = self._map_recipe(affinities.n_samples, d)
        joint, links = affinities.joint(), links_alone(supervision)
        if isinstance(recipe.init, str):
            Y = heavy_tailed.first_map(recipe, X, joint, links, rng)
        else:
            held = links.pin(supervision.pinned) if supervision.pinned.size else links
            Y = recipe.make_start(X, joint, held, rng).Y
            if not np.array_equal(Y, recipe.init):  # it lay on a line, and is no map yet
                Y = heavy_tailed.first_map(recipe.replace(init=Y), X, joint, held, rng)
        return self._placed(Y, affinities, supervision)

    def _placed(self, Y: NDArray[Any], affinities: Affinities, supervision: Supervision) -> Start:
        """Return a heavy-tailed map with its radius, and directions rotated to labeled points."""
        Y = np.asarray(Y, dtype=affinities.dtype)
        if self._has_centers:
            return Start(Y, self._center_geometry(Y))
        template = self._make_directions(self._count_classes(supervision))
        geometry = Geometry(heavy_tailed.radius(Y), template)
        return Start(Y, self._turned(geometry, template, Y, supervision))

    def _center_geometry(self, Y: NDArray[Any]) -> Geometry:
        reference = np.array(Y)
        reference.flags.writeable = False
        return Geometry(heavy_tailed.radius(Y), reference=reference)

    def _heavy_objective(
        self, affinities: Affinities, supervision: Supervision, geometry: Geometry, lam: float
    ) -> HeavyTailedMargin:
        regions: Any
        prior = self.class_prior
        n_classes = self._count_classes(supervision)
        none = none_of(affinities, supervision, n_classes, self.n_jobs)
        if self._has_centers:
            if geometry.reference is None:
                raise ValueError(
                    "geometry must have a reference; make_start() and adopt() "
                    "return such a geometry"
                )
            n_components = geometry.reference.shape[1]
            regions = make_centers(geometry.reference, supervision, n_classes, none)
            if prior is None:
                # Estimated from the labels, as far as they have been propagated; never zero.
                mass = regions.targets[regions.counted].sum(axis=0) + 1
                prior = mass / mass.sum()
        elif geometry.directions is None:
            raise ValueError(
                "geometry must have directions; make_start() and adopt() return such a geometry"
            )
        else:
            n_components = geometry.directions.shape[1]
            distance = self.label_distance * geometry.scale
            regions = Rays(geometry.directions, distance, ~none)
        return HeavyTailedMargin(
            affinities,
            lam,
            regions,
            supervision,
            alpha=self.tails,
            rho=self.rho,
            link_form=self.link_form,
            algorithm=self.algorithm_for(affinities.n_samples, n_components),
            compactness=COMPACTNESS,
            margin_weight=self.margin_weight,
            class_prior=prior,
            n_jobs=self.n_jobs,
        )

    # -- directions --------------------------------------------------------------------------

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
        algorithm = self.algorithm_for(affinities.n_samples, n_components)
        sne = SNE(affinities, algorithm=algorithm, n_jobs=self.n_jobs)
        crude = Run(sne, ConjugateGradient(), Y).step(CRUDE_STEPS)
        stds = np.std(crude.embedding, axis=0, dtype=np.float64)
        return crude, float(np.exp(np.mean(np.log(np.maximum(stds, 1e-3)))))


def none_of_these(objective: Any) -> NDArray[np.bool_] | None:
    """Return a mask of the points of no class, ``None`` where that is not asked."""
    counted = getattr(getattr(_plain(objective), "regions", None), "counted", None)
    return None if counted is None else ~counted


def _plain(objective: Any) -> Any:
    """Return an objective without its pins."""
    return objective.inner if isinstance(objective, Pinned) else objective
