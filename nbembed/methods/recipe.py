"""Recipe: how a method's map is made, as a frozen value that estimators and sessions share.

    affinities = recipe.make_affinities(X, supervision)
    start      = recipe.make_start(X, affinities, supervision, rng)   # layout and geometry
    objective  = recipe.objective(affinities, supervision, start.geometry)
    run        = Run(objective, recipe.make_optimizer(), start.Y, recipe.make_schedule(...))

A recipe assembles; it computes nothing itself and is never fitted. Its fields are the method's
parameters; what each of them invalidates, which can be moved live, what is learned from labels and
what happens when classes are added is declared here once, so that a session and a widget know no
method by name. A recipe of your own is a frozen dataclass that derives from :class:`Recipe`; it can
be steered live like the built-in ones.
"""

from __future__ import annotations

import dataclasses
import functools
import math
from abc import ABC, abstractmethod
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any, ClassVar, Generic, Literal, Self, TypeVar

import numpy as np
from numpy.typing import NDArray

from nbembed.data.matrix_input import check_metric_applies
from nbembed.learning_metric import LearningMetric
from nbembed.methods.initialization import pca_layout
from nbembed.methods.learned_affinities import must_learn
from nbembed.methods.live_parameters import LiveParameter
from nbembed.methods.prepared_parameters import PREPARED, PreparedParameter
from nbembed.objectives.base import Objective
from nbembed.objectives.pinned import Pinned
from nbembed.optimizers.base import Optimizer
from nbembed.schedule import Schedule
from nbembed.supervision import Supervision
from nbembed.validation import shown

#: What a change can invalidate, along the data flow. "affinities": what the objective is made of;
#: "layout": the layout must be adopted anew; "alignment": the geometry must be aligned to the
#: supervision; "objective": cost and gradient; "optimizer": the rule of descent; "display": what is
#: shown and nothing else.
Part = Literal["affinities", "layout", "alignment", "objective", "optimizer", "display"]

#: What the shared parameters invalidate; ``()``: nothing before the next cold start.
INVALIDATES: Mapping[str, tuple[Part, ...]] = {
    "perplexity": ("affinities",),
    "metric": ("affinities",),
    "n_components": ("layout",),
    "n_jobs": ("objective",),
    "link_form": ("objective",),
    "propagate_labels": ("objective",),
    "optimizer": ("optimizer",),
    "tol": ("optimizer",),
    "init": (),
    "max_iter": (),
    "random_state": (),
}

A = TypeVar("A")


@dataclass(frozen=True)
class Geometry:
    """Quantities that a run measures or fixes once and all its objectives share.

    Attributes
    ----------
    scale : float
        The map's natural radius in coordinates; 1.0 for methods whose parameters have no unit.
        Mbed's λ is given to users in this unit.
    directions : ndarray of shape (n_classes, n_components) or None
        Class directions in the order of the supervision's classes, free ones after them (Mbed).
    bound : tuple of int
        Classes whose direction is settled because points carry their label; the others still go
        to where their first labels find them.
    reference : ndarray of shape (n_samples, n_components) or None
        The layout to which solutions that are unique up to a rotation are aligned, so that a
        slider moves the map steadily (spectral learners).
    """

    scale: float = 1.0
    directions: NDArray[Any] | None = None
    bound: tuple[int, ...] = ()
    reference: NDArray[Any] | None = None


@dataclass(frozen=True)
class Start:
    """The beginning of a run: a layout and its geometry."""

    Y: NDArray[Any]
    geometry: Geometry = Geometry()


@dataclass(frozen=True)
class PathStep:
    """A layout kept on the way through a schedule (Mbed's annealing path).

    Attributes
    ----------
    value : float
        Of the recipe's :attr:`Recipe.path_parameter`, in the units of its slider (Mbed: λ in units
        of the map's radius).
    embedding : ndarray of shape (n_samples, n_components)
        The layout at the end of the stage; read only.
    criterion : float
        By which the layouts of a path compete; the largest is best, ``nan`` does not compete.
    """

    value: float
    embedding: NDArray[Any] = dataclasses.field(repr=False)
    criterion: float


