"""Costs, gradients, affinities and axes against other people's programs, by recorded numbers.

``tests/recorded/record_other_programs.py`` made them and says how. For Mbed, Parametric Embedding,
MUHSIC and MRE no program of others could be had.
"""

from __future__ import annotations

import json

import numpy as np
import pytest
from scipy.linalg import subspace_angles

from nbembed.affinities import perplexity_affinities
from nbembed.objectives import HeavyTailed, NeighborRetrieval
from nbembed.spectral import LFDA
from tests.recorded.record_other_programs import (
    ALPHAS,
    FILE,
    NEIGHBOR,
    PERPLEXITY,
    TRADEOFFS,
    affinities,
    neighborhoods,
    points,
    standardized_wine,
)

RECORDED = json.loads(FILE.read_text(encoding="utf-8"))


@pytest.mark.parametrize("alpha", ALPHAS)
def test_the_heavy_tailed_cost_is_that_of_opentsne_with_dof(alpha):
    """Both are exact in float64: rounding of sums of 870 pairs."""
    theirs = RECORDED["openTSNE"]
    Y = np.array(theirs["Y"])
    cost, gradient = HeavyTailed(affinities(points()), alpha=alpha).cost_and_gradient(Y)
    found = theirs["by alpha"][str(alpha)]
    assert cost == pytest.approx(found["cost"], rel=1e-9)
    np.testing.assert_allclose(gradient, 4 * np.array(found["gradient"]), rtol=1e-8, atol=1e-10)


@pytest.mark.parametrize("alpha", ALPHAS)
def test_the_heavy_tailed_gradient_is_that_of_sneer(alpha):
    """Both are exact in float64."""
    Y = np.array(RECORDED["openTSNE"]["Y"])
    _, gradient = HeavyTailed(affinities(points()), alpha=alpha).cost_and_gradient(Y)
    theirs = RECORDED["sneer"]["HSSNE by alpha"][str(alpha)]
    np.testing.assert_allclose(gradient, theirs, rtol=1e-9, atol=1e-12)


@pytest.mark.parametrize("tradeoff", TRADEOFFS)
def test_the_gradient_of_neighbor_retrieval_is_that_of_sneer(tradeoff):
    """Each neighborhood has its own width. sneer adds 2e-16 to probabilities before logarithms."""
    P, widths = neighborhoods(points())
    Y = np.array(RECORDED["openTSNE"]["Y"])
    _, gradient = NeighborRetrieval(P, tradeoff, width=widths).cost_and_gradient(Y)
    theirs = RECORDED["sneer"]["NeRV by tradeoff"][str(tradeoff)]
    np.testing.assert_allclose(gradient, theirs, rtol=1e-8, atol=1e-10)


@pytest.mark.parametrize("tradeoff", TRADEOFFS)
def test_neighbor_retrieval_is_that_of_its_authors(tradeoff):
    """Cost and gradient of dredviz, both exact in float64, each neighborhood with its own width."""
    P, widths = neighborhoods(points())
    Y = np.array(RECORDED["openTSNE"]["Y"])
    cost, gradient = NeighborRetrieval(P, tradeoff, width=widths).cost_and_gradient(Y)
    theirs = RECORDED["dredviz"]["NeRV by tradeoff"][str(tradeoff)]
    assert cost == pytest.approx(len(Y) * theirs["cost"], rel=1e-9)
    np.testing.assert_allclose(gradient, 2 * np.array(theirs["gradient"]), rtol=1e-8, atol=1e-10)


def test_affinities_are_those_of_opentsne():
    """Both search for the width until the entropy is close enough: about 1e-8 of it."""
    theirs = np.array(RECORDED["openTSNE"]["P"])
    X = points()
    rows = perplexity_affinities(X, PERPLEXITY, dtype=np.float64).P
    ours = (rows + rows.T) / (2 * len(X))
    np.testing.assert_allclose(ours, theirs, rtol=0, atol=1e-7 * theirs.max())


@pytest.mark.parametrize("program", ["metric-learn", "lfda"])
def test_local_fisher_axes_are_those_of(program):
    theirs = np.array(RECORDED[program]["components"])
    X, y = standardized_wine()
    ours = LFDA(2, scale_neighbor=NEIGHBOR, epsilon=0.0).fit(X, y).components_
    assert subspace_angles(ours.T, theirs.T).max() < 1e-10
    # Axis by axis too: both order them by the ratio of the scatters.
    cosines = np.abs(np.sum(ours * theirs, axis=1))
    cosines /= np.linalg.norm(ours, axis=1) * np.linalg.norm(theirs, axis=1)
    np.testing.assert_allclose(cosines, 1, rtol=0, atol=1e-12)
