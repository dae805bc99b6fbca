"""Read a session file; its form is described in :mod:`nbembed.session.file.storage`.

A file may be damaged, or come from somebody else. All of it is checked here, when it is opened:
what is loaded can be played, undone, restored and printed without meeting a broken entry later.
"""

from __future__ import annotations

import errno
import math
import os
import reprlib
import warnings
import zipfile
import zlib
from collections.abc import Mapping
from dataclasses import fields, replace
from typing import TYPE_CHECKING, Any, cast

import numpy as np

from nbembed.data.sparse_format import csr_from_parts
from nbembed.methods.recipe import Geometry, PathStep, Recipe
from nbembed.objectives.base import in_range
from nbembed.optimizers.base import Optimizer
from nbembed.run import Record
from nbembed.schedule import Schedule, Stage
from nbembed.session.core.arguments import NEW_NAME
from nbembed.session.core.data import checked_data, digest
from nbembed.session.core.events import MOTION, Event
from nbembed.session.core.history import History, Step
from nbembed.session.core.serialization import decode, decode_supervision, description
from nbembed.session.core.session_state import SessionState
from nbembed.session.core.settings import Settings
from nbembed.session.core.snapshot_names import KeptSettings, Naming, by_number
from nbembed.session.file.archive import Archive
from nbembed.session.file.log_walk import LogWalk, checked_log
from nbembed.session.file.migration import current_content, values_in_force
from nbembed.session.live.controller import Controller
from nbembed.session.map.engine import Engine
from nbembed.session.map.run_state import PinnedPositions, RunState
from nbembed.session.map.snapshots import Snapshot
from nbembed.validation import check_path, check_points

if TYPE_CHECKING:
    from numpy.typing import NDArray

    from nbembed.session.core.state_machine import State
    from nbembed.supervision import Supervision

#: The data and a controller at rest.
Stored = tuple[Any, Controller]

FORMAT = "nbembed session"
VERSION = 3
#: Fields of a geometry that are stored in the JSON; a reference has a row a point.
SMALL = [field.name for field in fields(Geometry) if field.name != "reference"]
#: What was measured of the map of a snapshot.
MEASURES = ("cost", "quality")
#: What a damaged file makes Python's own readers raise, beside ValueError.
_DAMAGE = (
    zipfile.BadZipFile, zlib.error, EOFError, KeyError, IndexError, TypeError, AttributeError,
    OverflowError, RecursionError, NotImplementedError, RuntimeError,
)  # fmt: skip


def read(path: str | os.PathLike[str], methods: Mapping[str, type[Recipe[Any]]]) -> Stored:
    """Return the data and a controller, as a file has them; see :mod:`nbembed.session.loading`."""
    path = check_path("path", path)
    with open(path, "rb") as file:
        try:
            return _Reader(Archive(file), methods).session()
        except _DAMAGE as error:
            why = (
                str(error) or type(error).__name__
            )  # that the file has ended is said without words
            raise ValueError(f"{path} is not a session file, or is damaged: {why}") from error
        except MemoryError as error:
            raise ValueError(
                f"{path} cannot be loaded: it needs more memory than there is"
            ) from error
        except OSError as error:
            if error.errno != errno.EINVAL:  # a place in the file that cannot be
                raise
            raise ValueError(f"{path} is not a session file, or is damaged: {error}") from error
        except ValueError as error:
            raise ValueError(f"{path} cannot be loaded: {error}") from error


