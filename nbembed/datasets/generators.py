"""Random data with known properties."""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray
from scipy.special import ndtri

from nbembed.validation import as_generator, check_count, check_real, shown


def gaussian_pair(
    n_samples: int = 550,
    n_features: int = 50,
    error: float = 0.05,
    random_state: int | np.random.Generator | None = None,
) -> tuple[NDArray[np.float64], NDArray[np.int64]]:
    """Return two spherical Gaussian classes with a given Bayes error.

    With the defaults this is the distribution that g50c was drawn from: unit variances and means
    at ±μ·(1, …, 1) with Φ(−‖μ‖) = 5 %.

    Parameters
    ----------
    n_samples : int, default=550
        Half of them (rounded up) are of class 0.
    n_features : int, default=50
    error : float, default=0.05
        Bayes error, in (0, 0.5).
    random_state : int, Generator or None

    Returns
    -------
    X : ndarray of shape (n_samples, n_features)
        In random order.
    y : ndarray of int, shape (n_samples,)

    Raises
    ------
    ValueError
        If ``error`` is outside (0, 0.5), or ``n_samples`` or ``n_features`` is below 1.
    """
    check_count("n_samples", n_samples)
    check_count("n_features", n_features)
    if not 0 < check_real("error", error) < 0.5:
        raise ValueError(f"error must be in (0, 0.5), got {shown(error)}")
    rng = as_generator(random_state)
    y = rng.permutation(np.arange(n_samples) % 2).astype(np.int64)
    offset = -ndtri(error) / np.sqrt(n_features)
    X = rng.standard_normal((n_samples, n_features)) + (2 * y - 1)[:, None] * offset
    return X, y


def crossed_pair(
    n_samples: int = 550,
    n_features: int = 10,
    offset: float = 0.25,
    random_state: int | np.random.Generator | None = None,
) -> tuple[NDArray[np.float64], NDArray[np.int64]]:
    """Return two spherical Gaussian clusters, each cut in half by the boundary of the classes.

    With the defaults this is a problem like g10n: unit variances, means at ±offset·(1, …, 1), and
    the class of a point is 1 if its second feature is larger than its first, else 0. The class
    is a deterministic function of the features, so the Bayes error is zero. The clusters carry no
    information on the classes: a method that relies on clusters must fail.

    Parameters
    ----------
    n_samples : int, default=550
        Half of them (rounded up) are in the first cluster.
    n_features : int, default=10
        At least 2; all but two are independent of the class.
    offset : float, default=0.25
        Each coordinate of the means, up to sign. In the file of g10n it is 0.25, estimated from
        the direction of largest variance.
    random_state : int, Generator or None

    Returns
    -------
    X : ndarray of shape (n_samples, n_features)
        In random order.
    y : ndarray of int, shape (n_samples,)

    Raises
    ------
    ValueError
        If ``n_samples`` or ``n_features`` is too small, or ``offset`` is not finite.
    """
    check_count("n_samples", n_samples)
    check_count("n_features", n_features, low=2)
    offset = check_real("offset", offset)
    rng = as_generator(random_state)
    cluster = rng.permutation(np.arange(n_samples) % 2)
    X = rng.standard_normal((n_samples, n_features)) + (2 * cluster - 1)[:, None] * offset
    return X, (X[:, 1] > X[:, 0]).astype(np.int64)
