"""The nearest neighbors of points: the one search that measures, graphs and learners use.

Few points are compared with all others in float64. From some thousand on, distances are first
computed in float32, by matrix products, and all that could be a neighbor is computed again
(:mod:`.exact`); affinities of many points take an approximate search (:mod:`.cells`), whose recall
is reported.

Of points at the same distance the exact search takes the one of lower index first, so that results
do not depend on the platform; only the tree that serves data of few dimensions may order such
points otherwise. It is scikit-learn's: on data with many ties (balance lies on a grid) published
figures depend on which of them a graph takes, and the recorded ones belong to this tree. The cells
may take others of the points that tie for the last place, and replace the tree as well, from
20 000 points on.
"""

from nbembed.neighbors.blocks import check_stored
from nbembed.neighbors.found import Neighbors
from nbembed.neighbors.memory import known_neighbors, remember
from nbembed.neighbors.search import (
    Search,
    check_k,
    find_neighbors,
    nearest_given,
    nearest_neighbors,
)
from nbembed.neighbors.smallest import k_smallest, other_points

__all__ = [
    "Neighbors",
    "Search",
    "check_k",
    "check_stored",
    "find_neighbors",
    "k_smallest",
    "known_neighbors",
    "nearest_given",
    "nearest_neighbors",
    "other_points",
    "remember",
]
