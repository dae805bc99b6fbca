"""Affinities that were made already and need not be made again."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from nbembed.session.serialization import same

if TYPE_CHECKING:
    from nbembed.session.settings import Settings
    from nbembed.supervision import Supervision

#: Up to so many points the affinities of the method before are kept too, for switching back.
KEEP_TWO = 5_000


class AffinityCache:
    """The last affinities of one data set, found again by the parameters that enter them."""

    def __init__(self, X: Any) -> None:
        self._X = X
        self._entries: list[tuple[dict[str, Any], Any]] = []

    def get(self, settings: Settings, learned_from: Supervision | None = None) -> Any:
        """Return the affinities for ``settings``, made now if they are not the last ones.

        Parameters
        ----------
        settings : Settings
        learned_from : Supervision, optional
            What they are learned from, where the recipe learns from labels.
        """
        key = _key(settings, learned_from)
        for known_key, affinities in self._entries:
            if same(known_key, key):
                return affinities
        supervision = settings.supervision if learned_from is None else learned_from
        affinities = settings.recipe.make_affinities(self._X, supervision)
        self._store(key, affinities)
        return affinities

    def store(self, settings: Settings, learned_from: Supervision, affinities: Any) -> None:
        """Take affinities that were made elsewhere."""
        self._store(_key(settings, learned_from), affinities)

    def _store(self, key: dict[str, Any], affinities: Any) -> None:
        """Keep them; of small data also those before, of another method or of other labels."""
        before = self._entries[:1] if self._X.shape[0] <= KEEP_TWO else []
        others = [e for e in before if e[0]["method"] != key["method"] or "labels" in key]
        self._entries = [(key, affinities), *others]


def _key(settings: Settings, learned_from: Supervision | None) -> dict[str, Any]:
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
