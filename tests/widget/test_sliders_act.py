"""Every slider of every method moves the map, or is disabled and says why."""

from __future__ import annotations

from collections.abc import Callable

import numpy as np
import pytest
from sklearn.datasets import load_iris

from nbembed.methods import HSSNE
from nbembed.session import Session
from nbembed.session.core.methods import known_methods
from nbembed.widget.stream.serializers import controls

_iris = load_iris()
X, classes = _iris.data[::3], _iris.target_names[_iris.target][::3]


def label(session: Session) -> None:
    for name in np.unique(classes):
        session.label(np.flatnonzero(name == classes)[:5], name)


def link(session: Session) -> None:
    session.must_link([0, 20, 40])
    session.cannot_link([1], [21])


SAID: dict[str, tuple[Callable[[Session], None], ...]] = {
    "nothing": (),
    "labels": (label,),
    "labels and links": (label, link),
}


@pytest.mark.parametrize("said", SAID)
@pytest.mark.parametrize("method", sorted(known_methods()))
def test_a_slider_moves_the_map_or_is_disabled(method: str, said: str) -> None:
    with Session(X, HSSNE(random_state=0)) as session:
        session.pace = None
        label(session)  # some methods cannot begin without
        if method != session.method_name:
            session.switch(method)
        if label not in SAID[said]:
            session.forget(np.arange(len(X)))
        if link in SAID[said]:
            link(session)
        session.step(40, wait=True)
        session.snapshot("before")
        moved = 0
        for parameter, control in zip(session.live_parameters, controls(session)):
            assert control["enabled"] or control["needs"]
            present = session.parameters[parameter.name]
            layouts = []
            for value in (present, parameter.low, parameter.high):
                session.restore("before")
                session.set(**{parameter.name: value})
                session.step(2, wait=True)
                layouts.append(session.embedding[: len(X)])
            stays = all(np.array_equal(layout, layouts[0]) for layout in layouts)
            if control["enabled"]:
                assert not stays, f"{parameter.name} changes nothing"
                moved += 1
        assert moved or not session.live_parameters or label not in SAID[said]
