"""Read a session file; its form is described in :mod:`nbembed.session.file.storage`.

A file may be damaged, or come from somebody else. All of it is checked here, when it is opened:
what is loaded can be played, undone, restored and printed without meeting a broken entry later.
"""

from __future__ import annotations

import errno
import os
import reprlib
import zipfile
import zlib
from collections.abc import Mapping
from dataclasses import fields
from typing import Any, NamedTuple, cast

import numpy as np
from numpy.typing import NDArray

from nbembed.data.sparse_format import csr_from_parts
from nbembed.methods.recipe import Geometry, PathStep, Recipe, given_dimensions
from nbembed.objectives.base import in_range
from nbembed.optimizers.base import Optimizer
from nbembed.run import Record
from nbembed.schedule import Schedule, Stage
from nbembed.session.core.commands import MOTION, has_flag
from nbembed.session.core.data import checked_data, digest
from nbembed.session.core.events import Event
from nbembed.session.core.serialization import decode, decode_supervision, description
from nbembed.session.core.settings import Settings, stored_recipe
from nbembed.session.core.snapshot_names import KeptSettings
from nbembed.session.core.state_machine import State
from nbembed.session.file.archive import Archive
from nbembed.session.file.checkpoint import COMMAND
from nbembed.session.file.log_walk import UNDECIDED, LogWalk, checked_log
from nbembed.session.file.stored_view import View, stored_view
from nbembed.session.live.controller import Controller
from nbembed.session.map.engine import Engine
from nbembed.session.map.run_state import PinnedPositions, RunState
from nbembed.session.map.snapshots import Snapshot
from nbembed.supervision import Supervision
from nbembed.system.atomic import Identity, identity
from nbembed.system.regular_files import open_regular
from nbembed.validation import check_path, check_points


class Stored(NamedTuple):
    """The contents of a file: the data, a controller at rest, the view; and the file's identity."""

    X: Any
    controller: Controller
    view: View
    identity: Identity | None


FORMAT = "nbembed session"
VERSION = 1
#: Fields of a geometry that are stored in the JSON; a reference has a row a point.
SMALL = [field.name for field in fields(Geometry) if field.name != "reference"]
#: What was measured of the map of a snapshot.
MEASURES = ("cost", "quality")
#: The entries of the document, and of its parts.
ENTRIES = {
    "file": frozenset({
        "format", "version", "nbembed", "state", "cost", "quality", "pending", "run_state",
        "trace", "path", "snapshots", "log", "supervisions", "view",
    }),
    "event": frozenset({"iteration", "command", "arguments", "provenance"}),
    "run_state": frozenset({
        "iteration", "cold", "adopted", "geometry", "schedule", "values", "learned_from", "pinned",
    }),
    "schedule": frozenset({"stages", "done"}),
    "stage": frozenset({"steps", "optimizer", "parameters", "keep", "name"}),
    "geometry": frozenset({*SMALL, "reference"}),
    "trace": frozenset({"stages", "parameters"}),
    "path step": frozenset({"value", "criterion", "array"}),
    "snapshot": frozenset({
        "number", "iteration", "values", "geometry", "learned_from", "array", *MEASURES,
    }),
}  # fmt: skip
#: What a damaged file makes Python's own readers raise, beside ValueError.
_DAMAGE = (
    zipfile.BadZipFile, zlib.error, EOFError, KeyError, IndexError, TypeError, AttributeError,
    OverflowError, RecursionError, NotImplementedError, RuntimeError,
)  # fmt: skip


