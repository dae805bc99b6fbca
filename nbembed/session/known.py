"""Affinities that were made already, and need not be made again."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from nbembed.session.cascade import enters
from nbembed.session.plain import same

if TYPE_CHECKING:
    from nbembed.affinities import Affinities
    from nbembed.session.settings import Settings

#: Up to so many points the affinities of the method before are kept too, for switching back.
KEEP_TWO = 5_000


class KnownAffinities:
    """The last affinities of one data set, found again by the parameters that enter them."""

    def __init__(self, X: Any) -> None:
        self._X = X
        self._known: list[tuple[dict[str, Any], Affinities]] = []

    def of(self, settings: Settings) -> Affinities:
        """Return the affinities for ``settings``, made now if they are not the last ones."""
        key = {
            name: value
            for name, value in settings.parameters.items()
            if {"affinities", "metric"} & set(enters(settings.kind, name))
        }
        key |= {"method": settings.name, "n_classes": settings.n_classes}
        for known, affinities in self._known:
            if same(known, key):
                return affinities
        affinities = settings.estimator.make_affinities(self._X, settings.supervision)
        keep = self._known[:1] if settings.supervision.n_samples <= KEEP_TWO else []
        self._known = [(key, affinities), *(k for k in keep if k[0]["method"] != settings.name)]
        return affinities
