"""Labels carried to the points around them, as soft labels that move with the labeled ones.

A few labels draw their points together, and the unlabeled points around these stay where they were.
Label propagation knows how likely each of them belongs to which class, so its likeliest class
becomes a soft label of the weight (:mod:`nbembed.supervision.weights`)

    w_i = √r_i · max(0, (K c_i − 1)/(K − 1))

c_i is the probability of the class, and r_i, how far the labels reach, that of a walk from i to
meet a label at all before it ends. Points that do not belong with the labels, since few edges
connect them (:mod:`nbembed.propagation.reach`), have no weight: groups that nobody has named stay
where they are. Where such a group merges into named ones, r is small.
"""

from __future__ import annotations

import numpy as np

from nbembed.affinities import Affinities
from nbembed.propagation.incremental import Propagation, from_zero
from nbembed.propagation.reach import belonging
from nbembed.supervision import Supervision
from nbembed.supervision.conversion import with_soft_labels
from nbembed.supervision.weights import label_weights

#: Points of a smaller weight are left alone.
LEAST = 0.01
#: As :data:`~nbembed.propagation.system.TOLERANCE`: weights are right to .01 at most and .0005 in
#: the mean, in .1 s at 20 000 points for .17 s at 1e-5.
TOLERANCE = 1e-3


def carried(
    affinities: Affinities, supervision: Supervision, *, n_jobs: int | None = None
) -> Supervision:
    """Return the supervision, with soft labels of the points that labels are carried to.

    Labels by hand stay as they are. With fewer than two classes that have labels nothing is
    carried: there is nothing to tell apart. Intermediate results are kept with the affinities.

    O(n) memory a class, and a linear system a class on the graph of nearest neighbors, solved from
    zero: the same labels are carried to the same bits, whatever was said before.
    """
    K = len(supervision.classes)
    named = np.unique(supervision.top_class[supervision.labeled])
    if named.size < 2:
        return supervision
    graph: Propagation
    graph = affinities.cached("propagation", lambda: Propagation(affinities, n_jobs=n_jobs))
    p, reach = from_zero(graph, supervision, TOLERANCE)
    near = belonging(graph, supervision, reach)
    weights = np.zeros(reach.size)
    weights[near] = np.sqrt(reach[near]) * label_weights(p[near].max(axis=1), K)
    points = np.flatnonzero(weights > LEAST)
    confidence = (weights[points] * (K - 1) + 1) / K
    return with_soft_labels(supervision, points, p[points].argmax(axis=1), confidence)
