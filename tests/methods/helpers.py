"""Small fits that all tests of methods share."""

from __future__ import annotations

import numpy as np

from nbembed.methods import Mbed


def quick(kind, **parameters):
    """Return a method that is done within a fraction of a second on few points."""
    if kind is Mbed:
        parameters = {"n_classes": 2, **parameters}
    return kind(**{"max_iter": 60, "random_state": 0, **parameters})


def partly(y, per_class=3):
    """Return labels with all but the first few of each class hidden."""
    labels = np.full(y.size, -1)
    for c in np.unique(y):
        labels[np.flatnonzero(y == c)[:per_class]] = c
    return labels


def span(Y):
    """Return the diameter of a map along its axes."""
    return float(np.linalg.norm(np.ptp(Y, axis=0)))
