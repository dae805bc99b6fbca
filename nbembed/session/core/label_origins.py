"""The origin of each label: who gave it, when, and at which iteration.

A supervision says what is known of the points, and not how it came to be known. That is kept beside
it, as a list of changes that grows at its end and shares what was before. It travels with the
settings, so that undo, redo and snapshots bring back the origins of the labels that they bring
back.
"""

from __future__ import annotations

from dataclasses import dataclass, field

import numpy as np
from numpy.typing import NDArray

from nbembed.session.core.provenance import Provenance
from nbembed.supervision import Supervision


@dataclass(frozen=True, eq=False)
class LabelOrigins:
    """Points that one command labeled, and the origins of the labels before.

    ``provenance`` is ``None`` if it is not known.
    """

    points: NDArray[np.intp] = field(repr=False)
    provenance: Provenance | None
    before: LabelOrigins | None = field(default=None, repr=False)


def after_labeling(
    before: LabelOrigins | None,
    old: Supervision | None,
    new: Supervision,
    provenance: Provenance | None,
) -> LabelOrigins | None:
    """Return the origins after a command made ``old`` into ``new``."""
    labeled = new.top_class >= 0
    if old is not None:
        same = (old.top_class >= 0) & (old.confidence == new.confidence)
        if old.classes == new.classes[: len(old.classes)]:
            same &= old.top_class == new.top_class
        else:
            codes = {name: k for k, name in enumerate(new.classes)}
            moved = np.array([*(codes.get(name, -2) for name in old.classes), -1])
            same &= moved[old.top_class] == new.top_class
        labeled = labeled & ~same
    points = np.flatnonzero(labeled)
    return LabelOrigins(points, provenance, before) if points.size else before


def provenance_of_labels(
    origins: LabelOrigins | None, supervision: Supervision
) -> dict[int, Provenance | None]:
    """Return the provenance of the label of each labeled point, in the order of the points."""
    missing = supervision.top_class >= 0
    points = np.flatnonzero(missing).tolist()
    found: dict[int, Provenance | None] = dict.fromkeys(points)
    left = len(points)
    while origins is not None and left:  # the latest first
        fresh = origins.points[missing[origins.points]]
        missing[fresh] = False
        left -= fresh.size
        found.update(dict.fromkeys(fresh.tolist(), origins.provenance))
        origins = origins.before
    return found
