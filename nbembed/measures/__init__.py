"""Quality measures: how much of the data a map keeps, and how well its places tell classes apart.

Measures of neighborhoods compare the k nearest points in the data with those in the map; measures
of classes compare the map with labels that the map never saw. Each has a per-point form where one
exists (``per_point=True``), whose mean is the measure.
"""

from nbembed.measures.classes import (
    homogeneity,
    hotelling_lawley,
    inconsistent_pairs,
    knn_error,
)
from nbembed.measures.neighborhoods import (
    continuity,
    nearest_neighbors,
    neighbor_preservation,
    trustworthiness,
)
from nbembed.measures.parametric import class_f_measure, class_precision

__all__ = [
    "class_f_measure",
    "class_precision",
    "continuity",
    "homogeneity",
    "hotelling_lawley",
    "inconsistent_pairs",
    "knn_error",
    "nearest_neighbors",
    "neighbor_preservation",
    "trustworthiness",
]
