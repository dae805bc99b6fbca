"""The session file: one zip of plain arrays and JSON, never pickle.

Members
-------
``session.json``
    ``{"format": "nbembed session", "version": 1, "nbembed": …, …}``: the log, which decides method,
    parameters, supervision and history, and what no log can say (the schedule that is left, state).
    Values that JSON has no form for are written as :mod:`nbembed.session.core.serialization` says.
``X.npy`` or ``X.data.npy``, ``X.indices.npy``, ``X.indptr.npy``
    The data, dense or as the parts of a CSR array.
``layout.npy``
    Where the points are, and after them the method's centers, unless nothing has moved yet.
``pinned.npy``
    Where points stood that were pinned at the last reset.
``trace.npy``
    Columns iteration, cost, movement, stage and parameter set (rows of two lists in the JSON).
``view/color.npy``
    Where an Explorer shows the session: the values to color by. The JSON has a part ``view`` then.
    Both may be missing, and nothing else depends on them.
``path/0.npy``, …, ``snapshots/0.npy``, …, ``references/0.npy``, …
    Layouts kept, and those to which solutions that are unique up to a rotation are aligned.

Which estimators may be stored, with which parameters, is said in
:mod:`nbembed.session.core.estimators`; the limits of sizes in :mod:`nbembed.session.file.archive`.
A file is read by :mod:`nbembed.session.file.reading`, which checks all of it.

Affinities are not stored: they are recomputed from the data, to the same bits. What an optimizer
remembers is not stored either: a loaded session goes on from its layout with an empty memory, and
its log says so (``reset_optimizer``), so that the log still replays to the same bits.
"""

from __future__ import annotations

import os
from dataclasses import replace
from types import EllipsisType
from typing import Any

import numpy as np
from numpy.typing import NDArray
from scipy import sparse

from nbembed.methods.recipe import Geometry
from nbembed.run import Record
from nbembed.schedule import Stage
from nbembed.session.core.commands import MOTION
from nbembed.session.core.serialization import encode
from nbembed.session.file.archive import write_archive
from nbembed.session.file.checkpoint import checkpoint, is_undecided, without_history
from nbembed.session.file.reading import FORMAT, MEASURES, SMALL, VERSION
from nbembed.session.file.stored_view import FOLDER, NOTHING, View
from nbembed.session.live.controller import Controller
from nbembed.session.live.records import SessionRecord
from nbembed.session.map.snapshots import Snapshot
from nbembed.supervision import Supervision
from nbembed.system.atomic import Identity, check_destination, write_atomically


def save(
    controller: Controller,
    X: Any,
    path: str | os.PathLike[str],
    view: View = NOTHING,
    over: Identity | EllipsisType | None = ...,
) -> Identity | None:
    """Write a session to ``path``; see :meth:`Session.save`.

    ``view`` has JSON data and arrays that an Explorer stores beside it. ``over``, what is returned
    and raised are those of :func:`~nbembed.system.atomic.write_atomically`.
    """
    destination = check_destination(path)
    record = controller.capture()
    arrays: dict[str, NDArray[Any]] = {}
    try:
        content = _Writer(arrays).content(record, X)
    except TypeError as error:
        raise ValueError(f"the session cannot be saved: {error}") from error
    if view[0]:
        content["view"] = dict(view[0])
        arrays.update({f"{FOLDER}{name}": array for name, array in view[1].items()})
    return write_atomically(destination, lambda file: write_archive(file, content, arrays), over)


class _Writer:
    """Turns a session record into JSON and named arrays."""

    def __init__(self, arrays: dict[str, NDArray[Any]]) -> None:
        self.arrays = arrays
        self._supervisions: list[Supervision] = []

    def content(self, record: SessionRecord, X: Any) -> dict[str, Any]:
        from nbembed import __version__

        session_state, run_state = record.session_state, record.run_state
        log = [event.to_dict() for event in record.log]
        if is_undecided(log):
            session_state = without_history(session_state)
            log.append(checkpoint(run_state.iteration, session_state).to_dict())
        numbers = session_state.kept_snapshots()
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
            "pending": [
                {
                    **replace(event, iteration=run_state.iteration).to_dict(),
                    # What the log would only describe is refused.
                    "arguments": encode(dict(event.arguments), event.command),
                }
                for event in record.pending
                if event.command not in MOTION
            ],
            "run_state": {
                "iteration": run_state.iteration,
                "cold": run_state.cold,
                "adopted": run_state.adopted,
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
            "snapshots": [
                # One whose command failed has no layout; its settings are in the log.
                self._snapshot(
                    n, record.snapshots.get(n) or Snapshot("", 0, None, kept.settings, None)
                )
                for n, kept in sorted(numbers.items())
            ],
            "log": log,
        }
        # Last, because all of the above add to them.
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
        """Return the number of a supervision in the file."""
        if supervision is None:
            return None
        known = self._supervisions
        if not any(other is supervision for other in known):
            known.append(supervision)
        return next(i for i, other in enumerate(known) if other is supervision)

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
        stored = {name: encode(getattr(geometry, name), name) for name in SMALL}
        return {**stored, "reference": self._layout("references", geometry.reference)}

    def _snapshot(self, number: int, snapshot: Snapshot) -> dict[str, Any]:
        return {
            "number": number,
            "iteration": snapshot.iteration,
            "values": dict(snapshot.values),
            "geometry": self._geometry(snapshot.geometry),
            "learned_from": self._learned_from(snapshot.learned_from),
            "array": self._layout("snapshots", snapshot.embedding),
            **{measure: getattr(snapshot, measure) for measure in MEASURES},
        }
