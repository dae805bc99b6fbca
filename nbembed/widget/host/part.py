"""Maps of some points of an Explorer: Explorers of their own, on the same labels and links."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass, field
from typing import Any, Self

import numpy as np
from numpy.typing import ArrayLike, NDArray

from nbembed.methods.estimator import Estimator
from nbembed.methods.recipe import Recipe
from nbembed.points.features import Features
from nbembed.points.point_data import PointData
from nbembed.points.preparation.wording import counted
from nbembed.session import Session
from nbembed.session.core.methods import recipe_of_part
from nbembed.session.shared_labels import SharedLabels
from nbembed.supervision.subset import subset
from nbembed.widget.answers.group_source import GroupSource
from nbembed.widget.host.child_maps import ChildMaps
from nbembed.widget.view.view_state import ViewState

#: Points of which a map can be made.
FEWEST = 4


class MapsOfSome:
    """Makes maps of some points of an Explorer."""

    height: int
    data_note: str
    _session: Session
    _points: PointData
    _groups: GroupSource
    _preparation: Any
    _prepared_by: Any
    _chosen: Callable[[ArrayLike | None], NDArray[np.intp]]
    #: With the Explorer of all points, where this is one of some.
    _shared: SharedLabels | None = None
    #: Those that a page has opened.
    _child_maps: ChildMaps

    @property
    def children(self) -> tuple[Self, ...]:
        """The maps of some points that were opened on a page, as :meth:`map_of` returns them."""
        return self._child_maps.open

    def _make_child(self, points: NDArray[np.intp]) -> Self:
        # Private, so that the bound method does not count as a reference of the user's.
        return self.map_of(points)

    def map_of(
        self,
        points: ArrayLike | None = None,
        method: Estimator | Recipe[Any] | None = None,
    ) -> Self:
        """Return an Explorer of some points alone: a map with neighbors of its own.

        Labels and links are shared: what is said of these points on either map holds on both, as an
        undoable step of each, as long as both are open. Parameters, pins and layouts are not. The
        features are those that are embedded here; names, columns, images and colors come along.

        Parameters
        ----------
        points : array-like of int or mask, optional
            By default the selected points.
        method : estimator or Recipe, optional
            By default the present method with its parameters; those that can be "auto", such as
            the perplexity, are so again.

        Returns
        -------
        explorer : Explorer
            Point k is ``points[k]``, points in ascending order.

        Raises
        ------
        ValueError, TypeError
            If there are too few points, or an argument is not legal; the message names it.

        Examples
        --------
        >>> import nbembed as nb
        >>> import numpy as np
        >>> X = np.random.default_rng(0).normal(size=(60, 5))
        >>> explorer = nb.Explorer(X, autoplay=False)
        >>> part = explorer.map_of(range(20, 40))
        >>> part.session.label([0, 1], "first")
        >>> explorer.labels[19:22]
        [None, 'first', 'first']
        """
        chosen = self._chosen(points)
        if chosen.size < FEWEST:
            raise ValueError(f"points must be at least {FEWEST} for a map, got {chosen.size}")
        session = self._session
        kind: Any = type(self)
        made: Self = kind(
            part_of(self, chosen),
            recipe_of_part(session.recipe) if method is None else method,
            supervision=subset(session.supervision, chosen),
            feature_names=self._groups.feature_names,
            height=self.height,
        )
        made._shared = SharedLabels(session, made._session, chosen)
        return made


@dataclass(frozen=True)
class Part:
    """Points of an Explorer: what stands for X in a map of these.

    * view: what is shown of them at first.
    """

    features: Features
    points: PointData
    view: ViewState = field(default_factory=ViewState)


def part_of(explorer: MapsOfSome, points: NDArray[np.intp]) -> Part:
    """Return some of the points, their features as they are embedded in the map of all."""
    session = explorer._session
    X = session.X
    rows = X[points][:, points] if session.recipe.takes_distances else X[points]
    note = f"{counted(points.size, 'point')} of {session.n_samples:,}. {explorer.data_note}"
    features = Features(
        rows,
        note=note.strip(),
        transformer=explorer._preparation,
        prepared_by=explorer._prepared_by,
    )
    return Part(features, explorer._points.take(points))