class _Reader:
    """Makes a session's parts from a file's members, checking them on the way."""

    def __init__(self, archive: Archive, methods: Mapping[str, type[Recipe[Any]]]) -> None:
        from nbembed import __version__

        self._archive = archive
        self._methods = methods
        content = archive.document()
        if content.get("format") != FORMAT:
            raise ValueError("it is not a session file")
        version = content.get("version")
        if type(version) is not int or not 1 <= version <= VERSION:
            raise ValueError(
                f"it has version {reprlib.repr(version)} of the format "
                f"(nbembed {reprlib.repr(content.get('nbembed'))}); "
                f"this nbembed reads versions 1 to {VERSION}"
            )
        #: Whether log and history may disagree; see checked_log().
        self._tolerant = version < VERSION or content.get("nbembed") != __version__
        self._content = current_content(content)
        self._supervisions: list[Supervision] = []
        self._settings: list[Settings] = []
        self._has_centers = False
        self._n = 0

    def session(self) -> Stored:
        content = self._content
        X = self._data()
        self._n = int(X.shape[0])
        self._supervisions = [
            decode_supervision(stored, self._n) for stored in _list(content, "supervisions")
        ]
        self._settings = [self._setting(stored) for stored in _list(content, "settings")]
        self._has_centers = any(each.recipe.has_centers() for each in self._settings)
        now = self._one_setting(content, "now").check()
        X = checked_data(X, now.recipe)
        snapshots = self._snapshots("snapshots", {})
        names = by_number({s.name: KeptSettings(n, s.settings) for n, s in snapshots.items()})
        snapshots |= self._snapshots("deleted_snapshots", snapshots)
        kept = {n: KeptSettings(n, s.settings) for n, s in snapshots.items()}
        state = self._saved(SessionState(now, self._history(kept), names))
        run_state = self._run_state(now.recipe)
        log, state = self._log(X, run_state.iteration, state)
        engine = Engine(X, state.settings, run_state)
        noted = {kept.number: kept.settings for kept in state.snapshots.values()}
        engine.snapshots = {
            n: replace(each, settings=noted.get(n, each.settings)) for n, each in snapshots.items()
        }
        engine.trace = self._trace()
        engine.path = tuple(map(self._path_step, _list(content, "path")))
        shown = _item(content, "state", str)
        if shown not in ("idle", "paused", "converged"):
            raise ValueError(f"it has an unknown state {reprlib.repr(shown)}")
        if not engine.cold or any(event.command == "reset" for event in log):
            log.append(Event(engine.iteration, "reset_optimizer"))
        if engine.cold and shown != "idle" and not any(event.command in MOTION for event in log):
            # The steps asked for were not begun and are not stored, but the map is no longer idle:
            # it will show its start, and so will a replay.
            log.append(Event(0, "pause"))
        numbers = _number(content, "cost"), _number(content, "quality")
        controller = Controller(engine, state, self._methods, log, cast("State", shown), *numbers)
        self._wait_again(controller)
        return X, controller

    def _wait_again(self, controller: Controller) -> None:
        """Queue the commands again that had not taken effect."""
        walk = LogWalk(controller.engine.X, self._methods, controller.session_state)
        stored = [Event.from_dict(s, self._n) for s in _list(self._content, "pending")]
        waiting = [walk.take(event) for event in stored]
        if any(event.command in MOTION for event in waiting):
            raise ValueError("it is damaged: a command that moves the map waits")
        for event in waiting:
            controller.replay(event.command, event.arguments, event.provenance)

    # -- data, settings and history -------------------------------------------------------------

    def _data(self) -> Any:
        if "X" in self._archive:
            X: Any = self._archive.array("X")
        else:
            data = self._archive.array("X.data")
            indices, indptr, shape = (
                self._archive.array(f"X.{part}", "iu") for part in ("indices", "indptr", "shape")
            )
            X = csr_from_parts(data, indices, indptr, shape)
        if X.ndim != 2:
            raise ValueError(f"it is damaged: X has the shape {X.shape}")
        return X

    def _setting(self, stored: Any) -> Settings:
        others = {
            name: self._recipe(name, parameters)
            for name, parameters in _item(stored, "others", dict).items()
        }
        recipe = self._recipe(_item(stored, "method", str), _item(stored, "parameters", dict))
        supervision = _one(stored, "supervision", self._supervisions)
        return Settings(recipe, supervision, others)

    def _one_setting(self, stored: Any, name: str) -> Settings:
        found: Settings = _one(stored, name, self._settings)
        return found

    def _recipe(self, name: str, parameters: Any) -> Recipe[Any]:
        kind = self._methods.get(name)
        if kind is None:
            raise ValueError(
                f"it uses the method {name!r}, which is not known here "
                f"({', '.join(sorted(self._methods))}); give its class in methods"
            )
        if not isinstance(parameters, dict):
            raise ValueError(f"it is damaged: the parameters of {name} are no map")
        known = kind.restored(decode(parameters, self._n))
        if what := description(known):
            raise ValueError(f"it is damaged: a parameter of {name} is {what}, which no file holds")
        return kind(**known)

    def _history(self, kept: Mapping[int, KeptSettings]) -> History:
        stored = _item(self._content, "history", dict)
        past, future = (self._steps(_list(stored, name), kept) for name in ("past", "future"))
        return History(past, future, _item(stored, "gesture", str))

    def _steps(self, stored: list[Any], kept: Mapping[int, KeptSettings]) -> tuple[Step, ...]:
        """Return steps of the history, as far back as this version allows what they lead to."""
        steps: list[Step] = []
        for entry in stored:
            whole = isinstance(entry, list) and len(entry) in (2, 3) and isinstance(entry[0], str)
            if not whole:
                raise ValueError(f"it is damaged: {reprlib.repr(entry)} is no step of a history")
            step = Step(entry[0], _one({"settings": entry[1]}, "settings", self._settings))
            steps.append(replace(step, naming=_naming(entry[2], kept)) if entry[2:] else step)
        for i, step in reversed(list(enumerate(steps))):
            try:
                step.settings.check()
            except (ValueError, TypeError) as error:
                warnings.warn(
                    f"{i + 1} of {len(steps)} steps of the file's history were left out, because "
                    f"{step.text!r} leads to settings that are not allowed: {error}",
                    stacklevel=2,
                )
                self._tolerant = True
                return tuple(steps[i + 1 :])
        return tuple(steps)

    def _log(self, X: Any, iteration: int, state: SessionState) -> tuple[list[Event], SessionState]:
        """Return the log, and the state with what the log says of who changed what."""
        events = [Event.from_dict(stored, self._n) for stored in _list(self._content, "log")]
        start = events[0] if events else None
        if start is None or start.command != "start" or start.arguments.get("data") != digest(X):
            raise ValueError("the data and the log do not belong together")
        return checked_log(events, X, self._methods, iteration, state, tolerant=self._tolerant)

    # -- the map ----------------------------------------------------------------------------------

    def _points(self, name: Any, n: int | None = None) -> NDArray[Any]:
        """Return a layout: of ``n`` points, by default all, and centers if a method has them."""
        Y = self._archive.array(name)
        rows = self._n if n is None else n
        fits = Y.ndim == 2 and Y.shape[1] > 0 and Y.shape[0] == rows
        if self._has_centers and n is None:
            fits = Y.ndim == 2 and Y.shape[1] > 0 and Y.shape[0] >= rows
        with np.errstate(over="ignore"):  # what float32 cannot hold is of no layout
            legal = fits and in_range(Y.astype(np.float32), np.dtype(np.float32))
        if not legal:
            raise ValueError(f"{name} is not a finite layout of {rows} points")
        return Y

    def _run_state(self, recipe: Recipe[Any]) -> RunState:
        stored = _item(self._content, "run_state", dict)
        pinned = self._pinned(stored)
        if _item(stored, "cold", bool):
            return RunState(pinned_positions=pinned)
        layout, geometry = self._points("layout"), self._geometry(stored)
        if geometry is None:
            raise ValueError("it is damaged: its layout has no geometry")
        return RunState(
            layout,
            geometry,
            _count(stored, "iteration"),
            cold=False,
            schedule=self._schedule(_item(stored, "schedule", dict)),
            values=self._values(stored, recipe, geometry),
            learned_from=self._learned_from(stored),
            pinned_positions=pinned,
        )

    @staticmethod
    def _schedule(stored: dict[str, Any]) -> Schedule:
        stages = []
        for s in _list(stored, "stages"):
            optimizer = decode(_item(s, "optimizer", dict))
            if not isinstance(optimizer, Optimizer):
                raise ValueError("it is damaged: a stage has no optimizer")
            parameters = _numbers(decode(_item(s, "parameters", dict)))
            keep, name = _item(s, "keep", bool), _item(s, "name", str)
            stages.append(Stage(_count(s, "steps"), optimizer, parameters, keep, name))
        return Schedule(tuple(stages), _count(stored, "done"))

    @staticmethod
    def _values(stored: Any, recipe: Recipe[Any], geometry: Geometry | None) -> dict[str, float]:
        return {} if geometry is None else _numbers(values_in_force(stored, recipe, geometry))

    def _geometry(self, part: Any) -> Geometry | None:
        stored = _item(part, "geometry", dict, type(None))
        if stored is None:
            return None
        reference = stored.get("reference")
        directions = decode(_item(stored, "directions", dict, type(None)))
        bound: Any = decode(stored.get("bound", {"__tuple__": []}))
        count = 0 if directions is None else len(np.atleast_1d(directions))
        if directions is not None and not (
            isinstance(directions, np.ndarray)
            and directions.ndim == 2
            and directions.dtype.kind == "f"
            and np.isfinite(directions).all()
        ):
            raise ValueError("it is damaged: its class directions are no finite array")
        if not isinstance(bound, tuple) or any(
            type(k) is not int or not 0 <= k < count for k in bound
        ):
            raise ValueError("it is damaged: it binds class directions that it does not have")
        if stored.keys() - {*SMALL, "reference"}:
            raise ValueError(f"it is damaged: a geometry has {sorted(stored)}")
        return Geometry(
            _number(stored, "scale"),
            directions,
            bound,
            None if reference is None else self._points(reference),
        )

    def _pinned(self, stored: Any) -> PinnedPositions | None:
        points = _item(stored, "pinned", list, type(None))
        if points is None:
            return None
        checked = check_points(points, self._n, "pinned")
        if checked.tolist() != points:
            raise ValueError("it is damaged: pinned points are not sorted, or some there twice")
        name = "pinned" if "pinned" in self._archive else "stakes"  # until version 2
        return PinnedPositions(checked, self._points(name, len(checked)))

    def _learned_from(self, stored: Any) -> Supervision | None:
        if _item(stored, "learned_from", int, type(None)) is None:
            return None
        found: Supervision = _one(stored, "learned_from", self._supervisions)
        return found

    def _snapshots(self, part: str, others: Mapping[int, Snapshot]) -> dict[int, Snapshot]:
        """Return snapshots by number; earlier versions had neither numbers nor deleted ones."""
        found: dict[int, Snapshot] = {}
        for i, stored in enumerate(_list({part: self._content.get(part, [])}, part), start=1):
            snapshot = self._snapshot(stored)
            number = _count(stored, "number") if "number" in stored else i
            if number < 1 or number in {**others, **found}:
                raise ValueError(f"it is damaged: it has snapshot {number} twice, or it is none")
            found[number] = snapshot
        return found

    def _snapshot(self, stored: Any) -> Snapshot:
        name = _item(stored, "array", str, type(None))
        layout = None if name is None else self._points(name)
        geometry, own = self._geometry(stored), self._one_setting(stored, "settings")
        if layout is not None and geometry is None:
            raise ValueError("it is damaged: a snapshot's layout has no geometry")
        return Snapshot(
            _item(stored, "name", str),
            _count(stored, "iteration"),
            layout,
            own,
            geometry,
            self._values(stored, own.recipe, geometry),
            self._learned_from(stored),
            # Files of earlier versions do not have them.
            *(_number(stored, measure) if measure in stored else math.nan for measure in MEASURES),
        )

    def _saved(self, state: SessionState) -> SessionState:
        """Return a state with the saved selections; earlier versions had none."""
        saved = self._content.get("selections", [])
        for stored in _list({"selections": saved}, "selections"):
            name = NEW_NAME.check("name", _item(stored, "name", str), self._n)
            points = _list(stored, "points")
            if check_points(points, self._n, "points").tolist() != points:
                raise ValueError("it is damaged: saved points are not sorted, or some there twice")
            state = state.with_selection(name, points)
        return state

    def _path_step(self, stored: Any) -> PathStep:
        value, criterion = _number(stored, "value"), _number(stored, "criterion")
        return PathStep(value, self._points(_item(stored, "array", str)), criterion)

    def _trace(self) -> list[Record]:
        stored = _item(self._content, "trace", dict)
        names = _list(stored, "stages")
        sets = [_numbers(each) for each in _list(stored, "parameters")]
        rows = self._archive.array("trace")
        if rows.ndim != 2 or rows.shape[1] != 5 or not all(isinstance(n, str) for n in names):
            raise ValueError("it is damaged: its trace is no table of five columns")
        whole = rows[:, (0, 3, 4)]
        high = [2**53, len(names), len(sets)]
        if not ((whole >= 0) & (whole < high) & (whole == np.floor(whole))).all():
            raise ValueError(
                "it is damaged: its trace names stages or parameters that are not there"
            )
        return [
            Record(int(i), cost, movement, names[int(stage)], sets[int(parameters)])
            for i, cost, movement, stage, parameters in rows.tolist()
        ]


