"""Why points lie where they lie: neighborhoods, measures, forces, the map without labels, others.

All of it is computed when somebody asks, in the thread that asks, from the newest layout. The map,
its log and a replay do not depend on it.
"""

from __future__ import annotations

import threading
from typing import Any, NamedTuple

import numpy as np
from numpy.typing import ArrayLike, NDArray

from nbembed.data.distances import same_metric, scales_of, squared_row
from nbembed.measures import recurrence, stability
from nbembed.neighbors import check_stored
from nbembed.objectives.cost_terms import CostTerm
from nbembed.session.core.handle import Handle
from nbembed.session.live.records import PublishedFrame
from nbembed.session.readings.forces import Force, Forces
from nbembed.session.readings.map_view import MapView
from nbembed.session.readings.neighborhood import Neighborhood, neighborhood_of, squares_on_map
from nbembed.session.readings.point_measures import OF_LAYOUTS, PointMeasures, check_measure
from nbembed.session.readings.resampled import resampled_maps
from nbembed.session.readings.unsupervised import MapMaker, UnsupervisedMap, unsupervised_map
from nbembed.validation import check_count

#: Neighbors that a neighborhood has unless more are asked for.
NEIGHBORS = 10


class Quality(NamedTuple):
    """The mean of a measure over all points, of the map and of the one without labels.

    Attributes
    ----------
    here, unsupervised : float
    """

    here: float
    unsupervised: float

    @property
    def moved(self) -> float:
        """By how much supervision has moved it."""
        return self.here - self.unsupervised


