"""The experiments on posteriors: what baselines are given, and the one whose data are bundled."""

from __future__ import annotations

import numpy as np
import pytest

from nbembed import experiments
from nbembed.experiments.papers.parametric import distances, divergences


def test_baselines_are_given_divergences_and_distances(rng):
    proba = rng.dirichlet(np.ones(4), 12)
    proba[0] = [1, 0, 0, 0]
    squared = divergences(proba) ** 2
    apart = distances(proba)
    for i in range(12):
        for j in range(12):
            terms = [p * np.log(p / max(q, 1e-12)) for p, q in zip(proba[i], proba[j]) if p > 0]
            assert squared[i, j] == pytest.approx(sum(terms), abs=1e-9)
            assert apart[i, j] == pytest.approx(np.linalg.norm(proba[i] - proba[j]), abs=1e-7)


@pytest.mark.slow
def test_digits(capsys):
    """prec(100) on digits with few labels is above that of SNE and of MDS."""
    assert experiments.run("pe-digits") == 0, capsys.readouterr().out
