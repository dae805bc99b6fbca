"""Suggester: a session's suggested labels, made in a thread of their own.

Suggestions come from label propagation (:mod:`nbembed.propagation`) on a graph of the data's
nearest neighbors, and from classifiers beside it as far as labels favor them. Neither the graph,
which takes seconds where there are many points, nor the solution, which takes milliseconds from one
label to the next, is made in the worker or in the caller's thread; nothing is made before somebody
asks. Before the classifiers are fitted anew, there are suggestions by the last ones. Of requests
that come meanwhile only the last is kept. Suggestions enter neither the map nor the
log: accepting them is a command, which logs the labels themselves.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from functools import partial
from typing import Any

from nbembed.data.distances import same_metric
from nbembed.kernels.threads import Interrupted
from nbembed.propagation import Propagation, Suggestions, neighbor_affinities
from nbembed.propagation.stacking import Stacking
from nbembed.session.core.accepted_labels import AcceptedLabels
from nbembed.session.live.background import BackgroundTask, Result
from nbembed.session.live.mailbox import Mailbox
from nbembed.supervision import Supervision


@dataclass(frozen=True, eq=False)
class SuggestionRequest:
    """The input of suggestions: labels and links, and the metric of the graph.

    Two are equal if they come to the same suggestions. The supervision is without labels that are
    accepted suggestions; no label enters the metric.
    """

    supervision: Supervision
    metric: Any

    def __eq__(self, other: object) -> bool:
        return isinstance(other, SuggestionRequest) and (
            same_metric(self.metric, other.metric) and self.supervision == other.supervision
        )


class Suggester:
    """Makes suggestions from the labels given last, after the first request for any.

    * task: its results are suggestions, ``None`` without labels, or an error.
    * tell: a bound method, called without a lock in the thread that has made suggestions. It is
      referenced weakly, so that the thread does not keep alive a session that nobody uses.
    """

    def __init__(
        self, X: Any, mailbox: Mailbox, accepted: AcceptedLabels, tell: Callable[[], None]
    ) -> None:
        self._box = mailbox
        self._accepted = accepted
        self._due = False  # once the map has answered what was said
        self._maker = _Maker(X, tell)
        self.task = self._maker.task
        self._wanted = False

    @property
    def pending(self) -> bool:
        """True while suggestions are being made, or will be once the map has moved."""
        return self._due or self.task.busy

    def request(self) -> SuggestionRequest:
        """Return the input of suggestions, as of the last command given."""
        with self._box.lock:
            settings = self._box.session_state.settings
            said = self._accepted.left_out(settings.supervision)
            return SuggestionRequest(said, settings.recipe.quality_metric)

    def present(self) -> Suggestions | None:
        """Return the suggestions from just the present labels, ``None`` if there are none."""
        result, request = self.task.newest, self.request()
        return result.value if result is not None and request == result.key else None

    def ask(self, request: SuggestionRequest) -> None:
        """Have suggestions made; quick."""
        self._wanted = True
        self.task.ask(request, partial(self._maker.make, request), alone=True)

    def put_off(self) -> None:
        """Have suggestions made anew, if somebody wants any, at the next :meth:`renew`."""
        with self._box.lock:
            self._due |= self._wanted

    def renew(self) -> None:
        """Begin to suggest from what was said last, if that has been put off.

        Of two cores the map has the first use: who labels waits for it to answer.
        """
        with self._box.lock:
            due, self._due = self._due, False
            if due and self._wanted:
                self.ask(self.request())

    def wait(self, request: SuggestionRequest, timeout: float | None) -> Result | None:
        """Return the result of a request; ``None`` if it takes longer or never comes."""
        self._wanted = True
        make = partial(self._maker.make, request)
        return self.task.wait(request, make, timeout, alone=True)

    def cancel(self) -> bool:
        """Give up what is being made until somebody asks again; return whether there was any."""
        self._wanted = False
        return self.task.cancel()

    def close(self) -> None:
        """Make no more suggestions and drop the graph; what was made last can still be read."""
        self._maker.closed = True
        self.task.close()
        self._maker.graph = None


class _Maker:
    """Makes suggestions; all that its thread refers to, so that it keeps no session alive."""

    def __init__(self, X: Any, tell: Callable[[], None]) -> None:
        self.task = BackgroundTask("nbembed suggestions", tell, tell)
        self.closed = False
        #: Of the thread alone: the graph, and the metric that it was made with.
        self.graph: tuple[Any, Stacking] | None = None
        self._X = X

    def make(self, request: SuggestionRequest) -> Suggestions | None:
        if not request.supervision.labeled.size:
            return None
        graph = self.graph
        try:
            if graph is None or not same_metric(graph[0], request.metric):
                affinities = neighbor_affinities(self._X, metric=request.metric)
                # Its rows are of the right perplexity already.
                made = Propagation(affinities, perplexity=None)
                apart = isinstance(request.metric, str) and request.metric == "precomputed"
                graph = request.metric, Stacking(made, None if apart else self._X)
            suggestions = graph[1].update(request.supervision, self.task.meanwhile)
        except Interrupted:
            raise
        except BaseException:
            graph = None
            raise
        finally:
            self.graph = graph
            if self.closed:  # in this order, since it may be closed meanwhile
                self.graph = None
        return suggestions
