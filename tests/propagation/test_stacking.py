"""A linear classifier beside the graph: where labels favor it, and nowhere else."""

from __future__ import annotations

import numpy as np
import pytest
from scipy import sparse
from sklearn.datasets import load_digits, make_blobs
from sklearn.linear_model import LogisticRegression

import nbembed as nb
from nbembed.kernels.threads import Interrupted
from nbembed.propagation import Propagation, neighbor_affinities
from nbembed.propagation.incremental import left_out
from nbembed.propagation.linear import WEIGHT, WIDEST, LinearClassifier, evenly
from nbembed.propagation.stacking import EVEN, SHARES, Stacking, best_share
from nbembed.supervision import as_supervision


def crossed(n_labels=60, n=500, seed=0):
    """Return one cloud of ten dimensions that a plane cuts in two, and labels of some points."""
    rng = np.random.default_rng(seed)
    X = rng.normal(size=(n, 10)) * np.linspace(1, 3, 10)
    y = (X @ np.r_[3.0, 3.0, 3.0, np.zeros(7)] > 0).astype(int)
    known = np.full(n, -1)
    known[:n_labels] = y[:n_labels]
    return X, y, known


def floored(p):
    return (1 - EVEN) * p + EVEN / p.shape[1]


def error(model, y, known):
    hidden = known == -1
    return float(np.mean(model.transduction_[hidden] != y[hidden]))


def test_a_plane_through_a_cloud_is_found():
    X, y, known = crossed()
    alone = nb.PropagationClassifier(linear_share=0).fit(X, known)
    both = nb.PropagationClassifier().fit(X, known)
    assert error(alone, y, known) > 0.2
    assert error(both, y, known) < 0.1
    assert both.suggestions_.linear_share > 0.2
    assert alone.suggestions_.linear_share == 0


def test_there_are_suggestions_before_the_share_is_found_anew(monkeypatch):
    X, _, known = crossed()
    y = np.where(np.arange(500) < 65, (X @ np.r_[3.0, 3.0, 3.0, np.zeros(7)] > 0).astype(int), -1)
    stacking = Stacking(Propagation(neighbor_affinities(X), perplexity=None), X)
    before = []
    first = stacking.update(as_supervision(known, 500), before.append)
    assert (before[0].linear_share, len(before)) == (0, 1)
    assert first.linear_share > 0.2
    # Five more labels of sixty are too few for a new share.
    stacking.update(as_supervision(y, 500), before.append)
    assert len(before) == 1
    fewer = as_supervision(np.where(np.arange(500) < 40, known, -1), 500)
    last = stacking.update(fewer, before.append)
    assert before[1].linear_share == first.linear_share != last.linear_share

    def given_up(*_):
        raise Interrupted

    again = as_supervision(known, 500)
    with monkeypatch.context() as patch:
        patch.setattr(Stacking, "_judged", given_up)
        with pytest.raises(Interrupted):
            stacking.update(again)
    assert stacking.update(again).linear_share == first.linear_share


def test_clusters_are_left_to_the_graph():
    X, y = load_digits(return_X_y=True)
    known = np.where(np.arange(y.size) % 20 == 0, y, -1)
    both = nb.PropagationClassifier().fit(X, known)
    alone = nb.PropagationClassifier(linear_share=0).fit(X, known)
    assert both.suggestions_.linear_share < 0.2
    assert error(both, y, known) <= error(alone, y, known) + 0.002


def test_too_few_labels_change_nothing():
    X, y = make_blobs(200, 4, centers=4, random_state=0)
    first = [np.flatnonzero(y == k)[0] for k in range(4)]
    known = np.full(200, -1)
    known[first] = y[first]
    both = nb.PropagationClassifier().fit(X, known)
    alone = nb.PropagationClassifier(linear_share=0).fit(X, known)
    np.testing.assert_array_equal(both.label_distributions_, alone.label_distributions_)


def test_a_given_share_mixes_both():
    X, _, known = crossed()
    labels = as_supervision(known, len(X))
    graph = nb.PropagationClassifier(linear_share=0).fit(X, known).label_distributions_
    mixed = nb.PropagationClassifier(linear_share=0.25).fit(X, known).label_distributions_
    points = labels.labeled
    linear = LinearClassifier(X).probabilities(
        points, labels.top_class[points], np.ones(points.size), 2
    )
    hidden = known == -1
    expected = floored(graph) ** 0.75 * floored(linear) ** 0.25
    expected /= expected.sum(axis=1, keepdims=True)
    np.testing.assert_allclose(mixed[hidden], expected[hidden], atol=1e-12)
    np.testing.assert_array_equal(mixed[~hidden], graph[~hidden])


def test_the_linear_classifier_is_logistic_regression():
    X, y, _ = crossed(n_labels=0)
    X, y = X + 100.0, np.digitize(X[:, 0], [-0.5, 0.5])
    points = np.arange(40)
    scaled = (X - X.mean(axis=0)) / np.sqrt(X.var(axis=0).sum())
    peer = LogisticRegression(C=WEIGHT, tol=1e-8, max_iter=10_000).fit(scaled[points], y[points])
    for data in (X, sparse.csr_array(X), X.astype(np.float32)):
        ours = LinearClassifier(data).probabilities(points, y[points], np.ones(40), 4)
        np.testing.assert_allclose(ours[:, :3], peer.predict_proba(scaled), atol=0.02)
        assert (ours[:, 3] == 0).all(), "a class without a label"


