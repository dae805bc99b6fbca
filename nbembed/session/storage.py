"""The session file: one zip of plain arrays and JSON, never pickle.

Members
-------
``session.json``
    ``{"format": "nbembed session", "version": 3, "nbembed": …, …}``: all that is not an array —
    method and parameters, supervision, history, log, snapshots, the schedule that is left, state.
    Values that JSON has no form for are written as :mod:`nbembed.session.serialization` says.
``X.npy`` or ``X.data.npy``, ``X.indices.npy``, ``X.indptr.npy``
    The data, dense or as the parts of a CSR array.
``layout.npy``
    Where the points are, and after them the method's centers, unless nothing has moved yet.
``pinned.npy``
    Where points stood that were pinned at the last reset.
``trace.npy``
    Columns iteration, cost, movement, stage and parameter set (rows of two lists in the JSON).
``path/0.npy``, …, ``snapshots/0.npy``, …, ``references/0.npy``, …
    Layouts kept, and those to which solutions that are unique up to a rotation are aligned.

Affinities are not stored: they are recomputed from the data, to the same bits. What an optimizer
remembers is not stored either: a loaded session goes on from its layout with an empty memory, and
its log says so (``reset_optimizer``), so that the log still replays to the same bits.
"""

from __future__ import annotations

import io
import json
import os
import zipfile
from collections.abc import Mapping
from dataclasses import fields
from typing import TYPE_CHECKING, Any

import numpy as np
from scipy import sparse

from nbembed.methods.recipe import Geometry, PathStep, Recipe
from nbembed.run import Record
from nbembed.schedule import Schedule, Stage
from nbembed.session.atomic import write_atomically
from nbembed.session.controller import Controller
from nbembed.session.data import checked_data, digest
from nbembed.session.engine import Engine
from nbembed.session.events import MOTION, Event
from nbembed.session.history import History, Step
from nbembed.session.migration import current_content, current_event, values_in_force
from nbembed.session.records import SessionRecord
from nbembed.session.run_state import PinnedPositions, RunState
from nbembed.session.serialization import decode, encode
from nbembed.session.session_state import SessionState
from nbembed.session.settings import Settings
from nbembed.session.snapshots import Snapshot
from nbembed.session.state_machine import State
from nbembed.sparse_format import csr_from_parts
from nbembed.validation import check_path, check_points

if TYPE_CHECKING:
    from numpy.typing import NDArray

    from nbembed.supervision import Supervision

#: The data and a controller at rest.
Stored = tuple[Any, Controller]

FORMAT = "nbembed session"
VERSION = 3
#: Fields of a geometry that are stored in the JSON; a reference has a row a point.
_SMALL = [field for field in fields(Geometry) if field.name != "reference"]


def save(controller: Controller, X: Any, path: str | os.PathLike[str]) -> None:
    """Write a session to ``path``; see :meth:`Session.save`."""
    path = check_path("path", path)
    if path.is_dir() or not path.parent.is_dir():
        what = "is a directory" if path.is_dir() else f"there is no directory {path.parent}"
        raise OSError(f"path must be where a file can be written, got {str(path)!r}: {what}")
    record = controller.capture()
    arrays: dict[str, NDArray[Any]] = {}
    try:
        content = _Writer(arrays).content(record, X)
    except TypeError as error:
        raise ValueError(f"the session cannot be saved: {error}") from error
    text = json.dumps(content, ensure_ascii=False)
    write_atomically(path, lambda file: _write_zip(file, text, arrays))


def read(path: str | os.PathLike[str], methods: Mapping[str, type[Recipe[Any]]]) -> Stored:
    """Return the data and a controller, as a file has them; see :mod:`nbembed.session.loading`."""
    path = check_path("path", path)
    try:
        with zipfile.ZipFile(path) as file:
            return _Reader(file, methods).session()
    except (zipfile.BadZipFile, KeyError, IndexError, TypeError, AttributeError, EOFError) as error:
        raise ValueError(f"{path} is not a session file, or is damaged: {error}") from error
    except ValueError as error:
        raise ValueError(f"{path} cannot be loaded: {error}") from error


