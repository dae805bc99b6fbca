"""Settings: what a session's map is made with — method, parameters, supervision — as one value.

Undo is a list of past settings; what must be recomputed is read off two of them
(:mod:`nbembed.session.cascade`). A value is never changed, so any thread may hold one.
"""

from __future__ import annotations

import copy
import inspect
from collections.abc import Iterable, Mapping
from dataclasses import dataclass, field, replace
from functools import cached_property
from types import MappingProxyType
from typing import TYPE_CHECKING, Any

import numpy as np
from scipy import sparse

from nbembed.methods.base import EmbeddingMethod
from nbembed.session.estimators import is_estimator
from nbembed.session.plain import same

if TYPE_CHECKING:
    from nbembed.supervision import Supervision

#: Keywords that describe the data rather than the method: a switch by name takes them along.
SHARED = ("perplexity", "metric", "n_jobs", "random_state", "rho")
#: What learns posteriors of data for a method that embeds posteriors, unless somebody says.
CLASSIFIER = "soft-nearest-neighbor"
#: Never part of a session: it reports by itself, and functions have no place in a log.
SILENT = frozenset({"verbose", "callbacks"})


@dataclass(frozen=True, eq=False)
class Settings:
    """Method, parameters and supervision of a session.

    Parameters
    ----------
    kind : type
        The estimator's class.
    parameters : mapping
        All its keywords but ``verbose`` and ``callbacks``.
    supervision : Supervision
    others : mapping of str to mapping
        Parameters of methods used before in this session, by class name.
    """

    kind: type[EmbeddingMethod]
    parameters: Mapping[str, Any]
    supervision: Supervision
    others: Mapping[str, Mapping[str, Any]] = field(default_factory=dict)

    def __post_init__(self) -> None:
        object.__setattr__(self, "parameters", MappingProxyType(dict(self.parameters)))
        object.__setattr__(self, "others", MappingProxyType(dict(self.others)))

    @property
    def name(self) -> str:
        """Name of the method's class."""
        return self.kind.__name__

    @cached_property
    def estimator(self) -> EmbeddingMethod:
        """The method with these parameters; used as a recipe, never fitted."""
        return self.kind(**self.parameters)

    @property
    def seed(self) -> int:
        """What every random draw of the session comes from."""
        seed = self.parameters.get("random_state")
        return seed if isinstance(seed, int) else 0

    @property
    def takes_distances(self) -> bool:
        """Whether the data are dissimilarities of the points rather than features."""
        metric = self.estimator.metric
        return isinstance(metric, str) and metric == "precomputed"

    @property
    def n_classes(self) -> int | None:
        """Number of classes that the method works with; ``None`` where that means nothing."""
        if "n_classes" not in self.parameters:
            return None
        given = self.parameters["n_classes"]
        return given if isinstance(given, int) else len(self.supervision.classes)

    def same_as(self, other: Settings) -> bool:
        """Return whether both make the same map (``others`` does not count)."""
        return (
            self.kind is other.kind
            and self.supervision == other.supervision
            and same(self.parameters, other.parameters)
        )

    def with_parameters(self, changes: Mapping[str, Any]) -> Settings:
        """Return settings with some parameters changed.

        Raises
        ------
        ValueError
            A name that the method does not have.
        """
        for name in changes:
            if name not in self.parameters:
                allowed = ", ".join(sorted(self.parameters))
                raise ValueError(
                    f"{name!r} is not a parameter that a session of {self.name} can set; "
                    f"allowed: {allowed}"
                )
        plain = {name: _unboxed(value) for name, value in changes.items()}
        return replace(self, parameters={**self.parameters, **plain})

    def with_supervision(self, supervision: Supervision) -> Settings:
        """Return settings with another supervision, with room for all its classes.

        Where the method was given a number of classes (Mbed) and the supervision has more, that
        number grows, and with the simplex of directions the dimensions that it needs: a label is
        never refused for want of room.
        """
        n_classes, parameters = len(supervision.classes), self.parameters
        room = parameters.get("n_classes")
        if isinstance(room, int) and room < n_classes:
            parameters = {**parameters, "n_classes": n_classes}
            dimensions = parameters.get("n_components")
            if (
                parameters.get("directions", "") is None
                and isinstance(dimensions, int)
                and dimensions < n_classes - 1
            ):
                parameters = {**parameters, "n_components": n_classes - 1}
        return replace(self, supervision=supervision, parameters=parameters)

    def with_method(self, kind: type[EmbeddingMethod], parameters: Mapping[str, Any]) -> Settings:
        """Return settings for another method; the present one's parameters are remembered."""
        others = {k: v for k, v in self.others.items() if k not in (kind.__name__, self.name)}
        others[self.name] = self.parameters  # the latest is the last
        changed = replace(self, kind=kind, parameters=parameters, others=others)
        return changed.with_supervision(self.supervision)

    def parameters_for(self, kind: type[EmbeddingMethod], X: Any = None) -> dict[str, Any]:
        """Return what a switch to ``kind`` by name should use.

        The parameters that the session last had for it, else its defaults; what describes the data
        (metric, perplexity, …) is the present method's, or that of the last one that had any. A
        method that embeds posteriors learns them where the data ``X`` are none. A spectral learner
        looks at the unlabeled points too: by hand few are labeled, and axes that were chosen by
        these alone throw others far off the map.
        """
        if kind is self.kind:
            return dict(self.parameters)
        known = dict(self.others.get(kind.__name__) or defaults(kind))
        for name in SHARED:
            said = [p[name] for p in (*self.others.values(), self.parameters) if name in p]
            if name in known and said:
                known[name] = said[-1]
        if kind.__name__ not in self.others and known.get("gamma") == 0:
            known["gamma"] = next(p.default for p in kind.live_parameters if p.name == "gamma")
        if known.get("classifier", "") is None and X is not None and not are_posteriors(X):
            known["classifier"] = CLASSIFIER
        return known

    def check(self) -> Settings:
        """Return the settings themselves, or raise what the method has to say against them."""
        self.estimator.check_parameters(self.supervision.n_samples, self.supervision)
        return self


