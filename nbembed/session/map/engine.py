"""Engine: the map that a session moves; single-threaded and deterministic.

An engine is driven by two calls, :meth:`Engine.apply` (a command, between iterations) and
:meth:`~nbembed.session.map.running.RunningMap.advance` (one iteration). The worker thread of a live
session and the replay of a log make the same calls in the same order, and nothing else decides a
bit of the layout.
"""

from __future__ import annotations

from collections.abc import Collection, Iterable, Mapping
from dataclasses import replace
from numbers import Real
from typing import Any

from numpy.typing import NDArray

from nbembed.methods.recipe import Geometry, Part
from nbembed.schedule import Schedule
from nbembed.session.core.change import Change
from nbembed.session.core.serialization import same
from nbembed.session.core.settings import Settings
from nbembed.session.map.fit_request import FitRequest, learned_from_after
from nbembed.session.map.places import Places
from nbembed.session.map.renumbering import renumbered_centers, renumbered_geometry
from nbembed.session.map.run_state import PinnedPositions, RunState
from nbembed.session.map.running import RunningMap
from nbembed.session.map.snapshots import Snapshot
from nbembed.supervision import Supervision


class Engine(RunningMap):
    """A map that takes commands, and keeps snapshots and places to return to.

    * state: where to go on from; by default a cold start.
    * snapshots: by number, with those that undo can bring back.
    * steered: whether a command has changed the course of the map since its cold start.
    """

    def __init__(self, X: Any, settings: Settings, state: RunState | None = None) -> None:
        super().__init__(X, settings, state)
        self.snapshots: Mapping[int, Snapshot] = {}
        self.steered = False
        self._places = Places()

    def lacking_for(self, ahead: Iterable[Change]) -> FitRequest | None:
        """Return the request for affinities that changes of a map need and that are not there.

        While they are made, the map can go on as it is. The changes ``ahead`` wait in their order.
        """
        if self.cold:
            return None
        settings, learned_from, affected = self.settings, self._state.learned_from, False
        for change in ahead:
            settings = change.new.settings
            if settings is change.old.settings:
                continue
            learned_from = learned_from_after(change.old.settings, settings, learned_from)
            affected |= change.needs_affinities
            if affected and change.invalidation.parts & {"layout", "alignment"}:
                break  # it is carried out at once, before what comes next
        return self._cache.lacking(settings, learned_from) if affected else None

    def apply(self, change: Change) -> None:
        """Let a command take effect.

        An error of the recipe's parts is passed on. The settings are in force nevertheless, and
        what could not be redone is tried again at the next call of :meth:`refresh` or
        :meth:`advance`.
        """
        flags = change.entry.flags
        if change.leaves_place and not self.cold and "layout" not in self._stale:
            self._places.keep(self.settings, self.capture())
        steers = change.new.settings is not self.settings or "steers" in flags
        self.settings = change.new.settings
        self.steered = "restarts" not in flags and not self.cold and (self.steered or steers)
        getattr(self, change.entry.effect)(change)

    def restart(self, change: Change) -> None:
        """Forget the map but for the positions of the points that were pinned."""
        positions = self._state.pinned_positions
        points = change.old.settings.supervision.pinned
        if not self.cold and self.layout is not None and points.size:
            positions = PinnedPositions(points, self.layout[points].copy())
        self._state = RunState(pinned_positions=positions)
        self._run, self._stale, self._moved = None, frozenset(), frozenset()
        self.trace, self.path = [], ()

    def clear_memory(self, change: Change) -> None:
        """Go on with a new optimizer, and forget where the map was before."""
        self.reset_optimizer()
        self._places.clear()

    def learn(self, change: Change) -> None:
        """Let affinities take effect that are learned from the labels given."""
        supervision = change.arguments["supervision"]
        if self.cold or self._state.learned_from is None:
            return
        try:
            self._cache.get(self.settings, supervision)
        except Exception as error:
            # The present map needs no new affinities: it goes on with the old ones.
            self.learning_error, self._failed_for = error, self.settings
            return
        self.learning_error = None
        before, (seen, _) = self._state.learned_from, self._placed()
        names = self.settings.recipe.center_names
        layout = renumbered_centers(seen, names(before), names(supervision), supervision)
        self._state = replace(self._state, layout=layout, learned_from=supervision)
        rows = self.n_points + len(names(supervision))
        if "layout" in self._stale or layout is not seen or rows != layout.shape[0]:
            self._adopt()
        else:
            self._stale |= {"affinities", "objective"}

    def keep(self, change: Change) -> None:
        """Keep the present map as a snapshot."""
        kept = Snapshot.of(change.arguments["name"], self.settings, self.capture())
        self.snapshots = {**self.snapshots, change.snapshot: kept}

    def restore(self, change: Change) -> None:
        """Go on from a snapshot, if it has a map."""
        kept = self.snapshots[change.snapshot]
        if kept.embedding is None:
            self.settle(change)
        else:
            self._show(kept.embedding, kept.geometry, kept.values, kept.learned_from)

    def go_back(self, change: Change) -> None:
        """Bring the points back to a place of the history, where that is known."""
        if change.new.settings is change.old.settings:
            return
        place = self._places.at(self.settings)
        if place is None:
            self.settle(change)
        else:
            self._show(place.layout, place.geometry, place.values, place.learned_from)

    def show_path_step(self, change: Change) -> None:
        """Go on from a kept layout of the path."""
        self.settle(change)
        index = change.arguments["index"]
        if index < len(self.path):
            self.reset_optimizer()
            self._state = replace(self._state, layout=self.path[index].embedding)

    def settle(self, change: Change) -> None:
        """Bring the map from one settings to others."""
        old = change.old.settings
        if self.settings is old:
            return
        if self.cold:
            self._run = None  # the start itself is made anew
            return
        invalid = change.invalidation
        if not old.same_method(self.settings):
            # What the other method's run knew means nothing to this one.
            self._run = None
            points = self._placed()[0][: self.n_points]
            self._state = replace(
                self._state, layout=points, schedule=Schedule(), values={}, learned_from=None
            )
        self._note_learned_from()
        if "layout" in self._stale:
            # An earlier change could not be carried out; it will be tried with this one.
            self._stale |= invalid.parts
            return
        self._release(old)
        parts = self._aligned(old, invalid.parts)
        self._stale |= parts - {"display"}
        self._moved |= invalid.moved
        if "layout" in parts:
            # At once: adopting twice is not the same as adopting once.
            self._adopt()

    def release(self) -> None:
        """End the run and drop the affinities; the map can still be read and captured."""
        super().release()
        self._places.clear()

    # -- from one settings to others --------------------------------------------------------

    def _aligned(self, old: Settings, parts: frozenset[Part]) -> frozenset[Part]:
        """Align the geometry to the supervision; return the parts that are then invalid."""
        if "alignment" not in parts or "layout" in parts:
            return parts
        layout, geometry = self._placed()
        before = geometry.directions
        supervision = self.settings.supervision
        # A class keeps its own region, whatever number it has now.
        geometry = renumbered_geometry(geometry, old.supervision.classes, supervision.classes)
        geometry = self.settings.recipe.align(geometry, layout, supervision)
        self._state = replace(self._state, geometry=geometry)
        directions = geometry.directions
        # Regions of another kind, or in other dimensions, need a map of another size.
        if (directions is None) != (before is None):
            parts |= {"layout"}
        if directions is not None and directions.shape[1] != layout.shape[1]:
            parts |= {"layout"}
        return parts

    def _note_learned_from(self) -> None:
        """Note what the affinities are learned from now that the settings changed."""
        learned_from = learned_from_after(self.settings, self.settings, self._state.learned_from)
        self._state = replace(self._state, learned_from=learned_from)

    def _release(self, old: Settings) -> None:
        """End the schedule of each live parameter that was set to a number."""
        if not old.same_method(self.settings):
            return
        before, now = old.recipe.parameters, self.settings.recipe.parameters
        for name in self.settings.live_names:
            if not isinstance(now[name], Real) or same(now[name], before[name]):
                continue
            # What the schedule had reached counts again if the change is undone.
            values, schedule = self._values(), self._state.schedule.without(name)
            self._state = replace(self._state, values=values, schedule=schedule)
            if self._run is not None:
                self._run.release(name)

    # -- snapshots -------------------------------------------------------------

    def note_measured(self, number: int, cost: float, quality: float) -> None:
        """Note with a snapshot what was measured of its map."""
        kept = replace(self.snapshots[number], cost=cost, quality=quality)
        self.snapshots = {**self.snapshots, number: kept}

    def keep_snapshots(self, numbers: Collection[int]) -> None:
        """Drop the snapshots that are not among these."""
        self.snapshots = {n: kept for n, kept in self.snapshots.items() if n in numbers}

    def _show(
        self,
        layout: NDArray[Any] | None,
        geometry: Geometry | None,
        values: Mapping[str, float],
        learned_from: Supervision | None,
    ) -> None:
        """Go on from a layout that was kept, with the settings that it was kept with."""
        assert layout is not None
        assert geometry is not None
        if self.layout is None or self.layout.shape != layout.shape:
            self.path = ()
        self._state = replace(self._state, learned_from=learned_from)
        self._go_on_from(layout, geometry, self._live(values))
        self._note_learned_from()
