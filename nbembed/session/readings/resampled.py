"""Maps of other seeds and samples of the points: how much of a session's map is chance.

Each is the cold start of the present method and its parameters, without labels, links and pins, of
another seed and another nine tenths of the points. They are made one after the other, on one core,
while the map of the session rests.
"""

from __future__ import annotations

import time
from collections.abc import Callable
from dataclasses import replace
from typing import Any

import numpy as np
from numpy.typing import NDArray

from nbembed.session.core.methods import recipe_of_part
from nbembed.session.core.settings import Settings
from nbembed.session.map.engine import Engine
from nbembed.session.readings.unsupervised import run_to_rest
from nbembed.supervision import Supervision

#: How many, and the share of the points that each is of.
MAPS, SHARE = 5, 0.9
#: Seconds between two looks at a map in motion.
PAUSE = 0.05


def resampled_maps(
    engine: Engine,
    settings: Settings,
    given_up: Callable[[], bool],
    yields: Callable[[], bool],
    told: Callable[[int], None],
) -> list[NDArray[np.float32]]:
    """Return the maps, with rows of NaN for points that are left out.

    * engine: whose data they are of.
    * settings: without labels, links and pins.
    * given_up, yields: as :func:`run_to_rest` asks them.
    * told: told how many maps there are.

    Raises Interrupted if they were given up.
    """

    def rest(_: int) -> None:
        while yields() and not given_up():
            time.sleep(PAUSE)

    n, maps = engine.n_points, []
    for k in range(1, MAPS + 1):
        rest(0)
        rng = np.random.default_rng([settings.recipe.seed, k])
        rows = np.sort(rng.choice(n, round(SHARE * n), replace=False))
        apart = settings.recipe.takes_distances
        X: Any = engine.X[rows][:, rows] if apart else engine.X[rows]
        of_rows = _settings_of(settings, len(rows), int(rng.integers(2**31)))
        found = run_to_rest(type(engine)(X, of_rows), given_up, lambda: False, rest).embedding
        shown = np.full((n, found.shape[1]), np.nan, dtype=np.float32)
        shown[rows] = found
        maps.append(shown)
        told(k)
    return maps


def _settings_of(settings: Settings, n_samples: int, seed: int) -> Settings:
    """Return settings of fewer points, and of another seed."""
    nothing = Supervision(n_samples, settings.supervision.classes)
    # A layout to begin with is of other points, and would make all of these maps alike.
    recipe = settings.recipe.without_layout().reseeded(seed)
    try:
        recipe.check(n_samples, nothing)
    except ValueError:  # a perplexity, say, that is too large for fewer points
        recipe = recipe_of_part(recipe)
    return replace(settings, recipe=recipe.live(n_samples), supervision=nothing)
