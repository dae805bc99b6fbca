"""Suggested labels of a session: made, accepted and checked."""

from __future__ import annotations

from dataclasses import replace
from typing import Any

import numpy as np

from nbembed.data.distances import same_metric
from nbembed.propagation import Suggestions
from nbembed.propagation.groups import RESOLUTION, SuggestedGroups, find_groups, group_graph
from nbembed.session.core.verbs import Verbs
from nbembed.session.live.controller import Controller
from nbembed.session.live.progress import Progress
from nbembed.session.readings.suggestion_check import SuggestionCheck, draw_check
from nbembed.validation import check_count, check_points, check_real


class Suggesting(Verbs):
    """Suggested labels of a session with a controller."""

    _controller: Controller
    _check: SuggestionCheck | None = None
    _n_checks = 0
    #: The graph of groups, after the metric that it was made with.
    _group_graph: tuple[Any, Any] | None = None

    @property
    def suggestions(self) -> Suggestions | None:
        """Suggestions for every point from the labels so far; never waits.

        Accepted suggestions are no labels here: they would only repeat what was suggested. ``None``
        without labels, and while the graph that labels spread along is being made in the
        background, which begins when this is first read. After a new label it is what was suggested
        before, for some milliseconds; :meth:`suggest` waits.
        """
        controller = self._controller
        with controller.mailbox.lock:
            request = controller.suggester.request()
            controller.suggester.ask(request)
            result = controller.suggester.task.newest
        labeled = request.supervision.labeled.size
        return result.value if result is not None and labeled else None

    @property
    def suggesting(self) -> bool:
        """True while suggestions are being made in the background."""
        return self._controller.suggester.pending

    @property
    def suggestions_progress(self) -> Progress | None:
        """Progress of suggestions that take longer than half a second, else ``None``.

        ``str()`` of it is a sentence such as "finding neighbors 40 %, about 6 s left".
        :meth:`Session.cancel` gives them up.
        """
        return self._controller.suggester.task.progress

    @property
    def suggestions_error(self) -> Exception | None:
        """The error that kept suggestions from being made, or None."""
        result = self._controller.suggester.task.newest
        return None if result is None else result.error

    def suggest(self, timeout: float | None = None) -> Suggestions | None:
        """Return what is suggested from just the present labels, ``None`` without labels.

        Parameters
        ----------
        timeout : float, optional
            In seconds.

        Returns
        -------
        suggestions : nbembed.propagation.Suggestions or None

        Raises
        ------
        TimeoutError
            If it takes longer.
        RuntimeError
            If no suggestions can be made, or the session is closed.
        """
        if timeout is not None:
            timeout = check_real("timeout", timeout, low=0)
        controller, result = self._controller, None
        while result is None:
            with controller.mailbox.lock:
                request = controller.suggester.request()
                closing = controller.mailbox.machine.closing
            result = controller.suggester.wait(request, timeout)
            if result is None and closing:
                raise RuntimeError("the session is closed and makes no new suggestions")
            if result is None and timeout is not None:
                raise TimeoutError(
                    "timeout: the suggestions for the newest labels are still being computed"
                )
        if result.error is not None:
            raise RuntimeError(f"suggestions cannot be computed: {result.error}") from result.error
        suggestions: Suggestions | None = result.value
        return suggestions

    def accept(self, confidence: float | None = None) -> None:
        """Label all unlabeled points whose suggestion is at least so sure, as one undoable step.

        Waits for the suggestions from the present labels. The labels are as confident as the
        suggestions were, at most 0.9999. Labels that were given before are not changed.

        Parameters
        ----------
        confidence : float, optional
            In (0, 1]: the least to accept. By default the least above which 95 % are expected to
            be right (:meth:`~nbembed.propagation.Suggestions.least_confidence`).

        Raises
        ------
        ValueError, TypeError
            If it is not legal or no suggestion is so sure; nothing has changed then.
        RuntimeError
            If no suggestions can be made, or the session is closed.
        """
        if confidence is not None:
            check_real("confidence", confidence, low=0, high=1, open_low=True)
        suggestions = self.suggest()
        if suggestions is None:
            raise ValueError(
                "accept() needs suggestions, but there are none yet; label some points first"
            )
        if confidence is None:
            labeled = self._controller.mailbox.session_state.settings.supervision.top_class >= 0
            confidence = replace(suggestions, labeled=labeled).least_confidence()
            if confidence is None:
                raise ValueError(
                    "accept() found no suggestions of which 95 % are expected to be correct; "
                    "give more labels, or a confidence"
                )
        self.give("accept", {"confidence": confidence})

    def suggest_groups(
        self, resolution: float = RESOLUTION, *, points: Any = None, random_state: Any = 0
    ) -> SuggestedGroups:
        """Return groups of points that the data suggest, whatever was labeled.

        They are communities of the graph of nearest neighbors in the data, not on the map; neither
        map nor log is changed. To take one over, label its points: ``session.label(found.points(0),
        "a name")``.

        Parameters
        ----------
        resolution : float, default=0.5
            Above 0; a larger one makes more and smaller groups.
        points : array of int, optional
            Only these are divided into groups; by default all.
        random_state : int, Generator or None
            The same number comes to the same groups.

        Returns
        -------
        groups : nbembed.propagation.SuggestedGroups

        Raises
        ------
        ValueError, TypeError
            If an argument is not legal.
        """
        resolution = check_real("resolution", resolution, low=0, open_low=True)
        controller = self._controller
        X = controller.engine.X
        chosen = None if points is None else check_points(points, X.shape[0])
        metric = controller.suggester.request().metric
        known = self._group_graph
        if known is None or not same_metric(known[0], metric):
            known = self._group_graph = metric, group_graph(X, metric)
        return find_groups(known[1], resolution, random_state, chosen)

    def check_suggestions(
        self, size: int = 20, random_state: Any = None, *, confidence: float = 0.0
    ) -> SuggestionCheck:
        """Draw points at random of those that nobody has labeled by hand, to see what is right.

        Label the points of the result as you see fit (:meth:`label`); :attr:`suggestion_check` then
        has the accuracy with its interval. What is suggested now counts, whatever is suggested or
        accepted later.

        Parameters
        ----------
        size : int, default=20
            Number of points; all that there are if there are fewer.
        random_state : int, Generator or None
            By default from the session's own seed and the number of checks before.
        confidence : float, default=0.0
            In [0, 1]: only suggestions that are at least so sure are checked, those that
            :meth:`accept` takes, and accepted ones; 0 is every point that nobody has labeled by
            hand, also those that are suggested no class.

        Returns
        -------
        check : SuggestionCheck

        Raises
        ------
        ValueError, TypeError
            If an argument is not legal, there are no labels, no suggestion is so sure, or no point
            is left to check.
        RuntimeError
            If no suggestions can be made, or the session is closed.
        """
        check_count("size", size)
        confidence = check_real("confidence", confidence, low=0, high=1)
        suggestions = self.suggest()
        controller = self._controller
        with controller.mailbox.lock:
            settings = controller.mailbox.session_state.settings
            if suggestions is None:
                raise ValueError(
                    "there is nothing to check: there are no suggestions yet; "
                    "label some points first"
                )
            seed = random_state
            if seed is None:
                seed = np.random.default_rng([settings.recipe.seed, self._n_checks])
            now = settings.supervision
            by_hand = controller.accepted.by_hand(now)
            check = draw_check(size, seed, suggestions, now, by_hand, confidence)
            self._check, self._n_checks = check, self._n_checks + 1
        controller.mailbox.subscribers.tell("suggestions")
        return check

    def end_check(self) -> None:
        """Forget the check; the labels that were given for it stay."""
        self._check = None
        self._controller.mailbox.subscribers.tell("suggestions")

    @property
    def suggestion_check(self) -> SuggestionCheck | None:
        """The last check with the answers so far, ``None`` before any."""
        with self._controller.mailbox.lock:
            if self._check is None:
                return None
            now = self._controller.mailbox.session_state.settings.supervision
            return self._check.answered(now, self._controller.accepted.by_hand(now))
