"""The weight of a label, given its confidence: the one law that all methods use.

A label of class k with confidence c stands for the row of probabilities with c at k and
(1 − c)/(K − 1) at the other K − 1 classes. Its weight is

    w = max(0, (K c − 1)/(K − 1))

which is 1 for a certain label and 0 where the row is uniform, that is where the label carries no
information; between them it is linear. Wherever labeled points are averaged, counted or linked,
each counts with this weight, and a pair of points of a class with the product of both.
"""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

#: What rounding may leave of the weight of a uniform row.
ROUNDING = 1e-12


def label_weights(confidence: NDArray[np.float64], n_classes: int) -> NDArray[np.float64]:
    """Return the weights in [0, 1] of labels; 0 for unlabeled points, whose confidence is NaN.

    ``n_classes`` is K, the number of named classes. With a single class every label is certain.
    """
    if n_classes > 1:
        weights = (n_classes * confidence - 1) / (n_classes - 1)
    else:
        weights = np.ones(confidence.shape)
    return np.where((weights > ROUNDING) & ~np.isnan(confidence), weights, 0.0)
