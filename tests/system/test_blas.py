"""The number of BLAS threads changes no bit of any map."""

from __future__ import annotations

import os
import threading
import warnings

import numpy as np
import pytest
import scipy.linalg  # noqa: F401  # its BLAS must be loaded to be limited
from sklearn.datasets import load_iris
from threadpoolctl import ThreadpoolController

import nbembed as nb
from nbembed import baselines, methods, posteriors, spectral
from nbembed.system.blas import one_blas_thread

FEW = {"max_iter": 4, "random_state": 0}
ESTIMATORS = {
    "SNE": lambda: nb.SNE(**FEW),
    "HSSNE": lambda: nb.HSSNE(**FEW),
    "NeRV": lambda: nb.NeRV(**FEW),
    "SNeRV": lambda: nb.SNeRV(
        metric=nb.LearningMetric(n_centroids=4, max_iter=5, cv=None, width=1.0), **FEW
    ),
    "Mbed": lambda: nb.Mbed(max_iter=30, random_state=0),
    "ParametricEmbedding": lambda: nb.ParametricEmbedding(
        classifier=posteriors.SoftNearestNeighbor(), **FEW
    ),
    "MRE": lambda: baselines.MRE(**FEW),
    "SIsomap": lambda: baselines.SIsomap(n_neighbors=60),
    "MUHSIC": lambda: baselines.MUHSIC(),
    "KPCATrick of LFDA": lambda: spectral.KPCATrick(learner=spectral.LFDA(gamma=0.1)),
} | {
    name: getattr(spectral, name)
    for name in spectral.__all__
    if hasattr(getattr(spectral, name), "fit")
}


def blas_threads():
    return {
        lib.num_threads for lib in ThreadpoolController().select(user_api="blas").lib_controllers
    }


def fitted(make, X, y, n_threads):
    with ThreadpoolController().limit(limits=n_threads, user_api="blas"), warnings.catch_warnings():
        warnings.simplefilter("ignore")
        made = make().fit(X, y)
        return made.embedding_, made.transform(X[:20] + 1e-3)


def test_the_list_is_complete():
    public = {
        name
        for package in (methods, spectral, baselines)
        for name in package.__all__
        if hasattr(getattr(package, name), "fit") and name != "Estimator"
    }
    assert public <= ESTIMATORS.keys()


@pytest.mark.parametrize("name", ESTIMATORS)
def test_one_and_two_threads_give_the_same_bits(name):
    X, y = load_iris(return_X_y=True)
    y[::2] = -1
    one, two = (fitted(ESTIMATORS[name], X, y, k) for k in (1, 2))
    assert np.array_equal(one[0], two[0])
    assert np.array_equal(one[1], two[1])


@pytest.mark.parametrize("name", ["NeRV", "MRE", "SIsomap", "LPP", "ParametricEmbedding"])
def test_many_features(name, rng):
    """BLAS divides longer sums than those of iris; from 501 points on, axes come by iteration."""
    X, y = rng.standard_normal((510, 800)), np.arange(510) % 3
    one, two = (fitted(ESTIMATORS[name], X, y, k) for k in (1, 2))
    assert np.array_equal(one[0], two[0])
    assert np.array_equal(one[1], two[1])


def test_blocks_nest_and_overlap():
    before = blas_threads()
    inside, leave = threading.Event(), threading.Event()

    @one_blas_thread()
    def work():
        inside.set()
        leave.wait(10)

    other = threading.Thread(target=work)
    with one_blas_thread():
        other.start()
        assert inside.wait(10)
        with one_blas_thread():
            assert blas_threads() == {1}
    assert blas_threads() == {1}, "the other thread is still inside"
    leave.set()
    other.join()
    assert blas_threads() == before


def test_an_error_lifts_the_limit():
    before = blas_threads()
    with pytest.raises(ValueError, match="n_components"):
        spectral.PCA(9).fit(np.eye(5))
    assert blas_threads() == before


@pytest.mark.skipif(not hasattr(os, "fork"), reason="there is no fork here")
@pytest.mark.filterwarnings("ignore:This process .* is multi-threaded:DeprecationWarning")
def test_a_forked_child_can_enter():
    with one_blas_thread():
        child = os.fork()
        if child == 0:
            with one_blas_thread():
                os._exit(0)
        assert os.waitpid(child, 0)[1] == 0


@pytest.mark.parametrize("method", [spectral.KPCATrick(), nb.NeRV(random_state=0)], ids=repr)
def test_live(method, rng):
    X, y = rng.standard_normal((120, 600)), np.arange(120) % 3
    seen = []
    for k in (1, 2):
        with (
            ThreadpoolController().limit(limits=k, user_api="blas"),
            nb.Session(X, method, supervision=y) as session,
        ):
            session.step(3, wait=True)
            seen.append(session.embedding)
    assert np.array_equal(*seen)
