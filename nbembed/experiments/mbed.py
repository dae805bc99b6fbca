"""The experiments of "Large Margin Non-Linear Embedding" (ICML 2005), section 7.

Semi-supervised: the ten official splits of 50 labels, error on the unlabeled points (Table 2).
Unsupervised: percentage of pairs on which labels and clusters disagree, best of ten restarts by the
margin criterion (Table 1).
"""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path

import numpy as np

from nbembed.datasets import read
from nbembed.experiments.base import Experiment, Figure
from nbembed.measures import inconsistent_pairs
from nbembed.methods import Mbed

LABELS = 50


def _semi_supervised(
    data: Path | None, name: str, published: float, limit: float
) -> Iterator[Figure]:
    found = read(data, name)
    errors = []
    for split in range(len(found.labeled[LABELS])):
        known = found.masked(split, LABELS)
        hidden = known == -1
        model = Mbed(random_state=split).fit(found.X, known)
        errors.append(100 * float(np.mean(model.labels_[hidden] != found.y[hidden])))
        yield Figure(f"split {split + 1}: test error, %", "", errors[-1], digits=2)
    yield Figure(
        "mean of the ten splits: test error, %",
        f"{published:.2f}",
        float(np.mean(errors)),
        high=limit,
        digits=2,
    )


def _g50c(data: Path | None) -> Iterator[Figure]:
    return _semi_supervised(data, "g50c", 5.32, 5.6)


def _text(data: Path | None) -> Iterator[Figure]:
    return _semi_supervised(data, "text_mac_win", 5.90, 6.6)


def _g50c_unsupervised(data: Path | None) -> Iterator[Figure]:
    found = read(data, "g50c")
    model = Mbed(n_classes=2, n_init=10, random_state=0).fit(found.X)
    yield Figure(
        "inconsistent pairs, %",
        "9.68",
        100 * inconsistent_pairs(model.labels_, found.y),
        high=12.0,
        digits=2,
    )


EXPERIMENTS = (
    Experiment(
        "mbed-g50c",
        "g50c, ten official splits of 50 labels (about 15 s)",
        ("g50c",),
        True,
        _g50c,
    ),
    Experiment(
        "mbed-g50c-unsupervised",
        "g50c without labels, best of ten restarts (about 15 s)",
        ("g50c",),
        True,
        _g50c_unsupervised,
    ),
    Experiment(
        "mbed-text",
        "TEXT (1946 × 7511), ten official splits of 50 labels (about 40 s)",
        ("text_mac_win",),
        True,
        _text,
    ),
)
