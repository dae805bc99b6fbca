"""A map does not turn or flip when a parameter changes."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest
from numpy.typing import NDArray
from sklearn.datasets import load_iris

from nbembed.measures.map_comparison import align_map
from nbembed.methods import HSSNE
from nbembed.session import Session
from nbembed.session.core.methods import known_methods

X = load_iris().data[::3]
CLASSES = np.repeat(["a", "b", "c"], 50)[::3]
#: Degrees that a map may turn by a change.
TURN = 25.0
#: Maps of a larger disparity have too little in common, and one that has become smaller by so much
#: is a point beside the other: no turn can be told of them.
DISPARATE, SHRUNK = 0.7, 50.0
#: Places of a slider from which the map is looked at.
PLACES = 4


def mirrored(after: NDArray[Any], before: NDArray[Any]) -> bool:
    """Return whether one map is the other's mirror image: a map that is nearly a line is both."""
    A, B = (Y[:, :2] - Y[:, :2].mean(axis=0) for Y in (after.astype(float), before))
    u, sizes, v = np.linalg.svd(A.T @ B / (np.linalg.norm(A) * np.linalg.norm(B)))
    sign = np.sign(np.linalg.det(u @ v))
    as_it_is, in_a_mirror = (1 - (sizes[0] + s * sizes[1]) ** 2 for s in (sign, -sign))
    return bool(in_a_mirror < 0.8 * as_it_is)


@pytest.mark.parametrize("method", sorted(known_methods()))
def test_sliders_neither_turn_nor_flip_it(method: str) -> None:
    session = Session(X, HSSNE(random_state=0))
    session.pace = None
    for name in ("a", "b", "c"):
        session.label(np.flatnonzero(name == CLASSES)[:5], name)
    if method != session.method_name:
        session.switch(method)
    session.step(150, wait=True)
    session.snapshot("before")
    before = session.embedding[:, :2].astype(float)
    told = 0
    for parameter in session.live_parameters:
        space = np.geomspace if parameter.scale == "log" else np.linspace
        for value in space(parameter.low, parameter.high, PLACES).tolist():
            session.restore("before")
            session.set(**{parameter.name: value})
            session.step(60, wait=True)
            found = align_map(session.embedding[:, :2].astype(float), before)
            if found.disparity > DISPARATE or not 1 / SHRUNK < found.scale < SHRUNK:
                continue
            told += 1
            assert not mirrored(session.embedding, before), f"{parameter.name} = {value}"
            assert abs(found.turn) < TURN, f"{parameter.name} = {value}"
    session.close()
    assert told >= len(session.live_parameters)