class _Writer:
    """Turns a session record into JSON and named arrays."""

    def __init__(self, arrays: dict[str, NDArray[Any]]) -> None:
        self.arrays = arrays
        self._settings: list[Settings] = []
        self._supervisions: list[Supervision] = []

    def content(self, record: SessionRecord, X: Any) -> dict[str, Any]:
        from nbembed import __version__

        session_state, run_state = record.session_state, record.run_state
        pinned = run_state.pinned_positions
        self._data(X)
        self._put("layout", run_state.layout)
        self._put("pinned", None if pinned is None else pinned.Y)
        content = {
            "format": FORMAT,
            "version": VERSION,
            "nbembed": __version__,
            "state": "paused" if record.state in ("running", "failed") else record.state,
            "cost": record.cost,
            "quality": record.quality,
            "now": self._setting(session_state.settings),
            "history": {
                "past": [[s.text, self._setting(s.settings)] for s in session_state.history.past],
                "future": [
                    [s.text, self._setting(s.settings)] for s in session_state.history.future
                ],
                "gesture": session_state.history.gesture,
            },
            "pending": [
                Event(run_state.iteration, command, arguments).to_dict()
                for command, arguments in record.pending
                if command not in MOTION
            ],
            "run_state": {
                "iteration": run_state.iteration,
                "cold": run_state.cold,
                "geometry": self._geometry(run_state.geometry),
                "schedule": {
                    "stages": [self._stage(stage) for stage in run_state.schedule.stages],
                    "done": run_state.schedule.done,
                },
                "values": dict(run_state.values),
                "learned_from": self._learned_from(run_state.learned_from),
                "pinned": None if pinned is None else pinned.points.tolist(),
            },
            "trace": self._trace(record.trace),
            "path": [
                {
                    "value": step.value,
                    "criterion": step.criterion,
                    "array": self._layout("path", step.embedding),
                }
                for step in record.path
            ],
            "snapshots": [self._snapshot(s) for s in record.snapshots],
            "log": [event.to_dict() for event in record.log],
        }
        # Last, because all of the above add to them.
        content["settings"] = [
            {
                "method": s.name,
                "parameters": encode(s.recipe.parameters, s.name),
                "others": {k: encode(r.parameters, k) for k, r in s.others.items()},
                "supervision": self._index(self._supervisions, s.supervision),
            }
            for s in self._settings
        ]
        content["supervisions"] = [s.to_dict() for s in self._supervisions]
        return content

    def _put(self, name: str, array: NDArray[Any] | None) -> None:
        if array is not None:
            self.arrays[name] = array

    def _data(self, X: Any) -> None:
        if sparse.issparse(X):
            for part in ("data", "indices", "indptr"):
                self._put(f"X.{part}", getattr(X, part))
            self._put("X.shape", np.array(X.shape))
        else:
            self._put("X", X)

    def _learned_from(self, supervision: Supervision | None) -> int | None:
        return None if supervision is None else self._index(self._supervisions, supervision)

    def _setting(self, settings: Settings) -> int:
        return self._index(self._settings, settings)

    @staticmethod
    def _index(known: list[Any], value: Any) -> int:
        for i, other in enumerate(known):
            if other is value:
                return i
        known.append(value)
        return len(known) - 1

    @staticmethod
    def _stage(stage: Stage) -> dict[str, Any]:
        return {
            "steps": stage.steps,
            "optimizer": encode(stage.optimizer, "optimizer"),
            "parameters": encode(dict(stage.parameters), "parameters"),
            "keep": stage.keep,
            "name": stage.name,
        }

    def _trace(self, trace: list[Record]) -> dict[str, Any]:
        names: list[str] = []
        sets: list[dict[str, float]] = []
        rows = []
        for r in trace:
            if r.stage not in names:
                names.append(r.stage)
            if not sets or sets[-1] != r.parameters:
                sets.append(dict(r.parameters))
            rows.append((r.iteration, r.cost, r.movement, names.index(r.stage), len(sets) - 1))
        self._put("trace", np.array(rows, dtype=np.float64).reshape(-1, 5))
        return {"stages": names, "parameters": sets}

    def _layout(self, folder: str, layout: NDArray[Any] | None) -> str | None:
        """Put a layout among the arrays and return its name."""
        if layout is None:
            return None
        name = f"{folder}/{sum(key.startswith(folder) for key in self.arrays)}"
        self._put(name, layout)
        return name

    def _geometry(self, geometry: Geometry | None) -> dict[str, Any] | None:
        if geometry is None:
            return None
        stored = {f.name: encode(getattr(geometry, f.name), f.name) for f in _SMALL}
        return {**stored, "reference": self._layout("references", geometry.reference)}

    def _snapshot(self, snapshot: Snapshot) -> dict[str, Any]:
        return {
            "name": snapshot.name,
            "iteration": snapshot.iteration,
            "settings": self._setting(snapshot.settings),
            "values": dict(snapshot.values),
            "geometry": self._geometry(snapshot.geometry),
            "learned_from": self._learned_from(snapshot.learned_from),
            "array": self._layout("snapshots", snapshot.embedding),
        }


