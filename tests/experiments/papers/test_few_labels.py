"""The parts of the comparison with few labels; its figures are run by name."""

from __future__ import annotations

import numpy as np
import pytest
from sklearn.datasets import load_iris

from nbembed.experiments.papers import few_labels
from nbembed.experiments.papers.few_labels import (
    CLASSIFIERS,
    NEIGHBORS,
    Task,
    spreading,
    stratified,
)


def iris() -> Task:
    X, y = load_iris(return_X_y=True)
    return Task("iris", X, y, stratified(y, 12, 3))


def test_splits_have_as_many_labels_of_each_class():
    y = np.repeat([0, 1, 2], [20, 30, 40])
    splits = stratified(y, 12, 5)
    assert splits.shape == (5, 12)
    for split in splits:
        np.testing.assert_array_equal(np.bincount(y[split]), [4, 4, 4])
        assert np.unique(split).size == 12
    assert (splits[0] != splits[1]).any()
    np.testing.assert_array_equal(splits, stratified(y, 12, 5))


def test_the_error_is_that_of_unlabeled_points():
    task = iris()

    def always_zero(X, known, split):
        assert (known >= 0).sum() == 12
        return np.zeros(150, np.int64)

    assert task.error(always_zero, 1) == pytest.approx(100 * 92 / 138)


@pytest.mark.parametrize("name", [name for name in CLASSIFIERS if "Mbed" not in name])
def test_every_classifier_learns(name):
    assert iris().error(CLASSIFIERS[name], 0) < 40  # chance is 67


def test_the_table_has_a_row_for_each_and_a_verdict():
    figures = list(
        few_labels._rows(iris(), 12, 2, ("1-NN", "propagation")),
    )
    assert [figure.name.split(":")[1].split(",")[0].strip() for figure in figures[:3]] == [
        "LabelSpreading",
        "1-NN",
        "propagation",
    ]
    spread = min(
        np.mean([
            iris().error(lambda X, known, s, k=k: spreading(X, known, s, k), split)
            for split in (0, 1)
        ])
        for k in NEIGHBORS
    )  # fmt: skip
    assert figures[0].measured == pytest.approx(spread)
    best = min(figures[0].measured, figures[1].measured)
    assert figures[3].measured == pytest.approx(figures[2].measured - best)
    assert figures[3].high == 0
