"""Class values for fitted attributes: the user's own label values, names or numbers."""

from __future__ import annotations

from typing import Any

import numpy as np
from numpy.typing import NDArray

from nbembed.supervision import Supervision
from nbembed.supervision.reading import read_labels


def class_values(supervision: Supervision, n_classes: int, y: Any) -> NDArray[Any]:
    """Return the value of each class: the one in ``y``, else its name, else a number.

    * supervision: names the first classes.
    * n_classes: classes in all; those without a name get the next free number, or, among names of
      text, "cluster 1", "cluster 2" and so on.
    * y (n_samples,), rows of probabilities, or None: what ``fit`` was given.
    * returns (n_classes,): of integers, of floats or of text.
    """
    named = len(supervision.classes)
    values: list[Any] = list(supervision.classes)
    given = None if y is None else read_labels(y)
    if given is not None and given.ndim == 2:
        values = list(range(named))
    elif given is not None:
        for c in range(named):
            members = np.flatnonzero(supervision.top_class == c)
            if members.size:
                (values[c],) = given[members[:1]].tolist()
    if any(isinstance(value, str) for value in values):
        values = [str(value) for value in values]
        fresh: Any = (f"cluster {k}" for k in range(1, n_classes + named + 1))
    else:
        fresh = iter(range(n_classes + named))
    taken = set(values)
    for value in fresh:
        if len(values) == n_classes:
            break
        if value not in taken:
            values.append(value)
    return np.array(values)
