"""The table: every public callable, how to call it, and what it may raise.

The table is made from the signatures; :data:`EXCEPTIONS`, :data:`INTERNAL` and :data:`FINITE` say
what the signatures do not.
"""

from __future__ import annotations

import fnmatch
import functools
import inspect
import re
from collections.abc import Callable, Iterator, Mapping
from dataclasses import dataclass, field, replace
from types import ModuleType
from typing import Any

import numpy as np
from hypothesis import strategies as st
from sklearn.base import BaseEstimator

import nbembed as nb
from tests.reliability import arguments, strategies
from tests.reliability.promises import check_finite, check_map
from tests.reliability.strategies import Form, World

#: What a call with wrong arguments raises: exactly these types, no others derived from them.
REFUSALS: tuple[type[Exception], ...] = (ValueError, TypeError)

#: What some callables may raise besides, by pattern.
EXCEPTIONS: dict[str, tuple[type[Exception], ...]] = {
    "nb.datasets.*": (nb.datasets.MissingDataError, OSError),  # a name too long for a file
    "nb.experiments.*": (nb.datasets.MissingDataError,),
    "nb.*Session*": (RuntimeError,),  # closed, or failed
}

#: Public names that are not called by users with values of their own, and why.
INTERNAL: dict[str, str] = {
    "nb.*Recipe.*": "a recipe's methods are called by estimators and sessions, which check",
    "nb.Recipe": "abstract",
    "nb.objectives.Objective*": "abstract",
    "nb.optimizers.Optimizer*": "abstract",
    "nb.methods.Estimator*": "abstract; the methods are those of its subclasses",
    "nb.*.recipe_type": "the recipe's class, which has an entry of its own",
    "nb.objectives.Evaluation": "a record that objectives return",
    "nb.optimizers.State*": "a record that optimizers return",
    "nb.posteriors.Posteriors": "a record that functions return",
    "nb.posteriors.Learned": "a record that functions return",
    "nb.affinities.Affinities": "a record that functions return, which check",
    "nb.affinities.Affinities.cached": "a cache of the package itself",
    "nb.datasets.Dataset": "a record that functions return",
    "nb.datasets.Toy": "a record that functions return",
    "nb.datasets.MissingDataError": "an exception",
    "nb.experiments.Experiment*": "a record; running one takes minutes",
    "nb.experiments.Figure*": "a record that functions return",
    "nb.experiments.SweepTable": "a record that functions return",
    "nb.experiments.SweepTable.[!b]*": "what a record says of itself",
    "nb.measures.PairedTest": "a record that functions return",
    "nb.measures.MapComparison": "a record that functions return",
    "nb.measures.PrecisionRecall": "a record that functions return",
    "nb.measures.SmoothedErrors": "a record that functions return",
    "nb.methods.Geometry": "a record that recipes return",
    "nb.methods.LiveParameter": "a declaration of recipes",
    "nb.methods.PathStep": "a record that sessions return",
    "nb.methods.Start": "a record that recipes return",
    "nb.objectives.*.in_range": "each iteration calls it, with layouts",
    "nb.Suggestions*": "a record that functions return",
    "nb.propagation.SuggestedGroups*": "a record that sessions return",
    "nb.Schedule*": "made anew in each iteration, so that it checks nothing",
    **{
        f"nb.objectives.Parametric.{name}": "a part of each iteration, called with checked arrays"
        for name in ("means", "membership_at", "over_classes", "solve", "split", "terms")
    },
}

#: Arguments that always are what they should be, and why: (pattern of callables, name).
TRUSTED: dict[tuple[str, str], str] = {
    ("nb.optimizers.*.step", "*"): "each iteration calls it: it checks nothing",
    ("nb.measures.nearest_neighbors", "name"): "what errors call X; never data",
    ("nb.experiments.*", "n_jobs"): "would start processes",
    ("nb.experiments.sweep", "folder"): "would be made",
    ("nb.LearningMetric.fitted_to", "*"): "called with checked data, by what takes a metric",
    ("nb.LearningMetric.squared_rows", "*"): "called with checked data, by what takes a metric",
    ("nb.objectives.*.evaluate", "cost"): "each iteration calls it: the flag is not checked",
}

