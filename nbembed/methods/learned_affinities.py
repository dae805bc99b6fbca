"""Metrics that are learned from labels, as the methods' ``metric``, and affinities made with them.

Where one class is all but certain a learned metric vanishes, and a point's nearest neighbors may be
a million times nearer than those of another. Neighborhoods of one perplexity then differ as much in
width, and ``log p`` of a point that lies just outside of one reaches −10⁸ or less, to which NeRV's
KL(q‖p) would respond with forces that dominate all others. Such differences carry no information:
they separate certainties such as 0.999 999 and 0.999 999 9. Affinities in a learned metric are
therefore truncated (:meth:`~nbembed.affinities.Affinities.truncated`): every p below ε = 1e-8
counts as ε in that divergence, and NeRV makes no neighborhood on the map narrower than a tenth of
the typical one. On Letter (1500 points) the error of five neighbors on the map falls from a third
to a quarter. ``SNeRV(map_width="point", floor=0)`` leaves both out.
"""

from __future__ import annotations

from typing import Any

import numpy as np
from numpy.typing import NDArray
from sklearn.base import clone

from nbembed.learning_metric import LearningMetric
from nbembed.learning_metric.labels import labels_suffice
from nbembed.supervision import Supervision

#: ε: probabilities below it count as zero.
FLOOR = 1e-8
#: Largest precision on the map, in units of the typical one: a tenth of its width.
SHARPEST = 100.0


def must_learn(metric: Any) -> bool:
    """Return whether a metric has to be fitted to labels before it measures anything."""
    return isinstance(metric, LearningMetric) and not hasattr(metric, "centroids_")


def fitted_metric(
    metric: Any,
    X: NDArray[Any],
    supervision: Supervision | None,
    *,
    random_state: Any = None,
    n_jobs: int | None = None,
) -> Any:
    """Return the metric that distances of ``X`` are measured with.

    Any metric but an unfitted LearningMetric is returned as it is. Of that a clone is fitted to the
    labels; where fewer than two classes have a labeled point, as when a live session begins, the
    Euclidean metric is used in its place (``fit`` raises before that).

    * random_state, n_jobs: those of the method, for a LearningMetric that has none of its own.
      Only an integer ``random_state`` is passed on; with None and with generators the metric
      learns with 0, so that the same labels always give the same metric.
    """
    if not must_learn(metric):
        return metric
    if not labels_suffice(supervision):
        return "euclidean"
    learner: LearningMetric = clone(metric)
    if learner.random_state is None and isinstance(random_state, int | np.integer):
        learner.random_state = int(random_state)
    if learner.n_jobs is None:
        learner.n_jobs = n_jobs
    return learner.fitted_to(X, supervision)