def start_settings(method: EmbeddingMethod, supervision: Supervision) -> Settings:
    """Return a new session's settings; ``random_state`` becomes a fixed number."""
    parameters = taken_from(method)
    if "random_state" in parameters:
        parameters["random_state"] = fixed_seed(parameters["random_state"])
    return Settings(type(method), parameters, supervision).with_supervision(supervision)


def taken_from(method: EmbeddingMethod) -> dict[str, Any]:
    """Return an estimator's keywords without what a session does not use."""
    parameters = method.get_params(deep=False)
    return {k: _unboxed(v) for k, v in parameters.items() if k not in SILENT}


def defaults(kind: type[EmbeddingMethod]) -> dict[str, Any]:
    """Return a method's keywords at their defaults."""
    return taken_from(kind())


def signature_defaults(kind: type[Any]) -> dict[str, Any]:
    """Return the defaults written in the constructor's signature."""
    parameters = inspect.signature(kind.__init__).parameters.values()
    return {p.name: p.default for p in parameters if p.default is not p.empty}


def fixed_seed(random_state: Any) -> int:
    """Return a number that stands for ``random_state`` from now on.

    ``None`` and generators are drawn from once; a log can only hold a number.

    Raises
    ------
    ValueError
        If it is none of what numpy takes as a seed or generator.
    """
    if random_state is None:
        return int(np.random.default_rng().integers(2**31))
    if isinstance(random_state, np.random.Generator):
        return int(random_state.integers(2**31))
    if isinstance(random_state, np.random.RandomState):
        return int(random_state.randint(2**31 - 1))
    if isinstance(random_state, int | np.integer) and not isinstance(random_state, bool):
        return int(random_state)
    raise ValueError(
        f"random_state must be None, an integer or a numpy generator, got {random_state!r}"
    )


def known_methods(*more: type[EmbeddingMethod]) -> dict[str, type[EmbeddingMethod]]:
    """Return the methods that a session can switch to, by class name."""
    import nbembed.methods as methods
    import nbembed.spectral as spectral

    rooms: tuple[Any, ...] = (methods, spectral)
    kinds: Iterable[Any] = (getattr(room, name) for room in rooms for name in room.__all__)
    found = {
        kind.__name__: kind
        for kind in kinds
        if isinstance(kind, type)
        and issubclass(kind, EmbeddingMethod)
        and kind is not EmbeddingMethod
    }
    return {**found, **{kind.__name__: kind for kind in more}}


def are_posteriors(X: Any) -> bool:
    """Return whether all rows of checked data are probabilities of two classes or more."""
    if sparse.issparse(X) or X.shape[1] < 2:
        return False
    return bool((X >= 0).all() and np.allclose(X.sum(axis=1), 1.0, rtol=0, atol=1e-5))


def _unboxed(value: Any) -> Any:
    """Return numpy scalars as Python numbers and own copies of arrays and estimators."""
    if is_estimator(value):
        return copy.deepcopy(value)
    if isinstance(value, np.generic):
        return value.item()
    if isinstance(value, np.ndarray):
        value = value.copy()
        value.flags.writeable = False
    return value