class Why(Handle):
    """Neighbors that a session's map keeps, and the forces on its points.

    Parameters
    ----------
    session : Session

    Notes
    -----
    Of more than 5000 points, trustworthiness, continuity and stress of a point are estimated from
    its distances to 1000 others, drawn once; a trustworthiness then has a standard error of about
    0.005 at k = 10. A neighborhood is always exact.

    Examples
    --------
    >>> import nbembed as nb
    >>> from sklearn.datasets import load_iris
    >>> explorer = nb.Explorer(load_iris().data, nb.HSSNE(random_state=0), autoplay=False)
    >>> explorer.session.step(60, wait=True)
    >>> near = explorer.why.neighborhood(0, k=5)
    >>> near.kept.size + near.missing.size, near.missing.size == near.false.size
    (5, True)
    >>> explorer.why.measure("trustworthiness").shape
    (150,)
    >>> [force.name for force in explorer.why.forces(0).terms]
    ['entropy', 'attraction', 'repulsion']
    """

    def __init__(self, session: MapView) -> None:
        #: Their ``ask()`` begins to make what is not there, and does not wait.
        self.without_labels = MapMaker(session, "the map without labels", unsupervised_map)
        self.other_maps = MapMaker(session, "other maps", resampled_maps)
        self._session = session
        self._measures = PointMeasures(session.X)
        self._lock = threading.Lock()
        self._scales: tuple[Any, dict[str, Any]] | None = None
        self._terms: tuple[Any, Any, tuple[CostTerm, ...]] | None = None
        self._qualities: tuple[UnsupervisedMap, int, dict[str, float]] | None = None

    # -- one point ----------------------------------------------------------------------------

    def neighborhood(self, point: int, k: int = NEIGHBORS) -> Neighborhood:
        """Return which of a point's neighbors in the data the map keeps, misses and invents.

        Parameters
        ----------
        point : int
        k : int, default=10
            Size of the neighborhoods.

        Raises
        ------
        TypeError, ValueError
            If there is no such point, or k is not below n_samples.
        RuntimeError
            If there is no map yet.

        Notes
        -----
        O(n d) time.
        """
        return self.neighborhood_in(point, k, self.seen())

    def neighborhood_in(self, point: int, k: int, seen: PublishedFrame) -> Neighborhood:
        """Return what :meth:`neighborhood` does, of a layout."""
        X, metric = self._session.X, seen.settings.recipe.quality_metric
        point = _checked_point(point, X.shape[0])
        k = check_measure("kept", k, X.shape[0])
        layout = self.embedding_of(seen)
        with self._lock:
            if self._scales is None or not same_metric(self._scales[0], metric):
                self._scales = metric, scales_of(X, metric)
            scales = self._scales[1]
        in_data = squared_row(X, point, metric, scales)
        check_stored(np.sort(in_data)[None, :k], "X")
        return neighborhood_of(point, k, in_data, squares_on_map(layout, point))

    def forces(self, point: int) -> Forces:
        """Return the force of each term of the cost on a point.

        Parameters
        ----------
        point : int

        Raises
        ------
        TypeError, ValueError
            If there is no such point.
        RuntimeError
            If the map has not begun to move, so that there is no cost yet, or the session is
            closed.

        Notes
        -----
        An evaluation of the cost for each new layout; other points of the same layout take none.
        """
        return self.forces_in(point, self.seen())

    def forces_in(self, point: int, seen: PublishedFrame) -> Forces:
        """Return what :meth:`forces` does, of a layout."""
        point = _checked_point(point, self._session.n_samples)
        terms = self._cost_terms(seen)
        found = tuple(
            Force(t.name, t.formula, t.role, float(t.cost), -t.gradient[point]) for t in terms
        )
        pinned = bool(np.isin(point, seen.settings.supervision.pinned))
        assert seen.objective is not None
        return Forces(point, seen.objective.equation, found, pinned)

    # -- all points ---------------------------------------------------------------------------

    def measure(self, name: str, k: int = NEIGHBORS) -> NDArray[np.float64]:
        """Return a measure of each point, shape (n_samples,).

        Parameters
        ----------
        name : {"trustworthiness", "continuity", "kept", "stress", "pull", "stability"}
            How far neighbors on the map are neighbors in the data, how far neighbors in the data
            are neighbors on the map, the share of neighbors in both; how far distances on the map
            are proportional to those in the data (0 is best); the length of the force of labels and
            links; the share of neighbors on the map that recur on :meth:`resampled`, beyond chance.
        k : int, default=10
            Size of the neighborhoods, where the measure has any: below n_samples for "kept", else
            below half of the points.

        Raises
        ------
        TypeError, ValueError
            If there is no such measure, or none of that k.
        RuntimeError
            If there is no map yet, or the others that stability compares it with are being made.
        """
        k = check_measure(name, k, self._session.n_samples)
        return self.measured(name, k, self.seen())

    def measured(self, name: str, k: int, seen: PublishedFrame) -> NDArray[np.float64]:
        """Return a measure of each point in a layout; for checked arguments."""
        if name == "pull":
            n = self._session.n_samples
            labels = [t.gradient[:n] for t in self._cost_terms(seen) if t.role == "labels"]
            pull: NDArray[np.float64] = np.linalg.norm(sum(labels, np.zeros((n, 1))), axis=1)
            return pull
        if name == "stability":
            maps, _ = self.other_maps.ask()
            if maps is None:
                raise RuntimeError(
                    "the other maps are still being computed; resampled() waits for them"
                )
            shares: NDArray[np.float64] = stability(
                self.embedding_of(seen), maps, k, per_point=True
            )
            return shares
        metric = seen.settings.recipe.quality_metric
        return self._measures.measured(name, self.embedding_of(seen), metric, k)

    def qualities(self, k: int = NEIGHBORS, timeout: float | None = None) -> dict[str, Quality]:
        """Return the means of all measures of layouts, of this map and of the one without labels.

        Parameters
        ----------
        k : int, default=10
            Below half of the points.
        timeout : float, optional
            In seconds, to wait for the map without labels.

        Returns
        -------
        qualities : dict of str to Quality
            Empty if the map without labels takes longer.

        Raises
        ------
        TypeError, ValueError
            If ``k`` or ``timeout`` is not legal.
        RuntimeError
            If there is no map yet, or the other cannot be made.
        """
        k = check_measure("trustworthiness", k, self._session.n_samples)
        other = self.unsupervised(timeout)
        return {} if other is None else self.compared(other, k)

    def compared(self, other: UnsupervisedMap, k: int) -> dict[str, Quality]:
        """Return the means of both maps."""
        seen = self.seen()
        metric = seen.settings.recipe.quality_metric
        with self._lock:
            known = self._qualities
        if known is None or known[0] is not other or known[1] != k:
            known = other, k, self._means(other.embedding, metric, k)
            with self._lock:
                self._qualities = known
        here = self._means(self.embedding_of(seen), metric, k)
        return {name: Quality(here[name], known[2][name]) for name in OF_LAYOUTS}

    def _means(self, Y: NDArray[Any], metric: Any, k: int) -> dict[str, float]:
        return {
            name: float(self._measures.measured(name, Y, metric, k).mean()) for name in OF_LAYOUTS
        }

    # -- the map without labels ---------------------------------------------------------------

    def unsupervised(self, timeout: float | None = None) -> UnsupervisedMap | None:
        """Return the map that the present method makes without labels, links and pins.

        It has the same parameters and the same seed, and begins where a cold start begins. It is
        made in the background and kept until the method or its parameters change.

        Parameters
        ----------
        timeout : float, optional
            In seconds.

        Returns
        -------
        map : UnsupervisedMap or None
            ``None`` if it takes longer, or was given up.

        Raises
        ------
        ValueError
            If ``timeout`` is negative.
        RuntimeError
            If it cannot be made; names the reason.
        """
        value: UnsupervisedMap | None = self.without_labels.wait(timeout)
        return value

    # -- other maps -----------------------------------------------------------------------------

    def resampled(self, timeout: float | None = None) -> list[NDArray[np.float32]] | None:
        """Return maps of other seeds, each of nine tenths of the points, without labels.

        They are made by the present method with its parameters, in the background while the map
        rests, and kept until the method or its parameters change.

        Parameters
        ----------
        timeout : float, optional
            In seconds.

        Returns
        -------
        maps : list of ndarray of shape (n_samples, n_components) or None
            Rows of NaN are points that were left out. ``None`` if it takes longer, or was given up.

        Raises
        ------
        ValueError
            If ``timeout`` is negative.
        RuntimeError
            If they cannot be made; names the reason.
        """
        maps: list[NDArray[np.float32]] | None = self.other_maps.wait(timeout)
        return maps

    def recurrence(
        self, points: ArrayLike, k: int = NEIGHBORS, timeout: float | None = None
    ) -> NDArray[np.bool_] | None:
        """Return of each of :meth:`resampled` whether a group is together there, as it is here.

        Parameters
        ----------
        points : array-like of int
            At least two, and not all.
        k : int, default=10
            See :func:`nbembed.measures.recurrence`.
        timeout : float, optional
            In seconds, to wait for the other maps.

        Returns
        -------
        together : ndarray of bool of shape (n_maps,) or None
            ``None`` if the other maps take longer, or were given up.

        Raises
        ------
        TypeError, ValueError
            If an argument is not legal.
        RuntimeError
            If there is no map yet, or others cannot be made.
        """
        layout = self.embedding_of(self.seen())
        maps = self.resampled(timeout)
        return None if maps is None else recurrence(layout, maps, points, k)

    def cancel(self, what: str = "unsupervised") -> None:
        """Give up the map without labels that is being made, or the other maps ("stability")."""
        (self.other_maps if what == "stability" else self.without_labels).task.cancel()

    def close(self) -> None:
        """Make no map any more."""
        self.without_labels.task.close()
        self.other_maps.task.close()

    # -- parts --------------------------------------------------------------------------------

    @property
    def running(self) -> bool:
        """True while the map moves."""
        return self._session.state == "running"

    def seen(self) -> PublishedFrame:
        """Return the newest layout with all that belongs to it.

        Raises RuntimeError if there is none.
        """
        seen = self._session._controller.mailbox.published
        if seen.layout is None:
            raise RuntimeError("there is no map yet: call play() first")
        return seen

    def embedding_of(self, seen: PublishedFrame) -> NDArray[Any]:
        """Return the points of a layout that is there, without centers that may follow them."""
        assert seen.layout is not None
        return seen.layout[: self._session.n_samples]

    def _cost_terms(self, seen: PublishedFrame) -> tuple[CostTerm, ...]:
        """Return the terms of the cost at a layout, evaluated once for each."""
        layout, objective = seen.layout, seen.objective
        if layout is None or objective is None:
            if self._session._controller.mailbox.machine.closing:
                raise RuntimeError("the session is closed, so its cost cannot be evaluated")
            raise RuntimeError("there is no cost yet: call play() first")
        with self._lock:
            known = self._terms
        if known is not None and known[0] is layout and known[1] is objective:
            return known[2]
        terms = objective.cost_terms(layout)
        with self._lock:
            self._terms = layout, objective, terms
        return terms


def _checked_point(point: int, n_samples: int) -> int:
    """Return the number of a point.

    Raises TypeError or ValueError if there is no such point.
    """
    if check_count("point", point, low=0) >= n_samples:
        raise ValueError(f"point must be in [0, {n_samples}), got {point}")
    return int(point)
