"""Label propagation: class probabilities of all points from the labels of a few.

A random walk on the neighbor graph, P = D⁻¹W, starts at an unlabeled point, goes on with
probability a at each step, and ends at the first label that it meets:

    F_L = T_L,   F_U = (I − aP_UU)⁻¹ aP_UL T_L

with the labels' rows of probabilities T. The columns of F, scaled to masses of the classes, give
probabilities. :func:`propagate` does it once, :class:`Propagation` keeps the graph and the last
solution, so that the next label costs one linear system, and :class:`PropagationClassifier` is the
estimator, which adds other classifiers as far as the labels favor them
(:mod:`nbembed.propagation.stacking`). The form of Zhou et al. (2004), ``F = (I − aS)⁻¹ T``, is
``clamp=False``.

The groups of the same graph need no label: :class:`SuggestedGroups`, made by
:meth:`nbembed.Session.suggest_groups`.
"""

from nbembed.propagation.accuracy import accuracy_interval, points_to_check
from nbembed.propagation.estimator import PropagationClassifier
from nbembed.propagation.graph import neighbor_affinities
from nbembed.propagation.groups import SuggestedGroups
from nbembed.propagation.incremental import Propagation, propagate
from nbembed.propagation.suggestions import Suggestions

__all__ = [
    "Propagation",
    "PropagationClassifier",
    "SuggestedGroups",
    "Suggestions",
    "accuracy_interval",
    "neighbor_affinities",
    "points_to_check",
    "propagate",
]
