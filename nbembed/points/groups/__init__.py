"""Descriptions of a group of points: how it differs from the rest, or from another group.

* ``variables``: what of the points can be compared: features, columns, counts, classes.
* ``numbers``: effect sizes and histograms.
* ``categories``: shares and lift.
* ``words``: what is counted more often.
* ``mean_image``: mean images.
* ``description``: all of these together, as a value.
* ``unusual``: in which features a single point is unusual.
* ``rows``: the points as rows of a table, sorted.
* ``label_rows``: the labels as rows of a table.
"""

from nbembed.points.groups.categories import CategoryShare, ColumnDifference
from nbembed.points.groups.description import Description, describe
from nbembed.points.groups.numbers import FeatureDifference
from nbembed.points.groups.words import WordDifference

__all__ = [
    "CategoryShare",
    "ColumnDifference",
    "Description",
    "FeatureDifference",
    "WordDifference",
    "describe",
]