#: Callables that are fuzzed by sequences of calls rather than alone
#: (:mod:`tests.reliability.live`).
LIVE = ("nb.Session", "nb.Session.*", "nb.load_session", "nb.Explorer", "nb.Explorer.*")

#: Relative number of calls, by pattern; 1 where nothing is said. Each takes milliseconds to refuse
#: and up to a second to carry out.
WEIGHTS: dict[str, float] = {
    "nb.objectives.Similarity": 0.1,  # every accepted call compiles
    "nb.datasets.load_*": 0.1,  # takes no arguments
    "nb.plots.*": 0.6,
    "nb.baselines.*": 0.5,
}

#: Methods of fitted estimators; all others are called on a new instance.
AFTER_FIT = ("transform", "predict", "predict_proba", "predict_log_proba", "score", "pairwise",
             "path_length", "squared_rows", "tensor", "row_cost")  # fmt: skip

#: Arguments of constructors that keep calls quick, unless others are drawn.
QUICK: dict[str, Any] = {"max_iter": 30, "n_jobs": 1, "random_state": 0, "cv": None}
QUICK_FOR: dict[str, dict[str, Any]] = {
    "Mbed": {"n_classes": 3, "max_iter": 40},
    "MbedRecipe": {"n_classes": 3, "max_iter": 40},
    "SNeRV": {"metric": arguments.small_metric(World(8, 3, 2, 0))},
    "ParametricEmbedding": {"classifier": "soft-nearest-neighbor"},
    "LearningMetric": {"n_centroids": 2, "width": 1.0, "max_iter": 5},
}

#: Arguments of which large numbers are legal, and take long.
COUNTS = (
    "n_classes",
    "max_iter",
    "n_init",
    "k",
    "steps",
    "n_samples",
    "maps",
    "n_features",
    "memory",
)
#: Arguments that take matrices.
MATRICES = ("X", "Y", "Z", "P", "y", "proba", "others", "objects", "centers", "init", "affinities",
            "supervision", "neighbors")  # fmt: skip


@dataclass(eq=False)
class Call:
    """A call that can be made, compared and printed.

    Attributes
    ----------
    words : str
        The callable.
    act : callable
        Makes the call with the values of ``given``.
    given : mapping of str to Any
        The arguments; a :class:`Form` says how its value was made.
    check : callable
        ``check(result, values)`` raises AssertionError if the result is not as documented.
    about : tuple of str
        Names of which a refusal must mention one.
    """

    words: str
    act: Callable[..., Any]
    given: Mapping[str, Any]
    check: Callable[[Any, Mapping[str, Any]], None] = lambda result, values: check_finite(result)
    about: tuple[str, ...] = ()

    @functools.cached_property
    def values(self) -> dict[str, Any]:
        return {name: plain(value) for name, value in self.given.items()}

    def __repr__(self) -> str:
        return f"{self.words}({', '.join(f'{k}={brief(v)}' for k, v in self.given.items())})"


@dataclass(frozen=True, eq=False)
class Entry:
    """A row of the table."""

    name: str
    calls: st.SearchStrategy[Call] = field(repr=False)
    allowed: tuple[type[Exception], ...] = REFUSALS
    weight: float = 1.0


def plain(value: Any) -> Any:
    """Return a value without the words about its form."""
    if isinstance(value, Form):
        return value.value
    if type(value) is tuple:
        return tuple(plain(v) for v in value)
    if type(value) is dict:
        return {k: plain(v) for k, v in value.items()}
    return value


