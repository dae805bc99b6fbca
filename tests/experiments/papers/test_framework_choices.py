"""The accuracy at every choice of the framework's learners, beside that of chosen ones."""

from __future__ import annotations

from types import SimpleNamespace

import numpy as np
import pytest
from sklearn.datasets import load_iris

from nbembed.experiments.papers import framework, framework_choices
from nbembed.experiments.papers.framework import CHOICES, Task
from nbembed.experiments.papers.framework_choices import EXPERIMENTS, accuracies, at_best

TASK = Task("iris", 2)


@pytest.fixture
def iris():
    X, y = load_iris(return_X_y=True)
    return framework.linear(X), y


def test_a_learner_without_choices_has_the_accuracy_of_its_figure(iris):
    shared = (*iris, 10, TASK, "LFDA")
    assert accuracies(shared, 3) == [pytest.approx(100 * framework._score(shared, 3))]


def test_what_is_chosen_is_one_of_the_choices(iris):
    shared = (*iris, 10, TASK, "SELF")
    found = accuracies(shared, 3)
    assert len(found) == len(CHOICES["SELF"][1])
    assert len(set(found)) > 1
    assert any(np.isclose(100 * framework._score(shared, 3), found))


def test_the_best_choice_is_that_of_all_splits_together(iris, monkeypatch):
    X, y = load_iris(return_X_y=True)
    monkeypatch.setattr(framework_choices, "load", lambda name, data: SimpleNamespace(X=X, y=y))
    monkeypatch.setattr(framework_choices, "SPLITS", range(2))
    monkeypatch.setattr(framework_choices, "TASKS", (TASK,))
    monkeypatch.setattr(framework_choices, "MORE", ())
    monkeypatch.setattr(framework_choices, "LEARNERS", {"SELF": CHOICES["SELF"]})
    found = {figure.name: figure for figure in EXPERIMENTS[0].figures(None)}
    assert len(found) == 4  # linear and by the kernel, few labels and many
    of_splits = np.array([accuracies((*iris, 10, TASK, "SELF"), split) for split in range(2)])
    best = found[at_best("iris", 10, "SELF")]
    assert best.measured == pytest.approx(of_splits.mean(axis=0).max())
    assert best.measured <= of_splits.max(axis=1).mean()


def test_the_default_epsilon_stands_beside_others(monkeypatch):
    X, y = load_iris(return_X_y=True)
    monkeypatch.setattr(framework_choices, "load", lambda name, data: SimpleNamespace(X=X, y=y))
    monkeypatch.setattr(framework_choices, "SPLITS", range(2))
    monkeypatch.setattr(framework_choices, "EPSILON_TASKS", (("iris", (2,)),))
    found = {figure.name: figure for figure in EXPERIMENTS[1].figures(None)}
    few = found["iris, 10 labels, 2 axes, γ = 1: %"]
    assert len(found) == 4
    assert few.others.keys() == {"ε = 0.1", "ε = 1", "ε = γ"}
    assert few.others["ε = 1"] != few.measured
    unit = "iris, 10 labels, 2 axes, γ = 0.01: %"
    assert found[unit].others["ε = γ"] != few.others["ε = γ"]
