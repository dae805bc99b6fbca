"""Classifiers beside the graph: where labels favor them, and nowhere else; how sure they are."""

from __future__ import annotations

import numpy as np
import pytest
from scipy import sparse
from scipy.special import log_softmax, softmax
from sklearn.datasets import load_digits, load_wine, make_blobs
from sklearn.discriminant_analysis import LinearDiscriminantAnalysis
from sklearn.linear_model import LogisticRegression
from sklearn.preprocessing import StandardScaler

import nbembed as nb
from nbembed.kernels.threads import Interrupted
from nbembed.propagation import Propagation, accuracy_interval, neighbor_affinities
from nbembed.propagation.components import components
from nbembed.propagation.discriminant import Discriminant
from nbembed.propagation.incremental import left_out
from nbembed.propagation.linear import WEIGHT, WIDEST, LinearClassifier, evenly
from nbembed.propagation.stacking import EVEN, RATE, Stacking, best_weights
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


ALONE = {"graph": 1.0}


def beside(suggestions):
    """Return the weight of the classifiers beside the graph."""
    return sum(suggestions.weights.values()) - suggestions.weights["graph"]


def error(model, y, known):
    hidden = known == -1
    return float(np.mean(model.transduction_[hidden] != y[hidden]))


def test_a_plane_through_a_cloud_is_found():
    X, y, known = crossed()
    alone = nb.PropagationClassifier(stacking=False).fit(X, known)
    both = nb.PropagationClassifier().fit(X, known)
    assert error(alone, y, known) > 0.2
    assert error(both, y, known) < 0.1
    assert beside(both.suggestions_) > 0.2
    assert alone.suggestions_.weights == ALONE


def test_there_are_suggestions_before_the_weights_are_found_anew(monkeypatch):
    X, _, known = crossed()
    y = np.where(np.arange(500) < 65, (X @ np.r_[3.0, 3.0, 3.0, np.zeros(7)] > 0).astype(int), -1)
    stacking = Stacking(Propagation(neighbor_affinities(X), perplexity=None), X)
    before = []
    first = stacking.update(as_supervision(known, 500), before.append)
    assert (before[0].weights, len(before)) == (ALONE, 1)
    assert beside(first) > 0.2
    # Five more labels of sixty are too few for new weights.
    stacking.update(as_supervision(y, 500), before.append)
    assert len(before) == 1
    fewer = as_supervision(np.where(np.arange(500) < 40, known, -1), 500)
    last = stacking.update(fewer, before.append)
    assert before[1].weights == first.weights != last.weights

    def given_up(*_):
        raise Interrupted

    again = as_supervision(known, 500)
    with monkeypatch.context() as patch:
        patch.setattr(Stacking, "_judged", given_up)
        with pytest.raises(Interrupted):
            stacking.update(again)
    assert stacking.update(again).weights == pytest.approx(first.weights, abs=1e-6)


def test_clusters_are_left_to_the_graph():
    X, y = load_digits(return_X_y=True)
    known = np.where(np.arange(y.size) % 20 == 0, y, -1)
    both = nb.PropagationClassifier().fit(X, known)
    alone = nb.PropagationClassifier(stacking=False).fit(X, known)
    assert beside(both.suggestions_) < 0.3 < both.suggestions_.weights["graph"]
    assert error(both, y, known) <= error(alone, y, known) + 0.002


def test_too_few_labels_change_nothing():
    X, y = make_blobs(200, 4, centers=4, random_state=0)
    first = [np.flatnonzero(y == k)[0] for k in range(4)]
    known = np.full(200, -1)
    known[first] = y[first]
    both = nb.PropagationClassifier().fit(X, known)
    alone = nb.PropagationClassifier(stacking=False).fit(X, known)
    np.testing.assert_array_equal(both.label_distributions_, alone.label_distributions_)


def test_suggestions_are_the_weighted_product_of_the_members():
    X, _, known = crossed()
    labels = as_supervision(known, len(X))
    graph = nb.PropagationClassifier(stacking=False).fit(X, known).label_distributions_
    model = nb.PropagationClassifier().fit(X, known)
    points = labels.labeled
    given = points, labels.top_class[points], np.ones(points.size), 2
    members = {
        "graph": graph,
        "plane": LinearClassifier(X).probabilities(*given),
        "discriminant": Discriminant(X).probabilities(*given),
    }
    weights = model.suggestions_.weights
    assert set(weights) == set(members)
    logs = sum(weights[name] * np.log(floored(p)) for name, p in members.items())
    hidden = known == -1
    np.testing.assert_allclose(
        model.label_distributions_[hidden], softmax(logs, axis=1)[hidden], atol=1e-9
    )
    np.testing.assert_array_equal(model.label_distributions_[~hidden], graph[~hidden])