def brief(value: Any) -> str:
    """Return a repr on one line, with the middle of long ones left out."""
    words = f"<{value.words}> " if isinstance(value, Form) else ""
    if type(value) is dict:
        return "{" + ", ".join(f"{k!r:.60}: {brief(v)}" for k, v in value.items()) + "}"
    try:
        text = re.sub(r"\s+", " ", repr(plain(value)))
    except Exception as error:  # a malformed matrix has none
        text = f"{type(plain(value)).__name__} without a repr ({type(error).__name__})"
    return words + (text if len(text) <= 240 else f"{text[:160]} … {text[-60:]}")


# -- which callables there are ----------------------------------------------------------------


def public_callables() -> Iterator[tuple[str, Any]]:
    """Yield each public callable once, under the first name that it has."""
    known: set[int] = set()
    homes = [("nb", nb, [name for name in nb.__all__ if name not in nb._MODULES])]
    homes += [(f"nb.{name}", getattr(nb, name), getattr(nb, name).__all__) for name in nb._MODULES]
    for prefix, home, names in homes:
        for name in names:
            thing = getattr(home, name)
            if isinstance(thing, ModuleType) or not callable(thing) or id(thing) in known:
                continue
            known.add(id(thing))
            yield f"{prefix}.{name}", thing
            if inspect.isclass(thing):
                for member in methods_of(thing):
                    yield f"{prefix}.{name}.{member}", getattr(thing, member)


def methods_of(kind: type) -> list[str]:
    """Return the public methods of a class that this package defines."""
    found = []
    for member in dir(kind):
        value = inspect.getattr_static(kind, member)
        if member.startswith("_") or isinstance(value, property):
            continue
        function = getattr(value, "__func__", value)
        if str(getattr(function, "__module__", "")).startswith("nbembed") and callable(function):
            found.append(member)
    return found


def matches(name: str, patterns: Any) -> bool:
    return any(fnmatch.fnmatchcase(name, pattern) for pattern in patterns)


# -- how to call them -------------------------------------------------------------------------


def parameters_of(function: Any) -> dict[str, inspect.Parameter]:
    """Return the parameters by name, without ``self``."""
    found = inspect.signature(function).parameters
    return {name: p for name, p in found.items() if name != "self"}


def drawn(
    draw: Any, owner: str, parameters: Mapping[str, inspect.Parameter], w: World, spoiled: set[str]
) -> dict[str, Any]:
    """Return arguments: those in ``spoiled`` hostile, the others legal or left out."""
    given = {}
    for name, parameter in parameters.items():
        if name in spoiled and not trusted(owner, name):
            given[name] = draw(
                strategies.hostile_count()
                if name in COUNTS
                else strategies.hostile_data()
                if name in MATRICES
                else strategies.hostile()
            )
        elif parameter.default is parameter.empty or draw(st.booleans()):
            given[name] = draw(arguments.good(owner, name)(w))
    return given


def trusted(owner: str, name: str) -> bool:
    return any(
        fnmatch.fnmatchcase(owner, pattern) and fnmatch.fnmatchcase(name, each)
        for pattern, each in TRUSTED
    )


def spoiling(names: Any) -> st.SearchStrategy[set[str]]:
    """Which arguments are hostile: mostly none or one, so that the others are looked at too."""
    names = sorted(names)
    one = st.sampled_from(names) if names else st.nothing()
    return st.one_of(
        st.just(set()), st.builds(lambda a: {a}, one), st.builds(lambda a, b: {a, b}, one, one)
    )


def call(function: Any, values: Mapping[str, Any]) -> Any:
    """Call with the values by name, and those of ``**parameters`` spread."""
    values = dict(values)
    for name, parameter in parameters_of(function).items():
        if parameter.kind is parameter.VAR_KEYWORD and name in values:
            extra = values.pop(name)
            values.update(extra if isinstance(extra, dict) else {"alpha": extra})
    return function(**values)


