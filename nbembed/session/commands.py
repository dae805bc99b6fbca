"""Commands: what each does to the desk, checked before anything changes.

The *desk* is all of a session that a command changes at once, in the caller's thread: settings,
history and the names of snapshots. :func:`decide` is a pure function of the desk and the command;
a session calls it when a command is given and a replay calls it again, so both come to the same
desk. What the command does to the moving map is the engine's part.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass, field, replace
from types import MappingProxyType
from typing import Any

from nbembed.methods.base import EmbeddingMethod
from nbembed.session.history import History
from nbembed.session.plain import is_opaque
from nbembed.session.settings import Settings
from nbembed.supervision import Supervision

Arguments = Mapping[str, Any]


@dataclass(frozen=True)
class Desk:
    """Settings, history and snapshots of a session, as of the last command given."""

    settings: Settings
    history: History = field(default_factory=History)
    snapshots: Mapping[str, Settings] = field(default_factory=lambda: MappingProxyType({}))

    def changed(self, settings: Settings, text: str, gesture: str = "") -> Desk:
        """Return the desk with other settings, or itself if they are the same."""
        if settings.same_as(self.settings):
            return self
        if settings.takes_distances != self.settings.takes_distances:
            data = "dissimilarities" if self.settings.takes_distances else "features"
            raise ValueError(
                f"the data are {data} of the points, which {settings.name} cannot be given as it "
                f"is set (metric {'' if settings.takes_distances else 'not '}'precomputed')"
            )
        settings.check()
        history = self.history.changed(self.settings, settings, text, gesture)
        return replace(self, settings=settings, history=history)

    def supervised(self, supervision: Supervision, text: str) -> Desk:
        """Return the desk with another supervision."""
        return self.changed(self.settings.with_supervision(supervision), text)


def decide(
    desk: Desk,
    command: str,
    arguments: Arguments,
    methods: Mapping[str, type[EmbeddingMethod]],
) -> Desk:
    """Return the desk after a command; the very same object if it changes nothing.

    Parameters
    ----------
    desk : Desk
    command : str
    arguments : mapping
        As the log keeps them.
    methods : mapping of str to type
        The methods that a switch may name.

    Raises
    ------
    ValueError
        If the command is not legal; it names the argument.
    """
    if command not in _RULES:
        raise ValueError(f"unknown command {command!r}; allowed: {', '.join(sorted(_RULES))}")
    return _RULES[command](desk, arguments, methods)


Rule = Callable[[Desk, Arguments, Mapping[str, type[EmbeddingMethod]]], Desk]


def _set(desk: Desk, a: Arguments, _: object) -> Desk:
    for name, value in a.items():
        if is_opaque(value):
            raise ValueError(f"{name} was set to {value['__opaque__']}, which no log can hold")
    settings = desk.settings.with_parameters(a)
    names = sorted(name for name in a)
    text = "set " + ", ".join(f"{_symbol(settings, k)} to {_short(a[k])}" for k in names)
    return desk.changed(settings, text, gesture="set " + " ".join(names))


def _label(desk: Desk, a: Arguments, _: object) -> Desk:
    supervision = desk.settings.supervision.label(a["points"], a["class_"], a["confidence"])
    return desk.supervised(supervision, f"label {_count(a['points'])} as {a['class_']}")


def _must_link(desk: Desk, a: Arguments, _: object) -> Desk:
    supervision = desk.settings.supervision.must_link(a["points"])
    return desk.supervised(supervision, f"link {_count(a['points'])}")


def _cannot_link(desk: Desk, a: Arguments, _: object) -> Desk:
    supervision = desk.settings.supervision.cannot_link(a["a"], a["b"])
    return desk.supervised(supervision, f"keep {_count(a['a'])} apart from {_count(a['b'])}")


def _pin(desk: Desk, a: Arguments, _: object) -> Desk:
    supervision = desk.settings.supervision.pin(a["points"])
    return desk.supervised(supervision, f"pin {_count(a['points'])}")


def _unpin(desk: Desk, a: Arguments, _: object) -> Desk:
    supervision = desk.settings.supervision.unpin(a["points"])
    return desk.supervised(supervision, f"unpin {_count(a['points'])}")


def _forget(desk: Desk, a: Arguments, _: object) -> Desk:
    supervision = desk.settings.supervision.forget(a["points"])
    return desk.supervised(supervision, f"forget {_count(a['points'])}")


def _add_class(desk: Desk, a: Arguments, _: object) -> Desk:
    return desk.supervised(
        desk.settings.supervision.add_class(a["name"]), f"add the class {a['name']}"
    )


def _rename_class(desk: Desk, a: Arguments, _: object) -> Desk:
    supervision = desk.settings.supervision.rename_class(a["old"], a["new"])
    return desk.supervised(supervision, f"rename {a['old']} to {a['new']}")


def _supervise(desk: Desk, a: Arguments, _: object) -> Desk:
    supervision = a["supervision"]
    if supervision.n_samples != desk.settings.supervision.n_samples:
        raise ValueError(
            f"supervision must be of {desk.settings.supervision.n_samples} points, "
            f"got {supervision.n_samples}"
        )
    return desk.supervised(supervision, "set all labels and links")


def _switch(desk: Desk, a: Arguments, methods: Mapping[str, type[EmbeddingMethod]]) -> Desk:
    kind = methods.get(a["method"])
    if kind is None:
        raise ValueError(
            f"method must be one of {', '.join(sorted(methods))} or an estimator, "
            f"got {a['method']!r}"
        )
    settings = desk.settings.with_method(kind, a["parameters"])
    return desk.changed(settings, f"switch to {kind.__name__}")


def _move_to_path(desk: Desk, a: Arguments, _: object) -> Desk:
    if "lam" not in desk.settings.parameters:
        return desk
    settings = desk.settings.with_parameters({"lam": a["lam"]})
    text = f"go to {_symbol(settings, 'lam')} = {_short(a['lam'])} of the path"
    return desk.changed(settings, text)


def _snapshot(desk: Desk, a: Arguments, _: object) -> Desk:
    kept = MappingProxyType({**desk.snapshots, a["name"]: desk.settings})
    return replace(desk, snapshots=kept, history=desk.history.sealed())


def _restore(desk: Desk, a: Arguments, _: object) -> Desk:
    if a["name"] not in desk.snapshots:
        known = ", ".join(map(repr, desk.snapshots)) or "none was taken yet"
        raise ValueError(f"name must be one of the snapshots ({known}), got {a['name']!r}")
    return desk.changed(desk.snapshots[a["name"]], f"restore {a['name']}")


def _undo(desk: Desk, _a: Arguments, _: object) -> Desk:
    settings, history = desk.history.undone(desk.settings)
    return replace(desk, settings=settings, history=history)


def _redo(desk: Desk, _a: Arguments, _: object) -> Desk:
    settings, history = desk.history.redone(desk.settings)
    return replace(desk, settings=settings, history=history)


def _sealed(desk: Desk, _a: Arguments, _: object) -> Desk:
    return replace(desk, history=desk.history.sealed())


def _nothing(desk: Desk, _a: Arguments, _: object) -> Desk:
    return desk


_RULES: dict[str, Rule] = {
    "set": _set,
    "label": _label,
    "must_link": _must_link,
    "cannot_link": _cannot_link,
    "pin": _pin,
    "unpin": _unpin,
    "forget": _forget,
    "add_class": _add_class,
    "rename_class": _rename_class,
    "supervise": _supervise,
    "switch": _switch,
    "move_to_path": _move_to_path,
    "snapshot": _snapshot,
    "restore": _restore,
    "undo": _undo,
    "redo": _redo,
    "reset": _sealed,
    "restart": _nothing,
    "learned": _nothing,
    "play": _nothing,
    "pause": _nothing,
    "step": _nothing,
    "rest": _nothing,
}


def _count(points: list[Any]) -> str:
    return "1 point" if len(points) == 1 else f"{len(points)} points"


def _symbol(settings: Settings, name: str) -> str:
    for parameter in settings.kind.live_parameters:
        if parameter.name == name:
            return parameter.symbol
    return name


def _short(value: Any) -> str:
    if isinstance(value, float):
        return f"{value:.4g}"
    text = str(value)
    return text if len(text) <= 20 else type(value).__name__