@dataclass(frozen=True, eq=False)
class Recipe(ABC, Generic[A]):
    """The recipe of a map: a frozen value; its dataclass fields are the method's parameters.

    ``A`` is what :meth:`make_affinities` returns: affinities for most methods, posteriors for
    Parametric Embedding, the data's subspace for spectral learners. Only the recipe looks inside.

    Attributes
    ----------
    name : str
        What sessions, logs and files call the method; by default the class's name without
        "Recipe".
    group : str
        Title under which the Explorer lists the method.
    summary : str
        What the method does, in some words, for the list.
    live_parameters : tuple of LiveParameter
        In the order of the sliders.
    prepared_parameters : tuple of PreparedParameter
        What a page offers beside the sliders, of those fields that the recipe has.
    invalidates : mapping of str to tuple of str
        What a change of each field that is no live parameter invalidates, beside the shared
        :data:`INVALIDATES`. A field that is declared nowhere counts as entering the affinities:
        too much work, never too little.
    shared : tuple of str
        Fields that describe the data rather than the method: a switch by name takes them along.
    path_parameter : str
        The live parameter by which layouts kept by the schedule are distinguished; "" without.
    class_count_parameter : str
        The field that sets the number of classes, which a page then offers; "" without.
    learns : str
        What :meth:`make_affinities` learns from labels, as people call it ("metric",
        "classifier").
    """

    name: ClassVar[str] = ""
    group: ClassVar[str] = "Others"
    summary: ClassVar[str] = ""
    live_parameters: ClassVar[tuple[LiveParameter, ...]] = ()
    prepared_parameters: ClassVar[tuple[PreparedParameter, ...]] = PREPARED
    invalidates: ClassVar[Mapping[str, tuple[Part, ...]]] = {}
    shared: ClassVar[tuple[str, ...]] = (
        "perplexity", "metric", "n_jobs", "random_state", "rho", "link_form", "propagate_labels",
        "algorithm",
    )  # fmt: skip
    path_parameter: ClassVar[str] = ""
    class_count_parameter: ClassVar[str] = ""
    learns: ClassVar[str] = "metric"

    def __init_subclass__(cls, **options: Any) -> None:
        super().__init_subclass__(**options)
        if "name" not in vars(cls):
            cls.name = cls.__name__.removesuffix("Recipe")

    # -- parameters --------------------------------------------------------------------------

    @property
    def parameters(self) -> dict[str, Any]:
        """The fields' values by name."""
        return {name: getattr(self, name) for name in field_names(type(self))}

    @property
    def one_thread(self) -> dict[str, int]:
        """The parameter that limits it to one thread, if it has one."""
        return {"n_jobs": 1} if "n_jobs" in self.parameters else {}

    def replace(self, **changes: Any) -> Self:
        """Return the recipe with some parameters changed.

        Raises
        ------
        ValueError
            A name that the recipe does not have.
        """
        names = field_names(type(self))
        for name in changes:
            if name not in names:
                raise ValueError(
                    f"{shown(name)} is not a parameter of {self.name}; "
                    f"allowed: {', '.join(sorted(names))}"
                )
        return dataclasses.replace(self, **changes)

    @classmethod
    def parts_entered(cls, name: str) -> tuple[Part, ...]:
        """Return the first parts of the data flow that the parameter ``name`` enters."""
        for parameter in cls.live_parameters:
            if parameter.name == name:
                return (parameter.invalidates,)
        return cls.invalidates.get(name, INVALIDATES.get(name, ("affinities",)))

    @abstractmethod
    def check(self, n_samples: int, supervision: Supervision) -> None:
        """Raise ValueError or TypeError, naming the argument, before any work starts."""

    def check_data(self, X: Any) -> None:
        """Raise ValueError where no map of these data can be made, whatever is known of the points.

        A live session asks when it begins, and again when a parameter that enters the affinities is
        changed: it may take a pass over the data. Otherwise as :meth:`check_feasible`.

        Parameters
        ----------
        X : ndarray or sparse array
            Checked data.
        """
        check_metric_applies(X, self.data_metric)

    def check_feasible(self, X: Any, supervision: Supervision) -> None:
        """Raise ValueError where a map cannot be made, though each parameter is legal.

        A live session refuses a command then, and so does its beginning. Scripts meet the same
        error while they fit. It is not a part of :meth:`check`, because logs and files of an
        earlier version, which took such a command and then failed, must stay readable. It is called
        at each label, so that a pass over the data belongs in :meth:`check_data`.

        Parameters
        ----------
        X : ndarray or sparse array
            Checked data.
        supervision : Supervision
        """

    def check_live(self, but: tuple[str, ...] = ()) -> None:
        """Check each live parameter against its own declaration, ``but`` those named."""
        for live in self.live_parameters:
            if live.name not in but:
                live.check(getattr(self, live.name))

    # -- what a session asks of any recipe ---------------------------------------------------

    @property
    def seed(self) -> int:
        """The seed of every random draw of a live map."""
        seed = getattr(self, "random_state", 0)
        return seed if isinstance(seed, int) else 0

    def seeded(self, seed: int | None = None) -> Self:
        """Return the recipe with a number in place of ``None`` or a generator as random state.

        Generators are drawn from once; a log can only hold a number.

        Parameters
        ----------
        seed : int, optional
            Takes the place of ``None``; by default a random number does.

        Raises
        ------
        ValueError
            If it is nothing that NumPy takes as a seed or generator.
        """
        if not hasattr(self, "random_state"):
            return self
        given = self.random_state
        fixed = seed if given is None and seed is not None else fixed_seed(given)
        return self if fixed is given else self.replace(random_state=fixed)

    def reseeded(self, seed: int) -> Self:
        """Return the recipe with another seed, if it has a random state."""
        return self.replace(random_state=seed) if hasattr(self, "random_state") else self

    def without_layout(self) -> Self:
        """Return the recipe with its default ``init``, if it was given a layout to begin with."""
        default = {f.name: f.default for f in dataclasses.fields(self) if f.name == "init"}
        layout = default and not isinstance(getattr(self, *default), str)
        return self.replace(**default) if layout else self

    @property
    def takes_layout(self) -> bool:
        """True if a fit may begin at a layout that is given as ``init``."""
        return any(f.name == "init" for f in dataclasses.fields(self))

    @property
    def tolerance(self) -> float:
        """The ``tol`` of the recipe's runs."""
        return float(getattr(self, "tol", 1e-4))

    @property
    def dimensions(self) -> int:
        """Dimensions of the map before there is one, as far as the fields say it."""
        d = given_dimensions(self)
        return 2 if d is None else d

    # -- the data ----------------------------------------------------------------------------

    @property
    def data_metric(self) -> Any:
        """The metric that the data are checked and first layouts are made with."""
        return getattr(self, "metric", "euclidean")

    @property
    def takes_distances(self) -> bool:
        """True if the data are dissimilarities of the points rather than features."""
        return isinstance(self.data_metric, str) and self.data_metric == "precomputed"

    @property
    def quality_metric(self) -> Any:
        """The metric in which a map's neighbors are judged: one that no label enters."""
        metric = self.data_metric
        return "euclidean" if isinstance(metric, LearningMetric) else metric

    # -- the parts of a run ------------------------------------------------------------------

    @abstractmethod
    def make_affinities(self, X: Any, supervision: Supervision | None = None) -> A:
        """Make the objective's input from checked data ``X``.

        ``supervision`` matters where :attr:`learns_from_labels`, and where its number of classes
        sets a scale (Mbed).
        """

    @abstractmethod
    def make_start(
        self, X: Any, affinities: A, supervision: Supervision, rng: np.random.Generator
    ) -> Start:
        """Return the first layout and its geometry for a cold start."""

    def first_layout(self, X: Any, rng: np.random.Generator) -> NDArray[Any] | None:
        """Return a layout to look at while affinities are made, ``None`` if none is made quickly.

        By default principal components. The map itself begins where :meth:`make_start` says.
        """
        if self.takes_distances:
            return None  # scaling takes as long as affinities
        return pca_layout(X, self.dimensions, self.data_metric, rng)

    @abstractmethod
    def adopt(
        self, Y: NDArray[Any], affinities: A, supervision: Supervision, rng: np.random.Generator
    ) -> Start:
        """Return a warm start from another method's layout, rescaled and padded to this one's."""

    @abstractmethod
    def make_objective(
        self, affinities: A, supervision: Supervision, geometry: Geometry
    ) -> Objective:
        """Return the objective at the present parameters; pins are no part of it."""

    def objective(self, affinities: A, supervision: Supervision, geometry: Geometry) -> Objective:
        """Return the objective of a run: :meth:`make_objective`, with pinned points held in place.

        The one place where pins take effect, for a script and a live session alike.
        """
        made = self.make_objective(affinities, supervision, geometry)
        return Pinned(made, supervision.pinned) if supervision.pinned.size else made

    @abstractmethod
    def make_optimizer(self) -> Optimizer:
        """Return the rule used after the schedule and in live steering."""

    def make_schedule(self, affinities: A, geometry: Geometry) -> Schedule:
        """Return the stages of a cold start; by default none."""
        return Schedule()

    # -- live parameters and the objective ---------------------------------------------------

    def to_objective(self, values: Mapping[str, float], geometry: Geometry) -> dict[str, Any]:
        """Translate values of the sliders to arguments of ``objective.with_parameters``.

        The objective that it then returns is to the last bit the one that :meth:`make_objective`
        of the recipe with these values makes. Parameters whose value follows from them ("auto")
        are included.
        """
        return dict(values)

    def updated_objective(
        self, objective: Objective, values: Mapping[str, float], geometry: Geometry
    ) -> Objective:
        """Return a running objective with live parameters changed; affinities are shared.

        Only those that invalidate "objective"; ``values`` are in the units of the sliders.
        """
        return objective.with_parameters(**self.to_objective(values, geometry))

    def to_sliders(self, values: Mapping[str, float], geometry: Geometry) -> dict[str, float]:
        """Return values of live parameters in the units of the sliders, from the objective's."""
        return dict(values)

    def live_values(self, objective: Objective, geometry: Geometry) -> dict[str, float]:
        """Return the present value of each live parameter in the units of its slider."""
        names = {parameter.name for parameter in self.live_parameters}
        found = {name: v for name, v in objective.parameters.items() if name in names}
        return self.to_sliders(found, geometry)

    # -- labels and classes ------------------------------------------------------------------

    @property
    def learns_from_labels(self) -> bool:
        """True if :meth:`make_affinities` learns from labels, so that new labels invalidate it.

        By default where the metric is a LearningMetric that is not fitted yet.
        """
        return must_learn(self.data_metric)

    def request(self, supervision: Supervision) -> str:
        """Return the request to label that the method needs to learn anything, "" if none."""
        if not self.learns_from_labels:
            return ""
        if np.unique(supervision.top_class[supervision.labeled]).size >= 2:
            return ""
        return f"Label points of two classes: the {self.learns} is learned from them"

    def n_classes_for(self, supervision: Supervision) -> int | None:
        """Return the number of classes that the map works with; ``None`` if there are none."""
        return None

    def with_room_for(self, supervision: Supervision) -> Self:
        """Return the recipe with room for all classes of ``supervision``.

        A label is never refused for want of room.
        """
        return self

    def renumbered(self, old: Sequence[str], new: Sequence[str]) -> Self:
        """Return the recipe after classes got other numbers, for example because one was removed.

        What parameters say class by class, as Mbed's arrays of directions do, follows the classes.

        Parameters
        ----------
        old, new : sequence of str
            The names of the classes before and after.
        """
        return self

    def align(self, geometry: Geometry, Y: NDArray[Any], supervision: Supervision) -> Geometry:
        """Return the geometry after supervision changed (Mbed binds class directions here)."""
        return geometry

    def memberships(self, Y: NDArray[Any], objective: Objective) -> NDArray[Any] | None:
        """Return class probabilities (n_samples, n_classes) to color by, if the method has any."""
        return None

    def region_centers(
        self, Y: NDArray[Any], objective: Objective
    ) -> tuple[NDArray[Any], NDArray[Any]] | None:
        """Return the centers that classes have regions around, and the class of each (Mbed).

        They are a function of the layout and no part of it; a point is of the class of the center
        that is nearest.
        """
        return None

    def center_names(self, supervision: Supervision) -> tuple[str, ...]:
        """Return the names of the centers that follow the points in a layout, if there are any.

        A layout may have more rows than there are points: Parametric Embedding places the centers
        of its classes along with them.
        """
        return ()

    @classmethod
    def has_centers(cls) -> bool:
        """Return whether layouts of this kind may have rows after the points."""
        return cls.center_names is not Recipe.center_names

    def path_criterion(self, Y: NDArray[Any], objective: Objective) -> float:
        """Return the criterion by which layouts of a path compete (Mbed), else nan."""
        return math.nan

    # -- in a session ------------------------------------------------------------------------

    def live_defaults(self, X: Any, supervision: Supervision) -> Self:
        """Return the recipe for a live session's first switch to this method by name.

        Called on the recipe at its defaults, with the shared fields of the present method. Where
        the defaults of a script are of no use live, this is the place to say what is.
        """
        return self

    def live(self, n_samples: int) -> Self:
        """Return the recipe as a live session of so many points keeps it.

        A parameter whose "auto" means another thing live than in a script has its value here, so
        that the session's script and :meth:`~nbembed.Session.method` say it.
        """
        return self

    def waits_for(self, supervision: Supervision) -> str:
        """Return the input that a live map needs before it moves at all, in words; "" if none."""
        return ""

    def in_plane(self) -> Self:
        """Return the recipe laid out on a plane, where it leaves its dimensions open."""
        return self


@functools.lru_cache(maxsize=128)
def field_names(kind: type[Recipe[Any]]) -> tuple[str, ...]:
    """Return the names of a recipe class's fields; a session asks for them at every command."""
    return tuple(field.name for field in dataclasses.fields(kind))


def fixed_seed(random_state: Any) -> int:
    """Return a number for ``random_state``; raise ValueError if NumPy takes no such seed."""
    if isinstance(random_state, int | np.integer) and not isinstance(random_state, bool):
        return int(random_state)
    if random_state is None:
        return int(np.random.default_rng().integers(2**31))
    if isinstance(random_state, np.random.Generator):
        return int(random_state.integers(2**31))
    if isinstance(random_state, np.random.RandomState):
        return int(random_state.randint(2**31 - 1))
    raise ValueError(
        f"random_state must be None, an integer or a numpy generator, got {shown(random_state)}"
    )


def given_dimensions(recipe: Recipe[Any]) -> int | None:
    """Return the dimensions of the map where a field gives them, ``None`` where none does."""
    d = getattr(recipe, "n_components", None)
    return d if isinstance(d, int) else None