def function_calls(name: str, function: Any) -> st.SearchStrategy[Call]:
    parameters = parameters_of(function)

    @st.composite
    def calls(draw: Any) -> Call:
        w = draw(strategies.worlds())
        given = drawn(draw, name, parameters, w, draw(spoiling(parameters)))
        return Call(name, lambda **v: call(function, v), given, checks(name), tuple(parameters))

    return calls()


def quick(kind: type) -> dict[str, Any]:
    """Return the arguments that keep a class's calls quick."""
    there = parameters_of(kind)
    told = QUICK | QUICK_FOR.get(kind.__name__, {})
    return {name: value for name, value in told.items() if name in there}


def constructor_calls(name: str, kind: type) -> st.SearchStrategy[Call]:
    """A new instance; an estimator is fitted to good data, a recipe checked: they only store."""
    parameters = parameters_of(kind)

    def act(**values: Any) -> Any:
        if issubclass(kind, BaseEstimator):
            w = World(8, 3, 2, 0)
            made = kind(**values)
            precomputed = (
                isinstance(values.get("metric"), str) and values["metric"] == "precomputed"
            )
            X = arguments.dissimilarities(w) if precomputed else arguments.some_data(w)
            if hasattr(made, "fit"):
                return made.fit(np.abs(X), np.arange(8) % 2)
        made = kind(**values)
        if isinstance(made, nb.Recipe):
            made.check(8, nb.Supervision(8).label([0, 1], "a").label([2, 3], "b"))
        return made

    @st.composite
    def calls(draw: Any) -> Call:
        w = World(8, draw(st.sampled_from([3, 2])), 2, draw(st.integers(0, 9)))
        given = drawn(draw, name, parameters, w, draw(spoiling(parameters)))
        about = (*parameters, "X", "y", "P")  # the constructors of objectives call affinities P
        return Call(name, act, quick(kind) | given, checks(name), about)

    return calls()


@functools.cache
def made(kind: type, d: int, k: int, fitted: bool) -> Any:
    """Return an instance with legal arguments, fitted where that makes sense."""
    w = World(8, d, k, 0)
    if kind is nb.Supervision:
        return arguments.supervision(w)
    if kind is nb.affinities.Affinities:
        return arguments.affinities(w)
    if kind is nb.Schedule:
        return arguments.schedule(w)
    if kind is nb.experiments.SweepTable:
        return nb.experiments.sweep(
            nb.spectral.PCA(1), {}, arguments.some_data(w), scoring=arguments.cost_of
        )
    if kind is nb.objectives.Parametric:
        return arguments.parametric(w)
    if kind is nb.objectives.Pinned:
        return kind(arguments.objective(w), [0, 1])
    if kind is nb.objectives.LargeMargin:
        return kind(arguments.affinities(w), 0.5, nb.objectives.simplex(k, max(k, 2)), n_jobs=1)
    if kind is nb.Propagation:
        return kind(arguments.affinities(w), n_jobs=1)
    if kind is nb.posteriors.Learned:
        said = nb.Supervision(8).label([0, 1], "a").label([2, 3], "b")
        return nb.posteriors.learn("soft-nearest-neighbor", arguments.some_data(w), said)
    if kind is nb.datasets.Dataset:
        return nb.datasets.load("ionosphere")
    if kind is nb.methods.LiveParameter:
        return nb.methods.HSSNERecipe.live_parameters[0]
    if kind is nb.datasets.Toy:
        return nb.datasets.toy_few_labels(40, random_state=0)
    if inspect.isclass(kind) and issubclass(kind, nb.objectives.Objective):
        return kind(arguments.affinities(w), n_jobs=1)
    options = quick(kind)
    if kind.__module__.startswith("nbembed.spectral") and d == 1:
        options["n_components"] = 1
    instance = kind(**options)
    if fitted:
        instance.fit(np.abs(arguments.some_data(w)), np.arange(8) % k)
    return instance


