"""Learner: affinities that take labels to make are made in a second thread.

A learning metric or a classifier may take seconds. Meanwhile the map goes on with what was learned
last; when the new affinities are there they wait for the worker, which lets them take effect
between two iterations, and the log says at which. At most one lesson is learned at a time. Labels
given meanwhile make the next lesson, and of several that wait only the last is kept: whoever labels
quickly waits for one lesson, not for ten.
"""

from __future__ import annotations

import threading
import weakref
from collections.abc import Callable
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

import numpy as np

if TYPE_CHECKING:
    from nbembed.session.settings import Settings
    from nbembed.supervision import Supervision


@dataclass(frozen=True, eq=False)
class Lesson:
    """What is to be learned: affinities of ``settings``, from the labels of ``supervision``."""

    settings: Settings
    supervision: Supervision

    @property
    def text(self) -> str:
        """What is going on, for people."""
        return f"learning the {self.settings.kind.learns_what} from {labels(self.supervision)}"


@dataclass(frozen=True, eq=False)
class Learned:
    """What came of a lesson: affinities, or the error that kept them away."""

    lesson: Lesson
    affinities: Any = None
    error: Exception | None = None


class Learner:
    """Learns one lesson at a time, each in a thread of its own.

    Parameters
    ----------
    X : ndarray or sparse array
        Checked data.
    lock : threading.Condition
        Held by whoever calls a method or reads an attribute.
    wake : callable
        Called, with the lock held, when a result has come. A bound method is held weakly: a session
        that nobody refers to is not kept for the sake of a lesson.

    Attributes
    ----------
    present : Lesson or None
        What is being learned.
    """

    def __init__(self, X: Any, lock: threading.Condition, wake: Callable[[], None]) -> None:
        self.present: Lesson | None = None
        self._X = X
        self._lock = lock
        self._wake = weakref.WeakMethod(wake)
        self._next: Lesson | None = None
        self._result: Learned | None = None

    @property
    def busy(self) -> bool:
        """Whether a lesson is being learned, or its result has not been taken."""
        return self.present is not None or self._result is not None

    def ask(self, lesson: Lesson | None) -> None:
        """Learn a lesson after the present one; it takes the place of any other that waits."""
        if lesson is None or self.present is not None:
            self._next = lesson
        else:
            self._begin(lesson)

    def take(self) -> Learned | None:
        """Return what came of the last lesson, once; ``None`` while there is nothing."""
        result, self._result = self._result, None
        return result

    def _begin(self, lesson: Lesson) -> None:
        self.present, self._next = lesson, None
        threading.Thread(
            target=_learn, args=(self, lesson), name="nbembed learner", daemon=True
        ).start()

    def _done(self, learned: Learned) -> None:
        with self._lock:
            self.present, self._result = None, learned
            if self._next is not None:
                self._begin(self._next)
            wake = self._wake()
            if wake is not None:
                wake()


def _learn(learner: Learner, lesson: Lesson) -> None:
    settings = lesson.settings
    try:
        # An estimator of its own: the worker uses the other one meanwhile.
        method = settings.kind(**settings.parameters)
        affinities = method.make_affinities(learner._X, lesson.supervision)
    except Exception as error:
        learner._done(Learned(lesson, error=error))
    else:
        learner._done(Learned(lesson, affinities))


def untaught(supervision: Supervision) -> Supervision:
    """Return a supervision of as many points that says nothing of any of them."""
    from nbembed.supervision import Supervision

    return Supervision(supervision.n_samples)


def teach_the_same(a: Supervision, b: Supervision) -> bool:
    """Return whether two supervisions have the same classes and labels, names and links aside."""
    if a is b:
        return True
    return (
        len(a.classes) == len(b.classes)
        and np.array_equal(a.top_class, b.top_class)
        and np.array_equal(a.targets(), b.targets(), equal_nan=True)
    )


def labels(supervision: Supervision) -> str:
    """Return how many labels there are, as text."""
    count = supervision.labeled.size
    return "1 label" if count == 1 else f"{count} labels"