def test_points_in_a_few_directions_of_many_take_no_more():
    rng = np.random.default_rng(0)
    X = rng.normal(size=(50, 2)) @ rng.normal(size=(2, 4000))
    points = np.arange(8)
    found = LinearClassifier(X).probabilities(points, points % 2, np.ones(8), 2, np.arange(3))
    assert found.shape == (3, 2)
    np.testing.assert_allclose(found.sum(axis=1), 1)


def test_very_wide_data_are_left_to_the_graph():
    X, _, known = crossed(n_labels=40, n=80)
    wide = sparse.csr_array((80, WIDEST + 1))
    wide = sparse.csr_array(sparse.hstack([sparse.csr_array(X), wide[:, 10:]]))
    assert LinearClassifier(wide).useless
    model = nb.PropagationClassifier().fit(wide, known)
    assert model.suggestions_.linear_share == 0


def test_left_out_labels_are_those_of_a_propagation_without_them():
    X, _, known = crossed(n_labels=20, n=200)
    affinities = neighbor_affinities(X)
    labels = as_supervision(known, 200)
    propagation = Propagation(affinities)
    before = propagation.update(labels).probabilities
    parts = [np.array([0, 5]), np.array([3])]
    found = left_out(propagation, labels, parts)
    for place, part in ((slice(0, 2), parts[0]), (slice(2, 3), parts[1])):
        without = Propagation(affinities).update(labels.forget(part))
        np.testing.assert_allclose(found[place], without.probabilities[part], atol=1e-3)
    np.testing.assert_array_equal(propagation.update(labels).probabilities, before)


def rows(own, right, n_classes=3):
    """Return rows in which each label's own class, or the one after it, has a probability."""
    p = np.full((own.size, n_classes), (1 - right) / (n_classes - 1))
    p[np.arange(own.size), own] = right
    return p


def test_the_share_follows_what_labels_say():
    own = np.arange(60) % 3
    sure, even = rows(own, 0.95), rows(own, 1 / 3)
    assert best_share(sure, even, own) == 0
    assert best_share(even, even, own) == 0
    assert best_share(sure, sure, own) == 0, "the graph, unless labels tell otherwise"
    wrong = rows((own + 1) % 3, 0.5)
    much = best_share(wrong, sure, own)
    assert much > 0.2
    few = best_share(wrong[:4], sure[:4], own[:4])
    assert 0 <= few < much <= SHARES[-1], "few labels tell less"


def test_the_graph_may_be_right_without_being_sure():
    own = np.arange(60) % 3
    sure = rows(own, 0.95)
    sure[:20] = rows((own[:20] + 1) % 3, 0.95)
    assert best_share(rows(own, 0.4), sure, own) < 0.2


def test_labels_are_taken_evenly():
    classes = np.r_[np.zeros(500, int), np.ones(3, int), np.full(40, 2)]
    taken = evenly(classes, 60)
    assert taken.size == 60
    assert (np.diff(taken) > 0).all()
    np.testing.assert_array_equal(np.bincount(classes[taken]), [29, 3, 28])
    np.testing.assert_array_equal(taken, evenly(classes, 60))


def test_most_labels_cost_no_fit(monkeypatch):
    X, y, known = crossed()
    stack = Stacking(Propagation(neighbor_affinities(X)), X)
    labels = as_supervision(known, len(X))
    share = stack.update(labels).linear_share
    monkeypatch.setattr(stack, "_fit", lambda _: pytest.fail("a fit for a tenth of the labels"))
    for i in range(60, 66):
        labels = labels.label(i, str(y[i]))
        assert stack.update(labels).linear_share == share
    monkeypatch.undo()
    fits = []
    monkeypatch.setattr(stack, "_fit", fits.append)
    stack.update(labels.label(66, str(y[66])))
    assert len(fits) == 1


@pytest.mark.parametrize(
    ("share", "error"),
    [("auto", ValueError), (1.0, ValueError), (-0.1, ValueError), (None, TypeError)],
)
def test_a_share_that_is_none_is_named(share, error):
    X, _, known = crossed(n_labels=10, n=60)
    with pytest.raises(error, match="linear_share"):
        nb.PropagationClassifier(linear_share=share).fit(X, known)


def test_dissimilarities_data_without_spread_and_one_class_are_left_to_the_graph():
    X, _, known = crossed(n_labels=30, n=80)
    D = np.linalg.norm(X[:, None] - X[None], axis=2)
    apart = nb.PropagationClassifier(metric="precomputed").fit(D, known)
    assert apart.suggestions_.linear_share == 0
    flat = nb.PropagationClassifier().fit(np.ones((80, 3)), known)
    assert flat.suggestions_.linear_share == 0
    one = nb.PropagationClassifier().fit(X, np.where(known == 1, 1, -1))
    assert one.suggestions_.linear_share == 0


def test_a_class_that_the_prior_excludes_is_not_suggested():
    X, _, known = crossed()
    model = nb.PropagationClassifier(class_prior=[0.0, 1.0], linear_share=0.5).fit(X, known)
    hidden = known == -1
    assert (model.transduction_[hidden] == 1).all()
    np.testing.assert_allclose(model.label_distributions_.sum(axis=1), 1)


def test_a_session_suggests_by_both():
    X, y, known = crossed()
    with nb.Session(X, nb.HSSNE(max_iter=5), supervision=as_supervision(known, len(X))) as session:
        found = session.suggest()
        assert found.linear_share > 0.2
        hidden = known == -1
        assert np.mean(found.top_class[hidden] != y[hidden]) < 0.1