def test_few_directions_among_many_of_noise_are_found():
    rng = np.random.default_rng(1)
    y = np.arange(600) % 2
    X = rng.normal(size=(600, 120))
    X[:, :40] += np.where(y == 1, 1.0, -1.0)[:, None] * 0.25
    known = np.where(np.arange(600) < 20, y, -1)
    assert components(X).shape == (600, 1)
    alone = nb.PropagationClassifier(stacking=False).fit(X, known)
    both = nb.PropagationClassifier().fit(X, known)
    assert error(alone, y, known) > 0.2
    assert error(both, y, known) < 0.1  # 0.057 by the best plane of all
    assert both.suggestions_.weights["discriminant"] > 0.2


def test_components_of_correlated_columns_are_kept():
    X = load_digits().data
    Z = components(X)
    assert Z.shape == (1797, 50), "what is left after the first ones is no noise"
    narrow = StandardScaler().fit_transform(load_wine().data)
    assert components(narrow).shape == (178, 13)
    shuffled = np.random.default_rng(0).permuted(narrow, axis=0)
    assert components(shuffled).shape == (178, 13), "columns that have nothing in common"
    from_sparse = components(sparse.csr_array(X))
    np.testing.assert_allclose(np.abs(from_sparse[:, :10]), np.abs(Z[:, :10]), atol=1e-6)
    for kind in (sparse.csr_array, sparse.csr_matrix):
        column = components(kind(narrow[:, :1]))
        np.testing.assert_allclose(np.abs(column), np.abs(narrow[:, :1]), atol=1e-12)


def test_the_discriminant_is_that_of_scikit_learn():
    rng = np.random.default_rng(0)
    y = np.arange(3000) % 3
    X = (rng.normal(size=(3000, 4)) + np.eye(4)[y] * 2) @ (np.eye(4) + 0.3)
    points = np.arange(3000)
    ours = Discriminant(X).probabilities(points, y, np.ones(3000), 4)
    assert (ours[:, 3] == 0).all(), "a class without a label"
    # Many labels are shrunk little.
    peer = LinearDiscriminantAnalysis(solver="lsqr", priors=np.full(3, 1 / 3)).fit(X, y)
    np.testing.assert_allclose(ours[:, :3], peer.predict_proba(X), atol=0.02)


def test_a_doubtful_label_counts_little():
    X, y, _ = crossed()
    points, classes, confidence = np.arange(100), y[:100].copy(), np.ones(100)
    model = Discriminant(X)
    without = model.probabilities(points[1:], classes[1:], confidence[1:], 2)
    classes[0] = 1 - classes[0]
    wrong = model.probabilities(points, classes, confidence, 2)
    confidence[0] = 0.01
    doubtful = model.probabilities(points, classes, confidence, 2)
    assert np.abs(doubtful - without).max() < 0.1 * np.abs(wrong - without).max()


