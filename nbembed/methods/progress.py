"""Reports on the iterations of ``fit``: the user's callbacks and a progress bar."""

from __future__ import annotations

import math
from collections.abc import Callable, Iterable
from types import TracebackType
from typing import Any, Self

from nbembed.run import Run
from nbembed.validation import shown

Callback = Callable[["Run"], Any]

#: Iterations between updates of the bar's text.
POSTFIX_EVERY = 10


def as_callbacks(callbacks: Any) -> tuple[Callback, ...]:
    """Return ``callbacks`` (None, one callable or several) as a tuple."""
    if callbacks is None:
        return ()
    found = tuple(callbacks) if isinstance(callbacks, Iterable) else (callbacks,)
    for callback in found:
        if not callable(callback):
            raise TypeError(f"callbacks must be functions of a Run, got {shown(callback)}")
    return found


class Progress:
    """A tqdm bar that counts iterations; a context manager and a callback of the run.

    Unless it is ``shown``, nothing is drawn and tqdm is not imported.
    """

    def __init__(self, total: int, title: str, shown: bool) -> None:
        self._bar: Any = None
        if shown:
            from tqdm.auto import tqdm

            self._bar = tqdm(total=total, desc=title, unit="it")

    def __enter__(self) -> Self:
        return self

    def __exit__(
        self,
        kind: type[BaseException] | None,
        error: BaseException | None,
        traceback: TracebackType | None,
    ) -> None:
        if self._bar is not None:
            self._bar.close()

    def __call__(self, run: Run) -> None:
        """Count one iteration; show its number and the latest evaluated cost."""
        if self._bar is None:
            return
        if run.iteration % POSTFIX_EVERY == 0:
            cost = run.trace[-1].cost
            shown = {} if math.isnan(cost) else {"cost": f"{cost:.4g}"}
            self._bar.set_postfix({"iteration": run.iteration, **shown}, refresh=False)
        self._bar.update(1)
