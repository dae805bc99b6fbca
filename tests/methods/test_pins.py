"""Pinned points in a fit: they stay where ``init`` has them, and others find their places round."""

from __future__ import annotations

import numpy as np
import pytest

from nbembed.methods import HSSNE, SNE, Mbed, NeRV
from nbembed.objectives import Pinned
from nbembed.supervision import Supervision
from tests.methods.helpers import partly, quick


@pytest.mark.parametrize("kind", [HSSNE, SNE, NeRV, Mbed])
@pytest.mark.parametrize("optimizer", ["auto", "fixed-point", "conjugate-gradient", "l-bfgs"])
def test_pinned_points_stay_to_the_bit(kind, optimizer, pair):
    X, y = pair
    init = np.random.default_rng(0).standard_normal((80, 2)) * 3
    held = Supervision(80).label(np.flatnonzero(partly(y) == 0), "a").pin([0, 11, 79])
    method = quick(kind, init=init, optimizer=optimizer).fit(X, supervision=held)
    expected = init.astype(np.float32)
    assert method.embedding_[held.pinned].tobytes() == expected[held.pinned].tobytes()
    moved = np.linalg.norm(method.embedding_ - expected, axis=1) > 0
    assert moved.sum() == 77
    # From where the pins have held it: from `init`, NeRV ends in one of many optima.
    free = quick(kind, init=method.embedding_, optimizer=optimizer)
    free.fit(X, supervision=held.unpin([0, 11, 79]))
    if kind is not Mbed:  # its costs may be at different λ
        assert free.cost_ < method.cost_
    assert np.isfinite(method.embedding_).all()


@pytest.mark.parametrize(
    ("kind", "init"),
    [
        *((kind, init) for kind in (HSSNE, SNE, NeRV) for init in ("pca", "random")),
        (Mbed, "pca"),
        (Mbed, "noise"),
    ],
)
def test_pins_need_a_place(kind, init, pair):
    with pytest.raises(ValueError, match=r"supervision pins 2 points.*init must be an array"):
        quick(kind, init=init).fit(pair[0], supervision=Supervision(80).pin([1, 2]))


def test_a_live_run_of_mbed_holds_pins_without_an_init(pair):
    X, _ = pair
    told = Supervision(80).pin([1, 2])
    method = quick(Mbed)
    affinities = method.recipe.make_affinities(X, told)
    start = method.recipe.make_start(X, affinities, told, np.random.default_rng(0))
    objective = method.recipe.objective(affinities, told, start.geometry)
    assert isinstance(objective, Pinned)
    assert not objective.gradient(start.Y)[[1, 2]].any()
    assert method.recipe.memberships(start.Y, objective).shape == (80, 2)
    plain = method.recipe.objective(affinities, Supervision(80), start.geometry)
    assert not isinstance(plain, Pinned)