def read(path: str | os.PathLike[str], methods: Mapping[str, type[Recipe[Any]]]) -> Stored:
    """Return the contents of a file; see :mod:`nbembed.session.loading`."""
    path = check_path("path", path)
    with open_regular(path) as file:
        try:
            reader = _Reader(Archive(file), methods)
            return Stored(*reader.session(), reader.view(), identity(file.fileno()))
        except _DAMAGE as error:
            why = (
                str(error) or type(error).__name__
            )  # that the file has ended is said without words
            raise ValueError(f"{path} is not a session file, or is damaged: {why}") from error
        except MemoryError as error:
            raise ValueError(
                f"{path} cannot be loaded: it needs more memory than is available"
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
        if version != VERSION or type(version) is not int:
            raise ValueError(
                f"it has version {reprlib.repr(version)} of the format "
                f"(nbembed {reprlib.repr(content.get('nbembed'))}); "
                f"this nbembed reads version {VERSION}"
            )
        _check_entries(content, "file")
        #: True where events of the log may be left out; see checked_log().
        self._tolerant = content.get("nbembed") != __version__
        self._content = content
        self._supervisions: list[Supervision] = []
        self._has_centers = False
        self._n = 0

    def view(self) -> View:
        """Return the view, read last and unchecked."""
        return stored_view(self._archive, self._content)

    def session(self) -> tuple[Any, Controller]:
        content = self._content
        X = self._data()
        self._n = int(X.shape[0])
        self._supervisions = [
            decode_supervision(stored, self._n) for stored in _item(content, "supervisions", list)
        ]
        events = self._events("log")
        X = checked_data(X, self._first_recipe(events))
        if events[0].arguments.get("data") != digest(X):
            raise ValueError("its data are not those of its log")
        iteration = _count(_item(content, "run_state", dict), "iteration")
        log, state = checked_log(events, X, self._methods, iteration, tolerant=self._tolerant)
        kept = state.kept_snapshots()
        steps = (*state.history.past, *state.history.future)
        known = [state.settings, *(s.settings for s in steps), *(k.settings for k in kept.values())]
        self._has_centers = any(settings.recipe.has_centers() for settings in known)
        engine = Engine(X, state.settings, self._run_state(state.settings))
        names = {each.number: name for name, each in state.snapshots.items()}
        engine.snapshots = self._snapshots(kept, names)
        engine.trace = self._trace()
        engine.path = tuple(map(self._path_step, _item(content, "path", list)))
        if any(
            engine.layout is None or s.embedding.shape != engine.layout.shape for s in engine.path
        ):
            raise ValueError(
                "it is damaged: a layout of its path does not have the shape of its layout"
            )
        shown = _item(content, "state", str)
        if shown not in ("idle", "paused", "converged"):
            raise ValueError(f"it has an unknown state {reprlib.repr(shown)}")
        if not engine.cold or any(has_flag(event.command, "restarts") for event in log):
            log.append(Event(engine.iteration, "reset_optimizer"))
        if engine.cold and shown != "idle" and not any(event.command in MOTION for event in log):
            # The steps asked for were not begun and are not stored, but the map is no longer idle:
            # it will show its start, and so will a replay.
            log.append(Event(0, "pause"))
        numbers = _number(content, "cost"), _number(content, "quality")
        controller = Controller(engine, state, self._methods, log, cast("State", shown), *numbers)
        self._wait_again(controller)
        if engine.cold and shown != "idle":  # a start is not stored, but was seen
            controller.show_start()
        return X, controller

    def _events(self, name: str) -> list[Event]:
        stored = _item(self._content, name, list)
        for each in stored:
            _check_entries(each, "event")
        return [Event.from_dict(each, self._n) for each in stored]

    def _wait_again(self, controller: Controller) -> None:
        """Queue the commands again that had not taken effect."""
        walk = LogWalk(controller.engine.X, self._methods, controller.mailbox.session_state)
        waiting = [walk.take(event) for event in self._events("pending")]
        if any(event.command in (*MOTION, COMMAND) for event in waiting):
            raise ValueError("it is damaged: a queued command moves the map")
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

    def _first_recipe(self, events: list[Event]) -> Recipe[Any]:
        """Return a recipe that takes the data in its form, as all of a session do."""
        if not events or events[0].command != "start":
            raise ValueError("its log does not begin with the start of a session")
        for event in events:
            if event.command in ("start", COMMAND):
                name, parameters = (event.arguments.get(k) for k in ("method", "parameters"))
                if not description(parameters):
                    return stored_recipe(name, parameters, self._methods)
        raise ValueError(UNDECIDED)

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

    @staticmethod
    def _check_columns(name: str, Y: NDArray[Any], geometry: Geometry, recipe: Recipe[Any]) -> None:
        """Raise ValueError unless a layout has the dimensions of its method and geometry."""
        expected = {f"method {recipe.name}": given_dimensions(recipe)}
        for part in ("directions", "reference"):
            array = getattr(geometry, part)
            expected[f"its {part}"] = None if array is None else array.shape[1]
        for what, d in expected.items():
            if d is not None and d != Y.shape[1]:
                raise ValueError(
                    f"it is damaged: {name} has {Y.shape[1]} dimensions, not the {d} of {what}"
                )

    def _run_state(self, settings: Settings) -> RunState:
        stored = _item(self._content, "run_state", dict)
        _check_entries(stored, "run_state")
        pinned = self._pinned(stored)
        if _item(stored, "cold", bool):
            return RunState(pinned_positions=pinned)
        layout, geometry = self._points("layout"), self._geometry(stored)
        if geometry is None:
            raise ValueError("it is damaged: its layout has no geometry")
        adopted = "adopted" not in stored or _item(stored, "adopted", bool)
        if adopted:
            self._check_columns("layout", layout, geometry, settings.recipe)
        return RunState(
            layout,
            geometry,
            _count(stored, "iteration"),
            cold=False,
            schedule=self._schedule(_item(stored, "schedule", dict)),
            values=_numbers(_item(stored, "values", dict)),
            learned_from=self._learned_from(stored),
            pinned_positions=pinned,
            adopted=adopted,
        )

    @staticmethod
    def _schedule(stored: dict[str, Any]) -> Schedule:
        stages = []
        _check_entries(stored, "schedule")
        for s in _item(stored, "stages", list):
            _check_entries(s, "stage")
            optimizer = decode(_item(s, "optimizer", dict))
            if not isinstance(optimizer, Optimizer):
                raise ValueError("it is damaged: a stage has no optimizer")
            parameters = _numbers(decode(_item(s, "parameters", dict)))
            keep, name = _item(s, "keep", bool), _item(s, "name", str)
            stages.append(Stage(_count(s, "steps"), optimizer, parameters, keep, name))
        return Schedule(tuple(stages), _count(stored, "done"))

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
            raise ValueError("it is damaged: its class directions are not a finite array")
        if not isinstance(bound, tuple) or any(
            type(k) is not int or not 0 <= k < count for k in bound
        ):
            raise ValueError("it is damaged: it refers to class directions that do not exist")
        _check_entries(stored, "geometry")
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
            raise ValueError("it is damaged: pinned points must be sorted and unique")
        return PinnedPositions(checked, self._points("pinned", len(checked)))

    def _learned_from(self, stored: Any) -> Supervision | None:
        index: int | None = _item(stored, "learned_from", int, type(None))
        known = self._supervisions
        if index is None:
            return None
        if not 0 <= index < len(known):
            raise ValueError(
                f"it is damaged: learned_from must be in [0, {len(known)}), got "
                f"{reprlib.repr(index)}"
            )
        return known[index]

    def _snapshots(
        self, kept: Mapping[int, KeptSettings], names: Mapping[int, str]
    ) -> dict[int, Snapshot]:
        """Return the snapshots of the log by number, those that can come back included."""
        given = _item(self._content, "snapshots", list)
        stored = {_count(each, "number"): each for each in given}
        if not kept.keys() <= stored.keys() or len(stored) < len(given):
            raise ValueError(
                f"it is damaged: it has the snapshots {sorted(stored)}, its log {sorted(kept)}"
            )
        return {
            number: self._snapshot(stored[number], names.get(number, ""), each.settings)
            for number, each in kept.items()
        }

    def _snapshot(self, stored: Any, name: str, settings: Settings) -> Snapshot:
        _check_entries(stored, "snapshot")
        array = _item(stored, "array", str, type(None))
        layout = None if array is None else self._points(array)
        geometry = self._geometry(stored)
        if layout is not None and geometry is None:
            raise ValueError("it is damaged: a snapshot's layout has no geometry")
        if layout is not None and geometry is not None:
            self._check_columns(f"snapshot {name!r}", layout, geometry, settings.recipe)
        return Snapshot(
            name,
            _count(stored, "iteration"),
            layout,
            settings,
            geometry,
            _numbers(_item(stored, "values", dict)),
            self._learned_from(stored),
            *(_number(stored, measure) for measure in MEASURES),
        )

    def _path_step(self, stored: Any) -> PathStep:
        _check_entries(stored, "path step")
        value, criterion = _number(stored, "value"), _number(stored, "criterion")
        return PathStep(value, self._points(_item(stored, "array", str)), criterion)

    def _trace(self) -> list[Record]:
        stored = _item(self._content, "trace", dict)
        _check_entries(stored, "trace")
        names = _item(stored, "stages", list)
        sets = [_numbers(each) for each in _item(stored, "parameters", list)]
        rows = self._archive.array("trace")
        if rows.ndim != 2 or rows.shape[1] != 5 or not all(isinstance(n, str) for n in names):
            raise ValueError("it is damaged: its trace is not a table of five columns")
        whole = rows[:, (0, 3, 4)]
        high = [2**53, len(names), len(sets)]
        if not ((whole >= 0) & (whole < high) & (whole == np.floor(whole))).all():
            raise ValueError(
                "it is damaged: its trace refers to stages or parameters that do not exist"
            )
        return [
            Record(int(i), cost, movement, names[int(stage)], sets[int(parameters)])
            for i, cost, movement, stage, parameters in rows.tolist()
        ]


# -- entries of the JSON document -----------------------------------------------------------------


def _check_entries(stored: Any, what: str) -> None:
    """Raise ValueError if a map has entries that nobody would read."""
    unknown = stored.keys() - ENTRIES[what] if isinstance(stored, dict) else ()
    if unknown:
        named = reprlib.repr(sorted(unknown))
        raise ValueError(f"it is damaged: its {what} has unknown entries: {named}")


def _item(stored: Any, name: str, *kinds: type) -> Any:
    """Return an entry of one of these types; ``bool`` is no ``int`` here."""
    if not isinstance(stored, dict) or name not in stored:
        raise ValueError(f"it is damaged: the entry {name!r} is missing")
    value = stored[name]
    if type(value) not in kinds:
        raise ValueError(f"it is damaged: its entry {name!r} is {reprlib.repr(value)}")
    return value


def _number(stored: Any, name: str) -> float:
    return float(_item(stored, name, int, float))


def _count(stored: Any, name: str) -> int:
    count = _item(stored, name, int)
    if not 0 <= count < 2**53:
        raise ValueError(f"it is damaged: its entry {name!r} is {reprlib.repr(count)}")
    return int(count)


def _numbers(stored: Any) -> dict[str, float]:
    """Return numbers by name."""
    if not isinstance(stored, dict) or not all(
        isinstance(name, str) and type(value) in (int, float) for name, value in stored.items()
    ):
        raise ValueError(
            f"it is damaged: {reprlib.repr(stored)} is not a mapping of names to numbers"
        )
    return stored
