"""Comparison of the map with a snapshot, or with a second live map on the same labels.

The other map is brought onto the present one by :func:`nbembed.measures.align_map`, on the plane
that is drawn, so that it stands beside it unturned. Where two snapshots are compared, the first one
is brought onto the present map once, and the other one onto the first. Pages ask for its layout,
for the change of neighborhoods and for thumbnails of snapshots (queries), so that nothing is
computed for a page that does not compare.
"""

from __future__ import annotations

import math
import threading
from collections.abc import Callable, Mapping
from typing import Any, NamedTuple

import numpy as np
from numpy.typing import NDArray

from nbembed.measures.map_comparison import Alignment, align_map, change_of_neighbors, map_neighbors
from nbembed.session import Session, Snapshot
from nbembed.session.second_session import SecondSession
from nbembed.validation import check_choice, check_flag, readable, shown, shown_names
from nbembed.widget.answers.query_source import Answer
from nbembed.widget.stream import serializers
from nbembed.widget.stream.drawing import FrameArtist
from nbembed.widget.stream.quantization import FULL_PRECISION, LARGEST, quantize
from nbembed.widget.stream.serializers import check_offered
from nbembed.widget.stream.trait_writer import TraitWriter
from nbembed.widget.wire.comparison_types import CompareView
from nbembed.widget.wire.protocol import finite

#: Points of a thumbnail, and snapshots that have one: the newest.
THUMBNAIL_POINTS = 1200
MOST_THUMBNAILS = 60


class OtherMap(NamedTuple):
    """A map that the present one is compared with; ``Y`` is ``None`` before it has a layout."""

    Y: NDArray[Any] | None
    version: int
    iteration: int
    cost: float
    quality: float


