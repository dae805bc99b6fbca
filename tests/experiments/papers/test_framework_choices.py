"""The accuracy at every choice of the framework's learners, beside that of chosen ones."""

from __future__ import annotations

import sys
from functools import partial
from types import SimpleNamespace

import numpy as np
import pytest
from sklearn.datasets import load_iris

from nbembed.experiments.papers import framework, framework_choices
from nbembed.experiments.papers.framework import CHOICES, Task
from nbembed.experiments.papers.framework_choices import accuracies, main

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


def test_the_best_choice_is_printed_for_each_number_of_axes(monkeypatch, capsys):
    X, y = load_iris(return_X_y=True)
    monkeypatch.setattr(framework_choices, "load", lambda name, data: SimpleNamespace(X=X, y=y))
    monkeypatch.setattr(framework_choices, "SPLITS", range(2))
    learners = (("LFDA", "SELF"),)
    run = partial(framework._figures, 10, learners, (TASK,), framework.linear)
    monkeypatch.setattr(framework_choices, "RUNS", {"small": run})
    monkeypatch.setattr(sys, "argv", ["framework_choices", "small", "--axes", "1", "2"])
    main()
    lines = capsys.readouterr().out.splitlines()
    told = [(count, learner) for count in (1, 2) for learner in learners[0]]
    for line, (count, learner) in zip(lines, told, strict=True):
        assert line.startswith(f"iris, 10 labels, {count} axes: {learner} ")
    assert "pca_weight" in lines[1]
