"""Quality measures: how much of the data a map keeps, and how well its places tell classes apart.

Measures of neighborhoods compare the k nearest points in the data with those in the map; measures
of classes compare the map with labels that the map never saw; two maps of the same points are
compared with each other after one is brought onto the other, and a map with others of the same data
for what of it is no chance. Each has a per-point form where one
exists (``per_point=True``), whose mean is the measure.
"""

from nbembed.measures.classes import (
    good_neighbors,
    homogeneity,
    hotelling_lawley,
    inconsistent_pairs,
    knn_error,
)
from nbembed.measures.folds import PairedTest, paired_t_test
from nbembed.measures.map_comparison import MapComparison, compare_maps
from nbembed.measures.neighborhoods import (
    continuity,
    neighbor_preservation,
    trustworthiness,
)
from nbembed.measures.parametric import class_f_measure, class_precision
from nbembed.measures.retrieval import (
    PrecisionRecall,
    SmoothedErrors,
    precision_recall,
    r_nx,
    r_nx_auc,
    smoothed_errors,
)
from nbembed.measures.stability import cohesion, recurrence, stability
from nbembed.neighbors import nearest_neighbors

__all__ = [
    "MapComparison",
    "PairedTest",
    "PrecisionRecall",
    "SmoothedErrors",
    "class_f_measure",
    "class_precision",
    "cohesion",
    "compare_maps",
    "continuity",
    "good_neighbors",
    "homogeneity",
    "hotelling_lawley",
    "inconsistent_pairs",
    "knn_error",
    "nearest_neighbors",
    "neighbor_preservation",
    "paired_t_test",
    "precision_recall",
    "r_nx",
    "r_nx_auc",
    "recurrence",
    "smoothed_errors",
    "stability",
    "trustworthiness",
]
