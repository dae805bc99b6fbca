"""Parts of the labels, each to be left out once."""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray


def folds(classes: NDArray[np.intp], n_folds: int) -> NDArray[np.intp]:
    """Return the fold of each label: as many of each class in each as can be, drawn at random."""
    order = np.random.default_rng(0).permutation(classes.size)
    fold = np.empty(classes.size, np.intp)
    fold[order[np.argsort(classes[order], kind="stable")]] = np.arange(classes.size) % n_folds
    return fold
