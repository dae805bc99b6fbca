"""Settings: what a session's map is made with — recipe and supervision — as one value.

Undo is a list of past settings; what must be recomputed is read off two of them
(:mod:`nbembed.session.core.invalidation`). A value is never changed, so any thread may hold one.
"""

from __future__ import annotations

import copy
from collections.abc import Mapping
from dataclasses import dataclass, field, replace
from types import MappingProxyType
from typing import TYPE_CHECKING, Any

import numpy as np

from nbembed.methods.estimator import Estimator
from nbembed.methods.recipe import Recipe, field_names
from nbembed.session.core.estimators import is_estimator
from nbembed.session.core.label_origins import LabelOrigins, after_labeling
from nbembed.session.core.provenance import Provenance
from nbembed.session.core.serialization import description, same
from nbembed.supervision import Supervision
from nbembed.validation import shown

if TYPE_CHECKING:
    from nbembed.session.core.invalidation import Invalidation


@dataclass(frozen=True, eq=False)
class Settings:
    """Recipe and supervision of a session.

    * others: methods used before in this session, by name, the latest last.
    * origins: of the labels of the supervision; nothing is decided by them.
    """

    recipe: Recipe[Any]
    supervision: Supervision
    others: Mapping[str, Recipe[Any]] = field(default_factory=dict)
    origins: LabelOrigins | None = field(default=None, repr=False)

    def __post_init__(self) -> None:
        object.__setattr__(self, "others", MappingProxyType(dict(self.others)))

    def __reduce__(self) -> Any:
        return Settings, (self.recipe, self.supervision, dict(self.others), self.origins)

    @classmethod
    def of(cls, recipe: Recipe[Any], supervision: Supervision) -> Settings:
        """Return a new session's settings; the random state becomes a fixed number."""
        recipe = owned(recipe).seeded().live(supervision.n_samples)
        return cls(recipe, supervision).with_supervision(supervision)

    @property
    def name(self) -> str:
        """Name of the method."""
        return self.recipe.name

    @property
    def n_classes(self) -> int | None:
        """Number of classes that the map works with; ``None`` where that means nothing."""
        return self.recipe.n_classes_for(self.supervision)

    @property
    def live_names(self) -> frozenset[str]:
        """The names of the live parameters."""
        return frozenset(parameter.name for parameter in self.recipe.live_parameters)

    def symbol(self, name: str) -> str:
        """Return the symbol of a parameter."""
        for parameter in self.recipe.live_parameters:
            if parameter.name == name:
                return parameter.symbol
        return name

    def same_method(self, other: Settings) -> bool:
        """Return whether both are of the same method, whatever its parameters."""
        return type(self.recipe) is type(other.recipe)

    def same_recipe(self, other: Settings) -> bool:
        """Return whether both have the same method with the same parameters."""
        a, b = self.recipe, other.recipe
        if a is b:
            return True
        if not self.same_method(other):
            return False
        return all(same(getattr(a, name), getattr(b, name)) for name in field_names(type(a)))

    def same_as(self, other: Settings) -> bool:
        """Return whether both make the same map (``others`` and ``origins`` do not count)."""
        return self.supervision == other.supervision and self.same_recipe(other)

    def with_parameters(self, changes: Mapping[str, Any]) -> Settings:
        """Return settings with changed parameters; raise ValueError if the recipe lacks one."""
        plain = {name: _owned(value) for name, value in changes.items()}
        changed = self.recipe.replace(**plain).seeded().live(self.supervision.n_samples)
        return replace(self, recipe=changed)

    def with_supervision(self, supervision: Supervision) -> Settings:
        """Return settings with another supervision, with room for all its classes.

        What a method keeps by the numbers of classes follows them, in methods used before, too.
        """
        classes = self.supervision.classes, supervision.classes
        recipe = self.recipe.renumbered(*classes).with_room_for(supervision)
        others = {name: other.renumbered(*classes) for name, other in self.others.items()}
        return replace(self, supervision=supervision, recipe=recipe, others=others)

    def with_recipe(self, recipe: Recipe[Any]) -> Settings:
        """Return settings for another method; the present one is remembered."""
        others = {k: v for k, v in self.others.items() if k not in (recipe.name, self.name)}
        others[self.name] = self.recipe  # the latest is the last
        changed = replace(self, recipe=self.carrying_seed(recipe), others=others)
        return changed.with_supervision(self.supervision)

    def recipe_for(self, kind: type[Recipe[Any]], X: Any) -> Recipe[Any]:
        """Return the recipe for a switch to a method by name.

        Its parameters are those that the session last had for it, else those that its recipe
        declares for live use; parameters that describe the data are of the present method, or of
        the last one that had any.
        """
        if kind is type(self.recipe):
            return self.recipe
        before = self.others.get(kind.name)
        recipe = kind() if before is None or type(before) is not kind else before
        carried = {}
        for used in (*self.others.values(), self.recipe):
            parameters = used.parameters
            for name in set(kind.shared) & set(used.shared):
                if name in parameters and hasattr(recipe, name):
                    carried[name] = parameters[name]
        recipe = recipe.replace(**carried)
        return recipe if before is not None else recipe.live_defaults(X, self.supervision)

    def carrying_seed(self, recipe: Recipe[Any]) -> Recipe[Any]:
        """Return ``recipe`` with this session's seed where it leaves its own open."""
        return owned(recipe).seeded(self.recipe.seed).live(self.supervision.n_samples)

    def begun(self, provenance: Provenance | None) -> Settings:
        """Return the settings of a session that begins, with the origin of its first labels."""
        return replace(self, origins=after_labeling(None, None, self.supervision, provenance))

    def check_feasible(self, X: Any, before: Settings, change: Invalidation) -> None:
        """Raise ValueError where these settings, after those before, are of no possible map.

        Labels alone cost no pass over the data, though they may add classes to the parameters.
        """
        same_data = before.with_supervision(self.supervision).same_recipe(self)
        if "affinities" in change.parts and not same_data:
            self.recipe.check_data(X)
        self.recipe.check_feasible(X, self.supervision)

    def check(self) -> Settings:
        """Return the settings themselves, or raise what the recipe has to say against them."""
        self.recipe.check(self.supervision.n_samples, self.supervision)
        return self