class Comparison:
    """Compares the map of an Explorer with others. Thread-safe.

    ``changed`` is called, in any thread, when the traits of the second map have to be written.
    """

    def __init__(
        self,
        session: Session,
        artist: FrameArtist,
        writer: TraitWriter,
        changed: Callable[[], None],
    ) -> None:
        self._session = session
        self._artist = artist
        self._writer = writer
        self._changed = changed
        self._lock = threading.RLock()
        self._shown: dict[str, Any] | None = None
        self._layouts: dict[str, NDArray[Any] | None] = {}  # of the snapshots that are shown
        self._ground: tuple[NDArray[Any], NDArray[Any]] | None = (
            None  # of the first, and its places
        )
        # Of snapshots by their embeddings: how many neighbors, and these.
        self._kept_neighbors: list[tuple[Any, int, NDArray[np.int32]]] = []
        self._second: SecondSession | None = None
        self._told: tuple[tuple[Snapshot, ...], list[dict[str, Any]]] = ((), [])
        n = session.n_samples
        few = min(n, THUMBNAIL_POINTS)
        self._sample = np.sort(np.random.default_rng(0).choice(n, few, replace=False))
        self.commands: Mapping[str, Callable[..., Any]] = {
            "compare": self._with_snapshot,
            "compare_live": self._with_method,
            "show_comparison": self._show,
            "end_comparison": self._end,
            "set_second": self._set,
            "reset_second": self._reset,
            "take_over_second": self._take_over,
        }
        self.answers: Mapping[str, Answer] = {
            "thumbnails": self._thumbnails,
            "map_beside": self._map_beside,
            "map_change": self._map_change,
        }
        writer.also("state", self._snapshots)
        self.write()

    def compare(self, other: Any, onto: str | None, view: str, by_change: bool) -> Session | None:
        """Show another map beside the present one; see :meth:`Explorer.compare`."""
        check_choice("view", view, CompareView.words)
        check_flag("by_change", by_change)
        if onto is not None and not isinstance(onto, str):
            raise TypeError(f"onto must be the name of a snapshot or None, got {shown(onto)}")
        if other is None and onto is None:
            self._end()
            return None
        if isinstance(other, str) and other in self._session.snapshots:
            self._with_snapshot(other, onto or "")
            self._show(view, by_change)
            return None
        if onto is not None:
            raise ValueError(
                f"onto must be None unless other is a snapshot, got {shown(onto)} for "
                f"{shown(other)}"
            )
        if isinstance(other, str) and other not in self._session.methods:
            known = shown_names(self._session.snapshots) or "none was taken yet"
            raise ValueError(
                f"other must be a snapshot ({known}), a method "
                f"({', '.join(sorted(self._session.methods))}), an estimator or None, got "
                f"{shown(other)}"
            )
        self._with_method(other)
        self._show(view, by_change)
        second = self._second
        return None if second is None else second.session

    def close(self) -> None:
        """End the second map; no trait is written any more."""
        with self._lock:
            second, self._second, self._shown = self._second, None, None
            self._ground, self._layouts, self._kept_neighbors = None, {}, []
        if second is not None:
            second.close()

    # -- commands -----------------------------------------------------------------------------

    def _with_snapshot(self, snapshot: str, onto: str = "") -> None:
        names = {"snapshot": snapshot} | ({"onto": onto} if onto else {})
        kept = {part: self._session.get_snapshot(name) for part, name in names.items()}
        for part, each in kept.items():
            if each.points is None:
                raise ValueError(
                    f"{part} must have a layout; {each.name!r} was taken before the map had moved"
                )
        if snapshot == onto:
            raise ValueError(f"onto must differ from other, got {shown(onto)} for both")
        with self._lock:
            second, self._second = self._second, None
            self._layouts = {part: each.embedding for part, each in kept.items()}
            self._put(snapshot=snapshot, onto=onto)
        if second is not None:
            second.close()

    def _with_method(self, method: Any) -> None:
        with self._lock:
            if self._second is None:
                self._second = SecondSession(self._session, method, self._changed)
            else:
                self._second.switch(method)
            self._layouts = {}
            self._put(snapshot="", onto="")

    def _show(self, view: str, by_change: bool) -> None:
        with self._lock:
            if self._shown is None:
                raise ValueError("there is no comparison; choose a snapshot or a second map first")
            self._put(view=view, by_change=by_change)

    def _end(self) -> None:
        self.close()
        self.write()

    def _set(self, **parameters: Any) -> None:
        session = self._live().session
        check_offered(session, parameters)
        session.set(**parameters)

    def _reset(self) -> None:
        second = self._live()
        second.session.reset()
        second.session.play()

    def _take_over(self) -> None:
        self._live().take_over()

    def _live(self) -> SecondSession:
        second = self._second
        if second is None:
            raise ValueError("there is no second map; compare with a method first")
        return second

    def _put(self, **changes: Any) -> None:
        shown = self._shown or {"onto": "", "view": "side", "by_change": False}
        self._shown = {**shown, **changes}
        self.write()

    # -- traits -------------------------------------------------------------------------------

    def write(self) -> None:
        """Write the traits of the comparison.

        Several threads do. What another has changed meanwhile is written again, so that the last
        word is not an old one; a lock around it could wait for an observer that waits for it.
        """
        written: Any = None
        while (found := self._traits()) != written:
            self._writer.update(found)
            written = found

    def _traits(self) -> dict[str, Any]:
        with self._lock:
            shown, second = self._shown, self._second
        return {
            "compared": shown,
            "second": None if second is None else second_map(second),
        }

    def _snapshots(self) -> dict[str, Any]:
        """Return the trait of the snapshots, the very same list if none was taken or renamed."""
        known, found = self._told
        now = self._session.taken_snapshots
        if len(now) != len(known) or not all(map(_same, now, known)):
            found = [snapshot_info(each) for each in now]
            self._told = now, found
            self._follow(now)
        return {"snapshots": found}

    def _follow(self, now: tuple[Snapshot, ...]) -> None:
        """Go on with the snapshots that are compared by their present names, as far as there are.

        They are known by their layouts, which stay the same objects under another name.
        """
        with self._lock:
            shown = self._shown
            if shown is None or not self._layouts:
                return
            by_name, layouts = {each.name: each for each in now}, self._layouts
            names: dict[str, str] = {}
            for part, layout in layouts.items():
                called = [each.name for each in now if each.embedding is layout]
                there = shown[part] in by_name and (not called or shown[part] in called)
                names[part] = shown[part] if there else next(iter(called), "")
            if not names["snapshot"]:
                self.close()
            else:
                self._layouts = {p: by_name[name].embedding for p, name in names.items() if name}
                self._shown = {**shown, "onto": "", **names}
        self.write()

    # -- answers ------------------------------------------------------------------------------

    def _other(self, snapshot: str) -> OtherMap:
        if snapshot:
            kept = self._session.get_snapshot(snapshot)
            if kept.points is None:
                raise ValueError(f"{snapshot} was taken before the map had moved")
            return OtherMap(kept.points, 1, kept.iteration, kept.cost, kept.quality)
        frame = self._live().session.frame()
        Y = frame.embedding if frame.version else None
        return OtherMap(Y, frame.version, frame.iteration, frame.cost, frame.quality)

    def _present(self) -> NDArray[Any] | None:
        """Return the present map as it is drawn, ``None`` before it has a layout."""
        frame = self._session.frame()
        return self._artist.layout_on_plane(frame.embedding) if frame.version else None

    def _first(self, onto: str) -> NDArray[Any] | None:
        """Return the map that others are brought onto, as it is drawn.

        A snapshot stays where it is when the present map moves on.
        """
        if not onto:
            return self._present()
        kept = self._session.get_snapshot(onto)
        if kept.points is None or kept.embedding is None:
            raise ValueError(f"{onto} was taken before the map had moved")
        with self._lock:
            known = self._ground
        if known is None or known[0] is not kept.embedding:
            known = kept.embedding, _brought(kept.points, self._present(), self._artist)[1]
            with self._lock:
                self._ground = known
        return known[1]

    def _map_beside(self, snapshot: str, onto: str = "") -> tuple[dict[str, Any], list[bytes]]:
        other, present = self._other(snapshot), self._first(onto)
        fields: dict[str, Any] = {
            "version": other.version,
            "iteration": other.iteration,
            "cost": finite(other.cost),
            "quality": finite(other.quality),
            "disparity": None,
            "turn": None,
            "mirrored": False,
            "scale": None,
            "range": [],
        }
        if other.Y is None:
            return fields, [b""]
        alignment, places = _brought(other.Y, present, self._artist)
        if alignment is not None:
            fields["disparity"] = finite(alignment.disparity)
            fields["turn"] = finite(alignment.turn)
            fields["mirrored"] = alignment.mirrored
            fields["scale"] = finite(alignment.scale)
        quantized = quantize(places) if len(places) > FULL_PRECISION else None
        if quantized is None:
            return fields, [places.astype("<f4").tobytes()]
        numbers, fields["range"] = quantized
        return fields, [numbers.tobytes()]

    def _map_change(
        self, snapshot: str, k: int, onto: str = ""
    ) -> tuple[dict[str, Any], list[bytes]]:
        other, frame = self._other(snapshot), self._session.frame()
        first = self._other(onto).Y if onto else frame.embedding if frame.version else None
        if other.Y is None or first is None:
            raise ValueError("there are no two maps to compare yet")
        k = min(k, len(other.Y) - 1)
        change = change_of_neighbors(
            self._neighbors(other.Y, snapshot, k), self._neighbors(first, onto, k)
        )
        codes = np.rint(255 * change).astype(np.uint8)
        return {"k": k, "mean": float(change.mean())}, [codes.tobytes()]

    def _neighbors(self, Y: NDArray[Any], snapshot: str, k: int) -> NDArray[np.int32]:
        """Return the neighbors on a map; those of a snapshot, which stays as it is, are kept."""
        if not snapshot:
            return map_neighbors(Y, k)
        of = self._session.get_snapshot(snapshot).embedding
        with self._lock:
            for known, size, neighbors in self._kept_neighbors:
                if known is of and size == k:
                    return neighbors
        found = map_neighbors(Y, k)
        with self._lock:  # of two snapshots that are compared
            self._kept_neighbors = [*self._kept_neighbors[-1:], (of, k, found)]
        return found

    def _thumbnails(self) -> tuple[dict[str, Any], list[bytes]]:
        sample, onto = self._sample, self._present()
        onto = None if onto is None else onto[sample]
        names, pictures = [], []
        for kept in self._session.taken_snapshots[-MOST_THUMBNAILS:]:
            Y = kept.points
            if Y is None:
                continue
            _, places = _brought(Y[sample], onto, self._artist)
            onto = places if onto is None else onto
            names.append(kept.name)
            pictures.append(_in_square(places))
        return {"names": names}, [sample.astype("<u4").tobytes(), b"".join(pictures)]


