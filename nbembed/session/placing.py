"""Places of new rows on the live map, as ``transform`` of the estimators finds them."""

from __future__ import annotations

from typing import Any

import numpy as np

from nbembed.methods.out_of_sample import PlacesNewPoints
from nbembed.methods.registry import estimator_of
from nbembed.session.session import Session


def fitted_to_map(session: Session) -> PlacesNewPoints:
    """Return an estimator whose fit is the present map, for its ``transform``.

    Raises ValueError if the method has no placement of new rows, or there is no map yet.
    """
    recipe, kind = session.recipe, estimator_of(type(session.recipe))
    if kind is None or not issubclass(kind, PlacesNewPoints):
        raise ValueError(
            f"method must be able to place new rows, got {session.method_name}; make a new map "
            "of all rows, or switch to another method"
        )
    if recipe.takes_distances:
        raise ValueError(
            'metric must not be "precomputed": a map of all rows needs the dissimilarities among '
            "all of them"
        )
    frame = session.frame()
    if frame.version == 0:
        raise ValueError("there is no map yet: call play() first")
    affinities = session._controller.engine.affinities()
    if affinities is None:  # of a map that was read from a file and has not moved since
        affinities = recipe.make_affinities(session.X, session.supervision)
    estimator = kind(**recipe.parameters)
    estimator.n_features_in_ = session.X.shape[1]
    estimator.embedding_ = np.array(frame.embedding, dtype=np.float32)
    estimator._remember(session.X, affinities)
    return estimator


def going_on_from(session: Session, layout: Any) -> Any:
    """Return the present method, whose live parameters are as they are, beginning at a layout.

    A method that begins nowhere in particular gets the parameters alone.
    """
    recipe, now = session.recipe, session.parameters
    live = {p.name: now[p.name] for p in recipe.live_parameters}
    made = recipe.replace(**live)
    return made.replace(init=layout) if recipe.takes_layout else made
