"""Posteriors: p(c_k|x_n) of each object and class, as a frozen value."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import NDArray


@dataclass(frozen=True, eq=False)
class Posteriors:
    """Class probabilities of objects; NumPy converts one to its array of probabilities.

    Made by the functions of this package, which check their arguments.

    Attributes
    ----------
    proba : ndarray of shape (n_samples, n_classes), float32 or float64
        p(c_k|x_n), rows sum to one; read only.
    classes : tuple of str
        Names of the columns, or () where they have none.
    prior : ndarray of shape (n_classes,) or None
        p(c_k), zero for a class without labels; None stands for equal ones.
    informative : bool
        False where there was nothing to learn from: all rows are then uniform.
    learned : Learned or None
        The classifier that computed them, where there is one.
    """

    proba: NDArray[Any]
    classes: tuple[str, ...] = ()
    prior: NDArray[np.float64] | None = None
    informative: bool = True
    learned: Any = None

    @property
    def n_samples(self) -> int:
        """Number of objects."""
        return int(self.proba.shape[0])

    @property
    def n_classes(self) -> int:
        """Number of classes."""
        return int(self.proba.shape[1])

    @property
    def shape(self) -> tuple[int, int]:
        """(n_samples, n_classes)."""
        return self.n_samples, self.n_classes

    @property
    def dtype(self) -> np.dtype[Any]:
        """Floating type of the probabilities."""
        return self.proba.dtype

    def __array__(self, dtype: Any = None, copy: bool | None = None) -> NDArray[Any]:
        return np.array(self.proba, dtype=dtype, copy=copy)

    def __len__(self) -> int:
        return self.n_samples
