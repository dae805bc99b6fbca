"""A recipe from outside the package is steered like the built-in ones."""

from __future__ import annotations

import re
from pathlib import Path

import numpy as np
import pytest
from sklearn.datasets import load_iris

import nbembed as nb
from nbembed.methods import registry
from nbembed.session import load_session
from tests.waiting import GUARD

PAGE = Path(__file__).resolve().parents[2] / "docs" / "your-own-recipe.md"


@pytest.fixture(scope="module")
def names():
    """Return what the documented example defines, without its live part."""
    blocks = re.findall(r"```python\n(.*?)```", PAGE.read_text(encoding="utf-8"), re.DOTALL)
    found: dict[str, object] = {"__name__": "__main__"}
    for block in blocks[:2]:
        exec(compile(block, PAGE.name, "exec", dont_inherit=True), found)
    return found


@pytest.fixture
def scaling(names, monkeypatch):
    monkeypatch.setattr(registry, "_recipes", dict(registry._recipes))
    registry.register(names["Scaling"])
    return names["Scaling"]


def test_the_gradient_of_the_example_is_right(names, rng):
    X, Y = rng.normal(size=(12, 4)), rng.normal(size=(12, 2))
    objective = names["Stress"](names["pairwise_distances"](X), 1.0)
    _, gradient = objective.cost_and_gradient(Y)
    step, found = 1e-5, np.empty_like(Y)
    for index in np.ndindex(*Y.shape):
        ahead, back = Y.copy(), Y.copy()
        ahead[index] += step
        back[index] -= step
        found[index] = (objective.cost(ahead) - objective.cost(back)) / (2 * step)
    np.testing.assert_allclose(gradient, found, rtol=1e-6, atol=1e-9)


def test_it_is_steered_live(scaling, tmp_path):
    X = load_iris().data[::3]
    with nb.Session(X, scaling(random_state=0)) as session:
        session.pace = None
        assert "Scaling" in session.methods
        assert [p.symbol for p in session.live_parameters] == ["p"]
        session.step(40)
        session.wait(timeout=GUARD)
        raw = session.cost
        session.set(power=1.0)
        assert session.undo_text == "set p to 1"
        session.step(40)
        session.wait(timeout=GUARD)
        assert session.parameters["power"] == 1.0
        assert session.cost != raw
        session.pin([0])
        held = session.embedding[0]
        session.switch("HSSNE")
        session.switch("Scaling")
        assert session.parameters["power"] == 1.0
        session.undo()
        session.undo()
        session.step(5)
        session.play()
        assert session.wait("converged", GUARD)
        session.check()
        assert session.embedding[0].shape == held.shape
        again = session.replayed()
        assert again.embedding.tobytes() == session.embedding.tobytes()
        assert "session.set(power=1.0)" in session.to_script()
        session.save(tmp_path / "own")
        loaded = load_session(tmp_path / "own")
        assert loaded.method_name == "Scaling"
        assert loaded.embedding.tobytes() == session.embedding.tobytes()
        assert loaded.method is loaded.recipe


def test_a_recipe_that_is_not_registered_can_be_used_by_itself(names):
    X = load_iris().data[::5]
    with nb.Session(X, names["Scaling"](random_state=0)) as session:
        session.step(5)
        session.wait(timeout=GUARD)
        assert "Scaling" in session.methods
    with nb.Session(X) as other:
        assert "Scaling" not in other.methods
        with pytest.raises(ValueError, match="power must be"):
            other.switch(names["Scaling"](power=-1.0))
        assert "Scaling" not in other.methods, "nothing has changed"
        other.switch(names["Scaling"]())
        assert other.method_name == "Scaling"


def test_bad_values_are_refused_by_the_declaration(names):
    with pytest.raises(ValueError, match="power must be"):
        nb.Session(load_iris().data, names["Scaling"](power=-1.0))
    with pytest.raises(ValueError, match="'weight' is not a parameter of Scaling"):
        nb.Session(load_iris().data, names["Scaling"]()).set(weight=1.0)


def test_what_is_no_recipe_cannot_be_registered():
    with pytest.raises(TypeError, match="method must be a recipe class or an estimator class"):
        registry.register(np.mean)  # type: ignore[arg-type]
