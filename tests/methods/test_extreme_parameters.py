"""Extreme values of live parameters are refused before work starts, in a script and live."""

from __future__ import annotations

import math

import numpy as np
import pytest
from sklearn.datasets import load_iris

import nbembed as nb
from nbembed.methods.live_parameters import LiveParameter
from nbembed.methods.registry import estimator_of, registered

X, Y = load_iris(return_X_y=True)

PARAMETERS = [(kind, live) for kind in registered().values() for live in kind.live_parameters]
every = pytest.mark.parametrize(
    ("kind", "live"), PARAMETERS, ids=[f"{k.name}-{p.name}" for k, p in PARAMETERS]
)


def test_a_live_parameter_checks_its_own_value():
    live = LiveParameter("lam", "λ", 1, 2, 1, "…", minimum=0.5, maximum=10.0)
    assert live.check(np.float32(2)) == 2.0
    for value in (0.4, 11, math.inf, math.nan):
        with pytest.raises(ValueError, match=r"lam must be a finite number at least 0\.5"):
            live.check(value)
    with pytest.raises(TypeError, match="lam must be a number"):
        live.check("2")


@every
@pytest.mark.parametrize("value", [1e300, 1e-300, -1e300])
def test_an_extreme_value_is_refused_or_works(kind, live, value):
    recipe = kind().replace(**{live.name: value})
    supervision = nb.Supervision(150).label(range(5), "a").label(range(60, 65), "b")
    if live.minimum <= value <= live.maximum:
        recipe.check(150, supervision)
        return
    with pytest.raises(ValueError, match=f"{live.name} must be a finite number"):
        recipe.check(150, supervision)


@pytest.mark.parametrize(
    ("estimator", "message"),
    [
        (nb.Mbed(n_classes=3, lam=1e-300), "lam must be a finite number at least 1e-09"),
        (nb.Mbed(n_classes=3, lam=1e300), "lam must be a finite number .* at most 1e\\+09"),
        (nb.HSSNE(alpha=1e300), "alpha must be a finite number .* at most 1e\\+06"),
        (nb.HSSNE(metric="correlation"), "X must not have constant rows .* got 2"),
        (nb.baselines.SIsomap(metric="correlation"), "X must not have constant rows"),
    ],
    ids=repr,
)
def test_the_error_comes_before_the_work(estimator, message):
    data = X.copy()
    data[[3, 9]] = 0.1
    with pytest.raises(ValueError, match=message):
        estimator.fit(data)


@pytest.mark.parametrize(("kind", "name"), [("HSSNE", "alpha"), ("Mbed", "lam")])
def test_the_ends_of_the_legal_range_work(kind, name):
    (live,) = (p for p in registered()[kind].live_parameters if p.name == name)
    for value in (live.minimum, live.maximum):
        made = estimator_of(registered()[kind])(**{name: value}, random_state=0, max_iter=40)
        assert np.isfinite(made.fit(X, Y).embedding_).all()


def test_a_session_refuses_the_command():
    data = X.copy()
    data[3] = 0.1
    with nb.Session(data, nb.HSSNE(random_state=0)) as session:
        session.step(5, wait=True)
        for name, value, message in (
            ("alpha", 1e300, "alpha must be a finite number"),
            ("metric", "correlation", "X must not have constant rows"),
        ):
            with pytest.raises(ValueError, match=message):
                session.set(**{name: value})
        with pytest.raises(ValueError, match="X must not have constant rows"):
            session.switch(nb.NeRV(metric="correlation"))
        with pytest.raises(ValueError, match="lam must be a finite number"):
            session.switch(nb.Mbed(n_classes=3, lam=1e-300))
        session.step(5, wait=True)
        assert session.iteration == 10
        session.check()
    with pytest.raises(ValueError, match="X must not have constant rows"):
        nb.Session(data, nb.HSSNE(metric="correlation"))
