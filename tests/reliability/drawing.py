"""Random commands, drawn from the session's table of commands.

Each kind of argument has a function here that draws a legal value. A new command whose arguments
are of known kinds is drawn without a change; a new kind must be given its function.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import MISSING, dataclass, fields
from typing import TYPE_CHECKING, Any

import numpy as np
from scipy import sparse

from nbembed.session.core.arguments import Argument
from nbembed.session.core.commands import COMMANDS
from nbembed.supervision import Supervision

if TYPE_CHECKING:
    from nbembed.methods.live_parameters import LiveParameter
    from nbembed.methods.recipe import Recipe
    from nbembed.session import Session

Rng = np.random.Generator

#: Share of the commands that have one illegal argument.
ILLEGAL = 0.15
NAMES = ("a", "b", "<b>c</b>", "七 ≥ \"'\\", "\u202ed", "e\n#", "f" * 200)
SNAPSHOTS = ("early", "late", "<i>", None)

#: Values that hardly any argument takes.
HOSTILE: tuple[Any, ...] = (
    None,
    True,
    -1,
    2**31,
    2**63,
    10**400,
    0.5,
    float("nan"),
    float("inf"),
    1e300,
    1e-300,
    "",
    " ",
    "\ud800",
    "-1",
    "annael",
    b"a",
    (),
    {},
    [[]],
    [[0], [1, 2]],
    ["a", None],
    [0.5],
    [-1],
    [2**40],
    np.array([np.nan]),
    np.zeros((2, 2, 2)),
    object(),
    len,
)


@dataclass(frozen=True)
class Situation:
    """What legal values depend on.

    Attributes
    ----------
    n_samples : int
    recipe : Recipe
        The present method.
    methods : mapping of str to type
        All methods.
    names : tuple of str
        Of the present classes, snapshots and saved selections.
    """

    n_samples: int
    recipe: Recipe[Any]
    methods: Mapping[str, type[Recipe[Any]]]
    names: tuple[str, ...] = ()

    @classmethod
    def of(cls, session: Session) -> Situation:
        """Return the situation of a session at this moment."""
        names = (*session.supervision.classes, *session.snapshots, *session.selections)
        return cls(session.n_samples, session.recipe, session.methods, names)


def command(rng: Rng, situation: Situation) -> tuple[str, dict[str, Any]]:
    """Return a command and its arguments."""
    name = pick(rng, tuple(COMMANDS))
    entry = COMMANDS[name]
    if entry.keywords:
        arguments = _parameters(rng, situation)
    else:
        arguments = {
            argument.name: LEGAL[argument.kind.name](rng, situation)
            for argument in entry.arguments
            if argument.required or rng.random() < 0.5
        }
    if rng.random() < ILLEGAL:
        return name, _spoiled(rng, arguments, entry.arguments)
    return name, arguments


def pick(rng: Rng, choices: Sequence[Any]) -> Any:
    """Return one of the choices, unchanged (NumPy's own choice would convert it)."""
    return choices[int(rng.integers(len(choices)))]


def _spoiled(rng: Rng, arguments: dict[str, Any], declared: tuple[Argument, ...]) -> dict[str, Any]:
    """Return arguments with one replaced, missing or unknown."""
    names = [*arguments, *(argument.name for argument in declared), "unknown"]
    name = pick(rng, names)
    if name in arguments and rng.random() < 0.2:
        return {k: v for k, v in arguments.items() if k != name}
    return {**arguments, name: pick(rng, HOSTILE)}


# -- kinds of arguments ------------------------------------------------------------------------


def _points(rng: Rng, situation: Situation) -> Any:
    n = situation.n_samples
    count = 1 + min(n - 1, int(rng.geometric(0.2)))
    points = rng.choice(n, count, replace=False)
    form = int(rng.integers(4))
    if form == 0:
        return np.isin(np.arange(n), points)
    if form == 1:
        return points.tolist()
    if form == 2:
        return int(points[0])
    return points.astype(rng.choice(["<i4", "<u2", "<i8"]))


def _labels(rng: Rng, situation: Situation) -> Any:
    points = rng.choice(situation.n_samples, int(rng.integers(1, 6)))
    return [(int(i), pick(rng, NAMES), float(rng.uniform(0.1, 1.0))) for i in points]


def _text(rng: Rng, situation: Situation) -> Any:
    if situation.names and rng.random() < 0.6:
        return pick(rng, situation.names)
    return pick(rng, (*NAMES, *SNAPSHOTS, 3))


def _number(rng: Rng, situation: Situation) -> Any:
    return pick(rng, (1.0, 0.5, np.float32(0.25), float(rng.uniform(0.01, 1.0)), 1))


def _count(rng: Rng, situation: Situation) -> Any:
    return int(rng.integers(1, 13))


def _index(rng: Rng, situation: Situation) -> Any:
    return int(rng.integers(0, 6))


def _method(rng: Rng, situation: Situation) -> Any:
    name = pick(rng, tuple(situation.methods))
    return name if rng.random() < 0.7 else situation.methods[name]()


def supervision(rng: Rng, situation: Situation) -> Any:
    """Return supervision in one of the forms that :class:`nbembed.Session` takes."""
    n, form = situation.n_samples, int(rng.integers(5))
    if form == 0:
        return None
    if form == 1:
        return rng.integers(-1, 3, n)
    if form == 2:
        rows = rng.dirichlet([1.0, 1.0, 1.0], n)
        rows[rng.random(n) < 0.5] = np.nan
        return rows
    found = Supervision(n).label(_points(rng, situation), pick(rng, NAMES))
    found = found.must_link(rng.choice(n, 3, replace=False))
    return found.pin(_points(rng, situation)) if form == 3 else found


def _parameters(rng: Rng, situation: Situation) -> dict[str, Any]:
    """Return a live parameter within its slider, or any parameter near its default."""
    recipe = situation.recipe
    live = recipe.live_parameters
    if live and rng.random() < 0.6:
        parameter = pick(rng, live)
        return {parameter.name: _on_slider(rng, parameter)}
    kind = recipe if rng.random() < 0.8 else pick(rng, tuple(situation.methods.values()))
    field = pick(rng, fields(kind))
    default = None if field.default is MISSING else field.default
    if isinstance(default, int | float) and not isinstance(default, bool):
        default = pick(rng, (default, default + 1, default * 2, default / 2, 0, 1e-3))
    elif default is None:
        default = pick(rng, (None, 0, 1, 2))
    return {field.name: default}


def _on_slider(rng: Rng, parameter: LiveParameter) -> Any:
    low, high, share = parameter.low, parameter.high, float(rng.random())
    if rng.random() < 0.1:
        return pick(rng, (low, high, np.float64(low), np.float32(high), parameter.default))
    if parameter.scale == "log":
        return float(low * (high / low) ** share)
    return low + (high - low) * share


#: Draws a legal value (in most states of the session), by the kind of the argument.
LEGAL: Mapping[str, Callable[[Rng, Situation], Any]] = {
    "points": _points,
    "labels": _labels,
    "text": _text,
    "number": _number,
    "count": _count,
    "index": _index,
    "method": _method,
    "supervision": supervision,
}


# -- data --------------------------------------------------------------------------------------


def data(rng: Rng) -> Any:
    """Return a small data set: clusters, with ties, or sparse."""
    n, d = int(rng.integers(20, 50)), int(rng.integers(3, 8))
    centers = rng.normal(scale=4.0, size=(3, d))
    X = centers[rng.integers(3, size=n)] + rng.normal(size=(n, d))
    form = int(rng.integers(5))
    if form == 0:
        return np.round(X)  # ties and duplicates
    if form == 1:
        return X.astype(np.float32)
    if form == 2:
        return sparse.csr_array(np.where(np.abs(X) < 1.5, 0.0, X))
    return X
