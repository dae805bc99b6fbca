"""Three problems in the plane that distinguish the learners of the semi-supervised framework.

After the figures of "A Unified Semi-Supervised Dimensionality Reduction Framework for Manifold
Learning": in each, one axis separates two classes, and learners differ in whether they find it.
Class 0 lies on both sides of class 1 along that axis, so it is not one cluster.
"""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from nbembed.validation import as_generator, check_count, check_numbers, shown

__all__ = ["Toy", "toy_few_labels", "toy_multimodal", "toy_neither_alone"]


@dataclass(frozen=True, eq=False)
class Toy:
    """A problem in the plane.

    Attributes
    ----------
    X : ndarray of shape (n_samples, 2)
    y : ndarray of int, shape (n_samples,)
        The classes, 0 and 1.
    labels : ndarray of int, shape (n_samples,)
        The labels for the learner, −1 for unlabeled points.
    axis : ndarray of shape (2,)
        The unit vector along which the classes separate.
    """

    X: NDArray[np.float64]
    y: NDArray[np.int64]
    labels: NDArray[np.int64]
    axis: NDArray[np.float64]

    def angle(self, direction: NDArray[np.float64]) -> float:
        """Return the angle between a direction and the separating axis, in degrees, 0 to 90.

        Raises
        ------
        TypeError, ValueError
            If it is not a direction in the space of the data: finite and not zero.
        """
        d = check_numbers("direction", direction).ravel()
        size = float(np.abs(d).max(initial=0))
        if d.shape != self.axis.shape or not 0 < size < np.inf:
            raise ValueError(
                f"direction must be {self.axis.size} finite numbers, not all zero, "
                f"got {shown(direction)}"
            )
        d /= size
        share = abs(float(d @ self.axis)) / float(np.linalg.norm(d))
        return float(np.degrees(np.arccos(min(share, 1.0))))


def toy_multimodal(
    n_samples: int = 400, random_state: int | np.random.Generator | None = None
) -> Toy:
    """Return problem 1: a class of several clusters, and many labels.

    Two large clusters, one above the other, hold points of both classes, more of class 0 in the
    upper one; within each cluster the classes alternate from left to right. The class means differ
    only vertically, so FDA finds the vertical axis. So do PCA and LPP, which see the two clusters,
    and SS-FDA, which interpolates between FDA and LPP. LFDA and SS-LFDA find the horizontal axis.

    Parameters
    ----------
    n_samples : int, default=400
        At least 40. A quarter of them are labeled.
    random_state : int, Generator or None

    Returns
    -------
    Toy

    Raises
    ------
    ValueError
        If there are too few points to fill all clusters.
    """
    rng, n = _checked(n_samples, random_state)
    # For forty points: class, horizontal position, upper (+1) or lower (−1) cluster.
    cells = [(0, -1, 1)] * 7 + [(0, 1, 1)] * 7 + [(0, -1, -1)] * 3 + [(0, 1, -1)] * 3
    cells += [(1, 0, 1)] * 6 + [(1, 0, -1)] * 14
    kind, side, up = np.array(cells)[np.arange(n) % 40].T
    X = np.column_stack(
        [side + 0.08 * rng.standard_normal(n), 1.0 * up + rng.uniform(-0.7, 0.7, n)]
    )
    return _with_labels(X, kind, n_labels=n // 4, rng=rng)


def toy_few_labels(
    n_samples: int = 120, random_state: int | np.random.Generator | None = None
) -> Toy:
    """Return problem 2: a class of several clusters, and few labels.

    Three vertical stripes of classes 0, 1 and 0, with class 0 somewhat higher. With eight labels
    LFDA is hardly local and finds the vertical axis, like FDA, PCA, and SELF, which interpolates
    between LFDA and PCA. LPP and SS-LFDA separate the stripes.

    Parameters
    ----------
    n_samples : int, default=120
        At least 40; eight are labeled.
    random_state : int, Generator or None

    Returns
    -------
    Toy

    Raises
    ------
    ValueError
        If there are too few points to fill all stripes.
    """
    rng, n = _checked(n_samples, random_state)
    kind, X = _stripes(n, rng)
    return _with_labels(X, kind, n_labels=8, rng=rng)


def toy_neither_alone(
    n_samples: int = 240, random_state: int | np.random.Generator | None = None
) -> Toy:
    """Return problem 3: neither labels nor neighborhoods alone are enough.

    Two copies of problem 2, one far above the other, with labels in the upper one only. LFDA is
    misled by the few labels as before, and LPP separates the two copies; SS-LFDA, which combines
    both sources of information, finds the horizontal axis.

    Parameters
    ----------
    n_samples : int, default=240
        At least 40; eight are labeled.
    random_state : int, Generator or None

    Returns
    -------
    Toy

    Raises
    ------
    ValueError
        If there are too few points to fill all stripes.
    """
    rng, n = _checked(n_samples, random_state)
    kind, X = _stripes(n, rng)
    upper = np.arange(n) < n // 2
    X[:, 1] += np.where(upper, 4.0, -4.0)
    return _with_labels(X, kind, n_labels=8, rng=rng)


def _checked(
    n_samples: int, random_state: int | np.random.Generator | None
) -> tuple[np.random.Generator, int]:
    n_samples = check_count("n_samples", n_samples, low=40)
    return as_generator(random_state), n_samples


def _stripes(n: int, rng: np.random.Generator) -> tuple[NDArray[np.int64], NDArray[np.float64]]:
    """Return classes and points of three stripes; any four in a row have two of each class."""
    place = np.arange(n) % 4
    kind = place % 2
    side = np.array([-1.0, 0.0, 1.0, 0.0])[place]
    height = np.where(kind == 0, 0.8, -0.8) + 0.6 * rng.standard_normal(n)
    return kind, np.column_stack([side + 0.03 * rng.standard_normal(n), height])


def _with_labels(
    X: NDArray[np.float64], kind: NDArray[np.int64], n_labels: int, rng: np.random.Generator
) -> Toy:
    """Return the problem in random order, with the first ``n_labels`` points labeled."""
    labels = np.where(np.arange(kind.size) < n_labels, kind, -1)
    order = rng.permutation(kind.size)
    return Toy(X[order], kind[order], labels[order], np.array([1.0, 0.0]))
