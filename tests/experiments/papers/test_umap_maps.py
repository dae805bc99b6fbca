"""UMAP beside other methods: only where it is installed, with labels and of sparse data."""

from __future__ import annotations

import sys
from types import SimpleNamespace

import numpy as np
import pytest
from scipy.sparse import csr_array
from sklearn.datasets import load_iris

from nbembed.experiments.papers import hssne, umap_maps


@pytest.fixture
def given(monkeypatch):
    """Put a stand-in in the place of UMAP; return what it was given."""
    seen = []

    class UMAP:
        def __init__(self, **options):
            seen.append(options)

        def fit(self, X, labels):
            seen.extend([X, labels])
            return SimpleNamespace(embedding_=np.asarray(X)[:, :2])

    monkeypatch.setitem(sys.modules, "umap", SimpleNamespace(UMAP=UMAP, __spec__=object()))
    return seen


def test_what_umap_is_given(given):
    X = csr_array(np.eye(4))
    labels = np.array([0, 1, -1, -1])
    assert umap_maps.has_umap()
    assert umap_maps.umap_map(X, labels).tolist() == np.eye(4)[:, :2].tolist()
    options, dense, known = given
    assert options == {"random_state": 0, "n_jobs": 1}
    assert isinstance(dense, np.ndarray)
    assert known is labels


def test_it_stands_beside_only_where_it_is_installed(given, monkeypatch):
    X, y = load_iris(return_X_y=True)
    assert 0.5 < hssne._umap(X, y)["UMAP"] <= 1
    monkeypatch.setattr(umap_maps, "find_spec", lambda name: None)
    assert hssne._umap(X, y) == {}
