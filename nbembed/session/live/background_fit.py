"""Background fit: what takes long is made in a second thread while the map goes on.

A learning metric, a classifier, or the neighbors of many points may take seconds or minutes.
Meanwhile the map goes on with what there was; what has been made waits for the worker, which lets
it take effect between two iterations, and the log says at which. At most one fit runs at a time,
and pending requests are coalesced: of those made meanwhile only the last is kept. A fit can be
canceled wherever it counts its work (:mod:`nbembed.system.work`).
"""

from __future__ import annotations

import threading
from collections.abc import Callable
from typing import Any

from nbembed.kernels.threads import Interrupted, interruptible
from nbembed.session.live.compiled_threads import end_at_exit
from nbembed.session.live.progress import Progress
from nbembed.session.live.worker import as_exception
from nbembed.session.map.fit_request import FitRequest, FitResult
from nbembed.system.weak_method import WeakMethod
from nbembed.system.work import reported


class BackgroundFit:
    """Fits one request at a time, each in a thread of its own.

    * lock: the caller must hold it to call a method or read an attribute.
    * wake: a bound method, called with the lock held when a result is there. It is referenced
      weakly, so that a fit does not keep alive a session that nobody uses; the fit of such a
      session ends.
    * tell: a bound method, called without the lock when the progress has changed by a per cent.
    * present, progress: the present request, and its progress.
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
        self._wake = WeakMethod(wake)
        self._tell = None if tell is None else WeakMethod(tell)
        self._pending: FitRequest | None = None
        self._result: FitResult | None = None
        self._shown: Any = None
        self._canceled = False

    @property
    def busy(self) -> bool:
        """True if a fit runs, or its result has not been taken."""
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
        """Return whether nobody waits for the present fit any more; called in its thread."""
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
