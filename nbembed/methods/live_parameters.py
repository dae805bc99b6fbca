"""Parameters that have sliders: what a recipe says of those that may change while the map moves."""

from __future__ import annotations

import math
from dataclasses import dataclass
from typing import Any, Literal

from nbembed.validation import check_real


@dataclass(frozen=True)
class LiveParameter:
    """A parameter that may be changed while the map moves.

    Attributes
    ----------
    name : str
        The recipe's field.
    symbol : str
        What people call it, for example "α": the slider's label and accessible name.
    low, high : float
        The slider's range. The recipe may allow more; see ``minimum`` and ``maximum``.
    default : float
        Where the slider stands when the recipe's own value is a word such as "anneal".
    description : str
        One sentence: what more of it does to the map.
    scale : {"linear", "log"}
        How the slider divides its range.
    step : float or None
        The slider's step on a linear scale; ``None`` lets the front end choose.
    minimum, maximum : float
        What is legal for the recipe; outside is a ValueError.
    invalidates : {"display", "objective", "affinities"}
        The first thing along the data flow that a change invalidates. With "objective" a change
        goes through ``objective.with_parameters`` and costs no other pass over pairs.
    needs : {"", "links", "must-links"}
        Without labels or links ("links"), or without links whatever the labels ("must-links"), the
        parameter means nothing and its slider is disabled.
    """

    name: str
    symbol: str
    low: float
    high: float
    default: float
    description: str
    scale: Literal["linear", "log"] = "linear"
    step: float | None = None
    minimum: float = -math.inf
    maximum: float = math.inf
    invalidates: Literal["display", "objective", "affinities"] = "objective"
    needs: Literal["", "links", "must-links"] = ""

    def check(self, value: Any) -> float:
        """Return a legal value as a number.

        Raises
        ------
        TypeError, ValueError
            If it is no finite number in [``minimum``, ``maximum``].
        """
        return check_real(self.name, value, low=self.minimum, high=self.maximum)
