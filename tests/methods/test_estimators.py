"""What scikit-learn expects of an estimator, and what every method promises beyond that."""

from __future__ import annotations

import pickle

import numpy as np
import pytest
from scipy import sparse
from sklearn.base import clone
from sklearn.metrics import pairwise_distances

from nbembed.methods import Mbed
from nbembed.optimizers import LBFGS, ConjugateGradient, FixedPoint, MomentumGradient
from nbembed.supervision import Supervision
from tests.methods.helpers import partly, quick


def test_fit_sets_what_it_should_and_leaves_the_data_alone(kind, pair):
    X, _ = pair
    before = X.copy()
    method = quick(kind)
    parameters = method.get_params()
    assert method.fit(X) is method
    assert np.array_equal(X, before)
    assert method.get_params() == parameters
    assert method.embedding_.shape == (80, 2)
    assert method.embedding_.dtype == np.float32
    assert np.isfinite(method.embedding_).all()
    assert np.isfinite(method.cost_)
    assert method.n_features_in_ == 10
    assert method.n_iter_ == len(method.trace_) == method.trace_[-1].iteration
    assert method.n_iter_ <= method.max_iter
    assert method.supervision_ == Supervision(80)
    assert not hasattr(method, "feature_names_in_")


def test_the_same_seed_gives_the_same_bits(kind, pair):
    X, _ = pair
    maps = [quick(kind, random_state=5).fit_transform(X) for _ in range(2)]
    assert np.array_equal(*maps)
    assert not np.array_equal(maps[0], quick(kind, random_state=6).fit_transform(X))


def test_a_generator_is_drawn_from(kind, pair):
    X, _ = pair
    rng = np.random.default_rng(5)
    first = quick(kind, random_state=rng).fit_transform(X)
    assert np.array_equal(first, quick(kind, random_state=5).fit_transform(X))
    assert not np.array_equal(first, quick(kind, random_state=rng).fit_transform(X))


def test_the_number_of_threads_does_not_matter(kind):
    X = np.random.default_rng(0).standard_normal((300, 5))
    one, two = (quick(kind, n_jobs=k, max_iter=40).fit_transform(X) for k in (1, 2))
    assert np.array_equal(one, two)


def test_a_fitted_method_survives_pickling(kind, pair):
    X, y = pair
    method = quick(kind).fit(X, partly(y))
    copy = pickle.loads(pickle.dumps(method))
    assert np.array_equal(copy.embedding_, method.embedding_)
    assert copy.supervision_ == method.supervision_
    assert repr(copy.trace_) == repr(method.trace_)  # where a cost is nan it equals nothing


def test_dissimilarities_and_sparse_data_give_the_same_map(kind, pair):
    X, _ = pair
    dense = quick(kind, init="random") if kind is not Mbed else quick(kind)
    expected = dense.fit_transform(X)
    D = pairwise_distances(X)
    given = clone(dense).set_params(metric="precomputed").fit(D)
    assert given.__sklearn_tags__().input_tags.pairwise
    # Distances differ by rounding, which an optimizer may amplify: the cost must not.
    assert given.cost_ == pytest.approx(dense.cost_, rel=0.05)
    loose = clone(dense).fit(sparse.csr_matrix(X))
    assert loose.cost_ == pytest.approx(dense.cost_, rel=0.05)
    assert expected.shape == given.embedding_.shape == loose.embedding_.shape


def test_other_metrics(kind, pair):
    X, _ = pair
    by_name = quick(kind, metric="cityblock").fit(X)
    by_hand = quick(kind, metric=lambda a, b: np.abs(a - b).sum()).fit(X)
    assert by_hand.cost_ == pytest.approx(by_name.cost_, rel=0.05)


@pytest.mark.parametrize(
    "optimizer",
    [
        "fixed-point",
        "conjugate-gradient",
        "momentum",
        "l-bfgs",
        FixedPoint(),
        ConjugateGradient(),
        MomentumGradient(momentum=0.5),
        LBFGS(memory=4),
    ],
    ids=str,
)
def test_every_optimizer_lowers_the_cost(kind, pair, optimizer):
    X, y = pair
    method = quick(kind, optimizer=optimizer, max_iter=150).fit(X, partly(y))
    affinities = method.recipe.make_affinities(X, method.supervision_)
    rng = np.random.default_rng(0)
    start = method.recipe.make_start(X, affinities, method.supervision_, rng)
    objective = method.recipe.make_objective(affinities, method.supervision_, start.geometry)
    assert method.cost_ < objective.cost(start.Y.astype(np.float32))


def test_callbacks_hear_every_iteration_and_may_stop(kind, pair):
    X, _ = pair
    heard = []

    def stop(run):
        heard.append(run.iteration)
        return run.iteration == 7

    method = quick(kind, callbacks=stop).fit(X)
    assert heard == list(range(1, 8))
    assert method.n_iter_ == 7
    assert np.isfinite(method.embedding_).all()
    truthy = quick(kind, callbacks=[lambda run: "yes", lambda run: None]).fit(X)
    assert truthy.n_iter_ > 7, "only True stops"


def test_a_failing_callback_is_not_swallowed(kind, pair):
    def fail(run):
        raise KeyError("mine")

    with pytest.raises(KeyError, match="mine"):
        quick(kind, callbacks=[fail]).fit(pair[0])


@pytest.mark.parametrize("verbose", [1, True])
def test_a_progress_bar_on_request_only(kind, verbose, pair, capsys):
    X, _ = pair
    quiet = quick(kind).fit(X)
    out = capsys.readouterr()
    assert (out.out, out.err) == ("", "")
    loud = quick(kind, verbose=verbose).fit(X)
    bar = capsys.readouterr().err
    assert kind.__name__ in bar
    assert "iteration=" in bar
    assert "cost=" in bar
    assert np.array_equal(loud.embedding_, quiet.embedding_)


def test_refitting_forgets_the_first_fit(kind, pair):
    X, y = pair
    method = quick(kind).fit(X, partly(y))
    again = method.fit(X[:40, :4])
    assert again.embedding_.shape == (40, 2)
    assert again.n_features_in_ == 4
    assert again.supervision_ == Supervision(again.supervision_.n_samples)
