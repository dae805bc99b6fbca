"""Affinities that were made already, and need not be made again."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from nbembed.session.cascade import enters
from nbembed.session.plain import same

if TYPE_CHECKING:
    from nbembed.affinities import Affinities
    from nbembed.session.settings import Settings
    from nbembed.supervision import Supervision

#: Up to so many points the affinities of the method before are kept too, for switching back.
KEEP_TWO = 5_000


class KnownAffinities:
    """The last affinities of one data set, found again by the parameters that enter them."""

    def __init__(self, X: Any) -> None:
        self._X = X
        self._known: list[tuple[dict[str, Any], Affinities]] = []

    def of(self, settings: Settings, taught: Supervision | None = None) -> Affinities:
        """Return the affinities for ``settings``, made now if they are not the last ones.

        Parameters
        ----------
        settings : Settings
        taught : Supervision, optional
            What they are learned from, where the method learns from labels.
        """
        key = _key(settings, taught)
        for known, affinities in self._known:
            if same(known, key):
                return affinities
        supervision = settings.supervision if taught is None else taught
        affinities = settings.estimator.make_affinities(self._X, supervision)
        self._keep(key, affinities)
        return affinities

    def put(self, settings: Settings, taught: Supervision, affinities: Affinities) -> None:
        """Take affinities that were made elsewhere."""
        self._keep(_key(settings, taught), affinities)

    def _keep(self, key: dict[str, Any], affinities: Affinities) -> None:
        """Keep them; of small data also those before, of another method or of other labels."""
        before = self._known[:1] if self._X.shape[0] <= KEEP_TWO else []
        others = [k for k in before if k[0]["method"] != key["method"] or "labels" in key]
        self._known = [(key, affinities), *others]


def _key(settings: Settings, taught: Supervision | None) -> dict[str, Any]:
    """Return all that enters affinities, beside the data."""
    key = {
        name: value
        for name, value in settings.parameters.items()
        if {"affinities", "metric"} & set(enters(settings.kind, name))
    }
    key |= {"method": settings.name, "n_classes": settings.n_classes}
    if taught is not None:
        key |= {"labels": (len(taught.classes), taught.top_class, taught.targets())}
    return key
