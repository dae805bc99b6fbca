"""Conversion of labels and rows of probabilities, as users pass them, to :class:`Supervision`."""

from __future__ import annotations

from collections.abc import Iterable
from typing import Any

import numpy as np
from numpy.typing import NDArray

from nbembed.data.class_probabilities import check_probabilities
from nbembed.data.natural_order import natural_key
from nbembed.supervision.parts import class_name, frozen, without
from nbembed.supervision.reading import read_labels
from nbembed.supervision.value import Supervision
from nbembed.validation import check_count, check_name, shown


def as_supervision(value: Any, n_samples: int, name: str = "y") -> Supervision:
    """Convert any accepted form of supervision to a :class:`Supervision`.

    Parameters
    ----------
    value : None, Supervision, array-like of shape (n_samples,) or (n_samples, n_classes)
        Labels, with −1, None or NaN for unlabeled points; or rows of class probabilities, which
        are kept exactly, with NaN rows for unlabeled points. Classes of labels are named by
        ``str`` in sorted order, as in scikit-learn; columns of probabilities by their number, or
        by their name in a DataFrame.
    n_samples : int
    name : str, default="y"
        The argument's name, for errors.

    Raises
    ------
    ValueError
        If it is of another number of points, or a row of probabilities does not sum to one.
    TypeError
        If it is none of these.
    """
    return _converted(value, n_samples, name, natural=False)


def check_y_or_supervision(y: Any, supervision: Any) -> None:
    """Raise if both are given, or ``supervision`` is neither None nor a Supervision."""
    if y is not None and supervision is not None:
        raise ValueError("y and supervision must not both be given: supervision replaces y")
    if supervision is not None and not isinstance(supervision, Supervision):
        raise TypeError(
            f"supervision must be a Supervision or None, got {type(supervision).__name__}; labels "
            "and rows of probabilities go in y"
        )


def check_covers(supervision: Supervision, n_samples: int) -> None:
    """Raise ValueError unless ``supervision`` is of ``n_samples`` points."""
    if supervision.n_samples != n_samples:
        raise ValueError(
            f"supervision must cover {n_samples} points, got one of {supervision.n_samples}"
        )


def in_natural_order(value: Any, n_samples: int, name: str = "supervision") -> Supervision:
    """Convert as :func:`as_supervision`, with classes of text in the order that people list them.

    "2" is before "10". Estimators keep scikit-learn's order, in which its measures take columns.
    """
    return _converted(value, n_samples, name, natural=True)


def _converted(value: Any, n_samples: int, name: str, *, natural: bool) -> Supervision:
    n_samples = check_count("n_samples", n_samples)
    if value is None:
        return Supervision(n_samples)
    if isinstance(value, Supervision):
        check_covers(value, n_samples)
        return value
    if isinstance(value, str | bytes) or not (
        hasattr(value, "__len__") or hasattr(value, "__array__")
    ):
        raise TypeError(
            f"{name} must be a Supervision, labels or rows of probabilities, got {shown(value)}"
        )
    if isinstance(value, np.ma.MaskedArray) and np.ma.getmaskarray(value).any():
        raise ValueError(f"{name} must not be masked; use −1 for unlabeled points")
    array = read_labels(value, name, warns=True)
    if array.ndim not in (1, 2) or array.shape[0] != n_samples:
        raise ValueError(
            f"{name} must have {n_samples} labels or rows, one for each point of X, "
            f"got shape {array.shape}"
        )
    if array.ndim == 1:
        return _from_labels(array, name, natural)
    names = getattr(value, "columns", None)
    return _from_rows(array, range(array.shape[1]) if names is None else names, name)


def relabeled(supervision: Supervision, labels: Any, name: str = "labels") -> Supervision:
    """Return a supervision with other labels; None takes all labels back.

    Links and pins stay. A point that has its label already keeps its confidence, so that the names
    of the present labels give the same supervision back. ``labels`` (n_samples,) are as in ``y``:
    names or whole numbers, with −1, None or NaN for unlabeled points.
    """
    given = in_natural_order(labels, supervision.n_samples, name)
    if isinstance(labels, Supervision) or (
        labels is not None and read_labels(labels, name).ndim != 1
    ):
        raise TypeError(f"{name} must be one label for each point, got {type(labels).__name__}")
    classes = dict.fromkeys((*supervision.classes, *given.classes))
    codes_of = {c: k for k, c in enumerate(classes)}
    codes = np.array([*(codes_of[c] for c in given.classes), -1], dtype=np.intp)
    wanted = codes[given.top_class]
    changed = wanted != supervision.top_class
    if "-1" in codes_of and labels is not None:
        # Files of earlier versions may hold a class of this name; elsewhere it means unlabeled.
        same = [isinstance(label, str) and label == "-1" for label in labels]
        changed &= ~(np.array(same) & (supervision.top_class == codes_of["-1"]))
    confidence = np.where(changed, given.confidence, supervision.confidence)
    return supervision._with(
        classes=tuple(classes),
        _class=frozen(np.where(changed, wanted, supervision.top_class)),
        _confidence=frozen(confidence),
        _rows=without(supervision._rows, np.flatnonzero(changed)),
    )


