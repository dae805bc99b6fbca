"""How right suggestions are: the labels that a person gives to points drawn at random.

What was suggested for the points is remembered as they are drawn, and suggestions that are accepted
later answer no question of a check.
"""

from __future__ import annotations

import math
from dataclasses import dataclass, field, replace
from typing import Any

import numpy as np
from numpy.typing import NDArray

from nbembed.propagation import Suggestions, accuracy_interval
from nbembed.supervision import Supervision
from nbembed.validation import as_generator, check_count


@dataclass(frozen=True, eq=False)
class SuggestionCheck:
    """A random sample of points, what was suggested for them, and the answers so far.

    Attributes
    ----------
    points : ndarray of int
        In the order in which they were drawn.
    suggested_class, answered_class : ndarray of int
        What was suggested for each point, and what a person has said since; −1 for no answer.
    classes : tuple of str
        The present names of the classes.
    population : int or None
        Number of points that they were drawn from.
    confidence : float
        How sure the suggestions at least are that the check is of.
    labels : Supervision or None
        The labels by which classes are known again after they were renamed, merged or removed;
        without, the numbers of classes are taken to be the same for ever.

    Examples
    --------
    >>> check = SuggestionCheck(
    ...     np.arange(4), np.array([0, 1, 1, 0]), np.array([0, 1, 0, -1]), ("a", "b")
    ... )
    >>> check.suggested, check.answers
    (['a', 'b', 'b', 'a'], ['a', 'b', 'a', None])
    >>> check.n_answered, round(check.accuracy, 2), np.round(check.interval, 2).tolist()
    (3, 0.67, [0.21, 0.94])
    """

    points: NDArray[np.intp]
    suggested_class: NDArray[np.intp]
    answered_class: NDArray[np.intp]
    classes: tuple[str, ...]
    population: int | None = None
    confidence: float = 0.0
    labels: Supervision | None = field(default=None, repr=False)

    @property
    def suggested(self) -> list[str | None]:
        """The class that was suggested for each point, ``None`` if it is no class any more."""
        return self._names(self.suggested_class)

    @property
    def answers(self) -> list[str | None]:
        """The class that a person gave to each point, ``None`` for no answer."""
        return self._names(self.answered_class)

    @property
    def n_answered(self) -> int:
        """Number of points with an answer."""
        return int((self.answered_class >= 0).sum())

    @property
    def n_right(self) -> int:
        """Number of answers that agree with what was suggested."""
        answered = self.answered_class >= 0
        return int((answered & (self.answered_class == self.suggested_class)).sum())

    @property
    def accuracy(self) -> float:
        """The share of answers that agree with what was suggested; NaN without answers."""
        return self.n_right / self.n_answered if self.n_answered else math.nan

    @property
    def interval(self) -> tuple[float, float]:
        """The accuracy's 95 % interval by Wilson's score; (0, 1) without answers."""
        if not self.n_answered:
            return 0.0, 1.0
        return accuracy_interval(self.n_right, self.n_answered, population=self.population)

    def answered(self, supervision: Supervision, by_hand: NDArray[np.bool_]) -> SuggestionCheck:
        """Return the check with the answers that are in ``supervision``.

        * by_hand, of shape (n_samples,): which points a person has labeled.
        """
        found = np.where(by_hand[self.points], supervision.top_class[self.points], -1)
        suggested = self.suggested_class
        if self.labels is not None:
            suggested = _class_now(self.labels, supervision)[suggested]
        return replace(
            self,
            suggested_class=suggested,
            answered_class=found,
            classes=supervision.classes,
            labels=supervision,
        )

    def _names(self, codes: NDArray[np.intp]) -> list[str | None]:
        known = len(self.classes)
        return [self.classes[k] if 0 <= k < known else None for k in codes.tolist()]


def _class_now(before: Supervision, now: Supervision) -> NDArray[np.intp]:
    """Return the present number of each class of ``before``, and at the end −1 for no class.

    A class is known by its name, and one whose name is gone by its points: it is the class that
    most of them are of now, renamed or merged. A removed one has left its points without labels
    and is −2, which is no answer.
    """
    numbers = {name: k for k, name in enumerate(now.classes)}
    found = []
    for k, name in enumerate(before.classes):
        members = now.top_class[before.top_class == k]
        codes, counts = np.unique(members, return_counts=True)
        most = codes[2 * counts > members.size]
        heir = int(most[0]) if most.size and most[0] >= 0 else -2
        found.append(numbers.get(name, heir))
    return np.array([*found, -1], dtype=np.intp)


def draw_check(
    size: int,
    seed: Any,
    suggestions: Suggestions,
    supervision: Supervision,
    by_hand: NDArray[np.bool_],
    confidence: float = 0.0,
) -> SuggestionCheck:
    """Return a check of ``size`` points that no person has labeled, drawn at random.

    They are of those whose suggestion is at least so sure, or was accepted, which then is checked.

    Raises ValueError if there is no such point, or ``size`` is not legal.
    """
    accepted = np.flatnonzero((supervision.top_class >= 0) & ~by_hand)
    pool = ~by_hand
    if confidence > 0:
        sure = np.zeros_like(pool)
        sure[suggestions.above(confidence)] = True
        sure[accepted] = True
        pool &= sure
        if not pool.any():
            raise ValueError(
                "there is nothing to check: no suggestion has a confidence of at "
                f"least {confidence:g}"
            )
    points = as_generator(seed).permutation(np.flatnonzero(pool))[: check_count("size", size)]
    if not points.size:
        raise ValueError("there is nothing to check: every point was labeled by hand")
    labels = supervision.top_class[points]
    suggested = np.where(labels >= 0, labels, suggestions.top_class[points])
    nobody = np.full(points.size, -1, dtype=np.intp)
    return SuggestionCheck(
        points, suggested, nobody, supervision.classes, int(pool.sum()), confidence, supervision
    )
