"""The parameters of Mbed: what they may be, and what the words among them mean."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, replace
from typing import Any, ClassVar, Literal, Self

import numpy as np
from numpy.typing import ArrayLike, NDArray

from nbembed.affinities import Affinities
from nbembed.affinities.making import check_all_pairs, check_global_memory
from nbembed.affinities.rows import (
    check_memory_of_pairs,
    check_perplexity_of_stored,
    neighbors_of_perplexity,
)
from nbembed.data.class_probabilities import check_class_prior
from nbembed.data.distances import fewest_stored
from nbembed.kernels.grid.size import AXES
from nbembed.methods.algorithm import (
    INSTEAD,
    SHARED_BUT_ALGORITHM,
    AlgorithmChoice,
    check_algorithm,
    wants_grid,
)
from nbembed.methods.live_parameters import LiveParameter
from nbembed.methods.neighbor_base import RHO
from nbembed.methods.recipe import Part, Recipe
from nbembed.methods.settings import check_init, check_shared
from nbembed.objectives import circle, simplex
from nbembed.objectives.cannot_links import check_neighbors_left
from nbembed.objectives.checks import Algorithm
from nbembed.objectives.directions import check_directions
from nbembed.objectives.link_shares import LinkForm
from nbembed.supervision import Supervision
from nbembed.supervision.class_changes import new_numbers
from nbembed.validation import (
    check_choice,
    check_components,
    check_count,
    check_perplexity,
    check_real,
    shown,
)

#: Algorithm 1: steps of the crude SNE (s0) and number of annealing stages.
CRUDE_STEPS = 10
STAGES = 19
#: A λ in units of r at which boundaries have an effect but can still be crossed: where the slider
#: stands before a run, where an adopted map continues while ``lam`` is "anneal", and where a run
#: with a smaller fixed λ spends its first iterations.
LAM_MIDDLE = 1.0

RHO_OF_LINKS = (
    "How much links count against the data: 0 ignores them, 1 sees nothing else. Labels do not act "
    "as links here: they say on which side of the margin a point belongs."
)
#: What ``init`` may be beside an array.
INITS = ("auto", "noise", "pca")
#: What ``directions`` may be beside None and an array.
DIRECTIONS = ("circle", "centers", "plane")
#: Classes that a circle in the plane holds at equal angles to each other.
MOST_ON_CIRCLE = 3


@dataclass(frozen=True, eq=False, kw_only=True)
class MbedParameters(Recipe[Affinities]):
    """Base of Mbed's recipe: its fields, their checks, and the number of classes."""

    group: ClassVar[str] = "Begin with"

    #: "grid" is refused with affinity="global".
    shared: ClassVar[tuple[str, ...]] = SHARED_BUT_ALGORITHM

    live_parameters: ClassVar[tuple[LiveParameter, ...]] = (
        LiveParameter(
            "lam",
            "λ",
            0.05,
            20.0,
            LAM_MIDDLE,
            "Softness of class boundaries, in radii of the map: less widens the margin.",
            scale="log",
            minimum=1e-9,
            maximum=1e9,
        ),
        LiveParameter(
            "alpha",
            "α",
            0.0,
            3.0,
            1.0,
            "How heavy the tails are: more separates clusters. 0 with class directions is SNE.",
            step=0.01,
            minimum=0.0,
            maximum=1e6,
        ),
        replace(RHO, description=RHO_OF_LINKS, needs="must-links"),
    )

    invalidates: ClassVar[Mapping[str, tuple[Part, ...]]] = {
        "affinity": ("affinities",),
        "directions": ("layout",),
        "n_classes": ("affinities", "alignment"),
        "class_prior": ("objective",),
        "margin_weight": ("objective",),
        "label_distance": ("objective",),
        "n_init": (),
    }
    path_parameter: ClassVar[str] = "lam"
    class_count_parameter: ClassVar[str] = "n_classes"

    n_components: int | None = None
    n_classes: int | None = None
    directions: ArrayLike | str | None = None
    alpha: float | Literal["auto"] = "auto"
    lam: float | str = "anneal"
    margin_weight: float = 1.0
    class_prior: ArrayLike | None = None
    label_distance: float = 2.0
    affinity: str = "auto"
    init: str | ArrayLike = "auto"
    n_init: int = 1
    rho: float = RHO.default
    link_form: LinkForm = "structured"
    perplexity: float | Literal["auto"] = "auto"
    metric: str | Callable[..., float] | Any = "euclidean"
    algorithm: AlgorithmChoice = "auto"
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
        n_components = self._dimensions(n_classes)
        if isinstance(self.alpha, str) and self.alpha != "auto":
            raise ValueError(f'alpha must be "auto" or a number, got {shown(self.alpha)}')
        if isinstance(self.lam, str):
            if self.lam != "anneal":
                raise ValueError(f'lam must be "anneal" or a number, got {shown(self.lam)}')
            check_count("max_iter", self.max_iter, low=CRUDE_STEPS + STAGES)
        else:
            check_count("max_iter", self.max_iter, low=CRUDE_STEPS + 1)
        check_real("margin_weight", self.margin_weight, low=0)
        check_real("label_distance", self.label_distance, low=0, open_low=True)
        if self.class_prior is not None:
            check_class_prior(self.class_prior, n_classes)
        check_choice("affinity", self.affinity, ("auto", "global", "perplexity"))
        check_algorithm(self.algorithm, n_components)
        if self.algorithm == "grid" and self.affinity == "global":
            raise ValueError(
                "algorithm='grid' needs affinity='perplexity', got 'global'; use algorithm "
                "'exact' or 'auto'"
            )
        check_count("n_init", self.n_init)
        self.check_live(
            but=tuple(name for name in ("lam", "alpha") if isinstance(getattr(self, name), str))
        )
        check_shared(self, n_samples, supervision)
        check_init(self.init, INITS, n_samples, n_components)

    def check_data(self, X: Any) -> None:
        """Raise ValueError also where sparse dissimilarities lack what the affinity needs."""
        super().check_data(X)
        if self._by_perplexity:
            check_perplexity_of_stored(self.perplexity, fewest_stored(X, self.data_metric))
        else:
            check_all_pairs(X, self.data_metric)

    def check_feasible(self, X: Any, supervision: Supervision) -> None:
        """Raise ValueError where a map cannot be made.

        That is where cannot-links leave no neighbor, or affinities of all pairs take more memory
        than there is.
        """
        super().check_feasible(X, supervision)
        check_neighbors_left(supervision)
        self._check_memory(X.shape[0])

    def n_classes_for(self, supervision: Supervision) -> int:
        """Return ``n_classes``, or the number of given directions, or that of named classes."""
        if self.n_classes is not None:
            return int(self.n_classes)
        if self._named:
            return len(supervision.classes)
        return int(self._given_directions().shape[0])

    def with_room_for(self, supervision: Supervision) -> Self:
        """Return the recipe with room for all classes of ``supervision``.

        A number of classes that was given grows, and with it the dimensions that the simplex of
        directions needs: a label is never refused for want of room.
        """
        n_classes = len(supervision.classes)
        on_plane = isinstance(self.directions, str) and self.directions == "plane"
        if self.n_classes is None and on_plane and n_classes:
            return self.replace(n_classes=n_classes)  # what the word means depends on it
        if self.n_classes is None or self.n_classes >= n_classes:
            return self
        changes: dict[str, Any] = {"n_classes": n_classes}
        d = self.n_components
        if self.directions is None and d is not None and d < n_classes - 1:
            changes["n_components"] = n_classes - 1
        return self.replace(**changes)

    def renumbered(self, old: Sequence[str], new: Sequence[str]) -> Self:
        """Return the recipe with the rows of directions and the priors in the order of new classes.

        The row of a class that was removed becomes free.
        """
        if tuple(old) == tuple(new):
            return self
        changes = {}
        for name in ("directions", "class_prior"):
            given = getattr(self, name)
            if given is None or isinstance(given, str):
                continue
            numbers = new_numbers(old, new, len(given))
            if len(numbers) == len(given) and numbers != sorted(numbers):
                changes[name] = _reordered(given, np.argsort(numbers).tolist())
        return self.replace(**changes) if changes else self

    def live_defaults(self, X: Any, supervision: Supervision) -> Self:
        """Return the recipe for a first switch: at least two classes, laid out on a plane.

        Many points have a width each, for which there is the grid; one width takes all pairs.
        """
        found = self
        if self.n_classes is None:
            found = found.replace(n_classes=max(2, len(supervision.classes)))
        if self.affinity == "auto" and wants_grid(self.algorithm, X.shape[0]):
            found = found.replace(affinity="perplexity")
        return found.in_plane()

    def in_plane(self) -> Self:
        """Return the recipe laid out on the plane where it leaves directions open.

        The simplex of K directions needs K − 1 dimensions and can only be seen in part. On a plane
        up to three directions on a circle *are* the simplex; more classes have regions around
        centers. A recipe that gives directions or dimensions is returned as it is.
        """
        if self.directions is not None or self.n_components is not None:
            return self
        return self.replace(directions="plane", n_components=2)

    @property
    def steps(self) -> int:
        """Iterations that ``max_iter`` leaves after the start."""
        return self.max_iter if self._heavy else self.max_iter - CRUDE_STEPS

    @property
    def tails(self) -> float:
        """α as a number."""
        if isinstance(self.alpha, str):
            return 1.0 if self._has_centers else 0.0
        return float(self.alpha)

    def neighbors_for(self, n_samples: int) -> int | None:
        """Return the number of neighbors in each row of the affinities; None for all pairs."""
        if not (self._by_perplexity and wants_grid(self.algorithm, n_samples)):
            return None
        perplexity = check_perplexity(self.perplexity, n_samples)
        return neighbors_of_perplexity(perplexity, n_samples - 1)

    def algorithm_for(self, n_samples: int, n_components: int) -> Algorithm:
        """Return the algorithm that sums the pairs of so many points in ``n_components``."""
        if self.neighbors_for(n_samples) is None or n_components not in AXES:
            return "exact"
        return "grid"

    def _check_memory(self, n_samples: int) -> None:
        """Raise where affinities of all pairs do not fit, in the two forms that they are kept in.

        Those are the rows, and the order in which pairs are visited or the joint form.
        """
        if not self._by_perplexity:
            check_global_memory(n_samples, forms=2)
        elif self.neighbors_for(n_samples) is None:
            check_memory_of_pairs(n_samples, forms=2, instead=INSTEAD)

    @property
    def _by_perplexity(self) -> bool:
        """True if each point has a width of its own rather than all points the same one.

        One width loses a manifold that a few labels are to be carried along.
        """
        return self.affinity == "perplexity" or (
            self.affinity == "auto" and (self._has_centers or self.algorithm == "grid")
        )

    @property
    def _named(self) -> bool:
        """True if ``directions`` leaves them to the recipe."""
        return self.directions is None or isinstance(self.directions, str)

    @property
    def _regular(self) -> bool:
        """True if the directions are a regular set, so that classes may exchange them."""
        return self._named and not self._has_centers

    @property
    def _has_centers(self) -> bool:
        """True if classes have centers rather than directions."""
        if not isinstance(self.directions, str):
            return False
        if self.directions == "plane":
            return self.n_classes is not None and self.n_classes > MOST_ON_CIRCLE
        return self.directions == "centers"

    @property
    def _heavy(self) -> bool:
        """True if neighborhoods are heavy-tailed and joint rather than the paper's rows."""
        return self._has_centers or self.tails > 0

    def _count_classes(self, supervision: Supervision | None) -> int:
        """Return K, or raise ValueError if it is not determined or two arguments disagree."""
        named = 0 if supervision is None else len(supervision.classes)
        n_classes = None
        if self.n_classes is not None:
            n_classes = check_count("n_classes", self.n_classes)
        rows = None if self._named else self._given_directions().shape[0]
        if rows is not None and n_classes is not None and rows != n_classes:
            raise ValueError(
                f"directions must have one row for each of n_classes = {n_classes}, got {rows}"
            )
        found = rows if n_classes is None else n_classes
        if found is None:
            if named == 0:
                raise ValueError(
                    "n_classes must be an integer of at least 1 when neither y nor supervision "
                    "names a class, got None"
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
            self._check_word()
            return circle(n_classes, 2 if n_components is None else n_components)
        directions = self._given_directions()
        if n_components is not None and directions.shape[1] != n_components:
            raise ValueError(
                f"directions must have n_components = {n_components} columns, "
                f"got {directions.shape[1]}"
            )
        return directions

    def _check_word(self) -> None:
        if isinstance(self.directions, str) and self.directions not in DIRECTIONS:
            words = ", ".join(f'"{word}"' for word in DIRECTIONS)
            raise ValueError(
                f"directions must be None, {words} or an array, got {shown(self.directions)}"
            )

    def _dimensions(self, n_classes: int) -> int:
        """Return d, or raise ValueError where directions and dimensions disagree."""
        self._check_word()
        if not self._has_centers:
            return int(self._make_directions(n_classes).shape[1])
        return 2 if self.n_components is None else check_components(self.n_components)


def _reordered(rows: Any, order: list[int]) -> Any:
    """Return rows in another order, a list as a list: an undo is known by equal parameters."""
    if isinstance(rows, list | tuple):
        return type(rows)(rows[k] for k in order)
    array = np.asarray(rows)[order]
    array.flags.writeable = False
    return array