def test_the_discriminant_of_copies_and_of_one_label_a_class_is_finite():
    X = np.repeat(np.random.default_rng(0).normal(size=(4, 6)), 5, axis=0)
    for points in (np.array([0, 5]), np.array([0, 1, 5, 6])):
        found = Discriminant(X).probabilities(points, points // 5, np.ones(points.size), 2)
        assert np.isfinite(found).all()
        assert (found[points].argmax(axis=1) == points // 5).all()


def test_suggestions_are_as_sure_as_they_are_right():
    X, y = load_digits(return_X_y=True)
    known = np.where(np.random.default_rng(0).permutation(y.size) < 100, y, -1)
    hidden = known == -1

    def miscalibration(model):
        p = model.label_distributions_[hidden]
        right, sure = p.argmax(axis=1) == y[hidden], p.max(axis=1)
        bin_of = np.minimum((10 * sure).astype(int), 9)
        gap = np.bincount(bin_of, right, 10) - np.bincount(bin_of, sure, 10)
        return np.abs(gap).sum() / hidden.sum()

    assert miscalibration(nb.PropagationClassifier(stacking=False).fit(X, known)) > 0.1
    assert miscalibration(nb.PropagationClassifier().fit(X, known)) < 0.05


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


def test_members_do_not_depend_on_the_unit_of_the_data():
    X, _, known = crossed(n_labels=30, n=80)
    points = np.flatnonzero(known >= 0)
    for member in (LinearClassifier, Discriminant):
        found = [
            member(X * unit).probabilities(points, known[points], np.ones(points.size), 2)
            for unit in (1.0, 2.0**400, 2.0**-400)
        ]
        np.testing.assert_allclose(found[1], found[0], rtol=1e-6)
        np.testing.assert_allclose(found[2], found[0], rtol=1e-6)


def test_very_wide_data_are_left_to_the_graph():
    X, _, known = crossed(n_labels=40, n=80)
    wide = sparse.csr_array((80, WIDEST + 1))
    wide = sparse.csr_array(sparse.hstack([sparse.csr_array(X), wide[:, 10:]]))
    assert LinearClassifier(wide).useless
    model = nb.PropagationClassifier().fit(wide, known)
    assert set(model.suggestions_.weights) == {"graph"}


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


def test_the_weights_follow_what_labels_say():
    own = np.arange(60) % 3
    sure, even = rows(own, 0.95), rows(own, 1 / 3)
    wrong = rows((own + 1) % 3, 0.5)
    graph, plane = best_weights(np.array([sure, even]), own)
    assert (plane, graph > 1) == (0, True)
    np.testing.assert_allclose(best_weights(np.array([even, even]), own), [1, 0], atol=1e-3)
    assert best_weights(np.array([sure, sure]), own)[1] == 0, "the graph, unless labels tell more"
    graph, plane = best_weights(np.array([wrong, sure]), own)
    assert graph < 1 < plane
    few = best_weights(np.array([wrong[:4], sure[:4]]), own[:4])[1]
    assert few < plane, "few labels tell less"


def test_the_weights_are_a_maximum():
    rng = np.random.default_rng(0)
    own = np.arange(40) % 3
    p = rng.dirichlet(np.ones(3), (3, 40)) + 0.5 * np.eye(3)[own]
    p /= p.sum(axis=2, keepdims=True)
    best = best_weights(p, own)

    def value(a):
        logs = np.tensordot(a, np.log(floored(p.reshape(-1, 3))).reshape(p.shape), 1)
        likely = log_softmax(logs, axis=1)[np.arange(40), own].sum()
        return likely + np.log(a[0]) - a[0] - RATE * a[1:].sum()

    assert (best[1:] > 0).any()
    for _ in range(100):
        other = np.maximum(best + rng.normal(0, 0.1, 3), [1e-3, 0, 0])
        assert value(other) <= value(best) + 1e-5


def test_the_graph_may_be_right_without_being_sure():
    own = np.arange(60) % 3
    sure = rows(own, 0.95)
    sure[:20] = rows((own[:20] + 1) % 3, 0.95)
    graph, plane = best_weights(np.array([rows(own, 0.4), sure]), own)
    assert plane < 0.2
    assert graph > 5, "and the weights make it sure"


def test_wrong_labels_are_suspicious():
    X, y = load_digits(return_X_y=True)
    for n_labels, n_wrong in ((100, 5), (500, 25)):
        rng = np.random.default_rng(n_labels)
        points = rng.permutation(y.size)[:n_labels]
        wrong = points[:n_wrong]
        known = np.full(y.size, -1)
        known[points] = y[points]
        known[wrong] = (y[wrong] + rng.integers(1, 10, n_wrong)) % 10
        found = nb.PropagationClassifier().fit(X, known).suggestions_
        first = found.suspicious(2 * n_wrong)
        assert np.isin(wrong, first).mean() >= 0.9
        assert (known[first] >= 0).all()
        assert (np.diff(found.suspicion[first]) <= 0).all()
        said = np.array([int(name) for name in found.classes])[found.left_out_class[wrong]]
        assert (said == y[wrong]).mean() >= 0.9
        assert (found.suspicion[known == -1] == 0).all()
        assert (found.left_out_class[known == -1] == -1).all()


def test_a_label_that_was_corrected_is_no_longer_suspicious():
    X, y = make_blobs(200, 4, centers=3, random_state=0)
    known = np.where(np.arange(200) < 40, y, -1)
    known[0] = (y[0] + 1) % 3
    stack = Stacking(Propagation(neighbor_affinities(X)), X)
    labels = as_supervision(known, 200)
    assert stack.update(labels).suspicious().tolist() == [0]
    corrected = stack.update(labels.label(0, str(y[0])))
    assert corrected.suspicious().size == 0
    assert corrected.left_out_class[0] == -1
    alone = nb.PropagationClassifier(stacking=False).fit(X, known).suggestions_
    assert alone.suspicious().size == 0, "nothing was left out"
    with pytest.raises(ValueError, match="k"):
        corrected.suspicious(0)


def test_labels_are_taken_evenly():
    classes = np.r_[np.zeros(500, int), np.ones(3, int), np.full(40, 2)]
    taken = evenly(classes, 60)
    assert taken.size == 60
    assert (np.diff(taken) > 0).all()
    np.testing.assert_array_equal(np.bincount(classes[taken]), [29, 3, 28])
    np.testing.assert_array_equal(taken, evenly(classes, 60))


def test_labels_that_are_foretold_say_how_sure_the_expected_share_is():
    X, y = load_digits(return_X_y=True)
    known = np.full(y.size, -1)
    known[::10] = y[::10]
    found = nb.PropagationClassifier().fit(X, known).suggestions_
    labels = np.flatnonzero(known >= 0)
    assert (found.left_out_confidence[known < 0] == 0).all()
    assert found.judged(0)[0] == labels.size
    p, own = found.left_out_confidence[labels], found.left_out_class[labels]
    assert ((p > 0.1) & (p <= 1)).all()
    sure = p >= 0.95
    assert found.judged(0.95) == (sure.sum(), (sure & (own == y[labels])).sum())
    low, high = accuracy_interval(*found.judged(0.95)[::-1])
    expected = found.expected_right(0.95)
    assert found.expected_interval(0.95) == (min(low, expected), max(high, expected))
    low, high = found.expected_interval(0.5)
    taken = found.above(0.5)
    accuracy = (found.top_class[taken] == y[taken]).mean()
    assert low <= accuracy < high + 0.02, "each label is foretold from fewer than all"
    assert high - low < 0.1
    alone = nb.PropagationClassifier(stacking=False).fit(X, known).suggestions_
    assert alone.expected_interval(0.5) == (0.0, 1.0)
    with pytest.raises(ValueError, match="confidence must be"):
        found.expected_interval(1.5)


def test_the_interval_holds_the_share_where_labels_are_easier_than_the_rest():
    """Lassos of the middles of three digits: each of their labels is foretold surely."""
    X, y = load_digits(return_X_y=True)
    known = np.full(y.size, -1)
    for k in range(3):
        own = np.flatnonzero(y == k)
        away = np.linalg.norm(X[own] - X[own].mean(axis=0), axis=1)
        known[own[away <= np.quantile(away, 0.7)]] = k
    found = nb.PropagationClassifier().fit(X, known).suggestions_
    for confidence in (0.0, 0.5, 0.9):
        low, high = found.expected_interval(confidence)
        assert low <= found.expected_right(confidence) <= high


def test_most_labels_cost_no_fit(monkeypatch):
    X, y, known = crossed()
    stack = Stacking(Propagation(neighbor_affinities(X)), X)
    labels = as_supervision(known, len(X))
    weights = stack.update(labels).weights
    monkeypatch.setattr(stack, "_fit", lambda *_: pytest.fail("a fit for a tenth of the labels"))
    for i in range(60, 66):
        labels = labels.label(i, str(y[i]))
        assert stack.update(labels).weights == weights
    monkeypatch.undo()
    fits = []
    monkeypatch.setattr(stack, "_fit", lambda labels, _: fits.append(labels))
    stack.update(labels.label(66, str(y[66])))
    assert len(fits) == 1


def test_stacking_is_a_flag():
    X, _, known = crossed(n_labels=10, n=60)
    with pytest.raises(TypeError, match="stacking"):
        nb.PropagationClassifier(stacking="cv").fit(X, known)


def test_dissimilarities_data_without_spread_and_one_class_are_left_to_the_graph():
    X, _, known = crossed(n_labels=30, n=80)
    D = np.linalg.norm(X[:, None] - X[None], axis=2)
    apart = nb.PropagationClassifier(metric="precomputed").fit(D, known)
    assert set(apart.suggestions_.weights) == {"graph"}
    huge = nb.PropagationClassifier(metric="hamming").fit(np.round(X) * 1e300, known)
    assert set(huge.suggestions_.weights) == {"graph"}, "squares overflow"
    flat = nb.PropagationClassifier().fit(np.ones((80, 3)), known)
    assert set(flat.suggestions_.weights) == {"graph"}
    one = nb.PropagationClassifier().fit(X, np.where(known == 1, 1, -1))
    assert one.suggestions_.weights == ALONE


def test_a_class_that_the_prior_excludes_is_not_suggested():
    X, _, known = crossed()
    model = nb.PropagationClassifier(class_prior=[0.0, 1.0]).fit(X, known)
    hidden = known == -1
    assert (model.transduction_[hidden] == 1).all()
    np.testing.assert_allclose(model.label_distributions_.sum(axis=1), 1)


def test_a_session_suggests_by_both():
    X, y, known = crossed()
    with nb.Session(X, nb.HSSNE(max_iter=5), supervision=as_supervision(known, len(X))) as session:
        found = session.suggest()
        assert beside(found) > 0.2
        hidden = known == -1
        assert np.mean(found.top_class[hidden] != y[hidden]) < 0.1
