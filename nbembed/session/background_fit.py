"""Background fit: affinities that are learned from labels are made in a second thread.

A learning metric or a classifier may take seconds. Meanwhile the map goes on with what was learned
last; when the new affinities are there they wait for the worker, which lets them take effect
between two iterations, and the log says at which. At most one fit runs at a time, and pending
requests are coalesced: of those made meanwhile only the last is kept.
"""

from __future__ import annotations

import threading
import weakref
from collections.abc import Callable
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

import numpy as np

from nbembed.session.worker import as_exception

if TYPE_CHECKING:
    from nbembed.session.settings import Settings
    from nbembed.supervision import Supervision


@dataclass(frozen=True, eq=False)
class FitRequest:
    """What is to be learned: affinities of ``settings``, from the labels of ``supervision``."""

    settings: Settings
    supervision: Supervision

    @property
    def text(self) -> str:
        """What is going on, for people."""
        return f"learning the {self.settings.recipe.learns} from {label_count(self.supervision)}"


@dataclass(frozen=True, eq=False)
class FitResult:
    """What came of a request: affinities, or the error that prevented them."""

    request: FitRequest
    affinities: Any = None
    error: Exception | None = None


class BackgroundFit:
    """Fits one request at a time, each in a thread of its own.

    Parameters
    ----------
    X : ndarray or sparse array
        Checked data.
    lock : threading.Condition
        The caller must hold it to call a method or read an attribute.
    wake : callable
        A bound method, called with the lock held when a result is there. It is referenced weakly,
        so that a fit does not keep alive a session that nobody uses.

    Attributes
    ----------
    present : FitRequest or None
        What is being fitted.
    """

    def __init__(self, X: Any, lock: threading.Condition, wake: Callable[[], None]) -> None:
        self.present: FitRequest | None = None
        self._X = X
        self._lock = lock
        self._wake = weakref.WeakMethod(wake)
        self._pending: FitRequest | None = None
        self._result: FitResult | None = None

    @property
    def busy(self) -> bool:
        """Whether a fit runs, or its result has not been taken."""
        return self.present is not None or self._result is not None

    def ask(self, request: FitRequest | None) -> None:
        """Fit a request after the present one; it replaces any other that is pending."""
        if request is None or self.present is not None:
            self._pending = request
        else:
            self._begin(request)

    def take(self) -> FitResult | None:
        """Return the last result, once; ``None`` while there is none."""
        result, self._result = self._result, None
        return result

    def _begin(self, request: FitRequest) -> None:
        self.present, self._pending = request, None
        thread = threading.Thread(
            target=_fit, args=(self, request), name="nbembed background fit", daemon=True
        )
        try:
            thread.start()
        except RuntimeError as error:  # no thread can be started: a result like any other error
            self.present, self._result = None, FitResult(request, error=error)

    def _finish(self, result: FitResult) -> None:
        with self._lock:
            self.present, self._result = None, result
            if self._pending is not None:
                self._begin(self._pending)
            wake = self._wake()
            if wake is not None:
                wake()


def _fit(fit: BackgroundFit, request: FitRequest) -> None:
    try:
        affinities = request.settings.recipe.make_affinities(fit._X, request.supervision)
    except BaseException as error:  # SystemExit too: a fit without a result would never be over
        fit._finish(FitResult(request, error=as_exception(error)))
    else:
        fit._finish(FitResult(request, affinities))


def unlabeled(supervision: Supervision) -> Supervision:
    """Return a supervision of as many points without any label or link."""
    return type(supervision)(supervision.n_samples)


def same_labels(a: Supervision, b: Supervision) -> bool:
    """Return whether two supervisions have the same classes and labels, names and links aside."""
    if a is b:
        return True
    return (
        len(a.classes) == len(b.classes)
        and np.array_equal(a.top_class, b.top_class)
        and np.array_equal(a.targets(), b.targets(), equal_nan=True)
    )


def label_count(supervision: Supervision) -> str:
    """Return how many labels there are, as text."""
    count = supervision.labeled.size
    return "1 label" if count == 1 else f"{count} labels"
