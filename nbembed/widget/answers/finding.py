"""Searches and selections of an Explorer from Python, as its page makes them."""

from __future__ import annotations

import weakref
from collections.abc import Callable, Mapping
from typing import Any, Literal

import numpy as np
from numpy.typing import ArrayLike, NDArray

from nbembed.validation import check_choice, shown
from nbembed.widget.answers.finder import Finder
from nbembed.widget.wire.traits import as_points

#: How points join a selection.
JOINS = ("replace", "add", "subtract", "intersect", "toggle")


class Finding:
    """Finds and selects points."""

    n_samples: int
    selection: Any
    observe: Callable[..., None]
    unobserve: Callable[..., None]
    to_frame: Callable[..., Any]
    _finder: Finder
    #: The table or AnnData that the user gave as X.
    _given: Any

    def find(
        self,
        text: str | None = None,
        *,
        columns: Any = None,
        where: Mapping[Any, Any] | None = None,
        among: ArrayLike | None = None,
    ) -> NDArray[np.intp]:
        """Return the points that have a text and meet all criteria.

        Parameters
        ----------
        text : str, optional
            Contained in the name of a point or in one of its columns, without regard to case.
            ``"17"`` or ``"#17"`` also finds point 17.
        columns : name or list of names, optional
            Where the text is searched; by default in names and in all columns but those of numbers.
        where : mapping, optional
            By the name of a column what its values must be: a tuple ``(low, high)``, with ``None``
            for no limit; a list of values, in which ``None`` stands for missing ones; or one value.
            "class label" is the column of labels, ``"feature 0"`` the first of an array.
        among : array-like of int or mask, optional
            The points to choose from; by default all.

        Returns
        -------
        points : ndarray of int
            Sorted.

        Raises
        ------
        ValueError, TypeError
            If an argument is not legal; the message names it.

        Examples
        --------
        >>> import nbembed as nb
        >>> import pandas as pd
        >>> frame = pd.DataFrame(
        ...     {"height": [1.0, 2.0, 4.0], "kind": ["a", "b", "b"]}, index=["Ann", "Bob", "Cleo"]
        ... )
        >>> explorer = nb.Explorer(frame, autoplay=False)
        >>> explorer.find("BO")
        array([1])
        >>> explorer.selection = explorer.find(where={"kind": ["b"], "height": (3, None)})
        >>> explorer.selection
        array([2])
        """
        return self._finder.find(text, columns, where, among)

    def neighbors(
        self,
        points: ArrayLike | None = None,
        k: int = 10,
        *,
        space: Literal["data", "map"] = "data",
    ) -> NDArray[np.intp]:
        """Return the points that are among the k nearest of one of the given points.

        Parameters
        ----------
        points : array-like of int or mask, optional
            By default the selection. They are not among the answer.
        k : int, default=10
            Of each point.
        space : {"data", "map"}, default="data"
            Where they are neighbors: in the data, in the metric of the method, or on the map.

        Returns
        -------
        neighbors : ndarray of int
            Sorted.

        Raises
        ------
        ValueError, TypeError
            If an argument is not legal; the message names it.
        """
        return self._finder.near(self._chosen(points), k, space, "neighbors")

    def select(
        self,
        points: ArrayLike | None,
        how: Literal["replace", "add", "subtract", "intersect", "toggle"] = "replace",
    ) -> None:
        """Select points, or change the selection by them.

        Parameters
        ----------
        points : array-like of int or mask, or None for no points
        how : {"replace", "add", "subtract", "intersect", "toggle"}, default="replace"

        Raises
        ------
        ValueError
            If an argument is not legal; the message names it.
        """
        check_choice("how", how, JOINS)
        chosen = as_points(points, self.n_samples, "points")
        joined: Mapping[str, Callable[..., Any]] = {
            "add": np.union1d,
            "subtract": np.setdiff1d,
            "intersect": np.intersect1d,
            "toggle": np.setxor1d,
        }
        if how != "replace":
            chosen = joined[how](self.selection, chosen)
        self.selection = chosen

    @property
    def selected(self) -> Any:
        """The selected points: rows of the table that was given, a view of AnnData.

        Of other data, such as an array, they are the rows of :meth:`to_frame`.
        """
        chosen = np.asarray(self.selection, dtype=np.intp)
        given = self.to_frame() if self._given is None else self._given
        return given.iloc[chosen] if hasattr(given, "iloc") else given[chosen]

    def on_selection(self, function: Callable[[Any], object]) -> Callable[[], None]:
        """Call a function with :attr:`selected` whenever other points are selected.

        Parameters
        ----------
        function : callable
            An error of it is shown where the notebook shows those of messages; the page goes on.

        Returns
        -------
        end : callable
            Without arguments; the function is not called any more.

        Raises
        ------
        TypeError
            If ``function`` cannot be called.

        Examples
        --------
        >>> import nbembed as nb
        >>> from sklearn.datasets import load_iris
        >>> explorer = nb.Explorer(load_iris(as_frame=True).data, autoplay=False)
        >>> end = explorer.on_selection(lambda rows: print(len(rows), "irises"))
        >>> explorer.selection = [0, 1, 2]
        3 irises
        >>> end()
        """
        if not callable(function):
            raise TypeError(f"function must be callable, got {shown(function)}")
        # Neither the observer nor what ends it keeps the Explorer alive.
        this = weakref.ref(self)

        def changed(_: Any) -> None:
            if (explorer := this()) is not None:
                function(explorer.selected)

        def end() -> None:
            if (explorer := this()) is not None:
                explorer.unobserve(changed, "selection")

        self.observe(changed, "selection")
        return end

    def invert(self) -> None:
        """Select the points that are not selected, and no others."""
        self.selection = np.setdiff1d(np.arange(self.n_samples), self.selection)

    def grow(self, k: int = 5, *, space: Literal["data", "map"] = "map") -> None:
        """Add the k nearest neighbors of each selected point to the selection.

        Parameters
        ----------
        k : int, default=5
        space : {"data", "map"}, default="map"

        Raises
        ------
        ValueError
            If an argument is not legal, or there is no map yet.
        """
        self.selection = self._finder.near(self._chosen(None), k, space, "grow")

    def shrink(self, k: int = 5, *, space: Literal["data", "map"] = "map") -> None:
        """Keep the selected points that have all of their k nearest neighbors in the selection.

        Parameters
        ----------
        k : int, default=5
        space : {"data", "map"}, default="map"

        Raises
        ------
        ValueError
            If an argument is not legal, or there is no map yet.
        """
        self.selection = self._finder.near(self._chosen(None), k, space, "shrink")

    def _chosen(self, points: ArrayLike | None) -> NDArray[np.intp]:
        """Return given points, by default the selection."""
        given = self.selection if points is None else points
        return as_points(given, self.n_samples, "points")
