"""Label propagation: class probabilities of all points from the labels of a few.

Labels spread along the neighbor graph (Zhou et al. 2004): with the symmetric weights W of the
graph, D its row sums, ``S = D^(−½) W D^(−½)`` and the labels' rows of probabilities T,

    F = (I − aS)⁻¹ T

whose columns, scaled to a class prior, give probabilities. :func:`propagate` does it once,
:class:`Propagation` keeps the graph and the last solution, so that the next label costs one column,
:class:`PropagationClassifier` is the estimator.
"""

from nbembed.propagation.accuracy import accuracy_interval, points_to_check
from nbembed.propagation.estimator import PropagationClassifier
from nbembed.propagation.graph import neighbor_affinities
from nbembed.propagation.incremental import Propagation, propagate
from nbembed.propagation.suggestions import Suggestions

__all__ = [
    "Propagation",
    "PropagationClassifier",
    "Suggestions",
    "accuracy_interval",
    "neighbor_affinities",
    "points_to_check",
    "propagate",
]
