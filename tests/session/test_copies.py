"""Values that a session hands out can be copied and pickled; what stands for it cannot."""

from __future__ import annotations

import copy
import pickle
from collections.abc import Iterator
from typing import Any

import numpy as np
import pytest

import nbembed as nb
from nbembed.optimizers import MomentumGradient
from nbembed.schedule import Stage
from nbembed.session.map.snapshots import Frame

WAYS = [copy.deepcopy, copy.copy, lambda value: pickle.loads(pickle.dumps(value))]


@pytest.fixture(scope="module")
def explorer() -> Iterator[Any]:
    X = np.random.default_rng(0).normal(size=(12, 3))
    explorer = nb.Explorer(X, nb.HSSNE(max_iter=10), autoplay=False, still=False)
    session = explorer.session
    session.label([0, 1], "a")
    session.switch("SNE")
    session.snapshot("one")
    session.wait()
    yield explorer
    explorer.close()


@pytest.mark.parametrize("way", WAYS)
def test_values_are_copied(explorer: Any, way: Any) -> None:
    snapshot = explorer.session.get_snapshot("one")
    again = way(snapshot)
    assert again.supervision == snapshot.supervision
    assert again.parameters == snapshot.parameters
    assert again.settings.others.keys() == snapshot.settings.others.keys() == {"HSSNE"}
    frame = explorer.session.frame()
    np.testing.assert_array_equal(way(frame).embedding, frame.embedding)
    membership = np.array([[0.25, 0.75]])
    full = Frame(1, 2, 3.0, 0.5, np.zeros((1, 2)), "paused", _membership=lambda: membership)
    np.testing.assert_array_equal(way(full).membership, membership)
    assert way(full).state == "paused"
    stage = Stage(3, MomentumGradient(), {"alpha": 1.0}, name="early")
    assert way(stage).parameters == {"alpha": 1.0}


@pytest.mark.parametrize("way", WAYS)
@pytest.mark.parametrize("part", ["session", "why", "class_styles", None])
def test_handles_say_how_a_session_is_kept(explorer: Any, way: Any, part: str | None) -> None:
    handle = explorer if part is None else getattr(explorer, part)
    with pytest.raises(TypeError, match=r"save\(path\).*load_session\(path\)"):
        way(handle)
