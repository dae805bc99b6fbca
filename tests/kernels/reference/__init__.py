"""The kernels as plain NumPy formulas in float64: what compiled code is tested against.

Each function has the arguments and results of the kernel of the same name, and is its definition
written out: all pairs at once, without tiles, threads or approximations of exponentials. Their
memory is O(n²), and ``n_threads`` is accepted and ignored.
"""

from tests.kernels.reference.calibration import calibrate, normalize
from tests.kernels.reference.custom_similarity import (
    custom_entries,
    custom_groups,
    custom_pairs,
    custom_values,
    loops,
)
from tests.kernels.reference.distances import squared_distances
from tests.kernels.reference.fisher_paths import detours, path_lengths, shorten
from tests.kernels.reference.graph_solve import factorize, solve_on_graph
from tests.kernels.reference.largest import largest_entries
from tests.kernels.reference.links import (
    cannot_link,
    group_attraction,
    joint_entropy,
    linked_entropy,
    packed_log_rows,
    rewrite_links,
    unlinked_sums,
)
from tests.kernels.reference.nearest import cut_lists, keep_smallest, pair_distances
from tests.kernels.reference.own_affinities import own_rows, place_rows, sum_both_ways
from tests.kernels.reference.pairs import (
    gaussian_rows,
    heavy_tailed,
    neighbor_retrieval,
    sparse_attraction,
)
from tests.kernels.reference.parametric import parametric
from tests.kernels.reference.placement import descend
from tests.kernels.reference.placement_field import descend_on_field, potentials
from tests.kernels.reference.polynomial_inverse import polynomial_inverse
from tests.kernels.reference.radial import grid_that_pays, radial_sums

__all__ = [
    "calibrate",
    "cannot_link",
    "custom_entries",
    "custom_groups",
    "custom_pairs",
    "custom_values",
    "cut_lists",
    "descend",
    "descend_on_field",
    "detours",
    "factorize",
    "gaussian_rows",
    "grid_that_pays",
    "group_attraction",
    "heavy_tailed",
    "joint_entropy",
    "keep_smallest",
    "largest_entries",
    "linked_entropy",
    "loops",
    "neighbor_retrieval",
    "normalize",
    "own_rows",
    "packed_log_rows",
    "pair_distances",
    "parametric",
    "path_lengths",
    "place_rows",
    "polynomial_inverse",
    "potentials",
    "radial_sums",
    "rewrite_links",
    "shorten",
    "solve_on_graph",
    "sparse_attraction",
    "squared_distances",
    "sum_both_ways",
    "unlinked_sums",
]