# -- entries of the JSON document -----------------------------------------------------------------


def _item(stored: Any, name: str, *kinds: type) -> Any:
    """Return an entry of one of these types; ``bool`` is no ``int`` here."""
    if not isinstance(stored, dict) or name not in stored:
        raise ValueError(f"it is damaged: it has no entry {name!r} where one should be")
    value = stored[name]
    if type(value) not in kinds:
        raise ValueError(f"it is damaged: its entry {name!r} is {reprlib.repr(value)}")
    return value


def _list(stored: Any, name: str) -> list[Any]:
    return cast("list[Any]", _item(stored, name, list))


def _number(stored: Any, name: str) -> float:
    return float(_item(stored, name, int, float))


def _count(stored: Any, name: str) -> int:
    count = _item(stored, name, int)
    if not 0 <= count < 2**53:
        raise ValueError(f"it is damaged: its entry {name!r} is {reprlib.repr(count)}")
    return int(count)


def _one(stored: Any, name: str, things: list[Any]) -> Any:
    """Return the thing that an entry gives the index of."""
    index = _item(stored, name, int)
    if not 0 <= index < len(things):
        raise ValueError(f"it is damaged: {name} {reprlib.repr(index)} of {len(things)}")
    return things[index]


def _naming(stored: Any, kept: Mapping[int, KeptSettings]) -> Naming:
    """Return what a step of the history does to the name of a snapshot."""
    number, name = _count(stored, "snapshot"), _item(stored, "name", str, type(None))
    if number not in kept:
        raise ValueError(f"it is damaged: its history names a snapshot {number} that it has not")
    return Naming(kept[number], name)


def _numbers(stored: Any) -> dict[str, float]:
    """Return numbers by name."""
    if not isinstance(stored, dict) or not all(
        isinstance(name, str) and type(value) in (int, float) for name, value in stored.items()
    ):
        raise ValueError(f"it is damaged: {reprlib.repr(stored)} are no numbers by name")
    return stored
