"""t-SNE without labels on SNeRV's data and folds, error by fold: how much of the result is labels'.

The same points and hidden folds as in the complete protocol of :mod:`.snerv`, whose errors the
paired test compares these with. One map serves all folds, since it knows no labels.
"""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path

import numpy as np
from sklearn.model_selection import KFold

from nbembed.datasets import load, read
from nbembed.experiments.papers.base import Experiment, Figure
from nbembed.experiments.papers.snerv import FOLDS, PHONEMES, error, largest_classes, sample
from nbembed.methods import HSSNE


def _figures(data: Path | None) -> Iterator[Figure]:
    letter, satellite, phoneme = load("letter"), load("satellite"), read(data, "lvq_phoneme")
    for title, (X, y) in (
        ("Letter", sample(letter.X, letter.y)),
        ("Landsat", sample(satellite.X, satellite.y)),
        ("Phoneme", sample(*largest_classes(phoneme.X, phoneme.y, PHONEMES))),
    ):
        Y = HSSNE(alpha=1, random_state=0).fit_transform(X)
        folds = KFold(FOLDS, shuffle=True, random_state=0).split(X)
        errors = [error(Y, y, np.isin(np.arange(len(X)), train)) for train, _ in folds]
        for fold, found in enumerate(errors, 1):
            yield Figure(f"fold {fold}: t-SNE on {title}: error, %", "", found, digits=1)
        yield Figure(
            f"t-SNE on {title}: mean error, %",
            "",
            float(np.mean(errors)),
            digits=2,
            spread=float(np.std(errors, ddof=1)),
        )


EXPERIMENTS = (
    Experiment(
        "snerv-unlabeled",
        "t-SNE without labels on Letter, Landsat and Phoneme, ten folds (about 20 s)",
        ("lvq_phoneme",),
        False,
        _figures,
    ),
)
