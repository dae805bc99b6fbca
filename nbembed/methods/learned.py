"""Metrics that are learned from labels, as the methods' ``metric``.

Where one class is all but certain a learned metric vanishes, and a point's nearest neighbors may be
a million times as near as those of another. Neighborhoods of one perplexity are then as unlike in
width, and ``log p`` of a point that lies just outside of one reaches −10⁸ or less, to which NeRV's
KL(q‖p) would answer with forces that drown all others. Such differences mean nothing: they are of
certainties such as 0.999 999 and 0.999 999 9. Affinities in a learned metric are therefore
truncated (:meth:`nbembed.affinities.Affinities.truncated`): every p below ε = 1e-8 counts as ε in
that divergence, and NeRV makes no neighborhood on the map narrower than a
tenth of the typical one. On Letter (1500 points) the error of five neighbors on the map falls from
a third to a quarter.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from nbembed.learning_metric import LearningMetric
from nbembed.learning_metric.metric import teaches

if TYPE_CHECKING:
    from numpy.typing import NDArray

    from nbembed.supervision import Supervision

#: ε: probabilities below it are as good as none.
FLOOR = 1e-8
#: Largest precision on the map, in units of the typical one: a tenth of its width.
SHARPEST = 100.0


def must_learn(metric: Any) -> bool:
    """Return whether a metric has to be fitted to labels before it measures anything."""
    return isinstance(metric, LearningMetric) and not hasattr(metric, "centroids_")


def learned_metric(metric: Any, X: NDArray[Any], supervision: Supervision | None) -> Any:
    """Return what distances of ``X`` are measured with.

    Any metric but an unfitted LearningMetric is returned as it is. Of that a clone is fitted to the
    labels; where fewer than two classes have a labeled point, as when a live session begins, the
    Euclidean metric stands in for it (``fit`` refuses that before).
    """
    if not must_learn(metric):
        return metric
    return metric.fitted_to(X, supervision) if teaches(supervision) else "euclidean"


class IfMetricLearns:
    """``learns_from_labels`` of a method: true where its metric is one that must be fitted."""

    def __get__(self, method: Any, kind: type) -> bool:
        return method is not None and must_learn(getattr(method, "metric", None))
