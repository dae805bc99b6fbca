"""Answers what pages ask about why points lie where they lie.

What takes more than some tenths of a second, of many points, is made in a thread of its own; the
answer then says that it is not ready, and the page asks again.
"""

from __future__ import annotations

import time
from collections.abc import Callable, Mapping
from typing import Any

import numpy as np
from numpy.typing import NDArray

from nbembed.measures.map_comparison import align_map
from nbembed.session.live.background import BackgroundTask, Result
from nbembed.session.readings.point_measures import MANY, check_measure
from nbembed.session.readings.resampled import MAPS
from nbembed.session.readings.why import Why
from nbembed.widget.answers.query_source import Answer
from nbembed.widget.stream.drawing import FrameArtist
from nbembed.widget.wire.protocol import finite

#: While a map of many points moves: seconds of other work for each second of measuring it.
REST = 4.0


class WhySource:
    """Answers the queries of :data:`nbembed.widget.wire.queries.WHY`.

    * artist: knows the plane that maps are drawn on.
    """

    def __init__(self, why: Why, artist: FrameArtist) -> None:
        self._why = why
        self._artist = artist
        self._measuring, self._comparing = _Paced(), _Paced()

    @property
    def answers(self) -> Mapping[str, Answer]:
        """The function that answers each query."""
        return {
            "neighborhood": self.neighborhood,
            "forces": self.forces,
            "measure": self.measure,
            "recurrence": self.recurrence,
            "unsupervised": self.unsupervised,
        }

    def close(self) -> None:
        """Make nothing any more."""
        self._why.close()
        self._measuring.close()
        self._comparing.close()

    def neighborhood(self, point: int, k: int) -> tuple[dict[str, Any], list[bytes]]:
        """Return a point's neighbors in the data and on the map."""
        seen = self._why.seen()
        near = self._why.neighborhood_in(point, k, seen)
        fields = {
            "point": point,
            "k": k,
            "version": seen.version,
            "trustworthiness": finite(near.trustworthiness),
            "continuity": finite(near.continuity),
        }
        points = near.kept, near.missing, near.false, near.missing_ranks, near.false_ranks
        return fields, [part.astype("<u4").tobytes() for part in points]

    def forces(self, point: int) -> tuple[dict[str, Any], list[bytes]]:
        """Return the terms of the cost, and the force of each on a point."""
        seen = self._why.seen()
        forces = self._why.forces_in(point, seen)
        total = forces.total
        drawn = self._artist.on_plane(np.array([*(t.vector for t in forces.terms), total]))
        *each, sum_drawn = drawn.tolist()
        terms = [
            {
                "name": term.name,
                "formula": term.formula,
                "role": term.role,
                "cost": finite(term.cost),
                "force": force,
                "length": float(np.linalg.norm(term.vector)),
            }
            for term, force in zip(forces.terms, each, strict=True)
        ]
        fields = {
            "point": point,
            "version": seen.version,
            "equation": forces.equation,
            "cost": finite(forces.cost),
            "terms": terms,
            "total": sum_drawn,
            "total_length": float(np.linalg.norm(total)),
            "pinned": forces.pinned,
        }
        return fields, []

    def measure(self, measure: str, k: int) -> tuple[dict[str, Any], list[bytes]]:
        """Return a measure of each point, of many points the last one that was made."""
        why, seen = self._why, self._why.seen()
        n = len(why.embedding_of(seen))
        check_measure(measure, k, n)
        made = self._made() if measure == "stability" else MAPS
        found = None
        if made == MAPS:
            found = self._measuring.value(
                (measure, k), seen.version, lambda: why.measured(measure, k, seen), n, why.running
            )
        values, version = (np.zeros(0), 0) if found is None else (found.value, found.key[-1])
        fields = {
            "name": measure,
            "k": k,
            "version": version,
            "ready": version == seen.version,
            "mean": finite(float(np.nanmean(values))) if values.size else None,
            "made": made,
            "of": MAPS,
        }
        return fields, [values.astype("<f4").tobytes()]

    def recurrence(self, points: NDArray[np.intp]) -> tuple[dict[str, Any], list[bytes]]:
        """Return in how many other maps a group is together."""
        made = self._made()
        found = self._why.recurrence(points, timeout=0) if made == MAPS else None
        together = 0 if found is None else int(np.count_nonzero(found))
        return {"together": together, "ready": found is not None, "made": made, "of": MAPS}, []

    def _made(self) -> int:
        """Return how many other maps there are; they are begun if need be."""
        maps, made = self._why.other_maps.ask()
        return MAPS if maps is not None else min(made, MAPS - 1)

    def unsupervised(self, k: int) -> tuple[dict[str, Any], list[bytes]]:
        """Return the map without labels, laid on the present one, and how qualities have moved."""
        why, seen = self._why, self._why.seen()
        layout = why.embedding_of(seen)
        k = check_measure("trustworthiness", k, len(layout))
        other, iteration = why.without_labels.ask()
        fields: dict[str, Any] = {"ready": False, "iteration": iteration, "qualities": []}
        if other is None:
            return fields, [b""]
        found = self._comparing.value(
            (other, k), seen.version, lambda: why.compared(other, k), len(layout), why.running
        )
        if found is not None:
            fields["ready"] = found.key[-1] == seen.version
            fields["qualities"] = [
                {"name": name, "here": finite(q.here), "unsupervised": finite(q.unsupervised)}
                for name, q in found.value.items()
            ]
        fields["iteration"] = other.iteration
        aligned = align_map(other.embedding, layout)(other.embedding)
        positions = self._artist.on_plane(aligned)
        return fields, [positions.astype("<f4").tobytes()]


class _Paced:
    """Measures of layouts: of few points at once, of many in a thread and at a pace."""

    def __init__(self) -> None:
        self._task = BackgroundTask("nbembed making")
        self._due = 0.0

    def close(self) -> None:
        """Make nothing any more."""
        self._task.close()

    def value(
        self, what: tuple[Any, ...], version: int, make: Callable[[], Any], n: int, moving: bool
    ) -> Result | None:
        """Return what was made last of the same kind; its key ends with the layout's version.

        Raises RuntimeError if it could not be made.
        """
        key = (*what, version)
        if n <= MANY:
            return Result(key, make())

        def timed() -> Any:
            began = time.monotonic()
            value = make()
            self._due = time.monotonic() + REST * (time.monotonic() - began)
            return value

        newest = self._task.newest
        known = newest is not None and newest.key[:-1] == what and newest.error is None
        rests = known and moving and time.monotonic() < self._due
        made = newest if rests else self._task.ask(key, timed)
        if made is None or made.key[:-1] != what:
            return None
        if made.error is not None:
            if made.key != key:
                return None  # of an older layout; the present one is being measured
            raise RuntimeError(str(made.error)) from made.error
        return made
