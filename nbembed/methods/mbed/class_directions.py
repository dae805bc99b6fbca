"""Assignment of class directions to labels: naming a cluster must not turn the map over.

Mbed's cost does not change when classes exchange their directions, so a label may be bound to
whichever free direction its points already lie in. Where the set of directions itself changes (one
class more), the new set is rotated, as a whole, towards the positions of the labeled classes.
"""

from __future__ import annotations

from typing import Any

import numpy as np
from numpy.typing import NDArray
from scipy.linalg import orthogonal_procrustes
from scipy.optimize import linear_sum_assignment

from nbembed.supervision import Supervision


def labeled_classes(supervision: Supervision) -> tuple[int, ...]:
    """Return the numbers of the classes that at least one point is labeled with."""
    found = np.unique(supervision.top_class)
    return tuple(int(c) for c in found if c >= 0)


def class_positions(
    Y: NDArray[Any], supervision: Supervision, classes: tuple[int, ...]
) -> NDArray[np.float64]:
    """Return the mean positions of labeled points, weighted by confidence, one row a class.

    The origin is where memberships are equal, so positions are not centered.
    """
    top = supervision.top_class
    rows = []
    for c in classes:
        members = np.flatnonzero(top == c)
        weights = supervision.label_weights[members]
        if not weights.any():  # uniform labels alone: all count alike
            weights = np.ones(members.size)
        rows.append(np.average(Y[members].astype(np.float64), axis=0, weights=weights))
    return np.asarray(rows, dtype=np.float64).reshape(len(rows), Y.shape[1])


def bind(
    directions: NDArray[Any],
    bound: tuple[int, ...],
    Y: NDArray[Any],
    supervision: Supervision,
) -> NDArray[np.float64]:
    """Return the rows of ``directions`` in the order in which labels are now bound to them.

    * directions (n_classes, n_components): row c is the direction of class c so far.
    * bound: classes whose direction must stay.
    * Y (n_samples, n_components): the present layout.
    * supervision: its labeled classes outside ``bound`` choose among the free directions, together
      (the assignment with the largest sum of ⟨w, mean position⟩ / ‖mean position‖).
    * returns (n_classes, n_components): the same rows; classes without labels keep theirs unless
      it was taken.
    """
    n_classes = directions.shape[0]
    labeled = labeled_classes(supervision)
    owner = {c: c for c in bound if c in labeled}
    fresh = tuple(c for c in labeled if c not in owner)
    free = [k for k in range(n_classes) if k not in owner.values()]
    if fresh:
        anchors = _normalized(class_positions(Y, supervision, fresh))
        rows, columns = linear_sum_assignment(anchors @ directions[free].T, maximize=True)
        owner.update({fresh[i]: free[j] for i, j in zip(rows, columns)})
    taken = set(owner.values())
    order = [owner.get(c, c if c not in taken else -1) for c in range(n_classes)]
    left = iter(sorted(set(range(n_classes)) - set(order)))
    order = [k if k >= 0 else next(left) for k in order]
    return np.asarray(directions[order], dtype=np.float64)


def rotation(positions: NDArray[Any], directions: NDArray[Any]) -> NDArray[np.float64]:
    """Return the orthogonal matrix that brings positions nearest to their directions.

    All rows have the same weight, whatever their distance from the origin.
    """
    matrix, _ = orthogonal_procrustes(_normalized(positions), directions)
    return np.asarray(matrix, dtype=np.float64)


def turn(
    directions: NDArray[Any],
    anchors: NDArray[Any],
    classes: tuple[int, ...],
    plane: bool,
) -> NDArray[np.float64]:
    """Return a set of directions rotated and ordered so that classes point to their anchors.

    * directions (n_classes, n_components): a regular set: its rows may be permuted and rotated
      together.
    * anchors (n_anchors, n_components): positions of ``classes``.
    * classes: the class of each anchor.
    * plane: whether the set lies in the first two dimensions and must stay there.
    """
    anchors = _normalized(anchors)
    if not classes or not anchors.any():
        return np.asarray(directions, dtype=np.float64)
    turned = np.array(directions, dtype=np.float64)
    n_classes = turned.shape[0]
    used = 2 if plane else turned.shape[1]
    targets = anchors[:, :used]
    best, best_score = turned, -np.inf
    # Assignment and rotation depend on each other. They alternate from several initial orders, one
    # for each row that the first anchor can begin on: for the few classes there are, enough.
    for first in range(n_classes):
        trial = turned.copy()
        trial[[0, first]] = trial[[first, 0]]
        rows = list(range(len(classes)))
        for _ in range(5):
            rotation, _ = orthogonal_procrustes(trial[rows][:, :used], targets)
            trial[:, :used] = trial[:, :used] @ rotation
            _, columns = linear_sum_assignment(targets @ trial[:, :used].T, maximize=True)
            if list(columns) == rows:
                break
            rows = [int(k) for k in columns]
        score = float(np.sum(targets * trial[rows][:, :used]))
        if score > best_score + 1e-9:
            free = iter(k for k in range(n_classes) if k not in rows)
            owner = dict(zip(classes, rows))
            order = [owner[c] if c in owner else next(free) for c in range(n_classes)]
            best, best_score = trial[order], score
    return best


def _normalized(vectors: NDArray[Any]) -> NDArray[np.float64]:
    lengths = np.linalg.norm(vectors, axis=1, keepdims=True)
    return np.asarray(vectors / np.where(lengths > 0, lengths, 1.0), dtype=np.float64)


def fitted_columns(vectors: NDArray[Any], n_components: int) -> NDArray[np.float64]:
    """Return ``vectors`` cut or padded with zeros to ``n_components`` columns."""
    fitted = np.zeros((len(vectors), n_components))
    shared = min(n_components, vectors.shape[1])
    fitted[:, :shared] = vectors[:, :shared]
    return fitted
