"""Affinities that were made already and need not be made again."""

from __future__ import annotations

from typing import Any

from nbembed.methods.recipe import Start
from nbembed.session.core.serialization import same
from nbembed.session.core.settings import Settings
from nbembed.session.map.fit_request import FitRequest
from nbembed.supervision import Supervision

#: Up to so many points the affinities of the method before are kept too, for switching back.
KEEP_TWO = 5_000

Key = dict[str, Any]


class AffinityCache:
    """The last affinities of one data set, found again by the parameters that enter them.

    Affinities and starts that were made elsewhere, or the error that they ended with, wait beside
    them until they are asked for, so that those in force are kept until then.
    """

    def __init__(self, X: Any) -> None:
        self._X = X
        self._entries: list[tuple[Key, Any]] = []
        self._waiting: list[tuple[Key, Any]] = []
        self._failures: list[tuple[Key, Exception]] = []
        self._start: tuple[FitRequest, Start | Exception] | None = None

    def apart(self) -> AffinityCache:
        """Return another cache with the affinities that there are, for another thread."""
        other = AffinityCache(self._X)
        other._entries = list(self._entries)
        return other

    def get(self, settings: Settings, learned_from: Supervision | None = None) -> Any:
        """Return the affinities for ``settings``, made now if they are not the last ones.

        ``learned_from`` is the supervision they are learned from, where the recipe learns from
        labels. An error in making them, here or elsewhere, is raised; the next call tries again.
        """
        key = affinity_key(settings, learned_from)
        failure = _found(self._failures, key)
        if failure is not None:
            self._failures.clear()
            raise failure
        waiting = _found(self._waiting, key)
        if waiting is not None:
            self._waiting.clear()
            self._store(key, waiting)
            return waiting
        known = _found(self._entries, key)
        if known is not None:
            return known
        supervision = settings.supervision if learned_from is None else learned_from
        affinities = settings.recipe.make_affinities(self._X, supervision)
        self._store(key, affinities)
        return affinities

    def known(self, settings: Settings, learned_from: Supervision | None = None) -> Any:
        """Return the affinities for ``settings`` if they are there, from any thread, or None."""
        return _found(self._entries, affinity_key(settings, learned_from))

    def has(self, settings: Settings, learned_from: Supervision | None = None) -> bool:
        """Return whether :meth:`get` would return, or raise, without making them."""
        key = affinity_key(settings, learned_from)
        lists: tuple[list[tuple[Key, Any]], ...] = (self._entries, self._waiting, self._failures)
        return any(_found(entries, key) is not None for entries in lists)

    def failed(self, settings: Settings, learned_from: Supervision | None = None) -> bool:
        """Return whether :meth:`get` would raise the error of making them elsewhere."""
        return _found(self._failures, affinity_key(settings, learned_from)) is not None

    def lacking(
        self, settings: Settings, learned_from: Supervision | None, *, cold: bool = False
    ) -> FitRequest | None:
        """Return the request for what a map lacks to go on, ``None`` if all is there.

        With ``cold``, that is the start as well.
        """
        if not self.has(settings, learned_from):
            supervision = settings.supervision if learned_from is None else learned_from
            return FitRequest(settings, supervision, cold=cold)
        if not cold or self.failed(settings, learned_from):
            return None
        affinities = self.get(settings, learned_from)
        if self._made_start(settings, affinities) is not None:
            return None
        return FitRequest(settings, settings.supervision, affinities, cold)

    def store(self, request: FitRequest, made: Any, error: Exception | None = None) -> None:
        """Take what was made elsewhere, or the error that it ended with."""
        if request.of_start:
            self._start = request, made if error is None else error
            return
        key = affinity_key(request.settings, request.learned_from)
        if error is None:
            self._waiting = [(key, made)]
        else:
            self._failures = [(key, error)]

    def start(self, settings: Settings, affinities: Any) -> Start:
        """Return the start of a map, made now if it was not made elsewhere.

        An error in making it, here or elsewhere, is raised; the next call tries again.
        """
        made, self._start = self._made_start(settings, affinities), None
        if isinstance(made, Exception):
            raise made
        if made is not None:
            return made
        start: Start = FitRequest(settings, settings.supervision, affinities).make(self._X)
        return start

    def _made_start(self, settings: Settings, affinities: Any) -> Start | Exception | None:
        if self._start is None:
            return None
        request, made = self._start
        same = request.settings is settings and request.affinities is affinities
        return made if same else None

    def _store(self, key: Key, affinities: Any) -> None:
        """Keep them; of small data also those before, of another method or of other labels."""
        before = self._entries[:1] if self._X.shape[0] <= KEEP_TWO else []
        others = [e for e in before if e[0]["method"] != key["method"] or "labels" in key]
        self._entries = [(key, affinities), *others]


def _found(entries: list[tuple[Key, Any]], key: Key) -> Any:
    return next((value for known, value in entries if same(known, key)), None)


def affinity_key(settings: Settings, learned_from: Supervision | None) -> Key:
    """Return all that enters affinities beside the data."""
    recipe = settings.recipe
    key = {
        name: value
        for name, value in recipe.parameters.items()
        if "affinities" in recipe.parts_entered(name)
    }
    key |= {"method": settings.name, "class count": settings.n_classes}
    if learned_from is not None:
        labels = (len(learned_from.classes), learned_from.top_class, learned_from.targets())
        key |= {"labels": labels}
    return key
