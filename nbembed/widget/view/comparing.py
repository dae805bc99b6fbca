"""The methods of an Explorer that compare: groups of points, and maps of the same points."""

from __future__ import annotations

from typing import Any

from nbembed.points.groups import Description
from nbembed.session import Session
from nbembed.widget.answers.group_source import GroupSource
from nbembed.widget.view.comparison import Comparison


class Comparing:
    """Descriptions of groups, and comparisons with other maps."""

    selection: Any
    _groups: GroupSource
    _comparison: Comparison

    def describe(self, points: Any = None, against: Any = None, *, most: int = 12) -> Description:
        """Describe the differences of points from the rest, or from others.

        Parameters
        ----------
        points : array-like of int or mask, optional
            By default the selected points.
        against : array-like of int or mask, optional
            What they are compared with, by default all other points.
        most : int
            Features, columns of categories and words at most.

        Returns
        -------
        description : Description
            Numbers by effect size, categories by lift, words, mean images. Its ``repr`` says the
            most important in words.

        Raises
        ------
        ValueError, TypeError
            If there are no points, or none to compare them with.
        """
        return self._groups.describe(points, against, self.selection, most=most)

    def compare(
        self,
        other: Any = None,
        *,
        onto: str | None = None,
        view: str = "side",
        by_change: bool = False,
    ) -> Session | None:
        """Show another map of the points with the present one, turned and scaled to match.

        Parameters
        ----------
        other : str, estimator or Recipe, optional
            The name of a snapshot; or a method, by name or with its parameters, for a second live
            map on the same labels and links. ``None`` ends the comparison and the second map.
        onto : str, optional
            The name of a snapshot that is shown in place of the present map, where ``other`` is
            a snapshot, too.
        view : {"side", "blend"}, default="side"
            Side by side, or blended in one map by a slider.
        by_change : bool, default=False
            Whether points are colored by how far their neighborhoods differ
            (:func:`nbembed.measures.compare_maps`).

        Returns
        -------
        second : Session or None
            The session of a second live map. It is closed when the comparison ends.

        Raises
        ------
        ValueError, TypeError
            If there is no such snapshot or method, or an argument is not legal.
        """
        return self._comparison.compare(other, onto, view, by_change)