class _Reader:
    """Makes a session's parts from a file's members, checking them on the way."""

    def __init__(self, file: zipfile.ZipFile, methods: Mapping[str, type[Recipe[Any]]]) -> None:
        self._file = file
        self._names = set(file.namelist())
        self._methods = methods
        if "session.json" not in self._names:
            raise ValueError("it has no session.json, so it is not a session file")
        self._content: dict[str, Any] = json.loads(file.read("session.json").decode("utf-8"))
        if not isinstance(self._content, dict) or self._content.get("format") != FORMAT:
            raise ValueError("it is not a session file")
        self._supervisions: list[Supervision] = []
        version = self._content.get("version")
        if type(version) is not int or version > VERSION:
            raise ValueError(
                f"it has version {version} of the format (nbembed {self._content.get('nbembed')}); "
                f"this nbembed reads up to version {VERSION}"
            )
        self._content = current_content(self._content)

    def session(self) -> Stored:
        content = self._content
        settings = self._settings()
        now = settings[content["now"]]
        self._has_centers = any(each.recipe.has_centers() for each in settings)
        X = checked_data(self._data(), now.recipe)
        n = X.shape[0]
        for each in settings:
            if each.supervision.n_samples != n:
                raise ValueError(f"it has {n} points but labels for {each.supervision.n_samples}")
        log = [current_event(Event.from_dict(event)) for event in content["log"]]
        if not log or log[0].arguments.get("data") != digest(X):
            raise ValueError("the data and the log do not belong together")
        snapshots = [self._snapshot(s, settings, n) for s in content["snapshots"]]
        history = content["history"]
        session_state = SessionState(
            now.check(),
            History(
                tuple(Step(text, settings[i]) for text, i in history["past"]),
                tuple(Step(text, settings[i]) for text, i in history["future"]),
                history["gesture"],
            ),
            {s.name: s.settings for s in snapshots},
        )
        run_state = self._run_state(n, now.recipe)
        engine = Engine(X, now, run_state)
        engine.snapshots = {s.name: s for s in snapshots}
        engine.trace = self._trace()
        engine.path = tuple(
            PathStep(p["value"], self._points(p["array"], n), p["criterion"])
            for p in content["path"]
        )
        if not run_state.cold:
            log.append(Event(engine.iteration, "reset_optimizer"))
        state: State = content["state"]
        if state not in ("idle", "paused", "converged"):
            raise ValueError(f"it has an unknown state {state!r}")
        shown = content["cost"], content["quality"]
        controller = Controller(engine, session_state, self._methods, log, state, *shown)
        for event in map(Event.from_dict, content["pending"]):
            waiting = current_event(event)
            controller.replay(waiting.command, waiting.arguments)
        return X, controller

    def _array(self, name: str) -> NDArray[Any]:
        data = io.BytesIO(self._file.read(f"{name}.npy"))
        array = np.lib.format.read_array(data, allow_pickle=False)
        array.flags.writeable = False
        return array

    def _points(self, name: str, n: int) -> NDArray[Any]:
        Y = self._array(name)
        fits = Y.ndim == 2 and Y.shape[0] == n
        if self._has_centers and name not in ("pinned", "stakes"):
            fits = Y.ndim == 2 and Y.shape[0] >= n
        if not fits or Y.dtype.kind != "f" or not np.isfinite(Y).all():
            raise ValueError(f"{name} is not a finite layout of {n} points")
        return Y

    def _data(self) -> Any:
        if "X.npy" in self._names:
            return self._array("X")
        parts = (self._array("X.data"), self._array("X.indices"), self._array("X.indptr"))
        return csr_from_parts(*parts, self._array("X.shape"))

    def _settings(self) -> list[Settings]:
        from nbembed.supervision import Supervision

        supervisions = [Supervision.from_dict(s) for s in self._content["supervisions"]]
        self._supervisions = supervisions
        settings = []
        for stored in self._content["settings"]:
            others = {
                name: self._recipe(name, parameters)
                for name, parameters in stored["others"].items()
            }
            recipe = self._recipe(stored["method"], stored["parameters"])
            settings.append(Settings(recipe, supervisions[stored["supervision"]], others))
        return settings

    def _recipe(self, name: str, parameters: Any) -> Recipe[Any]:
        kind = self._methods.get(name)
        if kind is None:
            raise ValueError(
                f"it uses the method {name!r}, which is not known here "
                f"({', '.join(sorted(self._methods))}); give its class in methods"
            )
        return kind(**kind.upgraded(decode(parameters)))

    def _run_state(self, n: int, recipe: Recipe[Any]) -> RunState:
        stored = self._content["run_state"]
        pinned = self._pinned(stored["pinned"], n)
        if stored["cold"]:
            return RunState(pinned_positions=pinned)
        stages = [
            Stage(s["steps"], decode(s["optimizer"]), decode(s["parameters"]), s["keep"], s["name"])
            for s in stored["schedule"]["stages"]
        ]
        geometry = self._geometry(stored["geometry"], n)
        return RunState(
            self._points("layout", n),
            geometry,
            int(stored["iteration"]),
            cold=False,
            schedule=Schedule(tuple(stages), int(stored["schedule"]["done"])),
            values={} if geometry is None else values_in_force(stored, recipe, geometry),
            learned_from=self._learned_from(stored),
            pinned_positions=pinned,
        )

    def _geometry(self, stored: dict[str, Any] | None, n: int) -> Geometry | None:
        if stored is None:
            return None
        name = stored.get("reference")
        small = {k: decode(v) for k, v in stored.items() if k != "reference"}
        return Geometry(**small, reference=None if name is None else self._points(name, n))

    def _pinned(self, points: list[int] | None, n: int) -> PinnedPositions | None:
        if points is None:
            return None
        checked = check_points(points, n, "pinned")
        name = "pinned" if "pinned.npy" in self._names else "stakes"  # until version 2
        return PinnedPositions(checked, self._points(name, len(checked)))

    def _learned_from(self, stored: Mapping[str, Any]) -> Supervision | None:
        number = stored["learned_from"]
        return None if number is None else self._supervisions[number]

    def _snapshot(self, stored: Any, settings: list[Settings], n: int) -> Snapshot:
        layout = None if stored["array"] is None else self._points(stored["array"], n)
        geometry = self._geometry(stored["geometry"], n)
        own = settings[stored["settings"]]
        return Snapshot(
            stored["name"],
            stored["iteration"],
            layout,
            own,
            geometry,
            {} if geometry is None else values_in_force(stored, own.recipe, geometry),
            self._learned_from(stored),
        )

    def _trace(self) -> list[Record]:
        stored = self._content["trace"]
        names, sets = stored["stages"], stored["parameters"]
        return [
            Record(int(i), cost, movement, names[int(stage)], sets[int(parameters)])
            for i, cost, movement, stage, parameters in self._array("trace").tolist()
        ]


def _write_zip(file: Any, text: str, arrays: Mapping[str, NDArray[Any]]) -> None:
    with zipfile.ZipFile(file, "w", zipfile.ZIP_STORED, allowZip64=True) as archive:
        archive.writestr("session.json", text, zipfile.ZIP_DEFLATED)
        for name, array in arrays.items():
            with archive.open(f"{name}.npy", "w", force_zip64=True) as member:
                np.lib.format.write_array(member, np.asarray(array), allow_pickle=False)