def method_calls(name: str, kind: type, member: str) -> st.SearchStrategy[Call]:
    function = getattr(kind, member)
    parameters = parameters_of(function)
    estimator = issubclass(kind, BaseEstimator) and hasattr(kind, "fit")

    @st.composite
    def calls(draw: Any) -> Call:
        w = draw(strategies.worlds())
        if not estimator:
            w = replace(w, n=8)
        given = drawn(draw, name, parameters, w, draw(spoiling(parameters)))
        if kind is nb.Run:
            instance = arguments.run(w)
        elif estimator and member not in AFTER_FIT:
            options = quick(kind)
            if "metric" in parameters_of(kind) and kind is not nb.SNeRV:
                options["metric"] = draw(arguments.METRICS(w))
                if options["metric"] == "precomputed" and isinstance(given.get("X"), Form):
                    given["X"] = draw(strategies.dissimilarities(w))
            instance = kind(**options)
        else:
            instance = made(kind, w.d, w.k, estimator)
        words = f"{name.rpartition('.')[0]}.{member}"
        if estimator and member not in AFTER_FIT:
            words = f"{brief(instance)}.{member}"
        about = (*parameters, *parameters_of(kind), "parameter", "alpha")
        act = functools.partial(call, getattr(instance, member))
        return Call(words, lambda **v: act(v), given, checks(name), about)

    return calls()


#: Results in which NaN or infinity is documented, by pattern.
NOT_FINITE: dict[str, str] = {
    "nb.*.evaluate": "the cost is NaN where it was not asked for",
    "nb.measures.hotelling_lawley": "infinite where classes have no scatter within",
    "nb.experiments.sweep": "NaN is the score of a fit that failed",
    "nb.optimizers.*.start": "a state is the layout as it is; a Run checks it",
    "nb.Supervision.targets": "the rows of unlabeled points are NaN",
    "nb.optimizers.*.step": "the cost is NaN where it was not asked for",
}


def checks(name: str) -> Callable[[Any, Mapping[str, Any]], None]:
    """Return what a result is checked for."""
    member = name.rpartition(".")[2]
    if name in ("nb.Preparation.fit_transform", "nb.Preparation.transform"):
        # No map: sparse data may stay so.
        return lambda result, values: check_map(
            result.toarray() if hasattr(result, "toarray") else result, values.get("X")
        )
    if member in ("fit", "fit_transform", "transform"):
        return lambda result, values: check_map(result, values.get("X"))
    if matches(name, NOT_FINITE):
        return lambda result, values: None
    return lambda result, values: check_finite(result)


@functools.cache
def table() -> dict[str, Entry]:
    """Return all entries by name."""
    from tests.reliability import live

    entries = [Entry(*each) for each in live.entries()]
    classes: dict[str, type] = {}
    for name, thing in public_callables():
        if inspect.isclass(thing):
            classes[name] = thing
        if matches(name, INTERNAL) or matches(name, LIVE):
            continue
        owner, _, member = name.rpartition(".")
        if inspect.isclass(thing):
            calls = constructor_calls(name, thing)
        elif owner in classes:
            calls = method_calls(name, classes[owner], member)
        else:
            calls = function_calls(name, thing)
        more = [
            kinds for pattern, kinds in EXCEPTIONS.items() if fnmatch.fnmatchcase(name, pattern)
        ]
        weight = next((x for p, x in WEIGHTS.items() if fnmatch.fnmatchcase(name, p)), 1.0)
        entries.append(Entry(name, calls, REFUSALS + sum(more, ()), weight))
    return {entry.name: entry for entry in entries}


def missing() -> list[str]:
    """Return the arguments of public callables that have no strategy."""
    return [
        f"{name}: {parameter}"
        for name, thing in public_callables()
        if not (matches(name, INTERNAL) or matches(name, LIVE))
        for parameter in parameters_of(thing)
        if not _known(name, parameter)
    ]


def _known(name: str, parameter: str) -> bool:
    try:
        arguments.good(name, parameter)
    except KeyError:
        return False
    return True
