"""Background fit: what takes long is made in a second thread while the map goes on.

A learning metric, a classifier, or the neighbors of many points may take seconds or minutes.
Meanwhile the map goes on with what there was; what has been made waits for the worker, which lets
it take effect between two iterations, and the log says at which. At most one fit runs at a time,
and pending requests are coalesced: of those made meanwhile only the last is kept. A fit can be
canceled wherever it counts its work (:mod:`nbembed.work`).
"""

from __future__ import annotations

import logging
import threading
import weakref
from collections.abc import Callable
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

import numpy as np

from nbembed.kernels.threads import Interrupted, interruptible
from nbembed.session.compiled_threads import end_at_exit
from nbembed.session.progress import Progress
from nbembed.session.worker import as_exception
from nbembed.work import reported

if TYPE_CHECKING:
    from nbembed.session.settings import Settings
    from nbembed.supervision import Supervision

_logger = logging.getLogger("nbembed.session")


@dataclass(frozen=True, eq=False)
class FitRequest:
    """What is to be made: affinities of ``settings``, or the start of a map from them.

    Attributes
    ----------
    settings : Settings
    supervision : Supervision
        What affinities are learned from, where the recipe learns from labels.
    affinities : Any
        Given where the start is to be made from them.
    cold : bool
        Whether there is no map yet, so that a first layout is worth showing meanwhile.
    """

    settings: Settings
    supervision: Supervision
    affinities: Any = None
    cold: bool = False

    @property
    def of_start(self) -> bool:
        """Whether the start is to be made and not the affinities."""
        return self.affinities is not None

    @property
    def learned_from(self) -> Supervision | None:
        """What the affinities are learned from, ``None`` where the recipe does not learn."""
        return self.supervision if self.settings.recipe.learns_from_labels else None

    @property
    def text(self) -> str:
        """What is going on, for people."""
        return f"learning the {self.settings.recipe.learns} from {label_count(self.supervision)}"

    def make(self, X: Any, show: Callable[[Any], None]) -> Any:
        """Return what is asked for; ``show`` takes a layout to look at meanwhile."""
        recipe = self.settings.recipe
        if self.of_start:
            rng = np.random.default_rng(recipe.seed)
            return recipe.make_start(X, self.affinities, self.supervision, rng)
        if self.cold and X.shape[0] >= SHOWN_FROM:
            try:
                layout = recipe.first_layout(X, np.random.default_rng(recipe.seed))
            except Exception as error:  # it is only looked at: the map does not need it
                _logger.info("no first layout is shown: %s: %s", type(error).__name__, error)
                layout = None
            if layout is not None:
                show(layout)
        return recipe.make_affinities(X, self.supervision)


#: Maps of fewer points begin so soon that no first layout is worth showing before.
SHOWN_FROM = 2000


@dataclass(frozen=True, eq=False)
class FitResult:
    """What came of a request: what was made, or the error that prevented it."""

    request: FitRequest
    made: Any = None
    error: Exception | None = None
    remarks: tuple[str, ...] = ()


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
        so that a fit does not keep alive a session that nobody uses; the fit of such a session
        ends.
    tell : callable, optional
        A bound method, called without the lock when the progress has changed by a per cent.

    Attributes
    ----------
    present : FitRequest or None
        What is being fitted.
    progress : Progress or None
        How far it has come.
    """

    def __init__(
        self,
        X: Any,
        lock: threading.Condition,
        wake: Callable[[], None],
        tell: Callable[[], None] | None = None,
    ) -> None:
        self.present: FitRequest | None = None
        self.progress: Progress | None = None
        self._X = X
        self._lock = lock
        self._wake = weakref.WeakMethod(wake)
        self._tell = None if tell is None else weakref.WeakMethod(tell)
        self._pending: FitRequest | None = None
        self._result: FitResult | None = None
        self._shown: Any = None
        self._canceled = False

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

    def cancel(self) -> None:
        """Give up what is being fitted and what is pending; a result that waits is dropped."""
        self._pending = self._result = self._shown = None
        self._canceled = self.present is not None

    def take(self) -> FitResult | None:
        """Return the last result, once; ``None`` while there is none."""
        result, self._result = self._result, None
        return result

    def take_shown(self) -> Any:
        """Return a layout to look at meanwhile, once; ``None`` while there is none."""
        shown, self._shown = self._shown, None
        return shown

    def _begin(self, request: FitRequest) -> None:
        self.present, self._pending, self._canceled = request, None, False
        self.progress = None
        thread = threading.Thread(
            target=_fit, args=(self, request), name="nbembed background fit", daemon=True
        )
        end_at_exit(thread, self._stop)
        try:
            thread.start()
        except RuntimeError as error:  # no thread can be started: a result like any other error
            self.present, self._result = None, FitResult(request, error=error)
            wake = self._wake()
            if wake is not None:
                wake()

    def _finish(self, result: FitResult | None) -> None:
        with self._lock:
            self.present = self.progress = None
            if not self._canceled:
                self._result = result
            if self._pending is not None:
                self._begin(self._pending)
            wake = self._wake()
            if wake is not None:
                wake()

    def _show(self, layout: Any) -> None:
        with self._lock:
            if self._canceled:
                return
            self._shown = layout
            wake = self._wake()
            if wake is not None:
                wake()

    def _stop(self) -> None:
        """Give up at the interpreter's end, without the lock, which a worker may hold for long."""
        self._canceled, self._pending = True, None

    def _given_up(self) -> bool:
        """Whether nobody waits for the present fit any more; asked in its thread."""
        return self._canceled or self._wake() is None


class _Listener:
    """Counts the work of one fit for those who watch."""

    def __init__(self, fit: BackgroundFit) -> None:
        self._fit = fit
        self.remarks: list[str] = []

    def count(self, name: str, done: int, total: int) -> None:
        fit = self._fit
        if fit._given_up():
            raise Interrupted
        before = fit.progress
        after = (before or Progress("", 0, 0)).counted(name, done, total)
        fit.progress = after
        changes = before is None or (before.stage, before.percent) != (after.stage, after.percent)
        tell = fit._tell() if changes and fit._tell is not None else None
        if tell is not None:
            tell()

    def remark(self, text: str) -> None:
        if text not in self.remarks:
            self.remarks.append(text)


def _fit(fit: BackgroundFit, request: FitRequest) -> None:
    heard = _Listener(fit)
    result = None
    try:
        with reported(heard), interruptible(fit._given_up):
            made = request.make(fit._X, fit._show)
        result = FitResult(request, made, remarks=tuple(heard.remarks))
    except Interrupted:
        pass
    except BaseException as error:  # SystemExit too: a fit without a result would never be over
        result = FitResult(request, error=as_exception(error), remarks=tuple(heard.remarks))
    finally:
        fit._finish(result)


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


def learned_from_after(
    old: Settings, new: Settings, learned_from: Supervision | None
) -> Supervision | None:
    """Return what affinities are learned from once ``new`` has taken the place of ``old``."""
    if not new.recipe.learns_from_labels:
        return None
    if learned_from is None or not old.same_method(new):
        # A method that has only now begun to learn does so as from any other new labels.
        return unlabeled(new.supervision)
    same = same_labels(learned_from, new.supervision)
    return new.supervision if same else learned_from


def label_count(supervision: Supervision) -> str:
    """Return how many labels there are, as text."""
    count = supervision.labeled.size
    return "1 label" if count == 1 else f"{count} labels"
