"""The session file: one zip of plain arrays and JSON, never pickle.

Members
-------
``session.json``
    ``{"format": "nbembed session", "version": 2, "nbembed": …, …}``: all that is not an array —
    method and parameters, supervision, history, log, snapshots, the schedule that is left, state.
    Values that JSON has no form for are written as :mod:`nbembed.session.plain` says.
``X.npy`` or ``X.data.npy``, ``X.indices.npy``, ``X.indptr.npy``
    The data, dense or as the parts of a CSR array.
``layout.npy``
    Where the points are, and after them the method's landmarks, unless nothing has moved yet.
``stakes.npy``
    Where points stood that were pinned at the last reset.
``trace.npy``
    Columns iteration, cost, movement, stage and parameter set (rows of two lists in the JSON).
``path/0.npy``, …, ``snapshots/0.npy``, …, ``references/0.npy``, …
    Layouts kept, and those that solutions known up to a rotation are turned to.

Affinities are not stored: they are recomputed from the data, to the same bits. What an optimizer
remembers is not stored either: a loaded session goes on from its layout with an empty memory, and
its log says so (``restart``), so that the log still replays to the same bits.
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

from nbembed.methods.base import EmbeddingMethod, Geometry
from nbembed.run import Record
from nbembed.schedule import Schedule, Stage
from nbembed.session.atomic import write_atomically
from nbembed.session.commands import Desk
from nbembed.session.engine import Engine
from nbembed.session.events import MOTION, Event
from nbembed.session.history import History, Step
from nbembed.session.inputs import checked_data, digest
from nbembed.session.live import Live
from nbembed.session.moments import Moment
from nbembed.session.place import Place, Stakes
from nbembed.session.plain import decode, encode
from nbembed.session.settings import Settings, known_methods
from nbembed.session.values import Held, PathStep, Snapshot, State
from nbembed.validation import check_path, check_points

if TYPE_CHECKING:
    from numpy.typing import NDArray

    from nbembed.session.session import Session
    from nbembed.supervision import Supervision

FORMAT = "nbembed session"
VERSION = 2
#: Fields of a geometry that are stored in the JSON; a reference has a row a point.
_SMALL = [field for field in fields(Geometry) if field.name != "reference"]


def save(live: Live, X: Any, path: str | os.PathLike[str]) -> None:
    """Write a session to ``path``; see :meth:`Session.save`."""
    path = check_path("path", path)
    if path.is_dir() or not path.parent.is_dir():
        what = "is a directory" if path.is_dir() else f"there is no directory {path.parent}"
        raise OSError(f"path must be where a file can be written, got {str(path)!r}: {what}")
    moment = live.capture()
    arrays: dict[str, NDArray[Any]] = {}
    try:
        content = _Writer(arrays).content(moment, X)
    except TypeError as error:
        raise ValueError(f"the session cannot be saved: {error}") from error
    text = json.dumps(content, ensure_ascii=False)
    write_atomically(path, lambda file: _write_zip(file, text, arrays))


def load_session(
    path: str | os.PathLike[str], *, methods: tuple[type[EmbeddingMethod], ...] = ()
) -> Session:
    """Return the session that :meth:`Session.save` wrote.

    Parameters
    ----------
    path : path-like
    methods : tuple of estimator classes
        Needed where the session used methods that are not this package's own.

    Raises
    ------
    ValueError
        If the file is no session file, is damaged, or was written by a newer version.
    TypeError
        If ``path`` is no path, or ``methods`` are no classes.
    OSError
        If it cannot be read.
    """
    from nbembed.session.session import Session

    path = check_path("path", path)
    try:
        known = known_methods(*methods)
    except (TypeError, AttributeError):
        raise TypeError(f"methods must be a tuple of estimator classes, got {methods!r}") from None
    try:
        with zipfile.ZipFile(path) as file:
            return Session._around(*_Reader(file, known).session())
    except (zipfile.BadZipFile, KeyError, IndexError, TypeError, AttributeError, EOFError) as error:
        raise ValueError(f"{path} is not a session file, or is damaged: {error}") from error
    except ValueError as error:
        raise ValueError(f"{path} cannot be loaded: {error}") from error


class _Writer:
    """Turns a moment of a session into JSON and named arrays."""

    def __init__(self, arrays: dict[str, NDArray[Any]]) -> None:
        self.arrays = arrays
        self._settings: list[Settings] = []
        self._supervisions: list[Supervision] = []
        self._landmarks = False  # whether a layout may have more rows than there are points

    def content(self, moment: Moment, X: Any) -> dict[str, Any]:
        from nbembed import __version__

        desk, place = moment.desk, moment.place
        self._data(X)
        self._put("layout", place.layout)
        self._put("stakes", None if place.stakes is None else place.stakes.Y)
        content = {
            "format": FORMAT,
            "version": VERSION,
            "nbembed": __version__,
            "state": "paused" if moment.state in ("running", "failed") else moment.state,
            "cost": moment.cost,
            "quality": moment.quality,
            "now": self._setting(desk.settings),
            "history": {
                "past": [[s.text, self._setting(s.settings)] for s in desk.history.past],
                "future": [[s.text, self._setting(s.settings)] for s in desk.history.future],
                "gesture": desk.history.gesture,
            },
            "pending": [
                Event(place.iteration, command, arguments).to_dict()
                for command, arguments in moment.pending
                if command not in MOTION
            ],
            "place": {
                "iteration": place.iteration,
                "cold": place.cold,
                "geometry": self._geometry(place.geometry),
                "schedule": [self._stage(stage) for stage in place.schedule.stages],
                "held": _plain_held(place.held),
                "taught": self._taught(place.taught),
                "stakes": None if place.stakes is None else place.stakes.points.tolist(),
            },
            "trace": self._trace(moment.trace),
            "path": [
                {
                    "lam": step.lam,
                    "criterion": step.criterion,
                    "array": self._layout("path", step.embedding),
                }
                for step in moment.path
            ],
            "snapshots": [self._snapshot(s) for s in moment.snapshots],
            "log": [event.to_dict() for event in moment.log],
        }
        # Last, because all of the above add to them.
        content["settings"] = [
            {
                "method": s.name,
                "parameters": encode(dict(s.parameters), s.name),
                "others": {k: encode(dict(v), k) for k, v in s.others.items()},
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

    def _taught(self, supervision: Supervision | None) -> int | None:
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
            "held": _plain_held(snapshot.held),
            "geometry": self._geometry(snapshot.geometry),
            "taught": self._taught(snapshot.taught),
            "array": self._layout("snapshots", snapshot.embedding),
        }


class _Reader:
    """Makes a session's parts from a file's members, checking them on the way."""

    def __init__(self, file: zipfile.ZipFile, methods: Mapping[str, type[EmbeddingMethod]]) -> None:
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

    def session(self) -> tuple[Any, Live]:
        content = self._content
        settings = self._settings()
        now = settings[content["now"]]
        own = EmbeddingMethod.center_names
        self._landmarks = any(each.kind.center_names is not own for each in settings)
        X = checked_data(self._data(), now.estimator)
        n = X.shape[0]
        for each in settings:
            if each.supervision.n_samples != n:
                raise ValueError(f"it has {n} points but labels for {each.supervision.n_samples}")
        log = [Event.from_dict(event) for event in content["log"]]
        if not log or log[0].arguments.get("data") != digest(X):
            raise ValueError("the data and the log do not belong together")
        snapshots = [self._snapshot(s, settings, n) for s in content["snapshots"]]
        history = content["history"]
        desk = Desk(
            now.check(),
            History(
                tuple(Step(text, settings[i]) for text, i in history["past"]),
                tuple(Step(text, settings[i]) for text, i in history["future"]),
                history["gesture"],
            ),
            {s.name: s.settings for s in snapshots},
        )
        engine = Engine(X, now, self._place(n))
        engine.snapshots = {s.name: s for s in snapshots}
        engine.trace = self._trace()
        engine.path = tuple(
            PathStep(p["lam"], self._points(p["array"], n), p["criterion"]) for p in content["path"]
        )
        if not engine.place.cold:
            log.append(Event(engine.iteration, "restart"))
        state: State = content["state"]
        if state not in ("idle", "paused", "converged"):
            raise ValueError(f"it has an unknown state {state!r}")
        live = Live(engine, desk, self._methods, log, state, content["cost"], content["quality"])
        for event in map(Event.from_dict, content["pending"]):
            live.give(event.command, event.arguments)
        return X, live

    def _array(self, name: str) -> NDArray[Any]:
        data = io.BytesIO(self._file.read(f"{name}.npy"))
        array = np.lib.format.read_array(data, allow_pickle=False)
        array.flags.writeable = False
        return array

    def _points(self, name: str, n: int) -> NDArray[Any]:
        Y = self._array(name)
        fits = Y.ndim == 2 and Y.shape[0] == n
        if self._landmarks and name != "stakes":
            fits = Y.ndim == 2 and Y.shape[0] >= n
        if not fits or Y.dtype.kind != "f" or not np.isfinite(Y).all():
            raise ValueError(f"{name} is not a finite layout of {n} points")
        return Y

    def _data(self) -> Any:
        if "X.npy" in self._names:
            return self._array("X")
        parts = (self._array("X.data"), self._array("X.indices"), self._array("X.indptr"))
        return sparse.csr_array(parts, shape=tuple(self._array("X.shape").tolist()))

    def _settings(self) -> list[Settings]:
        from nbembed.supervision import Supervision

        supervisions = [Supervision.from_dict(s) for s in self._content["supervisions"]]
        self._supervisions = supervisions
        settings = []
        for stored in self._content["settings"]:
            kind = self._methods.get(stored["method"])
            if kind is None:
                raise ValueError(
                    f"it uses the method {stored['method']!r}, which is not known here "
                    f"({', '.join(sorted(self._methods))}); give its class in methods"
                )
            settings.append(
                Settings(
                    kind,
                    decode(stored["parameters"]),
                    supervisions[stored["supervision"]],
                    {k: decode(v) for k, v in stored["others"].items()},
                )
            )
        return settings

    def _place(self, n: int) -> Place:
        stored = self._content["place"]
        stakes = self._stakes(stored.get("stakes"), n)
        if stored["cold"]:
            return Place(stakes=stakes)
        stages = [
            Stage(s["steps"], decode(s["optimizer"]), decode(s["parameters"]), s["keep"], s["name"])
            for s in stored["schedule"]
        ]
        return Place(
            self._points("layout", n),
            self._geometry(stored["geometry"], n),
            int(stored["iteration"]),
            cold=False,
            schedule=Schedule(tuple(stages)),
            held=Held(**stored["held"]),
            taught=self._taught(stored),
            stakes=stakes,
        )

    def _geometry(self, stored: dict[str, Any] | None, n: int) -> Geometry | None:
        if stored is None:
            return None
        name = stored.get("reference")
        small = {k: decode(v) for k, v in stored.items() if k != "reference"}
        return Geometry(**small, reference=None if name is None else self._points(name, n))

    def _stakes(self, points: list[int] | None, n: int) -> Stakes | None:
        if points is None:
            return None
        known = check_points(points, n, "stakes")
        return Stakes(known, self._points("stakes", len(known)))

    def _taught(self, stored: Mapping[str, Any]) -> Supervision | None:
        number = stored.get("taught")  # version 1 had no methods that learn
        return None if number is None else self._supervisions[number]

    def _snapshot(self, stored: Any, settings: list[Settings], n: int) -> Snapshot:
        layout = None if stored["array"] is None else self._points(stored["array"], n)
        return Snapshot(
            stored["name"],
            stored["iteration"],
            layout,
            settings[stored["settings"]],
            self._geometry(stored["geometry"], n),
            Held(**stored["held"]),
            self._taught(stored),
        )

    def _trace(self) -> list[Record]:
        stored = self._content["trace"]
        names, sets = stored["stages"], stored["parameters"]
        return [
            Record(int(i), cost, movement, names[int(stage)], sets[int(parameters)])
            for i, cost, movement, stage, parameters in self._array("trace").tolist()
        ]


def _plain_held(held: Held) -> dict[str, Any]:
    return {"values": dict(held.values), "sliders": dict(held.sliders)}


def _write_zip(file: Any, text: str, arrays: Mapping[str, NDArray[Any]]) -> None:
    with zipfile.ZipFile(file, "w", zipfile.ZIP_STORED, allowZip64=True) as archive:
        archive.writestr("session.json", text, zipfile.ZIP_DEFLATED)
        for name, array in arrays.items():
            with archive.open(f"{name}.npy", "w", force_zip64=True) as member:
                np.lib.format.write_array(member, np.asarray(array), allow_pickle=False)
