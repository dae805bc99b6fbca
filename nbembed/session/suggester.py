"""Suggester: a session's suggested labels, made in a thread of their own.

Suggestions come from label propagation (:mod:`nbembed.propagation`) on a graph of the data's
nearest neighbors. Neither the graph, which takes seconds where there are many points, nor the
solution, which takes milliseconds from one label to the next, is made in the worker or in the
caller's thread; nothing is made before somebody asks. Of requests that come meanwhile only the last
is kept. Suggestions enter neither the map nor the log: accepting them is a command, which logs the
labels themselves.
"""

from __future__ import annotations

import threading
import weakref
from collections.abc import Callable
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

from nbembed.propagation import Propagation, neighbor_affinities
from nbembed.session.worker import as_exception

if TYPE_CHECKING:
    from nbembed.propagation import Suggestions
    from nbembed.supervision import Supervision


@dataclass(frozen=True, eq=False)
class SuggestionRequest:
    """What suggestions are made from: labels and links, and the metric of the graph.

    Attributes
    ----------
    supervision : Supervision
        Without labels that are accepted suggestions.
    metric : Any
        No label enters it.
    """

    supervision: Supervision
    metric: Any

    def same_as(self, other: SuggestionRequest | None) -> bool:
        """Return whether both come to the same suggestions."""
        return other is not None and (
            _same_metric(self.metric, other.metric) and self.supervision == other.supervision
        )


@dataclass(frozen=True, eq=False)
class SuggestionResult:
    """What came of a request: suggestions, ``None`` without labels, or an error."""

    request: SuggestionRequest
    suggestions: Suggestions | None = None
    error: Exception | None = None


class Suggester:
    """Makes suggestions from the labels given last, once somebody has asked for any.

    Parameters
    ----------
    X : ndarray or sparse array
        Checked data.
    tell : callable
        A bound method, called without a lock in the thread that has made suggestions. It is
        referenced weakly, so that the thread does not keep alive a session that nobody uses.
    """

    def __init__(self, X: Any, tell: Callable[[], None]) -> None:
        self._X = X
        self._tell = weakref.WeakMethod(tell)
        self._changed = threading.Condition()
        self._wanted = False
        self._closed = False
        self._present: SuggestionRequest | None = None
        self._pending: SuggestionRequest | None = None
        self._result: SuggestionResult | None = None
        # Of the thread alone: the graph, and the metric that it was made with.
        self._graph: tuple[Any, Propagation] | None = None

    @property
    def newest(self) -> SuggestionResult | None:
        """What was made last."""
        with self._changed:
            return self._result

    @property
    def busy(self) -> bool:
        """Whether something is being made."""
        with self._changed:
            return self._present is not None

    @property
    def wanted(self) -> bool:
        """Whether somebody has asked for suggestions."""
        return self._wanted

    def ask(self, request: SuggestionRequest) -> None:
        """Have suggestions made; quick."""
        with self._changed:
            self._wanted = True
            self._ask(request)

    def wait(self, request: SuggestionRequest, timeout: float | None) -> SuggestionResult | None:
        """Return what comes of a request; ``None`` if it takes longer or never comes."""

        def over() -> bool:
            return self._of(request) is not None or self._present is None or self._closed

        with self._changed:
            self._wanted = True
            self._ask(request)
            self._changed.wait_for(over, timeout)
            return self._of(request)

    def close(self) -> None:
        """Make no more suggestions and drop the graph; what was made last can still be read."""
        with self._changed:
            self._closed, self._pending = True, None
            if self._present is None:
                self._graph = None
            self._changed.notify_all()

    def forked(self) -> None:
        """Go on without the thread, which a forked copy of the process does not have."""
        self._changed = threading.Condition()  # the thread may have held it
        self._present = self._pending = None
        self._closed = True

    def _of(self, request: SuggestionRequest) -> SuggestionResult | None:
        result = self._result
        return result if result is not None and request.same_as(result.request) else None

    def _ask(self, request: SuggestionRequest) -> None:
        if self._closed:
            return
        if self._present is not None:
            self._pending = None if request.same_as(self._present) else request
        elif self._of(request) is None:
            self._begin(request)

    def _begin(self, request: SuggestionRequest) -> None:
        self._present, self._pending = request, None
        thread = threading.Thread(target=self._make_all, name="nbembed suggestions", daemon=True)
        try:
            thread.start()
        except RuntimeError as error:  # no thread can be started: a result like any other error
            self._present, self._result = None, SuggestionResult(request, error=error)

    def _make_all(self) -> None:
        """Make what is asked for, until nothing is pending (in the thread)."""
        while True:
            with self._changed:
                request = self._present
            if request is None:
                return
            result = self._make(request)
            with self._changed:
                self._result = result
                self._present, self._pending = self._pending, None
                done = self._present is None
                if self._closed:
                    self._graph = None
                self._changed.notify_all()
            tell = self._tell()
            if tell is not None:
                tell()
            del tell  # while it computes, the thread keeps no session alive
            if done:
                return

    def _make(self, request: SuggestionRequest) -> SuggestionResult:
        try:
            if not request.supervision.labeled.size:
                return SuggestionResult(request)
            if self._graph is None or not _same_metric(self._graph[0], request.metric):
                affinities = neighbor_affinities(self._X, metric=request.metric)
                # Its rows are of the right perplexity already.
                self._graph = request.metric, Propagation(affinities, perplexity=None)
            return SuggestionResult(request, self._graph[1].update(request.supervision))
        except BaseException as error:  # SystemExit too, of a user's metric
            self._graph = None
            return SuggestionResult(request, error=as_exception(error))


def _same_metric(a: Any, b: Any) -> bool:
    return a is b or bool(a == b)
