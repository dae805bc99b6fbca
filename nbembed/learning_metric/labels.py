"""Labels that a metric is learned from: whether they suffice, and what users call the classes."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import numpy as np
from numpy.typing import NDArray

from nbembed.supervision import Supervision
from nbembed.supervision.reading import read_labels

if TYPE_CHECKING:
    from nbembed.learning_metric.metric import LearningMetric


def check_labels_suffice(supervision: Supervision | None) -> None:
    """Raise ValueError unless two classes or more are the most probable one of a labeled point."""
    named: list[str] = []
    if supervision is not None:
        top = np.unique(supervision.top_class[supervision.labeled])
        named = [supervision.classes[c] for c in top]
    if len(named) < 2:
        got = f"only {named[0]!r}" if named else "none"
        raise ValueError(f"y (or supervision) must label points of at least two classes, got {got}")


def labels_suffice(supervision: Supervision | None) -> bool:
    """Return whether a metric can be learned from the labels."""
    try:
        check_labels_suffice(supervision)
    except ValueError:
        return False
    return True


def name_classes(metric: LearningMetric, supervision: Supervision, y: Any) -> None:
    """Give the classes of a metric, which was fitted to ``supervision``, the values that y has."""
    names = dict(zip(supervision.classes, values_of_classes(supervision, y).tolist()))
    metric.classes_ = np.array([names[name] for name in metric.classes_.tolist()])


def values_of_classes(supervision: Supervision, y: Any) -> NDArray[Any]:
    """Return the value of each class as the user wrote it in ``y``, else its name or number."""
    given = None if y is None else read_labels(y)
    if given is None:
        return np.array(supervision.classes)
    K, top = len(supervision.classes), supervision.top_class
    if given.ndim == 2:
        names = getattr(y, "columns", None)
        return np.arange(K) if names is None else np.array(supervision.classes)
    firsts = [int(np.flatnonzero(top == c)[0]) for c in range(K)]
    return np.array(given[firsts].tolist())
