"""A second live map of the same data on the same labels: another method, or other parameters.

The second session has its own method, parameters and layout. What is said about the points is said
to the first: labels, links and pins come over from it as they take effect, undone ones go, and the
second plays and pauses with it. Nothing of the second reaches the first, its log or its files.
"""

from __future__ import annotations

import threading
from collections.abc import Callable
from typing import Any

from nbembed.methods.recipe import Recipe, field_names
from nbembed.session.core.serialization import same
from nbembed.session.core.settings import check_takes_as, method_named, recipe_of
from nbembed.session.live.threads import begin
from nbembed.session.session import Session


class SecondSession:
    """A session that follows the labels and links of another.

    * method: by default the first session's method with its present parameters. A name takes the
      recipe of a switch of the first session to it.
    * changed: called from the worker threads when anything but the layout has changed.
    * session: the second one; it begins with a start of its own.
    * problem: the reason why it lacks the newest labels, "" if it has them.
    """

    def __init__(
        self, first: Session, method: Any = None, changed: Callable[[], None] = lambda: None
    ) -> None:
        self.problem = ""
        self._first = first
        self._changed = changed
        self._state = first.state
        self.session = Session(
            first.X, _recipe(first, first, method), supervision=first.supervision
        )
        # Reading the first and giving to the second is one step: two threads may be at it at once.
        self._following = threading.RLock()
        self._stop_hearing = [first.subscribe(self._follow), self.session.subscribe(self._tell)]
        try:
            self._follow("supervision")  # what was said meanwhile
            self._follow("state")
            if first.state != "idle":
                self.session.play()
        except BaseException:
            self.close()
            raise

    def switch(self, method: Any) -> None:
        """Go on with another method, as :meth:`Session.switch` does."""
        self.session.switch(_recipe(self._first, self.session, method))

    def take_over(self) -> None:
        """Give the first session the second's method and parameters, as one undoable change."""
        first, recipe = self._first, self.session.recipe
        if type(first.recipe) is not type(recipe):
            first.switch(recipe)
            return
        now = first.recipe.parameters
        changes = {
            name: getattr(recipe, name)
            for name in field_names(type(recipe))
            if not same(getattr(recipe, name), now[name])
        }
        if changes:
            first.set(**changes)

    def close(self) -> None:
        """End the second session, without waiting for its worker's turn."""
        for stop in self._stop_hearing:
            stop()
        self._stop_hearing = []
        begin("nbembed ending", self.session.close)

    def _tell(self, event: str) -> None:
        if event != "frame":
            self._changed()

    def _follow(self, event: str) -> None:
        """Take over what has changed in the first session, in its worker's thread."""
        problem = None
        try:
            with self._following:
                if event == "supervision":
                    self.session.supervise(self._first.supervision)
                    problem = ""
                elif event == "state":
                    self._move_along()
        except (ValueError, TypeError, RuntimeError) as error:
            problem = str(error)
        if problem is not None:
            self._say(problem)

    def _move_along(self) -> None:
        before, now = self._state, self._first.state
        self._state = now
        if now == before:
            return
        if now == "running" and self.session.state in ("idle", "paused"):
            self.session.play()
        elif now == "paused" and self.session.state == "running":
            self.session.pause()

    def _say(self, problem: str) -> None:
        if problem != self.problem:
            self.problem = problem
            self._changed()


def _recipe(first: Session, present: Session, method: Any) -> Recipe[Any]:
    """Return the recipe for a session that takes the place of its ``present`` method."""
    if method is None:
        return first.recipe
    if isinstance(method, str):
        kind = method_named(method, first.methods)
        return present._settings.recipe_for(kind, first.X)
    recipe = recipe_of(method).in_plane().seeded(first.recipe.seed)
    check_takes_as(first.recipe, recipe, f"method {method!r}")
    return recipe
