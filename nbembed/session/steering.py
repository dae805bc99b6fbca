"""The commands that a session takes, from any thread.

Each is checked in the caller's thread, raises ValueError before anything changes, and takes effect
between two iterations (see :mod:`nbembed.session.inbox`).
"""

from __future__ import annotations

from collections.abc import Mapping
from typing import TYPE_CHECKING, Any

import numpy as np

from nbembed.methods.base import EmbeddingMethod
from nbembed.session.commands import Desk
from nbembed.session.readings import Readings
from nbembed.session.settings import fixed_seed, taken_from
from nbembed.supervision import Supervision, as_supervision
from nbembed.supervision.parts import class_name
from nbembed.validation import check_points, check_real

if TYPE_CHECKING:
    from numpy.typing import ArrayLike

    from nbembed.session.values import State


class Steering(Readings):
    """The steerable half of a session: motion, parameters, labels and links, history."""

    # -- motion -----------------------------------------------------------------------------

    def play(self) -> None:
        """Run until convergence. A converged map runs on until it has been calm once more."""
        self._live.give("play")

    def pause(self) -> None:
        """Stop after the present iteration; steps not yet done are dropped."""
        self._live.give("pause")

    def step(self, k: int = 1) -> None:
        """Do ``k`` iterations and pause. Returns at once; later commands wait for the steps."""
        if isinstance(k, bool) or not isinstance(k, int | np.integer) or k < 1:
            raise ValueError(f"k must be a whole number of at least 1, got {k!r}")
        self._live.give("step", {"k": int(k)})

    def reset(self) -> None:
        """Start cold with the present parameters and supervision; recovers from an error.

        A map in motion (or converged) goes on moving, another one shows its start. Pinned points
        stay where they are.
        """
        self._live.give("reset")

    def restart(self) -> None:
        """Forget the optimizer's memory (velocity, search directions) and go on from here."""
        self._live.give("restart")

    def wait(self, state: State | None = None, timeout: float | None = None) -> bool:
        """Wait until all commands took effect and the map rests, or until it reaches ``state``.

        Parameters
        ----------
        state : str, optional
            Waiting for one state also ends, with ``False``, when the session fails or is closed.
        timeout : float, optional
            In seconds.

        Returns
        -------
        reached : bool
        """
        states = ("idle", "running", "paused", "converged", "failed")
        if state is not None and state not in states:
            raise ValueError(f"state must be one of {', '.join(states)} or None, got {state!r}")
        return self._live.wait(state, timeout)

    # -- parameters and method --------------------------------------------------------------

    def set(self, **parameters: Any) -> None:
        """Change parameters of the method; only what they enter is redone.

        A number given to a live parameter ends that parameter's schedule. Words such as "anneal",
        and keywords that only shape a start (``init``, ``max_iter``), count from the next
        :meth:`reset`.

        Raises
        ------
        ValueError
            If a name or value is not legal; nothing has changed then.
        """
        if not parameters:
            raise ValueError("set() needs at least one parameter, such as alpha=1.5")
        if "random_state" in parameters:
            parameters["random_state"] = fixed_seed(parameters["random_state"])
        self._live.give("set", parameters)

    def switch(self, method: str | EmbeddingMethod) -> None:
        """Go on with another method from the present layout; labels and links stay.

        Parameters
        ----------
        method : str or estimator
            A name takes the parameters that this session last had for that method, else its
            defaults, and the data's description (metric, perplexity, …) from the present one.
        """

        def choose(desk: Desk) -> tuple[str, Mapping[str, Any]]:
            settings = desk.settings
            if isinstance(method, str):
                kind = self._live.methods.get(method)
                parameters = {} if kind is None else settings.parameters_for(kind, self.X)
                return "switch", {"method": method, "parameters": parameters}
            parameters = taken_from(method)
            if parameters.get("random_state", 0) is None:
                parameters["random_state"] = settings.seed
            if "random_state" in parameters:
                parameters["random_state"] = fixed_seed(parameters["random_state"])
            return "switch", {"method": type(method).__name__, "parameters": parameters}

        if isinstance(method, EmbeddingMethod):
            self._live.learn(type(method))
        elif not isinstance(method, str):
            raise TypeError(f"method must be a name or an estimator, got {method!r}")
        self._live.give_decided(choose)

    def move_to_path(self, index: int) -> None:
        """Show a kept layout of the path and take over its λ. A converged map is paused there."""
        if isinstance(index, bool) or not isinstance(index, int | np.integer):
            raise ValueError(f"index must be a whole number, got {index!r}")

        def choose(desk: Desk) -> tuple[str, Mapping[str, Any]]:
            path = self._live.lasting_path
            if not 0 <= index < len(path):
                raise ValueError(f"index must be in [0, {len(path)}), got {index}")
            return "move_to_path", {"index": int(index), "lam": float(path[index].lam)}

        self._live.give_decided(choose)

    # -- supervision ------------------------------------------------------------------------

    def label(self, points: ArrayLike, class_: Any, confidence: float = 1.0) -> None:
        """Say that ``points`` (indices or a mask) are of a class; a new name is a new class."""
        arguments = {"points": self._points(points), "class_": class_name(class_, "class_")}
        self._live.give("label", {**arguments, "confidence": check_real("confidence", confidence)})

    def must_link(self, points: ArrayLike) -> None:
        """Say that ``points`` belong together."""
        self._live.give("must_link", {"points": self._points(points)})

    def cannot_link(self, a: ArrayLike, b: ArrayLike) -> None:
        """Say that the points ``a`` do not belong with the points ``b``."""
        self._live.give("cannot_link", {"a": self._points(a, "a"), "b": self._points(b, "b")})

    def pin(self, points: ArrayLike) -> None:
        """Hold ``points`` where they are: they attract and repel the others, and do not move."""
        self._live.give("pin", {"points": self._points(points)})

    def unpin(self, points: ArrayLike) -> None:
        """Let ``points`` move again; those that were free stay so."""
        self._live.give("unpin", {"points": self._points(points)})

    def forget(self, points: ArrayLike) -> None:
        """Take back all that was said about ``points``, pins included."""
        self._live.give("forget", {"points": self._points(points)})

    def add_class(self, name: Any) -> None:
        """Add a class without points."""
        self._live.give("add_class", {"name": class_name(name, "name")})

    def rename_class(self, old: Any, new: Any) -> None:
        """Give a class another name."""
        self._live.give(
            "rename_class", {"old": class_name(old, "old"), "new": class_name(new, "new")}
        )

    def supervise(self, supervision: Supervision | ArrayLike | None) -> None:
        """Replace all labels and links; ``None`` takes everything back."""
        value = as_supervision(supervision, self.n_samples, "supervision")
        self._live.give("supervise", {"supervision": value})

    def _points(self, points: ArrayLike, name: str = "points") -> list[int]:
        return [int(i) for i in check_points(points, self.n_samples, name)]

    def learn(self, supervision: Supervision | ArrayLike | None = None) -> None:
        """Let the method learn from labels now rather than in the background.

        Of use where ``auto_learn`` is off: the map waits for what is learned, so that a script
        always comes to the same layout.

        Parameters
        ----------
        supervision : Supervision or array-like, optional
            Labels to learn from; by default those of the session.

        Raises
        ------
        ValueError
            If the present method learns nothing from labels.
        """
        given = (
            None
            if supervision is None
            else as_supervision(supervision, self.n_samples, "supervision")
        )

        def choose(desk: Desk) -> tuple[str, Mapping[str, Any]]:
            if not desk.settings.estimator.learns_from_labels:
                raise ValueError(f"{desk.settings.name} learns nothing from labels")
            return "learned", {"supervision": desk.settings.supervision if given is None else given}

        self._live.give_decided(choose)

    # -- history ----------------------------------------------------------------------------

    def undo(self) -> None:
        """Take back the last change of parameters, supervision or method; the points stay."""
        self._live.give("undo")

    def redo(self) -> None:
        """Do again what was undone last."""
        self._live.give("redo")

    def snapshot(self, name: str | None = None) -> str:
        """Keep layout, parameters and supervision under a name; return the name."""
        if name is not None and not isinstance(name, str):
            raise ValueError(f"name must be text, got {name!r}")
        chosen: list[str] = []

        def choose(desk: Desk) -> tuple[str, Mapping[str, Any]]:
            free = (f"snapshot {i}" for i in range(1, len(desk.snapshots) + 2))
            chosen.append(name or next(n for n in free if n not in desk.snapshots))
            return "snapshot", {"name": chosen[-1]}

        self._live.give_decided(choose)
        return chosen[-1]

    def restore(self, name: str) -> None:
        """Go back to a snapshot. A converged map is paused there; undo keeps the layout."""
        self._live.give("restore", {"name": name})
