"""The rows of a map prepared otherwise: a map of the same points, begun where they are."""

from __future__ import annotations

import weakref
from collections.abc import Callable, Mapping
from typing import Any, Self

import numpy as np

from nbembed.points.features import choose_features
from nbembed.points.point_data import PointData
from nbembed.points.preparation import Preparation
from nbembed.points.preparation.choices import difference
from nbembed.session import Session
from nbembed.session.placing import going_on_from
from nbembed.session.shared_labels import SharedLabels
from nbembed.widget.answers.data_source import DataSource
from nbembed.widget.host.child_maps import ChildMaps
from nbembed.widget.host.part import Part
from nbembed.widget.view.view_state import view_of, view_state


class PreparesOtherwise:
    """Makes maps of the rows of an Explorer, prepared otherwise."""

    height: int
    _closed: bool
    _session: Session
    _points: PointData
    _data: DataSource
    _child_maps: ChildMaps
    _shared: SharedLabels | None
    #: The Explorer whose rows are prepared otherwise here; it need not live as long.
    _prepared_from: weakref.ref[Any] | None = None
    #: What is prepared otherwise, in a few words.
    _prepared_how = ""
    #: Its place on the path from the map that refers to it, if one does.
    _place = -1

    def prepare(
        self,
        *,
        features: Any = None,
        weights: Mapping[Any, float] | None = None,
        log: Any = None,
        standardize: bool | None = None,
        missing: str | None = None,
    ) -> Self:
        """Return an Explorer of the same rows of a table, prepared otherwise.

        Its points begin where they are now, and move to where the new distances have them. This map
        stays as it is; labels and links are shared with it as long as both are open. On its page a
        path leads to the other map and back. A map that was prepared otherwise is replaced there by
        one that is made from it, so that the path is never longer.

        Parameters
        ----------
        features, weights, log, standardize, missing : optional
            As of :class:`~nbembed.Preparation`. By default they are as they are here; weights and
            logarithms of columns that are not among new ``features`` go with these. ``weights={}``
            and ``log=[]`` take all back.

        Returns
        -------
        explorer : Explorer
            Point k is point k of this map. ``close()`` leaves this one.

        Raises
        ------
        ValueError, TypeError
            If an argument is not legal, or the data are no table; the message says which.

        Examples
        --------
        >>> import nbembed as nb
        >>> import numpy as np
        >>> import pandas as pd
        >>> rng = np.random.default_rng(0)
        >>> people = pd.DataFrame({"age": rng.normal(size=60), "income": rng.lognormal(size=60)})
        >>> explorer = nb.Explorer(people, autoplay=False)
        >>> other = explorer.prepare(weights={"income": 2})
        >>> other.data_note
        '2 columns are embedded, standardized: age, income. Weights: income × 2'
        """
        return self._prepared(
            self._data.choices.changed(
                features=features,
                weights=weights,
                log=log,
                standardize=standardize,
                missing=missing,
            )
        )

    @property
    def _prepare_commands(self) -> dict[str, Callable[..., None]]:
        return {"prepare_column": self._prepare_column, "standardize": self._standardize}

    def _prepare_column(self, column: int, embedded: bool, weight: float, log: bool) -> None:
        choices = self._data.choices
        self._prepared(choices.with_use(self._data.name(column), embedded, weight, log))

    def _standardize(self, on: bool) -> None:
        self._prepared(self._data.choices.changed(standardize=on))

    def _prepared(self, preparation: Preparation) -> Self:
        session, choices = self._session, self._data.choices
        chosen = choose_features(choices.table, prepare=preparation, apart=choices.looked_at)
        view = view_state(view_of(self), session.n_samples)
        kind: Any = type(self)
        made: Self = kind(
            Part(chosen, self._points.prepared(chosen), view),
            _begun_at_map(session),
            supervision=session.supervision,
            height=self.height,
            autoplay=False,
        )
        for name, points in session.selections.items():
            made._session.save_selection(name, points)
        known = None if self._prepared_from is None else self._prepared_from()
        first: Any = self if known is None or known._closed else known
        made._shared = SharedLabels(first._session, made._session, np.arange(session.n_samples))
        made._prepared_from = weakref.ref(first)
        made._prepared_how = difference(first._data.choices, made._data.choices)
        first._child_maps.add(made, instead_of=None if first is self else self)
        made._session.play()
        return made


def _begun_at_map(session: Session) -> Any:
    """Return the present method, which begins at the present map if there is one."""
    frame = session.frame()
    if not frame.version:
        return session.recipe
    return going_on_from(session, np.array(frame.embedding, dtype=np.float64))
