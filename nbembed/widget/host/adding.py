"""New rows on a live map: placed, and shown with the others in a map of all of them."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any, Self

import numpy as np

from nbembed.data.dask_input import is_dask
from nbembed.points.features import Features, prepared_rows
from nbembed.points.new_rows import continued, stacked
from nbembed.points.point_data import PointData
from nbembed.points.preparation.wording import counted
from nbembed.session import Session
from nbembed.session.placing import fitted_to_map, going_on_from
from nbembed.session.shared_labels import SharedLabels
from nbembed.supervision import Supervision
from nbembed.supervision.subset import written_back
from nbembed.validation import shown
from nbembed.widget.answers.group_source import GroupSource
from nbembed.widget.host.child_maps import ChildMaps
from nbembed.widget.host.part import Part
from nbembed.widget.stream.serializers import NEW_ROWS


class AddsRows:
    """Adds rows to the map of an Explorer."""

    height: int
    data_note: str
    selection: Any
    _session: Session
    _points: PointData
    _groups: GroupSource
    _preparation: Any
    _prepared_by: Any
    _child_maps: ChildMaps
    _shared: SharedLabels | None
    #: How many rows it has beyond those of the map that they were added to.
    _new = 0

    def add(self, X: Any) -> Self:
        """Return an Explorer of the rows of this map and new ones, each placed on the map.

        The new rows are placed as ``transform`` of the estimators places them, each by its own
        neighbors among the points of this map. The map of all goes on from there: points stay
        where they are at first, with all labels, links, pins and parameters, and the new ones join
        them as it moves. They are selected and saved as the selection "new rows"; as long as it is
        saved, they have rings on the map. This map stays as it is; labels and links are shared with
        the map of all as long as both are open. On the page of this map a path leads there and
        back.

        Parameters
        ----------
        X : as that of the Explorer, dask collection, or iterator of such
            Rows of the same columns, prepared as the others were. Chunks of a dask collection or
            an iterator are placed one after another.

        Returns
        -------
        explorer : Explorer
            The points of this map come first. ``close()`` takes the new rows back.

        Raises
        ------
        ValueError, TypeError
            If ``X`` has other columns, another number of features, or values that are missing where
            the rows of the map have none; if there is no map yet, or its method has no placement of
            new rows; the message says which.

        Examples
        --------
        >>> import nbembed as nb
        >>> import numpy as np
        >>> X = np.random.default_rng(0).normal(size=(60, 5))
        >>> explorer = nb.Explorer(X[:50], autoplay=False)
        >>> explorer.session.step(20, wait=True)
        >>> more = explorer.add(X[50:])
        >>> more.selection.tolist() == list(range(50, 60))
        True
        """
        session = self._session
        placing = fitted_to_map(session)
        data, points = session.X, self._points
        layout = [placing.embedding_]
        for chunk in chunks_of(X):
            rows = prepared_rows(self._prepared_by, chunk, self._points.embedded)
            layout.append(placing.transform(rows))
            data = stacked(data, rows)
            points = continued(points, chunk, len(layout[-1]))
        n, n_all = session.n_samples, data.shape[0]
        if n_all == n:
            raise ValueError("X must have at least one row, got none")
        old = np.arange(n)
        before = session.supervision
        supervision = written_back(Supervision(n_all), old, Supervision(n), before)
        if before.pinned.size:
            supervision = supervision.pin(before.pinned)
        said = f"{counted(n_all - n, 'new row')} after {counted(n, 'point')}. {self.data_note}"
        kind: Any = type(self)
        made: Self = kind(
            Part(
                Features(
                    data,
                    note=said.strip(),
                    transformer=self._preparation,
                    prepared_by=self._prepared_by,
                ),
                points,
            ),
            going_on_from(session, np.concatenate(layout).astype(np.float64)),
            supervision=supervision,
            feature_names=self._groups.feature_names,
            height=self.height,
            autoplay=False,
        )
        made._shared = SharedLabels(made._session, session, old)
        made._new = n_all - n
        new = np.arange(n, n_all)
        for name, chosen in session.selections.items():
            made._session.save_selection(name, chosen)
        made._session.save_selection(NEW_ROWS, new)
        made.selection = new
        self._child_maps.add(made)
        made._session.play()
        return made


def chunks_of(X: Any) -> Iterator[Any]:
    """Yield the chunks of rows of a dask collection or an iterator; of others all at once."""
    if is_dask(X):
        if not hasattr(X, "to_delayed"):
            raise TypeError(f"X must be a dask array or dataframe, got {shown(X)}")
        if hasattr(type(X), "map_blocks"):
            X = X.rechunk({1: -1})
        for part in np.ravel(X.to_delayed()):
            yield part.compute()
    elif isinstance(X, Iterator):
        yield from X
    else:
        yield X
