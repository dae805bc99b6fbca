from __future__ import annotations

import numpy as np
import pytest
from sklearn.datasets import load_iris, load_wine

from nbembed.baselines import MRE, MUHSIC, SIsomap


@pytest.fixture(params=[SIsomap, MUHSIC, MRE], ids=lambda kind: kind.__name__)
def kind(request):
    return request.param


@pytest.fixture
def baseline(kind):
    """Return a baseline whose fit on few points is quick and converges."""
    return kind(random_state=0, n_jobs=1) if kind is MRE else kind(n_neighbors=12)


@pytest.fixture(scope="session")
def blobs():
    """Return two overlapping Gaussian classes of 30 points each in 4 dimensions."""
    rng = np.random.default_rng(3)
    y = np.repeat([0, 1], 30)
    X = rng.standard_normal((60, 4))
    X[:, 0] += 1.5 * y
    return X, y


@pytest.fixture(scope="session")
def iris():
    return load_iris(return_X_y=True)


@pytest.fixture(scope="session")
def wine():
    X, y = load_wine(return_X_y=True)
    return (X - X.mean(axis=0)) / X.std(axis=0), y