def without_labels(supervision: Supervision, points: NDArray[Any]) -> Supervision:
    """Return a supervision without the labels of checked ``points``; their links and pins stay."""
    return with_soft_labels(supervision, points, -1, np.nan)


def with_soft_labels(
    supervision: Supervision,
    points: NDArray[np.intp],
    codes: NDArray[np.intp] | int,
    confidence: NDArray[np.float64] | float,
) -> Supervision:
    """Return a supervision with labels of more points, in place of any that they had.

    ``points`` are checked indices, ``codes`` their existing classes, and ``confidence`` in (0, 1].
    Code −1 with confidence NaN is no label.
    """
    if not points.size:
        return supervision
    classes, sure = supervision.top_class.copy(), supervision.confidence.copy()
    classes[points], sure[points] = codes, confidence
    return supervision._with(
        _class=frozen(classes),
        _confidence=frozen(sure),
        _rows=without(supervision._rows, points),
    )


def _from_labels(labels: NDArray[Any], name: str, natural: bool) -> Supervision:
    given = labels.tolist()
    labeled = [i for i, c in enumerate(given) if not _unlabeled(c)]
    for i in labeled:
        c = given[i]
        if isinstance(c, float) and not c.is_integer():
            raise ValueError(f"{name} must be class labels, got the number {shown(c)} at {i}")
        if not isinstance(c, str | int | float):
            raise TypeError(f"{name} must be class labels, got {shown(c)} at {i}")
        if isinstance(c, int | float) and c < 0:
            raise ValueError(
                f"{name} must be non-negative labels, or −1 for unlabeled points, got {shown(c)} "
                f"at {i}"
            )
    # With its kind: True is equal to 1, which is another label.
    values = [_with_kind(given[i]) for i in labeled]
    # Numbers before names and each in its own order: mixed labels have no order of their own.
    kinds = sorted(set(values), key=_natural if natural else None)
    supervision = Supervision(labels.size)
    names = [str(c) for _, c in kinds]
    if len(set(names)) < len(names):
        raise ValueError(f"{name} must not have different labels of the same name, got {names}")
    codes = {c: k for k, c in enumerate(kinds)}
    class_ = np.full(labels.size, -1, dtype=np.intp)
    class_[labeled] = [codes[c] for c in values]
    confidence = np.where(class_ >= 0, 1.0, np.nan)
    return supervision._with(
        classes=tuple(check_name(name, class_name(c, name)) for c in names),
        _class=frozen(class_),
        _confidence=frozen(confidence),
    )


def _with_kind(label: Any) -> tuple[int, Any]:
    if isinstance(label, str):
        return 2, label
    return (0, label) if isinstance(label, bool) else (1, int(label))


def _natural(value: tuple[int, Any]) -> tuple[int, Any]:
    kind, label = value
    return kind, natural_key(label) if isinstance(label, str) else label


def _from_rows(rows: NDArray[Any], names: Iterable[Any], name: str) -> Supervision:
    T = check_probabilities(rows, name)
    labeled = np.flatnonzero(~np.isnan(T).any(axis=1))
    class_ = np.full(T.shape[0], -1, dtype=np.intp)
    confidence = np.full(T.shape[0], np.nan)
    class_[labeled] = T[labeled].argmax(axis=1)
    confidence[labeled] = np.minimum(T[labeled].max(axis=1), 1.0)  # not 1 + rounding
    # A certain row is a label: classes that are named later change neither.
    unsure = labeled[confidence[labeled] < 1]
    return Supervision(T.shape[0], [str(column) for column in names])._with(
        _class=frozen(class_),
        _confidence=frozen(confidence),
        _rows={int(i): tuple(T[i].tolist()) for i in unsure},
    )


def _unlabeled(label: Any) -> bool:
    # pandas' NA compares to nothing, and numpy turns −1 among names into text.
    if label is None or type(label).__name__ in ("NAType", "NaTType"):
        return True
    return bool(label != label) or label in (-1, "-1")
