"""Class directions of a large-margin embedding: the unit vectors along which classes are placed.

The simplex treats all classes alike: K unit vectors with pairwise inner product −1/(K−1), which
need K−1 dimensions ("Large Margin Non-Linear Embedding", section 5). The circle arranges K classes
in the plane, where each has two neighbors: a structure that may be wanted, or accepted for a map in
two dimensions.
"""

from __future__ import annotations

import numpy as np
from numpy.typing import ArrayLike, NDArray

from nbembed.validation import check_classes, check_components, check_numbers


def simplex(n_classes: int, n_components: int | None = None) -> NDArray[np.float64]:
    """Return unit vectors with equal angles between all pairs.

    Parameters
    ----------
    n_classes : int
        K, from 1 to 1000. A single class gets the first axis.
    n_components : int, optional
        Dimensions d of the embedding, from max(K − 1, 1) to 1000; further ones are zero.
        By default K, the paper's choice.

    Returns
    -------
    ndarray of shape (n_classes, n_components)
        Row k is w_k. Two classes lie on the first axis, at +1 and −1.

    Raises
    ------
    ValueError
        If there are too few or too many dimensions or classes.
    """
    n_classes = check_classes(n_classes)
    if n_components is None:
        n_components = n_classes
    n_components = check_components(n_components)
    if n_components < max(n_classes - 1, 1):
        raise ValueError(
            f"n_components must be at least n_classes - 1 = {n_classes - 1} for class directions "
            f"at equal angles, got {n_components}; directions='circle' fits any number of classes "
            "in two dimensions"
        )
    directions = np.zeros((n_classes, n_components))
    if n_classes == 1:
        directions[0, 0] = 1.0
        return directions
    # Component k of vector k completes its norm to one; the later vectors share the component k
    # that gives the required inner product with it.
    inner = -1.0 / (n_classes - 1)
    for k in range(n_classes - 1):
        norm = float(np.sqrt(1.0 - directions[k, :k] @ directions[k, :k]))
        directions[k, k] = norm
        shared = (inner - directions[k, :k] @ directions[k + 1, :k]) / norm
        directions[k + 1 :, k] = shared
    return directions


def circle(n_classes: int, n_components: int = 2) -> NDArray[np.float64]:
    """Return unit vectors at equal steps around the plane of the first two axes.

    Parameters
    ----------
    n_classes : int
        K, from 1 to 1000.
    n_components : int, default=2
        From 2 to 1000; further dimensions are zero.

    Returns
    -------
    ndarray of shape (n_classes, n_components)

    Raises
    ------
    ValueError
        If there are too few or too many dimensions or classes.
    """
    n_classes = check_classes(n_classes)
    n_components = check_components(n_components)
    if n_components < 2:
        raise ValueError(f"n_components must be at least 2 for a circle, got {n_components}")
    angles = 2 * np.pi * np.arange(n_classes) / n_classes
    directions = np.zeros((n_classes, n_components))
    directions[:, 0] = np.cos(angles)
    directions[:, 1] = np.sin(angles)
    return directions


def check_directions(directions: ArrayLike) -> NDArray[np.float64]:
    """Return ``directions`` as a float64 array (n_classes, n_components) of unit vectors.

    Raises ValueError if it is not a finite two-dimensional array, if a row is not of length one,
    or if two classes share a direction.
    """
    checked = check_numbers("directions", directions)
    if checked.ndim != 2 or checked.size == 0:
        raise ValueError(
            f"directions must have shape (n_classes, n_components), got {checked.shape}"
        )
    if not np.isfinite(checked).all():
        raise ValueError("directions must be finite, got NaN or infinity")
    lengths = np.linalg.norm(checked, axis=1)
    worst = int(np.argmax(np.abs(lengths - 1)))
    if abs(lengths[worst] - 1) > 1e-5:
        raise ValueError(
            f"directions must be unit vectors, got length {lengths[worst]:.6g} in row {worst}"
        )
    inner = checked @ checked.T
    np.fill_diagonal(inner, -1.0)
    if inner.max() > 1 - 1e-9:
        k, other = np.unravel_index(int(np.argmax(inner)), inner.shape)
        raise ValueError(f"directions must differ, got the same for classes {k} and {other}")
    return checked