def method_named(name: str, methods: Mapping[str, type[Recipe[Any]]]) -> type[Recipe[Any]]:
    """Return the recipe class of a name."""
    kind = methods.get(name)
    if kind is None:
        raise ValueError(
            f"method must be one of {', '.join(sorted(methods))} or an estimator, got {shown(name)}"
        )
    return kind


def stored_method(name: Any, methods: Mapping[str, type[Recipe[Any]]]) -> type[Recipe[Any]]:
    """Return the recipe class of a name in a log or a file; raise ValueError if it is unknown."""
    kind = methods.get(name) if isinstance(name, str) else None
    if kind is None:
        raise ValueError(
            f"it uses the unknown method {shown(name)}; known: {', '.join(sorted(methods))}; "
            "pass its class in methods"
        )
    return kind


def stored_recipe(
    name: Any,
    parameters: Any,
    methods: Mapping[str, type[Recipe[Any]]],
    given: Recipe[Any] | None = None,
) -> Recipe[Any]:
    """Return a recipe from its name and parameters, as a log or a file has them.

    ``given`` has the parameters of which there is only a description. Raises ValueError if the
    method is not known, or a parameter is none of its own or is only described.
    """
    kind = stored_method(name, methods)
    if not isinstance(parameters, Mapping):
        raise ValueError(f"the parameters of {name} are not a mapping")
    known = dict(parameters)
    for key, value in known.items():
        if what := description(value):
            if type(given) is not kind:
                raise ValueError(
                    f"parameter {key} was {what}, which no log or file can store; to replay a log, "
                    "pass an estimator with this parameter as method"
                )
            known[key] = given.parameters[key]
    return kind().replace(**known)


def recipe_of(method: Any) -> Recipe[Any]:
    """Return the recipe of an estimator, or a recipe itself."""
    if isinstance(method, Estimator):
        return method.recipe
    if isinstance(method, Recipe):
        return method
    raise TypeError(
        f"method must be a name, an estimator such as HSSNE(), or a Recipe, got {shown(method)}"
    )


def check_takes_as(present: Recipe[Any], recipe: Recipe[Any], what: str) -> None:
    """Raise ValueError unless a recipe takes data of the same kind as the present one."""
    kinds = "features", "dissimilarities"
    if recipe.takes_distances != present.takes_distances:
        raise ValueError(
            f"{what} needs {kinds[recipe.takes_distances]}, but the data of the session are "
            f"{kinds[present.takes_distances]}"
        )


def owned(recipe: Recipe[Any]) -> Recipe[Any]:
    """Return a recipe whose parameters nobody else can change."""
    return recipe.replace(**{name: _owned(value) for name, value in recipe.parameters.items()})


def _owned(value: Any) -> Any:
    """Return NumPy scalars as Python numbers, and copies of arrays and estimators."""
    if is_estimator(value):
        return copy.deepcopy(value)
    if isinstance(value, np.generic):
        return value.item()
    if isinstance(value, np.ndarray):
        value = value.copy()
        value.flags.writeable = False
    return value