def _same(a: Snapshot, b: Snapshot) -> bool:
    """Return whether two readings are of the same snapshot by the same name."""
    if a is b:
        return True
    there = a.embedding is b.embedding and a.settings is b.settings and a.name == b.name
    measured = (a.cost, a.quality), (b.cost, b.quality)
    return there and np.array_equal(*measured, equal_nan=True)


def second_map(second: SecondSession) -> dict[str, Any]:
    """Return the trait of a second live map."""
    session = second.session
    progress = session.progress
    return {
        "method": session.method_name,
        "controls": serializers.controls(session),
        "parameters": serializers.parameters(session),
        "state": session.state,
        "making": "" if progress is None else str(progress),
        "problem": serializers.error(session) or readable(second.problem),
    }


def snapshot_info(snapshot: Snapshot) -> dict[str, Any]:
    """Return the page's information on a snapshot."""
    recipe = snapshot.settings.recipe
    live = [(each.symbol, getattr(recipe, each.name)) for each in recipe.live_parameters]
    words = [f"{symbol} {_short(value)}" for symbol, value in live]
    return {
        "name": snapshot.name,
        "method": snapshot.method,
        "parameters": readable(", ".join(words)),
        "iteration": snapshot.iteration,
        "labeled": len(snapshot.supervision.labeled),
        "cost": finite(snapshot.cost),
        "quality": finite(snapshot.quality),
        "drawn": snapshot.points is not None,
    }


def _short(value: Any) -> str:
    if isinstance(value, float) and math.isfinite(value):
        return f"{value:.3g}"
    return str(value)[:40]


def _brought(
    Y: NDArray[Any], onto: NDArray[Any] | None, artist: FrameArtist
) -> tuple[Alignment | None, NDArray[np.float32]]:
    """Return a layout brought onto a drawn one, on its own plane if there is none."""
    if onto is None or np.ptp(onto) == 0:
        return None, artist.layout_on_plane(Y)
    alignment = align_map(Y, onto)
    return alignment, np.ascontiguousarray(alignment(Y), dtype=np.float32)


def _in_square(places: NDArray[Any]) -> bytes:
    """Return places as 16-bit numbers in a square that holds them, in their own proportions."""
    low, high = places.min(axis=0).astype(float), places.max(axis=0).astype(float)
    size = float((high - low).max()) or 1.0
    corner = (low + high - size) / 2
    steps = np.rint((places - corner) * (LARGEST / size)).clip(0, LARGEST)
    return bytes(steps.astype("<u2").tobytes())
