"""Expression of class probabilities by a map, and prediction of classes by a classifier.

    prec(h) = (1/K) Σ_k |X_k^high(h) ∩ X_k^close(h)| / h                                    (eq. 12)

of "Parametric Embedding for Class Visualization": of the h objects with the highest p(c_k|x), the
share that is among the h nearest to the center of class k on the map.
"""

from __future__ import annotations

from typing import Any

import numpy as np
from numpy.typing import ArrayLike, NDArray

from nbembed.data.class_probabilities import check_posteriors
from nbembed.data.matrix_input import check_magnitude
from nbembed.measures.checks import check_labels, check_map
from nbembed.validation import check_count, check_flag, check_numbers, shown

#: Posteriors that differ by less count as equal.
EQUAL = 1e-9


def class_precision(
    proba: Any,
    Y: ArrayLike,
    centers: ArrayLike | None = None,
    h: Any = 100,
    *,
    per_class: bool = False,
) -> Any:
    """Return prec(h): how many objects of high posterior lie close to their class's center.

    Parameters
    ----------
    proba : array of shape (n_samples, n_classes)
        p(c_k|x_n).
    Y : array-like of shape (n_samples, n_components)
        A map of the same objects, of any method.
    centers : array-like of shape (n_classes, n_components), optional
        Positions of the classes. By default that of the object with the highest posterior of each
        class, as in the paper.
    h : int or sequence of int, default=100
        Number of objects to compare; several numbers give the curve of Figure 2.
    per_class : bool, default=False
        Return a value for each class, whose mean is the measure.

    Returns
    -------
    float or ndarray
        One entry for each of ``h``, and a last axis of classes with ``per_class``.

    Raises
    ------
    ValueError
        If h is not in [1, n_samples], or shapes do not fit.

    Notes
    -----
    Some classifiers give many objects the same posterior. All objects whose posterior ties with the
    h-th highest (within 1e-9) count among the highest; without ties this is equation (12), and a
    random map has prec(h) = h/n_samples.

    References
    ----------
    .. [1] T. Iwata and others (2007), "Parametric embedding for class visualization", eq. (12).
    """
    per_class = check_flag("per_class", per_class)
    rows = check_posteriors(proba, "proba", min_classes=1)
    places = np.asarray(check_map(Y, min_samples=1), dtype=np.float64)
    check_magnitude(places, "Y")
    n, K = rows.shape
    if len(places) != n:
        raise ValueError(f"Y must have a row for each of the {n} rows of proba, got {len(places)}")
    if centers is None:
        middle = places[rows.argmax(axis=0)]
    else:
        middle = np.asarray(check_map(centers, "centers", min_samples=1), dtype=np.float64)
        check_magnitude(middle, "centers")
        if middle.shape != (K, places.shape[1]):
            raise ValueError(
                f"centers must have shape (n_classes, n_components) = ({K}, {places.shape[1]}), "
                f"got {middle.shape}"
            )
    try:
        wanted = np.atleast_1d(check_numbers("h", h) if isinstance(h, str) else np.asarray(h))
    except ValueError:  # rows of different lengths
        wanted = np.empty((0, 0))
    if wanted.ndim != 1 or wanted.size == 0:
        raise ValueError(f"h must be a number or a list of numbers, got {shown(h)}")
    for value in wanted.tolist():
        if not 1 <= check_count("h", value) <= n:
            raise ValueError(f"h must be in [1, {n}] for {n} objects, got {value}")
    found = np.empty((wanted.size, K))
    for k in range(K):
        highest = np.sort(rows[:, k])[::-1]
        nearest = np.argsort(np.square(places - middle[k]).sum(axis=1), kind="stable")
        for i, count in enumerate(wanted):
            enough = highest[count - 1] - EQUAL
            found[i, k] = np.count_nonzero(rows[nearest[:count], k] >= enough) / count
    value = found if per_class else found.mean(axis=1)
    if np.ndim(h) == 0:
        return value[0] if per_class else float(value[0])
    return value


def class_f_measure(y: ArrayLike, predicted: ArrayLike) -> NDArray[np.float64]:
    """Return the F-measure of each class: the harmonic mean of its precision and recall.

    Parameters
    ----------
    y : array-like of shape (n_samples,)
        True classes.
    predicted : array-like of shape (n_samples,), or of shape (n_samples, n_classes)
        Predicted classes; or posteriors, of which the largest counts, in the sorted order of the
        classes of ``y``.

    Returns
    -------
    ndarray of shape (n_classes,)
        In the sorted order of all classes that occur. 0 for a class never predicted rightly.

    Raises
    ------
    ValueError
        If shapes do not fit.

    References
    ----------
    .. [1] T. Iwata and others (2007), "Parametric embedding for class visualization", Table 1.
    """
    truth = check_labels(y, "y")
    if truth.size == 0:
        raise ValueError("y must label at least one point, got none")
    try:
        rows = np.ndim(predicted) == 2
    except ValueError:  # rows of different lengths; the check below raises
        rows = False
    if rows:
        guess = check_posteriors(predicted, "predicted", min_classes=1)
        classes = np.unique(truth)
        if guess.shape[1] != classes.size:
            raise ValueError(
                f"predicted must have a column for each of the {classes.size} classes of y, "
                f"got shape {guess.shape}"
            )
        guess = classes[guess.argmax(axis=1)]
    else:
        guess = check_labels(predicted, "predicted")
    if guess.shape != truth.shape:
        raise ValueError(
            f"predicted must have one entry for each of {truth.size} points, got {guess.shape}"
        )
    text = [any(isinstance(c, str | bytes) for c in z.tolist()) for z in (truth, guess)]
    if text[0] != text[1]:
        raise TypeError(
            "predicted must have labels of the same type as y, text or numbers, got "
            f"{guess.dtype} for {truth.dtype}"
        )
    classes = check_labels(np.concatenate([truth, guess]), "predicted")
    classes = np.unique(classes)
    right = np.array([np.count_nonzero((truth == c) & (guess == c)) for c in classes])
    said = np.array([np.count_nonzero(guess == c) for c in classes])
    there = np.array([np.count_nonzero(truth == c) for c in classes])
    # 2PR/(P + R) with P = right/said and R = right/there.
    return np.asarray(2 * right / (said + there), dtype=np.float64)
